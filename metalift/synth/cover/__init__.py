"""Covering canonical summaries with a driver's operators, by pattern matching on the operators' meanings.

In processing order: `versions` turns array versions into tensors and writes, `eager` makes divisions safe, `normal` brings terms
and meanings into one form, `patterns` and `match` find operators, `search` chooses the cheapest tree, `cover` puts the program
together.
"""

from metalift.synth.cover.cover import NotCovered, cover
from metalift.synth.cover.versions import IN_PART

__all__ = ["IN_PART", "NotCovered", "cover"]
