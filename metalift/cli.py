"""The command line: arguments only. What a command needs is imported when it runs, so that `--help` stays quick."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from metalift.errors import MetaliftError
from metalift.version import __version__

DEFAULT_OUT = Path("metalift_out")
EXIT_OK, EXIT_NOT_PROVED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130
SHELLS = ("bash", "zsh", "fish")
EXIT_STATUS = """\
exit status: 0 everything asked for was proved and its code agrees with the source; 1 something was not;
2 bad use, or a file that cannot be read or compiled; 130 interrupted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = _parser().parse_args(arguments[:split])
    options.clang_args = arguments[split + 1 :]
    if options.clang_args and options.command != "lift":
        print(f"metalift {options.command}: takes nothing after --", file=sys.stderr)
        return EXIT_USAGE
    _handle_signals()
    try:
        status = _run(options)
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


def _run(options: argparse.Namespace) -> int:
    """The command that was asked for."""
    match options.command:
        case "lift":
            return _lift(options)
        case "check":
            return _check(options)
        case "drivers":
            return _drivers(options)
        case "explain":
            return _explain(options)
        case "completion":
            return _completion(options)
        case _:
            return _doctor(options)


def _lift(options: argparse.Namespace) -> int:
    """metalift lift: the report, or one JSON object, on standard output."""
    from metalift import pipeline

    file, line = _file_and_line(options.file)
    result = pipeline.lift(
        file,
        functions=options.function,
        to=options.to,
        driver=options.driver,
        assume=options.assume,
        out=options.out,
        clang_args=options.clang_args,
        dump_dir=options.dump_dir,
        timeout=options.timeout,
        line=line,
        nests=options.nests,
    )
    if options.json:
        _print_json(result)
    else:
        from metalift import report

        print(report.show(result, timings=options.timings))
    return EXIT_OK if result.ok else EXIT_NOT_PROVED


def _file_and_line(path: Path) -> tuple[Path, int | None]:
    """FILE:LINE in its parts; a file whose own name ends so is a file."""
    name, colon, line = str(path).rpartition(":")
    if not colon or not line.isdecimal() or path.exists():
        return path, None
    return Path(name), int(line)


def _check(options: argparse.Namespace) -> int:
    """metalift check: prove a certificate again."""
    from metalift import pipeline

    result = pipeline.check(options.certificate, solver=options.solver, smt_only=options.smt_only, driver=options.driver)
    if options.json:
        _print_json(result)
    else:
        from metalift import report

        print(report.show_check(result))
    return EXIT_OK if result.ok else EXIT_NOT_PROVED


def _print_json(result: object) -> None:
    """One JSON object."""
    import json

    from metalift.result import CheckResult, Result, to_json

    assert isinstance(result, Result | CheckResult)
    print(json.dumps(to_json(result), indent=2, allow_nan=False))


def _drivers(options: argparse.Namespace) -> int:
    """metalift drivers: what is installed; metalift drivers check: whether one means what it spells."""
    from metalift import driver_files

    if options.action is None:
        print("\n".join(driver_files.describe()))
        return EXIT_OK
    from metalift import conformance

    text, conforms = conformance.report(driver_files.load(options.driver))
    print(text)
    return EXIT_OK if conforms else EXIT_NOT_PROVED


def _explain(options: argparse.Namespace) -> int:
    """metalift explain: a word of a report, or all that can be asked for."""
    from metalift import explain

    print(explain.explain(" ".join(options.word)) if options.word else explain.listing())
    return EXIT_OK


def _completion(options: argparse.Namespace) -> int:
    """metalift completion: a script for the shell."""
    from metalift import completion

    print(completion.script(_parser(), options.shell))
    return EXIT_OK


def _doctor(options: argparse.Namespace) -> int:
    """metalift doctor: what this machine can do; status 1 where something that every lift needs is missing."""
    from metalift import doctor

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
    """SIGTERM ends a run as Ctrl-C does; forked children keep the default, a solver could not run a handler."""
    signal.signal(signal.SIGTERM, _terminate)
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))


def _terminate(signum: int, frame: FrameType | None) -> None:
    """Unwind, so that files and children are cleaned up on the way out."""
    raise KeyboardInterrupt


def _leave_interrupted() -> NoReturn:
    """End after an interrupt: no further one disturbs the clean-up, no child is left."""
    from metalift.children import kill_descendants

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    kill_descendants()
    print("metalift: interrupted", file=sys.stderr, flush=True)
    # An interrupt inside exec(), which making a dataclass uses, has Python end itself by the signal even where it was caught.
    os._exit(EXIT_INTERRUPTED)


def _parser() -> argparse.ArgumentParser:
    """All commands and options."""
    purpose = "Lift C, C++ and Python loops to tensor code and prove that it computes the same."
    parser = argparse.ArgumentParser(prog="metalift", description=purpose, epilog=EXIT_STATUS)
    parser.add_argument("--version", action="version", version=f"metalift {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_lift(commands)
    check = commands.add_parser("check", help="derive a certificate anew and prove it again")
    check.add_argument("certificate", metavar="CERTIFICATE", type=Path, help="the folder that a lift wrote")
    check.add_argument("--solver", choices=("cvc5", "z3"), default="cvc5", help="who proves (default: cvc5)")
    check.add_argument("--smt-only", action="store_true", help="prove the recorded files only, without deriving them anew")
    driver_help = "the driver file it was made with, which is run; without this, only installed drivers are"
    check.add_argument("--driver", metavar="D", help=driver_help)
    check.add_argument("--json", action="store_true", help="print one JSON object")
    drivers = commands.add_parser("drivers", help="list the drivers that are installed, or check one")
    actions = drivers.add_subparsers(dest="action", metavar="ACTION")
    conform = actions.add_parser("check", help="run the meaning and the spellings of every operator beside each other")
    conform.add_argument("driver", metavar="DRIVER", help="an installed driver's name, or a driver file")
    doctor = commands.add_parser("doctor", help="show what this machine can do, and how to get what is missing")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    doctor.add_argument("--build-pass", action="store_true", help="first build the LLVM pass into the user's cache")
    explain = commands.add_parser("explain", help="say what a word of a report means: a verdict, the origin of an assumption")
    explain.add_argument("word", metavar="WORD", nargs="*", help="such as PROVED, overlap, 'real arithmetic' (default: list all)")
    completion = commands.add_parser("completion", help="print a completion script for a shell")
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    return parser


def _add_lift(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The lift command."""
    lift = commands.add_parser(
        "lift",
        help="lift the functions of a file",
        usage="metalift lift FILE[:LINE] [options] [-- CLANG-ARGS]",
        description="Lift the functions of a C, C++ or Python file; without --function, every one. With LINE, the loop nest "
        "that begins there, or else the largest around the line that can be lifted.",
        epilog=EXIT_STATUS + " What follows -- goes to clang: -I, -D, -std.",
    )
    lift.add_argument("file", metavar="FILE[:LINE]", type=Path, help="a C, C++ or Python file, and the line of a loop in it")
    lift.add_argument("--function", metavar="F", action="append", default=[], help="lift only this function; may be repeated")
    nests_help = "where a function cannot be lifted, lift its loop nests, and of a nest that cannot, those in it"
    lift.add_argument("--nests", action="store_true", help=nests_help)
    lift.add_argument("--to", metavar="TARGET,...", type=_names, default=("numpy",), help="target languages (default: numpy)")
    lift.add_argument("--driver", metavar="D", help="a driver by name, or the path of a driver file (default: by target)")
    lift.add_argument("--assume", metavar="EXPR", action="append", default=[], help="a condition on the parameters to rely on")
    out_help = f"folder for code and certificates (default: {DEFAULT_OUT})"
    lift.add_argument("--out", metavar="DIR", type=Path, default=DEFAULT_OUT, help=out_help)
    lift.add_argument("--json", action="store_true", help="print one JSON object instead of the report")
    lift.add_argument("--timings", action="store_true", help="show the time of each stage")
    lift.add_argument("--dump-dir", metavar="DIR", type=Path, help="write one numbered file per stage there")
    lift.add_argument("--timeout", metavar="S", type=_seconds, default=10.0, help="seconds for each obligation (default: 10)")


def _names(text: str) -> tuple[str, ...]:
    """A comma-separated list of names."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names separated by commas")
    return names


def _seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return seconds


if __name__ == "__main__":
    raise SystemExit(main())
