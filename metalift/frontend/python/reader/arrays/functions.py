"""Functions of NumPy and methods of its arrays, by name.

A function and the method of the same name take the same arguments; `_PARAMETERS` has their names, in order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from metalift.frontend.python.reader.arrays import dtypes
from metalift.frontend.python.reader.arrays.arguments import Call
from metalift.frontend.python.reader.arrays.core import Arrays
from metalift.frontend.python.reader.arrays.elementwise import Elementwise
from metalift.frontend.python.reader.arrays.handlers import Handlers
from metalift.frontend.python.reader.arrays.joining import Joining
from metalift.frontend.python.reader.arrays.picking import EVERY, PARAMETERS
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.stands_for import Section, Value, View, Whole
from metalift.ir.expr.nodes import Expr

_PARAMETERS = {
    **{name: "a axis dtype out keepdims" for name in ("sum", "prod", "mean")},
    **{name: "a axis dtype out ddof keepdims" for name in ("var", "std")},
    **{name: "a axis out keepdims initial" for name in ("max", "amax", "min", "amin")},
    **{name: "a axis out keepdims" for name in ("ptp", "any", "all", "argmax", "argmin")},
    "correlate": "a v mode",
    "convolve": "a v mode",
    "count_nonzero": "a axis",
    "average": "a axis weights",
    "cumsum": "a axis dtype out",
    "cumprod": "a axis dtype out",
    "dot": "a b out",
    "matmul": "a b out",
    "inner": "a b",
    "vdot": "a b",
    "outer": "a b",
    "trace": "a",
    "linalg.norm": "a ord axis keepdims",
    "where": "condition x y",
    "clip": "a a_min a_max out",
    "transpose": "a axes",
    "reshape": "a newshape",
    "ravel": "a",
    "flatten": "a",
    "squeeze": "a axis",
    "expand_dims": "a axis",
    "flip": "a axis",
    "fliplr": "a",
    "flipud": "a",
    "roll": "a shift axis",
    "concatenate": "arrays axis",
    "stack": "arrays axis",
    "vstack": "arrays",
    "hstack": "arrays",
    "column_stack": "arrays",
    "append": "a values axis",
    "tile": "a reps",
    "repeat": "a repeats axis",
    "arange": "start stop step dtype",
    "linspace": "start stop num endpoint",
    "eye": "N M k dtype",
    "identity": "N dtype",
    "diag": "a",
    "diagonal": "a",
    "diff": "a n axis",
    "trapezoid": "a x dx",
    "trapz": "a x dx",
    "bincount": "a weights minlength",
    "einsum": "subscripts",
    "astype": "a dtype copy",
    "copy": "a",
    "fill": "a value",
    "sort": "a",
    "add.at": "a indices values",
    **PARAMETERS,
}
_METHODS_ONLY = frozenset({"astype", "flatten", "fill", "item"})
_FUNCTIONS_ONLY = frozenset(
    "where linalg.norm concatenate stack vstack hstack column_stack append tile arange linspace eye identity diff trapezoid "
    "trapz bincount einsum add.at correlate convolve amax amin average matmul inner vdot outer roll flip fliplr flipud "
    "expand_dims count_nonzero sort take_along_axis size ndim gradient pad lib.stride_tricks.sliding_window_view "
    "lib.stride_tricks.as_strided".split()
)
SUPPORTED = (
    "supported are arithmetic, comparisons and functions of elements, slices, masks, sums, means, extrema and the like with axis "
    "and keepdims, products (@, dot, outer, einsum), where, clip, cumsum, reshape, transposition, concatenate and stack"
)


@dataclass(slots=True)
class Functions:
    """Reads calls of NumPy's functions and of methods of arrays."""

    context: Context
    expressions: Expressions
    arrays: Arrays
    elementwise: Elementwise
    joining: Joining
    handlers: Handlers
    in_order: Callable[[View, View, ast.Call], None] = field(init=False)  # fills an array with the elements of another in order
    of_numbers: Callable[[ast.Call, str, list[Expr]], Value] = field(init=False)  # a function of elements, of numbers

    # Calls

    def is_known(self, name: str, *, method: bool = False) -> bool:
        """Whether a function of NumPy, or a method, is read here."""
        if method:
            return name in _PARAMETERS and name not in _FUNCTIONS_ONLY
        return (name in _PARAMETERS and name not in _METHODS_ONLY) or dtypes.operands_of(name) > 0

    def method(self, node: ast.Call, owner: Value, name: str) -> Value:
        """`x.name(...)`."""
        if not self.is_known(name, method=True):
            self.context.refuse(node, f"the method {name!r} of a NumPy array; {SUPPORTED}")
        if name in ("reshape", "transpose") and len(node.args) > 1:
            shape = ast.copy_location(ast.Tuple(node.args, ast.Load()), node)
            return self._called(node, name, [owner], [shape], {})
        return self._called(node, name, [owner], node.args, _keywords(node))

    def function(self, node: ast.Call, name: str) -> Value:
        """`np.name(...)`."""
        if dtypes.operands_of(name):
            return self._elementwise(node, name)
        if name == "sort":
            if len(node.args) != 1 or node.keywords:
                self.context.refuse(node, "np.sort with an axis or the like; supported is np.sort(x) of one axis")
            given = self.expressions.value(node.args[0])
            source = given if isinstance(given, View) else self.arrays.computed(given, node)
            whole = self.arrays.whole(source, node)
            made = self.arrays.empty(whole.extents, whole.element, node, "ordered")
            self.in_order(made, source, node)
            return made
        if name == "einsum":
            return self.handlers.einsum(node)
        if name == "arange" and len(node.args) == 1:
            dtype = Call(self.arrays, node, name, {}, {}).dtype(_keywords(node).get("dtype"))
            return self.joining.arange([self.expressions.integer(node.args[0])], dtype, node)
        return self._called(node, name, [], node.args, _keywords(node))

    def _elementwise(self, node: ast.Call, name: str) -> Value:
        given = _keywords(node)
        out = given.pop("out", None)
        count = dtypes.operands_of(name)
        if given or len(node.args) not in (count, count + 1):
            self.context.refuse(node, f"{ast.unparse(node)}: supported are the operands, and out=")
        out = node.args[count] if len(node.args) > count else out
        operands = self.expressions.operands(node.args[:count])
        if out is None and not any(isinstance(each, View | Section | Whole) for each in operands):
            numbers = [self.expressions.as_scalar(each, node) for each in operands]
            return self.of_numbers(node, name, numbers)
        if count == 2:
            made = self.elementwise.binary(name, operands[0], operands[1], node)
        else:
            made = self.elementwise.unary(name, operands[0], node)
        return made if out is None else self._into(out, made, node)

    def _into(self, out: ast.expr, made: Value, node: ast.AST) -> Value:
        """`out=`: the array into which a result goes."""
        target = self.expressions.value(out)
        if not isinstance(target, View | Section):
            self.context.refuse(node, "out= of what is no array")
        section = self.arrays.as_section(target, node)
        if isinstance(made, Whole):
            self.arrays.check_kept(made.element, section.object.element, node)
        self.arrays.store(section, made, node)
        return target

    def _called(
        self, node: ast.Call, name: str, first: Sequence[Value], args: Sequence[ast.expr], keywords: Mapping[str, ast.expr]
    ) -> Value:
        """A call with its arguments by name; those that are arrays are evaluated in order.

        What an expression makes is computed late, so no later argument may change an array that it reads.
        """
        given_nodes = (*args, *keywords.values())
        for late in given_nodes[0 if any(isinstance(each, Whole) for each in first) else 1 :]:
            if self.expressions.changes(late):
                self.context.refuse(late, "an argument that changes an array beside others; assign it to a name first")
        names = _PARAMETERS[name].split()
        given: dict[str, ast.expr] = dict(zip(names[len(first) :], args, strict=False))
        known = {"a_min": "min", "a_max": "max", "newshape": "shape", "a": "x"}
        spelled = {known.get(each, each): each for each in names}
        for key, value in keywords.items():
            place = key if key in names else spelled.get(key, "")
            if not place or place in given:
                self.context.refuse(node, f"the argument {key} of {name}; supported are {', '.join(names)}")
            given[place] = value
        if "out" in names and names.index("out") < len(first) + len(args):
            self.context.refuse(node, f"an array for the result of {name} that is given by position; write out=...")
        if len(first) + len(args) > len(names):
            self.context.refuse(node, f"{len(args)} arguments of {name}; supported are {', '.join(names)}")
        values = dict(zip(names, first, strict=False))
        call = Call(self.arrays, node, name, given, values)
        out = given.pop("out", None)
        handler = EVERY.get(name)
        assert handler is not None, name
        made = handler(self.handlers, call)
        return made if out is None else self._into(out, made, node)


def _keywords(node: ast.Call) -> dict[str, ast.expr]:
    return {str(each.arg): each.value for each in node.keywords}
