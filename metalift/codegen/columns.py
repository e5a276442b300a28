"""What columns a table must have, where arrays are tables whose elements are in columns."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set

from metalift.codegen.python_text import statement, text
from metalift.codegen.request import GenerateRequest
from metalift.driver import Target
from metalift.driver.templates import call, constant, fill_template
from metalift.ir.expr.nodes import Call, Expr, Length, Select, type_of
from metalift.ir.expr.types import IntType, ScalarType, TensorType, Type
from metalift.ir.expr.walk import children, subexpressions
from metalift.ir.interp.identities import PART
from metalift.ir.program.fragment import Param
from metalift.ir.program.summary import Summary

VALUE = "value"  # the column of elements that are no records
QUOTES = "'\""
ORDER = "i"  # the column that orders the rows of a table, and counts those of an argument


def as_tables(request: GenerateRequest, arrays: Iterable[tuple[Param, ast.expr]], lines: Sequence[str]) -> list[str]:
    """Lines that make of tables that people have, with a column for each field, the collections that the `lines` compute with."""
    tables = None if request.target.layout is None else request.target.layout.tables
    if tables is None:
        return []
    ordered, called_so, found = looks_at_order(lines, tables.ordered), dict(request.style.columns), []
    for param, shown in arrays:
        assert isinstance(shown, ast.Name) and isinstance(param.var.type, TensorType)
        columns = columns_of(param.var.type, request.summary, request.target.dtypes)
        order = f"_{ORDER}" if ORDER in dict(getattr(param.var.type.element, "fields", ())) else ORDER
        keys = columns.keys if isinstance(columns, ast.Dict) else [constant(VALUE)]
        wanted = [key.value for key in keys if isinstance(key, ast.Constant)]
        theirs = {each: called_so[each] for each in (*wanted, order) if each in called_so}
        names = ast.Dict(list(map(constant, theirs.values())), list(map(constant, theirs)))
        given = fill_template(tables.renamed, {"x": shown, "names": names}) if theirs else shown
        made = call(tables.rows, constant(shown.id), given, columns)
        made.keywords = [ast.keyword("ordered", constant(True))] if ordered else []
        made.keywords += [ast.keyword("order", constant(order))] if order != ORDER else []
        found += statement(f"{shown.id} = ", made)
    return found


def with_fields(tree: ast.expr, type_: Type, target: Target) -> ast.expr:
    """A result, of records as a table that has a column for each field."""
    tables = None if target.layout is None else target.layout.tables
    if tables is None or not isinstance(type_, TensorType) or not any(_records(type_)):
        return tree
    return fill_template(tables.fields, {"x": tree})


def columns_of(array: TensorType, summary: Summary, dtypes: Mapping[ScalarType, str]) -> ast.expr:
    """The element type of such an array, as Python text: of records a dictionary of the fields that the summary reads, by name.

    Records that are used as a whole have all of their fields. What is only copied may be of any type, None.
    """
    computed = [value for _, value in summary.outputs] + [each.value for each in summary.bindings]
    read = {part.function: part for value in computed for part in subexpressions(value) if isinstance(part, Call)}
    parts = {(type_of(part.args[0]), function.rpartition(".")[2]) for function, part in read.items() if function.startswith(PART)}
    return _columns(array.element, parts, set(_whole(computed)), dtypes)


def _columns(type_: ScalarType, read: Set[tuple[Type, str]], whole: Set[Type], dtypes: Mapping[ScalarType, str]) -> ast.expr:
    if not (isinstance(type_, IntType) and type_.fields):
        return ast.parse(dtypes.get(type_, "None"), mode="eval").body
    wanted = [(called, part) for called, part in type_.fields if type_ in whole or (type_, called) in read]
    inside = whole | {part for _, part in wanted} if type_ in whole else whole
    return ast.Dict([constant(called) for called, _ in wanted], [_columns(part, read, inside, dtypes) for _, part in wanted])


def _whole(computed: Iterable[Expr]) -> Iterator[Type]:
    """The types of records that are more than taken apart."""
    for value in computed:
        yield from _records(type_of(value))
        for node in subexpressions(value):
            if not (isinstance(node, Length | Select) or (isinstance(node, Call) and node.function.startswith(PART))):
                for part in children(node):
                    yield from _records(type_of(part))


def _records(type_: Type) -> Iterator[Type]:
    element = type_.element if isinstance(type_, TensorType) else type_
    if isinstance(element, IntType) and element.fields:
        yield element


def in_words(columns: ast.expr) -> str:
    """Which columns a table has to have, for people."""
    if not isinstance(columns, ast.Dict):
        return f"a table with the column {VALUE} ({text(columns).strip(QUOTES)})"
    pairs = zip(columns.keys, columns.values, strict=True)
    shown = [f"{key.value!s} ({text(value).strip(QUOTES)})" for key, value in pairs if isinstance(key, ast.Constant)]
    return f"a table with the columns {', '.join(shown)}" if shown else "a table"


def looks_at_order(lines: Sequence[str], functions: Collection[str]) -> bool:
    """Whether the lines of a function's body do more with the order of rows than to hand it on; `functions` of theirs do."""
    nodes = list(ast.walk(ast.parse("\n".join(["def f():", *lines]))))
    handed_on = {id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and _is_selection(node)}
    used = any(isinstance(node, ast.Constant) and node.value == ORDER and id(node) not in handed_on for node in nodes)
    return used or any(isinstance(node, ast.Name) and node.id in functions for node in nodes)


def _is_selection(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "select" and bool(call.args)
