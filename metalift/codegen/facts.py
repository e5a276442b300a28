"""What is known about sizes: enough to leave out a clamp or to choose a slice; whatever is not shown is spelled the safe way."""

from __future__ import annotations

from collections.abc import Iterable

from metalift.ir.nodes import Apply, Const, Expr, Length, Operator, Select, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.types import MachineInt, is_integer

_DEPTH = 3


class Facts:
    """Polynomials over scalar parameters and lengths that are known not to be negative."""

    def __init__(self, formulas: Iterable[Expr] = ()) -> None:
        self._known: list[Polynomial] = []
        for formula in formulas:
            self._learn(formula)
        self._known = list(dict.fromkeys(self._known))
        self._lower: dict[Expr, int] = {}
        self._decided: dict[tuple[Polynomial, int], bool] = {}

    def _learn(self, formula: Expr) -> None:
        match formula:
            case Apply(Operator.AND, args):
                for arg in args:
                    self._learn(arg)
            case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
                self._known.append(Polynomial.of(right) - Polynomial.of(left))
            case Apply(Operator.LT, (left, right)) if is_integer(type_of(left)):
                self._known.append(Polynomial.of(right) - Polynomial.of(left) - 1)
            case Apply(Operator.NOT, (Apply(Operator.LE, (left, right)),)):
                self._learn(Apply(Operator.LT, (right, left)))
            case Apply(Operator.NOT, (Apply(Operator.LT, (left, right)),)):
                self._learn(Apply(Operator.LE, (right, left)))
            case Apply(Operator.EQ, (left, right)) if is_integer(type_of(left)):
                difference = Polynomial.of(right) - Polynomial.of(left)
                self._known += [difference, -difference]
            case _:
                pass

    def never_negative(self, value: Polynomial) -> bool:
        """Whether the facts show that the value is at least 0."""
        return self._shown(value, _DEPTH)

    def positive(self, value: Polynomial) -> bool:
        """Whether the facts show that the value is at least 1."""
        return self._shown(value - 1, _DEPTH)

    def _shown(self, value: Polynomial, depth: int) -> bool:
        key = (value, depth)
        if key not in self._decided:
            self._decided[key] = self._search(value, depth)
        return self._decided[key]

    def _search(self, value: Polynomial, depth: int) -> bool:
        lowered = value.substitute({atom: Polynomial.atom(atom) + self._least(atom) for atom in value.atoms if self._least(atom)})
        if all(factor > 0 and all(self._natural(atom) for atom in monomial) for monomial, factor in lowered.terms):
            return True
        return depth > 0 and any(self._shown(value - known, depth - 1) for known in self._known if not known.is_constant)

    def _least(self, atom: Expr) -> int:
        """The greatest known lower bound of an atom above 0; 0 where there is none."""
        if atom not in self._lower:
            bounds = [-(known - Polynomial.atom(atom)).constant_term for known in self._known if self._bounds(known, atom)]
            self._lower[atom] = max([0, *bounds])
        return self._lower[atom]

    def _bounds(self, known: Polynomial, atom: Expr) -> bool:
        return (known - Polynomial.atom(atom)).is_constant

    def _natural(self, atom: Expr) -> bool:
        """Whether an atom is at least 0; after `_least` was taken off, whether it is at least its bound."""
        match atom:
            case Length():
                return True
            case Apply(Operator.MAX, args):
                return any(self.never_negative(Polynomial.of(arg)) for arg in args)
            case Apply(Operator.MIN, args):
                return all(self.never_negative(Polynomial.of(arg)) for arg in args)
            case Apply(Operator.FDIV | Operator.TDIV, (left, Const(divisor, _))) if divisor > 0:
                return self.never_negative(Polynomial.of(left))
            case Apply(Operator.FMOD, (_, Const(divisor, _))) if divisor > 0:
                return True
            case Select():
                return False
            case _:
                type_ = type_of(atom)
                if isinstance(type_, MachineInt) and not type_.signed:
                    return True
                return any(self._bounds(k, atom) and -(k - Polynomial.atom(atom)).constant_term >= 0 for k in self._known)
