"""Random well-formed expressions with arrays, tuples and binders, and values for their variables.

Binders have few names, which variables have too, so that capture and shadowing happen.
"""

from __future__ import annotations

from random import Random

from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
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
    integer,
)
from metalift.ir.expr.types import (
    BOOL,
    FLOAT,
    INT,
    INT32,
    BoolType,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
)
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.interp.values import Value
from tests.ir.generate import SCALARS, expression, value, variables

NAMES = ("i", "j", "k")
ELEMENTS: tuple[ScalarType, ...] = (FLOAT, INT32, BOOL)
PAIR = TupleType((INT, FLOAT))
Scope = tuple[Var, ...]


def array(type_: ScalarType, rank: int) -> Var:
    """The array variable with that element type and rank."""
    name = {BoolType: "flags", RealType: "x", MachineInt: "y", IntType: "z"}[type(type_)]
    return Var(f"{name}{rank}", TensorType(type_, rank))


FREE: Scope = (*(Var(name, INT) for name in NAMES[:2]), Var("n", INT), Var("pair", PAIR))


def term(random: Random, type_: ScalarType, depth: int, scope: Scope = FREE) -> Expr:
    """A scalar operator tree, some of whose leaves are parts of arrays, folds or tuples."""
    skeleton = expression(random, type_, random.randint(0, 2))
    parts: dict[Var, Expr] = {}
    for var in sorted(free_vars(skeleton), key=lambda var: var.name):
        assert isinstance(var.type, BoolType | IntType | MachineInt | RealType)
        if depth > 0 and random.random() < 0.7:
            parts[var] = part(random, var.type, depth - 1, scope)
    return substitute(skeleton, parts)


def part(random: Random, type_: ScalarType, depth: int, scope: Scope) -> Expr:
    """Something that is no scalar operator."""
    known = [var for var in scope if var.type == type_]
    kind = random.randrange(9)
    if known and kind < 3:
        return random.choice(known)
    if kind == 3:
        return fold(random, type_, depth, scope)
    if kind == 4:
        items = (term(random, type_, depth, scope), term(random, random.choice(SCALARS), depth, scope))
        return Item(MakeTuple(items), 0)
    if kind == 5 and isinstance(type_, BoolType):
        return quantified(random, depth, scope)
    if kind == 5 and type_ in PAIR.items:
        return Item(pair(random, depth, scope), PAIR.items.index(type_))
    if kind == 6:
        return Call("op", (term(random, type_, depth, scope),), type_)
    if kind == 7:
        return invoked(random, type_, depth, scope)
    if type_ in ELEMENTS:
        rank = random.randint(1, 2)
        return Select(tensor(random, type_, rank, depth, scope), tuple(index(random, depth, scope) for _ in range(rank)))
    if isinstance(type_, IntType):
        rank = random.randint(1, 2)
        return Length(tensor(random, random.choice(ELEMENTS), rank, depth, scope), random.randrange(rank))
    return Cast(index(random, depth, scope), type_) if not isinstance(type_, BoolType) else TRUE


def index(random: Random, depth: int, scope: Scope) -> Expr:
    """An index or extent: mostly a small number or a variable."""
    known = [var for var in scope if var.type == INT]
    kind = random.randrange(6)
    if kind < 2:
        return integer(random.randint(0, 2))
    if kind < 5:
        return random.choice(known)
    return Apply(Operator.MIN, (integer(3), term(random, INT, depth - 1, scope)))


def binders(random: Random, number: int) -> tuple[Var, ...]:
    """Different binders."""
    return tuple(Var(name, INT) for name in random.sample(NAMES, number))


def hidden(scope: Scope, bound: tuple[Var, ...]) -> Scope:
    """The scope below binders."""
    names = {var.name for var in bound}
    return (*(var for var in scope if var.name not in names), *bound)


def fold(random: Random, type_: ScalarType, depth: int, scope: Scope) -> Fold:
    """A fold with a scalar accumulator."""
    (position,) = binders(random, 1)
    acc = Var(f"acc{SCALARS.index(type_)}", type_)
    body = term(random, type_, depth, hidden(scope, (position, acc)))
    return Fold(index(random, depth, scope), term(random, type_, depth, scope), acc, position, body)


def invoked(random: Random, type_: ScalarType, depth: int, scope: Scope) -> Invoke:
    """A function on its arguments, or one of two functions."""
    numbers = binders(random, random.randint(0, 2))
    params = (*numbers, Var("r", FLOAT))
    args = (*(index(random, depth, scope) for _ in numbers), term(random, FLOAT, depth - 1, scope))
    function: Expr = Lambda(params, term(random, type_, depth - 1, hidden(scope, params)))
    if random.randrange(4) == 0:
        other = Lambda(params, term(random, type_, depth - 1, hidden(scope, params)))
        function = Ite(term(random, BOOL, depth - 1, scope), function, other)
    return Invoke(function, args)


def pair(random: Random, depth: int, scope: Scope) -> Expr:
    """A tuple: a variable, a fold, a choice."""
    kind = random.randrange(3)
    if kind == 0 or depth <= 0:
        return FREE[-1]
    if kind == 1:
        return Ite(term(random, BOOL, depth - 1, scope), FREE[-1], _items(random, depth, scope))
    (position,) = binders(random, 1)
    acc = Var("both", PAIR)
    inner = hidden(scope, (position,))
    body = MakeTuple((Apply(Operator.ADD, (Item(acc, 0), position)), term(random, FLOAT, depth - 1, inner)))
    return Fold(index(random, depth, scope), _items(random, depth, scope), acc, position, body)


def _items(random: Random, depth: int, scope: Scope) -> MakeTuple:
    return MakeTuple((term(random, INT, depth - 1, scope), term(random, FLOAT, depth - 1, scope)))


def quantified(random: Random, depth: int, scope: Scope) -> Expr:
    """A quantifier over one or two integers, or over a real."""
    bound = binders(random, random.randint(1, 2))
    if random.randrange(4) == 0:
        bound = (Var("r", FLOAT),)
    body = term(random, BOOL, depth, hidden(scope, bound))
    return random.choice((Forall, Exists))(bound, body)


def tensor(random: Random, type_: ScalarType, rank: int, depth: int, scope: Scope) -> Expr:
    """A tensor: a variable, a Build, a Filter or an Update."""
    kind = random.randrange(5)
    if kind < 2 or depth <= 0:
        return array(type_, rank)
    if kind == 2:
        bound = binders(random, rank)
        extents = tuple(index(random, depth, scope) for _ in bound)
        return Build(extents, bound, term(random, type_, depth - 1, hidden(scope, bound)))
    if kind == 4 and rank == 1:
        return filtered(random, type_, depth, scope)
    bound = binders(random, random.randint(0, 2))
    extents = tuple(index(random, depth, hidden(scope, bound[:place])) for place in range(len(bound)))
    inner = hidden(scope, bound)
    guard = TRUE if random.randrange(2) else term(random, BOOL, depth - 1, inner)
    places = tuple(index(random, depth, inner) for _ in range(rank))
    return Update(
        tensor(random, type_, rank, depth - 1, scope), bound, extents, places, term(random, type_, depth - 1, inner), guard
    )


def filtered(random: Random, type_: ScalarType, depth: int, scope: Scope) -> Filter:
    """A tensor of those elements for which a condition holds."""
    (position,) = binders(random, 1)
    inner = hidden(scope, (position,))
    cond, body = term(random, BOOL, depth - 1, inner), term(random, type_, depth - 1, inner)
    return Filter(index(random, depth, scope), position, cond, body)


def any_term(random: Random, depth: int = 3) -> Expr:
    """A term of any type."""
    kind = random.randrange(6)
    if kind == 0:
        return tensor(random, random.choice(ELEMENTS), random.randint(1, 2), depth, FREE)
    return pair(random, depth, FREE) if kind == 1 else term(random, random.choice(SCALARS), depth)


def environment(random: Random) -> dict[str, Value]:
    """Values for every variable that a term can have."""
    env: dict[str, Value] = {var.name: value(random, type_) for type_ in SCALARS for var in variables(type_)}
    env |= {name: random.randint(-1, 3) for name in ("i", "j", "n")}
    env["pair"] = (random.randint(-2, 3), value(random, FLOAT))
    for type_ in ELEMENTS:
        rows, columns = random.randint(0, 4), random.randint(0, 3)
        env[array(type_, 1).name] = [value(random, type_) for _ in range(rows)]
        env[array(type_, 2).name] = [[value(random, type_) for _ in range(columns)] for _ in range(rows)]
    return env


def names() -> dict[str, Type]:
    """The types of every variable that a term can have."""
    known: dict[str, Type] = {var.name: var.type for type_ in SCALARS for var in variables(type_)}
    known |= {var.name: var.type for var in FREE}
    known |= {array(type_, rank).name: array(type_, rank).type for type_ in ELEMENTS for rank in (1, 2)}
    return known


def domain(binder: Var) -> list[Value]:
    """What a quantifier runs through: a few numbers."""
    return list(range(-1, 4))
