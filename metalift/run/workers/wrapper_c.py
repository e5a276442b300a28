"""How a wrapper calls a function of C."""

from __future__ import annotations

import re

from metalift.ir.expr.types import TensorType, TupleType, Type
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.run.workers.compiled import BYTES, RANK
from metalift.run.workers.jobs import NotRunnable, dtype
from metalift.run.workers.wrapped_arguments import (
    Argument,
    arguments_of,
    bytes_of,
    fields_of,
    in_array,
    leave,
    object_lines,
    object_name,
    position_of,
    spread,
    taken_apart,
    with_unused,
)


def call_c(fragment: Fragment) -> str:
    """`metalift_invoke` in C: a pointer converts by itself, a scalar is read by its own type."""
    before: list[str] = []
    args: list[str] = []
    after: list[str] = []
    for number, argument in enumerate(arguments_of(fragment)):
        if argument.is_object:
            name = object_name(argument, "object", number)
            before += _object_c(argument, name)
            back = f"(*({argument.c_type} *)metalift_left{number})" if argument.is_left else name
            for at, p, access in (each for each in fields_of(argument) if each[1].kind is ParamKind.POINTER):
                if in_array(access):
                    after.append(spread(argument, name, access, at, bytes_of(at, p), True))
                else:
                    after.append(f"METALIFT_BACK({argument.inside(back, access)}, {at}, {bytes_of(at, p)});")
            if argument.variable is None:
                args.append(f"&{name}" if argument.by_pointer and not argument.is_array else name)
        else:
            args.append(_argument_c(fragment, *argument.parts[0]))
    args = with_unused(fragment, args, lambda at: "0")
    timed = "METALIFT_TIMED_VOID" if fragment.result is None else "METALIFT_TIMED"
    calls = _results_c(fragment, f"{timed}({fragment.name}({', '.join(args)}))")
    lines = ["{", "    (void)data; (void)lengths;", *(f"    {line}" for line in (*before, *calls, *after)), "}"]
    return "\n".join([*_left_lines(fragment), "static void metalift_invoke(void **data, __INT64_TYPE__ *lengths)", *lines])


def _left_lines(fragment: Fragment) -> list[str]:
    """For each struct whose last contents are results memory for them, and a function that keeps them, called by the build."""
    lines: list[str] = []
    for number, argument in enumerate(arguments_of(fragment)):
        if argument.is_left:
            name = f"metalift_left{number}"
            copied = f"__builtin_memcpy({name}, from, sizeof {name});"
            lines.append(f"static char {name}[sizeof({argument.c_type})] __attribute__((aligned(64)));")
            lines.append(f"__attribute__((used)) void {leave(number)}(void *from) {{ {copied} }}")
    return lines


def _results_c(fragment: Fragment, call: str) -> list[str]:
    """The call, with what it returns put into the slots behind the arguments."""
    count = len(fragment.arguments)
    match fragment.result:
        case None:
            return [f"{call};"]
        case TensorType(element):
            lines = [f"void *result = (void *){call};", f"data[{count}] = result;"]
            return [*lines, f"lengths[{RANK * count}] = metalift_allocated(result) / {BYTES[dtype(element)]};"]
        case TupleType(items):
            return [f"__auto_type result = {call};", *taken_apart(fragment, items, "result", count)]
        case _ if fragment.place:
            first = position_of(fragment, fragment.place)
            found = f"metalift_result ? metalift_result - (__typeof__(metalift_result))data[{first}] : -1"
            return [f"__auto_type metalift_result = {call};", f"*(__INT64_TYPE__ *)data[{count}] = {found};"]
        case scalar:
            return [f"*({_c_type(scalar)} *)data[{count}] = {call};"]


def _argument_c(fragment: Fragment, position: int, param: Param) -> str:
    match param.kind:
        case ParamKind.POINTER:
            return f"data[{position}]"
        case ParamKind.VALUE if param.into:
            first = position_of(fragment, param.into)
            return f"(({param.c_type})data[{first}] + *(__INT64_TYPE__ *)data[{position}])"
        case ParamKind.VALUE:
            return f"*({_c_type(param.var.type)} *)data[{position}]"
        case _:
            raise NotRunnable(f"parameter {param.var.name} is a {param.kind.value}, which C does not have")


def _object_c(argument: Argument, name: str) -> list[str]:
    """An object with its fields, and those that pointers in it lead to; their bytes are kept as such, which may be const."""
    spelled = re.sub(r"\b(const|volatile|restrict|__restrict|__restrict__)\b", "", argument.c_type).strip()
    kind = f"__typeof__(*({spelled})0)" if argument.by_pointer else spelled

    def put(member: str, at: int, size: str) -> str:
        return f"METALIFT_SET({member}, {at}, {size});"

    def pointed(pointer: str) -> str:
        return f"__typeof__(*{pointer})"

    return object_lines(argument, name, f"__typeof__({kind})", pointed, _storage_c, put, "METALIFT_ROOM")


def _storage_c(type_: str, name: str) -> list[str]:
    return [
        f"static char {name}bytes_of[sizeof({type_})] __attribute__((aligned(64)));",
        f"__builtin_memset({name}bytes_of, 0, sizeof {name}bytes_of);",
        f"#define {name} (*({type_} *){name}bytes_of)",
    ]


def _c_type(type_: Type) -> str:
    name = dtype(type_)
    fixed = {"bool": "_Bool", "f32": "float", "f64": "double"}
    if name == "int":
        raise NotRunnable("compiled code has no integers without bound")
    return fixed.get(name) or f"__{'U' if name[0] == 'u' else ''}INT{name[1:]}_TYPE__"
