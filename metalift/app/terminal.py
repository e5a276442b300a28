"""What a terminal can do and a pipe cannot: colours, and a line that is written over."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TextIO

CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours on a terminal; in a pipe, or where NO_COLOR is set, there are none."""

    on: bool

    @classmethod
    def of(cls, stream: TextIO) -> Paint:
        """Whether that stream gets colours."""
        return cls(stream.isatty() and "NO_COLOR" not in os.environ)

    def word(self, text: str, colour: str, width: int = 0) -> str:
        """The text in a colour, and blanks up to the width."""
        blanks = " " * (width - len(text))
        return f"\033[{CODES[colour]}m{text}\033[0m{blanks}" if self.on and colour else text + blanks

    def bold(self, text: str) -> str:
        """The text as it stands out."""
        return self.word(text, "bold")


@dataclass(slots=True)
class Progress:
    """One line at the bottom of a terminal; nothing where the stream is none."""

    stream: TextIO
    shown: bool = False

    def show(self, text: str) -> None:
        """Put this in the place of what is there."""
        if self.stream.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=self.stream, flush=True)
            self.shown = True

    def clear(self) -> None:
        """Leave the line empty."""
        if self.shown:
            print("\r\033[K", end="", file=self.stream, flush=True)
            self.shown = False
