"""The canonical summary of a fragment by symbolic execution of loop bodies. A proposal: nothing here is trusted."""

from metalift.synth.derive.derive import derive
from metalift.synth.derive.region import NotDerived

__all__ = ["NotDerived", "derive"]
