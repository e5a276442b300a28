"""One of two functions that are compared: read, its summary derived, and proved to be what it computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from metalift.check.assumptions import Origin, Stated, always, of_source
from metalift.check.proving import Evidence
from metalift.frontend import import_function
from metalift.frontend.lower.shape import placed_expressions
from metalift.ir.arith.intervals import NO_RANGES, Ranges, interval, refine, type_range
from metalift.ir.expr.nodes import BITWISE, TRUE, Apply, Cast, Const, Expr, Operator, Select, Var, type_of
from metalift.ir.expr.types import INT, MachineInt, Type, show_type
from metalift.ir.expr.walk import free_vars, map_children, subexpressions, substitute
from metalift.ir.program.fragment import Assign, Assume, Block, Diagnostic, Fragment, Ground, Statement, Store, Unsupported
from metalift.ir.program.summary import Summary
from metalift.ir.text import show
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.context import Job
from metalift.pipeline.function import prove_summary
from metalift.run.inputs.inputs import telling, valid
from metalift.synth.derive import NotDerived, derive
from metalift.vcgen.correspondence import fits
from metalift.vcgen.given_back import without_given_back
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import ObligationError

INDICES = 32  # bits from which on what is derived takes arithmetic as exact
LARGEST = 64  # bits of the integers that libraries have
KEEPING = (Operator.MIN, Operator.MAX, Operator.FMOD, Operator.TREM, Operator.SHR, *BITWISE)  # what stays in the type's range


@dataclass(frozen=True, slots=True)
class Side:
    """One of the functions, proved to be what its summary says. `fitting`: where its integers fit their types, in words."""

    job: Job
    fragment: Fragment
    summary: Summary
    stated: tuple[Stated, ...]
    evidence: tuple[Evidence, ...]
    fitting: tuple[str, ...] = ()

    @property
    def always(self) -> tuple[Expr, ...]:
        """What holds of the parameters wherever the function goes on from its beginning."""
        return always(self.fragment)

    @property
    def restrictions(self) -> tuple[Expr, ...]:
        """Those of them that are ours and not the function's."""
        begin = (each for each in self.fragment.blocks[0].body if isinstance(each, Assume))
        ours = {each.cond for each in begin if each.ground is Ground.RESTRICTION}
        return tuple(each for each in self.always if each in ours)

    @property
    def resolved(self) -> tuple[Expr, ...]:
        """What is not modelled of the function behind its beginning, where that speaks of its parameters and reads no array."""
        return tuple(cond for each in self.unmodelled if (cond := self.at_entry(each.cond)) is not None)

    def later(self, *, asserted: bool) -> tuple[str, ...]:
        """The rest of that, and with `asserted`, what the function asserts in loops: nothing is known of these before it runs."""
        found = [each for each in self.unmodelled if self.at_entry(each.cond) is None]
        if asserted:
            inside = frozenset[str]().union(*loop_blocks(self.fragment).values())
            body = (each for block in self.fragment.blocks if block.label in inside for each in block.body)
            found += [each for each in body if isinstance(each, Assume) and each.ground is Ground.PROMISE]
        return tuple(dict.fromkeys(f"{self.fragment.name}: {each.origin} (line {each.location.line})" for each in found))

    @property
    def unmodelled(self) -> list[Assume]:
        """Where the function goes on only in cases that are modelled, but for what is known from its beginning."""
        known = {*self.always, TRUE}
        body = (each for block in self.fragment.blocks for each in block.body)
        return [x for x in body if isinstance(x, Assume) and x.ground is Ground.RESTRICTION and x.cond not in known]

    def at_entry(self, cond: Expr) -> Expr | None:
        """A condition of the parameters alone, with values as they were assigned; None where it is none, or reads an array."""
        body = (each for block in self.fragment.blocks for each in block.body)
        assigned = {each.target: each.value for each in body if isinstance(each, Assign)}
        params = {param.var for param in self.fragment.params}
        while inner := free_vars(cond) - params:
            if not inner <= assigned.keys():
                return None
            cond = substitute(cond, {var: assigned[var] for var in inner})
        return None if any(isinstance(part, Select) for part in subexpressions(cond)) else cond

    @property
    def long_enough(self) -> tuple[Expr, ...]:
        """That arrays have the elements that the function reads."""
        return tuple(each.formula for each in self.stated if each.origin is Origin.EXTENT and each.formula is not None)


class NotKnown(Exception):
    """One side is not proved to be what its summary says; the message says which and why. `fragment`: where it was read; `side`:
    with a summary that need not be right, where one was made.
    """

    def __init__(self, reason: str, fragment: Fragment | None = None, side: Side | None = None) -> None:
        super().__init__(reason)
        self.fragment = fragment
        self.side = side


def read_as(job: Job, name: str, arrays: dict[str, Type]) -> Fragment:
    """One function, with parameters of these types. Raises NotKnown."""
    try:
        return in_ranges(import_function(job.module, name, like=arrays), arrays)
    except Unsupported as problem:
        raise NotKnown(told_at(problem.diagnostic)) from problem


def proved_side(job: Job, read: Fragment, fitting: tuple[str, ...] = ()) -> Side:
    """One function with its summary, proved; `fitting` as in `Side`. Raises NotKnown."""
    fragment = without_given_back(read)
    where = f"{job.path}: {fragment.name}"
    problem_text, guess = "", None
    for executed in (False, True):
        try:
            summary = derive(fragment, executed=executed)
            check_summary(summary, fragment)
            given = tuple(summary.requires)
            sample = telling(fragment, valid(fragment, given, extents=summary.shapes))
            proof = prove_summary(job, fragment, summary, given, sample)
        except (NotDerived, ObligationError) as problem:
            problem_text = problem_text or told_at(problem.diagnostic)
            continue
        except IllTyped as problem:
            problem_text = problem_text or f"{where}: {problem}"
            continue
        if proof.proved:
            stated = of_source(fragment, summary, {}, (), None)
            return Side(job, fragment, summary, tuple(stated), proof.evidence, fitting)
        guess = guess or Side(job, fragment, summary, tuple(of_source(fragment, summary, {}, (), None)), ())
        failing = next(each for each in proof.evidence if not each.proved)
        problem_text = problem_text or f"{where}: {failing.obligation.name}: {failing.settled.reason}"
    raise NotKnown(f"what it computes is not known in closed form: {problem_text}", read, guess)


def in_ranges(fragment: Fragment, types: Mapping[str, Type]) -> Fragment:
    """The function, where exact integers that it takes are in the range of the first one's: it is called with those."""
    ranged = [(param.var, types.get(param.var.name)) for param in fragment.params if param.var.type == INT]
    known = tuple(
        Assume(fits(var, type_), f"{var.name} is in the range of {show_type(type_)}", fragment.location, Ground.RESTRICTION)
        for var, type_ in ranged
        if isinstance(type_, MachineInt)
    )
    begin, *others = fragment.blocks
    return replace(fragment, blocks=(replace(begin, body=(*known, *begin.body)), *others)) if known else fragment


def told_at(diagnostic: Diagnostic) -> str:
    """A problem with its place."""
    where = diagnostic.location
    return f"{where.file}:{where.line}:{where.column}: {diagnostic.message}"


def where_integers_fit(fragment: Fragment, *, exact: bool) -> tuple[Fragment, tuple[str, ...]]:
    """The function where what it computes in integers of 32 bits and more, of 64 beside `exact` ones, does not wrap around, and
    these conditions in words.

    Arithmetic that wraps around is a conversion of exact integers here; arithmetic of machine integers themselves does not, which
    is a condition only beside exact ones.
    """
    found: dict[str, None] = {}
    ranges: Ranges = NO_RANGES
    for cond in always(fragment):
        ranges = refine(ranges, cond, True)
    bits = LARGEST if exact else INDICES

    def fit(value: Expr, type_: MachineInt, line: int) -> None:
        found.setdefault(f"{fragment.name}: {show(value)} fits {show_type(type_)} (line {line})")

    def without_wraps(part: Expr, line: int) -> Expr:
        inside = map_children(lambda child: without_wraps(child, line), part)
        match inside:
            case Cast(Apply() as value, MachineInt() as type_) if type_of(value) == INT and type_.bits >= bits:
                made = _of_machine(value, type_, ranges)
                if made is not None and not interval(value, ranges).within(type_range(type_)):
                    fit(value, type_, line)
                return made or inside
            case _:
                pass
        return inside

    def rewritten(statement: Statement) -> Statement:
        line = statement.location.line
        match statement:
            case Assign(value=value):
                return replace(statement, value=without_wraps(value, line))
            case Store(indices=indices, value=value):
                own = tuple(without_wraps(each, line) for each in indices)
                return replace(statement, indices=own, value=without_wraps(value, line))
            case _:
                return statement

    blocks = tuple(replace(block, body=tuple(map(rewritten, block.body))) for block in fragment.blocks)
    for part, own_type, line in _of_machine_integers(blocks, bits) if exact else ():
        fit(part, own_type, line)
    return replace(fragment, blocks=blocks), tuple(found)


def _of_machine_integers(blocks: Iterable[Block], bits: int) -> Iterator[tuple[Expr, MachineInt, int]]:
    """What is computed of machine integers of so many bits and need not fit them, with its lines."""
    for expr, place in (pair for block in blocks for pair in placed_expressions(block)):
        for part in subexpressions(expr):
            type_ = type_of(part)
            if isinstance(part, Apply) and part.op not in KEEPING and isinstance(type_, MachineInt) and type_.bits >= bits:
                yield part, type_, place.line


def _of_machine(value: Expr, type_: MachineInt, ranges: Ranges) -> Expr | None:
    """Exact arithmetic as one of integers of the type; None where it has others, or what may not fit in these ranges."""
    match value:
        case Const(int() as number, _):
            return Const(number, type_) if type_.low <= number <= type_.high else None
        case Apply(op, args) if all(type_of(arg) == INT for arg in args):
            parts = [_of_machine(arg, type_, ranges) for arg in args]
            known = tuple(part for part in parts if part is not None)
            return Apply(op, known) if len(known) == len(parts) else None
        case Var() if interval(value, ranges).within(type_range(type_)):
            return Cast(value, type_)
        case Cast(arg, _) if interval(value).within(type_range(type_)):
            return arg if type_of(arg) == type_ else Cast(arg, type_)
        case _:
            return None
