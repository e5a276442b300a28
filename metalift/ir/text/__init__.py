"""The text of expressions, types, fragments and summaries: `show...` writes it, `parse` and `parse_type` read it back."""

from metalift.ir.expr.types import show_type
from metalift.ir.text.listing import show_fragment, show_program, show_staged, show_summary
from metalift.ir.text.parser import parse, parse_type
from metalift.ir.text.printer import show
from metalift.ir.text.tokens import ParseError
from metalift.ir.text.words import in_words

__all__ = [
    "ParseError",
    "in_words",
    "parse",
    "parse_type",
    "show",
    "show_fragment",
    "show_program",
    "show_staged",
    "show_summary",
    "show_type",
]
