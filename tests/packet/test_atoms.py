"""Every atom in random configurations: its text, run by the simulator, does what its meaning says."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metalift.driver import CannotWrite
from metalift.driver.expansion import expand
from metalift.driver.operators import Operator
from metalift.ir.expr.nodes import Build, Call, Const, Expr, Select, Var, integer
from metalift.ir.expr.types import BOOL, INT, MachineInt
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.interp.interpret import evaluate
from metalift.ir.program.summary import Let, TargetProgram, Write
from tests.packet.pipelines import DRIVER, SIMULATOR, Transaction, on, transaction

WORD = MachineInt(32, False)
CONFIGURATIONS = 25
VALUES = (0, 1, 2, 3, 7, 2**31, 2**32 - 2, 2**32 - 1)
STATELESS = [name for name, operator in DRIVER.operators.items() if not operator.holds and not name.startswith(EXTERNAL)]
STATEFUL = [name for name, operator in DRIVER.operators.items() if operator.holds]
FIELDS = "uint32_t x, y; _Bool f; uint32_t z;"
BODY = "if (p->f) { s->a = p->x; s->b = p->y; p->z = s->a; }"


def simulated(text: str, folder: Path) -> Callable[..., Any]:
    """The text as a function."""
    spec = importlib.util.spec_from_file_location("simulator_alone", SIMULATOR)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = folder / "step.p4"
    path.write_text(text, encoding="utf-8")
    run: Callable[..., Any] = module.load(str(path), "step")
    return run


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Transaction:
    """A function with two state variables and a few fields, for whose parameters pipelines are written."""
    return transaction(on("uint32_t a, b;", FIELDS, BODY), tmp_path_factory.mktemp("host"))


def cell(host: Transaction, name: str) -> Select:
    """The one element of an array parameter."""
    return Select(next(param.var for param in host.fragment.params if param.var.name == name), (integer(0),))


def drawn(operator: Operator, host: Transaction, cells: list[Select], rng: random.Random) -> Call:
    """The operator in a random configuration, on fields and constants."""
    fields = {param.var.name: param.var for param in host.fragment.params}
    args: list[Expr] = []
    for param in operator.params:
        element = param.pattern.element
        if param.name in operator.holds:
            args.append(cells[operator.holds.index(param.name)])
        elif param.name in (operator.holes or {}):
            args.append(integer(rng.randrange((operator.holes or {})[param.name])))
        elif element == BOOL:
            args.append(rng.choice([flag(fields["p_f"]), Const(True, BOOL)]))
        else:
            words: list[Expr] = [fields["p_x"], fields["p_y"]] if param.name not in operator.plain else []
            args.append(rng.choice([*words, Const(rng.choice(VALUES[1:]), WORD)]))
    return Call(operator.name, tuple(args), BOOL if operator.result.element == BOOL else WORD)


def flag(field: Var) -> Expr:
    """A field as a truth value."""
    return field if field.type == BOOL else Call("relational", (integer(3), field, Const(0, field.type)), BOOL)


def written(array: Select, value: Expr) -> Write:
    """A write of one cell."""
    assert isinstance(array.tensor, Var)
    binder = Var("i", INT)
    window = Build((integer(1),), (binder,), Select(array.tensor, (binder,)))
    return Write(array.tensor, window, Build((integer(1),), (binder,), value))


def agree(host: Transaction, program: TargetProgram, folder: Path, rng: random.Random) -> None:
    """The pipeline of a program does what the program means, on random packets."""
    run = simulated(host.text(program), folder)
    for _ in range(20):
        env: dict[str, Any] = {"s_a": [rng.choice(VALUES)], "s_b": [rng.choice(VALUES)], "p_z": [rng.choice(VALUES)]}
        env |= {"p_x": rng.choice(VALUES), "p_y": rng.choice(VALUES), "p_f": rng.randrange(2)}
        args = [env[param.var.name] for param in host.fragment.params]
        wanted = {}
        for write in program.writes:
            assert isinstance(write.value, Build)
            value = evaluate(expand(write.value.body, DRIVER), env)
            wanted[write.array.name] = [int(value) if isinstance(value, bool | int) else value]
        run(*args)
        assert {name: env[name] for name in wanted} == wanted


@pytest.mark.parametrize("name", STATELESS)
def test_a_stateless_atom_does_what_it_means(name: str, host: Transaction, tmp_path: Path) -> None:
    rng = random.Random(name)
    for _ in range(CONFIGURATIONS):
        value: Expr = drawn(DRIVER.operators[name], host, [], rng)
        if isinstance(value, Call) and value.type == BOOL:
            value = Call("conditional", (value, Const(1, WORD), Const(0, WORD)), WORD)
        agree(host, TargetProgram((), (written(cell(host, "p_z"), value),), None), tmp_path, rng)


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", STATEFUL)
def test_a_stateful_atom_does_what_it_means(name: str, host: Transaction, tmp_path: Path) -> None:
    rng = random.Random(name)
    operator = DRIVER.operators[name]
    cells = [cell(host, "s_a"), cell(host, "s_b")][: len(operator.holds)]
    ran = 0
    for _ in range(CONFIGURATIONS):
        updates = [drawn(operator, host, [each, *(other for other in cells if other != each)], rng) for each in cells]
        program = TargetProgram((), tuple(map(written, cells, updates)), None)
        try:
            host.text(program)
        except CannotWrite as problem:
            assert "fields" in str(problem)
            continue
        agree(host, program, tmp_path, rng)
        ran += 1
    assert ran > CONFIGURATIONS // 4


def test_lets_and_results_of_atoms_reach_the_packet(host: Transaction, tmp_path: Path) -> None:
    total = Var("a_new", WORD)
    update = Call("read_add_write", (cell(host, "s_a"), integer(2), Var("p_x", WORD)), WORD)
    before = Call("arithmetic", (integer(1), total, cell(host, "s_a")), WORD)
    writes = (written(cell(host, "s_a"), total), written(cell(host, "p_z"), before))
    run = simulated(host.text(TargetProgram((Let(total, update),), writes, None)), tmp_path)
    env: dict[str, Any] = {"s_a": [5], "s_b": [0], "p_x": 9, "p_y": 0, "p_f": 0, "p_z": [0]}
    run(*(env[param.var.name] for param in host.fragment.params))
    assert (env["s_a"], env["p_z"]) == ([14], [9])
