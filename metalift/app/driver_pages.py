"""What `metalift drivers` shows: targets with families of operators, the operators of one, or what an operator means."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Sequence
from pathlib import Path

from metalift.app.terminal import Paint
from metalift.driver import Driver, Operator, Target
from metalift.driver.files import Loaded, examples, from_others, installed, load, own
from metalift.driver.files import targets as own_targets
from metalift.driver.operators import PLACEHOLDER
from metalift.result.errors import UsageError
from metalift.system.names import chosen, did_you_mean

WIDTH = 100
TYPES = {"dtype": "float32"}  # of the result of an example


def overview(paint: Paint) -> str:
    """A line for each target: its driver, how many operators it has, and their families. Examples of drivers come last."""
    drivers = list(map(load, own()))
    rows = [("target", "driver", "operators", "families")]
    for loaded in sorted(drivers, key=lambda one: one.name in examples()):
        note = " (an example)" if loaded.name in examples() else ""
        for target in loaded.driver.targets:
            spelled = _spelled(loaded.driver, target)
            families = ", ".join(_families(spelled)) or "made by its own search"
            rows.append((target.name, f"{loaded.name}{note}", str(len(spelled) or len(loaded.driver.operators)), families))
    wide = [max(len(row[at]) for row in rows) for at in range(3)]
    lines = ["  ".join((*(text.ljust(width) for text, width in zip(row, wide, strict=False)), row[3])).rstrip() for row in rows]
    ending = "metalift drivers NAME [OPERATOR]: the operators of a target, or one"
    return "\n".join([paint.bold(lines[0]), *lines[1:], *_others(), ending])


def operators(name: str) -> str:
    """The operators of a target or a driver, by family."""
    loaded, target = _named(name)
    spelled = _spelled(loaded.driver, target) if target else list(loaded.driver.operators.values())
    spelled = spelled or list(loaded.driver.operators.values())
    lines = [f"{name}: {len(spelled)} operators of the driver {loaded.name}"]
    for family, members in _families(spelled).items():
        text = textwrap.wrap(" ".join(operator.name for operator in members), WIDTH - 4)
        lines += [f"  {family}:", *(f"    {line}" for line in text)]
    return "\n".join(lines)


def operator_page(name: str, called: str) -> str:
    """What an operator means, how it is spelled, and an example of that."""
    loaded, target = _named(name)
    known = loaded.driver.operators
    if called not in known:
        near = did_you_mean(called, tuple(known))
        raise UsageError(f"{name} has no operator {called!r}{near}; `metalift drivers {name}` lists them")
    operator = known[called]
    lines = [f"{called}: an operator of the driver {loaded.name}", "meaning:", textwrap.indent(_meaning(operator), "    ")]
    if operator.meaning.requires is not None:
        lines += ["requires:", f"    {ast.unparse(operator.meaning.requires.tree)}"]
    if operator.axes is not None:
        lines.append(f"goes along the axes {operator.axes} of a tensor, as it is on a vector")
    for each in [target] if target else loaded.driver.targets:
        template = operator.spelling(each.name)
        if template is not None:
            lines += [f"{each.name}: {template}", f"    for example: {_example(template)}"]
    return "\n".join(lines)


def _others() -> list[str]:
    """A line for each driver that another package installs; it is imported when it is named."""
    return [
        f"{name}: installed by {package}, cannot be used: metalift has a driver of that name"
        if name in own()
        else f"{name}: installed by {package}; metalift drivers {name} imports it"
        for name, package in from_others().items()
    ]


def _named(name: str) -> tuple[Loaded, Target | None]:
    """The driver of that name or path, or the one that has a target of that name."""
    if name in installed() or name.endswith(".py") or "/" in name:
        loaded = load(name)
        return loaded, next((target for target in loaded.driver.targets if target.name == name), None)
    having = [driver for driver, its in own_targets().items() if name in its and driver not in examples()]
    having += [driver for driver, its in own_targets().items() if name in its and driver in examples()]
    if not having:
        targets = [target for its in own_targets().values() for target in its]
        chosen([name], dict.fromkeys((*installed(), *targets)), "driver or target", "is installed")
    loaded = load(having[0])
    return loaded, loaded.driver.target(name)


def _spelled(driver: Driver, target: Target) -> list[Operator]:
    """The operators that a target has a spelling for; one that goes along axes counts once."""
    alone = (operator for operator in driver.operators.values() if operator.axes is None)
    return [operator for operator in alone if operator.spelling(target.name) is not None]


def _families(spelled: Sequence[Operator]) -> dict[str, list[Operator]]:
    """Operators by the file that defines them, which holds one kind."""
    found: dict[str, list[Operator]] = {}
    for operator in sorted(spelled, key=lambda one: one.name):
        file = Path(operator.meaning.source.file)
        found.setdefault(file.parent.name if file.stem == "__init__" else file.stem, []).append(operator)
    return dict(sorted(found.items()))


def _meaning(operator: Operator) -> str:
    """The typed function that it means, without what registers it."""
    tree = copy.deepcopy(operator.meaning.source.tree)
    if isinstance(tree, ast.FunctionDef):
        tree.decorator_list = []
    return ast.unparse(tree)


def _example(template: str) -> str:
    """The spelling with the parameters' own names as arguments."""
    return PLACEHOLDER.sub(lambda found: f"{TYPES.get(found[1], found[1])}{found[2] or ''}", template)
