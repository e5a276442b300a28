"""Pointers that lead into the array of a parameter: a range is given by where it begins and where it ends, a result by its place.

Seen by comparisons and differences of the two where one has moved: in `while (first != last)` both are places in one array. A
comparison of two parameters as they are says nothing: it may ask whether they are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction, Parameter

NULL = "null"
_MOVES = frozenset(("getelementptr", "freeze"))


def ends(function: LlvmFunction) -> dict[str, str]:
    """The registers of pointers into the array of another parameter, with the register of that one: of the two the one that is
    read or written through and goes up, or else one that does not go down, or else the earlier one.

    Where it is only asked whether they are equal, one of two that are both read may as well be another array.
    """
    places = {each.register: at for at, each in enumerate(function.parameters) if _may_move(each)}
    types = {each.register: each.type.scalar for each in function.parameters}
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    accessed: set[str] = set()
    falling: set[str] = set()
    for instr in function.instructions():
        if instr.op in ("load", "store"):
            accessed |= _origins(instr.args[instr.op == "store"], defined, places, set())
        elif instr.op == "getelementptr" and instr.args[1].startswith("-"):
            falling |= _origins(instr.args[0], defined, places, set())

    def order(register: str) -> tuple[int, int]:
        return (2 if register in falling else 0 if register in accessed else 1), places[register]

    found: dict[str, str] = {}
    for one, other, ordered in _pairs(function, defined):
        left, right = (_origins(each, defined, places, set()) for each in (one, other))
        if len(left) != 1 or len(right) != 1 or left == right or "" in left | right or (one in places and other in places):
            continue
        first, last = sorted((*left, *right), key=order)
        likely = last in falling or (first in accessed and last not in accessed)
        if types[first] == types[last] and (ordered or likely):
            found.setdefault(last, first)
    return {last: first for last, first in found.items() if first not in found}


def led_into(function: LlvmFunction) -> str:
    """The register of the parameter into whose array all pointers lead that the function returns; "" where there is none."""
    places = {each.register: at for at, each in enumerate(function.parameters) if _may_move(each)}
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    into = ends(function)
    returned = [block.end for block in function.blocks if block.end.op == "ret"]
    if not returned or any(end.type != "ptr" or len(end.args) != 1 for end in returned):
        return ""
    found: set[str] = set().union(*(_origins(end.args[0], defined, places, {NULL}) for end in returned if end.args[0] != NULL))
    whole = {into.get(each, each) for each in found}
    return whole.pop() if len(whole) == 1 and "" not in whole else ""


def only_returned(function: LlvmFunction) -> frozenset[str]:
    """The registers of pointers that are chosen to be returned, and for nothing else."""
    users: dict[str, list[Instr]] = {}
    for instr in function.instructions():
        for arg in instr.args:
            users.setdefault(arg, []).append(instr)
    found: set[str] = set()
    for _ in range(len(users)):
        more = {
            instr.result
            for instr in function.instructions()
            if instr.op == "phi" and instr.type == "ptr" and instr.result not in found
            if all(user.op == "ret" or user.result in found for user in users.get(instr.result, ()))
        }
        if not more:
            break
        found |= more
    return frozenset(found)


def _may_move(parameter: Parameter) -> bool:
    plain = parameter.field is None and not parameter.cell and parameter.variable is None
    return plain and parameter.type.kind == "pointer" and parameter.type.rank == 1 and parameter.type.scalar is not None


def _pairs(function: LlvmFunction, defined: dict[str, Instr]) -> Iterator[tuple[str, str, bool]]:
    """Pointers that are compared or subtracted, and whether it is more than whether they are equal."""
    for instr in function.instructions():
        if instr.op == "icmp" and instr.types and instr.types[0] == "ptr":
            yield instr.args[0], instr.args[1], instr.detail[0] not in ("eq", "ne")
        elif instr.op in ("sub", "icmp") and len(instr.args) == 2:
            addresses = [defined[arg] for arg in instr.args if arg in defined and defined[arg].op == "ptrtoint"]
            if len(addresses) == 2:
                yield addresses[0].args[0], addresses[1].args[0], instr.op == "sub"


def _origins(register: str, defined: dict[str, Instr], places: dict[str, int], seen: set[str]) -> set[str]:
    """The parameters that a pointer comes from; with "" where it may come from anything else."""
    if register in places:
        return {register}
    if register in seen:
        return set()
    seen.add(register)
    instr = defined.get(register)
    if instr is None:
        return {""}
    if instr.op in _MOVES:
        return _origins(instr.args[0], defined, places, seen)
    if instr.op == "phi":
        return set().union(*(_origins(arg, defined, places, seen) for arg in instr.args))
    if instr.op == "select":
        return set().union(*(_origins(arg, defined, places, seen) for arg in instr.args[1:]))
    return {""}
