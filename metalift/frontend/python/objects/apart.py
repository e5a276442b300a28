"""A function that uses objects of plain classes, or variables of its module, as one that takes what they hold.

`im.data` is the parameter or local name `im_data`, and a method a function of the fields that it uses. What is set outside of
`__init__` may be seen by others that have the same object: it is a list of one element, `count[0]`, so that it is one number for
all of them. Where an object is used in any other way, everything stays as it is.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from metalift.frontend.python.annotations import record_type
from metalift.frontend.python.heads import number
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.objects.classes import INIT, PlainClass, of_number, plain_classes
from metalift.frontend.python.objects.uses import Escapes, Finder, Uses, given, module_variables
from metalift.frontend.python.ports import is_declaration
from metalift.ir.program.fragment import Field, Form, Fragment, Premise, PremiseKind, Variable

_BOXED = frozenset(("bool", "float", "int"))
_KNOWN = "supported are objects that have one name, of which fields are used and methods called, or that are returned"


@dataclass(frozen=True, slots=True)
class Apart:
    """A file and a function of it without objects; where the parameters come from, and the fields of the object it returns."""

    module: PythonModule
    function: ast.FunctionDef
    places: Mapping[str, Field] = field(default_factory=dict)
    result: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    defaults: Mapping[str, bool | int | Fraction | None] = field(default_factory=dict)

    def placed(self, fragment: Fragment) -> Fragment:
        """The fragment of the function, with where its parameters are found, and of what the result is made."""
        params = tuple(
            replace(param, field=self.places.get(param.var.name), default=self.defaults.get(param.var.name, param.default))
            for param in fragment.params
        )
        form = fragment.form
        if self.result:
            form = replace(form or Form(parts=(Form(),) * len(self.result)), fields=self.result)
        boxed = {name for name, place in self.places.items() if place.boxed}
        known = (replace(each, text=_unboxed(each.text, boxed)) for each in fragment.premises)
        premises = tuple(Premise(text, PremiseKind.MEMORY) for text in self.said)
        return replace(fragment, params=params, form=form, premises=(*known, *premises))


def without_objects(module: PythonModule, name: str) -> Apart:
    """The function of that name; as it is where it uses no objects or variables, or uses them as more than what they hold."""
    as_it_is = Apart(module, module.find(name))
    classes, variables = plain_classes(module), module_variables(module)
    owner, dot, _ = name.partition(".")
    if dot and owner not in classes:
        what = f"a method of the class {owner}, whose objects may be more than fields and methods"
        module.place.refuse(as_it_is.function, f"{what}; {_KNOWN}")
    try:
        finder = Finder(module, classes, variables)
        if (classes or variables) and _needed(finder, finder.function(name)):
            return _Taking(finder, name).apart()
    except Escapes as problem:
        names = {node.id for node in ast.walk(as_it_is.function) if isinstance(node, ast.Name)} & classes.keys()
        if dot or any(record_type(module, each) is None for each in names):
            module.place.refuse(problem.node, f"{problem.what}; {_KNOWN}")
    return as_it_is


def _needed(finder: Finder, uses: Uses) -> bool:
    """Whether the function, or one that it calls, does more than to read the fields of records."""
    every = [uses, *(each for each in finder.found.values() if each is not uses)]
    if uses.variables or uses.returned - {"", "None"} or any("." in name for name in finder.found):
        return True
    classes = {class_ for each in every for class_ in each.objects.values()}
    return any(each.stored for each in every) or any(record_type(finder.module, name) is None for name in classes)


class _Taking:
    """Rewrites a function, and all that it calls."""

    def __init__(self, finder: Finder, name: str) -> None:
        self.finder = finder
        self.name = name
        self.uses = finder.found[name]
        self.classes = finder.classes
        self.boxed = frozenset().union(*(uses.stored for uses in finder.found.values()))
        wanted: dict[str, set[str]] = {}
        for uses in finder.found.values():
            for owner, fields in uses.read.items():
                wanted.setdefault(uses.objects[owner], set()).update(fields)
        self.wanted = {name: [each for each in self.classes[name].fields if each in some] for name, some in wanted.items()}
        for class_, attr in self.boxed:
            annotation = self.classes[class_].fields[attr]
            if annotation is not None and not (isinstance(annotation, ast.Name) and annotation.id in _BOXED):
                raise Escapes(finder.definition(name), f"a field that is set and is no number: {attr} of {class_}")
        self.writers = {each: _Function(self, each) for each in finder.found}

    def apart(self) -> Apart:
        """The file and the function without objects."""
        functions = {name: each.made() for name, each in self.writers.items()}
        uses, function = self.uses, functions[self.name]
        module = replace(self.finder.module, functions={**self.finder.module.functions, **functions})
        places: dict[str, Field] = {}
        defaults: dict[str, bool | int | Fraction | None] = {}
        writer = self.writers[self.name]
        params = [arg.arg for arg in writer.parameters()]
        objects = [name for name in params if name in uses.objects]
        for owner in objects:
            class_ = uses.objects[owner]
            for attr in writer.fields_of(owner):
                places[writer.named(owner, attr)] = Field(owner, class_, f".{attr}", boxed=(class_, attr) in self.boxed)
                defaults[writer.named(owner, attr)] = number(self.classes[class_].defaults.get(attr))
        for name in uses.variables:
            places[name] = Field(name, "", "", Variable(name, name), boxed=name in uses.written)
        returned = uses.returned - {"None"}
        result = tuple(self.classes[next(iter(returned))].fields) if returned - {""} else ()
        if result and len(returned) > 1:
            raise Escapes(function, f"{self.name} returns objects on some paths and other values on others")
        said = (*self._different(objects), *self._parts())
        return Apart(module, function, places, result, said, defaults)

    def _parts(self) -> Iterator[str]:
        """What has to be said of modules of PyTorch that have others."""
        for name, wanted in self.wanted.items():
            parts = [each for each in self.classes[name].parts if any(attr.startswith(f"{each}.") for attr in wanted)]
            if parts:
                yield f"{', '.join(parts)} of {name}: as its {INIT} makes them, without hooks"

    def _different(self, objects: Sequence[str]) -> Iterator[str]:
        """What has to be said of parameters that may be the same object, where one is changed."""
        changed = {class_ for class_, _ in self.boxed}
        for at, one in enumerate(objects):
            for other in objects[at + 1 :]:
                if self.uses.objects[one] == self.uses.objects[other] and self.uses.objects[one] in changed:
                    yield f"{one} and {other} are different objects"


class _Function(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self, taking: _Taking, name: str) -> None:
        self.taking = taking
        self.finder = taking.finder
        self.name = name
        self.uses = self.finder.found[name]
        self.itself = ""  # the object that an `__init__` makes
        self.begun: set[str] = set()  # its fields that are set
        nodes = list(ast.walk(self.uses.function))
        self.taken = {each.id for each in nodes if isinstance(each, ast.Name)}
        self.taken |= {each.arg for each in nodes if isinstance(each, ast.arg)}
        self.taken |= {*self.finder.module.bound, *dir(builtins)}
        self.names: dict[tuple[str, str], str] = {}
        for owner in self.uses.objects:
            for attr in self.taking.classes[self.uses.objects[owner]].fields:
                self.names[owner, attr] = self._fresh((attr if owner == self._self() else f"{owner}_{attr}").replace(".", "_"))

    def _self(self) -> str:
        return self.parameters()[0].arg if "." in self.name else ""

    def _fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def parameters(self) -> list[ast.arg]:
        """The parameters of the source, in their order."""
        args = self.uses.function.args
        return [*args.posonlyargs, *args.args, *args.kwonlyargs]

    def named(self, owner: str, attr: str) -> str:
        """The name of a field of an object."""
        return self.names[owner, attr]

    def fields_of(self, owner: str) -> list[str]:
        """The fields that are used of an object, in the order of its class."""
        return [attr for attr in self.taking.classes[self.uses.objects[owner]].fields if attr in self.uses.read.get(owner, {})]

    def made(self) -> ast.FunctionDef:
        """The function without objects."""
        old = self.uses.function
        made = copy.copy(old)
        made.name, made.returns = self.name, None if self.uses.returned - {"", "None"} else old.returns
        made.args = copy.copy(old.args)
        plain = (each for each in old.decorator_list if not is_declaration(self.finder.module, each))
        made.decorator_list = [each for each in plain if not (isinstance(each, ast.Name) and each.id == "property")]
        making = self.name.endswith(f".{INIT}")
        self.itself = self._self() if making else ""
        for kind in ("posonlyargs", "args", "kwonlyargs"):
            setattr(made.args, kind, [each for arg in getattr(old.args, kind) for each in self._arguments(arg)])
        variables = [ast.arg(name, self._of_variable(name)) for name in self.uses.variables]
        if self.name == self.taking.name:
            made.args.kwonlyargs += variables
            made.args.kw_defaults = [*made.args.kw_defaults, *(None for _ in variables)]
        else:
            made.args.posonlyargs = [*variables, *made.args.posonlyargs]
        if making and any(isinstance(node, ast.Return) for node in ast.walk(old)):
            raise Escapes(old, f"{self.name} returns early")
        made.body = []
        for stmt in old.body:
            changed = self.visit(copy.deepcopy(stmt))
            made.body += changed if isinstance(changed, list) else [changed] if changed is not None else []
        if making:
            made.body.append(self._made_fields(old))
        made.body = made.body or [ast.Pass()]
        for part in ast.walk(made):
            if isinstance(part, ast.expr | ast.stmt | ast.arg) and not hasattr(part, "lineno"):
                ast.copy_location(part, old)
        return ast.fix_missing_locations(made)

    def _arguments(self, arg: ast.arg) -> list[ast.arg]:
        """The parameters for one of the source."""
        if arg.arg not in self.uses.objects:
            return [arg]
        if arg.arg == self.itself:
            return []
        class_ = self.taking.classes[self.uses.objects[arg.arg]]
        found = []
        for attr in self.fields_of(arg.arg):
            annotation = self._boxed_type(class_.fields[attr], (class_.name, attr) in self.taking.boxed)
            found.append(ast.copy_location(ast.arg(self.named(arg.arg, attr), annotation), arg))
        return found

    def _boxed_type(self, annotation: ast.expr | None, boxed: bool) -> ast.expr | None:
        if annotation is None or not boxed:
            return annotation
        return ast.Subscript(ast.Name("list", ast.Load()), annotation, ast.Load())

    def _of_variable(self, name: str) -> ast.expr | None:
        for node in self.finder.module.tree.body:
            match node:
                case ast.AnnAssign(target=ast.Name(id=other), annotation=annotation) if other == name:
                    return self._boxed_type(annotation, self._is_written(name))
                case ast.Assign(targets=[ast.Name(id=other)], value=value) if other == name:
                    return self._boxed_type(of_number(self.finder.module.tree, name, value), self._is_written(name))
                case _:
                    pass
        return None

    def _is_written(self, name: str) -> bool:
        return name in self.taking.uses.written

    def _made_fields(self, init: ast.FunctionDef) -> ast.Return:
        """What an `__init__` gives: the fields that are used of its objects."""
        wanted = self.taking.wanted.get(self.uses.objects[self.itself], [])
        if not wanted or not set(wanted) <= self.begun:
            missing = ", ".join(attr for attr in wanted if attr not in self.begun) or "no field that is used"
            raise Escapes(init, f"an {INIT} that does not set {missing} whatever happens")
        names: list[ast.expr] = [ast.Name(self.named(self.itself, attr), ast.Load()) for attr in wanted]
        return ast.copy_location(ast.Return(ast.Tuple(names, ast.Load()) if len(names) > 1 else names[0]), init.body[-1])

    # Statements

    def visit_Global(self, node: ast.Global) -> ast.stmt | None:
        """Variables of the module are parameters."""
        node.names = [name for name in node.names if name not in self.uses.variables]
        return node if node.names else None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """Annotations of fields are those of their classes."""
        if node.value is None or not (isinstance(node.target, ast.Attribute) or self._is_object(node.target)):
            return self.generic_visit(node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """An object that is made; a field that is set for the first time."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name in self.uses.objects:
                return self._making(node, name, call)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attr)]) if name == self.itself and name:
                return self._beginning(node, attr)
            case _:
                return self.generic_visit(node)

    def _is_object(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.uses.objects

    def _beginning(self, node: ast.Assign, attr: str) -> ast.AST | list[ast.stmt]:
        """A field in an `__init__`: at its first statement, which no condition is around, it begins to be."""
        class_ = self.uses.objects[self.itself]
        place = (node.lineno, node.col_offset)
        outermost = any(place == (stmt.lineno, stmt.col_offset) for stmt in self.uses.function.body)
        first = attr not in self.begun and outermost
        value: ast.expr = self.visit(node.value)
        if first:
            self.begun.add(attr)
        if attr not in self.taking.wanted.get(class_, []) and _is_idle(value):
            return []
        boxed = (class_, attr) in self.taking.boxed
        name = ast.Name(self.named(self.itself, attr), ast.Store())
        if boxed and not first:
            return ast.copy_location(ast.Assign([self._element(name.id, ast.Store())], value), node)
        return ast.copy_location(ast.Assign([name], ast.List([value], ast.Load()) if boxed else value), node)

    def _making(self, node: ast.Assign, name: str, call: ast.Call) -> list[ast.stmt]:
        """The fields of a new object."""
        class_ = self.taking.classes[self.uses.objects[name]]
        wanted = self.taking.wanted.get(class_.name, [])
        if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(call)) or not wanted:
            raise Escapes(node, f"'{name}', which is made of itself, or of which no field is used")
        if not class_.given:
            nobody = ast.Name("", ast.Load())
            made = ast.copy_location(self._call(f"{class_.name}.{INIT}", [nobody, *call.args], call.keywords), call)
            names: list[ast.expr] = [ast.Name(self.named(name, attr), ast.Store()) for attr in wanted]
            target = ast.Tuple(names, ast.Store()) if len(names) > 1 else names[0]
            return [ast.copy_location(ast.Assign([target], made), node)]
        found: list[ast.stmt] = []
        for attr, value in self._values(class_, call):
            inner: ast.expr = self.visit(value)
            if attr in wanted or not _is_idle(inner):
                kept = ast.List([inner], ast.Load()) if (class_.name, attr) in self.taking.boxed else inner
                found.append(ast.copy_location(ast.Assign([ast.Name(self.named(name, attr), ast.Store())], kept), node))
        return found

    def _values(self, class_: PlainClass, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """The fields of an object that is made of them, in the order in which they are computed."""
        fields = list(class_.fields)
        given_ = [*zip(fields, call.args, strict=False), *((str(each.arg), each.value) for each in call.keywords)]
        names = [name for name, _ in given_]
        starred = any(isinstance(arg, ast.Starred) for arg in call.args) or any(each.arg is None for each in call.keywords)
        by_keyword = any(each.arg == "kw_only" for each in ast.walk(class_.node) if isinstance(each, ast.keyword))
        wrong = starred or len(call.args) > len(fields) or len(set(names)) < len(names) or not set(names) <= set(fields)
        if wrong or (by_keyword and call.args):
            raise Escapes(call, f"{ast.unparse(call)}, which does not make an object of its fields {', '.join(fields)}")
        yield from given_
        for name in (name for name in fields if name not in names):
            if name not in class_.defaults:
                raise Escapes(call, f"{ast.unparse(call)} does not give the field {name}")
            yield name, _default(self.finder.module, class_.defaults[name])

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """An object that is returned is its fields."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self.uses.objects:
            return self.generic_visit(node)
        owner = node.value.id
        fields = self.taking.classes[self.uses.objects[owner]].fields
        node.value = ast.copy_location(ast.Tuple([self._field(owner, attr) for attr in fields], ast.Load()), node.value)
        return node

    # Expressions

    def _element(self, name: str, context: ast.expr_context) -> ast.Subscript:
        return ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(0), context)

    def _field(self, owner: str, attr: str, context: ast.expr_context | None = None) -> ast.expr:
        context = context or ast.Load()
        name = self.named(owner, attr)
        if (self.uses.objects[owner], attr) in self.taking.boxed:
            return self._element(name, context)
        return ast.Name(name, context)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A variable of the module."""
        if node.id in self.uses.variables and self._is_written(node.id):
            return ast.copy_location(self._element(node.id, node.ctx), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A field, or what a property gives."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.uses.objects:
                class_ = self.taking.classes[self.uses.objects[name]]
                if attr in class_.constants:
                    node.value = ast.copy_location(ast.Name(class_.name, ast.Load()), node.value)
                    return node
                if attr in class_.properties:
                    return ast.copy_location(self._call(f"{class_.name}.{attr}", [node.value], []), node)
                return ast.copy_location(self._field(name, attr, node.ctx), node)
            case _:
                return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a function of the file that is given objects or uses variables, or of a method."""
        match node.func:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr) if name in self.uses.objects:
                class_ = self.taking.classes[self.uses.objects[name]]
                return ast.copy_location(self._call(f"{class_.name}.{attr}", [owner, *node.args], node.keywords), node)
            case ast.Name(id=name) if name in self.finder.found:
                return ast.copy_location(self._call(name, node.args, node.keywords), node)
            case _:
                return self.generic_visit(node)

    def _call(self, called: str, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.Call:
        inner = self.taking.writers[called]
        made_args: list[ast.expr] = []
        made_keywords: list[ast.keyword] = []
        named = {id(value): param for param, value in given(inner.uses.function, args, keywords)}
        for arg in args:
            fields = self._passed(inner, named.get(id(arg), ""), arg)
            made_args += [self.visit(arg)] if fields is None else [value for _, value in fields]
        for keyword in keywords:
            fields = self._passed(inner, named.get(id(keyword.value), ""), keyword.value)
            if fields is None:
                made_keywords.append(ast.keyword(keyword.arg, self.visit(keyword.value)))
            else:
                made_keywords += [ast.keyword(name, value) for name, value in fields]
        variables: list[ast.expr] = [ast.Name(name, ast.Load()) for name in inner.uses.variables]
        return ast.Call(ast.Name(called, ast.Load()), [*variables, *made_args], made_keywords)

    def _passed(self, inner: _Function, param: str, arg: ast.expr) -> list[tuple[str, ast.expr]] | None:
        """What a function is given for an object; None of what is no object."""
        if param not in inner.uses.objects:
            return None
        if not isinstance(arg, ast.Name):
            raise Escapes(arg, "an object without a name")
        if not arg.id:
            return []
        return [(inner.named(param, attr), ast.Name(self.named(arg.id, attr), ast.Load())) for attr in inner.fields_of(param)]


def _unboxed(text: str, boxed: set[str]) -> str:
    """A premise on the type of a number, which the function has as a list of one element."""
    name, taken, type_ = text.partition(" is taken as list[")
    kind, _, rest = type_.partition("]")
    return f"{name} is taken as {kind}{rest}" if taken and name in boxed else text


def _is_idle(value: ast.expr) -> bool:
    """Whether nothing happens where an expression is evaluated."""
    match value:
        case ast.Constant() | ast.Name():
            return True
        case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Tuple(elts=[]):
            return True
        case _:
            return False


def _default(module: PythonModule, value: ast.expr) -> ast.expr:
    """What a field is that is not given."""
    match value:
        case ast.Constant():
            return value
        case ast.Call(func=func, args=[], keywords=[ast.keyword(arg="default_factory", value=made)]):
            if module.full_name(func) == "dataclasses.field":
                match made:
                    case ast.Name(id="list") if not module.bound["list"]:
                        return ast.List([], ast.Load())
                    case ast.Lambda(body=body):
                        return copy.deepcopy(body)
        case _:
            pass
    raise Escapes(value, f"a field that is {ast.unparse(value)} by default")
