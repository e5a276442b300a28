"""Writes memset and memcpy of whole elements of arrays out as loops; what has another form stays a call, which is refused."""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.names.vector_names import LLVM_TYPES
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Hint, Instr, LlvmFunction, int_bits, is_literal, scalar_size
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import ELEMENTS
from metalift.frontend.llvm.read.tables import LIMIT, constant_cells
from metalift.ir.expr.types import BoolType, MachineInt, RealType, ScalarType


def expand_copies(function: LlvmFunction, module: LlvmModule) -> None:
    """Replace the calls in place."""
    elements = Elements(function, module)
    pending = list(function.blocks)
    function.blocks = []
    count = 0
    while pending:
        block = pending.pop(0)
        function.blocks.append(block)
        for at, instr in enumerate(block.instrs):
            element = elements.copied(instr)
            amount = elements.amount(instr, element) if element else None
            literals = constant_cells(module, instr.args[1]) if element and "memcpy" in instr.detail[0] else None
            if literals and amount and len(amount) == 1 and amount[0].isdigit() and int(amount[0]) == len(literals[1]) <= LIMIT:
                count += 1
                block.instrs[at : at + 1] = _stores(instr, element, literals[1], count)
                pending.insert(0, function.blocks.pop())
                break
            if element and amount:
                count += 1
                distance = instr.types[2] == "length" or elements.is_distance(amount)
                body, after = _split(function, block, at, instr, element, amount, count, distance)
                _rename_sources([*function.blocks, *pending, after], block.label, after)
                function.blocks += body
                pending.insert(0, after)
                break


def _stores(call: Instr, element: str, cells: tuple[str, ...], number: int) -> list[Instr]:
    """The writes of the cells of a constant, one by one."""
    made = []
    for at, cell in enumerate(cells):
        place, args = f"%cell.{number}.{at}", (call.args[0], str(at))
        step = Instr("getelementptr", place, "ptr", args, ("ptr", "i64"), (element,), location=call.location)
        made += [step, Instr("store", "", element, (cell, place), (element, "ptr"), location=call.location)]
    return made


def llvm_type(scalar: ScalarType | None) -> str:
    """The LLVM type that holds an element in memory; empty where there is none."""
    match scalar:
        case BoolType():
            return "i8"
        case MachineInt(bits, _):
            return f"i{bits}"
        case RealType(bits):
            return {32: "float", 64: "double"}.get(bits, "")
        case _:
            return ""


class Elements:
    """The element types of the arrays that pointers point into."""

    def __init__(self, function: LlvmFunction, module: LlvmModule) -> None:
        self.module = module
        self.defined = {instr.result: instr for instr in function.instructions() if instr.result}
        self.types: dict[str, str] = {}
        for parameter in function.parameters:
            register = parameter.register
            self.types[register] = self.types[f"{register}.data"] = llvm_type(parameter.type.scalar)

    def of(self, pointer: str, seen: frozenset[str] = frozenset()) -> str:
        """The element type, empty where it is not known or not one."""
        if pointer in self.types or pointer in seen:
            return self.types.get(pointer, "")
        instr = self.defined.get(pointer)
        if instr is None:
            constant = constant_cells(self.module, pointer)
            return constant[0] if constant else ""
        if instr.op == "array.new":
            return instr.detail[1]
        if instr.op == "vector.new":
            return LLVM_TYPES.get(instr.detail[1], "i64") if instr.detail[1] in ELEMENTS else ""
        if instr.op in ("getelementptr", "freeze", "vector.inside") or (instr.op == "load" and instr.type == "ptr"):
            return self.of(instr.args[0], seen | {pointer})
        if instr.op in ("phi", "select"):
            sources = instr.args if instr.op == "phi" else instr.args[1:]
            found = {self.of(source, seen | {pointer}) for source in sources if source not in seen} - {""}
            return found.pop() if len(found) == 1 else ""
        return ""

    def copied(self, instr: Instr) -> str:
        """The element type of a memset or memcpy that can be written as a loop, otherwise empty."""
        if instr.op != "call" or not instr.detail[0].startswith(("@llvm.memset.", "@llvm.memcpy.")) or instr.args[-1] != "false":
            return ""
        element = self.of(instr.args[0])
        if "memcpy" in instr.detail[0]:
            return element if element == self.of(instr.args[1]) else ""
        whole = scalar_size(element) == 1 if element else False
        return element if instr.args[1] == "0" or whole else ""

    def amount(self, instr: Instr, element: str) -> tuple[str, ...]:
        """Literals and registers whose product is the number of elements; empty where none are found."""
        if instr.types[2] == "length":
            return (instr.args[2],)
        size, total = scalar_size(element) or 1, instr.args[2]
        if is_literal(total):
            return (str(int(total) // size),) if int(total) % size == 0 else ()
        factors = self._factors(total)
        for at, factor in enumerate(factors):
            if is_literal(factor) and int(factor) % size == 0:
                return (*factors[:at], str(int(factor) // size), *factors[at + 1 :])
        return tuple(factors) if size == 1 else ()

    def is_distance(self, amount: tuple[str, ...]) -> bool:
        """Whether an amount is how far two pointers into one array are apart, which no size in bytes exceeds."""
        divided = [self.defined[factor] for factor in amount if factor != "1" and factor in self.defined]
        if len(divided) != 1 or divided[0].op != "sdiv" or len([factor for factor in amount if factor != "1"]) != 1:
            return False
        difference = self.defined.get(divided[0].args[0])
        ends = [self.defined.get(arg) for arg in difference.args] if difference and difference.op == "sub" else []
        return bool(ends) and all(end is not None and end.op == "ptrtoint" for end in ends)

    def _factors(self, register: str) -> list[str]:
        """What is multiplied to give a number of 64 bits."""
        made = self.defined.get(register)
        if made is not None and made.op == "mul" and int_bits(made.type) == 64:
            return [factor for arg in made.args for factor in self._factors(arg)]
        if made is not None and made.op == "shl" and is_literal(made.args[1]) and int_bits(made.type) == 64:
            return [*self._factors(made.args[0]), str(1 << int(made.args[1]))]
        return [register]


def _split(
    function: LlvmFunction,
    block: BasicBlock,
    at: int,
    call: Instr,
    element: str,
    amount: tuple[str, ...],
    number: int,
    distance: bool,
) -> tuple[list[BasicBlock], BasicBlock]:
    """Cut a block at the call: the head and body of the loop, and the block that goes on after it."""
    base = f"{block.label}.copy{number}"
    head, body, after = f"{base}.head", f"{base}.body", f"{base}.after"
    names = {kind: f"%{base}.{kind}" for kind in ("count", "k", "next", "more", "to", "from", "value")}
    where, size = call.location, scalar_size(element) or 1
    tail = BasicBlock(after, block.instrs[at + 1 :])
    counted = Instr("array.count", names["count"], "length", amount, ("i64",) * len(amount), (str(size),), location=where)
    if distance:
        counted = replace(counted, flags=frozenset({"distance"}))
    function.hints[names["k"]] = Hint("k", "", own=False)
    block.instrs[at:] = [counted, Instr("br", detail=(head,), location=where)]
    steps = ("0", names["next"])
    opening = [
        Instr("phi", names["k"], "length", steps, ("length",) * 2, (block.label, body), location=where),
        Instr("vector.less", names["more"], "i1", (names["k"], names["count"]), ("length", "length"), location=where),
        Instr("br", args=(names["more"],), types=("i1",), detail=(body, after), location=where),
    ]
    moved = []
    value = "0.0" if element in ("float", "double") else "0"
    if "memcpy" in call.detail[0]:
        source = (call.args[1], names["k"])
        moved.append(Instr("getelementptr", names["from"], "ptr", source, ("ptr", "length"), (element,), location=where))
        moved.append(Instr("load", names["value"], element, (names["from"],), ("ptr",), location=where))
        value = names["value"]
    elif call.args[1] != "0":
        value = call.args[1]
    target = (call.args[0], names["k"])
    moved += [
        Instr("getelementptr", names["to"], "ptr", target, ("ptr", "length"), (element,), location=where),
        Instr("store", "", element, (value, names["to"]), (element, "ptr"), location=where),
        Instr("vector.one_more", names["next"], "length", (names["k"],), ("length",), location=where),
        Instr("br", detail=(head,), location=where),
    ]
    return [BasicBlock(head, opening), BasicBlock(body, moved)], tail


def _rename_sources(blocks: list[BasicBlock], old: str, rest: BasicBlock) -> None:
    """Phis that named the cut block as their source name the block that goes on after the loop."""
    targets = set(rest.end.targets())
    for block in blocks:
        if block.label in targets:
            for at, instr in enumerate(block.instrs):
                if instr.op == "phi":
                    detail = tuple(rest.label if label == old else label for label in instr.detail)
                    block.instrs[at] = replace(instr, detail=detail)
