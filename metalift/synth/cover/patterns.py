"""The driver's operators as patterns: meanings at concrete types in normal form, found by the head of the goal."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from metalift.driver import Driver, Operator, Target
from metalift.ir.nodes import Apply, Build, Cast, Expr, Fold, Ite, Length, Select, Var, type_of
from metalift.ir.nodes import Call as CallNode
from metalift.ir.types import IntType, ScalarType, TensorType, Type
from metalift.ir.walk import children, subexpressions, substitute
from metalift.meaning.annotations import TypePattern, TypeVariable
from metalift.synth.cover.goal import Goal, canonical
from metalift.synth.cover.match import MAX_MATCHES, PRODUCTS, SUMS, Matcher, Scope, State
from metalift.synth.cover.normal import normal
from metalift.synth.cover.terms import as_reduction

ANYTHING: Hashable = "anything"  # the head of a pattern that may match any goal


@dataclass(frozen=True)
class Pattern:
    """An operator's meaning at concrete types. `flat`: one scalar operator on distinct parameters, matched as it is written."""

    operator: Operator
    params: tuple[Var, ...]
    extents: tuple[Expr, ...]
    binders: tuple[Var, ...]
    body: Expr
    requires: tuple[Expr, ...]
    flat: bool

    @property
    def heads(self) -> tuple[Hashable, ...]:
        """The heads of goals that it may match."""
        kind = head(self.body)
        if self.flat or kind not in SUMS | PRODUCTS:
            return (kind,)
        return (ANYTHING,)

    def matches(self, goal: Goal) -> Iterator[dict[Var, Goal]]:
        """What the parameters may be, for a goal of the pattern's rank (of any rank for an elementwise operator)."""
        elementwise = self.operator.elementwise
        frame = goal.binders if elementwise else self.binders
        matcher = Matcher(self.params, frame, elementwise=elementwise, flat=self.flat)
        scope = Scope({}, {}).enter(frame, goal.binders, goal.extents)
        start = [State()] if elementwise else matcher.sizes(list(zip(self.extents, goal.extents, strict=True)), scope, State())
        count = 0
        for begun in start:
            for state in matcher.match(self.body, goal.body, scope, begun):
                count += 1
                if count > MAX_MATCHES:
                    return
                if matcher.settled(state):
                    yield dict(state.bound)

    def gives(self, bound: Mapping[Var, Goal], goal: Goal) -> bool:
        """Whether the meaning on what the parameters are bound to is the goal as it stands."""
        if self.flat:
            return True
        if self.operator.elementwise:
            return normal(substitute(self.body, {param: part.body for param, part in bound.items()})) == goal.body
        meaning = Build(self.extents, self.binders, self.body) if self.binders else self.body
        return canonical(substitute(meaning, {param: part.expr for param, part in bound.items()})) == goal.key


def head(expr: Expr) -> Hashable:
    """What a pattern and its goals have in common at the top."""
    match expr:
        case Apply(op, _):
            return op
        case CallNode(function, _, _):
            return function
        case Fold():
            reduction = as_reduction(expr)
            return "fold" if reduction is None else ("fold", reduction.op)
        case Cast():
            return "cast"
        case Ite():
            return "choice"
        case Select():
            return "element"
        case _:
            return type(expr).__name__


class Patterns:
    """All operators of a driver for one target, at the types that occur in a function."""

    def __init__(self, driver: Driver, target: Target, universe: tuple[ScalarType, ...]) -> None:
        self.operators = [
            operator
            for operator in driver.operators.values()
            if operator.spelling(target.name) is not None or operator.spelling(target.name, on_numbers=True) is not None
        ]
        self.universe = universe
        self.stored = target.stored
        self._indexed: dict[ScalarType, dict[Hashable, list[Pattern]]] = {}

    def candidates(self, goal: Goal) -> Iterator[Pattern]:
        """Patterns with the goal's element type and head, and its rank or elementwise."""
        element = type_of(goal.body)
        assert not isinstance(element, TensorType)
        if not isinstance(element, ScalarType):
            return
        index = self._index(element)
        for kind in (head(goal.body), ANYTHING):
            for pattern in index.get(kind, ()):
                if pattern.operator.elementwise or len(pattern.binders) == goal.rank:
                    yield pattern

    def _index(self, element: ScalarType) -> dict[Hashable, list[Pattern]]:
        if element not in self._indexed:
            found: dict[Hashable, list[Pattern]] = {}
            for operator in self.operators:
                for pattern in self._patterns(operator, element):
                    if not self._computes(pattern):
                        continue
                    for kind in pattern.heads:
                        found.setdefault(kind, []).append(pattern)
            self._indexed[element] = found
        return self._indexed[element]

    def _computes(self, pattern: Pattern) -> bool:
        """Whether the operator is a conversion, or takes no elements of types that the target only stores."""
        types = {param.type.element if isinstance(param.type, TensorType) else param.type for param in pattern.params}
        return isinstance(pattern.body, Cast) or self.stored.isdisjoint(types)

    def _patterns(self, operator: Operator, element: ScalarType) -> Iterator[Pattern]:
        """The operator for each choice of its type variables that gives this element type."""
        result = operator.result.element
        fixed: dict[TypeVariable, ScalarType] = {}
        if isinstance(result, TypeVariable):
            if not result.kind.admits(element):
                return
            fixed[result] = element
        elif result != element:
            return
        free = [p.pattern.element for p in operator.params if isinstance(p.pattern.element, TypeVariable)]
        unknown = [variable for variable in dict.fromkeys(free) if variable not in fixed]
        choices = [[type_ for type_ in self.universe if variable.kind.admits(type_)] for variable in unknown]
        for chosen in product(*choices):
            yield make_pattern(operator, {**fixed, **dict(zip(unknown, chosen, strict=True))}, element)


def make_pattern(operator: Operator, types: dict[TypeVariable, ScalarType], element: ScalarType) -> Pattern:
    """The pattern of an operator at these types."""
    arg_types = tuple(concrete(param.pattern, types) for param in operator.params)
    instance = operator.meaning.instantiate(arg_types, element)
    body = normal(instance.body)
    extents: tuple[Expr, ...] = ()
    binders: tuple[Var, ...] = ()
    if isinstance(body, Build):
        extents, binders, body = body.extents, body.binders, body.body
    return Pattern(operator, instance.params, extents, binders, body, instance.requires, _is_flat(instance.params, body))


def concrete(pattern: TypePattern, types: dict[TypeVariable, ScalarType]) -> Type:
    """The type that a pattern stands for."""
    element = types[pattern.element] if isinstance(pattern.element, TypeVariable) else pattern.element
    return TensorType(element, pattern.rank) if pattern.rank else element


def _is_flat(params: tuple[Var, ...], body: Expr) -> bool:
    """Whether the body is one node on distinct scalar parameters."""
    parts = children(body)
    return bool(parts) and all(part in params for part in parts) and len(set(parts)) == len(parts) == len(params)


def scalar_types(*exprs: Expr) -> tuple[ScalarType, ...]:
    """The scalar types of all parts of the expressions, each once."""
    found: dict[ScalarType, None] = {}
    for expr in exprs:
        for sub in subexpressions(expr):
            type_ = type_of(sub)
            element = type_.element if isinstance(type_, TensorType) else type_
            if isinstance(element, ScalarType):
                found[element] = None
    return tuple(found)


def has_exact_tensors(*exprs: Expr) -> bool:
    """Whether some expression reads a tensor of integers without bound."""
    tensors = (sub.tensor for expr in exprs for sub in subexpressions(expr) if isinstance(sub, Select | Length))
    return any(isinstance(kind := type_of(tensor), TensorType) and isinstance(kind.element, IntType) for tensor in tensors)
