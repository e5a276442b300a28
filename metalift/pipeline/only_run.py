"""Two functions of which one is not known in closed form: nothing is proved, but they may be seen to differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from metalift.ir.expr.nodes import Expr
from metalift.ir.interp.execute import Argument
from metalift.ir.interp.interpret import AssumeViolated, CheckViolated, LimitExceeded, SourceUndefined, run
from metalift.ir.program.summary import Summary
from metalift.run.compare.beside import Both
from metalift.run.inputs.inputs import Input, as_argument, inputs
from metalift.run.workers.process import Worker

INPUTS = 40
_STEPS = 200_000  # of a run of the second function by the interpreter


def seen_to_differ(
    both: Both, summary: Summary, given: Sequence[Expr], start: Callable[[], Worker]
) -> tuple[Input, str, int] | None:
    """The smallest input that was found on which they differ, in which way, and on how many both were run; None without one.

    `summary` is that of the first function, which need not be proved, `given` what it relies on. Only inputs count on which both
    do nothing undefined and read no element that is not there. Raises WorkerFailed, NotRunnable.
    """
    fragment = both.first.fragment
    extents = summary.shapes | both.names.flat(fragment)
    tried = islice(inputs(fragment, given, extents=extents), INPUTS)
    ran = both.ran(start, [each for each in tried if is_defined(both, each.input)])
    different = [(each, how) for each, how in ran.compared if how is not None]
    if not different:
        return None
    smallest, how = min(different, key=lambda pair: pair[0].cells)
    return smallest, how, len(ran.compared)


def is_defined(both: Both, given: Input) -> bool:
    """Whether neither function does anything undefined, on arrays of exactly the elements that it is given."""
    own = {name: as_argument(value) for name, value in given.values}
    try:
        run(both.first.fragment, own, max_steps=_STEPS)
        run(both.second.fragment, arguments(both, given), max_steps=_STEPS)
    except (SourceUndefined, AssumeViolated, CheckViolated, LimitExceeded):
        return False
    return True


def arguments(both: Both, given: Input) -> Mapping[str, Argument]:
    """What the second function is run on by the interpreter."""
    values = dict(given.values)
    found: dict[str, Argument] = {}
    for param in both.second.fragment.params:
        name = param.var.name
        lengths = both.names.arrays.get(name)
        found[name] = as_argument(values[both.counterparts[name]] if lengths is None else both.contents(given, lengths))
    return found
