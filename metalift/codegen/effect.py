"""What a function computes, in formulas for people: `out[i, j] = x[i, j] / total[i]`, with sums as Python writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

from metalift.codegen.names import identifier, stem
from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial, widens
from metalift.ir.expr.build import tuple_items
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    Ite,
    Lambda,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import BOOL, INT, REAL, BoolType, IntType, MachineInt, RealType, TensorType, is_integer
from metalift.ir.expr.walk import (
    alpha_equal,
    binders_of,
    children,
    free_vars,
    map_children,
    names,
    replaced,
    subexpressions,
    substitute,
    transform,
)
from metalift.ir.program.summary import TargetProgram, Write
from metalift.ir.text import show

Shapes = Mapping[str, Sequence[Polynomial]]
LARGE = 12  # nodes of a value that is used twice and has a name
LONGEST = 260  # characters of a formula that people read
MOST = 5  # formulas
INDEX = 32  # bits of a type that indices fit
QUOTIENTS = frozenset({Operator.DIV, Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD})
STEPS = 4  # of a function that its name says better
NAMED = "@"  # in front of the name of a function that is not written out
BINDERS = "ijklmpqrstuv"
_PLACE = re.compile(r"@(\d+)@")


class Unclear(Exception):
    """There is no short formula."""


def effect(
    program: TargetProgram, driver: Driver, shapes: Shapes, results: Mapping[str, str], whole: frozenset[str]
) -> list[str]:
    """The formulas of what a program computes, those of its parts first; none where they are long. `shapes` are those of arrays
    of several axes that the program goes through as one, `results` says what arrays are called that are written, `whole` which of
    them are so by one write.
    """
    try:
        found = _Formulas(program, driver, shapes, results, whole).all()
    except Unclear:
        return []
    return found if len(found) <= MOST and all(len(each) <= LONGEST for each in found) else []


class _Formulas:
    def __init__(
        self, program: TargetProgram, driver: Driver, shapes: Shapes, results: Mapping[str, str], whole: frozenset[str]
    ) -> None:
        self.program = program
        self.driver = driver
        self.shapes = shapes
        self.parts: list[str] = []  # texts that stand in expressions as names of variables
        self.results = results
        self.whole = whole
        self.made = _made(program, whole)
        self.called = _names(program, self.made, results)
        self.lengths: dict[Expr, Expr] = {}  # of values that have names
        self.bound: dict[str, Polynomial] = {}  # binders of a line, and below which numbers they are

    def all(self) -> list[str]:
        """A line for each part that has a name, for each write and for the result."""
        lines: list[str] = []
        known: dict[Var, Expr] = {}
        for position, let in enumerate(self.program.lets):
            value = self._meaning(let.value, known)
            later = [*self.program.values[position + 1 :]]
            times = sum(part == let.var for each in later for part in subexpressions(each))
            flags = isinstance(let.var.type, TensorType) and let.var.type.element == BOOL
            converted = isinstance(value, Build) and isinstance(_plain(value.body), Select)
            small = times < 2 or flags or converted or sum(1 for _ in subexpressions(value)) < LARGE
            if small or not isinstance(value, Build | Fold | Apply | Call):
                known[let.var] = value
                continue
            lines.append(self._line(self.called[let.var.name], value, None))
            if isinstance(value, Build):
                self.lengths |= {Length(let.var, axis): extent for axis, extent in enumerate(value.extents)}
        writes = [(write, self._meaning(write.value, known)) for write in self.program.writes]
        lines += [self._line("", value, write) for write, value in writes if self.made.get(_name(value)) != write.array.name]
        if self.program.result is not None:
            values = [self._meaning(each, known) for each in tuple_items(self.program.result)]
            self.bound = {}
            if len(values) == 1 and isinstance(values[0], Build):
                lines.append(self._line("result", values[0], None))
            else:
                front = "result = " if self.program.writes else "returns "
                lines.append(front + ", ".join(self._text(each) for each in values))
        read = {var for value in self.program.values for var in free_vars(value)}
        if len(lines) > 1 and any(write.array in read and write.array.name not in self.results for write, _ in writes):
            lines.append("all from what the arrays hold before")
        return lines

    def _meaning(self, value: Expr, known: Mapping[Var, Expr]) -> Expr:
        return reduce(substitute(expand(self._by_names(value), self.driver), known, reduce_head))

    def _by_names(self, value: Expr) -> Expr:
        """The value with functions of elements that people know by their names, such as `gelu`, as calls of these."""
        inside = map_children(self._by_names, value)
        operator = self.driver.operators.get(value.function) if isinstance(value, Call) else None
        if not isinstance(value, Call) or operator is None or not operator.elementwise:
            return inside
        whole = expand(value, self.driver)
        body = whole.body if isinstance(whole, Build) else whole
        alone = operator.instantiate(tuple(type_of(arg) for arg in value.args), value.type).body
        steps = alone.body if isinstance(alone, Build) else alone
        if sum(isinstance(part, Apply | Call) for part in subexpressions(steps)) < STEPS or not _has_function(steps):
            return inside
        args = children(inside)
        if isinstance(whole, Build):
            args = tuple(Select(arg, whole.binders) if isinstance(type_of(arg), TensorType) else arg for arg in args)
        call = Call(NAMED + operator.name, args, type_of(body))
        return Build(whole.extents, whole.binders, call) if isinstance(whole, Build) else call

    def _line(self, called: str, value: Expr, write: Write | None) -> str:
        self.bound = {}
        if write is not None and isinstance(value, Var) and isinstance(write.window, Build):
            value = Build(write.window.extents, write.window.binders, Select(value, write.window.binders))
        if not isinstance(value, Build):
            if write is not None:
                raise Unclear
            return f"{called} = {self._text(value)}"
        extents = write.window.extents if write is not None and isinstance(write.window, Build) else value.extents
        if write is not None and extents == (integer(1),):
            return self._cell_line(value, write)
        renamed = dict(zip(value.binders, self._binders(value.binders, extents), strict=True))
        body = substitute(value.body, renamed)
        indices: tuple[Expr, ...] = tuple(renamed.values())
        if write is not None:
            window = write.window
            if write.guard != TRUE or not isinstance(window, Build) or not isinstance(window.body, Select):
                raise Unclear
            place = Select(write.array, window.body.indices)
            written = self._text(substitute(place, dict(zip(window.binders, indices, strict=True))))
            own = self.called.get(write.array.name, write.array.name)
            limits = zip(renamed.values(), value.extents, strict=True)
            ranges = ", ".join(f"{index.name} < {self._text(extent)}" for index, extent in limits)
            cell, said = f"{self.results.get(write.array.name, own)}{written.removeprefix(own)}", self._text(body)
            if write.array.name in self.whole or not ranges:
                return f"{cell} = {said}"
            return f"{cell} = {f'({said})' if isinstance(_plain(body), Ite) else said} for {ranges}"
        return f"{called}[{', '.join(map(self._text, indices))}] = {self._text(body)}"

    def _cell_line(self, value: Build, write: Write) -> str:
        """The line of a write of one element, and where it is written."""
        window = write.window
        if not isinstance(window, Build) or not isinstance(window.body, Select):
            raise Unclear
        place = substitute(Select(write.array, window.body.indices), {window.binders[0]: integer(0)})
        body = substitute(value.body, {value.binders[0]: integer(0)})
        own = self.called.get(write.array.name, write.array.name)
        cell = f"{self.results.get(write.array.name, own)}{self._text(transform(_tidy, place)).removeprefix(own)}"
        if write.guard == TRUE:
            return f"{cell} = {self._text(body)}"
        match body:
            case Ite(cond, then, _) if cond == write.guard:
                return f"{cell} = {self._text(then)} if {self._text(cond)}"
            case _:
                raise Unclear

    def _binders(self, binders: Sequence[Var], extents: Sequence[Expr]) -> list[Var]:
        """Short names that nothing else has."""
        made: list[Var] = []
        taken = set(self.called.values())
        for binder, extent in zip(binders, extents, strict=True):
            numbered = (f"{letter}{number}" for number in count(1) for letter in BINDERS)
            called = next(each for each in chain(BINDERS, numbered) if each not in self.bound and each not in taken)
            self.bound[called] = _size(replaced(extent, self.lengths))
            made.append(Var(called, binder.type))
        return made

    def _text(self, expr: Expr) -> str:
        return self._filled(show(self._said(expr)))

    def _filled(self, line: str) -> str:
        while _PLACE.search(line):
            line = _PLACE.sub(lambda found: self.parts[int(found[1])], line)
        return line

    def _place(self, said: str, type_: Expr) -> Var:
        self.parts.append(said)
        return Var(f"@{len(self.parts) - 1}@", type_of(type_))

    def _said(self, expr: Expr) -> Expr:
        """The expression with variables for what has another text for people."""
        expr = _divided(_plain(expr))
        said = self._cell(expr) or self._called(expr)
        if said:
            return self._place(said, expr)
        match expr:
            case Build() | Lambda():
                raise Unclear
            case Const(value, MachineInt()):
                return Const(value, INT)
            case Const(value, RealType()):
                return Const(value, REAL)
            case Var(called, type_):
                return Var(self.called.get(called, called), type_)
            case Length() if expr in self.lengths:
                return self._said(self.lengths[expr])
            case Cast(Var(called, IntType()) as arg, IntType()) if called in self.bound:
                return arg
            case Apply(Operator.TDIV | Operator.TREM as op, args) if all(map(_natural, args)):
                return Apply(Operator.FDIV if op is Operator.TDIV else Operator.FMOD, tuple(map(self._said, args)))
            case _:
                return map_children(self._said, expr)

    def _cell(self, expr: Expr) -> str:
        """An element of an array of several axes that the program goes through as one; empty for other terms."""
        match expr:
            case Select(Var() as array, (index,)) if len(self.shapes.get(array.name, ())) > 1:
                cell = self._by_axes(index, self.shapes[array.name])
                own = self.called.get(array.name, array.name)
                return f"{own}.flat[{self._text(index)}]" if cell is None else f"{own}[{', '.join(map(self._text, cell))}]"
            case _:
                return ""

    def _called(self, expr: Expr) -> str:
        """What is a function for people; empty for other terms."""
        match expr:
            case Fold():
                return self._reduction(expr)
            case Apply(Operator.DIV, (Fold(extent, Const(0), acc, _, Apply(Operator.ADD, (first, _))) as total, number)) if (
                acc == first and _same(_plain(extent), _plain(number))
            ):
                return "mean" + self._reduction(total).removeprefix("sum")
            case Apply(Operator.MUL, (one, other)) if isinstance(_plain(one), Fold | Apply | Select) and alpha_equal(one, other):
                return f"({self._text(one)}) ** 2" if isinstance(_plain(one), Apply) else f"{self._text(one)} ** 2"
            case Call(function, args) if function.startswith(NAMED):
                return f"{function.removeprefix(NAMED)}({', '.join(map(self._text, args))})"
            case Apply(Operator.TDIV, args) if not all(map(_natural, args)):
                return f"trunc({show(Apply(Operator.DIV, tuple(map(self._said, args))))})"
            case Apply(Operator.TREM, args) if not all(map(_natural, args)):
                return f"fmod({', '.join(map(self._text, args))})"
            case Cast(Var(called, IntType()), MachineInt(bits)) if called in self.bound and bits >= INDEX:
                return called
            case Cast(arg, MachineInt(bits, signed)) if not isinstance(type_of(arg), BoolType):
                return f"{'' if signed else 'u'}int{bits}({self._text(arg)})"
            case _:
                return ""

    def _by_axes(self, index: Expr, shape: Sequence[Polynomial]) -> list[Expr] | None:
        """The index of each axis, where each is one variable that is below its size; else None."""
        rest, found = Polynomial.of(index), []
        for position in range(len(shape)):
            stride = Polynomial.constant(1)
            for size in shape[position + 1 :]:
                stride = stride * size
            at, rest = (rest, Polynomial()) if position == len(shape) - 1 else rest.divide(stride)
            match at.terms:
                case ():
                    found.append(at.to_expr())
                case (((Var(called) as only,), 1),) if position == 0 or self.bound.get(called) == shape[position]:
                    found.append(only)
                case _:
                    return None
        return found

    def _reduction(self, fold: Fold) -> str:
        bound = dict(self.bound)
        match fold.body:
            case Cast(Apply(Operator.ADD) as total, MachineInt(bits, signed) as type_) if type_ == fold.acc.type:
                found = f"{'' if signed else 'u'}int{bits}({self._folded(replace(fold, body=total))})"  # wrapped once is enough
            case _:
                found = self._folded(fold)
        self.bound = bound  # another reduction beside it may have the same names
        return found

    def _folded(self, fold: Fold) -> str:
        (index,) = self._binders((fold.index,), (fold.extent,))
        extent, start = fold.extent, fold.init
        body = substitute(fold.body, {fold.index: index})
        match body:
            case Apply(op, (one, other)) if op in _CALLED and _plain(other) == fold.acc != one:
                body = Apply(op, (fold.acc, one))
            case Apply(op, (one, other)) if op in _CALLED and _plain(one) == fold.acc:
                body = Apply(op, (fold.acc, other))
        match body:
            case Apply(Operator.ADD, (Var() as acc, Ite(cond, Const(1), Const(0)))) if acc == fold.acc and _is(start, 0):
                return f"count({self._text(cond)} for {index.name} < {self._text(extent)})"
            case Apply(op, (Var() as acc, value)) if acc == fold.acc and acc not in free_vars(value) and op in _CALLED:
                called, neutral = _CALLED[op]
                shifted = substitute(value, {index: Apply(Operator.SUB, (index, Const(1, index.type)))})
                first = reduce(substitute(shifted, {index: Const(0, index.type)}))
                if neutral is None and _same(first, start):
                    value, extent = shifted, Apply(Operator.ADD, (extent, Const(1, type_of(extent))))
                    self.bound[index.name] = _size(extent)
                elif neutral is None or not _is(start, neutral):
                    front = f"({self._text(start)} + " if op is Operator.ADD else f"{called}({self._text(start)}, "
                    return f"{front}{self._each(called, value, index, extent)})"
                return self._each(called, value, index, extent)
            case _:
                raise Unclear

    def _each(self, called: str, value: Expr, index: Var, extent: Expr) -> str:
        tidy = transform(_tidy, value), transform(_tidy, extent)
        return f"{called}({self._text(tidy[0])} for {index.name} < {self._text(tidy[1])})"


_CALLED = {Operator.ADD: ("sum", 0), Operator.MUL: ("product", 1), Operator.MAX: ("max", None), Operator.MIN: ("min", None)}


def _name(value: Expr) -> str:
    return value.name if isinstance(value, Var) else ""


def _made(program: TargetProgram, whole: frozenset[str]) -> dict[str, str]:
    """For values that are what a whole array becomes, and nothing else, that array."""
    written = [(write.value.name, write.array.name) for write in program.writes if isinstance(write.value, Var)]
    names = [called for called, _ in written]
    return {called: array for called, array in written if array in whole and names.count(called) == 1}


def _size(extent: Expr) -> Polynomial:
    """How many elements an extent is, where it is not negative."""
    match extent:
        case Apply(Operator.MAX, (Const(0), size)) | Apply(Operator.MAX, (size, Const(0))):
            return Polynomial.of(size)
        case _:
            return Polynomial.of(extent)


def _divided(expr: Expr) -> Expr:
    """A quotient or remainder by a number, where that is another one instead of 0 for the sake of those who do not use it."""
    match expr:
        case Apply(op, (value, Ite(Apply(Operator.EQ, (tested, Const(0))), Const(), other))) if op in QUOTIENTS:
            return Apply(op, (value, other)) if other == tested else expr
        case _:
            return expr


def _names(program: TargetProgram, made: Mapping[str, str], results: Mapping[str, str]) -> dict[str, str]:
    """What everything but binders is called: what an array becomes after the array, the rest after what the source calls it."""
    values = [*program.values, *(write.window for write in program.writes)]
    bound = {binder.name for value in values for part in subexpressions(value) for binder in binders_of(part)}
    lets = {let.var.name for let in program.lets}
    found = {each: identifier(each) for value in values for each in names(value) if each not in bound | lets}
    for called in sorted(lets):
        array = made.get(called)
        wanted = stem(called) if array is None else results.get(array, array)
        taken = {*found.values(), *results.values()}
        found[called] = identifier(wanted if array is not None or wanted not in taken else called)
    return found


def _has_function(value: Expr) -> bool:
    return any(isinstance(part, Call) for part in subexpressions(value))


def _is(value: Expr, number: int) -> bool:
    return isinstance(value, Const) and value.value == number


def _natural(value: Expr) -> bool:
    low = interval(value).low
    return low is not None and low >= 0


def _same(one: Expr, other: Expr) -> bool:
    return transform(_tidy, one) == transform(_tidy, other)


def _tidy(expr: Expr) -> Expr:
    """Integers in one form."""
    return Polynomial.of(expr).to_expr() if isinstance(expr, Apply) and is_integer(type_of(expr)) else expr


def _plain(expr: Expr) -> Expr:
    """Without conversions that keep the value; what has its result need not have a type."""
    match expr:
        case Cast(arg, RealType()):
            return _plain(arg)
        case Cast(arg, type_) if is_integer(type_) and widens(type_of(arg), type_):
            return _plain(arg)
        case _:
            return expr
