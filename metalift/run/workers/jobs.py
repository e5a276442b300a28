"""What the worker process is told: the source as something that runs, and the types of the values that go in and out.

Whatever language the source is in, it is made ready by a `Runnable`, and run in the worker by the module whose path the
`Runnable` names: that module has `load(source, params, result)`, which gives an object with one method, `run(args)`. What it
answers is described in `metalift/run/workers/worker.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self

from metalift.driver import Target
from metalift.driver.templates import fill_template, name
from metalift.ir.expr.types import BoolType, IntType, MachineInt, RealType, TensorType, TupleType, Type
from metalift.ir.program.fragment import Form, Param

Entry = dict[str, object]  # of a JSON object


class NotRunnable(Exception):
    """The source cannot be run: it does not compile, its signature cannot be called, ...; the message says why."""


class Runnable(Protocol):
    """A source that is made ready in the background. A context manager: leaving it stops that and removes what it made."""

    def wait(self, timeout: float = 60.0) -> Mapping[str, object]:
        """What the worker needs to run it: `runner`, the path of the module that does, and what that module needs.

        Raises NotRunnable.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


def dtype(type_: Type) -> str:
    """The name of a scalar type, or of that of a tensor's elements: bool, i8 ... u64, f32, f64, int without bounds."""
    match type_:
        case TensorType(element, _):
            return dtype(element)
        case BoolType() | MachineInt(1, _):
            return "bool"
        case IntType(of):
            return of or "int"
        case MachineInt(bits, signed) if bits in (8, 16, 32, 64):
            return f"{'i' if signed else 'u'}{bits}"
        case RealType(bits) if bits in (32, 64):
            return f"f{bits}"
        case _:
            raise NotRunnable(f"a value of type {type_} cannot be passed to running code")


def param_entry(param: Param) -> Entry:
    """A parameter: its name, how it is passed, its element type with the fields of records, and its rank (0 for a scalar)."""
    type_ = param.var.type
    made = {"name": param.var.name, "kind": param.kind.value, "dtype": dtype(type_), "rank": rank(type_)}
    return {**made, "fields": record_fields(type_), "layout": list(param.layout)}


def record_fields(type_: Type) -> list[object]:
    """The fields of a record or tuple: the name, the element type, and the fields of that."""
    element = type_.element if isinstance(type_, TensorType) else type_
    fields = element.fields if isinstance(element, IntType) else ()
    return [[name, dtype(part), record_fields(part)] for name, part in fields]


def result_entry(type_: Type | None) -> Entry:
    """The result: "none", "one" value, or a "tuple" of the items."""
    if type_ is None:
        return {"kind": "none", "items": []}
    items = type_.items if isinstance(type_, TupleType) else (type_,)
    kind = "tuple" if isinstance(type_, TupleType) else "one"
    return {"kind": kind, "items": [{"dtype": dtype(item), "rank": rank(item), "fields": record_fields(item)} for item in items]}


def form_entry(form: Form | None) -> Entry:
    """How the source's result is made of the values, where it is not as they are."""
    return {} if form is None else {"form": form.data()}


def engine_entry(target: Target) -> Entry:
    """What runs a target's code: its library, how that makes arrays and reads them, the names of its element types."""
    layout, engine = target.layout, target.engine
    names = {"value": name("value"), "dtype": name("dtype"), "x": name("x"), "shape": name("shape")}

    codes: dict[str, str] = {}
    for type_, spelled in target.dtypes.items():
        with suppress(NotRunnable):
            codes[dtype(type_)] = spelled

    def made(template: str) -> str:
        return ast.unparse(fill_template(template, names)) if template else ""

    def made_record(template: str) -> str:
        return ast.unparse(fill_template(template, {"fields": name("fields"), "of": name("of")}))

    return {
        "imports": list(target.imports.values()),
        "version": engine.version,
        "setup": engine.setup,
        "memory": engine.memory,
        "dtypes": codes,
        "array": made(layout.array) if layout else "value",
        "plain": made(layout.plain) if layout else "x",
        "reshape": made(layout.reshape) if layout else "",
        "in_place": layout is None or not layout.update,
        "runner": str(target.runner) if target.runner is not None else None,
        "items": made(layout.groups.items) if layout and layout.groups else "x.items()",
        "members": made(layout.groups.members) if layout and layout.groups else "x",
        "immutable": layout is not None and layout.immutable,
        "record": made_record(layout.records.type) if layout and layout.records else "",
    }


def rank(type_: Type) -> int:
    """The number of axes, 0 for a scalar."""
    return type_.rank if isinstance(type_, TensorType) else 0
