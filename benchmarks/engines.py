"""What the tensor libraries make of NaN and infinity, which no proof speaks of: writes docs/engines.md.

Usage, from the root of the project: python -m benchmarks.engines

Each operator on real numbers is applied to them, beside ordinary numbers, in each library that is installed. Nothing here passes
or fails: proofs are over the real numbers, and "floats stay finite" is listed among the assumptions of every lift.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from metalift.app.conformance.engines import Started, spelling, started
from metalift.app.conformance.samples import Sample
from metalift.driver import Driver, Operator
from metalift.driver.files import load
from metalift.driver.meaning.language import Kind, TypeVariable
from metalift.ir.expr.types import FLOAT, TensorType, Type

PAGE = Path("docs/engines.md")
NAN, INF = math.nan, math.inf
ONE = (NAN, INF, -INF, 0.0, -0.0)
TWO = ((NAN, 1.0), (1.0, NAN), (INF, 1.0), (1.0, INF), (INF, INF), (INF, -INF), (0.0, INF), (1.0, 0.0), (0.0, 0.0))
VECTORS = ((1.0, NAN, 2.0), (1.0, INF), (-INF, INF))
HEAD = """# NaN and infinity in the libraries

Proofs are over the real numbers: that floats stay finite is an assumption of every lift, and no verdict depends on what follows.
It is what each library gives where they do not, in 32 bits on the CPU: recorded by `python -m benchmarks.engines`, as it came.

{versions}

An operator's arguments are in brackets; the elements of a vector, and the results for several arguments, are separated by spaces.

"""


def main() -> None:
    """Write the page."""
    driver = load("tensor").driver
    targets = [target for target in driver.targets if target.language == "python"]
    libraries = {target.name: on for target in targets if isinstance(on := started(target), Started)}
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(driver, libraries), encoding="utf-8")


def page(driver: Driver, libraries: dict[str, Started]) -> str:
    """The whole text."""
    versions = ", ".join(on.engine.version for on in libraries.values())
    rows = [row for operator in driver.operators.values() for row in rows_of(operator, libraries)]
    differing = [row for row in rows if len({cell for cell in row[2:] if cell != "-"}) > 1]
    alike = dict.fromkeys(row[0] for row in rows if row not in differing)
    lines = ["## Where they differ", "", *table(["operator", "arguments", *libraries], differing), "", "## Where they agree", ""]
    lines += table(
        ["operator", "arguments", "result"], [[*row[:2], result(row)] for row in rows if row[0] in alike and row not in differing]
    )
    return HEAD.format(versions=versions) + "\n".join(lines) + "\n"


def result(row: Sequence[str]) -> str:
    """What all that have the operator give."""
    return next((cell for cell in row[2:] if cell != "-"), "-")


def rows_of(operator: Operator, libraries: dict[str, Started]) -> Iterator[list[str]]:
    """The operator, its arguments, and what each library gives; nothing where it takes other things than reals."""
    for types, values in applications(operator):
        cells = [applied(operator, on, types, values) for on in libraries.values()]
        if any(cell != "-" for cell in cells):
            yield [operator.name.rpartition(".")[2], shown(values), *cells]


def applications(operator: Operator) -> Iterator[tuple[tuple[Type, ...], tuple[list[float], ...]]]:
    """Vectors of special numbers for an elementwise operator; one of a few elements for a reduction."""
    patterns = [param.pattern for param in operator.params]
    if operator.meaning.external is not None or not all(takes_reals(pattern.element) for pattern in [*patterns, operator.result]):
        return
    vector = TensorType(FLOAT, 1)
    if operator.elementwise and len(patterns) == 1:
        yield (vector,), (list(ONE),)
    elif operator.elementwise and len(patterns) == 2:
        first, second = zip(*TWO, strict=True)
        yield (vector, vector), (list(first), list(second))
    elif not operator.elementwise and len(patterns) == 1 and patterns[0].rank == 1:
        yield from (((vector,), (list(values),)) for values in VECTORS)


def takes_reals(element: object) -> bool:
    """Whether a parameter's element may be a float."""
    return element == FLOAT or (isinstance(element, TypeVariable) and element.kind is not Kind.INTEGER)


def applied(operator: Operator, on: Started, types: tuple[Type, ...], values: tuple[list[float], ...]) -> str:
    """The result as text; - where the library lacks the operator, or does not take these."""
    if not operator.takes(on.target, (False,) * len(values)):
        return "-"
    scope: dict[str, Any] = dict(on.engine.space)
    for param, cells in zip(operator.params, values, strict=True):
        scope[f"arg_{param.name}"] = on.engine.of(cells, (len(cells),), "f32")
    tree = spelling(operator, on.target, Sample(types, values, FLOAT, 0, 0), on_numbers=False)
    try:
        return number(on.engine.plain(eval(compile(tree, "spelling", "eval"), scope)))
    except Exception as error:  # noqa: BLE001 - a library may raise anything; that is recorded too
        return type(error).__name__


def shown(values: tuple[list[float], ...]) -> str:
    """Arguments for people."""
    if len(values) == 1:
        return f"({number(values[0])})"
    return " ".join(f"({', '.join(number(cell) for cell in cells)})" for cells in zip(*values, strict=True))


def number(value: object) -> str:
    """Numbers with four digits."""
    if isinstance(value, list):
        return " ".join(number(each) for each in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


if __name__ == "__main__":
    main()
