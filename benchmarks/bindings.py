"""Wrong bindings of arrays to tensors: whether each is refuted.

Usage, from the root of the project: python -m benchmarks.bindings [--count N] [SUITE ...]

In the program that is found for each kernel, one tensor is bound in another way: two of its arrays, or its rows and columns,
exchanged; another format of the same arrays; one of its arrays, such as `pos`, read one element further on. What the program
requires stays. Or that alone changes: one promise of a format, such as that coordinates are in order, is left out. A binding is
refuted where it is not proved and an input tells the program from the source, or breaks what the format promises of the arrays
that it is given. Exit status 1 where one is proved that differs, or where fewer are refuted than asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from benchmarks.configurations import Found, calls, differs, found, proved, replaced
from benchmarks.suites import Kernel, read_suite
from metalift.ir.expr.build import minus, plus
from metalift.ir.expr.nodes import Apply, Build, Call, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import subexpressions, substitute
from metalift.ir.program.summary import TargetProgram
from metalift.ir.text import show
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import inputs, satisfies
from metalift.synth.derive import NotDerived

LAST = 50  # characters of a promise that are shown
INPUTS = 60  # that are looked at for a promise of a format that is broken
FORMATS = {"csr": "csc", "csc": "csr"}


def bindings(one: Found) -> Iterator[tuple[str, TargetProgram]]:
    """Programs with one tensor bound in another way, and what was done."""
    for at, write in enumerate(one.program.writes):
        formats = [call for call in dict.fromkeys(calls(write.value)) if isinstance(call.type, TensorType)]
        for call in formats:
            for what, other in changes(call):
                writes = list(one.program.writes)
                writes[at] = replace(write, value=replaced(write.value, call, other))
                yield what, replace(one.program, writes=tuple(writes))
    for condition in one.program.requires:
        if any(isinstance(part, Select) for part in subexpressions(condition)):
            kept = tuple(each for each in one.program.requires if each != condition)
            yield f"not promised: {show(condition)[-LAST:]}", replace(one.program, requires=kept)


def changes(call: Call) -> Iterator[tuple[str, Call]]:
    """Other bindings of one tensor."""
    arrays = [at for at, arg in enumerate(call.args) if isinstance(arg, Var) and isinstance(arg.type, TensorType)]
    for first, at in enumerate(arrays):
        for other in arrays[first + 1 :]:
            if type_of(call.args[at]) == type_of(call.args[other]):
                yield f"{named(call, at)} and {named(call, other)} exchanged", exchanged(call, at, other)
        yield f"{named(call, at)} one further on", with_arg(call, at, further(call.args[at]))
    if call.function in FORMATS:
        yield f"{call.function} as {FORMATS[call.function]}", replace(call, function=FORMATS[call.function])
    if call.args[0] != call.args[1]:
        yield "rows and columns exchanged", exchanged(call, 0, 1)


def named(call: Call, at: int) -> str:
    """An array by its name."""
    arg = call.args[at]
    return arg.name if isinstance(arg, Var) else str(at)


def with_arg(call: Call, at: int, value: Expr) -> Call:
    """The application with another argument."""
    return replace(call, args=(*call.args[:at], value, *call.args[at + 1 :]))


def exchanged(call: Call, one: int, two: int) -> Call:
    """The application with two arguments exchanged."""
    return with_arg(with_arg(call, one, call.args[two]), two, call.args[one])


def further(array: Expr) -> Expr:
    """The elements of an array after its first, the last one twice."""
    index = Var("e", INT)
    last = minus(Length(array), integer(1))
    return Build((Length(array),), (index,), Select(array, (Apply(Operator.MIN, (plus(index, integer(1)), last)),)))


def breaks(one: Found, program: TargetProgram) -> bool:
    """Whether arrays that the right program takes are none of the format as they are bound."""
    promised: dict[Expr, None] = {}
    for call in (call for write in program.writes for call in calls(write.value)):
        instance = one.driver.operators[call.function].instantiate(tuple(map(type_of, call.args)), call.type)
        values = dict(zip(instance.params, call.args, strict=True))
        if isinstance(call.type, TensorType):
            promised.update((substitute(condition, values), None) for condition in instance.requires)
    assumed = (*one.summary.requires, *program.requires)
    found_ = islice(inputs(one.fragment, assumed, extents=one.summary.shapes), INPUTS)
    return any(not satisfies(run.input.env(), tuple(promised)) for run in found_)


def in_turn(kernels: Sequence[Kernel]) -> Iterator[tuple[str, Found, str, TargetProgram]]:
    """The first binding of each kernel that is proved, then the second of each, and so on."""
    waiting = []
    for kernel in kernels:
        if kernel.expected == "PROVED":
            with suppress(NotDerived):
                one = found(kernel.path, kernel.function, kernel.targets[0])
                waiting.append((f"{kernel.label} {kernel.function}", one, bindings(one)))
    while waiting:
        for entry in list(waiting):
            label, one, others = entry
            for what, program in islice(others, 1):
                yield label, one, what, program
                break
            else:
                waiting.remove(entry)


def main(argv: Sequence[str] | None = None) -> int:
    """Bind the tensors of suites in other ways; a line for each, and the totals."""
    parser = argparse.ArgumentParser(description="Bind arrays to tensors in wrong ways; none that differs may be proved.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=["sparse"], help="of sparse kernels (default: sparse)")
    parser.add_argument("--count", type=int, default=20, help="how many bindings (default: 20)")
    options = parser.parse_args(argv)
    made = refuted = wrong = 0
    with SolverPool(2) as pool:
        for label, one, what, program in in_turn([each for suite in options.suites for each in read_suite(suite)]):
            if made == options.count:
                break
            differ, holds = differs(one, program) or breaks(one, program), proved(one, program, pool, quick=False)
            if not differ and not holds:
                word = "not refuted, not proved"
            else:
                word = "refuted" if not holds else "WRONG" if differ else "the same function"
            made += word != "the same function"
            refuted += word == "refuted"
            wrong += word == "WRONG"
            sys.stdout.write(f"{label:<44}{what:<66}{word}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{refuted} of {made} wrong bindings refuted\n")
    return 1 if wrong or refuted < options.count else 0


if __name__ == "__main__":
    raise SystemExit(main())
