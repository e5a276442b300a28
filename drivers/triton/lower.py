"""From a program on whole arrays to one by lanes, masks and blocks; nothing here is believed: what comes out is proved.

Each write becomes a launch of one of these forms, as its value needs:
- by lanes: blocks of the last axis over a grid, the other axes one program each;
- by rows: what is reduced along a row first, in loops over blocks, then its elements, in a loop over blocks; one program a row;
- by elements: a program for each element, which reduces in a loop over blocks;
- by tiles: a product of matrices by tiles, in a loop over blocks of the inner extent.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from metalift.driver import CannotWrite, Driver, Request
from metalift.ir.expr.build import conj, minus
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Call,
    Const,
    Expr,
    Fold,
    Ite,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import FLOAT, INT, MachineInt, TensorType
from metalift.ir.expr.walk import (
    binders_of,
    free_vars,
    fresh_name,
    fresh_var,
    map_children,
    outer_folds,
    subexpressions,
    substitute,
)
from metalift.ir.program.summary import Let, TargetProgram, Write

from .elements import Elements, zero
from .tiles import below, divides, has_fold, rounded

BLOCKED = {"add": Operator.ADD, "maximum": Operator.MAX, "minimum": Operator.MIN}
DIVISIONS = frozenset({"quotient", "remainder"})


def lowered(request: Request, driver: Driver) -> TargetProgram:
    """The program with tiles. Raises CannotWrite where kernels have nothing for a part of it."""
    return _Lowering(request, driver).program()


@dataclass(frozen=True)
class Lanes:
    """The indices in scope that have a mask, each with the extent that it is below, and what masked reads give otherwise."""

    extents: dict[Var, Expr] = field(default_factory=dict)
    ones: bool = False

    def mask(self, mentioned: frozenset[Var]) -> Expr:
        """What holds where all of the mentioned indices have an element."""
        return conj(*(below(index, extent) for index, extent in self.extents.items() if index in mentioned))

    def adding(self, index: Var, extent: Expr) -> Lanes:
        """One index more."""
        return Lanes({**self.extents, index: extent}, self.ones)


class _Lowering:
    def __init__(self, request: Request, driver: Driver) -> None:
        self.request = request
        self.elements = Elements(driver, frozenset(param.var.name for param in request.fragment.params))
        self.parameters: dict[str, Var] = {}
        self.tiled = False  # whether folds are products of matrices, by tiles
        self.whole = True  # whether folds go by blocks, where they can
        self.taken = self.names()

    def names(self) -> set[str]:
        found = {param.var.name for param in self.request.fragment.params}
        found |= {binding.var.name for binding in self.request.summary.bindings}
        for let in self.request.program.lets:
            found |= {let.var.name, *(var.name for var in free_vars(let.value))}
        for write in self.request.program.writes:
            found |= {binder.name for binder in binders_of(write.window)}
        return found

    def block(self, name: str) -> Var:
        """A block size that callers choose."""
        if name not in self.parameters:
            self.parameters[name] = Var(fresh_name(name, self.taken), INT)
            self.taken.add(self.parameters[name].name)
        return self.parameters[name]

    def program(self) -> TargetProgram:
        given = self.request.program
        lets = []
        for let in given.lets:
            if isinstance(let.var.type, TensorType):
                self.elements.lets[let.var] = let.value
                continue
            value = self.value(self.elements.scalar(let.value), Lanes())
            lets.append(Let(let.var, value))
        writes = tuple(map(self.write, given.writes))
        result = None if given.result is None else self.result(given.result)
        return TargetProgram(tuple(lets), writes, result, given.requires, tuple(self.parameters.values()))

    def result(self, expr: Expr) -> Expr:
        if isinstance(expr, MakeTuple):
            return MakeTuple(tuple(map(self.result, expr.items)))
        if isinstance(type_of(expr), TensorType):
            raise CannotWrite("a new array as a result; kernels fill arrays that they are given")
        return self.value(self.elements.scalar(expr), Lanes())

    def write(self, write: Write) -> Write:
        """One launch."""
        window = write.window
        assert isinstance(window, Build) and isinstance(window.body, Select)
        binders = window.binders
        extents = tuple(map(self.elements.index, window.extents))
        indices = tuple(map(self.elements.index, window.body.indices))
        value = write.value
        body = self.elements.at(value, binders) if isinstance(type_of(value), TensorType) else self.elements.scalar(value)
        folds = outer_folds(body)
        along = [fold for fold in folds if binders and binders[-1] in free_vars(fold)]
        self.tiled = len(binders) == 2 and bool(folds) and all(is_product(fold, binders) for fold in folds)
        by_element = not binders or (bool(along) and all(map(blocked, along)))
        self.whole = by_element or not along
        blocks: tuple[Var, ...] = () if by_element else (self.block("BLOCK"),)
        if self.tiled:
            blocks = (self.block("BLOCK_M"), self.block("BLOCK_N"))
        first = len(binders) - len(blocks)
        lanes = Lanes(dict(zip(binders[first:], extents[first:], strict=True)), divides(body, DIVISIONS))
        sizes = (*extents[:first], *(rounded(extent, block) for extent, block in zip(extents[first:], blocks, strict=True)))
        made = self.value(body, lanes)
        window = Build(sizes, binders, Select(write.array, indices))
        return Write(write.array, window, Build(sizes, binders, made), lanes.mask(frozenset(binders)))

    # Values

    def value(self, expr: Expr, lanes: Lanes) -> Expr:
        """The value in each lane."""
        match expr:
            case Select(tensor, indices):
                read = Select(tensor, tuple(self.value(index, lanes) for index in indices))
                mask = lanes.mask(free_vars(read))
                return read if mask == TRUE else Ite(mask, read, self.other(type_of(read), lanes))
            case Fold():
                return self.fold(expr, lanes)
            case _:
                return map_children(lambda child: self.value(child, lanes), expr)

    def other(self, type_: object, lanes: Lanes) -> Const:
        """What lanes without an element read: no divisor is 0."""
        if isinstance(type_, MachineInt):
            return integer(1 if lanes.ones else 0, type_)
        return zero(type_)  # type: ignore[arg-type]

    def fold(self, fold: Fold, lanes: Lanes) -> Expr:
        """A loop over blocks where its step is one, otherwise a loop over the elements."""
        init = self.value(fold.init, lanes)
        index, acc = self.fresh(fold.index), self.fresh(fold.acc)
        fold = Fold(fold.extent, fold.init, acc, index, substitute(fold.body, {fold.index: index, fold.acc: acc}))
        if self.tiled and lanes.extents:
            block = self.block("BLOCK_K")
            inner = lanes.adding(index, fold.extent)
            assert isinstance(fold.body, Call)
            return Fold(rounded(fold.extent, block), init, fold.acc, index, self.tile(fold, inner))
        if not (self.whole and blocked(fold)):
            extent = self.value(fold.extent, lanes)
            return Fold(extent, init, fold.acc, index, self.value(fold.body, lanes))
        assert isinstance(fold.body, Call)
        block, term = self.block("BLOCK"), step(fold)
        if fold.body.function == "add":
            held = self.value(term, lanes.adding(index, fold.extent))
            nothing = zero(fold.body.type)  # type: ignore[arg-type]
            held = Call("where", (below(index, fold.extent), held, nothing), fold.body.type)
        else:  # the last element again: the greatest of a list stays what it is
            last = Apply(Operator.MIN, (index, minus(fold.extent, integer(1))))
            held = self.value(substitute(term, {index: last}), lanes)
        body = Call(fold.body.function, (fold.acc, held), fold.body.type)
        return Fold(rounded(fold.extent, block), init, fold.acc, index, body)

    def fresh(self, var: Var) -> Var:
        """A binder that no other has the name of."""
        new = fresh_var(var, self.taken)
        self.taken.add(new.name)
        return new

    def tile(self, fold: Fold, lanes: Lanes) -> Expr:
        """The step of a product of matrices; masked lanes are 0 in both factors."""
        term = step(fold)
        assert isinstance(term, Call) and isinstance(fold.body, Call)
        parts = tuple(self.value(part, lanes) for part in term.args)
        row = next(iter(lanes.extents))
        if row not in free_vars(term.args[0]):
            parts = parts[::-1]
        return Call("add", (fold.acc, Call("mul", parts, term.type)), fold.body.type)


def step(fold: Fold) -> Expr:
    """What is combined with the accumulator."""
    assert isinstance(fold.body, Call)
    left, right = fold.body.args
    return right if left == fold.acc else left


def blocked(fold: Fold) -> bool:
    """Whether a block of elements can be combined at once: their sum, or the greatest or least."""
    body = fold.body
    if not (isinstance(body, Call) and body.function in BLOCKED and fold.acc in body.args) or type_of(fold) == INT:
        return False
    if isinstance(body.type, MachineInt) and body.type.bits < 32:
        return False
    term = step(fold)
    inner = [part for part in subexpressions(term) if isinstance(part, Fold) and fold.index in free_vars(part)]
    return fold.acc not in free_vars(term) and not inner


def is_product(fold: Fold, binders: tuple[Var, ...]) -> bool:
    """Whether it is an element of a product of matrices of floats."""
    if not (blocked(fold) and isinstance(fold.body, Call) and fold.body.function == "add" and fold.body.type == FLOAT):
        return False
    term = step(fold)
    if not (isinstance(term, Call) and term.function == "mul") or not isinstance(fold.init, Const):
        return False
    row, column = binders
    if any(binder in free_vars(fold.extent) for binder in binders) or has_fold(term):
        return False
    mentioned = [free_vars(part) & {row, column, fold.index} for part in term.args]
    wanted = [{row, fold.index}, {fold.index, column}]
    return mentioned in (wanted, wanted[::-1])
