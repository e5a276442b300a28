"""Lifts functions that were written to be translated wrongly, and runs those that are PROVED beside their sources, on extremes.

Usage, from the root of the project:
    python -m benchmarks.hostile [--inputs N] [--seed S] [--log FILE] [TEXT ...]

The sources are in benchmarks/hostile_sources: integers and floats that turn into each other, widths and signs, arrays that
overlap, sizes of nothing, Python's lists and numbers, and `rebinding/`, modules in which a name may mean something else than it
seems to. The comment above a function says what a careless translation gets wrong; the first line of a module of `rebinding/`
says what is expected: `refused` (never PROVED), `assumed` (PROVED only with an assumption about names) or `proved`. TEXT chooses
functions whose file and name, as `words.c:narrow_sum`, contain it. Exit status 1 where a PROVED function differs from its source,
or should not be PROVED.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.random_kernels import Param, Program
from benchmarks.random_programs import Record, observed, record, say, summary, told
from benchmarks.random_terms import CTYPES
from metalift import lift

SOURCES = Path(__file__).with_name("hostile_sources")
NAMES = {spelled: name for name, spelled in CTYPES.items()} | {"int32_t": "i32", "uint32_t": "u32", "void": ""}
C_FUNCTION = re.compile(r"^(\w+) (\w+)\((.*)\) \{$", re.MULTILINE)
VECTOR = re.compile(r"(const )?std::vector<(\w+)> &(\w+)")
POINTER = re.compile(r"(?:const )?(\w+) \*(?:const )?(\w+)")
NAMES_MEAN = "meaning of names"  # the origin of an assumption
EXPECTED = re.compile(r"# expect (refused|assumed|proved) - ")
PYTHON = {"int": "i64", "bool": "i64", "float": "f64", "None": ""}


def programs(path: Path) -> list[Program]:
    """The functions of a file, with their signatures as the file has them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return [python_program(each, text) for each in ast.parse(text).body if lifted(each, path)]
    found = list(C_FUNCTION.finditer(text))
    ends = [text.index("\n}", each.end()) + 2 for each in found]
    return [
        Program(each[2], path.suffix[1:], tuple(c_params(each[3])), NAMES[each[1]], text[each.start() : end] + "\n", False)
        for each, end in zip(found, ends, strict=True)
    ]


def lifted(statement: ast.stmt, path: Path) -> bool:
    """Whether it is one of the functions that are lifted, rather than a helper."""
    if not isinstance(statement, ast.FunctionDef) or statement.returns is None:
        return False
    return path.parent == SOURCES or statement.name == "f"


def c_params(text: str) -> Iterator[Param]:
    """Parameters as C and C++ declare them."""
    for one in filter(None, text.split(", ")):
        if vector := VECTOR.fullmatch(one):
            yield Param(vector[3], NAMES[vector[2]], "view" if vector[1] else "vector")
        elif pointer := POINTER.fullmatch(one):
            yield Param(pointer[2], NAMES[pointer[1]], "pointer")
        else:
            type_, _, name = one.removeprefix("const ").rpartition(" ")
            yield Param(name, NAMES[type_])


def python_program(function: ast.stmt, text: str) -> Program:
    """A function with its annotations."""
    assert isinstance(function, ast.FunctionDef) and function.returns is not None
    params = []
    for arg in function.args.args:
        type_ = ast.unparse(arg.annotation) if arg.annotation else "int"
        form = "rows" if type_.startswith("list[list[") else "list" if type_.startswith("list[") else "value"
        params.append(Param(arg.arg, PYTHON[type_.replace("list[", "").rstrip("]")], form))
    returned = ast.unparse(function.returns)
    result = "list" if returned.startswith("list[") else PYTHON[returned]
    segment = ast.get_source_segment(text, function) or ""
    return Program(function.name, "py", tuple(params), result, segment + "\n", False)


def judged(path: Path, options: argparse.Namespace, first: int) -> list[Record]:
    """Lift the functions of a file, and run those that are proved."""
    chosen = [one for one in programs(path) if wanted(f"{path.name}:{one.name}", options.text)]
    if not chosen:
        return []
    with tempfile.TemporaryDirectory(prefix="metalift-hostile-") as name:
        source = Path(shutil.copy(path, name))
        names = [one.name for one in chosen]
        result = lift(source, to=["numpy"], functions=names, out=Path(name) / "out", timeout=options.timeout)
        results = {one.name: one for one in result.functions}
        made = [record(first + at, one, results.get(one.name), "") for at, one in enumerate(chosen)]
        proved = [one for one, each in zip(chosen, made, strict=True) if each["verdict"] == "PROVED"]
        answers = observed(proved, source, results, options.inputs, options.seed)
    for one, each in zip(chosen, made, strict=True):
        each["file"] = path.relative_to(SOURCES).as_posix()
        each["runs"] = answers.get(one.name, {"broken": "the process that runs it ended"})
        each["names"] = one.name in results and any(
            stated.origin == NAMES_MEAN for stated in results[one.name].assumptions
        )
    return made


def wanted(name: str, texts: Sequence[str]) -> bool:
    """Whether a function is chosen."""
    return not texts or any(text in name for text in texts)


def unexpected(each: Record) -> str:
    """What is wrong with a module of `rebinding/`, or how it is more careful than need be; empty for what is as expected."""
    found = EXPECTED.match((SOURCES / each["file"]).read_text(encoding="utf-8"))
    if found is None:
        return ""
    match found[1], each["verdict"] == "PROVED", each["names"]:
        case "refused", True, _:
            return "WRONG: what it uses is rebound, and it is PROVED"
        case "assumed", True, False:
            return "WRONG: PROVED with no assumption about names"
        case "proved", False, _:
            return f"not proved though harmless: {each['why']}"
        case "proved", True, True:
            return "rests on an assumption about names though harmless"
        case _:
            return ""


def main(argv: Sequence[str] | None = None) -> int:
    """Lift, run and print."""
    parser = argparse.ArgumentParser(description="Hostile functions; what is PROVED is run beside its source.")
    parser.add_argument("text", nargs="*")
    parser.add_argument("--inputs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for one obligation")
    parser.add_argument("--log", type=Path, help="where to write what became of each function, a line of JSON for each")
    options = parser.parse_args(argv)
    records: list[Record] = []
    wrong = 0
    for path in sorted(SOURCES.rglob("*.*")):
        for each in judged(path, options, len(records)):
            records.append(each)
            told(each)
            if problem := unexpected(each):
                wrong += problem.startswith("WRONG")
                say(f"{each['file']}: {problem}\n")
    if options.log is not None:
        options.log.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    differing = summary(records)
    say(f"names that mean something else: {wrong} wrongly PROVED\n")
    return 1 if differing + wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
