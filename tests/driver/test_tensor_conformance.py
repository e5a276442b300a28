"""Every operator of the tensor driver: its spelling, run in each library that is installed, computes its meaning."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from drivers.tensor import driver
from metalift.app.conformance.engines import Started, in_engine, started
from metalift.app.conformance.samples import Sample, samples
from metalift.driver import Operator
from metalift.ir.expr.types import TensorType

MOST = 10  # applications of an operator; `metalift drivers check tensor` runs them all
COMPILED = 1  # where each new shape is compiled


@cache
def sampled(name: str) -> tuple[Sample, ...]:
    return tuple(samples(driver.operators[name]))


def library(name: str) -> Started:
    found = started(driver.target(name))
    if isinstance(found, str):
        pytest.skip(f"{found} is not installed")
    return found


def spelled(target: str) -> Iterator[Operator]:
    for operator in driver.operators.values():
        if operator.spelling(target) is not None or operator.spelling(target, on_numbers=True) is not None:
            yield operator


@pytest.mark.quick("numpy", "pytorch")
@pytest.mark.parametrize("target", [target.name for target in driver.targets])
def test_spellings_compute_the_meanings(target: str) -> None:
    on = library(target)
    most = MOST if on.target.engine.shapes is None else COMPILED
    found = {operator.name: in_engine(operator, on, sampled(operator.name), most) for operator in spelled(target)}
    assert [f"{name}: {runs.failure}" for name, runs in found.items() if not runs.ok] == []
    assert [name for name, runs in found.items() if runs.agreed < COMPILED] == []


def test_samples_reach_what_libraries_get_wrong() -> None:
    """No element, one, extremes of a type, negative operands of a division, and all ranks up to 4."""
    values = [value for sample in sampled("floor_quotient") for value in sample.values if isinstance(value, int)]
    assert any(value < 0 for value in values) and any(abs(value) >= 2**31 - 1 for value in values)
    added = sampled("add")
    assert {type_.rank if isinstance(type_, TensorType) else 0 for sample in added for type_ in sample.types} == {0, 1, 2, 3, 4}
    lengths = {len(value) for sample in added for value in sample.values if isinstance(value, list)}
    assert {0, 1, 3} <= lengths


@pytest.mark.parametrize("target", ["numpy", "pytorch", "mlx"])
def test_arrays_with_gaps_are_tried(target: str) -> None:
    on = library(target)
    sample = next(one for one in sampled("add") if all(isinstance(v, list) and len(v) == 3 for v in one.values))
    array = on.array(sample.values[0], sample.types[0], strided=True)
    assert on.engine.plain(array) == on.engine.plain(on.array(sample.values[0], sample.types[0]))
    if target == "numpy":
        assert not array.flags.c_contiguous
