"""The command line: arguments only. What a command needs is imported when it runs, so that `--help` stays quick."""

from __future__ import annotations

import argparse
import atexit
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from metalift.app.agents.arguments import add_mcp, run_mcp
from metalift.app.batch.arguments import add_batch, run_batch, run_status
from metalift.app.configuration import configured
from metalift.app.equiv import add_equiv, run_check, run_equiv
from metalift.app.lift.arguments import add_lift, run_lift
from metalift.app.optimise import add_optimise, run_optimise
from metalift.app.scan.arguments import add_scan, run_folder, run_scan
from metalift.app.serve.arguments import add_serve, run_serve
from metalift.app.simulate.arguments import add_simulate, run_simulate
from metalift.result.errors import MetaliftError, UsageError
from metalift.system.argument_types import count
from metalift.system.collecting import collect_rarely
from metalift.system.parser import Parser
from metalift.version import __version__

EXIT_OK, EXIT_NOT_PROVED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130
AGAIN = 3.0  # seconds after which an interrupt that had no effect comes again
SHELLS = ("bash", "zsh", "fish")
EXIT_STATUS = """\
exit status: 0 everything asked for was proved and its code agrees with the source; 1 something was not;
2 bad use, or a file that cannot be read or compiled; 130 interrupted."""


def command() -> NoReturn:
    """What the installed `metalift` runs: a command, and the end of the process as soon as its output is out.

    Python would first take apart every module and term of the process, for a quarter of the time that a small kernel takes.
    """
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    try:
        _handle_signals()
        collect_rarely()
        status = _run(_options(list(sys.argv[1:] if argv is None else argv)))
        sys.stdout.flush()
    except MetaliftError as error:
        print(f"metalift: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        _leave_interrupted()
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_NOT_PROVED
    return status


def _options(arguments: list[str]) -> argparse.Namespace:
    """The options of a command; what comes after -- is for clang. Raises UsageError where the command takes nothing there."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = _parser()
    options = parser.parse_args(arguments[:split])
    options.clang_args = arguments[split + 1 :]
    if options.clang_args and options.command not in ("lift", "scan", "check", "equiv", "optimise"):
        raise UsageError(f"{options.command} takes nothing after --")
    if options.command in ("lift", "scan", "batch"):
        options = configured(parser, options, arguments[:split])
    return options


def _run(options: argparse.Namespace) -> int:
    """The command that was asked for."""
    told = {"status": run_status, "mcp": run_mcp, "serve": run_serve, "cache": _cache}
    if options.command in told:
        told[options.command](options)
        return EXIT_OK
    proved = {"scan": run_scan, "simulate": run_simulate, "equiv": run_equiv, "optimise": run_optimise, "batch": run_batch}
    if options.command in proved:
        return EXIT_OK if proved[options.command](options) else EXIT_NOT_PROVED
    own = {"lift": _lift, "check": _check, "drivers": _drivers, "llm": _llm, "explain": _explain, "completion": _completion}
    return own.get(options.command, _doctor)(options)


def _cache(options: argparse.Namespace) -> None:
    """metalift cache: what is kept, or that it is removed."""
    from metalift.app import cache

    print(cache.clear(options.all) if options.action == "clear" else cache.show())


def _lift(options: argparse.Namespace) -> int:
    """metalift lift."""
    if options.file.is_dir():
        return EXIT_OK if run_folder(options) else EXIT_NOT_PROVED
    result = run_lift(options)
    if any(file.failed for file in result.left_out):
        return EXIT_USAGE
    return EXIT_OK if result.ok else EXIT_NOT_PROVED


def _check(options: argparse.Namespace) -> int:
    """metalift check: prove a certificate again."""
    from metalift import pipeline
    from metalift.result.errors import UsageError

    if (options.certificate / "equivalence.json").is_file():
        return EXIT_OK if run_check(options) else EXIT_NOT_PROVED
    if options.proof is not None and options.solver != "cvc5":
        raise UsageError("--proof asks cvc5 for its proofs: leave out --solver")
    result = pipeline.check(
        options.certificate,
        solver=options.solver,
        smt_only=options.smt_only,
        driver=options.driver,
        proof=options.proof,
        clang_args=options.clang_args,
    )
    if options.json:
        import json

        from metalift.result import to_json

        print(json.dumps(to_json(result), indent=2, allow_nan=False))
    else:
        from metalift.app import plain_report as report

        print(report.show_check(result))
    return EXIT_OK if result.ok else EXIT_NOT_PROVED


def _drivers(options: argparse.Namespace) -> int:
    """metalift drivers: what is installed; metalift drivers check: whether one means what it spells."""
    from metalift.app import driver_pages
    from metalift.app.terminal import Paint

    match options.words:
        case []:
            print(driver_pages.overview(Paint.of(sys.stdout)))
        case ["check", driver]:
            from metalift.app import conformance
            from metalift.driver import files as driver_files

            text, conforms = conformance.report(driver_files.load(driver))
            print(text)
            return EXIT_OK if conforms else EXIT_NOT_PROVED
        case ["new", *names]:
            from metalift.app import skeletons

            if len(names) != 1 or options.kind is None:
                kinds = "|".join(skeletons.KINDS)
                raise UsageError(f"a new driver has a name and a kind: metalift drivers new NAME --kind {kinds}")
            written = skeletons.new(names[0], options.kind, Path())
            print("\n".join(f"wrote {path}" for path in written))
            print(f"metalift drivers check {written[0]}: whether it conforms")
        case [name]:
            print(driver_pages.operators(name))
        case [name, operator]:
            print(driver_pages.operator_page(name, operator))
        case words:
            raise UsageError(f"drivers takes a name and an operator, not {len(words)} words")
    return EXIT_OK


def _llm(options: argparse.Namespace) -> int:
    """metalift llm log: what models were asked, answered and took; one call as a whole. metalift llm stats: what came of it."""
    from metalift.llm import log, stats
    from metalift.llm.store import stored_calls, stored_verdicts

    if options.action == "stats":
        found = stats.table(stored_calls(options.llm_store, None), stored_verdicts(options.llm_store))
        print(stats.to_json(found) if options.json else stats.show(found))
        return EXIT_OK
    calls = stored_calls(options.llm_store, options.call)
    if options.json:
        import json

        print(json.dumps(log.to_json(calls), indent=2))
    elif options.call is not None:
        print("\n\n".join(map(log.show_call, calls)))
    else:
        print(log.show(calls))
    return EXIT_OK


def _explain(options: argparse.Namespace) -> int:
    """metalift explain: a word of a report, or all that can be asked for."""
    from metalift.app import explain

    print(explain.explain(" ".join(options.word)) if options.word else explain.listing())
    return EXIT_OK


def _completion(options: argparse.Namespace) -> int:
    """metalift completion: a script for the shell, or for the script the functions of a file."""
    if options.functions is not None:
        from metalift.app.function_names import function_names

        print("\n".join(function_names(options.functions)))
        return EXIT_OK
    if options.shell is None:
        raise UsageError(f"completion is for a shell: one of {', '.join(SHELLS)}")
    from metalift.app import shell_completion as completion

    print(completion.script(_parser(), options.shell))
    return EXIT_OK


def _doctor(options: argparse.Namespace) -> int:
    """metalift doctor: what this machine can do; status 1 where something that every lift needs is missing."""
    from metalift.app import doctor

    if options.build_pass:
        print(f"built {doctor.build_plugin()}", file=sys.stderr)
    found = doctor.examine()
    if options.json:
        import json

        print(json.dumps(doctor.to_json(found), indent=2))
    else:
        print(doctor.show(found))
    return EXIT_OK if doctor.ready(found) else EXIT_NOT_PROVED


def _handle_signals() -> None:
    """SIGTERM ends a run as Ctrl-C does, which is ignored where the shell asked for that; forked children keep the defaults."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    signal.signal(signal.SIGALRM, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))


def _interrupt(signum: int, frame: FrameType | None) -> None:
    """Unwind, so that files and children are cleaned up on the way out; again a little later where that had no effect.

    The interpreter drops exceptions from callbacks, such as those of the weak references that imports make.
    """
    signal.setitimer(signal.ITIMER_REAL, AGAIN)
    raise KeyboardInterrupt


def _leave_interrupted() -> NoReturn:
    """End after an interrupt: no further one disturbs the clean-up, no child is left."""
    from metalift.system.children import kill_descendants

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    kill_descendants()
    print("metalift: interrupted", file=sys.stderr, flush=True)
    # An interrupt inside exec(), which making a dataclass uses, has Python end itself by the signal even where it was caught.
    os._exit(EXIT_INTERRUPTED)


def _parser() -> Parser:
    """All commands and options."""
    purpose = "Lift C, C++ and Python loops to tensor code and prove that it computes the same."
    parser = Parser(prog="metalift", description=purpose, epilog=EXIT_STATUS)
    parser.add_argument("--version", action="version", version=f"metalift {__version__}")
    base: argparse.ArgumentParser = parser  # whose kind the commands' parsers are said to be of
    commands = base.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_lift(commands, EXIT_STATUS)
    add_scan(commands)
    add_batch(commands)
    add_simulate(commands)
    add_equiv(commands)
    add_optimise(commands)
    add_mcp(commands)
    add_serve(commands)
    check = commands.add_parser(
        "check",
        help="derive a certificate anew and prove it again",
        usage="metalift check CERTIFICATE [options] [-- CLANG-ARGS]",
        epilog="What follows -- goes to clang: the source may include headers from the folders that it names.",
    )
    check.add_argument("certificate", metavar="CERTIFICATE", type=Path, help="the folder that a lift wrote")
    check.add_argument("--solver", choices=("cvc5", "z3"), default="cvc5", help="who proves (default: cvc5)")
    check.add_argument("--proof", metavar="DIR", type=Path, help="write cvc5's proofs, checked step by step, to this folder")
    check.add_argument("--smt-only", action="store_true", help="prove the recorded files only, without deriving them anew")
    driver_help = "the driver file it was made with, which is run; without this, only installed drivers are"
    check.add_argument("--driver", metavar="D", help=driver_help)
    check.add_argument("--json", action="store_true", help="print one JSON object")
    drivers = commands.add_parser(
        "drivers",
        help="list the targets with their operators, show one, or check a driver",
        usage="metalift drivers [NAME [OPERATOR] | check DRIVER | new NAME --kind KIND]",
        description="Without a name: all targets. With the NAME of a target or driver: its operators; with an OPERATOR, what it "
        "means and how it is spelled. check: run the meaning and the spellings of every operator of a driver beside each other. "
        "new: write a driver to start from, with a test.",
    )
    drivers.add_argument("words", metavar="NAME", nargs="*", help="a target, a driver, or a driver file; then an operator")
    drivers.add_argument("--kind", choices=("library", "isa", "notation"), help="with new: what the driver is for")
    doctor = commands.add_parser("doctor", help="show what this machine can do, and how to get what is missing")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    doctor.add_argument("--build-pass", action="store_true", help="first build the LLVM pass into the user's cache")
    _add_llm_log(commands)
    cache = commands.add_parser("cache", help="show what is kept in the user's cache, or remove it")
    cache.add_argument("action", metavar="clear", nargs="?", choices=("clear",), help="remove what can be made again")
    cache.add_argument("--all", action="store_true", help="with clear: answers of language models, too")
    explain = commands.add_parser("explain", help="say what a word of a report means: a verdict, the origin of an assumption")
    explain.add_argument("word", metavar="WORD", nargs="*", help="such as PROVED, overlap, 'real arithmetic' (default: list all)")
    completion = commands.add_parser("completion", help="print a completion script for a shell")
    completion.add_argument("shell", metavar="SHELL", nargs="?", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    completion.add_argument("--functions", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    return parser


def _add_llm_log(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The llm command."""
    llm = commands.add_parser("llm", help="show what language models were asked")
    actions = llm.add_subparsers(dest="action", metavar="ACTION", required=True)
    log = actions.add_parser("log", help="show what was asked, answered and spent")
    log.add_argument("call", metavar="CALL", type=count, nargs="?", help="the number of one call, to read its prompt and answer")
    stats = actions.add_parser("stats", help="show how many functions each model's answers proved, in how many calls")
    for each in (log, stats):
        each.add_argument("--llm-store", metavar="FILE", type=Path, help="where the calls are stored (default: the user's cache)")
        each.add_argument("--json", action="store_true", help="print one JSON list")


if __name__ == "__main__":
    raise SystemExit(main())
