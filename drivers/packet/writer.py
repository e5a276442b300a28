"""From a program in atoms to the text of a pipeline: which atom runs in which stage, and what the machine has no room for.

An atom comes after everything that it needs: results of other atoms, and the cells that those keep. Its text is what its meaning
says in the configuration that was found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from metalift.driver import CannotWrite, Driver, Operator, Request
from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Lambda, MakeTuple, Select, Var, integer, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import INT, MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.interp.functions import EXTERNAL

from .text import body, declared, expression, folded, heading, units, words

STAGES = 32  # of a pipeline
INPUTS = 4  # packet fields, words and flags together, that a stateful atom takes


def write(request: Request, driver: Driver, state: frozenset[str]) -> str:
    """The text. Raises CannotWrite where the program does not fit the machine."""
    return _Pipeline(request, driver, state).text()


@dataclass(frozen=True, slots=True)
class _Made:
    """A value with a name, or a literal, and the stage that makes it: 0 for what the packet brings."""

    var: Expr
    stage: int


@dataclass
class _Access:
    """What reads and writes one state variable, or two that are kept together, and what the atom is asked for."""

    stage: int
    lines: list[str]
    cells: dict[str, str]  # what each cell is called in the atom, by its array
    outputs: dict[str, list[str]] = field(default_factory=dict)


class _Pipeline:
    def __init__(self, request: Request, driver: Driver, state: frozenset[str]) -> None:
        self.request = request
        self.driver = driver
        self.state = state
        self.fragment = request.fragment
        self.lets = {let.var: let.value for let in request.program.lets}
        self.taken = {param.var.name for param in self.fragment.params}
        self.updates: dict[Var, Call] = {}
        self.places: dict[Var, Expr] = {}
        self.made: dict[Expr, _Made] = {}
        self.accesses: dict[Var, _Access] = {}
        self.pending: list[Var] = []
        self.stages: dict[int, list[str]] = {}

    def text(self) -> str:
        """The whole file."""
        for write in self.request.program.writes:
            if write.array.name in self.state:
                self.update(write.array, self.inlined(write.value))
        for array in self.updates:
            self.access(array)
        deparser = self.deparser()
        accesses = {id(access): access for access in self.accesses.values()}
        for access in accesses.values():
            self.stages.setdefault(access.stage, []).extend(self.atom_lines(access))
        lines = heading(self.request, max(self.stages, default=0))
        lines += [*units(self.called()), f"control {self.fragment.name}("]
        lines += [f"    {each}" for each in declared(self.fragment.params, self.state, self.written())]
        lines.append(") {")
        for stage in sorted(self.stages):
            lines += [f"    stage {stage} {{", *(f"        {line}" for line in self.stages[stage]), "    }"]
        return "\n".join([*lines, *deparser, "}", ""])

    def called(self) -> dict[str, Lambda]:
        """The hash units that the program uses, of which the source says what they compute."""
        program = self.request.program
        parts = (part for value in program.values for part in subexpressions(value))
        names = {part.function.removeprefix(EXTERNAL) for part in parts if isinstance(part, Call)}
        return {name: unit for name, unit in self.request.units.items() if name in names}

    def update(self, array: Var, value: Expr) -> None:
        """Notes what changes a state variable."""
        if not (isinstance(value, Call) and value.function in self.driver.operators and self.holds(value)):
            raise CannotWrite(f"{array.name} is written by something else than a stateful atom")
        self.updates[array] = value
        for cell in value.args[: len(self.holds(value))]:
            self.place(cell)

    def written(self) -> frozenset[str]:
        return frozenset(write.array.name for write in self.request.program.writes)

    def deparser(self) -> list[str]:
        """What the packet carries away."""
        lines = []
        for write in self.request.program.writes:
            if write.array.name not in self.state:
                if not isinstance(write.value, Build) or write.value.extents != (integer(1),):
                    raise CannotWrite(f"{write.array.name} is written at more than one place")
                made = self.value(write.value.body)
                lines.append(f"        {write.array.name} = {expression(made.var)};")
        result = self.request.program.result
        if isinstance(result, MakeTuple):
            raise CannotWrite("a packet has one result, not several")
        if result is not None:
            lines.append(f"        return {expression(self.value(result).var)};")
        return ["    deparser {", *lines, "    }"]

    # Values

    def inlined(self, expr: Expr) -> Expr:
        """What is written to a cell: the element of a window of one."""
        value = expr.body if isinstance(expr, Build) else expr
        return self.lets.get(value, value) if isinstance(value, Var) else value

    def value(self, expr: Expr) -> _Made:
        """The value as a name or a literal; it is computed once, in the first stage that can."""
        if expr not in self.made:
            self.made[expr] = self.computed(expr)
        return self.made[expr]

    def computed(self, expr: Expr) -> _Made:
        match expr:
            case Var() if expr in self.lets:
                kept = next((array for array, update in self.updates.items() if update == self.lets[expr]), None)
                return self.value(self.lets[expr]) if kept is None else self.output(kept, "new")
            case Var() | Const():
                return _Made(expr, 0)
            case Select(Var() as array, _) if array.name in self.state:
                self.place(expr)
                return self.output(array, "old")
            case Select(Var(name, TensorType(element)), (index,)) if strip_casts(index) == integer(0):
                return _Made(Var(name, element), 0)
            case Cast(arg, type_) if is_integer(type_) and type_ != INT:
                inner = self.value(arg)
                return self.temporary(Cast(inner.var, type_), inner.stage)
            case Call(function, args, type_) if function in self.driver.operators:
                operator = self.driver.operators[function]
                if operator.holds:
                    raise CannotWrite(f"the atom {function} is used for something else than the cell that it keeps")
                parts = [self.value(arg) for arg in args]
                return self.temporary(self.configured(operator, parts, expr), max((part.stage for part in parts), default=0))
            case _:
                raise CannotWrite(f"a value that is no packet field, state variable or result of an atom: {type(expr).__name__}")

    def configured(self, operator: Operator, parts: list[_Made], call: Call) -> Expr:
        """What a stateless atom computes of the named operands."""
        if operator.name.startswith(EXTERNAL):
            return Call(operator.name, tuple(part.var for part in parts), call.type)
        instance = operator.instantiate(tuple(type_of(arg) for arg in call.args), call.type)
        return folded(substitute(instance.body, dict(zip(instance.params, (part.var for part in parts), strict=True))))

    def temporary(self, expr: Expr, after: int) -> _Made:
        """A name for a computation, in the stage after another."""
        if isinstance(expr, Var | Const):
            return _Made(expr, after)
        stage = self.checked(after + 1)
        var = Var(self.fresh("meta"), type_of(expr))
        self.stages.setdefault(stage, []).append(f"{declared_type(var)} {var.name} = {expression(expr)};")
        return _Made(var, stage)

    def fresh(self, stem: str) -> str:
        name = next(each for number in range(1, len(self.taken) + 2) if (each := f"{stem}_{number}") not in self.taken)
        self.taken.add(name)
        return name

    @staticmethod
    def checked(stage: int) -> int:
        if stage > STAGES:
            raise CannotWrite(f"more than {STAGES} stages are needed")
        return stage

    # State

    def holds(self, update: Call) -> tuple[str, ...]:
        return self.driver.operators[update.function].holds

    def place(self, cell: Expr) -> None:
        """Notes where a state variable is accessed: at one place for each packet."""
        assert isinstance(cell, Select) and isinstance(cell.tensor, Var)
        if self.places.setdefault(cell.tensor, cell.indices[0]) != cell.indices[0]:
            raise CannotWrite(f"{cell.tensor.name} is accessed at two places for one packet; an atom accesses one")

    def output(self, array: Var, which: str) -> _Made:
        """What a state variable held before, or holds after."""
        access = self.access(array)
        name = f"{access.cells[array.name]}_{which}"
        known = access.outputs.setdefault(array.name, [])
        if which not in known:
            known.append(which)
        assert isinstance(array.type, TensorType)
        return _Made(Var(name, array.type.element), access.stage)

    def access(self, array: Var) -> _Access:
        """The one atom that keeps a state variable."""
        if array in self.accesses:
            return self.accesses[array]
        if array in self.pending:
            around = ", ".join(dict.fromkeys(each.name for each in (*self.pending[self.pending.index(array) :], array)))
            raise CannotWrite(f"{around} need each other's contents within one packet; a pipeline reads one before the other")
        update = self.updates.get(array)
        self.pending.append(array)
        group = self.group(array, update)
        stage = self.index(array)[1]
        inputs: dict[Var, None] = {}
        parts: dict[Var, Expr] = {}
        for each in group:
            call = self.updates.get(each)
            stage = max(stage, self.index(each)[1])
            if call is not None:
                parts[each], needed, fields = self.atom(each, call)
                stage = max(stage, needed)
                inputs.update(dict.fromkeys(fields))
        self.pending.pop()
        if len(inputs) > INPUTS:
            name = " and ".join(each.name for each in group)
            raise CannotWrite(f"the atom of {name} takes {len(inputs)} packet fields; it has room for {INPUTS}")
        cells = {each.name: self.fresh(each.name) for each in group}
        access = _Access(self.checked(stage + 1), [], cells)
        for each, value in parts.items():
            named = {Var(self.cell_name(other), element_of(other)): Var(cells[other.name], element_of(other)) for other in group}
            access.lines += body(substitute(value, dict(named)), cells[each.name])
        self.accesses.update(dict.fromkeys(group, access))
        return access

    def group(self, array: Var, update: Call | None) -> list[Var]:
        """The state variables that an atom keeps together, that one first."""
        if update is None:
            return [array]
        cells = update.args[: len(self.holds(update))]
        group = [cell.tensor for cell in cells if isinstance(cell, Select) and isinstance(cell.tensor, Var)]
        for other in group:
            partner = self.updates.get(other)
            if len(group) > 1 and (partner is None or len(self.holds(partner)) != len(group)):
                raise CannotWrite(f"{other.name} is kept by an atom of its own and by that of {array.name}")
        return group

    def atom(self, array: Var, call: Call) -> tuple[Expr, int, set[Var]]:
        """What a stateful atom makes of its cells, the last stage that it needs, and the packet fields that it takes."""
        operator = self.driver.operators[call.function]
        instance = operator.instantiate(tuple(type_of(arg) for arg in call.args), call.type)
        values: dict[Var, Expr] = {}
        stages: dict[Expr, int] = {}
        for param, arg in zip(instance.params, call.args, strict=True):
            if param.name in operator.holds:
                assert isinstance(arg, Select) and isinstance(arg.tensor, Var)
                values[param] = Var(self.cell_name(arg.tensor), element_of(arg.tensor))
            elif param.name in (operator.holes or {}):
                values[param] = arg
            else:
                made = self.value(arg)
                values[param] = made.var
                stages[made.var] = made.stage
        result = folded(substitute(instance.body, values))
        used = {var for var in stages if isinstance(var, Var) and var in free_vars(result)}
        return result, max((stages[var] for var in used), default=0), used

    @staticmethod
    def cell_name(array: Var) -> str:
        return f"{array.name}[]"

    def index(self, array: Var) -> tuple[Expr, int]:
        """Where a state variable is accessed, and the last stage that this needs."""
        index = strip_casts(self.places[array])
        if isinstance(index, Const):
            return index, 0
        made = self.address(index)
        return made.var, made.stage

    def address(self, index: Expr) -> _Made:
        """A packet field as an address, or its remainder by the size of a table."""
        match index:
            case Apply(Op.TREM | Op.FMOD, (Cast(word), Const(size))) if isinstance(type_ := type_of(word), MachineInt):
                made = self.value(word)
                if not type_.signed and size > 0:
                    key = Apply(Op.TREM, (word, Const(size, type_)))
                    self.made[key] = self.made.get(key) or self.temporary(
                        Apply(Op.TREM, (made.var, Const(size, type_))), made.stage
                    )
                    return self.made[key]
            case Var() | Call() | Select():
                return self.value(index)
        raise CannotWrite("an index that is no packet field, nor the remainder of one by a constant")

    def atom_lines(self, access: _Access) -> list[str]:
        """An atom in its stage."""
        arrays = [array for array, each in self.accesses.items() if each is access]
        kinds = [self.updates[array].function for array in arrays if array in self.updates]
        kind = kinds[0] if kinds else "read"
        cells = []
        for array in arrays:
            place = f"{array.name}[{expression(self.index(array)[0])}]"
            outputs = "".join(f", out {which}" for which in access.outputs.get(array.name, ()))
            cells.append(f"{place} as {access.cells[array.name]}{outputs}")
        return [f"{kind}({'; '.join(cells)}) {{", *(f"    {line}" for line in access.lines), "}"]


def element_of(array: Var) -> MachineInt:
    """The type of a state variable's words."""
    assert isinstance(array.type, TensorType)
    if not isinstance(array.type.element, MachineInt):
        raise CannotWrite(f"{array.name} does not hold words")
    return array.type.element


def declared_type(var: Var) -> str:
    """The type of a value."""
    return words(var.type)
