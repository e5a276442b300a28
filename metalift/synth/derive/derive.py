"""From a fragment to its summary."""

from __future__ import annotations

from metalift.ir.fragment import Diagnostic, Fragment
from metalift.ir.summary import Summary
from metalift.synth.derive.cells import extents, requirements
from metalift.synth.derive.cfg import Graph, Irreducible
from metalift.synth.derive.lets import renumbered, tidied
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
        outputs.append(("return", result))
    loops = tuple(summary_of(shared, shared.effects[h]) for h in graph.order if h in graph.loops)
    bindings, outputs = renumbered(*tidied(whole.bindings, outputs), whole.reserved)
    requires = requirements(whole.written(), whole.needs, whole.accesses, frozenset(written))
    return Summary(loops, tuple(bindings), tuple(outputs), requires, extents(fragment, whole.accesses))
