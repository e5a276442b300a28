"""All that is known of a result as text for people: plain lines, the same on a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from math import isfinite

from metalift.ir.interp.identities import for_people
from metalift.result import AssumptionResult, CheckResult, FunctionResult, ObligationResult, Result, TargetResult
from metalift.result.verdict import Agreement, Checked, FunctionVerdict, ObligationVerdict

WIDTH = 100


def show_function(source: str, function: FunctionResult, timings: bool) -> str:
    """The paragraph on one function."""
    return for_people("\n".join(_function(source, function, timings)))


def program_lines(result: Result) -> Iterator[str]:
    """Which other files are part of the program, which are not, and the files in which lifted loops are calls."""
    yield from (f"linked with {file}" for file in result.others)
    yield from (f"left out: {each.file}: {each.why}" for each in result.left_out)
    yield from result.notes
    for name, file in result.hosts.items():
        yield f"{name}: {file}: the source with calls of the lifted loops in their places"


def show_check(result: CheckResult) -> str:
    """What became of a certificate that was checked."""
    lines = [f"{result.certificate}: {_count(result.obligations)} with {result.solver}"]
    lines += [f"  {line}" for line in _unproved(result.obligations)]
    lines += [f"  differs from what was generated anew: {name}" for name in result.differences]
    lines += [f"  the solvers disagree; the file and both answers are in {folder}" for folder in result.disagreements]
    lines += [f"  {result.proof}"] if result.proof else []
    lines += [f"  {note}" for note in result.notes]
    if not result.rederived:
        lines.append("  the obligations were not derived anew from the source: only the recorded files were proved")
    lines.append("ok" if result.ok else "not ok")
    return "\n".join(lines)


def _function(source: str, function: FunctionResult, timings: bool) -> Iterator[str]:
    """The lines on one function."""
    head = f"{source}:{function.line}: {function.name}"
    yield f"{head:<{WIDTH - len(function.verdict.value)}}{function.verdict.value}"
    if function.verdict is not FunctionVerdict.PROVED:
        yield f"  {function.verdict.sentence}{' Its loop nests are tried.' if function.split else ''}"
    for diagnostic in function.diagnostics:
        place = ":".join(str(part) for part in (diagnostic.file, diagnostic.line, diagnostic.column) if part)
        yield f"  {place}: {diagnostic.message}"
    if function.summary and function.attempt is None:
        yield from _block("summary", function.summary.splitlines())
    if function.obligations:
        yield f"  {_count(function.obligations)} in {sum(o.seconds for o in function.obligations):.2f} s of solver time"
        yield from (f"    {line}" for line in _unproved(function.obligations))
    yield from _attempt(function)
    common = _common_assumptions(function.targets.values())
    yield from _assumptions("assumes", [*function.assumptions, *common])
    compiled = "the source" if source.endswith(".py") else "the compiled source"
    for name, target in function.targets.items():
        yield from _target(name, target, compiled)
        yield from _assumptions(f"{name} assumes", [item for item in target.assumptions if item not in common])
    yield from (f"  certificate: {folder}" for folder in function.certificates)
    if timings and function.seconds:
        stages = ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in function.seconds.items())
        yield f"  seconds: {stages}, total {sum(function.seconds.values()):.3f}"


def _attempt(function: FunctionResult) -> Iterator[str]:
    """The best candidate, and what it failed on."""
    attempt = function.attempt
    if attempt is None:
        return
    yield from _block("best candidate", attempt.summary.splitlines())
    if attempt.obligation:
        yield f"  fails: {attempt.obligation}"
    if attempt.input is not None:
        yield f"  input: {show_input(attempt.input)}"


def show_input(values: Mapping[str, object]) -> str:
    """A concrete input on one line: `x = [1, 2.5], n = 2`."""
    return ", ".join(f"{name} = {_value(value)}" for name, value in values.items())


def _value(value: object) -> str:
    """A number or a list of them, short."""
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f"{float(value):.9g}"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list | tuple):
        shown = [_value(item) for item in value[:16]]
        return "[" + ", ".join(shown + (["..."] if len(value) > 16 else [])) + "]"
    return str(value)


def _target(name: str, target: TargetResult, source: str) -> Iterator[str]:
    """One line on a target's code."""
    match target.checked:
        case Agreement.AGREES:
            parts = [f"agrees with {source} on {target.inputs} inputs", f" {_exactly(target)}".rstrip(), _by_rounding(target)]
            outcome = f"{''.join(parts)} ({target.engine})"
        case Agreement.DIFFERS:
            outcome = f"DIFFERS from {source} ({target.engine})"
        case _:
            outcome = f"not run ({target.engine})" if target.engine else "not run"
    verdict = "" if target.verdict is FunctionVerdict.PROVED else f"{target.verdict.value}; "
    yield f"  {name}: {target.file or 'no file'}: {verdict}{outcome}"


def _by_rounding(target: TargetResult) -> str:
    """On how many inputs rounding decides."""
    compared = f", {target.decided} of them decided by rounding" if target.decided else ""
    left_out = f", {target.undecided} more left out where rounding decides" if target.undecided else ""
    return compared + left_out


def _exactly(target: TargetResult) -> str:
    """How exact the code is: it gives the same as the source, or errs no more than that, or by how much each of them errs."""
    if target.max_rel_error == 0:
        return "exactly"
    if target.as_exact:
        return "faithfully"
    if target.exact_error is None or target.source_error is None or not isfinite(target.exact_error):
        return ""
    return f"within {target.exact_error:.1e} of exact numbers, the source within {target.source_error:.1e}"


def _common_assumptions(targets: Collection[TargetResult]) -> list[AssumptionResult]:
    """What every target assumes beyond the function, in the order of the first."""
    first = next(iter(targets), None)
    return [] if first is None else [item for item in first.assumptions if all(item in target.assumptions for target in targets)]


def _assumptions(title: str, assumptions: Iterable[AssumptionResult]) -> Iterator[str]:
    """What holds only under these conditions; those that the code does not check are marked."""
    lines = [f"{item.text} [{item.origin}{'' if item.checked is Checked.GUARD else ', not checked'}]" for item in assumptions]
    yield from _block(title, lines)


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A title, and indented lines below it; nothing where there are none."""
    indented = [f"    {line}" for line in lines]
    if indented:
        yield f"  {title}:"
        yield from indented


def _count(obligations: Iterable[ObligationResult]) -> str:
    """How many obligations are proved."""
    verdicts = [obligation.verdict for obligation in obligations]
    proved = verdicts.count(ObligationVerdict.PROVED)
    noun = "obligation" if len(verdicts) == 1 else "obligations"
    return f"{proved} {noun} proved" if proved == len(verdicts) else f"{proved} of {len(verdicts)} {noun} proved"


def _unproved(obligations: Iterable[ObligationResult]) -> Iterator[str]:
    """One line for each obligation that is not proved."""
    for obligation in obligations:
        if obligation.verdict is not ObligationVerdict.PROVED:
            reason = f" ({obligation.reason})" if obligation.reason else ""
            yield f"{obligation.verdict.value}: {obligation.name}{reason}"


def totals(result: Result) -> str:
    """The last line: how many functions are proved with code that agrees."""
    parts = [function for function in result.functions if not function.split]
    good = sum(function.ok for function in parts)
    noun = "function" if len(parts) == 1 else "functions"
    if len(parts) < len(result.functions):
        noun = "functions and loop nests"
    return f"{good} of {len(parts)} {noun} proved, with code that agrees with the source"
