"""Integers behind a pointer in a struct or variable that are read at places known from the text, as the dimensions of a tensor.

Where nothing else is done with the pointer, each of them becomes a scalar parameter, so that sizes may depend on it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.read.llvm_ir import Argument, Instr, Layout, LlvmFunction, Parameter, offset_of
from metalift.frontend.llvm.read.metadata import SourceType
from metalift.frontend.llvm.read.parameters import element_size, field_name, fits
from metalift.ir.expr.types import MachineInt


def read_fixed_elements(function: LlvmFunction, layout: Layout) -> None:
    """Replace pointers that are only used so by what is read, in place."""
    for parameter in list(function.parameters):
        if parameter.field is not None and parameter.type.kind == "pointer" and parameter.type.rank == 1:
            found = _Elements(function, layout, parameter)
            if found.are_all():
                found.replace()


@dataclass(slots=True)
class _Elements:
    """The elements that are read through a parameter: the bytes of each place from the first, and the number of each load."""

    function: LlvmFunction
    layout: Layout
    parameter: Parameter
    places: dict[str, int] = field(default_factory=dict)
    loads: dict[str, int] = field(default_factory=dict)

    def are_all(self) -> bool:
        """Whether it is only used for such reads, of one integer each. The blocks are in reverse postorder."""
        scalar = self.parameter.type.scalar
        if not isinstance(scalar, MachineInt):
            return False
        self.places = {self.parameter.register: 0}
        for instr in self.function.instructions():
            used = [arg for arg in instr.args if arg in self.places]
            if not used or instr.op == "declare":
                continue
            offset = offset_of(instr, self.layout) if instr.op == "getelementptr" and instr.args[0] == used[0] else None
            if offset is not None:
                self.places[instr.result] = self.places[used[0]] + offset
                continue
            number, rest = divmod(self.places[used[0]], element_size(scalar))
            if instr.op != "load" or rest or number < 0 or instr.flags & {"volatile", "atomic"} or not fits(scalar, instr.type):
                return False
            self.loads[instr.result] = number
        return bool(self.loads)

    def replace(self) -> None:
        """Put a parameter for each element in the place of the pointer."""
        function, parameter = self.function, self.parameter
        taken = {each.name for each in function.parameters}
        made = {}
        for number in sorted(set(self.loads.values())):
            made[number] = self._element(number, taken)
            taken.add(made[number].name)
        renamed = {result: made[number].register for result, number in self.loads.items()}
        gone = self.places.keys() | self.loads.keys()
        for block in function.blocks:
            kept = [instr for instr in block.instrs if instr.result not in gone and not _declares(instr, self.places)]
            block.instrs[:] = [instr.map_values(lambda name: renamed.get(name, name)) for instr in kept]
        at = function.parameters.index(parameter)
        function.parameters[at : at + 1] = made.values()
        known = [arg.name for arg in function.args].index(parameter.register)
        new = tuple(Argument(each.register, each.llvm_type) for each in made.values())
        function.args = (*function.args[:known], *new, *function.args[known + 1 :])

    def _element(self, number: int, taken: set[str]) -> Parameter:
        outer = self.parameter
        assert outer.field is not None and isinstance(outer.type.scalar, MachineInt)
        scalar, target = outer.type.scalar, outer.type.target
        spelled = f"{'' if scalar.signed else 'u'}int{scalar.bits}_t"
        type_ = target if target is not None and target.scalar == scalar else SourceType("scalar", spelled, scalar)
        name = field_name(outer.name, (str(number),), taken)
        place = replace(outer.field, access=f"{outer.field.access}[{number}]")
        return Parameter(f"%{name}.element", name, type_, outer.place, field=place, shared=True)


def _declares(instr: Instr, places: Collection[str]) -> bool:
    return instr.op == "declare" and any(arg in places for arg in instr.args)
