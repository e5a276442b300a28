"""Sums over the positions of stored cells, as sums over the coordinates of tensors: which arrays are which tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metalift.driver import CannotWrite, Driver
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import less
from metalift.ir.expr.conjunctions import for_all
from metalift.ir.expr.nodes import Apply, Call, Cast, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, TensorType, is_integer
from metalift.ir.expr.walk import map_children, replaced, subexpressions, substitute

from .terms import Term


@dataclass(frozen=True, slots=True)
class Level:
    """Stored positions: those from pos[parent] to pos[parent + 1], or all `extent` of them where there is no `pos`."""

    index: Var
    extent: Expr
    pos: Var | None = None
    parent: Polynomial = Polynomial()

    @property
    def position(self) -> Polynomial:
        """The position in the arrays of the level."""
        here = Polynomial.atom(self.index)
        return here if self.pos is None else here + Polynomial.atom(Select(self.pos, (self.parent.to_expr(),)))


@dataclass
class Binder:
    """Binds one term. `indices` are those of the result with their extents, `letters` names for others, `spare` parameters
    that the source does not use.
    """

    driver: Driver
    indices: Mapping[Var, Expr]
    letters: Sequence[str]
    spare: Sequence[Var] = ()
    requires: dict[Expr, None] = field(default_factory=dict)
    extents: dict[Var, Expr] = field(default_factory=dict)  # of indices that are summed over
    levels: dict[Level, list[tuple[Var, Var]]] = field(default_factory=dict)  # the arrays of coordinates, and the indices

    def bind(self, term: Term) -> Term:
        """The term over tensors, without positions and conditions."""
        term = self.in_rows(self.renamed(term))
        self.extents = dict(term.sums)
        for var, _ in term.sums:
            level = self.level(var, self.extents[var], term)
            if level is not None:
                self.extents.pop(var)
                term = self.coordinates(level, term)
        if term.conditions:
            raise CannotWrite("a condition that is not about the coordinates of stored cells")
        return self.tensors(replace(term, sums=()))

    def renamed(self, term: Term) -> Term:
        """Sums by letters."""
        free = [letter for letter in self.letters if all(letter != var.name for var in self.indices)]
        values: dict[Var, Expr] = {var: Var(letter, INT) for (var, _), letter in zip(term.sums, free, strict=False)}
        self.free = free[len(values) :]
        sums = tuple((Var(letter, INT), substitute(extent, values)) for (_, extent), letter in zip(term.sums, free, strict=False))
        return replace(term.replaced(values), sums=sums)

    # Conditions about cells of flattened arrays

    def in_rows(self, term: Term) -> Term:
        """With a*n + b == i*n + j as a == i and b == j, and no sum over what that makes one of the result's indices."""
        conditions = [part for cond in term.conditions for part in self.separated(cond)]
        values: dict[Var, Expr] = {}
        for cond in list(conditions):
            for var, extent in term.sums:
                place = alone(cond, var)
                if var not in values and segment(extent) is None and place is not None and place in self.indices:
                    values[var] = place
                    conditions.remove(cond)
                    break
        kept = tuple((var, extent) for var, extent in term.sums if var not in values)
        return Term(kept, tuple(conditions), term.factors, term.outside).replaced(values)

    def separated(self, cond: Expr) -> list[Expr]:
        """The parts of an equation of two flattened cells."""
        if not (isinstance(cond, Apply) and cond.op is Operator.EQ and is_integer(type_of(cond.args[0]))):
            return [cond]
        left, right = (Polynomial.of(side) for side in cond.args)
        sizes = {atom for var in self.indices for side in (left, right) for atom in side.coefficient(var).atoms}
        for size in sorted(sizes, key=repr):
            (one, one_rest), (two, two_rest) = (side.divide(Polynomial.atom(size)) for side in (left, right))
            if one.terms and two.terms:
                return [equation(one, two), equation(one_rest, two_rest)]
        return [cond]

    # Positions

    def level(self, index: Var, extent: Expr, term: Term) -> Level | None:
        """The stored cells that an index of a sum goes over, None where it is a dense index."""
        found = segment(extent)
        if found is not None:
            return Level(index, extent, *found)
        plain = Level(index, extent)
        return plain if self.arrays(plain, term) else None

    def arrays(self, level: Level, term: Term) -> list[Var]:
        """The arrays of coordinates of the level's cells."""
        segments = {found[0] for _, extent in term.sums if (found := segment(extent)) is not None}
        return [array for array in coordinates(level.position, term) if array not in segments]

    def coordinates(self, level: Level, term: Term) -> Term:
        """The term with indices in the place of the coordinates of the level's cells, which are summed over from now on."""
        arrays = self.arrays(level, term)
        if level.pos is not None and not arrays:
            arrays = [var for var in self.spare if isinstance(var.type, TensorType) and is_integer(var.type.element)][:1]
        if len(arrays) not in ((1,) if level.pos is not None else (2, 3)):
            raise CannotWrite(f"the positions {level.index.name} have {len(arrays)} arrays of coordinates")
        self.levels[level] = []
        for array in sorted(arrays, key=lambda each: self.rank(each, level, term)):
            var, term = self.coordinate(array, level, term)
            self.levels[level].append((array, var))
        return term

    def rank(self, array: Var, level: Level, term: Term) -> int:
        """Coordinates that a condition makes an index of the result come first, in the order of these."""
        for cond in term.conditions:
            place = alone(cond, coordinate_of(array, level.position, cond))
            if isinstance(place, Var) and place in self.indices:
                return list(self.indices).index(place)
        return len(self.indices)

    def coordinate(self, array: Var, level: Level, term: Term) -> tuple[Var, Term]:
        """The index that stands for a coordinate: another one where a condition says so."""
        here = level.position
        place: Var | None = None
        conditions = []
        for cond in term.conditions:
            found = alone(cond, coordinate_of(array, here, cond)) if place is None else None
            if isinstance(found, Var) and (found in self.indices or found in self.extents):
                place = found
            else:
                conditions.append(cond)
        if place is None:
            if not self.free:
                raise CannotWrite("more indices than letters")
            place = Var(self.free.pop(0), INT)
        var = place

        def changed(expr: Expr) -> Expr:
            if is_read(expr, array, here):
                return var
            made = map_children(changed, expr)
            return var if isinstance(made, Cast) and made.arg == var else made

        sums = tuple((each, changed(extent)) for each, extent in term.sums)
        self.extents = {each: changed(extent) for each, extent in self.extents.items()}
        return var, Term(sums, tuple(map(changed, conditions)), tuple(map(changed, term.factors)), term.outside)

    # Tensors

    def tensors(self, term: Term) -> Term:
        """The term with cells of tensors in the place of stored values."""
        for _ in range(len(self.levels)):  # the extent of one index may be known from another tensor's
            self.measured(term.all_factors)
        children = {level.parent: level for level in self.levels if level.pos is not None}
        for root in [level for level in self.levels if not any(level.parent == other.position for other in self.levels)]:
            chain = [root]
            while (inner := children.get(chain[-1].position)) is not None:
                chain.append(inner)
            found = stored(chain[-1].position, term)
            if len(found) != 1:
                raise CannotWrite(f"{len(found)} arrays of values at one position: a tensor has one")
            ((array, read),) = found.items()
            cell = self.cell(chain, array)
            term = replace(term, factors=tuple(replaced(factor, {read: cell}) for factor in term.factors))
        sums = tuple((var, extent) for var, extent in self.extents.items())
        return replace(term, sums=sums)

    def cell(self, chain: list[Level], vals: Var) -> Expr:
        """A cell of the tensor of a chain of levels, by the operator of its format."""
        root = chain[0]
        if root.pos is None:
            place = tuple(index for _, index in self.levels[root])
            coordinates = (array for array, _ in self.levels[root])
            return self.tensor("coo" if len(place) == 2 else "coo3", place, place, (root.extent, *coordinates, vals))
        (parent,) = root.parent.atoms if len(root.parent.atoms) == 1 else (None,)
        if not isinstance(parent, Var) or root.parent != Polynomial.atom(parent):
            raise CannotWrite("rows that are not numbered by an index")
        arrays = [each for level in chain for each in (level.pos, self.levels[level][0][0]) if each is not None]
        inner = [self.levels[level][0][1] for level in chain]
        if len(chain) == 2:
            return self.tensor("csf", (parent, *inner), (parent, *inner), (*arrays, vals))
        if len(chain) > 2:
            raise CannotWrite("a tensor of more than three axes")
        (j,) = inner
        if j in self.indices and (parent not in self.indices or list(self.indices).index(j) < list(self.indices).index(parent)):
            return self.tensor("csc", (j, parent), (j, parent), (*arrays, vals))
        return self.tensor("csr", (parent, j), (parent, j), (*arrays, vals))

    def tensor(self, format: str, cell: tuple[Var, ...], sizes: tuple[Var, ...], arrays: tuple[Expr, ...]) -> Expr:
        """A cell of a tensor, of which the format's promises are required."""
        args = (*(self.size(var) for var in sizes), *arrays)
        element = type_of(arrays[-1])
        assert isinstance(element, TensorType)
        call = Call(format, args, TensorType(element.element, len(cell)))
        instance = self.driver.operators[format].instantiate(tuple(type_of(arg) for arg in args), call.type)
        for condition in instance.requires:
            self.requires[for_all(substitute(condition, dict(zip(instance.params, args, strict=True))))] = None
        return Select(call, cell)

    def size(self, var: Var) -> Expr:
        """The extent of an index."""
        if var in self.indices:
            return self.indices[var]
        if var not in self.extents:
            raise CannotWrite(f"nothing says how many cells there are along {var.name}")
        return self.extents[var]

    def measured(self, factors: Sequence[Expr]) -> None:
        """The extents of coordinates, by the arrays that they are indices of."""
        ends = {level.pos for level in self.levels}  # one more than what they are indices of
        for _, var in (pair for pairs in self.levels.values() for pair in pairs):
            if var in self.indices or var in self.extents:
                continue
            parts = [part for factor in factors for part in subexpressions(factor)]
            reads = [part for part in parts if isinstance(part, Select) and part.tensor not in ends]
            found = [size for read in reads for size in self.extent_in(var, read)]
            found += [
                Apply(Operator.SUB, (Length(level.pos), integer(1)))
                for level in self.levels
                if level.pos is not None and level.parent == Polynomial.atom(var)
            ]
            found += [Cast(each, INT) for each in self.spare if is_integer(each.type)]
            if found:
                self.extents[var] = found[0]
                if isinstance(found[0], Apply) and found[0].op is Operator.TDIV:
                    self.requires[less(integer(0), found[0].args[1])] = None

    def extent_in(self, var: Var, part: Select) -> list[Expr]:
        """How many cells an array has along an index."""
        if not isinstance(part.tensor, Var):
            return []
        for axis, index in enumerate(part.indices):
            poly = Polynomial.of(index)
            if poly == Polynomial.atom(var):
                return [Length(part.tensor, axis)]
            stride = poly.coefficient(var)
            if stride.terms and var in poly.atoms:
                larger = [poly.coefficient(other) for other in poly.atoms if isinstance(other, Var) and other != var]
                if stride.constant_value == 1:
                    return [each.to_expr() for each in larger if each.terms and each.constant_value != 1]
                return [Apply(Operator.TDIV, (Length(part.tensor, axis), stride.to_expr()))]
        return []


def segment(extent: Expr) -> tuple[Var, Polynomial] | None:
    """`pos` and `parent` of pos[parent + 1] - pos[parent]."""
    reads = {sign: atom for monomial, sign in Polynomial.of(extent).terms if len(monomial) == 1 for atom in monomial}
    match (reads.get(1), reads.get(-1), len(Polynomial.of(extent).terms)):
        case (Select(Var() as pos, (last,)), Select(Var() as other, (first,)), 2) if pos == other:
            parent = Polynomial.of(first)
            return (pos, parent) if Polynomial.of(last) == parent + 1 else None
    return None


def coordinates(position: Polynomial, term: Term) -> list[Var]:
    """The arrays of integers that a term reads at a position to find cells."""
    selects = [part for factor in term.factors for part in subexpressions(factor) if isinstance(part, Select)]
    places = [*term.conditions, *(index for part in selects for index in part.indices)]
    found: dict[Var, None] = {}
    for part in (part for place in places for part in subexpressions(place) if isinstance(part, Select)):
        if isinstance(part.tensor, Var) and is_integer(type_of(part)) and is_read(part, part.tensor, position):
            found[part.tensor] = None
    return list(found)


def stored(position: Polynomial, term: Term) -> dict[Var, Expr]:
    """The arrays of which a term has the number at a position as a factor, and the reads."""
    parts = [factor.arg if isinstance(factor, Cast) else factor for factor in term.factors]
    return {
        part.tensor: part
        for part in parts
        if isinstance(part, Select) and isinstance(part.tensor, Var) and is_read(part, part.tensor, position)
    }


def is_read(expr: Expr, array: Var, position: Polynomial) -> bool:
    """Whether it is the array's element at the position."""
    if not isinstance(expr, Select) or expr.tensor != array or len(expr.indices) != 1:
        return False
    return Polynomial.of(expr.indices[0]) == position


def coordinate_of(array: Var, position: Polynomial, cond: Expr) -> Expr | None:
    """The read of a coordinate in a condition."""
    return next((part for part in subexpressions(cond) if is_read(part, array, position)), None)


def alone(cond: Expr, atom: Expr | None) -> Expr | None:
    """What an atom is by an equation, if that is a variable."""
    if atom is None or not (isinstance(cond, Apply) and cond.op is Operator.EQ and is_integer(type_of(cond.args[0]))):
        return None
    difference = Polynomial.of(cond.args[0]) - Polynomial.of(cond.args[1])
    sign = difference.coefficient(atom).constant_value
    if sign not in (1, -1):
        return None
    rest = difference - Polynomial.atom(atom) * sign
    other = (-rest if sign == 1 else rest).to_expr()
    stripped = strip_casts(other)
    return stripped if isinstance(stripped, Var) else None


def equation(left: Polynomial, right: Polynomial) -> Expr:
    """left == right."""
    return Apply(Operator.EQ, (left.to_expr(), right.to_expr()))
