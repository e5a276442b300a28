"""Reasons in the user's words: a code, what stopped a function, and what would help; the texts are in reasons.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from textwrap import shorten

from metalift.result import DiagnosticResult, FunctionResult, ObligationResult, TargetResult
from metalift.result.reason import ReasonResult
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict

TEXTS = Path(__file__).with_name("reasons.toml")
NUMBERED = re.compile(r"\b([A-Za-z_]\w*)\.\d+\b")  # names of values that are counted, where the source has one variable
PLACES = re.compile(r"\bpart [\w.]+(?: in)?(?: at \d+)?: |\bin the part [^:]*: ")
WHY = r"(?:; the nearest: .*|: it has no [\w, .]+|: no .*)?"
MISSING = re.compile(rf"no operator of the driver \w+ (?:computes|updates \w+ to) (.*?){WHY}\Z")
CONVERSION = re.compile(r"\b(?:int|real|[iu](?:8|16|32|64)|float|double|f32|f64)\(((?:[^()]|\([^()]*\))*)\)")
TYPED = re.compile(r"\b(\d+(?:\.\d+)?):[iuf]\d+")
FOLD = re.compile(r"fold\(.*?, (?P<acc>\w+), \w+: (?P<body>.*)\)\Z")
LIMIT = re.compile(r"longer than the ([\d.]+) s of")
TUPLES = re.compile(r"fold\([^:]*\), \w+, \w+: \(")
IN_ORDER = "values that each iteration computes from those before"
ATOM = re.compile(r"[\w.]+(\[[^][]*\])?")
TRUNCATED = re.compile(r"\b(trem|tdiv)\(((?:[^(),]|\([^()]*\))*), ((?:[^(),]|\([^()]*\))*)\)")
SIGNS = {"trem": "%", "tdiv": "/"}
INSIDE = re.compile(r"\b(?:fold|update|build|gather|forall|exists|dim|select|ite|let)\(|\.\.\.|=>")  # what no source says
SIZE = re.compile(r"\bint\((\w+)\)")
WHOLE = re.compile(r"\b([A-Za-z_]\w*)=(-?\d+)(?=,|:|$)")
ARRAY = re.compile(r"(\w+) has at least ")
NOT_POSITIVE = re.compile(r"\b(\w+) = (0|-\d+)(?=,|$)")
LONGEST = 120  # characters of an input
LONGEST_HELP = 500
LONGEST_TERM = 60
NEVER_TRIED = "not tried"
ASKED = frozenset(("D01", "D02", "D03", "D99", "T01", "T99"))  # where only a formula or program is missing
ASK_A_MODEL = "a language model may find it: --proposer search,llm --model PROVIDER:NAME (metalift doctor: which can be asked)"
LOOPS = "--to numpy, pytorch or jax, where loops may stay loops"
STAYS = ("this loop stays a loop", "nor with loops that stay loops")
CLAIMS = (
    (re.compile(r"loop at (\d+): holds on entry"), "what the loop at line {0} computes, at its start"),
    (re.compile(r"loop at (\d+): kept by the body"), "what the loop at line {0} computes, from one iteration to the next"),
    (re.compile(r"return at (\d+)"), "what is returned at line {0}"),
    (re.compile(r"views stay inside"), "that the generated code reads and writes inside of its arrays"),
    (re.compile(r"within their requirements"), "that indices are inside of arrays, divisors not 0 and numbers in range"),
    (re.compile(r"operators require holds"), "that indices are inside of arrays and numbers in range in every iteration"),
    (re.compile(r"emitted (?:writes to )?(\w+)"), "that the generated code computes the same {0}"),
)


class Kind(Enum):
    """What a reason is about."""

    SOURCE = "source"
    SUMMARY = "summary"
    TARGET = "target"
    PROOF = "proof"
    RUN = "run"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Page:
    """What is known of one code: `metalift explain` prints it. `says` is empty where messages are in the user's words."""

    code: str
    kind: Kind
    title: str
    text: str
    before: str
    after: str
    patterns: tuple[re.Pattern[str], ...]
    says: str
    help: tuple[str, ...]


@cache
def pages() -> tuple[Page, ...]:
    """All codes, in the order in which they are looked for."""
    tables = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    return tuple(
        Page(
            code,
            Kind(table["kind"]),
            table["title"],
            " ".join(table["text"].split()),
            table["before"].strip("\n"),
            table["after"].strip("\n"),
            tuple(map(re.compile, table.get("patterns", ()))),
            table.get("says", ""),
            tuple(table["help"]),
        )
        for code, table in tables.items()
    )


def page_of(kind: Kind, message: str) -> tuple[Page, Mapping[str, str]]:
    """The page for a message, and what its pattern names in it; what the message says first counts before what it advises."""
    own = [page for page in pages() if page.kind is kind]
    for text in (message.partition("; ")[0], message):
        for page in own:
            for pattern in page.patterns:
                if found := pattern.search(text):
                    return page, {name: value for name, value in found.groupdict().items() if value}
    return own[-1], {}


def reasons_of(result: FunctionResult, file: str, loops: bool = True) -> tuple[ReasonResult, ...]:
    """Why a function is not proved with code that agrees, each reason once; nothing where it is.

    `loops`: whether a target was asked for in whose code loops may stay loops.
    """
    if result.ok:
        return ()
    return tuple(dict.fromkeys(_Found(result, file, loops).reasons()))


def plain(text: str) -> str:
    """A message without the names that only metalift has."""
    return PLACES.sub("", NUMBERED.sub(r"\1", text)).replace("that is not one fold", "of another form")


@dataclass(frozen=True, slots=True)
class _Found:
    """Looks for the reasons of one function."""

    result: FunctionResult
    file: str
    loops: bool

    def reasons(self) -> Iterator[ReasonResult]:
        """The reasons, the most telling one first."""
        result = self.result
        last = result.diagnostics[-1:] or (self.at(0, result.verdict.sentence),)
        differs = any(target.checked is Agreement.DIFFERS for target in result.targets.values())
        match result.verdict:
            case FunctionVerdict.UNSUPPORTED:
                yield self.reason(Kind.SOURCE, last[0])
            case FunctionVerdict.ERROR if not differs:
                yield self.reason(Kind.LIMIT, last[0])
            case FunctionVerdict.NOT_LIFTED | FunctionVerdict.TESTED if not result.targets:
                yield from self.of_summary()
            case _:
                for name, target in result.targets.items():
                    if not target.ok:
                        yield self.of_target(name, target)

    def of_summary(self) -> Iterator[ReasonResult]:
        """Why there is nothing to lift to any target."""
        attempt = self.result.attempt
        if attempt is not None and attempt.input is not None:
            yield self.refuted()
            return
        told = [each for each in self.result.diagnostics if not each.message.startswith(STAYS)]
        yield self.reason(Kind.SUMMARY, told[-1]) if told else self.unproved("")

    def of_target(self, name: str, target: TargetResult) -> ReasonResult:
        """Why there is no proved code for a target that agrees."""
        prefix = f"{name}: "
        own = [each for each in self.result.diagnostics if each.message.startswith(prefix)]
        told = DiagnosticResult(own[0].file, own[0].line, own[0].column, own[0].message.removeprefix(prefix)) if own else None
        if target.verdict is FunctionVerdict.VACUOUS:
            return self.reason(Kind.RUN, self.at(self.result.line, "vacuous"), name)
        if target.checked is Agreement.DIFFERS and target.verdict is FunctionVerdict.ERROR:
            return self.reason(Kind.RUN, self.at(self.result.line, f"DIFFERS: {told.message if told else ''}"), name)
        if target.verdict is FunctionVerdict.PROVED:
            why = target.engine or "nothing was there to run it"
            return self.reason(Kind.RUN, self.at(self.result.line, f"not run: {why}"), name, why=why)
        if target.checked is Agreement.DIFFERS and told is not None:
            return self.reason(Kind.PROOF, self.at(self.result.line, "an input: "), name, input=told.message)
        if told is not None and target.checked is Agreement.NOT_RUN:
            return self.reason(Kind.TARGET, told if told.column else self.at(self.first_loop(), told.message), name)
        return self.unproved(name)

    def refuted(self) -> ReasonResult:
        """An input on which the best candidate is wrong."""
        attempt = self.result.attempt
        assert attempt is not None and attempt.input is not None
        text = ", ".join(str(value) if name == "text" else f"{name} = {value}" for name, value in attempt.input.items())
        return self.reason(Kind.PROOF, self.at(self.result.line, "an input: "), input=text)

    def unproved(self, target: str) -> ReasonResult:
        """The first obligation that the solver was asked and did not prove."""
        left = [each for each in self.result.obligations if each.verdict is not ObligationVerdict.PROVED]
        asked = [each for each in left if not each.reason.startswith(NEVER_TRIED)] or left
        if not asked:
            return self.reason(Kind.PROOF, self.at(self.result.line, ""), target, claim="what the function computes")
        first = asked[0]
        if all("vacuous" in each.reason for each in asked):
            return self.reason(Kind.RUN, self.at(first.line, "vacuous"), target)
        return self.reason(Kind.PROOF, self.at(first.line, first.reason), target, claim=_claim(first))

    def first_loop(self) -> int:
        """The line of the first loop, else of the function."""
        stay = [each.line for each in self.result.diagnostics if each.message.startswith(STAYS[0])]
        if stay:
            return stay[0]
        lines = (re.search(r"loop at (\d+)", each.name) for each in self.result.obligations)
        return min((int(line[1]) for line in lines if line), default=self.result.line)

    def at(self, line: int, message: str) -> DiagnosticResult:
        """A message about a line as a whole."""
        return DiagnosticResult(self.file, line, 0, message)

    def reason(self, kind: Kind, told: DiagnosticResult, target: str = "", **values: str) -> ReasonResult:
        """The reason that a message gives."""
        page, named = page_of(kind, told.message)
        first, _, rewrite = told.message.partition("; ")
        known = {"function": self.result.name, "file": self.file, **named, **values}
        known["message"] = plain(first)
        known |= {"target": target} if target else {}
        known |= {"rewrite": plain(rewrite)} if rewrite else {}
        arrays = [found[1] for each in self.result.assumptions if (found := ARRAY.match(each.text))]
        known |= {"array": arrays[0]} if arrays else {}
        sizes = [found[1] for each in self.result.assumptions if (found := SIZE.search(each.text))]
        known |= {"size": sizes[0]} if sizes else {}
        if below := NOT_POSITIVE.search(values.get("input", "")):
            known["assumption"] = f"if callers never pass it: --assume '{below[1]} {'>' if below[2] == '0' else '>='} 0'"
        known["condition"] = condition(values.get("input", ""))
        known |= {"input": shorten(known["input"], LONGEST, placeholder=" ...")} if "input" in known else {}
        term = _term(told.message)
        limit = LIMIT.search(told.message)
        known["longer"] = f"{5 * float(limit[1]):g}" if limit else "S"
        known["term"] = term or "this"
        python = self.file.endswith(".py")  # whose arrays are NumPy's
        known |= {} if term or python else {"several": "where the loops do several things"}
        known["elsewhere"] = "pytorch or jax" if python else "numpy or pytorch"
        what = _filled(page.says, known) or plain(first)
        filled = (_filled(template, known) for template in page.help)
        proved = [name for name, each in self.result.targets.items() if each.verdict is FunctionVerdict.PROVED and target]
        tried = [*self.result.targets, target] if target else []
        help_lines = [text for text in filled if text and not any(f"--to {name}" in text for name in tried)]
        if proved and kind is Kind.TARGET:
            help_lines.insert(0, f"the code for {' and '.join(proved)} is proved, and is there")
        if rewrite and not named and not any("{rewrite}" in template for template in page.help) and not page.says:
            help_lines.insert(0, known["rewrite"])
        help_lines = [shorten(text, LONGEST_HELP, placeholder=" ...") for text in help_lines]
        if kind is Kind.SUMMARY and not self.loops:
            help_lines.insert(0, LOOPS)
        if page.code in ASKED and self.result.proposer == "search":
            help_lines.append(ASK_A_MODEL)
        return ReasonResult(page.code, target, told.file, told.line, told.column, what, tuple(help_lines))


def _term(message: str) -> str:
    """What a driver has no operators for, as a source would say it: without conversions; empty where it is no short term."""
    found = MISSING.search(message)
    term = found[1].strip() if found else ""
    if TUPLES.match(term):
        return IN_ORDER
    if fold := FOLD.match(term):
        return _folded(fold["acc"], fold["body"])
    return f"`{shown}`" if (shown := _shown(term)) else ""


def _folded(acc: str, body: str) -> str:
    """What is computed of all elements, in words."""
    for start, words in ((f"{acc} + ", "the sum of"), (f"max({acc}, ", "the greatest of"), (f"min({acc}, ", "the least of")):
        each = _shown(body.removeprefix(start).removesuffix(")" if start[-2] == "," else ""))
        if body.startswith(start) and each and acc not in each:
            return f"{words} `{each}`"
    return IN_ORDER if re.search(rf"\b{acc}\b", body) and "..." not in body else ""


def _shown(term: str) -> str:
    """A short term without conversions; empty for others."""
    before = ""
    while term != before:
        before = term
        term = CONVERSION.sub(lambda cast: _bracketed(cast[1]), TYPED.sub(r"\1", term))
        term = TRUNCATED.sub(lambda call: f"{_bracketed(call[2])} {SIGNS[call[1]]} {_bracketed(call[3])}", term)
    return plain(term) if len(term) <= LONGEST_TERM and re.search("[a-z]", term) and not INSIDE.search(term) else ""


def _bracketed(term: str) -> str:
    return term if ATOM.fullmatch(term) else f"({term})"


def condition(text: str) -> str:
    """That the numbers of an input are greater, as `--assume` takes it; CONDITION where there are none."""
    return " and ".join(f"{name} > {value}" for name, value in WHOLE.findall(text)) or "CONDITION"


def _claim(obligation: ObligationResult) -> str:
    """What an obligation says, in the user's words."""
    name = PLACES.sub("", obligation.name)
    for pattern, words in CLAIMS:
        if found := pattern.search(name):
            return words.format(*found.groups())
    return plain(name)


def _filled(template: str, known: Mapping[str, str]) -> str:
    """The text with what is known in it; empty where something is not."""
    try:
        return template.format_map(known)
    except KeyError:
        return ""
