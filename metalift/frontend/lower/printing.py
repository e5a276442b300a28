"""What is printed is not part of what is claimed."""

from __future__ import annotations

from metalift.ir.program.fragment import Diagnostic, Fragment, ParamKind, Premise, PremiseKind, Store, Unsupported

PREMISE = Premise("what is printed is not part of the claim", PremiseKind.OUTPUT)


def check_gives(fragment: Fragment) -> None:
    """Refuse a function of which a caller sees no more than what it prints. Raises Unsupported."""
    stores = any(isinstance(item, Store) for block in fragment.blocks for item in block.body)
    if fragment.result is None and not stores and all(param.kind is not ParamKind.VECTOR_REF for param in fragment.params):
        found = "a function that only prints; supported are those that return or write something"
        raise Unsupported(Diagnostic(fragment.location, found))
