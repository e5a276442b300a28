"""What the inputs of a fragment are for: which of them decide trip counts and indices, and which constants they meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import assert_never

from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Operator, Select, Var
from metalift.ir.expr.types import TensorType, element_of, is_identity, is_integer
from metalift.ir.expr.walk import read_by, subexpressions
from metalift.ir.program.fragment import Assign, Assume, Branch, Check, Fragment, Store, Undefined, expressions
from metalift.ir.program.graphs import reached
from metalift.run.inputs.ordered import Order, orders_of


@dataclass(frozen=True, slots=True)
class Roles:
    """`sizes`: scalar parameters that reach a loop's exit condition or an index; `pointing`: arrays whose contents do.

    `constants` are the literals of the source; `functions` the names of the functions it calls; `orders` are of arrays that
    assumptions say to be ordered; `alike`: groups of integers among the parameters that are asked to be equal.
    """

    sizes: frozenset[Var]
    pointing: frozenset[Var]
    constants: frozenset[int | Fraction]
    functions: frozenset[str]
    orders: Mapping[Var, Order] = field(default_factory=dict)
    alike: tuple[tuple[Var, ...], ...] = ()


def roles_of(fragment: Fragment, assumptions: Sequence[Expr] = ()) -> Roles:
    """The roles of a fragment's parameters, by data flow alone; the literals include those of the assumptions."""
    expressions = tuple(expressions_of(fragment))
    needs = _dependencies(fragment)
    deciding = reached(_seeds(fragment), lambda var: needs.get(var, ()))
    params = [param.var for param in fragment.params if not is_identity(element_of(param.var.type))]
    nodes = [node for expr in (*expressions, *assumptions) for node in subexpressions(expr)]
    return Roles(
        sizes=frozenset(var for var in params if var in deciding and not isinstance(var.type, TensorType)),
        pointing=frozenset(var for var in params if var in deciding and isinstance(var.type, TensorType)),
        constants=frozenset(node.value for node in nodes if isinstance(node, Const) and not isinstance(node.value, bool)),
        functions=frozenset(node.function for node in nodes if isinstance(node, Call)),
        orders=orders_of(assumptions),
        alike=_alike(nodes, [var for var in params if is_integer(var.type)]),
    )


def _alike(nodes: Iterable[Expr], integers: Sequence[Var]) -> tuple[tuple[Var, ...], ...]:
    """The integers that comparisons ask to be equal, together with those that are asked to be equal to these."""
    groups: dict[Expr, set[Var]] = {var: {var} for var in integers}
    for node in nodes:
        match node:
            case Apply(Operator.EQ, (left, right)):
                one, two = groups.get(_of(left)), groups.get(_of(right))
                if one is not None and two is not None and one is not two:
                    one |= two
                    groups |= dict.fromkeys(two, one)
    found = {id(group): tuple(var for var in integers if var in group) for group in groups.values() if len(group) > 1}
    return tuple(found.values())


def _of(expr: Expr) -> Expr:
    """What is converted, perhaps."""
    return _of(expr.arg) if isinstance(expr, Cast) else expr


def expressions_of(fragment: Fragment) -> Iterator[Expr]:
    """Every expression of the fragment."""
    return (expr for block in fragment.blocks for expr in expressions(block))


def _dependencies(fragment: Fragment) -> dict[Var, set[Var]]:
    """For each value and array, what it is computed from."""
    needs: dict[Var, set[Var]] = defaultdict(set)
    args = {block.label: block.args for block in fragment.blocks}
    for block in fragment.blocks:
        for statement in block.body:
            match statement:
                case Assign(target, value):
                    needs[target] |= read_by(value)
                case Store(array, indices, value):
                    needs[array] |= read_by(value).union(*map(read_by, indices))
                case Assume() | Check() | Undefined():
                    pass
                case _:
                    assert_never(statement)
        for edge in block.edges:
            for target, value in zip(args[edge.block], edge.args, strict=True):
                needs[target] |= read_by(value)
    return needs


def _seeds(fragment: Fragment) -> set[Var]:
    """The variables of indices and of the conditions under which loops are left."""
    found: set[Var] = set()
    for expr in expressions_of(fragment):
        for node in subexpressions(expr):
            if isinstance(node, Select):
                found = found.union(*map(read_by, node.indices))
    exits = set(loop_exits(fragment))
    for block in fragment.blocks:
        for statement in block.body:
            if isinstance(statement, Store):
                found = found.union(*map(read_by, statement.indices))
        if block.label in exits and isinstance(block.end, Branch):
            found |= read_by(block.end.cond)
    return found


def loop_exits(fragment: Fragment) -> Iterator[str]:
    """The labels of blocks from which a loop, at any depth of nesting, can be left."""
    following = {block.label: [edge.block for edge in block.edges] for block in fragment.blocks}
    pending = [frozenset(following)]
    while pending:
        nodes = pending.pop()
        for cycle in _cycles(nodes, following):
            yield from (label for label in cycle if any(after not in cycle for after in following[label]))
            entered = {after for label in following.keys() - cycle for after in following[label] if after in cycle}
            pending.append(cycle - (entered or {min(cycle)}))


def _cycles(nodes: frozenset[str], following: dict[str, list[str]]) -> list[frozenset[str]]:
    """The strongly connected components with a cycle, of the graph restricted to `nodes`."""
    inside = {node: nodes.intersection(following[node]) for node in nodes}
    reach = {node: reached(inside[node], inside.__getitem__) for node in nodes}
    components = {frozenset(other for other in reach[node] if node in reach[other]) for node in nodes if node in reach[node]}
    return sorted(components, key=min)
