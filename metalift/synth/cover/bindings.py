"""What the parameters of an operator are bound to while its meaning is matched, and the sizes that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Lambda, Length, Operator, Select, Var, type_of
from metalift.ir.expr.types import INT, TensorType, is_integer
from metalift.ir.expr.walk import alpha_equal, free_vars, substitute
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, evaluate
from metalift.synth.cover.goal import Goal, renamed, same_size
from metalift.synth.cover.normal import normal
from metalift.synth.cover.windows import missing_atom, narrowed


@dataclass(frozen=True, slots=True)
class Scope:
    """The binders that are open: what a pattern's binder is in the goal, and the extents of the goal's binders."""

    names: Mapping[Var, Var]
    extents: Mapping[Var, Expr]
    accumulators: frozenset[Var] = frozenset()
    around: Expr | None = None  # the step of the goal's fold

    def enter(self, pattern: tuple[Var, ...], goal: tuple[Var, ...], extents: tuple[Expr, ...]) -> Scope:
        """The scope inside binders of both."""
        names = {**self.names, **dict(zip(pattern, goal, strict=True))}
        return replace(self, names=names, extents={**self.extents, **dict(zip(goal, extents, strict=True))})

    def where(self, cond: Expr) -> Scope:
        """The scope where the condition holds: binders that it bounds have smaller extents."""
        return replace(self, extents=narrowed(self.extents, cond))


@dataclass(frozen=True, slots=True)
class Later:
    """An equation that is checked when all parameters are bound: two sizes, or two terms."""

    pattern: Expr
    goal: Expr
    scope: Scope
    size: bool


@dataclass(frozen=True, slots=True)
class State:
    """What the parameters are bound to so far."""

    bound: Mapping[Var, Goal] = field(default_factory=dict)
    later: tuple[Later, ...] = ()
    shapes: Mapping[Length, Expr] = field(default_factory=dict)  # lengths of parameters that extents decide


class Bindings:
    """The parameters of one operator; scalar ones of an elementwise operator are applied to the `frame` of binders."""

    def __init__(
        self, params: tuple[Var, ...], frame: tuple[Var, ...], *, elementwise: bool, flat: bool, in_range: bool = False
    ) -> None:
        self.params = frozenset(params)
        self.frame = frame
        self.elementwise = elementwise
        self.flat = flat  # whether sums and products are matched as they are written
        self.in_range = in_range  # whether integers are taken to fit the parameters' types

    def flexible(self, pattern: Expr, scope: Scope) -> tuple[Var, tuple[Var, ...]] | None:
        """The parameter and the goal's binders that it is applied to; None where the pattern is something else."""
        if isinstance(pattern, Var) and pattern in self.params and not isinstance(pattern.type, TensorType):
            return pattern, tuple(scope.names[binder] for binder in self.frame) if self.elementwise else ()
        if isinstance(pattern, Select) and pattern.tensor in self.params and isinstance(pattern.tensor, Var):
            named = (scope.names.get(index) for index in pattern.indices if isinstance(index, Var))
            binders = tuple(binder for binder in named if binder is not None and binder not in scope.accumulators)
            if len(binders) == len(pattern.indices) == len(set(binders)):
                return pattern.tensor, binders
        return None

    def bind(self, param: Var, binders: tuple[Var, ...], term: Expr, scope: Scope, state: State) -> Iterator[State]:
        """Binds the parameter to the term as a function of the binders."""
        wanted = param.type.element if isinstance(param.type, TensorType) else param.type
        free = free_vars(term)
        if not free.isdisjoint(scope.accumulators) or any(b in free and b not in binders for b in scope.extents):
            return
        if type_of(term) != wanted:
            if wanted != INT or not is_integer(type_of(term)):
                return
            term = Cast(term, INT)
        extents = tuple(self.extent(param, axis, binder, scope, state) for axis, binder in enumerate(binders))
        known = state.bound.get(param)
        if any(extent is None for extent in extents):
            return
        goal = Goal(tuple(extent for extent in extents if extent is not None), binders, term)
        if known is None:
            yield replace(state, bound={**state.bound, param: goal})
        elif renamed(known, binders) == term and all(map(same_size, known.extents, goal.extents)):
            yield state

    def extent(self, param: Var, axis: int, binder: Var, scope: Scope, state: State) -> Expr | None:
        """How many elements the parameter has along an axis; a range that depends on other binders does not tell."""
        own = scope.extents[binder]
        known = state.shapes.get(Length(param, axis))
        return own if known is None and free_vars(own).isdisjoint(scope.extents) else known

    @staticmethod
    def bind_function(function: Var, made: Lambda, state: State) -> Iterator[State]:
        """Binds a parameter that is a function; where it is called several times, it is the same."""
        known = state.bound.get(function)
        if known is None:
            yield replace(state, bound={**state.bound, function: Goal((), (), made)})
        elif alpha_equal(known.body, made):
            yield state

    def decided(self, pattern: Expr, goal: Expr, scope: Scope, state: State) -> State:
        """The state with the length of a parameter, or the size that is one, where all else in the equation is known."""
        if not free_vars(goal).isdisjoint(scope.extents):
            return state
        found = missing_atom(Polynomial.of(pattern), Polynomial.of(goal), self.known_sizes(state))
        match found:
            case (Length(Var() as param) as length, value) if param in self.params:
                return replace(state, shapes={**state.shapes, length: value.to_expr()})
            case (Var() as param, value) if param in self.params:
                return replace(state, bound={**state.bound, param: Goal((), (), value.to_expr())})
            case _:
                return state

    @staticmethod
    def same_lengths(requires: tuple[Expr, ...], state: State) -> State:
        """The state with lengths of parameters that have to be those of others."""
        shapes = dict(state.shapes)
        for cond in requires:
            match cond:
                case Apply(Operator.EQ, (Length() as one, Length() as other)):
                    for known, length in ((one, other), (other, one)):
                        if known in shapes:
                            shapes.setdefault(length, shapes[known])
        return replace(state, shapes=shapes)

    def known_sizes(self, state: State) -> dict[Expr, Polynomial]:
        """The lengths of parameters, and the parameters that are sizes, as far as they are known."""
        known: dict[Expr, Polynomial] = {length: Polynomial.of(size) for length, size in state.shapes.items()}
        for param, goal in state.bound.items():
            if param.type == INT:
                known[param] = Polynomial.of(goal.body)
            for axis, extent in enumerate(goal.extents):
                known.setdefault(Length(param, axis), Polynomial.of(extent))
        return known

    @staticmethod
    def computed(pattern: Expr, state: State) -> int | None:
        """The number that it is, where it is computed from parameters that are known numbers."""
        bodies = {param: normal(goal.body) for param, goal in state.bound.items() if param.type == INT and not goal.binders}
        known = {param: body for param, body in bodies.items() if isinstance(body, Const)}
        if not free_vars(pattern) or not free_vars(pattern) <= known.keys():
            return None
        try:
            value = evaluate(pattern, {param.name: body.value for param, body in known.items()})
        except (SourceUndefined, LimitExceeded):
            return None
        return value if isinstance(value, int) else None

    def is_size(self, pattern: Expr, state: State) -> bool:
        """Whether it is computed from lengths of parameters, or from sizes that are known."""
        atoms = Polynomial.of(pattern).atoms
        lengths = [atom for atom in atoms if isinstance(atom, Length) and atom.tensor in self.params]
        others = [atom for atom in atoms if atom not in lengths]
        return bool(lengths or others) and all(atom in self.params and (lengths or atom in state.bound) for atom in others)

    def completed(self, state: State) -> State:
        """The state with sizes that follow from what was put off."""
        for each in state.later:
            if each.size:
                state = self.decided(each.pattern, each.goal, each.scope, state)
        return state

    def settled(self, state: State) -> bool:
        """Whether what was put off holds, now that the parameters are bound."""
        if not all(param in state.bound for param in self.params):
            return False
        return all(self._size_holds(each, state) if each.size else self._term_holds(each, state) for each in state.later)

    def _size_holds(self, later: Later, state: State) -> bool:
        pattern = self.instance(later.pattern, later.scope, state)
        return pattern is not None and is_integer(type_of(pattern)) and same_size(pattern, normal(later.goal))

    def _term_holds(self, later: Later, state: State) -> bool:
        pattern = self.instance(later.pattern, later.scope, state)
        return pattern is not None and normal(pattern) == later.goal

    def instance(self, pattern: Expr, scope: Scope, state: State) -> Expr | None:
        """The pattern with what the parameters are bound to."""
        values: dict[Var, Expr] = {param: goal.expr for param, goal in state.bound.items()}
        if self.elementwise:
            return None
        names: dict[Var, Expr] = {old: new for old, new in scope.names.items()}
        return normal(substitute(pattern, {**values, **names}))
