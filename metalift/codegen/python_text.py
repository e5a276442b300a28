"""Python syntax trees as text, laid out as the usual formatters do: double quotes, long lines broken inside brackets."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence

LINE_LENGTH = 100
INDENT = "    "

_TERNARY, _OR, _AND, _NOT, _COMPARE, _BITOR, _BITXOR, _BITAND, _SHIFT, _ARITH, _TERM, _UNARY, _POWER, _ATOM = range(14)
AND_LEVEL = _AND  # operands of `or`

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", _ARITH),
    ast.Sub: ("-", _ARITH),
    ast.Mult: ("*", _TERM),
    ast.Div: ("/", _TERM),
    ast.FloorDiv: ("//", _TERM),
    ast.Mod: ("%", _TERM),
    ast.MatMult: ("@", _TERM),
    ast.LShift: ("<<", _SHIFT),
    ast.RShift: (">>", _SHIFT),
    ast.BitOr: ("|", _BITOR),
    ast.BitXor: ("^", _BITXOR),
    ast.BitAnd: ("&", _BITAND),
    ast.Pow: ("**", _POWER),
}
_UNARY_SIGNS: dict[type[ast.unaryop], tuple[str, int]] = {
    ast.USub: ("-", _UNARY),
    ast.UAdd: ("+", _UNARY),
    ast.Invert: ("~", _UNARY),
    ast.Not: ("not ", _NOT),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


_BRACKETS: dict[type[ast.expr], tuple[str, str]] = {ast.Tuple: ("(", ")"), ast.List: ("[", "]"), ast.Dict: ("{", "}")}


def _level(node: ast.expr) -> int:
    """How tightly the outermost operator of the expression binds."""
    match node:
        case ast.IfExp() | ast.Lambda() | ast.NamedExpr():
            return _TERNARY
        case ast.BoolOp(op=op):
            return _OR if isinstance(op, ast.Or) else _AND
        case ast.Compare():
            return _COMPARE
        case ast.BinOp(op=op):
            return _BINARY[type(op)][1]
        case ast.UnaryOp(op=op):
            return _UNARY_SIGNS[type(op)][1]
        case ast.Constant(value=value) if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
            return _UNARY
        case _:
            return _ATOM


def _constant(value: object) -> str:
    if value is ...:
        return "..."
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # its escapes are Python's too
    return repr(value)


def text(node: ast.expr, level: int = _TERNARY) -> str:
    """The expression on one line, in parentheses where it binds less tightly than `level`."""
    flat = _flat(node)
    return f"({flat})" if _level(node) < level else flat


def _flat(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=value):
            return _constant(value)
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            numeric = isinstance(value, ast.Constant) and isinstance(value.value, int)
            return f"({text(value)}).{attr}" if numeric else f"{text(value, _ATOM)}.{attr}"
        case ast.Call(func=func):
            return f"{text(func, _ATOM)}({', '.join(_arguments(node))})"
        case ast.Subscript(value=value, slice=index):
            return f"{text(value, _ATOM)}[{_index(index)}]"
        case ast.Tuple(elts=items):
            return f"({', '.join(text(item) for item in items)}{',' if len(items) == 1 else ''})"
        case ast.List(elts=items):
            return f"[{', '.join(text(item) for item in items)}]"
        case ast.Dict():
            return f"{{{', '.join(label + text(value) for label, value in _parts(node))}}}"
        case ast.Starred(value=value):
            return f"*{text(value, _BITOR)}"
        case _:
            return _operation(node)


def _operation(node: ast.expr) -> str:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            sign, level = _BINARY[type(op)]
            if isinstance(op, ast.Pow):
                return _power(left, right)
            return f"{text(left, level)} {sign} {text(right, level + 1)}"
        case ast.UnaryOp(op=op, operand=operand):
            sign, level = _UNARY_SIGNS[type(op)]
            return sign + text(operand, level)
        case ast.BoolOp(op=op, values=values):
            word, level = (" or ", _OR) if isinstance(op, ast.Or) else (" and ", _AND)
            return word.join(text(value, level + 1) for value in values)
        case ast.Compare(left=left, ops=ops, comparators=others):
            pairs = zip(ops, others, strict=True)
            tail = "".join(f" {_COMPARISONS[type(op)]} {text(other, _COMPARE + 1)}" for op, other in pairs)
            return text(left, _COMPARE + 1) + tail
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"{text(body, _OR)} if {text(test, _OR)} else {text(orelse)}"
        case ast.ListComp():
            return f"[{_comprehension(node)}]"
        case ast.GeneratorExp():
            return f"({_comprehension(node)})"
        case ast.Lambda(args=args, body=body):
            return f"lambda {', '.join(param.arg for param in args.args)}: {text(body)}"
        case _:
            return ast.unparse(node)


def _comprehension(node: ast.ListComp | ast.GeneratorExp) -> str:
    return " ".join([text(node.elt), *map(_clause, node.generators)])


def _clause(clause: ast.comprehension) -> str:
    target = clause.target
    shown = ", ".join(map(text, target.elts)) if isinstance(target, ast.Tuple) else text(target)
    return " ".join([f"for {shown} in {text(clause.iter, _OR)}", *(f"if {text(test, _OR)}" for test in clause.ifs)])


def _power(left: ast.expr, right: ast.expr) -> str:
    simple = all(isinstance(side, ast.Name | ast.Attribute | ast.Constant) for side in (left, right))
    sign = "**" if simple else " ** "
    return f"{text(left, _POWER + 1)}{sign}{text(right, _UNARY)}"


def _arguments(node: ast.Call) -> list[str]:
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
        return [_comprehension(node.args[0])]
    keywords = [f"{word.arg}={text(word.value)}" if word.arg else f"**{text(word.value, _BITOR)}" for word in node.keywords]
    return [text(arg) for arg in node.args] + keywords


def _index(index: ast.expr) -> str:
    match index:
        case ast.Slice():
            return _slice(index)
        case ast.Tuple(elts=items) if items:
            parts = [_slice(item) if isinstance(item, ast.Slice) else text(item) for item in items]
            return ", ".join(parts) + ("," if len(items) == 1 else "")
        case _:
            return text(index)


def _slice(part: ast.Slice) -> str:
    """`a:b`, with spaces around the colons where a bound is more than a name or a number."""
    bounds = [part.lower, part.upper] + ([part.step] if part.step is not None else [])
    simple = all(bound is None or _is_simple(bound) for bound in bounds)
    if simple:
        return ":".join("" if bound is None else text(bound) for bound in bounds)
    result = "" if part.lower is None else text(part.lower) + " "
    result += ":" if part.upper is None else f": {text(part.upper)}"
    if part.step is not None:
        result += f" : {text(part.step)}" if part.upper is not None else f": {text(part.step)}"
    return result


def _is_simple(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Name | ast.Constant)
    return isinstance(node, ast.Name | ast.Constant)


def statement(prefix: str, value: ast.expr, indent: int = 1, *, apart: bool = False, suffix: str = "") -> list[str]:
    """The lines of `prefix` followed by the expression and `suffix`, broken inside brackets where one line is too long.

    `apart`: each part of a tuple has a line of its own.
    """
    if apart and isinstance(value, ast.Tuple):
        inner = [line for _, part in _parts(value) for line in _layout(INDENT * (indent + 1), part, ",", indent + 1, inside=True)]
        return [f"{INDENT * indent}{prefix}(", *inner, f"{INDENT * indent}){suffix}"]
    return _layout(INDENT * indent + prefix, value, suffix, indent)


def _layout(prefix: str, node: ast.expr, suffix: str, indent: int, *, inside: bool = False) -> list[str]:
    """Lines that start with prefix (indentation included) and end with suffix; `inside` brackets no others are needed."""
    line = f"{prefix}{text(node)}{suffix}"
    if len(line) <= LINE_LENGTH:
        return [line]
    match node:
        case ast.Call(func=func) if node.args or node.keywords:
            return _brackets(f"{prefix}{text(func, _ATOM)}(", _argument_parts(node), ")" + suffix, indent)
        case ast.Tuple() | ast.List() | ast.Dict() if len(parts := _parts(node)) > 1:
            opening, closing = _BRACKETS[type(node)]
            return _brackets(prefix + opening, parts, closing + suffix, indent)
        case ast.Call(func=ast.Attribute(value=ast.Call() as receiver, attr=attr), args=[], keywords=[]):
            return _layout(prefix, receiver, f".{attr}(){suffix}", indent)
        case ast.Lambda(args=args, body=ast.Tuple() | ast.List() | ast.Dict() as body):
            return _layout(f"{prefix}lambda {', '.join(param.arg for param in args.args)}: ", body, suffix, indent)
        case ast.ListComp(elt=element, generators=clauses):
            inner = [f"{INDENT * (indent + 1)}{_clause(clause)}" for clause in clauses]
            lines = _layout(INDENT * (indent + 1), element, "", indent + 1)
            return [prefix + "[", *lines, *inner, INDENT * indent + "]" + suffix]
        case ast.BinOp() | ast.BoolOp() | ast.Compare() if inside:
            operands = _chain(node)
            lines = _layout(prefix, operands[0][1], "", indent, inside=True)
            for sign, operand in operands[1:]:
                lines += _layout(INDENT * indent + sign, operand, "", indent, inside=True)
            return [*lines[:-1], lines[-1] + suffix]
        case ast.BinOp() | ast.BoolOp() | ast.Compare():
            lines = _layout(INDENT * (indent + 1), node, "", indent + 1, inside=True)
            return [prefix + "(", *lines, INDENT * indent + ")" + suffix]
        case _:
            return [line]


def _parts(node: ast.Tuple | ast.List | ast.Dict) -> list[tuple[str, ast.expr]]:
    """What is in the brackets, values with their keys before them."""
    if isinstance(node, ast.Dict):
        return [("**" if key is None else f"{text(key)}: ", value) for key, value in zip(node.keys, node.values, strict=True)]
    return [("", item) for item in node.elts]


def _argument_parts(node: ast.Call) -> list[tuple[str, ast.expr]]:
    keywords = [(f"{word.arg}=" if word.arg else "**", word.value) for word in node.keywords]
    return [("", arg) for arg in node.args] + keywords


def _brackets(opening: str, parts: Sequence[tuple[str, ast.expr]], closing: str, indent: int) -> list[str]:
    """All parts on one line of their own if they fit, otherwise one line each."""
    inner = INDENT * (indent + 1)
    joined = inner + ", ".join(label + text(part) for label, part in parts)
    if len(joined) <= LINE_LENGTH:
        return [opening, joined, INDENT * indent + closing]
    lines = [opening]
    alone = len(parts) == 1 and isinstance(parts[0][1], ast.BinOp | ast.BoolOp | ast.Compare)
    for label, part in parts:
        lines += _layout(inner + label, part, "" if alone else ",", indent + 1, inside=True)
    return [*lines, INDENT * indent + closing]


def _chain(node: ast.BinOp | ast.BoolOp | ast.Compare) -> list[tuple[str, ast.expr]]:
    """The operands of the outermost operators of one strength, each with the operator before it."""
    match node:
        case ast.BoolOp(op=op, values=values):
            word = "or " if isinstance(op, ast.Or) else "and "
            return [("" if position == 0 else word, _enclosed(value, _NOT)) for position, value in enumerate(values)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            pairs = zip(ops, others, strict=True)
            tail = [(_COMPARISONS[type(op)] + " ", _enclosed(other, _COMPARE + 1)) for op, other in pairs]
            return [("", _enclosed(left, _COMPARE + 1)), *tail]
        case ast.BinOp(left=left, op=op, right=right):
            sign, level = _BINARY[type(op)]
            last = (sign + " ", _enclosed(right, level + 1))
            if isinstance(left, ast.BinOp) and _level(left) == level and level != _POWER:
                return [*_chain(left), last]
            return [("", _enclosed(left, level)), last]


def _enclosed(node: ast.expr, level: int) -> ast.expr:
    """The operand; in parentheses, which then are part of its text, where it binds less tightly than `level`."""
    return ast.Name(id=f"({text(node)})", ctx=ast.Load()) if _level(node) < level else node
