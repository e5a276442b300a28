"""What the text of kernels and of the launches computes: the meaning of the subset of Triton that the writer writes.

It is read without regard to how it was written. A launch stores, for each index of its programs and lanes, one value in one cell;
values are read as terms, in the driver's operators. What is not understood is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite

from metalift.driver import CannotWrite
from metalift.ir.expr.build import conj
from metalift.ir.expr.nodes import TRUE, Apply, Call, Cast, Expr, Fold, Ite, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, INT64, MachineInt, TensorType
from metalift.ir.expr.walk import free_vars

from .reading import (
    BINARY,
    TRUNCATED,
    Context,
    Dims,
    Literal,
    Place,
    Pointer,
    Read,
    Value,
    assigned,
    constant,
    host_size,
    joined,
    on_index,
    refuse,
    typed,
)
from .spelling import DTYPES, applied, matching
from .tiles import rounded
from .writer import Launch

COMPARED: dict[type[ast.cmpop], Operator] = {ast.Lt: Operator.LT, ast.LtE: Operator.LE, ast.Eq: Operator.EQ}
SUMMED = {"tl.sum": ("add", None), "tl.max": ("maximum", "tl.maximum"), "tl.min": ("minimum", "tl.minimum")}


@dataclass
class KernelReader:
    """Reads one launch of one kernel."""

    context: Context
    grid: list[ast.expr]
    values: dict[str, Value | Pointer]
    binders: list[tuple[Var, Expr]] = field(default_factory=list)
    axes: set[int] = field(default_factory=set)
    loops: list[tuple[str, Var, Var]] = field(default_factory=list)  # starts of blocks: the block and the index of its lanes
    stored: Launch | None = None
    reads: list[Read] = field(default_factory=list)
    fresh: int = 0

    def launch(self, body: list[ast.stmt]) -> Launch:
        """What the kernel stores, each cell once if the cells are distinct."""
        for statement in body:
            self.statement(statement)
        used = self.axes | ({0} if ast.unparse(self.grid[0]) == "1" and len(self.grid) == 1 else set())
        if self.stored is None or used != set(range(len(self.grid))):
            raise CannotWrite("a kernel stores nothing, or has programs that store the same")
        return self.stored

    # Statements

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign([ast.Name(name)], value):
                self.values[name] = self.lane(name, value) or self.expression(value)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [ast.Constant(0), stop, *steps], []), body, []):
                self.loop(name, self.size(stop), steps, body)
            case ast.Expr(ast.Call() as call) if ast.unparse(call.func) == "tl.store":
                self.store(call)
            case _:
                raise refuse(node)

    def lane(self, name: str, node: ast.expr) -> Value | None:
        """A new index: of programs, or of the lanes of a block."""
        text = ast.unparse(node)
        for axis, size in enumerate(self.grid):
            program = f"tl.program_id({axis}).to(tl.int64)"
            if text == program:
                return self.bind(name, axis, host_size(size, self.context), ())
            for block in self.context.blocks.values():
                if text == f"{program} * {block.name} + tl.arange(0, {block.name})":
                    match size:
                        case ast.Call(func, [whole, ast.Name(given)], []) if ast.unparse(func) == "triton.cdiv":
                            if given == block.name:
                                return self.bind(name, axis, rounded(host_size(whole, self.context), block), None)
                    raise refuse(size, f"does not start programs of {block.name} lanes")
        for start, block, index in self.loops:
            if text == f"{start} + tl.arange(0, {block.name})":
                return Value(index, (index,))
        return None

    def bind(self, name: str, axis: int, extent: Expr, dims: Dims | None) -> Value:
        if axis in self.axes:
            raise CannotWrite(f"axis {axis} of the grid is used twice")
        if self.stored:
            raise CannotWrite(f"axis {axis} of the grid is used after the store")
        self.axes.add(axis)
        index = self.index_var(name)
        self.binders.append((index, extent))
        return Value(index, (index,) if dims is None else dims)

    def index_var(self, name: str) -> Var:
        self.fresh += 1
        return Var(f"{name}@{self.fresh}", INT)

    def loop(self, name: str, size: Expr, steps: list[ast.expr], body: list[ast.stmt]) -> None:
        """A loop over elements or blocks, which changes values, each by itself, or stores."""
        before = dict(self.values)
        changed = [each for each in before if each in assigned(body)]
        if name in before or name in assigned(body) or any(name == start for start, _, _ in self.loops):
            raise CannotWrite(f"{name} counts the steps of a loop and has another meaning, too")
        index = self.index_var(name)
        if not steps:
            extent = size
            self.values[name] = Value(index)
        else:
            block = self.context.blocks.get(ast.unparse(steps[0]))
            if len(steps) > 1 or block is None:
                raise refuse(steps[0], "is not read as the size of a block")
            extent = rounded(size, block)
            self.loops.append((name, block, index))
        if not changed:
            stored = self.stored
            self.binders.append((index, extent))
            for statement in body:
                self.statement(statement)
            if self.stored is stored:
                self.binders.remove((index, extent))
        else:
            self.reduce({each: before[each] for each in changed}, index, extent, body, blocked=bool(steps))
        if steps:
            self.loops.pop()
        result = {each: self.values[each] for each in changed}
        self.values = {**before, **result}

    def reduce(
        self, changed: Mapping[str, Value | Pointer], index: Var, extent: Expr, body: list[ast.stmt], *, blocked: bool
    ) -> None:
        """A loop whose last statements change values, each of them without the others."""
        accs: dict[str, Var] = {}
        for name, start in changed.items():
            if not isinstance(start, Value) or isinstance(start.term, Literal):
                raise CannotWrite(f"{name} changes in a loop and has no type")
            accs[name] = Var(f"{name}@acc{self.fresh}", type_of(start.term))
            self.fresh += 1
            self.values[name] = Value(accs[name], start.dims, start.anywhere)
        steps = body[-len(changed) :]
        for statement in body[: -len(changed)]:
            self.statement(statement)
            if assigned([statement]) & changed.keys():
                raise refuse(statement, "changes what a loop changes at its end")
        made = {}
        for step in steps:
            match step:
                case ast.Assign([ast.Name(name)], value) if name in changed and name not in made and not self.stored_in(body):
                    others = changed.keys() - {name}
                    if others & {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}:
                        raise refuse(step, "takes another value that the loop changes")
                    made[name] = self.changed(step, changed[name], accs[name], index, blocked=blocked)
                case _:
                    raise refuse(step, "is not the last step of a loop")
        for name, after in made.items():
            start, term = changed[name], after.term
            assert isinstance(start, Value) and not isinstance(start.term, Literal) and not isinstance(term, Literal)
            if free_vars(term) & {acc for other, acc in accs.items() if other != name}:
                raise refuse(body[0], f"makes {name} of another value that the loop changes")
            self.values[name] = Value(Fold(extent, start.term, accs[name], index, term), after.dims)

    def changed(self, step: ast.Assign, start: Value | Pointer, acc: Var, index: Var, *, blocked: bool) -> Value:
        """What one step of a loop makes of a value."""
        assert isinstance(start, Value) and isinstance(step.targets[0], ast.Name)
        if blocked:
            after = self.block_step(step.targets[0].id, acc, index, step.value)
        else:
            made = self.expression(step.value)
            after = made if isinstance(made, Value) else Value(Literal(0))
        if isinstance(after.term, Literal) or type_of(after.term) != type_of(acc):
            raise refuse(step, "changes the type of what a loop keeps")
        if not start.anywhere and start.dims != after.dims:
            raise refuse(step, "changes the shape of what a loop keeps")
        return after

    def stored_in(self, body: list[ast.stmt]) -> bool:
        return any("tl.store" in ast.unparse(statement) for statement in body)

    def block_step(self, name: str, acc: Var, index: Var, node: ast.expr) -> Value:
        """What a block of lanes does to a value, in any order of the lanes."""
        match node:
            case ast.BinOp(ast.Name(left), ast.Add(), ast.Call() as call) if left == name:
                return self.combined(acc, index, call, "tl.sum")
            case ast.Call(func, [ast.Name(left), ast.Call() as call], []) if left == name:
                for reduction, (_, spelled) in SUMMED.items():
                    if spelled == ast.unparse(func):
                        return self.combined(acc, index, call, reduction)
            case ast.Call(func, [left, right, ast.Name(kept)], [keyword]) if kept == name and ast.unparse(func) == "tl.dot":
                if ast.unparse(keyword) == "input_precision='ieee'":
                    return self.product(acc, index, self.scalar(left), self.scalar(right))
        raise refuse(node, "is not read as a step over a block")

    def combined(self, acc: Var, index: Var, call: ast.Call, reduction: str) -> Value:
        value = self.scalar(call.args[0]) if call.args else Value(Literal(0))
        keywords = [ast.unparse(keyword) for keyword in call.keywords]
        whole = ast.unparse(call.func) == reduction and keywords == ["axis=0"] and value.dims == (index,)
        if not whole or isinstance(value.term, Literal) or acc in free_vars(value.term):
            raise refuse(call, "is not read as the reduction of a block")
        if isinstance(acc.type, MachineInt) and acc.type.bits < 32:
            raise refuse(call, "reduces integers of less than 32 bits")
        return Value(Call(SUMMED[reduction][0], (acc, value.term), acc.type))

    def product(self, acc: Var, index: Var, left: Value, right: Value) -> Value:
        (row, inner), (other, column) = (left.dims if len(left.dims) == 2 else (None, None)), (
            right.dims if len(right.dims) == 2 else (None, None)
        )
        if inner != index or other != index or row is None or column is None:
            raise CannotWrite("a product of tiles does not go along the index of its loop")
        if isinstance(left.term, Literal) or isinstance(right.term, Literal) or type_of(left.term) != acc.type:
            raise CannotWrite("a product of tiles of other types")
        if acc in free_vars(left.term) | free_vars(right.term):
            raise CannotWrite("a product of tiles takes its own sum")
        return Value(Call("add", (acc, Call("mul", (left.term, right.term), acc.type)), acc.type), (row, column))

    def store(self, call: ast.Call) -> None:
        match call:
            case ast.Call(_, [place, value], keywords) if {keyword.arg for keyword in keywords} <= {"mask"} and not self.stored:
                where = self.place(place)
                mask = self.condition(keywords[0].value, where.dims) if keywords else TRUE
                held = self.scalar(value)
                if where.pointer.copied or isinstance(held.term, Literal) or len(keywords) > 1:
                    raise refuse(call, "is not read as a store")
                if held.dims and joined(held.dims, where.dims) != where.dims:
                    raise refuse(call, "stores a block of another shape")
                binders, extents = (tuple(part) for part in zip(*self.binders, strict=True)) if self.binders else ((), ())
                array = where.pointer.array
                indices = self.cell(array, where.index) if array is not None else (where.index,)
                if array is not None and type_of(Select(array, indices)) != type_of(held.term):
                    raise refuse(call, f"stores what has another type than the elements of {array.name}; convert it")
                self.stored = Launch(array, binders, extents, indices, held.term, mask)
            case _:
                raise refuse(call, "is not read as the only store of a kernel")

    # Expressions

    def expression(self, node: ast.expr) -> Value | Pointer:
        if isinstance(node, ast.Name) and isinstance(self.values.get(node.id), Pointer):
            return self.values[node.id]
        return self.scalar(node)

    def scalar(self, node: ast.expr) -> Value:  # noqa: C901 (one case for each form)
        match node:
            case ast.Constant(bool() | int() as value):
                return Value(Literal(value))
            case ast.Constant(float() as number) if isfinite(number):
                return Value(Literal(Fraction(repr(number))))
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float()) as operand):
                term = self.scalar(operand).term
                assert isinstance(term, Literal)
                return Value(Literal(-term.value))
            case ast.Name(name):
                known = self.values.get(name)
                if isinstance(known, Value):
                    return known
            case ast.Subscript(value, ast.Tuple([one, two])):
                return self.widened(node, self.scalar(value), ast.unparse(one), ast.unparse(two))
            case ast.Call(func) if ast.unparse(func) == "tl.load":
                return self.load(node)
            case ast.Call(func, [shape, value, spelled], []) if ast.unparse(func) == "tl.full":
                type_ = DTYPES.get(ast.unparse(spelled))
                given = self.scalar(value).term
                if type_ is not None and isinstance(given, Literal) and self.is_shape(shape):
                    return Value(constant(given, type_), (), anywhere=ast.unparse(shape) != "[]")
            case ast.Call(func, [value, shape], []) if ast.unparse(func) == "tl.broadcast_to":
                given_value = self.scalar(value)
                if not given_value.dims and self.is_shape(shape):
                    return Value(given_value.term, (), anywhere=True)
            case ast.BinOp() | ast.Compare() | ast.Call():
                found = self.on_indices(node)
                return self.operator(node) if found is None else found
            case ast.UnaryOp():
                return self.operator(node)
        raise refuse(node)

    def is_shape(self, node: ast.expr) -> bool:
        """Whether it is a list of sizes of blocks."""
        sizes = node.elts if isinstance(node, ast.List) else [node]
        return all(isinstance(size, ast.Name) and size.id in self.context.blocks for size in sizes)

    def widened(self, node: ast.expr, value: Value, one: str, two: str) -> Value:
        if len(value.dims) == 1 and (one, two) == (":", "None"):
            return Value(value.term, (value.dims[0], None))
        if len(value.dims) == 1 and (one, two) == ("None", ":"):
            return Value(value.term, (None, value.dims[0]))
        raise refuse(node, "is not read as a row or a column")

    def on_indices(self, node: ast.expr) -> Value | None:
        """Arithmetic on indices and sizes, conditions on them, and conversions of them."""
        match node:
            case ast.BinOp(left, ast.BitAnd(), right):
                one, two = self.scalar(left), self.scalar(right)
                if on_index(one.term) and on_index(two.term):
                    return Value(conj(one.term, two.term), joined(one.dims, two.dims))  # type: ignore[arg-type]
            case ast.BinOp(left, op, right) if type(op) in BINARY or type(op) in TRUNCATED:
                return self.integers({**BINARY, **TRUNCATED}[type(op)], left, right)
            case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
                return self.integers(COMPARED[type(op)], left, right)
            case ast.Call(func, [left, right], []) if ast.unparse(func) in ("tl.minimum", "tl.maximum"):
                return self.integers(Operator.MIN if ast.unparse(func) == "tl.minimum" else Operator.MAX, left, right)
            case ast.Call(ast.Attribute(value, "to"), [spelled], []):
                given = self.scalar(value)
                type_ = DTYPES.get(ast.unparse(spelled))
                if isinstance(given.term, Var) and given.term.type == type_ and given.term in self.context.params.values():
                    return given  # a parameter, as the type that it has
        return None

    def integers(self, op: Operator, left: ast.expr, right: ast.expr) -> Value | None:
        one, two = self.scalar(left), self.scalar(right)
        if not any(not isinstance(each.term, Literal) and type_of(each.term) == INT for each in (one, two)):
            return None
        return Value(Apply(op, (self.as_index(one.term), self.as_index(two.term))), joined(one.dims, two.dims))

    def as_index(self, term: Expr | Literal) -> Expr:
        if isinstance(term, Literal):
            if isinstance(term.value, bool) or not isinstance(term.value, int):
                raise CannotWrite(f"{term.value} is no index")
            return integer(term.value)
        if type_of(term) == INT64:
            return Cast(term, INT)
        if type_of(term) != INT:
            raise CannotWrite(f"an index of the type {type_of(term)}")
        return term

    def operator(self, node: ast.expr) -> Value:
        """An operator of the driver."""
        for operator, parts in matching(self.context.driver, node):
            spelled = parts.pop("dtype", None)
            given = {name: self.scalar(part) for name, part in parts.items()}
            result = DTYPES.get(ast.unparse(spelled)) if spelled is not None else None
            if spelled is not None and result is None:
                continue
            args = typed(operator, given)
            made = None if args is None else applied(operator, args, result)
            if made is not None:
                dims: Dims = ()
                for value in given.values():
                    dims = joined(dims, value.dims)
                return Value(made, dims)
        raise refuse(node, "is no operator of the driver on these types")

    def size(self, node: ast.expr) -> Expr:
        value = self.scalar(node)
        if value.dims:
            raise refuse(node, "is not read as a size")
        return self.as_index(value.term)

    def condition(self, node: ast.expr, dims: Dims) -> Expr:
        """A mask for a block of that shape."""
        value = self.scalar(node)
        if isinstance(value.term, Literal) or not on_index(value.term) or joined(dims, value.dims) != dims:
            raise refuse(node, "is not read as a mask")
        return value.term

    def place(self, node: ast.expr) -> Place:
        match node:
            case ast.Name(name) if isinstance(pointer := self.values.get(name), Pointer):
                return Place(pointer, integer(0), ())
            case ast.BinOp(ast.Name(name), ast.Add(), index) if isinstance(pointer := self.values.get(name), Pointer):
                value = self.scalar(index)
                return Place(pointer, self.as_index(value.term), value.dims)
        raise refuse(node, "is not read as an address")

    def cell(self, array: Var, index: Expr) -> tuple[Expr, ...]:
        """The indices of an element of contiguous storage; columns are shown to be below their number elsewhere."""
        assert isinstance(array.type, TensorType)
        indices: list[Expr] = []
        for axis in range(array.type.rank - 1, 0, -1):
            match index:
                case Apply(Operator.ADD, (Apply(Operator.MUL, (outer, Length(owner, along))), inner)):
                    if owner == array and along == axis:
                        indices.append(inner)
                        index = outer
                        continue
            raise CannotWrite(f"an address in {array.name} is not one of a row and a column")
        return (index, *reversed(indices))

    def load(self, node: ast.expr) -> Value:
        match node:
            case ast.Call(_, [place], keywords):
                where = self.place(place)
                array = where.pointer.array
                given = {keyword.arg: keyword.value for keyword in keywords}
                if array is None or set(given) not in ({*()}, {"mask", "other"}):
                    raise refuse(node, "is not read as a load")
                indices = self.cell(array, where.index)
                if not where.pointer.copied:
                    self.reads.append(Read(array, indices))
                read: Expr = Select(array, indices)
                if not given:
                    return Value(read, where.dims)
                other = self.scalar(given["other"]).term
                mask = self.scalar(given["mask"])
                if not isinstance(other, Literal) or isinstance(mask.term, Literal) or not on_index(mask.term):
                    raise refuse(node, "is not read as a masked load")
                element = type_of(read)
                return Value(Ite(mask.term, read, constant(other, element)), joined(where.dims, mask.dims))
        raise refuse(node, "is not read as a load")
