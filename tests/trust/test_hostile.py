"""Functions that were written to be translated wrongly: a fixed few are lifted, and run beside their sources."""

from __future__ import annotations

from benchmarks import hostile

FEW = ("floats.c:percent_trunc", "floats.c:same_as_float", "_numbers.py:bit_weight", "one_input_differs.py", "star_numpy.py")


def test_signatures_of_all_functions_are_read() -> None:
    found = [one for path in sorted(hostile.SOURCES.rglob("*.*")) for one in hostile.programs(path)]
    assert len(found) == 250
    assert {one.language for one in found} == {"c", "cc", "py"}


def test_a_few_are_not_proved_wrongly() -> None:
    assert hostile.main([*FEW, "--inputs", "60"]) == 0
