"""Runs compiled source in the worker process (it imports nothing of metalift): see `metalift.run.workers.wrapper`."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Number = bool | int | float | str
Answer = dict[str, Any]
Argument: TypeAlias = Any  # of JSON: a number, a list, or an object
Cells: TypeAlias = Any  # an array of ctypes
Pointers = ctypes.Array[ctypes.c_void_p]
Lengths = ctypes.Array[ctypes.c_int64]

RANK = 3  # axes for which `lengths` has room, for each argument and result
_PAGE = mmap.PAGESIZE
_CTYPES: dict[str, Any] = {
    "bool": ctypes.c_uint8,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "str": ctypes.c_void_p,  # of characters, the last of which is null
}
BYTES = {name: ctypes.sizeof(type_) for name, type_ in _CTYPES.items()}


class Arena:
    """Memory for one array, between two protected pages: a read or write past the array's end, or before it, is a crash."""

    def __init__(self, libc: ctypes.CDLL) -> None:
        self._libc = libc
        self._size = 0
        self._map: mmap.mmap | None = None
        self._base = 0

    def place(self, content: Cells, *, at_end: bool) -> int:
        """The address of a copy of a ctypes object, which ends at the upper protected page, or begins at the lower one."""
        size = ctypes.sizeof(content)
        if self._map is None or size > self._size:
            self._allocate(max(_PAGE, -(-size // _PAGE) * _PAGE))
        address = self._base + (self._size - size if at_end else 0)
        ctypes.memmove(address, content, size)
        return address

    def _allocate(self, size: int) -> None:
        self._map = mmap.mmap(-1, size + 2 * _PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._size, self._base = size, start + _PAGE
        for address in (start, self._base + size):
            if self._libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(_PAGE), 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")


class Compiled:
    """The compiled source: one library for values, and one that watches for undefined behaviour."""

    def __init__(self, values: str, checked: str, params: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> None:
        self._params = params
        self._result = result
        self._items = _columns(result)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.free.argtypes = [ctypes.c_void_p]
        self._arenas: dict[tuple[int, ...], Arena] = {}
        self._values = self._load(values)
        self._checked = self._load(checked)
        self._count = 0
        self._texts: dict[str, Cells] = {}  # that arguments of a call point to

    @staticmethod
    def _load(path: str) -> ctypes.CDLL:
        library = ctypes.CDLL(path)
        library.metalift_call.restype = ctypes.c_int
        return library

    def run(self, args: Sequence[Any]) -> Answer:
        """Run the checked build, then, where it saw nothing undefined, the optimised one."""
        self._count += 1
        if self._call(self._checked, args) is None:
            problem = ctypes.c_char_p.in_dll(self._checked, "metalift_problem").value or b"?"
            return {"undefined": problem.decode().replace("_", " ")}
        answer = self._call(self._values, args)
        assert answer is not None
        return answer

    def _call(self, library: ctypes.CDLL, args: Sequence[Any]) -> Answer | None:
        items = self._items
        count = len(self._params)
        data = (ctypes.c_void_p * (count + max(1, len(items))))()
        lengths = (ctypes.c_int64 * (RANK * len(data)))()
        for position, (param, arg) in enumerate(zip(self._params, args, strict=True)):
            self._pass(position, param, arg, data, lengths)
        scalars = [(_CTYPES.get(item["dtype"], ctypes.c_void_p) * 1)() for item in items]
        for position, scalar in enumerate(scalars, count):
            data[position] = ctypes.addressof(scalar)
        if library.metalift_call(data, lengths) != 0:
            return None
        arrays = [self._array(position, param, data, lengths) for position, param in enumerate(self._params)]
        results: list[Any] = [
            self._take(position, item, data, lengths) if item["rank"] else _plain(scalar[0], item["dtype"])
            for position, (item, scalar) in enumerate(zip(items, scalars, strict=True), count)
        ]
        if self._result["kind"] in ("dict", "set"):
            columns = results if len(results) > 1 else [results[0], [0] * len(results[0])]
            return {"results": [], "items": [list(entry) for entry in zip(*columns, strict=True)], "arrays": arrays}
        if self._items is not self._result["items"]:
            results = [[list(record) for record in zip(*results, strict=True)]]
        return {"results": results, "arrays": arrays}

    def _pass(self, position: int, param: Mapping[str, Any], arg: Argument, data: Pointers, lengths: Lengths) -> None:
        """Puts an argument in its slot."""
        at = RANK * position
        if isinstance(arg, dict) and "same" in arg:
            other = RANK * arg["same"]
            data[position] = data[arg["same"]]
            for axis in range(RANK):
                lengths[at + axis] = lengths[other + axis]
            return
        shape, cells = _shape_and_cells(arg)
        for axis, extent in enumerate(shape):
            lengths[at + axis] = extent
        if param.get("layout"):
            data[position] = self._place((position,), self._packed(param, cells))
            return
        held = [self._held(cell, param["dtype"]) for cell in cells]
        content = (_CTYPES[param["dtype"]] * len(cells))(*held)
        if param["kind"] == "pointer" and len(shape) > 1:
            data[position] = self._rows((position,), content, shape)
        else:
            data[position] = self._place((position,), content)

    def _held(self, cell: Any, dtype: str) -> Any:  # noqa: ANN401 (what ctypes takes)
        """A value as it lies in memory: of a string its address."""
        if dtype != "str":
            return cell
        return ctypes.addressof(self._texts.setdefault(cell, ctypes.create_string_buffer(cell.encode())))

    def _packed(self, param: Mapping[str, Any], records: Sequence[Any]) -> Cells:
        """Structs as they lie in memory, with the addresses of strings in the place of these."""
        *offsets, size = param["layout"]
        content = bytearray(size * len(records))
        for number, record in enumerate(records):
            parts = record.values() if isinstance(record, dict) else record
            for offset, (_, dtype, _), part in zip(offsets, param["fields"], parts, strict=True):
                _CTYPES[dtype].from_buffer(content, number * size + offset).value = self._held(part, dtype)
        return (ctypes.c_char * len(content)).from_buffer(content)

    def _place(self, path: tuple[int, ...], content: Cells) -> int:
        arena = self._arenas.setdefault(path, Arena(self._libc))
        return arena.place(content, at_end=self._count % 2 == 0)

    def _rows(self, path: tuple[int, ...], content: Cells, shape: Sequence[int]) -> int:
        """The address of pointers to rows, each in memory of its own: leaving a row is a crash."""
        if len(shape) == 1:
            return self._place(path, content)
        step = len(content) // shape[0] if shape[0] else 0
        rows = [(content._type_ * step)(*content[row * step : (row + 1) * step]) for row in range(shape[0])]
        addresses = [self._rows((*path, number), row, shape[1:]) for number, row in enumerate(rows)]
        return self._place(path, (ctypes.c_void_p * shape[0])(*addresses))

    def _array(self, position: int, param: Mapping[str, Any], data: Pointers, lengths: Lengths) -> Argument:
        """What an array argument holds after the call; None for a scalar."""
        if not param["rank"]:
            return None
        if param["kind"] == "vector reference":
            return self._take(position, param, data, lengths)
        shape = _shape_of(position, param, lengths)
        address = data[position] or 0
        if param.get("layout"):
            return _unpacked(param, address, shape[0])
        if param["kind"] == "pointer" and len(shape) > 1:
            return _array_of(shape, self._row_cells(address, param["dtype"], shape))
        return _array_of(shape, _read(address, _count(shape), param["dtype"]))

    def _row_cells(self, address: int, dtype: str, shape: Sequence[int]) -> list[Number]:
        if len(shape) == 1:
            return _read(address, shape[0], dtype)
        if shape[0] == 0:
            return []
        rows = (ctypes.c_void_p * shape[0]).from_address(address)
        return [cell for row in rows for cell in self._row_cells(row or 0, dtype, shape[1:])]

    def _take(self, position: int, item: Mapping[str, Any], data: Pointers, lengths: Lengths) -> Argument:
        """An array that was copied to memory from malloc; rows of unequal length are told by a shape that nothing has."""
        shape = _shape_of(position, item, lengths)
        address = data[position] or 0
        if item.get("layout"):
            cells: list[Any] = _unpacked(item, address, shape[0])
        else:
            cells = [] if -1 in shape else _read(address, _count(shape), item["dtype"])
        self._libc.free(address)
        return _array_of(shape, cells)


def load(source: Mapping[str, Any], params: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> Compiled:
    """The source, ready to run."""
    return Compiled(source["values"], source["checked"], params, result)


def _columns(result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The results that the wrapper gives: of an array of structs an array for each part."""
    items: Sequence[Mapping[str, Any]] = result["items"]
    if result["kind"] != "one" or not items[0]["fields"]:
        return items
    return [{"dtype": dtype, "rank": 1} for _, dtype, _ in items[0]["fields"]]


def _unpacked(param: Mapping[str, Any], address: int, count: int) -> list[Any]:
    """The parts of each struct."""
    *offsets, size = param["layout"]
    places = [(offset, dtype) for offset, (_, dtype, _) in zip(offsets, param["fields"], strict=True)]
    return [[_read(address + size * number + offset, 1, dtype)[0] for offset, dtype in places] for number in range(count)]


def _shape_and_cells(arg: Argument) -> tuple[list[int], list[Number]]:
    if isinstance(arg, dict):
        return arg["shape"], arg["cells"]
    return ([len(arg)], arg) if isinstance(arg, list) else ([], [arg])


def _shape_of(position: int, entry: Mapping[str, Any], lengths: Lengths) -> list[int]:
    at = RANK * position
    return list(lengths[at : at + entry["rank"]])


def _array_of(shape: list[int], cells: list[Number]) -> Argument:
    return cells if len(shape) == 1 else {"shape": shape, "cells": cells}


def _count(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _read(address: int, length: int, dtype: str) -> list[Number]:
    if length == 0:
        return []
    return [_plain(item, dtype) for item in (_CTYPES[dtype] * length).from_address(address)]


def _plain(item: Number, dtype: str) -> Number:
    if dtype == "str":
        return ctypes.string_at(int(item)).decode()
    return bool(item) if dtype == "bool" else item
