"""Quotients of integers by instructions that chips without a division have: shifts, products and comparisons.

`exact` is the greatest magnitude of integers with which the machine computes exactly, a power of two.
"""

from __future__ import annotations

from metalift.driver import Cut, Idiom, Step
from metalift.ir.expr.build import at_most, conj, equal, less
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var, integer
from metalift.ir.expr.types import INT32

DIVIDEND = 255 * 255  # the greatest dividend of a constant: its product with 257 is below 2**24
BITS = 10  # of a quotient of which nothing is known


def number(value: int) -> Const:
    """An integer of 32 bits."""
    return integer(value, INT32)


def by_constant(divisor: int, exact: int) -> Idiom | None:
    """x / divisor = (x * m + c) >> s, if such numbers exist for all x up to DIVIDEND, else None."""
    x = Var("x", INT32)
    for shift in range(1, exact.bit_length() - 1):
        for factor in (-(-(1 << shift) // divisor), (1 << shift) // divisor):
            for more in (0, factor):
                if factor and factor * DIVIDEND + more < exact and _divides(divisor, factor, more, shift):
                    product, total, result = (Var(f"{name}", INT32) for name in ("product", "total", "result"))
                    steps = [Step(product, "multiply", (x, number(factor)))]
                    if more:
                        steps.append(Step(total, "add", (product, number(more))))
                    steps.append(Step(result, "shift_right", (total if more else product, number(shift))))
                    given = (at_most(number(0), x), at_most(x, number(DIVIDEND)))
                    d = Var("d", INT32)
                    return Idiom("quotient", (x, d), (*given, equal(d, number(divisor))), tuple(steps), result)
    return None


def _divides(divisor: int, factor: int, more: int, shift: int) -> bool:
    """Whether the formula is right at the ends of all intervals of equal quotients, so everywhere."""
    ends = {min(q * divisor + r, DIVIDEND) for q in range(DIVIDEND // divisor + 1) for r in (0, divisor - 1)}
    return all((x * factor + more) >> shift == x // divisor for x in ends)


def long_division(bits: int, exact: int) -> Idiom:
    """x / d bit by bit, where the quotient has so many bits: from the highest on, what is left is compared with d * 2**k."""
    x, d = Var("x", INT32), Var("d", INT32)
    bits = max(1, bits)
    rest: Expr = x
    quotient: Expr | None = None
    steps: list[Step | Cut] = []
    for k in reversed(range(bits)):
        multiple, fits, taken, left = (Var(f"{name}_{k}", INT32) for name in ("multiple", "fits", "taken", "left"))
        steps.append(Step(multiple, "multiply", (d, number(1 << k))))
        flag = Var(f"at_least_{k}", INT32)
        steps.append(Step(flag, "indicate_less_equal", (multiple, rest)))
        steps.append(Step(taken, "multiply", (flag, multiple)))
        steps.append(Step(left, "subtract", (rest, taken)))
        steps.append(Step(fits, "multiply", (flag, number(1 << k))))
        found: Var = fits
        if quotient is not None:
            found = Var(f"quotient_{k}", INT32)
            steps.append(Step(found, "add", (quotient, fits)))
        whole = Apply(Operator.ADD, (Apply(Operator.MUL, (found, d)), left))
        limit = Apply(Operator.MUL, (number(1 << k), d))
        small = conj(at_most(number(0), found), less(found, number(1 << bits)))
        holds = conj(equal(x, whole), at_most(number(0), left), less(left, limit), small)
        steps.append(Cut(holds, (found, left)))
        rest, quotient = left, found
    assert isinstance(quotient, Var), "a quotient of one bit or more"
    top = Apply(Operator.MUL, (number(1 << bits), d))
    given = (at_most(number(0), x), less(x, top), at_most(number(1), d), at_most(d, number(exact >> (bits + 1))))
    return Idiom("quotient", (x, d), given, tuple(steps), quotient)
