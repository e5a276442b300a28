"""Whether what an element gives at several keys is what rows for each of the keys give."""

from __future__ import annotations

import pytest

from metalift.codegen.flat import falls_apart
from metalift.ir.expr.nodes import FALSE, TRUE, Expr, Operator, Var
from metalift.ir.expr.types import BOOL, DOUBLE, INT, Type
from metalift.ir.expr.walk import substitute
from metalift.ir.text import parse

TESTS = (Var("first", BOOL), Var("second", BOOL))
NAMES: dict[str, Type] = {"first": BOOL, "second": BOOL, "p": BOOL, "q": BOOL, "m": INT, "n": INT, "x": DOUBLE, "y": DOUBLE}


@pytest.mark.parametrize(
    ("op", "value", "apart"),
    [
        (Operator.ADD, "(1 if first else 0) + (1 if second else 0)", True),
        (Operator.ADD, "((1 if first else 0) + 1) if second else (1 if first else 0)", True),
        (Operator.ADD, "(x if first and p else 0:f64) - (y if second and q else 0:f64)", True),
        (Operator.ADD, "(1 if first else 0) if p else ((1 if first else 0) + (1 if second else 0))", True),
        (Operator.ADD, "(m if first else 0) if p else (n if second else 0)", True),
        (Operator.ADD, "1 if first or second else 0", False),
        (Operator.ADD, "m if first else (n if second else 0)", False),
        (Operator.ADD, "(m if first else 0) + ((n if second else 0) if not first or p else 0)", False),
        (Operator.ADD, "(x if first else 0:f64) + (2:f64 * x if second else (x if first else 0:f64))", False),
        (Operator.ADD, "(m if first else 1) * (n if second else 1) - 1", False),
        (Operator.OR, "first or second", True),
        (Operator.OR, "(first and p) or (q and second)", True),
        (Operator.OR, "second or (first if p else False)", True),
        (Operator.OR, "(first and not second) or (second and not first)", False),
        (Operator.OR, "first if p or not second else False", False),
        (Operator.AND, "(not first or p) and (not second or q)", True),
        (Operator.AND, "not (first and second) or p", False),
    ],
)
def test_rows_for_each_key(op: Operator, value: str, apart: bool) -> None:
    body = parse(value, NAMES)

    def chosen(some: frozenset[int]) -> Expr:
        return substitute(body, {test: TRUE if at in some else FALSE for at, test in enumerate(TESTS)})

    assert falls_apart(op, 2, chosen) is apart


def test_more_keys_than_are_tried() -> None:
    assert falls_apart(Operator.OR, 6, lambda some: TRUE if some else FALSE)
    assert not falls_apart(Operator.OR, 7, lambda some: TRUE if some else FALSE)
