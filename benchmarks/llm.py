"""What models make of kernels: the share that is proved after one call, after two, and so on, with time and tokens.

Usage, from the root of the project:

    python -m benchmarks.llm [--suite NAME]... [--kernels NAME,...|--draw N] [--to TARGET] --model MODEL|exchange:DIR|answers:DIR

The search is switched off as a proposer: it only spells what was answered; of answers with loops of their own ("loops") the
source is proved with its loops as they are. `exchange:DIR` writes prompts that are not answered
yet and goes on; answer them and run the same command again. `answers:DIR` takes answers from DIR
(`<kernel>-<n>.answer.md`) whatever the prompt was, as those in benchmarks/llm_answers; `answers:FILE` from a JSON file that maps
such names to texts. `--draw` takes so many of the kernels that are expected to be proved, of files that have one. Exit status 1
where a kernel is not proved in the calls allowed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchmarks.run import LANGUAGES
from benchmarks.suites import Kernel, read_suite, suite_names
from metalift import pipeline
from metalift.app.proposers import open_proposer
from metalift.llm.ask import Asker, NoAnswer, Question, Reply, Spent
from metalift.llm.exchange import file_name
from metalift.llm.opening import LlmOptions
from metalift.llm.replay import WithoutCalls
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict

RECORDED = "answers:"
OWN = Path(__file__).resolve().parent / "llm_answers"


@dataclass
class Recorded(WithoutCalls):
    """Answers in a folder or a JSON file, by kernel, which is what is asked about, and attempt."""

    place: Path

    @cached_property
    def texts(self) -> dict[str, str]:
        """By the names of their files."""
        if self.place.is_file():
            return dict(json.loads(self.place.read_text(encoding="utf-8")))
        return {path.name: path.read_text(encoding="utf-8") for path in self.place.glob("*.answer.md")}

    def has(self, kernel: str) -> bool:
        """Whether there is a first answer."""
        return f"{file_name(kernel)}-1.answer.md" in self.texts

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """The answer to that attempt. Raises NoAnswer."""
        name = f"{file_name(question.function)}-{question.attempt}.answer.md"
        if name not in self.texts:
            raise NoAnswer(f"no answer {name} is recorded")
        return (Reply(self.texts[name], "recorded", 0, 0, 0.0, 0.0, True),)


@dataclass
class Counted:
    """An asker that is asked so many times about a kernel at most, under the kernel's name."""

    asker: Asker
    most: int
    kernel: str = ""
    replies: list[Reply] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def spent(self) -> Spent:
        """That of the asker."""
        return self.asker.spent

    def more(self) -> bool:
        """Nothing is waited for."""
        return False

    def judged(self, question: Question, reply: Reply, accepted: bool) -> None:
        """Tell the asker."""
        self.asker.judged(Question(self.kernel, question.attempt, question.text), reply, accepted)

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """The answers. Raises NoAnswer."""
        self.questions.append(question)
        if question.attempt > self.most:
            raise NoAnswer(f"no answer was accepted in {self.most} calls")
        found = self.asker.ask(Question(self.kernel, question.attempt, question.text))
        self.replies += found
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a kernel: its result, the calls that were answered, seconds, tokens, bytes of the first prompt beside the
    source, and why answers could not be read.
    """

    kernel: Kernel
    result: FunctionResult
    calls: int
    seconds: float
    tokens: int
    prompt: int
    unread: tuple[str, ...]

    @property
    def proved(self) -> bool:
        """Whether it is, by an answer."""
        return self.result.verdict is FunctionVerdict.PROVED and self.result.proposer == "llm"

    @property
    def how(self) -> str:
        """Whether loops of the source stay loops in what was proved."""
        return "" if not self.proved else "loops" if "repeat " in self.result.summary else "closed"


def measured(kernel: Kernel, asker: Asker, target: str, most: int, timeout: float) -> Outcome:
    """One kernel, lifted by answers alone."""
    counted = Counted(asker, most, answer_stem(kernel))
    began = time.monotonic()
    proposer = Proposer(False, counted)
    result = pipeline.lift(kernel.path, functions=[kernel.function], to=(target,), proposer=proposer, timeout=timeout)
    seconds = time.monotonic() - began
    tokens = sum(reply.tokens_in + reply.tokens_out for reply in counted.replies)
    first = beside_source(counted.questions[0].text) if counted.questions else 0
    unread = tuple(re.findall(r"^It cannot be used: (.*)", "\n".join(each.text for each in counted.questions), re.MULTILINE))
    return Outcome(kernel, result.functions[0], len(counted.replies), seconds, tokens, first, unread)


def beside_source(prompt: str) -> int:
    """The bytes of a prompt without the source in it, which is its first block of code."""
    source = re.search(r"^```\w+\n(.*?)^```$", prompt, re.DOTALL | re.MULTILINE)
    return len(prompt.encode()) - (len(source[1].encode()) if source else 0)


def answer_stem(kernel: Kernel) -> str:
    """What the files of its prompts and answers begin with."""
    return f"{kernel.suite}_{kernel.path.stem}_{kernel.path.suffix[1:]}"


def opened(model: str, folder: Path) -> Asker:
    """Whoever answers. Raises UsageError."""
    if model.startswith(RECORDED):
        return Recorded(Path(model.removeprefix(RECORDED)))
    if model.startswith("exchange:"):
        options = LlmOptions(exchange_batch=True, exchange_seconds=0.0)
        proposer = open_proposer(model, options, folder)
    else:
        proposer = open_proposer("llm", LlmOptions(models=(model,)), folder)
    assert proposer.asker is not None
    return proposer.asker


def table(outcomes: Sequence[Outcome], most: int) -> str:
    """A line for each kernel, then the shares."""
    lines = [f"{'kernel':42} {'verdict':11} {'form':6} {'calls':>5} {'seconds':>8} {'tokens':>7} {'prompt':>7}"]
    for one in outcomes:
        name = answer_stem(one.kernel)[:42]
        verdict = one.result.verdict.value
        lines.append(f"{name:42} {verdict:11} {one.how:6} {one.calls:5} {one.seconds:8.1f} {one.tokens:7} {one.prompt:7}")
        if not one.proved and one.result.diagnostics:
            lines.append(f"    {one.result.diagnostics[-1].message[:300]}")
        lines += [f"    an answer was not read: {why[:300]}" for why in one.unread]
    answered = [one for one in outcomes if one.calls]
    for calls in range(1, most + 1):
        count = sum(one.proved and one.calls <= calls for one in answered)
        share = f" ({100 * count / len(answered):.0f} %)" if answered else ""
        lines.append(f"proved after {calls} call{'s' * (calls > 1)}: {count} of {len(answered)} that were answered{share}")
    unread, calls = sum(len(one.unread) for one in outcomes), sum(one.calls for one in outcomes)
    lines.append(f"answers that were not read: {unread} of {calls}")
    longest = max(outcomes, key=lambda one: one.prompt, default=None)
    if longest is not None:
        lines.append(f"prompts beside the source: at most {longest.prompt} bytes ({answer_stem(longest.kernel)})")
    return "\n".join(lines)


def drawn(kernels: Sequence[Kernel], count: int) -> list[Kernel]:
    """So many of those that are proved, in their order; none of files with several functions: answers are named by the file."""
    files = Counter(answer_stem(each) for each in kernels)
    single = [each for each in kernels if files[answer_stem(each)] == 1 and each.expected == FunctionVerdict.PROVED.value]
    chosen = random.Random(0).sample(range(len(single)), min(count, len(single)))
    return [single[position] for position in sorted(chosen)]


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.llm", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--suite", action="append", default=[], help="a suite of benchmarks; may be repeated (default: all)")
    parser.add_argument("--kernels", default="", help="only these, as NAME.SUFFIX, separated by commas")
    parser.add_argument("--language", choices=LANGUAGES, help="only the sources in this language")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="so many of them, the same each time")
    parser.add_argument("--to", default="numpy", metavar="TARGET")
    parser.add_argument("--model", default=f"{RECORDED}{OWN}", help="PROVIDER:NAME, exchange:DIR or answers:DIR")
    parser.add_argument("--calls", type=int, default=2, help="how often a kernel may be asked about (2)")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds for an obligation (10)")
    given = parser.parse_args(arguments)
    asker = opened(given.model, Path.cwd())
    names = {name for name in given.kernels.split(",") if name}
    kernels = [each for suite in given.suite or suite_names(()) for each in read_suite(suite)]
    kernels = [each for each in kernels if not names or each.path.name in names]
    kernels = [each for each in kernels if not given.language or each.path.suffix == LANGUAGES[given.language]]
    if given.draw:
        kernels = drawn(kernels, given.draw)
    if isinstance(asker, Recorded):
        kernels = [each for each in kernels if asker.has(answer_stem(each))]
    outcomes = [measured(kernel, asker, given.to, given.calls, given.timeout) for kernel in kernels]
    print(table(outcomes, given.calls))
    return 0 if all(one.proved for one in outcomes) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
