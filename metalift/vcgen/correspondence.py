"""A second program's summary in terms of the first one's parameters.

Scalars correspond to scalars, arrays to arrays, element by element: an array of several axes in the second program may be one
that lies row by row in the first. What the second program returns may be what the first leaves in arrays. Numbers are compared by
value; floats of different widths are the same real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metalift.ir.expr.build import at_most, clamped, conj, equal, forall, implies, in_range, minus, plus, to_int, tuple_items
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Cast,
    Expr,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, BoolType, MachineInt, RealType, ScalarType, TensorType, Type, is_integer, show_type
from metalift.ir.expr.walk import free_vars, map_children, substitute
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import Binding, Summary
from metalift.ir.text import show
from metalift.vcgen.arrays import layers

_MARK = "#"  # begins names that no program has


class NoCorrespondence(Exception):
    """The programs cannot be compared; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """An array of the second program: the first one's, and its lengths as that one has them."""

    array: Var
    shape: tuple[Expr, ...]

    def __str__(self) -> str:
        """The lengths, as text."""
        return ",".join(show(each.arg if isinstance(each, Cast) else each) for each in self.shape)

    @property
    def rank(self) -> int:
        """The number of axes in the second program."""
        return len(self.shape)

    def place(self, indices: Sequence[Expr]) -> tuple[Expr, ...]:
        """Where an element is in the first program's array: row by row where that has one axis."""
        assert isinstance(self.array.type, TensorType)
        if self.array.type.rank == len(indices):
            return tuple(indices)
        flat: Expr = indices[0]
        for index, extent in zip(indices[1:], self.shape[1:], strict=True):
            flat = plus(Apply(Operator.MUL, (flat, extent)), index)
        return (flat,)


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What parameters of the second program are in the first one, by name, and the arrays that its result stands for."""

    scalars: Mapping[str, Expr]
    arrays: Mapping[str, Lengths]
    results: tuple[Lengths, ...] = ()

    @property
    def shapes(self) -> str:
        """The lengths of arrays, as text: `a:n,k x:k -> y:n`."""
        arrays = [f"{name}:{each}" for name, each in self.arrays.items()]
        results = [f"{each.array.name}:{each}" for each in self.results]
        return " ".join([*arrays, *(["->", *results] if results else [])])

    def lengths(self) -> Iterator[Expr]:
        """That lengths of arrays are not negative, of which the second program is told by its arrays alone."""
        numbers = frozenset[Var]().union(*map(free_vars, self.scalars.values()))
        for lengths in (*self.arrays.values(), *self.results):
            yield from (at_most(integer(0), to_int(each)) for each in lengths.shape if not free_vars(each) <= numbers)

    def elements(self, second: Fragment) -> Iterator[tuple[str, Expr]]:
        """That exact integers of the first program's arrays are in the range of what the second one's arrays have, with words."""
        for param in second.params:
            lengths = self.arrays.get(param.var.name)
            if lengths is None:
                continue
            array, type_ = lengths.array, param.var.type
            assert isinstance(array.type, TensorType) and isinstance(type_, TensorType)
            if array.type.element == INT and isinstance(type_.element, MachineInt):
                at = tuple(Var(f"i{axis}", INT) for axis in range(array.type.rank))
                inside = conj(*(in_range(index, Length(array, axis)) for axis, index in enumerate(at)))
                text = f"elements of {array.name} fit {show_type(type_.element)}, as in the arrays of {second.name}"
                yield text, forall(at, implies(inside, fits(Select(array, at), type_.element)))

    def flat(self, first: Fragment) -> dict[str, tuple[Expr, ...]]:
        """How many elements the first function's arrays have where the second one is called with its own, along each axis."""
        pointers = {param.var for param in first.params if param.kind is ParamKind.POINTER}
        found: dict[str, tuple[Expr, ...]] = {}
        for lengths in (*self.results, *self.arrays.values()):
            if lengths.array in pointers and lengths.shape:
                size: Expr = lengths.shape[0]
                for extent in lengths.shape[1:]:
                    size = Apply(Operator.MUL, (to_int(size), to_int(extent)))
                assert isinstance(lengths.array.type, TensorType)
                if lengths.array.type.rank == 1:
                    found[lengths.array.name] = (to_int(size),)
        return found

    def summary(self, fragment: Fragment, summary: Summary) -> tuple[Summary, tuple[Expr, ...]]:
        """The summary of the second program over the parameters of the first, and that its values are in range where they are
        stored (a conversion would change those that are not), and that what it returns has the shape that is told.

        Raises NoCorrespondence.
        """
        transport = _Transport(self, fragment)
        return transport.summary(summary), tuple(map(transport.put_in, transport.ranges))

    def formula(self, fragment: Fragment, formula: Expr) -> Expr:
        """A condition on the second program's parameters over those of the first."""
        return _Transport(self, fragment).expr(formula)


def with_locals(first: Fragment, second: Fragment) -> Fragment:
    """The first function with the second one's local arrays, by the names that its summary has for them here."""
    return replace(first, locals=(*first.locals, *(Var(f"{_MARK}{var.name}", var.type) for var in second.locals)))


def valued(expr: Expr, type_: Type) -> Expr:
    """The same number in another type; raises NoCorrespondence where one is a float and the other is not."""
    found = type_of(expr)
    if found == type_:
        return expr
    if not isinstance(found, ScalarType) or not isinstance(type_, ScalarType) or _kind(found) != _kind(type_):
        raise NoCorrespondence("a number that is an integer in one program and a float in the other; annotate it alike")
    return Cast(expr, type_)


def _kind(type_: Type) -> str:
    if isinstance(type_, RealType):
        return "float"
    return "truth" if isinstance(type_, BoolType) else "integer" if is_integer(type_) else "other"


class _Transport:
    """Renames all that belongs to the second program, and puts in what it is in the first."""

    def __init__(self, names: Correspondence, fragment: Fragment) -> None:
        self.names = names
        params = {param.var.name: param.var for param in fragment.params}
        self.arrays: dict[Var, tuple[Var, Lengths]] = {}  # by what it is called here: the marked array, and its marked lengths
        self.last: dict[Var, Expr] = {}  # marked names, and what they stand for
        self.ranges: list[Expr] = []
        first: dict[Var, Expr] = {}
        for name, expr in names.scalars.items():
            marked = Var(f"{_MARK}{name}", params[name].type)
            first[params[name]] = marked
            self.last[marked] = valued(expr, params[name].type)
        for name, lengths in names.arrays.items():
            self._array(params[name], lengths, first)
        first.update((var, Var(f"{_MARK}{var.name}", var.type)) for var in fragment.locals)
        self.first = first

    def _array(self, var: Var, lengths: Lengths, first: dict[Var, Expr]) -> None:
        marked = Var(f"{_MARK}{var.name}", lengths.array.type)
        shape = []
        for axis, extent in enumerate(lengths.shape):
            each = Var(f"{_MARK}{var.name}.{axis}", INT)
            self.last[each] = to_int(extent)
            shape.append(each)
        self.last[marked] = lengths.array
        here = Var(f"{_MARK}{var.name}.here", var.type)
        first[var] = here
        self.arrays[here] = (marked, Lengths(marked, tuple(shape)))

    # Summaries

    def summary(self, summary: Summary) -> Summary:
        """All of it, but for what it says of loops."""
        renamed: dict[Var, Expr] = dict(self.first)
        bindings = []
        for binding in summary.bindings:
            value = substitute(binding.value, renamed)
            var = Var(f"{_MARK}{binding.var.name}", binding.var.type)
            made = self.version(value)
            if isinstance(made, Update):
                base, _ = layers(made)
                own = Var(f"{_MARK}{binding.var.name}.here", binding.var.type)
                var = Var(var.name, type_of(base))
                lengths = next((known for marked, known in self.arrays.values() if marked == base), None)
                if lengths is not None:
                    self.arrays[own] = (var, replace(lengths, array=var))
                    renamed[binding.var] = own
                else:
                    renamed[binding.var] = var
            else:
                renamed[binding.var] = var
            bindings.append(Binding(var, self.put_in(made)))
        outputs = dict(self.outputs({name: substitute(term, renamed) for name, term in summary.outputs}))
        return Summary(
            (),
            tuple(bindings),
            tuple(outputs.items()),
            tuple(self.put_in(self.go(substitute(each, renamed))) for each in summary.requires),
            (),
            tuple(self.put_in(self.go(substitute(each, renamed))) for each in summary.facts),
        )

    def outputs(self, terms: Mapping[str, Expr]) -> Iterator[tuple[str, Expr]]:
        """Final contents of the first program's arrays, and what is returned."""
        written: set[str] = set()
        for name, term in terms.items():
            if name == "return":
                continue
            array = self.names.arrays[name].array
            written.add(array.name)
            yield array.name, self.put_in(self.version(term))
        if "return" not in terms:
            return
        term = terms["return"]
        if not self.names.results:
            yield "return", self.put_in(self.go(term))
            return
        items = tuple_items(term)
        if len(items) != len(self.names.results):
            raise NoCorrespondence(f"{len(items)} results for {len(self.names.results)} arrays that the other program writes")
        for item, lengths in zip(items, self.names.results, strict=True):
            if lengths.array.name in written:
                raise NoCorrespondence(f"{lengths.array.name} is written and returned")
            yield lengths.array.name, self.stored(self.go(item), lengths)

    def stored(self, item: Expr, lengths: Lengths) -> Expr:
        """A returned array as contents of one that is written."""
        made = self.put_in(item)
        assert isinstance(lengths.array.type, TensorType)
        if not isinstance(made, Build):
            raise NoCorrespondence(f"a result that is no array, where the other program writes {lengths.array.name}")
        if len(made.extents) != lengths.rank:
            raise NoCorrespondence(f"a result of {len(made.extents)} axes for {lengths.array.name}; give its shape with --shapes")
        if lengths.rank > 1:  # the same elements may lie row by row in another shape
            pairs = zip(made.extents, lengths.shape, strict=True)
            self.ranges += (equal(clamped(to_int(one)), clamped(to_int(other))) for one, other in pairs)
        own = replace(lengths, shape=made.extents)
        return self.updated(Update(lengths.array, made.binders, made.extents, own.place(made.binders), made.body, TRUE), lengths)

    def updated(self, update: Update, lengths: Lengths) -> Update:
        """An update whose value is of the array's type."""
        assert isinstance(lengths.array.type, TensorType)
        element = lengths.array.type.element
        found = type_of(update.value)
        if isinstance(element, MachineInt) and found != element and is_integer(found):
            (layer,) = layers(replace(update, base=lengths.array))[1]
            self.ranges.append(forall(layer.binders, implies(layer.domain, fits(update.value, element))))
        return replace(update, value=valued(update.value, element))

    # Terms

    def expr(self, expr: Expr) -> Expr:
        """A term over the second program's parameters."""
        return self.put_in(self.go(substitute(expr, self.first)))

    def put_in(self, expr: Expr) -> Expr:
        """The first program's names in the place of marked ones, no binder in the way."""
        return substitute(expr, self.last)

    def version(self, term: Expr) -> Expr:
        """A version of an array: a tower of Updates over what it was."""
        match term:
            case Update(base, binders, extents, indices, value, guard):
                below, lengths = self.version(base), self._lengths(base)
                at = tuple(map(self.go, indices))
                made = at if lengths is None else lengths.place(at)
                update = Update(below, binders, tuple(map(self.go, extents)), made, self.go(value), self.go(guard))
                return update if lengths is None else self.updated(update, lengths)
            case Var() if term in self.arrays:
                return self.arrays[term][0]
            case _:
                return self.go(term)

    def _lengths(self, term: Expr) -> Lengths | None:
        while isinstance(term, Update):
            term = term.base
        return self.arrays[term][1] if isinstance(term, Var) and term in self.arrays else None

    def go(self, expr: Expr) -> Expr:
        """A term: elements and lengths of arrays are those of the first program's."""
        match expr:
            case Select(Var() as array, indices) if array in self.arrays:
                marked, lengths = self.arrays[array]
                assert isinstance(array.type, TensorType)
                return valued(Select(marked, lengths.place(tuple(map(self.go, indices)))), array.type.element)
            case Length(Var() as array, axis) if array in self.arrays:
                return self.arrays[array][1].shape[axis]
            case Var() if expr in self.arrays:
                return self._written_out(expr)
            case Update():
                raise NoCorrespondence("a version of an array is used as a value")
            case _:
                return map_children(self.go, expr)

    def _written_out(self, array: Var) -> Expr:
        _, lengths = self.arrays[array]
        binders = tuple(Var(f"{_MARK}{array.name}.{axis}", INT) for axis in range(lengths.rank))
        return Build(lengths.shape, binders, self.go(Select(array, binders)))


def fits(value: Expr, type_: MachineInt) -> Expr:
    """That an integer is in the range of a machine type."""
    return in_range(minus(to_int(value), integer(type_.low)), integer(type_.high - type_.low + 1))


def compared(term: Expr) -> Expr:
    """An integer by its value, whatever its type: results of two programs are compared so."""
    match term:
        case MakeTuple(items):
            return MakeTuple(tuple(map(compared, items)))
        case Build(extents, binders, body):
            return Build(extents, binders, compared(body))
    found = type_of(term)
    return to_int(term) if isinstance(found, MachineInt) else term

