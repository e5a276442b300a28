"""What the readers of a function share: the frames of functions that are being read, the names in them, and lists.

Each reader is about one topic, and has those that it builds on as fields. What it needs of the others, which build on it, is
`above`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, Protocol, TypeAlias

from metalift.frontend.python.annotations import Hint
from metalift.frontend.python.blocks import Point
from metalift.frontend.python.flow import Flow
from metalift.frontend.python.stands_for import Array, Char, Iteration, ListObject, Scopes, Section, Value, View, Whole
from metalift.ir.expr.nodes import Const, Expr, Select, Var
from metalift.ir.expr.types import INT
from metalift.ir.program.fragment import Location

ZERO = Const(0, INT)
LIBRARIES = ("numpy", "torch")  # of arrays


@dataclass(slots=True)
class Loop:
    """A loop of the source: from where its body leaves it, and from where it goes on with the next round."""

    breaks: list[Point] = field(default_factory=list)
    continues: list[Point] = field(default_factory=list)

    def take_continues(self) -> list[Point]:
        """From where it goes on behind the body that was read last."""
        taken, self.continues = self.continues, []
        return taken


Returned: TypeAlias = "tuple[Point, Value, ast.AST]"  # where control leaves a function, and with what


@dataclass(slots=True)
class Frame:
    """A function that is being read: the lifted one, or one that it calls."""

    function: ast.FunctionDef
    prefix: str
    bound: frozenset[str]
    loops: list[Loop] = field(default_factory=list)
    returns: list[Returned] = field(default_factory=list)
    outer: Scopes = ()

    @property
    def scopes(self) -> Scopes:
        """Where names are looked up, from the inside out."""
        return ((self.prefix, self.bound), *self.outer)


class ArrayReader(Protocol):
    """What reads array code, which builds on all readers but those of calls and statements."""

    def is_array(self, value: Value) -> bool: ...
    def is_operand(self, value: Value) -> bool: ...
    def operator(self, node: ast.BinOp | ast.Compare | ast.AugAssign, op: ast.AST, left: Value, right: Value) -> Value: ...
    def unary(self, node: ast.UnaryOp, operand: Value) -> Value: ...
    def index(self, owner: Array, where: ast.expr, node: ast.AST) -> Value: ...
    def assign(self, owner: Array, where: ast.expr, value: Value, node: ast.AST) -> None: ...
    def rows(self, value: Section | Whole, node: ast.AST) -> Iteration: ...
    def now(self, value: Section | Whole, node: ast.AST) -> Expr: ...
    def kept(self, value: Value, node: ast.AST, hint: str) -> Value: ...


@dataclass(slots=True)
class Above:
    """What readers do that build on expressions, for those that they build on."""

    attribute: Callable[[ast.Attribute], Value]  # x.shape
    bind: Callable[[ast.expr, Value], None]  # assign to a target
    block: Callable[[Sequence[ast.stmt]], None]  # statements one after the other
    compare: Callable[[ast.Compare], Value]  # x < y
    call: Callable[[ast.Call], Value]  # f(x)
    named: Callable[[ast.Name, str], Value]  # pi, where that is imported from math
    is_list: Callable[[ast.expr], bool]  # whether an expression of +, * or the like makes a list
    new_list: Callable[[ast.expr, str], View]  # the list that an expression makes, for a name
    subscript: Callable[[ast.Subscript], Value]  # x[i]
    inside: Callable[[ast.Compare, Value, View], Value]  # x in y of a list
    same: Callable[[ast.Compare, Sequence[Value]], Value]  # x == y of lists
    power: Callable[[ast.BinOp, Expr, Expr], Value]  # x ** y of numbers
    arrays: ArrayReader
    row: Callable[[ast.Dict], Value]  # {"x": x}
    has: Callable[[Expr, ast.Compare], Expr]  # "x" in row


@dataclass(slots=True)
class Context(Flow):
    """The state of one pass over a function; names are those of the innermost frame."""

    above: Above = field(init=False)
    hints: Mapping[str, Hint] = field(default_factory=dict)
    params: list[tuple[Var, Hint]] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    guards: list[int] = field(default_factory=list)  # lines of statements that only refuse arguments, and are left out
    prints: bool = False  # whether statements that only print are left out
    constants: tuple[str, ...] = ()  # names of the module whose values are being read
    tensors: bool = False  # whether arrays are tensors of PyTorch
    early: list[tuple[ListObject, Location]] = field(default_factory=list)  # tensors of which elements are read before their use

    # Names and places

    @property
    def frame(self) -> Frame:
        """The function that is being read."""
        return self.frames[-1]

    def name_of(self, name: str) -> str:
        """The key of a local name in the environment."""
        prefixes = (prefix for prefix, bound in self.frame.scopes if name in bound)
        return f"{next(prefixes, self.frame.prefix)}{name}"

    def is_bound(self, name: str) -> bool:
        """Whether it is a local name, here or in a function around this one."""
        return any(name in bound for _, bound in self.frame.scopes)

    def key(self, node: ast.AST, tag: str = "") -> str:
        """A name for a place in the source that is the same in each pass."""
        return f"{self.frame.prefix}{getattr(node, 'lineno', 0)}.{getattr(node, 'col_offset', 0)}{tag}"

    def library_name(self, node: ast.expr) -> str:
        """What a dotted name of a library refers to; empty where it is none, or begins with a local name."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self.is_bound(root.id):
            return ""
        full = self.module.full_name(node)
        if full:
            self.module.check_bound_once(root.id, node)
        return full

    def site(self, node: ast.AST) -> str:
        """A name for an object that is made here."""
        return self.unique(self.key(node))

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        """Refuse what stands at a node."""
        self.module.place.refuse(node, message)

    # Lists

    def view(self, node: ast.expr) -> View | None:
        """The list that an expression names, where it is one."""
        found = self.env.get(self.name_of(node.id)) if isinstance(node, ast.Name) else None
        return found if isinstance(found, View) else None

    def extents(self, view: View) -> list[Expr]:
        """The lengths of all axes, of rows those of the first one."""
        return [self.length(View(view.object, (*view.prefix, *(ZERO,) * axis))) for axis in range(view.rank)]

    def element(self, view: View, index: Expr) -> Value:
        """The element or row at an index that is not negative."""
        self.check_current(view.object)
        if view.rank > 1:
            return View(view.object, (*view.prefix, self.frozen(index, "row")))
        read = Select(view.object.var, (*view.prefix, index))
        self.reads_early(view.object)
        if view.object.characters:
            return Char(self.frozen(read) if view.object.local else read)
        return read

    def reads_early(self, owner: ListObject) -> None:
        """An element is taken as a number; of a tensor it is a tensor that changes with it, so nothing may change it."""
        if self.tensors and owner.numpy:
            self.early.append((owner, self.location))

    # The function that is lifted

    def naturals(self) -> list[Var]:
        """The int parameters of the function."""
        return [var for var, hint in self.params if hint.type == INT]

    def uses_numpy(self) -> bool:
        """Whether a parameter is of NumPy, or a function that is being read names it."""
        if any(hint.numpy for hint in self.hints.values()):
            return True
        parts = (part for frame in self.frames for part in ast.walk(frame.function))
        return any(self.module.full_name(part).startswith(LIBRARIES) for part in parts if isinstance(part, ast.Name))
