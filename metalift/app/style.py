"""How code is written, by the names that the command line and `metalift.lift` have for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metalift.system.names import chosen

if TYPE_CHECKING:
    from metalift.codegen.request import Style

STYLES = ("guarded", "plain", "full")
SIGNATURES = ("source", "tensor")
NO_NAMES: Mapping[str, str] = {}


def code_style(style: str, signature: str, columns: Mapping[str, str] = NO_NAMES) -> Style:
    """Raises UsageError for names that there are not. `columns`: fields in the source, and what tables call them."""
    from metalift.codegen.request import Signature, Style

    chosen([style], STYLES, "style", "of code")
    chosen([signature], SIGNATURES, "signature", "of code")
    return Style(style != "plain", Signature(signature), style == "full", tuple(columns.items()))
