"""Programs compiled with checks, and by each compiler at two levels, behind functions that survive what they do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.random_kernels import Param, Program
from benchmarks.random_terms import CTYPES
from metalift.frontend.llvm.compile.compilers import find_clang

HEADERS = {
    "c": "#include <stddef.h>\n#include <stdint.h>\n\n",
    "cc": "#include <cstddef>\n#include <cstdint>\n#include <vector>\n\n",
    "py": "",
}
CHECKS = (
    "type_mismatch alignment_assumption add_overflow sub_overflow mul_overflow negate_overflow divrem_overflow "
    "shift_out_of_bounds "
    "out_of_bounds local_out_of_bounds builtin_unreachable missing_return vla_bound_not_positive float_cast_overflow "
    "load_invalid_value invalid_builtin nonnull_arg nonnull_return pointer_overflow"
).split()
PREAMBLE = """#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
static sigjmp_buf place;
static void stopped(int signal) { siglongjmp(place, signal == SIGPROF ? 3 : 2); }
static void watch(int on) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
  for (int k = 0; k < 6; k++) signal(signals[k], on ? stopped : SIG_DFL);
  struct itimerval limit = {{0, 0}, {0, on ? 200000 : 0}};
  setitimer(ITIMER_PROF, &limit, 0);
}
"""
SANITIZED = "-fsanitize=undefined,float-cast-overflow"
CHECKED = ("-O1", SANITIZED, "-fno-sanitize=vptr,function", "-fsanitize-minimal-runtime", "-D_GLIBCXX_ASSERTIONS")
COMMON = ("-shared", "-fPIC", "-w", "-ffp-contract=off", "-std=gnu++17")
LEVELS = ("-O0", "-O2")
FLAGS = "  lengths[0] = !!fetestexcept(FE_INEXACT) + 2 * !!fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);"
GCC = {"c": "gcc", "cc": "g++"}


class NotCompiled(Exception):
    """The programs do not compile."""


def source_text(programs: Sequence[Program]) -> str:
    """The file that is lifted."""
    return HEADERS[programs[0].language] + "\n\n".join(one.text for one in programs)


def compiled(programs: Sequence[Program], source: Path, folder: Path) -> tuple[str, tuple[str, ...]]:
    """The library with checks, and those that give values: clang's and, where it is installed, gcc's, at each level.

    The first of the latter is not optimised, so that it raises the floating-point flags that the source's operations raise.
    Raises NotCompiled.
    """
    language = programs[0].language
    wrapper = folder / f"wrapper.{language}"
    parts = [PREAMBLE, f'#include "{source.name}"\n']
    if language == "cc":
        parts.append('extern "C" {\n')
    handlers = (f"void __ubsan_handle_{check}_minimal{end}(void)" for check in CHECKS for end in ("", "_abort"))
    parts += [f"{handler} {{ siglongjmp(place, 1); }}\n" for handler in handlers]
    parts += [entry(one) for one in programs]
    if language == "cc":
        parts.append("}\n")
    wrapper.write_text("".join(parts), encoding="utf-8")
    clang = find_clang()
    cplusplus = language == "cc"
    gcc = shutil.which(GCC[language])
    commands = [[*clang.command(cplusplus=cplusplus), level] for level in LEVELS]
    commands += [[gcc, level] for level in LEVELS if gcc is not None]
    checked = built([*clang.command(cplusplus=cplusplus, watched=True), *CHECKED], wrapper, folder / "checked.so")
    return checked, tuple(built(command, wrapper, folder / f"values{at}.so") for at, command in enumerate(commands))


def built(command: Sequence[str], wrapper: Path, output: Path) -> str:
    """The library that a compiler makes of the wrapper. Raises NotCompiled."""
    dialect = [option for option in COMMON if wrapper.suffix == ".cc" or not option.startswith("-std")]
    whole = [*command, *dialect, "-I", str(wrapper.parent), str(wrapper), "-o", str(output), "-lm"]
    done = subprocess.run(whole, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise NotCompiled(done.stderr[:2000])
    return str(output)


def entry(one: Program) -> str:
    """The function that calls a program with what is in the slots: the result's place first.

    The first of the lengths is 1 where a float was rounded, and 2 more where one was infinite or no number.
    """
    lines = [f"int call_{one.name}(void **slots, int64_t *lengths, int64_t *same) {{", "  void *vectors[16];"]
    args, after = [], []
    for at, param in enumerate(one.params, 1):
        setup, arg, back = passed(param, at)
        lines += setup
        args.append(arg)
        after += back
    result = f"*({CTYPES[one.result]} *)slots[0] = " if one.result else ""
    lines += ["  int status = sigsetjmp(place, 1);", "  if (status != 0) { watch(0); return status; }", "  watch(1);"]
    lines.append("  feclearexcept(FE_ALL_EXCEPT);")
    lines += [f"  {result}{one.name}({', '.join(args)});", FLAGS, "  watch(0);", *after, "  return 0;", "}"]
    return "\n".join(lines) + "\n"


def passed(param: Param, at: int) -> tuple[list[str], str, list[str]]:
    """How an argument is made, what it is, and what is read back. One vector may be passed twice."""
    type_ = CTYPES[param.type]
    if param.form == "value":
        return [], f"*({type_} *)slots[{at}]", []
    if param.form == "pointer":
        return [], f"({type_} *)slots[{at}]", []
    start = f"({type_} *)slots[{at}]"
    own = f"static std::vector<{type_}> own{at}; own{at}.assign({start}, {start} + lengths[{at}]);"
    holds = f"static std::vector<{type_}> *held{at}; held{at} = &own{at};"
    share = " ".join(f"if (same[{at}] == {other}) held{at} = (std::vector<{type_}> *)vectors[{other}];" for other in range(1, at))
    back = (
        f"  lengths[{at}] = held{at}->size(); memcpy(slots[{at}], held{at}->data(), held{at}->size() * sizeof({type_}));"
        if param.form == "vector"
        else f"  memcpy(slots[{at}], held{at}->data(), held{at}->size() * sizeof({type_}));"
    )
    return [f"  {own}", f"  {holds} {share}", f"  vectors[{at}] = held{at};"], f"*held{at}", [back]
