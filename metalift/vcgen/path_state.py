"""The symbolic state on one path: values of SSA names, contents of arrays, what is known, where the path went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from metalift.ir.expr.build import conj, equal, neg
from metalift.ir.expr.nodes import FALSE, TRUE, Expr, Ite, Length, Select, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import children, free_names, rebuild, with_binders_apart
from metalift.vcgen.obligation import Symbol

# An array that is only read may be the same memory as a written one: each with the proposition that it is.
Aliases = Mapping[str, tuple[tuple[Var, str], ...]]
NO_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Contents:
    """What an array holds: a named version and the single-cell writes since, the latest last."""

    version: Var
    writes: tuple[tuple[tuple[Expr, ...], Expr], ...] = ()

    def read(self, cell: tuple[Expr, ...]) -> Expr:
        """The element at `cell`."""
        value: Expr = Select(self.version, cell)
        for at, written in self.writes:
            same = conj(*(equal(mine, wanted) for mine, wanted in zip(at, cell, strict=True)))
            value = written if same == TRUE else Ite(same, written, value)
        return value

    def stored(self, cell: tuple[Expr, ...], value: Expr) -> Contents:
        """The contents after one more write."""
        return Contents(self.version, (*self.writes, (cell, value)))


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """A loop the path is in or has been through: the state at its entry and the number of complete iterations."""

    index: Var
    entry_values: Mapping[str, Expr]
    entry_arrays: Mapping[str, Contents]
    arrays: Mapping[str, Contents]


@dataclass(frozen=True, slots=True)
class PathState:
    """Immutable: methods give the next state."""

    aliases: Aliases
    values: Mapping[str, Expr]
    arrays: Mapping[str, Contents]
    known: tuple[Expr, ...] = ()
    promised: tuple[Expr, ...] = ()
    trail: tuple[str, ...] = ()
    loops: Mapping[str, OpenLoop] = field(default_factory=dict)
    symbols: tuple[Symbol, ...] = ()
    exact: Mapping[Var, Expr] = field(default_factory=dict)  # values of machine type known as mathematical integers
    needs: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)  # by name: what holds where the value is used

    def knowing(self, *facts: Expr) -> PathState:
        """With more hypotheses."""
        return replace(self, known=(*self.known, *(fact for fact in facts if fact != TRUE)))

    def impossible(self) -> bool:
        """Whether a hypothesis is literally false, or literally contradicts another."""
        return FALSE in self.known or any(neg(fact) in self.known for fact in self.known)

    def assigned(self, name: str, value: Expr) -> PathState:
        """With a value for an SSA name."""
        return replace(self, values={**self.values, name: value})

    def stored(self, array: Var, cell: tuple[Expr, ...], value: Expr) -> PathState:
        """After a write to one element."""
        name = array.name
        return replace(self, arrays={**self.arrays, name: self.arrays[name].stored(cell, value)})

    def evaluate(self, expr: Expr) -> Expr:
        """The expression of the source with names and array reads replaced by what they are in this state."""
        return resolve(expr, self.values, self.arrays, self.aliases)


def resolve(  # noqa: C901 (one case for each kind of node)
    expr: Expr,
    values: Mapping[str, Expr],
    arrays: Mapping[str, Contents],
    aliases: Aliases,
    names: Mapping[str, str] = NO_NAMES,
) -> Expr:
    """Replace scalar names by `values` and array reads by reads of `arrays`; names in neither stay as they are.

    `names` renames arrays that are not in `arrays`.
    """
    memo: dict[int, tuple[Expr, Expr]] = {}  # the node is kept with its result, or another could get its identity
    taken = frozenset(values).union(*map(free_names, values.values()))

    def contents(array: Var) -> Contents:
        return arrays.get(array.name) or Contents(Var(names.get(array.name, array.name), array.type))

    def go(node: Expr) -> Expr:
        known = memo.get(id(node))
        if known is None:
            known = memo[id(node)] = (node, step(node))
        return known[1]

    def step(node: Expr) -> Expr:
        match node:
            case Length(Var()):
                return node
            case Var(name, TensorType()):
                held = contents(node)
                if held.writes:
                    raise ValueError(f"{name} is used as a whole with unnamed writes")
                return held.version
            case Var(name, _):
                return values.get(name, node)
            case Select(Var(name) as array, cell):
                at = tuple(go(index) for index in cell)
                value = contents(array).read(at)
                for same, other in aliases.get(name, ()):
                    value = Ite(same, contents(Var(other, array.type)).read(at), value)
                return value
            case _:
                return below(with_binders_apart(node, taken))

    def below(node: Expr) -> Expr:
        parts = children(node)
        changed = tuple(go(child) for child in parts)
        return node if all(a is b for a, b in zip(changed, parts, strict=True)) else rebuild(node, changed)

    return go(expr)
