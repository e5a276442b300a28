"""The text of expressions, types, fragments and summaries: `show...` writes it, `parse` and `parse_type` read it back."""

from metalift.ir.listing import show_fragment, show_program, show_summary
from metalift.ir.parser import parse, parse_type
from metalift.ir.printer import show
from metalift.ir.tokens import ParseError
from metalift.ir.types import show_type

__all__ = ["ParseError", "parse", "parse_type", "show", "show_fragment", "show_program", "show_summary", "show_type"]
