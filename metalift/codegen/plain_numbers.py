"""Plain numbers in generated code: what the facts decide about them, and operations that do not raise."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from metalift.codegen.partial import count_test, domain, is_short, may_be_nan, tested_count, with_operands
from metalift.codegen.python_text import text
from metalift.driver.templates import call, constant, fill_template
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Operator, type_of
from metalift.ir.expr.types import MachineInt, is_integer


@dataclass(frozen=True)
class Numbers:
    """`integers` says what names of integer parameters and lengths in the text stand for; `keep` gives a tree a name."""

    facts: Facts
    keep: Callable[[str, ast.expr], ast.expr]
    integers: dict[str, Polynomial] = field(default_factory=dict)
    guarding: bool = False  # a condition is spelled that has to see what is too large, rather than a value that is used

    @property
    def short(self) -> frozenset[str]:
        """Names of integers by which can be shifted wherever they are not negative."""
        return frozenset(name for name, known in self.integers.items() if all(is_short(type_of(atom)) for atom in known.atoms))

    def decided(self, expr: Apply) -> int | None:
        """Which operand of a min or max of integers it is, where the facts say so."""
        if expr.op not in (Operator.MIN, Operator.MAX) or not is_integer(type_of(expr)):
            return None
        difference = Polynomial.of(expr.args[0]) - Polynomial.of(expr.args[1])
        greater = 0 if self.facts.never_negative(difference) else 1 if self.facts.never_negative(-difference) else None
        return greater if greater is None or expr.op is Operator.MAX else 1 - greater

    def total(self, tree: ast.expr) -> ast.expr:
        """An operation on plain numbers that does not raise: where it has no value, it gets one that nobody uses."""
        match tree:
            case ast.BinOp(_, ast.LShift() | ast.RShift(), count):
                return tree if self._is_count(count) else self._where_count(tree, count)
            case ast.BinOp(_, ast.Div() | ast.FloorDiv() | ast.Mod(), divisor) if self._is_nonzero(divisor):
                return tree
        found = domain(tree)
        if found is None:
            return tree
        kept = {wanted: self._named(wanted, each) for wanted, each in found.operands.items()}
        body = with_operands(tree, list(found.operands.values()), list(kept.values()))
        test = fill_template(found.condition, kept)
        return body if self._is_certain(test) else ast.IfExp(test=test, body=body, orelse=found.otherwise)

    def is_safe(self, tree: ast.expr) -> bool:
        """Whether a quotient or function of plain numbers is known not to raise."""
        match tree:
            case ast.BinOp(_, ast.Div() | ast.FloorDiv() | ast.Mod(), divisor) if self._is_nonzero(divisor):
                return True
        found = domain(tree)
        return found is None or self._is_certain(fill_template(found.condition, found.operands))

    def fits(self, tree: ast.expr, type_: MachineInt) -> bool:
        """Whether the facts say that an integer is one of the type."""
        known = self._polynomial(tree)
        return known is not None and all(map(self.facts.never_negative, (known - type_.low, -known + type_.high)))

    def _is_certain(self, test: ast.expr) -> bool:
        """Whether the facts decide that a comparison of integers holds."""
        match test:
            case ast.Compare(left, [ast.GtE()], [right]):
                one, two = self._polynomial(left), self._polynomial(right)
                return one is not None and two is not None and self.facts.never_negative(one - two)
            case _:
                return False

    def total_quotient(self, tree: ast.expr, divisor: ast.expr) -> ast.expr:
        """A quotient or remainder of plain integers, however it is rounded, that does not raise."""
        if self._is_nonzero(divisor):
            return tree
        return ast.IfExp(test=fill_template("{b} != 0", {"b": divisor}), body=tree, orelse=constant(0))

    def _named(self, wanted: str, tree: ast.expr) -> ast.expr:
        return tree if isinstance(tree, ast.Name | ast.Constant) else self.keep(wanted, tree)

    def _where_count(self, tree: ast.BinOp, count: ast.expr) -> ast.expr:
        known = self._polynomial(count)
        kept = self._named("count", count) if known is None else count
        types = [type_of(atom) for atom in known.atoms] if known is not None else [None]
        machine = all(isinstance(each, MachineInt) for each in types) and not (self.guarding and all(map(is_short, types)))
        shift = with_operands(tree, [count], [kept])
        return ast.IfExp(test=count_test(kept, machine=machine), body=shift, orelse=constant(0))

    def as_integer(self, tree: ast.expr, convert: Callable[[ast.expr], ast.expr]) -> ast.expr:
        """A conversion that raises for a float that stands for no value."""
        if not may_be_nan(tree):
            return convert(tree)
        if isinstance(tree, ast.IfExp) and not may_be_nan(tree.body):
            return ast.IfExp(test=tree.test, body=convert(tree.body), orelse=constant(0))
        value = self._named("value", tree)
        return ast.IfExp(test=call("math.isfinite", value), body=convert(value), orelse=constant(0))

    def _is_count(self, tree: ast.expr) -> bool:
        """Whether integers can be shifted by a number, as the facts say."""
        count = self._polynomial(tree)
        if count is None or not self.facts.never_negative(count):
            return False
        return all(is_short(type_of(atom)) for atom in count.atoms)

    def _polynomial(self, tree: ast.expr) -> Polynomial | None:
        """What an integer in the text is, where it is made of literals and integer parameters."""
        match tree:
            case ast.Constant(int() as value):
                return Polynomial.constant(value)
            case ast.Name(id=shown):
                return self.integers.get(shown)
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() as op, right):
                one, two = self._polynomial(left), self._polynomial(right)
                if one is None or two is None:
                    return None
                return one + two if isinstance(op, ast.Add) else one - two if isinstance(op, ast.Sub) else one * two
            case _:
                return self.integers.get(text(tree))

    def _is_nonzero(self, tree: ast.expr) -> bool:
        if isinstance(tree, ast.Constant):
            return bool(tree.value)
        known = self._polynomial(tree)
        return known is not None and self.facts.nonzero(known)


def without_known_tests(tree: ast.expr, short: frozenset[str] = frozenset()) -> ast.expr:
    """The expression without tests that a condition around them decides: that a name is not 0, or can be the count of a shift.

    `short` are names of integers that are counts wherever they are not negative.
    """
    found = _Decided(short).without(tree, _Known())
    assert isinstance(found, ast.expr)
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    """Names that are not 0, and the least that others can be."""

    nonzero: frozenset[str] = frozenset()
    least: Mapping[str, int] = field(default_factory=dict)

    def knowing(self, test: ast.expr, *, holds: bool) -> _Known:
        """With what a comparison with a literal says."""
        match test:
            case ast.Compare(ast.Name(name), [op], [ast.Constant(int() as bound)]):
                pass
            case ast.Compare(ast.Constant(int() as bound), [op], [ast.Name(name)]):
                op = _TURNED.get(type(op), type(op))()
            case _:
                return self
        asked = type(op) if holds else _OPPOSITE.get(type(op))
        nonzero = self.nonzero | {name} if bound == 0 and asked in (ast.NotEq, ast.Lt, ast.Gt) else self.nonzero
        if asked not in (ast.Gt, ast.GtE):
            return replace(self, nonzero=nonzero)
        least = max(self.least.get(name, bound), bound + 1 if asked is ast.Gt else bound)
        return _Known(nonzero, {**self.least, name: least})


_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


@dataclass(frozen=True, slots=True)
class _Decided:
    """Leaves tests out of trees."""

    short: frozenset[str]

    def without(self, part: object, known: _Known) -> Any:  # noqa: ANN401 (what the part is)
        """A part of a tree made anew: it may also stand elsewhere, under other conditions."""
        match part:
            case ast.IfExp(test, body, orelse):
                if self._holds(test, known):
                    return self.without(body, known)
                then, other = known.knowing(test, holds=True), known.knowing(test, holds=False)
                return ast.IfExp(self.without(test, known), self.without(body, then), self.without(orelse, other))
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp():
                return part  # it may bind the name
            case ast.AST():
                return type(part)(**{called: self.without(each, known) for called, each in ast.iter_fields(part)})
            case list():
                return [self.without(each, known) for each in part]
            case _:
                return part

    def _holds(self, test: ast.expr, known: _Known) -> bool:
        """Whether a test that an operation has a value holds."""
        match test:
            case ast.Compare(ast.Name(name), [ast.NotEq()], [ast.Constant(0)]):
                return name in known.nonzero
        match tested_count(test):
            case ast.Name(name):
                offset = 0
            case ast.BinOp(ast.Name(name), ast.Add() | ast.Sub() as op, ast.Constant(int() as offset)):
                offset = offset if isinstance(op, ast.Add) else -offset
            case _:
                return False
        return name in self.short and known.least.get(name, -offset - 1) + offset >= 0
