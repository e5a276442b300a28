"""Dictionaries and sets of a function, seen at one key.

What a dictionary has at a key depends only on what the function does at that key, as long as every statement that reads or
writes a dictionary does so at one key, and writes nothing else. Such a function is read as one with a further parameter, the key,
which stands for any: a dictionary is whether it has the key, and what it has there, and statements at other keys are left out.

    for w in words:                  for w in words:
        count[w] += 1                    if w == key:
                                             count_value += 1
                                             count_there = True

Everything else is refused: what is read at one key must not reach what is done at another, nor a result of all keys.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from metalift.frontend.python.keys.at_key import FORM, AtKey, Map
from metalift.frontend.python.keys.collected import without_lists
from metalift.frontend.python.keys.containers import Made, accesses, annotated, is_pure, made, zero
from metalift.frontend.python.keys.returned import note_of, returned, with_names
from metalift.frontend.python.keys.rewriting import Put, Renamed, assign, at, fresh, loaded, only_in_loops, same, stored, uses
from metalift.frontend.python.keys.several import Split, without_tuples
from metalift.frontend.python.keys.tidied import tidied
from metalift.frontend.python.keys.written import writes_strings
from metalift.frontend.python.naming.module import PythonModule

_VALUED = ast.Assign | ast.AnnAssign | ast.Return


@dataclass(frozen=True, slots=True)
class Keyed:
    """The function at one key: the name of the parameter that is the key, and what the result is, as the fragment's key has it.

    `typed`: an annotation says what the keys are.
    """

    function: ast.FunctionDef
    key: str
    result: str
    typed: bool


def prepared(module: PythonModule, function: ast.FunctionDef) -> Split:
    """The function with dictionaries of numbers and strings alone. Raises Unsupported."""
    return without_tuples(module, without_lists(module, with_names(module, tidied(module, function))))


def at_one_key(module: PythonModule, split: Split) -> Keyed | None:
    """The function at one key; None where it makes no dictionaries and sets. Raises Unsupported."""
    if not any(makes(module, stmt.value) for stmt in split.function.body if isinstance(stmt, _VALUED)):
        return None
    return Rewriter(module, split.function, several=split.parts).run()


def makes(module: PythonModule, value: ast.expr | None) -> bool:
    """Whether an expression is a new dictionary or set, or what an operation makes of sets of which some are new."""
    return any(made(module, each) for each in operands(value))


@dataclass(slots=True)
class Rewriter(AtKey):
    """Rewrites the whole function, or statements of it one after the other."""

    taken: set[str] = field(default_factory=set)
    key: str = ""
    key_type: str = ""

    def begin(self) -> None:
        """Choose the name of the key, and note those that the source has."""
        self.taken |= {node.id for node in ast.walk(self.function) if isinstance(node, ast.Name)}
        self.taken |= {node.arg for node in ast.walk(self.function) if isinstance(node, ast.arg)}
        self.own = frozenset(self.taken)
        self.key = fresh("key", self.taken)

    def run(self) -> Keyed:
        """The whole function."""
        self.begin()
        last = self.function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            self.refuse(last, "a function that makes dictionaries or sets and does not end by returning one")
        for node in (node for stmt in self.function.body[:-1] for node in ast.walk(stmt) if isinstance(node, ast.Return)):
            self.refuse(node, "a result before the end of a function that returns dictionaries or sets; return at its end only")
        notes = [annotated(note) for _, note in returned(self.function)]
        self.key_type = self._one_type([key for key, _ in notes if key])
        body: list[ast.stmt] = []
        for stmt in self.function.body[:-1]:
            body += self.statement(stmt)
        lines, result = self._returned(last)
        body += lines
        function = copy.copy(self.function)
        annotation = ast.parse(self.key_type or "int", mode="eval").body
        function.args = copy.deepcopy(self.function.args)
        function.args.args.append(ast.copy_location(ast.arg(arg=self.key, annotation=annotation), self.function))
        function.args.defaults = []
        function.body, function.returns = body, None
        ast.fix_missing_locations(function)
        return Keyed(function, self.key, result, self.key_type != "")

    def statement(self, stmt: ast.stmt) -> list[ast.stmt]:
        """A statement of the function itself, at the key."""
        return self._binding(stmt) or self._block([stmt])

    def _one_type(self, found: Sequence[str]) -> str:
        """The type of keys, which all dictionaries and sets share."""
        if len(set(found)) > 1:
            self.refuse(self.function.returns or self.function, f"results with keys of different types, {' and '.join(found)}")
        return found[0] if found else ""

    # What is made

    def _binding(self, stmt: ast.stmt) -> list[ast.stmt]:
        """A statement that gives a name to a new dictionary or set; nothing where it is another."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                note: ast.expr | None = None
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value, annotation=note):
                pass
            case _:
                return []
        if set_operation(value) is not None and any(self._is_set(each) for each in operands(value)):
            return self._combined(name, value, stmt)
        new = made(self.module, value)
        return self._made(name, new, annotated(note), stmt) if new is not None else []

    def _is_set(self, value: ast.expr) -> bool:
        new = made(self.module, value)
        known = isinstance(value, ast.Name) and value.id in self.maps and self.maps[value.id].made.is_set
        return known or (new is not None and new.is_set)

    def _combined(self, name: str, value: ast.expr, stmt: ast.stmt) -> list[ast.stmt]:
        """A statement that gives a name to what an operation makes of two sets."""
        self._check_bound_once(name, stmt)
        lines: list[ast.stmt] = []
        (test,) = self._result(value, "", lines, stmt)
        found = Map(Made(is_set=True), fresh(f"{name}_there", self.taken), fresh(f"{name}_value", self.taken), zero(""))
        self.maps[name] = found
        return [*lines, at(assign(found.there, test), stmt)]

    def _check_bound_once(self, name: str, stmt: ast.stmt) -> None:
        stores = [node for node in ast.walk(self.function) if isinstance(node, ast.Name) and node.id == name]
        if sum(isinstance(node.ctx, ast.Store | ast.Del) for node in stores) > 1:
            self.refuse(stmt, f"{name} is bound more than once; give each dictionary or set its own name")

    def _made(self, name: str, new: Made, types: tuple[str, str], stmt: ast.stmt) -> list[ast.stmt]:
        self._check_bound_once(name, stmt)
        self.key_type = self.key_type or types[0]
        filled = self.filled(name, new, stmt)
        start = new.default if isinstance(new.default, ast.Constant) else zero(types[1] or self._value_type(name, filled))
        found = Map(new, fresh(f"{name}_there", self.taken), fresh(f"{name}_value", self.taken), start)
        self.maps[name] = found
        lines = [assign(found.there, ast.Constant(value=False))]
        if not new.is_set:
            lines.append(assign(found.value, found.zero))
        return [*(at(line, stmt) for line in lines), *self._block([at(each, stmt) for each in filled])]

    def _value_type(self, name: str, filled: Sequence[ast.stmt]) -> str:
        """The type of values, as far as the source shows it: strings that are written, or a fraction for a missing key."""
        if writes_strings(self.module, self.function, [*self.function.body, *filled], name):
            return "str"
        for node in ast.walk(self.function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get" | "setdefault"), args=[_, default]):
                    if owner == name and isinstance(default, ast.Constant) and isinstance(default.value, float):
                        return "float"
        return annotated(note_of(self.function, name))[1]

    def filled(self, name: str, new: Made, stmt: ast.stmt) -> list[ast.stmt]:
        """The loop that fills it."""
        match new.items:
            case None:
                return []
            case ast.SetComp() if not new.is_set:
                self.refuse(new.items, f"the Counter of a set, which has each element once; {FORM}")
            case ast.Name(id=owner) if not new.is_set and owner in self.maps and not self.maps[owner].made.is_set:
                self.refuse(new.items, f"the Counter of a dictionary, which has its values; {FORM}")
            case ast.DictComp(key=key, value=value, generators=generators):
                step = f"{name}[_key] = _value"
                parts = {"_key": key, "_value": value}
            case ast.SetComp(elt=key, generators=generators) | ast.GeneratorExp(elt=key, generators=generators):
                step = f"{name}.add(_key)" if new.is_set else f"{name}[_key] += 1"
                parts = {"_key": key}
            case _:
                element = fresh("element", self.taken)
                key = ast.Name(id=element, ctx=ast.Load())
                target = ast.Name(id=element, ctx=ast.Store())
                generators = [ast.comprehension(target=target, iter=new.items, ifs=[], is_async=0)]
                step = f"{name}.add(_key)" if new.is_set else f"{name}[_key] += 1"
                parts = {"_key": key}
        bound = {node.id for each in generators for node in ast.walk(each.target) if isinstance(node, ast.Name)}
        renamed = {each: fresh(each, self.taken) for each in bound}
        made_step = ast.parse(step).body[0]
        for node in ast.walk(made_step):
            ast.copy_location(node, stmt)
        line: ast.stmt = Put(parts).visit(made_step)
        for each in reversed(generators):
            if each.is_async:
                self.refuse(stmt, "an asynchronous comprehension")
            for condition in reversed(each.ifs):
                line = ast.If(test=condition, body=[line], orelse=[])
            line = ast.For(target=each.target, iter=each.iter, body=[line], orelse=[])
        return [Renamed(renamed).visit(copy.deepcopy(line))]

    def _returned(self, stmt: ast.Return) -> tuple[list[ast.stmt], str]:
        """The end of the function, and what its results are: of dictionaries whether they have the key, and the value."""
        lines: list[ast.stmt] = []
        items: list[ast.expr] = []
        kinds: list[str] = []
        results = returned(self.function)
        for value, note in results:
            if len(results) > 1 and not self.mentions(value) and not (isinstance(value, ast.Name) and value.id in self.several):
                items.append(value)
                kinds.append("value")
                continue
            found = self._result(value, annotated(note)[1], lines, stmt)
            kind = "set" if len(found) == 1 else "dict"
            kinds.append(f"dict:{len(found) - 1}" if kind == "dict" and len(results) > 1 else kind)
            items += found
        if not set(kinds) - {"value"}:
            self.refuse(stmt, f"a result that is no dictionary or set, of a function that makes some; {FORM}")
        whole = items[0] if len(items) == 1 else ast.Tuple(elts=items, ctx=ast.Load())
        return [*lines, at(ast.Return(value=whole), stmt)], " ".join(kinds)

    def _result(self, value: ast.expr, value_type: str, lines: list[ast.stmt], stmt: ast.stmt) -> list[ast.expr]:
        """Whether the key is in a dictionary or set that is returned, and what it has there; `lines` come before."""
        match value:
            case ast.Name(id=name) if name in self.maps:
                pass
            case ast.Name(id=name) if name in self.several:
                return self._parts([self.maps[part] for part in self.several[name]])
            case ast.Call(func=ast.Name(id="dict" | "set"), args=[ast.Name(id=name)], keywords=[]) if name in self.maps:
                pass
            case ast.expr() as other if (new := made(self.module, other)) is not None:
                name = fresh("result", self.taken)
                lines += self._made(name, new, ("", value_type), stmt)
            case _ if (combined := set_operation(value)) is not None:
                operation, *sets = combined
                one, two = (self._result(each, "", lines, stmt) for each in sets)
                if len(one) > 1 or len(two) > 1:
                    self.refuse(stmt, f"an operation on sets of dictionaries; {FORM}")
                other = ast.UnaryOp(op=ast.Not(), operand=two[0]) if operation == "difference" else two[0]
                return [ast.BoolOp(op=ast.Or() if operation == "union" else ast.And(), values=[one[0], other])]
            case _:
                self.refuse(stmt, f"a result that is no dictionary or set, of a function that makes some; {FORM}")
        found = self.maps[name]
        return [ast.Name(id=found.there, ctx=ast.Load())] if found.made.is_set else self._parts([found])

    def _parts(self, parts: Sequence[Map]) -> list[ast.expr]:
        """Whether dictionaries with the same keys have the key, and what each has there."""
        there = ast.Name(id=parts[0].there, ctx=ast.Load())
        values: list[ast.expr] = []
        for found in parts:
            value: ast.expr = ast.Name(id=found.value, ctx=ast.Load())
            if found.zero.value:
                nothing = 0.0 if isinstance(found.zero.value, float) else 0
                value = ast.IfExp(test=there, body=value, orelse=ast.Constant(value=nothing))
            values.append(value)
        return [there, *values]

    # Statements

    def _block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements at any key."""
        done: list[ast.stmt] = []
        place = 0
        while place < len(stmts):
            stmt = stmts[place]
            place += 1
            if not self.mentions(stmt):
                done.append(stmt)
                continue
            match stmt:
                case ast.For(iter=iterated) if self.mentions(iterated):
                    done += self.over(stmt)
                case ast.For(target=target, orelse=[]) if not self.mentions(target):
                    done.append(self._with(stmt, body=self._block(stmt.body)))
                case ast.While(test=test, orelse=[]) if not self.mentions(test):
                    done.append(self._with(stmt, body=self._block(stmt.body)))
                case ast.If(test=test) if not self.mentions(test):
                    done.append(self._with(stmt, body=self._block(stmt.body), orelse=self._block(stmt.orelse)))
                case _:
                    group = [stmt]
                    key = self.key_of([stmt])
                    while (between := self._next(stmts[place:], group, key)) is not None:
                        done += stmts[place : place + between]
                        group.append(stmts[place + between])
                        place += between + 1
                    self.check(group, key, [])
                    test = ast.Compare(left=key, ops=[ast.Eq()], comparators=[ast.Name(id=self.key, ctx=ast.Load())])
                    done.append(at(ast.If(test=test, body=self.group(group), orelse=[]), stmt))
        return done

    def _with(self, stmt: ast.stmt, **changed: list[ast.stmt]) -> ast.stmt:
        new = copy.copy(stmt)
        for name, value in changed.items():
            setattr(new, name, value)
        return new

    def over(self, stmt: ast.For, kept: Collection[str] = ()) -> list[ast.stmt]:
        """A loop over the keys of a dictionary or set, whose order does not matter: what it does at this one.

        `kept` are names with values of several keys, which the loop may change.
        """
        match stmt.iter, stmt.target:
            case ast.Name(id=name), ast.Name(id=key) if name in self.maps:
                value = None
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="keys")), ast.Name(id=key) if name in self.maps:
                value = None
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items"), args=[]),
                ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]),
            ) if name in self.maps:
                pass
            case _:
                self.refuse(stmt.iter, f"a loop over something of a dictionary or set; {FORM}")
        if stmt.orelse:
            self.refuse(stmt, "an else after a loop over a dictionary or set")
        bound = [each for each in (key, value) if each]
        again = [each for each in bound if each in self.own and uses([self.function], each) != uses([stmt], each)]
        if again and all(only_in_loops(self.function, each) for each in again):
            return self.over(Renamed({each: fresh(each, self.taken) for each in again}).visit(copy.deepcopy(stmt)), kept)
        self.check([stmt], ast.Name(id=key, ctx=ast.Load()), bound, kept)
        lines: list[ast.stmt] = [at(assign(key, ast.Name(id=self.key, ctx=ast.Load())), stmt)]
        if value:
            lines.append(at(assign(value, ast.Name(id=self.maps[name].value, ctx=ast.Load())), stmt))
        test = ast.Name(id=self.maps[name].there, ctx=ast.Load())
        return [at(ast.If(test=test, body=[*lines, *self.group(stmt.body)], orelse=[]), stmt)]

    def _next(self, stmts: Sequence[ast.stmt], group: Sequence[ast.stmt], key: ast.expr) -> int | None:
        """Where the next of the statements is that goes on at the key, if those before it could as well come before the group."""
        for place, stmt in enumerate(stmts):
            if self._belongs(stmt, group, key):
                return place
            if not self._commutes(stmt, group):
                return None
        return None

    def _commutes(self, stmt: ast.stmt, group: Sequence[ast.stmt]) -> bool:
        """Whether a statement is about other names than those before it, and gives one its value."""
        match stmt:
            case (
                ast.Assign(targets=[ast.Name()], value=value)
                | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
                | ast.AugAssign(target=ast.Name(), value=value)
            ) if not self.mentions(stmt) and is_pure(value, self.module):
                own, others = stored([stmt]), stored(group)
                return not own & (others | loaded(group)) and not loaded([stmt]) & others
        return False

    def _belongs(self, stmt: ast.stmt, group: Sequence[ast.stmt], key: ast.expr) -> bool:
        """Whether a statement goes on with what the ones before do at the key."""
        if isinstance(stmt, ast.For | ast.While | ast.Return):
            return False
        found = list(accesses(stmt, self.maps))
        if any(each.key is None or not same(each.key, key) for each in found):
            return False
        return bool(found) or bool(stored(group) & (loaded([stmt]) | stored([stmt])))


def operands(value: ast.expr | None) -> Iterator[ast.expr]:
    """The sets that operations make an expression of, or the expression itself."""
    combined = None if value is None else set_operation(value)
    if combined is not None:
        for each in combined[1:]:
            yield from operands(each)
    elif value is not None:
        yield value


def set_operation(value: ast.expr) -> tuple[str, ast.expr, ast.expr] | None:
    """The operation on two sets that an expression is, by the name of the method, and the two."""
    operators = {ast.BitOr: "union", ast.BitAnd: "intersection", ast.Sub: "difference"}
    match value:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in operators:
            return operators[type(op)], left, right
        case ast.Call(func=ast.Attribute(value=left, attr="union" | "intersection" | "difference" as method), args=[right]):
            return (method, left, right) if not value.keywords else None
    return None
