"""Debug information: source types, names and locations, looked up in the metadata lines of a module."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from metalift.ir.fragment import Location
from metalift.ir.types import BOOL, DOUBLE, FLOAT, MachineInt, ScalarType

FIELD = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*"|![\w]+|!"[^"]*"|[^,()]+(?:\([^)]*\))?)')
QUALIFIERS = {
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
    "DW_TAG_atomic_type": "_Atomic",
}


@dataclass(frozen=True, slots=True)
class SourceType:
    """A type of the source.

    `kind` is scalar, pointer, reference, vector, void or other. `scalar` is set for scalars, and for pointers, references to
    scalars and vectors it is the type of the elements (of the innermost elements for pointers to arrays), where it is supported.
    """

    kind: str
    spelling: str
    scalar: ScalarType | None = None
    const: bool = False
    volatile: bool = False
    restrict: bool = False
    target: SourceType | None = None


class Metadata:
    """The numbered metadata of a module."""

    def __init__(self, lines: dict[str, str], directory: Path) -> None:
        self.lines = lines
        self._directory = directory
        self._fields: dict[str, dict[str, str]] = {}
        self._locations: dict[str, Location] = {}
        self._files: dict[str, str] = {}
        self._types: dict[str, SourceType] = {}

    def fields(self, ref: str) -> dict[str, str]:
        """The fields of a node `!N`; strings without their quotes; empty for what is not a node with fields."""
        found = self._fields.get(ref)
        if found is None:
            line = self.lines.get(ref, "")
            found = {key: value.strip().strip('"') for key, value in FIELD.findall(line[line.find("(") :])}
            node = re.match(r"!(DI\w+)\(", line)
            if node:
                found["node"] = node[1]
            self._fields[ref] = found
        return found

    def items(self, ref: str) -> list[str]:
        """The elements of a tuple node `!{...}`."""
        line = self.lines.get(ref, "")
        return [item.strip() for item in line.removeprefix("!{").removesuffix("}").split(",")] if line.startswith("!{") else []

    @cached_property
    def main_file(self) -> str:
        """The path of the source file that was compiled."""
        for ref, line in self.lines.items():
            if line.startswith("!DICompileUnit("):
                return self.file(self.fields(ref).get("file", ""))
        return ""

    def file(self, ref: str) -> str:
        """The path that a DIFile node names, with escapes undone."""
        found = self._files.get(ref)
        if found is None:
            fields = self.fields(ref)
            path = os.path.normpath(Path(fields.get("directory", "")) / fields.get("filename", ""))
            found = self._files[ref] = re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), path)
        return found

    def scope_file(self, ref: str) -> str:
        """The file of a scope: of the subprogram, block or namespace itself."""
        return self.file(self.fields(ref).get("file", ""))

    def location(self, ref: str) -> Location:
        """The place that a DILocation gives; for code inlined from another file, the place of the call in the main file."""
        found = self._locations.get(ref)
        if found is None:
            fields = self.fields(ref)
            found = Location(self.scope_file(fields.get("scope", "")), int(fields.get("line", 0)), int(fields.get("column", 0)))
            if "inlinedAt" in fields and found.file != self.main_file:
                found = self.location(fields["inlinedAt"])
            self._locations[ref] = found
        return found

    def subprogram_name(self, ref: str) -> str:
        """The name of a function with its namespaces and classes: `ns::f`."""
        fields = self.fields(ref)
        parts = [fields.get("name", "")]
        scope = fields.get("scope", "")
        while self.fields(scope).get("node") in ("DINamespace", "DICompositeType"):
            parts.append(self.fields(scope).get("name", "(anonymous)"))
            scope = self.fields(scope).get("scope", "")
        return "::".join(reversed(parts))

    def signature(self, ref: str) -> list[str]:
        """The type numbers of a subprogram: the result (or `null`), then the parameters."""
        subroutine = self.fields(ref).get("type", "")
        return self.items(self.fields(subroutine).get("types", ""))

    def type(self, ref: str) -> SourceType:
        """The source type that a type node describes."""
        found = self._types.get(ref)
        if found is None:
            found = self._types[ref] = self._read_type(ref)
        return found

    def _read_type(self, ref: str) -> SourceType:
        fields = self.fields(ref)
        if ref in ("", "null") or not fields:
            return SourceType("void", "void")
        tag = fields.get("tag", "")
        if fields.get("node") == "DIBasicType":
            return self._basic(fields)
        if tag in QUALIFIERS:
            return self._qualified(self.type(fields.get("baseType", "")), QUALIFIERS[tag])
        if tag == "DW_TAG_typedef":
            base = self.type(fields.get("baseType", ""))
            qualifier = "const " if base.const else ""
            return SourceType(
                base.kind, f"{qualifier}{fields['name']}", base.scalar, base.const, base.volatile, base.restrict, base.target
            )
        if tag in ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type", "DW_TAG_array_type"):
            return self._indirect(tag, self.type(fields.get("baseType", "")), self._extents(fields.get("elements", "")))
        if tag == "DW_TAG_enumeration_type":
            base = (
                self.type(fields["baseType"]) if "baseType" in fields else SourceType("scalar", "unsigned", MachineInt(32, False))
            )
            return SourceType("scalar", fields.get("name", "enum"), base.scalar)
        return self._class(fields, tag)

    def _extents(self, ref: str) -> str:
        """The brackets of an array type; an extent that is not a literal is left out."""
        counts = [self.fields(item).get("count", "") for item in self.items(ref)]
        return "".join(f"[{count if count.isdigit() else ''}]" for count in counts)

    @staticmethod
    def _basic(fields: dict[str, str]) -> SourceType:
        name, bits, encoding = fields.get("name", ""), int(fields.get("size", 0)), fields.get("encoding", "")
        scalar: ScalarType | None = None
        if encoding == "DW_ATE_boolean":
            scalar = BOOL
        elif encoding in ("DW_ATE_signed", "DW_ATE_signed_char"):
            scalar = MachineInt(bits, True)
        elif encoding in ("DW_ATE_unsigned", "DW_ATE_unsigned_char", "DW_ATE_UTF"):
            scalar = MachineInt(bits, False)
        elif encoding == "DW_ATE_float" and bits in (32, 64) and name in ("float", "double", "_Float32", "_Float64"):
            scalar = FLOAT if bits == 32 else DOUBLE
        if isinstance(scalar, MachineInt) and bits > 64:
            scalar = None
        return SourceType("scalar" if scalar else "other", name, scalar)

    @staticmethod
    def _qualified(base: SourceType, word: str) -> SourceType:
        behind = base.kind in ("pointer", "reference")
        if word == "_Atomic":
            return SourceType("other", f"_Atomic {base.spelling}")
        return SourceType(
            base.kind,
            f"{base.spelling} {word}" if behind else f"{word} {base.spelling}",
            base.scalar,
            base.const or word == "const",
            base.volatile or word == "volatile",
            base.restrict or word == "restrict",
            base.target,
        )

    @staticmethod
    def _indirect(tag: str, target: SourceType, extents: str) -> SourceType:
        mark = {"DW_TAG_reference_type": "&", "DW_TAG_rvalue_reference_type": "&&"}.get(tag, "*")
        kind = "array" if tag == "DW_TAG_array_type" else "pointer" if mark == "*" else "reference"
        supported = target.kind in ("scalar", "array") or (kind == "reference" and target.kind == "vector")
        element, _, brackets = target.spelling.partition("[") if target.kind == "array" else (target.spelling, "", "")
        spelling = f"{element} ({mark})[{brackets}" if brackets else f"{target.spelling} {mark}"
        if kind == "array":
            spelling = f"{target.spelling}{extents}"
        return SourceType(kind, spelling, target.scalar if supported else None, False, target.volatile, False, target)

    def _class(self, fields: dict[str, str], tag: str) -> SourceType:
        element = vector_element(fields.get("identifier", ""))
        if element is not None:
            return SourceType("vector", f"std::vector<{element[0]}>", element[1])
        word = {"DW_TAG_union_type": "union", "DW_TAG_subroutine_type": "function"}.get(tag, "struct")
        if fields.get("node") == "DISubroutineType":
            word = "function"
        return SourceType("other", f"{word} {fields.get('name', '')}".strip())


ELEMENTS: dict[str, tuple[str, ScalarType]] = {
    "i": ("int", MachineInt(32, True)),
    "j": ("unsigned", MachineInt(32, False)),
    "h": ("unsigned char", MachineInt(8, False)),
    "a": ("signed char", MachineInt(8, True)),
    "c": ("char", MachineInt(8, True)),
    "s": ("short", MachineInt(16, True)),
    "t": ("unsigned short", MachineInt(16, False)),
    "l": ("long", MachineInt(64, True)),
    "m": ("unsigned long", MachineInt(64, False)),
    "x": ("long long", MachineInt(64, True)),
    "y": ("unsigned long long", MachineInt(64, False)),
    "f": ("float", FLOAT),
    "d": ("double", DOUBLE),
}
VECTOR_IDENTIFIER = re.compile(r"_ZTS(?:St6vectorI(\w)SaI\1EE|NSt3__16vectorI(\w)NS_9allocatorI\2EEEE)\Z")


def vector_element(identifier: str) -> tuple[str, ScalarType] | None:
    """The element type of a std::vector with the default allocator, by the mangled name of the class."""
    found = VECTOR_IDENTIFIER.match(identifier)
    return ELEMENTS.get(found[1] or found[2]) if found else None
