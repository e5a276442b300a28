"""The source file compiled to shared libraries, in the background: at -O2 for values, and with checks for undefined behaviour.

Bounds are not watched by a sanitizer: the worker places each buffer against a protected page. The checked build uses the
minimal runtime, whose handlers the wrapper brings along, so no sanitizer runtime has to be installed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.compile.compilers import Compiler, find_clang, is_cplusplus
from metalift.frontend.llvm.compile.confined import start_compiler
from metalift.frontend.llvm.compile.needed import exported, reached
from metalift.frontend.llvm.compile.options import own_options
from metalift.ir.program.fragment import Fragment
from metalift.result.errors import SourceError
from metalift.run.workers.jobs import NotRunnable
from metalift.run.workers.wrapped_arguments import leaving
from metalift.run.workers.wrapper import linker_options, wrapper_text

_RUNNER = Path(__file__).with_name("compiled.py")
_NOT_OURS = ("-c", "-S", "-E", "-emit-llvm", "-fsyntax-only")
_NOT_OURS_PREFIXES = ("-o", "-x", "-MD", "-MM", "-Werror", "-fopenmp")

# A function that the kernel does not reach may call what is not there: hidden and unreferenced, it is dropped by the linker.
_COMMON = (
    "-shared",
    "-fPIC",
    "-w",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wl,--gc-sections",
    "-Wl,-Bsymbolic",  # what the wrapper defines is used, whatever the process has loaded before
)
LIMIT = 60.0  # seconds for the other files of a program, or for the source as text
AS_TEXT = ("-S", "-emit-llvm", "-fno-discard-value-names", "-Xclang", "-disable-llvm-passes")
_LINKING = ("-shared", "-Wl,--gc-sections", "-Wl,-Bsymbolic")
_MEMBERS = "-fno-access-control"  # private member functions are called, and fields set
DEFINED = re.compile(r"redefinition of '(\w+)'")
_LABEL = re.compile(r"[\w.$]+")
_VALUES = ("-O2", "-ffp-contract=off")
_CHECKED = (
    "-O1",
    "-ffp-contract=off",
    "-fsanitize=undefined",
    "-fno-sanitize=vptr,function",
    "-fsanitize-minimal-runtime",
    "-D_GLIBCXX_ASSERTIONS",
    "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_DEBUG",
    "-D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_HARDENING_DEPENDENT",
)


def _hidden_variables(fragment: Fragment) -> bool:
    """Whether the wrapper has to set a variable under another name, of which an optimising compiler would know nothing."""
    return any(param.field and param.field.variable and param.field.variable.local for param in fragment.params)


def _leaves(fragment: Fragment) -> bool:
    """Whether what the function leaves in its own copy of a struct is among the results."""
    return any(param.field and param.field.left for param in fragment.params)


class NativeFailed(NotRunnable):
    """The source could not be compiled into a callable library; the message says why."""


@dataclass(slots=True)
class _Build:
    """One run of the compiler."""

    output: Path
    process: subprocess.Popen[str]


class NativeBuild:
    """A compilation under way. Use it as a context manager: leaving it kills the compiler and removes the libraries."""

    def __init__(
        self,
        fragment: Fragment,
        source: Path,
        clang_args: Sequence[str] = (),
        clang: Compiler | None = None,
        others: Sequence[Unit] = (),
        silent: Sequence[str] = (),
        *,
        large: bool = False,
    ) -> None:
        """Start compiling; the `others` are linked, and so are functions that do nothing, with the linker names `silent`. Of a
        `large` file without others only what the function needs becomes code. Raises NativeFailed where there is no compiler, one
        of the others does not compile, or the signature cannot be called."""
        self._fragment = fragment
        self._source = source.resolve()
        self._cplusplus = is_cplusplus(source, clang_args)
        self._args = tuple(compiler_arguments(clang_args))
        self._clang = clang or _find_clang()
        self._ready = False
        self._failure: NativeFailed | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="metalift-native-"))
        self._builds: list[_Build] = []
        self._large = large and not others  # which may call what else the file has
        self._commands: dict[str, tuple[str, ...]] = {}  # what is made of texts, once these are there
        self._others = (*others, *([self._doing_nothing(silent)] if silent else ()))
        if '"' in str(self._source):  # what -include names becomes an #include, in which a quotation mark cannot stand
            (link := self._folder / f"source{self._source.suffix}").symlink_to(self._source)
            self._args = (*self._args, "-iquote", str(self._source.parent))
            self._source = link
        try:
            self._objects = {checked: self._compiled_others(checked) for checked in (False, True)}
            self._start(spelled=False)
        except BaseException:
            self.close()
            raise

    def _doing_nothing(self, symbols: Sequence[str]) -> Unit:
        """A file with functions of these linker names that do nothing."""
        named = enumerate(filter(_LABEL.fullmatch, symbols))
        bodies = (f'void f{number}(void) __asm__("{symbol}");\nvoid f{number}(void) {{}}\n' for number, symbol in named)
        (path := self._folder / "silent.c").write_text("".join(bodies), encoding="utf-8")
        return Unit(path)

    def wait(self, timeout: float = LIMIT) -> Mapping[str, object]:
        """The libraries, when they are ready. Raises NativeFailed with the compiler's message."""
        if self._failure is not None:
            raise self._failure
        if not self._ready:
            try:
                self._compiled(max(timeout, self._clang.patience))
            except NativeFailed as failure:
                self._failure = failure
                raise
            self._ready = True
        values, checked = (str(build.output) for build in self._builds)
        return {"runner": str(_RUNNER), "values": values, "checked": checked}

    def _compiled(self, timeout: float) -> None:
        try:
            self._make(timeout)
        except NativeFailed as failure:
            again = DEFINED.search(str(failure))
            given = self._fragment.definitions
            kept = tuple(each for each in given if again is None or not each.startswith(f"struct {again[1]} "))
            if kept == given and not self._cplusplus:
                raise
            self._fragment = replace(self._fragment, definitions=kept)  # the file may define what it does not look into
            try:
                self._start(spelled=self._cplusplus)  # among overloads, the function's name alone does not say which is meant
                self._compiled(timeout) if kept and again else self._make(timeout)
            except NativeFailed:
                raise failure from None

    def _make(self, timeout: float) -> None:
        """Wait for what was started, and then for what is made of it."""
        self._finish(timeout)
        if self._commands:
            self._change()
            self._finish(timeout)

    def _start(self, *, spelled: bool) -> None:
        self._builds = []
        suffix, language = (".cpp", "c++") if self._cplusplus else (".c", "c")
        texts = _leaves(self._fragment) or self._large
        if self._cplusplus and _leaves(self._fragment):
            raise NativeFailed("what a function of C++ leaves in a struct that it takes by value is not compared")
        commands: dict[str, tuple[str, ...]] = {}
        for name, options, checked in (("values", _VALUES, False), ("checked", _CHECKED, True)):
            try:
                text = wrapper_text(self._fragment, cplusplus=self._cplusplus, checked=checked, spelled=spelled)
            except NotRunnable as reason:
                raise NativeFailed(str(reason)) from reason
            wrapper = self._folder / f"{name}{suffix}"
            wrapper.write_text(text, encoding="utf-8")
            flags = (
                *([_MEMBERS] if self._cplusplus else []),
                *options,
                *(["-O0"] if _hidden_variables(self._fragment) else []),
            )
            command = (*self._clang.command(cplusplus=self._cplusplus, watched=checked), *self._args, *_COMMON, *flags)
            what: tuple[str, ...] = ("-include", str(self._source), "-x", language, str(wrapper))
            if texts:
                output = self._folder / f"{name}.ll"
                self._builds.append(_Build(output, self._spawn((*command, *AS_TEXT, *what, "-o", str(output)), self._source)))
                what = ("-x", "ir", str(output))
            commands[name] = (*command, *self._objects[checked], *what)
        if texts:
            self._commands = commands
        else:
            self._link(commands)

    def _link(self, commands: Mapping[str, tuple[str, ...]]) -> None:
        """Start making the libraries."""
        library = ["-lstdc++"] if any(is_cplusplus(other.path, other.clang_args) for other in self._others) else []
        library += linker_options(self._fragment)
        self._builds = []
        for name, command in commands.items():
            output = self._folder / f"{name}.so"
            self._builds.append(_Build(output, self._spawn((*command, "-o", str(output), *library, "-lm"), self._source)))

    def _change(self) -> None:
        """Put calls into modules that keep what the function leaves in its own copies of structs; leave of a large module what is
        seen from outside, and what that needs. Then start making the libraries."""
        for build in self._builds:
            text = build.output.read_text(encoding="utf-8")
            try:
                text = leaving(text, self._fragment) if _leaves(self._fragment) else text
            except NotRunnable as reason:
                raise NativeFailed(str(reason)) from reason
            text = reached(text, frozenset(exported(text))) if self._large else text
            build.output.write_text(text, encoding="utf-8")
        commands, self._commands = self._commands, {}
        self._link(commands)

    def _compiled_others(self, checked: bool) -> list[str]:
        """The other files as objects: all compile at once."""
        made = []
        for number, other in enumerate(self._others):
            output = self._folder / f"{number}{'-checked' if checked else ''}.o"
            cplusplus = is_cplusplus(other.path, other.clang_args)
            command = [*self._clang.command(cplusplus=cplusplus, watched=checked), *compiler_arguments(other.clang_args), "-c"]
            language = ["-x", "c++" if cplusplus else "c"]
            command += [*(each for each in _COMMON if each not in _LINKING), *(_CHECKED if checked else _VALUES), *language]
            made.append(_Build(output, self._spawn([*command, str(other.path.resolve()), "-o", str(output)], other.path)))
        self._builds = made
        self._finish(LIMIT + self._clang.patience)
        return [str(build.output) for build in made]

    def _spawn(self, command: Sequence[str], source: Path) -> subprocess.Popen[str]:
        try:
            return start_compiler(command, source, self._folder, self._clang.environment(self._folder))
        except OSError as error:
            raise NativeFailed(f"{command[0]} cannot be run: {error.strerror}") from error

    def _finish(self, timeout: float) -> None:
        deadline = time.perf_counter() + timeout
        for build in self._builds:
            try:
                _, errors = build.process.communicate(timeout=max(0.0, deadline - time.perf_counter()))
            except subprocess.TimeoutExpired as late:
                raise NativeFailed(f"the compiler did not finish within {timeout:g} s") from late
            if build.process.returncode != 0:
                raise NativeFailed(f"the source does not compile to a library: {_first_error(errors)}")

    def close(self) -> None:
        """Kill the compiler if it still runs, and remove what it made."""
        for build in self._builds:
            if build.process.poll() is None:
                _kill_group(build.process)
            build.process.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> NativeBuild:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def compiler_arguments(clang_args: Sequence[str]) -> list[str]:
    """The user's arguments without those that say what to compile and what to make of it: -c, -o FILE, -x LANGUAGE, ..."""
    kept: list[str] = []
    skip = False
    for option in own_options(clang_args):
        if skip:
            skip = False
        elif option.word in ("-o", "-x", "-MF", "-MT", "-MQ"):
            skip = True
        elif option.word not in _NOT_OURS and not option.word.startswith(_NOT_OURS_PREFIXES):
            kept.append(option.word)
    return kept


def _find_clang() -> Compiler:
    try:
        return find_clang()
    except SourceError as error:
        raise NativeFailed(str(error)) from error


def _kill_group(process: subprocess.Popen[str]) -> None:
    """Kill the compiler and the linker it may have started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it ended by itself in the meantime
        return


def _first_error(text: str) -> str:
    """The first error line of the compiler's output, or its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line or "undefined reference" in line]
    return (telling or lines[-1:] or ["no message"])[0]
