"""The driver, and how its operators are spelled."""

from __future__ import annotations

import re

from metalift.driver import Driver, Partial

from .targets import DATAFRAME, RDD

spark = Driver("spark", targets=(RDD, DATAFRAME))
VALUE, OTHER = "F.col('value')", "F.col('other')"  # the columns of a list, and of a pair of lists
PLACE = "F.col('i')"  # the column that orders a list, and counts the elements of one that is an argument


def on(rdd: str, dataframe: str) -> dict[str, str]:
    """A spelling for each target."""
    return {"rdd": rdd, "dataframe": dataframe}


def partials(
    dataframe: str,
    zero: str,
    step: str,
    merge: str,
    neutral: bool | int | None = None,
    *,
    nonempty: bool = False,
    always: str = "",
    joined: str = "",
) -> dict[str, Partial]:
    """How a value of a collection is computed together with others; `v` and `w` are elements.

    `neutral`: what the function gives for elements that might as well not be there, so that it can be a value of a group.
    `nonempty`: without elements that count, it is not what an RDD's merging starts from. `always`: the aggregate of columns where
    all elements count. `joined` as `Partial` has it.
    """
    return {
        "rdd": Partial(step, zero, merge, neutral, nonempty, joined=joined),
        "dataframe": Partial(dataframe, neutral=neutral, always=always, joined=joined),
    }


def placed(function: str, zero: str, extreme: str, values: str) -> dict[str, Partial]:
    """The value of the element that counts and has the extreme place, by an aggregate and Python's `extreme`.

    `values` are the arguments of the operator's functions. An RDD keeps the places, too: two with the same place have the same
    value.
    """
    counts = f"{{p({values})}}"
    kept = f"{extreme}(acc, (place, {{f({values})}})) if {counts} else acc"
    found = Partial(kept, f"({zero}, 0)", f"{extreme}(a, b)", False, nonempty=True, placed=True, shown="{x}[1]", joined="or")
    column = f"F.{function}(F.when({counts}, {{f({values})}}), F.when({counts}, place))"
    every = f"F.{function}({{f({values})}}, place)"
    return {"rdd": found, "dataframe": Partial(column, neutral=False, nonempty=True, always=every, placed=True, joined="or")}


def first(aggregate: str) -> str:
    """An aggregate over `v`, and `w` of another list, by itself, for `on`."""
    columns = {"v": VALUE, "w": OTHER, "place": PLACE}
    spelled = re.sub(r"\b(v|w|place)\b", lambda found: columns[found[0]], aggregate)
    lists = "paired({x}, {y})" if re.search(r"\bw\b", aggregate) else "{x}"
    return f"{lists}.agg({spelled}).first()[0]"
