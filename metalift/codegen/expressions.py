"""Expressions of a program as Python syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from metalift.codegen.names import Names, stem
from metalift.codegen.numbers import number_apply, number_constant, number_function
from metalift.codegen.partial import within_floats
from metalift.codegen.python_text import text
from metalift.codegen.request import CannotSpell
from metalift.codegen.scalars import Scalars, as_number
from metalift.codegen.simpler_python import plain
from metalift.codegen.spelled import SPELLED, SPREAD, Spelled, may_be_view, scalar_of
from metalift.codegen.spread import as_pair
from metalift.codegen.views import Size, accesses
from metalift.driver import Operator
from metalift.driver.meaning.reduce import reduce_head
from metalift.driver.templates import call, constant, fill_template, name, placeholder_counts, subscript, tuple_of, used_names
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
from metalift.ir.expr.types import INT, MachineInt, ScalarType, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.identities import WHOLE


class Printer(Scalars):
    """Spells expressions in one target; `values` says what the names of the program are in the text."""

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
        try:
            return self.spell(expr).tree
        finally:
            self.values, self._bound = values, outside

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
            length = fill_template(self.layout.length, {"x": tree})
            if isinstance(tensor, Var):
                self.numbers.integers[text(length)] = Polynomial.atom(Length(tensor, axis))
            return Spelled(length, number=True)
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
                element = self.build((), (), reduced if self._bound or self.layout.part else _from_either_end(reduced))
                exact = self.step_by_step and is_integer(type_of(reduced)) and not self._bound
                return Spelled(as_number(element.tree), number=True) if exact and not element.number else element
            case _:
                return self.spell(reduced)

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
        kept = 0 if self._changes_nothing(operator, expr) else within_floats(operator, expr)
        if kept is not None and not args[kept].number and (len(args) == 1 or self._is_reduced(expr.args[kept])):
            return args[kept]
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

    def _is_reduced(self, expr: Expr) -> bool:
        """Whether it is one of all elements or of those along axes: a bound is where its search began, and cuts nothing off."""
        operator = self.driver.operators.get(expr.function) if isinstance(expr, Call) else None
        return operator is not None and not operator.elementwise

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
        if expr.function.startswith(SPELLED):
            params, _, template = expr.function.removeprefix(SPELLED).partition(":")
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
        if "near" in counts and "near" not in trees:
            trees["near"] = self._nearby()
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
            spread = self.views.spread(value.tree, (), sizes, broadcasts=False)
            return Spelled(spread, aliases=value.aliases | {SPREAD}, lengths=sizes)
        return Spelled(self.views.filled(value.tree, sizes, self.dtype(type_of(body)), self._nearby()), lengths=sizes)

    def _nearby(self) -> ast.expr:
        """An array argument, which says on which device new tensors are to be."""
        known = (value.tree for value in self.values.values() if not value.number)
        arrays = [tree for tree in known if isinstance(tree, ast.Name) and tree.id not in self.absent]
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
        aliases |= set() if broadcasts or len(used) == len(sizes) else {SPREAD}
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


def _from_either_end(element: Select) -> Select:
    """An element at an index that counts from the end where it is negative, as Python's do themselves."""
    indices = list(element.indices)
    for axis, index in enumerate(indices):
        match index:
            case Ite(Apply(Op.LT, (at, Const(0))), then, other) if at == other and is_integer(type_of(at)):
                if Polynomial.of(then) == Polynomial.of(at) + Polynomial.atom(Length(element.tensor, axis)):
                    indices[axis] = at
    return Select(element.tensor, tuple(indices))


def _lifted(args: Sequence[Expr], extents: tuple[Expr, ...], binders: tuple[Var, ...]) -> tuple[Expr, ...]:
    """Each argument that depends on the binders as a tensor over them."""
    return tuple(Build(extents, binders, arg) if free_vars(arg).intersection(binders) else arg for arg in args)


def _used_axes(build: Build) -> set[int]:
    used = free_vars(build.body)
    return {axis for axis, binder in enumerate(build.binders) if binder in used}
