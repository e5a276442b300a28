"""What the expansion of maps and sets keeps of a function, and the instructions that it writes; see `metalift.frontend.maps`."""

from __future__ import annotations

from dataclasses import dataclass, field

from metalift.frontend.llvm_ir import BasicBlock, Instr, Layout, LlvmFunction
from metalift.frontend.map_names import Container
from metalift.frontend.metadata import Metadata
from metalift.ir.fragment import Diagnostic, Location, Unsupported

SUPPORTED = (
    "supported are std::map, std::set and their unordered forms, of integers and with numbers as values, that the function makes "
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
        return next(iter(self.objects.values())).key_type

    def _key_at(self, place: str, at: Instr) -> str:
        """The key that a pointer points to."""
        if place in self.keys:
            return self.keys[place]
        return self._value_at(place, self._key_type(), at)

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
