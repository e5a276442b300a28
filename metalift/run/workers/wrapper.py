"""The text of a translation unit that makes a function of a source file callable through flat pointers and lengths.

The source file itself is put in front of it by the compiler's `-include`, so `static`, inlined and mangled functions are in
reach. One function is exported: `int metalift_call(void **data, int64 *lengths)`. `data[i]` points to the i-th argument: the
elements of an array row by row (for rows of pointers, to the pointers), or the value of a scalar; `data[count + k]` is where the
k-th result goes. `lengths + RANK * i` is the shape of the i-th argument or result, used for vectors. A vector that the
function returns or changes is copied to memory from malloc; its slot is made to point there and `lengths` to say its shape,
-1 where rows differ in length. In the checked build the result is 1 where the sanitizer saw undefined behaviour (named by
`metalift_problem`), otherwise 0. A map or set that is returned is several vectors, of its keys and of the numbers in its values,
which a set has not. In the timed build `metalift_nanoseconds` is the time that the function itself took.

Parameters that are fields of a struct are put into an object whose other bytes are 0, and read from it again afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from metalift.ir.expr.types import STRING, IntType, TensorType, TupleType, Type, element_of
from metalift.ir.program.fragment import ELEMENT, Fragment, Param, ParamKind
from metalift.run.workers.compiled import BYTES, RANK
from metalift.run.workers.jobs import NotRunnable, dtype
from metalift.run.workers.wrapper_text import (
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


_OURS = "metalift_wrapper::"
UNTIMED = "#define METALIFT_TIMED(...) __VA_ARGS__\n#define METALIFT_TIMED_VOID(...) __VA_ARGS__"


def wrapper_text(
    fragment: Fragment, *, cplusplus: bool, checked: bool = False, spelled: bool = False, timed: bool = False
) -> str:
    """The wrapper of one function. `spelled`: choose among C++ overloads by the parameters' types as the source spells them."""
    parts = [RUNTIME_CPP if cplusplus else RUNTIME_C]
    if any(param.field is not None and _in_array(param.field.access) for param in fragment.params):
        parts.append(SPREAD)
    parts += [TIMED, TIMED_CPP if cplusplus else TIMED_C] if timed else [UNTIMED]
    if checked:
        parts.append(HANDLERS_BEGIN)
        parts += [f"METALIFT_HANDLER({name})" for name in _CHECKS]
        parts += [HANDLER_LIBRARY] if cplusplus else []
    if cplusplus:
        parts += [f"#define METALIFT_RANK {RANK}", SLOTS_CPP]
        parts.append(_call_cpp_spelled(fragment) if spelled or _made(fragment) else _call_cpp(fragment))
    else:
        parts += [FIELDS_C, _call_c(fragment)]
    parts.append(ENTRY_CHECKED if checked else ENTRY)
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class _Argument:
    """A parameter as the source has it: the fragment's parameter with its position, or those of an object's fields."""

    parts: tuple[tuple[int, Param], ...]

    @property
    def is_object(self) -> bool:
        """Whether the source's parameter is a struct."""
        return self.parts[0][1].field is not None

    @property
    def c_type(self) -> str:
        """The type as the source spells it."""
        param = self.parts[0][1]
        return param.c_type if param.field is None else param.field.c_type

    @property
    def is_self(self) -> bool:
        """Whether it is the object of a member function."""
        param = self.parts[0][1]
        return param.field is not None and param.field.parameter == "this"

    @property
    def by_pointer(self) -> bool:
        """Whether the object is passed by its address."""
        param = self.parts[0][1]
        return param.field is not None and param.field.access.startswith(("->", ELEMENT))

    @property
    def is_array(self) -> bool:
        """Whether it is an array of structs."""
        param = self.parts[0][1]
        return param.field is not None and param.field.access.startswith(ELEMENT)


def _arguments(fragment: Fragment) -> list[_Argument]:
    """The source's parameters, in order."""
    found: list[_Argument] = []
    objects: dict[str, int] = {}
    for position, param in enumerate(fragment.arguments):
        own = (position, param)
        if param.field is None:
            found.append(_Argument((own,)))
        elif param.field.parameter in objects:
            at = objects[param.field.parameter]
            found[at] = _Argument((*found[at].parts, own))
        else:
            objects[param.field.parameter] = len(found)
            found.append(_Argument((own,)))
    return found


def _layout(items: tuple[Type, ...]) -> tuple[list[int], int]:
    """Where scalars are in a struct of nothing else, and its size."""
    offsets: list[int] = []
    end = 0
    for size in (BYTES[dtype(item)] for item in items):
        offsets.append(-(-end // size) * size)
        end = offsets[-1] + size
    widest = max(BYTES[dtype(item)] for item in items)
    return offsets, -(-end // widest) * widest


# Objects


def _pointers(accesses: Iterable[str]) -> dict[str, None]:
    """The parts of accesses that are pointers to further objects, outer ones first: `.inner` of `.inner->vals`."""
    found: dict[str, None] = {}
    for access in accesses:
        for arrow in re.finditer(rf"->|{re.escape(ELEMENT)}", access):
            if arrow.start() > 0:
                found.setdefault(access[: arrow.start()])
    return dict.fromkeys(sorted(found, key=len))


def _inside(root: str, access: str) -> str:
    """The member of the object of that name; of an array of objects, of the first one."""
    member = re.sub(r"^(->|[.])", "", access).replace(ELEMENT, "[0]")
    return f"{root}{member}" if access.startswith(ELEMENT) else f"{root}.{member}"


def _in_array(access: str) -> bool:
    """Whether a member is one of an array of objects."""
    return ELEMENT in access


def _spread(name: str, access: str, at: int, size: str, back: bool) -> str:
    """The copy between a buffer and a member of all objects of an array."""
    member = _inside(name, access)
    first = _inside(name, access[: access.index(ELEMENT) + len(ELEMENT)])
    sizes = f"sizeof({first}), (char *)&({member}) - (char *)&({first}), sizeof({member})"
    return f"metalift_spread((char *)&({first}), {sizes}, (char *)data[{at}], {size}, {int(back)});"


def _elements(name: str, type_: str, parts: Iterable[tuple[int, Param, str]]) -> list[str]:
    """An array of objects as long as its members' buffers need; `parts` have the accesses from its first element."""
    lines = [f"typedef {type_} {name}_type;", f"static void *{name}_memory;", f"__SIZE_TYPE__ {name}_count = 1;"]
    for at, param, access in parts:
        item = f"sizeof((({name}_type *)0){re.sub('^[.]', '->', access)})"
        lines.append(f"{name}_count = metalift_longer({name}_count, {_bytes(at, param)}, {item});")
    return [
        *lines,
        f"{name}_memory = __builtin_realloc({name}_memory, {name}_count * sizeof({name}_type));",
        f"__builtin_memset({name}_memory, 0, {name}_count * sizeof({name}_type));",
        f"{name}_type *{name} = ({name}_type *){name}_memory;",
    ]


def _of_array(parts: Iterable[tuple[int, Param, str]], prefix: str) -> list[tuple[int, Param, str]]:
    """The members of the array of objects at a prefix, with what follows the element."""
    start = prefix + ELEMENT
    return [(at, param, access[len(start) :]) for at, param, access in parts if access.startswith(start)]


def _fields(argument: _Argument) -> Iterator[tuple[int, Param, str]]:
    for position, param in argument.parts:
        assert param.field is not None
        yield position, param, param.field.access


def _bytes(position: int, param: Param) -> str:
    """The size of the buffer, as text."""
    size = BYTES[dtype(param.var.type)]
    return f"{size} * lengths[{RANK * position}]" if isinstance(param.var.type, TensorType) else str(size)


def _object(
    argument: _Argument,
    name: str,
    type_: str,
    pointed: Callable[[str], str],
    storage: Callable[[str, str], list[str]],
    put: Callable[[str, int, str], str],
) -> list[str]:
    """An object with its fields, and those that pointers in it lead to, as a language spells it.

    `pointed` is the type that a pointer points to, `storage` the memory of one object, `put` the copy of a buffer to a member.
    """
    parts = list(_fields(argument))
    lines = _elements(name, type_, _of_array(parts, "")) if argument.is_array else storage(type_, name)
    for number, access in enumerate(_pointers(access for _, _, access in parts)):
        inner, pointer = f"{name}_{number}", _inside(name, access)
        several = _of_array(parts, access)
        lines += _elements(inner, pointed(pointer), several) if several else storage(pointed(pointer), inner)
        address = f"(void *){inner}" if several else f"&{inner}"
        lines.append(f"{{ void *address = {address}; __builtin_memcpy((void *)&({pointer}), &address, sizeof address); }}")
    for at, param, access in parts:
        size = _bytes(at, param)
        one = _spread(name, access, at, size, False) if _in_array(access) else put(_inside(name, access), at, size)
        lines.append(one)
    return lines


# C


def _call_c(fragment: Fragment) -> str:
    """`metalift_invoke` in C: a pointer converts by itself, a scalar is read by its own type."""
    before: list[str] = []
    args: list[str] = []
    after: list[str] = []
    for number, argument in enumerate(_arguments(fragment)):
        if argument.is_object:
            before += _object_c(argument, f"object{number}")
            for at, p, access in (each for each in _fields(argument) if each[1].kind is ParamKind.POINTER):
                if _in_array(access):
                    after.append(_spread(f"object{number}", access, at, _bytes(at, p), True))
                else:
                    after.append(f"METALIFT_BACK({_inside(f'object{number}', access)}, {at}, {_bytes(at, p)});")
            args.append(f"&object{number}" if argument.by_pointer and not argument.is_array else f"object{number}")
        else:
            args.append(_argument_c(*argument.parts[0]))
    timed = "METALIFT_TIMED_VOID" if fragment.result is None else "METALIFT_TIMED"
    calls = _results_c(fragment, f"{timed}({fragment.name}({', '.join(args)}))")
    lines = ["{", "    (void)data; (void)lengths;", *(f"    {line}" for line in (*before, *calls, *after)), "}"]
    return "\n".join(["static void metalift_invoke(void **data, __INT64_TYPE__ *lengths)", *lines])


def _results_c(fragment: Fragment, call: str) -> list[str]:
    """The call, with what it returns put into the slots behind the arguments."""
    count = len(fragment.arguments)
    match fragment.result:
        case None:
            return [f"{call};"]
        case TensorType():
            raise NotRunnable("the function returns an array, which C does not have")
        case TupleType(items):
            offsets, size = _layout(items)
            lines = [f"__auto_type result = {call};", f'_Static_assert(sizeof result == {size}, "only scalars");']
            for at, (offset, item) in enumerate(zip(offsets, items, strict=True), count):
                lines.append(f"__builtin_memcpy(data[{at}], (char *)&result + {offset}, {BYTES[dtype(item)]});")
            return lines
        case scalar:
            return [f"*({_c_type(scalar)} *)data[{count}] = {call};"]


def _argument_c(position: int, param: Param) -> str:
    match param.kind:
        case ParamKind.POINTER:
            return f"data[{position}]"
        case ParamKind.VALUE:
            return f"*({_c_type(param.var.type)} *)data[{position}]"
        case _:
            raise NotRunnable(f"parameter {param.var.name} is a {param.kind.value}, which C does not have")


def _object_c(argument: _Argument, name: str) -> list[str]:
    """An object with its fields, and those that pointers in it lead to; their bytes are kept as such, which may be const."""
    spelled = re.sub(r"\b(const|volatile|restrict|__restrict|__restrict__)\b", "", argument.c_type).strip()
    kind = f"__typeof__(*({spelled})0)" if argument.by_pointer else spelled

    def put(member: str, at: int, size: str) -> str:
        return f"METALIFT_SET({member}, {at}, {size});"

    return _object(argument, name, f"__typeof__({kind})", lambda pointer: f"__typeof__(*{pointer})", _storage_c, put)


def _storage_c(type_: str, name: str) -> list[str]:
    return [
        f"static char {name}_bytes[sizeof({type_})] __attribute__((aligned(64)));",
        f"__builtin_memset({name}_bytes, 0, sizeof {name}_bytes);",
        f"#define {name} (*({type_} *){name}_bytes)",
    ]


def _c_type(type_: Type) -> str:
    name = dtype(type_)
    fixed = {"bool": "_Bool", "f32": "float", "f64": "double"}
    if name == "int":
        raise NotRunnable("compiled code has no integers without bound")
    return fixed.get(name) or f"__{'U' if name[0] == 'u' else ''}INT{name[1:]}_TYPE__"


# C++

PLACE = """\
struct metalift_place {};
inline void *operator new(__SIZE_TYPE__, void *place, metalift_place) noexcept { return place; }"""


def _call_cpp(fragment: Fragment) -> str:
    """`metalift_invoke` in C++, with the parameters' types deduced from the function."""
    arguments = _arguments(fragment)
    names = [f"A{position}" for position in range(len(arguments))]
    types = "".join(f", class {name}" for name in names)
    tail = "void **data, __INT64_TYPE__ *lengths)"
    templates: list[str] = []
    if arguments and arguments[0].is_self:
        listed = ", ".join(names[1:])
        for qualifier in ("", " const"):
            templates += [
                f"template <class R{types}> static void metalift_apply(R (A0::*f)({listed}){qualifier}, {tail}",
                _body_cpp(fragment, "(a0.*f)", names, "R"),
            ]
    else:
        templates += [
            f"template <class R{types}> static void metalift_apply(R (*f)({', '.join(names)}), {tail}",
            _body_cpp(fragment, "f", names, "R"),
        ]
    call = f"{{ metalift_apply(&::{_reachable(fragment.name)}, data, lengths); }}"
    return "\n".join([*templates, f"static void metalift_invoke({tail}", call])


def _call_cpp_spelled(fragment: Fragment) -> str:
    """`metalift_invoke` in C++ for one of several overloads, chosen by the types that the source spells."""
    arguments = _arguments(fragment)
    types = [re.sub(r"\brestrict\b", "", argument.c_type) for argument in arguments]
    name = _reachable(fragment.name)
    declared = [f"std_declval<{type_}>()" for type_ in types]
    made = _made(fragment)
    if made is not None:
        body = _body_cpp(fragment, made, [f"::{name.rpartition('::')[0]} *", *types[1:]], "void")
        return f"{PLACE}\nstatic void metalift_invoke(void **data, __INT64_TYPE__ *lengths)\n{body}"
    if arguments and arguments[0].is_self:
        name = name.rpartition("::")[2]
        called = f"{declared[0]}->{name}({', '.join(declared[1:])})"
        name = f"a0.{name}"
    else:
        called = f"{name}({', '.join(declared)})"
    body = _body_cpp(fragment, name, types, f"decltype({called})")
    declval = "template <class T> T std_declval();"
    return f"{declval}\nstatic void metalift_invoke(void **data, __INT64_TYPE__ *lengths)\n{body}"


def _made(fragment: Fragment) -> str | None:
    """How a constructor or destructor is called for the object a0, for they have no address; None where it is neither."""
    *_, owner, name = ["", "", *_reachable(fragment.name).split("::")]
    arguments = _arguments(fragment)
    if not arguments or not arguments[0].is_self or name.strip("~").partition("<")[0] != owner.partition("<")[0]:
        return None
    return "a0.~a0_type" if name.startswith("~") else "::new (static_cast<void *>(&a0), metalift_place()) a0_type"


def _reachable(name: str) -> str:
    """A qualified name as it can be written: what is in an anonymous namespace is in reach without naming it."""
    return re.sub(r"[({`]anonymous[^)}']*[)}']::", "", name)


def _body_cpp(fragment: Fragment, function: str, types: list[str], result: str) -> str:
    lines = ["(void)data; (void)lengths;"]
    after: list[str] = []
    args: list[str] = []
    for number, (argument, type_) in enumerate(zip(_arguments(fragment), types, strict=True)):
        name = f"a{number}"
        if argument.is_object:
            lines += _object_cpp(argument, name, type_)
            after += _object_back_cpp(argument, name)
            args += [] if argument.is_self else [f"&{name}" if argument.by_pointer and not argument.is_array else name]
            continue
        [(at, param)] = argument.parts
        plain = f"typename {_OURS}plain<{type_} >::type"
        if _has_texts(param):
            lines.append(_laid(name, param))
            lines.append(f"{_OURS}laid_slot<{plain}> {name}(data[{at}], lengths + {RANK * at}, {name}_parts);")
        else:
            lines.append(f"{_OURS}slot<{plain}> {name}(data[{at}], lengths + {RANK * at});")
        args.append(f"{name}.get()")
        if param.kind is ParamKind.VECTOR_REF:
            after.append(f"{name}.back(data + {at}, lengths + {RANK * at});")
        elif param.kind is ParamKind.POINTER:
            after.append(f"{name}.store(data[{at}], lengths + {RANK * at});")
    call = f"METALIFT_TIMED({function}({', '.join(args)}))"
    lines += [*_results_cpp(fragment, call, result), *after]
    return "\n".join(["{", *(f"    {line}" for line in lines), "}"])


def _has_texts(param: Param) -> bool:
    """Whether it is an array of structs that have strings in them."""
    element = element_of(param.var.type)
    return isinstance(element, IntType) and any(part == STRING for _, part in element.fields)


def _laid(name: str, param: Param) -> str:
    """Where the parts of a struct are, and their sizes, 0 for strings; none for what is no struct."""
    element = element_of(param.var.type)
    parts = [part for _, part in element.fields] if isinstance(element, IntType) else []
    sizes = [0 if part == STRING else BYTES[dtype(part)] for part in parts]
    pairs = [f"{offset}, {size}" for offset, size in zip(param.layout, sizes, strict=False)]
    places = f"static const {_OURS}size {name}_places[] = {{{', '.join(pairs) or '0'}}};"
    return f"{places} const {_OURS}laid {name}_parts = {{{name}_places, {len(pairs)}}};"


def _numbers(items: tuple[Type, ...]) -> tuple[str, int]:
    """Where the scalars of a struct are and their sizes, and its own size."""
    offsets, size = _layout(items) if items else ([], 0)
    pairs = [f"{offset}, {BYTES[dtype(item)]}" for offset, item in zip(offsets, items, strict=True)]
    places = f"static const {_OURS}size number_places[] = {{{', '.join(pairs) or '0'}}};"
    return f"{places} const {_OURS}laid numbers = {{number_places, {len(pairs)}}};", size


def _results_cpp(fragment: Fragment, call: str, result: str) -> list[str]:
    """The call, with what it returns put into the slots behind the arguments."""
    count = len(fragment.arguments)
    place = f"data + {count}, lengths + {RANK * count}"
    plain = f"typename {_OURS}plain<{result} >::type"
    match fragment.result:
        case _ if fragment.key is not None:
            values = fragment.result.items[1:] if isinstance(fragment.result, TupleType) else ()
            numbers, size = _numbers(values)
            lines = [_laid("key", fragment.key), numbers]
            return [*lines, f"{_OURS}entries<{plain}, {size}>::put({call}, {place}, key_parts, numbers);"]
        case None:
            return [f"{call};"]
        case TupleType(items) if not any(isinstance(item, TensorType) for item in items):
            numbers, size = _numbers(items)
            return [numbers, f"{_OURS}several<{plain}, {size}>::put({call}, {place}, numbers.places, numbers.count);"]
        case TensorType(IntType(of, fields)) if fields:
            lines = [f"auto &&made = {call};", f"{_OURS}size count = static_cast<{_OURS}size>(made.size());"]
            for at, (name, _) in enumerate(fields):
                part = f"std::get<{at}>(made[k])" if of == "tuple" else f"made[k].{name}"
                place = f"data + {count + at}, lengths + {RANK * (count + at)}"
                lines.append(f"data[{count + at}] = 0; lengths[{RANK * (count + at)}] = 0;")
                each = f"for ({_OURS}size k = 0; k < count; k++)"
                lines.append(f"{each} {_OURS}entries<{plain}, 1>::fill({place}, k, count, {part});")
            return lines
        case _:
            return [f"{_OURS}result<{plain}>::put({call}, {place});"]


def _object_cpp(argument: _Argument, name: str, type_: str) -> list[str]:
    """An object with its fields, and those that pointers in it lead to. No constructor or destructor of it is run."""

    def plain(text: str) -> str:
        return f"typename {_OURS}object<typename {_OURS}plain<{text}>::type>::type"

    def put(member: str, at: int, size: str) -> str:
        return f"{_OURS}set_field({member}, data + {at}, lengths + {RANK * at}, {size});"

    return _object(argument, name, plain(f"{type_} "), lambda pointer: plain(f"decltype({pointer})"), _storage_cpp, put)


def _object_back_cpp(argument: _Argument, name: str) -> list[str]:
    """What the function may have changed in the object, put where it came from."""
    lines = []
    for at, param, access in _fields(argument):
        if _in_array(access):
            lines.append(_spread(name, access, at, _bytes(at, param), True))
        elif param.kind in (ParamKind.POINTER, ParamKind.VECTOR_REF):
            changed = "true" if param.kind is ParamKind.VECTOR_REF else "false"
            slot = f"data + {at}, lengths + {RANK * at}, {_bytes(at, param)}, {changed}"
            lines.append(f"{_OURS}field_back({_inside(name, access)}, {slot});")
    return lines


def _storage_cpp(type_: str, name: str) -> list[str]:
    return [
        f"typedef {type_} {name}_type;",
        f"static char {name}_bytes[sizeof({name}_type)] __attribute__((aligned(64)));",
        f"__builtin_memset({name}_bytes, 0, sizeof {name}_bytes);",
        f"{name}_type &{name} = *reinterpret_cast<{name}_type *>({name}_bytes);",
    ]
