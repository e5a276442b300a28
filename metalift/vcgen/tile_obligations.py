"""Obligations that a kernel on tiles computes a program: its statements are executed on symbols, one iteration of each loop.

A tile that was not written has no value, and so has one that a loop writes for which no invariant is stated: reading it is a goal
that is false. Integers have to stay where the machine is exact and in the type of the tile. Every element of an output is written
by one statement, in one iteration, at one place. All of it is for all sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.driver.meaning.reader import Instance
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.build import at_most, conj, disj, equal, forall, implies, in_range, neg, plus
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import FLOAT, INT, INT32, MachineInt, ScalarType, TensorType, Type, is_integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Allocate,
    Cut,
    Divided,
    Expand,
    Fill,
    Idiom,
    Invariant,
    Iota,
    Kernel,
    Load,
    Loop,
    Map,
    Named,
    Product,
    Reduce,
    Scan,
    Space,
    Statement,
    Step,
    Store,
    Tile,
    When,
)
from metalift.ir.program.summary import TargetProgram
from metalift.vcgen.chains import Chains, canonical, chain, folds_of, opaque
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Goal, Obligation, ObligationError
from metalift.vcgen.same_results import elements

Place = tuple[tuple[Var, Expr], ...]  # variables with their extents
KEPT = "invariants of loops are kept"
PARTS = "sums of tiles are parts of the whole"
EXACT = "integers stay where the machine is exact"
DEFINED = "operators are used where they are defined"
DOMAINS = "arguments are in the range of their instructions"
ONE_BY_ONE = frozenset({KEPT, PARTS})  # goals that are obligations of their own
WORD = 4  # bytes of an element in fast memory, at most


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a statement stands: counters of the loops around with their extents, and conditions that hold there.

    `facts` are shown; they speak of [ROW, COLUMN], and are known where a formula does.
    """

    place: Place = ()
    holds: tuple[Expr, ...] = ()
    facts: tuple[Expr, ...] = ()

    def states(self, formula: Expr, *inner: tuple[Var, Expr]) -> Expr:
        """The formula wherever the statement runs, for all values of further variables."""
        place = (*self.place, *inner)
        domain = conj(*(in_range(var, extent) for var, extent in place), *self.holds, *(self.facts if inner else ()))
        used = tuple(var for var, _ in place)
        return forall(used, implies(domain, formula)) if formula != TRUE else TRUE


@dataclass
class _State:
    """What tiles hold at [ROW, COLUMN]; None where they hold nothing. `summed`: tiles that a product was written to, or when.

    `magnitudes` are bounds on the integers in a tile, where they are known; `partly` says when a tile holds its value, if not
    always.
    """

    tiles: dict[str, Tile] = field(default_factory=dict)
    values: dict[str, Expr | None] = field(default_factory=dict)
    summed: dict[str, Expr] = field(default_factory=dict)
    magnitudes: dict[str, Expr] = field(default_factory=dict)
    partly: dict[str, Expr] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.tiles), dict(self.values), dict(self.summed), dict(self.magnitudes), dict(self.partly))


class TileGenerator:
    """Generates the obligations of one kernel."""

    def __init__(
        self, fragment: Fragment, program: TargetProgram, kernel: Kernel, driver: Driver, assumed: tuple[Expr, ...]
    ) -> None:
        self.fragment = fragment
        self.kernel = kernel
        self.driver = driver
        self.assumed = assumed
        self.ranges = tuple(formula for _, formula in kernel.ranges)
        self.domains = {op: (least, most) for op, least, most in kernel.machine.domains}
        self.lets: dict[Var, Expr] = {}
        self.computed: dict[Var, Expr] = {}  # what named intermediates are; they stand for themselves in all that follows
        self.defined: dict[Var, Expr] = {}  # the same in terms of the source's parameters
        self.named: set[Var] = {part.let for part in _statements(kernel.body) if isinstance(part, Named)}
        for let in program.lets:
            value = expand(substitute(let.value, self.lets), driver)
            if let.var in self.named:
                self.computed[let.var] = value
                self.defined[let.var] = substitute(value, self.defined)
            else:
                self.lets[let.var] = value
        self.goals: dict[str, list[Goal]] = {}
        self.stores: list[tuple[Store, _Scope, Tile]] = []
        self.idioms: dict[Idiom, None] = {}
        self.chains = Chains()

    def obligations(self) -> Iterator[Obligation]:
        """All obligations of the kernel. Raises ObligationError where instructions do not fit their tiles' types."""
        try:
            self.run(self.kernel.body, _Scope(), _State())
        except (ValueError, KeyError) as problem:
            where = Diagnostic(self.fragment.location, f"the kernel is not well formed: {problem}")
            raise ObligationError(where) from problem
        self.written()
        for idiom in self.idioms:
            self.idiom(idiom)
        for number, formula in enumerate(self.chains.claims, 1):
            self.goal(PARTS, f"part {number}", formula)
        everywhere, ranges = (tuple(erased(each, {}) for each in some) for some in (self.assumed, self.ranges))
        for name, goals in self.goals.items():
            assumed = (*everywhere, *(each for each in ranges if name == DOMAINS or not folds_of(each)))
            wanted = tuple(goal for goal in goals if goal.formula != TRUE)
            if name in ONE_BY_ONE:
                for goal in wanted:
                    yield Obligation(f"{name}: {goal.subject}", self.fragment.location, (), assumed, (goal,))
            elif wanted:
                yield Obligation(name, self.fragment.location, (), assumed, wanted)

    def goal(self, name: str, subject: str, formula: Expr) -> None:
        """Notes something to show."""
        made = Goal(subject, erased(formula, {}))
        known = self.goals.setdefault(name, [])
        if made not in known:
            known.append(made)

    # Statements

    def run(self, body: tuple[Statement, ...], scope: _Scope, state: _State) -> None:
        """Execute statements, changing the state."""
        for statement in body:
            if isinstance(statement, Divided):
                scope = self.divided(statement, scope)
            else:
                self.step(statement, scope, state)
        if any(isinstance(each, Allocate | Expand) for each in body):
            work = [tile.columns for tile in state.tiles.values() if tile.space is Space.WORK]
            sums = sum(tile.space is Space.SUMS for tile in state.tiles.values())
            total: Expr = integer(0)
            for columns in work:
                total = plus(total, columns)
            machine = self.kernel.machine
            banks = at_most(integer(sums * machine.bank * WORD), integer(machine.sums))
            room = conj(at_most(total, integer(machine.work // WORD)), banks)
            self.goal("tiles fit the machine", "all tiles together", scope.states(room))

    def divided(self, divided: Divided, scope: _Scope) -> _Scope:
        """That a place has such a quotient and remainder, and the scope in which both are known."""
        place = ((ROW, divided.rows), (COLUMN, divided.columns))
        size, number, rest = divided.size, divided.number, divided.rest
        some = conj(at_most(integer(0), number), in_range(rest, size))
        self.goal("places are in their groups", "a place", scope.states(some, *place))
        general = tuple(Var(f"tile.{name}", INT) for name in ("size", "number", "rest"))
        law = quotients(*general)
        domain = conj(at_most(integer(0), general[1]), in_range(general[2], general[0]))
        self.goal("quotients of places", "a place", forall(general, implies(domain, law)))
        known = implies(conj(*(in_range(var, extent) for var, extent in place)), quotients(size, number, rest))
        return replace(scope, facts=(*scope.facts, known))

    def step(self, statement: Statement, scope: _Scope, state: _State) -> None:  # noqa: C901 (one case for each statement)
        """Execute one."""
        match statement:
            case Allocate(tile):
                self.allocate(tile, scope, state)
            case Load():
                self.load(statement, scope, state)
            case Map(name, op, operands):
                values = self.operands(name, operands, scope, state)
                self.domain(name, op, values, scope, state)
                for condition in self.required(op, values, state.tiles[name].type):
                    self.inside(DEFINED, name, condition, scope, state)
                made = self.applied(op, values, name, state)
                self.assign(name, made, scope, state, together(made, values, operands, state))
            case Expand(name, idiom, operands):
                values = self.operands(name, operands, scope, state)
                self.idioms[idiom] = None
                for step in idiom.steps:
                    if isinstance(step, Step) and step.var != idiom.result:  # it has a tile of its own
                        state.tiles[f"{name}: {step.var.name}"] = replace(state.tiles[name], name=step.var.name)
                given = dict(zip(idiom.params, values, strict=True))
                for condition in idiom.given:
                    self.inside("idioms are used where they are proved", name, substitute(condition, given), scope, state)
                self.assign(name, self.applied(idiom.op, values, name, state), scope, state)
            case Fill(name, value):
                known = integer(abs(int(value.value))) if isinstance(value, Const) and is_integer(value.type) else None
                self.assign(name, substitute(value, self.lets), scope, state, known)
            case Iota(name, first, step):
                numbers = substitute(plus(first, Apply(Operator.MUL, (integer(step), COLUMN))), self.lets)
                self.assign(name, Cast(numbers, INT32), scope, state)
            case Reduce(name, op, source, bound):
                self.bounded(source, bound, scope, state)
                self.reduce(name, op, source, scope, state, columns=True)
            case Scan():
                self.bounded(statement.source, statement.bound, scope, state)
                self.scan(statement, scope, state)
            case Across(name, op, source):
                self.reduce(name, op, source, scope, state, columns=False)
            case Product():
                self.product(statement, scope, state)
            case Named(name, let):
                found = substitute(self.read(name, scope, state), {ROW: integer(0), COLUMN: integer(0)})
                self.chains.relate(found, self.computed[let], scope.place, scope.holds)
                self.equals("intermediates are computed", name, found, self.computed[let], scope)
                self.shape("tiles have the shapes that are used", name, (integer(1), integer(1)), scope, state)
                state.values[name] = let
            case Store():
                self.store(statement, scope, state)
            case Divided():
                raise AssertionError("it changes the scope, which run does")
            case Loop():
                self.loop(statement, scope, state)
            case When(cond, inner):
                branch = state.copy()
                self.run(inner, replace(scope, holds=(*scope.holds, cond)), branch)
                self.join(state, branch, cond)
            case _:
                assert_never(statement)

    def join(self, state: _State, branch: _State, cond: Expr) -> None:
        """What holds behind a condition: tiles of before it that it writes."""
        for name, before in state.values.items():
            after = branch.values[name]
            if after != before:
                state.values[name] = None if before is None or after is None else Ite(cond, after, before)
            if name in branch.partly or name in state.partly:
                state.partly[name] = conj(branch.partly.get(name, TRUE), state.partly.get(name, TRUE))
            one, two = branch.magnitudes.get(name), state.magnitudes.pop(name, None)
            if one is not None and two is not None:
                state.magnitudes[name] = larger(one, two)
            if branch.summed.get(name) != state.summed.get(name):
                state.summed[name] = disj(state.summed.get(name, FALSE), conj(cond, branch.summed.get(name, FALSE)))

    def allocate(self, tile: Tile, scope: _Scope, state: _State) -> None:
        """A new tile, and that it fits the machine."""
        machine = self.kernel.machine
        limit = machine.bank if tile.space is Space.SUMS else min(machine.work // WORD, machine.columns or machine.work)
        fits = conj(at_most(tile.rows, integer(machine.rows)), at_most(tile.columns, integer(limit)))
        some = conj(at_most(integer(1), tile.rows), at_most(integer(1), tile.columns))
        self.goal("tiles fit the machine", tile.name, scope.states(conj(some, fits)))
        state.tiles[tile.name] = tile
        state.values[tile.name] = None
        state.summed[tile.name] = FALSE
        state.magnitudes.pop(tile.name, None)
        state.partly.pop(tile.name, None)

    def read(self, name: str, scope: _Scope, state: _State, where: Expr = TRUE) -> Expr:
        """What a tile holds at [ROW, COLUMN]; it is read where a condition holds."""
        value = state.values.get(name)
        if name in state.partly:
            self.goal("nothing is read before it is written", name, scope.states(implies(where, state.partly[name])))
        if value is None:
            self.goal("nothing is read before it is written", name, scope.states(FALSE) if name in state.tiles else FALSE)
            return Var(f"{name}.unknown", state.tiles[name].type if name in state.tiles else FLOAT)
        return value

    def load(self, load: Load, scope: _Scope, state: _State) -> None:
        """Elements of an array."""
        name, tile = load.tile, state.tiles[load.tile]
        view = elements(expand(substitute(load.source, self.lets), self.driver))
        inside = conj(*(in_range(at, extent) for at, extent in zip(load.index, view.extents, strict=True)))
        self.goal("loads stay inside their arrays", name, scope.states(inside, *coordinates(tile)))
        self.assign(name, view.at(load.index), scope, state)
        self.bounded(name, load.bound, scope, state)

    def operands(self, name: str, operands: tuple[str | Expr, ...], scope: _Scope, state: _State) -> tuple[Expr, ...]:
        """The elements that make one of the result: those of tiles of one column are for all columns."""
        tile = state.tiles[name]
        values: list[Expr] = []
        for operand in operands:
            if not isinstance(operand, str):
                values.append(substitute(operand, self.lets))
                if is_integer(type_of(values[-1])):
                    self.exact(name, values[-1], self.limits(type_of(values[-1])), scope, state)
                continue
            value, other = self.read(operand, scope, state), state.tiles[operand]
            if other.columns == integer(1) and tile.columns != integer(1):
                self.shape("tiles have the shapes that are used", operand, (tile.rows, integer(1)), scope, state)
                value = substitute(value, {COLUMN: integer(0)})
            else:
                self.shape("tiles have the shapes that are used", operand, (tile.rows, tile.columns), scope, state)
            values.append(value)
        read = [state.tiles[each] for each in operands if isinstance(each, str)]
        if read and all(each.columns == integer(1) for each in read):  # no instruction makes more columns than it reads
            self.goal("tiles have the shapes that are used", name, scope.states(equal(tile.columns, integer(1))))
        return tuple(values)

    def applied(self, op: str, values: tuple[Expr, ...], name: str, state: _State) -> Expr:
        """An elementwise operator of the driver on numbers."""
        types = tuple(type_of(value) for value in values)
        instance = self.instruction(op, types, state.tiles[name].type)
        made = substitute(instance.body, dict(zip(instance.params, values, strict=True)))
        if isinstance(made, Cast) and isinstance(made.arg, Cast) and is_integer(made.type) and is_integer(type_of(made.arg.arg)):
            made = Cast(made.arg.arg, made.type)  # an integer that was a float in between
        return made.arg if isinstance(made, Cast) and type_of(made.arg) == made.type else made

    def instruction(self, op: str, types: tuple[Type, ...], result: Type) -> Instance:
        """The meaning of an operator of the driver on elements. Raises ValueError for another one."""
        operator = self.driver.operators[op]
        if not operator.elementwise:
            raise ValueError(f"{op} is no instruction on elements")
        return operator.instantiate(types, result)

    def required(self, op: str, values: tuple[Expr, ...], type_: ScalarType) -> tuple[Expr, ...]:
        """What an operator requires of its operands."""
        instance = self.instruction(op, tuple(map(type_of, values)), type_)
        given = dict(zip(instance.params, values, strict=True))
        return tuple(substitute(condition, given) for condition in instance.requires)

    def assign(self, name: str, value: Expr, scope: _Scope, state: _State, magnitude: Expr | None = None) -> None:
        """A tile becomes what is given for [ROW, COLUMN]; integers have to be exact, and to fit the type."""
        tile, given = state.tiles[name], type_of(value)
        if is_integer(tile.type) != is_integer(given) or (tile.type != given and not is_integer(given)):
            self.goal("values have the types of their tiles", name, scope.states(FALSE))
        state.magnitudes.pop(name, None)
        if is_integer(tile.type) and is_integer(given):
            limits = self.limits(tile.type)
            if isinstance(tile.type, MachineInt) and (tile.type.bits < 32 or not tile.type.signed):
                magnitude = None
            if magnitude is None:
                self.exact(name, value, limits, scope, state)
            else:
                self.goal(EXACT, name, scope.states(at_most(magnitude, integer(limits[1]))))
                state.magnitudes[name] = magnitude
        state.values[name] = value
        state.partly.pop(name, None)

    def limits(self, type_: Type) -> tuple[int, int]:
        """The integers of a type that the machine computes with; wider ones have 32 bits there."""
        word = type_ if isinstance(type_, MachineInt) and type_.bits <= 32 else INT32
        exact = self.kernel.machine.exact
        return max(-exact, word.low), min(exact, word.high)

    def bounded(self, source: str, bound: int | None, scope: _Scope, state: _State) -> None:
        """All integers in a tile are at most so large in magnitude."""
        if bound is not None and is_integer(state.tiles[source].type):
            number = wide(substitute(self.read(source, scope, state), self.defined))
            self.inside(EXACT, source, conj(at_most(integer(-bound), number), at_most(number, integer(bound))), scope, state)
            state.magnitudes[source] = integer(bound)

    def exact(self, name: str, value: Expr, limits: tuple[int, int], scope: _Scope, state: _State) -> None:
        """An integer lies between limits; one that is converted does so before: a machine that saturates is no wrap."""
        if isinstance(value, Cast):
            if not is_integer(type_of(value.arg)):
                self.goal("values have the types of their tiles", name, scope.states(FALSE))
                return
            value = value.arg
        number = erased(substitute(value, self.defined), {})
        if not interval(number).within(Interval(*limits)):
            fits = conj(at_most(integer(limits[0]), number), at_most(number, integer(limits[1])))
            self.inside(EXACT, name, fits, scope, state)

    def domain(self, name: str, op: str, values: tuple[Expr, ...], scope: _Scope, state: _State) -> None:
        """The argument of an operator that is computed in a range only lies in it."""
        if op in self.domains:
            least, most = (Const(limit, FLOAT) for limit in self.domains[op])
            value = substitute(values[0], self.defined)
            self.inside(DOMAINS, name, conj(at_most(least, value), at_most(value, most)), scope, state)

    def inside(self, name: str, tile: str, condition: Expr, scope: _Scope, state: _State) -> None:
        """A condition at every element of a tile."""
        self.goal(name, tile, scope.states(condition, *coordinates(state.tiles[tile])))

    def shape(self, name: str, tile: str, wanted: tuple[Expr, Expr], scope: _Scope, state: _State) -> None:
        """That a tile has so many rows and columns."""
        found = state.tiles[tile]
        same = conj(equal(found.rows, wanted[0]), equal(found.columns, wanted[1]))
        self.goal(name, tile, scope.states(same))

    def reduce(self, name: str, op: Operator, source: str, scope: _Scope, state: _State, *, columns: bool) -> None:
        """The sum or maximum along the columns, or along the rows."""
        tile, other = state.tiles[name], state.tiles[source]
        value = self.read(source, scope, state)
        along, count = (COLUMN, other.columns) if columns else (ROW, other.rows)
        kept = (other.rows, integer(1)) if columns else (integer(1), other.columns)
        self.shape("tiles have the shapes that are used", name, kept, scope, state)
        magnitude = state.magnitudes.get(source)
        if op is Operator.ADD and is_integer(tile.type):  # in whatever order they are added, no sum is larger than all together
            if magnitude is None:
                self.goal(EXACT, name, scope.states(FALSE))
            else:
                magnitude = Apply(Operator.MUL, (magnitude, count))
        self.assign(name, chain(op, value, along, count, tile.type), scope, state, magnitude)

    def scan(self, scan: Scan, scope: _Scope, state: _State) -> None:
        """What there is up to each column, on top of what there was before the first."""
        tile = state.tiles[scan.tile]
        for each in (scan.factor, scan.source):
            self.shape("tiles have the shapes that are used", each, (tile.rows, tile.columns), scope, state)
        self.shape("tiles have the shapes that are used", scan.initial, (tile.rows, integer(1)), scope, state)
        factor, source, initial = (self.read(each, scope, state) for each in (scan.factor, scan.source, scan.initial))
        if any(type_of(each) != tile.type for each in (factor, source, initial)):
            self.goal("values have the types of their tiles", scan.tile, scope.states(FALSE))
        acc, index = Var("tile.acc", tile.type), Var(f"{COLUMN.name}.each", INT)
        at = {COLUMN: index}
        body = Apply(Operator.ADD, (_times(substitute(factor, at), acc), substitute(source, at)))
        magnitude: Expr | None = None
        if is_integer(tile.type):  # all sums are partial ones of magnitudes, where factors are ones
            before, most = (state.magnitudes.get(each) for each in (scan.initial, scan.source))
            if before is None or most is None or not (isinstance(factor, Const) and factor.value == 1):
                self.goal(EXACT, scan.tile, scope.states(FALSE))
            else:
                magnitude = plus(before, Apply(Operator.MUL, (most, tile.columns)))
        start = substitute(initial, {COLUMN: integer(0)})
        self.assign(scan.tile, Fold(plus(COLUMN, integer(1)), start, acc, index, body), scope, state, magnitude)

    def product(self, product: Product, scope: _Scope, state: _State) -> None:
        """A product of matrices, added to what the tile has got by others."""
        name = product.tile
        left, right, tile = state.tiles[product.stationary], state.tiles[product.moving], state.tiles[name]
        one, two = self.read(left.name, scope, state), self.read(right.name, scope, state)
        rows, depth = (left.rows, left.columns) if product.by_rows else (left.columns, left.rows)
        self.shape("tiles have the shapes that are used", right.name, (depth, right.columns), scope, state)
        self.shape("tiles have the shapes that are used", name, (rows, right.columns), scope, state)
        if tile.space is not Space.SUMS or Space.SUMS in (left.space, right.space):
            self.goal("products go from work memory to sums", name, FALSE)
        k, i = Var("tile.k", INT), Var("tile.i", INT)
        factor = substitute(one, {COLUMN: k} if product.by_rows else {COLUMN: i})
        if not product.by_rows:
            factor = substitute(factor, {ROW: k, i: ROW})
        term = _times(_as(factor, tile.type), _as(substitute(two, {ROW: k}), tile.type))
        fresh = chain(Operator.ADD, term, k, depth, tile.type)
        magnitude = self.products_magnitude(product, depth, scope, state)
        started, old = state.summed[name], state.values[name]
        if product.added is not None:
            started = substitute(product.added, self.lets)
            old = self.read(name, scope, state, started) if started != FALSE else old
        elif started != FALSE and old is None:
            self.read(name, scope, state)
        elif started not in (FALSE, state.partly.get(name, started)):
            self.read(name, scope, state, started)
        state.summed[name] = TRUE
        state.partly.pop(name, None)
        state.magnitudes.pop(name, None)
        if magnitude is not None:
            state.magnitudes[name] = magnitude
        if started == FALSE or old is None:
            state.values[name] = fresh
        else:
            added = Apply(Operator.ADD, (old, fresh))
            state.values[name] = added if started == TRUE else Ite(started, added, fresh)

    def products_magnitude(self, product: Product, depth: Expr, scope: _Scope, state: _State) -> Expr | None:
        """A bound on sums of products of integers, in whatever order they are added; that it is exact is to be shown."""
        tile = state.tiles[product.tile]
        if not is_integer(tile.type):
            return None
        both = (product.stationary, product.moving)
        one, two = (_magnitude(state.tiles[each].type, state.magnitudes.get(each)) for each in both)
        before = state.magnitudes.get(product.tile)
        if before is None and state.values[product.tile] is None:
            before = integer(0)
        if before is None or one is None or two is None:
            self.goal(EXACT, tile.name, scope.states(FALSE))
            return None
        total = plus(before, Apply(Operator.MUL, (integer(one * two), depth)))
        self.goal(EXACT, tile.name, scope.states(at_most(total, integer(self.limits(tile.type)[1]))))
        return total

    def loop(self, loop: Loop, scope: _Scope, state: _State) -> None:
        """The invariants hold before, are kept by an iteration, and hold behind; other tiles that it writes hold nothing."""
        inner = replace(scope, place=(*scope.place, (loop.var, loop.count)))
        stated = {each.tile: each for each in loop.invariants}
        inside = written_in(loop.body)
        written = [name for name in state.tiles if name in inside]  # in an order that is the same whenever it is checked
        body = state.copy()
        for name in written:
            body.summed[name] = self.started(name, loop, state)
            if name not in stated:
                body.values[name] = None
                body.magnitudes.pop(name, None)
                continue
            self.entered(stated[name], loop, scope, state, body)
        self.run(loop.body, inner, body)
        self.magnitudes_kept(loop, inner, body)
        for invariant in stated.values():
            self.kept(invariant, loop, inner, body)
        for name in written:
            state.values[name] = stated[name].after if name in stated else None
            state.partly.pop(name, None)
            state.magnitudes.pop(name, None)
            if name in stated and (bounds := stated[name].magnitudes) is not None:
                state.magnitudes[name] = bounds[1]
            if body.summed[name] != state.summed[name]:
                state.summed[name] = disj(state.summed[name], at_most(integer(1), loop.count))

    def kept(self, invariant: Invariant, loop: Loop, inner: _Scope, body: _State) -> None:
        """After an iteration a tile holds what the next one finds, after the last one what is left behind the loop."""
        name = invariant.tile
        first, last = equal(loop.var, integer(0)), equal(plus(loop.var, integer(1)), loop.count)
        after, following = body.values[name], substitute(invariant.begins, {loop.var: plus(loop.var, integer(1))})
        found = after if after is not None and name not in body.partly else self.read(name, inner, body)
        split, begun = cases(found, {first: FALSE}), cases(found, {first: TRUE})
        parts = ((TRUE, split),) if begun == split else ((neg(first), split), (first, begun))
        for at, value in parts:
            here = replace(inner, holds=(*inner.holds, at))
            self.chains.relate(value, following, (*here.place, *coordinates(body.tiles[name])), here.holds)
            if canonical(substitute(invariant.begins, {loop.var: loop.count})) == canonical(invariant.after):
                self.equals(KEPT, name, value, following, here, body)
                continue
            self.equals(KEPT, name, value, following, replace(here, holds=(*here.holds, neg(last))), body)
            self.equals(KEPT, name, value, invariant.after, replace(here, holds=(*here.holds, last)), body)

    def entered(self, invariant: Invariant, loop: Loop, scope: _Scope, state: _State, body: _State) -> None:
        """An invariant holds before the first iteration; of a tile that holds nothing yet, the first iteration makes it."""
        name = invariant.tile
        body.values[name] = invariant.begins
        body.magnitudes.pop(name, None)
        if invariant.magnitudes is not None:
            body.magnitudes[name] = invariant.magnitudes[0]
        if state.values[name] is None:
            body.partly[name] = neg(equal(loop.var, integer(0)))
            self.goal("nothing is read before it is written", name, scope.states(at_most(integer(1), loop.count)))
            if invariant.magnitudes is not None:  # it adds to what the iteration makes
                least = substitute(invariant.magnitudes[0], {loop.var: integer(0)})
                self.goal(EXACT, name, scope.states(at_most(integer(0), least)))
            return
        before = self.read(name, scope, state)
        self.chains.relate(before, invariant.after, scope.place, scope.holds)
        start = substitute(invariant.begins, {loop.var: integer(0)})
        some = replace(scope, holds=(*scope.holds, at_most(integer(1), loop.count)))
        none = replace(scope, holds=(*scope.holds, at_most(loop.count, integer(0))))
        self.equals("invariants of loops hold before", name, before, start, some, state)
        self.equals("invariants of loops hold before", name, before, invariant.after, none, state)
        self.magnitude(name, invariant, loop, state, some, none)

    def magnitude(
        self, name: str, invariant: Invariant, loop: Loop, state: _State, some: _Scope, none: _Scope
    ) -> None:
        """The bounds of an invariant hold before the first iteration."""
        if invariant.magnitudes is not None:
            begins, after = invariant.magnitudes
            before = state.magnitudes.get(name)
            start = substitute(begins, {loop.var: integer(0)})
            for scope, bound in ((some, start), (none, after)):
                self.goal(EXACT, name, scope.states(FALSE if before is None else at_most(before, bound)))

    def magnitudes_kept(self, loop: Loop, inner: _Scope, body: _State) -> None:
        """Those of the next iteration, or of behind the loop, hold when one ends."""
        last = equal(plus(loop.var, integer(1)), loop.count)
        for each in loop.invariants:
            if each.magnitudes is not None:
                found = body.magnitudes.get(each.tile)
                following = substitute(each.magnitudes[0], {loop.var: plus(loop.var, integer(1))})
                for at, bound in ((neg(last), following), (last, each.magnitudes[1])):
                    here = replace(inner, holds=(*inner.holds, at))
                    self.goal(EXACT, each.tile, here.states(FALSE if found is None else at_most(found, bound)))

    @staticmethod
    def started(name: str, loop: Loop, state: _State) -> Expr:
        """Whether a product was written to a tile when an iteration begins."""
        sums = any(isinstance(part, Product) and part.tile == name for part in _statements(loop.body))
        return disj(state.summed[name], neg(equal(loop.var, integer(0)))) if sums else state.summed[name]

    def equals(
        self, name: str, tile: str, found: Expr, wanted: Expr, scope: _Scope, state: _State | None = None
    ) -> None:
        """Both are the same at every element of the tile, by what is known of the sums in them."""
        if canonical(found) == canonical(wanted):
            return
        place = coordinates(state.tiles[tile]) if state is not None else ()
        known = self.chains.instances(found, wanted)
        stated = implies(conj(*known), equal(found, wanted))
        self.goal(name, tile, scope.states(opaque(erased(stated, {})) if known else stated, *place))

    # Outputs

    def store(self, statement: Store, scope: _Scope, state: _State) -> None:
        """The value is the program's at that place."""
        tile = state.tiles[statement.tile]
        value = self.read(statement.tile, scope, state)
        output = self.kernel.outputs[statement.output]
        at = dict(zip(output.places, statement.index, strict=True))
        wanted = self.output(statement.output, at)
        if tile.space is not Space.WORK and not self.kernel.machine.stores_sums:
            self.goal("stores come from work memory", tile.name, FALSE)
        if type_of(value) != type_of(wanted) and not (is_integer(type_of(value)) and type_of(wanted) == INT):
            self.goal("outputs have the types of their arrays", tile.name, FALSE)
        self.chains.relate(value, wanted, (*scope.place, *coordinates(tile)), scope.holds)
        self.equals("stored elements equal the program's", tile.name, value, wanted, scope, state)
        self.stores.append((statement, scope, tile))

    def output(self, number: int, at: Mapping[Var, Expr]) -> Expr:
        """What an output has to be at a place."""
        output = self.kernel.outputs[number]
        value = expand(substitute(output.value, self.lets), self.driver)
        if isinstance(type_of(value), TensorType):
            value = elements(value).at(output.places)
        return substitute(value, dict(at))

    def written(self) -> None:
        """Every element of every output is written, by one statement, at one place."""
        for number, output in enumerate(self.kernel.outputs):
            mine = [entry for entry in self.stores if entry[0].output == number]
            bounds = tuple(zip(output.places, output.extents, strict=True))
            everywhere = _Scope(bounds)
            self.goal("every element is written", f"output {number}", everywhere.states(disj(*(s.owns for s, _, _ in mine))))
            for position, (store, scope, tile) in enumerate(mine):
                for other, _, _ in mine[position + 1 :]:
                    self.goal("no element is written twice", tile.name, everywhere.states(neg(conj(store.owns, other.owns))))
                self.one_store(store, scope, tile, everywhere)

    def one_store(self, store: Store, scope: _Scope, tile: Tile, everywhere: _Scope) -> None:
        """The statement writes the elements that it owns, each once."""
        output = self.kernel.outputs[store.output]
        at = dict(zip(output.places, store.index, strict=True))
        inverse = dict(store.inverse)
        place = (*scope.place, *coordinates(tile))
        inside = [in_range(index, extent) for index, extent in zip(store.index, output.extents, strict=True)]
        back = [equal(substitute(inverse.get(var, var), at), var) for var, _ in place if var in inverse]
        alone = [equal(var, integer(0)) for var, _ in place if var not in inverse]
        exact = conj(*inside, substitute(store.owns, at), *back, *alone)
        self.goal("no element is written twice", tile.name, scope.states(exact, *coordinates(tile)))
        values = {var: inverse.get(var, integer(0)) for var, _ in place}
        domain = conj(*(in_range(values[var], substitute(extent, values)) for var, extent in place))
        hits = [equal(substitute(index, values), var) for var, index in at.items()]
        holds = [substitute(each, values) for each in scope.holds]
        self.goal("every element is written", tile.name, everywhere.states(implies(store.owns, conj(domain, *holds, *hits))))

    # Idioms

    def idiom(self, idiom: Idiom) -> None:
        """Its instructions compute the operator, exactly."""
        values: dict[Var, Expr] = {}
        known: tuple[Expr, ...] = idiom.given
        free = list(idiom.params)
        part = 1
        for step in idiom.steps:
            scope = _Scope((), known)
            if isinstance(step, Cut):
                self.about(idiom, part, "what holds behind them", scope, substitute(step.holds, values), free)
                part += 1
                values = {var: value for var, value in values.items() if var not in step.kept}
                known = (*idiom.given, step.holds)
                free = [*free, *step.kept]
                continue
            args = tuple(substitute(arg, values) for arg in step.args)
            types = tuple(type_of(arg) for arg in args)
            instance = self.instruction(step.op, types, step.var.type)
            value = substitute(instance.body, dict(zip(instance.params, args, strict=True)))
            values[step.var] = value
            assert isinstance(step.var.type, ScalarType)
            if type_of(value) != step.var.type or step.op in self.domains:
                raise ValueError(f"{step.op} does not make {step.var.name} for all arguments")
            for condition in self.required(step.op, args, step.var.type):
                self.about(idiom, part, f"{step.op} is defined", scope, condition, free)
            if is_integer(step.var.type):
                low, high = map(integer, self.limits(step.var.type))
                exact = conj(at_most(low, wide(value)), at_most(wide(value), high))
                self.about(idiom, part, f"{step.op} is exact", scope, exact, free)
        types = tuple(type_of(param) for param in idiom.params)
        instance = self.instruction(idiom.op, types, idiom.result.type)
        meaning = substitute(instance.body, dict(zip(instance.params, idiom.params, strict=True)))
        result = values.get(idiom.result, idiom.result)
        self.about(idiom, part, "the result is the operator's", _Scope((), known), equal(result, meaning), free)

    def about(self, idiom: Idiom, part: int, subject: str, scope: _Scope, formula: Expr, free: list[Var]) -> None:
        """Something to show of the values that an idiom makes, up to its next cut."""
        used = tuple(var for var in dict.fromkeys(free))
        exact = {var: Var(var.name, INT) for var in used if is_integer(var.type)}
        stated = erased(implies(conj(*scope.holds), formula), dict(exact))
        params = tuple(exact.get(var, var) for var in used)
        self.goal(f"instructions compute {idiom.op}, part {part}", subject, forall(params, stated))


def coordinates(tile: Tile) -> Place:
    """The elements of a tile."""
    return ((ROW, tile.rows), (COLUMN, tile.columns))


def together(made: Expr, values: tuple[Expr, ...], operands: tuple[str | Expr, ...], state: _State) -> Expr | None:
    """A bound on the magnitude of a sum or an extreme of tiles, by theirs."""
    known = [state.magnitudes.get(each) if isinstance(each, str) else None for each in operands]
    bounds = [each for each in known if each is not None]
    match made:
        case Apply(Operator.ADD | Operator.MAX | Operator.MIN as op, args) if args == values and len(bounds) == len(args) == 2:
            return plus(*bounds) if op is Operator.ADD else larger(*bounds)
        case Ite(_, then, other) if (then, other) == values[1:] and len(bounds) == 2:
            return larger(*bounds)
        case Apply(Operator.NEG, (arg,)) | Cast(arg) if (arg,) == values and len(bounds) == 1:
            return bounds[0]
        case _:
            return bounds[0] if len(bounds) == 1 and made == values[0] else None


def larger(one: Expr, two: Expr) -> Expr:
    """A bound for what has one of two bounds."""
    return one if one == two else Apply(Operator.MAX, (one, two))


def quotients(size: Expr, number: Expr, rest: Expr) -> Expr:
    """What size * number + rest is divided by size, rounded to zero and down, and what that leaves."""
    place = plus(Apply(Operator.MUL, (size, number)), rest)
    rounded = (Apply(op, (place, size)) for op in (Operator.TDIV, Operator.FDIV))
    return conj(*(equal(each, number) for each in rounded), equal(Apply(Operator.FMOD, (place, size)), rest))


def wide(value: Expr) -> Expr:
    """An integer without bound."""
    return erased(value, {})


def cases(value: Expr, known: Mapping[Expr, Expr]) -> Expr:
    """The value with choices that are decided by known conditions, or their opposites, taken."""
    if not isinstance(value, Ite):
        return value
    for cond, holds in known.items():
        if value.cond == cond:
            return cases(value.then if holds == TRUE else value.other, known)
        if value.cond == neg(cond):
            return cases(value.other if holds == TRUE else value.then, known)
    return value


def _as(value: Expr, type_: ScalarType) -> Expr:
    """A number of a type."""
    return value if type_of(value) == type_ else Cast(value, type_)


def _magnitude(type_: ScalarType, known: Expr | None) -> int | None:
    """The greatest magnitude of the integers in a tile: what is known, or that of a narrow type."""
    if isinstance(known, Const):
        return int(known.value)
    return max(-type_.low, type_.high) if isinstance(type_, MachineInt) and type_.bits < 32 else None


def _times(left: Expr, right: Expr) -> Expr:
    """A product of reals; one is dropped."""
    if isinstance(left, Const) and left.value == 1:
        return right
    if isinstance(right, Const) and right.value == 1:
        return left
    return Apply(Operator.MUL, (left, right))


def _statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, those of loops and conditions too."""
    for statement in body:
        yield statement
        if isinstance(statement, Loop | When):
            yield from _statements(statement.body)


def written_in(body: tuple[Statement, ...]) -> set[str]:
    """The tiles that statements write and do not make themselves."""
    made = {part.tile.name for part in _statements(body) if isinstance(part, Allocate)}
    kinds = Load | Map | Expand | Fill | Iota | Reduce | Scan | Across | Product
    return {part.tile for part in _statements(body) if isinstance(part, kinds)} - made
