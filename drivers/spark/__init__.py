"""Apache Spark: what its collections compute, spelled for RDDs and for DataFrames.

No operator here depends on the order in which partitions are combined: elements come with their places where order matters.
"""

from __future__ import annotations

from . import (
    aggregates,
    distinct,
    elements,
    ends,
    extremes,
    groups,
    joins,
    leading,
    nearest,
    numbers,
    orders,
    places,
    running,
    started,
)
from .base import spark

__all__ = [
    "aggregates",
    "distinct",
    "elements",
    "ends",
    "extremes",
    "groups",
    "joins",
    "leading",
    "nearest",
    "numbers",
    "orders",
    "places",
    "running",
    "spark",
    "started",
]
