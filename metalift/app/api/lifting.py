"""The lift that `metalift.lift` does."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from metalift.app.api.given import text_of
from metalift.app.api.results import LiftResult, of_result
from metalift.app.proposers import open_proposer
from metalift.frontend.files import program_of
from metalift.llm.opening import LlmOptions
from metalift.pipeline import lift as lift_file
from metalift.result import Result


def lift(
    source: str | Path | Callable[..., Any],
    *,
    language: str | None,
    functions: Sequence[str],
    to: str | Sequence[str],
    out: str | Path | None,
    clang_args: Sequence[str],
    others: Sequence[str | Path],
    dump_dir: str | Path | None,
    proposer: str | None,
    llm: LlmOptions | None,
    more: Mapping[str, Any],
) -> LiftResult:
    """See `metalift.lift`; `more` goes to the pipeline as it is."""
    targets = tuple(part.strip() for part in to.split(",")) if isinstance(to, str) else tuple(to)
    given = text_of(source, language)

    def lifted(path: Path, functions: Sequence[str]) -> Result:
        return lift_file(
            path,
            functions=functions,
            to=targets,
            out=None if out is None else Path(out),
            program=program_of(path, tuple(map(Path, others)), clang_args),
            dump_dir=None if dump_dir is None else Path(dump_dir),
            proposer=open_proposer(proposer, llm or LlmOptions(), Path.cwd()),
            **more,
        )

    if given is None:
        assert isinstance(source, str | Path)
        return of_result(lifted(Path(source), functions), targets)
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        path = given.written(Path(folder))
        return of_result(_named(lifted(path, functions or given.functions), str(path), given.shown), targets)


def _named(result: Result, path: str, shown: str) -> Result:
    """The result with the name of what was given in place of the file that was made of it."""
    functions = [
        replace(
            function,
            diagnostics=tuple(replace(one, file=shown) if one.file == path else one for one in function.diagnostics),
            reasons=tuple(replace(one, file=shown) if one.file == path else one for one in function.reasons),
        )
        for function in result.functions
    ]
    return replace(result, source=shown, functions=tuple(functions))
