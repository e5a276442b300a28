"""The command `lift`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.app.style import SIGNATURES, STYLES, code_style
from metalift.llm.arguments import add_models
from metalift.prove.solver import start_early
from metalift.result.errors import UsageError
from metalift.system import arguments
from metalift.system.argument_types import (
    add_jobs,
    add_others,
    add_pure,
    add_targets,
    count,
    known_targets,
    named_columns,
    seconds,
)
from metalift.system.arguments import OUT
from metalift.system.parallel import Limits

if TYPE_CHECKING:
    from metalift.app.lift.screen import Screen
    from metalift.pipeline.proposer import Proposer
    from metalift.result import Result



def add_lift(commands: argparse._SubParsersAction[argparse.ArgumentParser], epilog: str) -> None:
    """The parser."""
    lift = commands.add_parser(
        "lift",
        help="lift the functions of a file",
        usage="metalift lift FILE[:LINE] [options] [-- CLANG-ARGS]",
        description="Lift the functions of a C, C++ or Python file; without --function, every one. With LINE, the loop nest "
        "that begins there, or else the largest around the line that can be lifted. A folder is lifted as scan --lift does it.",
        epilog=epilog + " What follows -- goes to clang: -I, -D, -std.",
    )
    lift.add_argument("file", metavar="FILE[:LINE]", type=Path, help="a C, C++ or Python file, and the line of a loop in it")
    function_help = "lift only this function, by its name or a part of it; may be repeated"
    lift.add_argument("--function", metavar="F", action="append", default=[], help=function_help)
    nests_help = "where a function cannot be lifted, lift its loop nests, and of a nest that cannot, those in it"
    lift.add_argument("--nests", action="store_true", help=nests_help)
    add_others(lift, "the files of a compile_commands.json above FILE that names it")
    add_targets(lift)
    lift.add_argument("--assume", metavar="EXPR", action="append", default=[], help="a condition on the parameters to rely on")
    add_pure(lift)
    lift.add_argument("--out", metavar="DIR", type=Path, default=OUT, help=f"folder for code and certificates (default: {OUT})")
    style_help = (
        "guarded: code checks what it can without a pass over all elements (default); full: that too, as that the stored columns "
        "of a row are in order (TACO); plain: what is assumed stands in its docstring"
    )
    lift.add_argument("--style", choices=STYLES, default=STYLES[0], help=style_help)
    signature_help = "source: the source's parameters (default); tensor: tensors with their own axes are taken and returned"
    lift.add_argument("--signature", choices=SIGNATURES, default=SIGNATURES[0], help=signature_help)
    columns_help = "what tables (dataframe) call the fields of records, amount=Amount, and what orders the rows, i=line"
    lift.add_argument("--columns", metavar="FIELD=COLUMN,...", type=named_columns, default={}, help=columns_help)
    add_jobs(lift, "functions at a time")
    lift.add_argument("--time-limit", metavar="S", type=seconds, help="seconds for each function (default: no limit)")
    lift.add_argument("--memory", metavar="MIB", type=count, help="MiB of memory for each process (default: no limit)")
    shown = lift.add_mutually_exclusive_group()
    shown.add_argument("-v", "--verbose", action="store_true", help="show summaries, proofs and all assumptions")
    shown.add_argument("-q", "--quiet", action="store_true", help="print the last line only")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    lift.add_argument("--timings", action="store_true", help="show how long it took; with -v, each stage")
    lift.add_argument("--dump-dir", metavar="DIR", type=Path, help="write one numbered file per stage there")
    proposer_help = (
        "who proposes programs in operators: search, llm, replay (recorded answers), exchange:DIR (files), "
        "or search and then one of these (default: search,llm where a model is named or a key is set, otherwise search)"
    )
    lift.add_argument("--proposer", metavar="P,...", help=proposer_help)
    lift.add_argument("--progress", action="store_true", help="say what a model is asked as it goes on (default: on a terminal)")
    add_models(lift)


def run_lift(options: argparse.Namespace) -> Result:
    """metalift lift: a line for each function as it ends, or one JSON object, on standard output.

    Mistakes in the arguments are found before what a lift needs is imported.
    """
    file, line = _file_and_line(options.file)
    arguments.source_text(file)
    if options.driver is None:
        known_targets(options.to)
    start_early()
    screen = _screen(options)
    try:
        result = _lifted(options, file, line, screen)
    except KeyboardInterrupt:
        if not options.json:
            screen.interrupted()
        raise
    finally:
        screen.progress.clear()
    if options.json:
        import json

        from metalift.result import to_json

        print(json.dumps(to_json(result), indent=2, allow_nan=False))
    else:
        screen.finish(result)
    return result


def _lifted(options: argparse.Namespace, file: Path, line: int | None, screen: Screen) -> Result:
    """What was lifted, as the arguments ask for it."""
    from metalift import pipeline
    from metalift.frontend.files import program_of

    return pipeline.lift(
        file,
        functions=options.function,
        to=options.to,
        driver=options.driver,
        assume=options.assume,
        assume_of=options.configuration.assume,
        pure=options.pure,
        out=options.out,
        program=program_of(file, options.others, options.clang_args),
        dump_dir=options.dump_dir,
        timeout=options.timeout,
        line=line,
        nests=options.nests,
        proposer=_proposer(options),
        watch=screen.stage if sys.stderr.isatty() else None,
        listener=screen,
        jobs=options.jobs,
        style=code_style(options.style, options.signature, options.columns),
        limits=Limits(options.time_limit, None if options.memory is None else options.memory << 20),
    )


def _screen(options: argparse.Namespace) -> Screen:
    """What prints as it was asked for; where JSON is, nothing but the progress on a terminal."""
    from metalift.app.lift.screen import Screen
    from metalift.app.terminal import Paint, Progress

    quiet = options.quiet or options.json
    return Screen(
        sys.stdout,
        Paint.of(sys.stdout),
        Progress(sys.stderr),
        verbosity=1 if options.verbose else -1 if quiet else 0,
        timed=options.timings or sys.stdout.isatty(),
        stages=options.timings,
    )


def _proposer(options: argparse.Namespace) -> Proposer:
    """Who proposes; on a terminal, or where asked, what is asked of a model is told as it goes on."""
    from metalift.app import proposers
    from metalift.llm.arguments import llm_options

    told = options.progress or sys.stderr.isatty()
    show = (lambda progress: print(progress.text(), file=sys.stderr, flush=True)) if told else None
    return proposers.open_proposer(options.proposer, llm_options(options), Path.cwd(), show)


def _file_and_line(path: Path) -> tuple[Path, int | None]:
    """FILE:LINE in its parts; a file whose own name ends so is a file."""
    name, colon, line = str(path).rpartition(":")
    if not colon or not line.isdecimal() or path.exists():
        return path, None
    if int(line) == 0:
        raise UsageError(f"{path}: lines count from 1")
    return Path(name), int(line)
