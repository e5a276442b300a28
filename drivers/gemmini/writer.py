"""The text of a program in C: calls of Gemmini's library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metalift.driver import CannotWrite, Request, Written
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Call, Const, Expr, Select, Var
from metalift.ir.expr.walk import substitute
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.program.summary import Write

from .._tiles.c_text import APART, HEADERS, REFUSE, guard, heading
from .._tiles.cost import Sizes, nominal, told, whole
from .text import RESERVED, declared, size

TOLD = (
    "PROVED is said of the calls below in the model of the library that docs/accelerators.md describes: elements of 8 bits, "
    "accumulators of 32 bits, scales that are floats, 16 x 16 elements. The text is run with a C model of the library. It was "
    "never run on the chip, nor in its simulator."
)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix in memory: where it begins, and the elements from one row to the next, and from one column to the next."""

    array: Var
    start: Polynomial
    row: Polynomial
    column: Polynomial

    @property
    def pointer(self) -> str:
        """Its first element."""
        return f"{self.array.name} + {size(self.start.to_expr())}" if self.start.terms else self.array.name


def write(request: Request) -> Written:
    """The file, and which assumptions it checks. Raises CannotWrite."""
    return written(request, TOLD, [line for each in request.program.writes for line in call(each)], modelled(request))


def modelled(request: Request) -> str:
    """What the calls take at least, by the model."""
    at, sizes = nominal(request)
    multiplied, passed, moved = counted(request, sizes)
    return told(at, f"{multiplied:,} multiplications, at least {passed:,} cycles and {moved:,} bytes moved")


def counted(request: Request, sizes: Sizes) -> tuple[int, int, int]:
    """Multiplications, cycles and bytes of the calls at given sizes, the last two at least."""
    passed = multiplied = moved = 0
    for each in request.program.writes:
        called, window = unwrapped(each)
        views = [arg.extents for arg in called.args if isinstance(arg, Build)]
        found = [[whole(evaluate(extent, dict(sizes))) for extent in extents] for extents in (*views, window.extents)]
        rows, columns = found[-1]
        wide = 4 if called.function.startswith("matmul_full") else 1
        moved += sum(m * n for m, n in found[:2]) + rows * columns * wide
        for view in (arg for arg in called.args[2:] if isinstance(arg, Build)):  # a bias; one row of it may stand for all
            moved += 4 * columns * (rows if matrix(view).row.terms else 1)
        if called.function == "resadd":
            passed += 2 * rows * -(-columns // 16)
        else:
            depth = found[0][1]
            multiplied += rows * columns * depth
            passed += rows * -(-columns // 16) * -(-depth // 16)
    return multiplied, passed, moved


def written(request: Request, shown: str, lines: list[str], cost: str, helpers: tuple[str, ...] = ()) -> Written:
    """A file of which the function, behind its checks, does what the lines say; `cost` is what it takes. Raises CannotWrite."""
    fragment, program = request.fragment, request.program
    if program.result is not None or program.lets:
        raise CannotWrite("a program that is more than calls which write arrays")
    for param in fragment.params:
        if param.var.name in RESERVED:
            raise CannotWrite(f"a parameter is called {param.var.name}, which means something else in the text")
    changed = {each.array.name for each in program.writes}
    params = ", ".join(
        declared(param.var.type, param.var.name, constant=param.var.name not in changed) for param in fragment.params
    )
    checks = [guard(request, position) for position in range(len(request.stated))]
    body = [line for check in checks if check is not None for line in check]
    reads_later(program.writes)
    same = {frozenset(pair[:2]) for pair in request.pairs if pair is not None and pair[2]}
    in_place(program.writes, same)
    body += lines
    helpers += (APART,) if any("apart(" in line for line in body) else ()
    text = "\n".join(
        [
            *heading(request, shown, cost),
            "",
            *HEADERS,
            "",
            '#include "gemmini.h"',
            "",
            REFUSE,
            *helpers,
            f"void {fragment.name}({params}) {{",
            *(f"    {line}" for line in body),
            "}",
            "",
        ]
    )
    return Written(text, tuple(check is not None for check in checks))


def reads_later(writes: tuple[Write, ...]) -> None:
    """All calls compute with what arrays held at entry. Raises CannotWrite where one reads what an earlier one has written."""
    for position, each in enumerate(writes):
        later = {view.array for other in writes[position + 1 :] for view in operands(unwrapped(other)[0])}
        if each.array in later:
            raise CannotWrite(f"{each.array.name} is written by one call and read as it was before by another")


def in_place(writes: tuple[Write, ...], same: set[frozenset[str]]) -> None:
    """Of what a call writes it reads the same elements only. Raises CannotWrite. `same`: arrays that may be one."""
    for each in writes:
        called, window = unwrapped(each)
        out = matrix(window)
        for found in operands(called):
            one = found.array == out.array or frozenset((found.array.name, out.array.name)) in same
            if one and (found.start, found.row, found.column) != (out.start, out.row, out.column):
                raise CannotWrite(f"a call that writes {out.array.name} reads other elements of it, or of the same array")


def unwrapped(write: Write) -> tuple[Call, Build]:
    """The call, and where its elements go: a view of the array along its rows and columns."""
    window, value = write.window, write.value
    assert isinstance(window, Build) and isinstance(window.body, Select)
    if isinstance(value, Call):
        return value, window
    if not (isinstance(value, Build) and isinstance(value.body, Select) and isinstance(value.body.tensor, Call)):
        raise CannotWrite("what is written is not the result of a call")
    (binder,) = value.binders
    inner = substitute(window.body, {window.binders[0]: binder})
    axes = value.body.indices
    if sorted(map(str, axes)) != sorted(map(str, (binder, Const(0, binder.type)))):
        raise CannotWrite("what is written is not one row or column of the result of a call")
    one = Const(1, binder.type)
    spare = Var(f"{binder.name}.one", binder.type)
    binders = tuple(axis if isinstance(axis, Var) else spare for axis in axes)
    extents = tuple(window.extents[0] if isinstance(axis, Var) else one for axis in axes)
    return value.body.tensor, Build(extents, binders, inner)


def operands(call: Call) -> list[Matrix]:
    """The matrices that a call reads."""
    return [matrix(arg) for arg in call.args if isinstance(arg, Build)]


def matrix(view: Build) -> Matrix:
    """A view of an array as a matrix in memory."""
    body = view.body
    if not (isinstance(body, Select) and isinstance(body.tensor, Var) and len(body.indices) == 1):
        raise CannotWrite("an operand that is no view of an array")
    affine = Polynomial.of(body.indices[0]).affine_in(view.binders)
    if affine is None:
        raise CannotWrite(f"the elements of {body.tensor.name} are not at regular distances")
    coefficients, start = affine
    none = Polynomial.constant(0)
    row, column = (coefficients.get(binder, none) for binder in view.binders)
    return Matrix(body.tensor, start, row, column)


def strided(found: Matrix, extents: tuple[Expr, ...]) -> str | None:
    """The stride of rows whose elements lie side by side; along an axis of one element any distance is right."""
    rows, columns = extents
    if not (is_one(columns) or found.column == Polynomial.constant(1)):
        return None
    if is_one(rows):
        return size(columns)
    return size(found.row.to_expr()) if found.row.terms else None


def is_one(extent: Expr) -> bool:
    """Whether an axis has one element."""
    return Polynomial.of(extent) == Polynomial.constant(1)


def call(write: Write) -> Iterator[str]:
    """The statements for a write: the library is not called for nothing, because it divides by its sizes."""
    called, window = unwrapped(write)
    where = [f"{size(extent)} > 0" for extent in window.extents if not isinstance(extent, Const)]
    lines = list(resadd(called, window) if called.function == "resadd" else matmul(called, window))
    if where:
        yield f"if ({' && '.join(where)})"
    yield from (f"    {line}" for line in lines) if where else lines


def matmul(called: Call, window: Build) -> Iterator[str]:
    """tiled_matmul_auto."""
    full = called.function.startswith("matmul_full")
    views = [arg for arg in called.args if isinstance(arg, Build)]
    a, b, *bias = [matrix(view) for view in views]
    strides, transposed = [], []
    for found, view in zip((a, b), views, strict=False):
        straight = strided(found, view.extents)
        turned = strided(Matrix(found.array, found.start, found.column, found.row), view.extents[::-1])
        if straight is None and turned is None:
            raise CannotWrite(f"neither the rows nor the columns of {found.array.name} lie side by side")
        strides.append(straight or turned)
        transposed.append("false" if straight else "true")
    if transposed == ["true", "true"]:
        raise CannotWrite("the library does not transpose both matrices")
    out = matrix(window)
    stride = strided(out, window.extents)
    if stride is None:
        raise CannotWrite(f"the rows of {out.array.name} do not lie side by side")
    d, stride_d, repeating = "NULL", "0", "false"
    if bias:
        same_rows = not bias[0].row.terms and not is_one(views[2].extents[0])
        row = strided(bias[0], views[2].extents) if not same_rows else size(views[2].extents[1])
        if row is None or (same_rows and not (is_one(views[2].extents[1]) or bias[0].column == Polynomial.constant(1))):
            raise CannotWrite(f"the rows of {bias[0].array.name} do not lie side by side")
        d, stride_d, repeating = bias[0].pointer, row, "true" if same_rows else "false"
    relu, scale = ("NO_ACTIVATION", "ACC_SCALE_IDENTITY") if full else leaving(called.args[-3:])
    rows, columns = map(size, window.extents)
    depth = size(views[0].extents[1])
    yield f"tiled_matmul_auto({rows}, {columns}, {depth},"
    yield f"    {a.pointer}, {b.pointer}, {d}, {out.pointer},"
    yield f"    {strides[0]}, {strides[1]}, {stride_d}, {stride}, /* from row to row */"
    yield "    MVIN_SCALE_IDENTITY, MVIN_SCALE_IDENTITY, MVIN_SCALE_IDENTITY,"
    yield f"    {relu}, {scale}, 0, {repeating}, /* one bias for all rows */"
    yield f"    {transposed[0]}, {transposed[1]}, /* transposed */"
    yield f"    {'true' if full else 'false'}, false, 0, WS); /* 32-bit result */"


def leaving(args: tuple[Expr, ...]) -> tuple[str, str]:
    """Activation and scale of accumulators."""
    relu, n, bits = map(number, args)
    return ("RELU" if relu else "NO_ACTIVATION"), scale_text(n, bits, "ACC_SCALE_IDENTITY")


def number(arg: Expr) -> int:
    """A constant."""
    if not isinstance(arg, Const):
        raise CannotWrite("a scale that is no constant")
    return int(arg.value)


def scale_text(n: int, bits: int, identity: str) -> str:
    """A scale, which floats hold exactly."""
    return identity if n == 1 << bits else f"{n}.0f" if bits == 0 else f"{n}.0f / {1 << bits}.0f"


def resadd(called: Call, window: Build) -> Iterator[str]:
    """tiled_resadd_auto, whose matrices are contiguous."""
    rows, columns = window.extents
    views = [*(arg for arg in called.args if isinstance(arg, Build)), window]
    for view in views:
        found = matrix(view)
        whole = is_one(rows) or found.row == Polynomial.of(columns)
        if not whole or found.column != Polynomial.constant(1):
            raise CannotWrite(f"the elements of {found.array.name} that are added are not contiguous, as the library has them")
    a, b, c = (matrix(view).pointer for view in views)
    n_a, bits_a, n_b, bits_b, relu, n, bits = map(number, called.args[2:])
    scales = [scale_text(n_a, bits_a, "MVIN_SCALE_IDENTITY"), scale_text(n_b, bits_b, "MVIN_SCALE_IDENTITY")]
    yield f"tiled_resadd_auto({size(rows)}, {size(columns)},"
    yield f"    {', '.join(scales)}, {scale_text(n, bits, 'ACC_SCALE_IDENTITY')},"
    yield f"    {a}, {b}, {c},"
    yield f"    {'true' if relu else 'false'}, WS);"
