"""The values of a dictionary or set at any key, as values of the groups of a collection."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from metalift.codegen.expressions import Printer
from metalift.codegen.flat import Rows, falls_apart, is_total
from metalift.codegen.request import CannotSpell
from metalift.codegen.together import Pass, Together, outside_functions
from metalift.driver import Driver, Layout
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Build, Call, Const, Expr, Ite, Lambda, Operator, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, BoolType, ScalarType, TensorType
from metalift.ir.expr.walk import alpha_key, children, free_vars, fresh_name, map_children, names, substitute
from metalift.ir.program.summary import TargetProgram
from metalift.ir.rewrite.simplify import simplify


def item_type(collection: Expr) -> ScalarType:
    """The type of a collection's elements."""
    type_ = type_of(collection)
    assert isinstance(type_, TensorType)
    return type_.element


def of_none(call: Call, driver: Driver) -> Expr:
    """What an operator gives of collections without elements."""
    none = Var("none", INT)
    args = []
    for arg in call.args:
        kind = type_of(arg)
        args.append(Build((integer(0),), (none,), Var("none of them", kind.element)) if isinstance(kind, TensorType) else arg)
    return simplify(expand(replace(call, args=tuple(args)), driver))


class GroupValues:
    """What is known of the groups of one program's collection by its key."""

    def __init__(
        self, driver: Driver, layout: Layout, together: Together, key: Var, hoist: Callable[[str, ast.expr], ast.expr]
    ) -> None:
        assert layout.groups is not None
        self.driver = driver
        self.layout = layout
        self.groups = layout.groups
        self.together = together
        self.key = key
        self.hoist = hoist
        self.elements: dict[Expr, Var] = {}  # what stands for an element of each collection
        self.keys: list[Expr] = []  # the keys of an element
        self.known: dict[Expr, Expr] = {}  # what stands for each value of the program
        self.counting: list[tuple[str, Expr]] = []  # operators, and for which elements some must hold it in each group
        self.wholes: dict[Var, ast.expr] = {}  # values of whole collections, which are the same for every key
        self.made = Pass((), 0)
        self.only: Expr | None = None  # of which elements groups are made, where not of all
        self.rows = Rows(layout)  # where an element has several keys

    def _whole(self, program: TargetProgram) -> Expr:
        """The result without names of values that are no collections."""
        values: dict[Var, Expr] = {}
        for let in program.lets:
            if not isinstance(let.var.type, TensorType):
                values[let.var] = substitute(let.value, values)
            elif self.key in free_vars(let.value):
                raise CannotSpell("a collection that is another one for each key")
        assert program.result is not None
        return substitute(program.result, values)

    def _with_wholes(self, expr: Expr, printer: Printer) -> Expr:
        """The expression with names for values of whole collections, which are computed before there are groups."""
        found: dict[Expr, Expr] = {}
        for part in outside_functions(expr):
            kind = type_of(part)
            if self.together.collections(part) and self.key not in free_vars(part) and isinstance(kind, ScalarType):
                if alpha_key(part) not in found:
                    wanted = part.function.rpartition(".")[2].partition("_")[0] if isinstance(part, Call) else "size"
                    var = Var(fresh_name(f"{wanted}.whole", {each.name for each in self.wholes}), kind)
                    found[alpha_key(part)] = var
                    self.wholes[var] = self.hoist(wanted, printer.spell(part).tree)
        expr = self._replaced(expr, found)
        for part in outside_functions(expr):
            free = free_vars(part)
            if free & self.wholes.keys() and self.key not in free and not is_total(part, self.driver):
                raise CannotSpell("what may fail of values of whole collections alone, which is computed even if no key is there")
        return expr

    def _of_several(self, result: Expr) -> bool:
        """Whether it is decided by collections that are no pair of which all of them are."""
        found = [set(self.together.collections(call)) for call in self._calls(result)]
        return any(not each <= max(found, key=len) for each in found)

    def _decided_by(self, result: Expr) -> tuple[Operator | None, tuple[Expr, ...]]:
        """The operation on truth values that an expression is, and the values."""
        match result:
            case Apply(op, args):
                return op, args
            case Call(_, args) if not self.together.collections(result) and all(type_of(arg) == BOOL for arg in args):
                given = {Var(f"{number}.part", BOOL): arg for number, arg in enumerate(args)}
                meaning = expand(replace(result, args=tuple(given)), self.driver)
                if isinstance(meaning, Apply) and all(part in given for part in meaning.args):
                    return meaning.op, tuple(given[part] for part in meaning.args if isinstance(part, Var))
        return None, ()

    def occurs(self, there: Expr, by: Lambda, collection: Expr) -> bool:
        """Whether a condition says of the key that it is the one of some element of a collection, by a function."""
        op, parts = self._decided_by(there)
        if op is Operator.AND:
            return any(self.occurs(part, by, collection) for part in parts)
        collections = self.together.collections(there)
        if not isinstance(there, Call) or collection not in collections or self.together.partial(there).neutral is not False:
            return False
        given = self._deciding(there)
        tests = dict(self._tests(given.body))
        outside = self._replaced(given.body, {alpha_key(test): FALSE for test in tests})
        key = substitute(by.body, {by.params[0]: given.params[collections.index(collection)]})
        keys = {alpha_key(each) for each in tests.values()}
        return type_of(there) == BOOL and keys == {alpha_key(key)} and simplify(expand(outside, self.driver)) == FALSE

    def _at_group(self, value: Expr, there: Expr) -> Expr:
        """What the result has at a key that is there, of values of its group."""
        value = self._reduced(self._with(value))
        return self._reduced(self._replaced(value, {alpha_key(there): TRUE})) if there != TRUE else value

    def _calls(self, expr: Expr) -> Iterator[Call]:
        """The values of collections."""
        for part in outside_functions(expr):
            if self.together.collections(part):
                if not isinstance(part, Call) or self.key not in free_vars(part):
                    raise CannotSpell("a value of a whole collection, beside values at each key")
                yield part

    def _take(self, call: Call, at_key: dict[Expr, Expr]) -> None:
        """Make a value at the key one of a group; `at_key` is what its function is for the elements with each key."""
        partial = self.together.partial(call)
        elements = tuple(self.elements[each] for each in self.together.collections(call))
        taken = {var.name for var in self.made.members} | names(call)
        var = Var(fresh_name(call.function.rpartition(".")[2].partition("_")[0], taken), call.type)
        decides = self._deciding(call)
        assert partial.neutral is not None
        nothing = Const(partial.neutral, type_of(decides.body))
        inside = self._at_rows(var.name, tuple(at_key.get(by, nothing) for by in self.keys))
        if isinstance(call.type, BoolType) and isinstance(inside, Const):
            self.known[alpha_key(call)] = inside  # of a group, which has elements
            return
        if partial.nonempty and inside != TRUE:
            self.counting.append((call.function, inside))
        args = [Lambda(elements, inside) if arg is decides else arg for arg in call.args]
        for at, arg in enumerate(args):
            if len(self.keys) > 1 and isinstance(arg, Lambda) and arg.params != elements:
                body = substitute(arg.body, dict(zip(arg.params, elements, strict=True)))
                if not (inside == TRUE or is_total(body, self.driver)):
                    raise CannotSpell(f"the operator {call.function} at several keys, of what not all elements have")
                args[at] = Lambda(elements, self._at_rows(var.name, (body,) * len(self.keys)))
        self.made.members[var] = replace(call, args=tuple(args))
        self.known[alpha_key(call)] = var

    def _at_rows(self, wanted: str, values: tuple[Expr, ...]) -> Expr:
        """What a function is for the row of an element with each key: a part of the row where there are several."""
        return values[0] if len(self.keys) == 1 else self.rows.part(wanted, values)

    def _deciding(self, call: Call) -> Lambda:
        """The operator's first function, which says what counts; no other one depends on the key."""
        functions = [arg for arg in call.args if isinstance(arg, Lambda)]
        others = [*functions[1:], *(arg for _, arg in self.together.named(call) if not isinstance(arg, Lambda))]
        neutral = self.together.partial(call).neutral
        if not functions or neutral is None or any(self.key in free_vars(arg) for arg in others):
            raise CannotSpell(f"the operator {call.function} at each key")
        return functions[0]

    def _grouped(self, call: Call) -> tuple[Expr, ...]:
        """The collections of a value, which are those whose elements are grouped, or one of them."""
        collections = self.together.collections(call)
        for each in collections:
            self.elements.setdefault(each, Var(f"element.{len(self.elements)}", item_type(each)))
        if len(collections) > len(self.made.collections):
            self.made.collections, collections = collections, self.made.collections
        if not set(collections) <= set(self.made.collections):
            raise CannotSpell("values of several collections at one key")
        return self.together.collections(call)

    def _at_keys(self, call: Call) -> dict[Expr, Expr]:
        """What the function of a value is for the elements with each of the keys that it asks for; it is neutral for others."""
        partial, given = self.together.partial(call), self._deciding(call)
        elements = tuple(self.elements[each] for each in self._grouped(call))
        body = substitute(given.body, dict(zip(given.params, elements, strict=True)))
        tests = {alpha_key(test): by for test, by in self._tests(body)}
        own = [*dict.fromkeys(tests.values())][::-1]  # what a source does last decides first

        def where(chosen: Collection[int]) -> Expr:
            """The body for the elements that have just these of the keys."""
            return self._replaced(body, {test: TRUE if own.index(by) in chosen else FALSE for test, by in tests.items()})

        outside = simplify(expand(where(()), self.driver))
        if not tests or not (isinstance(outside, Const) and outside.value == partial.neutral):
            raise CannotSpell("a value that depends on elements with other keys")
        if len(own) > 1:
            op = Operator(partial.joined) if partial.joined else None
            if op is None or not falls_apart(op, len(own), lambda chosen: expand(where(chosen), self.driver)):
                raise CannotSpell("a value at several keys of one element that is not one at each of them")
        self.keys += [by for by in own if by not in self.keys]
        return {by: substitute(self._reduced(where((at,))), {self.key: by}) for at, by in enumerate(own)}

    def _tests(self, body: Expr) -> Iterator[tuple[Expr, Expr]]:
        """The comparisons with the key in a function's body, and with what it is compared."""
        if self.key not in free_vars(body):
            return
        parts = body.args if isinstance(body, Call | Apply) else ()
        if len(parts) == 2 and self.key in parts and type_of(body) == BOOL:
            meaning = expand(body, self.driver)
            other = parts[1] if parts[0] == self.key else parts[0]
            if isinstance(meaning, Apply) and meaning.op is Operator.EQ and self.key not in free_vars(other):
                yield body, other
                return
        for part in outside_functions(body):
            if part is not body and part in children(body):
                yield from self._tests(part)

    def _with(self, expr: Expr, *, empty: bool = False) -> Expr:
        """The expression where values of groups have names; or with what they are where there is no group."""
        if not empty:
            return self._replaced(expr, self.known)
        calls = {alpha_key(call): call for call in self._calls(expr)}
        return self._replaced(expr, {key: of_none(call, self.driver) for key, call in calls.items()})

    def _replaced(self, expr: Expr, values: dict[Expr, Expr]) -> Expr:
        if alpha_key(expr) in values:
            return values[alpha_key(expr)]
        return expr if isinstance(expr, Lambda) else map_children(lambda part: self._replaced(part, values), expr)

    def _reduced(self, expr: Expr) -> Expr:
        """The expression without operators that a constant decides."""
        expr = expr if isinstance(expr, Lambda) else map_children(self._reduced, expr)
        if isinstance(expr, Apply | Ite) and any(isinstance(part, Const) for part in children(expr)):
            return simplify(expr)
        if isinstance(expr, Call) and expr.function in self.driver.operators and not self.together.collections(expr):
            if any(isinstance(arg, Const) for arg in expr.args):
                meaning = simplify(expand(expr, self.driver))
                alike = (arg for arg in expr.args if type_of(arg) == expr.type)
                same = (arg for arg in alike if simplify(expand(arg, self.driver)) == meaning)
                return meaning if isinstance(meaning, Const) else next(same, expr)
        return expr
