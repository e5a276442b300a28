"""Reading expressions of an answer: those of meanings, with the driver's operators, slices, and arithmetic on slices.

What is read is well typed but not yet in operators only: arithmetic on slices and comprehensions are left to `spelling`.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from metalift.driver import Driver, Operator
from metalift.driver.meaning.language import TypeVariable
from metalift.driver.meaning.reader import Reader, match_type
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.driver.meaning.source import DriverError, FunctionSource
from metalift.driver.meaning.typing_rules import Literal, Value, settle, typed
from metalift.ir.expr.build import minus, plus
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Fold, Length, Select, Var, integer, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import DOUBLE, INT, MachineInt, RealType, ScalarType, TensorType, TupleType, Type, is_integer
from metalift.synth.propose.answer import MAX_DIGITS, Code
from metalift.synth.propose.vocabulary import ELEMENTS, FUNCTIONS, called, result_only, type_name

CONVERSIONS: Mapping[str, ScalarType] = {**ELEMENTS, "int": INT, "float": DOUBLE}


@dataclass(frozen=True, slots=True)
class AnswerSource(FunctionSource):
    """The function of an answer. It refers to nothing outside of it; errors say where in the answer they are."""

    code: Code

    @property
    def globals(self) -> dict[str, object]:
        """Mathematical functions of reals, by `math`."""
        import math

        return {"math": math}

    def error(self, node: ast.AST, message: str) -> DriverError:
        """An error at a node of the answer."""
        return DriverError("answer", getattr(node, "lineno", 0), f"{message.replace(' in a meaning', '')}, {self.code.at(node)}")


@dataclass
class ExpressionReader(Reader):
    """Reads expressions in one function of an answer."""

    operators: Mapping[str, Operator] = field(default_factory=dict)
    driver: Driver | None = None

    def term(self, node: ast.expr, env: Mapping[str, Value], wanted: Type | None = None) -> Expr:
        """As for meanings; sizes and places are computed in exact integers."""
        if wanted == INT:
            env = {name: exactly_typed(value) for name, value in env.items()}
        return super().term(node, env, wanted)

    def element(self, tensor: Expr, where: ast.expr, env: Mapping[str, Value]) -> Expr:
        """An element, a row, or a view: indices and slices in any mix."""
        kind = type_of(tensor)
        if not isinstance(kind, TensorType):
            return super().element(tensor, where, env)
        places = list(where.elts) if isinstance(where, ast.Tuple) else [where]
        if len(places) > kind.rank:
            raise self.source.error(where, f"{len(places)} indices for a tensor with {kind.rank} axes")
        indices: list[Expr] = []
        extents: list[Expr] = []
        binders: list[Var] = []
        for axis in range(kind.rank):
            place = places[axis] if axis < len(places) else ast.Slice()
            if isinstance(place, ast.Slice):
                extent, start, step = self._range_of(tensor, axis, place, env)
                binder = self.fresh("i")
                indices.append(plus(start, binder if step == 1 else Apply(Op.MUL, (integer(step), binder))))
                extents.append(extent)
                binders.append(binder)
            else:
                indices.append(self._place(tensor, axis, place, env))
        element = reduce_head(Select(tensor, tuple(indices)))
        return Build(tuple(extents), tuple(binders), element) if binders else element

    def _range_of(self, tensor: Expr, axis: int, node: ast.Slice, env: Mapping[str, Value]) -> tuple[Expr, Expr, int]:
        """How many elements a slice has, from where, in which steps."""
        length = reduce_head(Length(tensor, axis))
        step = 1
        if node.step is not None:
            given = self.value(node.step, env)
            if not isinstance(given, Literal) or given.value == 0 or not isinstance(given.value, int):
                raise self.source.error(node.step, "the step of a slice is a number; write a comprehension for another")
            step = given.value
        if step == -1 and node.lower is None and node.upper is None:
            return length, minus(length, integer(1)), step
        if step < 0:
            raise self.source.error(node.step or node, "of slices that go backwards there is x[::-1]; write a comprehension")
        low = integer(0) if node.lower is None else self._place(tensor, axis, node.lower, env)
        high = length if node.upper is None else self._place(tensor, axis, node.upper, env)
        count = minus(high, low)
        if step != 1:
            count = Apply(Op.FDIV, (plus(count, integer(step - 1)), integer(step)))
        return count, low, step

    def _arithmetic(self, node: ast.BinOp | ast.UnaryOp, env: Mapping[str, Value]) -> Value:
        """On tensors element by element."""
        operands = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        values = [self.value(each, env) for each in operands]
        if not any(_is_tensor(value) for value in values):
            return super()._arithmetic(node, env)
        if isinstance(node.op, ast.MatMult):
            return self._product(node, *values)
        frame = self._frame(node, values)
        names = [f" {position}" for position in range(len(values))]
        items = dict(zip(names, (self._item(value, frame.binders) for value in values), strict=True))
        plain = [ast.copy_location(ast.Name(id=name, ctx=ast.Load()), each) for name, each in zip(names, operands, strict=True)]
        scalar: ast.BinOp | ast.UnaryOp
        scalar = ast.UnaryOp(node.op, plain[0]) if isinstance(node, ast.UnaryOp) else ast.BinOp(plain[0], node.op, plain[1])
        body = settle(super()._arithmetic(ast.copy_location(scalar, node), items))
        return Build(frame.extents, frame.binders, body)

    def _product(self, node: ast.expr, left: Value, right: Value) -> Expr:
        """`a @ b`: sums of products along the last axis of the one and the first of the other."""
        if not (_is_tensor(left) and _is_tensor(right)) or isinstance(left, Literal) or isinstance(right, Literal):
            raise self.source.error(node, "@ takes two tensors")
        one, other = self._expanded(left), self._expanded(right)
        element = type_of(one.body)
        numbers = is_integer(element) or isinstance(element, RealType)
        if not numbers or type_of(other.body) != element or max(len(one.binders), len(other.binders)) > 2:
            raise self.source.error(node, "@ takes vectors and matrices of one type of numbers")
        (*rows, length), (_, *columns) = one.extents, other.extents
        index, acc = self.fresh("i"), self.fresh("sum", element)
        outer = [*(self.fresh("i") for _ in rows)], [*(self.fresh("i") for _ in columns)]
        factors = Select(one, (*outer[0], index)), Select(other, (index, *outer[1]))
        more = Apply(Op.ADD, (acc, Apply(Op.MUL, tuple(map(reduce, factors)))))
        total = Fold(length, typed(Literal(0), element), acc, index, more)
        return Build((*rows, *columns), (*outer[0], *outer[1]), total) if rows or columns else total

    def _frame(self, node: ast.expr, values: Sequence[Value]) -> Build:
        """The axes of the first tensor; all others have to have as many."""
        tensors = [value for value in values if not isinstance(value, Literal) and isinstance(type_of(value), TensorType)]
        ranks = {kind.rank for each in tensors if isinstance(kind := type_of(each), TensorType)}
        if len(ranks) != 1:
            raise self.source.error(node, "these tensors have different numbers of axes; nothing is broadcast by itself")
        return self._expanded(tensors[0])

    @staticmethod
    def _item(value: Value, binders: tuple[Var, ...]) -> Value:
        return reduce(Select(value, binders)) if _is_tensor(value) and not isinstance(value, Literal) else value

    def _number(self, node: ast.Constant) -> Value:
        value = super()._number(node)
        return self._small(node, value) if isinstance(value, Literal) else value

    def _constant(self, node: ast.BinOp, left: int | Fraction, right: int | Fraction) -> Literal:
        return self._small(node, super()._constant(node, left, right))

    def _small(self, node: ast.expr, value: Literal) -> Literal:
        number = Fraction(value.value)
        if max(abs(number.numerator), number.denominator) >= 10 ** (8 * MAX_DIGITS):
            raise self.source.error(node, "this number is too large")
        return value

    # Calls

    def call(self, node: ast.Call, env: Mapping[str, Value]) -> Value:
        """An operator of the driver, a type as a conversion, or what meanings may call."""
        name = ast.unparse(node.func)
        operator = self.operators.get(name)
        if operator is None and isinstance(node.func, ast.Attribute) and not name.startswith("math."):
            operator = self.operators.get(node.func.attr)
        if operator is not None:
            return self._apply(node, operator, env)
        if name in CONVERSIONS:
            return self._converted(node, CONVERSIONS[name], env)
        if name not in FUNCTIONS and not name.startswith("math."):
            self._unknown(node, name)
        return super().call(node, env)

    def _unknown(self, node: ast.Call, name: str) -> NoReturn:
        known = sorted({*self.operators, *FUNCTIONS - {"math"}})
        near = difflib.get_close_matches(name.rpartition(".")[2], known, n=3, cutoff=0.4)
        hint = f"; the nearest names are {', '.join(near)}" if near else ""
        raise self.source.error(node, f"there is no operator `{name[:80]}`{hint}")

    def _converted(self, node: ast.Call, type_: ScalarType, env: Mapping[str, Value]) -> Expr:
        if len(node.args) != 1:
            raise self.source.error(node, f"{ast.unparse(node.func)}(x) takes one value")
        value = self.value(node.args[0], env)
        if isinstance(value, Literal):
            return typed(value, type_)
        if not isinstance(type_of(value), TensorType):
            return value if type_of(value) == type_ else Cast(value, type_)
        frame = self._expanded(value)
        return Build(frame.extents, frame.binders, Cast(frame.body, type_))

    def _apply(self, node: ast.Call, operator: Operator, env: Mapping[str, Value]) -> Expr:
        """An operator on its arguments; numbers in the text take the types that the others fix."""
        name = called(operator, self.driver) if self.driver else operator.name
        given, element = list(node.args), None
        if result_only(operator) and len(given) == len(operator.params) + 1:
            element = self._element_type(given.pop())
        if node.keywords or len(given) != len(operator.params):
            params = ", ".join(param.name for param in operator.params)
            raise self.source.error(node, f"{name}({params}) takes {len(operator.params)} arguments, {len(node.args)} are given")
        sizes = [param.pattern.rank == 0 and param.pattern.element == INT for param in operator.params]
        values = [self.index(arg, env) if size else self.value(arg, env) for arg, size in zip(given, sizes, strict=True)]
        args = self._typed_arguments(node, operator, values)
        if result_only(operator) and element is None:
            raise self.source.error(node, f"say the element type of the result as the last argument, as in {name}(..., Int32)")
        try:
            instance = operator.instantiate(tuple(type_of(arg) for arg in args), element)
        except (ValueError, DriverError) as problem:
            found = ", ".join(type_name(type_of(arg)) for arg in args)
            reason = getattr(problem, "reason", str(problem))
            raise self.source.error(node, f"{name} does not take ({found}): {reason}") from problem
        return Call(operator.name, args, type_of(instance.body))

    def _element_type(self, node: ast.expr) -> ScalarType:
        type_ = ELEMENTS.get(ast.unparse(node))
        if type_ is None:
            raise self.source.error(node, f"this is not an element type; there are {', '.join(ELEMENTS)}")
        return type_

    def _typed_arguments(self, node: ast.Call, operator: Operator, values: Sequence[Value]) -> tuple[Expr, ...]:
        bound: dict[TypeVariable, ScalarType] = {}
        pairs = list(zip(values, operator.params, strict=True))
        for value, param in sorted(pairs, key=lambda pair: not _is_tensor(pair[0])):  # arrays decide before numbers do
            if not isinstance(value, Literal):
                type_ = type_of(value)
                element = type_.element if isinstance(type_, TensorType) and operator.elementwise else type_
                if not isinstance(element, TupleType):
                    match_type(param.pattern, element, bound)
        args: list[Expr] = []
        for value, param in zip(values, operator.params, strict=True):
            wanted = (
                bound.get(param.pattern.element) if isinstance(param.pattern.element, TypeVariable) else param.pattern.element
            )
            if isinstance(value, Literal) and wanted is not None:
                args.append(typed(value, wanted))
            elif not isinstance(value, Literal) and wanted is not None and _widens(type_of(value), wanted):
                args.append(typed(value, wanted))
            elif isinstance(value, Cast) and value.type == INT and type_of(value.arg) == wanted:
                args.append(value.arg)
            else:
                args.append(settle(value))
        return tuple(args)


def _widens(found: Type, wanted: ScalarType) -> bool:
    """Whether an integer scalar is given where an exact integer is wanted."""
    return wanted == INT and isinstance(found, MachineInt)


def exactly_typed(value: Value) -> Value:
    """A scalar of a machine type as an exact integer."""
    if isinstance(value, Literal) or not isinstance(type_of(value), MachineInt):
        return value
    return _exactly(value)


def _exactly(value: Expr) -> Expr:
    match value:
        case Apply(Op.ADD | Op.SUB | Op.MUL | Op.NEG as op, args) if is_integer(type_of(value)):
            return Apply(op, tuple(_exactly(arg) for arg in args))
        case Const(number, _):
            return integer(int(number))
        case _ if type_of(value) == INT:
            return value
        case _:
            return Cast(value, INT)


def _is_tensor(value: Value) -> bool:
    return not isinstance(value, Literal) and isinstance(type_of(value), TensorType)


def never_called() -> None:
    """Stands for the function of an answer, which is never run."""
