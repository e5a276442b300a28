"""Invariants of loops, and which tiles hold intermediates of the program, for a kernel of which only instructions are known.

The kernel is executed on symbols as its obligations do it. What a loop adds to a tile is matched with the terms of the program's
sums and maxima; a tile of one element is compared with the program's intermediates on some inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from metalift.driver import Driver
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Apply, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import COLUMN, ROW, Allocate, Invariant, Kernel, Loop, Named, Reduce, Scan, Statement, When
from metalift.ir.program.summary import TargetProgram
from metalift.synth.tiles.places import placed
from metalift.synth.tiles.probes import Probes
from metalift.synth.tiles.terms import Prefix, prefix
from metalift.vcgen.chains import CHAINS, DIVISIONS, operator_of
from metalift.vcgen.tile_obligations import TileGenerator
from metalift.vcgen.tile_state import Scope, State, statements_in, written_in

ONCE = 8  # choices of least values that are tried for the end of a loop


def annotated(kernel: Kernel, fragment: Fragment, program: TargetProgram, driver: Driver) -> Kernel:
    """The kernel with what its stores own, invariants, and names of intermediates, as far as they are found.

    Raises ValueError, KeyError where it is not well formed.
    """
    return Annotator(kernel, fragment, program, driver).annotated()


class Annotator(TileGenerator):
    """Executes one kernel; what it would have to show is not looked at."""

    def __init__(self, kernel: Kernel, fragment: Fragment, program: TargetProgram, driver: Driver) -> None:
        host = {param.var for param in fragment.params if not isinstance(param.var.type, TensorType)}
        lets: list[Var] = []
        for let in program.lets:
            if isinstance(let.var.type, TensorType):
                continue
            if free_vars(let.value) <= host:
                host.add(let.var)
            else:
                lets.append(let.var)
        every = tuple(Named("", let) for let in lets)
        super().__init__(fragment, program, replace(kernel, body=every), driver, ())
        self.kernel = kernel
        self.probes = Probes(fragment, kernel.sizes, self.defined)
        sizes = (*(size.var for size in kernel.sizes), *self.computed)
        self.fixed = frozenset((*(param.var for param in fragment.params), *sizes))
        wanted = [self.output(number, {}) for number in range(len(kernel.outputs))]
        self.parts = [part for value in (*self.computed.values(), *wanted) for part in subexpressions(value)]
        self.folds = tuple(dict.fromkeys(each for each in self.parts if isinstance(each, Fold) and operator_of(each) in CHAINS))

    def annotated(self) -> Kernel:
        """The kernel."""
        divisors = (part.args[1] for part in self.parts if isinstance(part, Apply) and part.op in DIVISIONS)
        groups = frozenset(Polynomial.of(each).to_expr() for each in divisors if is_integer(type_of(each)))
        self.kernel = placed(self.kernel, groups)
        return replace(self.kernel, body=self.walk(self.kernel.body, Scope(), State()))

    def walk(
        self, body: Sequence[Statement], scope: Scope, state: State, known: frozenset[Var] = frozenset(), *, whole: bool = True
    ) -> tuple[Statement, ...]:
        """Execute statements; those of loops get invariants, and behind those that make intermediates these are named.

        The last tile that holds one is named; `known` are those that were named before. `whole`: it is all that runs, in one of
        several versions.
        """
        made: list[Statement] = []
        own = {each.tile.name for each in body if isinstance(each, Allocate)} if whole else set()
        versions = {each.cond for each in body if isinstance(each, When)}
        for each in body:
            before = dict(state.values)
            match each:
                case Loop():
                    made.append(self.looped(each, scope, state))
                case When(cond, inner):
                    branch = state.copy()
                    there = replace(scope, holds=(*scope.holds, cond))
                    mine = frozenset(one.let for one in made if isinstance(one, Named))
                    made.append(When(cond, self.walk(inner, there, branch, known | mine, whole=neg(cond) in versions)))
                    self.join(state, branch, cond)
                case _:
                    self.run((each,), scope, state)
                    made.append(each)
            if not scope.place:
                changed = [name for name in own & state.values.keys() if state.values[name] != before.get(name)]
                found = [one for one in self.named_in(sorted(changed), scope, state) if one.let not in known]
                again = {one.let for one in found}
                made = [*(one for one in made if not (isinstance(one, Named) and one.let in again)), *found]
        return tuple(made)

    # Intermediates

    def named_in(self, tiles: Sequence[str], scope: Scope, state: State) -> Iterator[Named]:
        """The intermediates that tiles of one element hold."""
        for name in tiles:
            tile, value = state.tiles[name], state.values[name]
            if (tile.rows, tile.columns) != (integer(1), integer(1)) or value is None or value in self.computed:
                continue
            found = substitute(value, {ROW: integer(0), COLUMN: integer(0)})
            for let, wanted in self.computed.items():
                if type_of(found) == let.type and self.probes.agree(found, wanted, scope.holds):
                    state.values[name] = let
                    yield Named(name, let)
                    break

    # Loops

    def looped(self, loop: Loop, scope: Scope, state: State) -> Loop:
        """The loop with invariants for tiles that an iteration changes and reads."""
        inner = replace(scope, place=(*scope.place, (loop.var, loop.count)))
        inside = written_in(loop.body)
        carried = [name for name in state.tiles if name in inside]
        trial = state.copy()
        for name in carried:
            trial.values[name] = before(name, state)
            trial.summed[name] = self.started(name, loop, state)
        body = self.walk(loop.body, inner, trial)
        stated = [self.invariant(name, loop, body, state, trial) for name in carried]
        made = replace(loop, body=body, invariants=tuple(each for each in stated if each is not None))
        self.run((made,), scope, state)
        return made

    def invariant(self, name: str, loop: Loop, body: Sequence[Statement], state: State, trial: State) -> Invariant | None:
        """What a tile holds in each iteration: the elements up to there of a sum or maximum of the program."""
        value, old = trial.values[name], before(name, state)
        if value is None:
            return None
        made = self.found(name, loop, body, trial, value, old)
        return made if made is None or loop.var not in free_vars(made.after) else None

    def found(
        self, name: str, loop: Loop, body: Sequence[Statement], trial: State, value: Expr, old: Var
    ) -> Invariant | None:
        """An invariant, of which it is not known that what holds behind the loop has a meaning there."""
        if old not in free_vars(value):
            return self.around(name, loop, body, value)
        for op in (Operator.ADD, Operator.MAX):
            part = added(value, old, op)
            found = None if part is None else prefix(part, op, self.folds, self.fixed | self.around_vars(loop, trial))
            if found is not None:
                return self.stated(name, loop, found, body)
        return None

    def around_vars(self, loop: Loop, trial: State) -> frozenset[Var]:
        """Variables that stand for themselves: coordinates, and what tiles held before a loop."""
        return frozenset((ROW, COLUMN, *(before(name, trial) for name in trial.tiles)))

    def stated(self, name: str, loop: Loop, found: Prefix, body: Sequence[Statement]) -> Invariant:
        """The invariant for so many elements more in each iteration."""
        end = found.start + found.more
        last = closed(end, loop.var) or found.start.substitute({loop.var: Polynomial.of(loop.count)})
        bound = bound_in(body)
        of_integers = is_integer(type_of(found.fold)) and bound is not None
        magnitudes = None
        if of_integers and bound is not None:
            sums = operator_of(found.fold) is Operator.ADD
            magnitudes = tuple((each * bound).to_expr() if sums else integer(bound) for each in (found.start, last))
        return Invariant(name, found.upto(found.start), found.upto(last), magnitudes)  # type: ignore[arg-type]

    def around(self, name: str, loop: Loop, body: Sequence[Statement], value: Expr) -> Invariant | None:
        """The invariant of a loop around another one, which makes the tile's value of what it was before."""
        inner = next((each for each in reversed(body) if isinstance(each, Loop) and name in written_in((each,))), None)
        stated = next((each for each in inner.invariants if each.tile == name), None) if inner is not None else None
        if inner is None or stated is None or not isinstance(value, Fold):
            return None
        end = closed(Polynomial.of(value.extent), loop.var)
        if end is None:
            return None
        start = {inner.var: integer(0)}
        begins = substitute(stated.begins, dict(start))
        magnitudes = None
        if stated.magnitudes is not None:
            least, most = substitute(stated.magnitudes[0], dict(start)), closed(Polynomial.of(stated.magnitudes[1]), loop.var)
            magnitudes = (least, most.to_expr()) if most is not None else None
        return Invariant(name, begins, replace(value, extent=end.to_expr()), magnitudes)


def before(name: str, state: State) -> Var:
    """What stands for what a tile holds when an iteration begins."""
    return Var(f"{name}.before", state.tiles[name].type)


def added(value: Expr, old: Var, op: Operator) -> Expr | None:
    """What is combined with the old value of a tile; None where it is something else."""
    match value:
        case Ite(_, then, other):
            return added(then, old, op) or added(other, old, op)
        case Apply(found, (left, right)) if found is op:
            for one, part in ((left, right), (right, left)):
                if one == old and old not in free_vars(part):
                    return part
            return None
        case _:
            return None


def closed(end: Polynomial, counter: Var) -> Polynomial | None:
    """Where the last iteration ends: that of the next one's start and a number without the counter that is the least."""
    least = [atom for atom in end.atoms if isinstance(atom, Apply) and atom.op is Operator.MIN and counter in free_vars(atom)]
    if not least or len(least) > ONCE:
        return None
    for chosen in product(*(each.args for each in least)):
        found = end.substitute({atom: Polynomial.of(arg) for atom, arg in zip(least, chosen, strict=True)})
        if counter not in found.free_vars:
            return found
    return None


def bound_in(body: Sequence[Statement]) -> int | None:
    """The bound on integers that statements reduce."""
    reduced = (each.bound for each in statements_in(tuple(body)) if isinstance(each, Reduce | Scan))
    return next((each for each in reduced if each is not None), None)


