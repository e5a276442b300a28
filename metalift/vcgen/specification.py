"""What a summary says of the function's result and arrays, as terms over the parameters."""

from __future__ import annotations

from metalift.ir.expr.build import conj
from metalift.ir.expr.nodes import TRUE, Expr, Select, Update, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.summary import Summary
from metalift.vcgen.arrays import Layer, distinct_cells, frame_fact, layers, written_facts
from metalift.vcgen.path_state import Aliases, resolve


class Specification:
    """Scalar bindings are replaced by their terms; a version of an array that others read stays a name with defining facts."""

    def __init__(self, summary: Summary, aliases: Aliases, opaque: frozenset[str] = frozenset()) -> None:
        """Scalar bindings in `opaque` become names; `opaque_terms` has what they stand for."""
        self.opaque_terms: dict[str, Expr] = {}
        self.aliases = aliases
        self.names: dict[str, str] = {}
        self.scalars: dict[str, Expr] = {}
        self.versions: dict[str, Expr] = {}
        for binding in summary.bindings:
            value = self.resolved(binding.value)
            if isinstance(binding.var.type, TensorType):
                name = f"{binding.var.name}!"  # a name that no program state has
                self.versions[name] = value
                self.names[binding.var.name] = name
            elif binding.var.name in opaque:
                self.opaque_terms[binding.var.name] = value
                self.scalars[binding.var.name] = Var(f"{binding.var.name}!", binding.var.type)
            else:
                self.scalars[binding.var.name] = value
        self.outputs = {name: self.resolved(term) for name, term in summary.outputs}
        self.result = self.outputs.get("return")
        read = self.read_versions()
        self.definitions = tuple(fact for name in read for fact in self.definition(name))
        self.distinctness = tuple(fact for name in read if (fact := self.distinct(name)) != TRUE)

    def resolved(self, term: Expr) -> Expr:
        """The term over the parameters and the versions of arrays."""
        return resolve(term, self.scalars, {}, self.aliases, self.names)

    def tower(self, term: Expr) -> Expr:
        """The term with named versions in the place of a base replaced by what they are."""
        if isinstance(term, Var) and term.name in self.versions:
            return self.tower(self.versions[term.name])
        if isinstance(term, Update):
            return Update(self.tower(term.base), term.binders, term.extents, term.indices, term.value, term.guard)
        return term

    def output(self, array: Var) -> Expr:
        """The final contents of an array: a tower of Updates over its contents at entry."""
        return self.tower(self.outputs.get(array.name, array))

    def read_versions(self) -> list[str]:
        """The versions whose elements some term reads."""
        terms = [*self.scalars.values(), *self.outputs.values()]
        for version in self.versions.values():
            _, tower = layers(self.tower(version))
            terms += [part for layer in tower for part in (layer.value, layer.domain, *layer.indices)]
        used = {var.name for term in terms if not isinstance(term, Var) for var in free_vars(term)}
        return [name for name in self.versions if name in used]

    def definition(self, name: str) -> list[Expr]:
        """The facts that say what the version holds."""
        base, tower = layers(self.tower(self.versions[name]))
        assert isinstance(base, Var) and isinstance(base.type, TensorType)
        version = Var(name, base.type)

        def read(cell: tuple[Expr, ...]) -> Expr:
            return Select(version, cell)

        return [*written_facts(read, tower), frame_fact(read, base, tower, base.type.rank)]

    def distinct(self, name: str) -> Expr:
        """Without this a version's facts would not be a definition."""
        _, tower = layers(self.tower(self.versions[name]))
        return conj(*(distinct_cells(layer) for layer in tower))

    def filled(self) -> dict[str, Layer]:
        """The versions that are filled at once, each cell by its own number, with what they are filled with."""
        towers = {name: layers(self.tower(value))[1] for name, value in self.versions.items()}
        return {name: tower[0] for name, tower in towers.items() if len(tower) == 1 and tower[0].indices == tower[0].binders}
