"""What holds for all expressions: checked, written and read back, renamed, substituted, simplified and bounded soundly."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metalift.ir.expr.filters import as_folds
from metalift.ir.expr.nodes import Apply, Const, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import (
    alpha_key,
    binders_of,
    children,
    free_vars,
    rebuild,
    scoped_children,
    subexpressions,
    substitute,
    transform,
)
from metalift.ir.interp.interpret import SourceUndefined, Value, evaluate
from metalift.ir.rewrite.simplify import Interval, interval, simplify
from metalift.ir.text import parse, show
from metalift.ir.wellformed.check import check
from tests.ir.generate_terms import ELEMENTS, FREE, any_term, domain, environment, filtered, index, names

randoms = st.randoms(use_true_random=False)
seeds = st.integers(0, 2**64)
few = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
PER_SEED = 24
UNDEFINED = "undefined"


def value_of(expr: Expr, env: dict[str, Value]) -> object:
    """The value, or UNDEFINED."""
    try:
        return evaluate(expr, env, functions={"op": lambda arg: arg}, domain=domain, limit=20_000)
    except SourceUndefined:
        return UNDEFINED


def agrees(expr: Expr, other: Expr, env: dict[str, Value]) -> bool:
    """Whether the other one has the same value wherever the first has one."""
    value = value_of(expr, env)
    return value == UNDEFINED or value == value_of(other, env)


@few
@given(randoms)
def test_terms_are_well_formed(random: Random) -> None:
    expr = any_term(random)
    check(expr)
    assert free_vars(expr) <= {Var(name, type_) for name, type_ in names().items()}


def test_many_terms_have_values() -> None:
    random = Random(7)
    found = [value_of(any_term(random), environment(random)) for _ in range(400)]
    assert sum(value != UNDEFINED for value in found) > 150


@few
@given(seeds)
def test_text_is_read_back_as_the_same_expression(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED):
        expr = any_term(random)
        assert parse(show(expr), names()) == expr, show(expr)
        expected = type_of(expr)
        assert parse(show(expr, expected), names(), expected) == expr, show(expr, expected)


@few
@given(randoms)
def test_an_expression_is_rebuilt_from_its_children(random: Random) -> None:
    for part in subexpressions(any_term(random)):
        assert rebuild(part, children(part)) == part
        assert rebuild(part, children(part), binders_of(part)) == part


@few
@given(seeds)
def test_substitution_is_evaluation_in_another_environment(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED // 4):
        expr, env = any_term(random), environment(random)
        replaced = random.sample([var for var in FREE if var.type == INT], 2)
        values = {var: index(random, 2, FREE) for var in replaced}
        results = {var.name: value_of(value, env) for var, value in values.items()}
        if UNDEFINED in results.values():
            continue
        inner = {**env, **{name: result for name, result in results.items() if isinstance(result, int)}}
        assert value_of(substitute(expr, values), env) == value_of(expr, inner), show(expr)


@few
@given(seeds)
def test_renaming_binders_changes_neither_key_nor_value(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED // 4):
        expr, env = any_term(random), environment(random)
        renamed = renamed_binders(expr)
        check(renamed)
        assert alpha_key(renamed) == alpha_key(expr)
        assert free_vars(renamed) == free_vars(expr)
        assert value_of(renamed, env) == value_of(expr, env)


@few
@given(seeds)
def test_a_filter_has_the_length_and_the_elements_of_its_folds(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED):
        kept, env = filtered(random, random.choice(ELEMENTS), 2, FREE), environment(random)
        length = value_of(Length(kept), env)
        places = range(length) if isinstance(length, int) else ()
        parts: list[Expr] = [Length(kept), *(Select(kept, (integer(place),)) for place in places)]
        for part in parts:
            check(as_folds(part))
            assert agrees(part, as_folds(part), env), show(part)


def renamed_binders(expr: Expr) -> Expr:
    """The expression with every binder called differently."""

    def rename(node: Expr) -> Expr:
        new = {binder: Var(f"{binder.name}.b", binder.type) for binder in binders_of(node)}
        if not new:
            return node
        parts = [substitute(child, {binder: new[binder] for binder in scope}) for child, scope in scoped_children(node)]
        return rebuild(node, tuple(parts), tuple(new.values()))

    return transform(rename, expr)


@few
@given(seeds)
def test_simplification_keeps_every_value(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED // 4):
        expr, env = any_term(random), environment(random)
        simple = simplify(expr)
        check(simple)
        assert type_of(simple) == type_of(expr)
        assert agrees(expr, simple, env), f"{show(expr)}\n{show(simple)}\n{env}"
        again = simplify(simple)
        assert agrees(simple, again, env)


@few
@given(seeds)
def test_simplification_within_ranges_keeps_values_in_them(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED // 4):
        expr, env = any_term(random), environment(random)
        ranges = known_ranges(random, expr, env)
        simple = simplify(expr, ranges)
        assert agrees(expr, simple, env), f"{show(expr)}\n{show(simple)}\n{env}\n{ranges}"


def known_ranges(random: Random, expr: Expr, env: dict[str, Value]) -> dict[Expr, Interval]:
    """Ranges around the values that integer variables have."""
    ranges: dict[Expr, Interval] = {}
    for var in sorted(free_vars(expr), key=lambda var: var.name):
        value = env[var.name]
        if is_integer(var.type) and isinstance(value, int) and random.randrange(2):
            low, high = value - random.randint(0, 2), value + random.randint(0, 2)
            ranges[var] = Interval(low if random.randrange(4) else None, high if random.randrange(4) else None)
    return ranges


@few
@given(seeds)
def test_values_lie_in_their_intervals(seed: int) -> None:
    random = Random(seed)
    for _ in range(PER_SEED // 4):
        expr, env = any_term(random), environment(random)
        ranges = known_ranges(random, expr, env)
        for part in subexpressions(expr):
            if not is_integer(type_of(part)) or not free_vars(part) <= free_vars(expr):
                continue
            value = value_of(part, env)
            if isinstance(value, int):
                found = interval(part, ranges)
                assert Interval(value, value).within(found), f"{show(part)} = {value} not in {found}; {ranges}"


def test_terms_of_one_hash_differ() -> None:
    """Python's -1 and -2 have one hash."""
    one, other = neg_of(-1), neg_of(-2)
    assert hash(one) == hash(other) and one != other
    assert one == neg_of(-1) and one == neg_of(-1) and other != neg_of(-1)


def neg_of(value: int) -> Apply:
    """A term with a literal in it."""
    return Apply(Operator.NEG, (Const(value, INT),))
