"""The text of one kernel, from a write of a program by blocks: a lane is a thread, a program is a block of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from metalift.driver import CannotWrite
from metalift.ir.expr.build import conjuncts, minus
from metalift.ir.expr.nodes import TRUE, Apply, Call, Const, Expr, Fold, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, ScalarType
from metalift.ir.expr.walk import alpha_key, free_vars, outer_folds, transform

from ..triton.tiles import below, unrounded
from .text import bracketed, host, literal, word
from .values import Values

RESULT = "result_on_device"
COMBINED = {"add": "sum", "maximum": "greatest", "minimum": "least"}
Blocks = tuple[Expr, Var]  # an extent, and the threads of a block along it


@dataclass
class CudaWriter(Values):
    """Writes one kernel."""

    counts: list[str] = field(default_factory=list)  # of blocks along each axis; the last axis is innermost
    threads: str = "1"  # of a block
    helpers: dict[tuple[str, ScalarType], str] = field(default_factory=dict)  # what reduces the values of a block's threads
    alike: bool = True  # whether all threads of a block are where the text stands, and do the same

    def write(self) -> None:
        """The whole body."""
        launch = self.launch
        found = [unrounded(extent, self.settings.blocks) for extent in launch.extents]
        lanes = [each for each in found if each is not None]
        rows = found[-1] if len(lanes) == 1 and found[-1] is not None and self.settings.reduces_rows(launch) else None
        programs = list(zip(launch.binders, launch.extents, found, strict=True))
        self.indices(programs[:-1] if rows else programs)
        for let in self.settings.needed(launch.value):
            self.shown[let] = self.declare(let.name, self.value(self.settings.lets[let]), type_of(let))
        if rows is not None:
            self.threads = rows[1].name
            for fold in outer_folds(launch.value):
                if launch.binders[-1] not in free_vars(fold):
                    self.value(fold)
            with self.strided(launch.binders[-1], *rows):
                self.store()
            return
        if lanes:
            self.threads = lanes[-1][1].name if len(lanes) == 1 else f"dim3({lanes[1][1].name}, {lanes[0][1].name})"
        if len(lanes) != 1:
            for fold in outer_folds(launch.value):
                self.value(fold)
        alone = not lanes and self.threads != "1"
        with self.block("if (threadIdx.x == 0) {") if alone else nullcontext():
            self.store()

    def indices(self, programs: list[tuple[Var, Expr, Blocks | None]]) -> None:
        """The indices of a thread, from the number of its block: grids have one axis, because others are short."""
        self.counts = [
            f"blocks_of({host(extent)}, 1)" if each is None else f"blocks_of({host(each[0])}, {each[1].name})"
            for _, extent, each in programs
        ]
        ways = ["x", "y"]
        number = "(int64_t)blockIdx.x"
        found: list[tuple[Var, str]] = []
        for axis in reversed(range(len(programs))):
            binder, _, each = programs[axis]
            at = number
            if axis > 0:
                count = self.parameter(f"{binder.name}_blocks", "int64_t ", self.counts[axis])
                at, number = f"{number} % {count}", f"{number} / {count}"
            if each is not None:
                at = f"{f'({at})' if ' ' in at else at} * {each[1].name} + threadIdx.{ways.pop(0)}"
            found.append((binder, at))
        for binder, at in reversed(found):
            self.shown[binder] = self.declare(binder.name, at, INT)

    @contextmanager
    def strided(self, index: Var, extent: Expr, block: Var) -> Iterator[None]:
        """A loop in which the threads of a block share the indices below an extent."""
        size = self.index(extent)
        self.shown[index] = at = self.fresh(index.name)
        alike, self.alike = self.alike, False
        with self.block(
            f"for (int64_t {at} = threadIdx.x; {at} < {bracketed(size)}; {at} += {block.name}) {{", below(index, extent)
        ):
            yield
        self.alike = alike

    def store(self) -> None:
        """The value, where the guard holds."""
        guard = [each for each in conjuncts(self.launch.guard) if each != TRUE and each not in self.true[-1]]
        if not guard:
            self.stored()
            return
        alike, self.alike = self.alike, False
        with self.block(f"if ({self.mask(self.launch.guard)}) {{", *guard):
            self.stored()
        self.alike = alike

    def stored(self) -> None:
        launch = self.launch
        value = self.value(launch.value)
        if launch.array is None:
            assert isinstance(type_of(launch.value), ScalarType)
            result = self.parameter("result", f"{word(type_of(launch.value))} *", RESULT)
            self.say(f"*{result} = {value};")
            return
        self.say(f"{self.address(launch.array, launch.indices, written=True)} = {value};")

    # Loops

    def fold(self, fold: Fold) -> str:
        """The loop, before what uses its value."""
        key = alpha_key(fold)
        for scope in self.known:
            if key in scope:
                return scope[key]
        found = unrounded(fold.extent, self.settings.blocks)
        for inner in outer_folds(fold.body):  # what does not change in the loop comes before it
            if free_vars(inner).isdisjoint({fold.index, fold.acc}):
                self.value(inner)
        if found is None:
            shown = self.one_by_one(fold)
        elif not self.alike or not isinstance(fold.body, Call):
            raise CannotWrite("a reduction by a block of threads of which some do something else")
        elif len(self.lanes()) == 2:
            shown = self.product(fold, *found)
        else:
            shown = self.reduced(fold, *found)
        self.known[-1][key] = shown
        return shown

    def lanes(self) -> list[Var]:
        """The indices that a thread has of its own."""
        pairs = zip(self.launch.binders, self.launch.extents, strict=True)
        return [binder for binder, extent in pairs if unrounded(extent, self.settings.blocks)]

    def one_by_one(self, fold: Fold) -> str:
        """A loop in each thread."""
        start, size = self.value(fold.init), self.index(fold.extent)
        self.shown[fold.acc] = acc = self.fresh("total" if adds(fold) else "kept")
        self.say(f"{word(type_of(fold.acc))} {acc} = {start};")
        self.shown[fold.index] = at = self.fresh(fold.index.name)
        with self.block(f"for (int64_t {at} = 0; {at} < {bracketed(size)}; {at}++) {{"):
            self.say(f"{acc} = {self.value(fold.body)};")
        del self.shown[fold.acc], self.shown[fold.index]
        return acc

    def reduced(self, fold: Fold, extent: Expr, block: Var) -> str:
        """A reduction by the threads of a block, each of its own elements first; lanes without an element are left out."""
        assert isinstance(fold.body, Call)
        kind, type_ = COMBINED.get(fold.body.function), type_of(fold.acc)
        if kind is None or fold.body.args[0] != fold.acc or not isinstance(type_, ScalarType):
            raise CannotWrite("a loop over blocks that is no sum, greatest or least")
        self.threads = block.name
        start = self.value(fold.init)
        acc = self.fresh(kind)
        self.say(f"{word(type_)} {acc} = {literal(Const(0, type_)) if kind == 'sum' else start};")
        with self.strided(fold.index, extent, block):
            term = self.value(self.term(fold, extent, kind))
            self.say(f"{acc} = {combined(kind, type_, acc, term)};")
        helper = self.helpers.setdefault((kind, type_), f"{kind}_of_block_{word(type_)}")
        whole = f"{helper}({acc})"
        if kind == "sum" and start != literal(Const(0, type_)):
            whole = combined(kind, type_, start, whole)
        del self.shown[fold.index]
        return self.declare(f"whole_{kind}", whole, type_)

    def term(self, fold: Fold, extent: Expr, kind: str) -> Expr:
        """What is combined where there is an element. Of sums others are 0; of extremes they are the last element again."""
        assert isinstance(fold.body, Call)
        held = fold.body.args[1]
        inside = below(fold.index, extent)
        if kind == "sum":
            if not (isinstance(held, Call) and held.function == "where" and held.args[0] == inside):
                raise CannotWrite("a sum over blocks without a mask")
            if not isinstance(held.args[2], Const) or held.args[2].value != 0:
                raise CannotWrite("a sum over blocks whose other lanes are not 0")
            return held.args[1]
        last = Apply(Operator.MIN, (fold.index, minus(extent, integer(1))))
        return transform(lambda part: fold.index if part == last else part, held)

    def product(self, fold: Fold, extent: Expr, block: Var) -> str:
        """A product of tiles, which the threads of a block load together."""
        row, column = self.lanes()
        down, along = (found[1].name for found in map(self.blocked, (row, column)))
        assert isinstance(fold.body, Call)
        factors = fold.body.args[1]
        type_ = word(fold.body.type)
        if not (isinstance(factors, Call) and factors.function == "mul" and fold.body.function == "add"):
            raise CannotWrite("a loop over tiles that is no product of matrices")
        size, deep = bracketed(self.index(extent)), block.name
        acc, left, right, start, at = map(self.fresh, ("total", "left", "right", "start", "at"))
        self.say(f"{type_} {acc} = {self.value(fold.init)};")
        self.say(f"__shared__ {type_} {left}[{down}][{deep}], {right}[{deep}][{along}];")
        alike, self.alike = self.alike, False
        with self.block(f"for (int64_t {start} = 0; {start} < {size}; {start} += {deep}) {{"):
            sides = (("x", along, f"{left}[threadIdx.y][{at}]"), ("y", down, f"{right}[{at}][threadIdx.x]"))
            for factor, (way, step, place) in zip(factors.args, sides, strict=True):
                with self.block(f"for (int {at} = threadIdx.{way}; {at} < {deep}; {at} += {step}) {{"):
                    self.shown[fold.index] = self.declare(fold.index.name, f"{start} + {at}", INT)
                    self.say(f"{place} = {self.value(factor)};")
            self.say("__syncthreads();")
            with self.block(f"for (int {at} = 0; {at} < {deep}; {at}++) {{"):
                self.say(f"{acc} = {acc} + {left}[threadIdx.y][{at}] * {right}[{at}][threadIdx.x];")
            self.say("__syncthreads();")
        self.alike = alike
        del self.shown[fold.index]
        return acc

    def blocked(self, lane: Var) -> Blocks:
        """The extent of a thread's own index."""
        found = unrounded(dict(zip(self.launch.binders, self.launch.extents, strict=True))[lane], self.settings.blocks)
        assert found is not None
        return found


def adds(fold: Fold) -> bool:
    """Whether a loop adds."""
    return isinstance(fold.body, Call) and fold.body.function == "add"


def combined(kind: str, type_: ScalarType, one: str, two: str) -> str:
    """Two values together. Sums of integers wrap, so that their order does not matter."""
    whole = isinstance(type_, MachineInt)
    if kind == "sum":
        if whole:
            unsigned = f"uint{type_.bits}_t" if isinstance(type_, MachineInt) else ""
            return f"({word(type_)})(({unsigned}){bracketed(one)} + ({unsigned}){bracketed(two)})"
        return f"{one} + {bracketed(two)}"
    if whole:
        sign = ">" if kind == "greatest" else "<"
        return f"{one} {sign} {bracketed(two)} ? {one} : {bracketed(two)}"
    function = ("fmax" if kind == "greatest" else "fmin") + ("f" if word(type_) == "float" else "")
    return f"{function}({one}, {two})"


def helper_text(kind: str, type_: ScalarType, called: str, block: str) -> str:
    """A function that reduces the values of the threads of a block, for all of them, in any number of threads."""
    typed = word(type_)
    step = combined(kind, type_, "held[threadIdx.x]", "held[threadIdx.x + half]")
    return f"""\
/* The {kind} of the values of all threads of a block, for each of them. */
__device__ static {typed} {called}({typed} value) {{
    __shared__ {typed} held[{block}];
    held[threadIdx.x] = value;
    __syncthreads();
    for (int count = {block}; count > 1; count = (count + 1) / 2) {{
        const int half = (count + 1) / 2;
        if (threadIdx.x < count / 2)
            held[threadIdx.x] = {step};
        __syncthreads();
    }}
    value = held[0];
    __syncthreads();
    return value;
}}
"""
