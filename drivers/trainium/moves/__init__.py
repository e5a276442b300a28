"""Changes of kernels on tiles that may make them faster, one file each. None is trusted: what comes out is proved.

A move has a `NAME`, `sites(kernel)`, which are the places where it can be made, and `apply(kernel, site)`, which makes it at one.
"""

from __future__ import annotations

from metalift.driver.moves import Move

from . import fuse, merge, negate, numbers, single, straight

MOVES: tuple[Move, ...] = (straight, single, numbers, merge, negate, fuse)
