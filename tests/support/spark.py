"""Whether Spark can be run here."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

TARGETS = ("rdd", "dataframe")


def missing() -> str:
    """What is missing, for a skip; empty where Spark can be run."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed (the extra `spark`)"
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        return "there is no Java, which Spark runs on"
    return ""


needs_spark = pytest.mark.skipif(bool(missing()), reason=missing() or "Spark is there")
