"""What a lift found: the stable contract of `--json` and of `metalift.lift`. Plain data; whoever makes it does the computing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

from metalift.result.checked import CheckResult as CheckResult
from metalift.result.checked import ObligationResult as ObligationResult
from metalift.result.reason import ReasonResult as ReasonResult
from metalift.result.verdict import Agreement, Checked, FunctionVerdict
from metalift.version import __version__

SCHEMA_VERSION = 1  # of the objects that --json prints: another number where a key goes away or means something else
Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
HIDDEN = {"json": False}  # metadata of a field that is not part of the JSON contract


@dataclass(frozen=True, slots=True)
class DiagnosticResult:
    """A place in the source, and one sentence; column 0 where it is not known."""

    file: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class AssumptionResult:
    """Something that the proof relies on; `origin` says where it comes from."""

    text: str
    origin: str
    checked: Checked = Checked.NO


@dataclass(frozen=True, slots=True)
class TargetResult:
    """The generated code of one target.

    `engine`: what executed it, with its version, or why nothing did. `executable` is False where a target cannot be executed by
    design. On the `inputs` that were tried: `max_rel_error` is the largest difference from the compiled source, `exact_error` the
    largest from exact arithmetic, `source_error` the compiled source's own from that, each relative to the largest number of the
    same output. `decided`: on how many of the inputs rounding decides which integers are the results; `undecided`: how many
    more were left out because rounding decides which way the source goes.
    """

    verdict: FunctionVerdict = FunctionVerdict.ERROR
    file: str | None = None
    engine: str = ""
    checked: Agreement = Agreement.NOT_RUN
    inputs: int = 0
    max_rel_error: float | None = None
    assumptions: tuple[AssumptionResult, ...] = ()
    exact_error: float | None = None
    source_error: float | None = None
    decided: int = 0
    undecided: int = 0
    executable: bool = field(default=True, metadata=HIDDEN)
    code: str = field(default="", metadata=HIDDEN)  # the text of the file, also where none is written
    entry: str = field(default="", metadata=HIDDEN)  # the function in it, empty where it is not Python

    @property
    def as_exact(self) -> bool:
        """Whether the code is no farther from exact arithmetic than the source itself."""
        return self.exact_error is not None and self.source_error is not None and self.exact_error <= self.source_error

    @property
    def ok(self) -> bool:
        """Proved, and the code agrees with the source wherever it can be executed at all."""
        agrees = self.checked is Agreement.AGREES or (not self.executable and self.checked is Agreement.NOT_RUN)
        return self.verdict is FunctionVerdict.PROVED and agrees


@dataclass(frozen=True, slots=True)
class Attempt:
    """The best that was reached where a function is not lifted: a summary, and the obligation or the input that it fails on."""

    summary: str
    obligation: str | None = None
    input: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """All about one function or loop nest; `seconds` has the wall time of each stage, in order.

    `split`: it was not lifted as a whole, and the loop nests in it, if it has any, follow as results of their own. `reasons`: why
    it is not proved with code that agrees, each with what would help.
    """

    name: str
    line: int
    verdict: FunctionVerdict = FunctionVerdict.ERROR
    summary: str = ""
    invariants: tuple[str, ...] = ()
    assumptions: tuple[AssumptionResult, ...] = ()
    obligations: tuple[ObligationResult, ...] = ()
    targets: Mapping[str, TargetResult] = field(default_factory=dict)
    attempt: Attempt | None = None
    proposer: str = ""
    candidates: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    diagnostics: tuple[DiagnosticResult, ...] = ()
    certificates: tuple[str, ...] = field(default=(), metadata=HIDDEN)  # folders, one for each driver
    split: bool = False
    reasons: tuple[ReasonResult, ...] = ()

    @property
    def certificate(self) -> str | None:
        """The folder of the certificate; of the first driver's, where there are several."""
        return next(iter(self.certificates), None)

    @property
    def ok(self) -> bool:
        """Proved for every target asked for, and all code agrees."""
        return self.verdict is FunctionVerdict.PROVED and all(target.ok for target in self.targets.values())


@dataclass(frozen=True, slots=True)
class LeftOutResult:
    """A file that is not linked, with what to do; `failed` where it was asked for and cannot be read or compiled."""

    file: str
    why: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of lifting one file; the `others` are linked with it, what is `left_out` is not.

    `hosts`: for each target the file in which lifted loops are calls.
    """

    source: str
    functions: tuple[FunctionResult, ...] = ()
    metalift: str = __version__
    others: tuple[str, ...] = ()
    left_out: tuple[LeftOutResult, ...] = ()
    notes: tuple[str, ...] = ()
    hosts: Mapping[str, str] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def ok(self) -> bool:
        """Everything asked for was proved and its code agrees; what was split counts by its parts."""
        parts = [function for function in self.functions if not function.split]
        return bool(parts) and all(function.ok for function in parts)


def to_json(result: Result | CheckResult) -> dict[str, Json]:
    """The object that `--json` prints, with keys in the contract's order."""
    plain = _plain(result)
    assert isinstance(plain, dict)
    if isinstance(result, Result):
        plain = {"metalift": plain.pop("metalift"), **plain}
    return {"schema_version": SCHEMA_VERSION, **plain}


def _plain(value: object) -> Json:
    """JSON's form of a value; a number that JSON cannot hold becomes null."""
    if isinstance(value, Enum):
        return str(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(f"{value:.6g}") if isfinite(value) else None
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value) if item.metadata.get("json", True)}
    return str(value)
