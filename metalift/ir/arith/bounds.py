"""What is known of integers where something stands: one answer to whether a sum of terms is at least 0.

It rests on facts that conditions say, on the ranges that types and constants give, and on what the asker takes for granted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import TypeAlias

from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.arith.polynomial import Monomial, Polynomial
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import INT, BoolType, is_integer

Rooms: TypeAlias = tuple[Polynomial, ...]
"""Sums of terms that are at least 0: how much room there is between the sides of comparisons."""
FLOORING = {Operator.TDIV: Operator.FDIV, Operator.TREM: Operator.FMOD}
"""C's division and remainder, and those of floor division that they are where nothing is negative."""
_DEPTH = 4  # facts that are put together for one answer
_MANY = 24  # facts that are looked at where there are more; the latest are the nearest
_REMEMBERED = 1 << 12


def rooms(cond: Expr, holds: bool = True, read: Callable[[Expr], Polynomial] = Polynomial.of) -> Rooms:
    """What is at least 0 where a condition on integers holds, or where it does not; names of truth values are 0 and 1."""
    match cond:
        case Var(_, BoolType()):
            flag = read(Cast(cond, INT))
            return (flag - 1,) if holds else (-flag,)
        case Apply(Operator.NOT, (arg,)):
            return rooms(arg, not holds, read)
        case Apply(Operator.AND | Operator.OR as op, args) if holds == (op is Operator.AND):
            return tuple(room for arg in args for room in rooms(arg, holds, read))
        case Apply(Operator.LT | Operator.LE | Operator.EQ as op, (left, right)) if is_integer(type_of(left)):
            gap = read(right) - read(left)
            if op is Operator.EQ and not holds:  # of what is not negative, that it is at least 1
                return tuple(each - 1 for each in (gap, -gap) if interval(each.to_expr()).nonnegative)
            if op is Operator.EQ:
                return gap, -gap
            return (gap - (op is Operator.LT),) if holds else (-gap - (op is Operator.LE),)
        case _:
            return ()


def learned(cond: Expr, holds: bool = True) -> Rooms:
    """The same with what is true of quotients in it."""
    return tuple(each for room in rooms(cond, holds) for each in (*_quotients(room), room))


def _quotients(value: Polynomial) -> Iterable[Polynomial]:
    """Of quotients by positive numbers: a // c * c is at most a, and more than a - c."""
    for atom in value.atoms:
        match atom:
            case Apply(Operator.FDIV, (dividend, Const(int(divisor), _))) if divisor > 0:
                rest = Polynomial.of(dividend) - Polynomial.atom(atom) * divisor
                yield from (rest, -rest + (divisor - 1))
            case _:
                pass


def _nothing(_atom: Expr) -> bool:
    return False


class Facts:
    """Sums of terms that are known not to be negative, by conditions that hold or as such.

    `natural` says which atoms the asker takes not to be negative, whatever is known.
    """

    def __init__(
        self, formulas: Iterable[Expr] = (), known: Iterable[Polynomial] = (), natural: Callable[[Expr], bool] = _nothing
    ) -> None:
        conditions = [part for formula in formulas for part in conjuncts(formula)]
        self._known = list(dict.fromkeys((*known, *(each for cond in conditions for each in learned(cond)))))
        self._nonzero = {gap for cond in conditions for gap in _unequal(cond)}
        self._assumed = natural
        self._least: dict[Expr, int] = {}  # lower bounds of atoms
        self._shown: dict[Polynomial, bool] = {}
        for each in self._known:
            match each.terms:
                case (((atom,), 1), *rest) if all(not monomial for monomial, _ in rest):
                    self._least[atom] = max(self._least.get(atom, -each.constant_term), -each.constant_term)
                case _:
                    pass

    def never_negative(self, value: Polynomial) -> bool:
        """Whether the value is shown to be at least 0."""
        if value not in self._shown:
            if len(self._shown) >= _REMEMBERED:
                self._shown.clear()
            self._shown[value] = self._shows(value, _DEPTH)
        return self._shown[value]

    def positive(self, value: Polynomial) -> bool:
        """Whether the value is shown to be at least 1."""
        return self.never_negative(value - 1)

    def nonzero(self, value: Polynomial) -> bool:
        """Whether the value is shown not to be 0."""
        return value in self._nonzero or -value in self._nonzero or self.positive(value) or self.positive(-value)

    def _shows(self, value: Polynomial, depth: int) -> bool:
        """Every term is natural once atoms are counted from their bounds, or it is so after a fact was taken off."""
        raised = {atom: Polynomial.atom(atom) + least for atom in value.atoms if (least := self._least.get(atom, 0)) > 0}
        lowered = value.substitute(raised) if raised else value
        wrong = {monomial: factor for monomial, factor in lowered.terms if factor < 0 or not self._product(monomial, depth)}
        if not wrong:
            return True
        helpful = [known for known in self._known if any(factor * wrong.get(monomial, 0) > 0 for monomial, factor in known.terms)]
        return depth > 0 and any(self._shows(value - known, depth - 1) for known in helpful)

    def _product(self, monomial: Monomial, depth: int) -> bool:
        """Whether each atom is at least 0; what facts together say of a single one is found by taking them off."""
        return all(self._natural(atom, depth) or (len(monomial) > 1 and atom in self._bounded) for atom in monomial)

    @cached_property
    def _bounded(self) -> frozenset[Expr]:
        """Atoms that several facts together bound by 0: n <= ld, 0 <= n."""
        atoms = sorted({atom for known in self._known for atom in known.atoms}, key=repr)
        found: frozenset[Expr] = frozenset()
        while True:
            self.__dict__["_bounded"] = found  # what is known of some is used for others
            more = [atom for atom in atoms if atom not in found and self._shows(Polynomial.atom(atom), _DEPTH)]
            if not more:
                return found
            found = found.union(more)

    def _natural(self, atom: Expr, depth: int) -> bool:
        """Whether an atom is at least 0 by itself, or by its operands; counted from a positive bound, it is."""
        if self._least.get(atom, -1) >= 0 or self._assumed(atom) or interval(atom).nonnegative:
            return True

        def natural(arg: Expr) -> bool:
            return self._shows(Polynomial.of(arg), depth)

        match atom:
            case Apply(Operator.MAX | Operator.BITAND, args):
                return any(map(natural, args))
            case Apply(Operator.MIN | Operator.FDIV | Operator.TDIV | Operator.BITOR | Operator.BITXOR, args):
                return all(map(natural, args))
            case Apply(Operator.SHL | Operator.SHR | Operator.TREM, (left, _)):
                return natural(left)
            case Apply(Operator.FMOD, (_, right)):
                return natural(right)
            case Ite(_, then, other):
                return natural(then) and natural(other)
            case Cast(arg, type_) if is_integer(type_of(arg)):
                most, high = type_range(type_).high, interval(arg).high
                return (most is None or (high is not None and high <= most)) and natural(arg)
            case _:
                return False


def _unequal(cond: Expr) -> Iterable[Polynomial]:
    """What is not 0 where the condition holds."""
    match cond:
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            gap = Polynomial.of(right) - Polynomial.of(left)
            yield gap
            match gap.terms:
                case (((Apply(Operator.TREM | Operator.FMOD, (divided, _)),), _),):  # 0 leaves no rest
                    yield Polynomial.of(divided)
                case _:
                    pass
        case _:
            pass


def not_negative(value: Polynomial, known: Rooms) -> bool:
    """Whether an integer is certainly 0 or more where these are, of which the last ones are the nearest."""
    return _facts(known[-_MANY:]).never_negative(value)


def follows(cond: Expr, known: Rooms) -> bool:
    """Whether comparisons of integers follow from what is at least 0; of other conditions that is not known."""
    match cond:
        case Apply(Operator.AND, args):
            return all(follows(arg, known) for arg in args)
        case Apply(Operator.OR, args):
            return any(follows(arg, known) for arg in args)
        case Apply(Operator.LT | Operator.LE | Operator.EQ) | Apply(Operator.NOT, (Apply(Operator.LT | Operator.LE),)):
            gaps = rooms(cond)  # none where it is no integers that are compared
            return bool(gaps) and all(not_negative(gap, known) for gap in gaps)
        case _:
            return False


@lru_cache(maxsize=1 << 8)
def _facts(known: Rooms) -> Facts:
    return Facts(known=known)
