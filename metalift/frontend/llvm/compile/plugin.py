"""Runs the LLVM plugin of llvm-pass/ on a module, where it is built: markers for uninitialised locals, inlining, promotion.

The importer does without it too: it then inserts the markers, inlines and promotes by itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from metalift.system.files import digest, user_cache

PACKAGE = Path(__file__).resolve().parents[3]
FOLDER = Path(__file__).resolve().parents[4] / "llvm-pass" / "build"
LIBRARY = re.compile(r"libmetalift-(\d+)\.(so|dylib)\Z")
TIMEOUT = 60.0  # seconds
BUILD = "`metalift doctor --build-pass` builds it"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A built plugin and the opt that loads it."""

    library: Path
    opt: str


def find_plugin() -> Plugin | str:
    """The plugin named by METALIFT_PLUGIN, else that of llvm-pass/build, else the cached one; a text says why there is none."""
    chosen = os.environ.get("METALIFT_PLUGIN")
    if chosen == "none":
        return "METALIFT_PLUGIN=none"
    candidates = [Path(chosen)] if chosen else [*sorted(FOLDER.glob("libmetalift-*"), reverse=True), *built_plugins()]
    found = [(library, named[1]) for library in candidates if library.is_file() and (named := LIBRARY.search(library.name))]
    if not found:
        return f"METALIFT_PLUGIN names no libmetalift-*.so: {chosen}" if chosen else f"it is not built; {BUILD}"
    for library, version in found:
        for opt in (f"opt-{version}", f"/usr/lib/llvm-{version}/bin/opt"):
            if shutil.which(opt):
                return Plugin(library, opt)
    return f"{found[0][0].name} needs opt-{found[0][1]}, which was not found; apt-get install llvm-{found[0][1]}"


def run_plugin(plugin: Plugin, text: str, passes: str = "metalift") -> tuple[str, str]:
    """The module after the plugin's passes, and why they could not be run (then the text is as before)."""
    command = [plugin.opt, f"-load-pass-plugin={plugin.library}", f"-passes={passes}", "-S", "-o", "-", "-"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT, check=False, errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        return text, str(error)
    if done.returncode != 0:
        return text, f"{plugin.opt} with {plugin.library.name}: {done.stderr.strip().splitlines()[:1]}"
    return done.stdout, ""


def source_folder() -> Path:
    """The plugin's sources: `llvm-pass/` of a source tree, or their copy inside the installed package."""
    tree = PACKAGE.parent / "llvm-pass"
    return tree if (tree / "Plugin.cpp").is_file() else PACKAGE / "llvm_pass"


def built_plugins() -> list[Path]:
    """The plugins in the user's cache that were built from these sources, those for the newest LLVM first."""
    return sorted((user_cache() / "plugin").glob(f"llvm-*-{sources_digest(source_folder())}/libmetalift-*"), reverse=True)


def sources_digest(folder: Path) -> str:
    """A name for the contents of the sources."""
    return digest(folder, (*folder.glob("*.cpp"), *folder.glob("*.h")))[:16]
