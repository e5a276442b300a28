"""Reading Python's scalar expressions as terms; sequences and calls are read by `metalift.driver.meaning.sequences`."""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from metalift.driver.meaning.source import FunctionSource
from metalift.driver.meaning.typing_rules import Literal, TypeClash, Value, apply, settle, truth, typed, unified
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, INT, FunctionType, ScalarType, Type, is_integer

_BINARY = {
    ast.Add: Operator.ADD,
    ast.Sub: Operator.SUB,
    ast.Mult: Operator.MUL,
    ast.FloorDiv: Operator.FDIV,
    ast.Mod: Operator.FMOD,
    ast.LShift: Operator.SHL,
    ast.RShift: Operator.SHR,
    ast.BitAnd: Operator.BITAND,
    ast.BitOr: Operator.BITOR,
    ast.BitXor: Operator.BITXOR,
}
_INTEGER_ONLY = frozenset(
    {Operator.FDIV, Operator.FMOD, Operator.SHL, Operator.SHR, Operator.BITAND, Operator.BITOR, Operator.BITXOR}
)
_COMPARE: dict[type[ast.cmpop], Callable[[Value, Value], Expr]] = {
    ast.Lt: lambda a, b: apply(Operator.LT, a, b),
    ast.LtE: lambda a, b: apply(Operator.LE, a, b),
    ast.Gt: lambda a, b: apply(Operator.LT, b, a),
    ast.GtE: lambda a, b: apply(Operator.LE, b, a),
    ast.Eq: lambda a, b: apply(Operator.EQ, a, b),
    ast.NotEq: lambda a, b: neg(apply(Operator.EQ, a, b)),
}


@dataclass
class ScalarReader(ABC):
    """Reads the expressions of one function at given types of its parameters.

    `result` is the element type of the function's result: what `convert` converts to. Errors point into the driver's file.
    """

    source: FunctionSource
    result: ScalarType | None
    used: set[str] = field(default_factory=set)

    @abstractmethod
    def element(self, tensor: Expr, where: ast.expr, env: Mapping[str, Value]) -> Expr:
        """`tensor[where]`."""

    @abstractmethod
    def comprehension(self, node: ast.ListComp, env: Mapping[str, Value]) -> Expr:
        """`[e for i in s]`."""

    @abstractmethod
    def call(self, node: ast.Call, env: Mapping[str, Value]) -> Value:
        """`f(x)`."""

    def fresh(self, wanted: str, type_: Type = INT) -> Var:
        """A binder whose name has not been used in this meaning."""
        name, number = wanted, 1
        while name in self.used:
            name, number = f"{wanted}_{number}", number + 1
        self.used.add(name)
        return Var(name, type_)

    def term(self, node: ast.expr, env: Mapping[str, Value], wanted: Type | None = None) -> Expr:
        """The expression as a term, of the wanted type where one is given."""
        function = self.function_named(node, env) if isinstance(wanted, FunctionType) else None
        if function is not None:
            return function
        value = self.value(node, env)
        try:
            return settle(value) if wanted is None else typed(value, wanted)
        except TypeClash as clash:
            raise self.source.error(node, str(clash)) from clash

    @staticmethod
    def function_named(node: ast.expr, env: Mapping[str, Value]) -> Expr | None:
        """The function that a name stands for, if it is one."""
        known = env.get(node.id) if isinstance(node, ast.Name) else None
        return known if isinstance(known, Expr) and isinstance(type_of(known), FunctionType) else None

    def index(self, node: ast.expr, env: Mapping[str, Value]) -> Expr:
        """The expression as an exact integer."""
        return self.term(node, env, INT)

    def value(self, node: ast.expr, env: Mapping[str, Value]) -> Value:
        """The expression as a term, or a literal number that has no type yet."""
        try:
            return self._value(node, env)
        except TypeClash as clash:
            raise self.source.error(node, str(clash)) from clash

    def _value(self, node: ast.expr, env: Mapping[str, Value]) -> Value:
        match node:
            case ast.Constant():
                return self._number(node)
            case ast.Name(id=name):
                return self._name(node, name, env)
            case ast.BinOp() | ast.UnaryOp():
                return self._arithmetic(node, env)
            case ast.BoolOp() | ast.Compare() | ast.IfExp():
                return self._logic(node, env)
            case ast.Subscript(value=tensor, slice=where):
                return self.element(self.term(tensor, env), where, env)
            case ast.ListComp():
                return self.comprehension(node, env)
            case ast.Call(keywords=[]):
                return self.call(node, env)
            case _:
                raise self.source.error(node, f"{ast.unparse(node)!r} is not accepted in a meaning")

    def _number(self, node: ast.Constant) -> Value:
        match node.value:
            case bool() as flag:
                return TRUE if flag else FALSE
            case int() as number:
                return Literal(number)
            case float() as number if math.isfinite(number):
                return Literal(Fraction(repr(number)))
            case _:
                raise self.source.error(node, f"{ast.unparse(node)!r} is not accepted in a meaning")

    def _logic(self, node: ast.BoolOp | ast.Compare | ast.IfExp, env: Mapping[str, Value]) -> Expr:
        match node:
            case ast.BoolOp(op=op, values=operands):
                parts = tuple(truth(self.value(each, env)) for each in operands)
                return Apply(Operator.AND if isinstance(op, ast.And) else Operator.OR, parts)
            case ast.IfExp(test=test, body=then, orelse=other):
                return Ite(truth(self.value(test, env)), *self.arms(self.value(then, env), self.value(other, env)))
            case ast.Compare():
                return self._comparison(node, env)

    def arms(self, then: Value, other: Value) -> tuple[Expr, Expr]:
        """The arms of a choice, of one type; between two numbers that have none, of the result's type."""
        if isinstance(then, Literal) and isinstance(other, Literal) and self.result is not None and self.result != BOOL:
            return typed(then, self.result), typed(other, self.result)
        return unified(then, other)

    def _name(self, node: ast.Name, name: str, env: Mapping[str, Value]) -> Value:
        if name in env:
            value = env[name]
            if not isinstance(value, Literal) and isinstance(type_of(value), FunctionType):
                raise self.source.error(node, f"{name!r} is a function: it is called, or passed on to a helper or the next call")
            return value
        known = self.source.globals.get(name)
        if isinstance(known, bool):
            return TRUE if known else FALSE
        if isinstance(known, int):
            return Literal(known)
        if isinstance(known, float):
            return Literal(Fraction(repr(known)))
        raise self.source.error(node, f"unknown name {name!r}; there are the parameters, local names and numbers of the module")

    def _arithmetic(self, node: ast.BinOp | ast.UnaryOp, env: Mapping[str, Value]) -> Value:
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, self.value(node.operand, env))
        left, right = self.value(node.left, env), self.value(node.right, env)
        if isinstance(left, Literal) and isinstance(right, Literal):
            return self._constant(node, left.value, right.value)
        if isinstance(node.op, ast.Div):
            return self._quotient(node, left, right)
        if isinstance(node.op, ast.Pow):
            return self._power(node, left, right)
        op = _BINARY.get(type(node.op))
        if op is None:
            raise self.source.error(node, f"the operator in {ast.unparse(node)!r} is not accepted")
        result = apply(op, left, right)
        if op in _INTEGER_ONLY and not is_integer(type_of(result)):
            raise self.source.error(node, f"{op.value} is for integers")
        return result

    def _unary(self, node: ast.UnaryOp, operand: Value) -> Value:
        match node.op:
            case ast.USub():
                return Literal(-operand.value) if isinstance(operand, Literal) else apply(Operator.NEG, operand)
            case ast.UAdd():
                return operand
            case ast.Not():
                return neg(truth(operand))
            case _:  # ~x is -x - 1 on Python's integers
                return apply(Operator.SUB, apply(Operator.NEG, operand), Literal(1))

    def _constant(self, node: ast.BinOp, left: int | Fraction, right: int | Fraction) -> Literal:
        match node.op:
            case ast.Add():
                return Literal(left + right)
            case ast.Sub():
                return Literal(left - right)
            case ast.Mult():
                return Literal(left * right)
            case ast.Div() if right != 0:
                return Literal(Fraction(left) / Fraction(right))
            case ast.Pow() if isinstance(right, int) and 0 <= right <= 64:
                return Literal(left**right)
            case _:
                raise self.source.error(node, f"{ast.unparse(node)!r} is not accepted; write the number")

    def _quotient(self, node: ast.BinOp, left: Value, right: Value) -> Expr:
        a, b = unified(left, right)
        if is_integer(type_of(a)):
            raise self.source.error(
                node, "/ is for reals; for integers write trunc_div(a, b) (as in C) or a // b (rounding down)"
            )
        return Apply(Operator.DIV, (a, b))

    def _power(self, node: ast.BinOp, left: Value, right: Value) -> Expr:
        base = settle(left)
        if isinstance(right, Literal) and isinstance(right.value, int) and 1 <= right.value <= 8:
            result = base
            for _ in range(right.value - 1):
                result = Apply(Operator.MUL, (result, base))
            return result
        if is_integer(type_of(base)):
            raise self.source.error(node, "a power of integers has a constant exponent from 1 to 8")
        return Call("pow", (base, typed(right, type_of(base))), type_of(base))

    def _comparison(self, node: ast.Compare, env: Mapping[str, Value]) -> Expr:
        operands = [self.value(each, env) for each in (node.left, *node.comparators)]
        parts = []
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if type(op) not in _COMPARE:
                raise self.source.error(node, f"the comparison in {ast.unparse(node)!r} is not accepted")
            parts.append(_COMPARE[type(op)](left, right))
        return parts[0] if len(parts) == 1 else Apply(Operator.AND, tuple(parts))
