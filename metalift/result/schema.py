"""The JSON schema of what `--json` prints, made from the results' own types, so that neither goes without the other."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from metalift.result import SCHEMA_VERSION, CheckResult, Json, Result

TITLE = "What metalift lift --json and metalift check --json print"
SIMPLE: Mapping[type, Json] = {str: {"type": "string"}, int: {"type": "integer"}, bool: {"type": "boolean"}}
NUMBER: Json = {"type": ["number", "null"]}  # null where it is no finite number


def schema() -> dict[str, Json]:
    """The schema, by the draft of 2020."""
    known: dict[str, Json] = {}
    kinds = [_of(kind, known) for kind in (Result, CheckResult)]
    for kind in (Result, CheckResult):
        own = known[kind.__name__]
        assert isinstance(own, dict)
        keys, required = own["properties"], own["required"]
        assert isinstance(keys, dict) and isinstance(required, list)
        own["properties"] = {"schema_version": {"const": SCHEMA_VERSION}, **keys}
        own["required"] = ["schema_version", *required]
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": TITLE, "oneOf": list(kinds), "$defs": dict(sorted(known.items()))}


def schema_text() -> str:
    """The schema as it stands in schema.json: a line for each type."""
    found = schema()
    types_of = found.pop("$defs")
    assert isinstance(types_of, dict)
    listed = ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in types_of.items())
    return f'{json.dumps(found, indent=2)[:-2]},\n  "$defs": {{\n{listed}\n  }}\n}}\n'


def _of(kind: Any, known: dict[str, Json]) -> Json:  # noqa: ANN401 - any annotation
    """The schema of a type; those of dataclasses are put with the known ones."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _object(kind, known)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [str(member.value) for member in kind]}
    if kind is float:
        return NUMBER
    if kind in SIMPLE:
        return SIMPLE[kind]
    args = typing.get_args(kind)
    match typing.get_origin(kind):
        case types.UnionType:
            return {"anyOf": [{"type": "null"} if each is type(None) else _of(each, known) for each in args]}
        case origin if origin is tuple:
            return {"type": "array", "items": _of(args[0], known)}
        case origin if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": _of(args[1], known)}
        case _:
            return {}


def _object(kind: type, known: dict[str, Json]) -> Json:
    """A reference to the schema of a dataclass, whose documentation it has."""
    if kind.__name__ not in known:
        known[kind.__name__] = {}
        hints = typing.get_type_hints(kind)
        shown = [each.name for each in fields(kind) if each.metadata.get("json", True)]
        known[kind.__name__] = {
            "description": " ".join((kind.__doc__ or "").split()),
            "type": "object",
            "properties": {name: _of(hints[name], known) for name in shown},
            "required": list(shown),
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}
