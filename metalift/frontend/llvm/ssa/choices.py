"""Loads through a pointer that was just chosen: `*(c ? &a : &b)`, as std::clamp and conditional lvalues make them.

The load moves to the ends of the blocks that the pointers come from, so a choice between variables no longer takes their address.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction


def load_before_choice(function: LlvmFunction) -> bool:
    """Move the loads of every phi of pointers where that is exact; whether anything changed."""
    by_label = {block.label: block for block in function.blocks}
    changed = False
    for block in function.blocks:
        for phi in [instr for instr in block.instrs if instr.op == "phi" and instr.type == "ptr"]:
            loads = _loads_at_once(function, block, phi)
            jumps = all(len(by_label[label].end.targets()) == 1 for label in phi.detail)
            if loads and jumps and block.label not in phi.detail:
                _move(by_label, block, phi, loads)
                changed = True
    return changed


def _loads_at_once(function: LlvmFunction, block: BasicBlock, phi: Instr) -> list[Instr]:
    """The uses of the pointer if all are loads of one type in its block before anything is written."""
    loads: list[Instr] = []
    for instr in block.instrs:
        if phi.result in instr.args:
            if instr.op != "load" or instr.flags or (loads and loads[0].type != instr.type):
                return []
            loads.append(instr)
        elif instr.op in ("store", "call", "other", "declare"):
            break
    uses = sum(phi.result in instr.args for instr in function.instructions())
    return loads if uses == len(loads) else []


def _move(by_label: dict[str, BasicBlock], block: BasicBlock, phi: Instr, loads: list[Instr]) -> None:
    type_ = loads[0].type
    values = []
    for number, (pointer, label) in enumerate(zip(phi.args, phi.detail, strict=True)):
        load = replace(loads[0], result=f"{phi.result}.value{number}", args=(pointer,))
        by_label[label].instrs.insert(len(by_label[label].instrs) - 1, load)
        values.append(load.result)
    chosen = replace(phi, type=type_, args=tuple(values), types=(type_,) * len(values))
    names = {load.result for load in loads}
    block.instrs[:] = [chosen if instr is phi else instr for instr in block.instrs if instr not in loads]
    for other in by_label.values():
        other.instrs[:] = [item.map_values(lambda arg: chosen.result if arg in names else arg) for item in other.instrs]
