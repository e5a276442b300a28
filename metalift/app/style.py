"""How code is written, by the names that the command line and `metalift.lift` have for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metalift.system.names import chosen

if TYPE_CHECKING:
    from metalift.codegen.request import Style

STYLES = ("guarded", "plain", "full")
SIGNATURES = ("source", "tensor")


def code_style(style: str, signature: str) -> Style:
    """Raises UsageError for names that there are not."""
    from metalift.codegen.request import Signature, Style

    chosen([style], STYLES, "style", "of code")
    chosen([signature], SIGNATURES, "signature", "of code")
    return Style(style != "plain", Signature(signature), style == "full")
