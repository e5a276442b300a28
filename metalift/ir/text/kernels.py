"""The text of kernels on tiles: `show_kernel` writes it, `parse_kernel` reads it back.

    machine rows 128 work 180224 sums 16384 bank 512 exact 16777216 columns 0
    assume int(n) <= 4096
    size width_0 = (int(n) + 127) // 128 from 1 to 2048
    output [i < int(n)] = multiply:f32[](x, x)
    for t_1 < (int(n) + 127) // 128:
      make x_2: f32[min(128, int(n) - 128 * t_1), 1] in sbuf
      load x_2 = [x[i] for i < int(n)] at [128 * t_1 + tile.p]
      ...

What is read is well formed and typed: FORMS says of each statement what stands in it, `_fits` which types go together. Whether it
computes anything is for obligations to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from metalift.ir.expr.nodes import Const, Var, integer, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, REAL, MachineInt, ScalarType, TensorType, Type, is_integer, show_type
from metalift.ir.expr.walk import free_vars
from metalift.ir.program import kernel as nodes
from metalift.ir.program.kernel import Cut, Fused, Idiom, Invariant, Kernel, Loop, Machine, Output, Size, Statement, Step, When
from metalift.ir.text import kernel_parts as parts
from metalift.ir.text.kernel_parts import Line, Part, Scope, listed, optional, typed
from metalift.ir.text.printer import show, show_binders, show_name, show_ranges
from metalift.ir.text.tokens import ParseError
from metalift.ir.wellformed.check import IllTyped, check, check_type

Form = tuple[type, tuple[str | tuple[str, Part], ...]]
LIMITS = ("rows", "work", "sums", "bank", "exact", "columns")  # of a machine
IDIOM = Part(str, lambda line: line.scope.idioms[line.entry(line.scope.idioms, "idiom")])
WITHIN = ("bound", optional("within", parts.INTEGER))
FORMS: dict[str, Form] = {
    "make": (nodes.Allocate, (("tile", parts.MADE),)),
    "load": (nodes.Load, (("tile", parts.TILE), "=", ("source", parts.VIEW), "at", ("index", listed(parts.AT)), WITHIN)),
    "store": (nodes.Store, (
        ("output", parts.OUTPUT), "at", ("index", listed(parts.AT)), "=", ("tile", parts.TILE), "by", ("inverse", parts.INVERSE),
        "where", ("owns", Part(lambda owns: show(owns, BOOL), lambda line: line.numbers(BOOL, parts.places_of(line)))),
    )),
    "map": (nodes.Map, (("tile", parts.TILE), "=", ("op", parts.NAME), ("operands", parts.OPERANDS))),
    "expand": (nodes.Expand, (("tile", parts.TILE), "=", ("idiom", IDIOM), ("operands", parts.OPERANDS))),
    "fill": (nodes.Fill, (("tile", parts.TILE), "=", ("value", parts.NUMBER))),
    "iota": (nodes.Iota, (("tile", parts.TILE), "=", ("first", typed(INT)), "step", ("step", parts.INTEGER))),
    "reduce": (nodes.Reduce, (("tile", parts.TILE), "=", ("op", parts.REDUCTION), ("source", parts.TILE), WITHIN)),
    "scan": (nodes.Scan, (
        ("tile", parts.TILE), "=", ("factor", parts.TILE), ",", ("source", parts.TILE), ",", ("initial", parts.TILE), WITHIN,
    )),
    "across": (nodes.Across, (("tile", parts.TILE), "=", ("op", parts.REDUCTION), ("source", parts.TILE))),
    "product": (nodes.Product, (
        ("tile", parts.TILE), "=", ("stationary", parts.TILE), "*", ("moving", parts.TILE), ("by_rows", parts.flag("rows")),
        ("added", optional("added", typed(BOOL))),
    )),
    "name": (nodes.Named, (("let", parts.LET), "=", ("tile", parts.TILE))),
    "divided": (nodes.Divided, (
        ("size", typed(INT)), ",", ("number", parts.AT), ",", ("rest", parts.AT), "over", ("rows", typed(INT)), ",",
        ("columns", typed(INT)),
    )),
}  # fmt: skip
ZERO = integer(0)
WORDS = {cls: word for word, (cls, _) in FORMS.items()}
INVARIANT = (
    ("tile", parts.TILE), "=", ("begins", parts.VALUE), "then", ("after", parts.VALUE),
    ("magnitudes", optional("within", listed(typed(INT)))),
)  # fmt: skip


# Writing


def show_kernel(kernel: Kernel) -> str:
    """The text, a statement a line; bodies are indented."""
    idioms = list(dict.fromkeys(part.idiom for part in _all(kernel.body) if isinstance(part, nodes.Expand)))
    machine = kernel.machine
    limits = " ".join(f"{name} {getattr(machine, name)}" for name in LIMITS)
    lines = [f"machine {limits}{' stores sums' if machine.stores_sums else ''}"]
    lines += [f"domain {show_name(op)} from {END.show(low)} to {END.show(high)}" for op, low, high in machine.domains]
    for words, formula in kernel.ranges:
        text = show(formula, BOOL)
        lines.append(f"assume {text}" if words == text else f"assume {text} as `{words}`")
    for size in kernel.sizes:
        lines.append(f"size {show_name(size.var.name)} = {show(size.value, INT)} from {size.least} to {size.most}")
    for output in kernel.outputs:
        ranges = f" [{show_ranges(output.places, output.extents)}]" if output.places else ""
        lines.append(f"output{ranges} = {show(output.value)}")
    for number, idiom in enumerate(idioms):
        lines += [f"idiom {number} = {show_name(idiom.op)}({show_binders(idiom.params)}) -> {show_name(idiom.result.name)}"]
        lines += [f"  given {show(each, BOOL)}" for each in idiom.given]
        lines += [f"  {_step(each)}" for each in idiom.steps]
    return "\n".join((*lines, *_body(kernel.body, idioms, ""))) + "\n"


def _all(body: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in body:
        yield statement
        if isinstance(statement, Loop | When | Fused):
            yield from _all(statement.body)


def _step(step: Step | Cut) -> str:
    if isinstance(step, Cut):
        return f"cut {show(step.holds, BOOL)} keeping {listed(parts.NAME).show(var.name for var in step.kept)}"
    args = ", ".join(show(arg) for arg in step.args)
    return f"step {show_name(step.var.name)}: {show_type(step.var.type)} = {show_name(step.op)}({args})"


def _body(body: tuple[Statement, ...], idioms: list[Idiom], indent: str) -> Iterator[str]:
    for statement in body:
        match statement:
            case Loop(var, count, inner, invariants):
                yield f"{indent}for {show_name(var.name)} < {show(count, INT)}"
                yield from (f"{indent}  keep {_written(INVARIANT, each)}" for each in invariants)
                yield from _body(inner, idioms, indent + "  ")
            case When(cond, inner):
                yield f"{indent}when {show(cond, BOOL)}"
                yield from _body(inner, idioms, indent + "  ")
            case Fused(inner, kept):
                yield f"{indent}once keeping {kept}"
                yield from _body(inner, idioms, indent + "  ")
            case nodes.Expand(tile, idiom, operands):
                yield f"{indent}expand {show_name(tile)} = {idioms.index(idiom)} {parts.OPERANDS.show(operands)}"
            case _:
                word = WORDS[type(statement)]
                yield f"{indent}{word} {_written(FORMS[word][1], statement)}"


def _written(form: tuple[str | tuple[str, Part], ...], node: object) -> str:
    text = ""
    for part in form:
        shown = part if isinstance(part, str) else part[1].show(getattr(node, part[0]))
        text += shown if shown == "," or not text or not shown else f" {shown}"
    return text


# Reading


def parse_kernel(text: str, params: Mapping[str, Type], lets: Mapping[str, Type]) -> Kernel:
    """The kernel of a program with these parameters and intermediates. Raises ParseError, which says in which line."""
    reader = _Reader(text.removesuffix("\n").split("\n"), params, lets)
    try:
        return reader.kernel()
    except (ParseError, IllTyped) as problem:
        column = f", column {problem.position + 1}" if isinstance(problem, ParseError) else ""
        raise ParseError(f"line {reader.at + 1}{column}: {problem}", 0) from None
    except RecursionError:
        raise ParseError(f"line {reader.at + 1}: it is nested too deeply", 0) from None


class _Reader:
    """Reads lines, one after the other; `at` is the one that is read."""

    def __init__(self, lines: list[str], params: Mapping[str, Type], lets: Mapping[str, Type]) -> None:
        self.lines = lines
        self.at = 0
        self.lets = lets
        scalars: dict[str, Type] = {name: type_ for name, type_ in params.items() if isinstance(type_, ScalarType)}
        arrays: dict[str, Type] = {name: type_ for name, type_ in params.items() if isinstance(type_, TensorType)}
        numbers: dict[str, Type] = {name: type_ for name, type_ in lets.items() if isinstance(type_, ScalarType)}
        self.scope = Scope(scalars, arrays, numbers, {*params, *lets})

    def starts(self, word: str, indent: str = "") -> bool:
        """Whether the next line begins with a word, so far to the right."""
        return self.at < len(self.lines) and self.lines[self.at].startswith(f"{indent}{word} ")

    def line(self, word: str, scope: Scope | None = None) -> Line:
        """The next line, behind its first word."""
        made = Line(self.lines[self.at] if self.at < len(self.lines) else "", scope or self.scope)
        made.expect(word)
        return made

    def ended(self, line: Line) -> None:
        """Nothing more stands in the line, and the next one is read."""
        line.expect_end()
        self.at += 1

    def kernel(self) -> Kernel:
        machine = self.machine()
        ranges = []
        while self.starts("assume"):
            line = self.line("assume")
            formula = line.values(BOOL, {})
            words = line.name() if line.take("as") else show(formula, BOOL)
            line.require(words.isprintable(), "words are printable")
            ranges.append((words, formula))
            self.ended(line)
        sizes: list[Size] = []
        while self.starts("size"):
            sizes.append(self.size())
        outputs: tuple[Output, ...] = ()
        while self.starts("output"):
            outputs = (*outputs, self.output())
        self.scope.taken.update(var.name for output in outputs for var in output.places)
        idioms: tuple[Idiom, ...] = ()
        while self.starts("idiom"):
            idioms = (*idioms, self.idiom(len(idioms)))
        body = self.body(replace(self.scope, outputs=outputs, idioms=idioms), "")
        if self.at < len(self.lines):
            raise ParseError("here a statement of a kernel is expected", 0)
        return Kernel(machine, outputs, body, tuple(ranges), tuple(sizes))

    def size(self) -> Size:
        line = self.line("size")
        name = line.fresh()
        line.expect("=")
        value = line.numbers(INT)
        line.expect("from")
        least = line.whole()
        line.expect("to")
        most = line.whole()
        line.require(least <= most, "a size is chosen among some")
        self.ended(line)
        self.scope.scalars[name] = INT
        return Size(Var(name, INT), value, least, most)

    def machine(self) -> Machine:
        line = self.line("machine")
        limits = {}
        for name in LIMITS:
            line.expect(name)
            limits[name] = line.whole()
        sums = line.take("stores")
        if sums:
            line.expect("sums")
        self.ended(line)
        domains = []
        while self.starts("domain"):
            line = self.line("domain")
            domains.append(tuple(_read(line, DOMAIN).values()))
            self.ended(line)
        return Machine(**limits, domains=tuple(domains), stores_sums=sums)

    def output(self) -> Output:
        line = self.line("output")
        names, extents = line.ranges() if line.take("[") else ((), [])
        if names:
            line.expect("]")
        known = {**self.scope.scalars, **self.scope.arrays, **self.lets}
        line.require(len(set(names)) == len(names) and not set(names) & self.scope.taken, "an output has places of its own names")
        for name in names:
            line.require(parts.OWN.fullmatch(name) is not None, f"{name!r:.60} is no name for a place")
        bounds = tuple(extent.make(known, INT) for extent in extents)
        for bound in bounds:
            check(bound)
            line.require(type_of(bound) == INT, "the extent of an output is an integer")
        line.expect("=")
        value = line.values(None, known)
        self.ended(line)
        return Output(value, tuple(Var(name, INT) for name in names), bounds)

    def idiom(self, number: int) -> Idiom:
        line = self.line("idiom")
        line.require(line.whole() == number, f"idioms are numbered in their order: this is {number}")
        line.expect("=")
        op = line.name()
        params = listed(Part(str, Line.binder), "(", ")").read(line)
        line.expect("->")
        result = line.name()
        self.ended(line)
        own = Scope({}, {}, {}, set())
        for var in params:
            self.own(line, own, var)
        given = []
        while self.starts("given", "  "):
            line = self.line("given", own)
            given.append(line.numbers(BOOL))
            self.ended(line)
        steps: list[Step | Cut] = []
        while self.starts("step", "  ") or self.starts("cut", "  "):
            steps.append(self.step(own) if self.starts("step", "  ") else self.cut(own))
        if result not in own.scalars:
            raise ParseError(f"no step gives {result}", 0)
        return Idiom(op, params, tuple(given), tuple(steps), Var(result, own.scalars[result]))

    @staticmethod
    def own(line: Line, scope: Scope, var: Var) -> None:
        """A name of an idiom, for a scalar."""
        new = parts.OWN.fullmatch(var.name) is not None and var.name not in scope.scalars
        line.require(new, f"{var.name!r:.60} is no new name")
        line.require(isinstance(var.type, ScalarType), f"{var.name} is no scalar")
        check_type(var.type)
        scope.scalars[var.name] = var.type

    def step(self, scope: Scope) -> Step:
        line = self.line("step", scope)
        name = line.name()
        line.expect(":")
        var = Var(name, line.scalar_type())
        line.expect("=")
        op, args = line.name(), listed(parts.NUMBER, "(", ")").read(line)
        self.own(line, scope, var)
        self.ended(line)
        return Step(var, op, args)

    def cut(self, scope: Scope) -> Cut:
        line = self.line("cut", scope)
        holds = line.numbers(BOOL)
        line.expect("keeping")
        names = listed(parts.NAME).read(line)
        line.require(set(names) <= scope.scalars.keys(), "what is kept is a value of the idiom")
        self.ended(line)
        return Cut(holds, tuple(Var(name, scope.scalars[name]) for name in names))

    def body(self, scope: Scope, indent: str) -> tuple[Statement, ...]:
        """The statements that stand so far to the right."""
        found: list[Statement] = []
        while self.at < len(self.lines):
            word = self.lines[self.at].removeprefix(indent).partition(" ")[0]
            if not self.starts(word, indent) or word not in FORMS and word not in ("for", "when", "once"):
                break
            if word == "for":
                found.append(self.loop(scope, indent))
            elif word == "when":
                line = self.line("when", scope)
                cond = line.numbers(BOOL)
                self.ended(line)
                found.append(When(cond, self.body(scope.below("when"), indent + "  ")))
            elif word == "once":
                found.append(self.once(scope, indent))
            else:
                line = self.line(word, scope)
                found.append(_statement(line, word))
                self.ended(line)
        return tuple(found)

    def once(self, scope: Scope, indent: str) -> Fused:
        line = self.line("once", scope)
        line.expect("keeping")
        kept = line.whole()
        self.ended(line)
        body = self.body(scope, indent + "  ")
        steps = all(isinstance(each, nodes.Map | nodes.Reduce) for each in body)
        line.require(steps and 1 <= kept <= len(body), "an instruction has steps that map or reduce, and keeps some of them")
        return Fused(body, kept)

    def loop(self, scope: Scope, indent: str) -> Loop:
        line = self.line("for", scope)
        counter = line.fresh()
        line.expect("<")
        count = line.numbers()
        self.ended(line)
        inner = scope.below("for")
        inner.scalars[counter] = INT
        invariants: dict[str, Invariant] = {}
        while self.starts("keep", indent + "  "):
            line = self.line("keep", inner)
            made = Invariant(**_read(line, INVARIANT))
            line.require(made.tile not in invariants, f"two invariants of {made.tile}")
            bounds = made.magnitudes or (ZERO, ZERO)
            line.require(len(bounds) == 2, "there are two bounds: when an iteration begins, and behind the loop")
            behind = free_vars(made.after) | free_vars(bounds[1])
            line.require(Var(counter, INT) not in behind, f"behind the loop {counter} has no value")
            for each in (made.begins, made.after):
                line.require(_alike(type_of(each), scope.tiles[made.tile].type), f"{made.tile} holds values of another type")
            invariants[made.tile] = made
            self.ended(line)
        return Loop(Var(counter, INT), count, self.body(inner, indent + "  "), tuple(invariants.values()))


def _end(line: Line) -> Fraction:
    number = line.numbers(REAL)
    if not isinstance(number, Const):
        raise ParseError("the end of a range is a number", 0)
    return Fraction(number.value)


END = Part(lambda number: show(Const(number, REAL), REAL), _end)
DOMAIN = (("op", parts.NAME), "from", ("low", END), "to", ("high", END))


def _read(line: Line, form: tuple[str | tuple[str, Part], ...]) -> dict[str, Any]:
    """What stands in a line of that form."""
    found: dict[str, Any] = {}
    for part in form:
        if isinstance(part, str):
            line.expect(part)
        else:
            name, how = part
            found[name] = how.read(line)
    return found


def _statement(line: Line, word: str) -> Statement:
    cls, form = FORMS[word]
    made: Statement = cls(**_read(line, form))
    problem = _misfit(made, line.scope)
    line.require(not problem, problem)
    return made


def _alike(one: Type, two: Type) -> bool:
    """Whether values of one type can be in a tile of the other: integers are checked for their range."""
    return one == two or is_integer(one) and is_integer(two)


def _misfit(statement: Statement, scope: Scope) -> str:  # noqa: C901 (one case for each statement)
    """What does not go together in a statement; empty where everything does."""
    types = {name: tile.type for name, tile in scope.tiles.items()}
    match statement:
        case nodes.Allocate(tile):
            word = tile.type in (BOOL, FLOAT) or isinstance(tile.type, MachineInt) and 0 < tile.type.bits <= 32
            return "" if word else "elements of tiles have 32 bits at most"
        case nodes.Load(tile, source, index):
            view = type_of(source)
            fits = isinstance(view, TensorType) and view.rank == len(index) and view.element == types[tile]
            return "" if fits else "a load has an index for each axis of its view, whose elements have the tile's type"
        case nodes.Store(output, index, _, inverse, _):
            places = len(scope.outputs[output].places)
            once = len({var for var, _ in inverse}) == len(inverse)
            return "" if len(index) == places and once else f"output {output} has {places} places"
        case nodes.Expand(tile, idiom, operands):
            apart = tile not in operands and len(operands) == len(idiom.params)
            return "" if apart else "an idiom has an operand for each parameter, and its result a tile of its own"
        case nodes.Fill(tile, value):
            return "" if _alike(type_of(value), types[tile]) else "the number has another type than the tile"
        case nodes.Reduce(tile, _, source) | nodes.Across(tile, _, source):
            return "" if types[tile] == types[source] else "what is reduced has the type of the result"
        case nodes.Product(tile, one, two, _, added):
            if not all(_alike(types[each], types[tile]) for each in (one, two)):
                return "the factors of a product have other types than its sums"
            between = scope.around[len(scope.made[tile]) :]
            told = added is not None or between in ((), ("for",))
            return "" if told else f"whether this product is added to another in {tile} has to be said"
        case nodes.Named(tile, let):
            return "" if _alike(let.type, types[tile]) else f"{let.name} has another type than {tile}"
        case _:
            return ""
