"""Facts that the prover instantiates, each proved by the solver itself before it counts, those about folds by induction."""

from __future__ import annotations

from metalift.prove.fold_lemmas import (
    CHOICE,
    COUNT,
    EXTENSIONALITY,
    FIRST,
    FUSION,
    GROWTH,
    HOLDS,
    LAST,
    LEADING,
    PAIRING,
    PEELING,
    RELATION,
    REST,
    REVERSAL,
    SHIFT,
    SPLITTING,
    WINDOW,
)
from metalift.prove.index_lemmas import (
    DELINEARISATION,
    FACTORS,
    INSIDE,
    PLACES,
    PRODUCT_BOUNDS,
    QUOTIENT,
    ROW_BOUND,
    WHOLE_BLOCKS,
)
from metalift.prove.kept_lemmas import ELEMENT, GATHERING
from metalift.prove.sum_lemmas import INVERSE, MULTIPLES, ONE, POSITIVE, SUMS, TWO

_ALL = (
    EXTENSIONALITY, PEELING, SPLITTING, REST, WINDOW, PAIRING, SHIFT, COUNT, GROWTH, LEADING, FIRST, LAST, CHOICE, HOLDS, FUSION,
    RELATION, GATHERING, ELEMENT, REVERSAL, SUMS, ONE, TWO, POSITIVE, MULTIPLES, INVERSE,
    INSIDE, FACTORS, DELINEARISATION, PLACES,
    QUOTIENT, ROW_BOUND, PRODUCT_BOUNDS, WHOLE_BLOCKS,
)  # fmt: skip
LEMMAS = {lemma.name: lemma for lemma in _ALL}
