"""How often Python looks for cycles of objects that nothing refers to any more."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """For processes of our own: they make terms in great numbers, hardly any in a cycle; looking often takes 7 % of the time."""
    gc.set_threshold(100_000, 50, 1000)
