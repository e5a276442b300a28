"""Runs clang: source file to the text of its LLVM IR."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from metalift.frontend.llvm.compile.compilers import CPLUSPLUS_SUFFIXES, Compiler, find_clang, is_cplusplus
from metalift.frontend.llvm.compile.confined import Reach, explained, opened_files, start_compiler
from metalift.frontend.llvm.compile.needed import reached
from metalift.frontend.llvm.compile.options import RESPONSE, own_options
from metalift.frontend.llvm.compile.plugin import find_plugin, run_plugin
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import SOURCE_SUFFIXES
from metalift.ir.program.fragment import External
from metalift.result.errors import SourceError

C_SUFFIXES = (".c", ".h")
HEADER_SUFFIXES = CPLUSPLUS_SUFFIXES - SOURCE_SUFFIXES | {".h"}
ISINF = (  # glibc's isinf in C: without the bits of the number
    "-D__builtin_isinf_sign(x)=({__typeof__(x) metalift_x = (x); __builtin_isinf(metalift_x) ? metalift_x < 0 ? -1 : 1 : 0;})"
)
FLAGS = (
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-fno-discard-value-names",
    "-fno-math-errno",
    ISINF,
    "-D__NO_CTYPE",  # calls of isdigit and the like, instead of looking into the tables of the library
    "-ffp-contract=off",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-S",
    "-emit-llvm",
)
QUOTED = re.compile(r"\s*\d*\s+\|")  # a line of the source, or what points into it
TYPED_POINTER = re.compile(r"^define [^\n]*[\w}\])]\*|^  (?:store|%\S+ = (?:alloca|load)) [^\n]*\*", re.MULTILINE)
TIMEOUT = 120.0  # seconds
LARGE = 1 << 20  # characters of a module, of which the most part takes a while to optimise
LARGEST = 1 << 26  # bytes of a source file
OPENED = "opened.d"


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that is compiled by itself, with the arguments that clang needs for it."""

    path: Path
    clang_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not linked, and why; `broken`: it cannot be read or compiled."""

    path: Path
    why: str
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A compiled source file, and the files that are linked with it.

    `without_plugin` says why the LLVM plugin was not used, empty if it was; `compiled` is the module's text before any pass.
    Calls of `externals` stay calls, those of `silent` functions, whose results are not used, are left out. With `leaves`, what
    functions leave in structs that they take by value is a result. `reach` is that of a stranger's file. `others` are part of
    the module, `left_out` are not. `large`: the file as a whole takes a while to compile. `listed` are the functions of the file,
    where the module has only some of them.
    """

    path: Path
    source: str
    llvm: LlvmModule
    without_plugin: str = ""
    compiled: str = ""
    externals: tuple[External, ...] = ()
    silent: tuple[str, ...] = ()
    leaves: bool = False
    reach: Reach | None = None
    others: tuple[Unit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    large: bool = False
    listed: tuple[tuple[str, int, str], ...] = ()


def read_source(path: Path) -> str:
    """The text of a source file."""
    if path.is_dir():
        raise SourceError(f"{path} is a directory; a C or C++ source file is needed")
    try:
        if path.exists() and not path.is_file():  # a pipe would block, a device never end
            raise SourceError(f"{path} is not a plain file; a C or C++ source file is needed")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise SourceError(f"{path} has more than {LARGEST >> 20} MiB; a C or C++ source file is needed")
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise SourceError(f"{path} is empty; a C or C++ source file is needed")
    return text


def compile_source(path: Path | str, clang_args: tuple[str, ...] = (), reach: Reach | None = None) -> Module:
    """Compile a C or C++ file; raises SourceError with clang's message where that fails.

    With a `reach` the source is a stranger's, and what it includes has to lie within that.
    """
    return ready(read_module(Path(path), clang_args, reach))


def read_module(path: Path, clang_args: tuple[str, ...], reach: Reach | None) -> Module:
    """The same before any pass: what other files are linked with."""
    source = read_source(path)
    compiled = compiled_text(path, source, clang_args, reach)
    return Module(path, source, plain(compiled), compiled=compiled, reach=reach, large=len(compiled) > LARGE)


@lru_cache(maxsize=2)
def plain(text: str) -> LlvmModule:
    """A module before any pass, by its text."""
    return LlvmModule(text, Path.cwd())


def ready(module: Module, roots: frozenset[str] | None = None) -> Module:
    """The module after the plugin's passes; with `roots`, of what these symbols need alone."""
    wanted = module.compiled if roots is None else reached(module.compiled, roots)
    text, without_plugin = prepared(wanted)
    return replace(module, llvm=LlvmModule(text, Path.cwd()), without_plugin=without_plugin)


def compiled_text(path: Path, source: str, clang_args: tuple[str, ...], reach: Reach | None) -> str:
    """The text of the module that any clang makes of a file, with opaque pointers, before any pass. Raises SourceError."""
    clang_args = tuple(option.word for option in own_options(clang_args))
    compiler = find_clang()
    arguments = (*_keep_unused(path, source), *(arg for arg in clang_args if not arg.startswith("-fopenmp")))
    compiled = llvm_text(compiler, path, arguments, reach)
    if TYPED_POINTER.search(compiled):  # clang 14
        compiled = llvm_text(compiler, path, ("-mllvm", "-opaque-pointers", *arguments), reach)
    return compiled


def llvm_text(compiler: Compiler, path: Path, clang_args: tuple[str, ...] = (), reach: Reach | None = None) -> str:
    """The text of the module that clang makes of a file, before any pass; raises SourceError with clang's message."""
    if path.name.startswith(RESPONSE):
        raise SourceError(f"{path}: clang takes a name that begins with {RESPONSE} for a file of options; rename the source")
    with tempfile.TemporaryDirectory(prefix="metalift-clang-") as folder:
        output = Path(folder) / "module.ll"
        options = (*FLAGS, *clang_args, *_language(path, clang_args))
        if reach is not None:
            rules = Path(folder) / OPENED
            _run(compiler, path, (*options, "-MD", "-MF", str(rules)), output, reach)
            _refuse_outside(compiler, path, rules, reach)
        if not output.exists():  # zig writes nothing but the list, where it is asked for one
            _run(compiler, path, options, output, reach)
        return output.read_text(encoding="utf-8", errors="replace")


def _run(compiler: Compiler, path: Path, options: tuple[str, ...], output: Path, reach: Reach | None) -> None:
    """Run clang on a file. Raises SourceError with its message."""
    folder = output.parent
    name = f".{os.sep}{path}" if str(path).startswith(("-", RESPONSE)) else str(path)
    cplusplus = is_cplusplus(path, options)
    command = [*compiler.command(cplusplus=cplusplus), *options, name, "-o", str(output)]
    try:
        process = start_compiler(command, path, folder, compiler.environment(folder), reach)
    except OSError as error:
        raise SourceError(f"{compiler} cannot be run: {error.strerror}") from error
    with process:
        try:
            _, errors = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise SourceError(f"{compiler} took longer than {TIMEOUT:.0f} s on {path}") from error
        finally:
            process.kill()
    if process.returncode != 0:
        raise SourceError(f"{path} does not compile:\n{explained(_message(process.returncode, errors))}")


def _refuse_outside(compiler: Compiler, path: Path, rules: Path, reach: Reach) -> None:
    """Raises SourceError where clang opened, or a condition of the source found, a file outside of the reach."""
    try:
        text = rules.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise SourceError(f"{path}: {compiler} does not say which files it opened: {error.strerror}") from error
    for file in reach.outside(compiler.program, opened_files(text)):
        raise SourceError(f"{path} includes or asks for {file!r}, which is neither beside it nor a header of the compiler's")


def _language(path: Path, clang_args: tuple[str, ...]) -> tuple[str, ...]:
    """What clang has to be told of the language: nothing where the user says it, or it knows by the suffix of the file.

    Raises SourceError where it could not know.
    """
    if any(arg.startswith("-x") for arg in clang_args) or path.suffix in SOURCE_SUFFIXES:
        return ()
    if path.suffix in HEADER_SUFFIXES:
        return "-x", "c++" if is_cplusplus(path, clang_args) else "c"
    ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
    raise SourceError(
        f"{path} {ending}, so it is not known which language it is in; C is .c or .h, C++ is .cc, .cpp, .cxx or .hpp, "
        "Python is .py; for another suffix of C or C++ end the command with `-- -x c` or `-- -x c++`"
    )


def _message(status: int, errors: str) -> str:
    """What clang says of the source, without quotations of it (which zig makes anyway) and zig's remarks on its own arguments."""
    lines = errors.strip().splitlines()
    said = [line for line in lines if not line.startswith("zig: warning:") and not QUOTED.match(line)]
    return "\n".join(said) or f"clang ended with status {status} and no message"


def prepared(text: str) -> tuple[str, str]:
    """The module after the plugin's passes, and why they were not run, if they were not."""
    plugin = find_plugin()
    return (text, plugin) if isinstance(plugin, str) else run_plugin(plugin, text)


def _keep_unused(path: Path, source: str) -> tuple[str, ...]:
    """In C++ this costs time with every standard header, so it is asked for only where something could be left out."""
    if path.suffix in C_SUFFIXES or re.search(r"\b(static|inline|constexpr|class|struct|namespace)\b", source):
        return ("-Xclang", "-femit-all-decls")
    return ()
