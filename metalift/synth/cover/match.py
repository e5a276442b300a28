"""Higher-order pattern matching of operator meanings against terms.

A parameter stands in a meaning applied to bound indices, such as x[i, j] (a Miller pattern): there it matches any term that
mentions no other binder, and becomes the tensor with that element function. Applied to something else, such as x[0], it is
checked against what it was bound to, or matches an element of an array as it stands. Sums and products are matched modulo
associativity and commutativity; a scalar parameter that is left over is the neutral element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations

from metalift.driver.operators import scalar_of
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import (
    Apply,
    Call,
    Cast,
    Const,
    Expr,
    Filter,
    Fold,
    Invoke,
    Ite,
    Item,
    Length,
    MakeTuple,
    Operator,
    Select,
    Var,
    type_of,
)
from metalift.ir.expr.types import INT, INT64, FunctionType, IntType, MachineInt, RealType, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.synth.cover.bindings import Bindings, Later, Scope, State
from metalift.synth.cover.by_intervals import fits, with_bounds_of
from metalift.synth.cover.function_arguments import abstracted, arguments
from metalift.synth.cover.goal import Goal, as_exact, as_int64, renamed, whole
from metalift.synth.cover.normal_operators import cast_form
from metalift.synth.cover.regrouped import (
    Signed,
    as_reduction,
    joined_parts,
    make_product,
    make_sum,
    number,
    product_factors,
    sum_terms,
)
from metalift.synth.cover.windows import window

MAX_MATCHES = 24  # of one operator with one goal
ORDERS = 24  # of the operands of a minimum, maximum, conjunction that are tried
SUMS = frozenset({Operator.ADD, Operator.SUB, Operator.NEG})
PRODUCTS = frozenset({Operator.MUL, Operator.DIV})
SYMMETRIC = frozenset(
    {Operator.MIN, Operator.MAX, Operator.EQ, Operator.AND, Operator.OR, Operator.BITAND, Operator.BITOR, Operator.BITXOR}
)


class Matcher(Bindings):
    """Matches the meaning of one operator."""

    # Terms

    def match(self, pattern: Expr, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """All ways in which the goal is an instance of the pattern."""
        applied = self.flexible(pattern, scope)
        if applied is not None:
            yield from self.bind(applied[0], applied[1], goal, scope, state)
            return
        if isinstance(pattern, Apply) and type_of(pattern) == INT and is_integer(type_of(goal)) and self.is_size(pattern, state):
            yield from self.sizes([(pattern, as_exact(goal))], scope, state)
            return
        if not self.flat and isinstance(pattern, Apply) and pattern.op in SUMS | PRODUCTS:
            yield from self.plain(pattern, goal, scope, state)
            yield from self.joined(pattern, goal, scope, state)
            return
        if isinstance(pattern, Invoke):
            yield from self.invoked(pattern, goal, scope, state)
            return
        if isinstance(goal, Const) and isinstance(pattern, Apply) and (known := self.computed(pattern, state)) is not None:
            yield from (state,) * (is_integer(type_of(goal)) and known == goal.value)
            return
        yield from self.rigid(pattern, goal, scope, state)

    # Functions

    def invoked(self, pattern: Invoke, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """A parameter that is a function: parts of the goal are its arguments, the rest becomes its body."""
        function = pattern.function
        if not (isinstance(function, Var) and isinstance(function.type, FunctionType) and type_of(goal) == function.type.result):
            return
        for folds in _folds(pattern.args, goal):
            yield from self._applied(function, pattern.args, folds, goal, scope, state)

    def _applied(
        self, function: Var, args: Sequence[Expr], folds: Mapping[Expr, Fold], goal: Expr, scope: Scope, state: State
    ) -> Iterator[State]:
        """The same where it is known what the folds among the arguments are in the goal."""
        assert isinstance(function.type, FunctionType)
        slots = [folds.get(arg) or self.slot(arg, scope, state) for arg in args]
        if any(slot is None for slot in slots):
            return
        known = [slot for slot in slots if isinstance(slot, Expr)]
        open_ = [slot for slot in slots if isinstance(slot, tuple)]
        binders = frozenset(binder for _, applied in open_ for binder in applied)
        others = [each for each in known if each not in binders]  # a place is in what is read there, too
        fixed = FunctionType(tuple(scalar_of(type_of(each)) for each in others), function.type.result)
        rest = abstracted(goal, fixed, others, scope.accumulators)
        if rest is None:
            return
        around = next((fold.body for fold in folds.values()), scope.around)
        for chosen in arguments(rest.body, binders, len(open_), around, known) if open_ else ((),):
            given = iter(chosen)
            parts = [slot if isinstance(slot, Expr) else next(given) for slot in slots]
            made = abstracted(goal, function.type, parts, scope.accumulators)
            if made is not None and free_vars(made).isdisjoint({*scope.extents, *scope.accumulators}):
                pairs: list[tuple[Expr, Expr]] = [
                    (arg, part)
                    for arg, part, slot in zip(args, parts, slots, strict=True)
                    if arg in folds or not isinstance(slot, Expr)
                ]
                for bound in self.all(pairs, scope, state):
                    yield from self.bind_function(function, made, bound)

    def slot(self, arg: Expr, scope: Scope, state: State) -> Expr | tuple[Var, tuple[Var, ...]] | None:
        """An argument of a function in a pattern: the term that it has to be, or a tensor that is still open at binders, or at
        places that are computed of them.
        """
        if isinstance(arg, Var) and arg in scope.names:
            return scope.names[arg]
        applied = self.flexible(arg, scope)
        if applied is None and isinstance(arg, Select) and isinstance(arg.tensor, Var) and arg.tensor in self.params:
            if arg.tensor in state.bound:
                return self.instance(arg, scope, state)
            used = (new for old, new in scope.names.items() if any(old in free_vars(each) for each in arg.indices))
            applied = arg.tensor, tuple(used)
        if applied is None:
            return None
        bound = state.bound.get(applied[0])
        return applied if bound is None else renamed(bound, applied[1])

    def rigid(self, pattern: Expr, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """The same node with matching parts."""
        match pattern, goal:
            case Var(), _:
                if scope.names.get(pattern) == goal:
                    yield state
            case Const(), Const():
                if pattern.value == goal.value and pattern.type == goal.type:
                    yield state
            case Cast(), _:
                yield from self.cast(pattern, goal, scope, state)
            case Fold(), Fold():
                yield from self.fold(pattern, goal, scope, state)
            case Fold(), Cast(Fold() as inner, IntType()):
                yield from self.match(pattern, as_exact(inner), scope, state)
            case Select(), _:
                yield from self.element(pattern, goal, scope, state)
            case Length(), _ if is_integer(type_of(goal)):
                yield from self.sizes([(pattern, goal)], scope, state)
            case _:
                yield from self.plain(pattern, with_bounds_of(pattern, goal), scope, state)

    def plain(self, pattern: Expr, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """Nodes without rules of their own: part by part."""
        match pattern, goal:
            case Apply(op, args), Apply(same, others) if op is same and len(args) == len(others):
                yield from self.all(list(zip(args, others, strict=True)), scope, state)
                if op in SYMMETRIC and len(args) == 2:
                    yield from self.all([(args[0], others[1]), (args[1], others[0])], scope, state)
                    yield from self.regrouped(joined_parts(pattern, op), joined_parts(goal, op), scope, state)
            case Ite(), Ite():
                inside = scope if self.elementwise else scope.where(goal.cond)
                for chosen in self.match(pattern.cond, goal.cond, scope, state):
                    for begun in self.match(pattern.then, goal.then, inside, chosen):
                        yield from self.match(pattern.other, goal.other, scope, begun)
            case Item(inner, place), Item(found, other) if place == other:
                yield from self.match(inner, found, scope, state)
            case MakeTuple(items), MakeTuple(others) if len(items) == len(others):
                yield from self.all(list(zip(items, others, strict=True)), scope, state)
            case Call(function, args, type_), Call() if (function, type_) == (goal.function, goal.type):
                if len(args) == len(goal.args):
                    yield from self.all(list(zip(args, goal.args, strict=True)), scope, state)
            case _:
                return

    def regrouped(self, parts: list[Expr], found: list[Expr], scope: Scope, state: State) -> Iterator[State]:
        """Three operands and more of one operator, which may stand in any order: each part takes one."""
        if len(parts) != len(found) or len(parts) < 3:
            return
        for order in islice(permutations(found), ORDERS):
            yield from self.all(list(zip(parts, order, strict=True)), scope, state)

    def all(self, pairs: Sequence[tuple[Expr, Expr]], scope: Scope, state: State) -> Iterator[State]:
        """All pairs match at once."""
        if not pairs:
            yield state
            return
        first = next((pair for pair in pairs if pair[0] in self.params and type_of(pair[0]) == INT), pairs[0])  # others use it
        rest = [pair for pair in pairs if pair is not first]
        for next_state in self.match(*first, scope, state):
            yield from self.all(rest, scope, next_state)

    def cast(self, pattern: Cast, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """A cast; a size as a real number is also matched by a literal, and an index by any exact integer."""
        inner = type_of(pattern.arg)
        computed = inner == INT and self.flexible(pattern.arg, scope) is None
        if pattern.type == INT and inner == INT64 and is_integer(type_of(goal)):
            yield from self.match(pattern.arg, as_int64(goal), scope, state)
        elif isinstance(goal, Cast) and goal.type == pattern.type and type_of(goal.arg) == inner:
            yield from self.match(pattern.arg, goal.arg, scope, state)
        elif computed and isinstance(pattern.type, MachineInt) and type_of(goal) == pattern.type:
            inside = goal.arg if isinstance(goal, Cast) and is_integer(type_of(goal.arg)) else goal
            yield from self.match(pattern.arg, as_exact(inside), scope, state)
        elif isinstance(goal, Cast) and goal.type == pattern.type and inner == INT and is_integer(type_of(goal.arg)):
            yield from self.match(pattern.arg, Cast(goal.arg, INT), scope, state)
        elif isinstance(inner, MachineInt) and type_of(goal) == pattern.type and (self.in_range or fits(goal, inner)):
            yield from self.match(pattern.arg, cast_form(goal, inner), scope, state)
        elif isinstance(goal, Const) and inner == INT and isinstance(pattern.type, RealType) and goal.type == pattern.type:
            if goal.value == int(goal.value):
                yield from self.match(pattern.arg, Const(int(goal.value), INT), scope, state)

    def fold(self, pattern: Fold, goal: Fold, scope: Scope, state: State) -> Iterator[State]:
        """Folds over as many steps; two reductions by their terms, others by their steps."""
        inner = scope.enter((pattern.index,), (goal.index,), (goal.extent,))
        own = {**inner.names, pattern.acc: goal.acc}
        inner = replace(inner, accumulators=inner.accumulators | {goal.acc}, names=own, around=goal.body)
        left, right = as_reduction(pattern), as_reduction(goal)
        if isinstance(pattern.body, Invoke):
            right = None
        if (left is None) != (right is None) or (left and right and left.op is not right.op):
            return
        start = (pattern.init, goal.init, scope)
        step = (left.term, right.term, inner) if left and right else (pattern.body, goal.body, inner)
        # A function that computes the start, too, of one element, is known by what it computes of each.
        first, second = (step, start) if any(isinstance(part, Invoke) for part in subexpressions(pattern.init)) else (start, step)
        for sized in self.sizes([(pattern.extent, goal.extent)], scope, state):
            for begun in self.match(*first, sized):
                yield from self.match(*second, begun)

    def kept(self, pattern: Select, goal: Select, filters: tuple[Filter, Filter], scope: Scope, state: State) -> Iterator[State]:
        """Elements at one place of two Filters: over as many indices, by their conditions and their elements."""
        left, right = filters
        inner = scope.enter((left.index,), (right.index,), (right.extent,))
        for placed in self.all(list(zip(pattern.indices, goal.indices, strict=True)), scope, state):
            for sized in self.sizes([(left.extent, right.extent)], scope, placed):
                yield from self.all([(left.cond, right.cond), (left.body, right.body)], inner, sized)

    def sizes(self, pairs: Sequence[tuple[Expr, Expr]], scope: Scope, state: State) -> Iterator[State]:
        """Extents: a parameter is bound, everything else is compared when the shapes are known."""
        if not pairs:
            yield state
            return
        (pattern, goal), *rest = pairs
        match pattern, goal:
            case (Var(), _) if pattern in self.params and pattern not in state.bound:
                known = replace(state, bound={**state.bound, pattern: Goal((), (), goal)})
                yield from self.sizes(rest, scope, known)
            case Apply(Operator.MIN, (one, other)), Apply(Operator.MIN, (first, second)):
                for low, high in ((first, second), (second, first)):
                    yield from self.sizes([(one, low), (other, high), *rest], scope, state)
            case _:
                later = replace(
                    self.decided(pattern, goal, scope, state), later=(*state.later, Later(pattern, goal, scope, True))
                )
                yield from self.sizes(rest, scope, later)

    def element(self, pattern: Select, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """A parameter applied to something else than binders: a window, an element of an array as it stands, or checked later."""
        if isinstance(pattern.tensor, Filter) and isinstance(goal, Select) and isinstance(goal.tensor, Filter):
            yield from self.kept(pattern, goal, (pattern.tensor, goal.tensor), scope, state)
        param = pattern.tensor
        if not isinstance(param, Var) or param not in self.params:
            return
        if param not in state.bound:
            yield from self.windowed(param, pattern, goal, scope, state)
        if isinstance(goal, Select) and len(goal.indices) == len(pattern.indices) and param not in state.bound:
            outside = free_vars(goal.tensor).isdisjoint(scope.extents) and isinstance(goal.tensor, Var)
            if outside and type_of(goal.tensor) == param.type:
                tensor = whole(goal.tensor)
                sizes = [state.shapes.get(Length(param, axis), size) for axis, size in enumerate(tensor.extents)]
                known = replace(state, bound={**state.bound, param: replace(tensor, extents=tuple(sizes))})
                yield from self.all(list(zip(pattern.indices, goal.indices, strict=True)), scope, known)
        yield replace(state, later=(*state.later, Later(pattern, goal, scope, False)))

    def windowed(self, param: Var, pattern: Select, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """The parameter as the tensor that is read at sums of binders."""
        known = self.known_sizes(state)
        known.update((old, Polynomial.atom(new)) for old, new in scope.names.items())
        indices = [Polynomial.of(index) for index in pattern.indices]
        if any(atom not in known for index in indices for atom in index.atoms):
            return
        found = window([index.substitute(known) for index in indices], goal, scope.extents)
        if found is None or not free_vars(found.body).isdisjoint(scope.accumulators):
            return
        if isinstance(param.type, TensorType) and type_of(goal) == param.type.element:
            extents = tuple(state.shapes.get(Length(param, axis), reach) for axis, reach in enumerate(found.reach))
            yield replace(state, bound={**state.bound, param: Goal(extents, found.binders, found.body)})

    # Sums and products

    def joined(self, pattern: Apply, goal: Expr, scope: Scope, state: State) -> Iterator[State]:
        """A sum against the terms of the goal, or a product against its factors, in any order."""
        take = sum_terms if pattern.op in SUMS else product_factors
        parts, found = take(pattern), take(goal)
        rigid = [part for part in parts if self.flexible(part[1], scope) is None]
        loose = [part for part in parts if self.flexible(part[1], scope) is not None]
        if len(found) < len(rigid):
            return
        yield from self.rigid_parts(rigid, loose, found, (pattern, scope), state)

    def rigid_parts(
        self, rigid: list[Signed], loose: list[Signed], found: list[Signed], where: tuple[Apply, Scope], state: State
    ) -> Iterator[State]:
        """Each rigid part takes one part of the goal, then the parameters share the rest."""
        if not rigid:
            yield from self.loose_parts(loose, found, where, state)
            return
        sign, part = rigid[0]
        for position, (other, term) in enumerate(found):
            if sign == other:
                for next_state in self.match(part, term, where[1], state):
                    yield from self.rigid_parts(rigid[1:], loose, [*found[:position], *found[position + 1 :]], where, next_state)

    def loose_parts(self, loose: list[Signed], found: list[Signed], where: tuple[Apply, Scope], state: State) -> Iterator[State]:
        """The parameters share what is left; those already bound, and those applied to few binders, choose first."""
        pattern, scope = where
        if not loose:
            if not found:
                yield state
            return

        def order(part: Signed) -> tuple[bool, int]:
            applied = self.flexible(part[1], scope)
            assert applied is not None
            return applied[0] not in state.bound, len(applied[1])

        sign, part = min(loose, key=order)
        rest = list(loose)
        rest.remove((sign, part))
        for taken, left in self.shares(part, found, len(rest), scope):
            term = self.rebuilt(pattern, sign, taken, part)
            if term is not None:
                for next_state in self.match(part, term, scope, state):
                    yield from self.loose_parts(rest, left, where, next_state)

    def shares(self, part: Expr, found: list[Signed], others: int, scope: Scope) -> Iterator[tuple[list[Signed], list[Signed]]]:
        """What a parameter may take and what it leaves: all that it can, the first, all but the last."""
        applied = self.flexible(part, scope)
        assert applied is not None
        free = [not any(b in free_vars(term) and b not in applied[1] for b in scope.extents) for _, term in found]
        can = [position for position, able in enumerate(free) if able]
        if not others:
            if len(can) == len(found):
                yield found, []
            return
        seen: set[tuple[int, ...]] = set()
        for choice in (can, can[:1], can[1:], can[:-1], []):
            if tuple(choice) in seen:
                continue
            seen.add(tuple(choice))
            left = [part for position, part in enumerate(found) if position not in choice]
            yield [found[position] for position in choice], left

    def rebuilt(self, pattern: Apply, sign: int, taken: list[Signed], part: Expr) -> Expr | None:
        """The term that a parameter takes, for its sign in the pattern; nothing is the neutral element, for scalars only."""
        signed = [(sign * own, term) for own, term in taken]
        sums = pattern.op in SUMS
        if not signed:
            return number(0 if sums else 1, type_of(part)) if isinstance(part, Var) else None
        if not sums and all(exponent < 0 for exponent, _ in signed) and not isinstance(type_of(part), RealType):
            return None
        return make_sum(signed) if sums else make_product(signed)


def _folds(args: Sequence[Expr], goal: Expr) -> Iterator[dict[Expr, Fold]]:
    """What a fold among the arguments of a function may be in the goal, of which it computes; there is one at most."""
    wanted = next((arg for arg in args if isinstance(arg, Fold)), None)
    if wanted is None:
        yield {}
        return
    for part in dict.fromkeys(subexpressions(goal)):
        if isinstance(part, Fold) and type_of(part) == type_of(wanted):
            yield {wanted: part}
