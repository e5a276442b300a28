"""Constants that are and-ed with integers for the sake of division by powers of two."""

from __future__ import annotations

from metalift.ir.expr.types import MachineInt, Type


def without_low_bits(mask: int, type_: Type) -> int | None:
    """The power of two of which `x & mask` is the greatest multiple that is at most x, for every x of the type, if it is one."""
    if isinstance(type_, MachineInt) and not type_.signed:
        mask -= type_.high + 1
    step = -mask
    return step if step > 0 and step & (step - 1) == 0 else None
