"""From a program in a target's operators to source text."""

from metalift.codegen.request import Assumption, CannotSpell, Generated, GenerateRequest, Overlap

__all__ = ["Assumption", "CannotSpell", "Generated", "GenerateRequest", "Overlap", "emit", "generate"]


def generate(request: GenerateRequest) -> str:
    """The text of the file. Raises CannotSpell where the target has no spelling for a part of the program."""
    return emit(request).text


def emit(request: GenerateRequest) -> Generated:
    """The text, and which assumptions it checks."""
    from metalift.codegen.function import FunctionWriter

    return FunctionWriter(request).write()
