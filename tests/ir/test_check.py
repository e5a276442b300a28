"""What is not well formed is refused, with the rule that it breaks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    integer,
)
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    INT32,
    UINT8,
    FunctionType,
    MachineInt,
    RealType,
    TensorType,
    TupleType,
)
from metalift.ir.program.fragment import (
    Assign,
    Block,
    Branch,
    Edge,
    Fragment,
    Jump,
    Location,
    Param,
    ParamKind,
    Return,
    Store,
)
from metalift.ir.wellformed.check import IllTyped, check
from metalift.ir.wellformed.check_fragment import check_fragment

A, B, N, F, D = Var("a", INT32), Var("b", UINT8), Var("n", INT), Var("f", FLOAT), Var("d", DOUBLE)
X, M = Var("x", TensorType(FLOAT)), Var("m", TensorType(FLOAT, 2))
PAIR = Var("pair", TupleType((INT, FLOAT)))
K, ACC = Var("k", INT), Var("acc", FLOAT)
ADD = Operator.ADD

ILL_FORMED: list[tuple[Expr, str]] = [
    (Apply(ADD, (A, B)), "i32 and u8"),
    (Apply(ADD, (A,)), "2 operands"),
    (Apply(Operator.NEG, (A, A)), "1 operand$"),
    (Apply(Operator.AND, (TRUE,)), "at least two"),
    (Apply(Operator.AND, (A, A)), "does not work on i32"),
    (Apply(Operator.DIV, (A, A)), "does not work on i32"),
    (Apply(Operator.TDIV, (F, F)), "does not work on f32"),
    (Apply(Operator.BITAND, (TRUE, TRUE)), "does not work on bool"),
    (Apply(Operator.LT, (TRUE, TRUE)), "does not work on bool"),
    (Apply(Operator.EQ, (X, X)), "does not work"),
    (Cast(X, INT), "cannot be cast"),
    (Cast(A, BOOL), "not to bool"),
    (Cast(A, MachineInt(65, True)), "65 bits"),
    (Cast(A, RealType(16)), "16 bits"),
    (Const(256, UINT8), "256 is no u8"),
    (Const(1, FLOAT), "1 is no f32"),
    (Const(Fraction(1), INT), "is no int"),
    (Const(True, INT), "True is no int"),
    (Ite(A, F, F), "a condition is a bool"),
    (Ite(TRUE, F, D), "f32 and f64"),
    (Select(X, (N, N)), "one index for each axis"),
    (Select(X, (A,)), "of type int, not i32"),
    (Select(F, (N,)), "no tensor"),
    (Length(M, 2), "no axis 2"),
    (Length(F), "no tensor"),
    (Call("sqrt", (F, F), FLOAT), "takes 1 argument"),
    (Call("sqrt", (F,), DOUBLE), "of one type"),
    (Call("isnan", (F,), FLOAT), "a truth value"),
    (Call("isnan", (A,), BOOL), "a function of reals"),
    (Call("sqrt", (A,), INT32), "function of reals"),
    (Call("a b", (), FLOAT), "is no name"),
    (Item(PAIR, 2), "no item 2"),
    (Item(F, 0), "no item 0"),
    (Build((N,), (), F), "one binder for each extent"),
    (Build((A,), (K,), F), "of type int, not i32"),
    (Build((N,), (Var("k", INT32),), F), "binders of indices"),
    (Build((N,), (K,), X), "scalars"),
    (Build((N, N), (K, K), F), "different names"),
    (Filter(A, K, TRUE, F), "of type int, not i32"),
    (Filter(N, Var("k", INT32), TRUE, F), "binders of indices"),
    (Filter(N, K, K, F), "condition is a bool"),
    (Filter(N, K, TRUE, X), "scalars"),
    (Fold(N, F, Var("acc", DOUBLE), K, F), "type of its first value"),
    (Fold(N, F, ACC, K, D), "f32 and f64"),
    (Fold(A, F, ACC, K, ACC), "of type int"),
    (Update(X, (K,), (N,), (K,), D, TRUE), "type of an element"),
    (Update(M, (K,), (N,), (K,), F, TRUE), "one index for each axis"),
    (Update(X, (K,), (), (K,), F, TRUE), "one binder for each extent"),
    (Update(X, (K,), (N,), (K,), F, N), "guard is a bool"),
    (Forall((K,), K), "is a bool"),
    (Lambda((Var("g", X.type),), F), "takes scalars"),
    (Lambda((K, K), F), "different names"),
    (Invoke(F, (F,)), "f32 is no function"),
    (Invoke(Lambda((K,), F), (F,)), "one argument for each parameter"),
    (Invoke(Lambda((K,), F), ()), "one argument for each parameter"),
    (Var("f", FunctionType((INT,), RealType(16))), "16 bits"),
    (Var("a-b", INT), "is no name"),
    (MakeTuple((Var("a", INT), A)), "two variables are called a"),
    (Build((N,), (K,), Cast(Var("k", INT32), FLOAT)), "two variables are called k"),
    (MakeTuple((F, Apply(ADD, (Apply(ADD, (A, B)), A)))), "i32 and u8"),
]


@pytest.mark.parametrize(("expr", "message"), ILL_FORMED)
def test_ill_formed_expressions_are_refused(expr: Expr, message: str) -> None:
    with pytest.raises(IllTyped, match=message):
        check(expr)


@pytest.mark.parametrize(
    "expr",
    [
        Build((K,), (K,), Select(X, (K,))),  # the extent's k is another one
        Filter(K, K, Apply(Operator.LT, (K, N)), Select(X, (K,))),
        Invoke(Lambda((K,), Invoke(Lambda((K,), K), (K,))), (N,)),
        Fold(N, F, ACC, K, Fold(N, ACC, ACC, K, ACC)),
        Update(X, (K, N), (N, K), (K,), F, TRUE),
        Cast(Apply(Operator.LT, (F, F)), UINT8),
        Call("anything", (X, M), TensorType(DOUBLE, 3)),
        MakeTuple(()),
        integer(2**100),
    ],
)
def test_unusual_but_well_formed_expressions_are_accepted(expr: Expr) -> None:
    check(expr)


AT = Location("kernel.c", 1)
I32_ONE = Const(1, INT32)
STEP = Var("i", INT32)
ENTRY = Block("entry", (), (), Jump(Edge("head", (I32_ONE,)), AT))
HEAD = Block("head", (STEP,), (), Branch(Apply(Operator.LT, (STEP, A)), Edge("body", ()), Edge("exit", ()), AT))
NEXT = Var("next", INT32)
BODY = Block(
    "body",
    (),
    (Assign(NEXT, Apply(ADD, (STEP, I32_ONE)), AT), Store(X, (Cast(STEP, INT),), F, AT)),
    Jump(Edge("head", (NEXT,)), AT),
)
EXIT = Block("exit", (), (), Return(STEP, AT))
PARAMS = (Param(A, ParamKind.VALUE, "int"), Param(F, ParamKind.VALUE, "float"), Param(X, ParamKind.POINTER, "float *"))
GOOD = Fragment("f", PARAMS, INT32, (), (ENTRY, HEAD, BODY, EXIT), AT, "")


def with_block(block: Block) -> Fragment:
    return replace(GOOD, blocks=tuple(block if old.label == block.label else old for old in GOOD.blocks))


def test_a_well_formed_fragment_is_accepted() -> None:
    check_fragment(GOOD)


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        (with_block(replace(EXIT, end=Return(NEXT, AT))), "next is not defined here"),
        (with_block(replace(EXIT, end=Return(None, AT))), "exactly if there is a result"),
        (with_block(replace(EXIT, end=Return(F, AT))), "result type"),
        (with_block(replace(EXIT, end=Jump(Edge("entry", ()), AT))), "nothing leads to the entry"),
        (with_block(replace(EXIT, end=Jump(Edge("nowhere", ()), AT))), "no block nowhere"),
        (with_block(replace(BODY, end=Jump(Edge("head", ()), AT))), "each of its arguments"),
        (with_block(replace(BODY, end=Jump(Edge("head", (F,)), AT))), "i is i32, not f32"),
        (with_block(replace(BODY, body=(*BODY.body, *BODY.body))), "defined twice"),
        (with_block(replace(BODY, body=(Store(X, (Cast(NEXT, INT),), F, AT), *BODY.body))), "next is not defined here"),
        (with_block(replace(BODY, body=(*BODY.body, Store(X, (Cast(A, INT),), A, AT)))), "an element of x is f32"),
        (with_block(replace(HEAD, end=Branch(A, Edge("body", ()), Edge("exit", ()), AT))), "a condition is a bool"),
        (replace(GOOD, params=(*PARAMS, PARAMS[0])), "different names"),
        (replace(GOOD, params=(replace(PARAMS[0], kind=ParamKind.POINTER), *PARAMS[1:])), "by value"),
        (replace(GOOD, blocks=(*GOOD.blocks, EXIT)), "different labels"),
        (replace(GOOD, blocks=(replace(ENTRY, args=(Var("z", INT),)), *GOOD.blocks[1:])), "no arguments"),
        (replace(GOOD, locals=(Var("v", INT32),)), "is an array"),
    ],
)
def test_ill_formed_fragments_are_refused(fragment: Fragment, message: str) -> None:
    with pytest.raises(IllTyped, match=message):
        check_fragment(fragment)
