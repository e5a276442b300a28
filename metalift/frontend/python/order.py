"""Refuses expressions whose value depends on when their parts are evaluated, beyond what the reader transcribes.

The reader takes lists that only a loop goes through, and what generators give, as terms that are evaluated where they are used.
That is what Python computes as long as nothing changes in between, which is asked of the source's text here.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from metalift.frontend.python.guards import CHANGING
from metalift.frontend.python.naming.module import PythonModule

_AT_ONCE = frozenset("len list tuple sum sorted any all max min set frozenset dict".split())  # go through a list before anything
_LATE = frozenset("map filter zip enumerate reversed iter".split())  # give what they are asked for, one by one
_FRESH = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp, ast.Constant, ast.Compare)
_MADE = (ast.ListComp, ast.GeneratorExp, ast.Slice, ast.List, ast.NamedExpr)  # what may be a list that is made there
Function = ast.FunctionDef | ast.Lambda


def check_order(module: PythonModule, function: ast.FunctionDef) -> None:
    """Refuse such expressions in a function and in those of the module that it uses."""
    seen: dict[int, ast.FunctionDef] = {}
    work = [function]
    while work:
        node = work.pop()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        Order.of(module, node).check()
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        used |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
        work += [each for name, each in module.functions.items() if name in used]
        methods = (each for found in module.classes.values() for each in found.body if isinstance(each, ast.FunctionDef))
        work += [each for each in methods if each.name in used or each.name.startswith("__")]


@dataclass(slots=True)
class Order:
    """Looks at one function with all that is defined in it."""

    module: PythonModule
    function: ast.FunctionDef
    own: dict[str, list[Function]] = field(default_factory=dict)  # functions that are defined in it
    aliased: set[str] = field(default_factory=set)  # names of what may have another name
    acting: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, module: PythonModule, function: ast.FunctionDef) -> Order:
        """With what is defined in the function."""
        made = cls(module, function)
        for part in ast.walk(function):
            match part:
                case ast.FunctionDef(name=name) if part is not function:
                    made.own.setdefault(name, []).append(part)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                    made.own.setdefault(name, []).append(value)
                case ast.Assign(targets=targets, value=ast.Name() | ast.Tuple() as value):
                    items = value.elts if isinstance(value, ast.Tuple) else [value]
                    given = {each.id for each in items if isinstance(each, ast.Name)}
                    made.aliased |= given | (_names(targets) if given else set())
        return made

    def check(self) -> None:
        """Refuse what is evaluated in an order that is not transcribed."""
        parts = list(ast.walk(self.function))
        for name, functions in self.own.items():
            self._named(name, functions)
        self._captured(parts)
        for part in parts:
            self._part(part)
            self._places(part)

    def refuse(self, node: ast.AST, message: str) -> None:
        """Raise Unsupported."""
        self.module.place.refuse(node, message)

    def _named(self, name: str, functions: list[Function]) -> None:
        if hasattr(builtins, name) or name in self.module.functions:
            whose = f"Python's {name}" if hasattr(builtins, name) else "another function"
            self.refuse(functions[-1], f"a function in another one that has the name of {whose}; give it another name")

    def _captured(self, parts: Iterable[ast.AST]) -> None:
        """A function that asks for a name which a comprehension around its call has, too, and means another one."""
        made = [part for part in parts if isinstance(part, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp)]
        lambdas = (part for part in parts if isinstance(part, ast.Lambda))
        for node in (*(each for found in self.own.values() for each in found), *lambdas):
            around = (part for part in made if all(each is not node for each in ast.walk(part)))
            targets = _names(each.target for part in around for each in part.generators)
            mine = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
            mine |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
            for name in ast.walk(node):
                if isinstance(name, ast.Name) and name.id in targets - mine:
                    message = f"{name.id} in a function, which is also the name of a comprehension; give one of them another name"
                    self.refuse(name, message)

    # Effects

    def acts(self, node: ast.AST) -> bool:
        """Whether evaluating it may change something, beside what it gives."""
        return any(self._acts(part) for part in ast.walk(node))

    def _acts(self, part: ast.AST) -> bool:
        match part:
            case ast.NamedExpr():
                return True
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in CHANGING or any(self._changes(each) for each in self._methods(name))
            case ast.Call(func=ast.Name(id="next"), args=[first, *_]):
                return not isinstance(first, ast.GeneratorExp)
            case ast.Call(func=ast.Name(id=name)):
                return any(map(self._changes, self._called(name))) or not self._is_known(name)
            case _:
                return False

    def _called(self, name: str) -> list[Function]:
        """The functions of the source that a name stands for."""
        return self.own.get(name) or ([self.module.functions[name]] if name in self.module.functions else [])

    def _is_known(self, name: str) -> bool:
        """Whether it is one of these, a class of the file, or a function of Python or of a library."""
        known = name in self.own or name in self.module.functions or name in self.module.classes or name in self.module.imported
        return known or (hasattr(builtins, name) and not self.module.bound[name])

    def _methods(self, name: str) -> Iterator[ast.FunctionDef]:
        for found in self.module.classes.values():
            yield from (each for each in found.body if isinstance(each, ast.FunctionDef) and each.name == name)

    def _changes(self, function: Function) -> bool:
        """Whether a call of the function may change what it has not made itself."""
        if id(function) not in self.acting:
            self.acting[id(function)] = False  # in a recursion it is found elsewhere
            self.acting[id(function)] = any(self._changes_others(part, function) for part in ast.walk(function))
        return self.acting[id(function)]

    def _changes_others(self, part: ast.AST, function: Function) -> bool:
        match part:
            case ast.Global() | ast.Nonlocal() | ast.Yield():
                return True
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                return not _is_own(part.value, function)
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                return not _is_own(owner, function)
            case ast.AugAssign(target=ast.Name(id=name)):
                return not _is_own(part.target, function) and _is_list(name, function)
            case ast.Call():
                return self._acts(part)
            case _:
                return False

    # What is refused

    def _part(self, part: ast.AST) -> None:
        match part:
            case ast.GeneratorExp(elt=elt, generators=[first, *others]):
                inside = [elt, first.target, *first.ifs, *others]
                if any(self.acts(each) for each in inside):
                    self.refuse(part, "a generator that changes something; write the loop")
            case ast.Call():
                self._call(part)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                self._grown(name, value)
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                self._loop(iterated, [target, *body, *orelse])
            case ast.ListComp(elt=elt, generators=generators):
                for at, each in enumerate(generators):
                    self._loop(each.iter, [each.target, *each.ifs, *generators[at + 1 :], elt])
            case ast.Assign(value=ast.Call(func=function)) if self.module.full_name(function) == "itertools.accumulate":
                self.refuse(part, "an iterator that gets a name, which can be gone through once; write list(accumulate(...))")

    def _call(self, node: ast.Call) -> None:
        """Arguments are evaluated before a call; what is asked for in it comes later."""
        args = [*node.args, *(each.value for each in node.keywords)]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        for given in args:
            called: list[Function] = [given] if isinstance(given, ast.Lambda) else []
            if isinstance(given, ast.Name):
                called = self._called(given.id)
            if any(map(self._changes, called)):
                self.refuse(given, "a function that changes something and is handed on; write the loop")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "extend" and isinstance(node.func.value, ast.Name):
            for each in args:
                self._grown(node.func.value.id, each)
        if name in self.own or name in self.module.functions:
            self._parts_later(item for each in args for item in _items(each))
            return
        made = any(isinstance(part, ast.ListComp | ast.GeneratorExp | ast.Slice) for each in args for part in ast.walk(each))
        alone = len(args) == 1 and (name in _AT_ONCE or isinstance(node.func, ast.Attribute) and not self._is_late(node))
        if made and not alone and any(map(self.acts, args)):
            self.refuse(node, f"{ast.unparse(node)[:60]}, whose parts change something; name them before")

    def _places(self, part: ast.AST) -> None:
        """Parts of lists that are read when they are used."""
        match part:
            case ast.Subscript(value=ast.Subscript(), slice=place) if self.acts(place):
                self.refuse(part, f"{ast.unparse(place)[:60]} may change something here; name it in a statement before")
            case ast.Tuple(elts=items):
                self._parts_later(each for item in items for each in _items(item))
            case ast.IfExp(body=body, orelse=orelse):
                self._parts_later([*_items(body), *_items(orelse)])

    def _parts_later(self, items: Iterable[ast.expr]) -> None:
        """Slices in tuples in tuples, which are read when they are used."""
        for each in items:
            if isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Slice):
                self.refuse(each, f"{ast.unparse(each)[:60]} in a tuple that is part of more; name it in a statement before")

    def _grown(self, name: str, value: ast.expr) -> None:
        """A list that grows by what it is asked for itself meanwhile."""
        late = isinstance(value, ast.GeneratorExp) or (isinstance(value, ast.Call) and self._is_late(value))
        named = _names([value])
        if late and (name in named or (name in self.aliased and named & self.aliased) or self.own.keys() & named):
            self.refuse(value, f"{name} is asked for while it grows; make a list first: [...]")

    def _is_late(self, node: ast.Call) -> bool:
        full = self.module.full_name(node.func)
        return (isinstance(node.func, ast.Name) and node.func.id in _LATE) or full.startswith("itertools.")

    def _loop(self, iterated: ast.expr, body: Iterable[ast.AST]) -> None:
        """Lists that are made in what a loop goes through, by a call or in a tuple, and changed in the loop."""
        if isinstance(iterated, ast.Name | ast.ListComp | ast.GeneratorExp | ast.Subscript):
            return
        parts = list(ast.walk(iterated))
        late = any(isinstance(part, ast.Call) and self.module.full_name(part.func).startswith("itertools.") for part in parts)
        if not (late or any(isinstance(part, _MADE) for part in parts)):
            return
        named = _names([iterated]) - _names(part.target for part in parts if isinstance(part, ast.comprehension))
        for part in (part for each in body for part in ast.walk(each)):
            changed = self._changed(part)
            if changed == "" or changed in named or (changed in self.aliased and named & self.aliased):
                self.refuse(iterated, "a loop over copies of lists that it changes; make the copies before the loop")

    def _changed(self, part: ast.AST) -> str | None:
        """The name of what a part of a loop changes; "" where any may be changed, None where nothing is."""
        match part:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                return name
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                return _root(part)
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                return _root(owner)
            case ast.Call() if self._acts(part):
                return ""
            case _:
                return None


def _items(node: ast.expr) -> list[ast.expr]:
    """The items of a tuple."""
    return node.elts if isinstance(node, ast.Tuple) else []


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    """The names in these."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _root(node: ast.expr) -> str:
    """The name of the object of which something is a part, "" where it has none."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_own(owner: ast.expr, function: Function) -> bool:
    """Whether what an expression stands for was made by the function itself."""
    name = _root(owner)
    if isinstance(function, ast.Lambda) or name in {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}:
        return False
    given: list[ast.expr] = []
    left = 0  # how often it gets another object than these
    for part in ast.walk(function):
        match part:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) | ast.AnnAssign(target=ast.Name(id=found), value=value):
                given += [value] if found == name and value is not None else []
                left -= found == name
            case ast.AugAssign(target=ast.Name(id=found)):
                left -= found == name
            case ast.Name(id=found, ctx=ast.Store()):
                left += found == name
    rows = not isinstance(owner, ast.Name)  # of a list that may have been made of rows of others
    return bool(given) and not left and all(_is_fresh(each) and not (rows and _may_have_rows(each)) for each in given)


def _may_have_rows(value: ast.expr) -> bool:
    """Whether a new list may have lists in it that were there before."""
    match value:
        case ast.ListComp(elt=elt):
            return not _is_fresh(elt)
        case ast.Call(func=ast.Attribute()):
            return False  # of NumPy
        case _:
            return True


def _is_fresh(value: ast.expr) -> bool:
    makers = ("list", "dict", "set", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "copy", "array")
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in makers
        case ast.Subscript(slice=ast.Slice()):
            return True
        case _:
            return isinstance(value, _FRESH)


def _is_list(name: str, function: Function) -> bool:
    """Whether what has the name is used as a list."""
    for part in ast.walk(function):
        match part:
            case ast.Subscript(value=ast.Name(id=found)) | ast.For(iter=ast.Name(id=found)) if found == name:
                return True
            case ast.comprehension(iter=ast.Name(id=found)) | ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=found)]):
                if found == name:
                    return True
            case ast.AugAssign(target=ast.Name(id=found), value=ast.List() | ast.ListComp()) if found == name:
                return True
    return False
