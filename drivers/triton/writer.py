"""The text of one kernel, from a write of a program with tiles."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from metalift.driver import CannotWrite, Driver
from metalift.ir.expr.nodes import TRUE, Apply, Call, Cast, Const, Expr, Fold, Ite, Length, Operator, Select, Var, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, INT64, RealType, TensorType
from metalift.ir.expr.walk import alpha_key, free_vars, fresh_name, outer_folds

from .base import NAME
from .spelling import dtype, filled, literal, typed_by_others
from .tiles import has_fold, unrounded

SIGNS: dict[Operator, ast.operator] = {
    Operator.ADD: ast.Add(),
    Operator.SUB: ast.Sub(),
    Operator.MUL: ast.Mult(),
    Operator.TDIV: ast.FloorDiv(),
    Operator.TREM: ast.Mod(),
}
COMPARED: dict[Operator, ast.cmpop] = {Operator.LT: ast.Lt(), Operator.LE: ast.LtE(), Operator.EQ: ast.Eq()}
CHOSEN = {Operator.MIN: "tl.minimum", Operator.MAX: "tl.maximum"}
Axes = tuple[Var, Var] | None  # the rows and columns of a tile


@dataclass(frozen=True)
class Launch:
    """What a kernel stores: `array` is None for a result."""

    array: Var | None
    binders: tuple[Var, ...]
    extents: tuple[Expr, ...]
    indices: tuple[Expr, ...]
    value: Expr
    guard: Expr


@dataclass(frozen=True)
class Settings:
    """What the kernels of a program share."""

    driver: Driver
    blocks: tuple[Var, ...]
    lets: Mapping[Var, Expr]
    names: Mapping[str, str]  # of the source's parameters
    host: Callable[[Expr], str]  # a size as Python computes it before the launch

    def needed(self, expr: Expr) -> list[Var]:
        """The intermediates that a value needs, in order."""
        wanted = free_vars(expr)
        for let in reversed(list(self.lets)):
            if let in wanted:
                wanted |= free_vars(self.lets[let])
        return [let for let in self.lets if let in wanted]

    def reduces_rows(self, launch: Launch) -> bool:
        """Whether something is reduced that all elements of a row share."""
        if any(has_fold(self.lets[let]) for let in self.needed(launch.value)):
            return True
        return any(launch.binders[-1] not in free_vars(fold) for fold in outer_folds(launch.value))


@dataclass
class KernelWriter:
    """Writes one kernel; `params` are its parameters with annotations and what is passed for them."""

    settings: Settings
    launch: Launch
    called: str
    held: Mapping[str, str] = field(default_factory=dict)  # arrays that are passed under another name
    params: dict[str, tuple[str, str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    known: list[dict[object, str]] = field(default_factory=lambda: [{}])
    taken: set[str] = field(default_factory=lambda: {"tl", "triton", "torch", "range", *keyword.kwlist})
    shown: dict[Var, str] = field(default_factory=dict)
    grid: list[str] = field(default_factory=list)
    lanes: frozenset[Var] = frozenset()

    def write(self) -> None:
        """The whole kernel."""
        launch = self.launch
        self.taken |= {block.name for block in self.settings.blocks}
        parts = [launch.value, launch.guard, *launch.extents, *launch.indices, *self.settings.lets.values()]
        scalars = {var.name for part in parts for var in free_vars(part) if not isinstance(var.type, TensorType)}
        self.taken |= {shown for name, shown in self.settings.names.items() if name in scalars}
        found = [unrounded(extent, self.settings.blocks) for extent in launch.extents]
        last = found[-1] if found else None
        rows = last is not None and len([each for each in found if each]) == 1 and self.reduces_rows()
        for axis, (binder, extent, blocks) in enumerate(zip(launch.binders, launch.extents, found, strict=True)):
            if blocks is not None and rows:
                continue
            self.shown[binder] = shown = self.name(binder.name)
            if blocks is None:
                self.grid.append(self.settings.host(extent))
                self.say(f"{shown} = tl.program_id({axis}).to(tl.int64)")
            else:
                size, block = blocks
                self.grid.append(f"triton.cdiv({self.settings.host(size)}, {block.name})")
                self.say(f"{shown} = tl.program_id({axis}).to(tl.int64) * {block.name} + tl.arange(0, {block.name})")
                self.lanes |= {binder}
        if len(self.grid) > 3:
            raise CannotWrite(f"a grid has at most 3 axes, not {len(self.grid)}")
        self.grid = self.grid or ["1"]
        for let in self.settings.needed(launch.value):
            value = self.value(self.settings.lets[let], None)
            self.shown[let] = self.name(let.name)
            self.say(f"{self.shown[let]} = {ast.unparse(value)}")
        if rows and last is not None:
            self.hoist(launch.value)
            with_lane = launch.binders[-1]
            self.open_blocks(with_lane, *last)
            self.store()
            self.close()
        else:
            self.store()

    def reduces_rows(self) -> bool:
        """Whether something is reduced that all elements of a row share."""
        launch = self.launch
        if any(has_fold(self.settings.lets[let]) for let in self.settings.needed(launch.value)):
            return True
        return any(launch.binders[-1] not in free_vars(fold) for fold in outer_folds(launch.value))

    def hoist(self, expr: Expr) -> None:
        """What a row shares, before the loop over its elements."""
        for fold in outer_folds(expr):
            if self.launch.binders[-1] not in free_vars(fold):
                self.value(fold, None)

    def store(self) -> None:
        launch = self.launch
        axes = self.axes()
        value = self.value(launch.value, axes)
        if isinstance(launch.value, Const):
            value = self.full(launch.value, "[]")
        if launch.array is None:
            self.params["result_ptr"] = ("", "")
            self.say(f"tl.store(result_ptr, {ast.unparse(value)})")
            return
        place = self.address(launch.array, launch.indices, axes, written=True)
        mask = "" if launch.guard == TRUE else f", mask={ast.unparse(self.mask(launch.guard, axes))}"
        self.say(f"tl.store({ast.unparse(place)}, {ast.unparse(value)}{mask})")

    def axes(self) -> Axes:
        """The rows and columns, where the kernel is one of tiles."""
        tiled = [binder for binder in self.launch.binders if binder in self.lanes]
        return (tiled[0], tiled[1]) if len(tiled) == 2 else None

    # Text

    def say(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def name(self, wanted: str) -> str:
        shown = fresh_name("".join(c if c.isalnum() or c == "_" else "_" for c in wanted), self.taken)
        self.taken.add(shown)
        return shown

    def named(self, key: object, wanted: str, made: Callable[[], ast.expr]) -> ast.expr:
        """A value that is computed once in its scope."""
        for scope in self.known:
            if key in scope:
                return ast.Name(scope[key])
        tree = made()
        shown = self.name(wanted)
        self.say(f"{shown} = {ast.unparse(tree)}")
        self.known[-1][key] = shown
        return ast.Name(shown)

    def open(self, line: str) -> None:
        self.say(line)
        self.depth += 1
        self.known.append({})

    def close(self) -> None:
        self.depth -= 1
        self.known.pop()

    def open_blocks(self, index: Var, size: Expr, block: Var) -> None:
        """A loop over blocks of an extent."""
        extent = ast.unparse(self.index(size, None))
        start = self.name("start")
        self.open(f"for {start} in range(0, {extent}, {block.name}):")
        self.shown[index] = self.name(index.name)
        self.say(f"{self.shown[index]} = {start} + tl.arange(0, {block.name})")

    def parameter(self, wanted: str, annotation: str, passed: str) -> str:
        """A parameter of the kernel."""
        for shown, known in self.params.items():
            if known == (annotation, passed):
                return shown
        shown = wanted if wanted not in self.params and (wanted not in self.taken or wanted == passed) else self.name(wanted)
        if shown in self.params:
            shown = self.name(wanted)
        self.taken.add(shown)
        self.params[shown] = (annotation, passed)
        return shown

    # Values

    def value(self, expr: Expr, axes: Axes) -> ast.expr:
        """A value in the lanes in scope."""
        match expr:
            case Var() if expr in self.shown:
                return self.in_axes(expr, axes)
            case Var():
                return ast.Name(self.scalar(expr))
            case Const():
                return self.full(expr, "[]")
            case Ite(mask, Select(tensor, indices), Const() as other):
                assert isinstance(tensor, Var)
                read = self.address(tensor, indices, axes)
                masked = self.mask(mask, axes)
                keywords = [ast.keyword("mask", masked), ast.keyword("other", literal(other))]
                load = ast.Call(ast.parse("tl.load", mode="eval").body, [read], keywords)
                return self.named((expr, axes), tensor.name, lambda: load)
            case Select(Var() as tensor, indices):
                load = ast.Call(ast.parse("tl.load", mode="eval").body, [self.address(tensor, indices, axes)], [])
                return self.named((expr, axes), tensor.name, lambda: load)
            case Fold():
                return self.fold(expr, axes)
            case Call():
                return self.call(expr, axes)
            case _ if type_of(expr) in (INT, BOOL):
                return self.mask(expr, axes) if type_of(expr) == BOOL else self.index(expr, axes)
            case _:
                raise CannotWrite(f"kernels have no {type(expr).__name__.lower()}")

    def call(self, expr: Call, axes: Axes) -> ast.expr:
        operator = self.settings.driver.operators[expr.function]
        arguments: dict[str, ast.expr] = {"dtype": dtype(expr.type)}
        for position, (param, arg) in enumerate(zip(operator.params, expr.args, strict=True)):
            plain = isinstance(arg, Const) and typed_by_others(operator, expr.args, position)
            arguments[param.name] = literal(arg) if plain and isinstance(arg, Const) else self.value(arg, axes)
        return filled(operator.spellings[NAME], arguments)

    def full(self, const: Const, shape: str) -> ast.expr:
        return ast.parse(f"tl.full({shape}, {ast.unparse(literal(const))}, {ast.unparse(dtype(const.type))})", mode="eval").body

    def scalar(self, var: Var) -> str:
        """A scalar parameter of the source as a number in a kernel."""
        if var.name not in self.settings.names:
            raise CannotWrite(f"{var.name} is not known in a kernel")
        if isinstance(var.type, RealType) and var.type != FLOAT:
            raise CannotWrite(f"doubles that are plain numbers, such as {var.name}: kernels take them as floats")
        shown = self.settings.names[var.name]
        annotation = ast.unparse(dtype(var.type))
        wanted = f"{shown}_value" if self.params.get(shown) == ("tl.int64", shown) else shown
        made = self.parameter(wanted, annotation, shown)
        if var.type in (INT32, FLOAT):
            return made
        key = ("converted", var)
        if key not in self.known[0]:
            converted = self.name(f"{made}_value")
            self.lines.insert(0, f"    {converted} = {made}.to({annotation})")
            self.known[0][key] = converted
        return self.known[0][key]

    def in_axes(self, var: Var, axes: Axes) -> ast.expr:
        shown = self.shown[var]
        if axes is None or var not in axes:
            return ast.Name(shown)
        return ast.parse(f"{shown}[:, None]" if var == axes[0] else f"{shown}[None, :]", mode="eval").body

    def address(self, array: Var, indices: tuple[Expr, ...], axes: Axes, *, written: bool = False) -> ast.expr:
        """Where an element lies."""
        assert isinstance(array.type, TensorType)
        dtype(array.type.element)
        shown = self.settings.names[array.name]
        passed = shown if written else self.held.get(array.name, shown)
        pointer = self.parameter(f"{passed}_ptr", "", passed)
        place = indices[0]
        for axis, index in enumerate(indices[1:], 1):
            place = Apply(Operator.ADD, (Apply(Operator.MUL, (place, Length(array, axis))), index))
        return ast.BinOp(ast.Name(pointer), ast.Add(), self.index(place, axes))

    def mask(self, expr: Expr, axes: Axes) -> ast.expr:
        """A condition on indices."""
        match expr:
            case Apply(Operator.AND, parts):
                tree = self.mask(parts[0], axes)
                for part in parts[1:]:
                    tree = ast.BinOp(tree, ast.BitAnd(), self.mask(part, axes))
                return tree
            case Apply(op, (left, right)) if op in COMPARED:
                return ast.Compare(self.index(left, axes), [COMPARED[op]], [self.index(right, axes)])
            case _:
                raise CannotWrite("a condition on indices that kernels have no text for")

    def index(self, expr: Expr, axes: Axes) -> ast.expr:
        """An index or a size, of 64 bits."""
        own = not any(var in self.shown or var.name not in self.settings.names for var in free_vars(expr))
        match expr:
            case Var() if expr in self.shown:
                return self.in_axes(expr, axes)
            case Const():
                return literal(expr)
            case Cast(Var() as var, _) | (Var() as var) if own:
                shown = self.settings.names[var.name]
                wanted = shown if self.params.get(shown, ("tl.int64", shown)) == ("tl.int64", shown) else f"{shown}_size"
                return ast.Name(self.parameter(wanted, "tl.int64", shown))
            case Apply(op, (left, right)) if op in SIGNS and (op in (Operator.ADD, Operator.SUB, Operator.MUL) or not own):
                return ast.BinOp(self.index(left, axes), SIGNS[op], self.index(right, axes))
            case Apply(Operator.NEG, (arg,)):
                return ast.UnaryOp(ast.USub(), self.index(arg, axes))
            case Apply(op, (left, right)) if op in CHOSEN and not own:
                args = [self.index(left, axes), self.index(right, axes)]
                return ast.Call(ast.parse(CHOSEN[op], mode="eval").body, args, [])
            case Cast(arg, _) if type_of(arg) == INT64:
                return self.value(arg, axes)
            case _ if own:
                return ast.Name(self.parameter("size", "tl.int64", self.settings.host(expr)))
            case _:
                raise CannotWrite(f"an index that kernels have no text for: {type(expr).__name__.lower()}")

    # Loops

    def fold(self, fold: Fold, axes: Axes) -> ast.expr:
        """The loop, before what uses its value."""
        key = (alpha_key(fold), axes)
        for scope in self.known:
            if key in scope:
                return ast.Name(scope[key])
        blocks = unrounded(fold.extent, self.settings.blocks)
        for inner in outer_folds(fold.body):  # what does not change in the loop comes before it
            if free_vars(inner).isdisjoint({fold.index, fold.acc}):
                self.value(inner, axes)
        acc = self.name("total" if isinstance(fold.body, Call) and fold.body.function == "add" else "best")
        self.say(f"{acc} = {ast.unparse(self.start(fold, axes))}")
        if blocks is None:
            extent = ast.unparse(self.index(fold.extent, None))
            self.shown[fold.index] = self.name(fold.index.name)
            self.open(f"for {self.shown[fold.index]} in range(0, {extent}):")
        else:
            self.open_blocks(fold.index, *blocks)
        self.shown[fold.acc] = acc
        step = ast.unparse(self.value(fold.body, axes)) if blocks is None else self.step(fold, acc, axes)
        self.say(f"{acc} = {step}")
        self.close()
        del self.shown[fold.acc], self.shown[fold.index]
        self.known[-1][key] = acc
        return ast.Name(acc)

    def start(self, fold: Fold, axes: Axes) -> ast.expr:
        shape = ", ".join(self.block_of(var) for var in (axes or self.lanes & free_vars(fold)))
        if isinstance(fold.init, Const):
            return self.full(fold.init, f"[{shape}]")
        value = self.value(fold.init, axes)
        if shape and self.lanes.isdisjoint(free_vars(fold.init)):
            return ast.parse(f"tl.broadcast_to({ast.unparse(value)}, [{shape}])", mode="eval").body
        return value

    def block_of(self, lane: Var) -> str:
        extent = dict(zip(self.launch.binders, self.launch.extents, strict=True))[lane]
        found = unrounded(extent, self.settings.blocks)
        assert found is not None
        return found[1].name

    def step(self, fold: Fold, acc: str, axes: Axes) -> str:
        """What a block does to the accumulator."""
        assert isinstance(fold.body, Call)
        term = fold.body.args[1]
        if axes is not None:
            assert isinstance(term, Call)
            left = self.value(term.args[0], (axes[0], fold.index))
            right = self.value(term.args[1], (fold.index, axes[1]))
            return f'tl.dot({ast.unparse(left)}, {ast.unparse(right)}, {acc}, input_precision="ieee")'
        value = ast.unparse(self.value(term, None))
        match fold.body.function:
            case "add":
                return f"{acc} + tl.sum({value}, axis=0)"
            case "maximum":
                return f"tl.maximum({acc}, tl.max({value}, axis=0))"
            case _:
                return f"tl.minimum({acc}, tl.min({value}, axis=0))"
