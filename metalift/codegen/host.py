"""A Python file with calls of generated functions in place of loops: the source as it stands, around what was lifted of it.

Each generated file is in a function of its own, so that its names are apart from those of the source. A call takes the loop's
lists and numbers, checks that they are what the lift took them for, and puts back what the loop changes and returns. Where a
check fails, which is before anything is changed, the loop runs as it was written, and a warning says why.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metalift.codegen.names import Names
from metalift.codegen.request import CannotSpell, Generated
from metalift.driver import Target
from metalift.driver.templates import fill_template
from metalift.ir.expr.types import BOOL, DOUBLE, INT, MachineInt, ScalarType, TensorType, TupleType, Type
from metalift.ir.program.fragment import Fragment, Param

PYTHON: dict[ScalarType, str] = {BOOL: "bool", INT: "int", DOUBLE: "float"}
HELPERS = ("_lifted_number", "_lifted_list", "_lifted_parts", "_lifted_apart", "_lifted_put")
HELPER_TEXT = '''\
def _lifted_number(name, value, *types):
    """Raise TypeError unless a number is of one of the types that it was taken for."""
    if isinstance(value, bool) and bool not in types or not isinstance(value, types):
        raise TypeError(f"{name} must be of type {types[0].__name__}, not {type(value).__name__}: annotate it")
    return types[0](value)


def _lifted_list(name, value, axes, *types):
    """Raise TypeError unless a value is a list of so many axes, of values of one of the types that they were taken for."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} must be a list, not {type(value).__name__}: annotate it")
    for row in value if axes > 1 else ():
        _lifted_list(name, row, axes - 1, *types)
    if axes == 1 and not set(map(type, value)) <= set(types):
        raise TypeError(f"{name} must have values of type {types[0].__name__} only: annotate it")
    return value


def _lifted_parts(value, axes):
    """A list with the lists in it."""
    yield value
    for row in value if axes > 1 else ():
        yield from _lifted_parts(row, axes - 1)


def _lifted_apart(*lists):
    """Raise ValueError if a list that is changed is also another one, or a row of one; of each its name, value, axes, change."""
    owners = {}
    for name, value, axes, changed in lists:
        for part in _lifted_parts(value, axes):
            if id(part) in owners and (changed or owners[id(part)][1]):
                raise ValueError(f"{name} and {owners[id(part)][0]} must be lists that share nothing")
            owners[id(part)] = name, changed or id(part) in owners and owners[id(part)][1]


def _lifted_put(target, values, axes):
    """Put values into a list, whose rows stay the same lists."""
    if axes == 1:
        target[:] = values
    else:
        for row, new in zip(target, values):
            _lifted_put(row, new, axes - 1)
'''


@dataclass(frozen=True, slots=True)
class Piece:
    """A loop that was lifted: its lines, its code, and the names that it leaves.

    `annotated` are parameters whose types the source gives.
    """

    function: int  # the first line of the function that it is in
    first: int
    last: int
    inside: frozenset[int]  # lines that begin in the middle of a text
    fragment: Fragment
    generated: Generated
    left: tuple[str, ...]
    annotated: frozenset[str]
    verdict: str

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.fragment.name

    def called(self, lines: Sequence[str]) -> Iterator[str]:
        """The lines in place of the loop, given those of it: a call, and the loop where the call is refused."""
        before = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        call = f"{self.name}({', '.join(param.var.name for param in self.fragment.params)})"
        yield f"{before}if (_{self.name} := {call}) is None:" if self.left else f"{before}if {call} is None:"
        for number, line in enumerate(lines, self.first):
            moved = line.startswith(before) and number not in self.inside
            yield f"{before}    {line.removeprefix(before)}" if moved else line
        if self.left:
            yield f"{before}else:"
            yield f"{before}    {', '.join(self.left)}{',' * (len(self.left) == 1)} = _{self.name}"


def host_file(source: str, path: str, pieces: Sequence[Piece], target: Target, made_by: str) -> str:
    """The text of the file. Raises CannotSpell where the target's code is not called so."""
    lines: list[str] = source.split("\n")
    for piece in sorted(pieces, key=lambda each: -each.first):
        lines[piece.first - 1 : piece.last] = piece.called(lines[piece.first - 1 : piece.last])
    before = min(piece.function for piece in pieces) - 1  # no piece is above, so that the line is where it was
    parts = [HELPER_TEXT, *(_factory(piece, target) for piece in pieces)]
    at = ", ".join(str(piece.first) for piece in pieces)
    note = f"# Generated by {made_by} from {path}: the loops at the lines {at} are lifted."
    lines[before:before] = [note, *"\n\n".join(parts).split("\n"), ""]
    text = "\n".join(lines)
    compile(text, path, "exec", dont_inherit=True)
    return text


def _factory(piece: Piece, target: Target) -> str:
    """The generated file in a function, and the function that calls it."""
    tree = ast.parse(piece.generated.text)
    first = tree.body[1 if ast.get_docstring(tree) is not None else 0]
    kept = piece.generated.text.split("\n")[min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", ()))]) - 1 :]
    made = f"_lifted_{piece.name}"
    return "\n".join(
        [
            f"def {made}():",
            f'    """The loop at line {piece.first} as code that is {piece.verdict}, for the values of Python that it had."""',
            "    import warnings",
            "",
            textwrap.indent("\n".join(kept).rstrip("\n"), "    "),
            "",
            *(f"    {line}".rstrip() for line in _adapter(piece, target)),
            "",
            "    return lifted",
            "",
            "",
            f"{piece.name} = {made}()",
            "",
        ]
    )


def _adapter(piece: Piece, target: Target) -> Iterator[str]:
    """The lines of the function that takes lists."""
    params, written = piece.fragment.params, piece.generated.written
    if piece.fragment.key is not None or piece.fragment.form is not None:
        raise CannotSpell("a loop that makes dictionaries or sets, or leaves None in a name, is not called from its source")
    names = Names([*target.imports, *HELPERS, piece.generated.function, "lifted", "problem", "warnings"])
    given = {param.var.name: names.take(param.var.name) for param in params}
    axes = {param.var.name: param.var.type.rank for param in params if isinstance(param.var.type, TensorType)}
    lists = {param.var.name: axes[param.var.name] for param in params if param.var.name in axes and not param.numpy}
    kinds = {param.var.name: "" if param.numpy else "_array" if param.var.name in axes else "_number" for param in params}
    passed = {each: names.take(f"{shown}{kinds[each]}") if kinds[each] else shown for each, shown in given.items()}
    yield f"def lifted({', '.join(given.values())}):"
    yield "    try:"
    for param in params:
        yield from (f"        {line}" for line in _taken(param, piece, target, given[param.var.name], passed[param.var.name]))
    if not lists.keys().isdisjoint(written):
        shown = (f'("{each}", {given[each]}, {many}, {each in written})' for each, many in lists.items())
        yield f"        _lifted_apart({', '.join(shown)})"
    types = _items(piece.fragment.result)
    results = [names.take("result") for _ in types]
    changed = {each: names.take(f"changed_{each}") for each in written}
    call = f"{piece.generated.function}({', '.join(passed.values())})"
    yield f"        {', '.join([*results, *changed.values()])} = {call}" if results or changed else f"        {call}"
    yield "    except (OverflowError, TypeError, ValueError) as problem:"
    said = f"the loop at line {piece.first} runs as it was written: {{problem}}"
    yield f'        warnings.warn(f"{said}", RuntimeWarning, stacklevel=2)'
    yield "        return None"
    for each, array in changed.items():
        if each in lists:
            yield f"    _lifted_put({given[each]}, {_filled(target, 'plain', x=array)}, {lists[each]})"
    numpy = any(param.numpy for param in params)
    shown = (f"{_left(*pair, target, numpy)}, " for pair in zip(results, types, strict=True))
    yield f"    return ({''.join(shown)})"


def _taken(param: Param, piece: Piece, target: Target, shown: str, array: str) -> Iterator[str]:
    """Statements that make of a value what the generated function takes."""
    name, type_ = param.var.name, param.var.type
    element = type_.element if isinstance(type_, TensorType) else type_
    if param.numpy:
        if target.layout is None or target.layout.array_type != "np.ndarray" or target.layout.update:
            raise CannotSpell(f"{name} is NumPy's, which the target's code does not take")
        return
    if not isinstance(element, ScalarType) or element not in PYTHON:
        raise CannotSpell(f"{name} is of a type whose values are not converted")
    types = PYTHON[element] + (", int" if element == DOUBLE and name in piece.annotated else "")
    if not isinstance(type_, TensorType):
        yield f'{array} = _lifted_number("{name}", {shown}, {types})'
        return
    value = f'_lifted_list("{name}", {shown}, {type_.rank}, {types})'
    yield f"{array} = {_filled(target, 'array', value=value, dtype=target.dtypes.get(element, 'None'))}"
    if type_.rank > 1 and target.layout is not None and target.layout.reshape:
        yield f"if not {shown}:"
        shape = f"({', '.join(['0'] * type_.rank)})"
        yield f"    {array} = {_filled(target, 'reshape', x=array, shape=shape)}"


def _left(shown: str, type_: Type, target: Target, numpy: bool) -> str:
    """A result as the loop would leave it; of NumPy's numbers as it comes."""
    if isinstance(type_, TensorType):
        return _filled(target, "plain", x=shown)
    if isinstance(type_, MachineInt) or (numpy and type_ == DOUBLE):
        return shown
    if not isinstance(type_, ScalarType) or type_ not in PYTHON:
        raise CannotSpell("a result of a type whose values are not converted")
    return f"{PYTHON[type_]}({shown})"


def _filled(target: Target, template: str, **parts: str) -> str:
    """A template of the target's layout with these expressions."""
    if target.layout is None or target.runner is not None or target.language != "python":
        raise CannotSpell("the target's code is not called from Python by itself")
    trees = {key: ast.parse(value, mode="eval").body for key, value in parts.items()}
    return ast.unparse(fill_template(getattr(target.layout, template), trees))


def _items(result: Type | None) -> tuple[Type, ...]:
    return () if result is None else result.items if isinstance(result, TupleType) else (result,)
