"""Apache Spark: what its collections compute, spelled for RDDs and for DataFrames.

No operator here depends on the order in which partitions are combined: what does has no operator.
"""

from __future__ import annotations

from . import aggregates, elements, extremes, joins, numbers
from .base import spark

__all__ = ["aggregates", "elements", "extremes", "joins", "numbers", "spark"]
