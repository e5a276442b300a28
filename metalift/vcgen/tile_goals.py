"""Goals about the tiles of a kernel: that they hold something, fit, are exact, and equal what is wanted."""

from __future__ import annotations

from functools import lru_cache

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.driver.meaning.reader import Instance
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.build import at_most, conj, equal, implies
from metalift.ir.expr.nodes import FALSE, TRUE, Cast, Const, Expr, Var, integer, type_of
from metalift.ir.expr.types import FLOAT, INT32, MachineInt, ScalarType, Type, is_integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Idiom, Kernel, Named, Store, Tile
from metalift.ir.program.summary import TargetProgram
from metalift.vcgen.chains import Chains, canonical, opaque
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Goal
from metalift.vcgen.tile_state import Scope, State, coordinates, statements_in, wide

KEPT = "invariants of loops are kept"
PARTS = "sums of tiles are parts of the whole"
EXACT = "integers stay where the machine is exact"
DEFINED = "operators are used where they are defined"
DOMAINS = "arguments are in the range of their instructions"


@lru_cache(maxsize=1 << 12)
def _plain(formula: Expr) -> Expr:
    """The formula with integers without bound; kernels that a search compares have most of theirs in common."""
    return erased(formula, {})


class TileGoals:
    """What one kernel is to be shown to do, as far as it was executed."""

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
        self.named: set[Var] = {part.let for part in statements_in(kernel.body) if isinstance(part, Named)}
        for let in program.lets:
            value = expand(substitute(let.value, self.lets), driver)
            if let.var in self.named:
                self.computed[let.var] = value
                self.defined[let.var] = substitute(value, self.defined)
            else:
                self.lets[let.var] = value
        self.goals: dict[str, list[Goal]] = {}
        self.stores: list[tuple[Store, Scope, Tile]] = []
        self.idioms: dict[Idiom, None] = {}
        self.chains = Chains()

    def goal(self, name: str, subject: str, formula: Expr) -> None:
        """Notes something to show."""
        made = Goal(subject, _plain(formula))
        known = self.goals.setdefault(name, [])
        if made not in known:
            known.append(made)

    def read(self, name: str, scope: Scope, state: State, where: Expr = TRUE) -> Expr:
        """What a tile holds at [ROW, COLUMN]; it is read where a condition holds."""
        value = state.values.get(name)
        if name in state.partly:
            self.goal("nothing is read before it is written", name, scope.states(implies(where, state.partly[name])))
        if value is None:
            self.goal("nothing is read before it is written", name, scope.states(FALSE) if name in state.tiles else FALSE)
            return Var(f"{name}.unknown", state.tiles[name].type if name in state.tiles else FLOAT)
        return value

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

    def limits(self, type_: Type) -> tuple[int, int]:
        """The integers of a type that the machine computes with; wider ones have 32 bits there."""
        word = type_ if isinstance(type_, MachineInt) and type_.bits <= 32 else INT32
        exact = self.kernel.machine.exact
        return max(-exact, word.low), min(exact, word.high)

    def bounded(self, source: str, bound: int | None, scope: Scope, state: State) -> None:
        """All integers in a tile are at most so large in magnitude."""
        if bound is not None and is_integer(state.tiles[source].type):
            number = wide(substitute(self.read(source, scope, state), self.defined))
            self.inside(EXACT, source, conj(at_most(integer(-bound), number), at_most(number, integer(bound))), scope, state)
            state.magnitudes[source] = integer(bound)

    def exact(self, name: str, value: Expr, limits: tuple[int, int], scope: Scope, state: State) -> None:
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

    def domain(self, name: str, op: str, values: tuple[Expr, ...], scope: Scope, state: State) -> None:
        """The argument of an operator that is computed in a range only lies in it."""
        if op in self.domains:
            least, most = (Const(limit, FLOAT) for limit in self.domains[op])
            value = substitute(values[0], self.defined)
            self.inside(DOMAINS, name, conj(at_most(least, value), at_most(value, most)), scope, state)

    def inside(self, name: str, tile: str, condition: Expr, scope: Scope, state: State) -> None:
        """A condition at every element of a tile."""
        self.goal(name, tile, scope.states(condition, *coordinates(state.tiles[tile])))

    def shape(self, name: str, tile: str, wanted: tuple[Expr, Expr], scope: Scope, state: State) -> None:
        """That a tile has so many rows and columns."""
        found = state.tiles[tile]
        same = conj(equal(found.rows, wanted[0]), equal(found.columns, wanted[1]))
        self.goal(name, tile, scope.states(same))

    def equals(
        self, name: str, tile: str, found: Expr, wanted: Expr, scope: Scope, state: State | None = None
    ) -> None:
        """Both are the same at every element of the tile, by what is known of the sums in them."""
        if canonical(found) == canonical(wanted):
            return
        place = coordinates(state.tiles[tile]) if state is not None else ()
        known = self.chains.instances(found, wanted)
        stated = implies(conj(*known), equal(found, wanted))
        self.goal(name, tile, scope.states(opaque(erased(stated, {})) if known else stated, *place))
