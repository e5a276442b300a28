"""What proofs of a kernel on tiles need beside its instructions, found where only these are given. None of it is trusted."""

from metalift.synth.tiles.annotate import annotated

__all__ = ["annotated"]
