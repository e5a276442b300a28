"""Prompts: what is told of the source and of the operators, and how a failed answer goes back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from string import Template

from metalift.driver import Driver, Operator
from metalift.driver.meaning.language import TypePattern
from metalift.driver.meaning.reader import match_type
from metalift.ir.expr.nodes import Apply, Call, Expr, Fold, Ite, Length, Var
from metalift.ir.expr.types import INT, IntType, ScalarType, TensorType, Type, is_identity
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import Fragment, Param, ParamKind, Store
from metalift.ir.program.summary import Summary
from metalift.synth.propose.answer import code_of
from metalift.synth.propose.invariants import COUNTER, Loop
from metalift.synth.propose.vocabulary import Names, element_name, parameter_names, result_only, spelled_for, type_name

OPERATORS = 4_200  # characters that meanings may take of a prompt: with all the rest it has 6 KB beside the source
SHOWN = 40  # lines of a former answer that go back

AIDS = """\
- If it helps a proof: `def lemma_1(x, n): return ...`, a fact on sums for all `x`, `n`; `def split(n): return n > 0`, two cases.
"""
NO_LOOPS = ", no `while`, no `break`"
KEEP = "Keep loops that do not count (`while`, `break`, `x[i]`), with invariants of what they count if there are any. Or write"
_KEY = {
    "dict": "a key: return a pair, whether the result has it (by `any`) and its value there (0, or what is empty, where not)",
    "set": "a key: return whether the result has it (by `any`)",
}
_KEYS = "a key: of each dictionary in the result return whether it has the key, and its value there, in a row"
DTYPES = {"float": "float32", "double": "float64", "size": "int", "exact": "number"}
WORDS = {"DIV": "div", "FDIV": "floordiv", "TDIV": "floordiv", "FMOD": "mod", "TREM": "mod", "SUB": "sub", "MUL": "mult"}
COMPARED = {"Eq": "eq", "NotEq": "eq", "LtE": "le", "GtE": "le"}


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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a prompt shows of a function. `source`: its text; `shapes`: the lengths of its arrays, as far as they are known;
    `given`: what may be relied on; `summary`: what it computes, where that is known.
    """

    fragment: Fragment
    source: str
    language: str
    shapes: Mapping[str, tuple[str, ...]]
    given: Sequence[Expr]
    summary: Summary


def is_ordinary(driver: Driver, target: str) -> bool:
    """Whether answers for the target are wanted as ordinary functions: its code is Python on arrays, near NumPy's."""
    found = driver.target(target)
    return found.language == "python" and found.find is None and found.layout is not None


def answer_operators(driver: Driver, target: str) -> Mapping[str, Operator]:
    """The operators that a prompt for the target shows: none where ordinary functions are wanted."""
    return {} if is_ordinary(driver, target) else spelled_for(driver, target)


def program_prompt(asked: Asked, driver: Driver, target: str) -> str:
    """Asks for an ordinary function, or for a program in those of the target's operators to which the source leads."""
    prompt = first_part(asked, driver, target, NO_LOOPS, AIDS)
    return prompt + template("examples.md").template if is_ordinary(driver, target) else prompt


def first_part(asked: Asked, driver: Driver, target: str, control: str, aids: str = "") -> str:
    """The source, the signature that is wanted, and the rules; `control`: what else must not be there, `aids`: what may."""
    operators = answer_operators(driver, target)
    names = parameter_names(asked.fragment, operators)
    shown = {
        "aids": aids,
        "language": asked.language,
        "source": asked.source,
        "meaning": parameters(asked, names),
        "assumed": assumptions([cond for cond in asked.given if not says_length(cond, asked.shapes)], names),
    }
    if not operators:
        return template("ordinary.md").substitute(shown, signature=plain_signature(asked.fragment, names), control=control)
    return template("program.md").substitute(
        shown,
        library=driver.name,
        signature=signature(asked.fragment, names),
        operators=meanings(relevant(operators, asked), OPERATORS),
    )


def summary_prompt(asked: Asked, driver: Driver, target: str, loops: Sequence[Loop], stay: bool) -> str:
    """Asks for a program, and for invariants of the loops; `stay`: loops may be kept as they are."""
    program = first_part(asked, driver, target, "" if stay else NO_LOOPS)
    keep = KEEP if stay else "Some loops do not count. Write"
    alike: dict[str, list[str]] = {}
    for loop in loops:
        alike.setdefault(", ".join(beside_parameters(loop, asked)), []).append(loop.key)
    wanted = "\n".join(signatures(keys, names) for names, keys in alike.items())
    extra = template("loops.md").substitute(keep=keep, signatures=wanted, counter=COUNTER)
    before, heading, after = program.partition("## Operators")
    return f"{before.rstrip()}\n{extra}\n{heading}{after}" if heading else f"{program.rstrip()}\n{extra}"


def beside_parameters(loop: Loop, asked: Asked) -> Iterator[str]:
    """The names that an invariant may use beside those of parameters; what a compiler has named says nothing to anybody."""
    words = {COUNTER, *re.findall(r"\w+", asked.source)}
    given = parameter_names(asked.fragment, {}).by_name
    for name in loop.names.by_name:
        if name not in given and (name in words or name.removesuffix("_now").removesuffix("_old") in words):
            yield name


def signatures(keys: Sequence[str], names: str) -> str:
    """`invariant_4`, `decreases_4`: `a, a_now, steps`; `keys` are those of loops in which there are the same names."""
    one = keys[0] if len(keys) == 1 else "LINE"
    lines = "" if len(keys) == 1 else f" for LINE {', '.join(keys)}"
    return f"- `invariant_{one}`, `decreases_{one}`{lines}: `{names}`"


def plain_signature(fragment: Fragment, names: Names) -> str:
    """`def f(n, x):`."""
    return f"def {answer_name(fragment)}({', '.join(names.by_name)}):"


def signature(fragment: Fragment, names: Names) -> str:
    """`def f(n: Int32, x: Vec[Float]) -> Float:`."""
    params = ", ".join(f"{name}: {type_name(var.type)}" for name, var in names.by_name.items())
    return f"def {answer_name(fragment)}({params}) -> {type_name(fragment.result)}:"


def parameters(asked: Asked, names: Names) -> str:
    """A line for each parameter, with its shape, and with its name in the source where that is another."""
    fragment = asked.fragment
    written = {s.array.name for block in fragment.blocks for s in block.body if isinstance(s, Store)}
    lines = []
    for param in fragment.params:
        name = names.of(param.var)
        parts = [described(param, asked.shapes.get(param.var.name))]
        if param.var.name in written and param.kind in (ParamKind.POINTER, ParamKind.VECTOR_REF):
            parts.append("changed in place")
        if param.field is not None:
            parts.append(f"in the source {param.field.parameter}{param.field.access}")
        elif name != param.var.name:
            parts.append(f"in the source {param.var.name}")
        lines.append(f"- `{name}`: {', '.join(parts)}")
    return "\n".join(lines)


def described(param: Param, shape: tuple[str, ...] | None) -> str:
    """`float32 array of shape (rows, cols)`."""
    match param.var.type:
        case TensorType(element, rank):
            if shape is not None:
                return f"{dtype_of(element)} array of shape ({', '.join(shape)}{',' if len(shape) == 1 else ''})"
            many = f" of {rank} axes" if rank > 1 else ""
            unknown = " of unknown length" if param.kind is ParamKind.POINTER else ""
            return f"list of {dtype_of(element)}" if is_identity(element) else f"{dtype_of(element)} array{many}{unknown}"
        case type_ if isinstance(type_, ScalarType):
            return f"{dtype_of(type_)}{f'; {_KEY.get(param.c_type, _KEYS)}' if param.kind is ParamKind.KEY else ''}"
        case type_:
            return type_name(type_)


def dtype_of(type_: ScalarType) -> str:
    """`float32`, `str`; of tuples `(str, int)`, of records `Line(item: str, quantity: int)`."""
    if not is_identity(type_) or not isinstance(type_, IntType):
        dtype = element_name(type_).lower()
        return DTYPES.get(dtype, dtype)
    if not type_.fields:
        return type_.of
    plain = type_.of == "tuple"
    parts = [dtype_of(part) if plain else f"{name}: {dtype_of(part)}" for name, part in type_.fields]
    return f"{'' if plain else type_.of}({', '.join(parts)})"


def says_length(cond: Expr, shapes: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a condition only says that an array is long enough, of one whose shape is shown."""
    lengths = [part for part in subexpressions(cond) if isinstance(part, Length)]
    return any(isinstance(part.tensor, Var) and part.tensor.name in shapes for part in lengths)


def assumptions(assumed: Sequence[Expr], names: Names) -> str:
    """What may be relied on."""
    if not assumed:
        return ""
    return "\n".join(["- It may be relied on that:", *(f"  - `{names.formula(cond)}`" for cond in assumed), ""])


def meanings(operators: Sequence[Operator], characters: int) -> str:
    """What operators mean, as Python, until the characters are spent."""
    texts: list[str] = []
    for text in dict.fromkeys(map(meaning_text, operators)):  # one along several axes is one meaning
        if len(text) + 2 > characters:
            continue
        characters -= len(text) + 2
        texts.append(text)
    return "\n".join(["```python", "\n\n".join(texts), "```"])


def relevant(operators: Mapping[str, Operator], asked: Asked) -> list[Operator]:
    """The operators, those first whose meanings are made of what the source computes: of the same arithmetic, of sums where it
    sums up; of these those first that its types lead to.
    """
    wanted = {name for term in terms_of(asked.summary) for name in made_of(term)}
    order = ranked(operators, asked.fragment)

    def foreign(operator: Operator) -> tuple[bool, int]:
        own = words_of(operator.meaning.source.tree)
        return bool(wanted) and not own <= wanted, -len(own & wanted)

    return sorted(order, key=foreign)


def terms_of(summary: Summary) -> list[Expr]:
    """What a summary computes."""
    return [*(binding.value for binding in summary.bindings), *(term for _, term in summary.outputs)]


def made_of(term: Expr) -> Iterator[str]:
    """The kinds of nodes in a term, as words of meanings: arithmetic, functions, sums and other folds, choices."""
    for part in subexpressions(term):
        match part:
            case Apply(op, _):
                yield WORDS.get(op.name, op.name.lower())
            case Call(function, _, _):
                yield function.rpartition(".")[2]
            case Fold():
                yield "fold"
            case Ite():
                yield "choice"


def words_of(tree: ast.FunctionDef | ast.Lambda) -> set[str]:
    """The same of a meaning; how it is declared is none of them."""
    found: set[str] = set()
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    for node in (node for part in body for node in ast.walk(part)):
        match node:
            case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.BoolOp(op=op):
                found.add(type(op).__name__.lower())
            case ast.Compare(ops=ops):
                found |= {COMPARED.get(type(op).__name__, "lt") for op in ops}
            case ast.IfExp() | ast.If():
                found.add("choice")
            case ast.Call(func=ast.Name(id="sum" | "all" | "any")):
                found |= {"fold"}
            case ast.Call(func=ast.Name(id=name)) if name in ("min", "max", "abs"):
                found.add(name)
            case ast.Call(func=ast.Attribute(attr=name)):
                found.add(name)
            case ast.For():
                found.add("fold")
    return found


def meaning_text(operator: Operator) -> str:
    """The Python function that says what the operator means, and what it requires."""
    requires = operator.meaning.requires
    text = _meaning_text(operator.meaning.source.tree, None if requires is None else requires.tree)
    more = "\n# called with one more argument, the type of the result's elements, such as Float"
    return text + more if result_only(operator) else text


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
