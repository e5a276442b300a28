"""Trees as text are read back as the same trees, on one line or on several."""

from __future__ import annotations

import ast
from types import EllipsisType

from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.codegen.python_text import LINE_LENGTH, statement, text
from metalift.driver.templates import constant, fill_template, name, subscript, tuple_of

NAMES = ["x", "weight", "a_rather_long_name", "n"]
Literal = int | float | str | bool | None | EllipsisType
CONSTANTS: list[Literal] = [0, 7, 255, 0.5, 1e-05, 3.4028235e38, "mean", 'a "quoted" \\ text', True, None, ...]
BINARY = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult, ast.Pow]
BITS = [ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor]
COMPARISONS = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE]
KINDS = ["binary", "sign", "comparison", "words", "choice", "call", "index", "attribute", "tuple", "list", "lambda"]


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> ast.expr:
    """Expressions of all forms that generated code has."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        leaves: list[ast.expr] = [*map(name, NAMES), *(ast.Constant(value=value) for value in CONSTANTS)]
        return draw(st.sampled_from(leaves))
    kind = draw(st.sampled_from(KINDS))
    parts = [draw(trees(depth - 1)) for _ in range(3)]
    return operation(draw, kind, parts) or structure(draw, kind, parts)


def operation(draw: st.DrawFn, kind: str, parts: list[ast.expr]) -> ast.expr | None:
    """An operator applied to the parts."""
    match kind:
        case "binary":
            return ast.BinOp(left=parts[0], op=draw(st.sampled_from([*BINARY, *BITS]))(), right=parts[1])
        case "sign":
            return ast.UnaryOp(op=draw(st.sampled_from([ast.USub, ast.Invert, ast.Not]))(), operand=parts[0])
        case "comparison":
            return ast.Compare(left=parts[0], ops=[draw(st.sampled_from(COMPARISONS))()], comparators=[parts[1]])
        case "words":
            return ast.BoolOp(op=draw(st.sampled_from([ast.And, ast.Or]))(), values=parts[:2])
        case "choice":
            return ast.IfExp(test=parts[0], body=parts[1], orelse=parts[2])
        case _:
            return None


def structure(draw: st.DrawFn, kind: str, parts: list[ast.expr]) -> ast.expr:
    """A call, an index or a tuple of the parts."""
    match kind:
        case "call":
            func = ast.parse(draw(st.sampled_from(["torch.where", "f", "x.view"])), mode="eval").body
            keywords = [ast.keyword(arg="dtype", value=parts[0])] if draw(st.booleans()) else []
            return ast.Call(func=func, args=parts[: draw(st.integers(0, 3))], keywords=keywords)
        case "index":
            bounds = [part if draw(st.booleans()) else None for part in parts]
            part = ast.Slice(lower=bounds[0], upper=bounds[1], step=bounds[2])
            return subscript(parts[0], [part] if draw(st.booleans()) else [part, parts[1]])
        case "list":
            ifs = parts[2 : 2 + draw(st.integers(0, 1))]
            clause = ast.comprehension(target=ast.Name(id="v", ctx=ast.Store()), iter=parts[1], ifs=ifs, is_async=0)
            return draw(st.sampled_from([ast.ListComp, ast.GeneratorExp]))(elt=parts[0], generators=[clause])
        case "lambda":
            written = ast.parse("lambda v, acc: 0", mode="eval").body
            assert isinstance(written, ast.Lambda)
            return ast.Lambda(args=written.args, body=parts[0])
        case "attribute":
            return ast.Attribute(value=parts[0], attr="T", ctx=ast.Load())
        case _:
            return tuple_of(parts[: draw(st.integers(0, 3))])


def shape(tree: ast.expr) -> str:
    """The tree in a form to compare."""
    return ast.dump(tree)


@settings(max_examples=400, deadline=None)
@given(trees())
def test_on_one_line_and_on_several(tree: ast.expr) -> None:
    assert shape(ast.parse(text(tree), mode="eval").body) == shape(tree)
    lines = statement("o[:n] = ", tree, indent=0)
    (assignment,) = ast.parse("\n".join(lines)).body
    assert isinstance(assignment, ast.Assign)
    assert shape(assignment.value) == shape(tree)


def test_long_statements_are_broken() -> None:
    factor = fill_template("{a}[: {n}] * ({b} + {c})", {each: name(f"a_rather_long_name_{each}") for each in "abcn"})
    lines = statement("out[:n] = ", fill_template("torch.where({a}, {b}, {c})", dict.fromkeys("abc", factor)))
    assert len(lines) > 1
    assert all(len(line) <= LINE_LENGTH for line in lines)


def test_arguments_are_trees() -> None:
    total = ast.BinOp(left=name("a"), op=ast.Add(), right=constant(1))
    assert text(fill_template("{x} * {y}", {"x": total, "y": total})) == "(a + 1) * (a + 1)"
    assert text(fill_template("-{x}", {"x": total})) == "-(a + 1)"
    shape = tuple_of([name("m"), name("n")])
    assert text(fill_template("{x}.view(*{shape})", {"x": total, "shape": shape})) == "(a + 1).view(m, n)"
    assert text(fill_template("f({x}[{o}:])", {"x": name("x"), "o": constant(0)})) == "f(x)"
