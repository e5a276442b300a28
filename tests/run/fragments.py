"""Fragments written by hand, with the C text that they stand for."""

from __future__ import annotations

from fractions import Fraction

from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Ite, Operator, Select, Var
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, INT32, UINT8, TensorType, Type
from metalift.ir.program.fragment import (
    Assign,
    Block,
    Branch,
    Edge,
    Fragment,
    Jump,
    Location,
    Param,
    Return,
    Statement,
    Store,
)
from tests.run.signatures import pointer, scalar

AT = Location("kernel.c", 1)


def op(operator: Operator, *args: Expr) -> Expr:
    """An operator applied."""
    return Apply(operator, args)


def at(array: Expr, index: Expr) -> Expr:
    """An element, at an index of any integer type."""
    return Select(array, (Cast(index, INT),))


def num(value: int | str, type_: Type) -> Const:
    """A literal."""
    return Const(Fraction(value) if type_ in (FLOAT, DOUBLE) else int(value), type_)


def counting(index: Var, stop: Expr, body: tuple[Statement, ...], state: tuple[tuple[Var, Expr, Expr], ...] = ()) -> list[Block]:
    """`for (index = 0; index < stop; index++) body`, as blocks `entry`, `loop`, `body`; it goes on at `after`.

    `state` has the loop's other variables with their values at entry and after the body.
    """
    zero, one = num(0, index.type), num(1, index.type)
    args = (index, *(var for var, _, _ in state))
    start = Edge("loop", (zero, *(initial for _, initial, _ in state)))
    again = Edge("loop", (op(Operator.ADD, index, one), *(new for _, _, new in state)))
    test = Branch(op(Operator.LT, index, stop), Edge("body", ()), Edge("after", ()), AT)
    return [Block("entry", (), (), Jump(start, AT)), Block("loop", args, (), test), Block("body", (), body, Jump(again, AT))]


def function(name: str, params: tuple[Param, ...], result: Type | None, blocks: list[Block]) -> Fragment:
    """A fragment."""
    return Fragment(name, params, result, (), tuple(blocks), AT, "")


N = Var("n", INT32)
I = Var("i", INT32)  # noqa: E741
J = Var("j", INT32)
X = Var("x", TensorType(FLOAT))
O = Var("o", TensorType(FLOAT))  # noqa: E741
W = Var("weight", TensorType(FLOAT))

RMSNORM_C = """
#include <math.h>
static void rmsnorm(float *o, float *x, float *weight, int n) {
    float ss = 0.0f;
    for (int i = 0; i < n; i++) ss += x[i] * x[i];
    ss /= n;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < n; j++) o[j] = weight[j] * (ss * x[j]);
}
"""


def rmsnorm(eps: str = "1e-5") -> Fragment:
    """RMSNORM_C."""
    ss, scale = Var("ss", FLOAT), Var("scale", FLOAT)
    square = op(Operator.MUL, at(X, I), at(X, I))
    blocks = counting(I, N, (), ((ss, num(0, FLOAT), op(Operator.ADD, ss, square)),))
    mean = op(Operator.ADD, op(Operator.DIV, ss, Cast(N, FLOAT)), num(eps, FLOAT))
    root = op(Operator.DIV, num(1, FLOAT), Call("sqrt", (mean,), FLOAT))
    store = Store(O, (Cast(J, INT),), op(Operator.MUL, at(W, J), op(Operator.MUL, scale, at(X, J))), AT)
    again = Edge("loop2", (op(Operator.ADD, J, num(1, INT32)),))
    blocks += [
        Block("after", (), (Assign(scale, root, AT),), Jump(Edge("loop2", (num(0, INT32),)), AT)),
        Block("loop2", (J,), (), Branch(op(Operator.LT, J, N), Edge("body2", ()), Edge("done", ()), AT)),
        Block("body2", (), (store,), Jump(again, AT)),
        Block("done", (), (), Return(None, AT)),
    ]
    params = (pointer("o", FLOAT, "float *"), pointer("x", FLOAT, "float *"), pointer("weight", FLOAT, "float *"))
    return function("rmsnorm", (*params, scalar("n", INT32, "int")), None, blocks)


BURN_C = """
#include <stdint.h>
void burn(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] == 0 ? 255 : 255 - (255 - b[i]) / a[i];
}
"""


def burn() -> Fragment:
    """BURN_C."""
    out, a, b = (Var(name, TensorType(UINT8)) for name in ("o", "a", "b"))
    below = op(Operator.SUB, num(255, INT32), Cast(at(b, I), INT32))
    burnt = op(Operator.SUB, num(255, INT32), op(Operator.TDIV, below, Cast(at(a, I), INT32)))
    value = Ite(op(Operator.EQ, Cast(at(a, I), INT32), num(0, INT32)), num(255, INT32), burnt)
    blocks = counting(I, N, (Store(out, (Cast(I, INT),), Cast(value, UINT8), AT),))
    blocks.append(Block("after", (), (), Return(None, AT)))
    params = tuple(pointer(name, UINT8, "uint8_t *") for name in ("o", "a", "b"))
    return function("burn", (*params, scalar("n", INT32, "int")), None, blocks)


SUM_C = "int sum(const int *p, int n, int stride) { int s = 0; for (int i = 0; i < n; i++) s += p[i * stride]; return s; }"


def strided_sum() -> Fragment:
    """SUM_C."""
    p, s, stride = Var("p", TensorType(INT32)), Var("s", INT32), Var("stride", INT32)
    element = at(p, op(Operator.MUL, I, stride))
    blocks = counting(I, N, (), ((s, num(0, INT32), op(Operator.ADD, s, element)),))
    blocks.append(Block("after", (), (), Return(s, AT)))
    params = (pointer("p", INT32, "const int *"), scalar("n", INT32, "int"), scalar("stride", INT32, "int"))
    return function("sum", params, INT32, blocks)


SHIFT_C = "void shift(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[i] = x[i] + x[i + 1]; }"


def shift() -> Fragment:
    """SHIFT_C."""
    out, x = Var("o", TensorType(DOUBLE)), Var("x", TensorType(DOUBLE))
    value = op(Operator.ADD, at(x, I), at(x, op(Operator.ADD, I, num(1, INT32))))
    blocks = counting(I, N, (Store(out, (Cast(I, INT),), value, AT),))
    blocks.append(Block("after", (), (), Return(None, AT)))
    params = (pointer("o", DOUBLE, "double *"), pointer("x", DOUBLE, "const double *"), scalar("n", INT32, "int"))
    return function("shift", params, None, blocks)


GATHER_C = "void gather(float *o, const float *x, const int *at, int n) { for (int i = 0; i < n; i++) o[i] = x[at[i]]; }"


def gather() -> Fragment:
    """GATHER_C."""
    where = Var("at", TensorType(INT32))
    blocks = counting(I, N, (Store(O, (Cast(I, INT),), at(X, at(where, I)), AT),))
    blocks.append(Block("after", (), (), Return(None, AT)))
    params = (pointer("o", FLOAT, "float *"), pointer("x", FLOAT, "const float *"), pointer("at", INT32, "const int *"))
    return function("gather", (*params, scalar("n", INT32, "int")), None, blocks)
