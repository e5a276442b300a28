"""docs/llm.md says what is so."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

from metalift.cli import _parser
from metalift.llm.arguments import llm_options
from metalift.llm.budget import Limits
from metalift.llm.keys import KEY_VARIABLES
from metalift.llm.models import parse_model
from metalift.llm.opening import LlmOptions
from metalift.llm.store import Call

TEXT = (Path(__file__).parents[2] / "docs" / "llm.md").read_text(encoding="utf-8")


def test_commands_are_commands() -> None:
    """And what they say of models are names of models."""
    commands = re.findall(r"^    metalift (.*?)(?:#.*)?$", TEXT, re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        options = _parser().parse_args(shlex.split(command))
        for model in getattr(options, "model", []):
            parse_model(model)


def test_options_are_options() -> None:
    words = set(re.findall(r"`(--[a-z-]+)", TEXT))
    known = {option for command in (["lift"], ["mcp"], ["llm", "log"]) for option in _help_options(command)}
    assert len(words) > 10 and words <= known


def _help_options(command: list[str]) -> set[str]:
    """The options of a command."""
    parser = _parser()
    for word in command:
        (commands,) = (action for action in parser._actions if isinstance(action.choices, dict))
        parser = commands.choices[word]  # type: ignore[index]  # argparse says nothing of its types
    return {option for action in parser._actions for option in action.option_strings}


def test_defaults_are_as_the_command_line_has_them() -> None:
    options = llm_options(_parser().parse_args(["lift", "kernel.c"]))
    assert options == LlmOptions()
    assert options.limits == Limits(100, 1_000_000, None)
    for number in ("100 ", "1,000,000", "16,000", "`--call-seconds` (300)", "`--exchange-seconds` (3600)"):
        assert number in TEXT


def test_names_every_key_and_field_of_the_log() -> None:
    assert all(f"`{name}`" in TEXT for name in KEY_VARIABLES)
    assert all(f"`{name}`" in TEXT for name in Call.__slots__)


def test_the_prices_are_of_the_right_form() -> None:
    (table,) = re.findall(r"^    (\[price\]\n    .*)$", TEXT, re.MULTILINE)
    (name,) = tomllib.loads(table.replace("\n    ", "\n"))["price"]
    parse_model(name)
