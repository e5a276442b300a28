"""Statements of a function: assignments, branches, loops, returns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.blocks import Point
from metalift.frontend.python.guards import changes_nothing, guards
from metalift.frontend.python.infinities import is_nan
from metalift.frontend.python.reader.arrays.code import ArrayCode
from metalift.frontend.python.reader.context import Context, Loop
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.libraries import ARRAY_MAKERS, Libraries
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import Loops
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.stands_for import (
    Char,
    Function,
    Items,
    Iteration,
    NoneValue,
    Section,
    Value,
    View,
    Whole,
    items_of,
    plain,
)
from metalift.frontend.python.tensors import check_changed_in_place
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Const, Expr, type_of
from metalift.ir.expr.types import INT
from metalift.ir.program.fragment import Assume, Edge, Jump, Unreachable, Unsupported

_REFUSED: dict[type[ast.stmt], str] = {
    ast.AsyncFunctionDef: "async; supported are ordinary functions",
    ast.AsyncFor: "async; supported are ordinary loops",
    ast.AsyncWith: "async; supported are ordinary statements",
    ast.ClassDef: "a class; supported are functions on numbers and lists",
    ast.Try: "try; a run that raises an exception does not count here, so leave the handler out",
    ast.Global: "global; pass the value as a parameter and return it",
    ast.Nonlocal: "nonlocal; pass the value as a parameter and return it",
    ast.Delete: "del; leave it out",
    ast.Import: "an import inside of a function; move it to the top of the file",
    ast.ImportFrom: "an import inside of a function; move it to the top of the file",
    ast.Match: "match with patterns other than values, alternatives, tuples and names; write if, elif, else",
}


@dataclass(slots=True)
class Statements:
    """Reads statements."""

    context: Context
    expressions: Expressions
    loops: Loops
    lists: Lists
    making: Making
    libraries: Libraries
    arrays: ArrayCode

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Statements one after the other, up to where control never comes."""
        for statement in statements:
            if self.context.at is None:
                return
            self.context.here(statement)
            try:
                self.statement(statement)
            except scalars.Mismatch as problem:
                self.context.refuse(statement, str(problem))

    def statement(self, node: ast.stmt) -> None:
        """One statement."""
        handler = _STATEMENTS.get(type(node))
        if handler is None:
            kind = _REFUSED.get(type(node))
            if isinstance(node, ast.With):
                kind = f"with {', '.join(ast.unparse(each) for each in node.items)}; supported are functions that only compute"
            kind = kind or f"the statement {type(node).__name__.lower()}; supported are assignments, if, for, while, return"
            self.context.refuse(node, kind)
        handler(self, node)

    # Assignments

    def _assign(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assign)
        hint = plain(node.targets[0].id) if isinstance(node.targets[0], ast.Name) else ""
        value = self.made(node.value, hint)
        if len(node.targets) > 1 and isinstance(value, Expr):
            value = self.context.named(value, hint or "t")
        if len(node.targets) > 1:  # one array with several names
            value = self.arrays.kept(value, node, hint)
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.AnnAssign)
        if node.value is not None:
            hint = node.target.id if isinstance(node.target, ast.Name) else ""
            self.bind(node.target, self.made(node.value, hint))

    def made(self, node: ast.expr, hint: str) -> Value:
        """The value of the right side of an assignment; a list that it makes gets the name that it is for."""
        self.context.here(node)
        if self.making.is_list(node):
            return self.making.new_list(node, hint)
        if isinstance(node, ast.Call) and not node.keywords and len(node.args) == 1:
            if isinstance(node.func, ast.Name) and node.func.id == "list" and "list" not in self.context.module.functions:
                return self.making.copy_of(node.args[0], node, hint)
        if isinstance(node, ast.Call):
            library, _, name = self.context.library_name(node.func).rpartition(".")
            if library == "numpy" and name in ARRAY_MAKERS:
                return self.libraries.new_array(node, name, hint)
        if isinstance(node, ast.Tuple):
            items = zip(self.expressions.operands(node.elts), node.elts, strict=True)
            return Items(tuple(self._kept(item, each) for item, each in items))
        value = self.expressions.value(node)
        if isinstance(value, Iteration) and isinstance(node, ast.Subscript):
            return self._slice(value, node, hint)
        return value

    def _returned(self, value: Value, node: ast.AST) -> Value:
        """What a function gives: arrays of their own for what expressions make, and for parts where it leaves the program."""
        if isinstance(value, Items):
            return Items(tuple(self._returned(item, node) for item in value.items))
        if len(self.context.frames) > 1:  # whoever calls it may change the part, or the array
            return self.arrays.kept(value, node, "result")
        return self.arrays.own(value, node, "result")

    def _kept(self, value: Value, node: ast.expr) -> Value:
        """An item of a tuple, as it is before anything is assigned."""
        if isinstance(value, Expr):
            return self.context.frozen(value)
        if isinstance(value, Whole):
            return self.arrays.kept(value, node, "")
        return self._slice(value, node, "") if isinstance(value, Iteration) else value

    def _slice(self, value: Iteration, node: ast.expr, hint: str) -> View:
        self.expressions.used_at_once(value, node)
        return self.lists.copied_slice(value, node, hint)

    def bind(self, target: ast.expr, value: Value) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                self.expressions.used_at_once(value, target)
                value = self.expressions.settled(self.arrays.kept(value, target, plain(name)))
                value = self.context.named(value, plain(name)) if isinstance(value, Expr) else value
                value = Char(self.context.named(value.code, plain(name))) if isinstance(value, Char) else value
                self.context.env[self.context.name_of(name)] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(target, parts, value)
            case ast.Subscript():
                if isinstance(value, Expr) and not self.expressions.is_simple(target):
                    value = self.context.frozen(value)
                if isinstance(value, Whole) and self.expressions.changes(target):
                    value = self.arrays.kept(value, target, "")
                self.lists.assign_subscript(target, value)
            case _:
                message = f"an assignment to {ast.unparse(target)!r}; supported are names and elements of lists"
                self.context.refuse(target, message)

    def _unpack(self, target: ast.expr, parts: Sequence[ast.expr], value: Value) -> None:
        value = self.expressions.nones.there(self.arrays.kept(value, target, ""), target)
        if isinstance(value, Section) and value.rank:
            rows = (self.arrays.arrays.at_first(value, Const(at, INT)) for at in range(len(parts)))
            value = self.expressions.as_now(Items(tuple(rows)))
        if isinstance(value, View):
            items = tuple(self.context.element(value, Const(at, INT)) for at in range(len(parts)))
            value = self.expressions.as_now(Items(items))
        if isinstance(value, Expr):
            value = items_of(value) or value
        if not isinstance(value, Items) or len(value.items) != len(parts):
            self.context.refuse(target, f"{len(parts)} names for a value that has not that many items; assign them one by one")
        if not all(isinstance(part, ast.Name) for part in parts):  # what is assigned first may be read by the others
            value = self.expressions.as_now(value)
        for part, item in zip(parts, value.items, strict=True):
            self.bind(part, item)

    def _augmented(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.AugAssign)
        target = node.target
        if isinstance(target, ast.Attribute):
            self.context.refuse(target, f"an assignment to {ast.unparse(target)!r}; supported are names and elements of lists")
        load = _loaded(target)
        view = self.context.view(load)
        if view is not None and isinstance(node.op, ast.Add) and not view.object.numpy:
            self.making.extend(view, node.value)
            return
        if view is not None and not view.object.numpy:
            self.context.refuse(node, "an operation on a whole list; write a loop over its elements")
        if self._array_augmented(node):
            return
        if self.context.tensors and isinstance(target, ast.Name):
            now = self.context.env.get(self.context.name_of(target.id))
            if not isinstance(now, Expr) or type_of(now) != INT:
                check_changed_in_place(self.context.module, self.context.frame.function, node)
        if any(isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Constant) for part in ast.walk(target)):
            self.expressions.only_reads([node.value])
        if isinstance(target, ast.Subscript) and not self.expressions.is_simple(load):
            self.context.refuse(node, "an index or value that changes something beside; assign it to a name first")
        value = self.expressions.value(ast.copy_location(ast.BinOp(load, node.op, node.value), node))
        self.bind(target, value)

    def _array_augmented(self, node: ast.AugAssign) -> bool:
        """x += y, x[1:] += y where x is an array of NumPy: its elements are changed in place."""
        target = node.target
        if isinstance(target, ast.Name):
            owner = self.context.env.get(self.context.name_of(target.id))
            self._refuse_lying(owner, node)
            if not isinstance(owner, View | Section) or not self.arrays.is_array(owner):
                return False
            self.arrays.augment(node, owner, None, node.value)
            return True
        assert isinstance(target, ast.Subscript)
        names = isinstance(target.value, ast.Name | ast.Subscript | ast.Attribute)
        owner = self.expressions.value(target.value) if names and self.expressions.is_simple(target.value) else None
        self._refuse_lying(owner, node)
        if not isinstance(owner, View | Section) or not self.arrays.is_array(owner):
            return False
        self.arrays.augment(node, owner, target.slice, node.value)
        return True

    def _refuse_lying(self, owner: Value | None, node: ast.AugAssign) -> None:
        if isinstance(owner, Whole) and owner.lies is not None:
            text = f"{ast.unparse(node)}, of rows that strides make; write {ast.unparse(node.target)}[...] = ..."
            self.context.refuse(node, text)

    def _expression(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Expr)
        if isinstance(node.value, ast.Call) and guards(self.context.module, node.value):
            self._not_read(node)
        elif isinstance(node.value, ast.Call) and self._only_prints(node.value):
            self.context.prints = True
        elif not isinstance(node.value, ast.Constant):
            self.expressions.value(node.value)

    def _only_prints(self, node: ast.Call) -> bool:
        """Whether a call writes to the terminal, and does nothing else."""
        module = self.context.module
        if not isinstance(node.func, ast.Name) or self.context.is_bound(node.func.id) or module.bound[node.func.id]:
            return False
        if module.units:  # of loops in their function, whose other lines stay: what it prints is to be printed
            return False
        files = (each.value for each in node.keywords if each.arg == "file")
        others = (each.value for each in node.keywords if each.arg != "file")
        streams = all(self.context.library_name(each) in ("sys.stdout", "sys.stderr") for each in files)
        parts = (each.value if isinstance(each, ast.Starred) else each for each in (*node.args, *others))
        return node.func.id == "print" and streams and all(changes_nothing(self.context.module, each) for each in parts)

    # Branches

    def _test(self, node: ast.If) -> Expr | None:
        """The condition; None of one that only leads to an exception, changes nothing and is not modelled."""
        point, made = self.context.point, len(self.context.point.body)
        try:
            return self.expressions.truth(node.test)
        except Unsupported:
            alone = len(node.body) == 1 and isinstance(node.body[0], ast.Raise)
            if not alone or self.context.at is not point or not changes_nothing(self.context.module, node.test):
                raise
            del point.body[made:]
            self._not_read(node)
            return None

    def _not_read(self, node: ast.stmt) -> None:
        """A statement that raises or does nothing is left out: a run that raises does not count."""
        self.context.guards.append(node.lineno)

    def _if(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.If)
        cond = self._test(node)
        if cond is None:
            self.block(node.orelse)
            return
        if isinstance(cond, Const):
            self.block(node.body if cond.value else node.orelse)
            return
        for body, holds, rest in ((node.body, neg(cond), node.orelse), (node.orelse, cond, node.body)):
            if body and isinstance(body[0], ast.Raise):
                self._assume(holds, f"not {ast.unparse(body[0])}", body[0])
                self.block(rest)
                return
            if body and isinstance(body[0], ast.Return) and is_nan(self.context, body[0].value):
                self.context.restrict(holds, f"not {ast.unparse(body[0])}", body[0])
                self.block(rest)
                return
        then, other = self.context.branch(cond, "if")
        ends = []
        for point, body in ((then, node.body), (other, node.orelse)):
            self.context.at = point
            self.block(body)
            ends.append(self.context.at)
        self.context.here(node)
        self.context.join(ends, "endif", self.context.key(node, "if"))

    def _assume(self, cond: Expr, origin: str, node: ast.AST) -> None:
        """Go on where a condition holds; elsewhere the source raises."""
        self.context.emit(Assume(cond, " ".join(origin.split()), self.context.here(node)))
        self.context.learn(*self.context.learned(cond, True))

    def _assert(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assert)
        self._assume(self.expressions.truth(node.test), f"assert {ast.unparse(node.test)}", node)

    def _raise(self, node: ast.stmt) -> None:
        self.context.finish(Unreachable(self.context.here(node)))

    # Loops

    def _for(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.For)
        source = self.loops.iteration(node.iter, lazy=isinstance(node.iter, ast.GeneratorExp))
        if isinstance(source, Items):
            self._unrolled(node, source)
            return
        copies = any(isinstance(part, ast.Slice | ast.ListComp) for part in ast.walk(node.iter))
        lists = copies and not all(view.object.numpy for view in source.views)
        if lists and self.loops.read_late(source, [node.target, *node.body]):
            if not isinstance(node.iter, ast.Subscript):
                self.context.refuse(node.iter, "a loop over copies of lists that it changes; make the copies before the loop")
            source = self.loops.over(self.lists.copied(source, node.iter, "copy"))
        loop = Loop()
        self.context.frame.loops.append(loop)
        names = self.loops.set_inside([node.target, *node.body])

        def body(value: Value) -> None:
            self.bind(node.target, value)
            self.block(node.body)

        base = node.target.id if isinstance(node.target, ast.Name) and _is_range(node.iter) else "k"
        self.loops.loop(source, node, names, body, base=base.strip("_") or "k", jumps=loop)
        self.context.frame.loops.pop()
        self.block(node.orelse)
        self.context.here(node)
        self.context.join([self.context.at, *loop.breaks], "endfor", self.context.key(node, "end"))

    def _unrolled(self, node: ast.For, source: Items) -> None:
        """A loop over a tuple, once for each item."""
        breaks = []
        for value in source.items:
            if self.context.at is None:
                break
            loop = Loop()
            self.context.frame.loops.append(loop)
            self.bind(node.target, value)
            self.block(node.body)
            self.context.frame.loops.pop()
            self.context.join([self.context.at, *loop.continues], "next", self.context.key(node, "next"))
            breaks += loop.breaks
        self.block(node.orelse)
        self.context.join([self.context.at, *breaks], "endfor", self.context.key(node, "end"))

    def _while(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.While)
        key = self.context.key(node, "while")
        loop = Loop()
        self.context.frame.loops.append(loop)
        names = self.loops.set_inside([node.test, *node.body])
        header = self.context.open_loop("while", [*names, *self.loops.lengths_changed(node)], key)
        ends: list[Point] = []
        for _ in range(self.context.turns(key)):
            ends += self._tested(node)
            self.block(node.body)
            self.context.here(node)
            self.context.join([self.context.at, *loop.take_continues()], "latch", f"{key}latch")
            if self.context.at is None:
                break
        self.context.next_round(header, key)
        self.context.close_loop(header, [self.context.at], key)
        self.context.frame.loops.pop()
        self.context.join(ends, "ends", f"{key}ends")
        self.block(node.orelse)
        self.context.join([self.context.at, *loop.breaks], "endwhile", f"{key}end")

    def _tested(self, node: ast.While) -> list[Point]:
        """Go on where the loop's condition holds; where it does not, unless it always does."""
        cond = self.expressions.truth(node.test)
        if isinstance(cond, Const) and cond.value:
            label = self.context.label("while.body")
            point = self.context.point
            self.context.finish(Jump(Edge(label, ()), self.context.location))
            self.context.start(point.env, point.facts, point.sharing, "", (), label)
            return []
        self.context.at, outside = self.context.branch(cond, "while")
        return [outside]

    def _break(self, node: ast.stmt) -> None:
        self.context.frame.loops[-1].breaks.append(self.context.point)
        self.context.at = None

    def _continue(self, node: ast.stmt) -> None:
        self.context.frame.loops[-1].continues.append(self.context.point)
        self.context.at = None

    def _return(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Return)
        value: Value = self._returned(self.made(node.value, "result"), node) if node.value is not None else NoneValue()
        if isinstance(value, Iteration):
            self.context.refuse(node, "a range, zip or the like that is returned; return a list")
        if isinstance(value, Expr):
            value = self.context.named(value, "result") if len(self.context.frames) > 1 else value  # of a function that is called
        self.context.frame.returns.append((self.context.point, value, node))
        self.context.at = None

    def _function(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.FunctionDef)
        self.context.env[self.context.name_of(node.name)] = Function(node, self.context.frame.scopes)

    def _pass(self, node: ast.stmt) -> None:
        pass


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    assert isinstance(target, ast.Subscript)
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def _is_range(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="range")):
            return True
        case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
            return _is_range(inner)
        case _:
            return False


_STATEMENTS: dict[type[ast.stmt], Callable[[Statements, ast.stmt], None]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Expr: Statements._expression,
    ast.If: Statements._if,
    ast.Assert: Statements._assert,
    ast.Raise: Statements._raise,
    ast.For: Statements._for,
    ast.While: Statements._while,
    ast.Break: Statements._break,
    ast.Continue: Statements._continue,
    ast.Return: Statements._return,
    ast.FunctionDef: Statements._function,
    ast.Pass: Statements._pass,
}
