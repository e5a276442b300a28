"""What every expression means: its value for concrete values of its free variables.

All of an operator's operands have to be defined, with these exceptions: only the chosen arm of an Ite; `and`, `or` go from left
to right up to the first operand that decides; a component of a tuple, an element of a Build or a Filter, a value of an Update
and an accumulator of a Fold may be undefined as long as nothing uses them. Expressions are turned into closures once, then run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import assert_never

from metalift.ir.expr.nodes import (
    COMPARISONS,
    CONNECTIVES,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    type_of,
)
from metalift.ir.expr.ranged import limits
from metalift.ir.expr.types import IntType, MachineInt, RealType, ScalarType, Type
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp import identities
from metalift.ir.interp.arithmetic import integer_binary, integer_to, integer_unary, real_bits, truncated_to
from metalift.ir.interp.context import NO_FUNCTIONS, Code, Context, Domain, Functions, Scope, enter, lazily, leave, once
from metalift.ir.interp.functions import EXTERNAL, FUNCTIONS, made_up
from metalift.ir.interp.reals import EXACT, Reals
from metalift.ir.interp.values import Array, SourceUndefined, Tensor, Undef, Value, all_indices, count, defined


def evaluate(
    expr: Expr,
    env: Mapping[str, Value],
    functions: Functions = NO_FUNCTIONS,
    reals: Reals = EXACT,
    domain: Domain | None = None,
    limit: int = 10_000_000,
) -> Value:
    """The value of the expression; tensors are nested lists (or `Tensor`s in `env`), reals Fractions or 120-bit numbers.

    `functions` gives the meaning of Calls that are not in FUNCTIONS; `domain` the values that a quantifier's binder runs through.
    Raises SourceUndefined where the value has no meaning, LimitExceeded after `limit` steps, KeyError for an unknown name, and
    ValueError for a value that is not one of its variable's type.
    """
    code, variables = _prepared(expr)
    context = Context(reals, functions, domain, limit)
    scope = Scope({var.name: enter(env[var.name], var.type, reals) for var in variables}, context, {})
    return leave(code(scope))


def evaluate_if_defined(expr: Expr, env: Mapping[str, Value], limit: int = 10_000_000) -> Value:
    """The value of the expression, or where it has none what is no value until something uses it; raises as `evaluate` else."""
    try:
        return evaluate(expr, env, limit=limit)
    except SourceUndefined as error:
        return Undef(error.reason, too_large=error.too_large)


@lru_cache(maxsize=1 << 13)
def _prepared(expr: Expr) -> tuple[Code, tuple[Var, ...]]:
    return code_of(expr), tuple(free_vars(expr))


def code_of(expr: Expr) -> Code:  # noqa: C901 (one case for each node)
    """The closure that computes the expression."""
    match expr:
        case Var(name, _):
            return _variable(name)
        case Const(value, type_):
            return _constant(value, type_)
        case Apply(op, args):
            return _apply(op, args)
        case Cast(arg, type_):
            return _cast(code_of(arg), type_of(arg), type_)
        case Ite(cond, then, other):
            return _ite(code_of(cond), code_of(then), code_of(other))
        case Select(tensor, indices):
            return _select(code_of(tensor), [code_of(index) for index in indices])
        case Length(tensor, axis):
            array = code_of(tensor)
            return lambda scope: array(scope).size(axis)
        case Call(function, args, type_):
            return _call(function, [code_of(arg) for arg in args], type_)
        case MakeTuple(items):
            parts = [code_of(item) for item in items]
            return lambda scope: tuple([lazily(part, scope) for part in parts])
        case Item(arg, position):
            whole = code_of(arg)
            return lambda scope: defined(whole(scope)[position])
        case Build() | Filter() | Fold() | Update() | Forall() | Exists():
            return _loop(expr)
        case Lambda(params, body):
            return _lambda(params, code_of(body))
        case Invoke(function, args):
            return _invoke(code_of(function), [code_of(arg) for arg in args])
        case _:
            assert_never(expr)


@lru_cache(maxsize=1 << 13)
def _loop(expr: Build | Filter | Fold | Update | Forall | Exists) -> Code:
    """Equal loops are one, and are run once for the same values."""
    match expr:
        case Build(extents, binders, body):
            code = _build([code_of(extent) for extent in extents], binders, code_of(body))
        case Filter():
            code = _filter(expr)
        case Fold():
            code = _fold(expr)
        case Update():
            code = _update(expr)
        case _:
            code = _quantifier(expr)
    return once(code, [var.name for var in free_vars(expr)])


def _variable(name: str) -> Code:
    def code(scope: Scope) -> Value:
        value = scope.values[name]
        if type(value) is Undef:
            raise value.error()
        return value

    return code


def _constant(value: Value, type_: Type) -> Code:
    if isinstance(type_, RealType):
        bits = type_.bits
        entered: dict[Reals, Value] = {}

        def code(scope: Scope) -> Value:
            reals = scope.context.reals
            if reals not in entered:
                entered[reals] = reals.enter(value, bits)
            return entered[reals]

        return code
    return lambda scope: value


def _apply(op: Operator, args: tuple[Expr, ...]) -> Code:
    codes = [code_of(arg) for arg in args]
    type_ = type_of(args[0])
    if op in CONNECTIVES:
        return _connective(op, codes)
    if op in COMPARISONS:
        return _comparison(op, codes[0], codes[1], type_)
    if isinstance(type_, RealType):
        return _real_operator(op, codes, type_.bits)
    assert isinstance(type_, IntType | MachineInt)
    if len(codes) == 1:
        unary, arg = integer_unary(op, type_), codes[0]
        return lambda scope: unary(arg(scope))
    binary, left, right = integer_binary(op, type_), codes[0], codes[1]
    return lambda scope: binary(left(scope), right(scope))


def _connective(op: Operator, codes: list[Code]) -> Code:
    if op is Operator.NOT:
        (arg,) = codes
        return lambda scope: _negated(arg(scope))
    if len(codes) == 2:
        left, right = codes
        if op is Operator.AND:
            return lambda scope: left(scope) and right(scope)
        return lambda scope: left(scope) or right(scope)
    if op is Operator.AND:
        return lambda scope: all(code(scope) for code in codes)
    return lambda scope: any(code(scope) for code in codes)


def _comparison(op: Operator, left: Code, right: Code, type_: Type) -> Code:
    if isinstance(type_, RealType):
        match op:
            case Operator.LT:
                return lambda scope: scope.context.reals.less(left(scope), right(scope))
            case Operator.LE:
                return lambda scope: _negated(_less_after(scope, left, right))
            case _:
                return lambda scope: scope.context.reals.equal(left(scope), right(scope))
    match op:
        case Operator.LT:
            return lambda scope: left(scope) < right(scope)
        case Operator.LE:
            return lambda scope: left(scope) <= right(scope)
        case _:
            return lambda scope: left(scope) == right(scope)


def _negated(answer: int) -> int:
    """True for false, False for true; another number that could be 0 or 1 stays one."""
    return not answer if isinstance(answer, bool) else 1 - answer


def _less_after(scope: Scope, left: Code, right: Code) -> int:
    """Whether right < left, with the left one computed first."""
    first = left(scope)
    return scope.context.reals.less(right(scope), first)


def _real_operator(op: Operator, codes: list[Code], bits: int) -> Code:
    if len(codes) == 1:
        arg = codes[0]
        match op:
            case Operator.NEG:
                return lambda scope: -arg(scope)
            case Operator.ABS:
                return lambda scope: abs(arg(scope))
            case _:
                raise AssertionError(f"{op.value} is no operator of a real")
    left, right = codes
    match op:
        case Operator.ADD:
            return lambda scope: scope.context.reals.add(left(scope), right(scope), bits)
        case Operator.SUB:
            return lambda scope: scope.context.reals.sub(left(scope), right(scope), bits)
        case Operator.MUL:
            return lambda scope: scope.context.reals.mul(left(scope), right(scope), bits)
        case Operator.DIV:
            return lambda scope: scope.context.reals.div(left(scope), right(scope), bits)
        case Operator.MIN | Operator.MAX:
            return _extreme(left, right, op is Operator.MIN)
        case _:
            raise AssertionError(f"{op.value} is no operator of reals")


def _extreme(left: Code, right: Code, least: bool) -> Code:
    def code(scope: Scope) -> Value:
        a, b = left(scope), right(scope)
        return a if scope.context.reals.less(a, b) == least else b

    return code


def _cast(arg: Code, source: Type, target: Type) -> Code:
    if isinstance(target, RealType):
        bits = target.bits
        return lambda scope: scope.context.reals.enter(arg(scope), bits)
    assert isinstance(target, IntType | MachineInt)
    if isinstance(source, RealType):
        return lambda scope: truncated_to(scope.context.reals.truncate(arg(scope)), target)
    convert = integer_to(target)
    return lambda scope: convert(arg(scope))


def _ite(cond: Code, then: Code, other: Code) -> Code:
    return lambda scope: then(scope) if cond(scope) else other(scope)


def _select(tensor: Code, indices: list[Code]) -> Code:
    if len(indices) == 1:
        index = indices[0]
        return lambda scope: tensor(scope).at((index(scope),))
    return lambda scope: tensor(scope).at(tuple([index(scope) for index in indices]))


def _call(name: str, args: list[Code], type_: Type) -> Code:
    function = FUNCTIONS.get(name)

    def code(scope: Scope) -> Value:
        context = scope.context
        values = tuple([arg(scope) for arg in args])
        given = context.functions.get(name)
        if given is not None:
            return enter(given(*(leave(value) for value in values)), type_, context.reals)
        if name.startswith(EXTERNAL) and isinstance(type_, ScalarType):
            plain = tuple(leave(value) for value in values)
            known = identities.apply(name, plain, type_)
            return enter(made_up(name, plain, type_) if known is None else known, type_, context.reals)
        if function is None:
            raise KeyError(f"no meaning is known for the function {name}")
        if function.question:
            return False
        return context.reals.call(function, values, real_bits(type_))

    return code


def _lambda(params: tuple[Var, ...], body: Code) -> Code:
    names = [param.name for param in params]

    def code(scope: Scope) -> Callable[..., Value]:
        def function(*args: Value) -> Value:
            scope.context.spend(1)
            return body(Scope({**scope.values, **dict(zip(names, args, strict=True))}, scope.context, scope.kept))

        return function

    return code


def _invoke(function: Code, args: list[Code]) -> Code:
    return lambda scope: function(scope)(*[arg(scope) for arg in args])


def _build(extents: list[Code], binders: tuple[Var, ...], body: Code) -> Code:
    names = [binder.name for binder in binders]

    def code(scope: Scope) -> Value:
        shape = tuple([max(0, extent(scope)) for extent in extents])
        scope.context.spend(count(shape))
        inner = scope.inner()
        cells = []
        for indices in all_indices(shape):
            inner.values.update(zip(names, indices, strict=True))
            cells.append(lazily(body, inner))
        return Tensor(shape, cells)

    return code


def _filter(kept: Filter) -> Code:
    extent, cond, body = code_of(kept.extent), code_of(kept.cond), code_of(kept.body)
    name = kept.index.name

    def code(scope: Scope) -> Value:
        trips = max(0, extent(scope))
        scope.context.spend(trips)
        inner = scope.inner()
        cells = []
        for position in range(trips):
            inner.values[name] = position
            if cond(inner):
                cells.append(lazily(body, inner))
        return Tensor((len(cells),), cells)

    return code


def _fold(fold: Fold) -> Code:
    extent, init, body = code_of(fold.extent), code_of(fold.init), code_of(fold.body)
    acc, index = fold.acc.name, fold.index.name

    def code(scope: Scope) -> Value:
        trips = max(0, extent(scope))
        scope.context.spend(trips)
        inner = scope.inner()
        state = lazily(init, scope)
        for position in range(trips):
            inner.values[acc] = state
            inner.values[index] = position
            state = lazily(body, inner)
        return defined(state)

    return code


def _update(update: Update) -> Code:
    base = code_of(update.base)
    loops = [(binder.name, code_of(extent)) for binder, extent in zip(update.binders, update.extents, strict=True)]
    indices = [code_of(index) for index in update.indices]
    value, guard = code_of(update.value), code_of(update.guard)

    def write(result: Tensor | Array, inner: Scope, depth: int) -> None:
        if depth < len(loops):
            name, extent = loops[depth]
            trips = max(0, extent(inner))
            inner.context.spend(trips)
            for position in range(trips):
                inner.values[name] = position
                write(result, inner, depth + 1)
        elif guard(inner):
            result.put(tuple([index(inner) for index in indices]), lazily(value, inner))

    def code(scope: Scope) -> Value:
        result: Tensor | Array = base(scope).copy()
        write(result, scope.inner(), 0)
        return result

    return code


def _quantifier(formula: Forall | Exists) -> Code:
    """Over the range that the formula states, or where it states none over the context's domain."""
    binders, body, universal = formula.binders, code_of(formula.body), isinstance(formula, Forall)
    stated = limits(formula)
    ranges = None if stated is None else [code_of(limit) for limit in stated]

    def values(inner: Scope, depth: int) -> Iterable[Value]:
        if ranges is not None:
            return range(ranges[depth](inner))
        if inner.context.domain is None:
            raise ValueError("a quantifier has no value without a domain")
        return inner.context.domain(binders[depth])

    def holds(inner: Scope, depth: int) -> bool:
        if depth == len(binders):
            return bool(body(inner))
        for value in values(inner, depth):
            inner.context.spend(1)
            inner.values[binders[depth].name] = value
            if holds(inner, depth + 1) != universal:
                return not universal
        return universal

    return lambda scope: holds(scope.inner(), 0)
