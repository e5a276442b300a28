"""The intermediates of a program, found again in another program that was read from a text: parts that are the same numbers."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import Const, Expr, Fold, Var, type_of
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_vars, replaced, subexpressions, substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Size
from metalift.ir.program.summary import Let, TargetProgram
from metalift.synth.tiles.probes import Probes

LARGEST = 1 << 16  # of a block


def with_intermediates(read: TargetProgram, fragment: Fragment, program: TargetProgram, driver: Driver) -> TargetProgram:
    """The program that was read with those intermediates of the other one that are parts of it, as far as they are found.

    Parts without a sum or a loop are left alone, and so are those that depend on an index.
    """
    defined: dict[Var, Expr] = {}
    inner: dict[Var, Expr] = {}
    for let in program.lets:
        inner[let.var] = expand(substitute(let.value, inner), driver)
        if not isinstance(let.var.type, TensorType):
            defined[let.var] = inner[let.var]
    sizes = [Size(block, Const(1, block.type), 1, LARGEST) for block in read.parameters]
    probes = Probes(fragment, sizes, defined)
    outer = {param.var for param in fragment.params} | set(read.parameters)
    for var, value in defined.items():
        for part in dict.fromkeys(part for each in read.values for part in subexpressions(each)):
            known = free_vars(part) <= outer | {let.var for let in read.lets}
            summed = any(isinstance(each, Fold) or each in defined for each in subexpressions(part))
            if part in defined or not known or not summed or type_of(part) != var.type:
                continue
            if probes.agree(expand(part, driver), value, ()):
                made = read.map(lambda each, part=part, var=var: replaced(each, {part: var}))  # type: ignore[misc]
                read = replace(made, lets=(*made.lets, Let(var, part)))
                break
    return read
