"""The driver's operators as patterns: meanings at concrete types in normal form, found by the head of the goal."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from metalift.driver import Driver, Operator, Target
from metalift.driver.meaning.language import TypePattern, TypeVariable
from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.nodes import Apply, Build, Cast, Const, Expr, Filter, Fold, Invoke, Ite, Length, Select, Var, type_of
from metalift.ir.expr.nodes import Call as CallNode
from metalift.ir.expr.nodes import Operator as Operators
from metalift.ir.expr.types import INT, FunctionType, MachineInt, ScalarType, TensorType, Type, element_of, is_integer
from metalift.ir.expr.walk import children, free_vars, subexpressions, substitute, transform
from metalift.ir.interp.identities import PART
from metalift.synth.cover.bindings import Scope, State
from metalift.synth.cover.configured import Template, inward
from metalift.synth.cover.goal import Goal, canonical, filtered, is_filtered
from metalift.synth.cover.match import MAX_MATCHES, PRODUCTS, SUMS, SYMMETRIC, Matcher
from metalift.synth.cover.normal import normal
from metalift.synth.cover.regrouped import REDUCTIONS, as_reduction

_COMPARISONS = frozenset({Operators.LT, Operators.LE, Operators.EQ})
_COMMUTE = SYMMETRIC | {Operators.ADD, Operators.MUL}
ANYTHING: Hashable = "anything"  # the head of a pattern that may match any goal


@dataclass(frozen=True)
class Pattern:
    """An operator's meaning at concrete types. `flat`: one scalar operator on distinct parameters, matched as it is written.

    `in_range`: without the bounds that the meaning puts on what it computes; that they do not matter is for the prover to show.
    """

    operator: Operator
    params: tuple[Var, ...]
    extents: tuple[Expr, ...]
    binders: tuple[Var, ...]
    body: Expr
    requires: tuple[Expr, ...]
    flat: bool
    in_range: bool = False

    @property
    def heads(self) -> tuple[Hashable, ...]:
        """The heads of goals that it may match."""
        kind = head(self.body)
        if isinstance(self.body, Invoke):
            return (ANYTHING,)
        if isinstance(self.body, Fold) and isinstance(self.body.body, Invoke):
            return (kind, *(("fold", op) for op in REDUCTIONS))
        if self.flat or kind not in SUMS | PRODUCTS:
            return (kind, *self.exact_heads)
        return (ANYTHING,)

    @property
    def exact_heads(self) -> tuple[Hashable, ...]:
        """The heads of goals that compute in a machine type what the meaning computes in exact integers."""
        match self.body:
            case Cast(Apply() | Fold() | Ite() as arg, MachineInt()) if type_of(arg) == INT:
                kind = head(arg)
                return (*SUMS,) if kind in SUMS else (*PRODUCTS,) if kind in PRODUCTS else (kind,)
            case _:
                return ()

    @property
    def commutes(self) -> bool:
        """Whether its two arguments may change places."""
        return self.flat and isinstance(self.body, Apply) and self.body.op in _COMMUTE and self.body.args == self.params[:2]

    def matches(self, goal: Goal) -> Iterator[dict[Var, Goal]]:
        """What the parameters may be, for a goal of the pattern's rank (of any rank for an elementwise operator)."""
        elementwise = self.operator.elementwise
        frame = goal.binders if elementwise else self.binders
        matcher = Matcher(self.params, frame, elementwise=elementwise, flat=self.flat, in_range=self.in_range)
        scope = Scope({}, {}).enter(frame, goal.binders, goal.extents)
        if elementwise or is_filtered(self.body):  # a filter's length follows from its condition
            start: Iterable[State] = (State(),)
        else:
            start = matcher.sizes(list(zip(self.extents, goal.extents, strict=True)), scope, State())
        count = 0
        for begun in start:
            for state in matcher.match(self.body, goal.body, scope, matcher.same_lengths(self.requires, begun)):
                count += 1
                if count > MAX_MATCHES:
                    return
                completed = matcher.completed(state)
                if matcher.settled(completed):
                    yield dict(completed.bound)

    def gives(self, bound: Mapping[Var, Goal], goal: Goal) -> bool:
        """Whether the meaning on what the parameters are bound to is the goal as it stands."""
        if self.flat:
            return True
        if self.operator.elementwise:
            return normal(substitute(self.body, {param: part.body for param, part in bound.items()})) == goal.body
        meaning = Build(goal.extents, self.binders, self.body) if self.binders else self.body  # the sizes are known to be equal
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
        case Select(Filter()):
            return "filter"
        case Select():
            return "element"
        case _:
            return type(expr).__name__


class Patterns:
    """All operators of a driver for one target, at the types that occur in a function."""

    def __init__(
        self, driver: Driver, target: Target, universe: tuple[ScalarType, ...], without: frozenset[str] = frozenset()
    ) -> None:
        """`without` names operators that are left out."""
        self.operators = [
            each
            for each in driver.operators.values()
            if each.name not in without
            and (each.spelling(target.name) is not None or each.spelling(target.name, on_numbers=True) is not None)
        ]
        self.universe = universe
        self.stored = target.stored
        self._written: dict[tuple[str, Type], list[tuple[tuple[Var, ...], Expr]]] = {}
        self._indexed: dict[tuple[ScalarType, int], dict[Hashable, list[Pattern]]] = {}

    def candidates(self, goal: Goal) -> Iterator[Pattern]:
        """Patterns with the goal's element type and head, and its rank or elementwise."""
        element = type_of(goal.body)
        assert not isinstance(element, TensorType)
        if not isinstance(element, ScalarType):
            return
        index = self._index(element, goal.rank)
        for kind in (head(goal.body), ANYTHING):
            yield from index.get(kind, ())

    def _index(self, element: ScalarType, rank: int) -> dict[Hashable, list[Pattern]]:
        if (element, rank) not in self._indexed:
            found: dict[Hashable, list[Pattern]] = {}
            for operator in self.operators:
                if operator.configured or (not operator.elementwise and operator.result.rank != rank):
                    continue
                for types in self._types(operator, element):
                    made = variants(operator, types, element)
                    for variant in made if self._computes(made[0]) else ():
                        for kind in variant.heads:
                            found.setdefault(kind, []).append(variant)
            self._indexed[element, rank] = found
        return self._indexed[element, rank]

    def templates(self, result: Type, held: tuple[Expr, ...]) -> Iterator[Template]:
        """The operators with holes that give the type and keep these cells."""
        for operator in self.operators:
            if not operator.configured or len(operator.holds) != len(held):
                continue
            for params, body in self._meanings(operator, result):
                cells = [param.type for name in operator.holds for param in params if param.name == name]
                if cells == [type_of(cell) for cell in held]:
                    yield Template(operator, params, body, held)

    def _meanings(self, operator: Operator, result: Type) -> list[tuple[tuple[Var, ...], Expr]]:
        """The parameters and the body, as it is written, for each choice of type variables that gives the type."""
        if (operator.name, result) not in self._written and isinstance(result, ScalarType):
            choices = (tuple(concrete(p.pattern, types) for p in operator.params) for types in self._types(operator, result))
            instances = [operator.instantiate(arg_types, result) for arg_types in choices]
            self._written[operator.name, result] = [(each.params, inward(each.body)) for each in instances]
        return self._written.get((operator.name, result), [])

    def _computes(self, pattern: Pattern) -> bool:
        """Whether the operator is a conversion, or takes no elements of types that the target only stores."""
        types = {param.type.element if isinstance(param.type, TensorType) else param.type for param in pattern.params}
        converts = isinstance(pattern.body, Cast) and not isinstance(pattern.body.arg, Apply)
        return converts or self.stored.isdisjoint(types)

    def _types(self, operator: Operator, element: ScalarType) -> Iterator[dict[TypeVariable, ScalarType]]:
        """The choices of an operator's type variables that give this element type."""
        result = operator.result.element
        fixed: dict[TypeVariable, ScalarType] = {}
        if isinstance(result, TypeVariable):
            if not result.kind.admits(element):
                return
            fixed[result] = element
        elif result != element:
            return
        free = [variable for param in operator.params for variable in param.pattern.variables]
        unknown = [variable for variable in dict.fromkeys(free) if variable not in fixed]
        choices = [[type_ for type_ in self.universe if variable.kind.admits(type_)] for variable in unknown]
        for chosen in product(*choices):
            yield {**fixed, **dict(zip(unknown, chosen, strict=True))}


def variants(operator: Operator, types: dict[TypeVariable, ScalarType], element: ScalarType) -> tuple[Pattern, ...]:
    """The pattern of an operator at these types, and what it is without bounds."""
    arg_types = tuple(concrete(param.pattern, types) for param in operator.params)
    if (arg_types, element) not in operator.patterns:
        pattern = make_pattern(operator, arg_types, element)
        operator.patterns[arg_types, element] = (pattern, *without_bounds(pattern))
    found: tuple[Pattern, ...] = operator.patterns[arg_types, element]
    return found


def make_pattern(operator: Operator, arg_types: tuple[Type, ...], element: ScalarType) -> Pattern:
    """The pattern of an operator at these types."""
    instance = (operator.meaning if operator.elementwise else operator).instantiate(arg_types, element)
    body = normal(instance.body)
    extents: tuple[Expr, ...] = ()
    binders: tuple[Var, ...] = ()
    if isinstance(body, Build):
        extents, binders, body = body.extents, body.binders, body.body
    elif isinstance(body, Filter):
        kept = filtered(body)
        extents, binders, body = kept.extents, kept.binders, kept.body
    return Pattern(operator, instance.params, extents, binders, body, instance.requires, _is_flat(instance.params, body))


def without_bounds(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern for values that the meaning's saturation does not change, where it saturates integers."""
    body = transform(_unbounded, pattern.body)
    if body != pattern.body and not isinstance(strip_casts(body), Var | Select | Const):
        yield replace(pattern, body=body, flat=False, in_range=True)


def _unbounded(expr: Expr) -> Expr:
    match expr:
        case Apply(Operators.MIN, (Apply(Operators.MAX, (value, Const())), Const())) if is_integer(type_of(value)):
            return value
        case _:
            return expr


def concrete(pattern: TypePattern, types: dict[TypeVariable, ScalarType]) -> Type:
    """The type that a pattern stands for."""
    element, *takes = (types[each] if isinstance(each, TypeVariable) else each for each in (pattern.element, *pattern.takes))
    if takes:
        return FunctionType(tuple(takes), element)
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
    """Whether there is a tensor of integers without bound: read, as such a part of records, or as a number for each element."""
    parts = [sub for expr in exprs for sub in subexpressions(expr)]
    read = (type_of(sub.tensor) if isinstance(sub, Select | Length) else type_of(sub) for sub in parts if _reads(sub))
    return any(element_of(type_) == INT for type_ in read) or any(map(_numbers_elements, parts))


def _numbers_elements(expr: Expr) -> bool:
    """Whether a fold asks for an integer that another one computes for each index, or a tensor for one of so many elements."""
    if isinstance(expr, Build):
        inner = [sub for sub in subexpressions(expr.body) if isinstance(sub, Fold)]
        return any(type_of(sub) == INT and not free_vars(sub.extent).isdisjoint(expr.binders) for sub in inner)
    if not isinstance(expr, Fold | Filter):
        return False
    inner = [sub for child in children(expr) for sub in subexpressions(child) if isinstance(sub, Fold)]
    return any(type_of(sub) == INT and expr.index in free_vars(sub) for sub in inner)


def compares_folds(*exprs: Expr) -> bool:
    """Whether some expression compares an integer without bound that is computed of elements, such as how many there are."""
    compared = (sub.args for expr in exprs for sub in subexpressions(expr) if isinstance(sub, Apply) and sub.op in _COMPARISONS)
    return any(isinstance(arg, Fold) and type_of(arg) == INT for args in compared for arg in args)


def _reads(expr: Expr) -> bool:
    return isinstance(expr, Select | Length) or (isinstance(expr, CallNode) and expr.function.startswith(PART))
