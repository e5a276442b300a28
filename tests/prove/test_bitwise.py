"""Bitwise operators as the solver gets them: of given numbers, it finds what the interpreter computes and nothing else."""

from __future__ import annotations

import random

import pytest

from metalift.ir.expr.build import equal, neg
from metalift.ir.expr.nodes import Apply, Cast, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.interpret import evaluate
from metalift.prove.encode import Encoder
from metalift.prove.solver import SolverPool

TYPES = tuple(MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False))
OPERATORS = (Operator.BITAND, Operator.BITOR, Operator.BITXOR)


def term(rng: random.Random, type_: MachineInt, depth: int) -> Expr:
    """A term with masks, remainders and conversions."""
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return Var(f"v{rng.randrange(2)}{type_.bits}{type_.signed}", type_)
    if kind < 0.6:
        mask = integer(min(type_.high, (1 << rng.randint(0, type_.bits - 1)) - 1 + rng.randrange(2)), type_)
        right = mask if rng.random() < 0.5 else term(rng, type_, depth - 1)
        return Apply(rng.choice(OPERATORS), (term(rng, type_, depth - 1), right))
    inner: Expr = term(rng, rng.choice(TYPES), depth - 1)
    if kind > 0.85:
        inner = Apply(Operator.FMOD, (Cast(inner, INT), integer(1 << rng.randint(0, 9))))
    return Cast(inner, type_)


@pytest.mark.parametrize("seed", range(8))
def test_numbers_have_one_value(seed: int, pool: SolverPool) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        whole = Cast(term(rng, rng.choice(TYPES), 3), INT)
        variables = [(var, var.type) for var in sorted(free_vars(whole), key=lambda var: var.name)]
        values = {var.name: rng.choice((type_.low, type_.high, 0, rng.randint(type_.low, type_.high)))
                  for var, type_ in variables if isinstance(type_, MachineInt)}
        given = [equal(var, integer(values[var.name], type_)) for var, type_ in variables]
        computed = evaluate(whole, values)
        assert isinstance(computed, int) and type_of(whole) == INT
        for goal in (neg(equal(whole, integer(computed))), equal(whole, integer(computed + 1))):
            assert pool.ask(Encoder(opaque=False).script([*given, goal]), 20.0).answer == "unsat", whole
