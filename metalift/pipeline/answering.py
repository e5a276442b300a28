"""An answer that is an ordinary Python function: the reader of Python and NumPy code makes a summary of it, as of any source.

The function is parsed, never run. Its summary is written over the parameters of the source's function, as `equiv` does it; what
it computes is then for the search to spell, and for the prover to show: nothing of the summary is believed.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from metalift.check.assumptions import always
from metalift.frontend import PythonModule, import_function
from metalift.frontend.python import parse_source
from metalift.frontend.python.kinds import MEETS
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Build, Cast, Expr, Filter, MakeTuple, Var, type_of
from metalift.ir.expr.types import IntType, ScalarType, TensorType, TupleType, Type, is_identity, kind_of
from metalift.ir.expr.walk import fresh_name, subexpressions, substitute
from metalift.ir.interp.identities import part_of, whole_of
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.ir.program.summary import Binding, Summary
from metalift.ir.rewrite.simplify import simplify
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.c_arithmetic import has_limits, with_c_arithmetic, with_python_integers
from metalift.pipeline.matching import Stated, check_results, like, matched
from metalift.pipeline.proposer import Task
from metalift.result.errors import SourceError, UsageError
from metalift.run.inputs.inputs import Run
from metalift.synth.derive import NotDerived, derive
from metalift.synth.propose.answer import Code, Rejected
from metalift.synth.propose.requirements import assumable
from metalift.synth.propose.size import LARGEST, check_growth
from metalift.vcgen.correspondence import NoCorrespondence, with_locals
from metalift.vcgen.obligation import ObligationError

FILE = "answer.py"  # that messages of the front end name
IMPORTS = {"np": "import numpy as np", "math": "import math"}  # that answers may leave out
_LIST = ast.parse("list[int]", mode="eval").body
READINGS = 6  # ways in which the arrays of an answer may correspond to those of the source


def computed(code: Code, tree: ast.FunctionDef, task: Task) -> Iterator[tuple[Fragment, Summary]]:
    """What the function computes, over the parameters of the source, with each way to match these; and the source's fragment with
    the arrays that the answer makes. The source's summary says how long its arrays are. Raises Rejected where it cannot be read.
    """
    fragment, summary = task.fragment, task.summary
    said = Stated(counterparts(tree, fragment, code), {})
    for each in code.functions.values():
        check_growth(each, code.at)
    problem: Rejected | None = None
    found, read = 0, False
    for module, types, of_lists in readings(code, tree, task, said):
        if of_lists and (read or MEETS not in str(problem)):
            break
        try:
            other = import_function(module, tree.name, like=types)
            own = derive(other)
            check_summary(own, other)
            check_results(fragment, other, said, at_key=True)
            for names in matched(fragment, summary, other, said):
                made, _ = names.summary(other, own)
                needed = [names.formula(other, each) for each in always(other)]
                found += 1
                full = completed(made, needed, fragment, summary, task.sample)
                read = True
                yield renamed(with_locals(fragment, other), full, fragment, summary)
                if found == READINGS:
                    return
        except (Unsupported, NotDerived, ObligationError) as error:
            problem = problem or Rejected(f"{error.diagnostic.message}, {place_of(error, code)}")
        except (SourceError, IllTyped, NoCorrespondence, UsageError) as error:
            problem = problem or Rejected(str(error).replace(FILE, "the answer"))
    if not read:
        raise problem or Rejected("its parameters are not those of the function")


def counterparts(tree: ast.FunctionDef, fragment: Fragment, code: Code) -> dict[str, str]:
    """The parameters of the source by those of the answer: by place where there are as many, else by name. Raises Rejected."""
    args = tree.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        raise Rejected(f"the function has plain parameters only, {code.at(tree)}")
    given, own = [arg.arg for arg in args.args], [param.var.name for param in fragment.params]
    if len(given) == len(own):
        return dict(zip(given, own, strict=True))
    missing = [name for name in given if name not in own]
    if missing or len(given) > len(own):
        raise Rejected(f"the function takes ({', '.join(own)}), in this order, {code.at(tree)}")
    return {name: name for name in given}


def readings(code: Code, tree: ast.FunctionDef, task: Task, said: Stated) -> Iterator[tuple[PythonModule, dict[str, Type], bool]]:
    """The answer as files, each with types of parameters without annotations, and whether integer arrays are lists there: these
    come last, for numbers that would be Python's on one path and NumPy's on another. Raises Rejected.
    """
    params = {param.var.name: param.var.type for param in task.fragment.params}
    arrays = {name for name, type_ in params.items() if isinstance(type_, TensorType) and type_.rank == 1 and has_limits(type_)}
    lists: dict[str, ast.expr | None] = {name: _LIST for name, other in said.names.items() if other in arrays}
    for own in (None, lists):
        for module, types in product(modules(code, tree, task, said, own), like(task.fragment, task.summary, said)):
            yield module, types, own is not None


def modules(
    code: Code, tree: ast.FunctionDef, task: Task, said: Stated, own: dict[str, ast.expr | None] | None = None
) -> Iterator[PythonModule]:
    """The answer as files: with these annotations of parameters, or else with none, whose arrays are NumPy's then, and with those
    of a Python source, whose lists are lists. Raises Rejected.
    """
    module = _module(code, task.around)
    source = task.around.functions.get(task.fragment.name) if task.around is not None else None
    told = {arg.arg: arg.annotation for arg in source.args.args} if source is not None else {}
    annotations: list[dict[str, ast.expr | None]] = [{} if own is None else own]
    if own is None and any(told.values()):
        annotations.append({name: told.get(other) for name, other in said.names.items()})
    for each in annotations:
        bare = copy.deepcopy(tree)
        bare.returns = None
        for arg in bare.args.args:
            arg.annotation = each.get(arg.arg)
        yield replace(module, functions={**module.functions, tree.name: bare})


def _module(code: Code, around: PythonModule | None) -> PythonModule:
    """The answer as a file, with the classes of the source's file. Raises Rejected."""
    imports = (node for node in ast.walk(ast.parse(code.text)) if isinstance(node, ast.Import))
    given = {alias.asname or alias.name for node in imports for alias in node.names}
    missing = [line for name, line in IMPORTS.items() if name not in given]
    try:
        module = parse_source(Path(FILE), "\n".join([code.text, *missing, ""]))
    except SourceError as problem:
        raise Rejected(str(problem)) from problem
    if around is None:
        return module
    classes = {name: node for name, node in around.classes.items() if not module.bound[name]}
    bound = module.bound + Counter({name: around.bound[name] for name in classes})
    return replace(module, classes=classes, bound=bound, imported={**around.imported, **module.imported})


def completed(made: Summary, needed: Sequence[Expr], fragment: Fragment, summary: Summary, sample: Sequence[Run]) -> Summary:
    """The summary with values of the source's types, as long arrays as the source's, and of its conditions those that may be
    assumed. Raises Rejected, NoCorrespondence.
    """
    written = dict(made.outputs)
    missing = [name for name, _ in summary.outputs if name not in written]
    if missing:
        what = ["its result" if name == "return" else name for name in missing]
        raise Rejected(f"it does not give {', '.join(what)}, which the function does")
    if "return" in written and fragment.result is not None:
        written["return"] = coerced(written["return"], fragment.result)
    parts = [part for each in (*made.requires, *needed) for part in conjuncts(simplify(each))]
    requires = tuple(dict.fromkeys((*summary.requires, *assumable(parts, sample))))
    plain = replace(
        made,
        bindings=tuple(replace(each, value=with_c_arithmetic(each.value)) for each in made.bindings),
        outputs=tuple((name, with_c_arithmetic(term)) for name, term in written.items()),
    )
    if not any(has_limits(var.type) for var in outer(fragment)):
        plain = with_python_integers(plain)
    full = replace(plain, requires=requires, extents=summary.extents)
    terms = [*(each.value for each in full.bindings), *(term for _, term in full.outputs)]
    if sum(1 for term in terms for _ in subexpressions(term)) > LARGEST:
        raise Rejected("the answer is too large when it is written out; whole arrays, comprehensions or short loops should do")
    return full


def renamed(wide: Fragment, full: Summary, fragment: Fragment, summary: Summary) -> tuple[Fragment, Summary]:
    """The same with names that programs may have, other ones than those of the source and its summary."""
    taken = {var.name for var in (*outer(fragment), *(each.var for each in summary.bindings))}
    names: dict[Var, Var] = {}
    for var in (*(var for var in wide.locals if var not in fragment.locals), *(each.var for each in full.bindings)):
        names[var] = Var(fresh_name(var.name.lstrip("#"), taken), var.type)
        taken.add(names[var].name)
    bindings = tuple(Binding(names[each.var], substitute(each.value, names)) for each in full.bindings)
    outputs = tuple((name, substitute(term, names)) for name, term in full.outputs)
    wide = replace(wide, locals=tuple(names.get(var, var) for var in wide.locals))
    return wide, replace(full, bindings=bindings, outputs=outputs)


def outer(fragment: Fragment) -> list[Var]:
    """The parameters and local arrays of a function."""
    return [*(param.var for param in fragment.params), *fragment.locals]


def coerced(term: Expr, wanted: Type) -> Expr:
    """A result in the type that is wanted; an integer may become a float. Raises NoCorrespondence for other kinds."""
    match term, wanted:
        case MakeTuple(items), TupleType(types) if len(items) == len(types):
            return MakeTuple(tuple(coerced(item, type_) for item, type_ in zip(items, types, strict=True)))
        case Build(extents, binders, body), TensorType(element, rank) if len(binders) == rank:
            return Build(extents, binders, coerced(body, element))
        case Filter(body=body), TensorType(element, 1):
            return replace(term, body=coerced(body, element))
    found = type_of(term)
    if found == wanted:
        return term
    if isinstance(found, IntType) and isinstance(wanted, IntType) and len(found.fields) == len(wanted.fields) > 0:
        parts = (coerced(part_of(term, place), type_) for place, (_, type_) in enumerate(wanted.fields))
        return whole_of(tuple(parts), wanted)  # a tuple where the function makes a record
    if isinstance(found, ScalarType) and isinstance(wanted, ScalarType) and kind_of(found) <= kind_of(wanted):
        if not is_identity(found) and not is_identity(wanted):
            return Cast(term, wanted)
    raise NoCorrespondence("it returns another kind of value than the function")


def place_of(error: Unsupported | NotDerived | ObligationError, code: Code) -> str:
    """Where in the answer something stands."""
    where = error.diagnostic.location
    lines = code.text.splitlines()
    shown = lines[where.line - 1].strip()[:120] if 0 < where.line <= len(lines) else ""
    return f"line {where.line}: `{shown}`"
