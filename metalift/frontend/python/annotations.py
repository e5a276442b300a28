"""What annotations say of a value: a scalar type, or a list or array of so many axes."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, ROW, STRING, IntType, MachineInt, ScalarType, TensorType, Type
from metalift.ir.interp.identities import is_row, row_type, tuple_type

SUPPORTED = (
    "supported are int, float, bool, str, tuples of them, dataclasses, NamedTuples and TypedDicts with fields of these types and "
    "no methods like __init__, list, Sequence and tuple[T, ...] of these, lists of lists, and NumPy arrays and numbers"
)
_SCALARS: dict[str, ScalarType] = {"int": INT, "float": DOUBLE, "bool": BOOL, "str": STRING}
_NUMPY: dict[str, ScalarType] = {
    "float64": DOUBLE,
    "double": DOUBLE,
    "float32": FLOAT,
    "single": FLOAT,
    "bool_": BOOL,
    "bool": BOOL,
    "intp": MachineInt(64, True),
    "int_": MachineInt(64, True),
    **{f"int{bits}": MachineInt(bits, True) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": MachineInt(bits, False) for bits in (8, 16, 32, 64)},
}
_LISTS = ("list", "List", "Sequence", "MutableSequence", "Iterable", "Collection")
_DICTS = ("dict", "Dict", "Mapping", "MutableMapping")
TYPED_DICTS = ("typing.TypedDict", "typing_extensions.TypedDict")
_ARRAYS = ("numpy.ndarray", "numpy.typing.NDArray", "numpy.typing.ArrayLike", "torch.Tensor")
_TORCH: dict[str, ScalarType] = {
    "float": FLOAT,
    "float32": FLOAT,
    "double": DOUBLE,
    "float64": DOUBLE,
    "bool": BOOL,
    "uint8": MachineInt(8, False),
    **{f"uint{bits}": MachineInt(bits, False) for bits in (16, 32, 64)},
    **{f"int{bits}": MachineInt(bits, True) for bits in (8, 16, 32, 64)},
    **{name: MachineInt(bits, True) for name, bits in (("short", 16), ("int", 32), ("long", 64))},
}
_JAXTYPING = {"Float": "float32", "Int": "int64", "UInt8": "uint8", "Bool": "bool"}  # else the dtype in small letters


BYTES = ("bytes", "bytearray")
WITH_ALL_KEYS = "supported are rows that have each of their keys; give them a value that cannot occur"


@dataclass(frozen=True, slots=True)
class Open:
    """Records of which the types of the parts, and of rows and tuples the parts, are those that their use shows.

    `names` are the fields, as far as they are known; `type` is that of all parts.
    """

    of: str
    names: tuple[str, ...] = ()
    type: ScalarType | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """What is known of a value's type: `rank` 0 is a scalar; None where nothing is said.

    `numpy`: an array of NumPy, or a number of it; `tensor`: such an array is one of PyTorch. `text` is the annotation as it is
    written.
    `open`: its elements are such records.
    """

    element: ScalarType | None = None
    rank: int | None = None
    numpy: bool = False
    tensor: bool = False
    text: str = ""
    open: Open | None = None
    characters: bool = False  # a string, of which only characters are read, by their code points

    @property
    def kind(self) -> str:
        """The type that Python has for values of several elements; empty where the annotation leaves that open."""
        root = self.text.partition("[")[0].split(".")[-1].lower()
        return "str" if self.characters else "list" if not self.text or root == "list" else ""

    @property
    def complete(self) -> bool:
        """Whether nothing is left open."""
        return self.element is not None and self.rank is not None

    @property
    def type(self) -> Type:
        """The type, when it is complete."""
        assert self.element is not None and self.rank is not None
        return TensorType(self.element, self.rank) if self.rank else self.element

    def shown(self) -> str:
        """The type as Python spells it."""
        assert self.element is not None and self.rank is not None
        if self.tensor and self.rank:
            return f"torch.Tensor of {numpy_name(self.element)}"
        if self.numpy and self.rank:
            return f"NDArray[np.{numpy_name(self.element)}]"
        return "list[" * self.rank + _shown(self.element) + "]" * self.rank


def _shown(type_: ScalarType) -> str:
    if isinstance(type_, IntType) and type_.fields:
        parts = (_shown(part) if type_.of == "tuple" else f"{name}: {_shown(part)}" for name, part in type_.fields)
        return f"{type_.of}[{', '.join(parts)}]"
    return next((name for name, known in _SCALARS.items() if known == type_), "") or f"np.{numpy_name(type_)}"


def numpy_name(type_: ScalarType) -> str:
    """NumPy's name of a scalar type."""
    return next((name for name, known in _NUMPY.items() if known == type_), "int64")


def numpy_type(module: PythonModule, node: ast.expr) -> ScalarType | None:
    """The scalar type that a dtype expression names: np.float32, float, "float32"."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _NUMPY.get(node.value)
    full = module.full_name(node)
    if full.startswith("numpy."):
        return _NUMPY.get(full.removeprefix("numpy."))
    if full.startswith("torch."):
        return _TORCH.get(full.removeprefix("torch."))
    builtin = _SCALARS.get(node.id) if isinstance(node, ast.Name) else None
    return MachineInt(64, True) if builtin == INT else builtin


def read_annotation(module: PythonModule, node: ast.expr) -> Hint:
    """What an annotation says; an unknown one is refused."""
    hint = _read(module, node, 0)
    if hint is None and _may_be_none(module, node):
        problem = f"a parameter that may be None ({ast.unparse(node)})"
        module.place.refuse(node, f"{problem}; supported is None in names and results; write a function for where it is given")
    if hint is None:
        module.place.refuse(node, f"the type {ast.unparse(node)!r}; {SUPPORTED}; annotate it with one of them")
    return replace(hint, text=ast.unparse(node))


def _read(module: PythonModule, node: ast.expr, depth: int) -> Hint | None:
    match node:
        case ast.Constant(value=str() as text):
            try:
                return _read(module, ast.parse(text, mode="eval").body, depth)
            except SyntaxError:
                return None
        case ast.Name(id=name) if name in _SCALARS:
            return Hint(_SCALARS[name], 0)
        case ast.Name(id=name) if name in module.classes and module.bound[name] == 1 and depth < 8:
            return _record(module, module.classes[name], depth)
        case ast.Name(id=name) if name in module.constants and depth < 8:
            return _constant(module, name, depth + 1)
        case ast.Subscript(value=owner, slice=inside) if module.full_name(owner).startswith("jaxtyping."):
            return _with_shape(module, module.full_name(owner).removeprefix("jaxtyping."), inside)
        case ast.Subscript(value=owner, slice=inside):
            return _subscripted(module, _plain_name(module, owner), inside, depth)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _either(_read(module, left, depth), _read(module, right, depth))
        case ast.Subscript(value=owner, slice=ast.Tuple(elts=[left, right])) if _plain_name(module, owner) == "Union":
            return _either(_read(module, left, depth), _read(module, right, depth))
        case _:
            return _bare(_plain_name(module, node))


def _constant(module: PythonModule, name: str, depth: int) -> Hint | None:
    """What a name that the module sets once says: a type, `namedtuple(name, fields)`, or `TypedDict(name, {key: type})`."""
    if names := namedtuple_fields(module, name):
        return Hint(None, 0, open=Open(name, names))
    constant = module.constants[name]
    match constant:
        case ast.Call(func=func) if module.full_name(func) == "typing.TypeVar":
            return Hint(None, 0)  # which number it is, is seen from its use
        case ast.Call(func=func, args=[_, ast.Dict(keys, values)]) if module.full_name(func) in TYPED_DICTS:
            if constant.keywords:
                module.place.refuse(constant, f"a TypedDict with more than types; {WITH_ALL_KEYS}")
            found = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            return _row(module, list(zip(found, values, strict=True)), depth) if len(found) == len(keys) else None
    return _read(module, constant, depth)


def _may_be_none(module: PythonModule, node: ast.expr) -> bool:
    """Whether it is `Optional[T]`, `T | None` or `Union[T, None]`, written out."""
    match node:
        case ast.Constant(value=None):
            return True
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _may_be_none(module, left) or _may_be_none(module, right)
        case ast.Subscript(value=owner, slice=inside):
            name = _plain_name(module, owner)
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return name == "Optional" or (name == "Union" and any(_may_be_none(module, part) for part in parts))
        case _:
            return False


def _plain_name(module: PythonModule, node: ast.expr) -> str:
    """`typing.List` and `List` are List; NumPy's names stay whole."""
    full = module.full_name(node) or (node.id if isinstance(node, ast.Name) else "")
    return full if full.startswith(("numpy", "torch")) else full.split(".")[-1]


def _bare(name: str) -> Hint | None:
    if name in _LISTS or name == "tuple":
        return Hint()  # how many axes, and of what, is seen from its use
    if name in BYTES:
        return Hint(INT, 1)
    if name in _ARRAYS:
        return Hint(numpy=True, tensor=name == "torch.Tensor")
    if name in _DICTS:
        return Hint(None, 0, open=Open(ROW))
    scalar = _NUMPY.get(name.removeprefix("numpy.")) if name.startswith("numpy.") else None
    return Hint(scalar, 0, numpy=True) if scalar else None


def _subscripted(module: PythonModule, name: str, inside: ast.expr, depth: int) -> Hint | None:
    if name in _ARRAYS:
        return Hint(_dtype(module, inside), _axes(inside), numpy=True)
    if name in ("Final", "Annotated"):
        return _read(module, inside.elts[0] if isinstance(inside, ast.Tuple) else inside, depth)
    if name in ("tuple", "Tuple"):
        match inside:
            case ast.Tuple(elts=[item, ast.Constant(value=v)]) if v is Ellipsis:
                inside = item
            case _:
                return _tuple(module, inside, depth)
    elif name in _DICTS:
        return _rows(module, inside, depth)
    elif name not in _LISTS:
        return None
    item_hint = _read(module, inside, depth)
    if item_hint is None or (item_hint.numpy and item_hint.rank != 0):
        return None
    return replace(item_hint, rank=None if item_hint.rank is None else item_hint.rank + 1)


def _with_shape(module: PythonModule, name: str, inside: ast.expr) -> Hint | None:
    """Float32[Tensor, "rows columns"], as jaxtyping has it: the dtype, and an axis for each word."""
    match inside:
        case ast.Tuple(elts=[owner, ast.Constant(value=str() as text)]) if _plain_name(module, owner) in _ARRAYS:
            axes = text.split()
            element = _TORCH.get(_JAXTYPING.get(name, name.lower()))
            named = all(each.isidentifier() or each.isdecimal() for each in axes)
            return Hint(element, len(axes), numpy=True, tensor=True) if element and axes and named else None
        case _:
            return None


def _tuple(module: PythonModule, inside: ast.expr, depth: int) -> Hint | None:
    """A tuple of so many values of these types."""
    hints = [_read(module, each, depth + 1) for each in (inside.elts if isinstance(inside, ast.Tuple) else [inside])]
    parts = [each.element for each in hints if each and each.rank == 0 and not each.numpy and each.element is not None]
    return Hint(tuple_type(parts), 0) if len(parts) == len(hints) else None


def _record(module: PythonModule, node: ast.ClassDef, depth: int) -> Hint | None:
    """A dataclass, NamedTuple or TypedDict that has fields of scalar types and does nothing else when it is made or read."""
    if node.name in ("str", "tuple", ROW):
        return None
    if is_typed_dict(module, node):
        return _typed_dict(module, node, depth)
    base = [module.full_name(each) for each in node.bases]
    decorators = [module.full_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
    if (base, decorators) not in (([], ["dataclasses.dataclass"]), (["typing.NamedTuple"], [])) or node.keywords:
        return None
    fields: list[tuple[str, ScalarType]] = []
    names = Counter(_members(node))
    for stmt in node.body:
        match stmt:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None | ast.Constant()):
                hint = _read(module, annotation, depth + 1)
                if hint is None or hint.rank != 0 or hint.numpy or hint.element is None or names[name] > 1:
                    return None
                fields.append((name, hint.element))
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.FunctionDef(name=name, decorator_list=[]) if not name.startswith("__"):
                pass
            case _:
                return None
    return Hint(IntType(node.name, tuple(fields)), 0) if fields else None


def is_typed_dict(module: PythonModule, node: ast.ClassDef) -> bool:
    """Whether a class's objects are dictionaries with keys that it names."""
    return not node.decorator_list and any(module.full_name(base) in TYPED_DICTS for base in node.bases)


def _typed_dict(module: PythonModule, node: ast.ClassDef, depth: int) -> Hint | None:
    """A TypedDict, each of whose keys its dictionaries have; its name is none of theirs."""
    total = [each.value for each in node.keywords if each.arg == "total"]
    lacking = [each for each in total if not (isinstance(each, ast.Constant) and each.value is True)]
    names = (each for each in ast.walk(node) if isinstance(each, ast.Name | ast.Attribute))
    for each in (*lacking, *(each for each in names if _plain_name(module, each) == "NotRequired")):
        module.place.refuse(each, f"keys that a {node.name} may lack; {WITH_ALL_KEYS}")
    entries: list[tuple[str, ast.expr]] = []
    for stmt in node.body:
        match stmt:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None) if not name.startswith("__"):
                entries.append((name, annotation))
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                return None
    return _row(module, entries, depth) if len(node.bases) == 1 and len(node.keywords) == len(total) else None


def _rows(module: PythonModule, inside: ast.expr, depth: int) -> Hint | None:
    """dict[str, float], dict[str, Any]: of rows, unless keys are computed."""
    match inside:
        case ast.Tuple(elts=[ast.Name(id="str"), value]):
            unknown = _plain_name(module, value) in ("Any", "object") or isinstance(value, ast.BinOp)
            hint = None if unknown else _read(module, value, depth + 1)
            known = hint is not None and hint.rank == 0 and not hint.numpy and hint.element is not None
            return Hint(None, 0, open=Open(ROW, type=hint.element if hint is not None else None)) if unknown or known else None
    return None


def namedtuple_fields(module: PythonModule, name: str) -> tuple[str, ...]:
    """The fields of a class that the module makes with `namedtuple(name, fields)`; empty where it is none."""
    match module.constants.get(name):
        case ast.Call(func=func, args=[_, fields], keywords=[]) if module.full_name(func) == "collections.namedtuple":
            pass
        case _:
            return ()
    match fields:
        case ast.Constant(value=str() as text):
            return tuple(text.replace(",", " ").split())
        case ast.List(elts) | ast.Tuple(elts):
            names = [each.value for each in elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            return tuple(names) if len(names) == len(elts) else ()
    return ()


def _row(module: PythonModule, entries: Sequence[tuple[str, ast.expr]], depth: int) -> Hint | None:
    """Rows with keys of these types."""
    hints = {name: _read(module, annotation, depth + 1) for name, annotation in entries}
    types = {name: hint.element for name, hint in hints.items() if hint and hint.rank == 0 and not hint.numpy}
    fields = [(name, type_) for name, type_ in types.items() if type_ is not None]
    return Hint(row_type(fields), 0) if 0 < len(fields) == len(entries) else None


def _members(node: ast.ClassDef) -> Iterator[str]:
    """What a class's body gives names to."""
    for stmt in node.body:
        match stmt:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
                yield name


def record_type(module: PythonModule, name: str) -> IntType | None:
    """The type of records that a class of the file makes; None where it is no such class."""
    if module.bound[name] != 1:
        return None
    hint = _record(module, module.classes[name], 0) if name in module.classes else None
    if name in module.constants:
        hint = _constant(module, name, 1)
    found = hint and hint.rank == 0 and hint.element
    return found if isinstance(found, IntType) and (name in module.classes or is_row(found)) else None


def record_defaults(module: PythonModule, name: str) -> dict[str, ast.expr] | None:
    """What fields are that are not given when a record is made; None where it is not made of its fields."""
    if name not in module.classes:
        return {}
    node = module.classes[name]
    options = [each.arg for call in node.decorator_list if isinstance(call, ast.Call) for each in call.keywords]
    if not set(options) <= {"frozen", "slots", "eq", "order", "repr", "kw_only"}:
        return None
    pairs = ((stmt.target, stmt.value) for stmt in node.body if isinstance(stmt, ast.AnnAssign))
    return {target.id: value for target, value in pairs if isinstance(target, ast.Name) and value is not None}


def _axes(inside: ast.expr) -> int | None:
    """The number of axes in ndarray[tuple[int, int], np.dtype[np.float32]], as NumPy's type hints have the shape."""
    match inside:
        case ast.Tuple(elts=[ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=shape), _]):
            items = shape.elts if isinstance(shape, ast.Tuple) else [shape]
            return len(items) if not any(isinstance(each, ast.Constant) for each in items) else None
        case _:
            return None


def _dtype(module: PythonModule, inside: ast.expr) -> ScalarType | None:
    """The element type in NDArray[np.float32] or ndarray[Any, np.dtype[np.float32]]."""
    match inside:
        case ast.Tuple(elts=[_, ast.Subscript(slice=dtype)]):
            return numpy_type(module, dtype)
        case _:
            return numpy_type(module, inside)


def _either(one: Hint | None, other: Hint | None) -> Hint | None:
    """`int | float` is float; no other union has a meaning here."""
    if one is None or other is None or {one.element, other.element} != {INT, DOUBLE} or one.rank != other.rank:
        return None
    return Hint(DOUBLE, one.rank)
