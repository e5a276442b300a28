"""What the expansion of maps and sets keeps of a function, and the instructions that it writes; see `metalift.frontend.maps`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from metalift.frontend.llvm_ir import BasicBlock, Instr, Layout, LlvmFunction
from metalift.frontend.map_names import Container
from metalift.frontend.metadata import Metadata
from metalift.frontend.vector_names import LLVM_TYPES
from metalift.ir.fragment import Diagnostic, Location, Unsupported

SUPPORTED = (
    "supported are std::map, std::set and their unordered forms, of integers, strings, or pairs and tuples of these, and with "
    "numbers as values, that the function makes "
    "and returns, with [], at, count, contains, find, insert, emplace, insert_or_assign, copies, and loops over them"
)
KEY = "%metalift.key"


def fail(instr: Instr, found: str) -> Unsupported:
    """What to raise for something that is not modelled."""
    return Unsupported(Diagnostic(instr.location, f"{found}; {SUPPORTED}"))


@dataclass(frozen=True, slots=True)
class Place:
    """An iterator: at a key, with whether it is there; at the end of its container where there is no key."""

    owner: str
    key: str = ""
    found: str = ""


@dataclass(slots=True)
class MapWriter:
    """Writes instructions; `objects` are the containers of the function by their registers."""

    function: LlvmFunction
    layout: Layout
    metadata: Metadata
    location: Location
    objects: dict[str, Container] = field(default_factory=dict)
    iterators: dict[str, Place] = field(default_factory=dict)
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)  # pointers to pairs: container and key
    keys: dict[str, str] = field(default_factory=dict)  # pointers to keys
    parts: dict[str, tuple[str, int]] = field(default_factory=dict)  # pointers to parts of keys: key and position
    values: dict[str, tuple[str, str]] = field(default_factory=dict)  # pointers to values: container and key
    inserted: dict[str, tuple[Place, str]] = field(default_factory=dict)  # results of insert
    starts: dict[str, str] = field(default_factory=dict)  # what begin() gives
    rounds: dict[str, str] = field(default_factory=dict)  # the iterators of loops over containers, with these
    round_keys: dict[str, str] = field(default_factory=dict)  # the keys that these iterators are at
    blocks: list[BasicBlock] = field(default_factory=list)  # what is written, of which `out` is the last one's
    out: list[Instr] = field(default_factory=list)
    count: int = 0

    def _fresh(self, base: str) -> str:
        self.count += 1
        return f"%{base}.m{self.count}"

    def _emit(self, op: str, type_: str, args: tuple[str, ...], types: tuple[str, ...], at: Instr, result: str = "") -> str:
        result = result or self._fresh(op.rpartition(".")[2])
        self.out.append(Instr(op, result, type_, args, types, location=at.location))
        return result

    def _load(self, place: str, type_: str, at: Instr) -> str:
        return self._emit("load", type_, (place,), ("ptr",), at)

    def _store(self, value: str, place: str, type_: str, at: Instr) -> None:
        self.out.append(Instr("store", "", type_, (value, place), (type_, "ptr"), location=at.location))

    def _clear_part(self, place: str, type_: str, at: Instr) -> None:
        zero = {"i1": "false", "float": "0.0", "double": "0.0"}.get(type_, "0")
        self._store(zero, place, type_, at)

    def _parts(self, owner: str) -> list[tuple[str, str]]:
        """The variables of a container with their types."""
        container = self.objects[owner]
        there = [(f"{owner}.there", "i1")]
        return [*there, (f"{owner}.value", container.value_type)] if container.value else there

    def _read(self, place: str, type_: str, key: str, at: Instr, result: str = "") -> str:
        """What a variable holds, at a key."""
        whole, kind = self._load(place, type_, at), self._key_type()
        return self._emit("keyed.read", type_, (whole, key), (type_, kind), at, result)

    def _is_there(self, owner: str, key: str, at: Instr) -> str:
        """Whether a container has a key; beside it stands what a map has there, which is 0 where it has nothing."""
        there, kind, container = self._load(f"{owner}.there", "i1", at), self._key_type(), self.objects[owner]
        if not container.value:
            return self._emit("keyed.read", "i1", (there, key), ("i1", kind), at)
        value = self._load(f"{owner}.value", container.value_type, at)
        return self._emit("keyed.read", "i1", (there, key, value), ("i1", kind, container.value_type), at)

    def _write(self, place: str, type_: str, key: str, value: str, at: Instr) -> None:
        """Change a variable at a key."""
        old, kind = self._load(place, type_, at), self._key_type()
        self._store(self._emit("keyed.write", type_, (key, value, old), (kind, type_, type_), at), place, type_, at)

    def _key_type(self) -> str:
        return self._any().key_type

    def _key_at(self, place: str, at: Instr) -> str:
        """The key that a pointer points to."""
        if place in self.keys:
            return self.keys[place]
        container = self._any()
        if container.record is None:
            return self._value_at(place, self._key_type(), at)
        types = self._part_types()
        parts = []
        for offset, type_ in zip(container.record.offsets, types, strict=True):
            parts.append(self._load(self._inside(place, offset, at), type_, at))
        whole = self._emit("identity.whole", self._key_type(), tuple(parts), types, at)
        self.out[-1] = replace(self.out[-1], detail=container.parts)
        return whole

    def _put_key(self, place: str, key: str, at: Instr) -> None:
        """Write a key to memory."""
        container, kind = self._any(), self._key_type()
        if container.record is None:
            self._store(key, place, kind, at)
            return
        for position, (offset, type_) in enumerate(zip(container.record.offsets, self._part_types(), strict=True)):
            part = self._emit("identity.part", type_, (key,), (kind,), at)
            self.out[-1] = replace(self.out[-1], detail=(str(position),))
            self._store(part, self._inside(place, offset, at), type_, at)

    def _inside(self, place: str, offset: int, at: Instr) -> str:
        """The place so many bytes after another."""
        args, types = (place, str(offset)), ("ptr", "i64")
        result = self._fresh("inside")
        self.out.append(Instr("getelementptr", result, "ptr", args, types, ("i8",), location=at.location))
        return result

    def _key_part(self, register: str, key: str, offset: int | None) -> bool:
        """Note that a register points to the part of a key at an offset, if it has one there."""
        record = self._any().record
        if record is None or offset not in record.offsets:
            return False
        self.parts[register] = (key, record.offsets.index(offset))
        return True

    def _any(self) -> Container:
        """One of the containers: all have keys of one type."""
        return next(iter(self.objects.values()))

    def _part_types(self) -> tuple[str, ...]:
        """The LLVM types of the parts of a key."""
        return tuple(LLVM_TYPES.get(code, "i64") for code in self._any().parts)

    def _value_at(self, place: str, type_: str, at: Instr) -> str:
        """The number that a pointer points to, maybe in a map."""
        if place not in self.values:
            return self._load(place, type_, at)
        owner, key = self.values[place]
        self._of_type(at, type_, self.objects[owner].value_type)
        return self._read(f"{owner}.value", type_, key, at)

    @staticmethod
    def _of_type(instr: Instr, type_: str, wanted: str) -> None:
        if type_ != wanted or instr.flags:
            raise fail(instr, "an access to a value of a map as one of another type")

    def _require(self, owner: str, key: str, text: str, at: Instr) -> None:
        """What has to hold at a key."""
        there, kind = self._load(f"{owner}.there", "i1", at), self._key_type()
        self.out.append(Instr("keyed.require", "", "void", (there, key), ("i1", kind), (text,), location=at.location))

    def _start(self, label: str) -> None:
        """Begin a block."""
        self.out = []
        self.blocks.append(BasicBlock(label, self.out))

    def _uses(self, register: str) -> bool:
        return any(register in instr.args for instr in self.function.instructions())
