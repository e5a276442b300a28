"""The functions of `math` and NumPy, and NumPy's arrays."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from metalift.frontend.lower.c_scalars import cast, choose, connect, equal, question
from metalift.frontend.lower.infinities import INFINITY
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.annotations import numpy_type
from metalift.frontend.python.infinities import infinite, is_nan
from metalift.frontend.python.reader.arrays.code import ArrayCode
from metalift.frontend.python.reader.arrays.dtypes import ROUNDED, SPELLED, default_of, dtype_of
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import Loops
from metalift.frontend.python.reader.reductions import Reductions
from metalift.frontend.python.reader.tensors.tensors import Tensors
from metalift.frontend.python.stands_for import Items, Iteration, Section, Value, View, Whole
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Const, Expr, Operator, type_of
from metalift.ir.expr.types import DOUBLE, INT, IntType, RealType, ScalarType
from metalift.ir.interp.functions import FUNCTIONS, QUESTIONS
from metalift.ir.interp.identities import is_row, part_of

_REALS = {"math.pi": math.pi, "math.e": math.e, "math.tau": math.tau, "numpy.pi": math.pi, "numpy.e": math.e}
_NUMBERS = {name: Const(Fraction(repr(value)), DOUBLE) for name, value in _REALS.items()}
_NUMBERS["sys.maxsize"] = Const(sys.maxsize, INT)
_RENAMED = {
    "math.fabs": "abs",
    "numpy.absolute": "abs",
    "numpy.fabs": "abs",
    "numpy.abs": "abs",
    "numpy.power": "pow",
    "math.lgamma": "",  # FUNCTIONS has it for numbers above 0 only
    "numpy.arctan2": "atan2",
    **{f"numpy.{name}": spelled for name, spelled in (SPELLED | ROUNDED).items()},
}
_TO_INT = frozenset({"floor", "ceil", "trunc"})
ARRAY_MAKERS = frozenset(
    {"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "array", "asarray", "copy"}
)
_MORE = frozenset({"numpy.minimum", "numpy.maximum"})


@dataclass(slots=True)
class Libraries:
    """Reads what belongs to a library."""

    context: Context
    expressions: Expressions
    loops: Loops
    lists: Lists
    reductions: Reductions
    arrays: ArrayCode
    tensors: Tensors

    # Attributes

    def named(self, node: ast.Attribute | ast.Name, full: str) -> Value:
        """`math.pi`, or `pi` where that is imported."""
        if full in _NUMBERS:
            return _NUMBERS[full]
        if infinite(self.context.module, node):
            return INFINITY
        if is_nan(self.context, node):
            self.context.refuse(node, f"{ast.unparse(node)}: floats are numbers here; return None where there is none")
        self.context.refuse(node, f"{ast.unparse(node)} as a value; supported are pi, e, inf, sys.maxsize, and calls")

    def attribute(self, node: ast.Attribute) -> Value:
        """`math.pi`, `x.shape`."""
        full = self.context.library_name(node)
        if full:
            return self.named(node, full)
        if (constant := self._of_class(node)) is not None:
            return constant
        owner = self.expressions.value(node.value)
        if self.context.tensors and (of_tensor := self.tensors.attribute(node, owner)) is not None:
            return of_tensor
        if isinstance(owner, Expr) and isinstance(type_ := type_of(owner), IntType) and type_.of not in ("", "tuple", "str"):
            return self._field(owner, type_, node)
        if isinstance(owner, View | Section | Whole) and self.arrays.is_array(owner):
            found = self.arrays.attribute(node, owner)
            if found is not None:
                return found
        message = f"the attribute {node.attr!r}; supported are shape, size, ndim and T of NumPy arrays"
        self.context.refuse(node, message)

    def _of_class(self, node: ast.Attribute) -> Value | None:
        """A constant that a class of the module has: `Config.SIZE`, `Kind.ADD` of an IntEnum, `Kind.ADD.value` of any enum."""
        whole = node.value if node.attr == "value" and isinstance(node.value, ast.Attribute) else node
        if not isinstance(whole.value, ast.Name) or self.context.is_bound(whole.value.id):
            return None
        constant = self.context.module.class_constant(whole.value.id, whole.attr, as_value=whole is not node)
        return None if constant is None else self.expressions.constant(ast.unparse(whole), constant)

    def _field(self, owner: Expr, type_: IntType, node: ast.Attribute) -> Expr:
        """A field of a record."""
        if is_row(type_):
            entry = f"{ast.unparse(node.value)}[{node.attr!r}]"
            self.context.refuse(node, f"{node.attr!r} of a row, which is a dictionary; write {entry}")
        names = [name for name, _ in type_.fields]
        if node.attr not in names:
            self.context.refuse(node, f"{node.attr!r}, which is no field of {type_.of}; it has {', '.join(names)}")
        return part_of(owner, names.index(node.attr))

    # Libraries

    def library(self, node: ast.Call, full: str) -> Value:
        """A function of math or NumPy."""
        library, _, name = full.rpartition(".")
        if full.startswith("torch."):
            return self.tensors.function(node, full)
        if library == "numpy" and name in ARRAY_MAKERS:
            return self.new_array(node, name, "")
        if full == "math.prod" and len(node.args) == 1 and not node.keywords:
            return self.reductions.prod(node)
        within = full.removeprefix("numpy.")
        if within != full and self.arrays.is_known(within):
            return self.arrays.function(node, within)
        if library == "numpy" and (type_ := numpy_type(self.context.module, node.func)) is not None:
            return self.arrays.made(cast(self.expressions.scalar(self.reductions.one(node)), type_))
        if library not in ("math", "numpy") or node.keywords:
            message = f"the call of {ast.unparse(node.func)}; supported are functions of math and NumPy on numbers"
            self.context.refuse(node, message)
        return self._function(node, full, name, self.expressions.numbers(node.args))

    def of_numbers(self, node: ast.Call, name: str, args: list[Expr]) -> Value:
        """NumPy's function of elements, of numbers."""
        if self.arrays.is_operator(name):
            return self.arrays.of_numbers(node, name, args)
        return self._function(node, f"numpy.{name}", name, args)

    def _function(self, node: ast.Call, full: str, name: str, args: list[Expr]) -> Value:
        """A function of numbers."""
        simple = _RENAMED.get(full, name)
        if simple in ("abs", "minimum", "maximum"):
            self.expressions.computed(node, *args)
        if simple == "abs" and len(args) == 1:
            return scalars.absolute(args[0]) if full != "math.fabs" else scalars.absolute(cast(args[0], DOUBLE))
        if simple in (*QUESTIONS, "isfinite") and len(args) == 1:
            return question(simple, cast(args[0], self.arrays.float_of(args)))
        if full == "numpy.sqrt" or simple in FUNCTIONS or full in _MORE:
            return self._applied(node, full, simple, args)
        self.context.refuse(node, f"the call of {ast.unparse(node.func)}; supported are functions of math and NumPy on numbers")

    def _applied(self, node: ast.Call, full: str, name: str, args: list[Expr]) -> Value:
        numpy = full.startswith("numpy.")
        if name in ("minimum", "maximum") and len(args) == 2:
            return scalars.extremum(Operator.MIN if name == "minimum" else Operator.MAX, *args)
        if not numpy and name in _TO_INT and len(args) == 1:
            return self.rounded(name, args[0])
        if name in ("log",) and len(args) == 2:
            logs = [Call("log", (cast(arg, DOUBLE),), DOUBLE) for arg in args]
            return Apply(Operator.DIV, (logs[0], logs[1]))
        if full == "math.isqrt" or name not in FUNCTIONS or len(args) != FUNCTIONS[name].arity:
            message = f"{ast.unparse(node)}; it has another number of arguments than supported, or is not modelled"
            self.context.refuse(node, message)
        result: ScalarType = self.arrays.float_of(args) if numpy else DOUBLE
        numbers = tuple(cast(arg, result) for arg in args)
        if name == "atan2":  # Python has a value at the origin, which the function of the expression language has not
            zero = cast(ZERO, result)
            origin = connect("and", equal(numbers[0], zero), equal(numbers[1], zero))
            return choose(origin, zero, Call(name, numbers, result))
        return Call(name, numbers, result)

    def rounded(self, name: str, value: Expr) -> Expr:
        """A rounding to an int."""
        type_ = type_of(value)
        if not isinstance(type_, RealType):
            return scalars.convert(value, INT)
        return cast(value if name == "trunc" else Call(name, (value,), type_), INT)

    # Arrays of NumPy

    def new_array(self, node: ast.Call, name: str, hint: str) -> Value:
        """np.zeros(shape), np.empty_like(x), np.full(shape, v), ..."""
        args = list(node.args)
        given = {each.arg: each.value for each in node.keywords}
        dtype = given.pop("dtype", None)
        if name.startswith("full") and len(args) < 2 and "fill_value" not in given:
            self.context.refuse(node, f"{ast.unparse(node)}: it needs a value to fill the array with")
        fill = args.pop(1) if name.startswith("full") and len(args) > 1 else given.pop("fill_value", None)
        if dtype is None and len(args) == 2:
            dtype = args.pop(1)
        shape = args[0] if args else given.pop("shape", None)
        if given or len(args) > 1 or shape is None:
            self.context.refuse(node, f"{ast.unparse(node)}: supported are a shape, a fill value and a dtype")
        element = self.arrays.arrays.rules.real
        if name in ("array", "asarray", "copy"):
            return self._array_of(node, shape, dtype, hint, copies=name != "asarray")
        if name.endswith("_like"):
            value = self.expressions.value(shape)
            if not isinstance(value, View | Section | Whole):
                self.context.refuse(node, f"{name} of what is no array")
            whole = self.arrays.arrays.whole(value, node)
            extents, element = list(whole.extents), whole.element
        else:
            parts = shape.elts if isinstance(shape, ast.Tuple | ast.List) else None
            extents = self._shape(shape) if parts is None else [self.expressions.integer(part) for part in parts]
        if dtype is not None:
            element = self._dtype(dtype)
        number = None if fill is None or name.startswith("empty") else self.context.named(self.expressions.scalar(fill), "fill")
        if number is not None and dtype is None and name == "full":
            found = type_of(number)
            assert isinstance(found, ScalarType)
            element = default_of(found) if self.context.tensors else dtype_of(found)
        content = self._fill_value(name, number, element)
        return self.array(node, hint, [self.context.frozen(extent, "extent") for extent in extents], element, content)

    def _shape(self, node: ast.expr) -> list[Expr]:
        value = self.expressions.value(node)
        if isinstance(value, Items):
            return [self.expressions.as_integer(self.expressions.as_scalar(item, node), node) for item in value.items]
        return [self.expressions.as_integer(self.expressions.as_scalar(value, node), node)]

    def _dtype(self, node: ast.expr) -> ScalarType:
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            value = self.expressions.value(node.value)
            if isinstance(value, View):
                return value.object.element
        type_ = numpy_type(self.context.module, node)
        if type_ is None:
            self.context.refuse(node, f"the dtype {ast.unparse(node)!r}; supported are float32, float64, bool and the integers")
        return type_

    def _fill_value(self, name: str, fill: Expr | None, element: ScalarType) -> Expr | None:
        if name.startswith("empty"):
            return None
        if fill is not None:
            return self.context.named(self.arrays.arrays.converted(fill, element), "fill")
        return cast(TRUE if name.startswith("ones") else FALSE, element)

    def array(self, node: ast.AST, hint: str, extents: list[Expr], element: ScalarType, content: Expr | None) -> View:
        """A new NumPy array, filled with a value unless that is None."""
        if not extents:
            self.context.refuse(node, "an array without axes; supported are arrays with at least one axis")
        made = self.lists.make(node, hint, len(extents), element, numpy=True)
        lengths = [scalars.clamped(extent, self.context.is_natural(extent)) for extent in extents]
        self.context.env[made.object.length] = lengths[0]
        made.object.columns = tuple(lengths[1:])

        def level(view: View) -> Callable[[Value], None]:
            def body(value: Value) -> None:
                assert isinstance(value, Expr) and content is not None
                if view.rank == 1:
                    self.lists.put(view, value, content, node)
                else:
                    fill(View(view.object, (*view.prefix, value)))

            return body

        def fill(view: View) -> None:
            stop = extents[len(view.prefix)]
            self.loops.loop(Iteration(ZERO, stop, 1, lambda k: k), node, [], level(view), tag=f"fill{len(view.prefix)}")

        if content is not None:
            fill(made)
        return made

    def _array_of(self, node: ast.Call, source: ast.expr, dtype: ast.expr | None, hint: str, *, copies: bool) -> Value:
        """np.array(list): a copy; `asarray` of an array that has the dtype is that array."""
        if isinstance(source, ast.GeneratorExp):
            self.context.refuse(node, "np.array of a generator, which makes an array of objects; give it a list")
        value = self.expressions.value(source)
        if not isinstance(value, View | Section | Whole):
            self.context.refuse(node, "np.array of what is no list or array")
        whole = self.arrays.arrays.whole(value, node)
        listed = self.context.tensors and not self.arrays.is_array(value)  # numbers of Python
        element = (default_of(whole.element) if listed else whole.element) if dtype is None else self._dtype(dtype)
        if not copies and self.arrays.is_array(value) and element == whole.element:
            return value
        if element != whole.element:
            return self.arrays.arrays.computed(self.arrays.elementwise.astype(whole, element, node), node, hint)
        return self.arrays.arrays.computed(whole, node, hint)
