"""From a fragment to its summary."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace

from metalift.ir.arith.intervals import LONGEST
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Cast, Expr, Length, integer
from metalift.ir.expr.types import MachineInt
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.program.fragment import Assign, Branch, Diagnostic, Fragment
from metalift.ir.program.summary import LoopSummary, Summary
from metalift.synth.derive.cells import extents, requirements
from metalift.synth.derive.cfg import Graph, Irreducible
from metalift.synth.derive.decided_bounds import with_decided_bounds
from metalift.synth.derive.executed import shown
from metalift.synth.derive.kept_folds import over_all
from metalift.synth.derive.lets import renumbered, tidied
from metalift.synth.derive.loop_states import summarise, summary_of
from metalift.synth.derive.normal_terms import exact
from metalift.synth.derive.promises import promised
from metalift.synth.derive.region import NotDerived, prepare
from metalift.synth.derive.scatter import data_in_range
from metalift.synth.derive.whole import Whole


def derive(fragment: Fragment, executed: bool = False, unbounded: Collection[str] = ()) -> Summary:
    """The summary of the fragment; raises NotDerived with what stands in the way.

    `executed`: with facts that runs show by not failing; of indices that arrays hold nothing is required then. Of arrays that are
    `unbounded` it does not say how far they are read.
    """
    with promised(fragment):
        return _derived(fragment, executed, unbounded)


def _derived(fragment: Fragment, executed: bool, unbounded: Collection[str]) -> Summary:
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
    named = {binding.var: binding.value for binding in whole.bindings}
    told = [replace(binding, value=over_all(binding.value, named)) for binding in whole.bindings]
    outputs = [(name, over_all(value, named)) for name, value in outputs]
    bindings, outputs = renumbered(*tidied(told, outputs), whole.reserved)
    accesses = whole.touched()
    needs = [*whole.needs, *lengths_that_fit(fragment)]
    requires = requirements(whole.written(), needs, accesses, frozenset(written), named, executed)
    known = extents(fragment, accesses, named)
    shapes = tuple(each for each in known if each[0] not in unbounded)
    open_ones = frozenset(param.var.name for param in fragment.params) - dict(shapes).keys()
    inside = [h for h in graph.order if h in graph.loops]
    loops = tuple(summary_of(shared, shared.effects[h], whole.entered.get(h), open_ones if executed else None) for h in inside)
    if executed:
        kept = frozenset(written).union(each.var for each in bindings)
        facts = tuple(fact for fact in shown(accesses, fragment, open_ones) if free_vars(fact) <= kept)
        return with_decided_bounds(Summary(loops, tuple(bindings), tuple(outputs), requires, shapes, facts))
    requires += data_in_range(accesses, frozenset(written), dict(whole.sizes()), dict(shapes))
    return with_decided_bounds(Summary(loops, tuple(bindings), tuple(outputs), requires, shapes))


def closed_loops(fragment: Fragment) -> Iterator[LoopSummary]:
    """The loops with a closed form, whatever the other ones are; those inside of such a loop have one, too."""
    with promised(fragment):
        try:
            graph = Graph(fragment)
            shared = prepare(fragment, graph)
        except (Irreducible, NotDerived):
            return
        for loop in graph.inside_out():
            if shared.effects.keys() >= set(loop.children):
                with suppress(NotDerived):
                    shared.effects[loop.header] = summarise(shared, loop.header)
        found = [summary_of(shared, effect, None) for effect in shared.effects.values()]
    yield from found


def lengths_that_fit(fragment: Fragment) -> Iterator[Expr]:
    """That lengths do not wrap around where they are converted to a smaller type, as in `i < (int)v.size()`.

    Index arithmetic of 32 bits and more is taken not to wrap around; arithmetic that does not follow from types is required.
    """
    for block in fragment.blocks:
        values = [statement.value for statement in block.body if isinstance(statement, Assign)]
        conditions = [block.end.cond] if isinstance(block.end, Branch) else []
        for part in (part for value in (*values, *conditions) for part in subexpressions(value)):
            if isinstance(part, Cast) and isinstance(part.type, MachineInt) and 32 <= part.type.bits and part.type.high < LONGEST:
                if any(isinstance(inner, Length) for inner in subexpressions(part.arg)):
                    yield at_most(exact(part.arg), integer(part.type.high))
