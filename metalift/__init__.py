"""metalift: verified lifting of loops to tensor code. `metalift.lift(source, to=..., driver=...)` is the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from metalift.version import __version__

if TYPE_CHECKING:
    from metalift.llm.opening import LlmOptions
    from metalift.result import Result

__all__ = ["__version__", "lift", "port_of"]

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
    source: str | Path,
    *,
    functions: Sequence[str] = (),
    to: Sequence[str] = ("numpy",),
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
) -> Result:
    """Lift the functions of a C, C++ or Python file (all of them where `functions` is empty) to the targets named in `to`.

    `line`: lift the loop nest that begins there instead, or else the largest around the line that can be lifted. `nests`: where a
    function cannot be lifted, lift its loop nests. `out`: folder for the generated files, none are written where it is None.
    `others`: files of the same program, or folders of them, beside those of its compile_commands.json. `pure`: functions without
    a body whose calls stay calls. `timeout`: seconds for each obligation. `proposer`: who proposes programs in operators, as on
    the command line; None asks a model too where a key is set. `llm`: how models are asked.
    Raises `metalift.result.errors.UsageError` where the file cannot be read or compiled, or a name is unknown.
    """
    from metalift.app.proposers import open_proposer
    from metalift.frontend.files import program_of
    from metalift.llm.opening import LlmOptions as Options  # the heavy imports only where they are needed
    from metalift.pipeline import lift as lift_file

    return lift_file(
        Path(source),
        functions=functions,
        to=to,
        driver=driver,
        assume=assume,
        out=None if out is None else Path(out),
        program=program_of(Path(source), tuple(map(Path, others)), clang_args),
        pure=pure,
        dump_dir=None if dump_dir is None else Path(dump_dir),
        timeout=timeout,
        line=line,
        nests=nests,
        proposer=open_proposer(proposer, llm or Options(), Path.cwd()),
    )
