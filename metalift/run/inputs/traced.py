"""The conditions that a run meets, as expressions of its input: executed along the run's trace.

An element of an array, a part of a record and a scalar are each a variable of their own. What cannot be told as an expression
of these is left out: who uses the conditions runs the fragment anew to see what they were worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Build,
    Call,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Ite,
    Lambda,
    Length,
    Operator,
    Select,
    Update,
    Var,
    type_of,
)
from metalift.ir.expr.types import INT, IntType, ScalarType, TensorType
from metalift.ir.expr.walk import children, map_children
from metalift.ir.interp import identities
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.interp.functions import MP, mpf_to_fraction
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value
from metalift.ir.program.fragment import Assign, Assume, Block, Branch, Edge, Fragment, Store
from metalift.run.inputs.attempts import Attempt
from metalift.run.inputs.concrete import Scalar

_LARGEST = 60  # nodes of a value's expression; a larger value is the number that it is
_UNROLLED = 12  # steps of a fold
_LIMIT = 1_000  # steps of one evaluation
_SMALL = 1e-30  # reals that are no fractions are kept where they are larger than this, and not as large as its reciprocal


class Unclear(Exception):
    """A value is no expression of the input."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a variable is in the input: in a parameter, at a cell of an array, a part of a part of it; or an axis' length."""

    parameter: str
    cell: tuple[int, ...] | None = None
    parts: tuple[int, ...] = ()
    axis: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """At a place of the trace, a condition that has to be as it was for the run to go on as it did.

    `promised`: the source itself says that it holds.
    """

    place: int
    cond: Expr
    holds: bool
    promised: bool = False


@dataclass(slots=True)
class Traced:
    """A run's decisions, and the variables that they are about with their values in the input."""

    fragment: Fragment
    attempt: Attempt
    shared: Mapping[str, str]
    trace: Sequence[str]
    asked: Mapping[str, Sequence[Expr]] = field(default_factory=dict)  # for each block, what else to write in terms of the input
    answers: dict[int, dict[Expr, Expr]] = field(default_factory=dict)  # these by place of the trace
    decisions: list[Decision] = field(default_factory=list)
    sources: dict[Var, Source] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    _known: dict[str, Expr] = field(default_factory=dict)
    _stored: dict[tuple[str, tuple[int, ...]], Expr] = field(default_factory=dict)
    _sizes: dict[Expr, int] = field(default_factory=dict)

    def follow(self) -> None:
        """Execute along the trace from the entry."""
        blocks = {block.label: block for block in self.fragment.blocks}
        for param in self.fragment.params:
            if isinstance(param.var.type, ScalarType):
                value = self.attempt.scalars[param.var.name]
                self._known[param.var.name] = self._atom(param.var.name, param.var.type, Source(param.var.name), value)
        for place, label in enumerate(self.trace):
            following = blocks[self.trace[place + 1]] if place + 1 < len(self.trace) else None
            self._block(blocks[label], place, following)

    def value(self, expr: Expr) -> Scalar:
        """The value in this run; raises Unclear."""
        if isinstance(expr, Const):
            return expr.value
        return value_of(expr, self.values)

    def _block(self, block: Block, place: int, following: Block | None) -> None:
        for statement in block.body:
            match statement:
                case Assign(target, value, _):
                    self._set(target.name, value)
                case Store(array, indices, value, _):
                    self._store(array, indices, value)
                case Assume(cond=cond):
                    self._decided(place, cond, True, promised=True)
                case _:
                    pass
        for expr in self.asked.get(block.label, ()):
            if (found := self._or_none(expr)) is not None:
                self.answers.setdefault(place, {})[expr] = found
        if following is None:
            return
        edge = block.edges[0]
        if isinstance(block.end, Branch):
            edge = self._branch(block.end, place, following)
        passed = [self._or_none(arg) for arg in edge.args]
        for param, made in zip(following.args, passed, strict=True):
            self._keep(param.name, made)

    def _branch(self, branch: Branch, place: int, following: Block) -> Edge:
        """The edge that was taken."""
        if branch.then.block != branch.other.block:
            taken = following.label == branch.then.block
            self._decided(place, branch.cond, taken)
            return branch.then if taken else branch.other
        try:
            return branch.then if self.value(self.resolved(branch.cond)) else branch.other
        except Unclear:
            return branch.then

    def _decided(self, place: int, cond: Expr, holds: bool, promised: bool = False) -> None:
        found = self._or_none(cond)
        if found is not None:
            self.decisions.append(Decision(place, found, holds, promised))

    def _set(self, name: str, value: Expr) -> None:
        self._keep(name, self._or_none(value))

    def _keep(self, name: str, value: Expr | None) -> None:
        if value is None:
            self._known.pop(name, None)
        else:
            self._known[name] = value

    def _store(self, array: Var, indices: Sequence[Expr], value: Expr) -> None:
        """What a cell holds now; where it is not known which one, nothing is known of the array's cells any more."""
        name = self.shared.get(array.name, array.name)
        try:
            self._stored[name, self._cell(indices)] = self._short(self.resolved(value))
        except Unclear:
            for key in [key for key in self._stored if key[0] == name]:
                del self._stored[key]

    def _or_none(self, expr: Expr) -> Expr | None:
        try:
            return self._short(self.resolved(expr))
        except Unclear:
            return None

    def _short(self, expr: Expr) -> Expr:
        """The expression, or its value where it has become too large."""
        type_ = type_of(expr)
        if self._size(expr) <= _LARGEST or not isinstance(type_, ScalarType):
            return expr
        return Const(self.value(expr), type_)

    def _size(self, expr: Expr) -> int:
        if expr not in self._sizes:
            self._sizes[expr] = 1 + sum(map(self._size, children(expr)))
        return self._sizes[expr]

    def resolved(self, expr: Expr) -> Expr:  # noqa: C901 (one case for each node)
        """The expression in terms of the input; raises Unclear."""
        match expr:
            case Const():
                return expr
            case Var(name, _):
                if name not in self._known:
                    raise Unclear
                return self._known[name]
            case Select(Var() as array, indices):
                return self._select(array, indices)
            case Length(Var() as array, axis):
                return self._length(array, axis)
            case Apply(Operator.AND | Operator.OR as op, args):
                return self._connected(op, args)
            case Ite(cond, then, other):
                return self._chosen(cond, then, other)
            case Fold():
                return self._unrolled(expr)
            case Call(function, (whole,), _) if function.startswith(identities.PART):
                return self._part(expr, self.resolved(whole))
            case Build() | Filter() | Update() | Forall() | Exists() | Lambda():
                raise Unclear
            case _:
                return self._folded(map_children(self.resolved, expr))

    def _folded(self, expr: Expr) -> Expr:
        """A constant where all parts are."""
        type_ = type_of(expr)
        if isinstance(type_, ScalarType) and all(isinstance(child, Const) for child in children(expr)):
            return Const(self.value(expr), type_)
        return expr

    def _part(self, part: Call, whole: Expr) -> Expr:
        if isinstance(whole, Call) and whole.function.startswith(identities.WHOLE):
            return whole.args[int(part.function.removeprefix(identities.PART).partition(".")[0])]
        return self._folded(Call(part.function, (whole,), part.type))

    def _cell(self, indices: Sequence[Expr]) -> tuple[int, ...]:
        found = [self.value(self.resolved(index)) for index in indices]
        return tuple(index for index in found if isinstance(index, int))

    def _select(self, array: Var, indices: Sequence[Expr]) -> Expr:
        name = self.shared.get(array.name, array.name)
        cell = self._cell(indices)
        if (name, cell) in self._stored:
            return self._stored[name, cell]
        if name not in self.attempt.arrays or not isinstance(array.type, TensorType):
            raise Unclear
        shape, cells = self.attempt.arrays[name]
        if min(cell) < 0 or (shape is not None and any(index >= extent for index, extent in zip(cell, shape, strict=True))):
            raise Unclear
        return self._atom(f"{name}{list(cell)}", array.type.element, Source(name, cell), cells.at(cell))

    def _atom(self, name: str, type_: ScalarType, source: Source, value: Scalar) -> Expr:
        """A variable for what is in the input, or a record of those for its parts."""
        if isinstance(type_, IntType) and type_.fields:
            parts = identities.content(int(value))
            if not isinstance(parts, tuple) or len(parts) != len(type_.fields):
                raise Unclear
            inner = [
                self._atom(f"{name}.{at}", each, Source(source.parameter, source.cell, (*source.parts, at)), part)
                for at, ((_, each), part) in enumerate(zip(type_.fields, parts, strict=True))
            ]
            return identities.whole_of(inner, type_)
        var = Var(name, type_)
        self.sources[var] = source
        self.values[name] = value
        return var

    def _length(self, array: Var, axis: int) -> Expr:
        shape = self.attempt.arrays[array.name][0] if array.name in self.attempt.arrays else None
        if shape is None or array.name in self.shared:
            raise Unclear
        return self._atom(f"{array.name}#{axis}", INT, Source(array.name, axis=axis), shape[axis])

    def _connected(self, op: Operator, args: Sequence[Expr]) -> Expr:
        """The operands up to the first of which nothing is known."""
        found: list[Expr] = []
        for arg in args:
            try:
                found.append(self.resolved(arg))
            except Unclear:
                break
        if not found:
            raise Unclear
        decided = FALSE if op is Operator.AND else TRUE
        left = [each for each in found if each != (TRUE if op is Operator.AND else FALSE)]
        if decided in left:
            return decided
        if not left:
            return TRUE if op is Operator.AND else FALSE
        return left[0] if len(left) == 1 else Apply(op, tuple(left))

    def _chosen(self, cond: Expr, then: Expr, other: Expr) -> Expr:
        """Both values under the condition; the one that was chosen where the other one is not known."""
        test = self.resolved(cond)
        chosen, left = (then, other) if self.value(test) else (other, then)
        found = self.resolved(chosen)
        if isinstance(test, Const):
            return found
        try:
            further = self.resolved(left)
        except Unclear:
            return found
        return Ite(test, *((found, further) if chosen is then else (further, found)))

    def _unrolled(self, fold: Fold) -> Expr:
        extent = self.value(self.resolved(fold.extent))
        if not isinstance(extent, int) or extent > _UNROLLED or fold.acc.name in self._known or fold.index.name in self._known:
            raise Unclear
        found = self.resolved(fold.init)
        try:
            for index in range(extent):
                self._known |= {fold.acc.name: found, fold.index.name: Const(index, INT)}
                found = self._short(self.resolved(fold.body))
        finally:
            self._known.pop(fold.acc.name, None)
            self._known.pop(fold.index.name, None)
        return found


def value_of(expr: Expr, values: Mapping[str, Value]) -> Scalar:
    """The value of an expression of the input; raises Unclear where it has none, or one that is huge."""
    try:
        found = evaluate(expr, values, limit=_LIMIT)
    except (SourceUndefined, LimitExceeded, KeyError, ValueError) as problem:
        raise Unclear from problem
    if isinstance(found, bool | int | Fraction):
        return found
    if not isinstance(found, MP.mpf) or not (found == 0 or _SMALL < abs(found) < 1 / _SMALL):
        raise Unclear
    return mpf_to_fraction(found)
