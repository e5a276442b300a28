"""Two ways to say the same to Spark: resilient distributed datasets with Python functions, and data frames with columns.

A list is an RDD of its elements in their order, or a DataFrame with the columns `i`, by which it is ordered and which counts its
elements from 0, and `value`. What filters leave keeps the numbers that it has, so `i` then orders and no longer counts.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Engine, Groups, Layout, Lookup, Partial, Placed, Records, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, REAL, STRING, MachineInt, ScalarType

SESSION = """
import gc
import itertools
import os
import sys
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
from pyspark.sql import Row, SparkSession
session = (
    SparkSession.builder.master("local[2]")
    .appName("metalift")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.default.parallelism", "2")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.adaptive.enabled", "false")
    .config("spark.python.unix.domain.socket.enabled", "true")  # answers in half the time
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.memory", "1g")
    .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # jobs are small: compiling takes longer
    .config("spark.sql.warehouse.dir", os.path.join(os.environ.get("TMPDIR", "/tmp"), "warehouse"))
    .getOrCreate()
)
session.sparkContext.setLogLevel("OFF")
session.sparkContext.parallelize(range(8), 8).foreach(lambda each: gc.freeze())  # workers collect garbage after each task
partitionings = itertools.cycle(((1, 0), (2, 0), (7, 0), (1, 3)))

def row(value):
    return Row(**{name: row(part) for name, part in value.items()}) if isinstance(value, dict) else element(value)

def element(value):
    return tuple(map(row, value)) if isinstance(value, list) else value

def distributed(values):
    values = list(map(row, values))
    full, empty = next(partitionings)
    made = session.sparkContext.parallelize(values, full)
    return made.union(session.sparkContext.parallelize([], empty)) if empty else made

def framed(values, dtype):
    rows = distributed([[i, value] for i, value in enumerate(values)])
    return session.createDataFrame(rows, f"i bigint, value {dtype}")

def struct(fields):
    return f"struct<{', '.join(f'{name}: {dtype}' for name, dtype in fields)}>"
"""
VERSION = "'Spark ' + session.version"
ENGINE = Engine(version=VERSION, setup=SESSION, inputs=9, served=True, seconds=100, memory=16 << 30)

RDD_PREAMBLE = '''\
def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _numbered(x):
    return x.zipWithIndex().map(lambda pair: (pair[1], pair[0]))


def part(x, start, stop):
    """The elements from place `start` to before place `stop`, in their order."""
    return x.zipWithIndex().filter(lambda pair: start <= pair[1] < stop).keys()


def spaced(x, start, stop, step):
    """Every `step`th element from place `start` to before place `stop`, in their order."""
    return x.zipWithIndex().filter(lambda pair: start <= pair[1] < stop and (pair[1] - start) % step == 0).keys()


def at(x, place):
    """The element at a place, None where there is none."""
    found = (part(x, place, place + 1) if place else x).take(1)
    return found[0] if found else None


def replaced(x, start, stop, values):
    """The elements with others from place `start` to before place `stop`."""
    return part(x, 0, start).union(values).union(part(x, stop, x.count()))


def largest(x):
    """The greatest element, 0 where there is none."""
    return 0 if x.isEmpty() else x.max()


def smallest(x):
    """The least element, 0 where there is none."""
    return 0 if x.isEmpty() else x.min()


def earliest(x, start):
    """The first element, `start` where there is none."""
    return start if x.isEmpty() else x.first()


def latest(x, start):
    """The last element, `start` where there is none."""
    return start if x.isEmpty() else x.zipWithIndex().max(lambda pair: pair[1])[0]


def with_max(x, sign, start):
    """The second part of the pair whose first part is the greatest, of several the last one by the sign; `start` for none."""
    return start if x.isEmpty() else x.zipWithIndex().max(lambda pair: (pair[0][0], sign * pair[1]))[0][1]


def with_min(x, sign, start):
    """The second part of the pair whose first part is the least, of several the first one by the sign; `start` for none."""
    return start if x.isEmpty() else x.zipWithIndex().min(lambda pair: (pair[0][0], sign * pair[1]))[0][1]


def ordered(x, key, ascending=True):
    """The elements by their keys, those with equal keys in their order."""
    sign = 1 if ascending else -1
    return x.zipWithIndex().sortBy(lambda pair: (key(pair[0]), sign * pair[1]), ascending).keys()


def foremost(x, count, key, ascending=True):
    """So many of the elements from the first on by their keys, those with equal keys in their order."""
    if not x.getNumPartitions():
        return x  # of which Spark cannot take any
    sign = 1 if ascending else -1
    placed = x.zipWithIndex()
    taken = placed.takeOrdered if ascending else placed.top
    return x.context.parallelize(taken(count, lambda pair: (key(pair[0]), sign * pair[1]))).keys()


def matched(x, y):
    """Pairs of the elements at the same places, by their places, however the two are partitioned."""
    return _numbered(x).join(_numbered(y))


def paired(x, y):
    """Pairs of the elements at the same places, in their order."""
    return matched(x, y).sortByKey().values()


def _placed(x, key):
    return x.zipWithIndex().map(lambda pair: (key(pair[0]), (pair[1], pair[0])))


def by_place(x, size):
    """The sums of the values at the places from 0 to before `size`, of pairs of a place and a value."""
    return added_by_place(x.context.range(size).map(lambda place: 0), x)


def added_by_place(start, x):
    """The elements, with the values at their places added, of pairs of a place and a value."""
    size = start.count()
    inside = x.filter(lambda pair: 0 <= pair[0] < size)
    return _numbered(start).union(inside).reduceByKey(lambda a, b: a + b).sortByKey().values()


def among(x, key, keys):
    """The elements whose key is one of the keys, in their order."""
    return _placed(x, key).join(keys.distinct().map(lambda each: (each, None))).values().keys().sortByKey().values()


def beyond(x, key, keys):
    """The elements whose key is none of the keys, in their order."""
    return _placed(x, key).subtractByKey(keys.map(lambda each: (each, None))).values().sortByKey().values()


def looked_up(x, key, groups, absent):
    """Pairs of an element and what the groups have at its key, `absent` where that is nothing, in the order of the elements."""
    found = _placed(x, key).leftOuterJoin(groups).values()
    return found.map(lambda pair: (pair[0][0], (pair[0][1], absent if pair[1] is None else pair[1]))).sortByKey().values()


def nearest(x, y, distance, limit, otherwise):
    """For each element of x the place of the nearest element of y, the first of several, `otherwise` if none is below `limit`."""
    others = y.collect()

    def place(v):
        least, at = min(((distance(v, w), at) for at, w in enumerate(others)), default=(limit, otherwise))
        return at if least < limit else otherwise

    return x.map(place)


def nearest_of(x, y, distance):
    """For each element of x the place of the nearest element of y, the first of several."""
    others = y.collect()
    return x.map(lambda v: min(range(len(others)), key=lambda at: distance(v, others[at])))


def least_among(x, y, distance):
    """For each element of x the least distance to an element of y."""
    others = y.collect()
    return x.map(lambda v: min(distance(v, w) for w in others))


def lowest_among(x, y, distance, limit):
    """For each element of x the least distance to an element of y, at most the limit."""
    others = y.collect()
    return x.map(lambda v: min([limit, *(distance(v, w) for w in others)]))
'''
FRAME_PREAMBLE = '''\
def _each_with(x, y):
    return x.join(F.broadcast(y.select(F.col("i").alias("place"), F.col("value").alias("other"))), how="left")


def nearest(x, y, distance, limit, otherwise):
    """For each element of x the place of the nearest element of y, the first of several, `otherwise` if none is below `limit`."""
    near = F.when(distance < limit, F.struct(distance, "place"))
    found = F.coalesce(F.min_by("place", near), F.lit(otherwise))
    return _each_with(x, y).groupBy("i").agg(found.alias("value"))


def nearest_of(x, y, distance):
    """For each element of x the place of the nearest element of y, the first of several."""
    found = F.min_by("place", F.struct(distance, "place"))
    return _each_with(x, y).groupBy("i").agg(found.alias("value"))


def least_among(x, y, distance):
    """For each element of x the least distance to an element of y."""
    return _each_with(x, y).groupBy("i").agg(F.min(distance).alias("value"))


def lowest_among(x, y, distance, limit):
    """For each element of x the least distance to an element of y, at most the limit."""
    return _each_with(x, y).groupBy("i").agg(F.least(F.min(distance), F.lit(limit)).alias("value"))


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def part(x, start, stop):
    """The elements from place `start` to before place `stop`, counted anew."""
    inside = x.filter((F.col("i") >= start) & (F.col("i") < stop))
    return inside.select((F.col("i") - start).alias("i"), "value")


def spaced(x, start, stop, step):
    """Every `step`th element from place `start` to before place `stop`, counted anew."""
    inside = part(x, start, stop).filter(F.col("i") % step == 0)
    return inside.select((F.col("i") / step).cast("bigint").alias("i"), "value")


def at(x, place):
    """The element at a place, None where there is none."""
    found = x.filter(F.col("i") == place).first()
    return None if found is None else found["value"]


def replaced(x, start, stop, values):
    """The elements with others from place `start` to before place `stop`."""
    outside = x.filter((F.col("i") < start) | (F.col("i") >= stop))
    return outside.unionByName(values.select((F.col("i") + start).alias("i"), "value"))


def renumbered(x):
    """The elements in the order that they come in, which `i` then tells."""
    return x.select(F.monotonically_increasing_id().alias("i"), "value")


def flat(x, *values):
    """Several elements for each, one behind the other, counted anew."""
    each = x.select((F.col("i") * len(values)).alias("first"), F.posexplode(F.array(*values)).alias("place", "value"))
    return each.select((F.col("first") + F.col("place")).alias("i"), "value")


def paired(x, y):
    """The elements at the same places side by side."""
    return x.join(y.withColumnRenamed("value", "other"), "i")


def matching(x, y, alike):
    """The elements of which a condition holds side by side."""
    return x.select("value").join(y.select(F.col("value").alias("other")), alike)


def by_place(x, place, aggregate, size):
    """An aggregate of the elements at each place from 0 to before `size`, 0 where there are none."""
    start = x.sparkSession.range(size).select(F.col("id").alias("i"), F.lit(0).alias("value"))
    return added_by_place(start, x, place, aggregate)


def added_by_place(start, x, place, aggregate):
    """The elements, with an aggregate of the elements of `x` at each place added where there are any."""
    found = x.groupBy(place.alias("i")).agg(aggregate.alias("other"))
    return start.join(found, "i", "left").select("i", (F.col("value") + F.coalesce("other", F.lit(0))).alias("value"))


def among(x, y, alike):
    """The elements for which the other list has one of which a condition holds, each once."""
    return x.join(y.select(F.col("value").alias("other")), alike, "left_semi")


def beyond(x, y, alike):
    """The elements for which the other list has none of which a condition holds."""
    return x.join(y.select(F.col("value").alias("other")), alike, "left_anti")


def looked_up(x, key, groups):
    """The elements beside what the groups have at their key, NULL where that is nothing."""
    return x.join(groups, key == F.col("key"), "left").drop("key")
'''

_INTEGERS = [MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
_PYTHON: dict[ScalarType, str] = {BOOL: "bool", INT: "int", REAL: "float", FLOAT: "float", DOUBLE: "float", STRING: "str"}
_COLUMNS: dict[ScalarType, str] = {
    BOOL: "'boolean'",
    INT: "'bigint'",
    STRING: "'string'",
    **dict.fromkeys((REAL, FLOAT, DOUBLE), "'double'"),
}

RDD = Target(
    "rdd",
    imports={"math": "import math", "RDD": "from pyspark import RDD", "Row": "from pyspark.sql import Row"},
    dtypes={**_PYTHON, MachineInt(1, False): "bool", **{each: "int" for each in _INTEGERS}},
    layout=Layout(
        array_type="RDD",
        array="distributed({value})",
        clone="{x}",
        plain="{x}.collect()",
        length="{x}.count()",
        part="part({x}, {start}, {stop})",
        spaced="spaced({x}, {start}, {stop}, {step})",
        at="at({x}, {place})",
        update="replaced({x}, {start}, {stop}, {value})",
        members={1: ("v",), 2: ("v[0]", "v[1]")},
        pair="matched({x}, {y}).values()",
        together="{x}.aggregate({zero}, {step}, {merge})",
        groups=Groups(
            by="{x}.keyBy({key}).aggregateByKey({zero}, {step}, {merge})",
            several="v[{at}]",
            having="{x}.filter(lambda pair: {p(pair[1])})",
            values="{x}.mapValues({f})",
            where="{x}.filter({p})",
            keys="{x}.map({key}).distinct()",
            chosen="{x}.keys()",
            items="{x}.collect()",
            members="{x}.collect()",
            both="{x}.intersection({y})",
            either="{x}.union({y}).distinct()",
            without="{x}.subtract({y})",
            rows="{x}.flatMap({f})",
            by_rows="{x}.aggregateByKey({zero}, {step}, {merge})",
            distinct="{x}.distinct()",
            each="{x}.values()",
            placed={
                1: Placed("{x}.zipWithIndex()", ("v[0]",), "v[1]"),
                2: Placed("matched({x}, {y})", ("v[1][0]", "v[1][1]"), "v[0]"),
            },
            lookup=Lookup(
                whole="looked_up({x}, {key}, {groups}, {absent})",
                element="{v}[0]",
                found="{v}[1]",
                several="{v}[1][{at}]",
                elements="{x}.keys()",
                fixed="{x}.map(lambda key: (key, {value}))",
            ),
        ),
        records=Records(
            part="{x}.{name}",
            item="{x}[{at}]",
            whole="({parts})",
            member="{x}",
            type="tuple",
            made="Row({parts})",
            field="{name}={x}",
        ),
        count=Partial("acc + 1", "0", "a + b"),
        shared=False,
        immutable=True,
        lists=True,
    ),
    preamble=RDD_PREAMBLE,
    numbers=True,
    engine=ENGINE,
)
DATAFRAME = Target(
    "dataframe",
    imports={
        "math": "import math",
        "DataFrame": "from pyspark.sql import DataFrame",
        "F": "from pyspark.sql import functions as F",
    },
    dtypes={**_COLUMNS, MachineInt(1, False): "'boolean'", **{each: "'bigint'" for each in _INTEGERS if each.high < 2**63}},
    layout=Layout(
        array_type="DataFrame",
        array="framed({value}, {dtype})",
        clone="{x}",
        plain="[row.value for row in {x}.orderBy('i').collect()]",
        length="{x}.count()",
        part="part({x}, {start}, {stop})",
        spaced="spaced({x}, {start}, {stop}, {step})",
        at="at({x}, {place})",
        update="replaced({x}, {start}, {stop}, {value})",
        members={1: ("F.col('value')",), 2: ("F.col('value')", "F.col('other')")},
        pair="paired({x}, {y})",
        together="{x}.agg(*{parts}).first()",
        groups=Groups(
            by="{x}.groupBy({key}.alias('key')).agg(*{parts})",
            named="{x}.alias({name})",
            several="F.col({name})",
            having="{x}.filter({p})",
            values="{x}.select('key', {f}.alias('value'))",
            where="{x}.filter({p})",
            keys="{x}.select({key}.alias('key')).distinct()",
            chosen="{x}.select('key')",
            items="[(row.key, row.value) for row in {x}.collect()]",
            members="[row.key for row in {x}.collect()]",
            both="{x}.intersect({y})",
            either="{x}.union({y}).distinct()",
            without="{x}.subtract({y})",
            rows="{x}.select(F.inline(F.array(*{f})))",
            by_rows="{x}.groupBy('key').agg(*{parts})",
            distinct="{x}.distinct()",
            each="{x}",
            placed={
                1: Placed("{x}", ("F.col('value')",), "F.col('i')"),
                2: Placed("paired({x}, {y})", ("F.col('value')", "F.col('other')"), "F.col('i')"),
            },
            lookup=Lookup(
                whole="looked_up({x}, {key(F.col('value'))}, {groups})",
                element="{v}",
                found="F.coalesce(F.col({name}), F.lit({absent}))",
                several="F.coalesce(F.col({name}), F.lit({absent}))",
                elements="{x}.select('i', 'value')",
                fixed="{x}.withColumn({name}, F.lit({value}))",
            ),
        ),
        literal="F.lit({value})",
        to_real="{x}.cast({dtype})",
        low_bits="F.pmod({x}, F.lit(2**{bits}))",
        records=Records(
            part="{x}['{name}']",
            item="{x}['{name}']",
            whole="F.struct({parts})",
            member="{x}.alias({name})",
            type="struct({fields})",
            made="F.struct({parts})",
            field="{x}.alias('{name}')",
        ),
        count=Partial("F.count(F.lit(1))"),
        shared=False,
        immutable=True,
        columns=True,
        dtypes="[dtype for _, dtype in {x}.select(*{columns}).dtypes]",
        range="integers fit 64 bits, in whatever order they are added; Spark raises an error where they do not",
        lists=True,
    ),
    preamble=FRAME_PREAMBLE,
    numbers=True,
    engine=replace(ENGINE, overflow=("ARITHMETIC_OVERFLOW", "NumberFormatException: For input string")),
)
