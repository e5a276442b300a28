"""Reading an answer as a program: its expressions, names for values, and writes to arrays."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metalift.driver import Driver, Operator
from metalift.driver.meaning.source import DriverError
from metalift.driver.meaning.typing_rules import Literal, TypeClash, Value, settle, typed
from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Ite, Length, MakeTuple, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, ScalarType, TensorType, TupleType, Type
from metalift.ir.expr.walk import alpha_equal, free_vars, rebuild, scoped_children
from metalift.ir.program.fragment import Fragment
from metalift.synth.propose.answer import Code, Rejected
from metalift.synth.propose.expressions import AnswerSource, ExpressionReader, never_called
from metalift.synth.propose.vocabulary import Names, type_name

Env = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Written:
    """A write of an answer: `value` is a tensor of the window's shape."""

    array: Var
    window: Build
    value: Expr


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as it is written: names for values, writes in order, the result. Values speak of entry contents."""

    lets: tuple[tuple[Var, Expr], ...]
    writes: tuple[Written, ...]
    result: Expr | None


@dataclass
class AnswerReader(ExpressionReader):
    """Reads one function of an answer."""

    returns: Type | None = None
    arrays: Sequence[Var] = ()  # the parameters that may be written
    lets: list[tuple[Var, Expr]] = field(default_factory=list)
    writes: list[Written] = field(default_factory=list)

    # Statements

    def statements(self, body: Sequence[ast.stmt], env: Env) -> Value | None:
        """The body of the function: values get names, arrays are written; what it returns."""
        for position, statement in enumerate(body):
            match statement:
                case ast.Return(value=None):
                    return self._end(body, position, None)
                case ast.Return(value=ast.Constant(value=None)):
                    return self._end(body, position, None)
                case ast.Return(value=ast.expr() as value):
                    return self._end(body, position, self._whole(value, env))
                case ast.Assign(targets=[ast.Subscript() as target], value=value):
                    self._write(target, value, env)
                case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value):
                    read = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
                    self._write(target, ast.copy_location(ast.BinOp(read, op, value), statement), env)
                case ast.For() if _stores(statement):
                    self._write_all(statement, env)
                case _:
                    before = dict(env)
                    self._statement(statement, env)
                    self._name_values(before, env)
        return None

    def _end(self, body: Sequence[ast.stmt], position: int, value: Value | None) -> Value | None:
        if position != len(body) - 1:
            raise self.source.error(body[position + 1], "this stands behind a return")
        return value

    def _whole(self, node: ast.expr, env: Env) -> Value:
        """A returned value; several make a tuple."""
        if isinstance(node, ast.Tuple) and isinstance(self.returns, TupleType) and len(self.returns.items) == len(node.elts):
            pairs = zip(node.elts, self.returns.items, strict=True)
            return MakeTuple(tuple(self.term(item, env, None if _holds(type_) else type_) for item, type_ in pairs))
        return self.value(node, env)

    def _name_values(self, before: Env, env: Env) -> None:
        """New values that are computed get a name in the program; numbers, views and sizes stay as they are."""
        for name, value in list(env.items()):
            if before.get(name) is value or isinstance(value, Literal) or _is_plain(value):
                continue
            var = self.fresh(name, type_of(value))
            self.lets.append((var, value))
            env[name] = var

    # Writes

    def _write(self, target: ast.Subscript, value: ast.expr, env: Env) -> None:
        """`y[a:b] = v` or `y[i] = v`."""
        array = self._array(target, env)
        place = self.element(array, target.slice, env)
        window = place if isinstance(place, Build) else None
        if window is None:
            assert isinstance(place, Select)
            binder = self.fresh("i")
            *outer, last = place.indices
            window = Build((integer(1),), (binder,), Select(array, (*outer, plus(last, binder))))
        kind = array.type
        assert isinstance(kind, TensorType)
        if isinstance(value, ast.List) and len(value.elts) == 1:
            (value,) = value.elts  # which is written to each place
        given = self.value(value, env)
        try:
            tensor = isinstance(given, Literal) or not isinstance(type_of(given), TensorType)
            wanted = typed(given, kind.element) if tensor else settle(given)
        except TypeClash as clash:
            raise self.source.error(value, str(clash)) from clash
        found = type_of(wanted)
        if isinstance(found, TensorType):
            if found != type_of(window):
                raise self.source.error(value, f"a {type_name(found)} is written where a {type_name(type_of(window))} belongs")
        else:
            wanted = Build(window.extents, window.binders, wanted)
        self._written(array, window, wanted)

    def _array(self, target: ast.Subscript, env: Env) -> Var:
        array = self.value(target.value, env)
        if isinstance(target.value, ast.Subscript):
            raise self.source.error(target, "write y[i, j], not y[i][j]")
        if not isinstance(array, Var) or array not in self.arrays:
            raise self.source.error(target, "only arrays that are parameters are written")
        return array

    def _written(self, array: Var, window: Build, value: Expr) -> None:
        if not isinstance(value, Var) and not _is_plain(value):
            var = self.fresh(f"{array.name}_new", type_of(value))
            self.lets.append((var, value))
            value = var
        self.writes.append(Written(array, window, value))

    def _write_all(self, loop: ast.For, env: Env) -> None:
        """`for i in range(n): y[2 * i] = v[i]`: a window of the array, with an axis for each loop."""
        binders: list[Var] = []
        extents: list[Expr] = []
        inner: Env = dict(env)
        node: ast.stmt = loop
        while isinstance(node, ast.For):
            if node.orelse or len(node.body) != 1:
                raise self.source.error(node, "a loop that writes an array has one statement")
            binder = self.fresh("i")
            source = self.source_of(node.iter, inner)
            inner.update(self.targets(node.target, source.item(binder)))
            if not free_vars(source.extent).isdisjoint(binders):
                raise self.source.error(node, "the range of an inner loop that writes depends on an outer counter")
            binders.append(binder)
            extents.append(source.extent)
            node = node.body[0]
        match node:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                array = self._array(target, env)
                place = self.element(array, target.slice, inner)
                if not isinstance(place, Select):
                    raise self.source.error(node, "in a loop, single elements are written")
                assert isinstance(array.type, TensorType)
                body = self.term(value, inner, array.type.element)
                shape = tuple(extents), tuple(binders)
                self._written(array, Build(*shape, place), Build(*shape, body))
            case _:
                raise self.source.error(node, "a loop that writes an array has one statement `y[i] = value`")

    def value(self, node: ast.expr, env: Mapping[str, Value]) -> Value:
        """As for meanings; reads of what the answer wrote before are of the new contents."""
        found = super().value(node, env)
        return found if isinstance(found, Literal) or not self.writes else self._after_writes(node, found)

    def _after_writes(self, node: ast.expr, found: Expr) -> Expr:
        written = {write.array for write in self.writes}
        if isinstance(found, Var) and found in written:
            return found  # about to be indexed
        changed = self._current(found)
        if written.isdisjoint(_read_from(changed)):
            return changed
        names = ", ".join(sorted(var.name for var in written))
        raise self.source.error(node, f"this reads {names} after writing to it: give the values names before they are written")

    def _current(self, expr: Expr) -> Expr:
        for write in reversed(self.writes):
            if isinstance(expr, Build) and alpha_equal(expr, write.window):
                return write.value
        parts = tuple(self._current(child) for child, _ in scoped_children(expr))
        return rebuild(expr, parts) if parts else expr


def _holds(type_: Type) -> bool:
    """Whether it has components or elements."""
    return isinstance(type_, TensorType | TupleType)


def _is_plain(value: Expr) -> bool:
    """A variable, a view of an array, or scalar arithmetic on parameters: what needs no name of its own."""
    match value:
        case Var() | Const():
            return True
        case Build(_, binders, Select(Var() as tensor, indices)):
            return tensor not in binders and all(_is_plain(index) for index in indices)
        case Build(_, _, body):
            return isinstance(body, Var | Const)
        case Select() | Call() | MakeTuple():
            return False
        case Apply(_, args):
            return all(_is_plain(arg) for arg in args)
        case Cast(arg, _):
            return _is_plain(arg)
        case Length(tensor, _):
            return isinstance(tensor, Var)
        case Ite():
            return False
        case _:
            return False


def _stores(loop: ast.For) -> bool:
    """Whether the loop writes elements."""
    nodes = (node for node in ast.walk(loop) if isinstance(node, ast.Subscript))
    return any(isinstance(node.ctx, ast.Store) for node in nodes)


def _read_from(expr: Expr) -> frozenset[Var]:
    """The variables that are read, lengths apart."""
    if isinstance(expr, Length):
        return frozenset()
    if isinstance(expr, Var):
        return frozenset((expr,))
    return frozenset(var for child, _ in scoped_children(expr) for var in _read_from(child))


def read_program(
    tree: ast.FunctionDef, code: Code, fragment: Fragment, names: Names, driver: Driver, operators: Mapping[str, Operator]
) -> Draft:
    """The function as a program over the fragment's parameters. Raises Rejected."""
    given = [arg.arg for arg in tree.args.args]
    params = list(names.by_name.items())
    if len(given) != len(params) or tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs or tree.args.posonlyargs:
        wanted = ", ".join(names.by_name)
        raise Rejected(f"the function takes ({wanted}), in this order, {code.at(tree)}")
    env: Env = {mine: var for mine, (_, var) in zip(given, params, strict=True)}
    if len(env) != len(params):
        raise Rejected(f"two parameters have one name, {code.at(tree)}")
    taken = {param.var.name for param in fragment.params} | {var.name for var in fragment.locals} | set(given)
    result = fragment.result if isinstance(fragment.result, ScalarType) else None
    reader = AnswerReader(AnswerSource(never_called, tree, "answer", code), result, taken, operators=operators, driver=driver)
    reader.returns = fragment.result
    reader.arrays = [var for _, var in params if isinstance(var.type, TensorType)]
    try:
        value = reader.statements(tree.body, env)
        returned = _returned(value, fragment.result, tree, code)
    except DriverError as problem:
        raise Rejected(problem.reason) from problem
    except (RecursionError, OverflowError) as problem:
        raise Rejected("the answer is nested too deeply") from problem
    return Draft(tuple(reader.lets), tuple(reader.writes), returned)


def _returned(value: Value | None, wanted: Type | None, tree: ast.FunctionDef, code: Code) -> Expr | None:
    """What is returned, of the function's type; of a function without result, nothing."""
    if wanted is None:
        return None
    if value is None:
        raise Rejected(f"the function returns a {type_name(wanted)}; the answer returns nothing, {code.at(tree)}")
    try:
        if isinstance(wanted, TensorType | TupleType):
            return settle(value)
        if isinstance(wanted, MachineInt) and not isinstance(value, Literal) and type_of(value) == INT:
            return Cast(value, wanted)
        return typed(value, wanted)
    except TypeClash as clash:
        raise Rejected(f"the function returns a {type_name(wanted)}; in the answer's return: {clash}") from clash
