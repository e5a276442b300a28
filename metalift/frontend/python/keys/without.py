"""A function that makes dictionaries or sets as one that makes none: at one key, or without those that are only asked."""

from __future__ import annotations

import ast

from metalift.frontend.python.keys.all_keys import of_all_keys
from metalift.frontend.python.keys.containers import has_other_meaning
from metalift.frontend.python.keys.keyed import Keyed, at_one_key, prepared
from metalift.frontend.python.keys.lookups import without_lookups
from metalift.frontend.python.keys.membership import without_membership
from metalift.frontend.python.keys.running import without_running
from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.program.fragment import Unsupported


def without_dictionaries(module: PythonModule, function: ast.FunctionDef) -> tuple[PythonModule, Keyed | None, ast.FunctionDef]:
    """The function at one key where it makes dictionaries or sets, but for those that it only asks what they have."""
    if has_other_meaning(module, function):
        return module, None, function  # which makes none that are known by the names of their types
    try:
        found = module, *_at_one_key(module, function)
    except Unsupported:
        running = without_running(module, function)
        asked = without_lookups(*(running or (module, function))) or running
        if asked is None:
            raise
        found = asked[0], *_at_one_key(*asked)
    if name := has_other_meaning(module, found[2]):
        needed = f"{name}, which dictionaries and sets are read with, and which means something else here"
        module.place.refuse(function, f"{needed}; give yours another name")
    return found


def _at_one_key(module: PythonModule, function: ast.FunctionDef) -> tuple[Keyed | None, ast.FunctionDef]:
    """The function at one key where it makes dictionaries or sets, with those that are only asked what they have written out, and
    without values of all keys.
    """
    asked = without_membership(function)
    try:
        keyed = at_one_key(module, prepared(module, function))
    except Unsupported:
        try:
            if asked is None:
                raise
            keyed, function = at_one_key(module, prepared(module, asked)), asked
        except Unsupported:
            split = of_all_keys(module, asked or function)
            if split is None:
                raise
            keyed, function = at_one_key(module, split), split.function
    if keyed is not None:
        return keyed, without_membership(keyed.function) or keyed.function
    plain = without_membership(function) or function
    split = of_all_keys(module, plain)
    return None, plain if split is None else split.function
