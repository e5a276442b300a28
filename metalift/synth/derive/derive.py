"""From a fragment to its summary."""

from __future__ import annotations

from metalift.ir.fragment import Diagnostic, Fragment
from metalift.ir.nodes import Build, Expr, Select
from metalift.ir.summary import Summary
from metalift.ir.types import TensorType
from metalift.synth.derive.cells import extents, requirements
from metalift.synth.derive.cfg import Graph, Irreducible
from metalift.synth.derive.lets import tidied
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
    bindings, outputs = tidied(whole.bindings, outputs)
    scalars = frozenset(p.var for p in fragment.params if not isinstance(p.var.type, TensorType))
    return Summary(
        loops, tuple(bindings), tuple(outputs), requirements(whole.written(), scalars), extents(fragment, whole.accesses)
    )


def whole_result(result: Expr) -> Expr:
    """The result; a copy of a whole tensor is that tensor."""
    match result:
        case Build(_, (binder,), Select(tensor, (cell,))) if cell == binder and isinstance(tensor, Build):
            if tensor.extents == result.extents:
                return tensor
    return result
