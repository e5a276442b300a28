"""One file for a Python source of which loops were lifted: the source, with calls in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metalift.codegen.host import HELPERS, Piece, host_file
from metalift.codegen.request import CannotSpell
from metalift.frontend import PythonModule
from metalift.pipeline.context import Job
from metalift.result import DiagnosticResult, FunctionResult, Result
from metalift.system.files import write_text_atomic
from metalift.version import __version__


def with_hosts(job: Job, found: Result, functions: Sequence[FunctionResult]) -> Result:
    """The result with these functions, and with the file for each target; of a loop that stays a loop there it is told why."""
    results = list(functions)
    files: dict[str, str] = {}
    if isinstance(job.module, PythonModule) and job.out is not None:
        for target in job.targets:
            text = host_text(job, job.module, target, results)
            if text is not None:
                path = job.out / target / f"{job.path.stem}_lifted.py"
                write_text_atomic(path, text)
                files[target] = str(path)
    return replace(found, functions=tuple(results), hosts=files)


def host_text(job: Job, module: PythonModule, target: str, results: list[FunctionResult]) -> str | None:
    """The file's text, None where no loop was lifted to the target. Results get what is to be told of their loops."""

    def text(pieces: Sequence[Piece]) -> str:
        return host_file(module.source, job.path.name, pieces, job.target(target), f"metalift {__version__}")

    pieces: list[Piece] = []
    for at, result in enumerate(results):
        piece = piece_of(job, module, target, result)
        if piece is None:
            continue
        try:
            if taken := [each for each in (*HELPERS, f"_lifted_{piece.name}") if module.bound[each]]:
                raise CannotSpell(f"the file has a name {taken[0]} of its own")
            text([piece])
            pieces.append(piece)
        except CannotSpell as problem:
            message = f"{target}: the loop stays in the file around it: {problem}"
            note = DiagnosticResult(str(job.path), piece.first, 0, message)
            results[at] = replace(result, diagnostics=(*result.diagnostics, note))
    return text(pieces) if pieces else None


def piece_of(job: Job, module: PythonModule, target: str, result: FunctionResult) -> Piece | None:
    """The loop that a result is of, with its code; None where there is none, or it is of a function."""
    from metalift.frontend.python.nests import PythonNest  # which other lifts do not need

    nest = next((nest for nest in job.nests.found if nest.name == result.name), None) if job.nests is not None else None
    made = result.targets.get(target)
    if not isinstance(nest, PythonNest) or nest.unit is None or made is None or made.file is None:
        return None
    function = module.functions[nest.function]
    return Piece(
        function=min([function.lineno, *(each.lineno for each in function.decorator_list)]),
        first=nest.first,
        last=nest.last,
        inside=nest.inside,
        fragment=job.kept[nest.name, target][0],
        generated=job.kept[nest.name, target][1],
        left=nest.left,
        annotated=frozenset(arg.arg for arg in nest.unit.args.args if arg.annotation is not None),
        verdict=made.verdict.value,
    )
