"""Drivers to start from, one of each kind: whole drivers that conform, copied by `metalift drivers new` under a name."""

from __future__ import annotations

import keyword
from pathlib import Path

from metalift.result.errors import UsageError
from metalift.system.files import write_text_atomic

HERE = Path(__file__).parent
KINDS = {  # the files of each kind, and what they are called in the end
    "library": {"library.py": "NAME.py", "columns.py": "NAME_library.py"},
    "isa": {"isa.py": "NAME.py", "isa_runner.py": "NAME_runner.py"},
    "notation": {"notation.py": "NAME.py", "notation_runner.py": "NAME_runner.py"},
}
TEST = '''"""The driver NAME conforms: what each operator means is what its spelling computes, and all of it was tried."""

from pathlib import Path

from metalift.app.conformance import report
from metalift.driver.files import load


def test_the_driver_conforms() -> None:
    table, conforms = report(load(str(Path(__file__).with_name("NAME.py"))))
    assert conforms and "not tested as a whole" not in table, table
'''


def new(name: str, kind: str, folder: Path) -> list[Path]:
    """Write a driver of that kind, with a test, and give its files. Raises UsageError where one is there, or for a bad name."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"a driver's name is a name in Python, such as my_dsl, not {name!r}")
    texts = {folder / its.replace("NAME", name): (HERE / own).read_text(encoding="utf-8") for own, its in KINDS[kind].items()}
    texts[folder / f"test_{name}.py"] = TEST
    if there := [str(path) for path in texts if path.exists()]:
        raise UsageError(f"{there[0]} is there already: nothing was written")
    for path, text in texts.items():
        write_text_atomic(path, text.replace("NAME", name))
    return list(texts)
