"""Guards: constant-time checks at the start of a generated function, and the helper functions that they call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metalift.codegen.expressions import Printer
from metalift.codegen.numbers import negation
from metalift.codegen.python_text import INDENT, statement, text
from metalift.codegen.request import CannotSpell, Overlap
from metalift.codegen.templates import call, constant, fill_template, name, subscript
from metalift.driver import Layout
from metalift.ir.fragment import Param
from metalift.ir.nodes import TRUE, Apply, Expr, Operator
from metalift.ir.types import MachineInt, TensorType

CHECK = "_check"
CHECK_OVERLAP = "_check_same_or_disjoint"
CHECK_DISJOINT = "_check_disjoint"
HELPERS = (CHECK, CHECK_OVERLAP, CHECK_DISJOINT)


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that has to hold, as the tree of a plain Python condition."""

    condition: ast.expr

    def lines(self) -> list[str]:
        """The statement that raises where it does not hold."""
        wanted = text(self.condition)
        return [f"{INDENT}if {text(negation(self.condition))}:", raise_line(f"{wanted} is required")]


def raise_line(message: str) -> str:
    """The statement that raises ValueError with the message, inside an `if` of a function."""
    return statement("raise ", call("ValueError", constant(message)), indent=2)[0]


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
    """Guards for a formula over plain numbers; None where it speaks of more than these."""
    if formula == TRUE:
        return []
    if isinstance(formula, Apply) and formula.op is Operator.AND:
        parts = [formula_guards(arg, printer) for arg in formula.args]
        known = [part for part in parts if part is not None]
        return [guard for part in known for guard in part] if len(known) == len(parts) else None
    try:
        return [Guard(printer.number(formula))]
    except CannotSpell:
        return None


def distinct(guards: Iterable[Guard]) -> list[Guard]:
    """The guards without repetitions."""
    return list({text(guard.condition): guard for guard in guards}.values())


def array_guard(param: Param, at_least: Expr | None, printer: Printer) -> ast.expr:
    """The check of an array argument: its kind, its element type, and that it is long enough."""
    shown = printer.values[param.var.name].tree
    assert isinstance(shown, ast.Name) and isinstance(param.var.type, TensorType)
    args: list[ast.expr] = [constant(shown.id), shown, printer.dtype(param.var.type)]
    if at_least is not None:
        args.append(printer.number(at_least))
    return call(CHECK, *args)


def overlap_guard(first: ast.expr, second: ast.expr, names: tuple[str, str], overlap: Overlap) -> ast.expr:
    """The check of two arrays in memory."""
    helper = CHECK_DISJOINT if overlap is Overlap.DISJOINT else CHECK_OVERLAP
    return call(helper, constant(names[0]), first, constant(names[1]), second)


def helper_texts(layout: Layout | None, used: frozenset[str]) -> list[str]:
    """The source of the helper functions that are used."""
    if layout is None:
        return []
    texts = [_check_text(layout)] if CHECK in used else []
    if CHECK_OVERLAP in used:
        texts.append(_overlap_text(layout, CHECK_OVERLAP))
    if CHECK_DISJOINT in used:
        texts.append(_overlap_text(layout, CHECK_DISJOINT))
    return texts


def _check_text(layout: Layout) -> str:
    kind = layout.array_type
    return f'''\
def {CHECK}(name, array, dtype, at_least=0):
    """Raise ValueError unless the argument is a 1-D {kind} of the dtype and long enough."""
    if not isinstance(array, {kind}) or array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{{name}} must be a 1-D {kind} of {{getattr(dtype, '__name__', dtype)}}")
    if len(array) < at_least:
        raise ValueError(f"{{name}} must have at least {{at_least}} elements, not {{len(array)}}")
'''


def _overlap_text(layout: Layout, helper: str) -> str:
    same_allowed = helper == CHECK_OVERLAP
    wanted = "the same array or not overlap" if same_allowed else "arrays that do not overlap"
    lines = [f"def {helper}(name, array, other_name, other):"]
    what = "start together or are disjoint" if same_allowed else "are disjoint"
    lines.append(f'{INDENT}"""Raise ValueError unless the arrays {what} in memory."""')
    if layout.tracing:
        lines += [f"{INDENT}if {text(fill_template(layout.tracing, {}))}:", f"{INDENT * 2}return  # addresses are not known"]
    if same_allowed:
        prefixes = [subscript(name(array), [ast.Slice(upper=name("shared"))]) for array in ("array", "other")]
        lines.append(f"{INDENT}shared = min(len(array), len(other))")
        same = ast.Compare(left=_bounds(layout, prefixes[0]), ops=[ast.Eq()], comparators=[_bounds(layout, prefixes[1])])
        lines += statement("same = ", same)
    for low, high, array in (("start", "stop", "array"), ("other_start", "other_stop", "other")):
        lines += statement(f"{low}, {high} = ", _bounds(layout, name(array)))
    condition = "not same and " if same_allowed else ""
    lines += [
        f"{INDENT}if {condition}start < other_stop and other_start < stop:",
        f'{INDENT * 2}raise ValueError(f"{{name}} and {{other_name}} must be {wanted}")',
    ]
    return "\n".join(lines) + "\n"


def _bounds(layout: Layout, array: ast.expr) -> ast.expr:
    return fill_template(layout.bounds, {"x": array})
