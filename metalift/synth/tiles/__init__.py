"""What proofs of a kernel need beside its instructions, found where only these are given. None of it is trusted."""

from metalift.synth.tiles.annotate import annotated
from metalift.synth.tiles.intermediates import with_intermediates

__all__ = ["annotated", "with_intermediates"]
