"""The text of a kernel in NKI, written or edited by a person or a model, read back as a kernel on tiles.

The text is parsed, never imported. Nothing here says that it is right: what was read is proved as any other kernel, and the text
itself is run in the simulator. What is not known is refused, with its line. Names of tiles and numbers are bound once in a block;
what changes from one iteration of a loop to the next are the contents of tiles that were made before it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metalift.driver import CannotWrite, Kernel, Request
from metalift.driver.expansion import expand
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.arith.taken_apart import taken_apart
from metalift.ir.expr.build import clamped, conjuncts, neg
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, MachineInt, ScalarType, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.program.kernel import Allocate, Expand, Load, Loop, Output, Reduce, Size, Space, Statement, Store, When

from .._tiles.python_numbers import condition, refused
from .._tiles.python_text import name as spelled_name
from .calling import RESERVED, called, definitions, without_docstring
from .idioms import with_idioms
from .moves.rewriting import statements, written
from .operators import driver, machine
from .reading import DIVISIONS, Buffer, Instructions, arguments
from .text import dtype
from .writer import strides

WORDS = tuple(MachineInt(bits, signed) for bits in (8, 16, 32) for signed in (True, False))
TYPES: dict[str, ScalarType] = {dtype(FLOAT): FLOAT, **{dtype(type_): type_ for type_ in WORDS}}
LOOPS = {"nl.affine_range": True, "nl.sequential_range": False, "range": False}  # whether iterations run in any order
MEMORIES = {"nl.sbuf": Space.WORK, "nl.psum": Space.SUMS}


@dataclass(frozen=True, slots=True)
class Result:
    """A result of the kernel, by its number."""

    number: int


def read(text: str, function: str, request: Request, like: Kernel | None) -> Kernel:
    """The kernel that the function of a file calls, without what only proofs need.

    `like` is another kernel of the program, where there is one: its conditions on numbers, and its idioms. Raises CannotWrite.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as problem:
        raise CannotWrite(f"line {problem.lineno}: {problem.msg}") from None
    return Reader(request, tree, function, like).kernel()


class Reader(Instructions):
    """Reads one kernel, and the function that calls it."""

    def __init__(self, request: Request, tree: ast.Module, function: str, like: Kernel | None) -> None:
        super().__init__()
        self.request, self.like = request, like
        self.params = {spelled_name(param.var.name): param.var for param in request.fragment.params}
        self.functions = definitions(tree)
        if function not in self.functions:
            raise CannotWrite(f"line 1: the file has no function {function}")
        self.call = called(self.functions, function, tuple(self.params))
        self.outputs: list[Output] = []
        self.sizes: list[Size] = []
        self.words: frozenset[str] = frozenset()
        self.taken = {*self.params, *(each.var.name for each in request.fragment.params)}
        self.taken |= {each.var.name for each in request.program.lets}
        self.above = {each for formula in request.program.requires for part in conjuncts(formula) for each in positive(part)}
        values = [expand(each, driver) for each in request.program.values]
        parts = [part for each in values for part in subexpressions(each)]
        divisors = {part.args[1] for part in parts if isinstance(part, Apply) and part.op in DIVISIONS}
        self.computed = frozenset(divisors | {part for part in parts if isinstance(part, Call)})
        self.outside: Mapping[str, object] = {}  # what is bound outside of the loop whose iterations run in any order
        self.ordered = True  # whether iterations of all loops around run in their order
        if like is not None:
            reduced = (each for each in statements(like.body) if isinstance(each, Reduce) and each.bound is not None)
            self.bound = next((each.bound for each in reduced), None)

    def kernel(self) -> Kernel:
        """The whole."""
        results, kernel, passed = self.call.results, self.call.kernel, self.call.passed
        names: dict[str, object] = {}
        for param, arg in zip(kernel.args.args, passed, strict=True):
            var = self.params[arg]
            integral = not isinstance(var.type, TensorType) and is_integer(var.type)
            names[param.arg] = Cast(var, INT) if integral and var.type != INT else var
        *body, last = without_docstring(kernel)
        match last:
            case ast.Return(ast.Name(only)):
                order = [only]
            case ast.Return(ast.Tuple(items)) if all(isinstance(each, ast.Name) for each in items):
                order = [each.id for each in items if isinstance(each, ast.Name)]
            case _:
                raise refused(last, "a kernel ends by returning its results")
        if len(order) != len(results) or len(set(order)) != len(order) or isinstance(last.value, ast.Tuple) != self.call.several:
            raise refused(last, f"returns {len(order)} results, and {len(results)} are taken")
        self.outputs = self.wanted(last, len(order))
        self.words = beside_words(kernel)
        read = self.block(body, names, order, top=True)
        if any(each not in names for each in order):
            raise refused(last, "returns what is made nowhere")
        ranges = () if self.like is None else self.like.ranges
        known = () if self.like is None else tuple(each.idiom for each in statements(self.like.body) if isinstance(each, Expand))
        tiles = {each.name: each.tile() for each in self.made.values()}
        made = with_idioms(typed(tuple(read), tiles), tuple(dict.fromkeys(known)))
        found = Kernel(machine(self.request.fragment), tuple(self.outputs), made, ranges, tuple(self.sizes))
        self.call.puts(replace(self.request, kernel=found))
        return found

    def wanted(self, node: ast.AST, count: int) -> list[Output]:
        """What the kernel has to compute."""
        program = self.request.program
        results = [] if program.result is None else [program.result]
        found: list[Output] = []
        for write in program.writes:
            if not isinstance(write.window, Build):
                raise CannotWrite("a window that is no view")
            found.append(Output(write.value, write.window.binders, write.window.extents))
        found += [Output(each) for each in results]
        if len(found) != count:
            raise refused(node, f"returns {count} results, and the source has {len(found)}")
        return found

    # Statements

    def block(
        self, body: Sequence[ast.stmt], names: dict[str, object], results: Sequence[str] = (), *, top: bool = False
    ) -> list[Statement]:
        """The statements of a block; names that it binds are gone behind it."""
        made: list[Statement] = []
        for node in body:
            match node:
                case ast.Assign([ast.Name(bound)], ast.Call(func) as call) if ast.unparse(func) == "nl.ndarray":
                    made += self.allocated(bound, call, names, results if top else ())
                case ast.Assign([ast.Name(bound)], value):
                    names[self.new(node, bound, names)] = self.local(bound, value, names, top=top)
                case ast.Expr(ast.Call(func) as call) if ast.unparse(func) == "nisa.dma_copy":
                    made.append(self.copy(call, names))
                case ast.Expr(ast.Call() as call):
                    steps = self.instruction(call, names)
                    made += steps
                    self.in_order(node, steps, names)
                case ast.For(ast.Name(), ast.Call(_, [_], []), _, []):
                    made.append(self.loop(node, names))
                case ast.If(test, inner, other):
                    cond = self.condition(test, names)
                    made += [When(each, tuple(self.under(each, part, names)))
                             for each, part in ((cond, inner), (neg(cond), other)) if part]  # fmt: skip
                case ast.Pass():
                    pass
                case _:
                    raise refused(node, "is not read as a statement of a kernel")
        return made

    def condition(self, node: ast.expr, names: Mapping[str, object]) -> Expr:
        """A condition that the host decides."""
        return self.defined(node, condition(node, names))

    def under(self, cond: Expr, body: Sequence[ast.stmt], names: Mapping[str, object]) -> list[Statement]:
        """A block that runs where a condition holds, with what is known there of numbers."""
        before = set(self.above), dict(self.equals)
        for each in conjuncts(cond):
            self.above |= set(positive(each))
            if isinstance(each, Apply) and each.op is Operator.EQ:
                for one, other in (each.args, each.args[::-1]):
                    self.equals[one] = (*self.equals.get(one, ()), other) if not free_vars(other) <= free_vars(one) else ()
                    self.equals[strip_casts(one)] = self.equals[one]
        made = self.block(body, self.inside(body, names))
        self.above, self.equals = before
        return made

    def new(self, node: ast.AST, bound: str, names: Mapping[str, object]) -> str:
        """A name that is bound: those of parameters, tiles and modules keep what they mean."""
        if bound in RESERVED or bound in self.functions:
            raise refused(node, f"{bound} has a meaning already")
        if isinstance(names.get(bound), Var | Buffer | Result):
            raise refused(node, f"{bound} is bound twice in a block, or is a parameter")
        return bound

    def inside(self, body: Sequence[ast.stmt], names: Mapping[str, object]) -> dict[str, object]:
        """Names in a block in another one: it binds none of those that are bound there."""
        for node in (each for statement in body for each in ast.walk(statement)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
                raise refused(node, "is bound outside of the block, too: its value behind the block is not followed")
        return dict(names)

    def local(self, bound: str, value: ast.expr, names: Mapping[str, object], *, top: bool) -> Expr:
        """A number with a name; a size that is chosen in a range stands for itself."""
        found = self.number(value, names)
        chosen = self.size(bound, found) if top and type_of(found) == INT else None
        if chosen is None:
            return found
        self.sizes.append(chosen)
        self.above.add(chosen.var)
        return chosen.var

    def size(self, bound: str, value: Expr) -> Size | None:
        """max(least, min(most, value)), in any order."""
        match value:
            case Apply(Operator.MAX, args):
                for low, inner in (args, args[::-1]):
                    match low, inner:
                        case Const(least, _), Apply(Operator.MIN, (one, two)):
                            for high, middle in ((one, two), (two, one)):
                                if isinstance(high, Const) and 1 <= least <= high.value:
                                    return Size(Var(self.named(bound), INT), middle, int(least), int(high.value))
            case _:
                pass
        return None

    def allocated(
        self, bound: str, call: ast.Call, names: dict[str, object], results: Sequence[str]
    ) -> list[Statement]:
        """A tile, or a result in main memory."""
        given = arguments(call, ["shape", "dtype", "buffer"], frozenset())
        self.new(call, bound, names)
        shape, type_ = given["shape"], TYPES.get(ast.unparse(given["dtype"]))
        if not isinstance(shape, ast.Tuple) or type_ is None:
            raise refused(call, "has a shape or a type that is not read")
        extents = [self.whole(each, names) for each in shape.elts]
        memory = ast.unparse(given["buffer"])
        if memory == "nl.shared_hbm":
            names[bound] = self.result(call, bound, extents, ast.unparse(given["dtype"]), results)
            return []
        if memory not in MEMORIES or len(extents) != 2:
            raise refused(call, "is no tile with rows and columns in nl.sbuf or nl.psum")
        tile = bound if bound not in self.made else self.named(bound)
        self.made[tile] = Buffer(tile, extents[0], extents[1], type_, MEMORIES[memory], type_ == FLOAT and bound in self.words)
        names[bound] = self.made[tile]
        return [Allocate(self.made[tile].tile())]

    def result(self, call: ast.Call, bound: str, extents: list[Expr], spelled: str, results: Sequence[str]) -> Result:
        """A result, of the shape and type that the source's has."""
        if bound not in results:
            raise refused(call, "is made in main memory and not returned, or not at the beginning of the kernel")
        at = results.index(bound)
        output = self.outputs[at]
        type_ = type_of(output.value)
        element = type_.element if isinstance(type_, TensorType) else type_
        if not isinstance(element, ScalarType) or dtype(element) != spelled:
            raise refused(call, "has another type than what the source writes")
        if not output.places:
            if extents != [integer(1), integer(1)]:
                raise refused(call, "a number is a result of the shape (1, 1)")
            return Result(at)
        ways = [(each, expand(each, driver), clamped(expand(each, driver))) for each in output.extents]
        found = [next((way for way in some if Polynomial.of(way).to_expr() == mine), None)
                 for some, mine in zip(ways, extents, strict=False)]  # fmt: skip
        if len(extents) != len(ways) or None in found:
            raise refused(call, "has another shape than what the source writes")
        self.outputs[at] = replace(output, extents=tuple(each for each in found if each is not None))
        return Result(at)

    def loop(self, node: ast.For, names: Mapping[str, object]) -> Loop:
        """A loop over numbers from 0 on."""
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        kind = ast.unparse(node.iter.func)
        if kind not in LOOPS:
            raise refused(node.iter, f"is no loop that is read: {', '.join(LOOPS)}")
        counter = Var(self.named(node.target.id), INT)
        inner = self.inside([node], names)
        inner[self.new(node, node.target.id, inner)] = counter
        before, self.ordered = self.ordered, self.ordered and not LOOPS[kind]
        outside, self.outside = self.outside, (names if LOOPS[kind] else self.outside)
        body = self.block(node.body, inner)
        self.ordered, self.outside = before, outside
        return Loop(counter, self.whole(node.iter.args[0], names), tuple(body))

    def in_order(self, node: ast.AST, steps: Sequence[Statement], names: Mapping[str, object]) -> None:
        """Raises CannotWrite where iterations that run in any order write a tile that was made before their loop."""
        if not self.ordered:
            before = {each.name for each in self.outside.values() if isinstance(each, Buffer)}
            changed = [tile for each in steps for tile in written(each) if tile in before]
            if changed:
                raise refused(node, f"writes {changed[0]}, made outside of affine_range, whose iterations run in any order")

    def copy(self, call: ast.Call, names: Mapping[str, object]) -> Statement:
        """A load or a store."""
        given = arguments(call, ["dst", "src"], frozenset())
        match given["dst"], given["src"]:
            case ast.Name(), ast.Call(ast.Attribute(ast.Name(array), "ap")) as pattern:
                tile, source = self.buffer(given["dst"], names), names.get(array)
                if isinstance(source, Var) and isinstance(source.type, TensorType):
                    self.becomes(tile, source.type.element == BOOL)
                    made = self.load(pattern, tile, source, names)
                    self.in_order(call, (made,), names)
                    return made
            case ast.Call(ast.Attribute(ast.Name(array), "ap")) as pattern, ast.Name():
                tile, output = self.buffer(given["src"], names), names.get(array)
                if isinstance(output, Result):
                    return self.store(pattern, tile, output.number, names)
        raise refused(call, "copies neither array.ap(...) to a tile nor a tile to result.ap(...)")

    def place(self, pattern: ast.Call, tile: Buffer, names: Mapping[str, object]) -> Polynomial:
        """Which element of a flat array it is."""
        given = arguments(pattern, ["pattern", "offset"], frozenset({"offset"}))
        match given["pattern"]:
            case ast.List([rows, columns]):
                offset = self.whole(given["offset"], names) if "offset" in given else integer(0)
                return Polynomial.of(self.flat((rows, columns), tile, offset, names))
            case _:
                raise refused(pattern, "is no pattern of rows and columns")

    def load(self, pattern: ast.Call, tile: Buffer, array: Var, names: Mapping[str, object]) -> Load:
        """Elements of an array: of a view that the program has, where it is one, else of the whole array."""
        assert isinstance(array.type, TensorType)
        if not isinstance(array.type.element, ScalarType) or dtype(array.type.element) != dtype(tile.declared):
            raise refused(pattern, f"has elements of another type than {tile.name}")
        at = self.place(pattern, tile, names)
        sizes = tuple(Length(array, axis) for axis in range(array.type.rank))
        every = whole_array(array)
        for view in (*self.views(array), every):
            assert isinstance(view.body, Select)
            found = taken_apart(flattened(view.body.indices, sizes), view.binders, at)
            if found is not None and (view is every or not any(map(begins_before, found.values()))):
                return Load(tile.name, view, tuple(found[each] for each in view.binders))
        raise refused(pattern, f"is no place in {array.name} that is read as row and column")

    def views(self, array: Var) -> list[Build]:
        """Those that the program has of an array, the one with most axes first."""
        found: dict[Build, None] = {}
        for part in (part for value in self.request.program.values for part in subexpressions(value)):
            match part:
                case Build(_, _, Select(tensor, indices)) if tensor == array:
                    gathered = any(isinstance(inner, Select) for at in indices for inner in subexpressions(at))
                    found |= {} if gathered else {part: None}
                case _:
                    pass
        return sorted(found, key=lambda each: -len(each.binders))

    def store(self, pattern: ast.Call, tile: Buffer, number: int, names: Mapping[str, object]) -> Store:
        """A tile to a result."""
        output = self.outputs[number]
        if dtype(tile.declared) != dtype(element_of(output)):
            raise refused(pattern, f"has elements of another type than {tile.name}")
        at = self.place(pattern, tile, names)
        if not output.places:
            if at.terms or (tile.rows, tile.columns) != (integer(1), integer(1)):
                raise refused(pattern, "is not the one element of a number")
            return Store(number, (), tile.name)
        found = taken_apart(flattened(output.places, output.extents), output.places, at)
        if found is None:
            raise refused(pattern, "is no place in a result that is read as row and column")
        return Store(number, tuple(found[each] for each in output.places), tile.name)


def positive(cond: Expr) -> Iterator[Expr]:
    """What a condition says to be positive."""
    match cond:
        case Apply(Operator.LT, (Const(least), value)) if least >= 0:
            yield from (value, strip_casts(value))
        case Apply(Operator.LE, (Const(least), value)) if least >= 1:
            yield from (value, strip_casts(value))
        case _:
            pass


def element_of(output: Output) -> ScalarType:
    """The type of a result's elements."""
    type_ = type_of(output.value)
    found = type_.element if isinstance(type_, TensorType) else type_
    assert isinstance(found, ScalarType)
    return found


def flattened(indices: Sequence[Expr], extents: tuple[Expr, ...]) -> Polynomial:
    """The place in a flat array."""
    found = Polynomial()
    for index, stride in zip(indices, strides(extents), strict=True):
        found = found + Polynomial.of(index) * Polynomial.of(stride)
    return found


def begins_before(index: Expr) -> bool:
    """Whether an index is negative where counters and coordinates are 0, and so are sizes."""
    return Polynomial.of(index).constant_term < 0


def whole_array(array: Var) -> Build:
    """All elements of an array, as a view."""
    assert isinstance(array.type, TensorType)
    binders = tuple(Var(f"at_{axis}", INT) for axis in range(array.type.rank))
    return Build(tuple(Length(array, axis) for axis in range(array.type.rank)), binders, Select(array, binders))


def beside_words(kernel: ast.FunctionDef) -> frozenset[str]:
    """Tiles of floats that stand for words: columns beside tiles of words, and what a scan of words starts with."""
    declared: dict[str, str] = {}
    found: set[str] = set()
    for node in ast.walk(kernel):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            types = [ast.unparse(each.value) for each in node.value.keywords if each.arg == "dtype"]
            declared[node.targets[0].id] = types[0] if types else ""
    for call in (node for node in ast.walk(kernel) if isinstance(node, ast.Call)):
        given = {each.arg: each.value.id for each in call.keywords if isinstance(each.value, ast.Name)}
        data = declared.get(given.get("data") or given.get("data1") or "", "nl.float32")
        if data in ("nl.int32", "nl.uint32"):
            found |= {given[each] for each in ("operand0", "operand1", "initial") if each in given}
    return frozenset(found)


def typed(body: tuple[Statement, ...], tiles: Mapping[str, object]) -> tuple[Statement, ...]:
    """The statements, with the types that tiles turned out to have."""
    made: list[Statement] = []
    for each in body:
        match each:
            case Allocate(tile):
                made.append(Allocate(tiles[tile.name]))  # type: ignore[arg-type]
            case Loop() | When():
                made.append(replace(each, body=typed(each.body, tiles)))
            case _:
                made.append(each)
    return tuple(made)
