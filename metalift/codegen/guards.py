"""Guards: constant-time checks at the start of a generated function, and the helper functions that they call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metalift.codegen.expressions import Printer
from metalift.codegen.numbers import negation
from metalift.codegen.python_text import AND_LEVEL, INDENT, LINE_LENGTH, statement, text
from metalift.codegen.request import CannotSpell
from metalift.driver import Layout
from metalift.driver.templates import call, constant, fill_template, name, tuple_of, used_names
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj
from metalift.ir.expr.nodes import TRUE, Apply, Const, Expr, Operator, Select, type_of
from metalift.ir.expr.ranged import within_limits
from metalift.ir.expr.types import MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.assumption import Overlap
from metalift.ir.program.fragment import Param

CHECK = "_check"
CHECK_SHAPE = "_check_shape"
SPAN = "_span"
CHECK_OVERLAP = "_check_same_or_disjoint"
CHECK_DISJOINT = "_check_disjoint"
CHECK_CONTIGUOUS = "_check_contiguous"
CHECK_DISTINCT = "_check_distinct"
LAID_OUT = {CHECK_CONTIGUOUS: "{} is contiguous", CHECK_DISTINCT: "no two elements of {} share memory"}
HELPERS = (CHECK, CHECK_SHAPE, CHECK_CONTIGUOUS, CHECK_DISTINCT, SPAN, CHECK_OVERLAP, CHECK_DISJOINT)


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that has to hold, as the tree of a plain Python condition."""

    condition: ast.expr
    formula: Expr = TRUE  # what it says, where that is known

    @property
    def wanted(self) -> str:
        """The condition as text."""
        return text(self.condition)

    def speaks_of(self, arrays: Iterable[str]) -> bool:
        """Whether it may be evaluated only after these were found to be arrays."""
        return not used_names(self.condition).isdisjoint(arrays)


def guard_lines(guards: Sequence[Guard]) -> list[str]:
    """Statements that raise where a condition does not hold; short ones together."""
    groups: list[list[Guard]] = []
    for guard in guards:
        if groups and all(len(line) <= LINE_LENGTH for line in _group_lines([*groups[-1], guard])):
            groups[-1].append(guard)
        else:
            groups.append([guard])
    return [line for group in groups for line in _group_lines(group)]


def _group_lines(group: Sequence[Guard]) -> list[str]:
    test = " or ".join(text(negation(guard.condition), level=AND_LEVEL) for guard in group)
    several = len(group) > 1
    conditions = [f"({guard.wanted})" if several and isinstance(guard.condition, ast.BoolOp) else guard.wanted for guard in group]
    joined = conditions[0] if len(group) == 1 else f"{', '.join(conditions[:-1])} and {conditions[-1]}"
    message = constant(f"{joined} {'is' if len(group) == 1 else 'are'} required")
    return [f"{INDENT}if {test}:", *statement("raise ", call("ValueError", message), indent=2)]


def scalar_guards(params: Sequence[Param], printer: Printer) -> list[Guard]:
    """Ranges of scalar parameters that a caller may miss: unsigned ones, and those narrower than 32 bits."""
    found = []
    for param in params:
        type_ = param.var.type
        if not isinstance(type_, MachineInt) or type_.bits == 1:
            continue
        value = printer.values[param.var.name].tree
        if type_.bits < 32:
            low, high = ast.Constant(value=type_.low), ast.Constant(value=type_.high)
            found.append(Guard(ast.Compare(left=low, ops=[ast.LtE(), ast.LtE()], comparators=[value, high])))
        elif not type_.signed:
            found.append(Guard(ast.Compare(left=value, ops=[ast.GtE()], comparators=[constant(0)])))
    return found


def formula_guards(formula: Expr, printer: Printer) -> list[Guard] | None:
    """Guards for a formula over plain numbers; None where it speaks of more than these. That what is computed from elements
    is in range is not checked: an array's own arithmetic would wrap, and the source may not read these elements on all inputs.
    """
    if formula == TRUE:
        return []
    if (limits := within_limits(formula)) is not None:
        if any(isinstance(part, Select) for part in subexpressions(formula)):
            return None
        try:
            value, low, high = (printer.number(part) for part in limits)
        except CannotSpell:
            return None
        return [Guard(ast.Compare(left=low, ops=[ast.LtE(), ast.LtE()], comparators=[value, high]))]
    match formula:
        case Apply(Operator.LE, (Apply(Operator.MAX, (one, other)), most)):
            formula = conj(at_most(one, most), at_most(other, most))
    if isinstance(formula, Apply) and formula.op is Operator.AND:
        parts = [formula_guards(arg, printer) for arg in formula.args]
        known = [part for part in parts if part is not None]
        return [guard for part in known for guard in part] if len(known) == len(parts) else None
    either = isinstance(formula, Apply) and formula.op is Operator.OR
    if either and any(isinstance(part, Select) for part in subexpressions(formula)):
        return None  # the element may be there only where the rest does not hold
    try:
        condition = printer.number(readable(formula))
    except CannotSpell:
        return None
    return [] if _is_obvious(condition) else [Guard(condition, formula)]


def _is_obvious(condition: ast.expr) -> bool:
    """Whether it is that something is at most itself."""
    match condition:
        case ast.Compare(left=left, ops=[ast.LtE()], comparators=[right]):
            return text(left) == text(right)
        case _:
            return False


def readable(formula: Expr) -> Expr:
    """A condition on numbers as a person would write it."""
    return _readable(_divisible(formula))


def _divisible(formula: Expr) -> Expr:
    """The formula with Python's own remainder where that by a positive constant is compared with 0: rounding is no matter."""
    match formula:
        case Apply(Operator.OR | Operator.AND as op, args):
            return Apply(op, tuple(map(_divisible, args)))
        case Apply(Operator.EQ, (Apply(Operator.TREM, (value, Const(by) as divisor)), Const(0) as zero)) if by > 0:
            return Apply(Operator.EQ, (Apply(Operator.FMOD, (value, divisor)), zero))
        case Apply(Operator.NOT, (part,)):
            return Apply(Operator.NOT, (_divisible(part),))
        case _:
            return formula


def _readable(formula: Expr) -> Expr:
    """The formula with the constant of an integer comparison on one side, and no strict bounds: 0 < n + 1 as 0 <= n."""
    match formula:
        case Apply(Operator.LE | Operator.LT | Operator.EQ as op, (left, right)) if is_integer(type_of(left)):
            low, high = Polynomial.of(left), Polynomial.of(right)
            if len((high - low).terms) < len(low.terms) + len(high.terms):
                high, low = (high - low).signs  # what both sides have goes
            if low.is_constant == high.is_constant:
                return formula
            if op is Operator.LT:
                low, high = (low + 1, high) if low.is_constant else (low, high - 1)
            moved = high.constant_term if low.is_constant else low.constant_term
            low, high = low - moved, high - moved
            varying = high if low.is_constant else low
            if op is not Operator.EQ and varying.content > 1:  # 1 <= 2 * n as 1 <= n
                low, high = _without_factor(low, high, varying.content)
            if all(factor < 0 for _, factor in varying.terms):  # -n <= 3 as -3 <= n
                low, high = -high, -low
            return Apply(Operator.LE if op is Operator.LT else op, (low.to_expr(), high.to_expr()))
        case Apply(Operator.OR, (Apply(Operator.EQ, same), Apply(Operator.LT, (left, right)))) if set(same) == {left, right}:
            return _readable(at_most(left, right))
        case Apply(Operator.OR | Operator.AND as op, args):
            return Apply(op, tuple(map(_readable, args)))
        case _:
            return formula


def _without_factor(low: Polynomial, high: Polynomial, factor: int) -> tuple[Polynomial, Polynomial]:
    """The sides of low <= high, one of them a constant, over a factor of the other."""

    def over(side: Polynomial) -> Polynomial:
        return Polynomial(tuple((monomial, times // factor) for monomial, times in side.terms))

    if low.is_constant:
        return Polynomial.constant(-(-low.constant_term // factor)), over(high)
    return over(low), Polynomial.constant(high.constant_term // factor)


def distinct(guards: Iterable[Guard]) -> list[Guard]:
    """The guards without repetitions, and without those of integers that follow from the others."""
    kept = list({text(guard.condition): guard for guard in guards}.values())
    for guard in sorted(kept, key=lambda each: len(each.wanted), reverse=True):
        others = [each for each in kept if each is not guard]
        if guard.formula is not None and _is_shown(guard.formula, Facts([each.formula for each in others])):
            kept = others
    return kept


def _is_shown(formula: Expr, facts: Facts) -> bool:
    match formula:
        case Apply(Operator.LE | Operator.LT as op, (left, right)) if is_integer(type_of(left)):
            return facts.never_negative(Polynomial.of(right) - Polynomial.of(left) - (op is Operator.LT))
        case Apply(Operator.OR, args):
            return any(_is_shown(arg, facts) for arg in args)
        case _:
            return False


def array_guard(param: Param, at_least: Sequence[Expr], printer: Printer) -> ast.expr:
    """The check of an array argument: its kind, its element type, and that it has enough elements along each axis.

    `at_least` is empty where any number will do.
    """
    shown = printer.values[param.var.name].tree
    type_ = param.var.type
    assert isinstance(shown, ast.Name) and isinstance(type_, TensorType)
    args: list[ast.expr] = [constant(shown.id), shown]
    if not printer.layout.lists:
        args.append(printer.dtype(type_))
    sizes = [printer.number(size) for size in at_least]
    if type_.rank == 1:
        return call(CHECK, *args, *sizes)
    return call(CHECK_SHAPE, *args, tuple_of(sizes or [constant(0)] * type_.rank))


def overlap_guard(first: ast.expr, second: ast.expr, names: tuple[str, str], overlap: Overlap) -> ast.expr:
    """The check of two arrays in memory."""
    helper = CHECK_DISJOINT if overlap is Overlap.DISJOINT else CHECK_OVERLAP
    return call(helper, constant(names[0]), first, constant(names[1]), second)


def helper_texts(layout: Layout | None, used: frozenset[str], *, axes: bool) -> list[str]:
    """The source of the helper functions that are used. `axes`: whether there are arrays of several axes."""
    if layout is None:
        return []
    texts = [_check_text(layout)] if CHECK in used else []
    if CHECK_SHAPE in used:
        texts.append(_shape_text(layout))
    if CHECK_CONTIGUOUS in used:
        texts.append(_contiguous_text(layout))
    if CHECK_DISTINCT in used:
        texts.append(_distinct_text(layout, axes=axes))
    if CHECK_OVERLAP in used or CHECK_DISJOINT in used:
        texts.append(_span_text(layout))
    texts += [_overlap_text(layout, helper) for helper in (CHECK_OVERLAP, CHECK_DISJOINT) if helper in used]
    return texts


_ROWS_CHECK = f'''\
def {CHECK_SHAPE}(name, rows, at_least):
    """Raise ValueError unless the argument is a list of lists of one length, enough of them and long enough."""
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows):
        raise ValueError(f"{{name}} must be a list of lists of one length")
    least, least_in_row = at_least
    if len(rows) < least or (rows and len(rows[0]) < least_in_row):
        raise ValueError(f"{{name}} must have at least {{least}} rows of {{least_in_row}} elements")
'''


def _check_text(layout: Layout) -> str:
    kind = layout.array_type
    if layout.lists:
        return _collection_text(layout)
    return f'''\
def {CHECK}(name, array, dtype, at_least=0):
    """Raise ValueError unless the argument is a 1-D {kind} of the dtype and long enough."""
    if not isinstance(array, {kind}) or array.dtype != dtype or array.ndim != 1:
        expected = getattr(dtype, "__name__", dtype)
        raise ValueError(f"{{name}} must be a 1-D {kind} of {{expected}}")
    if len(array) < at_least:
        raise ValueError(f"{{name}} must have at least {{at_least}} elements, not {{len(array)}}")
'''


def _collection_text(layout: Layout) -> str:
    kind, count = layout.array_type, text(fill_template(layout.length, {"x": name("values")}))
    asked = "at_least > 0 and " if layout.part else ""  # a count of a collection takes time
    return f'''\
def {CHECK}(name, values, at_least=0):
    """Raise ValueError unless the argument is a {kind} that is long enough."""
    if not isinstance(values, {kind}):
        raise ValueError(f"{{name}} must be a {kind}")
    if {asked}{count} < at_least:
        raise ValueError(f"{{name}} must have at least {{at_least}} elements, not {{{count}}}")
'''


def _shape_text(layout: Layout) -> str:
    kind = layout.array_type
    if layout.lists:
        return _ROWS_CHECK
    return f'''\
def {CHECK_SHAPE}(name, array, dtype, at_least):
    """Raise ValueError unless the argument is a {kind} of the dtype with enough elements along each axis."""
    if not isinstance(array, {kind}) or array.dtype != dtype or array.ndim != len(at_least):
        expected = getattr(dtype, "__name__", dtype)
        raise ValueError(f"{{name}} must be a {{len(at_least)}}-D {kind} of {{expected}}")
    if any(size < least for size, least in zip(array.shape, at_least)):
        raise ValueError(f"{{name}} must have at least the shape {{at_least}}, not {{tuple(array.shape)}}")
'''


def _overlap_text(layout: Layout, helper: str) -> str:
    same_allowed = helper == CHECK_OVERLAP
    wanted = "the same array or not overlap" if same_allowed else "arrays that do not overlap"
    lines = [f"def {helper}(name, array, other_name, other):"]
    what = "have the same elements or are disjoint" if same_allowed else "are disjoint"
    lines.append(f'{INDENT}"""Raise ValueError unless the arrays {what} in memory."""')
    if layout.tracing:
        lines += [f"{INDENT}if {text(fill_template(layout.tracing, {}))}:", f"{INDENT * 2}return  # addresses are not known"]
    lines.append(f"{INDENT}(start, stop), (other_start, other_stop) = {SPAN}(array), {SPAN}(other)")
    if same_allowed:
        (address, strides), (other_address, other_strides) = (
            [text(fill_template(template, {"x": name(x)})) for template in (layout.address, layout.strides)]
            for x in ("array", "other")
        )
        lines.append(f"{INDENT}same = {address} == {other_address} and {strides} == {other_strides}")
    condition = "not same and " if same_allowed else ""
    lines += [
        f"{INDENT}if {condition}start < other_stop and other_start < stop:",
        f'{INDENT * 2}raise ValueError(f"{{name}} and {{other_name}} must be {wanted}")',
    ]
    return "\n".join(lines) + "\n"


def _span_text(layout: Layout) -> str:
    lines = [f"def {SPAN}(array):", f'{INDENT}"""The lowest address of the elements, and the one behind the highest."""']
    lines += [f"{INDENT}if 0 in array.shape:", f"{INDENT * 2}return 0, 0"]
    return "\n".join([*lines, *statement("return ", fill_template(layout.bounds, {"x": name("array")}))]) + "\n"


def _distinct_text(layout: Layout, *, axes: bool) -> str:
    strides, step = (text(fill_template(template, {"x": name("array")})) for template in (layout.strides, layout.step))
    lines = [
        f"def {CHECK_DISTINCT}(name, array):",
        f'{INDENT}"""Raise ValueError unless the elements of the array, which is written, are apart in memory."""',
    ]
    raised = 'raise ValueError(f"{name} is written, and its elements must not overlap each other")'
    if axes:
        lines += [
            f"{INDENT}reach = {step}",
            f"{INDENT}for stride, size in sorted((abs(step), size) for step, size in zip({strides}, array.shape) if size > 1):",
            f"{INDENT * 2}if stride < reach and 0 not in array.shape:",
            f"{INDENT * 3}{raised}",
            f"{INDENT * 2}reach += stride * (size - 1)",
        ]
    else:
        lines += [f"{INDENT}if len(array) > 1 and abs({strides}[0]) < {step}:", f"{INDENT * 2}{raised}"]
    return "\n".join(lines) + "\n"


def _contiguous_text(layout: Layout) -> str:
    test = negation(fill_template(layout.contiguous, {"x": name("array")}))
    return f'''\
def {CHECK_CONTIGUOUS}(name, array):
    """Raise ValueError unless the elements of the array lie side by side in memory."""
    if {text(test)}:
        raise ValueError(f"{{name}} must be contiguous")
'''
