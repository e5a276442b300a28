"""Expressions of a program as Python syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from metalift.codegen.known_sizes import Facts
from metalift.codegen.names import Names, stem
from metalift.codegen.numbers import number_apply, number_cast, number_constant, number_function
from metalift.codegen.plain_numbers import Numbers
from metalift.codegen.request import CannotSpell
from metalift.codegen.simpler_python import plain
from metalift.codegen.spelled_lists import Lists
from metalift.codegen.spread import Collections, as_pair
from metalift.codegen.views import Size, Views, accesses
from metalift.driver import Driver, Layout, Operator, Target
from metalift.driver.expansion import expand
from metalift.driver.meaning.reduce import reduce_head
from metalift.driver.templates import call, constant, fill_template, name, placeholder_counts, subscript, tuple_of, used_names
from metalift.ir.arith.intervals import Interval, interval, type_range
from metalift.ir.arith.polynomial import Polynomial, strip_casts, widens
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Select,
    Var,
    type_of,
)
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import (
    DOUBLE,
    INT,
    INT64,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    Type,
    is_integer,
    show_type,
)
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.identities import WHOLE
from metalift.ir.program.summary import Let

VIEW_NAMES = frozenset(
    "T mT view reshape ravel flatten unflatten transpose permute swapaxes moveaxis flip expand expand_as broadcast_to squeeze "
    "unsqueeze as_strided diagonal real imag narrow select unfold asarray astype to type contiguous detach".split()
)
_SPELLED = "spelled "
UINT64 = MachineInt(64, False)
WIDE = (INT, DOUBLE, INT64, UINT64)
NATURAL = frozenset(MachineInt(bits, False) for bits in (8, 16, 32))  # of fewer bits than the integers in a column


@dataclass(frozen=True)
class Spelled:
    """A spelled expression: `number` is a plain Python number, no tensor; `aliases` are the arrays whose memory it may share."""

    tree: ast.expr
    number: bool = False
    aliases: frozenset[str] = frozenset()
    lengths: tuple[Size | None, ...] = ()


class Printer:
    """Spells expressions in one target; `values` says what the names of the program are in the text."""

    def __init__(self, driver: Driver, target: Target, facts: Facts, hoist: Callable[[str, ast.expr], ast.expr]) -> None:
        self.driver = driver
        self.target = target
        self.values: dict[str, Spelled] = {}
        self.numbers = Numbers(facts, self._keep)
        self.decisive: frozenset[Expr] = frozenset()  # what the source computes on every run
        self.wide = False  # whether an element type of 64 bits was named
        self.groups_of: Callable[[Operator, Call], ast.expr] | None = None  # the groups of an operator's collection
        self.hoist = hoist
        self.spellings: dict[str, Callable[[], ast.expr]] = {}  # of values that are no operators, by their functions' names
        self._bound: frozenset[str] = frozenset()  # names that lambdas around bind
        self._hoisted: frozenset[str] = frozenset()  # names of what is computed before a statement
        self._spreads = False  # whether a single element may be spelled as a slice, which broadcasts
        self._facts = facts
        self._known_ranges: dict[Expr, Interval] = {}  # of lengths of named tensors, and of values of groups
        self._views: Views | None = None
        self._computed: dict[str, ast.expr] = {}  # what has a name where nothing changes arrays, by how it is computed

    def learn_lengths(self, let: Let) -> None:
        """Remembers between which numbers the lengths of a named tensor lie."""
        assert isinstance(let.var.type, TensorType)
        for axis in range(let.var.type.rank):
            length = expand(Length(let.value, axis), self.driver)
            self._known_ranges[Length(let.var, axis)] = interval(length)

    def learn_value(self, var: Var, value: Expr) -> None:
        """Remembers between which numbers a value of a group lies."""
        if is_integer(var.type):
            self._known_ranges[var] = interval(expand(value, self.driver))

    @property
    def layout(self) -> Layout:
        """How the target spells views."""
        if self.target.layout is None:
            raise CannotSpell(f"the target {self.target.name} has no tensors")
        return self.target.layout

    @property
    def views(self) -> Views:
        """The speller of views."""
        if self._views is None:
            kind = Collections if self.layout.part else Lists if self.layout.lists else Views
            self._views = kind(self.layout, self._facts, self.polynomial, self._keep)
        return self._views

    def _keep(self, wanted: str, tree: ast.expr) -> ast.expr:
        """A name for what is needed more than once; what depends on the parameter of a lambda is written again."""
        return tree if used_names(tree) & self._bound else self._outside(wanted, tree)

    def _outside(self, wanted: str, tree: ast.expr) -> ast.expr:
        """A name for what is computed before the statement, which no lambda around binds and none that follows."""
        key = ast.dump(tree)
        if key in self._computed:
            return self._computed[key]
        found = self.hoist(Names(self._bound).take(wanted), tree)
        if used_names(found) & self._bound:
            raise CannotSpell("too many names for parts of one statement")
        self._hoisted |= used_names(found)
        if self.layout.immutable:
            self._computed[key] = found
        return found

    def forget(self) -> None:
        """What was computed may be something else from here on: a name of an array stands for another one."""
        self._computed.clear()

    def polynomial(self, value: Polynomial) -> ast.expr:
        """An integer over scalar parameters and lengths, as a plain number."""
        spelled = self.spell(value.to_expr())
        if not spelled.number:
            raise CannotSpell("a size or an offset depends on computed data")
        return spelled.tree

    def number(self, expr: Expr) -> ast.expr:
        """An expression that has to be a plain number."""
        spelled = self.spell(expr)
        if not spelled.number:
            raise CannotSpell("a plain number is needed where a value depends on the contents of arrays")
        return spelled.tree

    def dtype(self, type_: Type) -> ast.expr:
        """The target's name of an element type."""
        element = scalar_of(type_)
        spelling = self.target.dtypes.get(element)
        if spelling is None:
            raise CannotSpell(f"the target {self.target.name} has no element type for {show_type(element)}")
        self.wide = self.wide or element in WIDE
        return fill_template(spelling, {})

    def spell(self, expr: Expr) -> Spelled:  # noqa: C901 (one case for each node)
        """The expression as a tree."""
        match expr:
            case Var(called, _):
                if called not in self.values:
                    raise CannotSpell(f"{called} is not a parameter and has no value in the program")
                return self.values[called]
            case Const(value, type_):
                return Spelled(number_constant(value, type_), number=True)
            case Length(tensor, axis):
                return self._length(tensor, axis)
            case Call():
                return self._call(expr)
            case Build(extents, binders, body):
                return self.build(extents, binders, body)
            case Select(tensor, indices):
                return self._element(tensor, indices)
            case Apply() | Cast() | Ite():
                return self._scalar(expr)
            case MakeTuple() | Item():
                return self._tuple(expr)
            case Lambda():
                return self._lambda(expr)
            case _:
                raise CannotSpell(f"a {type(expr).__name__.lower()} is left over; only operators of the driver have spellings")

    def _lambda(self, expr: Lambda) -> Spelled:
        """A function of plain numbers, or of columns, which gives a column."""
        taken = frozenset(each for value in self.values.values() for each in used_names(value.tree)) | set(self.target.imports)
        names = Names(taken | self._bound | self._hoisted)
        params = {param.name: names.take(stem(param.name)) for param in expr.params}
        number = not self.layout.columns
        given = {old: Spelled(name(new), number=number) for old, new in params.items()}
        body = self.inside(expr.body, given, params.values())
        if self.layout.literal and free_vars(expr.body).isdisjoint(expr.params):
            body = fill_template(self.layout.literal, {"value": body})
        args = ast.arguments(
            posonlyargs=[], args=[ast.arg(arg=each) for each in params.values()], kwonlyargs=[], kw_defaults=[], defaults=[]
        )
        return Spelled(ast.Lambda(args=args, body=body))

    def inside(self, expr: Expr, given: Mapping[str, Spelled], bound: Iterable[str]) -> ast.expr:
        """The body of a function that binds names; `given` says what variables are there."""
        values, outside = self.values, self._bound
        self.values, self._bound = {**values, **given}, outside.union(bound)
        tree = self.spell(expr).tree
        self.values, self._bound = values, outside
        return tree

    def _tuple(self, expr: MakeTuple | Item) -> Spelled:
        if isinstance(expr, MakeTuple):
            return Spelled(tuple_of([self.spell(item).tree for item in expr.items]))
        return Spelled(subscript(self.spell(expr.tuple).tree, [constant(expr.position)]))

    def _length(self, tensor: Expr, axis: int) -> Spelled:
        reduced = reduce_head(Length(tensor, axis))
        if not isinstance(reduced, Length):
            return self.spell(reduced)
        tree = self.spell(tensor).tree
        if axis == 0:
            return Spelled(fill_template(self.layout.length, {"x": tree}), number=True)
        if self.layout.lists:
            if axis > 1:
                raise CannotSpell("the extent of lists of lists of lists")
            row = call("len", subscript(tree, [constant(0)]))
            return Spelled(ast.IfExp(test=tree, body=row, orelse=constant(0)), number=True)
        shape = ast.Attribute(value=tree, attr="shape", ctx=ast.Load())
        return Spelled(subscript(shape, [constant(axis)]), number=True)

    def _element(self, tensor: Expr, indices: tuple[Expr, ...]) -> Spelled:
        reduced = reduce_head(Select(tensor, indices))
        match reduced:
            case Select(Var() as array, (index,)) if self._spreads:
                base = self.spell(array)
                return Spelled(self.views.element(base.tree, Polynomial.of(index)), aliases=base.aliases)
            case Select():
                return self.build((), (), reduced)
            case _:
                return self.spell(reduced)

    # Scalars

    def _scalar(self, expr: Apply | Cast | Ite) -> Spelled:
        match expr:
            case Cast(Cast(arg, IntType()), type_) if type_of(arg) == type_:
                return self._size(self.spell(arg))
            case Cast(arg, type_):
                value, source = self.spell(arg), type_of(arg)
                if self._fits(arg, type_) if value.number else self._holds(arg, type_):
                    return value
                return self._convert(value, source, type_)
            case Apply(_, args) if (decided := self.numbers.decided(expr)) is not None:
                return self.spell(args[decided])
            case Apply(op, args):
                parts = [self.spell(arg) for arg in args]
                numbers = all(part.number for part in parts)
                tree = number_apply(op, [part.tree for part in parts], plain=numbers)
                if tree is not None and numbers and op in (Op.TDIV, Op.TREM) and not self._is_settled(expr):
                    tree = self.numbers.total_quotient(tree, parts[1].tree)
            case Ite(cond, then, other):
                parts = [self.spell(part) for part in (cond, then, other)]
                numbers = all(part.number for part in parts)
                tree = ast.IfExp(test=parts[0].tree, body=parts[1].tree, orelse=parts[2].tree) if numbers else None
        if tree is None:
            what = expr.op.value if isinstance(expr, Apply) else "a choice"
            raise CannotSpell(f"{what} on computed values has no spelling; the driver needs an operator for it")
        return Spelled(self._total(expr, tree) if numbers else tree, number=numbers)

    def _total(self, expr: Expr, tree: ast.expr) -> ast.expr:
        """An operation on plain numbers as text that does not raise.

        In functions of elements it is computed only where the source does it, too; there floats can be infinite all the same.
        """
        quotient = isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div)
        return tree if self._is_settled(expr) and not quotient else self.numbers.total(tree)

    def _is_settled(self, expr: Expr) -> bool:
        """Whether the source computes it wherever the text does."""
        return expr in self.decisive or bool(self._bound)

    def _fits(self, arg: Expr, target: Type) -> bool:
        """Whether an integer is one of the target type, too."""
        both = is_integer(type_of(arg)) and is_integer(target)
        return both and interval(expand(arg, self.driver), self._known_ranges).within(type_range(target))

    def _holds(self, arg: Expr, target: Type) -> bool:
        """Whether an exact integer in a column, which has 64 bits, is one of the target type, too."""
        if self.target.layout is None or not self.layout.columns or type_of(arg) != INT or not is_integer(target):
            return False
        values = interval(expand(arg, self.driver), self._known_ranges)
        return values.nonnegative if target == UINT64 else values.within(type_range(target))

    def _size(self, value: Spelled) -> Spelled:
        """An integer as a plain number."""
        tree = value.tree if value.number else fill_template(self.layout.size, {"x": value.tree})
        return Spelled(tree, number=True)

    def _convert(self, value: Spelled, source: Type, target: Type) -> Spelled:
        if source == target or (is_integer(source) and target == INT):
            return value
        if not value.number and self.target.converts_nothing(source, target):
            return value
        if not value.number and source == INT and target == INT64 and self.target.holds_alike(source, target):
            return value
        if value.number:
            convert = partial(number_cast, source=source, target=target)
            rounds = isinstance(source, RealType) and is_integer(target)
            return Spelled(self.numbers.as_integer(value.tree, convert) if rounds else convert(value.tree), number=True)
        if isinstance(target, RealType) and isinstance(source, RealType) and not target.bits:
            return value
        if self.layout.low_bits and is_integer(source) and target in NATURAL:
            assert isinstance(target, MachineInt)
            tree = fill_template(self.layout.low_bits, {"x": value.tree, "bits": constant(target.bits)})
            return Spelled(tree, lengths=value.lengths)
        template = self.layout.cast or (self.layout.to_real if isinstance(target, RealType) and is_integer(source) else "")
        if not template:
            raise CannotSpell(f"the target {self.target.name} has no conversion to {show_type(target)}")
        tree = fill_template(template, {"x": value.tree, "dtype": self.dtype(target)})
        return Spelled(tree, lengths=value.lengths)

    # Operators

    def _call(self, expr: Call) -> Spelled:
        operator = self.driver.operators.get(expr.function)
        if operator is None:
            return self._function(expr)
        if self.target.layout is not None and self.target.layout.pair:
            expr = replace(expr, args=tuple(as_pair(expr.args)))
        if self._bound and self.layout.part and any(isinstance(type_of(arg), TensorType) for arg in expr.args):
            raise CannotSpell("a value of a whole collection, such as whether it has one, in a function of elements")
        if operator.groups:
            return self._of_groups(operator, expr)
        args = self._arguments(operator, expr)
        if self._changes_nothing(operator, expr) and not args[0].number:
            return args[0]
        numbers = tuple(arg.number for arg in args)
        template = operator.spelling(self.target.name, on_numbers=True) if all(numbers) else None
        on_numbers = template is not None
        if template is None:
            template = operator.spelling(self.target.name)
            if not operator.takes(self.target, numbers):
                pairs = zip(args, operator.params, expr.args, strict=True)
                args = [arg if param.name in operator.numbers else self._as_tensor(arg, type_of(e)) for arg, param, e in pairs]
        if template is None:
            raise CannotSpell(f"the operator {operator.name} has no spelling for the target {self.target.name}")
        tree = self._filled(template, operator, args, expr.type)
        if on_numbers:
            return Spelled(self._total(expr, tree), number=True)
        lengths = next((arg.lengths for arg in args if arg.lengths), ()) if operator.elementwise else self._lengths(expr)
        copies = isinstance(tree, ast.Subscript) and any(tree.slice is arg.tree for arg in args if not arg.number)
        views = may_be_view(tree) and not copies
        aliases = frozenset(alias for arg in args for alias in arg.aliases) if views else frozenset[str]()
        number = self.target.lists and not isinstance(expr.type, TensorType) and not self._has_column(args, expr)
        return Spelled(tree, number, aliases, lengths)

    def _of_groups(self, operator: Operator, expr: Call) -> Spelled:
        """One value of all groups of a collection."""
        template = operator.spelling(self.target.name)
        if template is None or self.groups_of is None:
            raise CannotSpell(f"the operator {operator.name} has no spelling for the target {self.target.name}")
        pairs = zip(operator.params, expr.args, strict=True)
        trees = {param.name: self.spell(arg).tree for param, arg in pairs if not isinstance(arg, Lambda)}
        groups = self.groups_of(operator, expr)
        trees[operator.params[-1].name] = self._keep("values" if len(operator.groups) == 3 else "keys", groups)
        return Spelled(fill_template(template, trees), number=True)

    def _is_given(self, arg: Expr) -> bool:
        """Whether a collection is an argument of the function."""
        return isinstance(arg, Var) and arg.name in self.values and arg.name in self.values[arg.name].aliases

    def _has_column(self, args: Sequence[Spelled], expr: Call) -> bool:
        """Whether an argument is a column, and the result with it."""
        scalar = [arg for arg, each in zip(args, expr.args, strict=True) if isinstance(type_of(each), ScalarType)]
        return self.layout.columns and not all(arg.number for arg in scalar)

    def _changes_nothing(self, operator: Operator, expr: Call) -> bool:
        """Whether it converts integers without bound to the type that holds them."""
        if len(expr.args) != 1 or not operator.elementwise:
            return False
        source, target = scalar_of(type_of(expr.args[0])), scalar_of(expr.type)
        if source != INT or not self.target.holds_alike(source, target):
            return False
        instance = operator.instantiate((source,), target)
        return isinstance(instance.body, Cast) and instance.body.arg == instance.params[0]

    def _arguments(self, operator: Operator, expr: Call) -> list[Spelled]:
        """The arguments; below an elementwise operator on vectors, single elements are spread over these."""
        for param, arg in zip(operator.params, expr.args, strict=True):
            if param.name in operator.counted and not self._is_given(arg):
                raise CannotSpell("the places of elements in a collection that is computed itself")
        outside = self._spreads
        type_ = expr.type
        self._spreads = operator.elementwise and (type_.rank == 1 if isinstance(type_, TensorType) else outside)
        args = self._broadcast(expr.args) if operator.elementwise else [self.spell(arg) for arg in expr.args]
        self._spreads = outside
        return [self._as_column(arg) for arg in args] if operator.name.startswith(WHOLE) and self.layout.columns else args

    def _function(self, expr: Call) -> Spelled:
        """A mathematical function that is no operator of the driver: of plain numbers only."""
        if expr.function in self.spellings:
            return Spelled(self.spellings[expr.function]())
        args = [self.spell(arg) for arg in expr.args]
        if expr.function.startswith(_SPELLED):
            params, _, template = expr.function.removeprefix(_SPELLED).partition(":")
            spelled = fill_template(template, dict(zip(params.split(), (arg.tree for arg in args), strict=True)))
            columns = self.target.layout is not None and self.target.layout.columns
            return Spelled(spelled, number=not columns and not isinstance(expr.type, TensorType))
        tree = number_function(expr.function, [arg.tree for arg in args]) if all(arg.number for arg in args) else None
        if tree is None:
            raise CannotSpell(f"{expr.function} is no operator of the driver {self.driver.name}")
        return Spelled(self._total(expr, tree), number=True)

    def _filled(self, template: str, operator: Operator, args: Sequence[Spelled], type_: Type) -> ast.expr:
        counts = placeholder_counts(template)
        trees: dict[str, ast.expr] = {}
        for param, arg in zip(operator.params, args, strict=True):
            repeated = counts.get(param.name, 0) > 1 and not isinstance(arg.tree, ast.Name | ast.Constant | ast.Lambda)
            trees[param.name] = self._keep(param.name, arg.tree) if repeated else arg.tree
        if "dtype" in counts:
            trees["dtype"] = self.dtype(type_)
        filled = fill_template(template, trees)
        return filled if self.target.layout is None else plain(filled, self.target.layout.literal)

    def _as_tensor(self, arg: Spelled, type_: Type) -> Spelled:
        """A plain number as a tensor without axes; sizes (exact integers) stay numbers."""
        if not arg.number or type_ == INT or not self.layout.scalar:
            return arg
        return Spelled(fill_template(self.layout.scalar, {"value": arg.tree, "dtype": self.dtype(type_)}))

    def _as_column(self, arg: Spelled) -> Spelled:
        """A plain number as a column."""
        return Spelled(fill_template(self.layout.literal, {"value": arg.tree})) if arg.number else arg

    def _lengths(self, expr: Call) -> tuple[Size | None, ...]:
        """The shape of an operator's result, from its meaning where that gives it."""
        if not isinstance(expr.type, TensorType):
            return ()
        instance = self.driver.operators[expr.function].instantiate(tuple(type_of(arg) for arg in expr.args), expr.type)
        unknown: tuple[Size | None, ...] = (None,) * expr.type.rank
        if not isinstance(instance.body, Build):
            return unknown
        known: dict[Expr, Polynomial] = {}
        for param, arg in zip(instance.params, expr.args, strict=True):
            if isinstance(param.type, TensorType):
                shape = self.spell(arg).lengths or (None,) * param.type.rank
                known.update({Length(param, axis): size for axis, size in enumerate(shape) if size is not None})
            elif is_integer(param.type):
                known[param] = Polynomial.of(arg)
        outer = frozenset(instance.params)
        sizes = [Polynomial.of(extent).substitute(known) for extent in instance.body.extents]
        return tuple(None if outer & size.free_vars else size for size in sizes)

    def _broadcast(self, args: Sequence[Expr]) -> list[Spelled]:
        """Arguments of an elementwise operator; axes that a view lacks are left to broadcasting if another argument has them."""
        covered: set[int] = set()
        for arg in args:
            type_ = type_of(arg)
            if isinstance(type_, TensorType):
                covered.update(_used_axes(arg) if isinstance(arg, Build) else range(type_.rank))
        ranks = {type_.rank for arg in args if isinstance(type_ := type_of(arg), TensorType)}
        broadcasts = len(ranks) == 1 and covered == set(range(next(iter(ranks))))
        return [
            self.build(arg.extents, arg.binders, arg.body, broadcasts=broadcasts) if isinstance(arg, Build) else self.spell(arg)
            for arg in args
        ]

    # Views

    def build(self, extents: tuple[Expr, ...], binders: tuple[Var, ...], body: Expr, *, broadcasts: bool = False) -> Spelled:
        """The tensor with that element at the binders; without binders, the element itself."""
        body = strip_casts(reduce_head(body)) if type_of(body) == INT else reduce_head(body)
        mentioned = free_vars(body).intersection(binders)
        if binders and not mentioned:
            return self._constant(extents, body, broadcasts=broadcasts)
        sizes = [self.views.size(extent) for extent in extents]
        match body:
            case Select(tensor, indices) if not free_vars(tensor).intersection(binders):
                return self._view(sizes, binders, tensor, indices, broadcasts=broadcasts)
            case Cast(arg, type_):
                inner = self.build(extents, binders, arg, broadcasts=broadcasts)
                return self._convert(inner, type_of(arg), type_)
            case _ if is_integer(type_of(body)) and accesses((body,), binders) is not None:
                return self._counting(sizes, binders, body)
            case Call(function, args, type_) if self._is_elementwise(function):
                result = TensorType(scalar_of(type_), len(binders))
                return self._call(Call(function, _lifted(args, extents, binders), result))
            case Apply(op, args):
                parts = [self.spell(arg) for arg in _lifted(args, extents, binders)]
                tree = number_apply(op, [part.tree for part in parts], plain=False)
                if tree is not None:
                    return Spelled(tree, lengths=tuple(sizes))
        raise CannotSpell("a tensor is given by an element function that is no view and no operator of the driver")

    def _is_elementwise(self, function: str) -> bool:
        operator = self.driver.operators.get(function)
        return operator is not None and operator.elementwise

    def _constant(self, extents: tuple[Expr, ...], body: Expr, *, broadcasts: bool) -> Spelled:
        """One value everywhere."""
        outside, self._spreads = self._spreads, True
        value = self.spell(body)
        self._spreads = outside
        if broadcasts:
            return value
        sizes = tuple(self.views.size(extent) for extent in extents)
        if not value.number:
            return Spelled(self.views.spread(value.tree, (), sizes, broadcasts=False), aliases=value.aliases, lengths=sizes)
        return Spelled(self.views.filled(value.tree, sizes, self.dtype(type_of(body)), self._nearby()), lengths=sizes)

    def _nearby(self) -> ast.expr:
        """An array argument, which says on which device new tensors are to be."""
        arrays = [value.tree for value in self.values.values() if not value.number and isinstance(value.tree, ast.Name)]
        return arrays[0] if arrays else ast.Constant(value=None)

    def _counting(self, sizes: Sequence[Size], binders: tuple[Var, ...], body: Expr) -> Spelled:
        """A tensor of affine integers, 64-bit."""
        found = accesses((body,), binders)
        assert found is not None
        used = [position for position, _ in found[0].terms]
        tree = self.views.index_tensors(self._nearby(), sizes, found)[0]
        spread = self.views.spread(tree, used, sizes, broadcasts=False)
        type_ = type_of(body)
        if isinstance(type_, MachineInt) and self.layout.cast:
            spread = fill_template(self.layout.cast, {"x": spread, "dtype": self.dtype(type_)})
        return Spelled(spread, lengths=tuple(sizes))

    def _view(
        self, sizes: list[Size], binders: tuple[Var, ...], tensor: Expr, indices: tuple[Expr, ...], *, broadcasts: bool
    ) -> Spelled:
        base = self.spell(tensor)
        if self.layout.part and not base.aliases:
            raise CannotSpell("a part of a collection that is computed itself")
        found = accesses(indices, binders)
        if found is None:
            return self._gather(base, sizes, binders, indices)
        lengths = base.lengths or (None,) * len(indices)
        used = sorted(position for access in found for position, _ in access.terms)
        spread_out = binders and not used and len(found) == 1
        tree = self.views.element(base.tree, found[0].start) if spread_out else self.views.read(base.tree, lengths, sizes, found)
        if self.layout.part and not binders:
            return Spelled(self._of_collection(tree), number=True)
        aliases = frozenset[str]() if self.views.gathers(base.tree, sizes, found) else base.aliases
        spread = self.views.spread(tree, used, sizes, broadcasts=broadcasts)
        return Spelled(spread, self.target.lists and not binders, aliases, tuple(sizes))

    def _of_collection(self, tree: ast.expr) -> ast.expr:
        """A name for a single element of a collection, of which the library computes it: functions of elements cannot."""
        if used_names(tree) & self._bound:
            raise CannotSpell("elements of a collection at computed places")
        return self._outside("found", tree)

    def _gather(self, base: Spelled, sizes: list[Size], binders: tuple[Var, ...], indices: tuple[Expr, ...]) -> Spelled:
        """Elements at computed indices."""
        trees: list[ast.expr] = []
        for index in indices:
            used = [at for at, binder in enumerate(binders) if binder in free_vars(index)]
            inner = strip_casts(index)
            extents = tuple(size.to_expr() for size in sizes)
            whole = len(used) == len(binders)
            spelled = self.build(extents, binders, inner, broadcasts=not whole) if used else self.spell(inner)
            trees.append(self._as_index(spelled, type_of(inner)))
        return Spelled(self.views.gather(base.tree, trees, sizes), self.target.lists and not binders, lengths=tuple(sizes))

    def _as_index(self, value: Spelled, type_: Type) -> ast.expr:
        """An index tensor: libraries take 32-bit and 64-bit signed integers; narrower ones may mean a mask."""
        if value.number or (is_integer(type_) and not isinstance(type_, MachineInt)) or widens(MachineInt(32, True), type_):
            return value.tree
        return self._convert(value, type_, MachineInt(64, True)).tree


def spelled_as(template: str, *params: str) -> str:
    """The name of a function that is no operator, and that is spelled so on its arguments."""
    return f"{_SPELLED}{' '.join(params)}:{template}"


def scalar_of(type_: Type) -> ScalarType:
    """The type itself, or that of a tensor's elements."""
    element = type_.element if isinstance(type_, TensorType) else type_
    if isinstance(element, TensorType) or not isinstance(element, ScalarType):
        raise CannotSpell(f"{show_type(type_)} has no element type")
    return element


def may_be_view(tree: ast.expr) -> bool:
    """Whether a spelled operator may return memory of its arguments: fresh results come from arithmetic and most functions."""
    match tree:
        case ast.Call(func=ast.Attribute(attr=attr, value=receiver)):
            return attr in VIEW_NAMES and may_be_view(receiver)
        case ast.Subscript(value=value, slice=index):
            by_tensor = isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute)
            return may_be_view(value) and not by_tensor
        case ast.Attribute(value=value):
            return may_be_view(value)
        case ast.Name():
            return True
        case _:
            return False


def _lifted(args: Sequence[Expr], extents: tuple[Expr, ...], binders: tuple[Var, ...]) -> tuple[Expr, ...]:
    """Each argument that depends on the binders as a tensor over them."""
    return tuple(Build(extents, binders, arg) if free_vars(arg).intersection(binders) else arg for arg in args)


def _used_axes(build: Build) -> set[int]:
    used = free_vars(build.body)
    return {axis for axis, binder in enumerate(build.binders) if binder in used}
