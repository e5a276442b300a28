"""Arrays that live only in a function: local arrays of a fixed or variable length, and what it allocates and frees itself.

An array of scalars that promotion leaves in memory becomes an `array.new` instruction, which names an array of the fragment. A
local array that is only read after it was filled from a constant is that constant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from metalift.frontend.llvm.passes.copies import llvm_type
from metalift.frontend.llvm.passes.untyped import accessed
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction, array_parts, scalar_size
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import Metadata, SourceType, field_at, parts_of
from metalift.frontend.llvm.read.tables import constant_cells
from metalift.frontend.llvm.ssa.bulk import is_bulk, is_lifetime
from metalift.frontend.llvm.ssa.thread import tidy
from metalift.ir.expr.types import ScalarType

NEW = "@_Znam"  # of arrays
ALLOCATIONS = ("@malloc", "@calloc", "@aligned_alloc", NEW)
RELEASES = ("@free", "@_ZdaPv", "@_ZdaPvm")
STACK = ("@llvm.stacksave", "@llvm.stackrestore")
OVERFLOW = "@llvm.umul.with.overflow.i64"
COPY = "@llvm.memcpy"


def is_memory_call(symbol: str) -> bool:
    """Whether it is a function that gives or takes back memory, by its name."""
    return f"@{symbol}" in (*ALLOCATIONS, *RELEASES)


def constant_locals(function: LlvmFunction, module: LlvmModule) -> None:
    """Let local arrays that only hold a constant be that constant, in place."""
    allocated = {instr.result: instr.detail[0] for instr in function.instructions() if instr.op == "alloca" and not instr.args}
    pointers = _pointers(function, allocated)
    constants = _constants(function, module, allocated, pointers)
    for block in function.blocks:
        kept = []
        for instr in block.instrs:
            told = (instr.op == "declare" or is_lifetime(instr)) and not constants.keys().isdisjoint(instr.args)
            if not told and instr.result not in constants and pointers.get(_written(instr)) not in constants:
                kept.append(instr.map_values(lambda arg: constants.get(arg, arg)))
        block.instrs[:] = kept


def _constants(
    function: LlvmFunction, module: LlvmModule, allocated: Mapping[str, str], pointers: Mapping[str, str]
) -> dict[str, str]:
    """The local arrays that are filled once, from a constant, and read; with their constants."""
    undefined = {instr.result for instr in function.instructions() if instr.op == "undefined"}
    found: dict[str, str] = {}
    refused: set[str] = set()
    for instr in function.instructions():
        target = _written(instr)
        if instr.op == "store" and instr.args[0] in undefined and target in pointers:
            continue
        if target in allocated and target not in found and instr.op == "call" and instr.detail[0].startswith(COPY):
            cells = constant_cells(module, instr.args[1])
            size = module.layout.size(allocated[target])
            if cells is not None and array_parts(allocated[target]) and str(size) == instr.args[2]:
                found[target] = instr.args[1]
                continue
        refused |= {pointers[arg] for arg in _escaping(instr) if arg in pointers}
    return {local: constant for local, constant in found.items() if local not in refused}


def _written(instr: Instr) -> str:
    """The pointer through which an instruction writes, empty where it writes nothing."""
    if instr.op == "store":
        return instr.args[1]
    return instr.args[0] if is_bulk(instr) else ""


def _escaping(instr: Instr) -> Iterable[str]:
    """The operands that are not only read through or moved on."""
    if instr.op in ("load", "getelementptr", "declare", "icmp") or is_lifetime(instr):
        return ()
    if instr.op == "call" and instr.detail[0].startswith(COPY):
        return instr.args[:1]
    return instr.args


def _pointers(function: LlvmFunction, allocated: Iterable[str]) -> dict[str, str]:
    """The local variable that each address computed from one points into."""
    pointers = {name: name for name in allocated}
    for instr in function.instructions():
        if instr.op == "getelementptr" and instr.args[0] in pointers:
            pointers[instr.result] = pointers[instr.args[0]]
    return pointers


def expand_arrays(function: LlvmFunction, metadata: Metadata) -> None:
    """Name the arrays of the function, in place."""
    _forward_allocations(function)
    _plain_sizes(function)
    elements = _elements_of(function, metadata)
    function.elements = {register: scalar for register, (_, scalar) in elements.items()}
    arrays = {instr.result for instr in function.instructions() if _is_array(instr, elements)}
    pointers = _pointers(function, arrays)
    undefined = {instr.result for instr in function.instructions() if instr.op == "undefined"}
    _positive_extents(function)
    _give(function, elements)
    for block in function.blocks:
        made: list[Instr] = []
        for instr in block.instrs:
            if instr.result in arrays:
                made += _new(function, elements, instr)
            elif not _is_over(instr, arrays) and not (
                instr.op == "store" and instr.args[0] in undefined and instr.args[1] in pointers
            ):
                made.append(instr)
        block.instrs[:] = made


def _forward_allocations(function: LlvmFunction) -> None:
    """Let what a function that allocates gave to its caller be what it allocated, in place; the caller says of which type."""
    calls = [instr for instr in function.instructions() if instr.op == "call"]
    made = {call.result: call.result for call in calls if call.detail[0] in ALLOCATIONS}
    given: dict[str, str] = {}
    for instr in function.instructions():
        if instr.op == "phi" and len(set(instr.args)) == 1 and instr.args[0] in made:
            given[instr.result] = made[instr.result] = made[instr.args[0]]
            if instr.result in function.hints:
                function.note(made[instr.result], function.hints[instr.result])
    for block in function.blocks if given else ():
        block.instrs[:] = [
            instr.map_values(lambda value: given.get(value, value)) for instr in block.instrs if instr.result not in given
        ]


def _plain_sizes(function: LlvmFunction) -> None:
    """Let `new` ask for as many bytes as its elements have, in place: where so many are no number of 64 bits it asks for more
    than there can be, and throws.
    """
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    uses = Counter(arg for instr in function.instructions() for arg in instr.args)
    plain: dict[str, Instr] = {}
    gone: set[str] = set()
    for call in function.instructions():
        size = defined.get(call.args[0]) if call.op == "call" and call.detail[0] == NEW else None
        if size is None or size.op != "select" or size.args[1] != "-1":
            continue
        wraps, product = (defined.get(size.args[at]) for at in (0, 2))
        if wraps is None or product is None or not wraps.op == product.op == "extractvalue" or wraps.args != product.args:
            continue
        made = defined.get(product.args[0])
        chosen = wraps.detail == ("1",) and product.detail == ("0",)
        if made is not None and made.op == "call" and made.detail[0].startswith(OVERFLOW) and chosen:
            plain[size.result] = Instr("mul", size.result, "i64", made.args, made.types, location=size.location)
            alone = uses[made.result] == 2 and uses[wraps.result] == uses[product.result] == 1
            gone |= {made.result, wraps.result, product.result} if alone else set()
    for block in function.blocks if plain else ():
        block.instrs[:] = [plain.get(instr.result, instr) for instr in block.instrs if instr.result not in gone]


def _positive_extents(function: LlvmFunction) -> None:
    """Say of the extents of arrays of variable length that they are positive: others are undefined in C."""
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    extents: dict[str, list[str]] = {}
    for instr in function.instructions():
        if instr.op == "alloca" and instr.args:
            extents[instr.result] = _factors(defined, instr.args[0])
    widened = {extent for factors in extents.values() for extent in factors if extent in defined and defined[extent].op == "zext"}
    for block in function.blocks:
        made: list[Instr] = []
        for instr in block.instrs:
            made.append(replace(instr, flags=instr.flags | {"nneg"}) if instr.result in widened else instr)
            for extent in extents.get(instr.result, ()):
                detail = (instr.result,)
                made.append(Instr("array.extent", "", "void", (extent,), ("i64",), detail, location=instr.location))
        block.instrs[:] = made


def decide_nulls(function: LlvmFunction) -> None:
    """Decide comparisons with null, in place: of null itself, which a caller may give to a function that is inlined, of a local
    variable's address, and of what is allocated and returned, which is not null; the return says that it relies on that."""
    returned = {block.end.args[0] for block in function.blocks if block.end.op == "ret" and block.end.args}
    phis = [instr for instr in function.instructions() if instr.op == "phi"]
    while more := {arg for phi in phis if phi.result in returned for arg in phi.args} - returned:
        returned |= more
    made = {instr.result for instr in function.instructions() if instr.op == "call" and instr.detail[0] in ALLOCATIONS} & returned
    made |= {"null", *(instr.result for instr in function.instructions() if instr.op == "alloca")}
    decided = {}
    for instr in function.instructions():
        if instr.op == "icmp" and instr.detail[0] in ("eq", "ne") and "null" in instr.args and made.issuperset(instr.args):
            same = instr.args[0] == instr.args[1]
            decided[instr.result] = "true" if (instr.detail[0] == "eq") == same else "false"
    for block in function.blocks if decided else ():
        kept = [each for each in block.instrs if each.result not in decided]
        block.instrs[:] = [each.map_values(lambda value: decided.get(value, value)) for each in kept]
    if decided:
        tidy(function)


def _elements_of(function: LlvmFunction, metadata: Metadata) -> dict[str, tuple[str, ScalarType]]:
    """The name and the type of the elements of what a function allocates: of the field of the result in which it is returned, of
    the variable that holds it or of its field, else of the accesses.
    """
    found: dict[str, tuple[str, ScalarType]] = {}
    given = _given_in_fields(function, metadata)
    for instr in function.instructions():
        if instr.op != "call" or instr.detail[0] not in ALLOCATIONS:
            continue
        unnamed = instr.result[1:].strip('"'), None
        name, declared = given.get(instr.result) or _held(function, metadata, instr.result) or unnamed
        if declared is None or (declared.target is not None and declared.target.kind == "void"):
            scalar = accessed(function, metadata, instr.result)[1]
        else:
            scalar = declared.scalar if declared.kind == "pointer" and declared.rank == 1 else None
        if scalar is not None:
            found[instr.result] = name, scalar
    return found


def _held(function: LlvmFunction, metadata: Metadata, value: str) -> tuple[str, SourceType] | None:
    """The variable that holds a value, or its field, with the type."""
    hint = function.hints.get(value)
    if hint is not None and (type_ := metadata.type(hint.type_ref)).kind == "pointer":
        return hint.name, type_
    outer, offset = function.fields.get(value, (None, 0))
    found = field_at(metadata.type(outer.type_ref), metadata, offset) if outer is not None else None
    return (f"{outer.name}_{found.name}", found.type) if outer is not None and found is not None else None


def _given_in_fields(function: LlvmFunction, metadata: Metadata) -> dict[str, tuple[str, SourceType]]:
    """The fields of the result in which values are returned."""
    type_ = metadata.result(function.subprogram)
    parts = parts_of(type_, metadata)
    found: dict[str, tuple[str, SourceType]] = {}
    for block in function.blocks:
        if block.end.type == "tuple" and len(block.end.args) == len(parts):
            for register, (offset, _) in zip(block.end.args, parts, strict=True):
                member = field_at(type_, metadata, offset)
                if member is not None:
                    found[register] = member.name, member.type
    return found


def _give(function: LlvmFunction, elements: Mapping[str, tuple[str, ScalarType]]) -> None:
    """Let the return of memory that the function allocates be that of an array of so many elements, in place.

    In a tuple it is followed by what its length is a product of; the detail says of each item of how many.
    """
    released = {instr.args[0] for instr in function.instructions() if instr.op == "call" and instr.detail[0] in RELEASES}
    defined = {instr.result: instr for instr in function.instructions() if instr.result}

    def count(given: str) -> list[tuple[str, str]]:
        made = defined.get(given)
        if made is None or made.op != "call" or given in released or given not in elements:
            return []
        factors = [factor for arg in _sizes(made)[0] for factor in _exact_factors(defined, arg, "i64")]
        return _elements(factors, scalar_size(llvm_type(elements[given][1])) or 1)

    for block in function.blocks:
        end = block.end
        if end.op != "ret" or "ptr" not in end.types:
            continue
        values: list[tuple[str, str]] = []
        counts: list[str] = []
        for arg, type_ in zip(end.args, end.types, strict=True):
            factors = count(arg) if type_ == "ptr" and end.args.count(arg) == 1 else []
            values += [(arg, type_), *factors]
            counts.append(str(len(factors)))
        args, types = zip(*values, strict=True)
        if end.type == "tuple":
            block.instrs[-1] = replace(end, args=args, types=types, detail=tuple(counts))
        elif len(values) > 1:
            block.instrs[-1] = replace(end, type="vector", args=args, types=types)


def _elements(factors: list[tuple[str, str]], size: int) -> list[tuple[str, str]]:
    """The factors of how many elements so many bytes are; none where they may be no whole number of elements."""
    literal = math.prod(int(factor) for factor, _ in factors if not factor.startswith("%"))
    if literal % size != 0:
        return []
    others = [each for each in factors if each[0].startswith("%")]
    return others if others and literal == size else [(str(literal // size), "i64"), *others]


def _exact_factors(defined: Mapping[str, Instr], register: str, type_: str) -> list[tuple[str, str]]:
    """What a number of bytes is a product of, with types: also below a product of a narrower type that does not wrap."""
    made = defined.get(register)
    if made is not None and made.op == "mul":
        return [factor for arg in made.args for factor in _exact_factors(defined, arg, type_)]
    inner = defined.get(made.args[0]) if made is not None and made.op == "sext" else None
    if inner is not None and inner.op == "mul" and "nsw" in inner.flags:
        return [factor for arg in inner.args for factor in _exact_factors(defined, arg, inner.type)]
    return [(register, type_)]


def _factors(defined: Mapping[str, Instr], register: str) -> list[str]:
    made = defined.get(register)
    if made is not None and made.op == "mul":
        return [factor for arg in made.args for factor in _factors(defined, arg)]
    return [register] if register.startswith("%") else []


def _is_over(instr: Instr, arrays: set[str]) -> bool:
    """Whether an instruction only says how long memory is held."""
    if instr.op != "call":
        return False
    return instr.detail[0].startswith(STACK) or (instr.detail[0] in RELEASES and instr.args[0] in arrays)


def _is_array(instr: Instr, elements: Mapping[str, tuple[str, ScalarType]]) -> bool:
    if instr.op == "alloca":
        several = bool(instr.args) or array_parts(instr.detail[0]) is not None
        element = innermost(instr.detail[0])
        return several and scalar_size(element) is not None and element != "ptr"
    return instr.result in elements


def innermost(type_: str) -> str:
    """The type of the elements of an array, through all its axes; of other types, the type itself."""
    while (array := array_parts(type_)) is not None:
        type_ = array[1]
    return type_


def _array(instr: Instr, name: str, element: str) -> Instr:
    """An array with what says how many elements it has: the product of arguments and a number, divided by another one; and
    whether there may be no memory for it, elsewhere a negative number is undefined.
    """
    if instr.op == "alloca":
        times, size = _cells(instr.detail[0]), 1
        args, types = instr.args, instr.types
    else:
        times, size = 1, scalar_size(element) or 1
        args, types = _sizes(instr)
    fails = "" if instr.op == "alloca" else "fails"
    detail = (name, element, str(times), str(size), fails)
    return Instr("array.new", instr.result, "ptr", args, types, detail, location=instr.location)


def _sizes(call: Instr) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the number of bytes is a product of that a call allocates, with types."""
    first = 1 if call.detail[0] == "@aligned_alloc" else 0
    return call.args[first:], call.types[first:]


def _cells(type_: str) -> int:
    """How many cells an array has, through all its axes."""
    array = array_parts(type_)
    return 1 if array is None else array[0] * _cells(array[1])


def _new(function: LlvmFunction, elements: Mapping[str, tuple[str, ScalarType]], instr: Instr) -> list[Instr]:
    """The instruction that names an array; zeros are filled in where the source says so."""
    if instr.op == "alloca":
        hint = function.hints.get(instr.result)
        name, element = hint.name if hint else instr.result[1:].strip('"'), innermost(instr.detail[0])
    else:
        name, scalar = elements[instr.result]
        element = llvm_type(scalar)
    made = [_array(instr, name, element)]
    if instr.op == "call" and instr.detail[0] == "@calloc":
        size = f"{instr.result}.bytes"
        product = Instr("mul", size, "i64", instr.args, instr.types, location=instr.location)
        args, types = (instr.result, "0", size, "false"), ("ptr", "i8", "i64", "i1")
        fill = Instr("call", "", "void", args, types, ("@llvm.memset.p0.i64",), location=instr.location)
        made += [product, fill]
    return made
