"""Hypothesis for all tests: the same examples in each run, at any speed; `--hypothesis-profile=explore` tries new ones."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("metalift", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("metalift")
