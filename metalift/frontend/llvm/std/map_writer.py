"""What the expansion of maps and sets keeps of a function, and the instructions that it writes; see `std.maps`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.names.map_names import ZEROS, Container
from metalift.frontend.llvm.names.vector_names import LLVM_TYPES
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, Layout, LlvmFunction, scalar_size
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.std.map_lists import ListLoop
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported

SUPPORTED = (
    "supported are std::map, std::set and their unordered forms, of integers, strings, or pairs and tuples of these, and with "
    "numbers, or pairs, tuples and structs of these, or vectors that are only counted and gone through, as values, that the "
    "function makes and returns, with [], at, count, contains, find, insert, emplace, insert_or_assign, copies, and loops over "
    "them"
)
KEY = "%metalift.key"


class NotAtOneKey(Unsupported):
    """What is done with maps and sets is not modelled, at least not where all of them are seen at the key of the result."""


def fail(instr: Instr, found: str) -> NotAtOneKey:
    """What to raise for something that is not modelled."""
    return NotAtOneKey(Diagnostic(instr.location, f"{found}; {SUPPORTED}"))


@dataclass(frozen=True, slots=True)
class Place:
    """An iterator: at a key, with whether it is there; at the end of its container where there is no key."""

    owner: str
    key: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Inside:
    """A pointer into the value that a container has at a key, so many bytes behind its beginning."""

    owner: str
    key: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """A copy of a container, `owner`, that is filled anew, seen at the key that the container `origin` is asked for.

    `key` is the register of that key. `mixed` says whether it matters that `[]` puts missing keys into the container.
    """

    origin: str
    owner: str
    key: str
    container: Container
    mixed: bool


@dataclass(slots=True)
class MapWriter:
    """Writes instructions; `objects` are the containers of the function by their registers."""

    function: LlvmFunction
    module: LlvmModule
    location: Location
    probes: dict[str, Probe] = field(default_factory=dict)  # what is asked for what it has at keys
    objects: dict[str, Container] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)  # the keys at which containers are seen
    seen_at: dict[str, str] = field(default_factory=dict)  # the same of variables
    kinds: dict[str, Container] = field(default_factory=dict)  # containers with such keys, by registers of keys
    iterators: dict[str, Place] = field(default_factory=dict)
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)  # pointers to pairs: container and key
    keys: dict[str, str] = field(default_factory=dict)  # pointers to keys
    parts: dict[str, tuple[str, int]] = field(default_factory=dict)  # pointers to parts of keys: key and position
    values: dict[str, Inside] = field(default_factory=dict)  # pointers to values and into them
    inserted: dict[str, tuple[Place, str]] = field(default_factory=dict)  # results of insert
    starts: dict[str, str] = field(default_factory=dict)  # what begin() gives
    loops: list[ListLoop] = field(default_factory=list)  # those over vectors that are values
    moved: list[tuple[Instr, str]] = field(default_factory=list)  # what moves all elements out of a container, and this
    rounds: dict[str, str] = field(default_factory=dict)  # the iterators of loops over containers, with these
    round_keys: dict[str, str] = field(default_factory=dict)  # the keys that these iterators are at
    blocks: list[BasicBlock] = field(default_factory=list)  # what is written, of which `out` is the last one's
    out: list[Instr] = field(default_factory=list)
    count: int = 0

    @property
    def layout(self) -> Layout:
        """Where fields of types are in memory."""
        return self.module.layout

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

    def _clear(self, owner: str, at: Instr) -> None:
        """Let a container have nothing; its variables are what a new value is."""
        self._store("false", f"{owner}.there", "i1", at)
        for part in self.objects[owner].values:
            self._store(part.initial, f"{owner}.{part.name}", part.llvm, at)

    def _parts(self, owner: str) -> list[tuple[str, str]]:
        """The variables of a container with their types."""
        return [(f"{owner}.there", "i1"), *self._held(owner)]

    def _held(self, owner: str) -> list[tuple[str, str]]:
        """The variables for the numbers in a value of a container, with their types."""
        return [(f"{owner}.{part.name}", part.llvm) for part in self.objects[owner].values]

    def _is_padding(self, place: Inside, type_: str) -> bool:
        """Whether a pointer points to bytes of a value that no number has: a copy of a struct may copy them too."""
        container, size = self.objects[place.owner], scalar_size(type_)
        if container.of_lists:
            return False
        end = self.layout.size(container.value_memory)
        spans = [(part.offset, part.offset + (scalar_size(part.llvm) or 0)) for part in container.values]
        if size is None or end is None or not 0 <= place.offset <= end - size:
            return False
        return all(place.offset + size <= first or last <= place.offset for first, last in spans)

    def _number_at(self, place: Inside, at: Instr) -> tuple[str, str]:
        """The variable for the number that a pointer points to, and its type."""
        for part in self.objects[place.owner].values:
            if part.offset == place.offset:
                return f"{place.owner}.{part.name}", part.llvm
        raise fail(at, "an access to a value of a map that is to none of its numbers")

    def _read(self, place: str, type_: str, key: str, at: Instr, result: str = "") -> str:
        """What a variable holds, at a key."""
        whole, kind = self._load(place, type_, at), self._key_type(key)
        result = self._emit("keyed.read", type_, (whole, key), (type_, kind), at, result)
        return self._seen(place, result)

    def _seen(self, place: str, result: str = "") -> str:
        """Note at which key the variable is seen that the last instruction reads, writes or requires."""
        self.out[-1] = replace(self.out[-1], detail=(*self.out[-1].detail, self.seen_at[place]))
        return result

    def _is_there(self, owner: str, key: str, at: Instr) -> str:
        """Whether a container has a key; beside it stand the variables that are 0 where it has nothing."""
        there, kind = self._load(f"{owner}.there", "i1", at), self._key_type(key)
        parts = [part for part in self.objects[owner].values if part.initial in ZEROS]
        values = tuple(self._load(f"{owner}.{part.name}", part.llvm, at) for part in parts)
        result = self._emit("keyed.read", "i1", (there, key, *values), ("i1", kind, *(part.llvm for part in parts)), at)
        return self._seen(f"{owner}.there", result)

    def _write(self, place: str, type_: str, key: str, value: str, at: Instr) -> None:
        """Change a variable at a key."""
        old, kind = self._load(place, type_, at), self._key_type(key)
        new = self._emit("keyed.write", type_, (key, value, old), (kind, type_, type_), at)
        self._store(self._seen(place, new), place, type_, at)

    def _key_type(self, key: str) -> str:
        return self.kinds[key].key_type

    def _key_at(self, place: str, container: Container, at: Instr) -> str:
        """The key of a container that a pointer points to."""
        key = self.keys[place] if place in self.keys else self._read_key(place, container, at)
        known = self.kinds.setdefault(key, container)
        if (known.key_type, known.parts) != (container.key_type, container.parts):
            raise fail(at, "a key that is one of another type")
        return key

    def _read_key(self, place: str, container: Container, at: Instr) -> str:
        if container.record is None:
            return self._value_at(place, container.key_type, at)
        types = part_types(container)
        parts = []
        for offset, type_ in zip(container.record.offsets, types, strict=True):
            parts.append(self._load(self._inside(place, offset, at), type_, at))
        whole = self._emit("identity.whole", container.key_type, tuple(parts), types, at)
        self.out[-1] = replace(self.out[-1], detail=container.parts)
        return whole

    def _put_key(self, place: str, key: str, at: Instr) -> None:
        """Write a key to memory."""
        container, kind = self.kinds[key], self._key_type(key)
        if container.record is None:
            self._store(key, place, kind, at)
            return
        for position, (offset, type_) in enumerate(zip(container.record.offsets, part_types(container), strict=True)):
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
        record = self.kinds[key].record
        if record is None or offset not in record.offsets:
            return False
        self.parts[register] = (key, record.offsets.index(offset))
        return True

    def _value_at(self, place: str, type_: str, at: Instr) -> str:
        """The number that a pointer points to, maybe in a map."""
        if place not in self.values:
            return self._load(place, type_, at)
        inside = self.values[place]
        variable, held = self._number_at(inside, at)
        self._of_type(at, type_, held)
        return self._read(variable, held, inside.key, at)

    def _behind(self, place: str, offset: int, at: Instr) -> str:
        """The place so many bytes after another, maybe in a map."""
        if place not in self.values:
            return self._inside(place, offset, at)
        result, inside = self._fresh("inside"), self.values[place]
        self.values[result] = replace(inside, offset=inside.offset + offset)
        return result

    def _whole_at(self, place: str, container: Container, at: Instr) -> tuple[str, ...]:
        """The numbers in a value of a container that a pointer points to, maybe in a map."""
        return tuple(self._value_at(self._behind(place, part.offset, at), part.llvm, at) for part in container.values)

    def _put(self, value: str, place: str, type_: str, at: Instr) -> None:
        """Write a number where a pointer points to, maybe in a map."""
        if place not in self.values:
            self._store(value, place, type_, at)
            return
        variable, held = self._number_at(self.values[place], at)
        self._of_type(at, type_, held)
        self._write(variable, held, self.values[place].key, value, at)

    @staticmethod
    def _of_type(instr: Instr, type_: str, wanted: str) -> None:
        if type_ != wanted or (instr.op in ("load", "store") and instr.flags):
            raise fail(instr, "an access to a value of a map as one of another type")

    def _require(self, owner: str, key: str, text: str, at: Instr) -> None:
        """What has to hold at a key."""
        there, kind = self._load(f"{owner}.there", "i1", at), self._key_type(key)
        self.out.append(Instr("keyed.require", "", "void", (there, key), ("i1", kind), (text,), location=at.location))
        self._seen(f"{owner}.there")

    def _origin(self, owner: str) -> str:
        """The container of the source that a container is a copy of."""
        return next((probe.origin for probe in self.probes.values() if probe.owner == owner), owner)

    def _start(self, label: str) -> None:
        """Begin a block."""
        self.out = []
        self.blocks.append(BasicBlock(label, self.out))

    def _uses(self, register: str) -> bool:
        return any(register in instr.args for instr in self.function.instructions())


def part_types(container: Container) -> tuple[str, ...]:
    """The LLVM types of the parts of a key."""
    return tuple(LLVM_TYPES.get(code, "i64") for code in container.parts)
