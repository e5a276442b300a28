"""Functions with loops that stay: the loops as loops of Python, the parts between them as statements of the target's library."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from metalift.codegen.function import FunctionWriter
from metalift.codegen.hints import return_many
from metalift.codegen.long_lines import say
from metalift.codegen.names import Names, identifier, stem
from metalift.codegen.numbers import negation
from metalift.codegen.python_text import INDENT, LINE_LENGTH, statement, text
from metalift.codegen.request import CannotSpell, Generated, GenerateRequest
from metalift.codegen.scalars import as_number
from metalift.codegen.spelled import Spelled
from metalift.codegen.updates import reads
from metalift.driver.templates import fill_template, name, used_names
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import minus, plus, to_int
from metalift.ir.expr.nodes import Apply, Cast, Expr, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.program.assumption import Assumption
from metalift.ir.program.summary import Let, StagedProgram, Summary, TargetProgram
from metalift.vcgen.plans import Fork, Loop, Node, Run, each_run


@dataclass(frozen=True, slots=True)
class StagedRequest:
    """What is written: `request` is of the whole function, `stated` has for each part what is known in it."""

    request: GenerateRequest
    stages: tuple[Node, ...]
    programs: StagedProgram
    stated: Sequence[tuple[Assumption, ...]]
    shapes: Mapping[str, tuple[Expr, ...]]  # of arrays, local ones too
    grown: Set[str]  # local arrays that are made longer wherever a part touches more of them


@dataclass(frozen=True, slots=True)
class Counter:
    """A loop as a range of one of its arguments."""

    arg: Var
    stop: Expr
    step: int


def generate_staged(request: StagedRequest) -> Generated:
    """The text of the file. Raises CannotSpell where the target has no spelling for a part."""
    return replace(StagedWriter(request).write(), steps=True)


class StagedWriter(FunctionWriter):
    """Writes the whole function."""

    def __init__(self, staged: StagedRequest) -> None:
        super().__init__(staged.request)
        self.staged = staged
        runs = tuple(each_run(staged.stages))
        self.programs = dict(zip(map(id, runs), staged.programs.programs, strict=True))
        self.known = dict(zip(map(id, runs), staged.stated, strict=True))
        pairs = zip(runs, staged.programs.programs, strict=True)
        self.used = {run.part.inputs.get(var.name, var) for run, program in pairs for var in used_by(program)}
        self.host: dict[Var, str] = {}
        self.ranged: set[Var] = set()  # counters that ranges count
        self.free: list[str] = []  # names of counters of loops that are over
        self.depth = 0

    def _prepared(self) -> TargetProgram:
        return self.program

    def _summaries(self) -> Sequence[Summary]:
        return tuple(run.summary for run in each_run(self.staged.stages))

    def _shorten_arrays(self) -> None:
        """Parts take what they need of the arrays."""

    def _computed(self) -> None:
        for param, shown in zip(self.fragment.arguments, self.params, strict=True):
            self.host[param.var] = shown
        for local in self.fragment.locals:
            self._allocate(local)
        self._stages(self.staged.stages)

    def _allocate(self, local: Var) -> None:
        """A local array; what it holds before it is written is undefined in the source."""
        shape = self.staged.shapes.get(local.name)
        if shape is None and (not self.printer.layout.longer or local.name not in self.staged.grown):
            raise CannotSpell(f"how many elements the local array {local.name} needs is not known")
        self.host[local] = self.names.take(stem(local.name))
        near = next((self.printer.values[p.var.name].tree for p in self._arrays()), ast.Constant(None))
        sizes = self.printer.views.shape([self.printer.views.size(extent) for extent in shape or (integer(0),)])
        parts = {"shape": sizes, "value": ast.Constant(0), "dtype": self.printer.dtype(local.type), "x": near}
        self.lines += statement(f"{self.host[local]} = ", fill_template(self.printer.layout.full, parts))

    # Stages

    def _stages(self, stages: Sequence[Node]) -> None:
        """One stage after the other; a loop over a range needs no statement for its counter's start."""
        for number, stage in enumerate(stages):
            following = stages[number + 1] if number + 1 < len(stages) else None
            match stage:
                case Run():
                    counter = self._counter(following) if isinstance(following, Loop) else None
                    trees = self._run(stage, () if counter is None else (counter.arg,))
                    if stage.leaves:
                        self._put([f"{INDENT}break"])
                    if isinstance(following, Loop):
                        self._loop(following, counter, trees)
                case Fork(test, then, other):
                    self._fork(test, then, other)
                    if isinstance(following, Loop):
                        self._loop(following, None, {})
                case Loop():
                    pass  # it was written with what comes before

    def _fork(self, test: Run, then: Sequence[Node], other: Sequence[Node]) -> None:
        """A branch."""
        writer = PartWriter(self, test, self.programs[id(test)], self.known[id(test)], ())
        shown = writer.value()
        self._put(writer.lines)
        start = len(self.lines)
        self._put([f"{INDENT}if {text(shown)}:"])
        self._inside(then)
        if self._does_nothing(start) and other:
            self._put([f"{INDENT}if {text(_fails(shown, test))}:"])
            self._inside(other)
        else:
            self._otherwise(other)

    def _does_nothing(self, start: int) -> bool:
        """Whether a branch whose first line is at `start` holds no statement; it is taken back then."""
        idle = self.lines[start + 1 :] == [f"{INDENT * (self.depth + 2)}pass"]
        if idle:
            del self.lines[start:]
        return idle

    def _inside(self, stages: Sequence[Node], first: Sequence[str] = ()) -> None:
        """Stages one level further inside, behind the lines `first`."""
        self.depth += 1
        before = len(self.lines)
        self._put(first)
        self._stages(stages)
        if len(self.lines) == before:
            self._put([f"{INDENT}pass"])
        self.depth -= 1

    def _otherwise(self, stages: Sequence[Node]) -> None:
        """The `else` of a branch or a loop, where there is anything to do."""
        start = len(self.lines)
        self._put([f"{INDENT}else:"])
        self._inside(stages)
        self._does_nothing(start)

    def _run(self, run: Run, apart: tuple[Var, ...]) -> dict[Var, ast.expr]:
        """The statements of a part, but for the results in `apart`, whose expressions are returned."""
        apart = (*apart, *self.ranged)
        for var in run.part.outputs:
            if var not in self.host and var not in apart and var in self.used:
                self.host[var] = self._name(var)
        writer = PartWriter(self, run, self.programs[id(run)], self.known[id(run)], apart)
        writer.compute()
        self._put(writer.lines)
        self.printer.views.strided_bases.update(writer.printer.views.strided_bases)
        self.printer.wide = self.printer.wide or writer.printer.wide
        return writer.apart

    def _name(self, var: Var) -> str:
        """A name for a value: that of an earlier counter, if it is the source's name of both."""
        wanted = identifier(stem(var.name))
        if wanted in self.free:
            self.free.remove(wanted)
            return wanted
        return self.names.take(stem(var.name))

    def _put(self, lines: Sequence[str]) -> None:
        self.lines += textwrap.indent("\n".join(lines), INDENT * self.depth).split("\n") if lines else []

    def _loop(self, loop: Loop, counter: Counter | None, trees: Mapping[Var, ast.expr]) -> None:
        """A loop with its body."""
        if counter is not None:
            self.host[counter.arg] = self._name(counter.arg)
            self.ranged.add(counter.arg)
        if loop.test is None:
            self._put([f"{INDENT}while True:"])
            return self._inside(loop.body)
        test = PartWriter(self, loop.test, self.programs[id(loop.test)], self.known[id(loop.test)], ())
        if counter is not None:
            start = trees[counter.arg]
            stop = test.number(counter.stop)
            bounds = [] if counter.step == 1 and _is_zero(start) else [start]
            bounds += [stop, *([ast.Constant(counter.step)] if counter.step != 1 else [])]
            ranged = ast.Call(name("range"), bounds, [])
            self._put([f"{INDENT}for {self.host[counter.arg]} in {text(ranged)}:"])
            self._inside(loop.body)
        else:
            shown = test.value()
            self._put([f"{INDENT}while {'True' if test.lines else text(shown)}:"])
            ended = [f"{INDENT}if not {text(shown, _TIGHT)}:", f"{INDENT * 2}break"]
            self._inside(loop.body, [*test.lines, *ended] if test.lines else [])
        if counter is not None and not loop.exit:
            self.free.append(self.host[counter.arg])
        if loop.exit and counter is None and test.lines:
            raise CannotSpell("a loop that its body leaves, with a test that takes statements")
        return self._otherwise(loop.exit) if loop.exit else None

    def _counter(self, loop: Loop) -> Counter | None:
        """How the loop is one over a range, if it is: its counter changes by a number, and nobody asks for it afterwards."""
        lasts = [run for run in last_runs(loop.body) if run.part.place[2] == loop.header]
        if loop.test is None or loop.test.summary.bindings or not lasts:
            return None
        wanted = dict(loop.test.summary.outputs)["return"]
        match wanted:
            case Apply(Operator.LT | Operator.LE as op, (left, right)):
                low, high = strip_casts(left), strip_casts(right)
            case _:
                return None
        for arg, bound, up in ((low, high, True), (high, low, False)):
            if not isinstance(arg, Var) or arg not in loop.args or free_vars(bound) & set(loop.args):
                continue
            if any(isinstance(part, Select) for part in subexpressions(bound)):
                continue
            steps = {self._step(arg, last, op is Operator.LT and type_of(bound) == arg.type) for last in lasts}
            step = steps.pop()
            if steps or step is None or (step > 0) is not up or step == 0 or self._asked_for(arg, loop):
                continue
            exact = to_int(bound)
            beyond = exact if op is Operator.LT else plus(exact, integer(1)) if up else minus(exact, integer(1))
            return Counter(arg, beyond, step)
        return None

    def _step(self, arg: Var, last: Run, below: bool) -> int | None:
        """By how much the last part of a body changes an argument of the loop; `below`: it is less than a number of its type."""
        result = dict(last.summary.outputs)["return"]
        items = result.items if isinstance(result, MakeTuple) and len(last.part.outputs) > 1 else (result,)
        following = items[last.part.outputs.index(arg)]
        if not is_integer(arg.type):
            return None
        kept = (Polynomial.of(strip_casts(following)) - Polynomial.of(arg)).constant_value
        if kept is None and below and isinstance(following, Cast) and following.type == arg.type:
            step = (Polynomial.of(following.arg) - Polynomial.of(arg)).constant_value
            return step if step in (1, -1) else None  # the next number is that one at most, so it is of the type
        return kept

    def _asked_for(self, arg: Var, loop: Loop) -> bool:
        """Whether a part outside of the loop uses one of its arguments."""
        inside = {id(run) for run in (loop.test, *each_run(loop.body))}
        others = [run for run in each_run(self.staged.stages) if id(run) not in inside]
        return any(arg in used_by(self.programs[id(run)]) for run in others)


class PartWriter(FunctionWriter):
    """Writes one part as statements of the function around it."""

    def __init__(
        self, whole: StagedWriter, run: Run, program: TargetProgram, known: tuple[Assumption, ...], apart: tuple[Var, ...]
    ) -> None:
        request = whole.request
        super().__init__(
            GenerateRequest(run.part.fragment, run.summary, program, request.driver, request.target, known, units=request.units)
        )
        if self.early.early:
            raise CannotSpell("a part of a loop that returns early")
        self.whole = whole
        self.whole_form = whole.request.fragment.form
        self.run = run
        self.outputs = run.part.outputs
        self.apart: dict[Var, ast.expr] = dict.fromkeys(apart, ast.Constant(None))
        self.names: Names = whole.names.apart()
        given = [run.part.inputs.get(p.var.name, p.var) for p in self.fragment.params]
        for var in given:
            if var not in whole.host:
                raise CannotSpell(f"{var.name} has no value where a part needs it")
        self.params = [whole.host[var] for var in given]
        self._bind_parameters()
        again = {whole.host[var] for var in self.outputs if var in whole.host}
        self.holders = {shown: p.var.name for p, shown in zip(self.fragment.params, self.params, strict=True) if shown in again}
        self.guarding = False
        self.printer.step_by_step = True

    def compute(self) -> None:
        """The statements."""
        self._prepare()
        self._computed()

    def _prepare(self) -> None:
        self.program = self._prepared()
        self.rounding.learn(self.program)
        for local in self.whole.fragment.locals:
            if local.name in self.whole.staged.grown and local.name in self.run.summary.shapes:
                self._lengthen(self.whole.host[local], *self.run.summary.shapes[local.name])

    def _lengthen(self, shown: str, needed: Expr) -> None:
        """Make a local array longer where it has fewer elements than are touched here."""
        size = self.printer.number(needed)
        parts: dict[str, ast.expr] = {"x": name(shown), "size": size}
        enough = ast.Compare(fill_template(self.printer.layout.length, parts), [ast.Lt()], [size])
        self.lines.append(f"{INDENT}if {text(enough)}:")
        longer = statement(f"{shown} = ", fill_template(self.printer.layout.longer, parts))
        self.lines += [f"{INDENT}{line}" for line in longer]

    def value(self) -> ast.expr:
        """The one result, behind the statements that it takes."""
        self._prepare()
        program = self.program
        for position, let in enumerate(program.lets):
            self._let(position, let)
        return self._results()[0]

    def number(self, expr: Expr) -> ast.expr:
        """An integer of the loop's own."""
        return self.printer.number(expr)

    def _let(self, position: int, let: Let) -> None:
        """A value that goes on to the next step is a plain number."""
        result = self.program.result
        carried = result.items if isinstance(result, MakeTuple) else (result,)
        if not self.outputs or let.var not in carried:
            super()._let(position, let)
            return
        spelled = self.printer.spell(self.rounding.intermediate(let))
        shown = self._name_for(let.var, position)
        self._say(f"{shown} = ", spelled.tree if spelled.number else as_number(spelled.tree))
        self.holders[shown] = let.var.name
        self.printer.values[let.var.name] = Spelled(name(shown), number=True)

    def _inline_result(self) -> None:
        """Results get the names of what they are."""

    def _return(self, results: list[ast.expr]) -> None:
        if not self.outputs:
            return self._end(results) if self.run.part.place[2] is None else None
        host = self.whole.host
        trees = dict(zip(self.outputs, results, strict=True))
        kept = [(var, tree) for var, tree in trees.items() if var not in self.apart and var in self.whole.used]
        pairs = [(host[var], tree) for var, tree in kept if text(tree) != host[var]]
        changed = {shown for shown, _ in pairs}
        for var in self.apart:
            if var in trees:
                used = not changed.isdisjoint(used_names(trees[var]))
                self.apart[var] = self._hoist(f"{stem(var.name)}_start", trees[var]) if used else trees[var]
        for shown, tree in _in_order(pairs):
            if isinstance(tree, ast.Tuple):
                line = f"{INDENT}{shown} = {', '.join(text(each) for each in tree.elts)}"
                if len(line) <= LINE_LENGTH:
                    self.lines.append(line)
                    continue
            self.lines += say(f"{shown} = ", self._without_known_tests(tree), self._hoist)
        return None

    def _end(self, results: list[ast.expr]) -> None:
        """The end of the function."""
        values = [*self._formed(results), *(name(self.whole.params[at]) for at in self._written_places())]
        if values:
            self.lines += statement("return ", values[0]) if len(values) == 1 else return_many(values)

    def _written_places(self) -> Iterator[int]:
        for at, param in enumerate(self.whole.fragment.arguments):
            if param.var.name in self.whole.written:
                yield at

    def _result(self, value: Expr) -> ast.expr:
        settled = self.rounding.result(value)
        spelled = self.printer.spell(settled)
        tree = spelled.tree
        if self.outputs and not spelled.number:
            tree = as_number(tree)
            spelled = Spelled(tree, number=False, aliases=frozenset({"?"}))
        if self.program.writes and not isinstance(tree, ast.Name | ast.Constant):
            return self._keep("result", Spelled(tree, spelled.number and not reads(value), spelled.aliases)).tree
        return tree if self.outputs else self._copied(spelled)

    def _copied(self, spelled: Spelled) -> ast.expr:
        return spelled.tree if spelled.aliases == frozenset({"?"}) else super()._copied(spelled)


def last_runs(stages: Sequence[Node]) -> Iterator[Run]:
    """The parts at which stages end."""
    match stages[-1]:
        case Run() as run:
            yield run
        case Fork(_, then, other):
            yield from (*last_runs(then), *last_runs(other))
        case Loop(exit=leaving):
            yield from last_runs(leaving) if leaving else ()


_TIGHT = 4  # as an operand of `not`


def used_by(program: TargetProgram) -> frozenset[Var]:
    """The names that a program uses."""
    terms = [let.value for let in program.lets] + [part for w in program.writes for part in (w.window, w.value, w.guard)]
    terms += [] if program.result is None else [program.result]
    return frozenset(var for term in terms for var in free_vars(term))


def _fails(shown: ast.expr, test: Run) -> ast.expr:
    """That a condition does not hold: the opposite comparison where integers are compared, which are in an order."""
    condition = dict(test.summary.outputs).get("return")
    whole = isinstance(condition, Apply) and all(is_integer(type_of(arg)) for arg in condition.args)
    return negation(shown) if whole else ast.UnaryOp(op=ast.Not(), operand=shown)


def _is_zero(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == 0


def _in_order(pairs: list[tuple[str, ast.expr]]) -> Iterator[tuple[str, ast.expr]]:
    """Assignments in an order in which none changes what a later one uses; at once where there is none."""
    left = list(pairs)
    while left:
        free = next((p for p in left if all(q is p or p[0] not in used_names(q[1]) for q in left)), None)
        if free is None:
            yield ", ".join(shown for shown, _ in left), ast.Tuple([tree for _, tree in left], ast.Load())
            return
        left.remove(free)
        yield free
