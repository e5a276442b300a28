"""What `metalift.lift` gives: the results, with their code, loaded functions and reports."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache
from html import escape
from typing import Any

from metalift.app import plain_report
from metalift.result import HIDDEN, FunctionResult, Result, TargetResult
from metalift.result.errors import NotProved, UsageError
from metalift.system.names import chosen, chosen_by_part


@dataclass(frozen=True, slots=True, repr=False)
class LiftedFunction(FunctionResult):
    """One function or loop nest, with the code of one `target`: the first that was asked for, unless another is named."""

    source: str = field(default="", metadata=HIDDEN)
    target: str = field(default="", metadata=HIDDEN)

    @property
    def code(self) -> str:
        """The text of the file in the target language. Raises NotProved where there is none, with the reason."""
        return self._emitted().code

    @property
    def function(self) -> Callable[..., Any]:
        """The code, loaded: the same object each time. Raises NotProved, and UsageError where it is not Python."""
        emitted = self._emitted()
        if not emitted.entry:
            raise UsageError(f"the code for {self.target} is not Python; .code has its text")
        return loaded(emitted.code, emitted.entry)

    def report(self) -> str:
        """All that is known of it, as `metalift lift -v` prints it."""
        return plain_report.show_function(self.source, self, timings=False)

    def _emitted(self) -> TargetResult:
        found = self.targets.get(self.target)
        if found is None or not found.code:
            why = next((one.message for one in self.diagnostics), self.verdict.sentence)
            raise NotProved(f"{self.name} has no code for {self.target}: {why}")
        return found

    def __repr__(self) -> str:
        return f"<{self.name}: {self.verdict.value}, {', '.join(self.targets) or 'no target'}>"

    def _repr_html_(self) -> str:
        return "".join(_shown(self))


@dataclass(frozen=True, slots=True, repr=False)
class LiftResult(Result):
    """The functions of a file: `result["name"]`, by the name or a part of it; `result["name", "jax"]` with another target."""

    functions: tuple[LiftedFunction, ...] = ()

    def __getitem__(self, key: str | tuple[str, str]) -> LiftedFunction:
        """Raises UsageError where there is no such function or target, with those that there are."""
        name, target = (key, None) if isinstance(key, str) else key
        named = {function.name: function for function in self.functions}
        (found, *_) = chosen_by_part([name], named, "function", f"in {self.source}")
        function = named[found]
        if target is None:
            return function
        chosen([target], tuple(function.targets), "target", "was asked for")
        return replace(function, target=target)

    def __iter__(self) -> Iterator[LiftedFunction]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def report(self) -> str:
        """All that is known, as `metalift lift -v` prints it."""
        parts = [*(function.report() + "\n" for function in self.functions), *plain_report.program_lines(self)]
        return "\n".join([*parts, plain_report.totals(self)])

    def __repr__(self) -> str:
        return f"<{self.source}: {', '.join(f'{each.name} {each.verdict.value}' for each in self.functions)}>"

    def _repr_html_(self) -> str:
        return "".join([*(each._repr_html_() for each in self.functions), _paragraph(escape(plain_report.totals(self)))])


def of_result(result: Result, targets: tuple[str, ...]) -> LiftResult:
    """A result with code and reports; `targets` as they were asked for."""
    functions = tuple(
        LiftedFunction(**_fields(each), source=result.source, target=targets[0]) for each in result.functions
    )
    return LiftResult(**{**_fields(result), "functions": functions})


def _fields(value: Result | FunctionResult) -> dict[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value)}


@cache
def loaded(code: str, entry: str) -> Callable[..., Any]:
    """The function of a generated text, whose lines tracebacks and compilers of Python functions find."""
    file = f"<metalift {entry} {hash(code) & 0xFFFFFFFF:08x}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": entry}
    exec(compile(code, file, "exec"), scope)
    function: Callable[..., Any] = scope[entry]
    return function


def _shown(function: LiftedFunction) -> Iterator[str]:
    """A function for a notebook: its verdict, the code, and the report folded."""
    yield _paragraph(f"<b>{escape(function.name)}</b>: {escape(function.verdict.value)}")
    for name, target in function.targets.items():
        if target.code:
            yield _paragraph(escape(f"{name}: {target.checked.value}"))
            yield f"<pre>{escape(target.code)}</pre>"
    yield f"<details><summary>report</summary><pre>{escape(function.report())}</pre></details>"


def _paragraph(text: str) -> str:
    """A paragraph of text that is escaped."""
    return f"<p>{text}</p>"
