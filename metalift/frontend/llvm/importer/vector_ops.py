"""The meaning of the instructions that stand for what std::vector's members do, as `std.vectors` writes them."""

from __future__ import annotations

from collections.abc import Callable

from metalift.frontend.llvm.importer.scope import Pointer, Scope, Value
from metalift.frontend.llvm.names import vector_names
from metalift.frontend.llvm.read.llvm_ir import Instr
from metalift.frontend.llvm.read.metadata import ELEMENTS
from metalift.frontend.lower import c_scalars as scalars
from metalift.frontend.lower.c_scalars import cast
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Apply, Const, Expr, Forall, Ite, Length, Operator, Select, Var, integer
from metalift.ir.expr.types import INT, MachineInt, TensorType
from metalift.ir.interp.identities import whole_of
from metalift.ir.program.fragment import Assume, Check, Ground, Store


def _length(scope: Scope, instr: Instr) -> Value:
    return Length(_pointer(scope, instr.args[0]).root)


def _new(scope: Scope, instr: Instr) -> Value:
    """The array of a local vector; one of several axes has arrays of the lengths of its rows."""
    name, code, rank = instr.detail
    record = None if code in ELEMENTS else scope.module.metadata.record(code)
    element = ELEMENTS[code][1] if record is None else record.type
    if record is not None:
        scope.records[record.type] = record
    array = Var(scope.name(name, exact=True), TensorType(element, int(rank)))
    lengths = []
    for axis in range(1, int(rank)):
        base = f"{array.name}_lengths" + (f"_{axis}" if axis > 1 else "")
        lengths.append(Var(scope.name(base, exact=True), TensorType(INT, axis)))
    scope.lengths[array] = tuple(lengths)
    scope.locals += [array, *lengths]
    return Pointer(array, integer(0), row=vector_names.SIZE)


def _record(scope: Scope, instr: Instr) -> Value:
    """A struct, pair or tuple of its parts."""
    record = scope.module.metadata.record(instr.detail[0])
    assert record is not None
    parts = zip(instr.args, instr.types, record.type.fields, strict=True)
    return whole_of([scalars.represent(scope.scalar(arg, llvm), type_) for arg, llvm, (_, type_) in parts], record.type)


def _row(scope: Scope, token: str) -> Pointer:
    """A pointer to a row that is a vector."""
    pointer = _pointer(scope, token)
    if not pointer.to_row or pointer.row != vector_names.SIZE:
        scope.fail("a pointer that is not to a vector", "supported are rows of vectors of vectors")
    return pointer


def _inside(scope: Scope, instr: Instr) -> Value:
    return _row(scope, instr.args[0]).inside()


def _row_length(scope: Scope, instr: Instr) -> Value:
    """The length of a row: of a parameter all rows have one length."""
    row = _row(scope, instr.args[0])
    lengths = scope.lengths.get(row.root)
    if lengths is None:
        return Length(row.root, len(row.indices))
    return Select(lengths[len(row.outer)], row.indices)


def _set_row_length(scope: Scope, instr: Instr) -> None:
    """A new length of a row: of a parameter it has to be the old one."""
    row = _row(scope, instr.args[0])
    length = scope.scalar(instr.args[1], "length")
    lengths = scope.lengths.get(row.root)
    if lengths is not None:
        scope.statements.append(Store(lengths[len(row.outer)], row.indices, length, scope.location))
        return
    before = Length(row.root, len(row.indices))
    if length != before:
        same = scalars.equal(length, before)
        message = f"the length of a row of the parameter {row.root.name} stays as it is"
        scope.statements.append(Check(same, message, scope.location))


def same_lengths(lengths: Var, extents: tuple[Expr, ...], scope: Scope) -> tuple[Expr, Expr]:
    """That the rows that `lengths` tells of have one length, and that length: 0 where there are none."""
    first = Select(lengths, (integer(0),) * len(extents))
    binders = tuple(Var(scope.name("r"), INT) for _ in extents)
    inside = [Apply(Operator.LE, (integer(0), binder)) for binder in binders]
    inside += [Apply(Operator.LT, (binder, extent)) for binder, extent in zip(binders, extents, strict=True)]
    same = Apply(Operator.EQ, (Select(lengths, binders), first))
    regular = Forall(binders, Apply(Operator.OR, (Apply(Operator.NOT, (_all(inside),)), same)))
    some = _all([Apply(Operator.LT, (integer(0), extent)) for extent in extents])
    return regular, Ite(some, first, integer(0))


def _all(conditions: list[Apply]) -> Expr:
    return conditions[0] if len(conditions) == 1 else Apply(Operator.AND, tuple(conditions))


def _minus(scope: Scope, instr: Instr) -> Value:
    left, right = (scope.scalar(arg, "length") for arg in instr.args)
    return Apply(Operator.SUB, (left, right))


def _plus(scope: Scope, instr: Instr) -> Value:
    left, right = (scope.scalar(arg, "length") for arg in instr.args)
    return Apply(Operator.ADD, (left, right))


def _at_end(scope: Scope, instr: Instr) -> None:
    """That an iterator is the end of a vector."""
    first, place = _pointer(scope, instr.args[0]), _pointer(scope, instr.args[1])
    if first.root != place.root or first.outer != place.outer:
        scope.fail("an iterator into another vector", "supported are iterators of the vector itself")
    length = scope.scalar(instr.args[2], "length")
    if place.index != length:
        last, message = scalars.equal(place.index, length), f"what is inserted into {first.root.name} comes at the end"
        scope.statements.append(Check(last, message, scope.location))


def _pointer(scope: Scope, token: str) -> Pointer:
    value = scope.value(token, "ptr")
    if not isinstance(value, Pointer):
        scope.fail("an iterator that is not into a vector or an array", "supported are iterators of std::vector")
    return value


def _size(scope: Scope, instr: Instr) -> Value:
    return cast(scope.scalar(instr.args[0], "length"), scalars.unsigned(64))


def _equal(scope: Scope, instr: Instr) -> Value:
    left, right = (scope.scalar(arg, "length") for arg in instr.args)
    return scalars.equal(left, right)


def _less(scope: Scope, instr: Instr) -> Value:
    left, right = (scope.scalar(arg, "length") for arg in instr.args)
    return Apply(Operator.LT, (left, right))


def _check(scope: Scope, instr: Instr) -> None:
    index = cast(scope.integer(instr.args[0], "i64"), INT)
    length = scope.scalar(instr.args[1], "length")
    inside = scalars.connect("and", Apply(Operator.LE, (integer(0), index)), Apply(Operator.LT, (index, length)))
    scope.statements.append(Assume(inside, "at() does not throw", scope.location, Ground.DEFINED))


def _before_null(scope: Scope, instr: Instr) -> None:
    index = cast(scope.integer(instr.args[0], "i64"), INT)
    other = neg(scalars.equal(index, scope.scalar(instr.args[1], "length")))
    origin = f"the null behind the characters of {instr.detail[0]} is not read"
    scope.statements.append(Assume(other, origin, scope.location, Ground.RESTRICTION))


def _one_more(scope: Scope, instr: Instr) -> Value:
    return _moved(scope.scalar(instr.args[0], "length"), 1)


def _less_one(scope: Scope, instr: Instr) -> Value:
    return _moved(scope.scalar(instr.args[0], "length"), -1)


def _moved(length: Expr, step: int) -> Expr:
    if isinstance(length, Const) and isinstance(length.value, int):
        return integer(length.value + step)
    return Apply(Operator.ADD, (length, integer(1))) if step > 0 else Apply(Operator.SUB, (length, integer(1)))


def _request(scope: Scope, instr: Instr) -> Value:
    size = cast(scope.integer(instr.args[0], "i64"), scalars.signed(64))
    if not interval(size).nonnegative:
        holds = Apply(Operator.LE, (Const(0, scalars.signed(64)), size))
        scope.statements.append(Assume(holds, "the length of a std::vector is not negative", scope.location, Ground.DEFINED))
    return cast(size, INT)


def _distance(scope: Scope, instr: Instr) -> Value:
    first, last = (_pointer(scope, arg) for arg in instr.args)
    if first.root != last.root or first.outer != last.outer:
        scope.fail("a range of iterators into two vectors", "supported are ranges of one vector")
    count = last.index if first.index == integer(0) else Apply(Operator.SUB, (last.index, first.index))
    if "range" in instr.flags:
        _require_natural(scope, count, "a range does not end before it begins")
    return count


def _require_natural(scope: Scope, count: Expr, origin: str) -> None:
    """Assume that a number is not negative, where it could be: a source for which it is does something undefined."""
    if not interval(count).nonnegative:
        scope.statements.append(Assume(Apply(Operator.LE, (integer(0), count)), origin, scope.location, Ground.DEFINED))


def _extremum(scope: Scope, instr: Instr) -> Value:
    name, code = instr.detail
    type_ = ELEMENTS[code][1]
    operator = Operator.MAX if name == "max" else Operator.MIN
    args = tuple(scope.scalar(arg, instr.type) for arg in instr.args)
    if isinstance(type_, MachineInt):
        args = tuple(cast(arg, type_) for arg in args)
    return Apply(operator, args)


def _count(scope: Scope, instr: Instr) -> Value:
    """How many elements a block copy moves, given the factors of its size in bytes; that product must not have wrapped."""
    factors = [cast(scope.integer(arg, "i64"), INT) for arg in instr.args]
    kept = [factor for factor in factors if factor != integer(1)] or [integer(1)]
    count = kept[0]
    for factor in kept[1:]:
        count = Apply(Operator.MUL, (count, factor))
    _require_natural(scope, count, "the size of a block copy is not negative")
    if "distance" in instr.flags:
        return count
    most = ((1 << 63) - 1) // int(instr.detail[0])
    if not interval(count).within(Interval(-most, most)):
        holds = Apply(Operator.LE, (Apply(Operator.ABS, (count,)), integer(most)))
        origin = "the size of a block copy in bytes does not wrap around"
        scope.statements.append(Assume(holds, origin, scope.location, Ground.RESTRICTION))
    return count


OPERATIONS: dict[str, Callable[[Scope, Instr], Value | None]] = {
    "vector.length": _length,
    "vector.new": _new,
    "vector.record": _record,
    "vector.inside": _inside,
    "vector.row_length": _row_length,
    "vector.set_row_length": _set_row_length,
    "vector.minus": _minus,
    "vector.plus": _plus,
    "vector.at_end": _at_end,
    "vector.size": _size,
    "vector.equal": _equal,
    "vector.less": _less,
    "vector.check": _check,
    "vector.before_null": _before_null,
    "vector.one_more": _one_more,
    "vector.less_one": _less_one,
    "vector.request": _request,
    "vector.distance": _distance,
    "extremum": _extremum,
    "array.count": _count,
}
