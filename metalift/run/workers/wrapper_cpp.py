"""How a wrapper calls a function of C++."""

from __future__ import annotations

import re

from metalift.ir.expr.types import STRING, IntType, TensorType, TupleType, Type, element_of
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.run.workers.compiled import BYTES, RANK
from metalift.run.workers.jobs import dtype
from metalift.run.workers.wrapped_arguments import (
    Argument,
    arguments_of,
    bytes_of,
    fields_of,
    in_array,
    layout_of,
    object_lines,
    object_name,
    passed,
    spread,
    taken_apart,
    with_unused,
)

_OURS = "metalift_wrapper::"
PLACE = """\
struct metalift_place {};
inline void *operator new(__SIZE_TYPE__, void *place, metalift_place) noexcept { return place; }"""


def call_cpp(fragment: Fragment) -> str:
    """`metalift_invoke` in C++, with the parameters' types deduced from the function."""
    arguments = passed(fragment)
    names = [f"A{position}" for position in range(len(arguments))]
    every = with_unused(fragment, names, lambda at: f"U{at}")
    types = "".join(f", class {name}" for name in every)
    tail = "void **data, __INT64_TYPE__ *lengths)"
    templates: list[str] = []
    if arguments and arguments[0].is_self:
        listed = ", ".join(every[1:])
        for qualifier in ("", " const"):
            templates += [
                f"template <class R{types}> static void metalift_apply(R (A0::*f)({listed}){qualifier}, {tail}",
                _body_cpp(fragment, "(a0.*f)", names, "R"),
            ]
    else:
        templates += [
            f"template <class R{types}> static void metalift_apply(R (*f)({', '.join(every)}), {tail}",
            _body_cpp(fragment, "f", names, "R"),
        ]
    call = f"{{ metalift_apply(&::{_reachable(fragment.name)}, data, lengths); }}"
    return "\n".join([*templates, f"static void metalift_invoke({tail}", call])


def call_cpp_spelled(fragment: Fragment) -> str:
    """`metalift_invoke` in C++ for one of several overloads, chosen by the types that the source spells."""
    arguments = passed(fragment)
    types = [re.sub(r"\brestrict\b", "", argument.c_type) for argument in arguments]
    name = _reachable(fragment.name)
    declared = with_unused(fragment, (f"std_declval<{type_}>()" for type_ in types), lambda at: "nullptr")
    made = special_call(fragment)
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


def special_call(fragment: Fragment) -> str | None:
    """How a constructor or destructor is called for the object a0, for they have no address; None where it is neither."""
    *_, owner, name = ["", "", *_reachable(fragment.name).split("::")]
    arguments = passed(fragment)
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
    for number, argument in enumerate(arguments_of(fragment)):
        name = object_name(argument, "a", number)
        type_ = types[number] if argument.variable is None else ""  # variables come last
        if argument.is_object:
            lines += _object_cpp(argument, name, type_)
            after += _object_back_cpp(argument, name)
            if not argument.is_self and argument.variable is None:
                args.append(f"&{name}" if argument.by_pointer and not argument.is_array else name)
            continue
        [(at, param)] = argument.parts
        if param.into:
            args.append(f"({type_})({_slot(fragment, param.into)}.get() + *(__INT64_TYPE__ *)data[{at}])")
            continue
        plain = f"typename {_OURS}plain<{type_} >::type"
        if _has_texts(param):
            lines.append(_laid(name, param))
            lines.append(f"{_OURS}laid_slot<{plain}> {name}(data[{at}], lengths + {RANK * at}, {name}_parts);")
        else:
            vector = param.kind in (ParamKind.VECTOR, ParamKind.VECTOR_REF)
            slot = f"slot_of<{plain}, {param.rank}>" if vector else f"slot<{plain}>"  # a string may be one of its characters
            lines.append(f"{_OURS}{slot} {name}(data[{at}], lengths + {RANK * at});")
        args.append(f"{name}.get()")
        if param.kind is ParamKind.VECTOR_REF:
            after.append(f"{name}.back(data + {at}, lengths + {RANK * at});")
        elif param.kind is ParamKind.POINTER:
            after.append(f"{name}.store(data[{at}], lengths + {RANK * at});")
    of_object = ["this" for each in passed(fragment)[:1] if each.is_self]
    args = with_unused(fragment, [*of_object, *args], lambda at: "nullptr")[len(of_object) :]
    call = f"METALIFT_TIMED({function}({', '.join(args)}))"
    lines += [*_results_cpp(fragment, call, result), *after]
    return "\n".join(["{", *(f"    {line}" for line in lines), "}"])


def _slot(fragment: Fragment, name: str) -> str:
    """What the wrapper calls the array of that name."""
    named = enumerate(arguments_of(fragment))
    return next(object_name(each, "a", at) for at, each in named if not each.is_object and each.parts[0][1].var.name == name)


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


def _numbers(fragment: Fragment, items: tuple[Type, ...]) -> tuple[str, int]:
    """Where the scalars of a struct are and their sizes, and its own size."""
    offsets, size = layout_of(fragment, items) if items else ([], 0)
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
            numbers, size = _numbers(fragment, values)
            lines = [_laid("key", fragment.key), numbers]
            return [*lines, f"{_OURS}entries<{plain}, {size}>::put({call}, {place}, key_parts, numbers);"]
        case None:
            return [f"{call};"]
        case TupleType(items) if not any(isinstance(item, TensorType) for item in items):
            numbers, size = _numbers(fragment, items)
            return [numbers, f"{_OURS}several<{plain}, {size}>::put({call}, {place}, numbers.places, numbers.count);"]
        case TupleType(items) if fragment.layout:
            return [f"auto metalift_result = {call};", *taken_apart(fragment, items, "metalift_result", count)]
        case TensorType(IntType(of, fields)) if fields:
            lines = [f"auto &&made = {call};", f"{_OURS}size count = static_cast<{_OURS}size>(made.size());"]
            for at, (name, _) in enumerate(fields):
                part = f"std::get<{at}>(made[k])" if of == "tuple" else f"made[k].{name}"
                place = f"data + {count + at}, lengths + {RANK * (count + at)}"
                lines.append(f"data[{count + at}] = 0; lengths[{RANK * (count + at)}] = 0;")
                each = f"for ({_OURS}size k = 0; k < count; k++)"
                lines.append(f"{each} {_OURS}entries<{plain}, 1>::fill({place}, k, count, {part});")
            return lines
        case _ if fragment.place:
            found = f"metalift_result ? metalift_result - ({result}){_slot(fragment, fragment.place)}.get() : -1"
            return [f"auto metalift_result = {call};", f"*(__INT64_TYPE__ *)data[{count}] = {found};"]
        case _:
            return [f"{_OURS}result<{plain}>::put({call}, {place});"]


def _object_cpp(argument: Argument, name: str, type_: str) -> list[str]:
    """An object with its fields, and those that pointers in it lead to. No constructor or destructor of it is run."""

    def plain(text: str) -> str:
        return f"typename {_OURS}object<typename {_OURS}plain<{text}>::type>::type"

    def put(member: str, at: int, size: str) -> str:
        return f"{_OURS}set_field({member}, data + {at}, lengths + {RANK * at}, {size});"

    def pointed(pointer: str) -> str:
        return plain(f"decltype({pointer})")

    return object_lines(argument, name, plain(f"{type_} "), pointed, _storage_cpp, put, f"{_OURS}room")


def _object_back_cpp(argument: Argument, name: str) -> list[str]:
    """What the function may have changed in the object, put where it came from."""
    lines = []
    for at, param, access in fields_of(argument):
        if in_array(access):
            lines.append(spread(argument, name, access, at, bytes_of(at, param), True))
        elif param.kind in (ParamKind.POINTER, ParamKind.VECTOR_REF):
            changed = "true" if param.kind is ParamKind.VECTOR_REF else "false"
            slot = f"data + {at}, lengths + {RANK * at}, {bytes_of(at, param)}, {changed}"
            lines.append(f"{_OURS}field_back({argument.inside(name, access)}, {slot});")
    return lines


def _storage_cpp(type_: str, name: str) -> list[str]:
    return [
        f"typedef {type_} {name}_type;",
        f"static char {name}bytes_of[sizeof({name}_type)] __attribute__((aligned(64)));",
        f"__builtin_memset({name}bytes_of, 0, sizeof {name}bytes_of);",
        f"{name}_type &{name} = *reinterpret_cast<{name}_type *>({name}bytes_of);",
    ]
