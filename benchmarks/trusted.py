"""How much of metalift a verdict rests on: the modules that `metalift check` reaches, and their lines, by part.

    python -m benchmarks.trusted

Imports inside functions count. Left out are the driver, of which the meanings are read, the solvers and the compiler.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import grimp

ROOT = "metalift.check.recheck"


def reached(root: str = ROOT) -> frozenset[str]:
    """The modules that a module imports, whichever way, and itself."""
    graph = grimp.build_graph("metalift", cache_dir=None)
    return frozenset(graph.find_upstream_modules(root)) | {root}


def lines(module: str) -> int:
    """The lines of a module."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    return len(Path(spec.origin).read_text(encoding="utf-8").splitlines())


def main() -> None:
    """Print the table."""
    modules, sizes = Counter[str](), Counter[str]()
    for module in reached():
        part = ".".join(module.split(".")[1:3]) if module.startswith("metalift.frontend.") else module.split(".")[1]
        modules[part] += 1
        sizes[part] += lines(module)
    for part, size in sizes.most_common():
        print(f"{part:20} {modules[part]:4} modules {size:7,} lines")
    print(f"{'in all':20} {modules.total():4} modules {sizes.total():7,} lines")


if __name__ == "__main__":
    main()
