"""What the tests of the front end for C and C++ share."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["plugin", "no plugin"])
def plugin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the LLVM plugin where it is built, and without it."""
    if request.param == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    return str(request.param)
