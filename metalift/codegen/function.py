"""A program in a target's operators as the text of a Python file."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from metalift.codegen.columns import as_tables, with_fields
from metalift.codegen.effect import effect
from metalift.codegen.flatten import flatten
from metalift.codegen.grouped import Grouped, besides, of_each
from metalift.codegen.guards import CHECK_DISTINCT, LAID_OUT, guard_lines, helper_texts, readable
from metalift.codegen.header import described, docstring, module_text
from metalift.codegen.hints import head, in_form, number_hint, return_many, returned_hint, type_hint
from metalift.codegen.long_lines import say
from metalift.codegen.named_values import NamedValues
from metalift.codegen.of_groups import groups_of, key_of
from metalift.codegen.partial import decisive
from metalift.codegen.python_text import INDENT, statement, text
from metalift.codegen.request import CannotSpell, Generated, GenerateRequest
from metalift.codegen.sharing import share
from metalift.codegen.simpler_python import without_unused
from metalift.codegen.spelled import Spelled, viewed
from metalift.codegen.spelled_lookups import Lookups
from metalift.codegen.tidy_branches import tidy_branches
from metalift.codegen.together import Pass, Together
from metalift.codegen.updates import has_slice, reads, updated, uses_binders
from metalift.codegen.views import Size, accesses
from metalift.codegen.wholes import with_whole_lists
from metalift.driver import CannotWrite, Kernels, Request
from metalift.driver import Operator as Operators
from metalift.driver.layout import of_the_target
from metalift.driver.templates import fill_template, name, used_names
from metalift.ir.expr.build import tuple_items
from metalift.ir.expr.nodes import TRUE, Build, Call, Const, Expr, Fold, Ite, Length, Select, Var, type_of
from metalift.ir.expr.types import ScalarType, TensorType, TupleType
from metalift.ir.expr.walk import alpha_equal, free_vars, subexpressions, substitute, transform
from metalift.ir.program.assumption import Overlap
from metalift.ir.program.fragment import Param
from metalift.ir.program.summary import TargetProgram, Write

NUMBERED = re.compile(r"\b([A-Za-z_]\w*)\.\d+\b")  # names of values that are counted, where the source has one variable


class FunctionWriter(NamedValues):
    """Writes one function; everything is evaluated from the contents at entry before the first write."""

    def __init__(self, request: GenerateRequest) -> None:
        super().__init__(request)
        layout = request.target.layout
        self.together = Together(request.driver, request.target.name, layout) if layout and layout.together else None
        self.printer.groups_of = self._groups_of
        self.whole_form = self.fragment.form
        self.part = "new_{}"  # how what is written to an array is called until then
        self.beyond: tuple[str, ...] = ()
        self.numbers: list[str] = []  # the types of the numbers that are returned
        self.plain = False  # whether the last result is a number of Python's

    def write(self) -> Generated:
        """The whole file."""
        self._bind_parameters()
        self.extents = {called: shape for called, shape in self.extents.items() if all(map(self._is_number, shape))}
        self.program = self.shared = self._prepared() if self.request.target.kernels is None else self.program
        self.rounding.learn(self.program)
        guards = self._guards()
        arrays = [used for param in self._arrays() for used in used_names(self.printer.values[param.var.name].tree)]
        before = guard_lines([guard for guard in guards if not guard.speaks_of(arrays)])
        checked = self._array_checks()
        after = guard_lines([guard for guard in guards if guard.speaks_of(arrays)])
        early = self._early_returns()
        self.guarding = False
        self.printer.forget()
        made = self._kernels()
        if made is None:
            self._shorten_arrays()
            self._check_overlaps()
            self._computed()
        checks = [*self._width_check(), *before, *checked, *self._memory_checks(), *after]
        if not self.request.style.guarded:
            self.guarded, checks = [False] * len(self.guarded), []
            self.beyond = self._beyond()
        lines = tidy_branches(without_unused([*self._tables([*early, *self.lines]), *checks, *early, *self.lines]))
        lines[:0] = self._unpacked(used_names(ast.parse("\n".join(["def f():", *lines]))))
        body = "\n".join([*self._head(parameters(made)), *self._docstring(), *lines])
        helpers = self._helpers(used_names(ast.parse(body)))
        text_ = module_text(self.request, [*helpers, *([] if made is None else [made.definitions])], body)
        return Generated(text_, tuple(self.guarded), self.function, self.written, beyond=self.beyond)

    def _beyond(self) -> tuple[str, ...]:
        """What the text takes for granted beyond the assumptions, where nothing is checked."""
        said = [LAID_OUT[check].format(shown) for check, shown in self._laid_out()]
        return (*(guard.wanted for guard in self._wide()), *said, *(self.printer.assumed or {}))

    def _head(self, more: Sequence[str]) -> list[str]:
        """The lines that begin the function."""
        layout, result = self.request.target.layout, self.request.program.result
        hints = layout if layout is not None and not (layout.part or layout.lists) else None
        taken = [(shown, type_hint(param.var.type, hints)) for param, shown in self._arguments()]
        plain = self.whole_form is None and self.fragment.key is None
        type_ = self.fragment.result if result is None else type_of(result)  # of stages, the last one has it
        given = type_.items if isinstance(type_, TupleType) else () if type_ is None else (type_,)
        types = [*given, *(param.var.type for param in self._written())]
        return head(self.function, taken, more, returned_hint(types, self.numbers, hints) if plain else "")

    def _written(self) -> list[Param]:
        return [param for param in self._arrays() if param.var.name in self.written]

    def _arguments(self) -> list[tuple[Param, str]]:
        """What the function takes, with the names in the text."""
        return list(zip(self.fragment.arguments, self.params, strict=True))

    def _array_checks(self) -> list[str]:
        """The checks of the arguments that are arrays."""
        layout = self.request.target.layout
        checked = self._arrays()
        if layout is not None and layout.tables is not None:  # what makes them of tables checks these
            checked = [param for param in checked if self._checked_shape(param)]
        return [line for param in checked for line in statement("", self._array_check(param))]

    def _tables(self, lines: Sequence[str]) -> list[str]:
        """Where arguments are tables: lines that make of them what the `lines` behind them compute with."""
        return as_tables(self.request, [(param, self.printer.values[param.var.name].tree) for param in self._arrays()], lines)

    def _unpacked(self, used: frozenset[str]) -> list[str]:
        """Lines that give what the text uses of the shapes of arguments a name."""
        return []

    def _helpers(self, used: frozenset[str]) -> list[str]:
        """The helper functions that are used."""
        axes = any(param.rank > 1 for param in self._arrays())
        return helper_texts(self.request.target.layout, used, axes=axes)

    def _early_returns(self) -> list[str]:
        """What is returned before anything is computed."""
        lines: list[str] = []
        for each in self.early.early:
            lines.append(f"{INDENT}if {text(self.printer.spell(each.condition).tree)}:")
            returned = self._formed([self._result(value) for value in tuple_items(each.value)])
            one = len(returned) == 1
            lines += statement("return ", returned[0], indent=2) if one else [INDENT + line for line in return_many(returned)]
        return lines

    def _kernels(self) -> Kernels | None:
        """The whole computation, where the target makes kernels of it."""
        write = self.request.target.kernels
        if write is None:
            return None
        self._check_overlaps()
        names = {param.var.name: shown for param, shown in zip(self.fragment.params, self.params, strict=True)}
        given = Request(self.fragment, self.request.summary, self.program)
        try:
            with of_the_target("writer"):
                made = write(given, names)
        except CannotWrite as problem:
            raise CannotSpell(str(problem)) from problem
        self.lines += [INDENT + line for statement_ in made.lines for line in statement_.split("\n")]
        self._return([ast.parse(result, mode="eval").body for result in made.results])
        return made

    def _computed(self) -> None:
        """The program's values and writes, and what is returned."""
        self._join()
        self._inline_result()
        grouped = self._grouped()
        passes = self._passes()
        named = 0  # of what follows, by the statement before
        for position, let in enumerate(self.program.lets):
            for each in passes:
                if each.position == position:
                    self._pass(each)
            named = named - 1 if named else self._of_one_call(position)
            if named:
                continue
            if let.value != let.var:
                self._let(position, let)
        for each in passes:
            if each.position == len(self.program.lets):
                self._pass(each)
        results = self._results() if grouped is None else self._by_key(grouped)
        self._writes()
        self._return(results)

    def _prepared(self) -> TargetProgram:
        """The program as a person would order its computation."""
        layout = self.request.target.layout
        if layout is None:
            shared = share(self.program, self.request.driver, counted=False)
        else:
            shared = share(self._flattened(with_whole_lists(self.program)), self.request.driver, counted=bool(layout.part))
        return self.several.named(shared, {param.var.name for param in self.fragment.params})

    def _flattened(self, program: TargetProgram) -> TargetProgram:
        """The program with one axis in the place of several that are only gone through together."""
        return flatten(program, self.request.driver, self.printer.views)

    def _docstring(self) -> list[str]:
        shapes = {}
        for param in self._arrays():
            at_least = self._checked_shape(param)
            if at_least:
                shapes[param.var.name] = tuple(text(self.printer.number(extent)) for extent in at_least)
        said = [(shown, described(self.request, param, shown, self.written, shapes)) for param, shown in self._arguments()]
        formulas = self._formulas_of({}, {}, frozenset())
        return docstring(self.request, self.function, formulas, said, self._unchecked(), self.briefly)

    def _formulas_of(
        self, shapes: Mapping[str, Sequence[Size]], results: Mapping[str, str], whole: frozenset[str]
    ) -> list[str]:
        """What the docstring says is computed; nothing where there are early returns."""
        return [] if self.early.early else effect(self.shared, self.request.driver, shapes, results, whole)

    def _unchecked(self) -> list[str]:
        """What is assumed and not checked, in words; not that no array has one place twice, which hardly any has."""
        usual = {LAID_OUT[CHECK_DISTINCT].format(shown) for shown in self.params}
        stated = [NUMBERED.sub(r"\1", each) for each, ok in zip(self.stated, self.guarded, strict=True) if each and not ok]
        return [*stated, *(each for each in self.beyond if each not in usual)]

    # Values

    def _passes(self) -> list[Pass]:
        """What is computed in one pass over a collection."""
        if self.together is None:
            return []
        self.program, found = self.together.passes(self.program)
        return found

    def _join(self) -> None:
        """Make joins of what functions of elements ask of collections."""
        layout = self.request.target.layout
        if layout is not None and layout.groups is not None and layout.groups.lookup is not None and self.together is not None:
            key = self.fragment.key.var if self.fragment.key else None
            found = Lookups(self.request.driver, layout, self.together, self.printer, self.names, key)
            self.program = found.joined(self.program)

    def _grouped(self) -> list[tuple[Grouped, TargetProgram] | None] | None:
        """What groups by the key of each result, with its program; None for other results, which are computed before."""
        key = self.fragment.key
        if key is None:
            return None
        layout = self.request.target.layout
        if layout is None or layout.groups is None or self.together is None:
            raise CannotSpell(f"the target {self.request.target.name} has no dictionaries and sets")
        found: list[tuple[Grouped, TargetProgram] | None] = []
        for kind, program in of_each(self.fragment.keyed_parts, self.program):
            groups = Grouped(self.request.driver, layout, self.together, key.var, self._hoist)
            found.append(None if kind == "value" else (groups, program))
        self.program = besides(self.fragment.keyed_parts, self.program)
        return found

    def _groups_of(self, operator: Operators, call_: Call) -> ast.expr:
        """The groups of which an operator computes one value."""
        layout = self.request.target.layout
        if layout is None or layout.groups is None or self.together is None:
            raise CannotSpell(f"the target {self.request.target.name} has no groups")
        grouped = Grouped(self.request.driver, layout, self.together, key_of(operator, call_), self._hoist)
        return groups_of(operator, call_, grouped, self.printer, self.names)

    def _by_key(self, grouped: Sequence[tuple[Grouped, TargetProgram] | None]) -> list[ast.expr]:
        """The results, of which some are dictionaries or sets."""
        others = iter(self._results())
        return [each[0].spelled(each[1], self.printer, self.names) if each else next(others) for each in grouped]

    def _pass(self, made: Pass) -> None:
        """One pass, and the names of its values."""
        assert self.together is not None
        tree = self.together.spelled(made, self.printer, self.names.apart())
        shown = [self._name_for(var, made.position - 1) for var in made.members]
        for var, called in zip(made.members, shown, strict=True):
            self.holders[called] = var.name
            self.printer.values[var.name] = Spelled(name(called), number=True)
        self.lines += statement(f"{', '.join(shown)} = ", tree)

    def _inline_result(self) -> None:
        """A last value that is only returned needs no name."""
        program = self.program
        if program.writes or not program.lets or program.result != program.lets[-1].var:
            return
        self.program = replace(program, lets=program.lets[:-1], result=program.lets[-1].value)

    def _results(self) -> list[ast.expr]:
        """What is returned before the written arrays: one value for each item of a tuple."""
        result = self.program.result
        if result is None:
            return []
        found: list[ast.expr] = []
        shared: set[str] = set()
        for item in tuple_items(result):
            tree = self._result(item)
            if isinstance(type_of(item), TensorType) and (of := viewed(tree)) is not None:
                tree = self._copied(Spelled(tree, aliases=frozenset({of}))) if of in shared else tree
                shared.add(of)
            found.append(tree)
            if self.request.target.layout is not None and isinstance(type_of(item), ScalarType) and not self.early.early:
                dtype = text(self.printer.dtype(type_of(item))) if type_of(item) in self.request.target.dtypes else ""
                self.numbers.append(number_hint(type_of(item), self.request.target.layout, dtype, plain=self.plain))
        return found

    def _result(self, value: Expr) -> ast.expr:
        settled = self.rounding.result(value)
        self.printer.decisive = decisive(settled, self.rounding.operator)
        spelled = self.printer.spell(settled)
        self.printer.decisive = frozenset()
        self.plain = spelled.number
        if self.program.writes:
            read = any(isinstance(part, Select | Call | Fold | Build) for part in subexpressions(value))
            settled_number = spelled.number and not read  # an element may be one that a write changes
            return self._keep("result", replace(spelled, number=settled_number)).tree
        return with_fields(self._copied(spelled), type_of(value), self.request.target)

    # Writes

    def _writes(self) -> None:
        """The first value is evaluated where it is written, the others before that."""
        waiting: list[tuple[Write, Spelled | None]] = []
        first, later = self.program.writes[:1], [self._placed(write) for write in self.program.writes[1:]]
        for write in later:
            if write.guard != TRUE and not reads(write.value):
                waiting.append((write, None))
                continue
            spelled = self._value(write)
            settled = spelled.number and not reads(write.value)  # an element may be one that an earlier write changes
            kept = self._keep(self.part.format(self._shown(write.array)), replace(spelled, number=settled))
            waiting.append((write, replace(kept, number=spelled.number)))
        all_ = [*((write, None) for write in first), *waiting]
        for guard, writes in groupby(all_, lambda each: each[0].guard):
            self._guarded(guard, list(writes))

    def _guarded(self, guard: Expr, writes: Sequence[tuple[Write, Spelled | None]]) -> None:
        """Writes with one guard, in an `if` where there is one; their values are computed there unless they are known already."""
        if guard == TRUE:
            for write, value in writes:
                self._write(write, value)
            return
        test, outside = self._without_known_tests(self.printer.number(readable(guard))), self.lines
        self.lines = []
        views = dict(self.printer.views.named)
        for write, value in writes:
            self._write(_where_it_holds(write) if value is None else write, value)
        self.lines = [*outside, *statement("if ", test, suffix=":"), *(INDENT + line for line in self.lines)]
        self.printer.forget()  # names of what was computed in there only
        self.printer.views.named.clear()
        self.printer.views.named.update(views)

    def _write(self, write: Write, value: Spelled | None) -> None:
        if value is None:
            value = self._value(write)
            if not value.aliases.isdisjoint(self._may_overlap(write)):
                value = Spelled(self._copied(value), value.number)
        self._assign(write, value)

    def _placed(self, write: Write) -> Write:
        """The write with what it reads to know its cells under names: earlier writes may change that."""
        window = write.window
        assert isinstance(window, Build) and isinstance(window.body, Select)

        def named(expr: Expr) -> Expr:
            if not isinstance(expr, Select) or not free_vars(expr).isdisjoint(window.binders):
                return expr
            place = Var(self.names.take("place"), type_of(expr))
            there = expr if write.guard == TRUE else Ite(write.guard, expr, Const(0, type_of(expr)))
            self._say(f"{place.name} = ", self.printer.number(there))
            self.printer.values[place.name] = Spelled(name(place.name), number=True)
            return place

        found = {part: transform(named, part) for part in (*window.extents, *window.body.indices)}
        cells = replace(window.body, indices=tuple(found[part] for part in window.body.indices))
        return replace(write, window=replace(window, extents=tuple(found[part] for part in window.extents), body=cells))

    def _shown(self, array: Var) -> str:
        return text(self.printer.values[array.name].tree)

    def _value(self, write: Write) -> Spelled:
        value = self.rounding.written(write.value)
        if isinstance(value, Build) and not uses_binders(value):
            return self.printer.spell(value.body)
        return self.printer.spell(value)

    def _may_overlap(self, write: Write) -> frozenset[str]:
        """The arrays of which a view must be copied before the write; not where the view has just the cells that are written."""
        assumptions = self.request.assumptions
        apart = {frozenset(each.arrays) for each in assumptions if each.arrays and each.overlap is Overlap.DISJOINT}
        others = [param.var for param in self._arrays() if frozenset((param.var.name, write.array.name)) not in apart]
        value = write.value
        if isinstance(value, Build) and isinstance(value.body, Select) and isinstance(value.body.tensor, Var):
            same_cells = alpha_equal(substitute(value, {value.body.tensor: write.array}), write.window)
            others = [] if same_cells else others
        return frozenset(var.name for var in others)

    def _assign(self, write: Write, spelled: Spelled) -> None:
        window = write.window
        if not isinstance(window, Build) or not isinstance(window.body, Select):
            raise CannotSpell("a written window is not a view of an array")
        found = accesses(window.body.indices, window.binders, diagonal=True)
        if found is None or len({at for access in found for at, _ in access.terms}) != len(window.binders):
            raise CannotSpell("the written cells are not at affine indices")
        array = self.printer.values[write.array.name]
        views = self.printer.views
        sizes = [views.size(extent) for extent in window.extents]
        value = write.value
        if views.layout.part and any(map(self._is_counted, window.extents)):
            raise CannotSpell("a part of a collection that is as long as there are elements for which a condition holds")
        uniform = spelled.number or (isinstance(value, Build) and not uses_binders(value)) or not window.binders
        if views.layout.update:
            fill = partial(self._filled, spelled, write.array, sizes) if uniform else None
            self._say(f"{text(array.tree)} = ", updated(views, array.tree, array.lengths, sizes, found, spelled.tree, fill))
            self.printer.forget()
            return
        target, adapt = views.target(array.tree, array.lengths, sizes, found, uniform=uniform)
        value_tree = spelled.tree if uniform and not views.layout.lists else adapt(spelled.tree)
        lines = say(f"{text(target)} = ", value_tree, self._hoist)
        if not views.layout.scatters_into_none and window.binders and not has_slice(target):
            lines = [f"{INDENT}if len({text(array.tree)}) > 0:", *(INDENT + line for line in lines)]
        self.lines += lines

    def _is_counted(self, extent: Expr) -> bool:
        """Whether it is the length of a named tensor."""
        given = {param.var for param in self.fragment.params}
        lengths = (part for part in subexpressions(extent) if isinstance(part, Length))
        return any(isinstance(each.tensor, Var) and each.tensor not in given for each in lengths)

    def _filled(self, value: Spelled, array: Var, sizes: Sequence[Size], tree: ast.expr) -> ast.expr:
        """One value in each cell of a tensor; without axes, the value itself."""
        if not sizes:
            return tree
        shape, near = self.printer.views.shape(sizes), self.printer.values[array.name].tree
        if not value.number:
            return fill_template(self.printer.layout.expand, {"x": tree, "shape": shape})
        parts = {"shape": shape, "value": tree, "dtype": self.printer.dtype(array.type), "x": near}
        return fill_template(self.printer.layout.full, parts)

    def _return(self, results: list[ast.expr]) -> None:
        values = [*self._formed(results), *self._returned_arrays()]
        if not values:
            if not self.lines:
                self.lines.append(f"{INDENT}pass")
            return
        if len(values) == 1:
            self._say("return ", values[0])
        else:
            self.lines += return_many([self._without_known_tests(value) for value in values])

    def _returned_arrays(self) -> list[ast.expr]:
        """The arrays that are written."""
        return [self.printer.values[array].tree for array in self.written]

    def _formed(self, results: list[ast.expr]) -> list[ast.expr]:
        """What the source returns, of the values that are computed for it."""
        form = self.whole_form
        if form is None:
            return results
        values = iter(results)
        return [in_form(part, values) for part in ([form] if form.optional or form.parts is None else form.parts)]


def _where_it_holds(write: Write) -> Write:
    """A write without its guard, which holds: of a choice by that the value is the first side."""
    match write.value:
        case Build(extents, binders, Ite(cond, then, _)) if cond == write.guard:
            return replace(write, value=Build(extents, binders, then), guard=TRUE)
        case _:
            return replace(write, guard=TRUE)


def parameters(made: Kernels | None) -> list[str]:
    """What the function takes after the source's parameters."""
    return [] if made is None else [f"{shown}={default}" for shown, default in made.parameters]
