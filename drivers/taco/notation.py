"""Programs as index notation, and index notation as programs: what is printed is read again before it is given to anybody."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from metalift.driver import CannotWrite
from metalift.ir.nodes import Apply, Build, Call, Cast, Const, Expr, Operator, Select, Var
from metalift.ir.polynomial import Polynomial
from metalift.ir.types import INT, TensorType
from metalift.ir.walk import free_vars

from .terms import is_scalar, shown

CELL = re.compile(r"([A-Za-z][A-Za-z0-9]*)\(([a-z0-9,]*)\)|(\d[\d.]*(?:e[+-]?\d+)?)")


@dataclass(frozen=True, slots=True)
class View:
    """Cells of an array as a tensor: those at `offset` and so many steps along each index as its stride says."""

    array: Var
    offset: Polynomial
    strides: tuple[Polynomial, ...]


Source = View | Call | Expr  # of a tensor: a view of an array, stored cells in a format, or a number


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a statement: its name, what it is made of, its extents."""

    name: str
    source: Source
    shape: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """result(indices) = right; `tensors` are those on the right."""

    result: str
    indices: tuple[Var, ...]
    extents: tuple[Expr, ...]
    right: str
    tensors: tuple[Tensor, ...]

    @property
    def text(self) -> str:
        """The statement."""
        return f"{self.result}({','.join(var.name for var in self.indices)}) = {self.right}"


@dataclass
class _Printer:
    taken: set[str]
    extents: dict[Var, Expr]
    tensors: dict[tuple[Source, tuple[Expr, ...]], Tensor] = field(default_factory=dict)

    def value(self, expr: Expr) -> str:
        """A sum of terms; those that are subtracted come after others."""
        terms = [self.term(term) for term in summands(expr)]
        terms.sort(key=lambda term: term[0])
        text = "0 - " if terms[0][0] else ""
        return text + "".join((" - " if minus else " + ") * bool(position) + term for position, (minus, term) in enumerate(terms))

    def term(self, expr: Expr) -> tuple[bool, str]:
        """Whether it is subtracted, and the product; sums are over the indices that the result does not have."""
        while isinstance(expr, Call) and expr.function == "total":
            (body,) = expr.args
            assert isinstance(body, Build)
            self.extents[body.binders[0]] = body.extents[0]
            expr = body.body
        factors = product_of(expr)
        minus = isinstance(factors[0], Const) and factors[0].value < 0
        if minus:
            first = factors[0]
            assert isinstance(first, Const)
            factors = [*([Const(-first.value, first.type)] if first.value != -1 or len(factors) == 1 else []), *factors[1:]]
        return minus, " * ".join(self.factor(factor) for factor in factors)

    def factor(self, expr: Expr) -> str:
        """A cell of a tensor, a number, or a literal."""
        while isinstance(expr, Cast) and isinstance(expr.arg, Select):
            expr = expr.arg
        match expr:
            case Const(value):
                return repr(float(value)) if value != int(value) or value > 10**15 else str(int(value))
            case Select(Call() as stored, indices) if all(isinstance(index, Var) for index in indices):
                return self.cell(stored, tuple(index for index in indices if isinstance(index, Var)), "A")
            case Select(Var() as array, (index,)):
                return self.view(array, Polynomial.of(index))
            case _ if is_scalar(expr) and free_vars(expr).isdisjoint(self.extents):
                return self.cell(expr, (), expr.name if isinstance(expr, Var) else "s")
            case _:
                raise CannotWrite(f"index notation has no {shown(expr)}")

    def view(self, array: Var, index: Polynomial) -> str:
        """A cell of an array."""
        used = tuple(var for var in self.extents if var in index.free_vars)
        parts = index.affine_in(used)
        if parts is None:
            raise CannotWrite(f"{array.name} is read at an index that is no sum of indices and sizes")
        used = tuple(sorted(used, key=lambda var: degree(parts[0][var]), reverse=True))
        return self.cell(View(array, parts[1], tuple(parts[0][var] for var in used)), used, array.name)

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
        name = next(each for each in names if each not in self.taken)
        self.taken.add(name)
        return name


def degree(stride: Polynomial) -> tuple[int, int]:
    """Larger for larger strides, as far as one can see."""
    return max((len(monomial) for monomial, _ in stride.terms), default=0), abs(stride.terms[0][1]) if stride.terms else 0


def statement(result: str, indices: tuple[Var, ...], extents: tuple[Expr, ...], value: Expr, taken: set[str]) -> Statement:
    """A value of the indices as a statement. Raises CannotWrite; also where the text does not mean the value."""
    name = re.sub(r"[^A-Za-z0-9]", "", result) or "t"
    printer = _Printer(taken | {name}, dict(zip(indices, extents, strict=True)))
    right = printer.value(value)
    right = completed(right, printer, indices)
    made = Statement(name, indices, extents, right, tuple(printer.tensors.values()))
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
    if right == "0":
        return f"0 * {ones}"
    return f"{right} + 0 * {ones}"


# Reading


def meaning(made: Statement, extents: dict[Var, Expr]) -> list[tuple[bool, frozenset[tuple[Var, Expr]], list[Expr]]]:
    """What the text says: its terms, each with its sign, the indices that are summed over, and its factors."""
    tensors = {tensor.name: tensor for tensor in made.tensors}
    by_name = {var.name: var for var in extents}
    terms = []
    for sign, text in re.findall(r"(^|[+-] )((?:[^+-]|e[+-])+)", made.right):
        factors: list[Expr] = []
        seen: set[Var] = set()
        for name, inside, literal in CELL.findall(text):
            if literal:
                factors.append(Const(float(literal), INT))  # type: ignore[arg-type]
                continue
            indices = tuple(by_name[each] for each in inside.split(",") if each)
            seen.update(indices)
            factors.append(cell_of(tensors[name], indices))
        sums = frozenset((var, extents[var]) for var in seen if var not in made.indices)
        if not any(isinstance(factor, Const) and factor.value == 0 for factor in factors):
            terms.append((sign.startswith("-"), sums, factors))
    return terms


def cell_of(tensor: Tensor, indices: tuple[Var, ...]) -> Expr:
    """A cell of a tensor as an expression over the arrays."""
    match tensor.source:
        case View(array, offset, strides):
            at = offset
            for index, stride in zip(indices, strides, strict=True):
                at = at + Polynomial.atom(index) * stride
            return Select(array, (at.to_expr(),))
        case Call() as stored if isinstance(stored.type, TensorType):
            return Select(stored, indices)
        case number:
            return number


def canonical(value: object) -> list[tuple[bool, frozenset[tuple[Var, Expr]], tuple[str, ...]]]:
    """Terms in an order of their own, with factors and indices in the forms that do not depend on how they are written."""
    terms = value if isinstance(value, list) else [taken_apart(term) for term in summands(value)]  # type: ignore[arg-type]
    return sorted(((minus, sums, tuple(sorted(map(repr, map(plain, factors))))) for minus, sums, factors in terms), key=repr)


def taken_apart(expr: Expr) -> tuple[bool, frozenset[tuple[Var, Expr]], list[Expr]]:
    """A term of a program: its sign, what it is summed over, its factors."""
    sums: dict[Var, Expr] = {}
    while isinstance(expr, Call) and expr.function == "total":
        (body,) = expr.args
        assert isinstance(body, Build)
        sums[body.binders[0]] = body.extents[0]
        expr = body.body
    minus, factors = False, []
    for factor in product_of(expr):
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
        case Select(Var() as array, (index,)):
            return Select(array, (Polynomial.of(index).to_expr(),))
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
