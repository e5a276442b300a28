"""A file with kernels in Triton that a person or a model wrote or edited, read as a program.

It has the form of what `metalift lift --to triton` writes: a function takes the source's parameters, then sizes of blocks; it
checks its arguments, makes copies, launches kernels, and returns what it wrote. What it checks is told: where a check fails it
raises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from metalift.driver import CannotWrite, Kernels, Read, Request
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Build, Const, Expr, MakeTuple, Operator, Select, Var, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.summary import TargetProgram, Write
from metalift.ir.text import show

from .base import driver
from .host import read_back
from .reading import Context, refuse
from .spelling import DTYPES
from .writer import Launch

IMPORTS = frozenset({"import math", "import torch", "import triton", "import triton.language as tl"})
RESERVED = frozenset({
    "math", "torch", "triton", "tl", "range", "tuple", "min", "max", "len", "isinstance", "getattr", "any", "all", "ValueError",
    "TypeError",
})  # fmt: skip
HINTS = frozenset({"int", "float", "bool", "torch.Tensor", "tl.constexpr", *DTYPES})
PURE = frozenset({"isinstance", "len", "getattr", "any", "all", "ValueError", "TypeError", "min", "max"})
METHODS = frozenset({"is_contiguous", "data_ptr", "stride", "element_size", "numel", "dim", "size"})


def read(text: str, function: str, request: Request) -> Read:
    """The program that the function of a file is. Raises CannotWrite."""
    try:
        tree = ast.parse(text)
    except SyntaxError as problem:
        raise CannotWrite(f"line {problem.lineno}: {problem.msg}") from None
    functions = definitions(tree)
    if function not in functions:
        raise CannotWrite(f"line 1: the file has no function {function}")
    host = functions[function]
    blocks = sizes_of_blocks(host, [param.var.name for param in request.fragment.params])
    checks, lines, last = parts(host, functions)
    params = {param.var.name: param.var for param in request.fragment.params}
    kernels = [node for node in functions.values() if node.decorator_list or node.name == "_apart"]
    results = returned(last, request)
    made = Kernels("\n".join(map(ast.unparse, kernels)), tuple(map(ast.unparse, lines)), results, blocks)
    context = Context(driver, params, {name: Var(name, INT) for name, _ in blocks})
    launches = read_back(made, context)
    program = programmed(launches, request, tuple(context.blocks.values()))
    divides_by_numbers(lines, program, request)
    where = f" (lines {checks[0].lineno} to {checks[-1].end_lineno})" if checks else ""
    told = (f"{function} does not raise by its own checks{where}",) if checks else ()
    return Read(program, told, ("the arrays that the kernels take are contiguous", "indices and sizes fit 64 bits"))


def definitions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of a file, which has nothing else but imports; defining them runs nothing."""
    found: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name) if name not in found and name not in RESERVED and is_plain(node):
                found[name] = node
            case ast.Import() if ast.unparse(node) in IMPORTS:
                pass
            case ast.Expr(ast.Constant(str())):
                pass
            case _:
                raise refuse(node, "is neither a plain function nor an import that a file of kernels has")
    for function in found.values():
        for each in ast.walk(function):
            bound = each.arg if isinstance(each, ast.arg) else each.id if isinstance(each, ast.Name) else ""
            stored = isinstance(each, ast.arg) or isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            if stored and (bound in RESERVED or bound in found):
                raise refuse(each, "binds a name that has a meaning already")
    return found


def is_plain(function: ast.FunctionDef) -> bool:
    """Whether a function takes plain parameters, and defining it runs nothing."""
    args = function.args
    hints = [function.returns, *(each.annotation for each in (*args.args, args.vararg) if each is not None)]
    known = all(hint is None or is_hint(hint) for hint in hints)
    numbers = all(isinstance(each, ast.Constant) for each in args.defaults)
    made = [ast.unparse(each) for each in function.decorator_list] in ([], ["triton.jit"])
    return known and numbers and made and not (args.posonlyargs or args.kwonlyargs or args.kwarg)


def is_hint(node: ast.expr) -> bool:
    """Whether an annotation runs nothing: one of a few names, a text, or a tuple of such."""
    match node:
        case ast.Subscript(ast.Name("tuple"), ast.Tuple(items)):
            return all(map(is_hint, items))
        case _:
            return isinstance(node, ast.Constant) or ast.unparse(node) in HINTS


def sizes_of_blocks(host: ast.FunctionDef, params: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The sizes of blocks that a function takes after the source's parameters, with their defaults."""
    args = host.args
    names = [each.arg for each in args.args]
    count = len(names) - len(params)
    if names[: len(params)] != list(params) or len(args.defaults) != count or host.decorator_list or args.vararg:
        raise refuse(host, f"does not take the source's parameters ({', '.join(params)}) and then sizes of blocks with defaults")
    return tuple((name, ast.unparse(default)) for name, default in zip(names[len(params) :], args.defaults, strict=True))


def parts(
    host: ast.FunctionDef, functions: dict[str, ast.FunctionDef]
) -> tuple[list[ast.stmt], list[ast.stmt], ast.stmt]:
    """The checks of a function, the copies and launches behind them, and the last statement."""
    text = len(host.body) > 1 and isinstance(host.body[0], ast.Expr) and isinstance(host.body[0].value, ast.Constant)
    *body, last = host.body[1:] if text else host.body
    checks = []
    while body and is_check(body[0], functions):
        checks.append(body.pop(0))
    return checks, body, last


def is_check(node: ast.stmt, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether a statement does nothing, or raises."""
    match node:
        case ast.If(test, [ast.Raise()], []):
            return is_pure(test, functions)
        case ast.Expr(ast.Call(ast.Name(called)) as call) if called in functions and not functions[called].decorator_list:
            return is_pure(call, functions) and changes_nothing(functions[called], functions)
        case _:
            return False


def changes_nothing(function: ast.FunctionDef, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether a function binds its own names, raises and returns, and does nothing else."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets):
                names = [part for each in targets for part in ast.walk(each) if not isinstance(part, ast.expr_context)]
                if not all(isinstance(part, ast.Name | ast.Tuple) for part in names):
                    return False
            case ast.stmt() if not isinstance(node, ast.FunctionDef | ast.If | ast.Raise | ast.Return | ast.Expr):
                return False
            case ast.Call() if not is_pure_call(node, functions):
                return False
            case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.Lambda():
                return False
            case ast.FunctionDef() if node is not function:
                return False
            case _:
                pass
    return True


def is_pure(node: ast.expr, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether an expression changes nothing."""
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    return all(is_pure_call(each, functions) for each in calls) and not any(
        isinstance(each, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for each in ast.walk(node)
    )


def is_pure_call(call: ast.Call, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether a call changes nothing: of a few functions and methods, and of those of the file that are like it."""
    match call.func:
        case ast.Name(name) if name in functions:
            own = {each: node for each, node in functions.items() if each != name}
            return not functions[name].decorator_list and changes_nothing(functions[name], own)
        case ast.Name(name):
            return name in PURE
        case ast.Attribute(_, method):
            return method in METHODS
        case _:
            return False


def divides_by_numbers(lines: Sequence[ast.stmt], program: TargetProgram, request: Request) -> None:
    """Raises CannotWrite where a size is divided by what may be 0, where Python raises and kernels do anything."""
    for node in (each for line in lines for each in ast.walk(line)):
        match node:
            case ast.BinOp(_, ast.FloorDiv() | ast.Mod() | ast.Div(), ast.Constant(divisor)) if divisor:
                pass
            case ast.BinOp(_, ast.FloorDiv() | ast.Mod() | ast.Div()):
                raise refuse(node, "divides a size by what may be 0")
            case _:
                pass
    positive = {Polynomial.of(each) for formula in request.program.requires for each in above_0(formula)}
    extents = (each for write in program.writes for each in (write.window, write.guard))
    for part in (part for value in (*program.values, *extents) for part in subexpressions(value)):
        match part:
            case Apply(Operator.TDIV | Operator.TREM | Operator.FDIV | Operator.FMOD, (_, by)) if type_of(by) == INT:
                if not isinstance(by, Const) and by not in program.parameters and Polynomial.of(by) not in positive:
                    raise CannotWrite(f"an index is divided by {show(by)}, which may be 0")
            case _:
                pass


def above_0(formula: Expr) -> Iterator[Expr]:
    """What a condition says to be positive."""
    for each in conjuncts(formula):
        match each:
            case Apply(Operator.LT, (Const(least), value)) if least >= 0 and is_integer(type_of(value)):
                yield value
            case _:
                pass


def returned(last: ast.stmt, request: Request) -> tuple[str, ...]:
    """The results that are numbers, as the text has them; the arrays that are written follow. Raises CannotWrite."""
    if not isinstance(last, ast.Return) or last.value is None:
        raise refuse(last, "is no return of what is written")
    items = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    changed = {name for name, _ in request.summary.outputs}
    arrays = [param.var.name for param in request.fragment.params if param.var.name in changed]
    count = len(items) - len(arrays)
    if count < 0 or [ast.unparse(each) for each in items[count:]] != arrays:
        raise refuse(last, f"does not return the arrays that are written, in their order: {', '.join(arrays)}")
    return tuple(map(ast.unparse, items[:count]))


def programmed(launches: Sequence[Launch], request: Request, blocks: tuple[Var, ...]) -> TargetProgram:
    """The program of some launches."""
    results = [each.value for each in launches if each.array is None]
    given = request.program.result
    wanted = 0 if given is None else len(given.items) if isinstance(given, MakeTuple) else 1
    if len(results) != wanted:
        raise CannotWrite(f"the kernels store {len(results)} results, and the source has {wanted}")
    result: Expr | None = None if given is None else MakeTuple(tuple(results)) if isinstance(given, MakeTuple) else results[0]
    return replace(request.program, lets=(), writes=tuple(written(launches)), result=result, parameters=blocks)


def written(launches: Sequence[Launch]) -> Iterator[Write]:
    """What launches write."""
    for each in launches:
        if each.array is not None:
            window = Build(each.extents, each.binders, Select(each.array, each.indices))
            yield Write(each.array, window, Build(each.extents, each.binders, each.value), each.guard)
