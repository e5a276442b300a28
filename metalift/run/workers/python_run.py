"""Runs a Python source in the worker process (it imports nothing of metalift): see `metalift.run.workers.python_source`.

An exception that the source raises means that the input has no result, as undefined behaviour of a compiled source does; so do
a complex result and, unless the source is not `strict`, a warning of NumPy's numbers, such as an overflow.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import attrgetter
from typing import Any, TypeAlias

Number = bool | int | float
Answer = dict[str, Any]
Argument: TypeAlias = Any  # of JSON: a number, a list, or an object
Nested: TypeAlias = Any  # lists of lists, or an array

_NAME = "metalift_source"
_NO_WRAPS = ("f32", "f64", "i64")  # what does not fit counts as no run
_DTYPES = {"f32": "float32", "f64": "float64", "bool": "bool", "int": "int64"}


class WrongResult(Exception):
    """The function gives something else than the type that was found for it."""


class Interpreted:
    """The source's function, called with lists and arrays that are made anew for each call."""

    def __init__(self, source: Mapping[str, Any], params: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> None:
        self._params = params
        self._result = result
        self._numpy = frozenset(source["numpy"])
        self._tensors = frozenset(source["tensors"])
        self._strings = frozenset(source["strings"])
        self._strict = source.get("strict", True)
        self._wraps = all(param["dtype"] not in _NO_WRAPS for param in params)
        self._sets = frozenset(source["sets"])
        self._places: Mapping[str, Mapping[str, Any]] = source["places"]
        self._function = _function(source["file"], source["function"], source["unit"])
        self._keywords = _keyword_only(self._function)
        self._method = _method(source["function"], self._function)

    def run(self, args: Sequence[Argument]) -> Answer:
        """Call the function; what it raises is undefined."""
        passed: list[Any] = []
        for param, arg in zip(self._params, args, strict=True):
            try:
                same = param["rank"] and isinstance(arg, dict) and "same" in arg
                passed.append(passed[arg["same"]] if same else self._made(param, arg))
            except (ValueError, OverflowError) as error:
                return {"undefined": f"{param['name']} is no string: {error}"}
        if any(self._is_boxed(param) and not value for param, value in zip(self._params, passed, strict=True)):
            return {"undefined": "a list without an element, which has a number"}
        given, owners = self._given([param["name"] for param in self._params], passed)
        positional = [value for name, value in given.items() if name not in self._keywords]
        named = {name: value for name, value in given.items() if name in self._keywords}
        try:
            with strict(self._wraps) if self._strict else nullcontext():
                answer = self._function(*positional, **named)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the source raises, the run does not count
            return {"undefined": f"{type(error).__name__}: {error}"}
        if self._has_complex(answer):
            return {"undefined": "a complex number"}
        for at, param in enumerate(self._params):
            if self._is_boxed(param):
                place = self._places[param["name"]]
                passed[at] = [getattr(owners[place["owner"]], place["name"]), *passed[at][1:]]
        arrays = [
            None if not param["rank"] else arg if isinstance(value, str | set) else _array(value, param["rank"])
            for param, arg, value in zip(self._params, args, passed, strict=True)
        ]
        if self._result["kind"] in ("dict", "set"):
            return {"results": [], "items": self._entries(answer, self._result), "arrays": arrays}
        if self._result["kind"] == "several":
            return {"results": [], "parts": self._parts(answer), "arrays": arrays}
        return {"results": self._results(answer), "arrays": arrays}

    def _is_boxed(self, param: Mapping[str, Any]) -> bool:
        """Whether it is a number of an object or of the module, which is sent as a list."""
        return param["name"] in self._places and self._places[param["name"]]["boxed"]

    def _given(self, names: Sequence[str], passed: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments of the source by name, and the objects among them, after "" for the module, whose variables are set."""
        owners: dict[str, Any] = {"": sys.modules[_NAME]}
        given: dict[str, Any] = {}
        if self._method and self._method[1] not in (place["owner"] for place in self._places.values()):
            given[self._method[1]] = _made_object(self._method[0])  # of which no field is used
        for name, value in zip(names, passed, strict=True):
            if (place := self._places.get(name)) is None:
                given[name] = value
                continue
            owner = place["owner"]
            if owner not in owners:
                class_ = getattr(sys.modules[_NAME], place["class"])
                given[owner] = owners[owner] = _made_object(class_)
            held = value[0] if place["boxed"] else value
            _set(owners[owner], place["name"], held) if owner else setattr(owners[owner], place["name"], held)
        return given, owners

    def _parts(self, answer: object) -> list[object]:
        """Several results, of which some are dictionaries and sets."""
        results = self._result["parts"]
        if not isinstance(answer, tuple | list) or len(answer) != len(results):
            raise WrongResult(f"the source does not return {len(results)} values")
        return [
            {"value": _array(value, each["items"][0]["rank"]) if each["items"][0]["rank"] else _plain(value)}
            if each["kind"] == "value"
            else self._entries(value, each)
            for value, each in zip(answer, results, strict=True)
        ]

    @staticmethod
    def _entries(answer: object, result: Mapping[str, Any]) -> list[list[Number]]:
        """A dictionary or set as pairs; in those of a set there is 0."""
        if not isinstance(answer, dict if result["kind"] == "dict" else set | frozenset):
            raise WrongResult(f"the source gives {type(answer).__name__} where a {result['kind']} was expected")
        pairs: Iterable[tuple[object, Any]] = answer.items() if isinstance(answer, dict) else ((key, 0) for key in answer)
        parts = len(result["items"]) - 1
        if parts < 2:
            return [[_plain(key), _plain(value)] for key, value in pairs]
        if any(not isinstance(value, tuple) or len(value) != parts for _, value in pairs):
            raise WrongResult(f"the source gives values that are no tuples of {parts}")
        return [[_plain(key), *map(_plain, value)] for key, value in pairs]

    def _converter(self, dtype: str, fields: Sequence[Any]) -> Callable[[Any], Any]:
        """What makes a value of a type; records are those of the source's class."""
        if not fields:
            return str if dtype == "str" else _converter(dtype)
        parts = [self._converter(part, inner) for _, part, inner in fields]
        if dtype == "tuple":
            return lambda value: tuple(convert(part) for convert, part in zip(parts, value, strict=True))
        record = dict if dtype == "dict" else getattr(sys.modules[_NAME], dtype)
        named = dict(zip((name for name, _, _ in fields), parts, strict=True))
        return lambda value: record(**{name: convert(value[name]) for name, convert in named.items()})

    def _made(self, param: Mapping[str, Any], arg: Argument) -> Any:  # noqa: ANN401 - what the function takes
        convert = self._converter(param["dtype"], param.get("fields", ()))
        if param["name"] in self._strings:
            return "".join(map(chr, arg if param["rank"] else [arg]))
        if not param["rank"] and param["name"] in self._numpy:
            import numpy

            return numpy.dtype(_DTYPES.get(param["dtype"]) or _long_name(param["dtype"])).type(arg)
        if not param["rank"]:
            return convert(arg)
        shape, cells = ([len(arg)], arg) if isinstance(arg, list) else (arg["shape"], arg["cells"])
        if param["name"] in self._numpy:
            import numpy

            made = numpy.array(cells, dtype=_DTYPES.get(param["dtype"]) or _long_name(param["dtype"])).reshape(shape)
            if param["name"] not in self._tensors:
                return made
            import torch

            return torch.from_numpy(made)
        if param["name"] in self._sets:
            return {convert(cell) for cell in cells}
        return _nested([convert(cell) for cell in cells], shape)

    def _results(self, answer: object) -> list[object]:
        items = self._result["items"]
        if self._result["kind"] == "none":
            return []
        if "form" in self._result:
            answer = tuple(in_a_row(answer, self._result["form"], iter(items)))
        values = list(answer) if self._result["kind"] == "tuple" and isinstance(answer, tuple | list) else [answer]
        if len(values) != len(items):
            raise WrongResult(f"the source returns {len(values)} values, not {len(items)}")
        return [_array(value, item["rank"]) if item["rank"] else _plain(value) for value, item in zip(values, items, strict=True)]

    def _has_complex(self, answer: object) -> bool:
        values = answer if isinstance(answer, list | tuple) else [answer]
        return any(isinstance(value, complex) for value in values)


def _made_object(class_: type) -> Any:  # noqa: ANN401
    """An object whose fields are set after that; a module of PyTorch has what its constructor makes of small numbers."""
    if not any(base.__module__.startswith("torch.nn.") for base in class_.__mro__):
        return object.__new__(class_)
    params = [each for each in inspect.signature(class_).parameters.values() if each.default is each.empty]
    try:
        return class_(*(1 for each in params if each.kind is each.POSITIONAL_OR_KEYWORD))
    except Exception:  # noqa: BLE001 - it takes something else, and the module need not have parts
        import torch

        made: Any = object.__new__(class_)
        torch.nn.Module.__init__(made)
        return made


def _set(owner: Any, name: str, value: Any) -> None:  # noqa: ANN401
    """A field, or one of a part of a module."""
    part, _, attribute = name.rpartition(".")
    holder = getattr(owner, part) if part else owner
    object.__setattr__(holder, attribute, value)
    if part and attribute == "weight" and hasattr(holder, "normalized_shape"):
        object.__setattr__(holder, "normalized_shape", tuple(value.shape))


def in_a_row(answer: Any, form: Sequence[Any], items: Iterator[Mapping[str, Any]], *, there: bool = True) -> Iterator[Any]:  # noqa: ANN401
    """The values of which a result of the form is made; behind a False for what is None, 0 and empty strings and lists."""
    optional, parts, fields = form
    if optional:
        next(items)
        there = there and answer is not None
        yield there
    if parts is None:
        item = next(items)
        yield answer if there else [] if item["rank"] else "" if item["dtype"] == "str" else _converter(item["dtype"])(0)
        return
    if there and fields and not isinstance(answer, tuple):  # the source; generated code gives a tuple
        answer = tuple(getattr(answer, name) for name in fields)
    if there and (not isinstance(answer, tuple | list) or len(answer) != len(parts)):
        raise WrongResult(f"{type(answer).__name__} where a tuple of {len(parts)} values was expected")
    for at, part in enumerate(parts):
        yield from in_a_row(answer[at] if there else None, part, items, there=there)


def load(source: Mapping[str, Any], params: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> Interpreted:
    """The source, ready to run."""
    return Interpreted(source, params, result)


def _function(file: str, name: str, unit: str) -> Callable[..., object]:
    """The function, after the file has been imported; beside it may be modules that it imports.

    `unit`: its text, where the file does not have it.
    """
    sys.path.insert(0, os.path.dirname(file))
    spec = importlib.util.spec_from_file_location(_NAME, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)
    if unit:
        exec(unit, module.__dict__)
    found = attrgetter(name)(module)
    function: Any = found.fget if isinstance(found, property) else found
    called: Callable[..., object] = function
    return called


def _keyword_only(function: Callable[..., object]) -> frozenset[str]:
    parameters = inspect.signature(function).parameters.values()
    return frozenset(each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY)


def _method(name: str, function: Callable[..., object]) -> tuple[type, str] | None:
    """The class of a method, and what the method calls its object."""
    class_ = name.rpartition(".")[0]
    return (getattr(sys.modules[_NAME], class_), next(iter(inspect.signature(function).parameters))) if class_ else None


@contextmanager
def strict(wraps: bool) -> Iterator[None]:
    """NumPy's warnings, and infinities and NaN of PyTorch's operators, as exceptions, where these are in use.

    `wraps`: not the warning that an integer does not fit its type, which wraps around.
    """
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    over = "ignore" if wraps else "raise"
    with numpy.errstate(all="raise", under="ignore", over=over) if numpy is not None else nullcontext():
        with _finite(torch) if torch is not None else nullcontext():
            yield


def _finite(torch: Any) -> AbstractContextManager[object]:  # noqa: ANN401 (the library)
    """What looks at the result of each operator of PyTorch."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Finite(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ANN401
            made = func(*args, **(kwargs or {}))
            for each in made if isinstance(made, list | tuple) else [made]:
                unset = "empty" in str(func)
                if isinstance(each, torch.Tensor) and each.is_floating_point() and not unset and not each.isfinite().all():
                    raise FloatingPointError(f"{func} gives infinities or NaN")
            return made

    return Finite()


def _converter(dtype: str) -> Callable[[Any], Any]:
    return float if dtype in ("f32", "f64") else bool if dtype == "bool" else int


def _long_name(dtype: str) -> str:
    return f"{'uint' if dtype[0] == 'u' else 'int'}{dtype[1:]}"


def _nested(cells: list[Number], shape: Sequence[int]) -> Nested:
    if len(shape) == 1:
        return cells
    step = len(cells) // shape[0] if shape[0] else 0
    return [_nested(cells[row * step : (row + 1) * step], shape[1:]) for row in range(shape[0])]


def _array(value: Nested, rank: int) -> object:
    """Nested lists or an array as it is sent: rows of unequal length are told by a shape that nothing has."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    shape, cells = _flat(value, rank)
    return cells if rank == 1 else {"shape": shape, "cells": cells}


def _flat(value: Nested, rank: int) -> tuple[list[int], list[Number]]:
    if not isinstance(value, list | tuple):
        raise WrongResult(f"the source gives {type(value).__name__} where a list of {rank} axes was expected")
    if rank == 1:
        return [len(value)], [_plain(item) for item in value]
    parts = [_flat(row.tolist() if hasattr(row, "tolist") else row, rank - 1) for row in value]
    inner = parts[0][0] if parts else [0] * (rank - 1)
    if any(shape != inner for shape, _ in parts):
        return [-1] * rank, []
    return [len(parts), *inner], [cell for _, cells in parts for cell in cells]


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever the source gives
    """A number as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return [_plain(getattr(value, name)) for name in value.__dataclass_fields__]
    plain = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, bool | int | float | str):
        raise WrongResult(f"the source gives {type(value).__name__} where a number was expected")
    return plain
