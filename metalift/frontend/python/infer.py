"""The types of parameters that have no annotation, or an incomplete one, from how the function uses them.

A name that is iterated over or subscripted is a list; one that counts or is an index is an int; whatever else there is, is a
float. These are guesses, and each of them is told to the user.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from metalift.frontend.python.annotations import Hint, Open
from metalift.frontend.python.evident import evident_types
from metalift.frontend.python.heads import defaults_of
from metalift.frontend.python.name_uses import Use, Uses, annotation_of, arguments_of
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.row_types import Parts, Records, key_types, record_of, record_uses
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

_RANKS = 3  # axes of an array that are tried
_TRIED = 60  # guesses about arrays that are tried


def _default(function: ast.FunctionDef, name: str) -> ScalarType | None:
    """The type of a parameter's default, where it is a number."""
    match defaults_of(function).get(name):
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
    hints = {arg.arg: annotation_of(module, arg) for arg in arguments_of(function)}
    given = dict(hints)
    used = function if around is None else ast.FunctionDef(around.name, function.args, around.body, [])
    known = {} if around is None else evident_types(module, around)
    uses = Uses(module, used).run() if not all(hint.complete and hint.type != STRING for hint in hints.values()) else {}
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
    uses = Uses(module, function)
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
        place = next((arg for arg in arguments_of(function) if arg.arg == name), function)
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
