"""Two ways to say the same to Spark: resilient distributed datasets with Python functions, and data frames with columns.

A list is an RDD of its elements in their order, or a DataFrame. Callers have one with a column for each field of a record, or
the column `value`; code makes of it one with the columns `i`, by which it is ordered and which counts its elements from 0, and
`value`. What filters leave keeps the numbers that it has, so `i` then orders and no longer counts.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Engine, Groups, Layout, Lookup, Partial, Placed, Records, Tables, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, REAL, STRING, MachineInt, ScalarType

from .preambles import FRAME_PREAMBLE, ORDERED, RDD_PREAMBLE, SESSION

VERSION = "'Spark ' + session.version"
ENGINE = Engine(version=VERSION, setup=SESSION, inputs=9, served=True, seconds=100, memory=16 << 30)

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
    imports={
        "math": "import math",
        "accumulate": "from itertools import accumulate",
        "RDD": "from pyspark import RDD",
        "Row": "from pyspark.sql import Row",
    },
    dtypes={**_PYTHON, MachineInt(1, False): "bool", **{each: "int" for each in _INTEGERS}},
    layout=Layout(
        array_type="RDD",
        array="distributed({value}, {dtype})",
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
            type="shaped({of}, {fields})",
            made="Row({parts})",
            field="{name}={x}",
            entry="{x}[{name}]",
            row="{{parts}}",
            pair="{name}: {x}",
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
        "Window": "from pyspark.sql import Window",
    },
    dtypes={**_COLUMNS, MachineInt(1, False): "'boolean'", **{each: "'bigint'" for each in _INTEGERS if each.high < 2**63}},
    layout=Layout(
        array_type="DataFrame",
        array="framed({value}, {dtype})",
        clone="{x}",
        plain="listed({x})",
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
        tables=Tables("table", ordered=ORDERED, renamed="{x}.withColumnsRenamed({names})", fields="with_fields({x})"),
        range="integers fit 64 bits, in whatever order they are added; Spark raises an error where they do not",
        lists=True,
    ),
    preamble=FRAME_PREAMBLE,
    numbers=True,
    engine=replace(ENGINE, overflow=("ARITHMETIC_OVERFLOW", "NumberFormatException: For input string")),
)
