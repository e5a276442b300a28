"""Classes of `torch.nn.Module`: the parts that `__init__` gives them, as fields, and calls of parts as functions of PyTorch.

`self.lin = nn.Linear(n, k)` gives the fields `lin.weight` and `lin.bias`, and `self.lin(x)` is
`F.linear(x, self.lin.weight, self.lin.bias)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from metalift.frontend.python.heads import is_literal
from metalift.frontend.python.naming.module import PythonModule

MODULE = "torch.nn.Module"
_TENSORS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
_RESERVED = frozenset("_parameters _buffers _modules".split())  # where PyTorch keeps what a module has
_LETTERS = "n m k"


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of `torch.nn`: the function that a call is, which takes what the module is called with, its tensors, each with its
    number of axes, and its settings by name. `arguments` are those of the constructor, some with defaults. `shaped`: before the
    tensors it takes the shape of `weight`.
    """

    function: str
    arguments: tuple[str, ...]
    defaults: Mapping[str, ast.expr]
    tensors: Mapping[str, int]
    settings: tuple[str, ...]
    shaped: bool


def _kind(function: str, signature: str = "", *, shaped: bool = False, **tensors: int) -> Kind:
    """From the constructor's arguments, of which those behind `/` are settings."""
    pairs = [text.strip().partition("=") for text in signature.replace("/", ",").split(",") if text.strip()]
    defaults = {name: ast.parse(value, mode="eval").body for name, equals, value in pairs if equals}
    settings = tuple(text.partition("=")[0].strip() for text in signature.partition("/")[2].split(",") if text.strip())
    return Kind(function, tuple(name for name, _, _ in pairs), defaults, tensors, settings, shaped)


_F = "torch.nn.functional."
KINDS = {
    "Linear": _kind(f"{_F}linear", "in_features, out_features, bias=True /", weight=2, bias=1),
    "LayerNorm": _kind(f"{_F}layer_norm", "normalized_shape / eps=1e-5", shaped=True, weight=1, bias=1),
    "RMSNorm": _kind(f"{_F}rms_norm", "normalized_shape / eps", shaped=True, weight=1),
    "ReLU": _kind(f"{_F}relu"),
    "SiLU": _kind(f"{_F}silu"),
    "GELU": _kind(f"{_F}gelu", "/ approximate='none'"),
    "ELU": _kind(f"{_F}elu", "/ alpha=1.0"),
    "LeakyReLU": _kind(f"{_F}leaky_relu", "/ negative_slope=0.01"),
    "Softmax": _kind(f"{_F}softmax", "/ dim"),
    "LogSoftmax": _kind(f"{_F}log_softmax", "/ dim"),
    "Softplus": _kind(f"{_F}softplus"),
    "Hardtanh": _kind(f"{_F}hardtanh", "/ min_val=-1.0, max_val=1.0"),
    "Hardswish": _kind(f"{_F}hardswish"),
    "Hardsigmoid": _kind(f"{_F}hardsigmoid"),
    "ReLU6": _kind(f"{_F}relu6"),
    "Sigmoid": _kind("torch.sigmoid"),
    "Tanh": _kind("torch.tanh"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A module that is a field of another one: its kind, its tensors, and its settings: literals, or parameters of `__init__`."""

    kind: Kind
    tensors: tuple[str, ...]
    settings: Mapping[str, ast.expr]

    @property
    def fields(self) -> tuple[str, ...]:
        """What a call of it uses."""
        return (*self.tensors, *(name for name, value in self.settings.items() if isinstance(value, ast.Name)))

    def call(self, module: PythonModule, owner: ast.expr, name: str, node: ast.Call) -> ast.Call:
        """The function of PyTorch that a call of the module is."""
        of = {each: ast.Attribute(owner, f"{name}.{each}", ast.Load()) for each in self.fields}
        args: list[ast.expr] = [*node.args]
        args += [ast.Attribute(of["weight"], "shape", ast.Load())] if self.kind.shaped else []
        args += [of[each] for each in self.tensors]
        named = [ast.keyword(each, of.get(each, value)) for each, value in self.settings.items()]
        return ast.Call(module.library(self.kind.function), args, [*node.keywords, *named])


class WithoutParts(ast.NodeTransformer):
    """Calls of the parts of an object as calls of functions."""

    def __init__(self, module: PythonModule, itself: str, parts: Mapping[str, Part | None]) -> None:
        self.module = module
        self.itself = itself
        self.parts = parts

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a part that is known."""
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=owner) as value, attr=attr) if owner == self.itself:
                part = self.parts.get(attr)
                made = node if part is None else ast.copy_location(part.call(self.module, value, attr, node), node)
                return ast.fix_missing_locations(made)
            case _:
                return node


def is_module(module: PythonModule, node: ast.ClassDef) -> bool:
    """Whether it is a class of modules, and of nothing else."""
    return len(node.bases) == 1 and module.full_name(node.bases[0]) == MODULE


def parts_of(module: PythonModule, init: ast.FunctionDef | None) -> dict[str, Part | None]:
    """The parts that are modules themselves, by their names, with None for one that is not known."""
    found: dict[str, Part | None] = {}
    for name, value in _settings(init):
        full = module.full_name(value.func) if isinstance(value, ast.Call) else ""
        if full.startswith("torch.nn.") and full not in _TENSORS and isinstance(value, ast.Call):
            found[name] = None if name in found else _part(full.removeprefix("torch.nn."), value)
    return found


def is_left_alone(tree: ast.Module, name: str, part: Part, foreign: Set[str]) -> bool:
    """Whether a file only calls a part and reads what it has; `foreign` are the fields that it sets of objects of others."""
    kept = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    kept |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    bare = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == name and id(node) not in kept)
    return foreign.isdisjoint((*part.kind.tensors, *part.settings)) and all(isinstance(node.ctx, ast.Store) for node in bare)


def _part(name: str, call: ast.Call) -> Part | None:
    kind = KINDS.get(name)
    if kind is None or len(call.args) > len(kind.arguments) or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    given = dict(zip(kind.arguments, call.args, strict=False)) | {str(each.arg): each.value for each in call.keywords}
    named = {**kind.defaults, **given}
    shape = named.get("normalized_shape")
    if shape is not None and not isinstance(shape, ast.Name | ast.Constant):
        return None  # several axes
    bias = named.get("bias", ast.Constant(True))
    known = given.keys() <= set(kind.arguments) and set(kind.settings) <= named.keys() and isinstance(bias, ast.Constant)
    settings = {each: named[each] for each in kind.settings} if known else {}
    if not known or not all(isinstance(each, ast.Name) or is_literal(each) for each in settings.values()):
        return None
    assert isinstance(bias, ast.Constant)
    return Part(kind, tuple(each for each in kind.tensors if each != "bias" or bias.value), settings)


def _settings(init: ast.FunctionDef | None) -> Iterator[tuple[str, ast.expr]]:
    """What the statements of an `__init__` set fields to, buffers among them."""
    for stmt in init.body if init is not None else ():
        match stmt:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=attr)], value=value):
                yield attr, value
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(), attr=attr), value=ast.expr() as value):
                yield attr, value
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(str(attr)), value])):
                yield attr, value


def fields_of(
    module: PythonModule, init: ast.FunctionDef | None, parts: Mapping[str, Part | None]
) -> dict[str, ast.expr | None]:
    """Fields that other classes have not, with annotations: tensors, and those of the parts behind the parts' names."""
    found: dict[str, ast.expr | None] = {}
    for name, part in parts.items():
        if part is not None:
            found |= {f"{name}.{each}": _of_rank(module, part.kind.tensors.get(each, 0)) for each in part.fields}
    buffers = [each.value for each in (init.body if init is not None else ()) if isinstance(each, ast.Expr)]
    made = {id(arg) for each in buffers if isinstance(each, ast.Call) for arg in each.args}
    for name, value in _settings(init):
        if id(value) in made or (isinstance(value, ast.Call) and module.full_name(value.func) in _TENSORS):
            found[name] = _of_rank(module, None)
    return found


def is_reserved(name: str) -> bool:
    """Whether PyTorch itself keeps something under that name."""
    return name in _RESERVED


def _of_rank(module: PythonModule, rank: int | None) -> ast.expr:
    """The annotation of a number, or of a tensor of so many axes, or of any number of them."""
    if rank == 0:
        return ast.Name("float", ast.Load())
    tensor = module.library("torch.Tensor")
    if rank is None:
        return tensor
    axes = ast.Constant(" ".join(_LETTERS.split()[:rank]))
    return ast.Subscript(module.library("jaxtyping.Float"), ast.Tuple([tensor, axes], ast.Load()), ast.Load())
