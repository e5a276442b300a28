"""Which names of a function stand for objects of plain classes, what is done with these, and with variables of the module."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from metalift.frontend.python.heads import defaults_of
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.objects.classes import INIT, PlainClass, one_by_one
from metalift.frontend.python.objects.modules import KINDS, WithoutParts


class Escapes(Exception):
    """An object is used as more than its fields, at a node: it is read or refused as it stands."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.node = node
        self.what = what


@dataclass(slots=True)
class Uses:
    """What a function does with objects.

    `objects` are the names with their classes, `read` the fields that are used of each, its callees' uses included, `stored` the
    fields (class, name) that are set, `variables` the module's variables that are used and `written` those that are set; `making`
    are the ids of calls that make an object for a name, `returned` the classes of what it returns, "" of what is no object.
    """

    function: ast.FunctionDef
    objects: dict[str, str]
    making: set[int]
    read: dict[str, dict[str, None]] = field(default_factory=dict)
    stored: set[tuple[str, str]] = field(default_factory=set)
    variables: dict[str, None] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Finder:
    """Looks at a function and all that it calls; `found` has each by its name, methods by `Class.name`."""

    module: PythonModule
    classes: Mapping[str, PlainClass]
    variables: frozenset[str]
    found: dict[str, Uses] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    definitions: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def function(self, name: str) -> Uses:
        """What the function does with objects. Raises Escapes."""
        if name in self.pending:
            raise Escapes(self.definition(name), f"{name} calls itself")
        if name not in self.found:
            self.pending.append(name)
            self.found[name] = self._uses(name)
            self.pending.pop()
        return self.found[name]

    def definition(self, name: str) -> ast.FunctionDef:
        """The function or method of that name."""
        if name not in self.definitions:
            owner, dot, method = name.partition(".")
            function = self.classes[owner].methods[method] if dot else self.module.functions[name]
            made = _Named(self.classes).visit(copy.deepcopy(function))
            if dot and self.classes[owner].parts:
                made = WithoutParts(self.module, function.args.args[0].arg, self.classes[owner].parts).visit(made)
            if function.name == INIT:
                made.body = [each for stmt in made.body for each in one_by_one(stmt)]
            self.definitions[name] = made
        return self.definitions[name]

    def _uses(self, name: str) -> Uses:
        function = self.definition(name)
        uses = Uses(function, *self._objects(name, function))
        inner = [part for part in ast.walk(function) if isinstance(part, _SCOPES) and part is not function]
        for part in (part for scope in inner for part in ast.walk(scope)):
            if isinstance(part, ast.Name) and part.id in uses.objects:
                raise Escapes(part, f"'{part.id}' in a function inside of {name}")  # which may run at any time
        allowed: set[int] = set()
        for node in ast.walk(function):
            allowed |= self._of_node(node, uses)
        for node in (node for node in ast.walk(function) if isinstance(node, ast.Name) and id(node) not in allowed):
            if node.id in uses.objects and isinstance(node.ctx, ast.Load):
                raise Escapes(node, f"the object '{node.id}' as a value")
        local = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        shared = {each for node in ast.walk(function) if isinstance(node, ast.Global) for each in node.names}
        local |= {arg.arg for arg in ast.walk(function) if isinstance(arg, ast.arg)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in self.variables and (node.id in shared or node.id not in local):
                uses.variables[node.id] = None
                uses.written |= set() if isinstance(node.ctx, ast.Load) else {node.id}
        if (inner and uses.variables) or uses.variables.keys() & (local - shared):
            raise Escapes(function, f"a variable of the module and a function or name inside of {name} that may be the same")
        return uses

    def _objects(self, name: str, function: ast.FunctionDef) -> tuple[dict[str, str], set[int]]:
        """The names that stand for objects, and for objects of one class only; the calls that make these."""
        owner = name.partition(".")[0] if "." in name else ""
        params = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        found = {arg.arg: named for arg in params if (named := self._annotated(arg.annotation))}
        if owner:
            found = {params[0].arg: owner, **found}
        made: dict[str, list[str]] = {}
        making: set[int] = set()
        for node in ast.walk(function):
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id=class_)) as call)
                    | ast.AnnAssign(target=ast.Name(id=target), value=ast.Call(func=ast.Name(id=class_)) as call)
                ) if class_ in self.classes:
                    made.setdefault(target, []).append(class_)
                    making.add(id(call))
                case _:
                    pass
        stores = [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        for target, names in made.items():
            if len(set(names)) > 1 or stores.count(target) > len(names) or target in found:
                raise Escapes(function, f"'{target}', which is more than one object in {name}")
            found[target] = names[0]
        changed = set(stores) - made.keys() | defaults_of(function).keys()
        if found.keys() & changed or function.args.vararg or function.args.kwarg:
            raise Escapes(function, "an object that is a default, or that a name stands for which is set again, or *args")
        return found, making

    def _annotated(self, annotation: ast.expr | None) -> str:
        match annotation:
            case ast.Name(id=name) | ast.Constant(value=str() as name) if name in self.classes:
                return name
            case _:
                return ""

    def _of_node(self, node: ast.AST, uses: Uses) -> set[int]:
        """What a node does with objects; the ids of the names in it that stand for one, and that is all they do."""
        match node:
            case ast.Call():
                return self._of_call(node, uses)
            case ast.Attribute(value=ast.Name(id=name)) if name in uses.objects:
                return self._of_attribute(node, node.value, self.classes[uses.objects[name]], uses)
            case ast.Return(value=ast.Name(id=name) as value) if name in uses.objects:
                uses.returned.add(uses.objects[name])
                uses.read[name] = dict.fromkeys(self.classes[uses.objects[name]].fields)
                return {id(value)}
            case ast.Return(value=ast.Constant(value=None)):
                uses.returned.add("None")
            case ast.Return(value=ast.expr()):
                uses.returned.add("")
            case _:
                pass
        return set()

    def _of_call(self, node: ast.Call, uses: Uses) -> set[int]:
        match node.func:
            case ast.Attribute(value=ast.Name(id=name) as receiver, attr=attr) if name in uses.objects:
                class_ = self.classes[uses.objects[name]]
                if attr in class_.parts:
                    raise Escapes(node, f"{ast.unparse(node.func)}(), a part of another kind or setting than {', '.join(KINDS)}")
                if attr not in class_.methods or attr in class_.properties or attr == INIT:
                    raise Escapes(node, f"{ast.unparse(node.func)}(), which is no method of {class_.name}")
                return self._given(node, f"{class_.name}.{attr}", [receiver, *node.args], uses)
            case ast.Name(id=name) if name in self.classes:
                if self.classes[name].given:
                    return set()
                if id(node) not in uses.making:
                    raise Escapes(node, f"an object of {name} without a name")
                return self._given(node, f"{name}.{INIT}", [ast.Name("", ast.Load()), *node.args], uses)
            case ast.Name(id=name) if name in self.module.functions and self.module.bound[name] == 1:
                return self._given(node, name, node.args, uses)
            case _:
                return set()

    def _of_attribute(self, node: ast.Attribute, owner: ast.expr, class_: PlainClass, uses: Uses) -> set[int]:
        assert isinstance(owner, ast.Name)
        name, attr = owner.id, node.attr
        if attr in class_.properties and isinstance(node.ctx, ast.Load):
            return self._given(node, f"{class_.name}.{attr}", [owner], uses)
        if attr in class_.methods and isinstance(node.ctx, ast.Load):
            return set()  # which the call of it has looked at
        if attr in class_.constants and isinstance(node.ctx, ast.Load):
            return {id(owner)}
        if attr not in class_.fields or isinstance(node.ctx, ast.Del):
            raise Escapes(node, f"{ast.unparse(node)}, which is no field of {class_.name}")
        if attr.startswith("__") and self.pending[-1].partition(".")[0] != class_.name:
            raise Escapes(node, f"{attr}, which has another name outside of {class_.name}")
        uses.read.setdefault(name, {})[attr] = None
        if isinstance(node.ctx, ast.Store) and not self._makes(uses, name):
            if class_.frozen:
                raise Escapes(node, f"a field of the frozen class {class_.name} is set")
            uses.stored.add((class_.name, attr))
        return {id(owner)}

    def _makes(self, uses: Uses, name: str) -> bool:
        """Whether it is the object that the function makes, as its `__init__`."""
        return uses.function.name == INIT and uses.function.args.args[0].arg == name

    def _given(self, node: ast.Call | ast.Attribute, called: str, args: list[ast.expr], uses: Uses) -> set[int]:
        """A call of a function of the file: what it reads of its objects is read of those that it is given."""
        inner = self.function(called)
        uses.stored |= inner.stored
        uses.variables |= inner.variables
        uses.written |= inner.written
        if any(isinstance(arg, ast.Starred) for arg in args) and inner.objects:
            raise Escapes(node, "starred arguments beside objects")
        allowed = set()
        for param, value in given(inner.function, args, node.keywords if isinstance(node, ast.Call) else ()):
            class_ = inner.objects.get(param, "")
            named = value.id if isinstance(value, ast.Name) else None
            if named and (class_ or named in uses.objects) and uses.objects.get(named, "") != class_:
                raise Escapes(value, f"'{named}' as {called}'s parameter {param}, which is of another class")
            if class_ and named:
                uses.read.setdefault(named, {}).update(inner.read.get(param, {}))
                allowed.add(id(value))
            elif class_ and named is None:
                raise Escapes(value, f"an object without a name for {called}'s parameter {param}")
        if inner.returned - {"", "None"}:
            raise Escapes(node, f"the object that {called} returns")
        return allowed


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class _Named(ast.NodeTransformer):
    """Objects that are returned where they are made get a name."""

    def __init__(self, classes: Mapping[str, PlainClass]) -> None:
        self.classes = classes

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name in self.classes:
                made = f"{name.lower()}_"
                assign = ast.copy_location(ast.Assign([ast.Name(made, ast.Store())], node.value), node)
                back = ast.copy_location(ast.Return(ast.Name(made, ast.Load())), node)
                return [ast.fix_missing_locations(assign), ast.fix_missing_locations(back)]
            case _:
                return node


def given(
    function: ast.FunctionDef, args: list[ast.expr], keywords: list[ast.keyword] | tuple[()]
) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function that a call gives, with what it gives them."""
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    yield from zip(names, args, strict=False)
    yield from ((each.arg, each.value) for each in keywords if each.arg is not None)


@lru_cache(maxsize=8)
def module_variables(module: PythonModule) -> frozenset[str]:
    """The names of a module that statements at its top level set, and that stand for what functions may change."""
    targets = set()
    for node in module.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                targets.add(name)
            case _:
                pass
    known = {*module.functions, *module.classes, *module.imported}
    return frozenset(name for name in targets - known if _may_change(module, name))


def _may_change(module: PythonModule, name: str) -> bool:
    """Whether a name of the module is more than a constant."""
    match module.constants.get(name):
        case None:
            return True
        case ast.List() as value:
            return module.table(name, value) is None
        case ast.ListComp() | ast.BinOp(left=ast.List(), op=ast.Mult()):
            return True
        case _:
            return False
