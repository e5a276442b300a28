"""The types of parameters that have no annotation, or an incomplete one, from how the function uses them.

A name that is iterated over or subscripted is a list; one that counts or is an index is an int; whatever else there is, is a
float. These are guesses, and each of them is told to the user.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice

from metalift.frontend.python.annotations import Hint, Open, read_annotation
from metalift.frontend.python.evident import evident_types
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.row_types import Parts, Records, key_types, record_of, record_uses
from metalift.frontend.python.rows import key_of
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    ROW,
    STRING,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    Type,
    is_identity,
)

_COUNTING = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "arange", "eye", "identity"))
_WHOLE = ("len", "sum", "enumerate", "zip", "reversed", "sorted", "list", "tuple", "any", "all")
_DEPTH = 6
_RANKS = 3  # axes of an array that are tried
_TRIED = 60  # guesses about arrays that are tried


@dataclass(slots=True)
class Use:
    """How a name is used: with how many indices, and whether what is found there counts or is an index."""

    rank: int = 0
    counts: bool = False
    array: bool = False  # x[i, j] or x.shape, which only NumPy's arrays know
    truth: bool = False


@dataclass(slots=True)
class _Uses:
    """Collects the uses of names in one function; `views` are names that stand for parts of others."""

    module: PythonModule
    function: ast.FunctionDef
    depth: int = 0
    found: dict[str, Use] = field(default_factory=dict)
    views: dict[str, tuple[str, int]] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)  # names of the function's own that count

    def run(self) -> dict[str, Use]:
        """The uses of the function's parameters."""
        names = [arg.arg for arg in _args(self.function)]
        self.views = {name: (name, 0) for name in names}
        self.found = {name: Use() for name in names}
        for _ in range(3):  # a view of a view is known when what it is a view of is
            for node in ast.walk(self.function):
                self._bind(node)
        for node in ast.walk(self.function):
            self._note(node)
        known = set[str]()
        while self.counted - known:  # what such a name is computed from counts, too
            known |= self.counted
            for node in ast.walk(self.function):
                for value in _given(node, self.counted):
                    self._counts(value)
        return self.found

    def part(self, node: ast.expr) -> tuple[str, int] | None:
        """The parameter of which an expression is a part, and how many indices lead to it."""
        match node:
            case ast.Name(id=name):
                return self.views.get(name)
            case ast.Subscript(value=owner, slice=ast.Slice()):
                return self.part(owner)
            case ast.Subscript(slice=where) if key_of(where) is not None:
                return None  # of a row
            case ast.Call(func=ast.Name(id="sorted" | "reversed" | "list"), args=[inner, *_]):
                return self.part(inner)
            case ast.Subscript(value=owner, slice=where):
                part = self.part(owner)
                given = where.elts if isinstance(where, ast.Tuple) else [where]
                return part and (part[0], part[1] + sum(not isinstance(each, ast.Slice) for each in given))
            case _:
                return None

    def _bind(self, node: ast.AST) -> None:
        """Names that become views."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                part = self.part(value)
                if part is not None and name not in self.found:
                    self.views[name] = part
            case ast.Call(args=[inner, *_], keywords=[ast.keyword(value=ast.Lambda(args=ast.arguments(args=[arg]))), *_]):
                part = self.part(inner)
                if part is not None and arg.arg not in self.found:
                    self.views[arg.arg] = (part[0], part[1] + 1)
            case ast.For(target=target, iter=iterated) | ast.comprehension(target=target, iter=iterated):
                for name, part in self._items(target, iterated):
                    if name not in self.found:
                        self.views[name] = part
            case _:
                pass

    def _items(self, target: ast.expr, iterated: ast.expr) -> Iterator[tuple[str, tuple[str, int]]]:
        match target, iterated:
            case ast.Name(id=name), _:
                part = self.part(iterated)
                if part is not None:
                    yield name, (part[0], part[1] + 1)
            case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[inside, *_]):
                yield from self._items(inner, inside)
            case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=sources):
                for each, source in zip(targets, sources, strict=False):
                    yield from self._items(each, source)
            case _:
                pass

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Attribute(attr="shape") | ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Assign():
                self._shape(node)
            case ast.Subscript(value=owner, slice=where) if key_of(where) is None:
                self._rank(self.part(owner), sum(map(_is_index, where.elts)) if isinstance(where, ast.Tuple) else 1)
                if isinstance(where, ast.Tuple):
                    part = self.part(node)
                    if part is not None:
                        self.found[part[0]].array = True
                self._index(where)
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                self._rank(self.part(iterated), 1)
            case ast.BinOp(op=ast.LShift() | ast.RShift() | ast.BitAnd() | ast.BitXor(), left=left, right=right):
                self._counts(left)
                self._counts(right)
            case ast.BinOp(op=ast.Mult(), left=ast.List(), right=times):
                self._counts(times)
            case ast.Call():
                self._call(node)
            case _:
                pass

    def _shape(self, node: ast.AST) -> None:
        """How many axes an array has at least of whose shape something is read."""
        match node:
            case ast.Attribute(value=owner) if (part := self.part(owner)) is not None:
                self._rank(part, 1)
                self.found[part[0]].array = True
            case ast.Subscript(value=ast.Attribute(value=owner), slice=where):
                self._rank(self.part(owner), _axes(where))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=owner, attr="shape")):
                self._rank(self.part(owner), len(names))

    def _rank(self, part: tuple[str, int] | None, more: int) -> None:
        if part is not None:
            use = self.found[part[0]]
            use.rank = max(use.rank, part[1] + more)

    def _index(self, where: ast.expr) -> None:
        match where:
            case ast.Tuple(elts=parts):
                for each in parts:
                    self._index(each)
            case ast.Slice(lower=low, upper=high, step=step):
                for bound in (low, high, step):
                    if bound is not None:
                        self._counts(bound)
            case _:
                self._counts(where)

    def _counts(self, node: ast.expr) -> None:
        """What is added up here is an int."""
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=right):
                self._counts(left)
                self._counts(right)
            case ast.UnaryOp(operand=operand):
                self._counts(operand)
            case ast.Call(func=ast.Name(id="min" | "max" | "abs"), args=args):
                for arg in args:
                    self._counts(arg)
            case _:
                part = self.part(node)
                if part is not None:
                    self.found[part[0]].counts = True
                elif isinstance(node, ast.Name):
                    self.counted.add(node.id)

    def _call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id="range"):
                for arg in node.args:
                    self._counts(arg)
            case _ if self.module.full_name(node.func) in _COUNTING:
                for arg in (part for each in node.args for part in _written_out(each)):
                    self._counts(arg)
            case ast.Name(id=name) if name in _WHOLE:
                for arg in node.args:
                    self._rank(self.part(arg), 1)
            case ast.Name(id=name) if name in ("max", "min") and len(node.args) == 1:
                self._rank(self.part(node.args[0]), 1)
            case ast.Name(id=name) if name in self.module.functions and self.depth < _DEPTH:
                self._helper(node, self.module.functions[name])
            case ast.Attribute(value=owner, attr="append" | "extend" | "pop" | "copy" | "count" | "index"):
                self._rank(self.part(owner), 1)
            case _:
                pass

    def _helper(self, node: ast.Call, helper: ast.FunctionDef) -> None:
        """What a called function does with its parameters, this one does with the arguments."""
        uses = _Uses(self.module, helper, self.depth + 1).run()
        for arg, given in zip(_args(helper), node.args, strict=False):
            part = self.part(given)
            use = uses.get(arg.arg)
            if part is None or use is None:
                continue
            hint = _annotated(self.module, arg)
            self._rank(part, max(use.rank, hint.rank or 0))
            if use.counts or (hint.element == INT and not hint.numpy):
                self.found[part[0]].counts = True


def _written_out(node: ast.expr) -> list[ast.expr]:
    """The items of a tuple or list, or else the expression."""
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def _given(node: ast.AST, names: Set[str]) -> Iterator[ast.expr]:
    """What an assignment gives to these names."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
            yield value
        case ast.AugAssign(target=ast.Name(id=name), value=value) if name in names:
            yield value
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Tuple(elts=values)) if len(parts) == len(values):
            for part, value in zip(parts, values, strict=True):
                if isinstance(part, ast.Name) and part.id in names:
                    yield value


def _args(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _annotated(module: PythonModule, arg: ast.arg) -> Hint:
    return read_annotation(module, arg.annotation) if arg.annotation is not None else Hint()


def _default(function: ast.FunctionDef, name: str) -> ScalarType | None:
    """The type of a parameter's default, where it is a number."""
    positional = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    pairs = list(zip(reversed(positional), reversed(function.args.defaults), strict=False))
    pairs += [(arg.arg, value) for arg, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if value]
    value = dict(pairs).get(name)
    match value:
        case ast.Constant(value=bool()):
            return BOOL
        case ast.Constant(value=float()):
            return DOUBLE
        case ast.Constant(value=int()):
            return INT
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Types:
    """The complete types of parameters, and what annotations leave open of them.

    `arrays`: the function may be about arrays of NumPy; `texts`: it may be about strings.
    """

    hints: dict[str, Hint]
    given: dict[str, Hint]
    arrays: bool = False
    texts: bool = False

    def guesses(self) -> list[str]:
        """What had to be guessed, in words."""
        named = ((name, hint) for name, hint in self.hints.items() if not self.given[name].complete)
        return [f"{name} is taken as {_described(hint)}: annotate it to change that" for name, hint in named]

    def like(self, others: Mapping[str, Type]) -> Types:
        """The same with these arrays of NumPy and numbers, as far as annotations leave it open."""
        hints = dict(self.hints)
        arrays = {name: type_ for name, type_ in others.items() if isinstance(type_, TensorType)}
        for name, type_ in others.items():
            hint, given = hints.get(name), self.given.get(name)
            if hint is None or given is None or given.rank is not None or (given.text and not given.numpy):
                continue
            if not isinstance(type_, TensorType):
                number = DOUBLE if isinstance(type_, RealType) else BOOL if type_ == BOOL else INT
                kept = type_ if isinstance(type_, IntType) and is_identity(type_) else number
                hints[name] = replace(hint, element=kept, rank=0, numpy=False)
                continue
            element = given.element or type_.element
            if element == INT and self.arrays:
                element = MachineInt(64, True)  # which Python's integers are in an array
            hints[name] = replace(hint, element=element, rank=type_.rank, numpy=True)
        named = {name: each for name, each in self.given.items() if name in arrays}
        known = {name: replace(each, element=each.element or hints[name].element) for name, each in named.items()}
        return replace(self, hints=hints, given={**self.given, **known})

    def others(self) -> Iterator[Types]:
        """The same with other guesses about arrays of NumPy and strings, those that differ least first."""
        options = {name: [hint, *self._options(name, hint)] for name, hint in self.hints.items()}
        open_ = {name: found for name, found in options.items() if len(found) > 1}
        most = sum(len(found) - 1 for found in open_.values())
        choices = (choice for total in range(1, most + 1) for choice in _with_sum([len(each) for each in open_.values()], total))
        for choice in islice(choices, _TRIED):
            chosen = {name: found[at] for (name, found), at in zip(open_.items(), choice, strict=True)}
            yield replace(self, hints={**self.hints, **chosen})

    def _options(self, name: str, hint: Hint) -> Iterator[Hint]:
        given = self.given[name]
        if given.complete or hint.rank is None or hint.open is not None or (given.element is not None and given.rank is not None):
            return
        if self.texts and given.text == "" and hint.rank == 1 and hint.element in (DOUBLE, STRING):
            yield replace(hint, element=INT, characters=True)
        if not self.arrays or not (hint.numpy or given.text == ""):
            return
        elements = [hint.element] if given.element is not None or given.rank == 0 else [_float_or_int(hint)]
        if given.element is None and elements[0] == DOUBLE:
            elements.append(MachineInt(64, True))
        for rank in range(max(hint.rank, 1), _RANKS + 1) if given.rank is None else (hint.rank,):
            for element in elements:
                other = replace(hint, rank=rank, element=element, numpy=True)
                if other != hint:
                    yield other


def _axes(where: ast.expr) -> int:
    """How many axes an array has at least of whose shape this is read."""
    match where:
        case ast.Constant(value=int(place)):
            return place + 1
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(place))):
            return place
        case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.Constant(value=int(length))):
            return length
        case _:
            return 1


def _is_index(node: ast.expr) -> bool:
    """Whether an index is one of an axis: a new axis is none, `...` any number."""
    new = isinstance(node, ast.Constant) and (node.value is None or node.value is Ellipsis)
    return not (new or (isinstance(node, ast.Attribute) and node.attr == "newaxis"))


def _with_sum(lengths: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    """All places in lists of these lengths whose sum is `total`."""
    if not lengths:
        yield from [()] if total == 0 else []
        return
    for first in range(min(lengths[0] - 1, total) + 1):
        yield from ((first, *rest) for rest in _with_sum(lengths[1:], total - first))


def _float_or_int(hint: Hint) -> ScalarType | None:
    """The dtype of an array of such numbers."""
    return MachineInt(64, True) if hint.element == INT else hint.element


def parameter_types(
    module: PythonModule, function: ast.FunctionDef, written: ast.FunctionDef, around: ast.FunctionDef | None = None
) -> Types:
    """The complete type of each parameter.

    `written`: the function as the source has it. `around`: the one that it is a loop of, in which its parameters are names.
    """
    hints = {arg.arg: _annotated(module, arg) for arg in _args(function)}
    given = dict(hints)
    used = function if around is None else ast.FunctionDef(around.name, function.args, around.body, [])
    known = {} if around is None else evident_types(module, around)
    uses = _Uses(module, used).run() if not all(hint.complete and hint.type != STRING for hint in hints.values()) else {}
    records = _records(module, written, hints) if uses else {}
    keys = key_types(module, written, _parts(module, written)) if uses else {}
    for name, hint in hints.items():
        if hint.complete and hint.type == STRING and uses[name].rank == 1:
            hints[name] = replace(hint, element=INT, rank=1, characters=True)
        if hint.complete:
            continue
        if (found := _with_records(module, written, name, hint, uses[name], records.get(name))) is not None:
            hints[name] = found
            continue
        evident = known.get(name, hint)
        hint = replace(evident, text=hint.text) if hint.element is None and hint.rank is None else hint
        if hint.element is None and not hint.numpy and uses[name].rank == 1 and not uses[name].counts:
            hint = replace(hint, element=keys.get(name))
        hints[name] = _completed(hint, uses[name], _default(function, name))
    parts = list(ast.walk(used))
    arrays = any(module.full_name(part).startswith("numpy") for part in parts if isinstance(part, ast.Name))
    arrays = arrays or any(hint.numpy for hint in hints.values())
    texts = any(isinstance(part, ast.Compare | ast.Call) and _has_text(part) for part in parts)
    return Types(hints, given, arrays, texts)


def _has_text(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.iter_child_nodes(node))


def _records(module: PythonModule, function: ast.FunctionDef, hints: Mapping[str, Hint]) -> dict[str, Records]:
    """The records in each parameter, as far as its use shows them."""
    names = {name: hint.open.names for name, hint in hints.items() if hint.open is not None and hint.open.names}
    return record_uses(module, function, lambda each: _parts(module, each), names)


def _parts(module: PythonModule, function: ast.FunctionDef) -> Parts:
    """What expressions of a function are parts of."""
    uses = _Uses(module, function)
    uses.run()
    return uses.part


def _with_records(
    module: PythonModule, function: ast.FunctionDef, name: str, hint: Hint, use: Use, found: Records | None
) -> Hint | None:
    """The type of a parameter whose elements are records, or that is one; None where they are none."""
    rank = hint.rank
    if hint.open is None:
        if found is None or hint.element is not None or hint.numpy or use.rank > found.rank:
            return None
        rank = found.rank
        hint = replace(hint, open=Open("tuple" if found.arity else ROW))
    assert hint.open is not None
    element = record_of(hint.open, found if found is not None and found.rank == rank else None)
    if element is None or rank is None:
        place = next((arg for arg in _args(function) if arg.arg == name), function)
        module.place.refuse(place, f"{name}, of whose elements it is not seen which keys they have; annotate it with a TypedDict")
    return replace(hint, rank=rank, element=element)


def _described(hint: Hint) -> str:
    if hint.characters:
        return "str"
    axes = f" of {hint.rank} axes" if hint.numpy and (hint.rank or 0) > 1 else ""
    return f"{hint.shown()}{axes}"


def _completed(hint: Hint, use: Use, default: ScalarType | None) -> Hint:
    rank = hint.rank
    if rank is None:
        rank = max(use.rank, 1 if hint.text else 0)
    numpy = hint.numpy or use.array
    element = hint.element
    if element is None:
        element = INT if use.counts else FLOAT if hint.tensor else DOUBLE
        if rank == 0 and default is not None:
            element = default
        if numpy and rank and element == INT:
            element = MachineInt(64, True)
    return replace(hint, rank=rank, element=element, numpy=numpy)
