"""A function of a Python file, run by CPython and, as a fragment, by the interpreter, on the same random inputs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from math import isclose, isfinite
from pathlib import Path
from typing import Any

from metalift.frontend import import_function, open_source
from metalift.ir.expr.types import BoolType, IntType, MachineInt, RealType, ScalarType, TensorType
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, Tensor, run
from metalift.ir.program.fragment import Fragment, Param
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.run.workers.jobs import form_entry, param_entry, result_entry
from metalift.run.workers.python_run import Interpreted
from metalift.run.workers.python_source import PythonSource

Given = Any  # numbers and nested lists of them
CHARACTERS = "aab(Z09\u00e9\U0001f600"  # of which some are no ASCII


@dataclass(slots=True)
class Runs:
    """How many inputs were compared, how many CPython raised on, and on how many an assumption did not hold."""

    compared: int = 0
    raised: int = 0
    assumed: int = 0


def fragment_of(path: Path, name: str) -> Fragment:
    """The well-formed fragment of a function."""
    fragment = import_function(open_source(path), name)
    check_fragment(fragment)
    return fragment


def against_cpython(path: Path, name: str, tries: int = 60, seed: int = 0) -> Runs:
    """Run both; raises AssertionError where CPython gives a result and the fragment gives none, or another."""
    fragment = fragment_of(path, name)
    params = [param_entry(param) for param in fragment.params]
    result = {**result_entry(fragment.result), **form_entry(fragment.form)}
    native = Interpreted(PythonSource(fragment, path).wait(), params, result)
    rng = random.Random(f"{name} {seed}")
    runs = Runs()
    for _ in range(tries):
        args = _arguments(fragment, rng)
        answer = native.run([_sent(args[param.var.name], param) for param in fragment.params])
        if "undefined" in answer or not _finite(answer):
            runs.raised += 1
            continue
        try:
            outcome = run(fragment, args, max_steps=100_000)
        except AssumeViolated:
            runs.assumed += 1
            continue
        except (SourceUndefined, LimitExceeded) as problem:
            raise AssertionError(f"{name}({args}) is {answer} in CPython, but its fragment says: {problem}") from problem
        runs.compared += 1
        for param, after in zip(fragment.params, answer["arrays"], strict=True):
            if after is not None:
                _same(outcome.arrays[param.var.name], after, f"{name}({args}): {param.var.name}")
        found = outcome.result if isinstance(outcome.result, tuple) else (outcome.result,)
        for value, expected in zip(found, answer["results"], strict=False):
            _same(value, expected, f"{name}({args})")
        assert fragment.result is None or len(found) == len(answer["results"])
    return runs


def _arguments(fragment: Fragment, rng: random.Random) -> dict[str, Given]:
    size, width = rng.choice((0, 1, 2, 3, 4, 5, 8)), rng.choice((1, 2, 3, 4))
    same = rng.random() < 0.7
    args: dict[str, Given] = {}
    for param in fragment.params:
        type_ = param.var.type
        if not isinstance(type_, TensorType):
            assert isinstance(type_, ScalarType)
            args[param.var.name] = ord(rng.choice(CHARACTERS)) if param.c_type == "str" else _number(type_, rng)
            continue
        if param.room is not None:
            args[param.var.name] = _nested(type_.element, [param.room], rng)
            continue
        shape = [size, *(width,) * (type_.rank - 1)]
        if not same:
            shape = [rng.choice((shape[0], width, rng.randrange(6))), *shape[1:]]
        if param.c_type == "str":
            args[param.var.name] = [ord(rng.choice(CHARACTERS)) for _ in range(shape[0])]
            continue
        if type_.rank > 1 and rng.random() < 0.4:
            shape = [shape[-1]] * type_.rank
        args[param.var.name] = _nested(type_.element, shape, rng)
    return args


def _nested(type_: ScalarType, shape: list[int], rng: random.Random) -> Given:
    return [_number(type_, rng) if len(shape) == 1 else _nested(type_, shape[1:], rng) for _ in range(shape[0])]


def _number(type_: ScalarType, rng: random.Random) -> bool | int | Fraction:
    match type_:
        case BoolType():
            return rng.random() < 0.5
        case IntType():
            return rng.choice((rng.randint(-3, 4), rng.randint(-12, 12)))
        case MachineInt():
            return rng.randint(max(type_.low, -100), min(type_.high, 255))
        case RealType():
            return Fraction(rng.randint(-24, 24), 8)


def _sent(value: Given, param: Param) -> Given:
    """The argument as the worker would get it."""
    if isinstance(value, Fraction):
        return float(value)
    if not isinstance(value, list):
        return value
    type_ = param.var.type
    assert isinstance(type_, TensorType)
    if type_.rank == 1:
        return [_sent(item, param) for item in value]
    shape, cells = [], value
    for _ in range(type_.rank):
        shape.append(len(cells))
        cells = cells[0] if cells else []
    flat = value
    for _ in range(type_.rank - 1):
        flat = [item for row in flat for item in row]
    return {"shape": shape, "cells": [_sent(item, param) for item in flat]}


def _finite(answer: dict[str, Given]) -> bool:
    numbers = [item for value in (*answer["results"], *answer["arrays"]) for item in _cells(value)]
    return all(isfinite(item) for item in numbers if isinstance(item, float))


def _cells(value: Given) -> list[Given]:
    if isinstance(value, dict):
        return list(value["cells"])
    return value if isinstance(value, list) else [value]


def _flat(value: Given) -> list[Given]:
    if isinstance(value, list):
        return [cell for item in value for cell in _flat(item)]
    return [value]


def _same(found: Given, expected: Given, where: str) -> None:
    if isinstance(found, Tensor):
        found = found.nested()
    if isinstance(expected, dict):
        assert not found or expected["shape"][0] == len(found), f"{where}: {found} and not {expected}"
        if found and expected["shape"][0]:
            assert expected["shape"][1] == len(found[0]), f"{where}: {found} and not {expected}"
        expected, found = expected["cells"], _flat(found)
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected), f"{where}: {found} and not {expected}"
        for one, other in zip(found, expected, strict=True):
            _same(one, other, where)
        return
    close = isclose(float(found), expected, rel_tol=1e-6 if isinstance(expected, float) else 0.0, abs_tol=1e-6)
    assert close, f"{where}: {found} and not {expected}"
