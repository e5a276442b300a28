"""A pipeline of a programmable switch: stateless atoms on packet fields, and atoms that each keep a state variable.

All words wrap at their width; those with a sign are in two's complement. In the parameters of a stateful atom `s` is its cell,
`t` the cell that a paired atom keeps beside it, `test` a comparison and `how` what the cell becomes; flags and words are packet
fields, results of earlier stages, or constants.
"""

from __future__ import annotations

from metalift.driver import Bool, Driver, Int, Layout, Size, Target, UInt32, exact, trunc_rem, word
from metalift.ir.expr.types import BOOL, MachineInt, TensorType
from metalift.ir.program.fragment import Fragment

__all__ = ["driver", "state"]


def state(fragment: Fragment) -> list[str]:
    """The arrays that last from packet to packet: all but those in the packet, which is the last struct that is passed."""
    fields = [param.field for param in fragment.params if param.field is not None and param.field.variable is None]
    return [
        param.var.name
        for param in fragment.params
        if isinstance(param.var.type, TensorType)
        and (param.field is None or param.field.variable is not None or param.field.parameter != fields[-1].parameter)
    ]


switch = Target(
    "switch",
    dtypes={BOOL: "bool", **{MachineInt(bits, sign): "int" for bits in (8, 16, 32) for sign in (False, True)}},  # as simulated
    layout=Layout(array_type="list", array="{value}", clone="{x}.copy()", plain="{x}", shared=False),
    numbers=True,
    language="P4-like",
    suffix=".p4",
    keeps=state,
)
driver: Driver = Driver("packet", targets=(switch,), leaves=True)

# Stateless atoms


@driver.define(holes={"op": 5})
def arithmetic(op: Size, a: Int, b: Int) -> Int:
    if op == 0:
        return word(exact(a) + exact(b))
    if op == 1:
        return word(exact(a) - exact(b))
    if op == 2:
        return a & b
    if op == 3:
        return a | b
    return a ^ b


@driver.define(holes={"op": 4})
def relational(op: Size, a: Int, b: Int) -> Bool:
    if op == 0:
        return a < b
    if op == 1:
        return a <= b
    if op == 2:
        return a == b
    return a != b


@driver.define(holes={"op": 2})
def logical(op: Size, p: Bool, q: Bool) -> Bool:
    if op == 0:
        return p and q
    return p or q


@driver.define
def negation(p: Bool) -> Bool:
    return not p


@driver.define(holes={})
def conditional(flag: Bool, a: Int, b: Int) -> Int:
    return a if flag else b


@driver.define(plain=("n",), requires=lambda n: n > 0)
def modulo(a: Int, n: Int) -> Int:
    return trunc_rem(a, n)


# Stateful atoms


def compared(test: int, s: int, x: int, flag: bool) -> bool:
    """What decides in a stateful atom: a packet's flag, or the cell beside a word; the last choice is always."""
    if test == 0:
        return flag
    if test == 1:
        return s < x
    if test == 2:
        return x < s
    if test == 3:
        return s <= x
    if test == 4:
        return x <= s
    if test == 5:
        return s == x
    if test == 6:
        return s != x
    return True


def added(how: int, s: int, x: int) -> int:
    """The cell as it is, a word in its place, or their sum."""
    if how == 0:
        return exact(s)
    if how == 1:
        return exact(x)
    return exact(s) + exact(x)


def changed(how: int, s: int, x: int) -> int:
    """What `added` gives, or the cell less a word."""
    if how == 0:
        return exact(s)
    if how == 1:
        return exact(x)
    if how == 2:
        return exact(s) + exact(x)
    return exact(s) - exact(x)


@driver.define(holds=("s",), cost=1)
def read_write(s: Int, x: Int) -> Int:
    return x


@driver.define(holds=("s",), holes={"how": 3}, cost=2)
def read_add_write(s: Int, how: Size, x: Int) -> Int:
    return word(added(how, s, x))


@driver.define(holds=("s",), holes={"test": 7, "how": 3}, cost=3)
def predicated(s: Int, test: Size, a: Int, flag: Bool, how: Size, x: Int) -> Int:
    return word(added(how, s, x) if compared(test, s, a, flag) else exact(s))


@driver.define(holds=("s",), holes={"test": 7, "how_1": 3, "how_2": 3}, cost=4)
def if_else(s: Int, test: Size, a: Int, flag: Bool, how_1: Size, x_1: Int, how_2: Size, x_2: Int) -> Int:
    return word(added(how_1, s, x_1) if compared(test, s, a, flag) else added(how_2, s, x_2))


@driver.define(holds=("s",), holes={"test": 7, "how_1": 4, "how_2": 4}, cost=5)
def subtract(s: Int, test: Size, a: Int, flag: Bool, how_1: Size, x_1: Int, how_2: Size, x_2: Int) -> Int:
    return word(changed(how_1, s, x_1) if compared(test, s, a, flag) else changed(how_2, s, x_2))


@driver.define(
    holds=("s",),
    holes={"test": 7, "test_1": 8, "test_2": 8, "how_1": 4, "how_2": 4, "how_3": 4, "how_4": 4},
    cost=8,
)
def nested_ifs(
    s: Int,
    test: Size, a: Int, flag: Bool,
    test_1: Size, a_1: Int, flag_1: Bool,
    how_1: Size, x_1: Int, how_2: Size, x_2: Int,
    test_2: Size, a_2: Int, flag_2: Bool,
    how_3: Size, x_3: Int, how_4: Size, x_4: Int,
) -> Int:  # fmt: skip
    if compared(test, s, a, flag):
        return word(changed(how_1, s, x_1) if compared(test_1, s, a_1, flag_1) else changed(how_2, s, x_2))
    return word(changed(how_3, s, x_3) if compared(test_2, s, a_2, flag_2) else changed(how_4, s, x_4))


def either(test: int, of: int, s: int, t: int, x: int, flag: bool) -> bool:
    """A comparison of one of two cells."""
    return compared(test, s, x, flag) if of == 0 else compared(test, t, x, flag)


@driver.define(
    holds=("s", "t"),
    holes={
        "gate": 2, "test": 7, "test_1": 8, "test_2": 8, "of": 2, "of_1": 2, "of_2": 2,
        "how": 4, "how_1": 4, "how_2": 4, "how_3": 4, "how_4": 4,
    },
    cost=12,
)  # fmt: skip
def paired(
    s: Int, t: Int,
    gate: Size, opened: Bool, how: Size, x: Int,
    test: Size, of: Size, a: Int, flag: Bool,
    test_1: Size, of_1: Size, a_1: Int, flag_1: Bool,
    how_1: Size, x_1: Int, how_2: Size, x_2: Int,
    test_2: Size, of_2: Size, a_2: Int, flag_2: Bool,
    how_3: Size, x_3: Int, how_4: Size, x_4: Int,
) -> Int:  # fmt: skip
    if opened if gate == 0 else False:
        return word(changed(how, s, x))
    if either(test, of, s, t, a, flag):
        return word(changed(how_1, s, x_1) if either(test_1, of_1, s, t, a_1, flag_1) else changed(how_2, s, x_2))
    return word(changed(how_3, s, x_3) if either(test_2, of_2, s, t, a_2, flag_2) else changed(how_4, s, x_4))


# Hash units: the source's functions of these names


@driver.uninterpreted()
def hash2(a: UInt32, b: UInt32) -> UInt32: ...  # type: ignore[empty-body]


@driver.uninterpreted()
def hash3(a: UInt32, b: UInt32, c: UInt32) -> UInt32: ...  # type: ignore[empty-body]


@driver.uninterpreted()
def hash5(a: UInt32, b: UInt32, c: UInt32, d: UInt32, e: UInt32) -> UInt32: ...  # type: ignore[empty-body]
