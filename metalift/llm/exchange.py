"""Prompts and answers as files in a folder, so that any model, tool or person can answer."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from metalift.llm.ask import NoAnswer, Question, Reply, Spent
from metalift.result.errors import UsageError
from metalift.system.files import write_text_atomic

POLL = 0.2  # seconds between looks at the folder
SETTLED = 1.0  # seconds since the last change of a file that is taken to be whole
LARGEST = 1_000_000  # bytes of an answer
LONGEST_NAME = 80  # characters of a kernel's name in a file's name


class ExchangeAsker:
    """Writes `<kernel>-<n>.prompt.md` and reads `<kernel>-<n>.answer.md`. Answers that are there already are taken at once.

    `seconds`: how long to wait for an answer. `batch`: do not wait when asked, so that all prompts are written first; `more` then
    waits for any of their answers.
    """

    def __init__(self, folder: Path, seconds: float, batch: bool) -> None:
        self._folder = folder
        self._seconds = seconds
        self._batch = batch
        self._missing: dict[Path, None] = {}
        self._prompts: dict[Path, str] = {}

    @property
    def spent(self) -> Spent:
        """Nothing that is known here."""
        return Spent()

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """The answer, by waiting for it unless this is a batch. Raises NoAnswer where none is there in time."""
        began = time.monotonic()
        answer = self._write(question)
        if not self._batch and not _ready(answer):
            logging.warning("waiting for %s, the answer to %s", answer, _prompt_of(answer).name)
        if not _wait([answer], 0.0 if self._batch else self._seconds):
            self._missing[answer] = None
            raise NoAnswer(f"no answer to {_prompt_of(answer)}: write it to {answer}, then run the same command again")
        return (Reply(_read(answer), "exchange", 0, 0, 0.0, time.monotonic() - began, False),)

    def judged(self, question: Question, reply: Reply, accepted: bool) -> None:
        """Nothing is kept."""

    def more(self) -> bool:
        """In a batch: wait until one of the missing answers is there, or the time is over."""
        missing, self._missing = tuple(self._missing), {}
        if self._batch and missing:
            logging.warning("waiting for an answer to one of %d prompts in %s", len(missing), self._folder)
        return self._batch and _wait(missing, self._seconds)

    def _prompt(self, question: Question) -> Path:
        """The file of a prompt: numbered where this run has another prompt of the same name, as for another target."""
        name = f"{file_name(question.function)}-{question.attempt}"
        for number in count(1):
            prompt = self._folder / f"{name}{'' if number == 1 else f'.{number}'}.prompt.md"
            if self._prompts.setdefault(prompt, question.text) == question.text:
                return prompt
        raise AssertionError("numbers do not end")

    def _write(self, question: Question) -> Path:
        """Write the prompt unless it is there; the path of its answer. An answer to another prompt is kept under another name."""
        prompt = self._prompt(question)
        answer = answer_to(prompt)
        text = question.encodable().text
        try:
            former = prompt.read_text(encoding="utf-8") if prompt.is_file() else None
            if former == text:
                return answer
            if former is not None and answer.exists():
                digest = hashlib.sha256(former.encode()).hexdigest()[:8]
                os.replace(answer, answer.with_suffix(f".to-{digest}.md"))
            write_text_atomic(prompt, text)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise UsageError(f"{prompt} cannot be written: {reason}") from error
        return answer


def file_name(kernel: str) -> str:
    """A kernel's name as part of a file's name, different for different names."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", kernel)[:LONGEST_NAME]
    if plain == kernel:
        return plain
    return f"{plain}-{hashlib.sha256(kernel.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def answer_to(prompt: Path) -> Path:
    """Where the answer to a prompt is expected."""
    return prompt.with_name(prompt.name.removesuffix(".prompt.md") + ".answer.md")


def _prompt_of(answer: Path) -> Path:
    """The prompt of an answer."""
    return answer.with_name(answer.name.removesuffix(".answer.md") + ".prompt.md")


def _wait(answers: Sequence[Path], seconds: float) -> bool:
    """Wait until one of the answers is there; whether one is."""
    deadline = time.monotonic() + seconds
    while answers and not any(map(_ready, answers)):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL)
    return bool(answers)


def _ready(answer: Path) -> bool:
    """Whether the answer is there and was not changed just now: editors and tools may write it in parts."""
    try:
        found = answer.stat()
    except OSError:
        return False
    return answer.is_file() and found.st_size > 0 and abs(time.time() - found.st_mtime) >= SETTLED


def _read(answer: Path) -> str:
    """The text of an answer."""
    try:
        with answer.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise NoAnswer(f"{answer} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST:
        raise NoAnswer(f"{answer} has more than {LARGEST:,} bytes, more than any answer needs")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NoAnswer(f"{answer} is not UTF-8 text") from None
