"""Text in front of generated functions and of what runs them: what Spark's collections have no method for."""

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

def shaped(of, fields):
    def made(value):
        if of == "tuple":
            return tuple(make(part) for (_, make), part in zip(fields, value))
        parts = {name: make(value[name]) for name, make in fields}
        return parts if of == "dict" else Row(**parts)
    return made

def distributed(values, make=row):
    values = list(map(make, values))
    full, empty = next(partitionings)
    made = session.sparkContext.parallelize(values, full)
    return made.union(session.sparkContext.parallelize([], empty)) if empty else made

def framed(values, dtype):
    rows = distributed([[i, value] for i, value in enumerate(values)])
    made = session.createDataFrame(rows, f"i bigint, value {dtype}")
    if not dtype.startswith("struct<"):
        return made
    return made.select(made["i"].alias("_i" if "i" in made.select("value.*").columns else "i"), "value.*")

def listed(table):
    order = "_i" if "_i" in table.columns else "i"
    fields = [each for each in table.columns if each != order]
    rows = table.orderBy(order).select(*fields).collect()
    return [row.value for row in rows] if fields == ["value"] else rows

def struct(fields):
    return f"struct<{', '.join(f'{name}: {dtype}' for name, dtype in fields)}>"
"""

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


def first_of_each(x, key):
    """The first element with each key, in their order."""
    return _placed(x, key).reduceByKey(_earlier).values().sortByKey().values()


def _earlier(a, b):
    return min(a, b, key=lambda pair: pair[0])


def along(x, key, function):
    """What a function gives for the elements with each key, in their order, one for each of them and in its place."""

    def inside(pairs):
        places, values = zip(*sorted(pairs, key=lambda pair: pair[0]))
        return zip(places, function(values))

    return _placed(x, key).groupByKey().values().flatMap(inside).sortByKey().values()


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

ORDERED = (  # the functions of data frames that do more with the order of rows than to hand it on
    *("nearest", "nearest_of", "least_among", "lowest_among"),
    *("part", "spaced", "at", "replaced", "flat", "paired", "added_by_place", "first_of_each"),
)
FRAME_PREAMBLE = '''\
def table(name, rows, columns, ordered=False, order="i"):
    """The rows of a table with what `i` orders in `value`: a column of the type, or the columns of a record.

    Raises ValueError unless the table has these columns, of such types or narrower ones, and `order` where the order matters.
    """
    if not isinstance(rows, DataFrame):
        raise ValueError(f"{name} must be a DataFrame")
    wanted = columns if isinstance(columns, dict) else {"value": columns}
    missing = [each for each in (*wanted, *([order] if ordered else [])) if each not in rows.columns]
    if missing:
        raise ValueError(f"{name} must have the columns {', '.join(missing)}; it has {', '.join(rows.columns)}")
    place = F.col(order).cast("bigint") if order in rows.columns else F.monotonically_increasing_id()
    value = typed(name, rows, "", columns) if isinstance(columns, dict) else typed(name, rows, "value", columns)
    return rows.select(place.alias("i"), value.alias("value"))


def typed(name, rows, path, dtype):
    """A column of a table in a type that has all of its values; several in a dictionary as a record."""
    if isinstance(dtype, dict):
        inside = {field: typed(name, rows, f"{path}.{field}".lstrip("."), each) for field, each in dtype.items()}
        return F.struct(*[column.alias(field) for field, column in inside.items()])
    ((_, found),) = rows.select(path).dtypes
    narrower = {"bigint": ("tinyint", "smallint", "int"), "double": ("float", "tinyint", "smallint", "int")}
    if dtype not in (None, found) and found not in narrower.get(dtype, ()):
        raise ValueError(f"{name} must have a column {path} of the type {dtype}, not {found}")
    return F.col(path) if dtype is None else F.col(path).cast(dtype)


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


def with_fields(x):
    """The records as a table with a column for each field, beside `i`, or `_i` where `i` is a field, which orders them."""
    fields = x.select("value.*").columns
    return x.select(F.col("i").alias("_i" if "i" in fields else "i"), "value.*")


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


def first_of_each(x, key):
    """The first element with each key."""
    found = x.groupBy(key.alias("key")).agg(F.min("i").alias("i"), F.min_by("value", "i").alias("value"))
    return found.select("i", "value")


def looked_up(x, key, groups):
    """The elements beside what the groups have at their key, NULL where that is nothing."""
    return x.join(groups, key == F.col("key"), "left").drop("key")
'''
