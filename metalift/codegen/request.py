"""What code generation is given, and how it says that it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from metalift.driver import Driver, Target
from metalift.ir.expr.nodes import Expr, Lambda
from metalift.ir.program.assumption import Assumption
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Kernel
from metalift.ir.program.summary import Summary, TargetProgram

ADAPTER = "as_source"  # the function by which one is compared that has not the source's parameters


class CannotSpell(Exception):
    """The target has no spelling for a part of the program; the message says which."""


class Signature(Enum):
    """What a generated function takes and returns."""

    SOURCE = "source"  # the source's parameters; what the source writes is written, and returned
    TENSOR = "tensor"  # tensors with the axes that the source goes through; their sizes are shapes, what is written is returned


@dataclass(frozen=True, slots=True)
class Style:
    """How the text is written. `guarded`: it checks what it can, `thorough`: also what all elements have to be asked for, where
    the target's own writer can; what is not checked stands in the docstring. `columns`: fields in the source, and
    what these columns of tables are called.
    """

    guarded: bool = True
    signature: Signature = Signature.SOURCE
    thorough: bool = False
    columns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """A program in a target's operators and what its text has to tell; `units` are bodies of functions whose calls stay calls."""

    fragment: Fragment
    summary: Summary
    program: TargetProgram
    driver: Driver
    target: Target
    assumptions: tuple[Assumption, ...] = ()
    verdict: str = ""
    version: str = ""
    kernel: Kernel | None = None
    units: Mapping[str, Lambda] = field(default_factory=dict)
    style: Style = Style()

    @property
    def written(self) -> tuple[str, ...]:
        """The array parameters that are written, in the order of the parameters."""
        changed = {called for called, _ in self.summary.outputs} | {write.array.name for write in self.program.writes}
        return tuple(param.var.name for param in self.fragment.params if param.var.name in changed)


@dataclass(frozen=True, slots=True)
class Generated:
    """The text, and for each assumption of the request whether the text checks it.

    `function` is the name of the generated function; `written` are the source's names of the arrays that it changes and returns;
    `beyond` is what else it takes for granted, in words.
    """

    text: str
    guarded: tuple[bool, ...]
    function: str
    written: tuple[str, ...]
    steps: bool = False  # whether loops of the source are loops of the text
    kept: tuple[bool, ...] = ()  # for each assumption whether every call keeps it, so that there is nothing to check
    domain: tuple[Expr, ...] = ()  # of the source's parameters, where a function that has others computes for these alone
    adapter: str = ""  # the text of ADAPTER
    beyond: tuple[str, ...] = ()
