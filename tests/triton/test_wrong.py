"""Programs with a fault in their tiles are not proved, and texts with one do not mean the program that was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from metalift.driver import CannotWrite
from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Build, Call, Const, Expr, Ite, Operator, Select, Var, integer, real
from metalift.ir.expr.types import FLOAT, INT
from metalift.ir.expr.walk import substitute, transform
from metalift.ir.program.summary import TargetProgram, Write
from metalift.prove.solver import SolverPool
from tests.triton.programs import edited, program


def everywhere(change: Callable[[Expr], Expr]) -> Callable[[TargetProgram], TargetProgram]:
    """A change of every expression of a program."""

    def changed(given: TargetProgram) -> TargetProgram:
        def go(expr: Expr) -> Expr:
            return transform(change, expr)

        lets = tuple(type(let)(let.var, go(let.value)) for let in given.lets)
        writes = tuple(Write(w.array, go(w.window), go(w.value), go(w.guard)) for w in given.writes)
        result = None if given.result is None else go(given.result)
        return TargetProgram(lets, writes, result, given.requires, given.parameters)

    return changed


def mask_off_by(distance: int) -> Callable[[Expr], Expr]:
    """Masks that reach further, or not as far."""

    def change(expr: Expr) -> Expr:
        match expr:
            case Apply(Operator.LT, (left, right)):
                return Apply(Operator.LT, (left, plus(right, integer(distance))))
            case _:
                return expr

    return change


def remainder_dropped(expr: Expr) -> Expr:
    """n // BLOCK blocks, not one more for what is left."""
    match expr:
        case Apply(Operator.FDIV, (Apply(Operator.ADD, (size, _)), block)):
            return Apply(Operator.FDIV, (size, block))
        case _:
            return expr


def one_block_more(expr: Expr) -> Expr:
    """One block more than there are, which the masks leave alone: right, if wasteful."""
    match expr:
        case Apply(Operator.FDIV, (Apply(Operator.ADD, (size, rest)), block)):
            return Apply(Operator.FDIV, (Apply(Operator.ADD, (Apply(Operator.ADD, (size, block)), rest)), block))
        case _:
            return expr


def neutral(value: int) -> Callable[[Expr], Expr]:
    """Another number where a sum has no element."""

    def change(expr: Expr) -> Expr:
        match expr:
            case Call("where", (cond, term, Const(0)), type_):
                return Call("where", (cond, term, real(value, FLOAT)), type_)
            case _:
                return expr

    return change


def unmasked_reads(expr: Expr) -> Expr:
    return expr.then if isinstance(expr, Ite) else expr


def other_than_zero(expr: Expr) -> Expr:
    return Ite(expr.cond, expr.then, real(1, FLOAT)) if isinstance(expr, Ite) else expr


def stride(name: str, other: str) -> Callable[[Expr], Expr]:
    """Another row length in addresses."""

    def change(expr: Expr) -> Expr:
        match expr:
            case Select(Var() as array, (index,)):
                return Select(array, (transform(lambda part: renamed(part, name, other), index),))
            case _:
                return expr

    return change


def renamed(part: Expr, name: str, other: str) -> Expr:
    """The variable of that name as another one."""
    return Var(other, part.type) if isinstance(part, Var) and part.name == name else part


def swapped(given: TargetProgram) -> TargetProgram:
    """The two indices of a tile in each other's place, in what is written where."""
    (write,) = given.writes
    assert isinstance(write.window, Build)
    i, j = write.window.binders
    other = substitute(write.window.body, {i: j, j: i})
    window = Build(write.window.extents, write.window.binders, other)
    return replace(given, writes=(Write(write.array, window, write.value, write.guard),))


def clamped_to(distance: int) -> Callable[[Expr], Expr]:
    """Lanes without an element read another one than the last."""

    def change(expr: Expr) -> Expr:
        match expr:
            case Apply(Operator.MIN, (index, last)):
                return Apply(Operator.MIN, (index, plus(last, integer(distance))))
            case _:
                return expr

    return change


RIGHT = ("scale", "shifted", "total", "greatest", "row_means", "products")
WRONG = {
    "scale: a mask that reaches too far": ("scale", everywhere(mask_off_by(1))),
    "scale: a mask that stops early": ("scale", everywhere(mask_off_by(-1))),
    "scale: the remainder dropped": ("scale", everywhere(remainder_dropped)),
    "scale: reads without a mask": ("scale", everywhere(unmasked_reads)),
    "total: a mask that reaches too far": ("total", everywhere(mask_off_by(1))),
    "total: a mask that stops early": ("total", everywhere(mask_off_by(-1))),
    "total: the remainder dropped": ("total", everywhere(remainder_dropped)),
    "total: another neutral element": ("total", everywhere(neutral(1))),
    "greatest: the remainder dropped": ("greatest", everywhere(remainder_dropped)),
    "greatest: beyond the last element": ("greatest", everywhere(clamped_to(1))),
    "greatest: short of the last element": ("greatest", everywhere(clamped_to(-1))),
    "row_means: the remainder dropped": ("row_means", everywhere(remainder_dropped)),
    "row_means: another stride": ("row_means", everywhere(stride("cols", "rows"))),
    "row_means: another neutral element": ("row_means", everywhere(neutral(-1))),
    "products: program ids swapped": ("products", swapped),
    "products: the remainder dropped": ("products", everywhere(remainder_dropped)),
    "products: a mask that reaches too far": ("products", everywhere(mask_off_by(1))),
    "products: another stride": ("products", everywhere(stride("n", "k"))),
    "products: masked lanes that are not zero": ("products", everywhere(other_than_zero)),
}


@pytest.mark.parametrize("function", RIGHT)
def test_the_program_itself_is_proved(function: str, pool: SolverPool) -> None:
    assert program(function).proved(pool)


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_is_not_proved(fault: str, pool: SolverPool) -> None:
    function, change = WRONG[fault]
    assert not program(function).changed(change).proved(pool)


def test_what_is_only_wasteful_is_proved(pool: SolverPool) -> None:
    assert program("scale").changed(everywhere(one_block_more)).proved(pool)


def test_blocks_are_of_all_sizes() -> None:
    for function in RIGHT:
        made = program(function).program
        assert made.parameters and all(block.type == INT for block in made.parameters)


TEXTS = {
    "a mask that reaches too far": ("scale", {"mask=i < n)": "mask=i <= n)"}),
    "a mask that stops early": ("scale", {"mask=i < n)": "mask=i < n - 1)"}),
    "no mask": ("scale", {", mask=i < n)": ")"}),
    "the remainder dropped": ("scale", {"triton.cdiv(n, BLOCK)": "n // BLOCK"}),
    "a grid of other blocks": ("products", {"triton.cdiv(m, BLOCK_M)": "triton.cdiv(m, BLOCK_N)"}),
    "lanes of other blocks": ("products", {"tl.arange(0, BLOCK_M)": "tl.arange(0, BLOCK_N)"}),
    "program ids swapped": ("products", {"program_id(0)": "program_id(2)", "program_id(1)": "program_id(0)"}),
    "one program id for both": ("products", {"tl.program_id(1)": "tl.program_id(0)"}),
    "rows as columns": ("products", {"i[:, None]": "i[None, :]"}),
    "another stride": ("products", {"i[:, None] * k +": "i[:, None] * n +"}),
    "32 bits": ("products", {"tl.program_id(0).to(tl.int64)": "tl.program_id(0)"}),
    "tiles rounded to fewer bits": ("products", {'"ieee"': '"tf32"', "'ieee'": "'tf32'"}),
    "another loop": ("total", {"range(0, n, BLOCK)": "range(0, n - BLOCK, BLOCK)"}),
    "another start": ("total", {"tl.full([], 0.0,": "tl.full([], 1.0,"}),
    "another neutral element": ("total", {", 0.0), axis": ", 1.0), axis"}),
    "another reduction": ("total", {"tl.sum(": "tl.max("}),
    "the greatest for the least": ("greatest", {"tl.maximum(best": "tl.minimum(best", "tl.max(": "tl.min("}),
    "what is read was written": ("shifted", {"(x_before, ": "(x, "}),
    "no copy": ("shifted", {"_apart(x, x)": "_apart(x)"}),
}


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("fault", TEXTS)
def test_a_text_with_a_fault_is_refused(fault: str) -> None:
    function, changes = TEXTS[fault]
    made = program(function)
    text = made.text()
    assert made.means(text)
    other = edited(text, changes)
    assert (other.definitions, other.lines) != (text.definitions, text.lines)
    try:
        assert not made.means(other)
    except CannotWrite:
        pass
