"""What was found about operators, and the table of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metalift.check.fact_store import Known
from metalift.driver import Driver


@dataclass(frozen=True, slots=True)
class Runs:
    """What came of running an operator in one place: how many applications agreed, and the first that did not."""

    agreed: int = 0
    failure: str = ""
    missing: str = ""  # the library that is not installed
    refused: str = ""  # why there is no text to run
    ended: bool = False  # whether what runs texts ended, or gave no answer in time
    without_arrays: bool = False  # whether a spelling for arrays ran on plain numbers only
    uses: frozenset[str] = frozenset()  # the operators of the text, those of its kernel included

    @property
    def ok(self) -> bool:
        """Whether nothing disagreed."""
        return not self.failure

    @property
    def tried_nothing(self) -> bool:
        """Whether there was a text to run, and nothing to run it on."""
        return self.ok and not (self.agreed or self.missing or self.refused)


def together(runs: Sequence[Runs]) -> Runs | None:
    """What came of several, as of one: the first that disagrees, or how many agree in all."""
    failed = next((each for each in runs if not each.ok), runs[0] if runs else None)
    if failed is None or not failed.ok:
        return failed
    used = (name for each in runs for name in each.uses)
    return replace(failed, agreed=sum(each.agreed for each in runs), uses=frozenset(used))


@dataclass(frozen=True, slots=True)
class OperatorCheck:
    """What was found about one operator. `place` is the file and line of its meaning, `problem` why it is not accepted.

    `untested` says what of it nothing tried: a spelling, what it requires. `unchosen` are targets in which no sample program has
    it, with why, `beside` those in which one has where the driver has not the operators that are named.
    """

    name: str
    place: str
    problem: str = ""
    meaning: Runs = field(default_factory=Runs)
    engines: Mapping[str, Runs] = field(default_factory=dict)
    facts: tuple[Known, ...] = ()
    fact_seconds: float = 0.0  # that it took to know the facts
    untested: tuple[str, ...] = ()
    unchosen: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it is accepted and everything that ran agreed; facts that do not hold are not used, and no failure."""
        return not self.problem and self.meaning.ok and all(runs.ok for runs in self.engines.values())

    @property
    def conforms(self) -> bool:
        """Whether everything agreed, and was tried."""
        return self.ok and not self.missed

    @property
    def missed(self) -> list[str]:
        """What nothing tried, in words."""
        refused = {name: runs.refused for name, runs in self.engines.items() if runs.refused}
        never = [f"{name}: never chosen: {why}" for name, why in self.unchosen.items()]
        return [*self.untested, *never, *(f"{name}: not written: {why}" for name, why in refused.items())]


def within_others(checks: Sequence[OperatorCheck]) -> list[OperatorCheck]:
    """The checks, where an operator that has no text of its own was run in that of another."""
    found = []
    for check in checks:
        for name in [*check.unchosen, *(name for name, runs in check.engines.items() if runs.refused)]:
            others = (each.engines[name] for each in checks if name in each.engines)
            one = next((runs for runs in others if check.name in runs.uses and runs.ok and runs.agreed), None)
            if one is not None:
                unchosen = {target: why for target, why in check.unchosen.items() if target != name}
                check = replace(check, engines={**check.engines, name: one}, unchosen=unchosen)
        found.append(check)
    return found


def table(checks: Sequence[OperatorCheck], driver: Driver) -> str:
    """One line for each operator, then what is wrong, each with its place in the driver's files."""
    targets = [target.name for target in driver.targets if target.executable]
    width = max(len("operator"), *(len(check.name) for check in checks)) + 2
    lines = [f"{'operator':<{width}}{'accepted':<10}{'CPython':>8}" + "".join(f"{target:>12}" for target in targets) + "  facts"]
    for check in checks:
        cells = [_cell(check.engines.get(target)) for target in targets]
        known = " ".join(f"{one.fact.name}{'' if one.proved else ' (not proved)'}" for one in check.facts)
        external = driver.operators[check.name].meaning.external is not None
        accepted = "no" if check.problem else "external" if external else "yes"
        cpython = "" if check.problem or external else str(check.meaning.agreed) if check.meaning.ok else "differs"
        ran = "".join(f"{cell:>12}" for cell in cells)
        lines.append(f"{check.name:<{width}}{accepted:<10}{cpython:>8}{ran}  {known}".rstrip())
    for check in checks:
        failures = [check.problem, check.meaning.failure, *(f"{t}: {r.failure}" for t, r in check.engines.items() if r.failure)]
        lines += [f"{check.place}: {failure}" for failure in failures if failure]
        lines += [f"{check.place}: {check.name}: {what}" for what in check.missed]
        lines += [f"{check.place}: {check.name}: {target}: the search takes {others} where it has them: it computes the same"
                  for target, others in check.beside.items()]  # fmt: skip
    missing = dict.fromkeys(r.missing for check in checks for r in check.engines.values() if r.missing)
    lines += [f"{library} is not installed: its spellings were not run" for library in missing]
    lines += _about_facts(checks)
    lines += [f"{target.name} has no runner: its texts were not run" for target in driver.targets if not target.executable]
    lines += [f"{target.name} makes programs by itself: they were not run" for target in driver.targets if target.find]
    good, rest = sum(check.conforms for check in checks), sum(check.ok and not check.conforms for check in checks)
    lines.append(f"{good} of {len(checks)} operators conform{f', {rest} not tested as a whole' if rest else ''}")
    return "\n".join(lines)


def _about_facts(checks: Sequence[OperatorCheck]) -> list[str]:
    """How many facts were proved, in which time, and how many of them in an earlier run."""
    known = [one for check in checks for one in check.facts]
    if not known:
        return []
    proved, cached = sum(one.proved for one in known), sum(one.cached for one in known)
    return [f"{proved} of {len(known)} facts proved, in {sum(c.fact_seconds for c in checks):.2f} s, {cached} from the cache"]


def _cell(runs: Runs | None) -> str:
    if runs is None:
        return "-"
    return "missing" if runs.missing else str(runs.agreed) if runs.ok else "differs"
