"""Programs as index notation, and index notation as programs: what is printed is read again before it is given to anybody."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from functools import reduce

from metalift.driver import CannotWrite
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Operator, Select, Var
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import free_vars

from .terms import is_scalar, shown

NOT_NAMES = frozenset({*keyword.kwlist, "statement"})  # tensors' names are those of arguments in Python
CELL = re.compile(r"([A-Za-z][A-Za-z0-9]*)\(([a-z0-9,]*)\)|(\d[\d.]*(?:e[+-]?\d+)?)")


@dataclass(frozen=True, slots=True)
class View:
    """Cells of an array as a tensor: those at `offset` and so many steps along each index as its stride says, for each of the
    array's axes.
    """

    array: Var
    offset: tuple[Polynomial, ...]
    strides: tuple[tuple[Polynomial, ...], ...]




@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a statement: its name, what it is made of, its extents."""

    name: str
    source: Source
    shape: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """result(indices) = right, which means `value`; `tensors` are those on the right."""

    result: str
    indices: tuple[Var, ...]
    extents: tuple[Expr, ...]
    right: str
    tensors: tuple[Tensor, ...]
    value: Expr

    @property
    def all_tensors(self) -> tuple[Tensor, ...]:
        """With those of the statements that are evaluated before."""
        inner = [each for tensor in self.tensors if isinstance(tensor.source, Statement) for each in tensor.source.all_tensors]
        return (*inner, *self.tensors)

    @property
    def text(self) -> str:
        """The statement."""
        return f"{self.result}({','.join(var.name for var in self.indices)}) = {self.right}"


Source = View | Call | Statement | Expr  # of a tensor: a view of an array, stored cells in a format, a result, or a number


@dataclass
class _Printer:
    taken: set[str]
    extents: dict[Var, Expr]
    tensors: dict[tuple[Source, tuple[Expr, ...]], Tensor] = field(default_factory=dict)

    def value(self, expr: Expr) -> str:
        """A sum of terms; those that are subtracted come after others."""
        parts = summands(expr)
        terms = [self.term(term, len(parts) > 1) for term in parts]
        terms.sort(key=lambda term: term[0])
        text = "0" if not terms else "0 - " if terms[0][0] else ""
        return text + "".join((" - " if minus else " + ") * bool(position) + term for position, (minus, term) in enumerate(terms))

    def term(self, expr: Expr, added: bool) -> tuple[bool, str]:
        """Whether it is subtracted, and the product; sums are over the indices that the result does not have. A sum of which
        a quotient or, where others are `added`, a product is needed, is evaluated before: as the source does, and to scale each
        of its terms instead rounds more often.
        """
        parts = product_of(expr)
        sums = [part for part in parts if isinstance(part, Call) and part.function == "total"]
        rest = [part for part in parts if part not in sums]
        scaled = [part for part in rest if not isinstance(part, Const)]
        if sums and (any(isinstance(part, Apply) and part.op is Operator.DIV for part in rest) or added and scaled):
            minus, _, factors = taken_apart(reduce(lambda one, two: Apply(Operator.MUL, (one, two)), rest))
            return minus, " * ".join([*(self.evaluated(part) for part in sums), *map(self.factor, factors)])
        minus, found, factors = taken_apart(expr)
        self.extents.update(found)
        return minus, " * ".join(map(self.factor, factors)) or "1"

    def evaluated(self, total: Call) -> str:
        """A sum that is a tensor of its own."""
        used = {var: extent for var, extent in self.extents.items() if var in free_vars(total)}
        made = statement("sum", tuple(used), tuple(used.values()), total, self.taken)
        return self.cell(made, tuple(used), "sum")

    def factor(self, expr: Expr) -> str:
        """A cell of a tensor, a number, or a literal."""
        while isinstance(expr, Cast) and isinstance(expr.arg, Select):
            expr = expr.arg
        match expr:
            case Const(value):
                return repr(float(value)) if value != int(value) or value > 10**15 else str(int(value))
            case Select(Call() as stored, indices) if all(isinstance(index, Var) for index in indices):
                return self.cell(stored, tuple(index for index in indices if isinstance(index, Var)), "A")
            case Select(Var() as array, indices):
                return self.view(array, tuple(map(Polynomial.of, indices)))
            case _ if is_scalar(expr) and free_vars(expr).isdisjoint(self.extents):
                return self.cell(expr, (), expr.name if isinstance(expr, Var) else "s")
            case _:
                raise CannotWrite(f"index notation has no {shown(expr)}")

    def view(self, array: Var, index: tuple[Polynomial, ...]) -> str:
        """A cell of an array."""
        made = view_of(array, index, tuple(self.extents))
        return self.cell(made[0], made[1], array.name)

    def cell(self, source: Source, indices: tuple[Var, ...], name: str) -> str:
        """A cell of a tensor by its name."""
        shape = tuple(self.extents[index] for index in indices)
        if (source, shape) not in self.tensors:
            self.tensors[source, shape] = Tensor(self.fresh(name), source, shape)
        return f"{self.tensors[source, shape].name}({','.join(index.name for index in indices)})"

    def fresh(self, wanted: str) -> str:
        """A name that tensora reads: letters and digits."""
        stem = re.sub(r"[^A-Za-z0-9]", "", wanted).lstrip("0123456789") or "t"
        names = [*([chr(code) for code in range(65, 91)] if wanted == "A" else [stem]), *(f"{stem}{n}" for n in range(1, 99))]
        name = next(each for each in names if each not in self.taken | NOT_NAMES)
        self.taken.add(name)
        return name


def view_of(array: Var, index: tuple[Polynomial, ...], variables: tuple[Var, ...]) -> tuple[View, tuple[Var, ...]]:
    """The cells of an array at an index along each axis, and the variables in the order of the tensor's axes."""
    used = tuple(var for var in variables if any(var in each.free_vars for each in index))
    parts = [each.affine_in(used) for each in index]
    if any(part is None for part in parts):
        raise CannotWrite(f"{array.name} is read at an index that is no sum of indices and sizes")
    known = [part for part in parts if part is not None]
    strides = {var: tuple(part[0][var] for part in known) for var in used}
    order = sorted(used, key=lambda var: place(strides[var]))
    return View(array, tuple(part[1] for part in known), tuple(strides[var] for var in order)), tuple(order)


def place(strides: tuple[Polynomial, ...]) -> tuple[int, int, int]:
    """Indices of outer axes come first, then those of larger strides, as far as one can see."""
    axis, stride = next((axis, stride) for axis, stride in enumerate(strides) if stride.terms)
    return axis, -max(len(monomial) for monomial, _ in stride.terms), -abs(stride.terms[0][1])


def statement(result: str, indices: tuple[Var, ...], extents: tuple[Expr, ...], value: Expr, taken: set[str]) -> Statement:
    """A value of the indices as a statement. Raises CannotWrite; also where the text does not mean the value."""
    name = re.sub(r"[^A-Za-z0-9]", "", result) or "t"
    printer = _Printer(taken | {name}, dict(zip(indices, extents, strict=True)))
    right = printer.value(value)
    right = completed(right, printer, indices)
    made = Statement(name, indices, extents, right, tuple(printer.tensors.values()), value)
    again = meaning(made, printer.extents)
    if canonical(again) != canonical(value):
        raise CannotWrite(f"{made.text} does not say what the program computes")
    return made


def completed(right: str, printer: _Printer, indices: tuple[Var, ...]) -> str:
    """With a tensor of ones for indices that occur nowhere on the right: from tensors come the extents."""
    present = {name for _, inside, _ in CELL.findall(right) for name in inside.split(",")}
    missing = tuple(index for index in indices if index.name not in present)
    if not missing:
        return right
    ones = printer.cell(Const(1, INT), missing, "ones")
    return f"0 * {ones}" if right == "0" else f"{right} + 0 * {ones}"


# Reading


def meaning(made: Statement, extents: dict[Var, Expr]) -> list[tuple[bool, frozenset[tuple[Var, Expr]], list[Expr]]]:
    """What the text says: its terms, each with its sign, the indices that are summed over, and its factors."""
    tensors = {tensor.name: tensor for tensor in made.tensors}
    by_name = {var.name: var for var in extents}
    terms = []
    for sign, text in re.findall(r"(^|[+-] )((?:[^+-]|e[+-])+)", made.right):
        factors: list[Expr] = []
        minus, inner, seen = sign.startswith("-"), frozenset[tuple[Var, Expr]](), set[Var]()
        for name, inside, literal in CELL.findall(text):
            if literal:
                factors += [Const(float(literal), INT)] * (float(literal) != 1)  # type: ignore[arg-type]
                continue
            indices = tuple(by_name[each] for each in inside.split(",") if each)
            seen.update(indices)
            source = tensors[name].source
            if isinstance(source, Statement):  # which was read when it was made
                inner_minus, inner_sums, inner_factors = taken_apart(source.value)
                minus, inner, factors = minus != inner_minus, inner | inner_sums, factors + inner_factors
                continue
            factors.append(cell_of(tensors[name], indices))
        sums = frozenset((var, extents[var]) for var in seen if var not in made.indices) | inner
        if not any(isinstance(factor, Const) and factor.value == 0 for factor in factors):
            terms.append((minus, sums, factors))
    return terms


def cell_of(tensor: Tensor, indices: tuple[Var, ...]) -> Expr:
    """A cell of a tensor as an expression over the arrays."""
    match tensor.source:
        case View(array, offset, strides):
            cell = list(offset)
            for index, steps in zip(indices, strides, strict=True):
                cell = [at + Polynomial.atom(index) * step for at, step in zip(cell, steps, strict=True)]
            return Select(array, tuple(at.to_expr() for at in cell))
        case Call() as stored if isinstance(stored.type, TensorType):
            return Select(stored, indices)
        case Statement() as inner:
            return inner.value
        case number:
            return number


def canonical(value: object) -> list[tuple[bool, frozenset[tuple[Var, Expr]], tuple[str, ...]]]:
    """Terms in an order of their own, with factors and indices in the forms that do not depend on how they are written."""
    terms = value if isinstance(value, list) else [taken_apart(term) for term in summands(value)]  # type: ignore[arg-type]
    return sorted(((minus, sums, tuple(sorted(map(repr, map(plain, factors))))) for minus, sums, factors in terms), key=repr)


def taken_apart(expr: Expr) -> tuple[bool, frozenset[tuple[Var, Expr]], list[Expr]]:
    """A term of a program: its sign, what it is summed over, its factors."""
    minus, sums, factors = False, dict[Var, Expr](), list[Expr]()
    waiting = product_of(expr)
    while waiting:
        factor = waiting.pop(0)
        if isinstance(factor, Call) and factor.function == "total":
            (body,) = factor.args
            assert isinstance(body, Build)
            sums[body.binders[0]] = body.extents[0]
            waiting = [*product_of(body.body), *waiting]
            continue
        if isinstance(factor, Const) and factor.value < 0:
            minus, factor = not minus, Const(-factor.value, factor.type)
        factors.append(factor)
    used = {var for factor in factors for var in free_vars(factor)}
    if not set(sums) <= used:
        raise CannotWrite("a sum over an index that does not occur in it")
    return minus, frozenset(sums.items()), [each for each in factors if not (isinstance(each, Const) and each.value == 1)]


def plain(factor: Expr) -> Expr:
    """A factor in one form."""
    while isinstance(factor, Cast) and isinstance(factor.arg, Select):
        factor = factor.arg
    match factor:
        case Select(Var() as array, indices):
            return Select(array, tuple(Polynomial.of(index).to_expr() for index in indices))
        case Const(value):
            return Const(float(value), INT)  # type: ignore[arg-type]
        case _:
            return factor


def summands(expr: Expr) -> list[Expr]:
    """The terms of a sum."""
    if isinstance(expr, Apply) and expr.op is Operator.ADD:
        return [term for arg in expr.args for term in summands(arg)]
    return [] if isinstance(expr, Const) and expr.value == 0 else [expr]


def product_of(expr: Expr) -> list[Expr]:
    """The factors of a product."""
    if isinstance(expr, Apply) and expr.op is Operator.MUL and not is_scalar(expr):
        return [factor for arg in expr.args for factor in product_of(arg)]
    return [expr]
