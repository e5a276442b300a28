"""A function of a Python file as a fragment."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from metalift.frontend.lower.printing import PREMISE, check_gives
from metalift.frontend.lower.questions import questions_of_inputs
from metalift.frontend.lower.shape import read_expressions, shaped
from metalift.frontend.lower.simple_form import in_simple_form
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.annotations import BYTES, Hint
from metalift.frontend.python.columns import with_columns
from metalift.frontend.python.generators import with_generators
from metalift.frontend.python.guards import numbers_of_axes
from metalift.frontend.python.heads import check_defaults, check_functions, defaults_of, number
from metalift.frontend.python.infer import Types, parameter_types
from metalift.frontend.python.infinities import without_infinities
from metalift.frontend.python.keys.firsts import with_sets
from metalift.frontend.python.keys.given import with_given_sets
from metalift.frontend.python.keys.keyed import Keyed
from metalift.frontend.python.keys.rewriting import with_plain_parameters
from metalift.frontend.python.keys.without import without_dictionaries
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.naming.rebinding import check_names
from metalift.frontend.python.objects.apart import without_objects
from metalift.frontend.python.order import check_order
from metalift.frontend.python.prune import pruned
from metalift.frontend.python.reader.arrays.code import ArrayCode
from metalift.frontend.python.reader.calls import Calls, bound_names, check_definition
from metalift.frontend.python.reader.characters import Characters
from metalift.frontend.python.reader.comparisons import Comparisons
from metalift.frontend.python.reader.context import ZERO, Above, Context, Frame, Returned
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.libraries import Libraries
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import Loops
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.reader.nones import Nones
from metalift.frontend.python.reader.reductions import Reductions
from metalift.frontend.python.reader.rows import Rows
from metalift.frontend.python.reader.sorting import Sorting
from metalift.frontend.python.reader.statements import Statements
from metalift.frontend.python.reader.tensors.tensors import Tensors
from metalift.frontend.python.reader.written_out import WrittenOut
from metalift.frontend.python.returning import common_type, form_of, in_a_row, is_plain, objects_of
from metalift.frontend.python.rows import with_new_rows
from metalift.frontend.python.sharing import Sharing
from metalift.frontend.python.stands_for import (
    PARAMETER,
    Again,
    Char,
    Clash,
    Env,
    Items,
    Known,
    ListObject,
    NoneValue,
    Partial,
    Value,
    View,
)
from metalift.frontend.python.tensors import has_tensors
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Apply, Build, Cast, Expr, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, INT64, IntType, ScalarType, TensorType, TupleType, Type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import (
    Assume,
    Block,
    Form,
    Fragment,
    Ground,
    Param,
    ParamKind,
    Premise,
    PremiseKind,
    Return,
    Unsupported,
    expressions,
)

_PASSES = 200  # each one finds out something new; real functions need a handful


def import_python(module: PythonModule, name: str, like: Mapping[str, Type] | None = None) -> Fragment:
    """The fragment of a function. Raises Unsupported, or SourceError where there is none of that name.

    `like`: what parameters are that are arrays of NumPy, where no annotation says it.
    """
    check_defaults(module, module.find(name))
    apart = without_objects(module, name)
    check_order(module, module.find(name))
    source, written = apart.module, apart.function
    module = with_columns(with_generators(source))
    plain, sets = with_given_sets(module, with_plain_parameters(module.find(name)))
    given = with_sets(module, with_new_rows(module, plain))
    module, keyed, function = without_dictionaries(module, given)
    if function is not given or keyed is not None:
        check_functions(module, plain)
    types = parameter_types(module, function, plain, module.units.get(name)).like(_with_axes(like or {}, module, function))
    types.hints.update({each: replace(types.hints[each], text=text) for each, text in sets.items()})
    try:
        fragment = _with_types(module, keyed, function, types)
    except Unsupported as problem:
        fragment = _with_other_types(module, keyed, function, types, problem)
    if PREMISE in fragment.premises:
        check_gives(fragment)
    fragment = apart.placed(fragment)
    return replace(fragment, premises=(*fragment.premises, *check_names(source, written)))


def _with_axes(like: Mapping[str, Type], module: PythonModule, function: ast.FunctionDef) -> dict[str, Type]:
    """The types with the numbers of axes for which the function does not raise."""
    asked = numbers_of_axes(module, function)
    return {
        name: replace(type_, rank=asked[name]) if isinstance(type_, TensorType) and asked.get(name) else type_
        for name, type_ in like.items()
    }


def _with_other_types(
    module: PythonModule, keyed: Keyed | None, function: ast.FunctionDef, types: Types, problem: Unsupported
) -> Fragment:
    """The fragment with other guesses about arrays; what the guess that leads furthest ends in, where none leads to the end."""
    furthest = problem
    for others in types.others():
        try:
            return _with_types(module, keyed, function, others)
        except Unsupported as other:
            furthest = max(furthest, other, key=lambda each: each.diagnostic.location.line)
    raise furthest


def _with_types(module: PythonModule, keyed: Keyed | None, function: ast.FunctionDef, types: Types) -> Fragment:
    """The fragment with parameters of these types."""
    hints = dict(types.hints)
    known = Known(keys={keyed.key: INT} if keyed and not keyed.typed else {})
    for _ in range(_PASSES):
        reader = _reader(module, known, has_tensors(module, function, hints))
        hints |= {key: replace(hints[key], element=type_) for key, type_ in known.keys.items()}
        try:
            fragment = reader.run(function, hints, types.guesses())
            return _of_all_keys(module, fragment, keyed) if keyed else fragment
        except Again:
            continue
        except RecursionError:
            module.place.refuse(function, "an expression or block that is nested too deeply")
    module.place.refuse(function, "types that depend on one another in a circle; annotate the local names' lists")


def _reader(module: PythonModule, known: Known, tensors: bool) -> FunctionReader:
    """The readers of one pass, each with those that it builds on."""
    context = Context(module, known, tensors=tensors)
    expressions = Expressions(context, Nones(context), Characters(context))
    loops = Loops(context, expressions)
    rows = Rows(context, expressions)
    lists = Lists(context, expressions, loops, rows)
    making = Making(context, expressions, loops, lists)
    reductions = Reductions(context, expressions, loops, making)
    arrays = ArrayCode.of(context, expressions, loops, lists)
    of_torch = Tensors(context, expressions, arrays)
    libraries = Libraries(context, expressions, loops, lists, reductions, arrays, of_torch)
    of_torch.new_array = libraries.new_array
    arrays.functions.of_numbers = libraries.of_numbers
    sorting = Sorting(context, expressions, loops, lists, making)
    arrays.functions.in_order = sorting.in_order
    written = WrittenOut(context, expressions, making)
    calls = Calls(context, expressions, loops, lists, making, reductions, libraries, sorting, written, arrays, rows)
    of_torch.inline = calls.inline
    statements = Statements(context, expressions, loops, lists, making, libraries, arrays)
    context.above = Above(
        attribute=libraries.attribute,
        bind=statements.bind,
        block=statements.block,
        compare=Comparisons(context, expressions).compare,
        call=calls.call,
        named=libraries.named,
        is_list=making.is_list,
        new_list=making.new_list,
        subscript=lists.subscript,
        inside=written.inside,
        same=written.same,
        power=written.power,
        arrays=arrays,
        row=rows.made,
        has=rows.has,
    )
    return FunctionReader(context, expressions, lists, arrays, statements)


@dataclass(slots=True)
class FunctionReader:
    """One pass over a function."""

    context: Context
    expressions: Expressions
    lists: Lists
    arrays: ArrayCode
    statements: Statements
    form: Form | None = None
    gives: str = ""

    def run(self, function: ast.FunctionDef, hints: Mapping[str, Hint], guesses: list[str]) -> Fragment:
        """The fragment, or Again."""
        self.context.hints = hints
        check_definition(self.context, function)
        self.context.frames = [Frame(function, "", bound_names(function))]
        self.context.here(function)
        env = self._parameters(function)
        self.context.start(env, (), Sharing(), "entry")
        for var in self.context.naturals():
            if var.name in self.context.known.naturals:
                text = f"{var.name} is not negative: an index would count from the end"
                self.context.emit(Assume(at_most(integer(0), var), text, self.context.location, Ground.RESTRICTION))
                self.context.learn(Polynomial.of(var))
        self.statements.block(function.body)
        if self.context.at is not None:
            self.context.frame.returns.append((self.context.point, NoneValue(), function))
            self.context.at = None
        self._check_shared()
        if function.name in self.context.module.units:
            self._check_left(function)
        result = self._return_all(function)
        used = pruned(self.context.blocks)
        infinities = without_infinities(used)
        asked = questions_of_inputs({var for var, _ in self.context.params}, used)
        blocks = in_simple_form(shaped(used), self.context.fresh)
        defaults = {name: number(node) for name, node in defaults_of(function).items()}
        return Fragment(
            function.name,
            tuple(self._param(var, hint, defaults) for var, hint in self.context.params),
            result,
            tuple(made.var for made in self.context.locals),
            blocks,
            self.context.module.place.of(function),
            _text(self.context.module.source, function),
            function.name,
            (*(Premise(text, PremiseKind.TYPES) for text in guesses), *self._premises(blocks), *infinities, *asked),
            form=self.form,
            gives=self.gives,
        )

    def _premises(self, blocks: Sequence[Block]) -> Iterator[Premise]:
        """What is relied on beyond the absence of exceptions."""
        for name in (name for name, hint in self.context.hints.items() if hint.characters):
            yield Premise(f"{name} is given by the code points of its characters", PremiseKind.TYPES)
        for name in sorted(self.context.hints.keys() & self.context.known.characters):
            yield Premise(f"{name} is one character, given by its code point", PremiseKind.TYPES)
        for name in (name for name, hint in self.context.hints.items() if hint.text in BYTES):
            yield Premise(f"{name} is given by the numbers of its bytes", PremiseKind.TYPES)
        for owner in sorted(self.lists.changed, key=lambda each: each.var.name):
            if not owner.local and not owner.numpy and owner.rank > 1:
                yield Premise(f"the rows of {owner.var.name} are different lists", PremiseKind.MEMORY)
        parts = (part for block in blocks for expr in expressions(block) for part in subexpressions(expr))
        if self.arrays.overflows() or any(isinstance(part, Apply) and type_of(part) == INT64 for part in parts):
            yield Premise("NumPy's integers of 64 bits do not overflow", PremiseKind.VALUES)
        if self.context.guards:
            lines = ", ".join(map(str, sorted(set(self.context.guards))))
            yield Premise(f"what is refused at the lines {lines} is not modelled", PremiseKind.OUTPUT)
        if self.context.prints:
            yield PREMISE
        if self.expressions.powers:
            yield Premise("x ** y is taken of x >= 0 where y is not whole", PremiseKind.VALUES)

    def _parameters(self, function: ast.FunctionDef) -> Env:
        env: Env = {}
        for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
            hint = self.context.hints[arg.arg]
            if arg.arg in self.context.known.characters:
                hint = replace(hint, element=INT, characters=True)
            self.context.taken.add(arg.arg)
            var = Var(arg.arg, hint.type)
            self.context.params.append((var, hint))
            owner = ListObject(f"{PARAMETER}{arg.arg}", var, False, hint.numpy, kind=hint.kind, characters=hint.characters)
            env[arg.arg] = View(owner) if hint.rank else Char(var) if hint.characters else var
        arrays = {hint.element for hint in self.context.hints.values() if hint.numpy}
        if {FLOAT, DOUBLE} <= arrays and not self.context.tensors:
            self.context.refuse(function, "NumPy arrays of float32 and of float64 in one function; give them one dtype")
        return env

    def _param(self, var: Var, hint: Hint, defaults: Mapping[str, bool | int | Fraction | None]) -> Param:
        spelled = "str" if hint.characters else hint.text or hint.shown()
        if not hint.rank:
            return Param(var, ParamKind.VALUE, spelled, numpy=hint.numpy, default=defaults.get(var.name))
        written = any(owner.var == var for owner in self.lists.stored)
        kind = ParamKind.VECTOR_REF if written else ParamKind.VECTOR
        return Param(var, kind, spelled, numpy=hint.numpy, tensor=hint.numpy and self.context.tensors)

    def _check_shared(self) -> None:
        changed = set(self.lists.changed)
        for _ in self.context.merged:
            changed |= {each for pair in self.context.merged if not changed.isdisjoint(pair) for each in pair}
        for owner, location in self.context.early:
            if owner in changed:
                place = ast.Pass(lineno=location.line, col_offset=location.column - 1)
                message = "an element of a tensor that changes, which changes with it; use what item() or clone() gives"
                self.context.refuse(place, message)
        put = "a list that is put into another, which then shares it, and is changed; put a copy there"
        rows = "a copy of a list of lists, which shares the rows, and is changed; copy them too: [row[:] for row in x]"
        for pairs, message in ((self.lists.shared, put), (self.lists.same_rows, rows)):
            for one, other, location in pairs:
                if not changed.isdisjoint((one, other)):
                    self.context.refuse(ast.Pass(lineno=location.line, col_offset=location.column - 1), message)

    def _check_left(self, function: ast.FunctionDef) -> None:
        """Refuse lists that a loop leaves and that are more than new lists of one name each: what follows may change them."""
        for one, other, location in self.lists.shared:
            if not (one.local and other.local):
                place = ast.Pass(lineno=location.line, col_offset=location.column - 1)
                self.context.refuse(place, "a list that is put into another, which then shares it; put a copy there")
        for point, value, node in self.context.frame.returns:
            items = value.items if isinstance(value, Items) else (value,)
            views = [item for item in items if isinstance(item, View)]
            for view in views:
                site = view.object.site
                again = sum(other.object is view.object for other in views) > 1 or bool(point.sharing.of(site))
                moved = f"#moved:{site}" in point.env or any(view.object in pair[:2] for pair in self.lists.shared)
                if not view.object.local or view.prefix or again or moved:
                    name = view.object.name
                    self.context.refuse(node, f"the list {name} has a second name after the loop; make a copy where it gets that")
                if view.object.numpy:
                    self.context.refuse(node, f"the array {view.object.name}, made in the loop and used after it; make it before")

    # Results

    def _return_all(self, function: ast.FunctionDef) -> Type | None:
        """End every path that returns; the type of the result."""
        if not (returns := self.context.frame.returns):
            self.context.refuse(function, f"{function.name} never returns")
        self.gives = self._same_parameter(*(value for _, value, _ in returns))
        if self.gives:
            returns = [(point, NoneValue(), node) for point, _, node in returns]
        if not all(isinstance(value, NoneValue) for _, value, _ in returns):
            return self._values(self._in_a_row(returns))
        self._meet(returns)
        self.context.finish(Return(None, self.context.here(returns[-1][2])))
        return None

    def _in_a_row(self, returns: list[Returned]) -> list[Returned]:
        """The returned values as tuples of single ones, where they are not, or are None on some path."""
        values = [value for _, value, _ in returns]
        form = form_of(values)
        if form is None or is_plain(form):
            return returns  # which is as it is, or is refused where it is looked at
        self.form = form
        found: list[Returned] = []
        for point, value, node in returns:
            self.context.at = point
            empty = partial(self._empty, node)
            found.append((self.context.point, Items(tuple(in_a_row(value, form, values, empty))), node))
        self.context.at = None
        return found

    def _empty(self, node: ast.AST, like: View) -> View:
        """An empty list of the kind of another, for where None is returned."""
        if like.rank > 1 or like.object.numpy:
            self.context.refuse(node, "None on one path and an array or a list of lists on another; return an empty one")
        made = self.lists.make(node, "result", 1, like.object.element)
        self.context.env[made.object.length] = ZERO
        return made

    def _same_parameter(self, first: Value, *others: Value) -> str:
        """The parameter that the function changes in place and returns, always; empty where there is none."""
        if not isinstance(first, View) or first.object.local or first.prefix or first.object not in self.lists.stored:
            return ""
        return first.object.name if all(value == first for value in others) else ""

    def _meet(self, returns: list[Returned]) -> None:
        for point, value, _ in returns:
            point.env["#result"] = value
        self.context.here(returns[-1][2])
        self.context.join([point for point, _, _ in returns], "return", "return")

    def _values(self, returns: list[Returned]) -> Type:
        """Return one value where the paths meet if that is possible, otherwise each path its own."""
        objects = {tuple(objects_of(value)) for _, value, _ in returns}
        if len(objects) == 1:
            self._meet(returns)
            value = self.context.env["#result"]
            if not isinstance(value, Clash | Partial):
                expr = self._result(value, returns[-1][2], None)
                self.context.finish(Return(expr, self.context.here(returns[-1][2])))
                return type_of(expr)
        types = []
        for point, value, node in returns:
            self.context.at = point
            types.append(type_of(self._result(value, node, None)))
        type_ = common_type(types)
        if type_ is None:
            self.context.refuse(returns[-1][2], "results of different types on different paths; return one type")
        for point, value, node in returns:
            self.context.at = point
            expr = self._result(value, node, type_)
            self.context.finish(Return(expr, self.context.here(node)))
        return type_

    def _result(self, value: Value, node: ast.AST, wanted: Type | None) -> Expr:
        """The result as an expression."""
        match value:
            case View(object) if object.characters:
                self.context.refuse(node, "a string or a list of characters as a result; supported are numbers and lists of them")
            case View():
                return self._built(value, wanted.element if isinstance(wanted, TensorType) else None)
            case Items(items):
                types = wanted.items if isinstance(wanted, TupleType) else (None,) * len(items)
                if not items:
                    self.context.refuse(node, "an empty tuple as a result; supported are numbers, lists and arrays")
                return MakeTuple(tuple(self._result(item, node, type_) for item, type_ in zip(items, types, strict=True)))
            case _:
                expr = self.expressions.as_scalar(value, node)
                if isinstance(found := type_of(expr), IntType) and found.fields:
                    self.context.refuse(node, f"{scalars.described(found)} as a result; supported are lists of them")
                return scalars.convert(expr, wanted) if isinstance(wanted, ScalarType) else expr

    def _built(self, view: View, element: ScalarType | None) -> Expr:
        binders = tuple(Var(self.context.fresh(name), INT) for name in "kjmn"[: view.rank])
        rows = [View(view.object, (*view.prefix, *binders[:axis])) for axis in range(view.rank)]
        body: Expr = Select(view.object.var, (*view.prefix, *binders))
        extents = tuple(self.context.length(row) for row in rows)
        return Build(extents, binders, scalars.convert(body, element) if element else body)


def _of_all_keys(module: PythonModule, fragment: Fragment, keyed: Keyed) -> Fragment:
    """The fragment of a function at one key, which becomes its last parameter."""
    if fragment.form is not None:
        module.place.refuse(keyed.function, "None, or a tuple in a tuple, together with dictionaries and sets; return them apart")
    (last,) = (param for param in fragment.params if param.var.name == keyed.key)
    others = [param for param in fragment.params if param is not last]
    for block in fragment.blocks:
        for part in (part for each in read_expressions(block) for part in subexpressions(each)):
            match part:
                case Apply(Operator.EQ, args) if any(isinstance(arg, Cast) and arg.arg == last.var for arg in args):
                    module.place.refuse(keyed.function, "keys that are floats; of these, equal ones may be computed differently")
    return replace(fragment, params=(*others, replace(last, kind=ParamKind.KEY, c_type=keyed.result)))


def _text(source: str, function: ast.FunctionDef) -> str:
    """The lines of the function as they stand in the file."""
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    lines = source.splitlines(keepends=True)[first - 1 : function.end_lineno]
    return "".join(lines).rstrip("\n")
