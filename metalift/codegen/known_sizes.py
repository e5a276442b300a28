"""What is known about sizes: enough to leave out a clamp or to choose a slice; whatever is not shown is spelled the safe way."""

from __future__ import annotations

from collections.abc import Iterable

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Length, Operator, type_of
from metalift.ir.expr.types import MachineInt, is_integer

_DEPTH = 3


class Facts:
    """Polynomials over scalar parameters and lengths that are known not to be negative."""

    def __init__(self, formulas: Iterable[Expr] = ()) -> None:
        self._known: list[Polynomial] = []
        self._nonzero: set[Polynomial] = set()
        self._least: dict[Expr, int] = {}  # lower bounds of atoms
        self._shown: dict[Polynomial, bool] = {}
        for formula in formulas:
            self._learn(formula)
        for known in self._known:
            match known.terms:
                case (((atom,), 1), *rest) if all(not monomial for monomial, _ in rest):
                    self._least[atom] = max(self._least.get(atom, -known.constant_term), -known.constant_term)
                case _:
                    pass
        self._known = list(dict.fromkeys(self._known))
        self._find_natural()

    def _find_natural(self) -> None:
        """Atoms that several facts together bound by 0: n <= ld, 0 <= n."""
        atoms = frozenset(atom for known in self._known for atom in known.atoms)
        found = list(atoms)
        while found:
            unknown = [atom for atom in sorted(atoms, key=repr) if self._least.get(atom, -1) < 0]
            found = [atom for atom in unknown if self._show(Polynomial.atom(atom), _DEPTH)]
            self._least.update(dict.fromkeys(found, 0))
        self._shown.clear()

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
            case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
                self._nonzero.add(Polynomial.of(right) - Polynomial.of(left))
            case Apply(Operator.EQ, (left, right)) if is_integer(type_of(left)):
                difference = Polynomial.of(right) - Polynomial.of(left)
                self._known += [difference, -difference]
            case _:
                pass

    def never_negative(self, value: Polynomial) -> bool:
        """Whether the facts show that the value is at least 0."""
        if value not in self._shown:
            self._shown[value] = self._show(value, _DEPTH)
        return self._shown[value]

    def positive(self, value: Polynomial) -> bool:
        """Whether the facts show that the value is at least 1."""
        return self.never_negative(value - 1)

    def nonzero(self, value: Polynomial) -> bool:
        """Whether the facts show that the value is not 0."""
        return value in self._nonzero or -value in self._nonzero or self.positive(value) or self.positive(-value)

    def _show(self, value: Polynomial, depth: int) -> bool:
        """Every term is natural once atoms are counted from their bounds, or it is so after a fact was taken off."""
        raised = {atom: Polynomial.atom(atom) + least for atom in value.atoms if (least := self._least.get(atom, 0)) > 0}
        lowered = value.substitute(raised)
        wrong = {monomial: factor for monomial, factor in lowered.terms if factor < 0 or not all(map(self._natural, monomial))}
        if not wrong:
            return True
        helpful = [known for known in self._known if any(factor * wrong.get(monomial, 0) > 0 for monomial, factor in known.terms)]
        return depth > 0 and any(self._show(value - known, depth - 1) for known in helpful)

    def _natural(self, atom: Expr) -> bool:
        """Whether an atom is at least 0; counted from a positive bound, it is."""
        if self._least.get(atom, -1) >= 0:
            return True
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
            case _:
                type_ = type_of(atom)
                return isinstance(type_, MachineInt) and not type_.signed
