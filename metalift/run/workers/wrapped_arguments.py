"""The parameters of a function as its source has them, and the objects that a wrapper makes of structs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from metalift.ir.expr.types import TensorType, Type
from metalift.ir.program.fragment import ELEMENT, Fragment, Param, Variable
from metalift.run.workers.compiled import BYTES, RANK
from metalift.run.workers.jobs import NotRunnable, dtype

POINTER = 8  # bytes


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter as the source has it: the fragment's parameter with its position, or those of an object's fields."""

    parts: tuple[tuple[int, Param], ...]

    @property
    def is_object(self) -> bool:
        """Whether the source's parameter is a struct."""
        return self.parts[0][1].field is not None

    @property
    def variable(self) -> Variable | None:
        """The global variable that it is, which is not passed."""
        param = self.parts[0][1]
        return None if param.field is None else param.field.variable

    @property
    def is_left(self) -> bool:
        """Whether what the function leaves in its own copy is a result."""
        param = self.parts[0][1]
        return param.field is not None and param.field.left

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
        return param.field is not None and self.variable is None and param.field.access.startswith(("->", ELEMENT))

    @property
    def is_array(self) -> bool:
        """Whether it is an array of structs."""
        param = self.parts[0][1]
        return param.field is not None and self.variable is None and param.field.access.startswith(ELEMENT)

    def inside(self, name: str, access: str) -> str:
        """The member of the object of that name; of an array of objects, of the first one."""
        member = access.replace(ELEMENT, "[0]")
        return f"(*{name}()){member}" if self.variable is not None else f"{name}{re.sub('^->', '.', member)}"


def arguments_of(fragment: Fragment) -> list[Argument]:
    """The source's parameters, in order, and the variables that it uses."""
    found: list[Argument] = []
    objects: dict[tuple[str, Variable | None], int] = {}
    for position, param in enumerate(fragment.arguments):
        own = (position, param)
        if param.field is None:
            found.append(Argument((own,)))
        elif (key := (param.field.parameter, param.field.variable)) in objects:
            at = objects[key]
            found[at] = Argument((*found[at].parts, own))
        else:
            objects[key] = len(found)
            found.append(Argument((own,)))
    return found


def with_unused(fragment: Fragment, given: Iterable[str], spelled: Callable[[int], str]) -> list[str]:
    """What is said of each parameter that is passed, and at their places that of the pointers that nothing uses."""
    found = list(given)
    for position in fragment.unused:
        found.insert(position, spelled(position))
    return found


def position_of(fragment: Fragment, name: str) -> int:
    """Which argument has that name."""
    return next(at for at, each in enumerate(fragment.arguments) if each.var.name == name)


def passed(fragment: Fragment) -> list[Argument]:
    """Those that are passed."""
    return [argument for argument in arguments_of(fragment) if argument.variable is None]


def layout_of(fragment: Fragment, items: tuple[Type, ...]) -> tuple[list[int], int]:
    """Where scalars and pointers are in the struct that a function returns, and its size: as the source says, or one after the
    other.
    """
    if len(fragment.layout) == len(items) + 1:
        return list(fragment.layout[:-1]), fragment.layout[-1]
    offsets: list[int] = []
    end = 0
    sizes = [POINTER if isinstance(item, TensorType) else BYTES[dtype(item)] for item in items]
    for size in sizes:
        offsets.append(-(-end // size) * size)
        end = offsets[-1] + size
    return offsets, -(-end // max(sizes)) * max(sizes)


def taken_apart(fragment: Fragment, items: tuple[Type, ...], result: str, first: int) -> list[str]:
    """Lines that put what a struct holds into the slots from `first` on; of a pointer, the memory that was allocated for it."""
    offsets, whole = layout_of(fragment, items)
    lines = [f"enum {{ metalift_size = 1 / (sizeof({result}) == {whole}) }};"]  # does not compile where it is another struct
    for at, (offset, item) in enumerate(zip(offsets, items, strict=True), first):
        size = BYTES[dtype(item)]
        if isinstance(item, TensorType):
            lines.append(f"__builtin_memcpy(&data[{at}], (const char *)&{result} + {offset}, {POINTER});")
            lines.append(f"lengths[{RANK * at}] = metalift_allocated(data[{at}]) / {size};")
        else:
            lines.append(f"__builtin_memcpy(data[{at}], (const char *)&{result} + {offset}, {size});")
    return lines


# Structs by value whose last contents are results


def leave(number: int) -> str:
    """The function that keeps the contents of an argument when the source's function returns."""
    return f"metalift_leave{number}"


def leaving(text: str, fragment: Fragment) -> str:
    """LLVM's text of a module in which the function calls these before it returns."""
    calls = [
        f"  call void @{leave(number)}(ptr %{argument.parts[0][1].field.parameter})"
        for number, argument in enumerate(arguments_of(fragment))
        if argument.is_left and argument.parts[0][1].field is not None
    ]
    start = re.search(rf'^define [^\n]*@"?{re.escape(fragment.symbol)}"?\([^\n]*\n', text, re.MULTILINE)
    if start is None:
        raise NotRunnable(f"the function {fragment.symbol} was not found")
    end = text.index("\n}", start.end())
    body = re.sub(r"^  ret ", "\n".join([*calls, "  ret "]), text[start.end() : end], flags=re.MULTILINE)
    return text[: start.end()] + body + text[end:]


# Variables


def object_name(argument: Argument, name: str, number: int) -> str:
    """A name for the object that an argument is, and the beginning of those for what pointers in it lead to."""
    return f"{name}{number}" if argument.variable is None else f"metalift_variable{number}"


def variable_lines(fragment: Fragment) -> list[str]:
    """A function for each variable that gives its address, where no parameter or local variable hides the variable's name.

    What no function can name is declared anew with its linker name; what another file defines gets memory of that name.
    """
    lines: list[str] = []
    for number, argument in enumerate(arguments_of(fragment)):
        variable = argument.variable
        if variable is None:
            continue
        name, label = object_name(argument, "", number), f'__asm__("{variable.symbol}")'
        spelled = f"::{variable.name}" if "::" in variable.name else variable.name
        if variable.local:
            if re.search(r"\.\d+\Z", variable.symbol):  # a number that depends on what else the compiler has seen
                raise NotRunnable(f"the function has two static variables {variable.name}; rename one of them")
            spelled = f"{name}_outside"
            lines.append(f"extern __typeof__({argument.c_type}) {spelled} {label};")
        if variable.external:
            reached = '__attribute__((visibility("default"), aligned(64), used))'
            lines.append(f"char {name}_memory[sizeof({spelled})] {label} {reached};")
        lines.append(f"static __typeof__({spelled}) *{name}(void) {{ return &{spelled}; }}")
    return lines


# Objects


def _pointers(argument: Argument) -> dict[str, None]:
    """The parts of accesses that are pointers to further objects, outer ones first: `.inner` of `.inner->vals`."""
    found: dict[str, None] = {}
    for _, _, access in fields_of(argument):
        for arrow in re.finditer(rf"->|{re.escape(ELEMENT)}", access):
            if arrow.start() > 0 or argument.variable is not None:
                found.setdefault(access[: arrow.start()])
    return dict.fromkeys(sorted(found, key=len))


def _fixed_elements(argument: Argument) -> dict[str, int]:
    """The members of which elements at known places are used, and how many elements they have at least."""
    found: dict[str, int] = {}
    for _, _, access in fields_of(argument):
        if element := re.search(r"\[(\d+)\]\Z", access):
            pointer = access[: element.start()]
            found[pointer] = max(found.get(pointer, 0), int(element[1]) + 1)
    return found


def in_array(access: str) -> bool:
    """Whether a member is one of an array of objects."""
    return ELEMENT in access


def spread(argument: Argument, name: str, access: str, at: int, size: str, back: bool) -> str:
    """The copy between a buffer and a member of all objects of an array."""
    member = argument.inside(name, access)
    first = argument.inside(name, access[: access.index(ELEMENT) + len(ELEMENT)])
    sizes = f"sizeof({first}), (char *)&({member}) - (char *)&({first}), sizeof({member})"
    return f"metalift_spread((char *)&({first}), {sizes}, (char *)data[{at}], {size}, {int(back)});"


def _elements(name: str, type_: str, parts: Iterable[tuple[int, Param, str]]) -> list[str]:
    """An array of objects as long as its members' buffers need; `parts` have the accesses from its first element."""
    lines = [f"typedef {type_} {name}_type;", f"static void *{name}_memory;", f"__SIZE_TYPE__ {name}_count = 1;"]
    for at, param, access in parts:
        item = f"sizeof((({name}_type *)0){re.sub('^[.]', '->', access)})"
        lines.append(f"{name}_count = metalift_longer({name}_count, {bytes_of(at, param)}, {item});")
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


def fields_of(argument: Argument) -> Iterator[tuple[int, Param, str]]:
    for position, param in argument.parts:
        assert param.field is not None
        yield position, param, param.field.access


def bytes_of(position: int, param: Param) -> str:
    """The size of the buffer, as text; of rows, that of the pointers to them."""
    size = BYTES[dtype(param.var.type)] if param.rank < 2 else 8
    return f"{size} * lengths[{RANK * position}]" if isinstance(param.var.type, TensorType) else str(size)


def object_lines(
    argument: Argument,
    name: str,
    type_: str,
    pointed: Callable[[str], str],
    storage: Callable[[str, str], list[str]],
    put: Callable[[str, int, str], str],
    room: str,
) -> list[str]:
    """An object with its fields, and those that pointers in it lead to, as a language spells it.

    `pointed` is the type that a pointer points to, `storage` the memory of one object, `put` the copy of a buffer to a member,
    `room` what lets a member that is a pointer, not an array, point to memory.
    """
    parts = list(fields_of(argument))
    lines: list[str] = []
    if argument.variable is None:
        lines = _elements(name, type_, _of_array(parts, "")) if argument.is_array else storage(type_, name)
    for number, access in enumerate(_pointers(argument)):
        inner, pointer = f"{name}_{number}", argument.inside(name, access)
        several = _of_array(parts, access)
        lines += _elements(inner, pointed(pointer), several) if several else storage(pointed(pointer), inner)
        address = f"(void *){inner}" if several else f"&{inner}"
        lines.append(f"{{ void *address = {address}; __builtin_memcpy((void *)&({pointer}), &address, sizeof address); }}")
    for number, (access, count) in enumerate(_fixed_elements(argument).items()):
        pointer, memory = argument.inside(name, access), f"{name}_room{number}"
        lines.append(f"static char {memory}[sizeof(({pointer})[0]) * {count}] __attribute__((aligned(64)));")
        lines.append(f"{room}({pointer}, {memory});")
    for at, param, access in parts:
        size = bytes_of(at, param)
        if in_array(access):
            lines.append(spread(argument, name, access, at, size, False))
        else:
            lines.append(put(argument.inside(name, access), at, size))
    return lines
