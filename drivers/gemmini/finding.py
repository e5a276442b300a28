"""From a summary to calls of the library: which arrays are the operands, and which scales and activation it has.

What is found here is proved afterwards, as any program is; nothing rests on how it was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from metalift.driver import CannotWrite
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Apply, Build, Call, Const, Expr, Fold, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, INT32, MachineInt, TensorType
from metalift.ir.expr.walk import alpha_equal, free_vars, fresh_name, map_children, names, subexpressions, substitute
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.interp.values import SourceUndefined
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram, Write
from metalift_drivers.taco.versions import Cells, Versions

from .scales import accumulators, elements, parts

INT8 = MachineInt(8, True)
SUM, BIAS, FIRST, SECOND = Var("sum", INT32), Var("bias", INT32), Var("first", INT8), Var("second", INT8)


def find(summary: Summary, fragment: Fragment) -> TargetProgram:
    """The program. Raises CannotWrite where the summary is not one of the library's calls."""
    return _Finder(summary, fragment).program()


@dataclass(frozen=True, slots=True)
class Product:
    """The sum of products of two factors for index below extent; what is added to it is a part of the value around."""

    factors: tuple[Select, Select]
    index: Var
    extent: Expr


@dataclass
class _Finder:
    summary: Summary
    fragment: Fragment
    requires: dict[Expr, None] = field(default_factory=dict)

    def program(self) -> TargetProgram:
        """The whole."""
        versions = Versions(self.summary)
        writes = []
        for name, value in self.summary.outputs:
            if name == "return":
                raise CannotWrite("it returns a number; the library writes matrices")
            found = versions.cells(value)
            if len(found) != 1:
                raise CannotWrite("loops that write different cells of one array")
            cells = self.renamed(found[0])
            self.requires.update(dict.fromkeys(cells.requires))
            for extent in cells.extents:
                self.at_least(0, extent)
            window = Build(cells.extents, cells.binders, Select(cells.array, cells.indices))
            called = self.called(cells)
            for part in (window, *subexpressions(called)):
                self.strides(part)
            writes.append(Write(cells.array, window, called))
        return TargetProgram((), tuple(writes), None, tuple(self.requires))

    def renamed(self, cells: Cells) -> Cells:
        """With binders that nothing else is called."""
        taken = {param.var.name for param in self.fragment.params} | set(names(cells.value))
        new: dict[Var, Expr] = {}
        for binder, wanted in zip(cells.binders, "ijkl", strict=False):
            new[binder] = Var(fresh_name(wanted, taken), INT)
        if len(new) < len(cells.binders):
            raise CannotWrite("an array is written by more than two nested loops; the library writes matrices")
        binders = tuple(var for var in new.values() if isinstance(var, Var))
        parts = (tuple(substitute(part, new) for part in several) for several in (cells.extents, cells.indices))
        extents, indices = parts
        return Cells(cells.array, binders, extents, indices, substitute(cells.value, new), cells.requires)

    def at_least(self, least: int, extent: Expr) -> None:
        """A size is not smaller."""
        if not (isinstance(extent, Const) and int(extent.value) >= least):
            self.requires[at_most(integer(least), extent)] = None

    def strides(self, view: Expr) -> None:
        """From element to element of an array it goes forward: strides have no sign."""
        if isinstance(view, Build) and isinstance(view.body, Select) and isinstance(view.body.tensor, Var):
            affine = Polynomial.of(view.body.indices[0]).affine_in(view.binders)
            for stride in affine[0].values() if affine else ():
                self.at_least(0, stride.to_expr())

    def called(self, cells: Cells) -> Expr:
        """A call for what is written."""
        if not 1 <= len(cells.binders) <= 2:
            raise CannotWrite("what is written is no vector or matrix")
        element = type_of(cells.value)
        if element not in (INT8, INT32):
            raise CannotWrite("Gemmini's elements are signed integers of 8 bits, and of 32 bits where products are summed")
        value, product = summed(cells.value)
        if product is None:
            value, product = multiplied(cells.value, cells.binders)
        if product is None:
            return self.added(cells)
        return self.multiplied(cells, value, product)

    # Sums of products

    def multiplied(self, cells: Cells, value: Expr, product: Product) -> Expr:
        """A product of matrices, of which `value` is made."""
        self.at_least(1, product.extent)
        rows, columns, value_of = self.axes(cells, product)
        left, right = product.factors
        if (columns is not None and columns[0] in free_vars(left)) or rows[0] in free_vars(right):
            raise CannotWrite("the factors of a sum of products are not a row of one matrix and a column of another")
        spare = self.spare(cells)
        column = columns or (spare, integer(1))
        a = Build((rows[1], product.extent), (rows[0], product.index), left)
        b = Build((product.extent, column[1]), (product.index, column[0]), right)
        value, bias = parted(value, INT32, (BIAS,))
        c = [Build((rows[1], column[1]), (rows[0], column[0]), each) for each in bias]
        kind = "_bias" if c else ""
        result = Var("result", TensorType(INT32 if type_of(value) == INT32 else INT8, 2))
        computed = computing(value, (SUM, BIAS)[: 1 + len(c)])
        if result.type == TensorType(INT32, 2):
            if not self.is_sum(computed, len(c)):
                raise CannotWrite("a 32-bit result is a sum of products, and what is added to it, without scale or saturation")
            return value_of(Call(f"matmul_full{kind}", (a, b, *c), result.type))
        if c and any(computed(s, d) != computed(s + d, 0) for s in (-9, 5, 300) for d in (-700, -3, 4, 90)):
            raise CannotWrite("a bias is scaled in another way than the sum that it is added to")
        found = accumulators(lambda s: computed(s, *[0] * len(c)))
        if found is None:
            raise CannotWrite(
                "what becomes of a 32-bit sum is not what the library computes: a scale n / 2**bits, rounding to the nearest "
                "with ties to even, saturation to 8 bits, before or after a relu"
            )
        numbers = (found.relu, *parts(found.scale))
        return value_of(Call(f"matmul{kind}", (a, b, *c, *map(integer, numbers)), result.type))

    def axes(
        self, cells: Cells, product: Product
    ) -> tuple[tuple[Var, Expr], tuple[Var, Expr] | None, Callable[[Expr], Expr]]:
        """Rows and columns of the result with their sizes, and the view of it that is written; a vector is one column."""
        pairs = list(zip(cells.binders, cells.extents, strict=True))
        if len(pairs) == 2:
            return pairs[0], pairs[1], lambda call: call
        ((row, extent),) = pairs
        return (row, extent), None, lambda call: Build((extent,), (row,), Select(call, (row, integer(0))))

    def spare(self, cells: Cells) -> Var:
        """A binder of an axis of one element."""
        taken = {param.var.name for param in self.fragment.params} | {var.name for var in cells.binders} | set(names(cells.value))
        return Var(fresh_name("j", taken), INT)

    def is_sum(self, computed: Callable[..., int | None], biases: int) -> bool:
        """Whether a value is the sum of its parts."""
        places = (-100000, -3, 0, 1, 77, 2**20)
        return all(computed(s, *[d] * biases) == s + biases * d for s in places for d in (-5, 0, 1000))

    # Elements

    def added(self, cells: Cells) -> Expr:
        """A sum of two elements."""
        value, leaves = parted(cells.value, INT8, (FIRST, SECOND))
        if not leaves or type_of(value) != INT8:
            raise CannotWrite("the library's matrices are products, or sums of two matrices of 8-bit elements")
        computed = computing(value, (FIRST, SECOND)[: len(leaves)])
        found = elements(computed if len(leaves) == 2 else lambda x, _: computed(x))
        if found is None or (len(leaves) == 1 and found.b != 0):
            raise CannotWrite(
                "what becomes of the elements is not what the library computes: each scaled, rounded to the nearest with ties to "
                "even, saturated to 8 bits; their sum the same, before or after a relu"
            )
        pairs = list(zip(cells.binders, cells.extents, strict=True))
        spare = self.spare(cells)
        rows, columns = pairs if len(pairs) == 2 else [(spare, integer(1)), pairs[0]]
        a, *rest = (Build((rows[1], columns[1]), (rows[0], columns[0]), leaf) for leaf in leaves)
        scales = (found.a, found.b)
        numbers = [*(part for scale in scales for part in parts(scale)), found.out.relu, *parts(found.out.scale)]
        call = Call("resadd", (a, rest[0] if rest else a, *map(integer, numbers)), TensorType(INT8, 2))
        if len(pairs) == 2:
            return call
        return Build((columns[1],), (columns[0],), Select(call, (integer(0), columns[0])))


def summed(value: Expr) -> tuple[Expr, Product | None]:
    """The value with its one sum of products named, and that sum; what the sum starts from stays in the value."""
    found: list[tuple[Fold, Product]] = []

    def go(expr: Expr) -> Expr:
        if not isinstance(expr, Fold):
            return map_children(go, expr)
        known = next((fold for fold, _ in found if alpha_equal(fold, expr)), None)
        if known is None:
            found.append((expr, product_of(expr)))
        return Apply(Operator.ADD, (expr.init, SUM)) if expr.init != Const(0, expr.acc.type) else SUM

    named = go(value)
    if len(found) > 1:
        raise CannotWrite("what is written has more than one sum of products")
    return (named, found[0][1]) if found else (value, None)


def product_of(fold: Fold) -> Product:
    """The factors of what a fold sums."""
    if isinstance(fold.body, Apply) and fold.body.op is Operator.ADD and fold.acc in fold.body.args and fold.acc.type == INT32:
        left, right = fold.body.args
        factors = factors_of(right if left == fold.acc else left)
        if factors is not None:
            return Product(factors, fold.index, fold.extent)
    raise CannotWrite("a loop that is no 32-bit sum of products of two 8-bit elements")


def factors_of(term: Expr) -> tuple[Select, Select] | None:
    """Two 8-bit elements that are multiplied."""
    term = strip_casts(term)
    if not (isinstance(term, Apply) and term.op is Operator.MUL):
        return None
    left, right = map(strip_casts, term.args)
    if isinstance(left, Select) and isinstance(right, Select) and {type_of(left), type_of(right)} == {INT8}:
        return left, right
    return None


def multiplied(value: Expr, binders: tuple[Var, ...]) -> tuple[Expr, Product | None]:
    """The value with its one product of elements along different axes named: a sum of one product."""
    found: list[tuple[Select, Select]] = []

    def go(expr: Expr) -> Expr:
        factors = factors_of(expr)
        if factors is None or type_of(expr) != INT32:
            return map_children(go, expr)
        along = [free_vars(factor).intersection(binders) for factor in factors]
        if len(binders) != 2 or along not in ([{binders[0]}, {binders[1]}], [{binders[1]}, {binders[0]}]):
            return map_children(go, expr)
        found.append(factors)
        return SUM

    named = go(value)
    if len(set(found)) != 1:
        return value, None
    taken = {var.name for var in free_vars(value)}
    return named, Product(found[0], Var(fresh_name("k", taken), INT), integer(1))


def parted(value: Expr, element: MachineInt, holders: tuple[Var, ...]) -> tuple[Expr, list[Select]]:
    """The value with its elements of arrays named, and these. Raises CannotWrite for more, or others."""
    leaves: list[Select] = []

    def go(expr: Expr) -> Expr:
        if not isinstance(expr, Select):
            return map_children(go, expr)
        if type_of(expr) != element or (expr not in leaves and len(leaves) == len(holders)):
            raise CannotWrite("more arrays, or of other types, than a call of the library has")
        if expr not in leaves:
            leaves.append(expr)
        return holders[leaves.index(expr)]

    return go(value), leaves


def computing(value: Expr, inputs: tuple[Var, ...]) -> Callable[..., int | None]:
    """The value as a function, None where it has no meaning. Raises CannotWrite where it depends on anything else."""
    others = free_vars(value) - set(inputs)
    if others:
        named = ", ".join(sorted(var.name for var in others))
        raise CannotWrite(f"what is written depends on {named} beside the elements: scales of the library's calls are constants")

    def compute(*numbers: int) -> int | None:
        try:
            result = evaluate(value, {var.name: number for var, number in zip(inputs, numbers, strict=True)})
        except SourceUndefined:
            return None
        assert isinstance(result, int)
        return result

    return compute
