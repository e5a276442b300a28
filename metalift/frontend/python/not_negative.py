"""What is known of integers where a statement stands: sums of terms that are not negative there."""

from __future__ import annotations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Ite, Length, Operator, Var, type_of
from metalift.ir.expr.types import INT, BoolType, MachineInt, is_integer

Facts = tuple[Polynomial, ...]
_DEPTH = 4
_MANY = 24  # facts that are looked at; the latest are the nearest


def not_negative(value: Polynomial, facts: Facts) -> bool:
    """Whether an integer is certainly 0 or more."""
    return _holds(value, facts[-_MANY:], _DEPTH)


def _holds(value: Polynomial, facts: Facts, depth: int) -> bool:
    if all(factor >= 0 and all(_atom(atom, facts, depth) for atom in monomial) for monomial, factor in value.terms):
        return True
    if depth == 0:
        return False
    monomials = {monomial for monomial, factor in value.terms if monomial}
    for fact in reversed(facts):
        shared = any(monomial in monomials for monomial, _ in fact.terms)
        if shared and _simpler(value - fact, value) and _holds(value - fact, facts, depth - 1):
            return True
    return False


def _simpler(left: Polynomial, right: Polynomial) -> bool:
    """Whether taking a fact away did not only add terms."""
    return len(left.terms) <= len(right.terms) + 1


def _atom(atom: Expr, facts: Facts, depth: int) -> bool:
    """Whether a factor is certainly 0 or more."""
    type_ = type_of(atom)
    if isinstance(type_, MachineInt) and not type_.signed:
        return True
    match atom:
        case Length():
            return True
        case Const(value, _):
            return value >= 0
        case Cast(arg, _) if isinstance(type_of(arg), BoolType):
            return True
        case Cast(arg, _) if is_integer(type_of(arg)):
            return _atom(arg, facts, depth)
        case Apply(op, args) if _operator(op, args, facts, depth):
            return True
        case Ite(_, then, other):
            return all(_holds(Polynomial.of(side), facts, depth) for side in (then, other))
        case Call():
            return False
        case _:
            return depth > 0 and any(_known(Polynomial.atom(atom), fact, facts, depth) for fact in facts if atom in fact.atoms)


def _known(value: Polynomial, fact: Polynomial, facts: Facts, depth: int) -> bool:
    rest = value - fact
    return len(rest.terms) <= len(fact.terms) and _holds(rest, facts, depth - 1)


def _operator(op: Operator, args: tuple[Expr, ...], facts: Facts, depth: int) -> bool:
    def fine(arg: Expr) -> bool:
        return _holds(Polynomial.of(arg), facts, depth)

    match op:
        case Operator.ABS:
            return True
        case Operator.MAX | Operator.BITAND:
            return fine(args[0]) or fine(args[1])
        case Operator.MIN | Operator.FDIV | Operator.BITOR | Operator.BITXOR:
            return fine(args[0]) and fine(args[1])
        case Operator.FMOD:
            return fine(args[1])
        case Operator.SHR | Operator.SHL:
            return fine(args[0])
        case _:
            return False


def learned(cond: Expr, holds: bool) -> Facts:
    """What a condition on integers and names of truth values, which are 0 and 1, says where it holds, or where it does not."""
    match cond:
        case Var(_, BoolType()):
            flag = Polynomial.of(Cast(cond, INT))
            return (flag - 1,) if holds else (-flag,)
        case Apply(Operator.NOT, (arg,)):
            return learned(arg, not holds)
        case Apply(Operator.AND, args) if holds:
            return tuple(fact for arg in args for fact in learned(arg, True))
        case Apply(Operator.OR, args) if not holds:
            return tuple(fact for arg in args for fact in learned(arg, False))
        case Apply(Operator.LT | Operator.LE | Operator.EQ as op, (left, right)) if is_integer(type_of(left)):
            difference = Polynomial.of(right) - Polynomial.of(left)
            if op is Operator.EQ:
                return (*_quotients(difference), difference, -difference) if holds else ()
            known = difference - (op is Operator.LT) if holds else -difference - (op is Operator.LE)
            return (*_quotients(known), known)
        case _:
            return ()


def _quotients(value: Polynomial) -> Facts:
    """What is true of the quotients in it by positive numbers: a // c * c is at most a, and more than a - c."""
    found: list[Polynomial] = []
    for atom in value.atoms:
        match atom:
            case Apply(Operator.FDIV, (dividend, Const(int(divisor), _))) if divisor > 0:
                rest = Polynomial.of(dividend) - Polynomial.atom(atom) * divisor
                found += [rest, -rest + (divisor - 1)]
            case _:
                pass
    return tuple(found)
