"""How fast the generated DataFrame code is, beside the plain Python source and beside PySpark written by hand.

    python -m benchmarks.spark_speed --rows 10000000

A local session has two cores. The collections are in memory, and the same for both, which run in turn, so that neither has the
warmer session; each time is the least of several. Ten million rows take a few minutes and less than 8 GB of memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from metalift import lift
from metalift.result.verdict import FunctionVerdict

SUITE = Path(__file__).parent / "mapreduce"
KERNELS = {  # the function of each, the types of the lists that it takes, and what other arguments
    "conditional_sum": ("sum_above", ("bigint",), (499,)),
    "word_count": ("word_count", ("bigint",), ()),
    "group_average": ("group_average", ("bigint", "double"), ()),
}
SESSION = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "4g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
GROUPS = 1000
FACTORS = (2654435761, 40503)  # of the row's number, for numbers that are spread


def cells(rows: int, factor: int, dtype: str) -> list[int] | list[float]:
    """A list of that many numbers below GROUPS."""
    found = [row * factor % GROUPS for row in range(rows)]
    return list(map(float, found)) if dtype == "double" else found


def framed(session: Any, rows: int, factor: int, dtype: str) -> Any:  # noqa: ANN401 (a DataFrame)
    """The same numbers as a DataFrame in memory."""
    from pyspark.sql import functions as F

    value = (F.col("id") * factor % GROUPS).cast(dtype).alias("value")
    frame = session.range(rows).select(F.col("id").alias("i"), value).cache()
    frame.count()
    return frame


def by_hand(name: str) -> Callable[..., Any]:
    """What somebody who knows PySpark writes for the kernel."""
    from pyspark.sql import functions as F

    match name:
        case "conditional_sum":
            return lambda values, limit: values.filter(F.col("value") > limit).agg(F.sum("value")).first()[0]
        case "word_count":
            return lambda words: words.groupBy("value").count()
        case _:
            return lambda keys, values: (
                keys.withColumnRenamed("value", "key").join(values, "i").groupBy("key").agg(F.avg("value").alias("value"))
            )


def function_of(path: Path, name: str) -> Callable[..., Any]:
    """A function of a Python file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = getattr(module, name)
    return found


def seconds(run: Callable[[], Any]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def in_turn(runs: Sequence[Callable[[], Any]], times: int) -> list[float]:
    """The least of several times of each, which run in turn; a first one does not count."""
    found = [[seconds(run) for run in runs] for _ in range(times + 1)]
    return [min(column) for column in zip(*found[1:], strict=True)]


def computed(value: Any) -> Any:  # noqa: ANN401 (a DataFrame, or a number)
    """All rows of a result."""
    return value.collect() if hasattr(value, "collect") else value


def measured(session: Any, name: str, generated: Path, rows: int, times: int) -> str:  # noqa: ANN401 (a session)
    """A line of the table."""
    called, types, others = KERNELS[name]
    given = list(zip(FACTORS, types, strict=False))
    lists = [cells(rows, factor, dtype) for factor, dtype in given]
    source = function_of(SUITE / f"{name}.py", called)
    plain = seconds(lambda: source(*lists, *others))
    lists.clear()
    frames = [framed(session, rows, factor, dtype) for factor, dtype in given]
    ours, theirs = function_of(generated, called), by_hand(name)
    runs = [lambda: computed(ours(*frames, *others)), lambda: computed(theirs(*frames, *others))]
    mine, hand = in_turn(runs, times)
    for frame in frames:
        frame.unpersist()
    return f"| {name} | {plain:.2f} | {mine:.2f} | {hand:.2f} | {plain / mine:.1f} | {hand / mine:.2f} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Lift the kernels, then measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--kernel", action="append", choices=KERNELS, help="these alone")
    options = parser.parse_args(arguments)
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        files: dict[str, Path] = {}
        for name in options.kernel or KERNELS:
            (function,) = lift(SUITE / f"{name}.py", to=("dataframe",), out=Path(folder)).functions
            text = function.targets["dataframe"].file
            assert function.verdict is FunctionVerdict.PROVED and text is not None, function.diagnostics
            files[name] = Path(text)
        builder = SparkSession.builder.master("local[2]")
        for key, value in SESSION.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        print(f"{options.rows} rows, Spark {session.version}, seconds")
        print("| kernel | plain Python | generated | by hand | as fast as Python | as fast as by hand |")
        print("|---|---|---|---|---|---|")
        for name, file in files.items():
            print(measured(session, name, file, options.rows, options.times), flush=True)
        session.stop()


if __name__ == "__main__":
    main()
