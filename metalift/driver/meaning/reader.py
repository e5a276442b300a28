"""Meanings: a typed Python function as a term, for given types of its parameters.

Accepted by form: a body of assignments, if/else, `for` loops with accumulators, and a return at the end, or structural recursion
on lists. So every meaning is total apart from what its operators leave undefined.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from metalift.driver.meaning.language import TypePattern, TypeVariable
from metalift.driver.meaning.recursion import calls_itself, recursion_of
from metalift.driver.meaning.recursive import RecursionReader
from metalift.driver.meaning.reduce import reduce
from metalift.driver.meaning.sequences import SequenceReader
from metalift.driver.meaning.source import (
    DriverError,
    FunctionSource,
    decorator_lambda,
    fixed_result,
    function_source,
    read_signature,
)
from metalift.driver.meaning.typing_rules import Literal, TypeClash, Value, settle, truth, typed
from metalift.ir.expr.nodes import Call, Expr, Fold, Ite, Item, MakeTuple, Var, type_of
from metalift.ir.expr.types import INT, BoolType, FunctionType, MachineInt, RealType, ScalarType, TensorType, Type, show_type
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.program.fragment import External

Env = dict[str, Value]
_Types = tuple[tuple[Type, ...], ScalarType | None]


@dataclass(frozen=True, slots=True)
class Instance:
    """A meaning at fixed types: `body` and what it requires speak of `params`."""

    params: tuple[Var, ...]
    body: Expr
    requires: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Meaning:
    """A typed Python function that says what an operator computes."""

    source: FunctionSource
    params: tuple[tuple[str, TypePattern], ...]
    result: TypePattern
    requires: FunctionSource | None
    external: External | None = None  # the function that it stands for, where nothing else is said of it
    _instances: dict[_Types, Instance] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.source.name

    def error(self, message: str) -> DriverError:
        """An error at the function."""
        return self.source.error(self.source.tree, message)

    def bind(self, arg_types: tuple[Type, ...], result: ScalarType | None) -> dict[TypeVariable, ScalarType]:
        """What the type variables stand for. Raises ValueError where the types do not fit the signature."""
        bound: dict[TypeVariable, ScalarType] = {}
        if len(arg_types) != len(self.params):
            raise ValueError(f"{self.name} takes {len(self.params)} arguments")
        for (param, pattern), found in zip(self.params, arg_types, strict=True):
            if not match_type(pattern, found, bound):
                raise ValueError(f"{self.name}: {show_type(found)} does not fit parameter {param}")
        if result is not None and not match_type(TypePattern(self.result.element), result, bound):
            raise ValueError(f"{self.name}: the result is not of type {show_type(result)}")
        return bound

    def instantiate(self, arg_types: tuple[Type, ...], result: ScalarType | None = None) -> Instance:
        """The meaning at these types. Raises ValueError where they do not fit, DriverError where the function is not accepted."""
        key = (arg_types, result)
        if key not in self._instances:
            self._instances[key] = self._read(arg_types, self.bind(arg_types, result))
        return self._instances[key]

    def _read(self, arg_types: tuple[Type, ...], bound: Mapping[TypeVariable, ScalarType]) -> Instance:
        element = self.result.element
        result = bound.get(element) if isinstance(element, TypeVariable) else element
        params = tuple(Var(name, type_) for (name, _), type_ in zip(self.params, arg_types, strict=True))
        if self.external is not None:
            return Instance(params, Call(EXTERNAL + self.external.name, params, self.external.result))
        reader = Reader(self.source, result, used={name for name, _ in self.params})
        body = reader.function(params)
        wanted = type_of(body) if result is None else result if not self.result.rank else TensorType(result, self.result.rank)
        if type_of(body) != wanted:
            raise self.error(f"{self.name} is said to return {show_type(wanted)} and returns {show_type(type_of(body))}")
        requires = tuple(reader.requires)
        if any(not free_vars(condition) <= set(params) for condition in requires):
            raise self.error(f"{self.name} needs lists of some length inside of a loop; state that as 'requires'")
        if self.requires is not None:
            requires += Reader(self.requires, result, used=set(reader.used)).condition(params)
        return Instance(params, body, requires)


def match_type(pattern: TypePattern, found: Type, bound: dict[TypeVariable, ScalarType]) -> bool:
    """Whether the type fits the pattern, given and extending what the type variables stand for."""
    if isinstance(found, FunctionType):
        parts = zip((*pattern.takes, pattern.element), (*found.params, found.result), strict=True)
        return len(pattern.takes) == len(found.params) and all(match_type(TypePattern(p), one, bound) for p, one in parts)
    if pattern.takes:
        return False
    rank = found.rank if isinstance(found, TensorType) else 0
    element = found.element if isinstance(found, TensorType) else found
    if rank != pattern.rank or isinstance(element, tuple) or not isinstance(element, ScalarType):
        return False
    if not isinstance(pattern.element, TypeVariable):
        return element == pattern.element
    if not pattern.element.kind.admits(element):
        return False
    return bound.setdefault(pattern.element, element) == element


def read_meaning(function: Callable[..., Any]) -> Meaning:
    """The meaning that a typed function states; its body is read on use.

    Raises DriverError where its signature is not accepted.
    """
    return read_source(function_source(function))


def read_source(source: FunctionSource) -> Meaning:
    """The meaning that a function with this source states."""
    params, result = read_signature(source)
    return Meaning(source, params, result, decorator_lambda(source, "requires"))


def read_uninterpreted(function: Callable[..., Any]) -> Meaning:
    """The operator without a meaning that a typed function with the body `...` declares.

    Raises DriverError where it has a body, or a type that is not a scalar's of fixed width.
    """
    source = function_source(function)
    params, result = read_signature(source)
    tree = source.tree
    assert isinstance(tree, ast.FunctionDef)
    for statement in tree.body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            raise source.error(statement, f"{tree.name!r} is uninterpreted, so its body is ...; to give it a meaning, use define")
    types = []
    for name, pattern in (*params, ("the result", result)):
        if pattern.rank or not isinstance(pattern.element, BoolType | MachineInt | RealType):
            message = f"{tree.name!r} is uninterpreted, it stands for one function of the source: {name} has a fixed scalar type"
            raise source.error(tree, f"{message}, such as Float or Int32")
        types.append(pattern.element)
    return Meaning(source, params, result, None, External(tree.name, tuple(types[:-1]), types[-1]))


@dataclass
class Reader(SequenceReader):
    """Reads statements. `requires` collects what the meaning needs beyond what its author states."""

    requires: list[Expr] = field(default_factory=list)

    def function(self, args: tuple[Expr, ...]) -> Expr:
        """The body of the function on the arguments."""
        tree = self.source.tree
        assert isinstance(tree, ast.FunctionDef)
        names = [arg.arg for arg in tree.args.args]
        if len(names) != len(args):
            raise self.source.error(tree, f"{tree.name!r} takes {len(names)} arguments, not {len(args)}")
        named = dict(zip(names, args, strict=True))
        value = self._recursive(named) if calls_itself(tree) else self._returned(tree.body, dict(named))
        if value is None:
            raise self.source.error(tree, f"{tree.name!r} does not return a value on every path")
        try:
            if self.result is not None and isinstance(value, Literal):
                return typed(value, self.result)
            value = settle(value)
            return value if self.result is None or isinstance(type_of(value), TensorType) else typed(value, self.result)
        except TypeClash as clash:
            raise self.source.error(tree, str(clash)) from clash

    def _recursive(self, args: dict[str, Expr]) -> Value:
        recursion = RecursionReader(self, recursion_of(self.source), args)
        self.requires.extend(recursion.requires())
        return recursion.read()

    def condition(self, params: tuple[Var, ...]) -> tuple[Expr, ...]:
        """The lambda's body on the parameters that it names, as conditions that all have to hold."""
        tree = self.source.tree
        assert isinstance(tree, ast.Lambda)
        env: Env = {param.name: param for param in params}
        for arg in tree.args.args:
            if arg.arg not in env:
                known = ", ".join(env)
                raise self.source.error(tree, f"'requires' names {arg.arg!r}, which is no parameter; there are {known}")
        parts = tree.body.values if isinstance(tree.body, ast.BoolOp) and isinstance(tree.body.op, ast.And) else [tree.body]
        try:
            return tuple(truth(self.value(part, env)) for part in parts)
        except TypeClash as clash:
            raise self.source.error(tree, str(clash)) from clash

    def inlined(self, helper: FunctionSource, args: tuple[Expr, ...], node: ast.Call) -> Expr:
        """The body of a helper function on the arguments; one that says a fixed type as its result converts to that."""
        reader = Reader(helper, fixed_result(helper), used=self.used, requires=self.requires)
        reader.depth = self.depth + 1
        return reader.function(args)

    def _returned(self, body: list[ast.stmt], env: Env) -> Value | None:
        """What the statements return; they may end in if/else with a return in each branch."""
        for position, statement in enumerate(body):
            match statement:
                case ast.Expr(value=ast.Constant(value=str())):
                    continue
                case ast.Return(value=ast.expr() as value):
                    return self.value(value, env)
                case ast.If(test=test, body=then, orelse=other):
                    rest = body[position + 1 :]
                    if _returns(then) or _returns(other):
                        return self._choice(statement, truth(self.value(test, env)), [*then, *rest], [*other, *rest], env)
                    self._if(statement, truth(self.value(test, env)), env)
                case _:
                    self._statement(statement, env)
        return None

    def _choice(self, node: ast.If, cond: Expr, then: list[ast.stmt], other: list[ast.stmt], env: Env) -> Value | None:
        left, right = self._returned(then, dict(env)), self._returned(other, dict(env))
        if left is None or right is None:
            return None
        try:
            return Ite(cond, *self.arms(left, right))
        except TypeClash as clash:
            raise self.source.error(node, str(clash)) from clash

    def _statement(self, statement: ast.stmt, env: Env) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                env[name] = self.value(value, env)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                env[name] = self.value(value, env)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
                new = [self.value(value, env) for value in values]
                for target, each in zip(targets, new, strict=True):
                    env[self._plain(target)] = each
            case ast.AugAssign(target=ast.Name(id=name, ctx=context), op=op, value=value):
                read = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), statement)
                env[name] = self.value(ast.copy_location(ast.BinOp(left=read, op=op, right=value), statement), env)
                assert context is not None
            case ast.If(test=test):
                self._if(statement, truth(self.value(test, env)), env)
            case ast.For(orelse=[]):
                self._for(statement, env)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise self.source.error(statement, f"{ast.unparse(statement).splitlines()[0]!r} is not accepted in a meaning")

    def _plain(self, target: ast.expr) -> str:
        if not isinstance(target, ast.Name):
            raise self.source.error(target, "only plain names are assigned")
        return target.id

    def _block(self, body: list[ast.stmt], env: Env) -> Env:
        inner = dict(env)
        for statement in body:
            self._statement(statement, inner)
        return inner

    def _if(self, node: ast.If, cond: Expr, env: Env) -> None:
        then, other = self._block(node.body, env), self._block(node.orelse, env)
        for name in {*then, *other}:
            if name in then and name in other:
                same = then[name] == other[name]
                env[name] = then[name] if same else Ite(cond, *self.arms(then[name], other[name]))

    def _for(self, node: ast.For, env: Env) -> None:
        """A fold whose accumulator is the tuple of the variables that the body assigns and that exist before."""
        source = self.source_of(node.iter, env)
        state = [name for name in env if name in _assigned(node.body)]
        if not state:
            return
        index = self.fresh("k")
        for types in self._guesses([env[name] for name in state]):
            accs = [self.fresh(name, type_) for name, type_ in zip(state, types, strict=True)]
            names = {**env, **dict(zip(state, accs, strict=True)), **self.targets(node.target, source.item(index))}
            after = self._block(node.body, names)
            try:
                results = [typed(after[name], type_) for name, type_ in zip(state, types, strict=True)]
                inits = [typed(env[name], type_) for name, type_ in zip(state, types, strict=True)]
            except TypeClash:
                continue
            self._bind_fold(state, accs, results, _Loop(source.extent, index, inits), env)
            return
        raise self.source.error(node, f"the types of {', '.join(state)} change in the loop")

    def _guesses(self, values: list[Value]) -> list[list[Type]]:
        """Types for the accumulators: those of their values; a literal has the result's type, or is an exact integer."""
        fallback = [INT] if self.result is None else [self.result, INT]
        return [[guess if isinstance(value, Literal) else type_of(value) for value in values] for guess in fallback]

    def _bind_fold(self, state: list[str], accs: list[Var], results: list[Expr], loop: _Loop, env: Env) -> None:
        if len(state) == 1:
            env[state[0]] = Fold(loop.extent, loop.inits[0], accs[0], loop.index, results[0])
            return
        init = MakeTuple(tuple(loop.inits))
        whole = self.fresh("state", type_of(init))
        items: dict[Var, Expr] = {acc: Item(whole, position) for position, acc in enumerate(accs)}
        body = reduce(substitute(MakeTuple(tuple(results)), items))
        fold = Fold(loop.extent, init, whole, loop.index, body)
        for position, name in enumerate(state):
            env[name] = Item(fold, position)


@dataclass(frozen=True)
class _Loop:
    """What a fold goes over and starts from."""

    extent: Expr
    index: Var
    inits: list[Expr]


def _returns(body: list[ast.stmt]) -> bool:
    """Whether a return stands in the statements themselves or in their branches."""
    for each in body:
        if isinstance(each, ast.Return) or (isinstance(each, ast.If) and (_returns(each.body) or _returns(each.orelse))):
            return True
    return False


def _assigned(body: list[ast.stmt]) -> set[str]:
    """The names that the statements assign."""
    nodes = (node for each in body for node in ast.walk(each))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
