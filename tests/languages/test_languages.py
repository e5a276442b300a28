"""docs/languages.md is what its functions show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.languages.table import FILES, LIFTED, NONE, PAGE, Cell, cells, page
from tests.support.commands import metalift

TRIED = [cell for cell in cells() if cell.state != NONE]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.languages.table"


@pytest.mark.quick(every=20)
@pytest.mark.parametrize("cell", TRIED, ids=[f"{cell.language}-{cell.name}" for cell in TRIED])
def test_a_cell_says_what_happens(cell: Cell, tmp_path: Path) -> None:
    done = metalift("lift", FILES[cell.language], "--function", cell.name, "--to", cell.to, "--out", tmp_path, "--json")
    function = next(each for each in done.functions if each["name"].rpartition("::")[2] == cell.name)
    lifted = function["verdict"] == "PROVED" and not function["reasons"]
    assert lifted == (cell.state == LIFTED), function["reasons"]
    if not lifted:
        assert function["reasons"][0]["line"] > 0
