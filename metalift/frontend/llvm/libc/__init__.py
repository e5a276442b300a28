"""Functions of the C library on strings and characters, as C: what a source that calls them is linked with."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from metalift.frontend.llvm.read.llvm_text import mentions
from metalift.ir.program.fragment import Premise, PremiseKind

SOURCE = Path(__file__).with_name("strings.c")
NO_BUILTINS = ("-ffreestanding", "-fno-builtin")  # or clang makes a call of strlen of the loop that is its body
LENGTHS = frozenset(("strlen", "strnlen"))
COMPARISONS = frozenset(("strcmp", "strncmp", "memcmp", "bcmp"))
OF_CHARACTERS = frozenset(("isalnum", "isalpha", "isdigit", "islower", "isspace", "isupper", "isxdigit", "tolower", "toupper"))
FUNCTIONS = LENGTHS | COMPARISONS | OF_CHARACTERS
GLIBC = Premise("the C library's functions on strings and characters give what glibc's give in the locale C", PremiseKind.VALUES)


@lru_cache(maxsize=1)
def text_of_strings() -> str:
    """The text of the module. Raises SourceError where it cannot be compiled."""
    from metalift.frontend.llvm.compile.clang import compiled_text, read_source  # only sources that need it pay for it

    return compiled_text(SOURCE, read_source(SOURCE), NO_BUILTINS, None)


def relied_on(compiled: str, symbol: str) -> tuple[Premise, ...]:
    """What is taken for granted of a function in a module before any pass: where the C standard leaves results open."""
    uses = mentions(compiled)
    if not any(name in uses for name in FUNCTIONS):
        return ()
    seen: set[str] = set()
    pending = [symbol] if symbol in uses else list(uses)  # a loop that was cut out may have any call
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += uses.get(name, ())
    return () if seen.isdisjoint(COMPARISONS | OF_CHARACTERS) else (GLIBC,)
