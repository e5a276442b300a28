"""Maps and sets that a function fills first and then only asks what they have at keys, as what fills them, seen at these keys.

    for (auto &item : items)                        for (auto &order : orders) {
        prices[item.id] = item.price;                   for (auto &item : items)
    for (auto &order : orders)                              if (item.id == order.item) there = true, price = item.price;
        if (prices.count(order.item))                   if (there)
            total += order.amount * prices[order.item];     total += order.amount * price;
                                                    }

What fills the container, and nothing else of what comes before (`ssa.slices`), is written once more where the
container is asked, on variables of its own. `keyed.probe` stands there for the key, at which `std.maps` then sees
that copy. What is filled is read again when it is asked: `refuse_changes` refuses functions that change it in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from metalift.frontend.llvm.names.map_names import map_member
from metalift.frontend.llvm.names.vector_names import PURE, vector_member
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction
from metalift.frontend.llvm.ssa.slices import Place, rename_sources, sliced
from metalift.frontend.llvm.std.map_fillings import ENDS, Filling
from metalift.frontend.llvm.std.map_keys import DIVISIONS
from metalift.frontend.llvm.std.map_keys import PURE as COMPUTING
from metalift.frontend.llvm.std.map_writer import Probe, fail
from metalift.ir.program.fragment import Fragment, Store

EFFECTLESS = frozenset(
    "phi load getelementptr alloca undefined extractvalue insertvalue frem "
    "keyed.same keyed.differs keyed.entry keyed.next".split()
)
LIMIT = 20_000  # instructions of one function


def without_lookups(function: LlvmFunction) -> dict[str, Probe]:
    """Rewrite the containers that are only asked once they are filled, in place; the copies that are asked, by registers."""
    probes: dict[str, Probe] = {}
    while (found := _first(function, probes)) is not None:
        probes |= _Rewriter(function, found, len(probes)).run()
        if sum(len(block.instrs) for block in function.blocks) > LIMIT:
            raise fail(found.asks[0], "maps and sets that are asked very often for what they have at keys")
    return probes


def refuse_changes(fragment: Fragment) -> None:
    """Refuse a function that writes to what it was given: what fills a container would be read again after that."""
    for block in fragment.blocks:
        for item in block.body:
            if isinstance(item, Store) and item.array not in fragment.locals:
                found = f"a map or set that is asked for what it has, in a function that writes {item.array.name}"
                raise fail(Instr("", location=item.location), found)


def _first(function: LlvmFunction, probes: Mapping[str, Probe]) -> Filling | None:
    """The first container that can be rewritten."""
    for instr in list(function.instructions()):
        member = map_member(instr.detail[0][1:]) if instr.op == "call" and instr.args else None
        known = member.container if member is not None and member.name == "constructor" else None
        copied = any(probe.owner == instr.args[0] for probe in probes.values()) if known is not None else False
        if known is not None and not known.of_lists and not copied:
            found = Filling(function, instr.args[0], known, probes)
            if found.find():
                return found
    return None


@dataclass(slots=True)
class _Rewriter:
    """Rewrites one container of a function; `number` tells its copies from others."""

    function: LlvmFunction
    filling: Filling
    number: int

    def run(self) -> dict[str, Probe]:
        """Write what fills it where it is asked, and leave it out before; the copies that are asked, by their registers."""
        made: dict[str, Probe] = {}
        asked: dict[int, str] = {}  # the registers of what is asked, by the first who asks at a key
        asks = self.filling.asks
        first = self._first_asks()
        for at, ask in enumerate(asks):
            if first[at] == at:
                probe = self._probe(asks)
                asked[at] = f"{probe.owner}.asked"
                made |= {asked[at]: probe, **self._write(ask, probe)}
            else:
                self._replace(ask, replace(ask, args=(asked[first[at]], *ask.args[1:])))
        before = self.filling.inside - self.filling.pointers({ask.result for ask in asks})
        self.function.blocks = sliced(self.function.blocks, lambda instr: _has_effects(instr, before), lambda instr: ())
        for instr in self.function.instructions():
            member = map_member(instr.detail[0][1:]) if instr.op == "call" else None
            if member is not None and instr.args[0] == self.filling.owner and member.name not in ENDS:
                raise fail(instr, "a map or set that is read while it is filled, and asked for what it has after that")
        return made

    def _probe(self, asks: list[Instr]) -> Probe:
        self.number += 1
        whole = self.filling.owner
        owner = f"{whole}.filled{self.number}"
        if whole in self.function.hints:
            self.function.hints[owner] = self.function.hints[whole]
        members = [map_member(ask.detail[0][1:]) for ask in asks]
        names = {member.name for member in members if member is not None}
        return Probe(whole, owner, f"{owner}.key", self.filling.container, "operator[]" in names and len(names) > 1)

    # Asking twice

    def _first_asks(self) -> list[int]:
        """For each that asks the first on all ways to it that asks at the same key, which may be itself."""
        places = {id(instr): (block.label, at) for block in self.function.blocks for at, instr in enumerate(block.instrs)}
        asks = [(self._text(ask.args[1], places[id(ask)]), places[id(ask)]) for ask in self.filling.asks]
        return [next(at for at, (key, place) in enumerate(asks) if key == asks[n][0] and self._is_before(place, asks[n][1]))
                for n in range(len(asks))]  # fmt: skip

    def _is_before(self, place: Place, other: Place) -> bool:
        """Whether a place is on all ways to another, or is that place."""
        return place[1] <= other[1] if place[0] == other[0] else place[0] in self.filling.above[other[0]]

    def _text(self, pointer: str, place: Place) -> str:
        """A place in memory as text: equal texts are places with equal keys, where one is on all ways to the other."""
        if not self._is_kept(pointer, place):
            return f"{pointer} at {place}"
        defined = {instr.result: instr for instr in self.function.instructions() if instr.result}

        def text(token: str) -> str:
            instr = defined.get(token)
            member = vector_member(instr.detail[0][1:]) if instr is not None and instr.op == "call" else None
            known = member is not None and member.name in PURE and self._is_given(token)
            if instr is None or not (known or instr.op in COMPUTING | {"getelementptr"}):
                return token
            return f"{instr.op}{instr.detail}({', '.join(map(text, instr.args))})"

        return text(pointer)

    def _is_given(self, pointer: str) -> bool:
        """Whether it points into arguments that are not written (`refuse_changes`)."""
        given = {arg.name for arg in self.function.args if "sret" not in arg.attributes}
        return self.filling.points.of(pointer) <= given

    def _is_kept(self, pointer: str, place: Place) -> bool:
        """Whether memory has a key that was written once, before the place."""
        if self._is_given(pointer):
            return True
        roots, points = self.filling.points.of(pointer), self.filling.points
        own = {instr.result for instr in self.function.instructions() if instr.op == "alloca"}
        unset = {instr.result for instr in self.function.instructions() if instr.op == "undefined"}
        written = [(block.label, at) for block in self.function.blocks for at, instr in enumerate(block.instrs)
                   if unset.isdisjoint(instr.args) and not points.written(instr).isdisjoint(roots)]  # fmt: skip
        return roots <= own and len(written) == 1 and self._is_before(written[0], place)

    # Writing what fills it

    def _replace(self, old: Instr, new: Instr) -> None:
        for block in self.function.blocks:
            block.instrs[:] = [new if each is old else each for each in block.instrs]

    def _write(self, ask: Instr, probe: Probe) -> dict[str, Probe]:
        """Put what fills it before what asks it; copies of what that asks in turn."""
        filled, blocks = self.filling.blocks, self.function.blocks
        block = next(block for block in blocks if any(each is ask for each in block.instrs))
        at = next(at for at, each in enumerate(block.instrs) if each is ask)
        suffix = f".filled{self.number}"
        used = {arg for each in filled for instr in each.instrs for arg in instr.args}
        inner = {asked: each for asked, each in self.filling.probes.items() if asked in used}
        names = {self.filling.owner: probe.owner}
        names |= {name: f"{name}{suffix}" for asked, each in inner.items() for name in (asked, each.owner)}
        after = f"{block.label}.after{suffix}"
        copies = [*self._copies(names, suffix, after)]
        asked = replace(ask, args=(f"{probe.owner}.asked", *ask.args[1:]))
        rest = BasicBlock(after, [asked, *block.instrs[at + 1 :]])
        key = Instr("keyed.probe", probe.key, "key", ask.args[1:2], ("ptr",), location=ask.location)
        block.instrs[at:] = [key, Instr("br", detail=(copies[0].label,), location=ask.location)]
        place = blocks.index(block) + 1
        blocks[place:place] = [*copies, rest]
        rename_sources(blocks, block.label, rest)
        return {
            f"{asked}{suffix}": replace(each, owner=f"{each.owner}{suffix}", key=f"{each.key}{suffix}")
            for asked, each in inner.items()
        }

    def _copies(self, names: Mapping[str, str], suffix: str, after: str) -> Iterable[BasicBlock]:
        """What fills it, with names of its own; it goes on at `after`."""
        defined = {instr.result for block in self.filling.blocks for instr in block.instrs if instr.result}

        def rename(value: str) -> str:
            return names.get(value, value + suffix if value in defined else value)

        for block in self.filling.blocks:
            made = []
            for instr in block.instrs:
                new = replace(instr.map_values(rename), result=rename(instr.result) if instr.result else "")
                if instr.result in self.function.hints:
                    self.function.hints[new.result] = self.function.hints[instr.result]
                if instr.op == "alloca":
                    self.function.blocks[0].instrs.insert(0, new)
                    new = Instr("declare", args=(new.result,), detail=(new.result[1:],), location=instr.location)
                made.append(_relabelled(new, suffix, after))
            yield BasicBlock(block.label + suffix, made)


def _relabelled(instr: Instr, suffix: str, after: str) -> Instr:
    match instr.op:
        case "ret":
            return Instr("br", detail=(after,), location=instr.location)
        case "br" | "phi":
            return replace(instr, detail=tuple(label + suffix for label in instr.detail))
        case "switch":
            labels = (each + suffix if at % 2 == 0 else each for at, each in enumerate(instr.detail))
            return replace(instr, detail=tuple(labels))
    return instr


def _has_effects(instr: Instr, filling: set[str]) -> bool:
    """Whether an instruction has effects beyond a container, into which `filling` point where it is filled."""
    if instr.op in EFFECTLESS | COMPUTING | DIVISIONS or not filling.isdisjoint(instr.args):
        return False
    member = vector_member(instr.detail[0][1:]) if instr.op == "call" else None
    return member is None or member.name not in PURE
