"""What columns a table must have, where arrays are tables whose elements are in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from metalift.ir.expr.nodes import Call, type_of
from metalift.ir.expr.types import IntType, ScalarType, TensorType, Type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.identities import PART
from metalift.ir.program.summary import Summary

VALUE = "value"


def columns_of(array: TensorType, summary: Summary, dtypes: Mapping[ScalarType, str]) -> dict[str, str]:
    """The element types of the columns that the summary reads of such an array: of its elements, or of their parts.

    What is only copied may be of any type.
    """
    computed = [value for _, value in summary.outputs] + [each.value for each in summary.bindings]
    read = {part.function: part for value in computed for part in subexpressions(value) if isinstance(part, Call)}
    parts = {(type_of(part.args[0]), function.rpartition(".")[2]) for function, part in read.items() if function.startswith(PART)}
    return {path: dtypes[type_] for path, type_ in _leaves(VALUE, array.element, parts) if type_ in dtypes}


def _leaves(path: str, type_: ScalarType, read: Set[tuple[Type, str]]) -> Iterator[tuple[str, ScalarType]]:
    if not (isinstance(type_, IntType) and type_.fields):
        yield path, type_
        return
    for called, part in type_.fields:
        if (type_, called) in read:
            yield from _leaves(f"{path}.{called}", part, read)
