"""No test of these asks anybody but the loopback server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.asking import only_loopback


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For every test here."""
    only_loopback(monkeypatch, tmp_path)
