"""Prompts: what is told of the source and of the operators, and how a failed answer goes back."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from string import Template

from metalift.driver import Driver, Operator
from metalift.driver.meaning.language import TypePattern
from metalift.driver.meaning.reader import match_type
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import INT, ScalarType, TensorType, Type
from metalift.ir.program.fragment import Fragment, ParamKind, Store
from metalift.synth.propose.answer import code_of
from metalift.synth.propose.invariants import COUNTER, Loop
from metalift.synth.propose.vocabulary import Names, parameter_names, pattern_name, result_only, spelled_for, type_name

TOKENS = 6_000  # that meanings may take of a prompt
CHARACTERS = 3.5  # of Python in one token, about
SHOWN = 40  # lines of a former answer that go back

_KINDS = {
    ParamKind.VALUE: "a number",
    ParamKind.KEY: "a key: what is returned is whether the result has it, and its value there",
    ParamKind.POINTER: "a pointer to elements",
    ParamKind.VECTOR: "an array that knows its length",
    ParamKind.VECTOR_REF: "an array that knows its length",
}


@dataclass(frozen=True, slots=True)
class Failed:
    """An answer that is not accepted: in short, and all that is known about it."""

    short: str
    detail: str


@cache
def template(name: str) -> Template:
    """A template of this package."""
    return Template((resources.files(__package__) / "templates" / name).read_text(encoding="utf-8"))


def answer_name(fragment: Fragment) -> str:
    """What the function of an answer is called."""
    return re.sub(r"\W", "_", fragment.name, flags=re.ASCII)


def program_prompt(fragment: Fragment, driver: Driver, target: str, assumed: Sequence[Expr], language: str) -> str:
    """Asks for a program in the operators that the target has."""
    operators = spelled_for(driver, target)
    names = parameter_names(fragment, operators)
    return template("program.md").substitute(
        library=driver.name,
        language=language,
        source=fragment.source.strip("\n"),
        signature=signature(fragment, names),
        meaning=parameters(fragment, names),
        assumed=assumptions(assumed, names),
        operators=listing(operators),
        meanings=meanings(operators, fragment, TOKENS),
    )


def summary_prompt(
    fragment: Fragment, driver: Driver, target: str, assumed: Sequence[Expr], language: str, loops: Sequence[Loop]
) -> str:
    """Asks for a program, and for invariants of the loops."""
    program = program_prompt(fragment, driver, target, assumed, language)
    signatures = [text for loop in loops for text in (loop.signature("invariant", "Bool"), loop.signature("decreases", "Size"))]
    extra = template("loops.md").substitute(signatures="\n\n".join(f"{text}\n    ..." for text in signatures), counter=COUNTER)
    before, heading, after = program.partition("## Operators")
    return f"{before.rstrip()}\n{extra}\n{heading}{after}"


def signature(fragment: Fragment, names: Names) -> str:
    """`def f(n: Int32, x: Vec[Float]) -> Float:`."""
    params = ", ".join(f"{name}: {type_name(var.type)}" for name, var in names.by_name.items())
    return f"def {answer_name(fragment)}({params}) -> {type_name(fragment.result)}:"


def parameters(fragment: Fragment, names: Names) -> str:
    """A line for each parameter, with its name in the source where that is another."""
    written = {s.array.name for block in fragment.blocks for s in block.body if isinstance(s, Store)}
    lines = []
    for param in fragment.params:
        name = names.of(param.var)
        parts = [_KINDS[param.kind]]
        if param.var.name in written and param.kind in (ParamKind.POINTER, ParamKind.VECTOR_REF):
            parts.append("the function writes it in place")
        if param.field is not None:
            parts.append(f"in the source {param.field.parameter}{param.field.access}")
        elif name != param.var.name:
            parts.append(f"in the source {param.var.name}")
        lines.append(f"- `{name}`: {', '.join(parts)}")
    return "\n".join(lines)


def assumptions(assumed: Sequence[Expr], names: Names) -> str:
    """What may be relied on."""
    if not assumed:
        return ""
    return "\n".join(["- It may be relied on that:", *(f"  - `{names.formula(cond)}`" for cond in assumed), ""])


def listing(operators: Mapping[str, Operator]) -> str:
    """Names and types of all operators, one a line."""
    whole = [line(name, operator) for name, operator in operators.items() if not operator.elementwise]
    each = [line(name, operator) for name, operator in operators.items() if operator.elementwise]
    lines = [*(["# element by element, on numbers and on arrays of one shape", *each, ""] if each else []), *whole]
    return "\n".join(["```python", *lines, "```"])


def line(name: str, operator: Operator) -> str:
    """`add(a: Elem, b: Elem) -> Elem`."""
    params = [f"{param.name}: {pattern_name(param.pattern)}" for param in operator.params]
    params += ["element_type"] if result_only(operator) else []
    return f"{name}({', '.join(params)}) -> {pattern_name(operator.result)}"


def meanings(operators: Mapping[str, Operator], fragment: Fragment, tokens: int) -> str:
    """What operators mean, as Python: those first that the types of the source lead to, until the tokens are spent."""
    texts: list[str] = []
    left = tokens * CHARACTERS
    for text in dict.fromkeys(map(meaning_text, ranked(operators, fragment))):  # one along several axes is one meaning
        if len(text) > left:
            break
        left -= len(text)
        texts.append(text)
    along = next((name for name, operator in operators.items() if operator.axes is not None), None)
    axes = "" if along is None else f" (`{along}`, ...: along these axes, at each place of the others)"
    return "\n".join([f"What they mean{axes}:", "", "```python", "\n\n".join(texts), "```", ""]) if texts else ""


def meaning_text(operator: Operator) -> str:
    """The Python function that says what the operator means, and what it requires."""
    requires = operator.meaning.requires
    return _meaning_text(operator.meaning.source.tree, None if requires is None else requires.tree)


@lru_cache(maxsize=1 << 12)
def _meaning_text(tree: ast.AST, requires: ast.AST | None) -> str:
    assert isinstance(tree, ast.FunctionDef)
    plain = ast.FunctionDef(tree.name, tree.args, tree.body, [], tree.returns, lineno=tree.lineno, col_offset=0)
    lines = ast.unparse(plain)
    return f"{lines}\n# requires {ast.unparse(requires.body)}" if isinstance(requires, ast.Lambda) else lines


def ranked(operators: Mapping[str, Operator], fragment: Fragment) -> list[Operator]:
    """The operators by how soon the types of the source lead to their parameters, then those that give what is wanted."""
    rounds = reached(operators, {param.var.type for param in fragment.params})
    written = {s.array.type for block in fragment.blocks for s in block.body if isinstance(s, Store)}
    wanted = written | ({fragment.result} if fragment.result is not None else set())

    def rank(name: str) -> tuple[int, bool]:
        gives = any(fits(operators[name].result, type_) for type_ in wanted)
        return rounds.get(name, len(operators)), not gives

    return [operators[name] for name in sorted(operators, key=rank)]


def reached(operators: Mapping[str, Operator], given: set[Type]) -> dict[str, int]:
    """In which round of applying operators to what there is each applies first; slices and counts are there from the start."""
    types = given | {type_.element for type_ in given if isinstance(type_, TensorType)}
    found: dict[str, int] = {}
    for number in range(len(operators)):
        fresh = {
            name
            for name, operator in operators.items()
            if name not in found
            and all(param.pattern.element == INT or any_fits(param.pattern, types) for param in operator.params)
        }
        if not fresh:
            break
        found.update(dict.fromkeys(fresh, number))
        for name in fresh:
            element = operators[name].result.element
            if isinstance(element, ScalarType):
                rank = operators[name].result.rank
                types.add(TensorType(element, rank) if rank else element)
                types |= {TensorType(element, t.rank) for t in given if isinstance(t, TensorType) and operators[name].elementwise}
    return found


def any_fits(pattern: TypePattern, types: set[Type]) -> bool:
    """Whether some type fits the pattern."""
    return any(fits(pattern, type_) for type_ in types)


def fits(pattern: TypePattern, type_: Type) -> bool:
    """Whether the type fits the pattern by itself."""
    return match_type(pattern, type_, {})


def rejected_prompt(prompt: str, attempt: int, failures: Sequence[Failed], answer: str) -> str:
    """The prompt again with what became of the answers so far."""
    *former, last = failures
    lines = [f"{number}. {failed.short}" for number, failed in enumerate(former, 1)]
    history = "\n".join(["Former answers:", "", *lines, "", ""]) if lines else ""
    shown = code_of(answer).splitlines()
    code = "\n".join([*shown[:SHOWN], *(["..."] if len(shown) > SHOWN else [])])[: SHOWN * 100]
    text = template("feedback.md").substitute(attempt=attempt, history=history, answer=code, failure=last.detail)
    return f"{prompt.rstrip()}\n\n{text}"
