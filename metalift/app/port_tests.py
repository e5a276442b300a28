"""`pytest --metalift`: a test for each port that a file declares; one that is not proved fails, with an input if it differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from metalift.frontend import Declared

_MARK = "port_of"  # without it in its text, a file declares none


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("metalift")
    group.addoption("--metalift", action="store_true", help="prove the ports that Python files declare with @metalift.port_of")
    seconds = "seconds for an obligation of a port's proof (default: 10)"
    group.addoption("--metalift-timeout", type=float, default=10.0, metavar="S", help=seconds)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The ports of a file, whatever its name."""
    if not parent.config.getoption("metalift") or file_path.suffix != ".py" or _MARK not in file_path.read_text(errors="replace"):
        return None
    found: pytest.Collector = PortFile.from_parent(parent, path=file_path)
    return found


class PortFile(pytest.File):
    """A file that may declare ports; it is parsed, not imported."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each."""
        from metalift.frontend import open_source, ports_of

        for port in ports_of(open_source(self.path)):
            item: Port = Port.from_parent(self, name=f"{port.name} is a port of {port.source}")
            item.port = port
            yield item


class NotEqual(Exception):
    """A port that is not proved to compute what its source does; the message is what `metalift equiv` prints."""


class Port(pytest.Item):
    """The test of one port."""

    port: Declared

    def runtest(self) -> None:
        """Raises NotEqual."""
        from metalift.app.equiv import shown
        from metalift.pipeline.equivalence import EquivVerdict
        from metalift.pipeline.ports import check_port

        result = check_port(self.path, self.port, timeout=self.config.getoption("metalift_timeout"))
        if result.verdict is not EquivVerdict.EQUAL:
            raise NotEqual(shown(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Without the stack, which says nothing of the port."""
        from metalift.ir.program.fragment import Unsupported
        from metalift.result.errors import MetaliftError

        known = isinstance(excinfo.value, NotEqual | MetaliftError | Unsupported)
        return str(excinfo.value) if known else str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the port stands."""
        return self.path, self.port.line - 1, self.name
