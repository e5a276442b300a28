"""Runs the text of a pipeline, packet by packet, and refuses text that no pipeline could run.

It knows nothing of how the text was made. The text is one `control` with its parameters (`in` and `inout` fields of the packet,
`register` arrays), stages in order, and a deparser:

    control meter(
        register bit<32> s_bytes,
        in bit<32> p_length,
        inout bit<32> p_mark
    ) {
        stage 1 {
            read_add_write(s_bytes[0] as bytes, out old) {
                bytes = bytes + p_length;
            }
        }
        stage 2 {
            bool meta_1 = 32w1000 < bytes_old;
        }
        deparser {
            p_mark = (bit<32>) meta_1;
        }
    }

Before it, hash units may be given, with expressions of whole numbers of any size: `unit hash2(a, b) = (bit<32>) (a * 31 + b);`.

A stage reads what the packet brought and what earlier stages made: nothing of its own stage, which runs all at once. A register
is in one atom of the whole pipeline, at one index. In an atom, the name of a cell on the right stands for what the cell held
before, so that the atom's statements run all at once too; afterwards `NAME_old` and `NAME_new` are what it held and holds.
"""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("pipeline_syntax", Path(__file__).with_name("syntax.py"))  # beside it, by itself
_syntax = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_syntax)
Parser, Refused, names_in, value, width = (getattr(_syntax, name) for name in ("Parser", "Refused", "names_in", "value", "width"))

FORMS = {  # of each atom: how many cells it keeps, how deep its ifs are below a gate, and whether it has else, minus, a gate
    "read": (1, 0, False, False, False),
    "read_write": (1, 0, False, False, False),
    "read_add_write": (1, 0, False, False, False),
    "predicated": (1, 1, False, False, False),
    "if_else": (1, 1, True, False, False),
    "subtract": (1, 1, True, True, False),
    "nested_ifs": (1, 2, True, True, False),
    "paired": (2, 2, True, True, True),
}
FIELDS = 4  # that an atom on registers takes
STAGES = 32


class Pipeline:
    """A pipeline, checked once; `run` sends a packet through."""

    def __init__(self, text, called):
        name, self.params, self.stages, self.deparser = Parser(text).control()
        if name != called:
            raise Refused(f"it is called {name}, not {called}")
        self.widths = {field: bits for role, bits, field in self.params if role != "register"}
        self.registers = {field: bits for role, bits, field in self.params if role == "register"}
        self.returned = [item for item in self.deparser if item[0] == "return"]
        self.changed = [field for role, _, field in self.params if role == "inout"]
        self.written = set()
        self.used = set()
        for number, items in self.stages:
            if not 1 <= number <= STAGES:
                raise Refused(f"there is no stage {number}")
            made = {}
            for item in items:
                made.update(self.checked(item))
            self.widths.update(made)
        for item in self.deparser:
            if item[0] == "assign" and item[1] not in self.changed:
                raise Refused(f"{item[1]} is not inout")
            if width(item[-1], self.widths) != (self.widths[item[1]] if item[0] == "assign" else width(item[-1], self.widths)):
                raise Refused(f"{item[1]} has another width")

    def checked(self, item):
        """What an item of a stage makes, with the width of each."""
        if item[0] == "declare":
            _, bits, name, expr = item
            if width(expr, self.widths) != bits or name in self.widths:
                raise Refused(f"{name} is declared before, or with another width")
            return {name: bits}
        if item[0] != "atom":
            raise Refused(f"{item[0]} in a stage")
        _, kind, cells, statements = item
        if kind not in FORMS:
            raise Refused(f"there is no atom {kind}")
        own = {}
        made = {}
        for register, index, name, outputs in cells:
            if register not in self.registers or register in self.used:
                raise Refused(f"{register} is no register, or in another atom too")
            self.used.add(register)
            width(index, self.widths)
            own[name] = self.registers[register]
            made.update({f"{name}_{which}": own[name] for which in outputs})
        self.form(kind, cells, statements, own)
        if statements:
            self.written.update(register for register, _, _, _ in cells)
        return made

    def form(self, kind, cells, statements, own):
        """Whether an atom of that kind can run the statements."""
        keeps, depth, otherwise, subtracts, gated = FORMS[kind]
        widths = {**self.widths, **own}
        read = set()

        def go(items, left):
            for item in items:
                if item[0] == "assign":
                    if item[1] not in own or width(item[2], widths) != own[item[1]]:
                        raise Refused(f"{item[1]} is no cell of the atom, or has another width")
                    self.leaf(kind, item[2], own, subtracts)
                    read.update(names_in(item[2]))
                    continue
                if left == 0 or width(item[1], widths) != 1 or (item[3] and not otherwise):
                    raise Refused(f"{kind} has no such if")
                read.update(names_in(item[1]))
                go(item[2], left - 1)
                go(item[3], left - 1)

        for item in statements:
            if gated and item[0] == "if" and self.is_gate(item[1]):
                go([item], depth + 1)
            else:
                go([item], depth)
        if len(cells) > keeps or len(statements) > len(cells) or (kind == "read" and statements):
            raise Refused(f"{kind} does one thing with each of its cells")
        if len(read - set(own)) > FIELDS:
            raise Refused(f"{kind} takes at most {FIELDS} fields")

    def is_gate(self, cond):
        """Whether a condition is a flag of the packet, or that it is not set."""
        return (cond[1] if cond[0] == "!" else cond)[0] == "name"

    def leaf(self, kind, expr, own, subtracts):
        """What a cell becomes: a field, a literal, or the cell and one of these."""
        simple = ("name", "literal")
        if expr[0] in simple:
            return
        if kind == "read_write" or expr[0] not in ("+", "-") or (expr[0] == "-" and not subtracts):
            raise Refused(f"{kind} does not compute {expr[0]}")
        if expr[1][0] not in simple or expr[2][0] not in simple or not names_in(expr) & set(own):
            raise Refused(f"{kind} adds a field or a literal to its cell")

    def run(self, *args):
        """One packet: arrays are changed in place, and returned after the result."""
        env, registers, fields = {}, {}, {}
        for (role, _, name), arg in zip(self.params, args, strict=True):
            if role == "register":
                registers[name] = arg
            elif isinstance(arg, list):
                fields[name] = arg
                env[name] = int(arg[0])
            else:
                env[name] = int(arg)
        for _, items in self.stages:
            made = {}
            for item in items:
                made.update(self.step(item, env, registers))
            env.update(made)
        result = [value(item[1], env, self.widths) for item in self.returned]
        for item in self.deparser:
            if item[0] == "assign":
                fields[item[1]][0] = value(item[2], env, self.widths)
        changed = [
            arg for (_, _, name), arg in zip(self.params, args, strict=True) if name in self.written or name in self.changed
        ]
        answer = (*result, *changed)
        return answer[0] if len(answer) == 1 else answer if answer else None

    def step(self, item, env, registers):
        """What an item makes of what was there before its stage."""
        if item[0] == "declare":
            return {item[2]: value(item[3], env, self.widths)}
        _, _, cells, statements = item
        places = [(registers[register], value(index, env, self.widths)) for register, index, _, _ in cells]
        before = {name: array[at] for (array, at), (_, _, name, _) in zip(places, cells, strict=True)}
        widths = {**self.widths, **{name: self.registers[register] for register, _, name, _ in cells}}
        after = dict(before)
        self.change(statements, {**env, **before}, after, widths)
        made = {}
        for (array, at), (_, _, name, _) in zip(places, cells, strict=True):
            array[at] = after[name]
            made.update({f"{name}_old": before[name], f"{name}_new": after[name]})
        return made

    def change(self, statements, env, after, widths):
        """Run the statements of an atom."""
        for item in statements:
            if item[0] == "assign":
                after[item[1]] = value(item[2], env, widths)
            else:
                self.change(item[2] if value(item[1], env, widths) else item[3], env, after, widths)


def load(path, function):
    """The pipeline in a file, as a Python function of its parameters in order."""
    with open(path, encoding="utf-8") as file:
        return Pipeline(file.read(), function).run
