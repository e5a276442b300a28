"""From LLVM IR with variables in registers to a fragment: blocks, block arguments, statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.importer.ends import led_into, only_returned
from metalift.frontend.llvm.importer.instructions import evaluate
from metalift.frontend.llvm.importer.params import bind_params, premises, result_layout, result_type, values_that_occur
from metalift.frontend.llvm.importer.refusals import refusal
from metalift.frontend.llvm.importer.returning import returned
from metalift.frontend.llvm.importer.rooms import rooms_of
from metalift.frontend.llvm.importer.scope import Null, Opaque, Pointer, Scope, Value, here
from metalift.frontend.llvm.read.definitions import definitions
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, int_bits
from metalift.frontend.lower import c_scalars as scalars
from metalift.frontend.lower.questions import questions_of_inputs
from metalift.frontend.lower.shape import shaped
from metalift.frontend.lower.simple_form import in_simple_form
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Cast, Const, Expr, Length, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, STRING, MachineInt, ScalarType, Type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import (
    Assume,
    Block,
    Branch,
    Edge,
    Fragment,
    Jump,
    Premise,
    PremiseKind,
    Return,
    Store,
    Terminator,
    Undefined,
    Unreachable,
    Unsupported,
)
from metalift.ir.program.graphs import reached

EFFECTS = frozenset(
    {
        "vector.set_row_length",
        "array.extent",
        "store",
        "br",
        "switch",
        "ret",
        "unreachable",
        "other",
        "other-end",
        "resume",
        "vector.check",
        "vector.before_null",
        "vector.at_end",
        "vector.new",
        "keyed.assume",
    }
)
ARRAYS = frozenset({"vector.new", "array.new"})
WRITES = frozenset({"store", "vector.set_row_length"})
PURE_CALLS = ("@llvm.", "@abs", "@labs", "@llabs")
KEPT_INTRINSICS = ("@llvm.assume", "@llvm.mem")


@dataclass(frozen=True, slots=True)
class Stem:
    """An array that a pointer points into, on which axis, and the register that tells its row; none on the first axis."""

    root: Var
    depth: int
    row: int
    register: str


@dataclass(slots=True)
class Importer:
    """Translates one function."""

    scope: Scope
    uses: Counter[str] = field(default_factory=Counter)
    block_of_use: dict[str, set[str]] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)
    result: Type | None = None
    made: list[Block] = field(default_factory=list)
    defined: dict[str, Instr] = field(default_factory=dict)
    arguments: dict[str, tuple[Var, ...]] = field(default_factory=dict)  # what block arguments a phi has become
    rows: dict[str, str] = field(default_factory=dict)  # the register that tells in which row a phi of pointers stays
    labels: dict[str, str] = field(default_factory=dict)
    place: Var | None = None  # the array into which the pointers lead that are returned
    chosen: frozenset[str] = frozenset()  # pointers that are chosen to be returned

    def run(self, source: str) -> Fragment:
        """The fragment of the scope's function."""
        scope, function = self.scope, self.scope.function
        start = scope.location
        params = bind_params(scope)
        led = scope.values.get(led_into(function))
        if isinstance(led, Pointer):
            self.place, self.result, self.chosen = led.root, MachineInt(64, True), only_returned(function)
        else:
            self.result = result_type(function, scope)
        self._find_live(function)
        self._name_labels(function)
        for instr in function.instructions():
            if instr.op in ARRAYS:
                value = evaluate(scope, instr)
                assert isinstance(value, Pointer)
                scope.values[instr.result] = value
        self.defined = {instr.result: instr for instr in function.instructions() if instr.result}
        phis = {block.label: self._arguments(block) for block in function.blocks}
        for block in function.blocks:
            if block is not function.blocks[0] and refusal(block, scope) is not None:
                self.made.append(Block(self.labels[block.label], (), (), Unreachable(scope.location)))
            else:
                self._block(block, phis[block.label])
        if scope.refused:
            raise Unsupported(scope.refused[0])
        gives = self._given_back()
        metadata = scope.module.metadata
        name = metadata.subprogram_name(function.subprogram)
        asked = questions_of_inputs({param.var for param in params}, self.made)
        return Fragment(
            name,
            params,
            self.result,
            tuple(scope.locals),
            in_simple_form(shaped(self.made), scope.name),
            start,
            source,
            function.symbol,
            (*premises(scope, params, self.made), *values_that_occur(scope), *asked, *self._placed()),
            gives=gives,
            rooms=tuple(rooms_of(scope, self.defined, params)),
            place="" if self.place is None else self.place.name,
            layout=result_layout(function, scope),
            definitions=definitions(metadata, metadata.signature(function.subprogram)),
        )

    def _given_back(self) -> str:
        """The array that the function changes and always returns, which then is no result."""
        ends = [block.end for block in self.made if isinstance(block.end, Return)]
        stored = any(isinstance(each, Store) and each.array == self.place for block in self.made for each in block.body)
        if self.place is None or not stored or any(end.value != Const(0, MachineInt(64, True)) for end in ends):
            return ""
        name, self.place, self.result = self.place.name, None, None
        self.made = [
            replace(block, end=Return(None, block.end.location)) if isinstance(block.end, Return) else block
            for block in self.made
        ]
        return name

    def _placed(self) -> Iterator[Premise]:
        """What is agreed on of a pointer that is returned."""
        if self.place is not None:
            text = f"the pointer that is returned is given as its place in {self.place.name}, a null pointer as -1"
            yield Premise(text, PremiseKind.RESULTS)

    def _name_labels(self, function: LlvmFunction) -> None:
        taken: set[str] = set()
        for block in function.blocks:
            base = "".join(char if char.isalnum() or char in "._" else "_" for char in block.label)
            label, number = base, 1
            while label in taken:
                label, number = f"{base}.{number}", number + 1
            taken.add(label)
            self.labels[block.label] = label

    def _find_live(self, function: LlvmFunction) -> None:
        """Which values anything observable depends on, how often they are used, and in which blocks."""
        defined = {instr.result: instr for instr in function.instructions() if instr.result}
        roots = [instr for instr in function.instructions() if instr.op in EFFECTS or _is_kept_call(instr)]
        used = {name: [arg for arg in instr.args if arg.startswith("%")] for name, instr in defined.items()}
        self.live |= reached((arg for instr in roots for arg in instr.args if arg.startswith("%")), lambda arg: used.get(arg, ()))
        for block in function.blocks:
            for instr in block.instrs:
                if (instr.result and instr.result not in self.live and instr not in roots) or instr.op == "array.new":
                    continue
                places = instr.detail if instr.op == "phi" else (block.label,) * len(instr.args)
                for arg, place in zip(instr.args, places, strict=True):
                    self.uses[arg] += 1
                    self.block_of_use.setdefault(arg, set()).add(place)

    def _arguments(self, block: BasicBlock) -> list[Var]:
        """Block arguments for the live phis of a block."""
        found: list[Var] = []
        for instr in block.instrs:
            if instr.op == "phi" and instr.result in self.live:
                here(self.scope, instr)
                base = self.scope.base_name(instr.result)
                if instr.type == "ptr":
                    made = self._pointer_arguments(instr.result, base)
                else:
                    var = Var(self.scope.name(base), self._phi_type(instr))
                    self.scope.values[instr.result] = var
                    made = (var,)
                self.arguments[instr.result] = made
                found += made
        return found

    def _pointer_arguments(self, register: str, base: str) -> tuple[Var, ...]:
        """The arguments for a phi of pointers: its index, and the indices of its row where it is not always the same one."""
        stems = self._stems(register, set())
        names = sorted({stem.root.name for stem in stems})
        if len({(stem.root, stem.depth) for stem in stems}) != 1:
            found = (
                f"a pointer that may point into any of {', '.join(names)}"
                if names
                else "a pointer to an object that is no array, such as a node of a std::list"
            )
            self.scope.fail(found, "supported are pointers that stay in one array")
        stem = next(iter(stems))
        var = Var(self.scope.name(base), INT)
        outer: tuple[Var, ...] = ()
        if len(stems) > 1:
            outer = tuple(Var(self.scope.name(f"{base}_row"), INT) for _ in range(stem.depth))
        elif stem.depth > 0:
            self.rows[register] = stem.register
        self.scope.values[register] = Pointer(stem.root, var, outer, stem.row)
        return (*outer, var)

    def _stems(self, register: str, seen: set[str]) -> set[Stem]:
        """Where a pointer comes from: the registers that first point into the row that it stays in."""
        if register in seen:
            return set()
        seen.add(register)
        value = self.scope.values.get(register)
        if isinstance(value, Pointer) and register not in self.arguments:
            return {Stem(value.root, len(value.outer), value.row, register if value.outer else "")}
        instr = self.defined.get(register)
        if instr is None:
            return set()
        if instr.op == "phi":
            return {stem for arg in instr.args for stem in self._stems(arg, seen)}
        if instr.op in ("getelementptr", "freeze"):
            return self._stems(instr.args[0], seen)
        if instr.op == "select":
            return self._stems(instr.args[1], seen) | self._stems(instr.args[2], seen)
        if instr.op == "vector.inside" or (instr.op == "load" and instr.type == "ptr"):
            return {replace(stem, depth=stem.depth + 1, register=register) for stem in self._stems(instr.args[0], seen)}
        return set()

    def _phi_type(self, instr: Instr) -> ScalarType:
        hinted = self.scope.hinted_type(instr.result, instr.type)
        if hinted is not None:
            return hinted
        if instr.type == "length":
            return INT
        if instr.type == "string":
            return STRING
        bits = int_bits(instr.type)
        if bits is None or bits > 64:
            if instr.type not in ("float", "double"):
                self.scope.fail(f"a value of type {instr.type}", "supported are integers of up to 64 bits, float and double")
            return FLOAT if instr.type == "float" else DOUBLE
        if bits == 1:
            return BOOL
        for arg in instr.args:
            type_ = self.scope.hinted_type(arg, instr.type)
            if type_ is not None:
                return type_
        return MachineInt(bits, bits < 64)

    def _block(self, block: BasicBlock, args: list[Var]) -> None:
        scope = self.scope
        scope.statements = []
        self._enter_rows(block)
        for position, instr in enumerate(block.instrs[:-1]):
            here(scope, instr)
            if instr.op == "phi" or not self._matters(instr):
                continue
            if instr.op == "undefined":
                self._undefined(instr)
                continue
            if instr.op in ARRAYS:
                continue
            value = evaluate(scope, instr)
            if value is not None and instr.result:
                self._define(block, position, instr, value)
        here(scope, block.end)
        entry = len(self.made)
        end = self._terminator(block)
        made = Block(self.labels[block.label], tuple(args), tuple(scope.statements), end)
        self.made.insert(entry, made)

    def _enter_rows(self, block: BasicBlock) -> None:
        """Complete the phis of pointers into rows: what tells the row stands before the block on every path to it."""
        for instr in block.instrs:
            first = self.scope.values.get(self.rows.get(instr.result, ""))
            pointer = self.scope.values.get(instr.result)
            if isinstance(first, Pointer) and isinstance(pointer, Pointer):
                self.scope.values[instr.result] = replace(pointer, outer=first.outer)

    def _matters(self, instr: Instr) -> bool:
        """Whether an instruction does something or has a value that something depends on."""
        watched = instr.op in EFFECTS or bool(instr.flags & {"volatile", "atomic"}) or _is_kept_call(instr)
        return not instr.result or instr.result in self.live or watched

    def _undefined(self, instr: Instr) -> None:
        scope = self.scope
        scope.undefined.add(instr.result)
        if instr.type == "ptr":
            scope.values[instr.result] = Opaque(f"the pointer {instr.detail[0]}, which is not initialised")
            return
        type_ = scope.hinted_type(instr.result, instr.type) or self._phi_type(instr)
        target = Var(scope.name(scope.base_name(instr.result)), type_)
        scope.values[instr.result] = target
        scope.statements.append(Undefined(target, instr.detail[0], scope.location))

    def _define(self, block: BasicBlock, position: int, instr: Instr, value: Value) -> None:
        """Enter the value of an instruction: as an expression where it is cheap or used once, otherwise by a name."""
        scope = self.scope
        if isinstance(value, Pointer):
            indices = [self._held(block, position, instr, index) for index in value.indices]
            scope.values[instr.result] = replace(value, index=indices[-1], outer=tuple(indices[:-1]))
            return
        if not isinstance(value, Expr):
            scope.values[instr.result] = value
            return
        hinted = scope.hinted_type(instr.result, instr.type)
        if hinted is not None and not (hinted == BOOL and type_of(value) == BOOL):
            value = scalars.represent(value, hinted)
        hint = scope.function.hints.get(instr.result)
        named = hint is not None and hint.own
        if not _trivial(value) and (named or not self._may_fold(block, position, instr.result, value)):
            value = scope.assign(scope.base_name(instr.result), value)
        scope.values[instr.result] = value

    def _held(self, block: BasicBlock, position: int, instr: Instr, index: Expr) -> Expr:
        """An index of a pointer, by a name where what it reads may have changed until the pointer is used."""
        if _reads(index) and not self._may_fold(block, position, instr.result, index):
            return self.scope.assign(self.scope.base_name(instr.result), index)
        return index

    def _may_fold(self, block: BasicBlock, position: int, register: str, value: Expr) -> bool:
        """Whether the only use of a value is further down in the block, with no write in between that it could notice."""
        if self.uses[register] != 1 or self.block_of_use[register] != {block.label}:
            return False
        if not _reads(value):
            return True
        for later in block.instrs[position + 1 :]:
            if register in later.args and later.op != "phi":
                return True
            if later.op in WRITES or later.op == "call" and later.detail[0].startswith("@metalift."):
                return False
        return True

    def _terminator(self, block: BasicBlock) -> Terminator:
        scope, end = self.scope, block.end
        if end.op == "ret":
            return returned(scope, end, self.result, self.place)
        if end.op == "unreachable":
            return Unreachable(scope.location)
        if end.op == "br" and len(end.detail) == 1:
            return Jump(self._edge(block, end.detail[0]), scope.location)
        if end.op == "br":
            return self._branch(block, scope.truth(end.args[0]), end.detail[0], end.detail[1])
        if end.op == "switch":
            return self._switch(block, end)
        scope.fail(
            f"the LLVM instruction {end.detail[0] if end.detail else end.op}", "supported are if, switch, loops and return"
        )

    def _branch(self, block: BasicBlock, cond: Expr, then: str, other: str) -> Terminator:
        """A branch; an edge to a place where an assertion fails becomes an assumption."""
        scope = self.scope
        if isinstance(cond, Const):
            return Jump(self._edge(block, then if cond.value else other), scope.location)
        if then == other:
            return Jump(self._edge(block, then), scope.location)
        for failing, passing, holds in ((then, other, neg(cond)), (other, then, cond)):
            origin = self._refused(failing)
            if origin is not None:
                scope.statements.append(Assume(holds, origin, scope.location))
                return Jump(self._edge(block, passing), scope.location)
        return Branch(cond, self._edge(block, then), self._edge(block, other), scope.location)

    def _refused(self, label: str) -> str | None:
        target = next(block for block in self.scope.function.blocks if block.label == label)
        return refusal(target, self.scope)

    def _edge(self, block: BasicBlock, label: str) -> Edge:
        target = next(candidate for candidate in self.scope.function.blocks if candidate.label == label)
        values = []
        for instr in target.instrs:
            if instr.op == "phi" and instr.result in self.live:
                token = instr.args[instr.detail.index(block.label)]
                values += self._incoming(instr, token)
        return Edge(self.labels[label], tuple(values))

    def _incoming(self, phi: Instr, token: str) -> list[Expr]:
        scope = self.scope
        own = scope.values[phi.result]
        value = scope.value(token, phi.type)
        if isinstance(own, Pointer):
            if isinstance(value, Null) and phi.result in self.chosen and not own.outer:
                return [integer(-1)]
            if not isinstance(value, Pointer):
                scope.fail("a pointer that is not always into an array", "supported are pointers that stay in one array")
            if value.offset != own.offset:
                scope.fail(f"a pointer to a field of {value.root.name} that moves", "supported are pointers to whole elements")
            return list(value.indices[-len(self.arguments[phi.result]) :])
        assert isinstance(own, Var)
        return [scalars.represent(scope.scalar(token, phi.type), own.type)]

    def _switch(self, block: BasicBlock, end: Instr) -> Terminator:
        """A switch as a chain of branches, one block for each case."""
        scope = self.scope
        subject = scope.integer(end.args[0], end.types[0])
        if not _trivial(subject):
            subject = scope.assign("switch", subject)
        cases = list(zip(end.detail[1::2], end.detail[2::2], strict=True))
        if not cases:
            return Jump(self._edge(block, end.detail[0]), scope.location)
        chain: list[tuple[Expr, str]] = []
        bits = int_bits(end.types[0]) or 0
        for value, label in cases:
            chain.append((scalars.compare("eq", subject, scope.integer(value, end.types[0]), bits), label))
        outer = scope.statements
        following: Terminator = Jump(self._edge(block, end.detail[0]), scope.location)
        for number, (cond, label) in reversed(list(enumerate(chain))):
            scope.statements = outer if number == 0 else []
            last = number == len(chain) - 1
            if last:
                following = self._branch(block, cond, label, end.detail[0])
            else:
                name = f"{self.labels[block.label]}.case{number + 1}"
                following = Branch(cond, self._edge(block, label), Edge(name, ()), scope.location)
            if number > 0:
                self.made.append(Block(f"{self.labels[block.label]}.case{number}", (), tuple(scope.statements), following))
        return following


def _is_kept_call(instr: Instr) -> bool:
    """Whether a call has to be translated even where its value is not used."""
    if instr.op != "call":
        return False
    return not instr.detail[0].startswith(PURE_CALLS) or instr.detail[0].startswith(KEPT_INTRINSICS)


def _reads(value: Expr) -> bool:
    """Whether the value depends on the contents of an array."""
    return any(isinstance(part, Select) for part in subexpressions(value))


def _trivial(value: Expr) -> bool:
    """Whether a value is worth no name: a variable, a constant, a length, or a cast of one."""
    while isinstance(value, Cast):
        value = value.arg
    return isinstance(value, Var | Const | Length)
