"""Whether summaries and target programs from outside are well formed: types fit, names are the fragment's or their own.

Obligations use names with "!" and "@" for what is not in the source; a summary cannot use such names.
"""

from __future__ import annotations

from collections.abc import Mapping

from metalift.ir.expr.nodes import Build, Expr, Select, Var, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType, TupleType, Type
from metalift.ir.expr.walk import free_vars, names
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Aids, LoopInvariant, LoopSummary, Summary, TargetProgram, entry_name
from metalift.ir.wellformed.check import IllTyped, check, defined_vars

RESERVED = frozenset("!@?%")


def outer_names(fragment: Fragment) -> dict[str, Type]:
    """Parameters and local arrays: what a function's effect may speak of."""
    found = {param.var.name: param.var.type for param in fragment.params}
    return found | {var.name: var.type for var in fragment.locals}


def known_names(fragment: Fragment) -> dict[str, Type]:
    """Parameters, local arrays and SSA values of the fragment: what a loop's invariant may speak of."""
    found = outer_names(fragment)
    for block in fragment.blocks:
        found |= {var.name: var.type for var in defined_vars(block)}
    return found


def check_summary(summary: Summary, fragment: Fragment) -> None:
    """Raises IllTyped where the summary is not one of this fragment."""
    for loop in summary.loops:
        check_loop(loop, fragment)
    known = outer_names(fragment)
    for binding in summary.bindings:
        checked(binding.value, known, binding.var.type)
        known |= fresh(binding.var, known)
    outputs = {param.var.name: param.var.type for param in fragment.params}
    for name, term in summary.outputs:
        expected = fragment.result if name == "return" else outputs.get(name)
        if expected is None:
            raise IllTyped(f"the function has no output {name!r}", term)
        checked(term, known, expected)
        if type_of(term) != expected:
            raise IllTyped(f"the output {name!r} has another type than the function's", term)
    for condition in (*summary.requires, *summary.facts):
        checked(condition, known, BOOL)
    for name, shape in summary.extents:
        array = outputs.get(name)
        if not isinstance(array, TensorType) or array.rank != len(shape):
            raise IllTyped(f"the function has no array {name!r} with {len(shape)} axes", shape)
        for extent in shape:
            checked(extent, known, INT)
    check_aids(summary.aids, known)


def check_aids(aids: Aids, known: Mapping[str, Type]) -> None:
    """Raises IllTyped where a lemma speaks of more than its own variables, or a split of what is not known."""
    for lemma in aids.lemmas:
        own: dict[str, Type] = {}
        for var in lemma.free:
            own |= fresh(var, own)
        checked(lemma.formula, own, BOOL)
        if lemma.count is not None and (lemma.count not in lemma.free or lemma.count.type != INT):
            raise IllTyped("a lemma is proved by induction on an integer of its own", lemma.count)
    for split in aids.splits:
        checked(split, known, BOOL)


def check_loop(loop: LoopSummary | LoopInvariant, fragment: Fragment) -> None:
    """Raises IllTyped where the summary is not one of a loop of this fragment."""
    known = known_names(fragment)
    if all(block.label != loop.header for block in fragment.blocks):
        raise IllTyped(f"the summary speaks of a block {loop.header!r} that the function does not have", loop)
    own = {**known, **fresh(loop.index, known)}
    if isinstance(loop, LoopInvariant):
        own |= {entry_name(name): type_ for name, type_ in outer_names(fragment).items() if isinstance(type_, TensorType)}
        for formula in loop.holds:
            checked(formula, own, BOOL)
        checked(loop.decreases, own, INT)
        return
    checked(loop.trip, own, INT)
    for formula in loop.holds:
        checked(formula, own, BOOL)
    for var, term in loop.state:
        if known.get(var.name) != var.type:
            raise IllTyped(f"the summary speaks of {var.name!r}, which is not a value of the function with that type", loop)
        checked(term, own, var.type)
    for var in loop.unknown:
        if known.get(var.name) != var.type or not isinstance(var.type, TensorType):
            raise IllTyped(f"the summary speaks of {var.name!r}, which is not an array of the function with that type", loop)


def check_program(program: TargetProgram, fragment: Fragment, summary: Summary) -> None:
    """Raises IllTyped where the program is not one of this fragment; types of a driver's operators are not looked at."""
    known = outer_names(fragment)
    for parameter in program.parameters:
        if parameter.type != INT:
            raise IllTyped(f"{parameter.name!r} is no size", parameter)
        known |= fresh(parameter, known)
    bindings = {binding.var.name: binding.var.type for binding in summary.bindings}
    for let in program.lets:
        checked(let.value, known, let.var.type)
        if bindings.get(let.var.name, let.var.type) != let.var.type:
            raise IllTyped(f"{let.var.name!r} has another type in the summary", let)
        known |= fresh(let.var, known)
    for write in program.writes:
        window = write.window
        if not (isinstance(window, Build) and isinstance(window.body, Select) and window.body.tensor == write.array):
            raise IllTyped(f"the window of a write to {write.array.name!r} is not a view of it", write)
        checked(window, known, type_of(window))
        checked(write.value, known, type_of(write.value))
        checked(write.guard, {**known, **{binder.name: binder.type for binder in window.binders}}, BOOL)
    if program.result is not None and fragment.result is not None:
        checked(program.result, known, fragment.result)
    for condition in program.requires:
        checked(condition, known, BOOL)
    check_aids(program.aids, outer_names(fragment))
    check_kept(program, fragment)


def check_kept(program: TargetProgram, fragment: Fragment) -> None:
    """Raises IllTyped where an integer that is named, written or returned has fewer bits than its place."""
    kept = [(let.value, let.var.type) for let in program.lets] + [(write.value, write.array.type) for write in program.writes]
    if program.result is not None and fragment.result is not None:
        kept.append((program.result, fragment.result))
    for value, place in kept:
        if _is_narrower(type_of(value), place):
            raise IllTyped("an integer has fewer bits than its place", value)


def _is_narrower(value: Type, place: Type) -> bool:
    match value, place:
        case MachineInt(bits), MachineInt(wanted):
            return bits < wanted
        case TensorType(element), TensorType(other):
            return _is_narrower(element, other)
        case TupleType(items), TupleType(others):
            return any(map(_is_narrower, items, others))
        case _:
            return False


def fresh(var: Var, known: Mapping[str, Type]) -> dict[str, Type]:
    """A name of the summary's own."""
    if var.name in known:
        raise IllTyped(f"{var.name!r} is already the name of something else", var)
    return {var.name: var.type}


def checked(expr: Expr, known: Mapping[str, Type], wanted: Type) -> None:
    """Well typed, of the wanted type, over known names only."""
    check(expr)
    if any(RESERVED & set(name) for name in names(expr)):
        raise IllTyped("names of summaries hold none of the characters " + " ".join(sorted(RESERVED)), expr)
    for var in free_vars(expr):
        if known.get(var.name) != var.type:
            raise IllTyped(f"{var.name!r} is not known here with that type", expr)
    if type_of(expr) != wanted and not (isinstance(wanted, TensorType) and isinstance(type_of(expr), TensorType)):
        raise IllTyped("an expression has another type than its place", expr)
