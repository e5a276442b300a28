"""The groups of which an operator computes one value, as a collection of what each has.

Such an operator is given functions of an element that may ask something of the whole collection: of its elements with the same
key. Where they depend on the element by its key alone, each is a value at the key, as those of a dictionary are.
"""

from __future__ import annotations

import ast

from metalift.codegen.expressions import Printer
from metalift.codegen.grouped import Grouped
from metalift.codegen.names import Names
from metalift.codegen.request import CannotSpell
from metalift.driver import Operator
from metalift.driver.templates import fill_template
from metalift.ir.expr.nodes import Call, Expr, Lambda, MakeTuple, Var, type_of
from metalift.ir.expr.types import FunctionType, ScalarType
from metalift.ir.expr.walk import alpha_key, free_vars, map_children, substitute
from metalift.ir.program.summary import TargetProgram

_FIRST = "first."  # which no name of a source is


def key_of(operator: Operator, call: Call) -> Var:
    """What stands for any key of the groups."""
    kind = type_of(_functions(operator, call)[0])
    assert isinstance(kind, FunctionType) and isinstance(kind.result, ScalarType)
    return Var("key.", kind.result)


def groups_of(operator: Operator, call: Call, grouped: Grouped, printer: Printer, taken: Names) -> ast.expr:
    """The values of the groups, or their keys where the operator takes none, in no order. `grouped` has the key."""
    by, *functions = _functions(operator, call)
    first = Var(_FIRST, by.params[0].type)
    key = substitute(by.body, {by.params[0]: first})
    values = [_of_key(substitute(each.body, {each.params[0]: first}), key, grouped.key) for each in functions]
    for value in values:
        if first in free_vars(value):
            raise CannotSpell("a value of a group that depends on more of its first element than the key")
    if not grouped.occurs(values[0], by, call.args[-1]):
        raise CannotSpell("groups of keys that elements may not have")
    result = MakeTuple(tuple(values)) if len(values) > 1 else values[0]
    tree = grouped.spelled(TargetProgram((), (), result), printer, taken)
    return fill_template(grouped.groups.each, {"x": tree}) if len(values) > 1 else tree


def _functions(operator: Operator, call: Call) -> list[Lambda]:
    """The key, whether a group counts, and its value."""
    given = {param.name: arg for param, arg in zip(operator.params, call.args, strict=True)}
    functions = [arg for each in operator.groups if isinstance(arg := given[each], Lambda)]
    if len(functions) < len(operator.groups):
        raise CannotSpell("groups by something else than a function of elements")
    return functions


def _of_key(expr: Expr, by: Expr, key: Var) -> Expr:
    """The expression where the key stands for what it is of the first element."""
    return key if alpha_key(expr) == alpha_key(by) else map_children(lambda part: _of_key(part, by, key), expr)
