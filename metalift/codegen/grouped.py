"""A dictionary or set that is given by what it has at any key, as a collection of groups.

Each value of a collection that depends on the key is one of those elements whose key it is: the operator's function is neutral
for all others. So the value at every key is the same value of its group. Keys that do not occur have no group, and must not be in
the result.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from metalift.codegen.expressions import Printer
from metalift.codegen.group_values import GroupValues
from metalift.codegen.names import Names
from metalift.codegen.request import CannotSpell
from metalift.codegen.simpler_python import decided, without_identity
from metalift.codegen.spelled import Spelled
from metalift.codegen.spread import as_pair
from metalift.codegen.together import filled, function
from metalift.driver import Driver, Layout
from metalift.driver.expansion import expand
from metalift.driver.templates import constant, fill_template, name, tuple_of
from metalift.ir.expr.build import tuple_items
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Lambda, MakeTuple, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, RealType, TensorType, is_integer
from metalift.ir.expr.walk import alpha_key, children, free_vars, map_children
from metalift.ir.program.fragment import KeyedPart
from metalift.ir.program.summary import Let, TargetProgram
from metalift.ir.rewrite.simplify import simplify

_ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)


class Grouped(GroupValues):
    """Groups the collection of one program by its key."""

    def spelled(self, program: TargetProgram, printer: Printer, taken: Names) -> ast.expr:
        """The whole result, as an expression."""
        result = self._with_wholes(self._whole(program), printer)
        if not isinstance(result, MakeTuple) and self._of_several(result):
            return self._combined(replace(program, lets=(), result=result), printer, taken)
        there, *values_there = tuple_items(result)
        calls = {alpha_key(call): call for call in self._calls(result)}
        for call, at_key in [(call, self._at_keys(call)) for call in calls.values()]:
            self._take(call, at_key)
        absent = simplify(expand(self._with(there, empty=True), self.driver))
        if absent != FALSE:
            raise CannotSpell("a dictionary or set that may have keys which do not occur in the collection")
        there = self._reduced(self._with(there))
        shown = self.made.members.get(there) if isinstance(there, Var) else None
        for called, wanted in self.counting:
            if not (isinstance(shown, Call) and any(isinstance(arg, Lambda) and arg.body == wanted for arg in shown.args)):
                raise CannotSpell(f"the operator {called} of some of the elements with a key, of which there may be none")
        shown_as = None if values_there else next(self._same(result), None)
        if shown_as is not None:
            return self._keys(shown_as, there, printer, taken)
        shown_values = [self._at_group(each, there) for each in values_there]
        used = free_vars(there).union(*map(free_vars, shown_values))
        if any(isinstance(var.type, TensorType) for var in used):
            raise CannotSpell("a value of a collection at each key that is not one of its groups")
        self.made.members = {var: call for var, call in self.made.members.items() if var in used}
        self.rows.keep(self.made.members.values())
        return self._text(there, shown_values, printer, taken)

    def _combined(self, program: TargetProgram, printer: Printer, taken: Names) -> ast.expr:
        """A set that an operation makes of others."""
        assert program.result is not None

        def alone(part: Expr) -> ast.expr:
            own = Grouped(self.driver, self.layout, self.together, self.key, self.hoist)
            return own.spelled(replace(program, result=part), printer, taken)

        op, parts = self._decided_by(program.result)
        within = [part for part in parts if self._decided_by(part)[0] is not Operator.NOT]
        beyond = [self._decided_by(part)[1][0] for part in parts if part not in within]
        if op not in (Operator.AND, Operator.OR) or not within or (beyond and op is Operator.OR):
            raise CannotSpell("a set that is made of several collections by other operations than | & -")
        tree, *others = map(alone, within)
        for other in others:
            tree = fill_template(self.groups.both if op is Operator.AND else self.groups.either, {"x": tree, "y": other})
        for other in map(alone, beyond):
            tree = fill_template(self.groups.without, {"x": tree, "y": other})
        return tree

    def _base(self, collections: Sequence[Expr], printer: Printer) -> ast.expr:
        trees = [printer.spell(each).tree for each in as_pair(collections)]
        parts = dict(zip("xy", trees, strict=False))
        if self._placed():
            return fill_template(self.groups.placed[len(trees)].whole, parts)
        return trees[0] if len(trees) == 1 else fill_template(self.layout.pair, parts)

    def _placed(self) -> bool:
        """Whether some value depends on the places of elements."""
        return any(self.together.partial(call).placed for call in self.made.members.values())

    def _of_element(self, value: Expr, collections: Sequence[Expr], printer: Printer, taken: Names) -> ast.expr:
        """A function of an element, or a column."""
        element = taken.apart().take("v")
        body = self._at_element(value, collections, printer, element)
        return self._of(element, body)

    def _of(self, element: str, body: ast.expr) -> ast.expr:
        """A function of what is called so, or a column."""
        return body if self.layout.columns else function([element], body)

    def _at_element(self, value: Expr, collections: Sequence[Expr], printer: Printer, element: str) -> ast.expr:
        """What is computed of an element."""
        tree = printer.spell(Lambda(tuple(self.elements[each] for each in collections), value)).tree
        return filled("{f(v, w)}" if len(collections) > 1 else "{f(v)}", {"f": tree}, self._words(collections, element))

    def _several(self, collections: Sequence[Expr], printer: Printer, taken: Names, *, alone: bool = False) -> ast.expr:
        """The rows of all elements; `alone`: each is a key by itself where nothing else is in it."""
        element = taken.apart().take("v")
        rows: list[ast.expr] = []
        for number, by in enumerate(self.keys):
            key, *parts = (
                self._at_element(each, collections, printer, element)
                for each in (by, *(values[number] for values in self.rows.parts.values()))
            )
            names_ = [var.name for var in self.rows.parts]
            if self._placed():
                names_.append("place")
                parts.append(fill_template(self._words(collections, element)["place"], {}))
            rows.append(self.rows.row(key, dict(zip(names_, parts, strict=True)), alone=alone))
        given = self._of(element, tuple_of(rows) if self.layout.columns else ast.List(elts=rows, ctx=ast.Load()))
        return fill_template(self.groups.rows, {"x": self._base(collections, printer), "f": given})

    def _of_row(self, element: str) -> dict[str, ast.expr]:
        """What a row has beside its key."""
        names_ = [*(var.name for var in self.rows.parts), *(["place"] if self._placed() else [])]
        if len(names_) == 1 and not self.layout.columns:
            return {names_[0]: name(element)}
        return {called: self._part(called, at, element) for at, called in enumerate(names_)}

    def _words_of_row(self, element: str) -> dict[str, str]:
        """What stands for an element, and for its place."""
        shown = self._of_row(element)
        return {"v": element, "w": element, **({"place": ast.unparse(shown["place"])} if "place" in shown else {})}

    def _part(self, called: str, at: int, element: str) -> ast.expr:
        """One of several values of a group or a row."""
        return filled(self.groups.several, {"name": constant(called), "at": constant(at)}, {"v": element})

    def _words(self, collections: Sequence[Expr], element: str) -> dict[str, str]:
        """What stands for an element of each collection."""
        members = self.layout.members[len(collections)]
        names_ = "vw"[: len(collections)]
        if not self._placed():
            return {plain: re.sub(r"\bv\b", element, each) for plain, each in zip(names_, members, strict=True)}
        placed = self.groups.placed[len(collections)]
        found = {plain: re.sub(r"\bv\b", element, each) for plain, each in zip(names_, placed.members, strict=True)}
        return {**found, "place": re.sub(r"\bv\b", element, placed.place)}

    def _same(self, result: Expr) -> Iterator[Call]:
        """The value of a collection that a result is."""
        return (call for call in self._calls(result) if alpha_key(call) == alpha_key(result))

    def _keys(self, call: Call, there: Expr, printer: Printer, taken: Names) -> ast.expr:
        """The keys of the elements for which the value holds that is the result."""
        collections = self.together.collections(call)
        if len(self.keys) > 1:
            return self._keys_of_rows(collections, there, printer, taken)
        base = self._base(collections, printer)
        if there != TRUE:
            (made,) = self.made.members.values()
            assert isinstance(made, Call)
            test = next(arg for arg in made.args if isinstance(arg, Lambda)).body
            base = fill_template(self.groups.where, {"x": base, "p": self._of_element(test, collections, printer, taken)})
        key = self._of_element(self.keys[0], collections, printer, taken)
        return without_identity(fill_template(self.groups.keys, {"x": base, "key": key}))

    def _keys_of_rows(self, collections: Sequence[Expr], there: Expr, printer: Printer, taken: Names) -> ast.expr:
        """The keys of the rows for which the value holds that is the result."""
        rows = self._several(collections, printer, taken, alone=True)
        if there == TRUE:
            return fill_template(self.groups.distinct, {"x": rows})
        element = taken.apart().take("v")
        rows = self.hoist("rows", rows)
        (called,) = (var.name for var in self.rows.parts)
        key, test = (self._of(element, self._part(each, at, element)) for at, each in enumerate(("key", called)))
        return fill_template(self.groups.keys, {"x": fill_template(self.groups.where, {"x": rows, "p": test}), "key": key})

    def _text(self, there: Expr, values: Sequence[Expr], printer: Printer, taken: Names) -> ast.expr:
        made, groups = self.made, self.groups
        if not made.members:
            raise CannotSpell("a dictionary or set that does not depend on the elements of a collection")
        there = self._filtered(there, values)
        alone = len(made.members) == 1
        columns = {var: "value" if [var] == values else var.name for var in made.members}
        tree = self._aggregated(self._keyed(printer, taken), columns, printer, taken)
        shown = any(self.together.partial(call).shown for call in made.members.values())
        exact = [*values] == [*made.members] and (alone or not groups.named) and not shown
        if there != TRUE or not exact:
            tree = self.hoist("groups", tree)
        if there != TRUE:
            tree = fill_template(groups.having, {"x": tree, "p": self._of_group(there, columns, printer, taken)})
        if not values:
            tree = fill_template(groups.chosen, {"x": tree})
        elif not exact:
            found = [self._of_group(value, columns, printer, taken) for value in values]
            tree = fill_template(groups.values, {"x": tree, "f": self._tuple(found)})
        return tree

    def _filtered(self, there: Expr, values: Sequence[Expr]) -> Expr:
        """Which groups count: all, made of the elements alone for which a condition holds, where a group with such an element
        counts and no value depends on others.
        """
        call = self.made.members.get(there) if isinstance(there, Var) else None
        if not isinstance(call, Call) or len(self.keys) > 1 or self._placed() or any(there in free_vars(each) for each in values):
            return there
        partial, test = self.together.partial(call), self._deciding(call).body
        rest = {var: other for var, other in self.made.members.items() if var != there}
        if (partial.neutral, partial.joined) != (False, "or") or not rest or len([*self.together.named(call)]) > 1:
            return there
        both = children(test) if is_conjunction(test, self.driver) else ()
        holds: dict[Expr, Expr] = dict.fromkeys(map(alpha_key, (test, *both)), TRUE)
        for var, other in rest.items():
            if not isinstance(other, Call):
                return there
            decides = self._deciding(other)
            beyond = simplify(expand(self._replaced(decides.body, {alpha_key(test): FALSE}), self.driver))
            if not (isinstance(beyond, Const) and beyond.value == self.together.partial(other).neutral):
                return there
            inside = replace(decides, body=self._reduced(self._replaced(decides.body, holds)))
            rest[var] = replace(other, args=tuple(inside if arg is decides else arg for arg in other.args))
        self.made.members, self.only = rest, test
        return TRUE

    def _aggregated(self, keyed: Mapping[str, ast.expr], columns: Mapping[Var, str], printer: Printer, taken: Names) -> ast.expr:
        """The values of the groups of a collection by its key, in the order of the members, or in columns."""
        made, groups, parts = self.made, self.groups, dict(keyed)
        alone = len(made.members) == 1
        inner = taken.apart()
        acc, element, left, right = (inner.take(each) for each in ("acc", "v", "a", "b"))
        steps, merges, zeros = [], [], []
        for position, (var, call) in enumerate(made.members.items()):
            part, arguments = self.together.partial(call), self._arguments(call, printer, element)
            given = self._words(made.collections, element) if len(self.keys) == 1 else self._words_of_row(element)
            words = {**given, **self.together.elements(call, made, tuple(given[each] for each in "vw" if each in given))}
            at = "" if alone else f"[{position}]"
            if groups.named:
                step = filled(part.step, arguments, words)
                steps.append(fill_template(groups.named, {"x": step, "name": constant(columns[var])}))
                continue
            steps.append(decided(filled(part.step, arguments, {**words, "acc": acc + at})))
            merges.append(filled(part.merge, {}, {"a": left + at, "b": right + at}))
            zeros.append(fill_template(part.zero, arguments))

        def together(trees: list[ast.expr]) -> ast.expr:
            return trees[0] if alone and not groups.named else tuple_of(trees)

        parts["parts"] = tuple_of(steps)
        if not groups.named:
            parts["zero"] = together(zeros)
            parts["step"] = function([acc, element], together(steps))
            parts["merge"] = function([left, right], together(merges))
        return fill_template(groups.by if len(self.keys) == 1 else groups.by_rows, parts)

    def _keyed(self, printer: Printer, taken: Names) -> dict[str, ast.expr]:
        """The collection and the key by which its elements are grouped, or the rows."""
        collections = self.made.collections
        if len(self.keys) > 1:
            return {"x": self.hoist("rows", self._several(collections, printer, taken))}
        base = self._base(collections, printer)
        if self.only is not None:
            base = fill_template(self.groups.where, {"x": base, "p": self._of_element(self.only, collections, printer, taken)})
        return {"x": base, "key": self._of_element(self.keys[0], collections, printer, taken)}

    def _arguments(self, call: Expr, printer: Printer, element: str) -> dict[str, ast.expr]:
        """What a value's operator takes, with functions of elements or of rows."""
        if len(self.keys) == 1 or not isinstance(call, Call):
            return self.together.arguments(call, printer)
        shown, found = self._of_row(element), {}
        for called, arg in self.together.named(call):
            part = arg.body if isinstance(arg, Lambda) and isinstance(arg.body, Var) else None
            params = ["v", "w"][: len(arg.params)] if isinstance(arg, Lambda) else []
            found[called] = function(params, shown[part.name]) if part else printer.spell(arg).tree
        return found

    def _tuple(self, found: Sequence[ast.expr]) -> ast.expr:
        """Functions of a group, or columns, as one that has the tuple of their values."""
        if len(found) == 1:
            return _column(found[0], self.layout)
        records = self.layout.records
        assert records is not None
        if not self.layout.columns:
            functions = [each for each in found if isinstance(each, ast.Lambda)]
            assert len(functions) == len(found)
            return ast.Lambda(args=functions[0].args, body=tuple_of([each.body for each in functions]))
        named = [
            fill_template(records.member, {"x": _column(each, self.layout), "name": constant(f"_{number}")})
            for number, each in enumerate(found, 1)
        ]
        return fill_template(records.whole.replace("{parts}", "*{parts}"), {"parts": tuple_of(named)})

    def _of_group(self, value: Expr, columns: dict[Var, str], printer: Printer, taken: Names) -> ast.expr:
        """A function of the values of a group, or a column."""
        if self.key in free_vars(value):
            raise CannotSpell("a value that is computed of the key itself")
        meaning = expand(value, self.driver)
        if self.layout.columns or (isinstance(meaning, Apply) and meaning.op is Operator.DIV):
            value = _without_conversions(value)
        plain = not self.layout.columns and not self._is_arithmetic(value)
        element = taken.apart().take("v")
        given: dict[str, Spelled] = {}
        for position, (var, called) in enumerate(columns.items()):
            parts = {"name": constant(called), "at": constant(position)}
            alone = len(columns) == 1 and not self.layout.columns
            place = name(element) if alone else filled(self.groups.several, parts, {"v": element})
            part = self.together.partial(self.made.members[var]).shown
            place = fill_template(part, {"x": place}) if part else place
            given[var.name] = Spelled(place, number=plain)
            printer.learn_value(var, self.made.members[var])
        for var in free_vars(value) & self.wholes.keys():
            given[var.name] = Spelled(_column(self.wholes[var], self.layout), number=plain)
        tree = printer.inside(value, given, [element])
        return tree if self.layout.columns else function([element], tree)

    def _is_arithmetic(self, value: Expr) -> bool:
        """Whether Python's operators compute it, of numbers and of others."""
        match value:
            case Var() | Const():
                return True
            case Apply(op, args):
                return op in _ARITHMETIC and all(map(self._is_arithmetic, args))
            case Call(called, args):
                return called in self.driver.operators and all(map(self._is_arithmetic, args))
            case _:
                return False


def of_each(parts: Sequence[KeyedPart], program: TargetProgram) -> list[tuple[str, TargetProgram]]:
    """The kind of each result, and the program that has this result alone."""
    assert program.result is not None
    items = tuple_items(program.result)
    found = []
    for part in parts:
        own = items[part.start : part.stop]
        found.append((part.kind, replace(program, result=own[0] if len(own) == 1 else MakeTuple(own))))
    return found


def besides(parts: Sequence[KeyedPart], program: TargetProgram) -> TargetProgram:
    """The program with the results that are the same for every key, and the collections of which the others are made."""
    values = [each.result for kind, each in of_each(parts, program) if kind == "value" and each.result is not None]
    used = {var for value in values for var in free_vars(value)}
    lets: list[Let] = []
    for let in reversed(program.lets):
        if isinstance(let.var.type, TensorType) or let.var in used:
            lets.insert(0, let)
            used |= free_vars(let.value)
    result = None if not values else values[0] if len(values) == 1 else MakeTuple(tuple(values))
    return replace(program, lets=tuple(lets), result=result)


def is_conjunction(test: Expr, driver: Driver) -> bool:
    """Whether a condition is that its parts hold."""
    if isinstance(test, Call) and all(type_of(arg) == BOOL for arg in test.args):
        test = expand(replace(test, args=tuple(Var(f"part.{at}", BOOL) for at in range(len(test.args)))), driver)
    return isinstance(test, Apply) and test.op is Operator.AND


def _column(tree: ast.expr, layout: Layout) -> ast.expr:
    """A literal, or the name of a number, as a column."""
    plain = isinstance(tree, ast.Constant | ast.Name)
    return fill_template(layout.literal, {"value": tree}) if layout.columns and plain else tree


def _without_conversions(value: Expr) -> Expr:
    """The expression without conversions of integers to reals, which columns need none of."""
    if isinstance(value, Cast) and isinstance(value.type, RealType) and is_integer(type_of(value.arg)):
        return _without_conversions(value.arg)
    return map_children(_without_conversions, value)
