"""Calls in a source as operators of a driver that has no word of them: parts of tuples and records, and pure functions.

Of a part a target says how it is spelled; a pure function is imported from a module `pure` that its user has.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Driver, Operator, Parameter, Target, TypePattern
from metalift.driver.layout import Records
from metalift.driver.meaning.reader import Meaning
from metalift.driver.meaning.source import function_source
from metalift.ir.expr.nodes import Call, type_of
from metalift.ir.expr.types import ROW, IntType, ScalarType, element_of, is_identity
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.interp.identities import PART, WHOLE
from metalift.ir.program.fragment import External, Fragment
from metalift.run.inputs.roles import expressions_of

MODULE = "pure"
_NOTHING: frozenset[str] = frozenset()
_KINDS = {"str": "strings", "tuple": "tuples", ROW: "dictionaries"}


def with_records(driver: Driver, fragment: Fragment) -> Driver:
    """The driver with an operator for each part of a record or tuple that the function uses, for each tuple that it makes, and
    for each function whose calls stay calls and that the driver does not know.
    """
    unknown = [call for call in _calls(fragment) if call.function.startswith(EXTERNAL) and call.function not in driver.operators]
    if not unknown:
        return driver
    pure = [call for call in unknown if not call.function.startswith((PART, WHOLE))]
    imports = {MODULE: f"import {MODULE}"} if pure else {}
    targets = tuple(replace(each, imports={**each.imports, **imports}) for each in driver.targets)
    made = {call.function: _operator(driver, call, pure=call in pure) for call in unknown}
    return replace(driver, operators={**driver.operators, **made}, targets=targets)


def unknown_to(target: Target, fragment: Fragment) -> str:
    """What the function has and the target has not: strings, tuples, records, None; empty where nothing is."""
    if fragment.form is not None and (target.write is not None or target.kernels is not None or target.language != "python"):
        return "results that are None or tuples of tuples"
    if target.layout is not None and target.layout.records is not None:
        return ""
    types = [param.var.type for param in fragment.params] + [type_of(call) for call in _calls(fragment)]
    found = {_KINDS.get(each.of, "records") for each in map(element_of, types) if isinstance(each, IntType) and is_identity(each)}
    return " and ".join(sorted(found))


def _calls(fragment: Fragment) -> list[Call]:
    parts = (part for expr in expressions_of(fragment) for part in subexpressions(expr))
    return [part for part in parts if isinstance(part, Call)]


def _operator(driver: Driver, call: Call, *, pure: bool) -> Operator:
    """The operator of which no more is known than of an uninterpreted one; a pure function applies to arrays by elements."""
    types = tuple(each for each in map(type_of, call.args) if isinstance(each, ScalarType))
    assert isinstance(call.type, ScalarType)
    params = tuple(Parameter(f"a{number}", TypePattern(each), element=not pure) for number, each in enumerate(types))
    signature = tuple((param.name, param.pattern) for param in params)
    external = External(call.function.removeprefix(EXTERNAL), types, call.type)
    meaning = Meaning(function_source(_operator), signature, TypePattern(call.type), None, external)
    layouts = {target.name: target.layout for target in driver.targets}
    spelled = {name: _spelled(call, layout.records) for name, layout in layouts.items() if layout and layout.records}
    if pure:
        text = f"{MODULE}.{external.name}({', '.join(f'{{{param.name}}}' for param in params)})"
        spelled = {target.name: text for target in driver.targets if target.language == "python" and target.layout is not None}
    return Operator(call.function, params, TypePattern(call.type), pure, 0.1, spelled, spelled, _NOTHING, _NOTHING, meaning)


def _spelled(call: Call, records: Records) -> str:
    """The template of a part, or of a tuple or record."""
    if call.function.startswith(WHOLE):
        assert isinstance(call.type, IntType)
        names = [name for name, _ in call.type.fields]
        if call.type.of == ROW and records.row:
            parts = [_put(records.pair, x=f"{{a{at}}}", name=repr(name)) for at, name in enumerate(names)]
            return _put(records.row, parts=", ".join(parts))
        if call.type.of != "tuple":
            parts = [_put(records.field, x=f"{{a{at}}}", name=name) for at, name in enumerate(names)]
            return _put(records.made, parts=", ".join(parts))
        parts = [_put(records.member, x=f"{{a{at}}}", name=repr(name)) for at, name in enumerate(names)]
        return _put(records.whole, parts=", ".join(parts) + ("," if len(parts) == 1 else ""))
    owner = type_of(call.args[0])
    assert isinstance(owner, IntType)
    position = int(call.function.removeprefix(PART).partition(".")[0])
    if owner.of == ROW and records.entry:
        return _put(records.entry, x="{a0}", name=repr(owner.fields[position][0]))
    template = records.item if owner.of == "tuple" else records.part
    return _put(template, x="{a0}", name=owner.fields[position][0], at=str(position))


def _put(template: str, **given: str) -> str:
    for name, text in given.items():
        template = template.replace(f"{{{name}}}", text)
    return template
