"""The text of a translation unit that makes a function of a source file callable through flat pointers and lengths.

The source file itself is put in front of it by the compiler's `-include`, so `static`, inlined and mangled functions are in
reach. One function is exported: `int metalift_call(void **data, int64 *lengths)`. `data[i]` points to the i-th argument: the
elements of an array row by row (for rows of pointers, to the pointers), or the value of a scalar; `data[count + k]` is where the
k-th result goes. `lengths + RANK * i` is the shape of the i-th argument or result, used for vectors. A vector that the
function returns or changes is copied to memory from malloc; its slot is made to point there and `lengths` to say its shape,
-1 where rows differ in length. In the checked build the result is 1 where the sanitizer saw undefined behaviour (named by
`metalift_problem`), otherwise 0. A map or set that is returned is several vectors, of its keys and of the numbers in its values,
which a set has not. In the timed build `metalift_nanoseconds` is the time that the function itself took.

Parameters that are fields of a struct are put into an object whose other bytes are 0, and read from it again afterwards. Those
that are global variables are put into these.
"""

from __future__ import annotations

from metalift.ir.expr.types import TensorType, TupleType
from metalift.ir.program.fragment import Fragment
from metalift.run.workers.compiled import RANK
from metalift.run.workers.wrapped_arguments import in_array, variable_lines
from metalift.run.workers.wrapper_c import call_c
from metalift.run.workers.wrapper_cpp import call_cpp, call_cpp_spelled, special_call
from metalift.run.workers.wrapper_text import (
    ALLOCATED,
    ALLOCATED_CPP,
    ENTRY,
    ENTRY_CHECKED,
    FIELDS_C,
    HANDLER_LIBRARY,
    HANDLERS_BEGIN,
    RUNTIME_C,
    RUNTIME_CPP,
    SLOTS_CPP,
    SPREAD,
    TIMED,
    TIMED_C,
    TIMED_CPP,
)

# The checks of -fsanitize=undefined that report through a handler; with the minimal runtime a handler has no arguments.
_CHECKS = (
    "add_overflow",
    "alignment_assumption",
    "builtin_unreachable",
    "divrem_overflow",
    "float_cast_overflow",
    "function_type_mismatch",
    "implicit_conversion",
    "invalid_builtin",
    "load_invalid_value",
    "local_out_of_bounds",
    "missing_return",
    "mul_overflow",
    "negate_overflow",
    "nonnull_arg",
    "nonnull_return",
    "nullability_arg",
    "nullability_return",
    "out_of_bounds",
    "pointer_overflow",
    "shift_out_of_bounds",
    "sub_overflow",
    "type_mismatch",
    "vla_bound_not_positive",
)
UNTIMED = "#define METALIFT_TIMED(...) __VA_ARGS__\n#define METALIFT_TIMED_VOID(...) __VA_ARGS__"


def wrapper_text(
    fragment: Fragment, *, cplusplus: bool, checked: bool = False, spelled: bool = False, timed: bool = False
) -> str:
    """The wrapper of one function. `spelled`: choose among C++ overloads by the parameters' types as the source spells them."""
    parts = [RUNTIME_CPP if cplusplus else RUNTIME_C]
    if any(param.field is not None and in_array(param.field.access) for param in fragment.params):
        parts.append(SPREAD)
    parts += [TIMED, TIMED_CPP if cplusplus else TIMED_C] if timed else [UNTIMED]
    if checked:
        parts.append(HANDLERS_BEGIN)
        parts += [f"METALIFT_HANDLER({name})" for name in _CHECKS]
        parts += [HANDLER_LIBRARY] if cplusplus else []
    allocated = linker_options(fragment) != ()
    parts += [ALLOCATED] if allocated else []
    if cplusplus:
        parts += [f"#define METALIFT_RANK {RANK}", SLOTS_CPP, *variable_lines(fragment)]
        parts += [ALLOCATED_CPP] if allocated else []
        parts.append(call_cpp_spelled(fragment) if spelled or special_call(fragment) else call_cpp(fragment))
    else:
        parts += [FIELDS_C, *fragment.definitions, *variable_lines(fragment), call_c(fragment)]
    parts.append(ENTRY_CHECKED if checked else ENTRY)
    return "\n".join(parts) + "\n"


def linker_options(fragment: Fragment) -> tuple[str, ...]:
    """What the linker has to be told: that it wraps what allocates a result whose length nothing else tells."""
    items = fragment.result.items if isinstance(fragment.result, TupleType) else (fragment.result,)
    wrapped = ("malloc", "calloc", "aligned_alloc", "_Znam") if any(isinstance(item, TensorType) for item in items) else ()
    return tuple(f"-Wl,--wrap={name}" for name in wrapped)
