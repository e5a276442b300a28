"""The text of a translation unit that makes a function of a source file callable through flat pointers and lengths.

The source file itself is put in front of it by the compiler's `-include`, so `static`, inlined and mangled functions are in
reach. One function is exported: `int metalift_call(void **data, int64 *lengths)`. `data[i]` points to the i-th argument:
the elements of an array, or the value of a scalar; `data[count]` is where a scalar result goes. `lengths + RANK * i` is the shape
of the i-th argument, used for vectors. A vector that the function returns or changes is copied to memory from
malloc; its slot is made to point there and `lengths` to say how many elements. In the checked build the result is 1 where the
sanitizer saw undefined behaviour (named by `metalift_problem`), otherwise 0.
"""

from __future__ import annotations

import re

from metalift.ir.fragment import Fragment, Param, ParamKind
from metalift.ir.types import TensorType, Type
from metalift.synth.testing.compiled import RANK
from metalift.synth.testing.jobs import NotRunnable, dtype

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


def wrapper_text(fragment: Fragment, *, cplusplus: bool, checked: bool, spelled: bool = False) -> str:
    """The wrapper of one function. `spelled`: choose among C++ overloads by the parameters' types as the source spells them."""
    parts = [_RUNTIME_CPP if cplusplus else _RUNTIME_C]
    if checked:
        parts.append(_HANDLERS_BEGIN)
        parts += [f"METALIFT_HANDLER({name})" for name in _CHECKS]
    if cplusplus:
        vectors = isinstance(fragment.result, TensorType) or any(_is_vector(param) for param in fragment.params)
        parts.append(_CPP)
        parts.append(_CPP_VECTOR if vectors else "}")
        parts.append(_call_cpp_spelled(fragment) if spelled else _call_cpp(fragment))
    else:
        parts.append(_call_c(fragment))
    parts.append(_ENTRY_CHECKED if checked else _ENTRY)
    return "\n".join(parts) + "\n"


def _is_vector(param: Param) -> bool:
    return param.kind in (ParamKind.VECTOR, ParamKind.VECTOR_REF)


_RUNTIME_C = '#define METALIFT_EXPORT __attribute__((visibility("default")))'
_RUNTIME_CPP = '#define METALIFT_EXPORT extern "C" __attribute__((visibility("default")))'

# A handler leaves the source's function at once: what it would compute after undefined behaviour means nothing.
_HANDLERS_BEGIN = """\
static void *metalift_jump[5];
METALIFT_EXPORT const char *metalift_problem;
const char *metalift_problem;
#define METALIFT_PLAIN __attribute__((noinline, no_sanitize("undefined")))
#define METALIFT_HANDLER(name) \\
    METALIFT_EXPORT METALIFT_PLAIN void __ubsan_handle_##name##_minimal(void) \\
    { metalift_problem = #name; __builtin_longjmp(metalift_jump, 1); } \\
    METALIFT_EXPORT METALIFT_PLAIN void __ubsan_handle_##name##_minimal_abort(void) \\
    { metalift_problem = #name; __builtin_longjmp(metalift_jump, 1); }"""

_ENTRY = """\
METALIFT_EXPORT int metalift_call(void **data, __INT64_TYPE__ *lengths)
{ metalift_invoke(data, lengths); return 0; }"""

_ENTRY_CHECKED = """\
METALIFT_EXPORT METALIFT_PLAIN int metalift_call(void **data, __INT64_TYPE__ *lengths)
{ if (__builtin_setjmp(metalift_jump)) return 1; metalift_invoke(data, lengths); return 0; }"""

# `slot` reads an argument of the parameter's own type, which is taken from the function: no type has to be spelled.
_CPP = """\
namespace metalift_wrapper {
typedef __INT64_TYPE__ size;
template <class T> struct plain { typedef T type; };
template <class T> struct plain<T &> { typedef T type; };
template <class T> struct plain<T &&> { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <class T> struct plain<const T &> { typedef T type; };
template <class T> struct slot {
    T *value;
    slot(void *data, size *) : value(static_cast<T *>(data)) {}
    T &get() { return *value; }
    static void put(const T &value, void **data, size *) { *static_cast<T *>(*data) = value; }
    void back(void **, size *) {}
};
template <class T> struct slot<T *> {
    T *value;
    slot(void *data, size *) : value((T *)data) {}
    T *get() { return value; }
    void back(void **, size *) {}
};"""

_CPP_VECTOR = """\
}
#include <vector>
namespace metalift_wrapper {
template <class E, class A> struct slot<std::vector<E, A> > {
    typedef std::vector<E, A> V;
    V value;
    slot(void *data, size *length) : value(static_cast<E *>(data), static_cast<E *>(data) + *length) {}
    V &get() { return value; }
    static void put(const V &value, void **data, size *length) {
        E *copy = static_cast<E *>(__builtin_malloc(value.size() * sizeof(E) + 1));
        for (size i = 0; i < static_cast<size>(value.size()); i++) copy[i] = value[i];
        *data = copy;
        *length = static_cast<size>(value.size());
    }
    void back(void **data, size *length) { put(value, data, length); }
};
}"""


def _call_c(fragment: Fragment) -> str:
    """`metalift_invoke` in C: a pointer converts by itself, a scalar is read by its own type."""
    args = []
    for position, param in enumerate(fragment.params):
        match param.kind:
            case ParamKind.POINTER:
                args.append(f"data[{position}]")
            case ParamKind.VALUE:
                args.append(f"*({_c_type(param.var.type)} *)data[{position}]")
            case _:
                raise NotRunnable(f"parameter {param.var.name} is a {param.kind.value}, which C does not have")
    call = f"{fragment.name}({', '.join(args)})"
    if fragment.result is not None:
        call = f"*({_c_type(fragment.result)} *)data[{len(args)}] = {call}"
    return f"static void metalift_invoke(void **data, __INT64_TYPE__ *lengths)\n{{ (void)data; (void)lengths; {call}; }}"


def _c_type(type_: Type) -> str:
    name = dtype(type_)
    fixed = {"bool": "_Bool", "f32": "float", "f64": "double"}
    return fixed.get(name) or f"__{'U' if name[0] == 'u' else ''}INT{name[1:]}_TYPE__"


def _call_cpp(fragment: Fragment) -> str:
    """`metalift_invoke` in C++, with the parameters' types deduced from the function."""
    count = len(fragment.params)
    types = "".join(f", class A{position}" for position in range(count))
    listed = ", ".join(f"A{position}" for position in range(count))
    names = [f"A{position}" for position in range(count)]
    return "\n".join(
        (
            f"template <class R{types}> static void metalift_apply(R (*f)({listed}), void **data, __INT64_TYPE__ *lengths)",
            _body_cpp(fragment, "f", names, "R"),
            "static void metalift_invoke(void **data, __INT64_TYPE__ *lengths)",
            f"{{ metalift_apply(&{_reachable(fragment.name)}, data, lengths); }}",
        )
    )


def _call_cpp_spelled(fragment: Fragment) -> str:
    """`metalift_invoke` in C++ for one of several overloads, chosen by the types that the source spells."""
    types = [re.sub(r"\brestrict\b", "", param.c_type) for param in fragment.params]
    arguments = ", ".join(f"std_declval<{type_}>()" for type_ in types)
    declval = "template <class T> T std_declval();"
    name = _reachable(fragment.name)
    body = _body_cpp(fragment, name, types, f"decltype({name}({arguments}))")
    return f"{declval}\nstatic void metalift_invoke(void **data, __INT64_TYPE__ *lengths)\n{body}"


def _reachable(name: str) -> str:
    """A qualified name as it can be written: what is in an anonymous namespace is in reach without naming it."""
    return re.sub(r"[({`]anonymous[^)}']*[)}']::", "", name)


def _body_cpp(fragment: Fragment, function: str, types: list[str], result: str) -> str:
    lines = ["{", "    using namespace metalift_wrapper;", "    (void)data; (void)lengths;"]
    for position, type_ in enumerate(types):
        lines.append(f"    slot<typename plain<{type_} >::type> a{position}(data[{position}], lengths + {RANK * position});")
    call = f"{function}({', '.join(f'a{position}.get()' for position in range(len(types)))})"
    if fragment.result is None:
        lines.append(f"    {call};")
    else:
        count = len(types)
        lines.append(f"    slot<typename plain<{result} >::type>::put({call}, data + {count}, lengths + {RANK * count});")
    for position, param in enumerate(fragment.params):
        if param.kind is ParamKind.VECTOR_REF:
            lines.append(f"    a{position}.back(data + {position}, lengths + {RANK * position});")
    return "\n".join([*lines, "}"])
