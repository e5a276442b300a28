"""The passes of the front end for C and C++, in the order in which they run: each changes the function in place.

What holds after a pass is said beside its name, and the later ones build on it. `verify` checks what holds between all of them;
`metalift lift --dump-dir` writes the function after each one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from metalift.frontend.llvm.importer.calls import external, is_called
from metalift.frontend.llvm.importer.unknown_calls import refuse_unknown_calls
from metalift.frontend.llvm.passes.carried import carry_values
from metalift.frontend.llvm.passes.classes import order_results, unwrap_arrays
from metalift.frontend.llvm.passes.coerced import returns_struct, unpack_structs
from metalift.frontend.llvm.passes.copies import expand_copies
from metalift.frontend.llvm.passes.exceptions import cut_throws, refuse_handlers
from metalift.frontend.llvm.passes.fields import flatten_structs
from metalift.frontend.llvm.passes.fixed_elements import read_fixed_elements
from metalift.frontend.llvm.passes.local_arrays import constant_locals, decide_nulls, expand_arrays
from metalift.frontend.llvm.passes.long_doubles import read_as_doubles
from metalift.frontend.llvm.passes.moves import expand_moves
from metalift.frontend.llvm.passes.printing import leave_out_printing
from metalift.frontend.llvm.passes.struct_arrays import split_struct_arrays
from metalift.frontend.llvm.passes.swapped import settle_pointers
from metalift.frontend.llvm.passes.untyped import settle_types
from metalift.frontend.llvm.passes.variables import find_variables
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction, predecessors
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.parameters import find_parameters
from metalift.frontend.llvm.ssa.promote import promote
from metalift.frontend.llvm.ssa.thread import thread
from metalift.frontend.llvm.std.characters import use_characters
from metalift.frontend.llvm.std.map_lower import at_one_key
from metalift.frontend.llvm.std.maps import expand_maps
from metalift.frontend.llvm.std.strings import expand_strings
from metalift.frontend.llvm.std.vectors import expand_vectors
from metalift.ir.program.fragment import Diagnostic, External, Location, Premise, PremiseKind, Unsupported

ENDS = frozenset({"br", "switch", "ret", "unreachable", "invoke", "resume"})


@dataclass(frozen=True, slots=True)
class Context:
    """What passes know beside the function: its module, where the source declares it, and how it is read.

    `written` are the vector parameters, passed by value, that are copied as the function writes them. With `lookups`, maps and
    sets that are only asked once they are filled are seen at the keys that they are asked for. With `leaves`, what the function
    leaves in structs that it takes by value is a result.
    """

    module: LlvmModule
    symbol: str
    location: Location
    externals: tuple[External, ...]
    silent: tuple[str, ...]
    written: frozenset[str]
    lookups: bool
    leaves: bool


@dataclass(frozen=True, slots=True)
class Pass:
    """A step: its name, what holds after it, and what it does. Raises Unsupported where it finds what is not modelled."""

    name: str
    after: str
    run: Callable[[LlvmFunction, Context], object]


PASSES = (
    Pass("handlers", "no exception is caught", lambda f, c: refuse_handlers(c.module, c.symbol)),
    Pass("throws", "nothing throws: where the source would, a premise says that it does not", lambda f, c: cut_throws(f)),
    Pass("long doubles", "long doubles in registers are doubles: both stand for real numbers", lambda f, c: read_as_doubles(f)),
    Pass("printing", "nothing prints: what is printed is not claimed", lambda f, c: leave_out_printing(f, c.module)),
    Pass("silent calls", "no call of what is said to have no effects and is of no use", lambda f, c: _leave_out_silent(f, c)),
    Pass("unknown calls", "every call has a meaning, or is an external's", lambda f, c: refuse_unknown_calls(f, c.externals)),
    Pass("external calls", "what is relied on of them is noted", lambda f, c: _rely_on_externals(f, c)),
    Pass("characters", "strings whose characters are used are vectors of them", lambda f, c: use_characters(f, c.module)),
    Pass("strings", "no other std::string: values of a pseudo type instead", lambda f, c: expand_strings(f, c.module)),
    Pass("classes", "std::array, std::pair and std::tuple are what they hold", lambda f, c: unwrap_arrays(f, c.module.layout)),
    Pass(
        "structs by value",
        "structs that are passed or returned are their fields",
        lambda f, c: unpack_structs(f, c.module.layout, returns_struct(c.module, c.symbol), leaves=c.leaves),
    ),
    Pass("order of results", "several results come in the source's order", lambda f, c: order_results(f, c.module.metadata)),
    Pass("constant locals", "local tables that are never written are constants", lambda f, c: constant_locals(f, c.module)),
    Pass("registers", "scalar locals are registers", lambda f, c: promote(f, c.module.layout)),
    Pass("null", "no address of a local variable is compared with null, nor null itself", lambda f, c: decide_nulls(f)),
    Pass("parameters", "the parameters are those that the source declares", lambda f, c: _name_parameters(f, c)),
    Pass("variables", "global variables are parameters, too", lambda f, c: find_variables(f, c.module, c.location)),
    Pass("fields", "fields of structs that are pointed to are parameters", lambda f, c: flatten_structs(f, c.module)),
    Pass("arrays of structs", "each field of arrays of structs is an array", lambda f, c: split_struct_arrays(f, c.module)),
    Pass(
        "maps",
        "maps and sets are what they have at one key",
        lambda f, c: expand_maps(f, c.module, c.location, lookups=c.lookups),
    ),
    Pass("vectors", "std::vector is an array and a length", lambda f, c: expand_vectors(f, c.module.metadata, c.written)),
    Pass("registers again", "what these passes made is in registers, too", lambda f, c: promote(f, c.module.layout)),
    Pass("at one key", "what is done at a key is done where that is the key that is seen", lambda f, c: at_one_key(f)),
    Pass("untyped memory", "bytes used as another type are that", lambda f, c: settle_types(f, c.module.metadata)),
    Pass("fixed elements", "integers read at fixed places are scalars", lambda f, c: read_fixed_elements(f, c.module.layout)),
    Pass("carried values", "loops carry values, not pointers that are only read through", lambda f, c: carry_values(f)),
    Pass("local arrays", "arrays of the function itself are named", lambda f, c: expand_arrays(f, c.module.metadata)),
    Pass("moves", "no memmove, no memcmp", lambda f, c: expand_moves(f, c.module)),
    Pass("copies", "memset and memcpy of whole elements are loops", lambda f, c: expand_copies(f, c.module)),
    Pass("swapped pointers", "a pointer of the entry goes by one name", lambda f, c: settle_pointers(f, c.module.layout)),
    Pass("threading", "no block is entered with a literal that decides its branch", lambda f, c: thread(f, c.module.layout)),
)


def _rely_on_externals(function: LlvmFunction, context: Context) -> None:
    """Note what is relied on of the functions whose calls stay calls, before a later pass drops a loop with such a call."""
    calls = [instr for instr in function.instructions() if instr.op == "call"]
    found = dict.fromkeys(external(instr.detail[0][1:], context.externals) for instr in calls)
    text = "{} has no effects and for all arguments a result that depends on them alone; the target's {} computes the same"
    relied = (Premise(text.format(each.signature, each.name), PremiseKind.CALLS) for each in found if each)
    function.relied_on = (*function.relied_on, *relied)


def _leave_out_silent(function: LlvmFunction, context: Context) -> None:
    """Leave out calls of functions that are said to be pure and whose results are not used, in place."""
    found: dict[str, None] = {}
    used = {arg for instr in function.instructions() for arg in instr.args}
    own = {instr.result for instr in function.instructions() if instr.op == "alloca"}
    for instr in function.instructions():
        if instr.op == "getelementptr" and instr.args[0] in own:
            own.add(instr.result)
    for block in function.blocks:
        for instr in block.instrs[:]:
            called = next((name for name in context.silent if instr.op == "call" and is_called(instr.detail[0][1:], name)), None)
            if called is None:
                continue
            if instr.result and instr.result in used:
                what = f"the result of {called} is used, which takes or returns something else than numbers"
                raise Unsupported(Diagnostic(instr.location, f"{what}; supported are pure functions of numbers alone"))
            if not own.isdisjoint(instr.args):
                what = f"{called} gets the address of a local variable, which it may change"
                raise Unsupported(Diagnostic(instr.location, f"{what}; supported are calls that get values"))
            found[called] = None
            block.instrs.remove(instr)
    text = "{} returns, and changes nothing that the function or its caller uses"
    function.relied_on = (*function.relied_on, *(Premise(text.format(name), PremiseKind.CALLS) for name in found))


def _name_parameters(function: LlvmFunction, context: Context) -> None:
    found = find_parameters(function, context.module.metadata, context.location)
    used = {arg for instr in function.instructions() for arg in instr.args}
    ours = {each.register for each in found if each.type.kind == "pointer" and each.type.scalar is None and each.name != "this"}
    idle = [each.register in ours - used for each in found]
    function.unused = tuple(position for position, unused in enumerate(idle) if unused)
    found = [each for each, unused in zip(found, idle, strict=True) if not unused]
    function.parameters = [replace(each, left=context.leaves and each.type.kind == "struct") for each in found]


Watch = Callable[[str, LlvmFunction], None]


def run_passes(function: LlvmFunction, context: Context, watch: Watch | None = None) -> None:
    """Run them all; `watch` is shown the function after each one, with the name of the pass."""
    for each in PASSES:
        each.run(function, context)
        if watch is not None:
            watch(each.name, function)


def verify(function: LlvmFunction) -> list[str]:
    """What is wrong with a function, in words: what has to hold before and after every pass once nothing throws."""
    labels = [block.label for block in function.blocks]
    defined = [each.name for each in function.args] + [each.result for each in function.instructions() if each.result]
    wrong = [f"two blocks are called {label}" for label in {each for each in labels if labels.count(each) > 1}]
    wrong += [f"{name} is defined twice" for name in {each for each in defined if defined.count(each) > 1}]
    for block in function.blocks:
        ends = [instr.op in ENDS for instr in block.instrs]
        if not ends or not ends[-1] or any(ends[:-1]):
            wrong.append(f"{block.label} does not end with the one instruction that passes control on")
        others = {label for instr in block.instrs[-1:] for label in instr.targets()} - set(labels)
        wrong += [f"{block.label} goes to {label}, which is no block" for label in others]
    return wrong or list(_operands(function, frozenset(defined) | {each.register for each in function.parameters}))


def _operands(function: LlvmFunction, defined: frozenset[str]) -> Iterator[str]:
    """The same of what instructions use."""
    before = predecessors(function.blocks)
    for block in function.blocks:
        for instr in block.instrs:
            yield from (f"{block.label} uses {arg}, which nothing defines" for arg in instr.args if _is_unknown(arg, defined))
            if instr.op == "phi" and sorted(instr.detail) != sorted(before[block.label]):
                yield f"{instr.result} in {block.label} has values for {instr.detail}, not for {before[block.label]}"


def _is_unknown(token: str, defined: frozenset[str]) -> bool:
    """Whether it is a register that nothing defines. A vector `%v` is there where its parts `%v.data` or `%v.length` are."""
    if not token.startswith("%") or not defined.isdisjoint((f"{token}.data", f"{token}.length")):
        return False
    parts = token.split(".")
    return defined.isdisjoint(".".join(parts[:count]) for count in range(1, len(parts) + 1))


def show_function(function: LlvmFunction) -> str:
    """The function for people, an instruction a line."""
    lines = [f"{function.symbol}({', '.join(f'{each.type} {each.name}' for each in function.args)}) -> {function.result}"]
    for block in function.blocks:
        lines += [f"{block.label}:", *(f"    {_shown(instr)}" for instr in block.instrs)]
    return "\n".join(lines)


def _shown(instr: Instr) -> str:
    operands = ", ".join(f"{type_} {arg}" for type_, arg in zip(instr.types, instr.args, strict=False))
    detail = f" [{', '.join(instr.detail)}]" if instr.detail else ""
    return f"{f'{instr.result} = ' if instr.result else ''}{instr.op} {operands}{detail}".rstrip()
