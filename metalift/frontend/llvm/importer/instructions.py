"""The meaning of each LLVM instruction as an expression or a pointer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from metalift.frontend.llvm.importer.calls import call
from metalift.frontend.llvm.importer.objects import SUPPORTED_MEMORY, extent, local, new_array, read_table
from metalift.frontend.llvm.importer.scope import POINTER_SIZE, Address, Distance, Null, Opaque, Pointer, Scope, Table, Value
from metalift.frontend.llvm.importer.vector_ops import OPERATIONS
from metalift.frontend.llvm.passes.infinities import sign_of_infinity
from metalift.frontend.llvm.read.llvm_ir import Instr, array_parts, int_bits, is_literal, offset_of, scalar_size
from metalift.frontend.llvm.read.metadata import ELEMENTS, Record
from metalift.frontend.llvm.read.parameters import fits
from metalift.frontend.lower import c_scalars as scalars
from metalift.frontend.lower.c_scalars import cast
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, STRING, MachineInt
from metalift.ir.interp.identities import part_of, whole_of
from metalift.ir.program.fragment import Assume, Ground, Store

DIVISIONS = {
    "sdiv": (Operator.TDIV, True),
    "udiv": (Operator.TDIV, False),
    "srem": (Operator.TREM, True),
    "urem": (Operator.TREM, False),
}
BITWISE = {"and": Operator.BITAND, "or": Operator.BITOR, "xor": Operator.BITXOR}
REAL = {"fadd": Operator.ADD, "fsub": Operator.SUB, "fmul": Operator.MUL, "fdiv": Operator.DIV}


def evaluate(scope: Scope, instr: Instr) -> Value | None:
    """The value of an instruction other than a phi; stores and assumptions become statements and give None."""
    handler = HANDLERS.get(instr.op)
    if handler is None:
        names = {"landingpad": "exception handling", "fence": "a memory fence", "cmpxchg": "an atomic operation",
                 "atomicrmw": "an atomic operation", "va_arg": "a variable argument"}  # fmt: skip
        what = instr.detail[0] if instr.detail else instr.op
        scope.fail(
            names.get(what, f"the LLVM instruction {what}"), "supported are scalar arithmetic, branches, and array elements"
        )
    return handler(scope, instr)


def _arithmetic(scope: Scope, instr: Instr) -> Value:
    left = scope.value(instr.args[0], instr.type)
    right = scope.value(instr.args[1], instr.type)
    if isinstance(left, Address) and isinstance(right, Address) and instr.op == "sub":
        return _difference(scope, left.pointer, right.pointer)
    if instr.type == "i1":  # modulo 2; what C does on _Bool was widened before
        connective = "and" if instr.op == "mul" else "xor"
        return scalars.connect(connective, scope.truth(instr.args[0]), scope.truth(instr.args[1]))
    first, second = scope.integer(instr.args[0], instr.type), scope.integer(instr.args[1], instr.type)
    bits = int_bits(instr.type) or 0
    return scalars.arithmetic(instr.op, first, second, instr.flags, bits)


def _difference(scope: Scope, left: Pointer, right: Pointer) -> Distance:
    if left.element in scope.records:
        scope.fail(f"the difference of pointers into {left.root.name}, whose elements are structs", SUPPORTED_MEMORY)
    if not _together(left, right):
        found = f"the difference of pointers into {_place(left, right)}"
        scope.fail(found, "supported are pointers into one array, or one row of it")
    return Distance(Apply(Operator.SUB, (left.index, right.index)), scope.step(left))


def _together(left: Pointer, right: Pointer) -> bool:
    """Whether two pointers point into one array, and into one row of it."""
    return left.root == right.root and left.outer == right.outer and left.offset == right.offset


def _whole_arrays(left: Pointer, right: Pointer) -> bool:
    """Whether two pointers point to where two arrays begin."""
    return left.root != right.root and all(each.indices == (integer(0),) and each.offset == 0 for each in (left, right))


def _place(left: Pointer, right: Pointer) -> str:
    """Two different places, for people."""
    if left.root == right.root:
        return f"two rows of {left.root.name}"
    return f"{left.root.name} and {right.root.name}"


def _division(scope: Scope, instr: Instr) -> Value:
    dividend = scope.value(instr.args[0], instr.type)
    if isinstance(dividend, Distance) and instr.op == "sdiv" and instr.args[1] == str(dividend.size):
        return cast(dividend.count, scalars.signed(64))
    operator, is_signed = DIVISIONS[instr.op]
    type_ = MachineInt(int_bits(instr.type) or 0, is_signed)
    return Apply(operator, tuple(cast(scope.integer(arg, instr.type), type_) for arg in instr.args))


def _shift_right(scope: Scope, instr: Instr) -> Value:
    type_ = MachineInt(int_bits(instr.type) or 0, instr.op == "ashr")
    value, count = (scope.integer(arg, instr.type) for arg in instr.args)
    return Apply(Operator.SHR, (cast(value, type_), cast(scalars.shift_count(count), type_)))


def _bitwise(scope: Scope, instr: Instr) -> Value:
    if instr.type == "i1":
        return scalars.connect(instr.op, scope.truth(instr.args[0]), scope.truth(instr.args[1]))
    left, right = (scope.integer(arg, instr.type) for arg in instr.args)
    types = [type_of(side) for side in (left, right) if not isinstance(side, Const)]
    mixed = any(isinstance(type_, MachineInt) and not type_.signed for type_ in types)
    type_ = MachineInt(int_bits(instr.type) or 0, not mixed)
    return Apply(BITWISE[instr.op], (cast(left, type_), cast(right, type_)))


def _real(scope: Scope, instr: Instr) -> Value:
    if instr.type not in ("float", "double"):
        scope.fail(f"arithmetic on {instr.type}", "supported are float and double")
    return Apply(REAL[instr.op], tuple(scope.scalar(arg, instr.type) for arg in instr.args))


def _real_remainder(scope: Scope, instr: Instr) -> Value:
    """What a compiler makes of fmod."""
    if instr.type not in ("float", "double"):
        scope.fail(f"arithmetic on {instr.type}", "supported are float and double")
    args = tuple(scope.scalar(arg, instr.type) for arg in instr.args)
    return Call("fmod", args, type_of(args[0]))


def _negate(scope: Scope, instr: Instr) -> Value:
    operand = scope.scalar(instr.args[0], instr.type)
    return Const(-operand.value, operand.type) if isinstance(operand, Const) else Apply(Operator.NEG, (operand,))


def _truncate(scope: Scope, instr: Instr) -> Value:
    value = scope.scalar(instr.args[0], instr.types[0])
    bits = int_bits(instr.type) or 0
    if bits > 1:
        return cast(scope.integer(instr.args[0], instr.types[0]), scalars.unsigned(bits))
    if type_of(value) == BOOL:
        return value
    if isinstance(value, Cast) and type_of(value.arg) == BOOL:
        return value.arg
    low_bit = Apply(Operator.BITAND, (value, cast(integer(1), type_of(value))))
    return neg(scalars.equal(low_bit, cast(integer(0), type_of(value))))


def _extend(scope: Scope, instr: Instr) -> Value:
    bits = int_bits(instr.type) or 0
    source_bits = int_bits(instr.types[0]) or 0
    value = scope.integer(instr.args[0], instr.types[0])
    if type_of(value) == BOOL:
        if instr.op == "sext":
            return scalars.choose(value, Const(-1, scalars.signed(bits)), Const(0, scalars.signed(bits)))
        return cast(value, MachineInt(bits, bits > 8))
    if instr.op == "sext":
        return cast(cast(value, scalars.signed(source_bits)), scalars.signed(bits))
    if "nneg" in instr.flags:
        return cast(value, MachineInt(bits, True))
    return cast(cast(value, scalars.unsigned(source_bits)), MachineInt(bits, bits <= 32))


def _to_real(scope: Scope, instr: Instr) -> Value:
    bits = int_bits(instr.types[0]) or 0
    value = scope.integer(instr.args[0], instr.types[0])
    if bits > 1:
        value = cast(value, MachineInt(bits, instr.op == "sitofp"))
    return cast(value, FLOAT if instr.type == "float" else DOUBLE)


def _from_real(scope: Scope, instr: Instr) -> Value:
    return Cast(scope.scalar(instr.args[0], instr.types[0]), MachineInt(int_bits(instr.type) or 0, instr.op == "fptosi"))


def _resize_real(scope: Scope, instr: Instr) -> Value:
    if instr.type not in ("float", "double") or instr.types[0] not in ("float", "double"):
        scope.fail(f"a conversion from {instr.types[0]} to {instr.type}", "supported are float and double")
    return cast(scope.scalar(instr.args[0], instr.types[0]), FLOAT if instr.type == "float" else DOUBLE)


def _compare(scope: Scope, instr: Instr) -> Value:
    predicate, type_ = instr.detail[0], instr.types[0]
    left, right = scope.value(instr.args[0], type_), scope.value(instr.args[1], type_)
    if type_ == "ptr" or isinstance(left, Address) or isinstance(right, Address):
        return _compare_pointers(scope, predicate, left, right)
    if type_ == "i1":
        if predicate not in ("eq", "ne"):
            scope.fail("an ordering of truth values", "supported is their equality")
        same = scalars.equal(scope.truth(instr.args[0]), scope.truth(instr.args[1]))
        return same if predicate == "eq" else neg(same)
    if type_ in ("string", "identity"):
        same = scalars.equal(scope.scalar(instr.args[0], type_), scope.scalar(instr.args[1], type_))
        return same if predicate == "eq" else neg(same)
    bits = int_bits(type_) or 0
    return scalars.compare(predicate, scope.integer(instr.args[0], type_), scope.integer(instr.args[1], type_), bits)


def _whole(scope: Scope, instr: Instr) -> Value:
    """A pair or tuple of values with the types of the codes."""
    pairs = zip(instr.args, instr.types, instr.detail, strict=True)
    return whole_of([scalars.represent(scope.scalar(arg, type_), ELEMENTS[code][1]) for arg, type_, code in pairs])


def _identity_part(scope: Scope, instr: Instr) -> Value:
    return part_of(scope.scalar(instr.args[0], instr.types[0]), int(instr.detail[0]))


def _compare_pointers(scope: Scope, predicate: str, left: Value, right: Value) -> Value:
    first = left.pointer if isinstance(left, Address) else left
    second = right.pointer if isinstance(right, Address) else right
    if isinstance(first, Pointer) and isinstance(second, Pointer):
        if not _together(first, second):
            if predicate in ("eq", "ne") and _whole_arrays(first, second):
                apart = f"{first.root.name} and {second.root.name} do not begin at the same place"
                scope.statements.append(Assume(TRUE, apart, scope.location, Ground.RESTRICTION))
                return FALSE if predicate == "eq" else TRUE
            found = f"a comparison of pointers into {_place(first, second)}"
            scope.fail(found, "supported are comparisons of pointers into one array, or one row of it, and with null")
        if predicate in ("eq", "ne"):
            same = scalars.equal(first.index, second.index)
            return same if predicate == "eq" else neg(same)
        return scalars.ordered(predicate[1:], first.index, second.index)
    name = _given(scope, first) or _given(scope, second)
    if name and predicate in ("eq", "ne") and Null() in (left, right):
        scope.statements.append(Assume(TRUE, f"{name} is not a null pointer", scope.location, Ground.RESTRICTION))
        return FALSE if predicate == "eq" else TRUE
    scope.fail("a comparison of a pointer with a number", "supported are comparisons of pointers into one array, and with null")


def _given(scope: Scope, value: Value) -> str:
    """The name of the object that a pointer points to, or of the parameter that it is; empty where it is none."""
    match value:
        case Pointer(index=Cast(Var(name) as end)) if end in scope.ends:
            return name
        case _:
            pass
    if isinstance(value, Pointer):
        return value.root.name
    return value.given if isinstance(value, Opaque) else ""


def _compare_reals(scope: Scope, instr: Instr) -> Value:
    signs = [sign_of_infinity(instr.types[0], arg) for arg in instr.args]
    if signs[1] and not signs[0]:
        found = scalars.compare_with_infinity(instr.detail[0], scope.scalar(instr.args[0], instr.types[0]), signs[1])
        if found is not None:
            return found
    left, right = (scope.scalar(arg, instr.types[0]) for arg in instr.args)
    found = scalars.real_compare(instr.detail[0], left, right, asks=not scope.numbers)
    scope.without_nan = scope.without_nan or isinstance(found, Const)
    return found


def _select(scope: Scope, instr: Instr) -> Value:
    cond = scope.truth(instr.args[0])
    then, other = scope.value(instr.args[1], instr.type), scope.value(instr.args[2], instr.type)
    if isinstance(then, Pointer) and isinstance(other, Pointer):
        if then.root != other.root or len(then.outer) != len(other.outer) or then.offset != other.offset:
            scope.fail(f"a choice between pointers into {then.root.name} and {other.root.name}", "a pointer stays in one array")
        pairs = zip(then.outer, other.outer, strict=True)
        outer = tuple(one if one == two else scalars.choose(cond, one, two) for one, two in pairs)
        return replace(then, index=scalars.choose(cond, then.index, other.index), outer=outer)
    first, second = scope.scalar(instr.args[1], instr.type), scope.scalar(instr.args[2], instr.type)
    type_ = type_of(second if isinstance(first, Const) else first)
    return scalars.choose(cond, scalars.represent(first, type_), scalars.represent(second, type_))


def _pointer(scope: Scope, token: str) -> Pointer:
    value = scope.value(token, "ptr")
    match value:
        case Pointer():
            return value
        case Opaque(what, _):
            scope.fail(what, SUPPORTED_MEMORY)
        case Null():
            scope.fail("an access through a null pointer", SUPPORTED_MEMORY)
        case _:
            scope.fail("an access through a number used as a pointer", SUPPORTED_MEMORY)


def _getelementptr(scope: Scope, instr: Instr) -> Value:
    base = scope.value(instr.args[0], "ptr")
    if isinstance(base, Opaque):
        return base
    if isinstance(base, Table):
        return replace(base, index=_index_after(scope, instr, base.index, scalar_size(base.element) or 1))
    pointer = _pointer(scope, instr.args[0])
    if pointer.element in scope.records and not pointer.to_row:
        return _inside(scope, instr, pointer, scope.records[pointer.element].size)
    strings = pointer.element == STRING and not pointer.to_row
    return replace(pointer, index=_index_after(scope, instr, pointer.index, scope.step(pointer), strings=strings))


def _inside(scope: Scope, instr: Instr, pointer: Pointer, size: int) -> Pointer:
    """The place in an array of structs of so many bytes that a getelementptr leads to."""
    layout, index = scope.module.layout, pointer.index
    if not is_literal(instr.args[1]):
        count = scope.index(instr.args[1], instr.types[1], "nuw" in instr.flags)
        index = _advance(scope, index, count, layout.size(instr.detail[0]) or 0, size)
        instr = replace(instr, args=(instr.args[0], "0", *instr.args[2:]))
    offset = offset_of(instr, layout)
    if offset is None:
        scope.fail(f"an address in a struct of {pointer.root.name} that is computed", SUPPORTED_MEMORY)
    whole, rest = divmod(pointer.offset + offset, size)
    return replace(pointer, index=_advance(scope, index, integer(whole), size, size), offset=rest)


def _part(scope: Scope, instr: Instr, pointer: Pointer, record: Record) -> Expr:
    """A field of an element that is a struct."""
    name = record.type.of if record.type.of != "tuple" else record.name
    if pointer.offset not in record.offsets:
        scope.fail(f"an access to what is no field of {name}", SUPPORTED_MEMORY)
    position = record.offsets.index(pointer.offset)
    if not fits(record.type.fields[position][1], instr.type):
        scope.fail(f"an access of type {instr.type} to the field {record.type.fields[position][0]} of {name}", SUPPORTED_MEMORY)
    return part_of(Select(pointer.root, pointer.indices), position)


def _index_after(scope: Scope, instr: Instr, index: Expr, size: int, *, strings: bool = False) -> Expr:
    """The index of the element that a getelementptr leads to, from `index` in an array with elements of `size` bytes; in one of
    `strings` a step of a string is one element, whatever its size."""
    layout = scope.module.layout
    element = instr.detail[0]
    for position, (token, type_) in enumerate(zip(instr.args[1:], instr.types[1:], strict=True)):
        if position > 0:
            array = array_parts(element)
            if array is None:
                scope.fail("a field of a struct", SUPPORTED_MEMORY)
            element = array[1]
        step = size if strings and element == "string" else layout.size(element)
        offset = scope.index(token, type_, "nuw" in instr.flags)
        index = _advance(scope, index, offset, step or 0, size)
    return index


def _advance(scope: Scope, index: Expr, offset: Expr, step: int, size: int) -> Expr:
    """The index after `offset` steps of `step` bytes in an array with elements of `size` bytes."""
    if isinstance(offset, Const) and isinstance(offset.value, int) and offset.value * step % size == 0:
        offset, step = integer(offset.value * step // size), size
    if step % size != 0 or step == 0:
        scope.fail(f"an address computed in steps of {step} bytes in an array with elements of {size} bytes", SUPPORTED_MEMORY)
    if step != size:
        offset = Apply(Operator.MUL, (offset, integer(step // size)))
    if index == integer(0):
        return offset
    if offset == integer(0):
        return index
    if isinstance(offset, Const) and isinstance(offset.value, int) and offset.value < 0:
        return Apply(Operator.SUB, (index, integer(-offset.value)))
    return Apply(Operator.ADD, (index, offset))


def _check_access(scope: Scope, instr: Instr, pointer: Pointer) -> None:
    if "volatile" in instr.flags:
        scope.fail("a volatile access", SUPPORTED_MEMORY)
    if "atomic" in instr.flags:
        scope.fail("an atomic access", SUPPORTED_MEMORY)
    if pointer.to_row:
        scope.fail(f"an access to a row of {pointer.root.name} as a whole", SUPPORTED_MEMORY)
    if not fits(pointer.element, instr.type):
        found = f"an access of type {instr.type} to {pointer.root.name}, which has elements of another type"
        scope.fail(found, SUPPORTED_MEMORY)


def _load(scope: Scope, instr: Instr) -> Value:
    if "volatile" in instr.flags or "atomic" in instr.flags:
        scope.fail("a volatile or atomic access", SUPPORTED_MEMORY)
    base = scope.value(instr.args[0], "ptr")
    if isinstance(base, Table):
        return read_table(scope, instr, base)
    pointer = _pointer(scope, instr.args[0])
    if pointer.to_row and instr.type == "ptr" and pointer.row == POINTER_SIZE:
        return pointer.inside()
    if pointer.element in scope.records and not pointer.to_row and not (instr.type == "identity" and pointer.offset == 0):
        return _part(scope, instr, pointer, scope.records[pointer.element])
    _check_access(scope, instr, pointer)
    return Select(pointer.root, pointer.indices)


def _store(scope: Scope, instr: Instr) -> None:
    if "volatile" in instr.flags or "atomic" in instr.flags:
        scope.fail("a volatile or atomic access", SUPPORTED_MEMORY)
    if instr.args[0] in scope.undefined and isinstance(scope.value(instr.args[1], "ptr"), Opaque):
        return  # the plugin's marker of an object that could not be promoted; its uses are refused
    pointer = _pointer(scope, instr.args[1])
    if pointer.to_row and instr.type == "ptr":
        supported = "supported are rows that stay where they are, and changes of their elements"
        scope.fail(f"a change of the pointers to the rows of {pointer.root.name}", supported)
    _check_access(scope, instr, pointer)
    value = scalars.represent(scope.scalar(instr.args[0], instr.type), pointer.element)
    scope.statements.append(Store(pointer.root, pointer.indices, value, scope.location))


def _address(scope: Scope, instr: Instr) -> Value:
    return Address(_pointer(scope, instr.args[0]))


def _reinterpret(scope: Scope, instr: Instr) -> Value:
    scope.fail("bits read as another type (a union, or a pointer cast)", "supported are conversions of values")


def _freeze(scope: Scope, instr: Instr) -> Value:
    return scope.value(instr.args[0], instr.type)


def _nothing(scope: Scope, instr: Instr) -> None:
    return None


def _assume(scope: Scope, instr: Instr) -> None:
    scope.statements.append(Assume(scope.truth(instr.args[0]), instr.detail[0], scope.location))


Handler = Callable[[Scope, Instr], Value | None]
HANDLERS: dict[str, Handler] = {
    "fneg": _negate,
    "frem": _real_remainder,
    "trunc": _truncate,
    "icmp": _compare,
    "fcmp": _compare_reals,
    "select": _select,
    "getelementptr": _getelementptr,
    "load": _load,
    "store": _store,
    "ptrtoint": _address,
    "freeze": _freeze,
    "bitcast": _reinterpret,
    "inttoptr": _reinterpret,
    "alloca": local,
    "array.new": new_array,
    "array.extent": extent,
    "declare": _nothing,
    "keyed.assume": _assume,
    "identity.whole": _whole,
    "identity.part": _identity_part,
    "call": call,
}
HANDLERS |= OPERATIONS
HANDLERS |= dict.fromkeys(("add", "sub", "mul", "shl"), _arithmetic)
HANDLERS |= dict.fromkeys(DIVISIONS, _division)
HANDLERS |= dict.fromkeys(("lshr", "ashr"), _shift_right)
HANDLERS |= dict.fromkeys(BITWISE, _bitwise)
HANDLERS |= dict.fromkeys(REAL, _real)
HANDLERS |= dict.fromkeys(("zext", "sext"), _extend)
HANDLERS |= dict.fromkeys(("sitofp", "uitofp"), _to_real)
HANDLERS |= dict.fromkeys(("fptosi", "fptoui"), _from_real)
HANDLERS |= dict.fromkeys(("fpext", "fptrunc"), _resize_real)
