"""Writes the maps and sets that a function makes out as what they have at one key.

A map object %m becomes the variables %m.there, whether it has the key, and %m.value, what it has there (0 where it has
nothing), or one for each number in a value. The key is a further parameter, which stands for any. What the function does at a key
%k becomes

    keyed.read  x, %k        x, of which only that of the function's own key may be used elsewhere
    keyed.write %k, x, old   x where %k is the key, otherwise old
    keyed.key                the key, in a loop over a container

and a loop over a container, whose order does not matter, becomes what it does at the key. `std.map_keys` then
checks that nothing goes from one key to another, and `std.map_lower` takes these instructions away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from metalift.frontend.llvm.names.map_names import ZEROS, Container, iterator_operator, map_member
from metalift.frontend.llvm.read.llvm_ir import (
    BasicBlock,
    Hint,
    Instr,
    Keyed,
    LlvmFunction,
    Parameter,
    offset_of,
    predecessors,
    reachable_in_order,
)
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import ELEMENTS, SourceType
from metalift.frontend.llvm.ssa.promote import promote
from metalift.frontend.llvm.ssa.thread import thread
from metalift.frontend.llvm.std.map_lists import list_element, list_parts, take_loops
from metalift.frontend.llvm.std.map_lookups import without_lookups
from metalift.frontend.llvm.std.map_members import MapMembers
from metalift.frontend.llvm.std.map_moves import used_after
from metalift.frontend.llvm.std.map_values import value_parts
from metalift.frontend.llvm.std.map_writer import KEY, Inside, fail, part_types
from metalift.ir.expr.types import ScalarType
from metalift.ir.program.fragment import Location


def expand_maps(function: LlvmFunction, module: LlvmModule, location: Location, *, lookups: bool) -> None:
    """Replace all calls of members of maps and sets, in place; where the result is one, the last parameter is the key then.

    With `lookups`, those that are only asked once they are filled are seen at the keys that they are asked for.
    """
    calls = [instr for instr in function.instructions() if instr.op == "call"]
    if not any(map_member(call.detail[0][1:]) for call in calls):
        return
    for block in function.blocks:
        block.instrs[:] = [made for instr in block.instrs for made in _iterators(instr)]
    promote(function, module.layout)
    thread(function, module.layout)
    probes = without_lookups(function) if lookups else {}
    function.probed = bool(probes)
    _Expansion(function, module, location, probes).run()


def _iterators(instr: Instr) -> Iterator[Instr]:
    """An operator of iterators, which takes their places, as one of their values."""
    operator = iterator_operator(instr.detail[0][1:]) if instr.op == "call" else ""
    if not operator:
        yield instr
        return
    if operator == "?":
        raise fail(instr, "an operator of an iterator of a map or set")
    count = 2 if operator in ("==", "!=") else 1
    stem = instr.result or "%next"
    values = [f"{stem}.iterator{number}" for number in range(count)]
    for value, place in zip(values, instr.args, strict=True):
        yield Instr("load", value, "ptr", (place,), ("ptr",), location=instr.location)
    named = {"==": "keyed.same", "!=": "keyed.differs", "*": "keyed.entry", "->": "keyed.entry", "++": "keyed.next"}
    result = f"{stem}.following" if operator == "++" else instr.result
    type_ = "i1" if count == 2 else "ptr"
    yield Instr(named[operator], result, type_, tuple(values), ("ptr",) * count, location=instr.location)
    if operator == "++":
        yield Instr("store", "", "ptr", (result, instr.args[0]), ("ptr", "ptr"), location=instr.location)
        if instr.result:
            yield Instr("getelementptr", instr.result, "ptr", instr.args, ("ptr",), ("i8",), location=instr.location)


@dataclass(slots=True)
class _Expansion(MapMembers):
    """Rewrites one function."""

    def run(self) -> None:
        """Rewrite the function; its blocks are in reverse postorder."""
        self.loops = take_loops(self.function, self.module.metadata)
        self._find_objects()
        self._find_loops()
        self.function.blocks = reachable_in_order(self.function.blocks)
        last: dict[str, str] = {}
        for number, block in enumerate(self.function.blocks):
            self._start(block.label)
            if number == 0:
                for each, container in self.objects.items():
                    self._declare(each, container)
            for instr in block.instrs:
                self._instr(instr)
            last[block.label] = self.blocks[-1].label
        self._check_moves()
        parts = {block.label for block in self.blocks} - last.keys()
        for block in self.blocks:
            for at, instr in enumerate(block.instrs):
                if instr.op == "phi" and block.label not in parts:
                    block.instrs[at] = replace(instr, detail=tuple(last[label] for label in instr.detail))
        self.function.blocks = self.blocks

    def _check_moves(self) -> None:
        for moving, owner in self.moved:
            places = {name: each.owner for name, each in self.values.items()}
            places |= {name: each.owner for name, each in self.iterators.items()}
            places |= {name: each[0] for name, each in self.entries.items()}
            places |= {name: each.owner for name, (each, _) in self.inserted.items()}
            pointers = [name for name, whose in places.items() if whose == owner]
            found = used_after(self.function.blocks, moving, pointers)
            if found is not None:
                raise fail(found, "a pointer or iterator into a map or set whose elements were moved into another before")

    def _find_objects(self) -> None:
        own = {instr.result for instr in self.function.instructions() if instr.op == "alloca"}
        result = next((arg.name for arg in self.function.args if "sret" in arg.attributes), "")
        for instr in self.function.instructions():
            member = map_member(instr.detail[0][1:]) if instr.op == "call" else None
            if member is None or instr.args[0] in self.probes:
                continue
            if member.container is None:
                raise fail(instr, f"a {member.whole}")
            if instr.args[0] not in own | {result}:
                given = next((each for each in self.function.parameters if each.register == instr.args[0]), None)
                if given is not None:
                    raise fail(instr, f"the parameter {given.name} of type {given.type.spelling}")
                raise fail(instr, f"a {member.whole} that is reached through a pointer or reference")
            self.objects[instr.args[0]] = self._resolved(instr, member.container)
        keys = {probe.owner: probe.key for probe in self.probes.values()}
        keys |= {probe.origin: probe.key for probe in self.probes.values()}
        self.places = {owner: keys.get(owner, KEY) for owner in self.objects}
        returned = self.objects.get(result)
        shared = {container.key for owner, container in self.objects.items() if self.places[owner] == KEY}
        if not shared:
            return
        if returned is None or len(shared) != 1:
            where = Instr("", location=self.location)
            raise fail(where, "maps or sets with keys of different types" if returned else "a map or set that is not the result")
        if returned.of_lists:
            raise fail(Instr("", location=self.location), f"a map with values of type {returned.value} that is returned")
        taken = {parameter.name for parameter in self.function.parameters}
        name = next(name for name in ("key", *(f"key{number}" for number in range(2, 100))) if name not in taken)
        type_ = SourceType("scalar", returned.key_name, returned.key_scalar, record=returned.record)
        self.function.parameters.append(Parameter(KEY, name, type_, self.location))
        self.function.keyed = Keyed(returned.kind, tuple(part.type for part in returned.values))

    def _resolved(self, instr: Instr, container: Container) -> Container:
        """The container with where the parts of its keys and values are in memory."""
        if element := list_element(container):
            container = replace(container, held=list_parts(element, self.loops))
        elif container.value and container.value not in ELEMENTS:
            container = replace(container, held=value_parts(container.value, self.module))
            if not container.held:
                raise fail(instr, f"values of type {container.value}")
        if not container.parts:
            return container
        known = replace(container, record=self.module.metadata.record(container.key))
        if known.record is None or self.layout.size(known.key_memory) != known.record.size:
            raise fail(instr, f"keys of type {container.key}")
        return known

    def _find_loops(self) -> None:
        """Let each loop over a container, whose iterator is a phi of its begin() and what follows itself, be passed once."""
        calls = {instr.result: instr for instr in self.function.instructions() if instr.result}
        for head in self.function.blocks:
            phis = [instr for instr in head.instrs if instr.op == "phi"]
            for instr in phis:
                made = [calls.get(arg) for arg in instr.args]
                begins = [each for each in made if each is not None and self._is(each, "begin", "cbegin")]
                steps = [each for each in made if each is not None and each.op == "keyed.next"]
                after = [each for each in steps if each.args == (instr.result,)]
                if len(instr.args) == 2 and len(begins) == len(after) == 1:
                    self.rounds[instr.result] = begins[0].args[0]
                    latch = instr.detail[made.index(after[0])]
                    if len(phis) > 1:
                        raise fail(begins[0], "a loop over a map or set that computes something of all its keys")
                    self._once(instr, head, latch, begins[0])

    def _once(self, phi: Instr, head: BasicBlock, latch: str, at: Instr) -> None:
        """Let the loop's last block go where the loop goes at its end."""
        blocks = {block.label: block for block in self.function.blocks}
        asked = next((instr for instr in head.instrs if instr.result in head.end.args), phi)
        targets = head.end.targets()
        if asked.op not in ("keyed.same", "keyed.differs") or phi.result not in asked.args or len(targets) != 2:
            raise fail(at, "a loop over a map or set that does not end at its end")
        after, body = targets if asked.op == "keyed.same" else targets[::-1]
        sources = predecessors(self.function.blocks)
        inside, pending = {head.label}, [latch]
        while pending:
            label = pending.pop()
            if label not in inside:
                inside.add(label)
                pending += sources[label]
        leaves = {target for label in inside for target in blocks[label].end.targets()} - inside
        early = any(after in blocks[label].end.targets() for label in inside - {head.label})
        if early or leaves != {after} or blocks[latch].end.detail != (head.label,) or sources[body] != [head.label]:
            raise fail(at, "a loop over a map or set that is left before its end, which depends on the order of keys")
        blocks[latch].instrs[-1] = replace(blocks[latch].end, detail=(after,))
        for number, instr in enumerate(blocks[after].instrs):
            if instr.op == "phi":
                value = instr.args[instr.detail.index(head.label)]
                args, labels = (*instr.args, value), (*instr.detail, latch)
                blocks[after].instrs[number] = replace(instr, args=args, types=(*instr.types, instr.type), detail=labels)
        key = self.round_keys[phi.result] = self._fresh("key")
        start = next(number for number, instr in enumerate(blocks[body].instrs) if instr.op != "phi")
        container = self.kinds[key] = self.objects[self.rounds[phi.result]]
        blocks[body].instrs.insert(start, Instr("keyed.key", key, container.key_type, location=at.location))

    @staticmethod
    def _is(instr: Instr, *names: str) -> bool:
        member = map_member(instr.detail[0][1:]) if instr.op == "call" else None
        return member is not None and member.name in names

    # Instructions

    def _declare(self, owner: str, container: Container) -> None:
        hint = self.function.hints.get(owner)
        base = hint.name if hint else "result" if owner == "%agg.result" else owner[1:].strip('"').partition(".")[0]
        types = {f"{owner}.{part.name}": part.type for part in container.values}
        for place, type_ in self._parts(owner):
            part = place.removeprefix(f"{owner}.").replace(".", "_").replace("__", "_")
            self.function.hints[place] = Hint(f"{base}_{part}", self._type_ref(types[place]) if place in types else "")
            self.seen_at[place] = self.places[owner]
            self.out.append(Instr("alloca", place, "ptr", detail=(type_,), location=self.location))
        self._clear(owner, Instr("", location=self.location))

    def _type_ref(self, type_: ScalarType) -> str:
        """Debug information of a type, so that its values are known to be signed or unsigned."""
        basic = (ref for ref, line in self.module.metadata.lines.items() if "!DIBasicType(" in line)
        return next((ref for ref in basic if self.module.metadata.type(ref).scalar == type_), "")

    def _instr(self, instr: Instr) -> None:
        handlers: dict[str, Callable[[Instr], bool]] = {
            "phi": self._phi,
            "call": self._call,
            "load": self._loaded,
            "store": self._stored,
            "getelementptr": self._step,
            "extractvalue": self._extract,
            "keyed.same": self._same,
            "keyed.differs": self._same,
            "keyed.entry": self._entry,
            "keyed.probe": self._probe,
            "keyed.next": self._next,
            "keyed.collected": self._collected,
            "ret": self._return,
            "declare": lambda instr: not self.objects.keys().isdisjoint(instr.args),
        }
        handler = handlers.get(instr.op)
        if handler is not None and handler(instr):
            return
        inside = (self.entries, self.keys, self.parts, self.values, self.inserted)
        known = (self.objects, self.iterators, *inside, self.starts, self.rounds)
        kept = instr.op.startswith("keyed.") and instr.op != "keyed.key"
        if kept or any(arg in each for arg in instr.args for each in known):
            raise fail(instr, "a map, a set, or a pointer or iterator into one, in a place that is not modelled")
        if not (instr.op == "alloca" and instr.result in self.objects):
            self.out.append(instr)

    def _phi(self, instr: Instr) -> bool:
        return instr.result in self.rounds

    def _loaded(self, instr: Instr) -> bool:
        (place,) = instr.args
        if place in self.parts:
            key, position = self.parts[place]
            self._of_type(instr, instr.type, part_types(self.kinds[key])[position])
            self._emit("identity.part", instr.type, (key,), (self._key_type(key),), instr, instr.result)
            self.out[-1] = replace(self.out[-1], detail=(str(position),))
        elif place in self.keys:
            kind = self._key_type(self.keys[place])
            self._of_type(instr, instr.type, kind)
            self._emit("keyed.copy", kind, (self.keys[place],), (kind,), instr, instr.result)
        elif place in self.values and self._is_padding(self.values[place], instr.type):
            self.out.append(Instr("undefined", instr.result, instr.type, detail=("padding",), location=instr.location))
        elif place in self.values:
            variable, held = self._number_at(self.values[place], instr)
            self._of_type(instr, instr.type, held)
            self._read(variable, held, self.values[place].key, instr, instr.result)
        else:
            return False
        return True

    def _stored(self, instr: Instr) -> bool:
        value, place = instr.args
        if place not in self.values:
            return False
        if self._is_padding(self.values[place], instr.types[0]):
            return True
        variable, held = self._number_at(self.values[place], instr)
        self._of_type(instr, instr.types[0], held)
        self._write(variable, held, self.values[place].key, value, instr)
        return True

    def _step(self, instr: Instr) -> bool:
        """A pointer to a part of a pair."""
        base, offset = instr.args[0], offset_of(instr, self.layout)
        if base in self.values and offset is not None:
            inside = self.values[base]
            self.values[instr.result] = replace(inside, offset=inside.offset + offset)
            return True
        if base in self.keys and base not in self.entries:
            return self._key_part(instr.result, self.keys[base], offset)
        if base not in self.entries:
            return False
        owner, key = self.entries[base]
        second = self.layout.field(self.objects[owner].entry, 1)
        if offset == 0:
            self.keys[instr.result] = key
            self._key_part(instr.result, key, 0)
        elif self._key_part(instr.result, key, offset):
            pass
        elif second is not None and offset is not None and offset >= second[0]:
            self.values[instr.result] = Inside(owner, key, offset - second[0])
        else:
            return False
        return True

    def _extract(self, instr: Instr) -> bool:
        if instr.args[0] not in self.inserted:
            return False
        place, there = self.inserted[instr.args[0]]
        if instr.detail == ("0",):
            self.iterators[instr.result] = place
            return True
        new = self._emit("xor", "i1", (there, "true"), ("i1", "i1"), instr)
        self._emit("zext", instr.type, (new,), ("i1",), instr, instr.result)
        return True

    def _same(self, instr: Instr) -> bool:
        """A comparison with the end."""
        equal = instr.op == "keyed.same"
        first, second = instr.args
        if second in self.rounds or (second in self.iterators and self.iterators[second].key):
            first, second = second, first
        end = self.iterators.get(second)
        if end is None or end.key:
            return False
        if first in self.rounds and self.rounds[first] == end.owner:
            some = self._load(f"{end.owner}.there", "i1", instr)
            some = self._emit("keyed.some", "i1", (some,), ("i1",), instr, "" if equal else instr.result)
            self.out[-1] = replace(self.out[-1], detail=(self.round_keys[first],))
            if equal:
                self._emit("xor", "i1", (some, "true"), ("i1", "i1"), instr, instr.result)
            return True
        at = self.iterators.get(first)
        if at is None or end.owner not in (at.owner, self._origin(at.owner)) or not at.key:
            return False
        self._emit("xor", "i1", (at.found, "true" if equal else "false"), ("i1", "i1"), instr, instr.result)
        return True

    def _entry(self, instr: Instr) -> bool:
        (place,) = instr.args
        if place in self.rounds:
            owner, key = self.rounds[place], self.round_keys[place]
        elif place in self.iterators and self.iterators[place].key:
            at = self.iterators[place]
            owner, key = at.owner, at.key
            self._require(owner, key, "an iterator that is used points to an element", instr)
        else:
            return False
        if self.objects[owner].value:
            self.entries[instr.result] = (owner, key)
        self.keys[instr.result] = key  # a pair begins with its key
        self._key_part(instr.result, key, 0)
        return True

    def _collected(self, instr: Instr) -> bool:
        inside = self.values.get(instr.args[0])
        if inside is None:
            return False
        self._read(f"{inside.owner}.{instr.detail[0]}", instr.type, inside.key, instr, instr.result)
        return True

    def _probe(self, instr: Instr) -> bool:
        """The key at which a copy of a container is seen."""
        probe = next(each for each in self.probes.values() if each.key == instr.result)
        container, memory = self.objects[probe.owner], instr.args[0]
        key, kind = self._key_at(memory, container, instr), container.key_type
        self.kinds[instr.result] = container
        self._emit("keyed.copy", kind, (key,), (kind,), instr, instr.result)
        return True

    def _next(self, instr: Instr) -> bool:
        return instr.args[0] in self.rounds

    def _return(self, instr: Instr) -> bool:
        result = next((arg.name for arg in self.function.args if "sret" in arg.attributes), "")
        if result not in self.objects:
            return False
        args = [self._load(f"{result}.there", "i1", instr)]
        types = ["i1", *(part.llvm for part in self.objects[result].values)]
        for part in self.objects[result].values:
            value = self._load(f"{result}.{part.name}", part.llvm, instr)
            if part.initial not in ZEROS:  # it has 0 where it has nothing
                value = self._emit("keyed.shown", part.llvm, (args[0], value), ("i1", part.llvm), instr)
            args.append(value)
        self.out.append(replace(instr, type="i1", args=tuple(args), types=tuple(types)))
        return True
