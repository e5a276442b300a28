"""Vectors that a map collects by keys, and that are only counted and gone through, as what the loops over them compute.

    lists[k].push_back(x);                   lists[k].total = f(lists[k].total, x); lists[k].size++;

    total = 0;                               total = lists[k].total;
    for (auto x : lists[k])
        total = f(total, x);

At any time `total` is what the loop would compute of what the list has then. A loop may use its own variables, elements, and
what the function is given; nothing in it may be undefined that is not so in the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from metalift.frontend.llvm.names.map_names import Container, ValuePart, map_member
from metalift.frontend.llvm.names.vector_names import LLVM_TYPES, Member, is_push, vector_member
from metalift.frontend.llvm.read.llvm_ir import (
    BasicBlock,
    Instr,
    LlvmFunction,
    int_bits,
    is_literal,
    predecessors,
    reachable_in_order,
)
from metalift.frontend.llvm.read.metadata import ELEMENTS, Metadata, vector_element
from metalift.ir.expr.types import DOUBLE, FLOAT, MachineInt, ScalarType

SIZE = ValuePart("size", -1, "i64", MachineInt(64, False), "0")
TOTAL = frozenset(
    "fadd fsub fmul fdiv fneg icmp fcmp select zext sext trunc sitofp uitofp fpext fptrunc and or xor phi br add sub mul".split()
)
OVERFLOWS = frozenset({"nsw", "nuw"})


@dataclass(frozen=True, slots=True)
class ListLoop:
    """A loop over a vector in a map: what its elements are, its iterator, the variables that it computes, and its body.

    `parts` stand for the variables, `following` is what these are after one more element. `first` and `last` are the labels of
    the body's first and last block.
    """

    element: str
    iterator: str
    variables: tuple[Instr, ...]
    parts: tuple[ValuePart, ...]
    following: tuple[str, ...]
    body: tuple[BasicBlock, ...]
    first: str
    last: str

    @property
    def load_type(self) -> str:
        """The LLVM type of an element."""
        return LLVM_TYPES.get(self.element, "i64")


def list_element(container: Container) -> str:
    """The code of the elements of vectors that are a map's values; empty for others."""
    found = vector_element(container.value)
    return found[0] if found is not None and found[1] == 1 else ""


def list_parts(element: str, loops: Iterable[ListLoop]) -> tuple[ValuePart, ...]:
    """What is kept of such a vector in the place of its elements."""
    return (SIZE, *(part for loop in loops if loop.element == element for part in loop.parts))


def take_loops(function: LlvmFunction, metadata: Metadata) -> list[ListLoop]:
    """Let loops over vectors in maps be reads of what they compute, in place."""
    finder = _Finder(function, metadata)
    found: list[ListLoop] = []
    for head in list(function.blocks):
        loop = finder.loop(head, len(found))
        if loop is not None:
            found.append(loop)
    if found:
        function.blocks = reachable_in_order(function.blocks)
        used = {arg for instr in function.instructions() for arg in instr.args}
        for block in function.blocks:
            block.instrs[:] = [each for each in block.instrs if each.result in used or not finder.is_bound(each)]
    return found


class _Finder:
    def __init__(self, function: LlvmFunction, metadata: Metadata) -> None:
        self.function, self.metadata = function, metadata
        self.given = {arg.name for arg in function.args if arg.type != "ptr"}
        self.defined = {instr.result: instr for instr in function.instructions() if instr.result}

    def is_bound(self, instr: Instr) -> bool:
        """Whether it is the begin or end of a vector in a map."""
        return self._bound(instr, "begin", "cbegin", "end", "cend") is not None

    def _bound(self, instr: Instr | None, *names: str) -> Member | None:
        member = vector_member(instr.detail[0][1:]) if instr is not None and instr.op == "call" else None
        if instr is None or member is None or member.name not in names or member.rank != 1 or not member.of_numbers:
            return None
        return member if self._is_held(instr.args[0]) else None

    def _is_held(self, register: str) -> bool:
        """Whether it points into a map."""
        made = self.defined.get(register)
        if made is not None and made.op == "getelementptr":
            made = self.defined.get(made.args[0])
            return made is not None and made.op == "keyed.entry"
        member = map_member(made.detail[0][1:]) if made is not None and made.op == "call" else None
        return member is not None and member.name in ("operator[]", "at")

    def _place(self, register: str) -> tuple[str, ...]:
        """What two pointers have in common that point to the same member of an entry."""
        made = self.defined.get(register)
        return (*made.args, *made.detail) if made is not None and made.op == "getelementptr" else (register,)

    def loop(self, head: BasicBlock, number: int) -> ListLoop | None:
        """Take the loop that begins with a block away, if it is one over a vector in a map, and all that it does is known."""
        phis = [instr for instr in head.instrs if instr.op == "phi"]
        for phi in phis:
            made = [self.defined.get(arg) for arg in phi.args]
            begins = [each for each in made if each is not None and self._bound(each, "begin", "cbegin")]
            steps = [each for each in made if each is not None and each.op == "getelementptr" and each.args == (phi.result, "1")]
            if len(made) == 2 and len(begins) == len(steps) == 1:
                return self._loop(head, phis, phi, begins[0], steps[0], number)
        return None

    def _loop(self, head: BasicBlock, phis: list[Instr], phi: Instr, begin: Instr, step: Instr, number: int) -> ListLoop | None:
        member = self._bound(begin, "begin", "cbegin")
        last, before = (phi.detail[phi.args.index(each.result)] for each in (step, begin))
        ways = self._ways(head, phi, begin)
        blocks = {block.label: block for block in self.function.blocks}
        if member is None or ways is None or blocks[last].end.detail != (head.label,):
            return None
        first, after = ways
        inside = self._inside(head.label, last)
        if inside is None or first not in inside or after in inside:
            return None
        body = tuple(block for block in self.function.blocks if block.label in inside)
        variables = tuple(each for each in phis if each is not phi)
        if any(set(each.detail) != {last, before} for each in variables):
            return None
        parts = tuple(self._part(each, each.args[each.detail.index(before)], number, at) for at, each in enumerate(variables))
        made = ListLoop(
            member.element,
            phi.result,
            variables,
            tuple(part for part in parts if part is not None),
            tuple(each.args[each.detail.index(last)] for each in variables),
            self._weakened(body, always=self._is_always(head, begin)),
            first,
            last,
        )
        if None in parts or not self._is_known(made, step):
            return None
        reads = [
            Instr("keyed.collected", each.result, each.type, begin.args, ("ptr",), (part.name,), location=begin.location)
            for each, part in zip(variables, made.parts, strict=True)
        ]
        head.instrs[:] = [*reads, Instr("br", detail=(after,), location=begin.location)]
        return made

    def _ways(self, head: BasicBlock, phi: Instr, begin: Instr) -> tuple[str, str] | None:
        """Where a loop's head goes with one more element, and at the end; None where it does more than to ask for that."""
        cond, targets = head.end.args[:1], head.end.targets()
        more = True
        while cond and (asked := self.defined.get(cond[0])) is not None and asked.op == "xor" and asked.args[1] == "true":
            more, cond = not more, asked.args[:1]
        asked = self.defined.get(cond[0]) if cond else None
        if asked is None or asked.op != "icmp" or phi.result not in asked.args or len(targets) != 2:
            return None
        end = self.defined.get(next(arg for arg in (*asked.args, "") if arg != phi.result))
        if end is None or self._bound(end, "end", "cend") is None or self._place(end.args[0]) != self._place(begin.args[0]):
            return None
        others = [each for each in head.instrs[:-1] if each.op not in ("phi", "icmp", "xor") and each is not end]
        if others or asked.detail not in (("eq",), ("ne",)):
            return None
        return (targets[0], targets[1]) if more == (asked.detail == ("ne",)) else (targets[1], targets[0])

    def _inside(self, head: str, last: str) -> set[str] | None:
        """The blocks of a loop's body; None where it is left or entered in another way than by its head."""
        sources = predecessors(self.function.blocks)
        inside, pending = {head}, [last]
        while pending:
            label = pending.pop()
            if label not in inside:
                inside.add(label)
                pending += sources[label]
        body = inside - {head}
        blocks = {block.label: block for block in self.function.blocks}
        leaves = {target for label in body for target in blocks[label].end.targets()} - inside
        return body if not leaves and len(sources[head]) == 2 else None

    def _part(self, phi: Instr, initial: str, number: int, at: int) -> ValuePart | None:
        """What stands for a variable of a loop; None where it does not begin with a constant."""
        hint = self.function.hints.get(phi.result)
        hinted = self.metadata.type(hint.type_ref).scalar if hint is not None else None
        bits = int_bits(phi.type)
        type_: ScalarType | None = FLOAT if phi.type == "float" else DOUBLE if phi.type == "double" else None
        if bits is not None:
            type_ = hinted if isinstance(hinted, MachineInt) and hinted.bits == bits else MachineInt(bits, True)
        name = f"{hint.name if hint is not None else 'value'}.{number}.{at}"
        return ValuePart(name, -1, phi.type, type_, initial) if type_ is not None and is_literal(initial) else None

    def _is_known(self, loop: ListLoop, step: Instr) -> bool:
        """Whether the body only computes, of what is also known where an element is added."""
        own = {each.result for each in loop.variables} | {each.result for block in loop.body for each in block.instrs}
        for block in loop.body:
            for instr in block.instrs:
                if instr.op == "declare" or (instr.result == step.result and instr.op == step.op):
                    continue
                if instr.op == "phi" and not {each.label for each in loop.body}.issuperset(instr.detail):
                    return False
                if instr.op == "load":
                    if instr.args != (loop.iterator,) or instr.type != loop.load_type or instr.flags:
                        return False
                elif instr.op not in TOTAL or any(not (each in own | self.given or is_literal(each)) for each in instr.args):
                    return False
        return step.result not in loop.following and all(each in own or is_literal(each) for each in loop.following)

    def _is_always(self, head: BasicBlock, begin: Instr) -> bool:
        """Whether the function comes to the loop for each key, after it has added all elements."""
        entry = self.defined.get(begin.args[0])
        entry = self.defined.get(entry.args[0]) if entry is not None and entry.op == "getelementptr" else None
        place = next((block.label for block in self.function.blocks if entry in block.instrs), "") if entry is not None else ""
        sources = predecessors(self.function.blocks)
        if not place or len(sources[place]) != 1:
            return False
        first = self.function.blocks[0].label
        return not (
            self._reaches(first, "", without=sources[place][0])
            or self._reaches(place, sources[place][0], without=head.label)
            or self._reaches(head.label, "", pushes=True)
        )

    def _reaches(self, start: str, goal: str, *, without: str = "", pushes: bool = False) -> bool:
        """Whether there is a way from a block to another, or to an end where none is named, or to where an element is added."""
        blocks = {block.label: block for block in self.function.blocks}
        seen, pending = {without}, [start]
        while pending:
            label = pending.pop()
            if label in seen:
                continue
            seen.add(label)
            ended = pushes and any(is_push(instr) for instr in blocks[label].instrs)
            if ended or (not pushes and (label == goal if goal else blocks[label].end.op == "ret")):
                return True
            pending += blocks[label].end.targets()
        return False

    @staticmethod
    def _weakened(body: tuple[BasicBlock, ...], *, always: bool) -> tuple[BasicBlock, ...]:
        """The body; where the source may never come to it, sums that leave their type wrap."""
        if always:
            return body
        return tuple(
            BasicBlock(block.label, [replace(instr, flags=instr.flags - OVERFLOWS) for instr in block.instrs]) for block in body
        )


def pushed_type(call: Instr, member: Member) -> str:
    """The LLVM type of what push_back or emplace_back adds; empty where it is made of something else."""
    given = (*member.template, *member.params)[:1] if member.name == "emplace_back" else member.params
    plain = {each.removesuffix("&&").removesuffix("&").removesuffix(" const") for each in given}
    return LLVM_TYPES.get(member.element, "i64") if plain == {ELEMENTS[member.element][0]} and len(call.args) == 2 else ""


def clones(loop: ListLoop, names: dict[str, str], label: str) -> Iterator[BasicBlock]:
    """The body of a loop with its values renamed, for an element and variables that have names; its last block has no end."""

    def rename(value: str) -> str:
        return names.get(value, value)

    for block in loop.body:
        made: list[Instr] = []
        for instr in block.instrs:
            if instr.op in ("load", "declare", "getelementptr") or (instr is block.end and block.label == loop.last):
                continue
            changed = replace(instr.map_values(rename), result=rename(instr.result))
            if changed.op in ("br", "phi"):
                changed = replace(changed, detail=tuple(f"{label}.{each}" for each in changed.detail))
            made.append(changed)
        yield BasicBlock(f"{label}.{block.label}", made)
