"""Dictionaries and sets that source and generated code give, and the fragment's account of what they have at one key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metalift.ir.expr.types import BOOL, STRING, IntType, TensorType, TupleType, Type, element_of
from metalift.ir.interp.identities import number_of, readable
from metalift.ir.program.fragment import Fragment, KeyedPart, Param
from metalift.run.workers.jobs import Entry, dtype, form_entry, param_entry, record_fields, result_entry
from metalift.run.workers.process import Answer


def arguments(fragment: Fragment, args: Sequence[object]) -> Sequence[object]:
    """The arguments without the key, with what identities stand for."""
    given = args if fragment.key is None else args[:-1]
    return [_shown(arg, param.var.type) for arg, param in zip(given, fragment.arguments, strict=True)]


def _shown(arg: object, type_: Type) -> object:
    element = element_of(type_)
    if not isinstance(element, IntType) or not element.of:
        return arg
    if isinstance(arg, list | tuple):
        return [readable(each, element) for each in arg]
    return readable(arg, element) if isinstance(arg, int) else arg


def identified(fragment: Fragment, answer: Answer) -> Answer:
    """The answer with the numbers that strings, tuples and records in it are."""
    found = dict(answer)
    if fragment.key is not None and "items" in answer:
        found["items"] = _identified(fragment, answer["items"], _types(fragment))
    elif fragment.key is not None and "parts" in answer:
        types = [_types(fragment)[part.start : part.stop] for part in fragment.keyed_parts]
        found["parts"] = [_identified(fragment, part, each) for part, each in zip(answer["parts"], types, strict=True)]
    elif "results" in answer:
        found["results"] = [_number(part, type_) for part, type_ in zip(answer["results"], _types(fragment), strict=False)]
    if "arrays" in answer:
        params = [param.var.type for param in fragment.arguments]
        found["arrays"] = [_number(part, type_) for part, type_ in zip(answer["arrays"], params, strict=True)]
    return found


def _types(fragment: Fragment) -> tuple[Type | None, ...]:
    return fragment.result.items if isinstance(fragment.result, TupleType) else (fragment.result,)


def _identified(fragment: Fragment, part: Any, types: Sequence[Type | None]) -> object:  # noqa: ANN401 (an answer's part)
    """The pairs of a dictionary or set, or another value, with the numbers that strings, tuples and records are."""
    assert fragment.key is not None
    if not isinstance(part, list):
        return {"value": _number(part["value"], types[0])}
    kinds = [fragment.key.var.type, *(types[1:] or (BOOL,))]
    return [[_number(each, type_) for each, type_ in zip(pair, kinds, strict=True)] for pair in part]


def _nothing(type_: Type | None) -> object:
    """What stands for a value at a key that is not there."""
    return _number("", type_) if type_ == STRING else 0


def _number(value: object, type_: Type | None) -> object:
    element = None if type_ is None else element_of(type_)
    if not isinstance(element, IntType) or not element.of:
        return value
    if isinstance(type_, TensorType):
        return [number_of(each, element) for each in value] if isinstance(value, list) else value
    return number_of(value, element)


def entries(fragment: Fragment) -> dict[str, object]:
    """What the worker is told of parameters and result."""
    key = fragment.key
    params: list[Entry] = [param_entry(param) for param in fragment.arguments]
    if key is None:
        return {"params": params, "result": {**result_entry(fragment.result), **form_entry(fragment.form)}}
    results = [_result(fragment, key, part) for part in fragment.keyed_parts]
    return {"params": params, "result": results[0] if len(results) == 1 else {"kind": "several", "parts": results, "items": []}}


def _result(fragment: Fragment, key: Param, part: KeyedPart) -> Entry:
    types = [type_ for type_ in _types(fragment)[part.start : part.stop] if type_ is not None]
    if part.kind == "value":
        return {"kind": part.kind, "items": result_entry(types[0])["items"]}
    columns: list[Entry] = [{"dtype": dtype(type_), "rank": 1} for type_ in (key.var.type, *types[1:])]
    columns[0] = {**columns[0], "fields": record_fields(key.var.type), "layout": list(key.layout)}
    return {"kind": part.kind, "items": columns}


def at_key(fragment: Fragment, args: Sequence[object], answer: Answer) -> Answer:
    """The answer with what dictionaries and sets have at the key, which is the last argument, as its results."""
    answer = identified(fragment, answer)
    if fragment.key is None or ("items" not in answer and "parts" not in answer):
        return answer
    results: list[object] = []
    entries: list[dict[object, object]] = []
    for kind, given in zip(fragment.keyed_parts, answer.get("parts") or [answer["items"]], strict=True):
        if kind.kind == "value":
            results.append(given["value"])
            continue
        found = {key: values[0] if len(values) == 1 else tuple(values) for key, *values in given}
        if len(found) < len(given):
            return {"error": "a key occurs more than once", "undefined": "a key occurs more than once"}
        nothing = tuple(_nothing(type_) for type_ in _types(fragment)[kind.start + 1 : kind.stop])
        values = found.get(args[-1], nothing)
        shown = values if isinstance(values, tuple) else (values,)
        results += [args[-1] in found, *(shown if kind.kind == "dict" else ())]
        entries.append(found)
    return {**answer, "results": results, "entries": entries}


def unlike(native: Answer, emitted: Answer) -> str | None:
    """The first difference of two dictionaries or sets that numbers of any kind show: their keys, and values that are exact."""
    if "entries" not in native or "entries" not in emitted:
        return None
    pairs = zip(native["entries"], emitted["entries"], strict=True)
    return next((found for source, code in pairs if (found := _unlike(source, code)) is not None), None)


def _unlike(source: Mapping[Any, object], code: Mapping[Any, object]) -> str | None:
    for key in sorted({*source, *code}):
        if key not in code:
            return f"the source gives the key {key}, the generated code does not"
        if key not in source:
            return f"the generated code gives the key {key}, the source does not"
        if _exact(source[key]) != _exact(code[key]):
            return f"at the key {key}: source {source[key]}, generated code {code[key]}"
    return None


def _exact(value: object) -> object:
    """What is exact of a value: all but floats."""
    if isinstance(value, tuple):
        return tuple(map(_exact, value))
    return None if isinstance(value, float) else value
