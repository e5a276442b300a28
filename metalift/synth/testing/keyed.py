"""Dictionaries and sets that source and generated code give, and the fragment's account of what they have at one key."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.fragment import Fragment
from metalift.ir.types import TupleType
from metalift.synth.testing.jobs import Entry, dtype, param_entry, result_entry
from metalift.synth.testing.process import Answer


def arguments(fragment: Fragment, args: Sequence[object]) -> Sequence[object]:
    """The arguments without the key."""
    return args if fragment.key is None else args[:-1]


def entries(fragment: Fragment) -> dict[str, object]:
    """What the worker is told of parameters and result."""
    key = fragment.key
    params: list[Entry] = [param_entry(param) for param in fragment.arguments]
    if key is None:
        return {"params": params, "result": result_entry(fragment.result)}
    values = fragment.result.items[1:] if isinstance(fragment.result, TupleType) else ()
    columns = [{"dtype": dtype(type_), "rank": 1} for type_ in (key.var.type, *values)]
    return {"params": params, "result": {"kind": key.c_type, "items": columns}}


def at_key(fragment: Fragment, args: Sequence[object], answer: Answer) -> Answer:
    """The answer with what the dictionary or set has at the key, which is the last argument, as its results."""
    if fragment.key is None or "items" not in answer:
        return answer
    found = {key: value for key, value in answer["items"]}
    if len(found) < len(answer["items"]):
        return {"error": "a key occurs more than once", "undefined": "a key occurs more than once"}
    there = args[-1] in found
    return {**answer, "results": [there, found[args[-1]] if there else 0], "entries": found}


def unlike(native: Answer, emitted: Answer) -> str | None:
    """The first difference of two dictionaries or sets that numbers of any kind show: their keys, and values that are exact."""
    if "entries" not in native or "entries" not in emitted:
        return None
    source, code = native["entries"], emitted["entries"]
    for key in sorted({*source, *code}):
        if key not in code:
            return f"the source gives the key {key}, the generated code does not"
        if key not in source:
            return f"the generated code gives the key {key}, the source does not"
        if not isinstance(source[key], float) and source[key] != code[key]:
            return f"at the key {key}: source {source[key]}, generated code {code[key]}"
    return None
