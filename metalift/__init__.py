"""metalift: verified lifting of loops to tensor code. `metalift.lift(source, to=..., driver=...)` is the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from metalift.result.errors import MetaliftError, NotProved, UsageError
from metalift.version import __version__

if TYPE_CHECKING:
    from metalift.app.api.results import LiftResult
    from metalift.app.scan.rows import Scan
    from metalift.llm.opening import LlmOptions

__all__ = ["MetaliftError", "NotProved", "UsageError", "__version__", "lift", "lifted", "port_of", "scan"]

_Port = TypeVar("_Port", bound=Callable[..., object])


def port_of(
    source: str,
    function: str | None = None,
    *,
    shapes: str = "",
    map: Mapping[str, str] | None = None,
    assume: Sequence[str] = (),
) -> Callable[[_Port], _Port]:
    """Declares the function below as a port of one in another file; at run time nothing comes of it.

    `metalift equiv FILE.py` and `pytest --metalift` read these declarations, which are literals, and prove that each port
    computes what its source does. `source`: the file, from the folder of this one. `function`: its name there, the port's own
    where it is None and several are there. `shapes`: how long the port's arrays are, as `--shapes` takes it. `map`: the
    source's names of the port's parameters. `assume`: conditions on the source's parameters under which it is a port.
    """
    return _same


def _same(function: _Port) -> _Port:
    return function


def lift(
    source: str | Path | Callable[..., Any],
    *,
    functions: Sequence[str] = (),
    to: str | Sequence[str] = ("numpy",),
    driver: str | None = None,
    assume: Sequence[str] = (),
    out: str | Path | None = None,
    clang_args: Sequence[str] = (),
    others: Sequence[str | Path] = (),
    pure: Sequence[str] = (),
    dump_dir: str | Path | None = None,
    timeout: float = 10.0,
    line: int | None = None,
    nests: bool = False,
    proposer: str | None = "search",
    llm: LlmOptions | None = None,
    language: str | None = None,
    style: str = "guarded",
    signature: str = "source",
    columns: Mapping[str, str] = MappingProxyType({}),
) -> LiftResult:
    """Lift the functions of a C, C++ or Python file (all of them where `functions` is empty) to the targets named in `to`.

    `source`: the path of a file, the text of one (of several lines, in the `language` "c", "c++" or "python"), or a Python
    function. `result["name"]` then has `.code`, `.function`, `.report()`, and all that `--json` prints.
    `line`: lift the loop nest that begins there instead, or else the largest around the line that can be lifted. `nests`: where a
    function cannot be lifted, lift its loop nests. `out`: folder for the generated files, none are written where it is None.
    `others`: files of the same program, or folders of them, beside those of its compile_commands.json. `pure`: functions without
    a body whose calls stay calls. `timeout`: seconds for each obligation. `proposer`: who proposes programs in operators, as on
    the command line; None asks a model too where a key is set. `llm`: how models are asked. `style`: "guarded", "plain" for code
    without checks, or "full" for more of them; `signature`: "source", or "tensor" for functions that take and return tensors with
    their own axes. `columns`: what tables of the target `dataframe` call the fields of records.
    Raises UsageError where the source cannot be read or compiled, or a name is unknown.
    """
    from metalift.app.api.lifting import lift as lift_given  # the heavy imports only where they are needed
    from metalift.app.style import code_style

    return lift_given(
        source,
        language=language,
        functions=functions,
        to=to,
        out=out,
        clang_args=clang_args,
        others=others,
        dump_dir=dump_dir,
        proposer=proposer,
        llm=llm,
        more={
            "driver": driver,
            "assume": assume,
            "pure": pure,
            "timeout": timeout,
            "line": line,
            "nests": nests,
            "style": code_style(style, signature, columns),
        },
    )


def lifted(
    *, to: str = "numpy", strict: bool = False, assume: Sequence[str] = (), driver: str | None = None, timeout: float = 10.0
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that runs proved code in the place of a Python function.

    The function is lifted when it is first called. Its arguments are then those that the code takes, such as arrays of the
    target's library; it raises ValueError where they are not what was assumed. Where it is not proved, or its code does not
    agree, the original runs, with one RuntimeWarning; with `strict` that raises NotProved.
    """
    from metalift.app.api.decorating import replacement

    options = {"to": to, "assume": assume, "driver": driver, "timeout": timeout}
    return lambda function: replacement(function, strict, options)


def scan(path: str | Path, *, clang_args: Sequence[str] = (), others: Sequence[str | Path] = (), jobs: int = 1) -> Scan:
    """Which functions and loop nests of a folder or file can be lifted, and why not the others: a row for each.

    Raises UsageError where there is nothing to scan.
    """
    from metalift.app.scan import run

    return run.scan(Path(path), run.Options(clang_args=tuple(clang_args), others=tuple(map(Path, others)), jobs=jobs))


def load_ipython_extension(shell: Any) -> None:  # noqa: ANN401 - IPython, which need not be installed
    """`%load_ext metalift` in IPython or Jupyter: the magic `%%metalift`."""
    from metalift.app.api.magic import load

    load(shell)
