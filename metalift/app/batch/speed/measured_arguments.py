"""Arguments to measure with: sizes from the manifest, or by the bytes of all arrays; contents that are harmless."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_names
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.interp.values import SourceUndefined, Tensor
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.run.inputs.roles import Roles
from metalift.run.workers.compiled import BYTES
from metalift.run.workers.jobs import NotRunnable, dtype

BYTES_OF = {"small": 16 << 10, "cache": 512 << 10, "memory": 64 << 20}  # of all arrays together
LARGEST = 1 << 31  # of a parameter that says a size
SEED = 7


class NotMeasurable(Exception):
    """There is no fair way to time it; the message says why."""


@dataclass(frozen=True, slots=True)
class Values:
    """Arguments by parameter. Arrays are as they are before each call; `written` are those that it changes, in order."""

    scalars: Mapping[str, Any]
    arrays: Mapping[str, Any]
    written: tuple[str, ...]
    parameters: Mapping[str, float] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

@dataclass(frozen=True, slots=True)
class Sizes:
    """Finds arguments of a function. `shapes` are the extents of its arrays, `conditions` what its parameters must satisfy."""

    fragment: Fragment
    roles: Roles
    shapes: Mapping[str, Sequence[Expr]]
    conditions: Sequence[Expr]
    written: tuple[str, ...]

    def given(self, values: Mapping[str, float]) -> Values:
        """As the manifest says; what it does not name is 64. Raises NotMeasurable."""
        return self._made({name: int(values.get(name, 64)) for name in self.slots()}, values)

    def of_bytes(self, size: int) -> Values:
        """With arrays of about so many bytes. Raises NotMeasurable."""
        for others in (None, 0, 1, 2):
            slots = self._fitting(size, others)
            try:
                return self._made(slots, {})
            except NotMeasurable:
                if others == 2:
                    raise
        raise AssertionError

    def slots(self) -> list[str]:
        """What says a size: integer parameters that decide trip counts or extents, and the axes of vectors."""
        named = {name for shape in self.shapes.values() for extent in shape for name in free_names(extent)}
        found = []
        for param in self.fragment.params:
            if isinstance(param.var.type, TensorType):
                vector = param.kind is not ParamKind.POINTER
                found += [_axis(param.var.name, axis) for axis in range(param.var.type.rank) if vector]
            elif dtype(param.var.type)[0] in "iu" and (param.var in self.roles.sizes or param.var.name in named):
                found.append(param.var.name)
        return found

    def _fitting(self, size: int, others: int | None) -> dict[str, int]:
        """All sizes alike, as large as the bytes allow; those that no extent speaks of are `others`, if that is said."""
        slots = self.slots()
        arrays = {param.var.name for param in self.fragment.params if _is_array(param)}
        vectors = [slot for slot in slots if slot.partition("[")[0] in arrays]
        named = {name for shape in self.shapes.values() for extent in shape for name in free_names(extent)} | set(vectors)

        def at(number: int) -> dict[str, int]:
            return {slot: number if others is None or slot in named else others for slot in slots}

        if not any(_is_array(param) for param in self.fragment.params):
            return at(size // 64)
        low, high = 1, 2
        while high < LARGEST and self._bytes(at(high)) <= size:
            low, high = high, 2 * high
        while high - low > max(1, low // 64):
            middle = (low + high) // 2
            low, high = (middle, high) if self._bytes(at(middle)) <= size else (low, middle)
        return at(low)

    def _bytes(self, slots: Mapping[str, int]) -> int:
        scalars = self._scalars(slots, {})
        return sum(prod(shape) * BYTES[dtype(param.var.type)] for param, shape in self._shaped(scalars, slots))

    def _made(self, slots: Mapping[str, int], given: Mapping[str, float]) -> Values:
        try:
            scalars = self._scalars(slots, given)
            shaped = list(self._shaped(scalars, slots))
            env = {**scalars, **{p.var.name: Tensor(shape, []) for p, shape in shaped}}
            self._hold(env)
            rng = np.random.default_rng(SEED)
            least = min([extent for _, shape in shaped for extent in shape], default=1)
            arrays = {p.var.name: self._contents(p, shape, least, rng) for p, shape in shaped}
        except NotRunnable as problem:
            raise NotMeasurable(str(problem)) from problem
        return Values(scalars, arrays, self.written, dict(slots))

    def _scalars(self, slots: Mapping[str, int], given: Mapping[str, float]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for param in self.fragment.params:
            name, code = param.var.name, "" if _is_array(param) else dtype(param.var.type)
            if code in ("f32", "f64"):
                found[name] = float(given.get(name, 0.5))
            elif code == "bool":
                found[name] = bool(given.get(name, True))
            elif code:
                limit = np.iinfo(numpy_type(code)).max
                found[name] = min(int(slots.get(name, given.get(name, 3))), int(limit))
        return found

    def _shaped(self, scalars: Mapping[str, Any], slots: Mapping[str, int]) -> Iterator[tuple[Param, tuple[int, ...]]]:
        """The arrays with their shapes."""
        vectors = {
            p.var.name: tuple(slots[_axis(p.var.name, axis)] for axis in range(p.rank))
            for p in self.fragment.params
            if _is_array(p) and p.kind is not ParamKind.POINTER
        }
        env = {**scalars, **{name: Tensor(shape, []) for name, shape in vectors.items()}}
        for param in self.fragment.params:
            if not _is_array(param):
                continue
            name = param.var.name
            if name not in vectors and name not in self.shapes:
                raise NotMeasurable(f"how long {name} has to be is not known; say sizes in the manifest")
            yield param, vectors[name] if name in vectors else tuple(self._extent(each, env) for each in self.shapes[name])

    @staticmethod
    def _extent(extent: Expr, env: Mapping[str, Any]) -> int:
        try:
            found = evaluate(extent, env)
        except (SourceUndefined, KeyError, ValueError) as problem:
            raise NotMeasurable(f"sizes do not fit: {problem}") from problem
        assert isinstance(found, int)
        return max(0, found)

    def _hold(self, env: Mapping[str, Any]) -> None:
        """Conditions on numbers and shapes; those on contents are left to the code's own checks."""
        numbers = {name for name, value in env.items() if not isinstance(value, Tensor)}
        for condition in self.conditions:
            if free_names(condition) <= numbers:
                try:
                    holds = evaluate(condition, env, domain=lambda binder: range(0, 2), limit=10_000)
                except (SourceUndefined, ValueError, KeyError):
                    continue
                if holds is False:
                    raise NotMeasurable("sizes that are all alike are not what the code assumes; say sizes in the manifest")

    def _contents(self, param: Param, shape: tuple[int, ...], least: int, rng: Any) -> Any:  # noqa: ANN401
        """Floats near 1, and integers that are neither 0 nor so large that a sum of products overflows."""
        code = dtype(param.var.type)
        kind = numpy_type(code)
        if param.var in self.roles.pointing and code[0] in "iu":
            return rng.integers(0, max(1, min(least, int(np.iinfo(kind).max))), shape).astype(kind)
        if code in ("f32", "f64"):
            return rng.uniform(0.5, 1.5, shape).astype(kind)
        if code == "bool":
            return rng.integers(0, 2, shape).astype(kind)
        return rng.integers(1, 255 if code == "u8" else 8, shape).astype(kind)


def numpy_type(code: str) -> Any:  # noqa: ANN401
    """NumPy's element type of a code such as i32. Raises NotMeasurable where there is none."""
    if code == "int":
        raise NotMeasurable("compiled code has no integers without bound")
    if code == "bool":
        return np.dtype(np.bool_)
    return np.dtype({"i": "int", "u": "uint", "f": "float"}[code[0]] + code[1:])


def _axis(name: str, axis: int) -> str:
    return name if axis == 0 else f"{name}[{axis}]"


def _is_array(param: Param) -> bool:
    return isinstance(param.var.type, TensorType)
