"""What functions of a collection's elements ask of another collection at a key, as a join with the groups of that one.

    total_of(v: v.amount * last_of(w: w.id == v.item, w: w.price, 0, items), orders)

asks `items`, for each order, for a value of those with its key. The groups of `items` are made once, each order goes with what
they have at its key, and the function reads that:

    joined = looked_up(orders, v: v.item, groups, 0)
    total_of(v: element(v).amount * found(v), joined)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metalift.codegen.expressions import Printer
from metalift.codegen.group_values import item_type, of_none
from metalift.codegen.grouped import Grouped
from metalift.codegen.names import Names
from metalift.codegen.request import CannotSpell
from metalift.codegen.spelled import spelled_as
from metalift.codegen.together import Together
from metalift.driver import Driver, Layout
from metalift.driver import Operator as DriverOperator
from metalift.driver.expansion import expand
from metalift.driver.templates import constant, fill_template, tuple_of
from metalift.ir.expr.nodes import TRUE, Apply, Build, Call, Const, Expr, Lambda, Length, MakeTuple, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, ScalarType, TensorType
from metalift.ir.expr.walk import alpha_equal, alpha_key, children, free_vars, fresh_name, map_children, names, substitute
from metalift.ir.program.summary import Let, TargetProgram
from metalift.ir.rewrite.simplify import simplify

OTHERWISE = "for each element, something that is computed from others which no key of it chooses"

_COLUMNS = ("i", "key", "value", "other")


@dataclass
class _Asked:
    """What is asked of collections at the key `by`, a term over the element: values where it is `key`, each with a name.

    `columns` are the names of these values in the text.
    """

    by: Expr
    key: Var
    collections: tuple[Expr, ...]
    found: list[tuple[Call, Var]] = field(default_factory=list)
    columns: tuple[str, ...] = ()


@dataclass
class _Joined:
    """A collection whose elements ask: what stands for one of them in functions, and what it asks, one after the other."""

    collection: Expr
    element: Var
    asked: list[_Asked] = field(default_factory=list)

    @property
    def own(self) -> frozenset[Var]:
        """What depends on the element."""
        return frozenset((self.element, *(var for asked in self.asked for _, var in asked.found)))


class Lookups:
    """Finds the joins of one program."""

    def __init__(
        self, driver: Driver, layout: Layout, together: Together, printer: Printer, taken: Names, key: Var | None
    ) -> None:
        """`key` is that at which the program has its results."""
        assert layout.groups is not None and layout.groups.lookup is not None
        self.driver = driver
        self.layout = layout
        self.spelling = layout.groups.lookup
        self.together = together
        self.printer = printer
        self.taken = taken
        self.key = key
        self.columns = Names(_COLUMNS)
        self.asking: dict[Expr, _Joined] = {}  # what elements ask, by the collection
        self.names: set[str] = set()
        self.lets: list[Let] = []
        self.known: dict[Expr, Var] = {}  # what has a name, by what it is
        self.groups: dict[tuple[Expr, int], tuple[Var, tuple[str, ...]]] = {}  # and their columns, by what is asked of them

    def joined(self, program: TargetProgram) -> TargetProgram:
        """The program in which functions of elements ask nothing of collections. Raises CannotSpell."""
        program = self._without_values_at_key(program)
        found = self._pass(program)
        if not self.asking:
            return found
        joined = frozenset(self.known.values())
        for each in self.asking.values():  # once more, where it is known what all functions of elements ask
            if any(not joined.isdisjoint(free_vars(call)) for asked in each.asked for call, _ in asked.found):
                each.asked = []
        self.lets, self.known, self.groups, self.columns = [], {}, {}, Names(_COLUMNS)
        return self._pass(program)

    def _pass(self, program: TargetProgram) -> TargetProgram:
        self.names |= {let.var.name for let in program.lets}.union(*map(names, program.values))
        for let in program.lets:
            value = self._outside(let.value)
            self.lets.append(replace(let, value=value))
        rest = replace(program, lets=()).map(self._outside)
        return replace(rest, lets=tuple(self.lets))

    def _without_values_at_key(self, program: TargetProgram) -> TargetProgram:
        """The program in which numbers at the key of its results have no names: functions may use them."""
        inside: dict[Var, Expr] = {}
        lets: list[Let] = []
        for let in program.lets:
            value = substitute(let.value, inside)
            if self.key in free_vars(value) and not isinstance(let.var.type, TensorType):
                inside[let.var] = value
            else:
                lets.append(replace(let, value=value))
        result = None if program.result is None else substitute(program.result, inside)
        return replace(program, lets=tuple(lets), result=result)

    def _outside(self, expr: Expr) -> Expr:
        """An expression outside of functions."""
        if isinstance(expr, Lambda | Build | Length):
            return expr
        expr = map_children(self._outside, expr)
        return self._call(expr) if isinstance(expr, Call) else expr

    def _fresh(self, wanted: str) -> str:
        found = fresh_name(wanted, self.names)
        self.names.add(found)
        return found

    def _let(self, wanted: str, value: Call) -> Var:
        key = alpha_key(value)
        if key not in self.known:
            self.known[key] = Var(self._fresh(wanted), value.type)
            self.lets.append(Let(self.known[key], value))
        return self.known[key]

    # What is asked

    def _call(self, call: Call, *, inside: bool = False) -> Call:
        """An operator, whose functions may ask; `inside`: it is one that others ask for."""
        operator = self.driver.operators.get(call.function)
        functions = [position for position, arg in enumerate(call.args) if isinstance(arg, Lambda)]
        if operator is None or operator.groups or not functions:
            return call  # a value of groups is asked of the elements with the same key, and is spelled so
        at = {param.pattern.element: position for position, param in enumerate(operator.params) if param.pattern.rank}
        if not self._is_joined(call, operator, [] if inside else [call.args[place] for place in at.values()]):
            return call
        joined = {place: self._joined(call.args[place]) for place in at.values()}
        args = list(call.args)
        for position in functions:
            arg = call.args[position]
            assert isinstance(arg, Lambda)
            owners = [joined.get(at.get(kind, -1)) for kind in operator.params[position].pattern.takes]
            params = tuple(owner.element if owner else param for owner, param in zip(owners, arg.params, strict=True))
            args[position] = Lambda(params, substitute(arg.body, dict(zip(arg.params, params, strict=True))))
        while (asked := next((each for position in functions for each in self._nested(args[position])), None)) is not None:
            own = self._of_element(asked, [args[position] for position in functions])
            value = self._value(own, [each for each in joined.values() if not each.own.isdisjoint(free_vars(own))])
            for position in functions:
                args[position] = _replaced(args[position], {alpha_key(asked): value})
        for place, each in joined.items():
            args[place] = self._whole(each)
            for position in functions:
                args[position] = self._read(args[position], each, len(each.asked))
        made = replace(call, args=tuple(args))
        if operator.result.rank and operator.result.element in at:  # the elements themselves
            for _ in joined[at[operator.result.element]].asked:
                made = Call(spelled_as(self.spelling.elements, "x"), (made,), call.type)
        return made

    def _is_joined(self, call: Call, operator: DriverOperator, collections: Sequence[Expr]) -> bool:
        """Whether its functions ask, or others of the same elements do, with which it can be computed."""
        asks = any(any(self._nested(arg)) for arg in call.args if isinstance(arg, Lambda))
        kinds = [param.pattern.element for param in operator.params if param.pattern.rank]
        element = not operator.result.rank and operator.result.element in kinds  # the value is an element itself
        if asks and (element or len(set(kinds)) < len(kinds)):
            raise CannotSpell(OTHERWISE)
        asking = (self.asking.get(alpha_key(each)) for each in collections)
        others = not element and self.together.collections(call) and any(each and each.asked for each in asking)
        return asks or bool(others)

    def _joined(self, collection: Expr) -> _Joined:
        """The collection, with what all functions of its elements ask."""
        new = _Joined(collection, Var(self._fresh("v"), item_type(collection)))
        return self.asking.setdefault(alpha_key(collection), new)

    def _nested(self, expr: Expr, bound: frozenset[Var] = frozenset()) -> Iterator[Call]:
        """Values of collections in a function, innermost first; not what depends on the elements of others of them."""
        for child in children(expr):
            yield from self._nested(child, bound.union(child.params) if isinstance(child, Lambda) else bound)
        if isinstance(expr, Call) and self.together.collections(expr) and free_vars(expr).isdisjoint(bound):
            yield expr

    def _of_element(self, call: Call, functions: Sequence[Expr]) -> Call:
        """A value at the key of the program as one at the key of the element: values of other elements do not count."""
        if self.key is None or self.key not in free_vars(call):
            return call
        own = frozenset((self.key,))
        found = [each for arg in functions if isinstance(arg, Lambda) for each in self._compared(arg.body, own)]
        by = {alpha_key(other): other for one, other in found if one == self.key}
        if len(by) != 1:
            raise CannotSpell(OTHERWISE)
        changed = substitute(call, {self.key: next(iter(by.values()))})
        assert isinstance(changed, Call)
        return changed

    def _value(self, call: Call, owners: Sequence[_Joined]) -> Var:
        """What stands for a value in the functions."""
        if not owners:
            return self._let("value", self._call(call))
        if len(owners) > 1:
            raise CannotSpell(OTHERWISE)
        (owner,) = owners
        functions = [arg for arg in call.args if isinstance(arg, Lambda)]
        by = next((each for arg in functions for each in self._keys(arg.body, arg.params, owner.own)), None)
        if by is None:
            raise CannotSpell(OTHERWISE)
        for asked in owner.asked:
            if alpha_equal(asked.by, by):
                given = self._at_key(call, by, asked.key, owner.own)
                if self.together.collections(given) == asked.collections:
                    break
        else:
            kind = type_of(by)
            assert isinstance(kind, ScalarType)
            key = Var(self._fresh("key"), kind)
            given = self._at_key(call, by, key, owner.own)
            asked = _Asked(by, key, self.together.collections(given))
            owner.asked.append(asked)
        known = next((var for other, var in asked.found if alpha_equal(other, given)), None)
        if known is None:
            known = Var(self._fresh("found"), call.type)
            asked.found.append((given, known))
        return known

    def _at_key(self, call: Call, by: Expr, key: Var, own: frozenset[Var]) -> Call:
        """A value at a key, in which nothing else depends on the element that asks."""
        args = tuple(_replaced(arg, {alpha_key(by): key}) if isinstance(arg, Lambda) else arg for arg in call.args)
        given = self._call(replace(call, args=args), inside=True)
        if not free_vars(given).isdisjoint(own):
            raise CannotSpell(OTHERWISE)
        return given

    def _keys(self, body: Expr, params: Sequence[Var], own: frozenset[Var]) -> Iterator[Expr]:
        """What a function compares with something of its own elements, and depends on the element that asks."""
        return (one for one, _ in self._compared(body, own) if free_vars(one).isdisjoint(params))

    def _compared(self, body: Expr, own: frozenset[Var]) -> Iterator[tuple[Expr, Expr]]:
        """What depends on some variables, and what it is compared with, which does not."""
        parts = body.args if isinstance(body, Call | Apply) else ()
        if len(parts) == 2 and type_of(body) == BOOL:
            meaning = expand(body, self.driver)
            if isinstance(meaning, Apply) and meaning.op is Operator.EQ:
                for one, other in (parts, parts[::-1]):
                    if not own.isdisjoint(free_vars(one)) and own.isdisjoint(free_vars(other)):
                        yield one, other
        for part in children(body):
            if not isinstance(part, Lambda):
                yield from self._compared(part, own)

    # What is joined

    def _whole(self, joined: _Joined) -> Expr:
        """The collection whose elements go with what they ask."""
        whole = joined.collection
        for depth, asked in enumerate(joined.asked):
            key = self._read(Lambda((joined.element,), asked.by), joined, depth)
            absent = [of_none(call, self.driver) for call, _ in asked.found]
            beside = frozenset(column for other in joined.asked[:depth] for column in other.columns)
            args = (whole, key, self._grouped(asked, beside), absent[0] if len(absent) == 1 else MakeTuple(tuple(absent)))
            type_ = type_of(whole)
            whole = self._let("joined", Call(spelled_as(self.spelling.whole, "x", "key", "groups", "absent"), args, type_))
        return whole

    def _grouped(self, asked: _Asked, beside: frozenset[str]) -> Var:
        """The groups, which have what is asked of them in columns: other ones than those of joins before, `beside` them."""
        calls = tuple(call for call, _ in asked.found)
        at = Var("key", asked.key.type)
        same = alpha_key(MakeTuple(tuple(substitute(call, {asked.key: at}) for call in calls)))
        number = 0
        while self.layout.columns and not beside.isdisjoint(self.groups.get((same, number), (None, ()))[1]):
            number += 1
        if (same, number) not in self.groups:
            groups = _Groups(self.driver, self.layout, self.together, asked.key, self.printer.hoist)
            columns = tuple(self.columns.take(_short(call)) for call in calls)
            used = sorted(free_vars(MakeTuple(calls)) - {asked.key}, key=lambda var: var.name)
            called = f"groups {len(self.printer.spellings)}"
            self.printer.spellings[called] = lambda: groups.looked_up(calls, columns, self.printer, self.taken)
            self.groups[same, number] = self._let("groups", Call(called, tuple(used), type_of(asked.collections[0]))), columns
        var, asked.columns = self.groups[same, number]
        return var

    def _read(self, expr: Expr, joined: _Joined, depth: int) -> Expr:
        """A function that reads what the element goes with, after so many joins."""
        element = joined.element
        if not isinstance(expr, Lambda) or element not in expr.params or not depth:
            return expr
        alone = "{v}"
        values: dict[Var, Expr] = {}
        for asked in reversed(joined.asked[:depth]):
            for at, (call, var) in enumerate(asked.found):
                place = self.spelling.found if len(asked.found) == 1 else self.spelling.several
                for marked, text in (("{v}", alone), ("{at}", str(at)), ("{name}", repr(asked.columns[at]))):
                    place = place.replace(marked, text)
                values[var] = Call(spelled_as(place, "v", "absent"), (element, of_none(call, self.driver)), var.type)
            alone = self.spelling.element.replace("{v}", alone)
        if alone != "{v}":
            values[element] = Call(spelled_as(alone, "v"), (element,), element.type)
        return Lambda(expr.params, substitute(expr.body, values))


class _Groups(Grouped):
    """Groups that are looked up."""

    def looked_up(self, calls: Sequence[Call], columns: Sequence[str], printer: Printer, taken: Names) -> ast.expr:
        """The values at each key, by the key."""
        assert self.groups.lookup is not None
        for call, at_key in [(call, self._at_keys(call)) for call in calls]:
            self._take(call, at_key)
        if len(self.keys) > 1:
            raise CannotSpell("values of elements that have several keys")
        having = self._having()
        values = [self.known[alpha_key(call)] for call in calls]
        base = self._base(self.made.collections, printer)
        if having != TRUE:
            test = self._of_element(having, self.made.collections, printer, taken)
            base = fill_template(self.groups.where, {"x": base, "p": test})
        key = self._of_element(self.keys[0], self.made.collections, printer, taken)
        if not self.made.members:
            tree = fill_template(self.groups.keys, {"x": base, "key": key})
            return self._fixed(tree, values, columns)
        named = {value: column for value, column in zip(values, columns, strict=True) if isinstance(value, Var)}
        tree = self._aggregated({"x": base, "key": key}, named, printer, taken)
        if self.layout.columns:
            return self._fixed(tree, values, columns)
        if values == [*self.made.members] and not any(self.together.partial(call).shown for call in calls):
            return tree
        found = [self._of_group(value, named, printer, taken) for value in values]
        return fill_template(self.groups.values, {"x": tree, "f": self._tuple(found)})

    def _having(self) -> Expr:
        """The condition on which elements are in a group; values are of these alone."""
        conditions = {alpha_key(inside): inside for _, inside in self.counting}
        if not conditions:
            return TRUE
        if len(conditions) > 1 or any(isinstance(value, Const) for value in self.known.values()):
            raise CannotSpell("values at one key, of elements for which different conditions hold")
        ((key, having),) = conditions.items()
        for known, var in list(self.known.items()):
            assert isinstance(var, Var)
            call = self.made.members[var]
            assert isinstance(call, Call)
            position, given = next(each for each in enumerate(call.args) if self._is_of_elements(each[1]))
            assert isinstance(given, Lambda)
            absent = simplify(expand(self._replaced(given.body, {key: Const(False, BOOL)}), self.driver))
            if not isinstance(absent, Const) or absent.value != self.together.partial(call).neutral:
                raise CannotSpell("values at one key, of elements for which different conditions hold")
            inside = self._reduced(self._replaced(given.body, {key: TRUE}))
            if call.type == BOOL and isinstance(inside, Const):
                self.known[known] = inside
                del self.made.members[var]
            else:
                args = (*call.args[:position], Lambda(given.params, inside), *call.args[position + 1 :])
                self.made.members[var] = replace(call, args=args)
        return having

    def _is_of_elements(self, arg: Expr) -> bool:
        return isinstance(arg, Lambda) and set(arg.params) <= set(self.elements.values())

    def _fixed(self, tree: ast.expr, values: Sequence[Expr], columns: Sequence[str]) -> ast.expr:
        """With what is the same in each group."""
        assert self.groups.lookup is not None
        pairs = zip(values, columns, strict=True)
        fixed = [(constant(bool(value.value)), column) for value, column in pairs if isinstance(value, Const)]
        if fixed and not self.layout.columns:
            value = fixed[0][0] if len(fixed) == 1 else tuple_of([each for each, _ in fixed])
            return fill_template(self.groups.lookup.fixed, {"x": tree, "value": value})
        for value, column in fixed:
            tree = fill_template(self.groups.lookup.fixed, {"x": tree, "value": value, "name": constant(column)})
        return tree


def _replaced(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    return values.get(alpha_key(expr)) or map_children(lambda part: _replaced(part, values), expr)


def _short(call: Call) -> str:
    """A name for a value."""
    return call.function.rpartition(".")[2].partition("_")[0]
