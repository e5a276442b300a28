"""Array code, for the readers of everything else."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from metalift.frontend.python.reader.arrays.core import Arrays
from metalift.frontend.python.reader.arrays.dtypes import BINARY, OTHERS
from metalift.frontend.python.reader.arrays.elementwise import OPERATORS, Elementwise
from metalift.frontend.python.reader.arrays.functions import Functions
from metalift.frontend.python.reader.arrays.handlers import Handlers
from metalift.frontend.python.reader.arrays.indexing import Indexing
from metalift.frontend.python.reader.arrays.joining import Joining
from metalift.frontend.python.reader.arrays.reducing import Reducing
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import Loops
from metalift.frontend.python.stands_for import Array, Items, Iteration, Section, Value, View, Whole
from metalift.ir.expr.nodes import Const, Expr, type_of
from metalift.ir.expr.types import INT, MachineInt, ScalarType


@dataclass(slots=True)
class ArrayCode:
    """Reads statements and expressions on whole arrays."""

    context: Context
    arrays: Arrays
    indexing: Indexing
    elementwise: Elementwise
    reducing: Reducing
    joining: Joining
    functions: Functions

    @classmethod
    def of(cls, context: Context, expressions: Expressions, loops: Loops, lists: Lists) -> ArrayCode:
        """The readers of one pass, each with those that it builds on."""
        arrays = Arrays(context, expressions, loops, lists)
        indexing = Indexing(context, expressions, arrays)
        elementwise = Elementwise(context, expressions, arrays)
        reducing = Reducing(context, expressions, arrays)
        joining = Joining(context, expressions, arrays)
        handlers = Handlers(context, expressions, arrays, elementwise, reducing, joining)
        functions = Functions(context, expressions, arrays, elementwise, joining, handlers)
        return cls(context, arrays, indexing, elementwise, reducing, joining, functions)

    def is_array(self, value: Value) -> bool:
        """Whether a value is an array of NumPy."""
        return self.arrays.is_array(value)

    def is_number(self, value: Value) -> bool:
        """Whether a value is a number that NumPy made, which has methods."""
        return isinstance(value, Expr) and not self.context.tensors and not self.arrays.is_weak(value)

    def is_operand(self, value: Value) -> bool:
        """Whether an operator on a value is one on arrays; on a tensor's integer too, which wraps around as in a tensor."""
        integer = self.context.tensors and isinstance(value, Expr) and isinstance(type_of(value), MachineInt)
        return integer or self.arrays.is_array(value)

    def now(self, value: Section | Whole, node: ast.AST) -> Expr:
        """The number that an array without axes is now."""
        return self.arrays.whole(value, node).at(())

    def operator(self, node: ast.BinOp | ast.Compare | ast.AugAssign, op: ast.AST, left: Value, right: Value) -> Value:
        """An operator, one of whose operands is an array."""
        if isinstance(op, ast.MatMult):
            return self.reducing.product(left, right, node)
        return self.elementwise.operator(node, op, left, right)

    def unary(self, node: ast.UnaryOp, operand: Value) -> Value:
        """-x, ~x of an array."""
        name = OPERATORS.get(type(node.op))
        if name == "positive" and self.context.tensors:
            self.context.refuse(node, "+x of a tensor, which is the tensor itself; leave it out")
        if name is None:
            self.context.refuse(node, "`not` of an array, which NumPy refuses; use ~ for each element, or any() or all()")
        return self.elementwise.unary(name, operand, node)

    def absolute(self, value: Value, node: ast.AST) -> Value:
        """abs(x) of an array."""
        return self.elementwise.unary("absolute", value, node)

    def index(self, owner: Array, where: ast.expr, node: ast.AST) -> Value:
        """x[where]."""
        return self.indexing.index(owner, where, node)

    def assign(self, owner: Array, where: ast.expr, value: Value, node: ast.AST) -> None:
        """x[where] = value."""
        if isinstance(owner, Whole) and owner.lies is not None and ast.unparse(where) in ("...", ":", "(:, :)"):
            self.arrays.store_lying(owner, owner.lies, value, node)
            return
        found = self.indexing.part(owner, where, node)
        self.arrays.check_apart(found if isinstance(found, Section) else found.section, value, node)
        self.indexing.store(found, value, node)

    def augment(self, node: ast.AugAssign, owner: Array, where: ast.expr | None, value: ast.expr) -> None:
        """x += value, x[where] += value."""
        found = self.arrays.as_section(owner, node) if where is None else self.indexing.part(owner, where, node)
        if not isinstance(found, Section) and self.arrays.expressions.changes(value):
            self.context.refuse(value, "an operand that changes an array, beside elements of one; assign it to a name first")
        now = self.indexing.value(found)
        section = found if isinstance(found, Section) else found.section
        by = self.arrays.expressions.value(value)
        self.arrays.check_apart(section, by, node)
        made = self.operator(node, node.op, now, by)
        if isinstance(made, Whole):
            self.arrays.check_kept(made.element, section.object.element, node)
        self.indexing.store(found, made, node)

    def rows(self, value: Section | Whole, node: ast.AST) -> Iteration:
        """The elements or rows, one after the other."""
        return self.arrays.rows(value, node)

    def length(self, value: Section | Whole, node: ast.AST) -> Expr:
        """len(x)."""
        if not value.rank:
            self.context.refuse(node, "the length of an array without axes")
        if isinstance(value, Whole):
            return self.arrays.whole(value, node).extents[0]
        first = value.axes[0]
        return Const(1, INT) if first is None else first.extent

    def kept(self, value: Value, node: ast.AST, hint: str) -> Value:
        """A value that gets a name, or is kept for later: what an expression makes is computed."""
        if isinstance(value, Section) and not value.rank:
            self.context.reads_early(value.object)
            value = self.arrays.whole(value, node)
        if not isinstance(value, Whole) or value.lies is not None:  # which goes on to be the elements that are there
            return value
        if not value.rank:
            number = self.context.named(value.at(()), hint or "t")
            self.arrays.strong.add(number)
            return number
        return self.arrays.taken(value, node, hint)

    def own(self, value: Value, node: ast.AST, hint: str) -> Value:
        """An array that is returned: its own elements, in order."""
        if isinstance(value, Whole):
            value = replace(value, lies=None)
        return self.kept(self.arrays.whole(value, node) if isinstance(value, Section) else value, node, hint)

    def attribute(self, node: ast.Attribute, owner: Array) -> Value | None:
        """x.shape, x.T and the like; None where it is none of them."""
        if node.attr == "T":
            return self.joining.transposed(owner, None, node)
        if node.attr == "ndim":
            return Const(owner.rank, INT)
        if node.attr not in ("shape", "size"):
            return None
        extents = self.context.extents(owner) if isinstance(owner, View) else list(self.arrays.whole(owner, node).extents)
        return Items(tuple(extents)) if node.attr == "shape" else self.arrays.size(extents)

    def is_known(self, name: str) -> bool:
        """Whether a function of NumPy is read here."""
        return self.functions.is_known(name)

    def function(self, node: ast.Call, name: str) -> Value:
        """np.name(...)."""
        return self.functions.function(node, name)

    @staticmethod
    def is_operator(name: str) -> bool:
        """Whether a function of NumPy is an operator of its syntax, or the like."""
        return (name in BINARY and name not in ("power", "arctan2", "maximum", "minimum")) or name in OTHERS

    def of_numbers(self, node: ast.Call, name: str, args: list[Expr]) -> Value:
        """Such a function, of numbers."""
        if len(args) == 2:
            return self.context.named(self.elementwise.binary(name, args[0], args[1], node).at(()), "t")
        return self.context.named(self.elementwise.unary(name, args[0], node).at(()), "t")

    def made(self, number: Expr) -> Expr:
        """A number that is NumPy's from here on, which decides the dtype of what it meets."""
        if self.arrays.is_weak(number):
            number = self.context.named(number, "t")
            self.arrays.strong.add(number)
        return number

    def float_of(self, numbers: Sequence[Expr]) -> ScalarType:
        """The dtype of NumPy's function of floats, of these numbers."""
        types = ((type_of(each), self.arrays.weight(each)) for each in numbers)
        rules = self.arrays.rules
        return rules.as_float(rules.meeting([(type_, weight) for type_, weight in types if isinstance(type_, ScalarType)]))

    def method(self, node: ast.Call, owner: Value, name: str) -> Value:
        """x.name(...)."""
        return self.functions.method(node, owner, name)

    def overflows(self) -> bool:
        """Whether ints of Python were put into an array of NumPy."""
        return self.arrays.narrowed or any(isinstance(made.element, MachineInt) for made in self.context.locals)
