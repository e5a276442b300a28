"""What instructions on tiles do, and what has to hold for them to do it."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver.expansion import expand
from metalift.ir.expr.build import at_most, conj, equal, forall, implies, in_range, plus
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, is_integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.kernel import COLUMN, ROW, Divided, Load, Product, Scan, Space, Tile
from metalift.vcgen.chains import chain
from metalift.vcgen.same_results import elements
from metalift.vcgen.tile_goals import EXACT, TileGoals
from metalift.vcgen.tile_state import Scope, State, as_type, coordinates, magnitude_of, quotients, times

WORD = 4  # bytes of an element in fast memory, at most


class TileInstructions(TileGoals):
    """Executes single instructions of one kernel, changing the state."""

    def divided(self, divided: Divided, scope: Scope) -> Scope:
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

    def allocate(self, tile: Tile, scope: Scope, state: State) -> None:
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

    def load(self, load: Load, scope: Scope, state: State) -> None:
        """Elements of an array."""
        name, tile = load.tile, state.tiles[load.tile]
        view = elements(expand(substitute(load.source, self.lets), self.driver))
        inside = conj(*(in_range(at, extent) for at, extent in zip(load.index, view.extents, strict=True)))
        self.goal("loads stay inside their arrays", name, scope.states(inside, *coordinates(tile)))
        self.assign(name, view.at(load.index), scope, state)
        self.bounded(name, load.bound, scope, state)

    def operands(self, name: str, operands: tuple[str | Expr, ...], scope: Scope, state: State) -> tuple[Expr, ...]:
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

    def applied(self, op: str, values: tuple[Expr, ...], name: str, state: State) -> Expr:
        """An elementwise operator of the driver on numbers."""
        types = tuple(type_of(value) for value in values)
        instance = self.instruction(op, types, state.tiles[name].type)
        made = substitute(instance.body, dict(zip(instance.params, values, strict=True)))
        if isinstance(made, Cast) and isinstance(made.arg, Cast) and is_integer(made.type) and is_integer(type_of(made.arg.arg)):
            made = Cast(made.arg.arg, made.type)  # an integer that was a float in between
        return made.arg if isinstance(made, Cast) and type_of(made.arg) == made.type else made

    def assign(self, name: str, value: Expr, scope: Scope, state: State, magnitude: Expr | None = None) -> None:
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

    def reduce(self, name: str, op: Operator, source: str, scope: Scope, state: State, *, columns: bool) -> None:
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

    def scan(self, scan: Scan, scope: Scope, state: State) -> None:
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
        body = Apply(Operator.ADD, (times(substitute(factor, at), acc), substitute(source, at)))
        magnitude: Expr | None = None
        if is_integer(tile.type):  # all sums are partial ones of magnitudes, where factors are ones
            before, most = (state.magnitudes.get(each) for each in (scan.initial, scan.source))
            if before is None or most is None or not (isinstance(factor, Const) and factor.value == 1):
                self.goal(EXACT, scan.tile, scope.states(FALSE))
            else:
                magnitude = plus(before, Apply(Operator.MUL, (most, tile.columns)))
        start = substitute(initial, {COLUMN: integer(0)})
        self.assign(scan.tile, Fold(plus(COLUMN, integer(1)), start, acc, index, body), scope, state, magnitude)

    def product(self, product: Product, scope: Scope, state: State) -> None:
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
        term = times(as_type(factor, tile.type), as_type(substitute(two, {ROW: k}), tile.type))
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

    def products_magnitude(self, product: Product, depth: Expr, scope: Scope, state: State) -> Expr | None:
        """A bound on sums of products of integers, in whatever order they are added; that it is exact is to be shown."""
        tile = state.tiles[product.tile]
        if not is_integer(tile.type):
            return None
        both = (product.stationary, product.moving)
        one, two = (magnitude_of(state.tiles[each].type, state.magnitudes.get(each)) for each in both)
        before = state.magnitudes.get(product.tile)
        if before is None and state.values[product.tile] is None:
            before = integer(0)
        if before is None or one is None or two is None:
            self.goal(EXACT, tile.name, scope.states(FALSE))
            return None
        total = plus(before, Apply(Operator.MUL, (integer(one * two), depth)))
        self.goal(EXACT, tile.name, scope.states(at_most(total, integer(self.limits(tile.type)[1]))))
        return total
