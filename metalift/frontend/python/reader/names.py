"""Names: the frames of functions that are being read, what their names stand for, and what names of the module are."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import NoReturn

from metalift.frontend.python.flow import Flow, Point
from metalift.frontend.python.stands_for import Again, Clash, Partial, Value, View


@dataclass(slots=True)
class Loop:
    """A loop of the source: from where its body leaves it, and from where it goes on with the next round."""

    breaks: list[Point] = field(default_factory=list)
    continues: list[Point] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """A function that is being read: the lifted one, or one that it calls."""

    function: ast.FunctionDef
    prefix: str
    bound: frozenset[str]
    loops: list[Loop] = field(default_factory=list)
    returns: list[tuple[Point, Value, ast.AST]] = field(default_factory=list)


@dataclass(slots=True)
class Names(Flow):
    """Keeps the frames, and resolves names in the innermost one."""

    frames: list[Frame] = field(default_factory=list)
    sites: set[str] = field(default_factory=set)
    constants: tuple[str, ...] = ()  # names of the module whose values are being read

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """What an expression gives."""

    @abstractmethod
    def is_simple(self, node: ast.expr) -> bool:
        """Whether an expression is a term alone."""

    # Names of things

    @property
    def frame(self) -> Frame:
        """The function that is being read."""
        return self.frames[-1]

    def name_of(self, name: str) -> str:
        """The key of a local name in the environment."""
        return f"{self.frame.prefix}{name}"

    def key(self, node: ast.AST, tag: str = "") -> str:
        """A name for a place in the source that is the same in each pass."""
        return f"{self.frame.prefix}{getattr(node, 'lineno', 0)}.{getattr(node, 'col_offset', 0)}{tag}"

    def library_name(self, node: ast.expr) -> str:
        """What a dotted name of a library refers to; empty where it is none, or begins with a local name."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self.frame.bound:
            return ""
        full = self.module.full_name(node)
        if full:
            self.module.check_bound_once(root.id, node)
        return full

    def site(self, node: ast.AST) -> str:
        """A name for an object that is made here."""
        base, number = self.key(node), 1
        site = base
        while site in self.sites:
            number += 1
            site = f"{base}/{number}"
        self.sites.add(site)
        return site

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        """Refuse what stands at a node."""
        self.module.place.refuse(node, message)

    # Names

    def read(self, node: ast.Name) -> Value:
        """The value of a name."""
        key = self.name_of(node.id)
        value = self.env.get(key) if self.at is not None else None
        match value:
            case Partial(needed, _):
                self.known.needed.add(needed)
                raise Again
            case Clash():
                self.refuse(node, f"'{node.id}' {value.text}")
            case View(object, _) if f"#moved:{object.site}" in self.env:
                self.refuse(
                    node,
                    f"'{node.id}' is used after it was put into another list, which shares it; "
                    "put a copy there (list(x)), or use the outer list",
                )
            case None:
                return self._global(node)
            case _:
                return value

    def _global(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.frame.bound:
            self.refuse(node, f"'{name}' is used before it is set; set it first")
        constant = self.module.constants.get(name)
        if constant is not None and name not in self.constants:
            before, self.constants = self.constants, (*self.constants, name)
            frames = self.frames
            self.frames = [replace(frames[-1], prefix=f"{frames[-1].prefix}{name}=", bound=frozenset())]
            try:
                if self.is_simple(constant):
                    return self.value(constant)
            finally:
                self.frames = frames
                self.constants = before
        self.refuse(
            node,
            f"the name '{name}'; supported are parameters, local names, functions of this file, and names that the module sets "
            "once to a number",
        )
