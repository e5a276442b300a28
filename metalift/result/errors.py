"""What a user's mistake and a broken surrounding raise; a source that cannot be lifted is a verdict, not an error."""

from __future__ import annotations


class MetaliftError(Exception):
    """The base of the errors that the command line prints as one message, without a traceback."""


class UsageError(MetaliftError):
    """Bad use, exit status 2: a file that cannot be read or compiled, an unknown name, a folder that cannot be written."""


class SourceError(UsageError):
    """The source file cannot be read or compiled, or lacks the function that was asked for."""


class NotProved(MetaliftError):
    """There is no code, or none that may be used: its function is not lifted, or what was asked to be proved is not."""
