"""Transactions for tests: their summaries, the programs that are found for them, and the pipelines that are written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from metalift.driver import Driver, Request
from metalift.driver.files import load
from metalift.frontend import functions_of, import_function, open_source
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.synth.cover import cover
from metalift.synth.derive import derive

LOADED = load("packet")
DRIVER: Driver = LOADED.driver
SIMULATOR = LOADED.path.with_name("simulator.py")


@dataclass(frozen=True, slots=True)
class Transaction:
    """A source's function with its summary."""

    fragment: Fragment
    summary: Summary

    def program(self) -> TargetProgram:
        """The program that the search finds. Raises NotCovered."""
        return cover(self.summary, self.fragment, DRIVER, "switch")

    def text(self, program: TargetProgram) -> str:
        """The pipeline. Raises CannotWrite."""
        write = DRIVER.target("switch").write
        assert write is not None
        text = write(Request(self.fragment, self.summary, program))
        assert isinstance(text, str)
        return text


def transaction(source: str, folder: Path) -> Transaction:
    """The last function of a source text."""
    path = folder / "transaction.c"
    path.write_text(source, encoding="utf-8")
    module = open_source(path, (), DRIVER.externals)
    name, _ = list(functions_of(module))[-1]
    fragment = import_function(module, name)
    return Transaction(fragment, derive(fragment))


def on(state: str, packet: str, body: str, before: str = "") -> str:
    """A transaction on fields of two structs."""
    structs = f"struct state {{ {state} }};\nstruct packet {{ {packet} }};"
    return f"#include <stdint.h>\n{structs}\n{before}\nvoid step(struct state *s, struct packet *p) {{ {body} }}\n"
