"""The ports that a file declares, each proved to compute what its source does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from metalift.frontend import Declared, open_source, ports_of
from metalift.ir.program.fragment import Unsupported
from metalift.pipeline.equivalence import EquivResult, equiv
from metalift.pipeline.sides import told_at
from metalift.result.errors import UsageError
from metalift.system import arguments
from metalift.system.names import chosen


def find_ports(path: Path, name: str | None = None) -> list[Declared]:
    """The ports of a file, or those that one function of it is. Raises UsageError where there are none or one is not readable."""
    arguments.source_text(path)
    try:
        found = ports_of(open_source(path))
    except Unsupported as problem:
        raise UsageError(told_at(problem.diagnostic)) from problem
    if not found:
        raise UsageError(f"{path} declares no port; write @metalift.port_of(SOURCE, FUNCTION) above it, or name a second file")
    if name is None:
        return found
    wanted = chosen([name], list(dict.fromkeys(each.name for each in found)), "port", f"in {path}")
    return [each for each in found if each.name in wanted]


def check_port(
    path: Path, port: Declared, *, clang_args: Sequence[str] = (), timeout: float = 10.0, time_limit: float | None = None
) -> EquivResult:
    """What is known of a port and its source. Raises UsageError."""
    source = path.parent / port.source
    return equiv(
        source,
        path,
        functions=(port.function, port.name),
        names=port.map,
        shapes=port.shapes,
        assume=port.assume,
        clang_args=clang_args,
        timeout=timeout,
        time_limit=time_limit,
    )
