"""What the tests of functions that are lifted to Spark share."""

from __future__ import annotations

import pytest

from metalift.result import FunctionResult
from tests.support.spark import lifted_functions


@pytest.fixture(scope="module")
def lifted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    """Every function of the module's `SOURCE`, which is Python unless `SUFFIX` says otherwise."""
    suffix = getattr(request.module, "SUFFIX", ".py")
    return lifted_functions(request.module.SOURCE, tmp_path_factory.mktemp("lifted"), suffix)
