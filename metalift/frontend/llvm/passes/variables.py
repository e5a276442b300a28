"""Global variables that are not constant: a function that uses one takes it as a further parameter.

`static` locals and static members are such variables, too. Nothing is assumed of what they hold. Afterwards each is a parameter
behind those of the source, and what the variable holds is flattened with the fields of structs: a scalar that is only read is a
scalar parameter, one that is written an array of one element, a pointer what it points to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from metalift.frontend.llvm.read.llvm_ir import LlvmFunction, Parameter, array_parts
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.mangled import demangle
from metalift.frontend.llvm.read.metadata import SourceType
from metalift.frontend.llvm.read.parameters import field_name
from metalift.frontend.llvm.read.tables import constant_cells
from metalift.ir.expr.types import DOUBLE, FLOAT, STRING, MachineInt, ScalarType
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported, Variable

SUPPORTED = (
    "supported are global variables that are numbers, arrays of them, pointers to them, std::vector of them, and structs of "
    "these; other state has to be passed as a parameter"
)
DECLARED = re.compile(r"(?:[\w()]+ )*?(global|constant) (.*?)(?:, (?:align|section|comdat|!dbg)|$)")


def find_variables(function: LlvmFunction, module: LlvmModule, start: Location) -> None:
    """Make parameters of the variables that are used, in place. Raises Unsupported where one is of another kind."""
    names = {parameter.name for parameter in function.parameters}
    registers: dict[str, str] = {}
    for instr in function.instructions():
        for token in instr.args:
            if token in registers or not token.startswith("@") or not _is_variable(module, token):
                continue
            parameter = _Found(module, token, instr.location if instr.location.line else start).parameter(names)
            names.add(parameter.name)
            function.parameters.append(parameter)
            registers[token] = parameter.register
    for block in function.blocks:
        block.instrs[:] = [instr.map_values(lambda token: registers.get(token, token)) for instr in block.instrs]


def _is_variable(module: LlvmModule, token: str) -> bool:
    """Whether it names memory that may hold something else in every call."""
    found = DECLARED.match(module.globals.get(token, ""))
    return found is not None and found[1] == "global" and constant_cells(module, token) is None


@dataclass(frozen=True, slots=True)
class _Found:
    """A variable `@token` that is used at a place."""

    module: LlvmModule
    token: str
    place: Location

    @property
    def name(self) -> str:
        """The variable as a person knows it, without namespaces and classes."""
        found = demangle(self.token[1:])
        return self.module.metadata.fields(self.variable).get("name") or (found.name if found else self.token[1:])

    @property
    def variable(self) -> str:
        """Its debug information, empty where another file defines it."""
        found = re.search(r"!dbg (!\d+)", self.module.globals[self.token])
        return self.module.metadata.fields(found[1]).get("var", "") if found else ""

    def _fail(self, what: str) -> NoReturn:
        raise Unsupported(Diagnostic(self.place, f"{what}; {SUPPORTED}"))

    def parameter(self, taken: set[str]) -> Parameter:
        """The parameter that it becomes."""
        text = self.module.globals[self.token]
        if re.match(r"(?:[\w()]+ )*?thread_local\b", text):
            self._fail(f"the thread_local variable {self.name}")
        type_ = self._type(text)
        if type_.volatile:
            self._fail(f"the volatile variable {self.name}")
        known = type_.struct is not None or type_.scalar not in (None, STRING)
        if type_.kind in ("reference", "void", "other") or not known:
            self._fail(f"the global variable {self.name} of type {type_.spelling}")
        name = field_name(self.name, (), taken)
        qualified, local = self._qualified()
        variable = Variable(self.token[1:], qualified, local, text.startswith("external "))
        return Parameter(f"%{name}.variable", name, type_, self._declared(), variable=variable)

    def _type(self, text: str) -> SourceType:
        """The type that the source declares; of a variable that only another file defines there is LLVM's alone."""
        if self.variable:
            return self.module.metadata.type(self.module.metadata.fields(self.variable).get("type", ""))
        found = DECLARED.match(text)
        element, extents = found[2] if found else "", ""
        while (array := array_parts(element)) is not None:
            if array[0] == 0:
                self._fail(f"the array {self.name} of a length that its declaration does not say")
            element, extents = array[1], f"{extents}[{array[0]}]"
        known: dict[str, tuple[str, ScalarType]] = {"float": ("float", FLOAT), "double": ("double", DOUBLE)}
        known |= {f"i{bits}": (f"int{bits}_t", MachineInt(bits, True)) for bits in (16, 32, 64)}
        if element not in known:
            self._fail(f"the variable {self.name}, which is defined in another file, of type {element.strip('%')}")
        spelling, scalar = known[element]
        held = SourceType("scalar", spelling, scalar)
        return SourceType("array", spelling + extents, scalar, target=held) if extents else held

    def _qualified(self) -> tuple[str, bool]:
        """Its name with namespaces and classes, and whether it is a `static` local."""
        metadata = self.module.metadata
        fields = metadata.fields(self.variable)
        scope = metadata.fields(fields.get("declaration", "")).get("scope") or fields.get("scope", "")
        found = demangle(self.token[1:])
        parts = [self.name, *([found.scope] if found and not self.variable else [])]
        while (outer := metadata.fields(scope)).get("node") in ("DINamespace", "DICompositeType"):
            parts.append(outer.get("name", ""))
            scope = outer.get("scope", "")
        local = outer.get("node") in ("DISubprogram", "DILexicalBlock", "DILexicalBlockFile")
        return "::".join(filter(None, reversed(parts))), local

    def _declared(self) -> Location:
        metadata = self.module.metadata
        fields = metadata.fields(self.variable)
        return Location(metadata.file(fields["file"]), int(fields.get("line", 0))) if "file" in fields else self.place
