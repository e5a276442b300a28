"""A loop nest as the LLVM pass made it, compiled to a shared library: the source that generated code is compared with.

The library is made of the module's LLVM IR, so its function is called by a wrapper in LLVM IR as well, with the convention of
`metalift.run.workers.wrapper`. There is no build that watches for undefined behaviour: an input that has any is discarded by
the interpreter, which runs first, or ends at a protected page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.compile.confined import start_compiler
from metalift.frontend.llvm.compile.plugin import find_plugin
from metalift.frontend.llvm.nests import Nest, Nests
from metalift.frontend.llvm.read.llvm_ir import Argument
from metalift.ir.expr.types import TupleType, Type
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.result.errors import SourceError
from metalift.run.workers.compiled import BYTES, RANK
from metalift.run.workers.jobs import NotRunnable, dtype

RUNNER = Path(__file__).with_name("compiled.py")
MARKER = re.compile(r"^declare (\S+) (@(?:\"metalift\.undef\.[^\"]*\"|metalift\.undef\.[^(]*))\(\).*$", re.MULTILINE)
STRING = re.compile(r"(?:const )?std::string(?: &&?)?")
OWN = ("-x", "ir", "-shared", "-fPIC", "-w", "-O2", "-ffp-contract=off")
LIMIT = 60.0  # seconds for opt
LIBRARY_CALLS = "declare ptr @malloc(i64)\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"


class OutlinedBuild:
    """A compilation under way. A context manager: leaving it stops the compiler and removes the library."""

    def __init__(self, fragment: Fragment, nests: Nests, nest: Nest) -> None:
        """Start compiling. Raises NotRunnable where a tool is missing or the parameters cannot be passed."""
        self._folder = Path(tempfile.mkdtemp(prefix="metalift-nest-"))
        self._output = self._folder / "values.so"
        try:
            text = self._alone(module_text(fragment, nests, nest))
            source = self._folder / "nest.ll"
            source.write_text(text, encoding="utf-8")
            clang = find_clang()
            command = [*clang.command(cplusplus=False), *OWN, str(source), "-o", str(self._output), "-lm"]
            self._process = start_compiler(command, source, self._folder, clang.environment(self._folder))
        except (OSError, SourceError) as problem:
            self.__exit__(None, None, None)
            raise NotRunnable(f"the loop nest cannot be compiled: {problem}") from problem
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def _alone(self, text: str) -> str:
        """The module with nothing but what the wrapper reaches."""
        plugin = find_plugin()
        if isinstance(plugin, str):
            raise NotRunnable(plugin)
        options = ["-passes=internalize,globaldce", "-internalize-public-api-list=metalift_call", "-S", "-o", "-", "-"]
        done = subprocess.run(
            [plugin.opt, *options], input=text, capture_output=True, text=True, timeout=LIMIT, check=False, errors="replace"
        )
        if done.returncode != 0:
            raise NotRunnable(f"{plugin.opt}: {(done.stderr.strip().splitlines() or ['failed'])[0]}")
        return done.stdout

    def wait(self, timeout: float = 60.0) -> Mapping[str, object]:
        """What the worker needs: the library, which serves for values and as the checked one."""
        try:
            _, errors = self._process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as late:
            raise NotRunnable(f"the compiler did not finish within {timeout:g} s") from late
        if self._process.returncode != 0:
            lines = [line for line in (errors or "").splitlines() if "error" in line or "undefined" in line]
            raise NotRunnable(f"the loop nest does not compile to a library: {(lines or ['no message'])[0]}")
        return {"runner": str(RUNNER), "values": str(self._output), "checked": str(self._output)}

    def __enter__(self) -> OutlinedBuild:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            if process.poll() is None:
                process.kill()
            process.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)


def module_text(fragment: Fragment, nests: Nests, nest: Nest) -> str:
    """The module with a function that passes arguments from flat memory."""
    function = nests.module.llvm.function(nest.symbol)
    plain = MARKER.sub(r"define internal \1 \2() {\n  ret \1 zeroinitializer\n}", nests.text)
    declared = "" if re.search(r"^(declare|define) .*@malloc\(", plain, re.MULTILINE) else LIBRARY_CALLS.splitlines()[0]
    memcpy = "" if re.search(r"^declare .*@llvm.memcpy.p0.p0.i64\(", plain, re.MULTILINE) else LIBRARY_CALLS.splitlines()[1]
    return "\n".join((plain, declared, memcpy, _wrapper(fragment, nest.symbol, function.args, _result(nests, nest))))


def _result(nests: Nests, nest: Nest) -> str:
    """The LLVM type of what the function returns, from its definition."""
    name = rf'@"?{re.escape(nest.symbol)}"?\('
    found = re.search(rf"^define (?:[a-z_]+ )*?(void|\{{.*?\}}|[a-z]+\d*) {name}", nests.text, re.MULTILINE)
    if found is None:
        raise NotRunnable(f"the function {nest.symbol} was not found")
    return found[1]


def _wrapper(fragment: Fragment, symbol: str, args: tuple[Argument, ...], result: str) -> str:
    if len(args) != len(fragment.params) or any(param.field is not None for param in fragment.params):
        raise NotRunnable("the loop nest takes a struct, which cannot be passed to it alone")
    lines = ["define i32 @metalift_call(ptr %data, ptr %lengths) {"]
    for position, (param, arg) in enumerate(zip(fragment.params, args, strict=True)):
        lines += _passed(position, param, arg)
    listed = ", ".join(f"{arg.type} %a{position}" for position, arg in enumerate(args))
    call = f'call {result} @"{symbol}"({listed})'
    lines.append(f"  {call}" if result == "void" else f"  %result = {call}")
    lines += _taken(fragment.result, result, len(args))
    for position, param in enumerate(fragment.params):
        if param.kind is ParamKind.VECTOR_REF:
            lines += _given_back(position, param)
    return "\n".join([*lines, "  ret i32 0", "}", ""])


def _passed(position: int, param: Param, arg: Argument) -> list[str]:
    """The value of an argument, `%aN`: the memory itself, what it holds, or a std::vector or std::string on it."""
    at = f"%p{position}"
    lines = [f"  {at} = getelementptr ptr, ptr %data, i64 {position}"]
    if param.kind is ParamKind.POINTER:
        if param.rank != 1:
            raise NotRunnable("the loop nest takes pointers to rows, which cannot be passed to it alone")
        return [*lines, f"  %a{position} = load ptr, ptr {at}"]
    lines.append(f"  %d{position} = load ptr, ptr {at}")
    if param.kind is ParamKind.VALUE:
        if arg.type == "i1":
            return [*lines, f"  %b{position} = load i8, ptr %d{position}", f"  %a{position} = trunc i8 %b{position} to i1"]
        return [*lines, f"  %a{position} = load {arg.type}, ptr %d{position}"]
    if param.rank != 1:
        raise NotRunnable("the loop nest takes nested vectors, which cannot be passed to it alone")
    lines += [
        f"  %l{position} = getelementptr i64, ptr %lengths, i64 {RANK * position}",
        f"  %n{position} = load i64, ptr %l{position}",
        f"  %s{position} = mul i64 %n{position}, {BYTES[dtype(param.var.type)]}",
    ]
    if param.kind is ParamKind.VECTOR_REF:  # it may be given other memory
        lines += [
            f"  %t{position} = add i64 %s{position}, 1",
            f"  %m{position} = call ptr @malloc(i64 %t{position})",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %m{position}, ptr %d{position}, i64 %s{position}, i1 false)",
        ]
    begin = f"%{'m' if param.kind is ParamKind.VECTOR_REF else 'd'}{position}"
    if _is_string(param):
        return [*lines, *_string(position, begin)]
    return [
        *lines,
        f"  %e{position} = getelementptr i8, ptr {begin}, i64 %s{position}",
        f"  %a{position} = alloca [3 x ptr]",
        f"  store ptr {begin}, ptr %a{position}",
        f"  %f{position} = getelementptr ptr, ptr %a{position}, i64 1",
        f"  store ptr %e{position}, ptr %f{position}",
        f"  %g{position} = getelementptr ptr, ptr %a{position}, i64 2",
        f"  store ptr %e{position}, ptr %g{position}",
    ]


def _is_string(param: Param) -> bool:
    """Whether it is a std::string, of which the front end spells the type out."""
    return STRING.fullmatch(param.c_type) is not None


def _string(position: int, begin: str) -> list[str]:
    """A std::string of libstdc++ whose characters do not lie in it: a pointer, how many there are, and for how many is room."""
    if find_clang().zig:
        raise NotRunnable("the loop nest takes a std::string of libc++, which cannot be passed to it alone")
    return [
        f"  %a{position} = alloca [4 x i64]",
        f"  store ptr {begin}, ptr %a{position}",
        f"  %f{position} = getelementptr i64, ptr %a{position}, i64 1",
        f"  store i64 %n{position}, ptr %f{position}",
        f"  %g{position} = getelementptr i64, ptr %a{position}, i64 2",
        f"  store i64 %n{position}, ptr %g{position}",
    ]


def _given_back(position: int, param: Param) -> list[str]:
    """Where the elements of a std::vector or std::string are after the call, and how many."""
    where = [f"  %x{position} = load ptr, ptr %a{position}", f"  store ptr %x{position}, ptr %p{position}"]
    if _is_string(param):
        return [*where, f"  %y{position} = load i64, ptr %f{position}", f"  store i64 %y{position}, ptr %l{position}"]
    return [
        *where,
        f"  %y{position} = load ptr, ptr %f{position}",
        f"  %u{position} = ptrtoint ptr %x{position} to i64",
        f"  %v{position} = ptrtoint ptr %y{position} to i64",
        f"  %w{position} = sub i64 %v{position}, %u{position}",
        f"  %z{position} = sdiv i64 %w{position}, {BYTES[dtype(param.var.type)]}",
        f"  store i64 %z{position}, ptr %l{position}",
    ]


def _taken(type_: Type | None, result: str, count: int) -> list[str]:
    """Store the results in their slots."""
    lines: list[str] = []
    if type_ is None:
        return lines
    parts = _parts(result)
    for number, part in enumerate(parts):
        value = "%result"
        if isinstance(type_, TupleType):
            value = f"%item{number}"
            lines.append(f"  {value} = extractvalue {result} %result, {number}")
        if part == "i1":
            lines.append(f"  {value}.byte = zext i1 {value} to i8")
            value, part = f"{value}.byte", "i8"
        lines += [
            f"  %slot{number} = getelementptr ptr, ptr %data, i64 {count + number}",
            f"  %place{number} = load ptr, ptr %slot{number}",
            f"  store {part} {value}, ptr %place{number}",
        ]
    return lines


def _parts(result: str) -> list[str]:
    return [part.strip() for part in result.strip("{}").split(",")]
