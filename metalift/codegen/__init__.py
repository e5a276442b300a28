"""From a program in a target's operators to source text."""

from collections.abc import Callable
from contextlib import suppress

from metalift.codegen.request import CannotSpell, Generated, GenerateRequest, Signature
from metalift.driver import CannotWrite, Request, Written
from metalift.driver.layout import of_the_target
from metalift.ir.program.assumption import Overlap

__all__ = ["CannotSpell", "Generated", "GenerateRequest", "generate"]


def generate(request: GenerateRequest) -> Generated:
    """The text of the file, and which assumptions it checks.

    Raises CannotSpell where the target has no spelling for a part of the program.
    """
    if request.target.write is not None:
        return _written(request, request.target.write)
    from metalift.codegen.function import FunctionWriter

    if request.style.signature is Signature.TENSOR:
        from metalift.codegen.tensor_function import TensorWriter

        with suppress(CannotSpell):  # what has no such function keeps the source's parameters
            return TensorWriter(request).write()
    return FunctionWriter(request).write()


def _written(request: GenerateRequest, write: Callable[[Request], str | Written]) -> Generated:
    """The text by the target's own writer; it checks the assumptions that the writer says, if it says so."""
    stated = tuple(assumption.text for assumption in request.assumptions)
    formulas = tuple(assumption.formula for assumption in request.assumptions)
    pairs = tuple(
        (*assumption.arrays, assumption.overlap is Overlap.SAME_OR_DISJOINT) if assumption.arrays else None
        for assumption in request.assumptions
    )
    told = (stated, request.verdict, request.version, request.kernel, formulas, pairs, request.units, request.style.thorough)
    given = Request(request.fragment, request.summary, request.program, *told)
    try:
        with of_the_target("writer"):
            made = write(given)
    except CannotWrite as problem:
        raise CannotSpell(str(problem)) from problem
    if not isinstance(made, str | Written):
        raise CannotSpell(f"the target's writer gives {made!r}, not a text")
    text, checked = (made, (False,) * len(stated)) if isinstance(made, str) else (made.text, made.checked)
    return Generated(text, checked, request.fragment.name, request.written)
