"""How much is tried to prove something, in the order in which it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """How many instances to make."""

    name: str
    rounds: int = 3
    limit: int = 400
    combine: bool = False  # also try all combinations of the index terms that occur
    compare_folds: bool = False  # extensionality and peeling for pairs of folds
    opaque: bool = True
    by_constants: bool = False  # divisions by constants are not opaque
    compare_shorter: bool = False  # extensionality also for folds that unfolding brought in
    form_sums: bool = False  # sums in one form, and nothing else about folds
    multiply_sums: bool = False  # sums of reals as sums of multiples, and nothing else about folds
    opposite: bool = False  # of folds, only what is known of two that take elements in opposite orders
    steps_only: bool = False  # extensionality for pairs of folds over equal extents, and nothing else about folds
    all_bounds: bool = False  # also that indices are inside of arrays of whose length the goal does not speak
    known_cells: bool = False  # facts that compare cells for those that occur, and not where one of them is a new one
    by_row: bool = False  # row and column of a cell that stands by itself, where a fact has cells by row and column
    gathered: bool = False  # of folds, only what is known of those that take what a condition keeps
    written_out: bool = False  # folds over few elements as their steps
    searches: bool = False  # which elements folds have found that look for one
    defined_only: bool = False  # for the cells that a fact defines, not for those it defines them by, but for what is searched


EFFORTS = (
    Effort("ground", defined_only=True),
    Effort("ground, short folds written out", written_out=True, defined_only=True),
    Effort("ground, folds step by step", rounds=4, steps_only=True, known_cells=True, defined_only=True),
    Effort("ground, sums in one form", rounds=6, form_sums=True, known_cells=True, defined_only=True),
    Effort(
        "ground, sums in one form, native arithmetic",
        rounds=6,
        opaque=False,
        form_sums=True,
        known_cells=True,
        defined_only=True,
    ),
    Effort("ground, opposite orders", opaque=False, opposite=True, defined_only=True),
    Effort("ground, what is kept", gathered=True, defined_only=True),
    Effort("ground, folds compared", rounds=4, compare_folds=True, defined_only=True),
    Effort("ground, divisions by constants, searches", by_constants=True, searches=True, defined_only=True),
    Effort("ground, sums of multiples", rounds=5, opaque=False, multiply_sums=True, defined_only=True),
    Effort("ground, native arithmetic", compare_folds=True, opaque=False, compare_shorter=True, all_bounds=True, by_row=True),
    Effort(
        "ground, all index terms",
        rounds=4,
        limit=600,
        combine=True,
        compare_folds=True,
        opaque=False,
        compare_shorter=True,
        all_bounds=True,
        by_row=True,
    ),
)
