"""Completion scripts for bash, zsh and fish, made from the argument parser: commands, options, and what an option may be."""

from __future__ import annotations

import argparse
import importlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from metalift.system.argument_types import DRIVERS

FILES, FOLDERS, FUNCTIONS = "files", "folders", "functions"


@dataclass(frozen=True, slots=True)
class Argument:
    """An option with its spellings, or, without any, a positional argument. `takes`: FILES, FOLDERS, FUNCTIONS of the file that
    is the command's first argument, words, or nothing; `several`: these with commas between them.
    """

    spellings: tuple[str, ...]
    help: str
    has_value: bool
    takes: str | tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command, with its sentence and its arguments."""

    name: str
    help: str
    arguments: tuple[Argument, ...]

    @property
    def options(self) -> tuple[Argument, ...]:
        """The arguments that begin with a dash."""
        return tuple(argument for argument in self.arguments if argument.spellings)

    @property
    def operands(self) -> tuple[Argument, ...]:
        """The other arguments."""
        return tuple(argument for argument in self.arguments if not argument.spellings)


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for a shell, which the shell is to read when it starts."""
    commands = tuple(_commands(parser))
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parser.prog, commands)


def _commands(parser: argparse.ArgumentParser) -> Iterator[Command]:
    """The commands of a parser; argparse has no public way to list them."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            sentences = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                shown = [item for item in command._actions if item.help != argparse.SUPPRESS]
                yield Command(name, sentences.get(name, ""), tuple(map(_argument, shown)))


def _argument(action: argparse.Action) -> Argument:
    """One argument of a command."""
    has_value = action.nargs != 0
    takes: str | tuple[str, ...] = ()
    if action.choices is not None:
        takes = tuple(str(choice) for choice in action.choices)
    elif action.dest == "to":
        takes = targets()
    elif action.dest == "function" and action.option_strings:
        takes = FUNCTIONS
    elif action.type is Path or action.dest in ("file", "driver"):
        takes = FOLDERS if action.metavar in ("DIR", "CERTIFICATE") else FILES
    return Argument(tuple(action.option_strings), action.help or "", has_value, takes, action.dest == "to")


def targets() -> tuple[str, ...]:
    """The targets of metalift's own drivers."""
    return tuple(dict.fromkeys(target for its in importlib.import_module(DRIVERS).TARGETS.values() for target in its))


def _bash(prog: str, commands: Sequence[Command]) -> str:
    lines = [
        f"# Completion of {prog} for bash; put it into ~/.local/share/bash-completion/completions/{prog}",
        f"_{prog}() {{",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        "    COMPREPLY=()",
        '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f'        COMPREPLY=($(compgen -W "{" ".join(command.name for command in commands)} --help --version" -- "$current"))',
        "        return",
        "    fi",
        '    case "${COMP_WORDS[1]}:$previous" in',
    ]
    for command in commands:
        for option in command.options:
            if option.has_value:
                patterns = "|".join(f"{command.name}:{spelling}" for spelling in option.spellings)
                lines.append(f"    {patterns}) {_bash_values(option, prog)} return ;;")
    lines += ["    esac", '    case "${COMP_WORDS[1]}" in']
    for command in commands:
        words = [spelling for option in command.options for spelling in option.spellings]
        lines.append(f'    {command.name}) if [ "${{current#-}}" != "$current" ]; then')
        lines.append(f'        COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$current"))')
        lines.append(f"    else {' '.join(_bash_values(operand, prog) for operand in command.operands) or ':;'} fi ;;")
    lines += ["    esac", "}", f"complete -o filenames -F _{prog} {prog}"]
    return "\n".join(lines)


def _bash_values(argument: Argument, prog: str) -> str:
    """The statement that adds what an argument may be."""
    match argument.takes:
        case "files":
            return 'COMPREPLY+=($(compgen -f -- "$current"));'
        case "folders":
            return 'COMPREPLY+=($(compgen -d -- "$current"));'
        case "functions":
            names = f'$({prog} completion --functions "${{COMP_WORDS[2]}}" 2>/dev/null)'
            return f'COMPREPLY+=($(compgen -W "{names}" -- "$current"));'
        case words if argument.several:
            given = 'local last="${current##*,}"; local first="${current%"$last"}";'
            return f'{given} COMPREPLY+=($(compgen -P "$first" -W {shlex.quote(" ".join(words))} -- "$last"));'
        case words:
            return f'COMPREPLY+=($(compgen -W {shlex.quote(" ".join(words))} -- "$current"));'


def _zsh(prog: str, commands: Sequence[Command]) -> str:
    lines = [
        f"#compdef {prog}",
        f"# Completion of {prog} for zsh; put it into a folder of $fpath as _{prog}",
        f"_{prog}() {{",
        "    local -a commands",
        "    commands=(" + " ".join(shlex.quote(f"{command.name}:{_plain(command.help)}") for command in commands) + ")",
        "    if (( CURRENT == 2 )); then _describe command commands; return; fi",
        "    local command=$words[2]",
        "    shift words; (( CURRENT-- ))",
        "    case $command in",
    ]
    for command in commands:
        specs = [shlex.quote(spec) for argument in command.arguments for spec in _zsh_specs(argument, prog)]
        lines.append(f"    {command.name}) _arguments {' '.join(specs)} ;;")
    lines += ["    esac", "}", f"compdef _{prog} {prog}"]
    return "\n".join(lines)


def _zsh_specs(argument: Argument, prog: str) -> Iterator[str]:
    """The specifications for _arguments."""
    match argument.takes:
        case "files":
            values = "_files"
        case "folders":
            values = "_files -/"
        case "functions":
            values = f"{{compadd -- $({prog} completion --functions $words[2] 2>/dev/null)}}"
        case words:
            values = f"({' '.join(words)})"
    for spelling in argument.spellings:
        sentence = f"{spelling}[{_plain(argument.help)}]"
        yield f"{sentence}:value:{values}" if argument.has_value else sentence
    if not argument.spellings:
        yield f"*::{_plain(argument.help) or 'argument'}:{values}"


def _fish(prog: str, commands: Sequence[Command]) -> str:
    lines = [
        f"# Completion of {prog} for fish; put it into ~/.config/fish/completions/{prog}.fish",
        f"complete -c {prog} -f",
    ]
    for command in commands:
        lines.append(f"complete -c {prog} -n __fish_use_subcommand -a {command.name} -d {shlex.quote(_plain(command.help))}")
        within = f"complete -c {prog} -n '__fish_seen_subcommand_from {command.name}'"
        for argument in command.arguments:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in argument.spellings)
            values = _fish_values(argument, prog) if argument.has_value else ""
            lines.append(" ".join(part for part in (within, names, values, f"-d {shlex.quote(_plain(argument.help))}") if part))
    return "\n".join(lines)


def _fish_values(argument: Argument, prog: str) -> str:
    """The flags that say what an argument may be; an option's value is required."""
    required = "-r" if argument.spellings else ""
    match argument.takes:
        case "files":
            return f"{required} -F".strip()
        case "folders":
            return f"{required} -a '(__fish_complete_directories)'".strip()
        case "functions":
            return f"{required} -a '({prog} completion --functions (commandline -opc)[3] 2>/dev/null)'".strip()
        case words:
            return f"{required} -a {shlex.quote(' '.join(words))}".strip()


def _plain(text: str) -> str:
    """A help text without what zsh would take as syntax."""
    for special, plain in (("[", "("), ("]", ")"), (":", ","), ("'", "")):
        text = text.replace(special, plain)
    return text
