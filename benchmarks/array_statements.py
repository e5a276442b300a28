"""Random statements on NumPy's arrays: what they are read as gives the values, dtypes and shapes that NumPy gives.

Usage, from the root of the project: python -m benchmarks.array_statements [--count N] [--seed S]

Each statement is a function of three arrays of random dtypes and a number. NumPy runs it, with floating-point errors raised as
exceptions; the interpreter runs its fragment on the same inputs. "agree": both gave the same; "refused": it is not read;
"raised": NumPy raises on each input; "restricted": the fragment assumes what no input had. Exit status 1 where any differ: these
are printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from benchmarks.array_forms import ANY, MATRICES, VECTORS
from metalift.frontend.python.annotations import numpy_name
from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.expr.types import BoolType, IntType, MachineInt, ScalarType, TensorType, TupleType
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, Tensor, run
from metalift.ir.program.fragment import Fragment, Unsupported

FATES = ("agree", "refused", "raised", "restricted", "DIFFER")
DTYPES = ("float64", "float64", "float64", "float32", "int64", "int64", "int32", "int16", "int8", "uint8", "uint16", "bool")
INPUTS = 4
INFIX = ("+", "-", "*", "+", "-", "*", "/", "//", "%", "&", "|", "^")
_RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
_REDUCED = ("sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "argmax", "argmin")
_UNARY = ("-{}", "abs({})", "np.abs({})", "np.sqrt(np.abs({}))", "np.square({})", "np.sign({})", "~{}", "np.logical_not({})")


@dataclass(slots=True)
class Writer:
    """Writes random expressions on `a` and `b` of `rank` axes, `v` of the length of the last one, and `k`."""

    forms: ClassVar = (ANY, VECTORS, MATRICES)  # of any arrays, of vectors, of matrices

    rng: random.Random
    rank: int

    def array(self, depth: int) -> str:
        """An expression that has the shape of `a`."""
        if depth == 0:
            return self.rng.choice(("a", "a", "b", "v"))
        kind = self.rng.randrange(12)
        if kind < 5:
            return f"({self.array(depth - 1)} {self.rng.choice(INFIX)} {self.other(depth - 1)})"
        if kind == 5:
            return self.rng.choice(_UNARY).format(self.array(depth - 1))
        if kind == 6:
            return f"np.where({self.test(depth - 1)}, {self.array(depth - 1)}, {self.other(depth - 1)})"
        if kind == 7:
            name = self.rng.choice(("maximum", "minimum"))
            return f"np.{name}({self.array(depth - 1)}, {self.other(depth - 1)})"
        if kind == 8:
            return f"{self.array(depth - 1)}.astype(np.{self.rng.choice(DTYPES)})"
        if kind == 9 and self.rank == 2:
            name, axis = self.rng.choice(_REDUCED[:9]), self.rng.choice((0, 1, -1))
            return f"({self.array(depth - 1)} + {self.array(depth - 1)}.{name}(axis={axis}, keepdims=True))"
        if kind == 10:
            return f"({self.array(depth - 1)} * {self.array(depth - 1)}.{self.rng.choice(_REDUCED)}())"
        return f"np.clip({self.array(depth - 1)}, {self.rng.randint(-3, 1)}, {self.rng.randint(2, 9)})"

    def other(self, depth: int) -> str:
        """The second operand: an array or a number."""
        numbers = ("2", "3", "0.5", "k", "-1", "a[0]" if self.rank == 1 else "a[0, 0]")
        return self.array(depth) if self.rng.random() < 0.6 else self.rng.choice(numbers)

    def test(self, depth: int) -> str:
        """An array of truth values."""
        return f"({self.array(depth)} {self.rng.choice(_RELATIONS)} {self.other(depth)})"

    def result(self) -> str:
        """What is returned."""
        made = self.array(self.rng.randrange(1, 4))
        rows = self.rank == 2
        forms = [
            made,
            made,
            made,
            f"({made}).{self.rng.choice(_REDUCED)}()",
            f"({made}).{self.rng.choice(_REDUCED)}(axis={self.rng.choice((0, 1))})" if rows else f"({made})[1:]",
            f"({made})[::-1]",
            f"({made})[{self.test(1)}]",
            f"np.cumsum({made}{', axis=0' if rows else ''})",
            f"({made}).T @ {self.array(1)}" if rows else f"({made}) @ {self.array(1)}",
            f"np.concatenate(({made}, {self.array(1)}))",
            f"({made}).reshape(-1)",
            f"({made})[None] + {self.array(1)}",
            f"({made})[..., 1:] - ({self.array(1)})[..., :-1]",
            f"({made})[{'0, 1' if rows else '-1'}]",
        ]
        return self.rng.choice(forms)

    def known(self) -> str:
        """One of the forms that are written down, of arrays or of what is made of them."""
        form = self.rng.choice(self.forms[0 if self.rng.random() < 0.5 else self.rank])
        return form.format(*(self.array(self.rng.choice((0, 0, 0, 1))) for _ in range(form.count("{}"))))

    def changes(self) -> str:
        """A statement that changes `a`."""
        where = self.rng.choice(("1:", ":-1", "::2", "::-1", self.test(1), ":")) if self.rank == 1 else self.rng.choice(
            ("1:", ":, 0", "0", ":, 1:", self.test(1), "::-1, :")
        )
        value = self.rng.choice((f"({self.array(1)})[{where}]", f"({self.array(2)})[{where}]", "k", "2"))
        return f"a[{where}] {self.rng.choice(('=', '+=', '-=', '*='))} {value}"


def written(rng: random.Random) -> tuple[str, tuple[str, ...], int]:
    """A module with a function `f`, the dtypes of its arrays, and their rank."""
    rank = rng.choice((1, 1, 2))
    one = rng.choice(DTYPES)
    dtypes = (one, rng.choice((one, rng.choice(DTYPES))), rng.choice((one, rng.choice(DTYPES))))
    if "float32" in dtypes:
        dtypes = tuple("float32" if each == "float64" else each for each in dtypes)  # type: ignore[assignment]
    writer = Writer(rng, rank)
    number = rng.choice(("int", "float"))
    chance = rng.random()
    body = f"    return {writer.result() if chance < 0.4 else writer.known()}" if chance < 0.8 else f"    {writer.changes()}"
    return f"import numpy as np\n\n\ndef f({', '.join(declared(dtypes, rank))}, k: {number}):\n{body}\n", dtypes, rank


def declared(dtypes: Sequence[str], rank: int) -> list[str]:
    """The array parameters with their annotations: two of so many axes, and a vector."""
    axes = zip("abv", (rank, rank, 1), dtypes, strict=True)
    return [f'{name}: "np.ndarray[tuple[{", ".join(["int"] * many)}], np.dtype[np.{dtype}]]"' for name, many, dtype in axes]


def arguments(rng: random.Random, dtypes: Sequence[str], rank: int, whole: bool, *, square: bool = False) -> dict[str, Any]:
    """Arrays of one shape, a vector that fits, and a number."""
    shape = tuple(rng.choice((0, 1, 2, 2, 3, 3, 4, 5)) for _ in range(rank))
    shape = shape[:1] * rank if square else shape
    args: dict[str, Any] = {}
    for name, dtype, extents in zip("abv", dtypes, (shape, shape, shape[-1:]), strict=True):
        count = int(np.prod(extents))
        if dtype == "bool":
            cells: list[Any] = [rng.random() < 0.5 for _ in range(count)]
        elif dtype.startswith("float"):
            cells = [rng.randint(-16, 16) / 4 for _ in range(count)]
        else:
            low, high = (0, 255) if dtype.startswith("u") else (-120, 120)
            cells = [rng.choice((rng.randint(low, high), rng.randint(max(low, -4), 4))) for _ in range(count)]
        args[name] = np.array(cells, dtype=dtype).reshape(extents)
    args["k"] = rng.randint(0, 5) if whole else rng.randint(-8, 8) / 4
    return args


def exact(value: Any) -> Any:  # noqa: ANN401 (whatever NumPy has)
    """A number or array of NumPy for the interpreter."""
    if isinstance(value, np.ndarray):
        return Tensor(value.shape, [exact(each) for each in value.reshape(-1)])
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return Fraction(float(value))
    return int(value)


def dtype_of(type_: ScalarType) -> str:
    """NumPy's name of the dtype."""
    return "int64" if isinstance(type_, IntType) and not isinstance(type_, MachineInt) else numpy_name(type_)


def same(found: Any, expected: Any, type_: ScalarType) -> bool:  # noqa: ANN401
    """Whether values, shape and dtype are those of NumPy; floats up to rounding."""
    array = np.asarray(expected)
    name = dtype_of(type_)
    if isinstance(expected, np.ndarray | np.generic) and array.dtype != np.dtype(name.removesuffix("_")):
        return False
    if isinstance(found, Tensor):
        if tuple(found.shape) != array.shape:
            return False
        found = found.nested()
    elif isinstance(found, list) and (not array.ndim or len(found) != len(array)):
        return False
    cells = np.array(_floats(found), dtype=object).reshape(-1)
    wanted = array.reshape(-1)
    if len(cells) != len(wanted):
        return False
    if isinstance(type_, BoolType | IntType | MachineInt):
        return all(int(one) == int(other) for one, other in zip(cells, wanted, strict=True))
    scale = max([1.0, *(abs(float(each)) for each in wanted)])
    tolerance = (1e-3 if name == "float32" else 1e-6) * scale
    return all(abs(float(one) - float(other)) <= tolerance for one, other in zip(cells, wanted, strict=True))


def _floats(found: Any) -> Any:  # noqa: ANN401
    return [_floats(each) for each in found] if isinstance(found, list) else found


def fate(text: str, fragment: Fragment, args: dict[str, Any]) -> str:
    """What becomes of one input."""
    space: dict[str, Any] = {}
    exec(compile(text, "statement.py", "exec"), space)  # noqa: S102 (the text was written above)
    given = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in args.items()}
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = space["f"](**given)
    except (ArithmeticError, ValueError, IndexError, TypeError, Warning):
        return "raised"
    return compared(fragment, args, given, expected)


def compared(fragment: Fragment, args: dict[str, Any], given: dict[str, Any], expected: Any) -> str:  # noqa: ANN401
    """What becomes of one input of which a library left `given` in the arguments, and gave `expected`."""
    try:
        outcome = run(fragment, {name: exact(value) for name, value in args.items()}, max_steps=200_000)
    except AssumeViolated:
        return "restricted"
    except SourceUndefined as problem:
        text = str(problem)  # 64 bits that overflow, and floats that no integer is, are listed as what is assumed
        relied_on = "does not fit i64" in text or "shift " in text or ("does not fit" in text and "=" not in text)
        return "restricted" if relied_on else "DIFFER"
    except LimitExceeded:
        return "raised"
    except (AssertionError, TypeError):  # the fragment makes no sense
        return "DIFFER"
    for name in "abv":
        (param,) = (each for each in fragment.params if each.var.name == name)
        assert isinstance(param.var.type, TensorType)
        if not same(outcome.arrays[name], given[name], param.var.type.element):
            return "DIFFER"
    if fragment.result is None:
        return "agree" if (_is(expected, given[fragment.gives]) if fragment.gives else expected is None) else "DIFFER"
    type_ = fragment.result.element if isinstance(fragment.result, TensorType) else fragment.result
    assert isinstance(type_, ScalarType) and not isinstance(fragment.result, TupleType)
    return "agree" if same(outcome.result, expected, type_) else "DIFFER"


def _is(one: Any, other: Any) -> bool:  # noqa: ANN401
    """Whether what is returned is an argument, or all of it."""
    arrays = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    return arrays and np.array_equal(one, other) and (np.shares_memory(one, other) or not one.size)


def one(rng: random.Random) -> tuple[str, str]:
    """What becomes of a random statement, and its text."""
    return tried(rng, written(rng), fate)


def tried(
    rng: random.Random, made: tuple[str, tuple[str, ...], int], fate: Callable[[str, Fragment, dict[str, Any]], str]
) -> tuple[str, str]:
    """What becomes of a statement on random inputs, and its text; `made` is the text, and the dtypes and rank of its arrays."""
    text, dtypes, rank = made
    try:
        fragment = import_python(parse_source(Path("statement.py"), text), "f")
    except Unsupported as problem:
        return "refused", f"{text}{problem}"
    except AssertionError as problem:
        return "DIFFER", f"{text}{problem!r}"
    fates = Counter(fate(text, fragment, arguments(rng, dtypes, rank, "k: int" in text)) for _ in range(INPUTS))
    return worst(fates), text


def worst(fates: Mapping[str, int]) -> str:
    """What is said of a text, of what became of its inputs."""
    return next((each for each in ("DIFFER", "agree", "restricted") if fates[each]), "raised")


def campaign(one: Callable[[random.Random], tuple[str, str]], what: str, argv: Sequence[str] | None) -> int:
    """Try so many texts, and print what became of them. Exit status 1 where any differ."""
    parser = argparse.ArgumentParser(description=f"Random {what}, against the library itself.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", choices=FATES, default="DIFFER")
    options = parser.parse_args(argv)
    total = Counter[str]()
    for number in range(options.count):
        found, text = one(random.Random(f"{options.seed} {number}"))
        total[found] += 1
        if found == options.show:
            sys.stdout.write(f"--- {number}\n{text}\n")
    sys.stdout.write(f"{options.count} {what}: {', '.join(f'{total[each]} {each}' for each in FATES)}\n")
    return 1 if total["DIFFER"] else 0


if __name__ == "__main__":
    raise SystemExit(campaign(one, "statements", None))
