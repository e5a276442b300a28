"""Loop nests of Python as units: a loop as a function of its own, of what it uses, which returns what is used after it.

The function is made of the loop's own statements, and of plain assignments before it (`total = 0.0`, `out = []`), which need no
parameters then and stay where they are, too. It is read as any function; a loop of which that would not be the same is refused.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from metalift.frontend.nests import LoopNest, LoopNests
from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming import lifetimes
from metalift.frontend.python.naming.lifetimes import Names, Uses, Ways
from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.program.fragment import Diagnostic, Fragment, Location, Unsupported

Loop = ast.For | ast.While
Step = tuple[Sequence[ast.stmt], ast.stmt]  # a block, and the statement of it that leads to a loop


@dataclass(frozen=True, slots=True)
class PythonNest(LoopNest):
    """A loop; `unit` is the function that it is read as, and `left` are the names that it returns."""

    loop: Loop
    unit: ast.FunctionDef | None
    left: tuple[str, ...]

    @property
    def inside(self) -> frozenset[int]:
        """The lines that begin in the middle of a text."""
        texts = [node for node in ast.walk(self.loop) if isinstance(node, ast.Constant | ast.JoinedStr)]
        return frozenset(line for each in texts for line in range(each.lineno + 1, (each.end_lineno or each.lineno) + 1))

    @property
    def text(self) -> str:
        """The unit as Python runs it, without types."""
        assert self.unit is not None
        plain = copy.deepcopy(self.unit)
        for arg in plain.args.args:
            arg.annotation = None
        return ast.unparse(plain)


@dataclass(frozen=True)
class PythonNests(LoopNests):
    """The loops of a file."""

    source: PythonModule
    found: tuple[PythonNest, ...]

    @cached_property
    def module(self) -> PythonModule:
        """The file with a function for each loop."""
        units = {nest.name: nest.unit for nest in self.found if nest.unit is not None}
        around = {nest.name: self.source.functions[nest.function] for nest in self.found}
        return replace(self.source, functions={**self.source.functions, **units}, units=around)


def find_nests(module: PythonModule) -> PythonNests:
    """All loops of the functions at a file's top level."""
    made = [nest for name, function in module.functions.items() for nest in _Finder(module, name, function).nests()]
    return PythonNests(module, tuple(sorted(made, key=lambda nest: (nest.function_line, nest.first))))


def import_nest(nests: PythonNests, nest: PythonNest) -> Fragment:
    """The fragment of a nest; raises Unsupported."""
    if nest.problem:
        message = f"the loop at line {nest.first} {nest.problem}"
        raise Unsupported(Diagnostic(Location(str(nests.source.path), nest.first), message))
    nests.source.check_bound_once(nest.function, nests.source.functions[nest.function])
    fragment = import_python(nests.module, nest.name)
    return replace(fragment, location=Location(str(nests.source.path), nest.first))


class _Finder:
    """The loops of one function."""

    def __init__(self, module: PythonModule, name: str, function: ast.FunctionDef) -> None:
        self.module, self.name, self.function = module, name, function
        self.own = lifetimes.own_names(function)
        self.later = lifetimes.captured(function)
        self.uses = Uses()
        self.uses.block(function.body, frozenset(), Ways())
        self.lines: Counter[int] = Counter()

    def nests(self) -> Iterator[PythonNest]:
        """All of them."""
        yield from self._within(self.function.body, (), "")

    def _within(self, block: Sequence[ast.stmt], path: tuple[Step, ...], outer: str) -> Iterator[PythonNest]:
        for node in block:
            here = (*path, (block, node))
            name = outer
            if isinstance(node, Loop):
                nest = self._nest(node, here, outer)
                name = nest.name
                yield nest
            for inner in _blocks(node):
                yield from self._within(inner, here, name)

    def _nest(self, loop: Loop, path: tuple[Step, ...], outer: str) -> PythonNest:
        self.lines[loop.lineno] += 1
        times = self.lines[loop.lineno]
        name = f"{self.name}_line{loop.lineno}" + (f"_{times}" if times > 1 else "")
        while self.module.bound[name] or not self.own.isdisjoint((name, f"_{name}")):
            name += "_"
        problem = _problem(loop)
        problem, unit, left = (problem, None, ()) if problem else self._unit(loop, path, name)
        last = loop.end_lineno or loop.lineno
        line = self.function.lineno
        return PythonNest(name, name, self.name, line, loop.lineno, last, 0, False, outer, problem, loop, unit, left)

    def _unit(self, loop: Loop, path: tuple[Step, ...], name: str) -> tuple[str, ast.FunctionDef | None, tuple[str, ...]]:
        """What keeps the loop from being a function, or that function with the names that it returns."""
        assigned = frozenset(lifetimes.set_in(loop))
        if (asks := lifetimes.asks_for_names(self.function)) is not None:
            return f"is in a function that uses {asks.id}, for which its names have to stay as they are", None, ()
        named = {part.id for part in ast.walk(loop) if isinstance(part, ast.Name)}
        if outside := sorted(named & lifetimes.declared(self.function)):
            return f"uses {outside[0]}, which is declared global or nonlocal; pass it as a parameter and return it", None, ()
        left = assigned & (self.uses.after[id(loop)] | self.later) & self.own
        before = lifetimes.set_before(self.function, path)
        wanted = Uses().before(loop, left, Ways()) & self.own
        wanted |= frozenset(lifetimes.read_in(loop)) & self.own - assigned
        around = next((each for _, each in path if isinstance(each, ast.For | ast.AsyncFor | ast.While)), loop)
        params = wanted & before
        for each in sorted(wanted - before):
            earlier = self._earlier(around, loop, each)
            if each not in assigned or earlier:
                return f"uses {each}, which may have no value there; set it before", None, ()
            if each in left:
                return f"sets {each}, which has no value if it runs no round and is used after it; set it before", None, ()
        starts = self._starts(path, params)
        order = _in_order(loop)
        taken = sorted(params - {target for target, _ in starts}, key=order.index)
        lists = {name for name, start in starts if isinstance(start.value, ast.List | ast.Dict)}  # which the loop may fill
        returned = tuple(sorted(left | (lists & self.uses.after[id(loop)]), key=order.index))
        unit = _function(name, [start for _, start in starts], loop, taken, returned)
        self._annotate(unit, loop)
        return "", unit, returned

    def _earlier(self, around: ast.stmt, loop: Loop, name: str) -> bool:
        """Whether a name may have been set before the loop, or in an earlier round of `around`, the outermost one around it."""
        last = (around.end_lineno, around.end_col_offset) if around is not loop else (loop.lineno, loop.col_offset)
        args = {arg.arg for arg in ast.walk(self.function.args) if isinstance(arg, ast.arg)}
        parts = (node for node in ast.walk(self.function) if node is not self.function and name in lifetimes.sets_itself(node))
        return name in args or any(_place(part) < last for part in parts)

    def _starts(self, path: Sequence[Step], params: Names) -> list[tuple[str, ast.Assign | ast.AnnAssign]]:
        """Plain values that names get before the loop, with nothing between that knows of them."""
        block, loop = path[-1]
        found: list[tuple[str, ast.Assign | ast.AnnAssign]] = []
        for name in sorted(params - self.later):
            for node in reversed(block[: next(at for at, each in enumerate(block) if each is loop)]):
                match node:
                    case (
                        ast.Assign(targets=[ast.Name(id=target)], value=ast.expr() as value)
                        | ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value)
                    ) if target == name and _plain(value):
                        found.append((name, node))
                if name in {*lifetimes.set_in(node), *_in_order(node)}:
                    break
        return sorted(found, key=lambda each: each[1].lineno)

    def _annotate(self, unit: ast.FunctionDef, loop: Loop) -> None:
        """What the function says of its names' types, for parameters; of one that it sets outside of the loop it says nothing."""
        inside = {id(part) for part in ast.walk(loop)}
        anew = {name for part in ast.walk(self.function) if id(part) not in inside for name in lifetimes.sets_itself(part)}
        given = (arg for arg in ast.walk(self.function.args) if isinstance(arg, ast.arg) and arg.arg not in anew)
        said = {arg.arg: arg.annotation for arg in given if arg.annotation}
        for node in ast.walk(self.function):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                said.setdefault(node.target.id, node.annotation)
        for arg in unit.args.args:
            arg.annotation = copy.deepcopy(said.get(arg.arg))


def _blocks(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The blocks directly in a statement, which are not of a function or class in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for field in ("body", "orelse", "finalbody"):
        if inner := getattr(node, field, None):
            yield inner
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _problem(loop: Loop) -> str:
    """Why a loop is no unit, from its own statements."""
    if isinstance(loop, ast.For) and loop.type_comment:
        return "has a type comment; leave it out"
    inner = [node for node in ast.walk(loop) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Await)]
    if any(isinstance(node, ast.Return) for node in inner):
        return "can be left to two places, by the return in it; leave it with break, and return after it"
    if inner or any(isinstance(node, ast.AsyncFor | ast.AsyncWith) for node in ast.walk(loop)):
        return "gives control to others in between (yield, await); compute in a loop of its own"
    if any(_leaves(node) for node in loop.orelse):
        return "leaves the loop around it from its else"
    return ""


def _leaves(node: ast.stmt) -> bool:
    """Whether there is a break or continue of a loop around."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(map(_leaves, node.orelse))
    return any(_leaves(each) for inner in _blocks(node) for each in inner)


def _plain(value: ast.expr) -> bool:
    """A number, None, or a new list or dictionary that is empty."""
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return isinstance(operand, ast.Constant) and _plain(operand)
        case ast.Constant(value=None | bool() | int() | float()) | ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case _:
            return False


def _in_order(node: ast.AST) -> list[str]:
    """The names below a node in the order of the text."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [part.id for part in sorted(names, key=lambda part: (part.lineno, part.col_offset))]


def _place(node: ast.AST) -> tuple[int, int]:
    """Line and column; of a pattern's name those of the pattern."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _function(
    name: str, starts: Sequence[ast.stmt], loop: Loop, params: Sequence[str], returned: Sequence[str]
) -> ast.FunctionDef:
    """The loop as a function, whose lines are those of the loop and of what is before it."""
    shown = ", ".join(returned)
    (made,) = ast.parse(f"def {name}({', '.join(params)}):\n return {shown}").body
    assert isinstance(made, ast.FunctionDef)
    first = min([loop.lineno, *(start.lineno for start in starts)])
    for node in ast.walk(made):
        if isinstance(node, ast.stmt | ast.expr | ast.arg):
            ast.copy_location(node, loop)
    made.lineno = first
    made.body = [*(copy.deepcopy(each) for each in (*starts, loop)), *(made.body if returned else ())]
    return made
