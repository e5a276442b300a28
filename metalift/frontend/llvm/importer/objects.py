"""Local arrays and constant tables: what names them, and reads of the latter."""

from __future__ import annotations

from metalift.frontend.llvm.importer.scope import Opaque, Pointer, Scope, Table, Value
from metalift.frontend.llvm.read.llvm_ir import Instr, array_parts, int_bits, scalar_size
from metalift.frontend.llvm.read.parameters import fits
from metalift.frontend.llvm.read.tables import LIMIT
from metalift.frontend.lower import c_scalars as scalars
from metalift.frontend.lower.c_scalars import cast
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, MachineInt, TensorType, is_integer
from metalift.ir.program.fragment import Assume, Ground

SUPPORTED_MEMORY = (
    "supported are elements of array parameters and of std::vector, read and written with the array's own element type"
)
CHAIN = 16  # cells of a constant table that are told apart one by one


def read_table(scope: Scope, instr: Instr, table: Table) -> Value:
    """A cell of a constant table; one that is chosen at run time is a chain of choices."""
    cells, index = table.cells, table.index
    if instr.type != table.element:
        scope.fail(f"an access of type {instr.type} to {table.name}, which has cells of another type", SUPPORTED_MEMORY)
    if isinstance(index, Const) and isinstance(index.value, int):
        if not 0 <= index.value < len(cells):
            scope.fail(f"an access outside of {table.name}", SUPPORTED_MEMORY)
        return cells[index.value]
    if len(cells) > LIMIT:
        scope.fail(f"the constant table {table.name} of {len(cells)} cells", f"supported are tables of up to {LIMIT} cells")
    if len(cells) <= CHAIN:
        return _chain(cells, index)
    return _chosen([at for at, cell in enumerate(cells) if at == 0 or cell != cells[at - 1]], cells, index)


def _chain(cells: tuple[Expr, ...], index: Expr) -> Expr:
    """The cell at an index, by comparing it with one number after the other."""
    chosen = cells[-1]
    for number in range(len(cells) - 2, -1, -1):
        chosen = scalars.choose(scalars.equal(index, integer(number)), cells[number], chosen)
    return chosen


def _chosen(starts: list[int], cells: tuple[Expr, ...], index: Expr) -> Expr:
    """The cell at an index, by halving the runs of equal cells, of which the first indices are given."""
    if len(starts) == 1:
        return cells[starts[0]]
    half = len(starts) // 2
    before = scalars.ordered("lt", index, integer(starts[half]))
    return scalars.choose(before, _chosen(starts[:half], cells, index), _chosen(starts[half:], cells, index))


def local(scope: Scope, instr: Instr) -> Value:
    """A local variable that is left in memory, which nothing can be done with."""
    hint = scope.function.hints.get(instr.result)
    name = f" {hint.name}" if hint else ""
    declared = scope.module.metadata.type(hint.type_ref) if hint else None
    if declared is not None and declared.kind == "other":
        return Opaque(f"the local variable{name} of type {declared.spelling}")
    if array_parts(instr.detail[0]) or instr.args:
        return Opaque(f"the local array{name}")
    if scalar_size(instr.detail[0]) is not None:
        return Opaque(f"the local variable{name}, whose address is used or which is volatile")
    return Opaque(f"the local object{name} of type {instr.detail[0].strip('%')}")


def new_array(scope: Scope, instr: Instr) -> Value:
    """A local array, by the type that the source declares for its elements."""
    name, element, *_ = instr.detail
    hint = scope.function.hints.get(instr.result)
    declared = scope.module.metadata.type(hint.type_ref).scalar if hint else None
    scalar = scope.function.elements.get(instr.result, declared)
    if scalar is None or not fits(scalar, element):
        bits = int_bits(element)
        scalar = MachineInt(bits, True) if bits else FLOAT if element == "float" else DOUBLE
    array = Var(scope.name(name, exact=True), TensorType(scalar))
    scope.locals.append(array)
    return Pointer(array, integer(0))


def extent(scope: Scope, instr: Instr) -> None:
    """An extent of an array of variable length; a negative one that was widened without sign is no length either."""
    length: Expr = scope.integer(instr.args[0], "i64")
    while isinstance(length, Cast) and is_integer(type_of(length.arg)):
        length = length.arg
    length = cast(length, INT)
    hint = scope.function.hints.get(instr.detail[0])
    name = hint.name if hint else "a local array"
    holds = Apply(Operator.LE, (integer(1), length))
    scope.statements.append(Assume(holds, f"the length of {name} is positive", scope.location, Ground.DEFINED))
