"""Whether a kernel in the text of a target, written or edited by a person or a model, computes what a source does.

The target's driver parses the text, and never imports it: what is read is proved as a lift of the source, in place of the
driver's own kernel, and the text itself is run beside the source in the confined process that runs all code.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from metalift.check.assumptions import Origin
from metalift.check.user_assumptions import parse_assumptions
from metalift.driver import CannotWrite, Read, Request, Target, choosing
from metalift.driver.files import targets as own_targets
from metalift.frontend import Source, functions_of, import_function, open_source
from metalift.ir.expr.build import conjuncts
from metalift.ir.program.kernel import Kernel
from metalift.ir.program.summary import TargetProgram
from metalift.ir.text import show
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_kept
from metalift.pipeline.equivalence import EquivResult, EquivVerdict, equiv
from metalift.result import FunctionResult
from metalift.result.errors import UsageError
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict
from metalift.synth.tiles import annotated, with_intermediates
from metalift.system import alarm, arguments
from metalift.system.names import chosen
from metalift.vcgen.erasure import erased

CONDITIONS = (Origin.SUMMARY.value, Origin.TARGET.value)


def language_of(path: Path) -> str | None:
    """The target whose kernels are in a file: it imports the module of that name, and its driver reads such text."""
    if path.suffix != ".py":
        return None
    try:
        tree = ast.parse(arguments.source_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    imported = {each.name.partition(".")[0] for node in tree.body if isinstance(node, ast.Import) for each in node.names}
    known = [target for its in own_targets().values() for target in its if target in imported]
    return next((name for name in known if choosing.select(None, [name])[name].driver.target(name).reads is not None), None)


@dataclass
class HandTuned:
    """A function in a text, in the place of what a driver makes; `refused` is why it was not read, the last time."""

    target: str
    text: str
    function: str
    refused: list[str] = field(default_factory=list)
    told: Read | None = None

    def read(self, target: Target, request: Request) -> Kernel | TargetProgram:
        """What it is. Raises CannotWrite."""
        assert target.reads is not None
        try:
            self.told = target.reads(self.text, self.function, request)
        except CannotWrite as problem:
            self.refused.append(str(problem))
            raise
        return self.told.what

    def instead(self, target: Target) -> Target:
        """The target with this text in place of all that it writes."""
        driver = choosing.select(None, [self.target])[self.target].driver

        def lower(request: Request) -> Kernel:
            kernel = self.read(target, request)
            assert isinstance(kernel, Kernel)
            try:
                return annotated(kernel, request.fragment, request.program, driver)
            except (ValueError, KeyError) as problem:
                raise CannotWrite(f"what was read is not well formed: {problem}") from problem

        def tile(request: Request) -> TargetProgram:
            program = self.read(target, request)
            assert isinstance(program, TargetProgram)
            try:
                check_kept(program, request.fragment)
            except IllTyped as problem:
                raise CannotWrite(f"what was read is not well formed: {problem}") from problem
            return with_intermediates(program, request.fragment, request.program, driver)

        def write(request: Request) -> str:
            own = request.fragment.name
            return self.text if own == self.function else f"{self.text}\n\n{own} = {self.function}\n"

        own = replace(target, write=write, engine=replace(target.engine, reciprocals=True))  # as people write quotients
        if target.lower is not None:
            return replace(own, lower=lower, optimiser=None)
        return replace(own, tile=tile, kernels=None)


def compared(
    first: Path,
    second: Path,
    *,
    functions: tuple[str | None, str | None] = (None, None),
    names: Sequence[str] = (),
    shapes: str = "",
    assume: Sequence[str] = (),
    clang_args: Sequence[str] = (),
    timeout: float = 10.0,
    time_limit: float | None = None,
) -> EquivResult:
    """Prove that the second function, or the kernel that it calls, computes what the first one does. Raises UsageError.

    `time_limit`: seconds for all of it, only in the main thread.
    """
    target = language_of(second)
    if target is None:
        told = {"functions": functions, "names": names, "shapes": shapes, "assume": assume}
        return equiv(first, second, clang_args=clang_args, timeout=timeout, time_limit=time_limit, **told)  # type: ignore[arg-type]
    if names or shapes:
        raise UsageError(f"{second}: a kernel's function takes the source's parameters; leave out --map and --shapes")
    from metalift.pipeline import lift  # which imports much that other comparisons do not need

    text = arguments.source_text(second)
    there = [each.name for each in ast.parse(text).body if isinstance(each, ast.FunctionDef) and not each.decorator_list]
    module = open_source(first, tuple(clang_args))
    sources = list(dict(functions_of(module)))
    source = picked(functions[0], sources, first, functions[1])
    name = picked(functions[1], there, second, source)
    tuned = HandTuned(target, text, name)
    result = EquivResult(f"{first}: {source}", f"{second}: {name}", EquivVerdict.UNKNOWN)
    try:
        with alarm.time_limit(time_limit):
            found = lift(
                first, functions=[source], to=[target], assume=assume, clang_args=clang_args, timeout=timeout,
                change={target: tuned.instead},
            ).functions[0]  # fmt: skip
    except alarm.TookTooLong as problem:
        return replace(result, reason=str(problem))
    if tuned.refused and found.verdict is FunctionVerdict.NOT_LIFTED:
        raise UsageError(f"{second}: {tuned.refused[0]}")
    user = given(module, source, assume)
    return judged(found, target, result, user, tuned.told or Read(TargetProgram((), (), None)))


def given(module: Source, function: str, assume: Sequence[str]) -> frozenset[str]:
    """The conditions that the user states, as those of a verdict are written."""
    fragment = import_function(module, function)
    return frozenset(show(erased(part, {})) for _, formula in parse_assumptions(assume, fragment) for part in conjuncts(formula))


def picked(asked: str | None, there: Sequence[str], path: Path, like: str | None) -> str:
    """The function of a file that is compared: that of a name, the only one, or the one that is called like the other."""
    if asked is not None:
        return chosen([asked], there, "function", f"in {path}")[0]
    if len(there) == 1:
        return there[0]
    if like is not None and like in there:
        return like
    raise UsageError(f"{path} has {', '.join(there) or 'no function'}; name one, as in FILE:FUNCTION")


def judged(found: FunctionResult, target: str, result: EquivResult, user: frozenset[str], read: Read) -> EquivResult:
    """The verdict that a lift with what was read gives; `user` are conditions that are stated."""
    made = found.targets.get(target)
    stated = tuple((each.text, each.origin) for each in (*found.assumptions, *(made.assumptions if made is not None else ())))
    stated += tuple((each, Origin.RESTRICTION.value) for each in read.assumes)
    names = dict.fromkeys((each.name.partition(": ")[0], each.verdict.value) for each in found.obligations)
    result = replace(result, assumptions=stated, obligations=tuple(names), inputs=made.inputs if made is not None else 0)
    told = "; ".join(dict.fromkeys(each.message for each in found.diagnostics))
    if made is not None and made.checked is Agreement.DIFFERS:
        if all(each.verdict is ObligationVerdict.PROVED for each in found.obligations):
            return replace(result, reason=f"proved under what is assumed; by rounding, or outside of that, it differs: {told}")
        return replace(result, verdict=EquivVerdict.DIFFERENT, reason=told)
    if found.verdict is not FunctionVerdict.PROVED or made is None or made.checked is not Agreement.AGREES:
        why = found.attempt.obligation if found.attempt is not None else ""
        return replace(result, reason=told or why or (made.engine if made is not None else "") or found.verdict.value)
    where = tuple(text for text, origin in stated if origin in CONDITIONS and text not in user)
    where += read.checks
    return replace(result, verdict=EquivVerdict.EQUAL_WHERE if where else EquivVerdict.EQUAL, where=where)
