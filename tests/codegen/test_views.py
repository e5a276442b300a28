"""Random affine views, read and written, in both libraries, against the indices themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.codegen import generate
from metalift.ir.expr.build import at_most, plus
from metalift.ir.expr.nodes import Build, Expr, Select, Var, integer
from metalift.ir.expr.types import INT
from metalift.ir.interp.interpret import evaluate
from metalift.ir.program.assumption import Assumption
from metalift.ir.program.summary import TargetProgram, Write
from tests.codegen.programs import Case, array, at_least_zero, exact, mul, params, size
from tests.codegen.test_generated_code import load
from tests.support.lazily import module

torch = module("torch")

M, N, LD = size("m"), size("n"), size("ld")
BINDERS = (Var("i", INT), Var("j", INT), Var("k", INT))
OUT, X = array("out"), array("x")


@dataclass(frozen=True)
class Sample:
    """A view x[start + strides * binders], and values of the sizes; `known` says that `ld` is known to be positive."""

    extents: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    start: Expr
    sizes: tuple[int, int, int]
    known: bool

    @property
    def index(self) -> Expr:
        """The index at the binders."""
        result = self.start
        for binder, stride in zip(BINDERS, self.strides, strict=False):
            result = plus(result, mul(binder, stride))
        return result

    @property
    def environment(self) -> dict[str, Any]:
        """Values of the parameters."""
        return dict(zip(("m", "n", "ld"), self.sizes, strict=True))

    def spread(self) -> Sample:
        """What is there to be read: elements that are spread over an axis exist even where that is empty."""
        pairs = zip(self.extents, self.strides, strict=True)
        shape = tuple(integer(1) if stride == integer(0) else extent for extent, stride in pairs)
        return Sample(shape, self.strides, self.start, self.sizes, self.known)

    def indices(self) -> np.ndarray[Any, Any]:
        """The indices of all elements."""
        build = Build(self.extents, BINDERS[: len(self.extents)], self.index)
        return np.array(evaluate(build, self.environment), dtype=np.int64)


def extents() -> st.SearchStrategy[Expr]:
    """How many elements an axis has."""
    return st.sampled_from([exact(M), exact(N), integer(1), integer(2), integer(3), plus(exact(N), integer(-1))])


def strides() -> st.SearchStrategy[Expr]:
    """Distances of elements."""
    plain = [integer(value) for value in (0, 1, 1, 2, 3, -1, -2)]
    return st.sampled_from([*plain, exact(N), exact(M), exact(LD), mul(M, N), mul(integer(2), N), mul(integer(-1), LD)])


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Views of one to three axes; the start makes all indices non-negative."""
    rank = draw(st.integers(1, 3))
    shape = tuple(draw(extents()) for _ in range(rank))
    if draw(st.booleans()):  # the strides of a contiguous tensor, in some order of the axes
        order = draw(st.permutations(range(rank)))
        found: dict[int, Expr] = {}
        step: Expr = integer(1)
        for axis in order:
            found[axis] = step
            step = mul(step, shape[axis])
        distances = tuple(found[axis] for axis in range(rank))
    else:
        distances = tuple(draw(strides()) for _ in range(rank))
    values = (draw(st.integers(0, 4)), draw(st.integers(0, 4)), draw(st.integers(1, 6)))
    known = draw(st.booleans())
    sample = Sample(shape, distances, integer(0), values, known)
    lowest = sample.spread().indices().min(initial=0)
    return Sample(shape, distances, integer(int(draw(st.integers(0, 3)) - lowest)), values, known)


def run(case: Case, library: str, given_arrays: list[np.ndarray[Any, Any]], sample: Sample) -> Any:  # noqa: ANN401
    """Runs the generated code; the arrays are changed in place."""
    function = load(generate(case.request_for(library)).text)
    arrays = [torch.from_numpy(each) if library == "pytorch" else each for each in given_arrays]
    return function(*arrays, *sample.sizes)


def case_of(sample: Sample, program: TargetProgram, extent: int) -> Case:
    """The program as a function of both arrays and the sizes; the view's array has that many elements."""
    facts = list(at_least_zero(M, N))
    if sample.known:
        facts.append(Assumption("ld >= 1", at_most(integer(1), exact(LD))))
    return Case("view", params(OUT, X, M, N, LD), program, (("x", integer(extent)),), tuple(facts))


@settings(max_examples=100, deadline=None)
@given(samples())
def test_read(sample: Sample) -> None:
    view = Build(sample.extents, BINDERS[: len(sample.extents)], Select(X, (sample.index,)))
    cells = sample.indices()
    extent = int(sample.spread().indices().max(initial=-1)) + 1
    x = np.arange(extent, dtype=np.float32) + 1
    for library in ("numpy", "pytorch"):
        case = case_of(sample, TargetProgram((), (), view), extent)
        found = run(case, library, [np.zeros(1, dtype=np.float32), x.copy()], sample)
        np.testing.assert_array_equal(np.asarray(found).reshape(-1), x[cells].reshape(-1))
        assert tuple(found.shape) == cells.shape or not cells.size


@settings(max_examples=100, deadline=None)
@given(samples())
def test_write(sample: Sample) -> None:
    cells = sample.indices()
    if len(np.unique(cells)) != cells.size or any(stride == integer(0) for stride in sample.strides):
        return
    binders = BINDERS[: len(sample.extents)]
    flat: Expr = integer(0)
    for binder, count in zip(binders, sample.extents, strict=True):
        flat = plus(mul(flat, count), binder)
    window = Build(sample.extents, binders, Select(X, (sample.index,)))
    value = Build(sample.extents, binders, Select(OUT, (flat,)))
    extent = int(cells.max(initial=-1)) + 1
    source = np.arange(max(cells.size, 1), dtype=np.float32) + 1
    for library in ("numpy", "pytorch"):
        x = np.zeros(extent + 2, dtype=np.float32)
        wanted = x.copy()
        wanted[cells.reshape(-1)] = source[: cells.size]
        run(case_of(sample, TargetProgram((), (Write(X, window, value),), None), extent), library, [source, x], sample)
        np.testing.assert_array_equal(x, wanted)
