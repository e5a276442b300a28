"""From a program in a target's operators to source text."""

from metalift.codegen.request import Assumption, CannotSpell, Generated, GenerateRequest, Overlap

__all__ = ["Assumption", "CannotSpell", "Generated", "GenerateRequest", "Overlap", "generate"]


def generate(request: GenerateRequest) -> Generated:
    """The text of the file, and which assumptions it checks.

    Raises CannotSpell where the target has no spelling for a part of the program.
    """
    from metalift.codegen.function import FunctionWriter

    return FunctionWriter(request).write()
