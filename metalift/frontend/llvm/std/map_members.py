"""The members of maps and sets as what they do at one key; see `metalift.frontend.llvm.std.maps`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from metalift.frontend.llvm.names.map_names import Container, MapMember, map_member
from metalift.frontend.llvm.names.vector_names import extremum, is_push, iterated, vector_member
from metalift.frontend.llvm.read.llvm_ir import Instr
from metalift.frontend.llvm.ssa.bulk import is_lifetime
from metalift.frontend.llvm.std.map_lists import SIZE, ListLoop, clones, list_element, pushed_type
from metalift.frontend.llvm.std.map_writer import Inside, MapWriter, Place, Probe, fail


@dataclass(slots=True)
class MapMembers(MapWriter):
    """Writes calls out."""

    def _call(self, call: Instr) -> bool:
        member = map_member(call.detail[0][1:])
        if member is None:
            return self._of_list(call) or self._chosen(call) or self._copied(call)
        owner = call.args[0]
        if owner in self.probes:
            return self._asked(call, member, self.probes[owner])
        handler = self._members().get(member.name)
        if handler is None or not handler(call, member, owner):
            raise fail(call, f"{member.whole}::{member.name} as it is used here")
        return True

    def _of_list(self, call: Instr) -> bool:
        """A member of a vector that is a value."""
        member = vector_member(call.detail[0][1:])
        inside = self.values.get(call.args[0]) if member is not None and call.args else None
        if member is None or inside is None or not self.objects[inside.owner].of_lists:
            return False
        match member.name:
            case "push_back" | "emplace_back" if (type_ := pushed_type(call, member)) and not self._uses(call.result):
                self._push(call, inside, self._value_at(call.args[1], type_, call))
            case "size":
                self._read(f"{inside.owner}.{SIZE.name}", SIZE.llvm, inside.key, call, call.result)
            case "empty":
                size = self._read(f"{inside.owner}.{SIZE.name}", SIZE.llvm, inside.key, call)
                self._emit("icmp", "i1", (size, "0"), (SIZE.llvm, SIZE.llvm), call, call.result)
                self.out[-1] = replace(self.out[-1], detail=("eq",))
            case "reserve":
                pass
            case _:
                return False
        return True

    def _push(self, call: Instr, inside: Inside, value: str) -> None:
        """Add an element: do what loops over the vector would do with it."""
        owner, key = inside.owner, inside.key
        size = self._read(f"{owner}.{SIZE.name}", SIZE.llvm, key, call)
        more = self._emit("add", SIZE.llvm, (size, "1"), (SIZE.llvm, SIZE.llvm), call)
        self._write(f"{owner}.{SIZE.name}", SIZE.llvm, key, more, call)
        for loop in self.loops:
            if loop.element == list_element(self.objects[owner]):
                self._push_to(loop, call, inside, value)

    def _push_to(self, loop: ListLoop, call: Instr, inside: Inside, value: str) -> None:
        names, where = {}, call.location
        for variable, part in zip(loop.variables, loop.parts, strict=True):
            names[variable.result] = self._read(f"{inside.owner}.{part.name}", part.llvm, inside.key, call)
        for instr in (each for block in loop.body for each in block.instrs if each.result):
            names[instr.result] = value if instr.op == "load" else self._fresh(instr.result[1:].strip('"'))
        self.count += 1
        label = f"push{self.count}"
        self.out.append(Instr("br", detail=(f"{label}.{loop.first}",), location=where))
        for block in clones(loop, names, label):
            self._start(block.label)
            self.out += block.instrs
            if block.label == f"{label}.{loop.last}":
                self.out.append(Instr("br", detail=(f"{label}.after",), location=where))
        self._start(f"{label}.after")
        for following, part in zip(loop.following, loop.parts, strict=True):
            new = names.get(following, following)
            self._write(f"{inside.owner}.{part.name}", part.llvm, inside.key, new, call)

    def _chosen(self, call: Instr) -> bool:
        """std::max, std::min and push_back, which take the places of numbers: of what is in a map, those of copies."""
        places = [arg for arg in call.args if arg in self.values or arg in self.parts or arg in self.keys]
        if not places or not (extremum(call.detail[0][1:]) or is_push(call)):
            return False
        copies: dict[str, str] = {}
        for place in places:
            type_ = self._number_at(self.values[place], call)[1] if place in self.values else self._key_type(self.keys[place])
            value = self._value_at(place, type_, call) if place in self.values else self.keys[place]
            copies[place] = self._fresh("copy")
            self.blocks[0].instrs.insert(0, Instr("alloca", copies[place], "ptr", detail=(type_,), location=call.location))
            self._store(value, copies[place], type_, call)
        self.out.append(call.map_values(lambda arg: copies.get(arg, arg)))
        return True

    def _copied(self, call: Instr) -> bool:
        """A copy of a pair or value; marks of where a variable's life begins and ends go with the variable."""
        if is_lifetime(call) and not self.objects.keys().isdisjoint(call.args):
            return True
        if not call.detail[0].startswith("@llvm.memcpy"):
            return False
        target, source = call.args[:2]
        if any(container.of_lists for container in self.objects.values()):
            return False
        if source not in self.entries:
            return (source in self.values or target in self.values) and self._copied_value(call)
        owner, key = self.entries[source]
        container = self.objects[owner]
        if call.args[2] != str(self.layout.size(container.entry)):
            return False
        values = self._read_whole(owner, key, call)
        self._put_key(target, key, call)
        second = self._inside(target, self._second(container), call)
        for part, value in zip(container.values, values, strict=True):
            self._store(value, self._inside(second, part.offset, call), part.llvm, call)
        return True

    def _copied_value(self, call: Instr) -> bool:
        """A copy of a whole value, out of a map, into one, or within one."""
        target, source = call.args[:2]
        insides = [self.values[place] for place in (target, source) if place in self.values]
        container = self.objects[insides[0].owner]
        alike = all(not each.offset and self.objects[each.owner].value == container.value for each in insides)
        if not alike or call.args[2] != str(self.layout.size(container.value_memory)):
            return False
        values = self._whole_at(source, container, call)
        for part, value in zip(container.values, values, strict=True):
            self._put(value, self._behind(target, part.offset, call), part.llvm, call)
        return True

    def _second(self, container: Container) -> int:
        """Where the value is in a pair of key and value."""
        found = self.layout.field(container.entry, 1)
        assert found is not None
        return found[0]

    def _members(self) -> dict[str, Callable[[Instr, MapMember, str], bool]]:
        return {
            "constructor": self._construct,
            "destructor": lambda call, member, owner: True,
            "reserve": lambda call, member, owner: True,
            "operator=": self._construct,
            "operator[]": self._subscript,
            "at": self._at,
            "count": self._count,
            "contains": self._count,
            "find": self._find,
            "end": self._end,
            "cend": self._end,
            "begin": self._begin,
            "cbegin": self._begin,
            "insert": self._insert,
            "emplace": self._insert,
            "try_emplace": self._insert,
            "insert_or_assign": self._insert,
        }

    def _construct(self, call: Instr, member: MapMember, owner: str) -> bool:
        if not member.params and member.name == "constructor":
            self._clear(owner, call)
            return True
        if member.template and member.name == "constructor":
            self._clear(owner, call)
            return self._insert_all(call, member, owner)
        if member.params not in ((f"{member.whole}&&",), (f"{member.whole} const&",)) or call.args[1] not in self.objects:
            return False
        other = call.args[1]
        for (place, type_), (source, _) in zip(self._parts(owner), self._parts(other), strict=True):
            self._store(self._load(source, type_, call), place, type_, call)
        if member.params[0].endswith("&&") and other != owner:
            self.moved.append((call, other))
            self._clear(other, call)
        return not call.result or not self._uses(call.result)

    def _subscript(self, call: Instr, member: MapMember, owner: str) -> bool:
        key = self._key_at(call.args[1], self.objects[owner], call)
        self._write(f"{owner}.there", "i1", key, "true", call)
        self.values[call.result] = Inside(owner, key)
        return True

    def _at(self, call: Instr, member: MapMember, owner: str) -> bool:
        return self._found(call, owner, self._key_at(call.args[1], self.objects[owner], call))

    def _found(self, call: Instr, owner: str, key: str, name: str = "at()", otherwise: str = "throws nothing") -> bool:
        self._require(owner, key, f"{name} finds its key, so that it {otherwise}", call)
        self.values[call.result] = Inside(owner, key)
        return True

    def _count(self, call: Instr, member: MapMember, owner: str) -> bool:
        return self._counted(call, owner, self._key_at(call.args[1], self.objects[owner], call))

    def _counted(self, call: Instr, owner: str, key: str) -> bool:
        there = self._is_there(owner, key, call)
        if call.type == "i1":
            self._emit("xor", "i1", (there, "false"), ("i1", "i1"), call, call.result)
        else:
            self._emit("zext", call.type, (there,), ("i1",), call, call.result)
        return True

    def _find(self, call: Instr, member: MapMember, owner: str) -> bool:
        return self._sought(call, owner, self._key_at(call.args[1], self.objects[owner], call))

    def _sought(self, call: Instr, owner: str, key: str) -> bool:
        self.iterators[call.result] = Place(owner, key, self._is_there(owner, key, call))
        return True

    def _asked(self, call: Instr, member: MapMember, probe: Probe) -> bool:
        """What a copy of a container has at the key at which it is seen."""
        owner, key = probe.owner, probe.key
        if member.name in ("count", "contains"):
            return self._counted(call, owner, key)
        if member.name == "find":
            return self._sought(call, owner, key)
        if member.name == "at":
            return self._found(call, owner, key)
        if probe.mixed:
            return self._found(call, owner, key, "[]", "adds none")
        self.values[call.result] = Inside(owner, key)
        return True

    def _end(self, call: Instr, member: MapMember, owner: str) -> bool:
        self.iterators[call.result] = Place(owner)
        return True

    def _begin(self, call: Instr, member: MapMember, owner: str) -> bool:
        self.starts[call.result] = owner
        return owner in self.rounds.values()

    def _insert(self, call: Instr, member: MapMember, owner: str) -> bool:
        """insert(pair), insert(key), emplace(key, value), insert_or_assign(key, value)"""
        container = self.objects[owner]
        if member.name == "insert" and member.template and len(call.args) == 3:
            return self._insert_all(call, member, owner)
        taken = self._taken(call, member, container)
        if taken is None:
            return False
        key, values = taken
        there = self._is_there(owner, key, call)
        if member.name == "insert_or_assign":
            for (place, type_), value in zip(self._held(owner), values, strict=True):
                self._write(place, type_, key, value, call)
        else:
            for (place, type_), value in zip(self._held(owner), values, strict=True):
                before = self._read(place, type_, key, call)
                chosen = self._emit("select", type_, (there, before, value), ("i1", type_, type_), call)
                self._write(place, type_, key, chosen, call)
        self._write(f"{owner}.there", "i1", key, "true", call)
        self.inserted[call.result] = (Place(owner, key, there), there)
        return True

    def _taken(self, call: Instr, member: MapMember, container: Container) -> tuple[str, tuple[str, ...]] | None:
        """The key and the numbers in the value that are inserted; None for another form."""
        key, value = container.key_name, container.value_name
        if container.of_lists:
            return None
        plain = [type_.removesuffix("&&").removesuffix("&").removesuffix(" const") for type_ in member.params]
        given = [type_.removesuffix("&&").removesuffix("&").removesuffix(" const") for type_ in member.template]
        if not value:
            fits = plain == [key] or (member.name == "emplace" and given == [key])
            return (self._key_at(call.args[1], container, call), ()) if fits and len(call.args) == 2 else None
        pairs = (f"std::pair<{key} const, {value}>", f"std::pair<{key}, {value}>")
        if member.name in ("insert", "emplace") and len(call.args) == 2 and not {*plain[:1], *given[:1]}.isdisjoint(pairs):
            return self._of_pair(call, container) if call.args[1] not in self.entries else self._of_entry(call)
        separate = given == [key, value] or (plain[:1] == [key] and given == [value])
        if member.name != "insert" and len(call.args) == 3 and separate:
            return self._key_at(call.args[1], container, call), self._whole_at(call.args[2], container, call)
        return None

    def _of_entry(self, call: Instr) -> tuple[str, tuple[str, ...]]:
        owner, key = self.entries[call.args[1]]
        return key, self._read_whole(owner, key, call)

    def _read_whole(self, owner: str, key: str, at: Instr) -> tuple[str, ...]:
        """The numbers in the value that a container has at a key."""
        return tuple(self._read(place, type_, key, at) for place, type_ in self._held(owner))

    def _of_pair(self, call: Instr, container: Container) -> tuple[str, tuple[str, ...]]:
        second = self._inside(call.args[1], self._second(container), call)
        return self._key_at(call.args[1], container, call), self._whole_at(second, container, call)

    def _insert_all(self, call: Instr, member: MapMember, owner: str) -> bool:
        """The elements between two pointers or iterators of a std::vector, into a set."""
        container = self.objects[owner]
        if container.value or iterated(member.template[0]) != container.key_name or call.types[1:3] != ("ptr", "ptr"):
            return False
        begin, end = call.args[1:3]
        self.count += 1
        before, (head, body, after) = self.blocks[-1].label, (f"all{self.count}.{part}" for part in ("head", "body", "after"))
        place, following, more = (self._fresh(name) for name in ("place", "place", "more"))
        where, memory = call.location, container.key_memory
        self.out.append(Instr("br", detail=(head,), location=where))
        self._start(head)
        self.out.append(Instr("phi", place, "ptr", (begin, following), ("ptr", "ptr"), (before, body), location=where))
        self.out.append(Instr("icmp", more, "i1", (place, end), ("ptr", "ptr"), ("ne",), location=where))
        self.out.append(Instr("br", args=(more,), types=("i1",), detail=(body, after), location=where))
        self._start(body)
        self._write(f"{owner}.there", "i1", self._key_at(place, container, call), "true", call)
        self.out.append(Instr("getelementptr", following, "ptr", (place, "1"), ("ptr", "i64"), (memory,), location=where))
        self.out.append(Instr("br", detail=(head,), location=where))
        self._start(after)
        return True
