"""What single instructions of NKI compute, read from their text: the steps of a kernel on tiles that each stands for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Operator, integer
from metalift.ir.expr.types import BOOL, FLOAT, INT32, MachineInt, ScalarType
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Allocate,
    Fill,
    Fused,
    Iota,
    Map,
    Product,
    Reduce,
    Scan,
    Space,
    Statement,
    Tile,
)
from metalift.ir.text import show

from .._tiles.python_numbers import number, of_type, refused, whole
from .fused import ALU, FUNCTIONS
from .operators import driver

PARAMETERS = {
    "memset": "dst value", "iota": "dst pattern offset channel_multiplier", "tensor_copy": "dst src", "reciprocal": "dst data",
    "tensor_tensor": "dst data1 data2 op", "tensor_scalar": "dst data op0 operand0 op1 operand1",
    "scalar_tensor_tensor": "dst data op0 operand0 op1 operand1", "tensor_reduce": "dst op data axis",
    "tensor_scalar_reduce": "dst data op0 operand0 reduce_op reduce_res", "activation": "dst op data bias scale",
    "activation_reduce": "dst op data reduce_op reduce_res bias scale", "tensor_partition_reduce": "dst op data",
    "tensor_tensor_scan": "dst data0 data1 initial op0 op1", "nc_matmul": "dst stationary moving",
    "tensor_copy_predicated": "dst src predicate",
}  # fmt: skip
LEFT_OUT = frozenset({"bias", "scale", "op1", "operand1", "offset", "channel_multiplier"})  # what a call need not give
OPERATORS = {spelled: op for op, spelled in reversed(ALU.items()) if op != "indicate_less_equal"}
TURNED = {"nl.greater": "less", "nl.greater_equal": "less_equal"}
ACTIVATIONS = {spelled: op for op, spelled in FUNCTIONS.items()}
REDUCTIONS = {"nl.add": Operator.ADD, "nl.maximum": Operator.MAX}
NAMED = {op.rpartition(".")[2]: op for op in driver.operators}  # by what instructions call them
DIVISIONS = frozenset({Operator.DIV, Operator.FDIV, Operator.FMOD, Operator.TDIV, Operator.TREM})
TRUTHS = frozenset({"less", "less_equal", "equal", "logical_and", "logical_or", "logical_not"})


@dataclass
class Buffer:
    """A tile of the text. Its type is known when it is written: truth values are bytes, and columns beside words are floats."""

    name: str
    rows: Expr
    columns: Expr
    declared: ScalarType
    space: Space
    word: bool = False
    type: ScalarType | None = None

    @property
    def known(self) -> ScalarType:
        """The type of its elements."""
        return self.type or (INT32 if self.word else self.declared)

    def tile(self) -> Tile:
        """The tile of the kernel."""
        return Tile(self.name, self.rows, self.columns, self.known, self.space)


Operand = str | Expr
Names = Mapping[str, object]


class Instructions:
    """Reads instructions; `made` are all tiles, those of steps inside of instructions too."""

    def __init__(self) -> None:
        self.made: dict[str, Buffer] = {}
        self.taken: set[str] = set()
        self.above: set[Expr] = set()  # numbers that are positive
        self.equals: dict[Expr, tuple[Expr, ...]] = {}  # what numbers are equal to where the text stands
        self.computed: frozenset[Expr] = frozenset()  # what the source divides by, and its functions of numbers
        self.bound: int | None = None  # on integers that are reduced
        self.count = 0

    def named(self, stem: str) -> str:
        """A name that nothing has."""
        while True:
            self.count += 1
            if f"{stem}_{self.count}" not in self.taken | self.made.keys():
                return f"{stem}_{self.count}"

    def number(self, node: ast.expr, names: Names) -> Expr:
        """A number or a condition that the host computes, without an error for any sizes."""
        return self.defined(node, number(node, names))

    def whole(self, node: ast.expr, names: Names) -> Expr:
        """An integer that the host computes."""
        return self.defined(node, whole(node, names))

    def defined(self, node: ast.expr, found: Expr) -> Expr:
        """The number, of which no part raises: what it divides by is not 0 here, or the source divides by it, too."""
        for part in subexpressions(found):
            match part:
                case Apply(op, (_, divisor)) if op in DIVISIONS and not (self.positive(divisor) or divisor in self.computed):
                    raise refused(node, f"divides by {show(divisor)}, which may be 0 here")
                case Call(_, (arg,)) if not (self.positive(arg) or part in self.computed):
                    raise refused(node, f"computes {show(part)[:60]}, which may have no value here")
                case _:
                    pass
        return found

    def positive(self, value: Expr) -> bool:
        """Whether a number is certainly positive where the text stands."""
        match value:
            case Cast(arg):
                return self.positive(arg)
            case Const(least):
                return least > 0
            case Apply(Operator.ADD | Operator.MUL | Operator.MIN, (left, right)):
                return self.positive(left) and self.positive(right)
            case _:
                same = (each.args for each in self.equals.get(value, ()) if isinstance(each, Apply) and each.op is Operator.MUL)
                return value in self.above or any(self.above.issuperset(factors) for factors in same)

    def instruction(self, call: ast.Call, names: Names) -> list[Statement]:
        """The steps of one. Raises CannotWrite."""
        called = ast.unparse(call.func).removeprefix("nisa.")
        if called not in PARAMETERS or not ast.unparse(call.func).startswith("nisa."):
            raise refused(call, "is no instruction that is read")
        given = arguments(call, PARAMETERS[called].split(), LEFT_OUT)
        read: Callable[[ast.Call, dict[str, ast.expr], Names], Iterator[Statement]] = getattr(self, f"_{called}")
        return list(read(call, given, names))

    def buffer(self, node: ast.expr, names: Names) -> Buffer:
        """A tile that is there."""
        found = names.get(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(found, Buffer):
            raise refused(node, "is no tile here")
        return found

    def operand(self, node: ast.expr, names: Names, like: Buffer) -> Operand:
        """A tile's name, or a number of the type of another tile's elements."""
        found = names.get(node.id) if isinstance(node, ast.Name) else None
        return found.name if isinstance(found, Buffer) else of_type(self.number(node, names), like.known)

    def column(self, node: ast.expr, names: Names, like: Buffer) -> Operand:
        """A number, or a tile of one column: what stands beside a tile of any width."""
        found = names.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(found, Buffer) and found.columns != integer(1):
            raise refused(node, "is no column of one element in each row")
        return self.operand(node, names, like)

    def wide(self, node: ast.expr, names: Names, dst: Buffer) -> Buffer:
        """A tile as wide as the result: no engine spreads a column here."""
        found = self.buffer(node, names)
        if found.columns == integer(1) != dst.columns:
            raise refused(node, "is one column, and the result is wider")
        return found

    def becomes(self, buffer: Buffer, truth: bool = False) -> None:
        """It is written, by truth values or numbers."""
        if buffer.type is None:
            byte = buffer.declared == MachineInt(8, False)
            buffer.type = BOOL if truth and byte else buffer.known

    def step(self, like: Buffer) -> Buffer:
        """A tile for what is inside of an instruction."""
        name = self.named(f"{like.name}_step")
        self.made[name] = Buffer(name, like.rows, like.columns, FLOAT, Space.WORK)
        return self.made[name]

    def map(self, node: ast.AST, buffer: Buffer, op: str, operands: tuple[Operand, ...]) -> Map:
        """One elementwise operator."""
        self.becomes(buffer, op in TRUTHS)
        if op == "less_equal" and buffer.known == INT32:
            op = "indicate_less_equal"
        if op in TRUTHS and buffer.known != BOOL:
            raise refused(node, "stores truth values in what is no tile of uint8")
        return Map(buffer.name, NAMED.get(op, op), operands)

    def applied(self, node: ast.expr, spelled: ast.expr, left: Operand, right: Operand, into: Buffer) -> Map:
        """An operator of the engines on two operands."""
        op = ast.unparse(spelled)
        if op in TURNED:
            return self.map(node, into, TURNED[op], (right, left))
        if op not in OPERATORS:
            raise refused(node, f"{op} is no operator that is read")
        if op == "nl.multiply" and right == of_type(integer(-1), into.known):
            return self.map(node, into, "negate", (left,))
        return self.map(node, into, OPERATORS[op], (left, right))

    def flat(self, given: tuple[ast.expr, ast.expr], tile: Buffer, offset: Expr, names: Names) -> Expr:
        """Which element of a flat array stands at [ROW, COLUMN]: offset + step * ROW + step * COLUMN."""
        found = offset
        for axis, at, count in zip(given, (ROW, COLUMN), (tile.rows, tile.columns), strict=True):
            if not isinstance(axis, ast.List) or len(axis.elts) != 2 or self.whole(axis.elts[1], names) != count:
                raise refused(axis, f"is no [step, number] with as many as {tile.name} has")
            step = self.whole(axis.elts[0], names)
            if count != integer(1):
                found = plus(found, Apply(Operator.MUL, (step, at)))
        return found

    # Instructions

    def _memset(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst = self.buffer(given["dst"], names)
        self.becomes(dst)
        yield Fill(dst.name, of_type(self.number(given["value"], names), dst.known))

    def _iota(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst = self.buffer(given["dst"], names)
        self.becomes(dst)
        first = self.whole(given["offset"], names) if "offset" in given else integer(0)
        match given["pattern"], given.get("channel_multiplier"):
            case ast.List([ast.List([step, count])]), None | ast.Constant(0) if self.whole(count, names) == dst.columns:
                steps = self.whole(step, names)
                if isinstance(steps, Const):
                    yield Iota(dst.name, first, int(steps.value))
                    return
        raise refused(call, "is read with a constant step, as many numbers as columns, and channel_multiplier 0")

    def _tensor_copy(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst, source = self.buffer(given["dst"], names), given["src"]
        if isinstance(source, ast.IfExp):
            one, two = self.buffer(source.body, names), self.buffer(source.orelse, names)
            yield self.map(call, dst, "select", (self.number(source.test, names), one.name, two.name))
            return
        yield self.copied(call, dst, self.buffer(source, names))

    def copied(self, node: ast.AST, dst: Buffer, source: Buffer) -> Map:
        """A copy, which converts."""
        self.becomes(dst, source.known == BOOL)
        return Map(dst.name, "flag" if source.known == BOOL != dst.known else "copy", (source.name,))

    def _reciprocal(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        yield self.map(call, self.buffer(given["dst"], names), "reciprocal", (self.buffer(given["data"], names).name,))

    def _tensor_tensor(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst = self.buffer(given["dst"], names)
        left, right = (self.wide(given[each], names, dst).name for each in ("data1", "data2"))
        yield self.applied(call, given["op"], left, right, dst)

    def _tensor_scalar(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst, data = self.buffer(given["dst"], names), self.buffer(given["data"], names)
        first = self.column(given["operand0"], names, data)
        if data.known == BOOL and ast.unparse(given["op0"]) == "nl.equal" and ast.unparse(given["operand0"]) == "0":
            yield self.map(call, dst, "logical_not", (data.name,))
            return
        if ("op1" in given) != ("operand1" in given):
            raise refused(call, "has one of op1 and operand1")
        if "op1" not in given:
            yield self.applied(call, given["op0"], data.name, first, dst)
            return
        second = self.column(given["operand1"], names, dst)
        turned = ast.unparse(given["op0"]) == "nl.multiply" and first == of_type(integer(-1), data.known)
        if turned and ast.unparse(given["op1"]) == "nl.add":
            yield self.map(call, dst, "subtract", (second, data.name))
            return
        yield from self.both(call, given, (data, first, second), dst)

    def both(
        self, call: ast.Call, given: dict[str, ast.expr], operands: tuple[Buffer, Operand, Operand], dst: Buffer
    ) -> Iterator[Statement]:
        """Two operators, one after the other."""
        data, first, second = operands
        if data.known != FLOAT or dst.known != FLOAT:
            raise refused(call, "computes two steps of what are no floats")
        middle = self.step(dst)
        yield Allocate(middle.tile())
        one = self.applied(call, given["op0"], data.name, first, middle)
        yield Fused((one, self.applied(call, given["op1"], middle.name, second, dst)), 1)

    def _scalar_tensor_tensor(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst = self.buffer(given["dst"], names)
        data, other = (self.wide(given[each], names, dst) for each in ("data", "operand1"))
        first = self.column(given["operand0"], names, data)
        yield from self.both(call, given, (data, first, other.name), dst)

    def _tensor_reduce(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst, data = self.buffer(given["dst"], names), self.buffer(given["data"], names)
        if ast.unparse(given["axis"]) != "1":
            raise refused(call, "reduces along another axis than 1")
        yield self.reduced(call, given["op"], data, dst)

    def reduced(self, node: ast.AST, spelled: ast.expr, data: Buffer, dst: Buffer) -> Reduce:
        """The sum or the maximum of each row."""
        op = REDUCTIONS.get(ast.unparse(spelled))
        if op is None:
            raise refused(node, f"{ast.unparse(spelled)} is no reduction that is read")
        self.becomes(dst)
        return Reduce(dst.name, op, data.name, None if data.known in (FLOAT, BOOL) else self.bound)

    def _tensor_partition_reduce(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        made = self.reduced(call, given["op"], self.buffer(given["data"], names), self.buffer(given["dst"], names))
        yield Across(made.tile, made.op, made.source)

    def _tensor_scalar_reduce(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst, data = self.buffer(given["dst"], names), self.buffer(given["data"], names)
        first = self.applied(call, given["op0"], data.name, self.column(given["operand0"], names, data), dst)
        yield Fused((first, self.reduced(call, given["reduce_op"], dst, self.buffer(given["reduce_res"], names))), 2)

    def _tensor_tensor_scan(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        if [ast.unparse(given[each]) for each in ("op0", "op1")] != ["nl.multiply", "nl.add"]:
            raise refused(call, "scans by other operators than multiply and add")
        dst, *others = (self.buffer(given[each], names) for each in ("dst", "data0", "data1", "initial"))
        self.becomes(dst)
        factor, source, initial = (each.name for each in others)
        yield Scan(dst.name, factor, source, initial, None if dst.known == FLOAT else self.bound)

    def _activation(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst = self.buffer(given["dst"], names)
        *before, last = self.activated(call, given, names, dst)
        yield from (each for each in before if isinstance(each, Allocate))
        steps = tuple(each for each in (*before, last) if not isinstance(each, Allocate))
        yield last if len(steps) == 1 else Fused(steps, 1)

    def _activation_reduce(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst, result = self.buffer(given["dst"], names), self.buffer(given["reduce_res"], names)
        if ast.unparse(given["reduce_op"]) != "nl.add":
            raise refused(call, "adds, and has no other reduction")
        made = [*self.activated(call, given, names, dst), self.reduced(call, given["reduce_op"], dst, result)]
        yield from (each for each in made if isinstance(each, Allocate))
        yield Fused(tuple(each for each in made if not isinstance(each, Allocate)), 2)

    def activated(self, call: ast.Call, given: dict[str, ast.expr], names: Names, dst: Buffer) -> Iterator[Statement]:
        """function(scale * data + bias), a step after the other."""
        at, op = self.buffer(given["data"], names), ast.unparse(given["op"])
        if op not in (*ACTIVATIONS, "nl.copy", "nl.square"):
            raise refused(call, f"{op} is no function that is read")
        for name, operator in (("scale", "nl.multiply"), ("bias", "nl.add")):
            if name in given:
                operand = self.column(given[name], names, at)
                if isinstance(operand, Const) and operand.value == (1 if name == "scale" else 0):
                    continue
                if at.known != FLOAT:
                    raise refused(call, "has a scale or a bias for what are no floats")
                after = self.step(at)
                yield Allocate(after.tile())
                yield self.applied(call, ast.parse(operator, mode="eval").body, at.name, operand, after)
                at = after
        if op == "nl.copy":
            yield self.copied(call, dst, at)
        elif op == "nl.square":
            yield self.map(call, dst, "multiply", (at.name, at.name))
        else:
            yield self.map(call, dst, ACTIVATIONS[op], (at.name,))

    def _nc_matmul(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst, stationary, moving = (self.buffer(given[each], names) for each in ("dst", "stationary", "moving"))
        self.becomes(dst)
        yield Product(dst.name, stationary.name, moving.name)

    def _tensor_copy_predicated(self, call: ast.Call, given: dict[str, ast.expr], names: Names) -> Iterator[Statement]:
        dst = self.buffer(given["dst"], names)
        source, where = (self.wide(given[each], names, dst) for each in ("src", "predicate"))
        yield self.map(call, dst, "select", (where.name, source.name, dst.name))


def arguments(call: ast.Call, params: list[str], left_out: frozenset[str]) -> dict[str, ast.expr]:
    """The arguments of a call by the names of its parameters. Raises CannotWrite."""
    found = dict(zip(params, call.args, strict=False))
    if len(call.args) > len(params) or any(isinstance(each, ast.Starred) for each in call.args):
        raise refused(call, "has too many arguments, or a list of them")
    for keyword in call.keywords:
        if keyword.arg not in params or keyword.arg in found:
            raise refused(call, f"has an argument {keyword.arg} that is not known, or given twice")
        found[keyword.arg] = keyword.value
    missing = [each for each in params if each not in found and each not in left_out]
    if missing:
        raise refused(call, f"lacks {', '.join(missing)}")
    return found

