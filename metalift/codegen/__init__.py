"""From a program in a target's operators to source text."""

from collections.abc import Callable

from metalift.codegen.request import Assumption, CannotSpell, Generated, GenerateRequest, Overlap
from metalift.driver import CannotWrite, Request

__all__ = ["Assumption", "CannotSpell", "Generated", "GenerateRequest", "Overlap", "generate"]


def generate(request: GenerateRequest) -> Generated:
    """The text of the file, and which assumptions it checks.

    Raises CannotSpell where the target has no spelling for a part of the program.
    """
    if request.target.write is not None:
        return _written(request, request.target.write)
    from metalift.codegen.function import FunctionWriter

    return FunctionWriter(request).write()


def _written(request: GenerateRequest, write: Callable[[Request], str]) -> Generated:
    """The text by the target's own writer; it checks no assumption."""
    stated = tuple(assumption.text for assumption in request.assumptions)
    told = (stated, request.verdict, request.version, request.kernel)
    given = Request(request.fragment, request.summary, request.program, *told)
    try:
        text = write(given)
    except CannotWrite as problem:
        raise CannotSpell(str(problem)) from problem
    return Generated(text, (False,) * len(stated), request.fragment.name, request.written)
