"""Classes whose objects are no more than their fields: nothing else happens where a field is read or set."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from metalift.frontend.python.heads import defaults_of, is_literal
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.objects.modules import Part, fields_of, is_left_alone, is_module, is_reserved, parts_of
from metalift.frontend.python.ports import is_declaration

INIT = "__init__"
_OPTIONS = frozenset("eq frozen kw_only order repr slots unsafe_hash".split())  # of a dataclass, that change nothing here
_QUIET = frozenset(  # special methods that run where a statement asks for them, never where a field is read or set
    """__init__ __repr__ __str__ __format__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __len__ __iter__ __next__
    __contains__ __getitem__ __setitem__ __call__ __add__ __sub__ __mul__ __neg__ __enter__ __exit__ __bool__""".split()
)
_ASKING = frozenset(  # names by which a file may change what it does not name
    """setattr delattr vars globals exec eval modules __dict__ __class__ __setattr__ __delattr__ __globals__
    __setstate__ add_module register_module register_parameter""".split()
)


@dataclass(frozen=True, slots=True)
class PlainClass:
    """A class: its fields in their order, with their annotations, what they are by default, and its methods.

    `properties` are methods that run where they are read; `given` says whether its objects are made of the fields, which it
    names, rather than by an `__init__` of its own. Of a `frozen` class nothing sets a field; `constants` are its own numbers;
    `defaults` what fields are where the caller does not say it; `parts` are the modules of a module of PyTorch.
    """

    name: str
    node: ast.ClassDef
    fields: Mapping[str, ast.expr | None]
    methods: Mapping[str, ast.FunctionDef]
    properties: frozenset[str] = frozenset()
    given: bool = False
    frozen: bool = False
    constants: frozenset[str] = frozenset()
    defaults: Mapping[str, ast.expr] = field(default_factory=dict)
    parts: Mapping[str, Part | None] = field(default_factory=dict)


@lru_cache(maxsize=8)
def plain_classes(module: PythonModule) -> Mapping[str, PlainClass]:
    """The classes at the top level of a file whose objects are their fields, as far as the file tells."""
    if not module.classes or any(_asks(node) for node in ast.walk(module.tree)):
        return {}
    read = {name: _read(module, node) for name, node in module.classes.items() if module.bound[name] == 1}
    found = {name: made for name, made in read.items() if made is not None}
    named = _named_in_annotations(module.tree)
    attributes = [node for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)]
    stored = {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}
    of_class = {id(node.value) for node in attributes if isinstance(node.ctx, ast.Load)}
    called = {id(node.func) for node in ast.walk(module.tree) if isinstance(node, ast.Call)}
    loads = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    for node in loads:
        if node.id in found and id(node) not in named | of_class | called:
            del found[node.id]  # which may be given another attribute by that name, or have subclasses
    return {name: each for name, each in found.items() if stored.isdisjoint((*each.methods, *each.constants))}


def _asks(node: ast.AST) -> bool:
    """Whether a node sets what it does not name."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in _ASKING


def _named_in_annotations(tree: ast.Module) -> set[int]:
    """The nodes that stand in annotations."""
    owners = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AnnAssign | ast.arg))
    annotations = (node.returns if isinstance(node, ast.FunctionDef) else node.annotation for node in owners)
    return {id(part) for annotation in annotations if annotation is not None for part in ast.walk(annotation)}


def _read(module: PythonModule, node: ast.ClassDef) -> PlainClass | None:
    """The class; None where its objects may be more than their fields."""
    torch = is_module(module, node)
    if node.keywords or (node.bases and not torch and [ast.unparse(base) for base in node.bases] != ["object"]):
        return None
    given = bool(node.decorator_list)
    if given and not _is_dataclass(module, node.decorator_list):
        return None
    parts = _Parts(module, given)
    if not all(map(parts.read, node.body)):
        return None
    init = parts.methods.get(INIT)
    stored = Counter(_stored(module, node))
    inner = parts_of(module, init) if torch else {}
    foreign = {attr for attr, owner in _stores(module) if not owner}
    for name, part in inner.items():
        if part is not None and not (stored[name] == 1 and is_left_alone(module.tree, name, part, foreign)):
            inner[name] = None
    fields = parts.fields if given else parts.fields | _set_by(module.tree, init, parts.fields)
    fields = {name: each for name, each in fields.items() if name not in inner}
    fields |= fields_of(module, init, inner) if torch else {}
    defaults = parts.defaults if given else _set_to(init, stored, inner)
    names = Counter((*fields, *parts.methods, *parts.constants))
    if any(count > 1 for count in names.values()) or (torch and any(map(is_reserved, names))) or not (fields or torch):
        return None
    frozen = any(option.arg == "frozen" for each in node.decorator_list for option in getattr(each, "keywords", ()))
    kinds = frozenset(parts.properties), given, frozen, frozenset(parts.constants)
    return PlainClass(node.name, node, fields, parts.methods, *kinds, defaults, inner)


@dataclass(slots=True)
class _Parts:
    """What the statements of a class's body define."""

    module: PythonModule
    given: bool
    fields: dict[str, ast.expr | None] = field(default_factory=dict)
    defaults: dict[str, ast.expr] = field(default_factory=dict)
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)
    properties: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)

    def read(self, stmt: ast.stmt) -> bool:
        """Take a statement; False where it makes more of the class than its fields and methods."""
        match stmt:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return True
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if self.given or value is None:
                if any(word in ast.unparse(annotation) for word in ("ClassVar", "InitVar")) or name in self.fields:
                    return False
                self.fields[name] = annotation
                self.defaults |= {name: value} if value is not None else {}
                return True
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant()):
                self.constants.add(name)
                return True
            case ast.FunctionDef():
                return self._method(stmt)
            case _:
                return False

    def _method(self, stmt: ast.FunctionDef) -> bool:
        name, decorators = stmt.name, [each for each in stmt.decorator_list if not is_declaration(self.module, each)]
        special = name.startswith("__") and name.endswith("__")
        if name in self.methods or (special and (name not in _QUIET or decorators)) or (self.given and name == INIT):
            return False
        kinds = [each.id for each in decorators if isinstance(each, ast.Name) and not self.module.bound[each.id]]
        if len(kinds) < len(decorators) or not set(kinds) <= {"property"} or not stmt.args.args:
            return False
        self.methods[name] = stmt
        self.properties.update([name] if kinds else [])
        return True


def _is_dataclass(module: PythonModule, decorators: list[ast.expr]) -> bool:
    for each in decorators:
        plain = each.func if isinstance(each, ast.Call) else each
        options = {option.arg for option in each.keywords} if isinstance(each, ast.Call) else set()
        if module.full_name(plain) != "dataclasses.dataclass" or not options <= _OPTIONS or len(decorators) > 1:
            return False
    return True


def _set_by(
    tree: ast.Module, init: ast.FunctionDef | None, known: Mapping[str, ast.expr | None]
) -> dict[str, ast.expr | None]:
    """The fields that the statements of an `__init__` set, with annotations, or those of the parameters that they are set to."""
    found: dict[str, ast.expr | None] = {}
    if init is None:
        return found
    itself = init.args.args[0].arg
    params = {arg.arg: arg.annotation for arg in (*init.args.args, *init.args.kwonlyargs)}
    for target, value, annotation in _settings(init):
        match target:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == itself:
                of_value = params.get(value.id) if isinstance(value, ast.Name) else of_number(tree, attr, value)
                found.setdefault(attr, annotation or known.get(attr) or of_value)
            case _:
                pass
    return found


def _set_to(init: ast.FunctionDef | None, stored: Counter[str], parts: Mapping[str, Part | None]) -> dict[str, ast.expr]:
    """Fields that only a statement of `__init__` sets, and what it sets them to where its caller does not say it: literals."""
    if init is None or _escapes(init):
        return {}
    again = {node.id for node in ast.walk(init) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    named = {name: value for name, value in defaults_of(init).items() if name not in again}
    once = {each.attr: value for each, value, _ in _settings(init) if isinstance(each, ast.Attribute) and stored[each.attr] == 1}
    once |= {f"{name}.{each}": value for name, part in parts.items() if part for each, value in part.settings.items()}
    known = {name: named.get(value.id) if isinstance(value, ast.Name) else value for name, value in once.items()}
    return {name: value for name, value in known.items() if value is not None and is_literal(value)}


def _escapes(init: ast.FunctionDef) -> bool:
    """Whether an `__init__` does more with its object than to name it in front of fields and methods, and in super(C, self)."""
    itself = init.args.args[0].arg
    owners = {id(node.value) for node in ast.walk(init) if isinstance(node, ast.Attribute)}
    for node in ast.walk(init):
        match node:
            case ast.Call(func=ast.Name(id="super"), args=args):
                owners |= set(map(id, args))
            case _:
                pass
    return any(isinstance(node, ast.Name) and node.id == itself and id(node) not in owners for node in ast.walk(init))


def _stored(module: PythonModule, class_: ast.ClassDef) -> Iterator[str]:
    """The names of fields that a file sets, but for those that methods of other classes set of their own objects."""
    return (attr for attr, owner in _stores(module) if owner in ("", class_.name))


@lru_cache(maxsize=8)
def _stores(module: PythonModule) -> Sequence[tuple[str, str]]:
    """The names of fields that a file sets, with the class whose method sets it of its own object; "" where none does, or where
    it may be given another object.
    """
    attributes = [node for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)]
    named = {node.value.id for node in attributes if isinstance(node.value, ast.Name)}
    owners: dict[int, str] = {}
    for class_ in (each for name, each in module.classes.items() if name not in named):
        for method in (stmt for stmt in class_.body if isinstance(stmt, ast.FunctionDef) and not stmt.decorator_list):
            for node in ast.walk(method):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    if method.args.args and node.value.id == method.args.args[0].arg:
                        owners[id(node)] = class_.name
    return [(node.attr, owners.get(id(node), "")) for node in attributes if not isinstance(node.ctx, ast.Load)]


def _settings(init: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr | None, ast.expr | None]]:
    for stmt in (each for whole in init.body for each in one_by_one(whole)):
        match stmt:
            case ast.Assign(targets=[target], value=value):
                yield target, value, None
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                yield target, value, annotation
            case _:
                pass


def one_by_one(stmt: ast.stmt) -> list[ast.stmt]:
    """The assignments that `self.a, self.b = a, b` stands for, where nothing that is set is read in it; else the statement."""
    match stmt:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            owners = {node.value.id for node in targets if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
            names = {node.id for value in values for node in ast.walk(value) if isinstance(node, ast.Name)}
            if all(isinstance(node, ast.Attribute) for node in targets) and len(owners) == 1 and owners.isdisjoint(names):
                pairs = zip(targets, values, strict=True)
                return [ast.copy_location(ast.Assign([target], value), stmt) for target, value in pairs]
        case _:
            pass
    return [stmt]


def of_number(tree: ast.Module, name: str, value: ast.expr | None) -> ast.expr | None:
    """The annotation of a field or variable of that name which a number is the first value of.

    It is an int where the file adds or sets nothing else than such to what has the name.
    """
    match value:
        case ast.Constant(value=bool() | float() as number):
            return ast.Name(type(number).__name__, ast.Load())
        case ast.Constant(value=int()) if all(map(_is_int, _values_of(tree, name))):
            return ast.Name("int", ast.Load())
        case _:
            return None


def _values_of(tree: ast.Module, name: str) -> Iterator[ast.expr | None]:
    """What is set or added to fields and variables of that name; None of what is set in another way."""
    simple: set[int] = set()
    nodes = [node for scope in _scopes(tree, name) for node in ast.walk(scope)]
    for node in nodes:
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
                simple.add(id(target))
                yield from [value] if _is_called(target, name) else []
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), value=value):
                simple.add(id(target))
                yield from [value] if _is_called(target, name) else []
            case _:
                pass
    for node in nodes:
        if isinstance(node, ast.expr) and _is_called(node, name) and id(node) not in simple:
            yield from [None] if not isinstance(getattr(node, "ctx", None), ast.Load) else []


def _scopes(tree: ast.Module, name: str) -> Iterator[ast.stmt]:
    """The statements of a file but for functions that have a local name of their own like that."""
    for stmt in tree.body:
        nodes = list(ast.walk(stmt)) if isinstance(stmt, ast.FunctionDef) else []
        bound = any(isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load) for node in nodes)
        if not bound or any(isinstance(node, ast.Global) and name in node.names for node in nodes):
            yield stmt


def _is_called(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def _is_int(value: ast.expr | None) -> bool:
    match value:
        case ast.Constant(value=number):
            return type(number) is int
        case ast.Call(func=ast.Name(id="len" | "int")):
            return True
        case _:
            return False


def methods_of(module: PythonModule) -> list[tuple[str, int]]:
    """Name, as `Class.method`, and line of each method that is read like a function, but those that Python calls by itself."""
    return [
        (f"{class_.name}.{name}", node.lineno)
        for class_ in plain_classes(module).values()
        for name, node in class_.methods.items()
        if not name.startswith("__")
    ]
