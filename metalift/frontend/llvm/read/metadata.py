"""Debug information: source types, names and locations, looked up in the metadata lines of a module."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from metalift.frontend.llvm.read.mangled import UNKNOWN, type_name
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, STRING, IntType, MachineInt, ScalarType, TensorType
from metalift.ir.interp.identities import tuple_type
from metalift.ir.program.fragment import Location

FIELD = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*"|![\w]+|!"[^"]*"|[^,()]+(?:\([^)]*\))?)')
SOURCE_SUFFIXES = frozenset(".c .i .ii .cc .cp .cxx .cpp .c++ .C .CPP".split())
QUALIFIERS = {
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
    "DW_TAG_atomic_type": "_Atomic",
}


@dataclass(frozen=True, slots=True)
class Record:
    """A struct, std::pair or std::tuple of scalars as the element of a std::vector, or as a key.

    `name` is its name as linker names spell it; `offsets` are those of the parts of its type, in bytes, of which it has `size`.
    """

    name: str
    type: IntType
    offsets: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class SourceType:
    """A type of the source.

    `kind` is scalar, pointer, reference, array, vector, struct, void or other. `scalar` is set for scalars, and for pointers,
    references to scalars and vectors it is the type of the elements (of the innermost elements for pointers to arrays), where it
    is supported.
    `rank` counts the axes of a vector or of pointers to pointers: a vector of vectors has two. `ref` is the number of a struct;
    one that is `undefined` is only declared.
    `record` says what the elements of a vector are that are no numbers; `scalar` is then their identity.
    """

    kind: str
    spelling: str
    scalar: ScalarType | None = None
    const: bool = False
    volatile: bool = False
    restrict: bool = False
    target: SourceType | None = None
    rank: int = 1
    ref: str = ""
    record: Record | None = None
    undefined: bool = False

    @property
    def struct(self) -> SourceType | None:
        """The struct that it is, points to or refers to."""
        found = self.target if self.kind in ("pointer", "reference") else self
        return found if found is not None and found.kind == "struct" else None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct: its offset in bytes; without a name it is a base class, or a struct whose members are meant."""

    name: str
    offset: int
    type: SourceType
    size: int
    bit_field: bool = False


class Metadata:
    """The numbered metadata of a module; `main_unit` is that of the file that was compiled, where others are linked with it."""

    def __init__(self, lines: dict[str, str], directory: Path, main_unit: str) -> None:
        self.lines = lines
        self.main_unit = main_unit
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
        return self.file(self.fields(self.main_unit).get("file", "")) if self.main_unit else ""

    @cached_property
    def unit_files(self) -> frozenset[str]:
        """The paths of all source files that were compiled."""
        units = [ref for ref, line in self.lines.items() if line.startswith("!DICompileUnit(")]
        return frozenset(self.file(self.fields(ref).get("file", "")) for ref in units)

    def is_own_file(self, file: str) -> bool:
        """Whether a file is one that was compiled, or by its name a source that such a file includes."""
        return file in self.unit_files or os.path.splitext(file)[1] in SOURCE_SUFFIXES

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
            return replace(base, spelling=f"{'const ' if base.const else ''}{fields['name']}")
        if tag in ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type", "DW_TAG_array_type"):
            return self._indirect(tag, self.type(fields.get("baseType", "")), self._extents(fields.get("elements", "")))
        if tag == "DW_TAG_enumeration_type":
            base = (
                self.type(fields["baseType"]) if "baseType" in fields else SourceType("scalar", "unsigned", MachineInt(32, False))
            )
            return SourceType("scalar", fields.get("name", "enum"), base.scalar)
        return self._class(ref, fields, tag)

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
        return replace(
            base,
            spelling=f"{base.spelling} {word}" if behind else f"{word} {base.spelling}",
            const=base.const or word == "const",
            volatile=base.volatile or word == "volatile",
            restrict=base.restrict or word == "restrict",
        )

    @staticmethod
    def _indirect(tag: str, target: SourceType, extents: str) -> SourceType:
        mark = {"DW_TAG_reference_type": "&", "DW_TAG_rvalue_reference_type": "&&"}.get(tag, "*")
        kind = "array" if tag == "DW_TAG_array_type" else "pointer" if mark == "*" else "reference"
        rows = kind == "pointer" and target.kind == "pointer" and (target.target is None or target.target.kind != "array")
        supported = target.kind in ("scalar", "array") or (kind == "reference" and target.kind == "vector") or rows
        element, _, brackets = target.spelling.partition("[") if target.kind == "array" else (target.spelling, "", "")
        spelling = f"{element} ({mark})[{brackets}" if brackets else f"{target.spelling} {mark}"
        if kind == "array":
            spelling = f"{target.spelling}{extents}"
        scalar = target.scalar if supported else None
        return SourceType(kind, spelling, scalar, False, target.volatile, False, target, target.rank + rows)

    def _class(self, ref: str, fields: dict[str, str], tag: str) -> SourceType:
        name = type_name(fields.get("identifier", ""))
        if name == "std::string":
            return SourceType("scalar", name, STRING)
        vector = vector_element(name)
        if vector is not None:
            code, rank = vector
            return SourceType("vector", spelled(name), ELEMENTS[code][1], rank=rank)
        if name.startswith("std::vector<") and (record := self.record(name[len("std::vector<") : -1])) is not None:
            return SourceType("vector", spelled(name), record.type, record=record)
        if name.startswith("std::array<"):
            return self._array_class(ref, spelled(name))
        if name.startswith("std::") and not name.startswith(TRANSPARENT):
            return SourceType("other", spelled(name))
        if tag in STRUCTS and "elements" in fields:
            spelling = spelled(name) if name.startswith("std::") else f"struct {fields.get('name', '')}".strip()
            return SourceType("struct", spelling, ref=ref)
        if defined := self.definition(ref):
            return self.type(defined)
        word = {"DW_TAG_union_type": "union", "DW_TAG_subroutine_type": "function"}.get(tag, "struct")
        if fields.get("node") == "DISubroutineType":
            word = "function"
        declared = "DIFlagFwdDecl" in fields.get("flags", "")
        return SourceType("other", f"{word} {fields.get('name', '')}".strip(), undefined=declared)

    def definition(self, ref: str) -> str:
        """The struct that another file defines, where this one only declares it; empty where several differ, and for all else."""
        fields = self.fields(ref)
        if fields.get("tag") not in STRUCTS or "DIFlagFwdDecl" not in fields.get("flags", ""):
            return ""
        name = fields.get("identifier") or fields.get("name", "")
        found = self._structs.get(name, [])
        if len({(self.declared_at(ref), self._chain(ref)) for ref in found}) != 1:
            return ""
        return found[0]

    def _chain(self, ref: str) -> tuple[tuple[str, ...], ...]:
        """What tells structs apart that the same lines define: their members, each with the types that its type is made of."""
        pending = [(item, False) for item in self.items(self.fields(ref).get("elements", ""))]
        found: list[tuple[str, ...]] = []
        while pending and len(found) < MEMBERS:
            item, behind = pending.pop()
            fields = self.fields(item)
            found.append(tuple(fields.get(key, "") for key in ("tag", "name", "offset", "size", "encoding", "count")))
            behind = behind or fields.get("tag") == "DW_TAG_pointer_type"
            inside = self.items(fields.get("elements", "")) if fields.get("tag") in STRUCTS and not behind else []
            pending += [(each, behind) for each in (*inside, *([fields["baseType"]] if "baseType" in fields else []))]
        return tuple(found)

    def declared_at(self, ref: str) -> tuple[str, str, str]:
        """Where a struct is defined: several files that include it have each a type of their own, which is the same one."""
        fields = self.fields(ref)
        return self.file(fields.get("file", "")), fields.get("line", ""), fields.get("name", "")

    @cached_property
    def _structs(self) -> dict[str, list[str]]:
        """The structs and classes that are defined, by what they are called in linker names, in C by their tags."""
        found: dict[str, list[str]] = {}
        for ref, line in self.lines.items():
            if line.startswith("!DICompositeType(") and "elements: " in line:
                fields = self.fields(ref)
                inner = self.fields(fields.get("scope", "")).get("node") not in (None, "DIFile", "DICompileUnit")
                if fields.get("tag") in STRUCTS and (fields.get("identifier") or not inner):
                    found.setdefault(fields.get("identifier") or fields.get("name", ""), []).append(ref)
        return found

    @cached_property
    def string_size(self) -> int:
        """The bytes of a std::string, where a module that has pointers to some does not say what is in one; 0 if not known."""
        return 32 if any(f'identifier: "{LIBSTDCXX_STRING}"' in line for line in self.lines.values()) else 0

    @cached_property
    def _classes(self) -> dict[str, str]:
        """The numbers of the classes whose members are known, by their names as linker names spell them."""
        lines = ((ref, CLASS.search(line)) for ref, line in self.lines.items())
        return {type_name(found[1]): ref for ref, found in lines if found}

    def record(self, name: str) -> Record | None:
        """A class as the element of a std::vector or as a key: a struct of named scalars, a std::pair or a std::tuple."""
        element = self.type(self._classes.get(name, ""))
        if element.kind != "struct":
            return None
        own, parts, members = self.fields(element.ref), scalars_of(element, self), self.members(element.ref)
        if not parts or any(each.type.volatile for each in members):
            return None
        types = [scalar for _, scalar in parts]
        type_ = tuple_type(types)
        if name.startswith(TRANSPARENT[:2]) and name.count("<") > 1:
            return None
        if not name.startswith(TRANSPARENT[:2]):
            called = own.get("name", "")
            if any(each.type.kind != "scalar" or not each.name for each in members) or called in ("", "str", "tuple"):
                return None
            type_ = IntType(called, tuple(zip((each.name for each in members), types, strict=True)))
        return Record(name, type_, tuple(offset for offset, _ in parts), int(own.get("size", 0)) // 8)

    def declares_constructor(self, name: str) -> bool:
        """Whether the source of a class declares a constructor, of any kind."""
        fields = self.fields(self._classes.get(name, ""))
        members = (self.fields(item) for item in self.items(fields.get("elements", "")))
        return any(each.get("node") == "DISubprogram" and each.get("name") == fields.get("name") for each in members)

    def copies_itself(self, name: str) -> bool:
        """Whether a class declares how it is copied, moved, assigned or ended, so that this may be more than of its parts."""
        ref = self._classes.get(name, "")
        fields = self.fields(ref)
        members = [item for item in self.items(fields.get("elements", "")) if self.fields(item).get("node") == "DISubprogram"]
        named = [(self.fields(item).get("name", ""), item) for item in members]
        if any(called.startswith("~") or called == "operator=" for called, _ in named):
            return True
        made = [item for called, item in named if called.partition("<")[0] == fields.get("name")]
        params = [self.type(type_) for item in made for type_ in self.signature(item)[1:]]
        return any(each.kind == "reference" and each.target is not None and each.target.ref in ("", ref) for each in params)

    def _array_class(self, ref: str, spelling: str) -> SourceType:
        """A std::array is the array that it holds."""
        held = [member.type for member in self.members(ref)]
        if len(held) != 1 or held[0].kind != "array":
            return SourceType("other", spelling)
        return replace(held[0], spelling=spelling)

    def result(self, subprogram: str) -> SourceType:
        """The type that a function returns."""
        signature = self.signature(subprogram)
        return self.type(signature[0]) if signature else SourceType("void", "void")

    def ends_itself(self, ref: str) -> bool:
        """Whether a struct, or one in it, declares what is done at its end."""
        items = (self.fields(item) for item in self.items(self.fields(ref).get("elements", "")))
        own = any(each.get("node") == "DISubprogram" and each.get("name", "").startswith("~") for each in items)
        return own or any(self.ends_itself(each.type.ref) for each in self.members(ref) if each.type.kind == "struct")

    def members(self, ref: str) -> list[Member]:
        """The members of a struct that hold data, base classes included, in order."""
        found = []
        for item in self.items(self.fields(ref).get("elements", "")):
            fields = self.fields(item)
            inherited = fields.get("tag") == "DW_TAG_inheritance"
            static = "DIFlagStaticMember" in fields.get("flags", "")
            if (fields.get("tag") != "DW_TAG_member" and not inherited) or static:
                continue
            type_ = self.type(fields.get("baseType", ""))
            if inherited and type_.kind == "struct" and not self.members(type_.ref):
                continue
            name = "" if inherited else fields.get("name", "")
            size = int(fields.get("size", 0)) or int(self.fields(type_.ref).get("size", 0))
            bit_field = "DIFlagBitField" in fields.get("flags", "")
            found.append(Member(name, int(fields.get("offset", 0)) // 8, type_, size // 8, bit_field))
        return found


def scalars_of(type_: SourceType, metadata: Metadata) -> list[tuple[int, ScalarType]]:
    """Where the scalars of a struct begin and their types, in the order of the source; empty where it holds something else."""
    found = parts_of(type_, metadata)
    scalars = [(offset, part) for offset, part in found if not isinstance(part, TensorType)]
    return scalars if len(scalars) == len(found) else []


def parts_of(type_: SourceType, metadata: Metadata) -> list[tuple[int, ScalarType | TensorType]]:
    """Where the scalars of a struct begin, and its pointers to scalars, which are arrays, with the types, in the order of the
    source; empty where it holds something else, or is no struct.
    """
    found = _parts(type_, metadata, 0, 0) if type_.kind == "struct" else []
    return [(offset, part) for _, offset, part in sorted(found, key=lambda item: item[0])] if found else []


def field_at(type_: SourceType, metadata: Metadata, offset: int) -> Member | None:
    """The field of a struct that begins there, of an inner struct too."""
    for member in metadata.members(type_.ref) if type_.kind == "struct" else ():
        if member.type.kind == "struct" and member.offset <= offset < member.offset + member.size:
            return field_at(member.type, metadata, offset - member.offset)
        if member.offset == offset:
            return member
    return None


def _parts(
    type_: SourceType, metadata: Metadata, start: int, item: int
) -> list[tuple[int, int, ScalarType | TensorType]] | None:
    """The parts of a struct; those of a std::tuple, which may lie in memory from last to first, with their numbers."""
    found: list[tuple[int, int, ScalarType | TensorType]] = []
    named = ITEM.match(metadata.fields(type_.ref).get("name", ""))
    item = int(named[1]) if named else item
    for member in metadata.members(type_.ref):
        offset = start + member.offset
        if member.type.kind == "struct":
            inner = _parts(member.type, metadata, offset, item)
            if inner is None:
                return None
            found += inner
        elif member.type.scalar is None or member.bit_field:
            return None
        elif member.type.kind == "pointer" and member.type.rank == 1:
            found.append((item, offset, TensorType(member.type.scalar)))
        elif member.type.kind == "scalar":
            found.append((item, offset, member.type.scalar))
        else:
            return None
    return found


LIBSTDCXX_STRING = "_ZTSNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"  # a pointer, a length and 16 characters
MEMBERS = 1000  # types of members that are looked at
STRUCTS = ("DW_TAG_structure_type", "DW_TAG_class_type")
CLASS = re.compile(r'DICompositeType\(.*elements: ![0-9]+.*identifier: "([^"]+)"')
ITEM = re.compile(r"(?:_Head_base|__tuple_leaf)<(\d+)")  # the part of a std::tuple that holds one item
TRANSPARENT = ("std::pair<", "std::tuple<", "std::_")  # classes of std that are structs like any other, and their own parts
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
    "S": ("std::string", STRING),  # an identity: no linker name has this code
}
CODES = {name: code for code, (name, _) in ELEMENTS.items()}


def vector_element(name: str) -> tuple[str, int] | None:
    """The code of the innermost elements of a std::vector with the default allocator, and how many axes it has."""
    rank = 0
    while name.startswith("std::vector<") and name.endswith(">"):
        name, rank = name[len("std::vector<") : -1], rank + 1
    return (CODES[name], rank) if rank and name in CODES else None


def spelled(name: str) -> str:
    """A type as a source writes it."""
    return name.replace(UNKNOWN, "...")
