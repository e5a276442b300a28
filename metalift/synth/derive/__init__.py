"""The canonical summary of a fragment by symbolic execution of loop bodies. A proposal: nothing here is trusted."""

from metalift.synth.derive.derive import closed_loops, derive
from metalift.synth.derive.region import NotDerived

__all__ = ["NotDerived", "closed_loops", "derive"]
