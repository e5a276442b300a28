"""From a fragment to its summary."""

from __future__ import annotations

from metalift.ir.fragment import Diagnostic, Fragment
from metalift.ir.nodes import Build, Expr, Select, Var
from metalift.ir.summary import Binding, Summary
from metalift.ir.walk import free_vars
from metalift.synth.derive.cfg import Graph, Irreducible
from metalift.synth.derive.loops import summarise, summary_of
from metalift.synth.derive.region import NotDerived, prepare
from metalift.synth.derive.whole import Whole


def derive(fragment: Fragment) -> Summary:
    """The summary of the fragment; raises NotDerived with what stands in the way."""
    try:
        graph = Graph(fragment)
    except Irreducible as problem:
        raise NotDerived(Diagnostic(problem.location, str(problem))) from problem
    shared = prepare(fragment, graph)
    for loop in graph.inside_out():
        shared.effects[loop.header] = summarise(shared, loop.header)
    whole = Whole(shared)
    whole.run()
    finals, result = whole.finish()
    written = {p.var for p in fragment.params}
    outputs = [(array.name, value) for array, value in finals.items() if array in written]
    if result is not None:
        outputs.append(("return", whole_result(result)))
    loops = tuple(summary_of(shared, shared.effects[h]) for h in graph.order if h in graph.loops)
    return Summary(loops, _used(whole.bindings, outputs), tuple(outputs))


def whole_result(result: Expr) -> Expr:
    """The result; a copy of a whole tensor is that tensor."""
    match result:
        case Build(_, (binder,), Select(tensor, (cell,))) if cell == binder and isinstance(tensor, Build):
            if tensor.extents == result.extents:
                return tensor
    return result


def _used(bindings: list[Binding], outputs: list[tuple[str, Expr]]) -> tuple[Binding, ...]:
    """The bindings that an output needs, in order."""
    needed: set[Var] = {var for _, value in outputs for var in free_vars(value)}
    kept: list[Binding] = []
    for binding in reversed(bindings):
        if binding.var in needed:
            kept.append(binding)
            needed |= free_vars(binding.value)
    return tuple(reversed(kept))
