"""What a written function does at its entry, before it computes: names of arguments, guards, checks, parts of arrays."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from metalift.codegen.expressions import Printer
from metalift.codegen.guards import (
    CHECK_CONTIGUOUS,
    CHECK_DISTINCT,
    HELPERS,
    Guard,
    array_guard,
    distinct,
    formula_guards,
    guard_lines,
    overlap_guard,
    scalar_guards,
)
from metalift.codegen.names import Names
from metalift.codegen.preamble import all_names
from metalift.codegen.python_text import INDENT, LINE_LENGTH, statement, text
from metalift.codegen.request import CannotSpell, GenerateRequest
from metalift.codegen.spelled import Spelled
from metalift.codegen.views import Access, Size, accesses, is_whole, product
from metalift.driver.early_returns import returns
from metalift.driver.templates import call, constant, fill_template, name, subscript
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Build, Expr, Length, Operator, Select, Var
from metalift.ir.expr.types import TensorType, is_integer
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.assumption import Assumption, Overlap
from metalift.ir.program.fragment import Param, ParamKind
from metalift.ir.program.summary import Summary


class Entry:
    """The arguments of one function, their guards, and the lines that are written so far."""

    def __init__(self, request: GenerateRequest) -> None:
        self.request = request
        self.early = returns(request.program, request.driver)
        self.program = replace(request.program, result=self.early.rest)
        self.fragment = request.fragment
        self.extents = request.summary.shapes
        self.facts = Facts(self._formulas())
        taken = [*request.target.imports, *HELPERS, "math", *all_names(request.target.preamble)]
        self.names = Names(taken)
        self.printer = Printer(request.driver, request.target, self.facts, self._hoist)
        self.lines: list[str] = []
        self.guarding = True
        self.holders: dict[str, str] = {}  # names in the text that a later value may take over, and whose value they hold
        self.guarded: list[bool] = []
        self.stated: list[str] = []  # the assumptions as the docstring has them; empty where another part says it
        self.briefly: list[str] = []  # the usual ones
        self.function = Names(taken).take(self.fragment.name)  # what is inside may have the same name
        self.params = [self.names.take(param.var.name) for param in self.fragment.arguments]
        self.written = self.request.written

    def _formulas(self) -> list[Expr]:
        """What is known of the parameters."""
        stated = [assumption.formula for assumption in self.request.assumptions]
        formulas = [formula for formula in stated if formula is not None and not self._is_length(formula)]
        return [*formulas, *self.request.summary.requires, *self.request.program.requires, self.early.otherwise]

    def _is_number(self, expr: Expr) -> bool:
        """Whether it can be computed from the scalar arguments and lengths."""
        try:
            self.printer.number(expr)
        except CannotSpell:
            return False
        return True

    def _bind_parameters(self) -> None:
        for param, shown in zip(self.fragment.arguments, self.params, strict=True):
            var = param.var
            if not isinstance(var.type, TensorType):
                self.printer.values[var.name] = Spelled(name(shown), number=True)
                if is_integer(var.type):
                    self.printer.numbers.integers[shown] = Polynomial.of(var)
                continue
            if var.name not in self.written:
                self.holders[shown] = var.name
            lengths: tuple[Size | None, ...] = (None,) * param.rank
            if param.kind is not ParamKind.POINTER:
                lengths = tuple(Polynomial.atom(Length(var, axis)) for axis in range(param.rank))
            self.printer.values[var.name] = Spelled(name(shown), aliases=frozenset({var.name}), lengths=lengths)

    def _guards(self) -> list[Guard]:
        numbers = self.printer.numbers
        self.printer.numbers = replace(numbers, guarding=True)
        found = self._all_guards()
        self.printer.numbers = numbers
        return found

    def _all_guards(self) -> list[Guard]:
        found = scalar_guards(self.fragment.arguments, self.printer)
        for assumption in self.request.assumptions:
            if self._is_moot(assumption):
                self.guarded.append(False)
                self.stated.append("")
                continue
            if self._is_length(assumption.formula) or (assumption.inherent and self.request.target.layout is not None):
                self.guarded.append(True)
                self.stated.append("")
                continue
            if assumption.briefly:
                self.briefly.append(assumption.briefly)
                self.guarded.append(False)
                self.stated.append("")
                continue
            guards = None if assumption.formula is None else formula_guards(self._sized(assumption.formula), self.printer)
            checked = guards is not None and not self._is_beyond(assumption.formula)
            found += guards if guards is not None and checked else []
            self.guarded.append(checked)
            obvious = guards == [] and assumption.formula != TRUE
            self.stated.append("" if obvious else " and ".join(guard.wanted for guard in guards or []) or assumption.text)
        for formula in self.request.program.requires:
            if not (self.early.ensures(formula) or self._is_given(formula) or self._is_beyond(formula)):
                found += formula_guards(formula, self.printer) or []
        return distinct(found)

    def _sized(self, formula: Expr) -> Expr:
        """The formula with what is known of the lengths of arguments."""
        return formula

    def _is_given(self, formula: Expr) -> bool:
        """Whether it holds for whatever the function may be called with."""
        return False

    def _is_beyond(self, formula: Expr | None) -> bool:
        """Whether it is of arguments of the source that the function does not have."""
        return False

    def _is_moot(self, assumption: Assumption) -> bool:
        """Whether it is of the source's memory only: arguments that share none are the same array or do not overlap."""
        layout = self.request.target.layout
        apart = layout is not None and not layout.shared
        return apart and assumption.arrays is not None and assumption.overlap is Overlap.SAME_OR_DISJOINT

    def _is_length(self, formula: Expr | None) -> bool:
        """Whether it is the least length of a pointer's array along its axes, which is checked with its type."""
        match formula:
            case Apply(Operator.AND, args):
                return all(self._is_length(arg) for arg in args)
            case Apply(Operator.LE, (extent, Length(Var(called, _), axis))):
                shapes = [self._checked_shape(param) for param in self._arrays() if param.var.name == called]
                return any(shape and shape[axis] == extent for shape in shapes)
            case _:
                return False

    def _checked_shape(self, param: Param) -> tuple[Expr, ...]:
        """How many elements a pointer's array must have along each axis; empty where nothing is known."""
        return self.extents.get(param.var.name, ()) if param.kind is ParamKind.POINTER else ()

    def _arrays(self) -> list[Param]:
        return [param for param in self.fragment.params if isinstance(param.var.type, TensorType)]

    def _array_check(self, param: Param) -> ast.expr:
        at_least = self._checked_shape(param)
        if at_least:
            sizes = tuple(Polynomial.of(extent) for extent in at_least)
            self.printer.views.measured[text(self.printer.values[param.var.name].tree)] = sizes
        return array_guard(param, at_least, self.printer)

    def _memory_checks(self) -> list[str]:
        """For the arrays that the body takes apart by strides, and for those that it writes."""
        calls = [call(check, constant(shown), name(shown)) for check, shown in self._laid_out()]
        return [line for each in calls for line in statement("", each)]

    def _laid_out(self) -> list[tuple[str, str]]:
        """How arrays have to lie in memory: the helper that checks it, and the array."""
        layout = self.request.target.layout
        if layout is None:
            return []
        strided = self.printer.views.strided_bases
        if self.request.target.kernels is not None:  # kernels have addresses, and know no strides
            strided = {shown for param, shown in zip(self.fragment.params, self.params, strict=True) if param.rank}
        if not layout.contiguous:
            strided = set()
        found = [(CHECK_CONTIGUOUS, shown) for shown in self.params if shown in strided]
        if layout.strides:
            named = [(param.var.name, shown) for param, shown in zip(self.fragment.arguments, self.params, strict=True)]
            arrays = {param.var.name for param in self._arrays()} & set(self.written)
            found += [(CHECK_DISTINCT, shown) for called, shown in named if called in arrays and shown not in strided]
        return found

    def _width_check(self) -> list[str]:
        """Where element types of 64 bits are used, and are a setting of the library."""
        return guard_lines(self._wide())

    def _wide(self) -> list[Guard]:
        layout = self.request.target.layout
        if layout is None or not layout.wide or not self.printer.wide:
            return []
        return [Guard(fill_template(layout.wide, {}))]

    def _shorten_arrays(self) -> None:
        """Arrays that are only read, and are read whole somewhere, stand for the elements that the source reads."""
        shortened: list[tuple[ast.expr, ast.expr]] = []
        for param in self._arrays():
            var = param.var
            shape = self._checked_shape(param)
            if not shape or var.name in self.written:
                continue
            sizes = tuple(self.printer.views.size(extent) for extent in shape)
            if not self._read_whole(var, sizes):
                continue
            shown = self.printer.values[var.name].tree
            shortened.append((shown, self._part(shown, sizes)))
            self.printer.values[var.name] = Spelled(shown, aliases=frozenset({var.name}), lengths=sizes)
        if shortened:
            self.printer.forget()
        if len(shortened) > 1:
            targets = ", ".join(text(shown) for shown, _ in shortened)
            line = f"{INDENT}{targets} = {', '.join(text(part) for _, part in shortened)}"
            if len(line) <= LINE_LENGTH:
                self.lines.append(line)
                return
        for shown, part in shortened:
            self.lines += statement(f"{text(shown)} = ", part)

    def _part(self, array: ast.expr, sizes: tuple[Size, ...]) -> ast.expr:
        """The array's first elements along each axis."""
        layout = self.printer.layout
        if layout.part:
            parts = {"x": array, "start": constant(0), "stop": self.printer.polynomial(sizes[0])}
            return fill_template(layout.part, parts)
        return subscript(array, [ast.Slice(upper=self.printer.polynomial(size)) for size in sizes])

    def _read_whole(self, array: Var, sizes: tuple[Size, ...]) -> bool:
        """Whether some view of the array takes all of its first elements along each axis, in whatever shape."""
        return any(self._is_whole_view(sub, array, sizes) for expr in self.program.values for sub in subexpressions(expr))

    def _is_whole_view(self, expr: Expr, array: Var, sizes: tuple[Size, ...]) -> bool:
        match expr:
            case Build(extents, binders, Select(tensor, indices)) if tensor == array:
                found = accesses(indices, binders)
                given = [self.printer.views.size(extent) for extent in extents]
                return found is not None and all(map(self._takes_all, found, sizes, [given] * len(sizes)))
            case _:
                return False

    def _takes_all(self, access: Access, size: Size, given: list[Size]) -> bool:
        """Whether the access goes through all of an axis' first elements."""
        views = self.printer.views
        tight = views.tight(given, access) if access.terms else None
        if tight is None:
            return False
        part, _ = views.slice(access.start, tight[1], product([given[at] for at in tight[0]]), size)
        return is_whole(part)

    def _check_overlaps(self) -> None:
        layout = self.request.target.layout
        for position, assumption in enumerate(self.request.assumptions):
            if assumption.arrays is None or layout is None or not layout.bounds or not self.request.style.guarded:
                continue
            first, second = assumption.arrays
            shown = [text(self.printer.values[each].tree) for each in (first, second)]
            args = [self._used_part(each) for each in (first, second)]
            self.lines += statement("", overlap_guard(args[0], args[1], (shown[0], shown[1]), assumption.overlap))
            self.guarded[position] = True

    def _used_part(self, array: str) -> ast.expr:
        """The elements that the source reads or writes."""
        value = self.printer.values[array]
        shape = self.extents.get(array)
        if shape is None or value.lengths[0] is not None or array in self._used_by_data():
            return value.tree
        return self._part(value.tree, tuple(self.printer.views.size(extent) for extent in shape))

    def _used_by_data(self) -> set[str]:
        """The arrays of which elements anywhere are used, as in `counts[label[i]]++`, at indices that only lie inside."""
        terms: list[Expr] = []
        for part in self._summaries():
            terms += (*part.facts, *(binding.value for binding in part.bindings), *(value for _, value in part.outputs))
        lengths = (sub for term in terms for sub in subexpressions(term) if isinstance(sub, Length))
        return {sub.tensor.name for sub in lengths if isinstance(sub.tensor, Var)}

    def _summaries(self) -> Sequence[Summary]:
        """The summary of each part."""
        return (self.request.summary,)

    def _hoist(self, wanted: str, tree: ast.expr) -> ast.expr:
        """Evaluates what is needed more than once, under a name of its own; guards come before there are names."""
        if self.guarding:
            return tree
        shown = self.names.take(wanted)
        self.lines += statement(f"{shown} = ", tree)
        return name(shown)
