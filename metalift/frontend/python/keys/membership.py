"""Whether a list, a set made of one, or a display such as (1, 2) has an element, written as a question of the elements.

    known = set(allowed)             if any(each == order.item for each in allowed):
    ...
    if order.item in known:

A set may be made of a list that is a parameter and that the function only reads, in whatever way, and may then only be asked what
it has, or how many; other sets are what `metalift.frontend.python.keys.keyed` reads at one key.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field

from metalift.frontend.python.keys.containers import PURE
from metalift.frontend.python.keys.rewriting import Put, Renamed, Valued, fresh

_LISTS = ("list", "List", "Sequence")
_PLAIN = ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.Tuple | ast.expr_context


def without_membership(function: ast.FunctionDef) -> ast.FunctionDef | None:
    """A copy of the function in which such questions are asked of the elements; None where it has none."""
    found = _Membership(copy.deepcopy(function))
    return found.function if found.run() else None


@dataclass(slots=True)
class _Membership:
    function: ast.FunctionDef
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    count: int = 0

    def run(self) -> bool:
        """Rewrite the function; whether there was something to rewrite."""
        nodes = list(ast.walk(self.function))
        self.parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        self.taken = {node.id for node in nodes if isinstance(node, ast.Name)} | {arg.arg for arg in self.function.args.args}
        lists = {arg.arg for arg in self.function.args.args if _is_list(arg.annotation) and self._is_read(arg.arg)}
        made: dict[str, ast.SetComp] = {}
        body: list[ast.stmt] = []
        for stmt in self.function.body:
            new = self._made(stmt, lists)
            if new is None:
                body.append(stmt)
            else:
                made[new[0]] = new[1]
        each = ast.Name(id="each", ctx=ast.Load())
        known = made | {name: _elements(each, name) for name in lists}
        questions = [node for node in nodes if isinstance(node, ast.Compare)]
        replaced: dict[int, ast.expr] = {
            id(node): self._question(node, known[self._asked(node)]) for node in questions if self._asked(node) in known
        }
        replaced |= {id(node): found for node in questions if (found := _one_of(node)) is not None}
        lengths = {node: self._counted(node, made, lists) for node in nodes if isinstance(node, ast.Call)}
        replaced |= {id(node): count for node, count in lengths.items() if count is not None}
        if not replaced:
            return False
        Valued(replaced).visit(ast.Module(body, []))
        self.function.body = body
        ast.fix_missing_locations(self.function)
        return True

    def _uses(self, name: str) -> list[ast.Name]:
        return [node for node in self.parents if isinstance(node, ast.Name) and node.id == name]

    def _is_read(self, name: str) -> bool:
        """Whether a list is only run over, asked for elements, or for what it has."""
        return all(self._reads(node) for node in self._uses(name))

    def _reads(self, node: ast.Name) -> bool:
        match self.parents[node]:
            case ast.For(iter=used) | ast.comprehension(iter=used):
                return used is node
            case ast.Subscript(value=used, ctx=ast.Load()):
                return used is node
            case ast.Compare() as compare:
                return self._asked(compare) == node.id and compare.left is not node
            case ast.Call(func=ast.Name(id="len" | "set" | "frozenset" | "zip" | "enumerate" | "range" | "sum" | "max" | "min")):
                return True
        return False

    @staticmethod
    def _asked(node: ast.Compare) -> str:
        """The name of what a comparison asks for an element that costs nothing to name again; empty for others."""
        match node:
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]):
                return name if all(isinstance(part, _PLAIN) for part in ast.walk(left)) else ""
        return ""

    def _made(self, stmt: ast.stmt, lists: set[str]) -> tuple[str, ast.SetComp] | None:
        """The name and the elements of a set that is made of a list, and only asked what it has."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                pass
            case _:
                return None
        match value:
            case ast.Call(func=ast.Name(id="set" | "frozenset"), args=[ast.Name(id=owner)], keywords=[]) if owner in lists:
                elements = _elements(ast.Name(id="each", ctx=ast.Load()), owner)
            case ast.SetComp(generators=[ast.comprehension(target=ast.Name(), iter=ast.Name(id=owner))]) if owner in lists:
                elements = value
            case _:
                return None
        if not _can_be_repeated(elements):
            return None
        uses = [node for node in self._uses(name) if node is not getattr(stmt, "target", None) and self.parents[node] is not stmt]
        questions = [self.parents[node] for node in uses]
        asked = all(
            _has_length_of(each, name) or (isinstance(each, ast.Compare) and self._asked(each) == name) for each in questions
        )
        free = {node.id for node in ast.walk(elements) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        own = {node.id for node in ast.walk(elements) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        stored = (node for node in self.parents if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del))
        changed = {node.id for node in stored}
        return (name, elements) if uses and asked and not (free - own) & changed else None

    def _counted(self, node: ast.Call, made: dict[str, ast.SetComp], lists: set[str]) -> ast.expr | None:
        """The length of a set as the number of elements of a list before which none has the same value; None for other calls."""
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if name in made:
                elements = made[name]
            case ast.Call(
                func=ast.Name(id="len"),
                args=[ast.Call(func=ast.Name(id="set" | "frozenset"), args=[ast.Name(id=name)], keywords=[])],
                keywords=[],
            ) if name in lists:
                elements = _elements(ast.Name(id="each", ctx=ast.Load()), name)
            case ast.Call(func=ast.Name(id="len"), args=[ast.SetComp() as elements], keywords=[]):
                pass
            case _:
                return None
        match elements.generators:
            case [ast.comprehension(target=ast.Name(id=target), iter=ast.Name(id=owner), ifs=[])] if owner in lists:
                pass
            case _:
                return None
        if any(isinstance(part, ast.comprehension | ast.Lambda) for part in ast.walk(elements.elt)):
            return None
        if not _can_be_repeated(elements.elt):
            return None
        place, before = (fresh(each, self.taken) for each in ("place", "before"))
        one, other = (
            ast.unparse(Put({target: ast.parse(f"{owner}[{each}]", mode="eval").body}).visit(copy.deepcopy(elements.elt)))
            for each in (before, place)
        )
        none = f"not any({one} == {other} for {before} in range({place}))"
        count = ast.parse(f"sum(1 for {place} in range(len({owner})) if {none})", mode="eval").body
        for part in ast.walk(count):
            ast.copy_location(part, node)
        return count

    def _question(self, node: ast.Compare, elements: ast.SetComp) -> ast.expr:
        """Whether one of the elements is the value."""
        generator = elements.generators[0]
        assert isinstance(generator.target, ast.Name)
        self.count += 1
        fresh = next(name for name in (f"each{n or ''}" for n in range(self.count, 1000)) if name not in self.taken)
        self.taken.add(fresh)
        renamed = Renamed({generator.target.id: fresh})
        element, tests = copy.deepcopy(elements.elt), copy.deepcopy(generator.ifs)
        same = ast.Compare(left=renamed.visit(element), ops=[ast.Eq()], comparators=[copy.deepcopy(node.left)])
        conditions: list[ast.expr] = [*(renamed.visit(test) for test in tests), same]
        whole = conditions[0] if len(conditions) == 1 else ast.BoolOp(op=ast.And(), values=conditions)
        target = ast.Name(id=fresh, ctx=ast.Store())
        inner = ast.comprehension(target=target, iter=copy.deepcopy(generator.iter), ifs=[], is_async=0)
        asked = ast.GeneratorExp(elt=whole, generators=[inner])
        call = ast.Call(func=ast.Name(id="any", ctx=ast.Load()), args=[asked], keywords=[])
        found: ast.expr = ast.UnaryOp(op=ast.Not(), operand=call) if isinstance(node.ops[0], ast.NotIn) else call
        return ast.copy_location(found, node)


def _one_of(node: ast.Compare) -> ast.expr | None:
    """Whether a value is one of those that are written out; None for another comparison."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Tuple(values) | ast.List(values) | ast.Set(values)]):
            pass
        case _:
            return None
    if not isinstance(op, ast.In | ast.NotIn) or not values:
        return None
    if not all(isinstance(part, _PLAIN) for each in (left, *values) for part in ast.walk(each)):
        return None
    is_in = isinstance(op, ast.In)
    pairs = [(copy.deepcopy(left), ast.Eq() if is_in else ast.NotEq(), copy.deepcopy(value)) for value in values]
    asked: list[ast.expr] = [ast.Compare(left=one, ops=[how], comparators=[other]) for one, how, other in pairs]
    whole = asked[0] if len(asked) == 1 else ast.BoolOp(op=ast.Or() if is_in else ast.And(), values=asked)
    return ast.copy_location(whole, node)


def _has_length_of(node: ast.AST, name: str) -> bool:
    """Whether it is `len(name)`."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=other)], keywords=[]):
            return other == name
    return False


def _can_be_repeated(node: ast.AST) -> bool:
    """Whether evaluating an expression changes nothing, as far as is known without the functions of the module."""
    called = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    known = (isinstance(func, ast.Name) and func.id in PURE for func in called)
    return all(known) and not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _is_list(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Constant(value=str() as text):
            try:
                return _is_list(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return False
        case ast.Subscript(value=ast.Name(id=owner) | ast.Attribute(attr=owner)):
            return owner in _LISTS
    return False


def _elements(each: ast.Name, owner: str) -> ast.SetComp:
    """All elements of a list."""
    target = ast.Name(id=each.id, ctx=ast.Store())
    generator = ast.comprehension(target=target, iter=ast.Name(id=owner, ctx=ast.Load()), ifs=[], is_async=0)
    return ast.SetComp(elt=each, generators=[generator])
