"""Programs written by hand, for the writer of code: a source's parameters, what it reads, and the program in operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drivers.tensor import driver
from metalift.codegen import GenerateRequest
from metalift.ir.expr.build import at_most, minus, plus
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Expr, Length, Operator, Select, Var, integer, real, type_of
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, INT32, UINT8, ScalarType, TensorType, Type
from metalift.ir.program.assumption import Assumption, Overlap
from metalift.ir.program.fragment import Fragment, Location, Param, ParamKind
from metalift.ir.program.summary import Let, Summary, TargetProgram, Write

HERE = Location("kernels.c", 7)
C_TYPES: dict[Type, str] = {FLOAT: "float", DOUBLE: "double", INT32: "int", UINT8: "uint8_t"}


@dataclass(frozen=True)
class Case:
    """A program, and what is needed to run it."""

    name: str
    params: tuple[Param, ...]
    program: TargetProgram
    extents: tuple[tuple[str, Expr], ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    least: int = 0  # the smallest size at which the source is defined

    def request_for(self, target: str) -> GenerateRequest:
        """What the writer is given."""
        fragment = Fragment(self.name, self.params, None, (), (), HERE, "")
        outputs = tuple((write.array.name, write.value) for write in self.program.writes)
        shapes = tuple((name, (extent,)) for name, extent in self.extents)
        summary = Summary((), (), outputs, (), shapes)
        return GenerateRequest(
            fragment, summary, self.program, driver, driver.target(target), self.assumptions, "PROVED", "0.1.0"
        )


def array(name: str, element: ScalarType = FLOAT) -> Var:
    """An array parameter."""
    return Var(name, TensorType(element))


def size(name: str) -> Var:
    """An int parameter."""
    return Var(name, INT32)


def params(*given: Var, kind: ParamKind = ParamKind.POINTER) -> tuple[Param, ...]:
    """Parameters in order."""
    found = []
    for var in given:
        if isinstance(var.type, TensorType):
            found.append(Param(var, kind, f"{C_TYPES[var.type.element]} *"))
        else:
            found.append(Param(var, ParamKind.VALUE, C_TYPES[var.type]))
    return tuple(found)


def exact(var: Expr) -> Expr:
    """The value as an exact integer."""
    return var if type_of(var) == INT else Cast(var, INT)


ROW, COLUMN, LAYER = Var("i", INT), Var("j", INT), Var("k", INT)


def view(tensor: Expr, extents: Sequence[Expr], *indices: Expr) -> Build:
    """The tensor over i, j, k with that many elements on each axis, at the given indices (by default i, j, k)."""
    binders = (ROW, COLUMN, LAYER)[: len(extents)]
    return Build(tuple(exact(extent) for extent in extents), binders, Select(tensor, tuple(indices) or binders))


def mul(*factors: Expr) -> Expr:
    """A product of exact integers."""
    result = exact(factors[0])
    for factor in factors[1:]:
        result = Apply(Operator.MUL, (result, exact(factor)))
    return result


def op(name: str, *args: Expr, type: Type | None = None) -> Call:
    """An operator; elementwise ones have the type of their first tensor."""
    tensors = [type_of(arg) for arg in args if isinstance(type_of(arg), TensorType)]
    called = name if name in driver.operators else f"tensor.{name}"
    return Call(called, args, type or (tensors[0] if tensors else type_of(args[0])))


def divide(left: Expr, right: Expr) -> Expr:
    """A quotient of reals."""
    return Apply(Operator.DIV, (left, right))


def at_least_zero(*names: Var) -> tuple[Assumption, ...]:
    """Sizes that are not negative."""
    return tuple(Assumption(f"{each.name} >= 0", at_most(integer(0), exact(each))) for each in names)


def together(first: Var, second: Var) -> Assumption:
    """The arrays are one, or disjoint."""
    return Assumption(
        f"{first.name} and {second.name} {Overlap.SAME_OR_DISJOINT.value}", arrays=(first.name, second.name)
    )


def apart(first: Var, second: Var) -> Assumption:
    """The arrays are disjoint."""
    text = f"{first.name} and {second.name} {Overlap.DISJOINT.value}"
    return Assumption(text, arrays=(first.name, second.name), overlap=Overlap.DISJOINT)


FINITE = Assumption("floating-point numbers are finite, and arithmetic on them is that of real numbers")


def rmsnorm() -> Case:
    o, x, weight, n = array("o"), array("x"), array("weight"), size("size")
    xs = view(x, [n])
    ss = Var("ss.1", FLOAT)
    mean = Apply(Operator.ADD, (divide(ss, Cast(n, FLOAT)), real("1e-05", FLOAT)))
    scale = Var("ss.3", FLOAT)
    scaled = op("mul", view(weight, [n]), op("mul", scale, xs))
    lets = (
        Let(ss, op("dot", xs, xs, type=FLOAT)),
        Let(scale, divide(real(1, FLOAT), op("sqrt", mean))),
    )
    program = TargetProgram(lets, (Write(o, view(o, [n]), scaled),), None)
    extents = tuple((each.name, exact(n)) for each in (o, x, weight))
    assumptions = (FINITE, *at_least_zero(n), together(o, x), together(o, weight))
    return Case("rmsnorm", params(o, x, weight, n), program, extents, assumptions, least=1)


def softmax() -> Case:
    x, n = array("x"), size("size")
    xs = view(x, [n])
    greatest, powers = Var("max_val_1", FLOAT), Var("x_1", TensorType(FLOAT))
    lets = (
        Let(greatest, op("greatest", xs, type=FLOAT)),
        Let(powers, op("exp", op("sub", xs, greatest))),
    )
    value = op("div", powers, op("total", powers, type=FLOAT))
    program = TargetProgram(lets, (Write(x, xs, value),), None, (at_most(integer(1), exact(n)),))
    return Case("softmax", params(x, n), program, (("x", exact(n)),), (FINITE,), least=1)


def matmul() -> Case:
    out, x, w, n, d = array("xout"), array("x"), array("w"), size("n"), size("d")
    rows = view(w, [d, n], plus(mul(ROW, n), COLUMN))
    program = TargetProgram((), (Write(out, view(out, [d]), op("mv", rows, view(x, [n]), type=TensorType(FLOAT))),), None)
    extents = (("xout", exact(d)), ("x", exact(n)), ("w", mul(d, n)))
    assumptions = (FINITE, *at_least_zero(n, d), apart(out, x), apart(out, w))
    return Case("matmul", params(out, x, w, n, d), program, extents, assumptions)


def screen() -> Case:
    out, base, active, n = (*(array(each, UINT8) for each in ("out", "base", "active")), size("n"))
    wide = TensorType(INT32)
    b, a = (op("cast", view(each, [n]), type=wide) for each in (base, active))
    value = op("sub", op("add", b, a), op("quotient", op("mul", b, a), integer(255, INT32)))
    program = TargetProgram((), (Write(out, view(out, [n]), op("cast", value, type=TensorType(UINT8))),), None)
    extents = tuple((each.name, exact(n)) for each in (out, base, active))
    return Case("screen", params(out, base, active, n), program, extents, at_least_zero(n))


def dot() -> Case:
    a, b = array("a", DOUBLE), array("b", DOUBLE)
    value = op("dot", view(a, [Length(a)]), view(b, [Length(a)]), type=DOUBLE)
    program = TargetProgram((), (), value, (at_most(Length(a), Length(b)),))
    return Case("dot", params(a, b, kind=ParamKind.VECTOR), program)


def window() -> Case:
    """A block of an image with a leading dimension is scaled in place."""
    image, scale, height, width, ld = array("image"), Var("scale", FLOAT), size("height"), size("width"), size("ld")
    block = view(image, [height, width], plus(mul(ROW, ld), COLUMN))
    program = TargetProgram((), (Write(image, block, op("mul", block, scale)),), None)
    extent = plus(mul(minus(exact(height), integer(1)), ld), exact(width))
    sizes = (*at_least_zero(height, width), Assumption("width <= ld", at_most(exact(width), exact(ld))))
    positive = Assumption("ld >= 1", at_most(integer(1), exact(ld)))
    return Case("window", params(image, scale, height, width, ld), program, (("image", extent),), (*sizes, positive))


def strided() -> Case:
    """Every second element is written, in reverse order of the input."""
    out, x, n = array("out"), array("x"), size("n")
    backwards = view(x, [n], minus(minus(exact(n), integer(1)), ROW))
    program = TargetProgram((), (Write(out, view(out, [n], mul(integer(2), ROW)), backwards),), None)
    extents = (("out", minus(mul(integer(2), n), integer(1))), ("x", exact(n)))
    return Case("strided", params(out, x, n), program, extents, (*at_least_zero(n), apart(out, x)))


def swap() -> Case:
    a, b, n = array("a"), array("b"), size("len")
    program = TargetProgram((), (Write(a, view(a, [n]), view(b, [n])), Write(b, view(b, [n]), view(a, [n]))), None)
    return Case("swap", params(a, b, n), program, (("a", exact(n)), ("b", exact(n))), (*at_least_zero(n), together(a, b)))


def shift() -> Case:
    """Elements move by one in place."""
    x, n = array("x"), size("n")
    fewer = minus(exact(n), integer(1))
    program = TargetProgram((), (Write(x, view(x, [fewer], plus(ROW, integer(1))), view(x, [fewer])),), None)
    return Case("shift", params(x, n), program, (("x", exact(n)),))


def transpose() -> Case:
    out, a, m, n = array("out"), array("a"), size("m"), size("n")
    source = view(a, [m, n], plus(mul(ROW, n), COLUMN))
    program = TargetProgram((), (Write(out, view(out, [m, n], plus(mul(COLUMN, m), ROW)), source),), None)
    extents = (("out", mul(m, n)), ("a", mul(m, n)))
    return Case("transpose", params(out, a, m, n), program, extents, (*at_least_zero(m, n), apart(out, a)))


def outer() -> Case:
    """Two vectors are spread over a matrix; a third one fills it."""
    out, x, y, m, n = array("out"), array("x"), array("y"), size("m"), size("n")
    value = op("mul", view(x, [m, n], ROW), view(y, [m, n], COLUMN))
    program = TargetProgram((), (Write(out, view(out, [m, n], plus(mul(ROW, n), COLUMN)), value),), None)
    extents = (("out", mul(m, n)), ("x", exact(m)), ("y", exact(n)))
    return Case("outer", params(out, x, y, m, n), program, extents, at_least_zero(m, n))


def gather() -> Case:
    """A table of bytes is applied; the first element and a constant are results too."""
    out, table, x, n = array("out", UINT8), array("table", UINT8), array("x", UINT8), size("n")
    value = Build((exact(n),), (ROW,), Select(table, (Cast(Select(x, (ROW,)), INT),)))
    program = TargetProgram((), (Write(out, view(out, [n]), value),), Select(x, (integer(0),)))
    extents = (("out", exact(n)), ("table", integer(256)), ("x", exact(n)))
    return Case("gather", params(out, table, x, n), program, extents, (*at_least_zero(n), together(out, x)), least=1)


def every() -> Case:
    """A stride of unknown sign, a constant, and a counter."""
    out, ramp, x, n, step = array("out"), array("ramp", INT32), array("x"), size("n"), size("step")
    fill = Build((exact(n),), (ROW,), real("0.5", FLOAT))
    count = Build((exact(n),), (ROW,), Cast(plus(mul(integer(3), ROW), integer(1)), INT32))
    value = op("add", view(x, [n], mul(step, ROW)), fill)
    program = TargetProgram((), (Write(out, view(out, [n]), value), Write(ramp, view(ramp, [n]), count)), None)
    extents = (("out", exact(n)), ("ramp", exact(n)))
    return Case("every", params(out, ramp, x, n, step), program, extents, at_least_zero(n))


def clear() -> Case:
    """A block is filled with one value; the names are Python's own."""
    x, m, n, value = array("torch"), size("len"), size("lambda"), Var("np", FLOAT)
    block = view(x, [m, n], plus(mul(ROW, n), COLUMN))
    program = TargetProgram((), (Write(x, block, Build((exact(m), exact(n)), (ROW, COLUMN), value)),), None)
    return Case("max", params(x, m, n, value), program, (("torch", mul(m, n)),), at_least_zero(m, n))


def scalars() -> Case:
    """No arrays at all."""
    a, b = Var("a", FLOAT), size("b")
    total = Apply(Operator.ADD, (Apply(Operator.MUL, (a, a)), divide(Cast(b, FLOAT), op("sqrt", a))))
    return Case("scalars", params(a, b), TargetProgram((), (), total), least=1)


CASES = [
    make()
    for make in (
        rmsnorm, softmax, matmul, screen, dot, window, strided, swap, shift, transpose, outer, gather, every, clear, scalars,
    )
]  # fmt: skip

