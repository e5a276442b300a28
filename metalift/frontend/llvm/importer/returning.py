"""What a function returns: a number, several, arrays that it makes, and places in an array that it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice

from metalift.frontend.llvm.importer.scope import Null, Pointer, Scope, Value
from metalift.frontend.llvm.importer.vector_ops import same_lengths
from metalift.frontend.llvm.read.llvm_ir import Instr
from metalift.frontend.lower import c_scalars as scalars
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Apply, Build, Const, Expr, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, TensorType, TupleType, Type
from metalift.ir.program.fragment import Assume, Check, Ground, Return

MADE_HERE = "supported are vectors and allocated arrays that the function itself fills"


def returned(scope: Scope, end: Instr, result: Type | None, place: Var | None) -> Return:
    """The return of a value of that type; of a pointer into the array `place`, as an index of it."""
    if not end.args or result is None:
        return Return(None, scope.location)
    if end.type == "vector":
        return Return(_array(scope, end.args, end.types), scope.location)
    if place is not None:
        return Return(_place(scope, scope.value(end.args[0], "ptr"), place), scope.location)
    if isinstance(result, TupleType):
        return Return(MakeTuple(tuple(_items(scope, end, result.items))), scope.location)
    if isinstance(result, TensorType):
        scope.fail("a std::vector or array that is not made here", MADE_HERE)
    return Return(scalars.represent(scope.scalar(end.args[0], end.type), result), scope.location)


def _place(scope: Scope, value: Value, place: Var) -> Expr:
    """A pointer that is returned as an index."""
    if isinstance(value, Null):
        return Const(-1, MachineInt(64, True))
    if not isinstance(value, Pointer) or value.root != place or value.outer or value.offset:
        scope.fail("a pointer that is returned and leads elsewhere", "supported are pointers into one array")
    return scalars.cast(value.index, MachineInt(64, True))


def _items(scope: Scope, end: Instr, types: Sequence[Type]) -> Iterator[Expr]:
    """What a struct that is returned holds; behind an array stands what its length is a product of, the detail says how much."""
    pairs = iter(zip(end.args, end.types, strict=True))
    for type_, count in zip(types, end.detail or ("0",) * len(types), strict=True):
        (arg, llvm), behind = next(pairs), list(islice(pairs, int(count)))
        if isinstance(type_, TensorType):
            made = _array(scope, (arg, *(each for each, _ in behind)), (llvm, *(each for _, each in behind)))
            if type_of(made) != type_:
                scope.fail("an allocated array of other elements than the struct says in which it is returned", MADE_HERE)
            yield made
        else:
            yield scalars.represent(scope.scalar(arg, llvm), type_)
    assert next(pairs, None) is None, "a value for each item"


def _array(scope: Scope, args: Sequence[str], types: Sequence[str]) -> Build:
    """A local array with what says how long it is: rows of a vector have to be as long as the first one."""
    data = scope.value(args[0], "ptr")
    assert isinstance(data, Pointer)
    lengths = scope.lengths.get(data.root, ())
    extents = [scope.scalar(args[1], "length") if types[1] == "length" else _allocated(scope, args[1:], types[1:])]
    for axis_lengths in lengths:
        regular, extent = same_lengths(axis_lengths, tuple(extents), scope)
        message = f"the rows of {data.root.name} have the same length"
        scope.statements.append(Check(regular, message, scope.location))
        extents.append(extent)
    names = ("k",) if len(extents) == 1 else ("r", "c", "k")
    binders = tuple(Var(scope.name(name), INT) for name in names[: len(extents)])
    return Build(tuple(extents), binders, Select(data.root, binders))


def _allocated(scope: Scope, args: Sequence[str], types: Sequence[str]) -> Expr:
    """How many elements memory has that the function allocates and returns."""
    factors = [scope.index(arg, type_, False) for arg, type_ in zip(args, types, strict=True)]
    length = reduce(lambda left, right: Apply(Operator.MUL, (left, right)), factors)
    text = "what is allocated for the result is there, has a length of 0 or more, and all of it is given values"
    scope.statements.append(Assume(at_most(integer(0), length), text, scope.location, Ground.RESTRICTION))
    return length
