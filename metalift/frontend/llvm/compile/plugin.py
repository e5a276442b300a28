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

from metalift.frontend.llvm.compile.plugin_build import built_plugins

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
