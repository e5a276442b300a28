"""Views of what a program computed read what is there, as those of arrays do."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import import_function, open_source
from metalift.ir.expr.nodes import Build, Expr, Select, Var
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType, Type
from metalift.ir.program.summary import Let, TargetProgram, Write
from metalift.ir.text import parse
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.synth.derive import derive
from metalift.vcgen.refinement import VIEWS, RefinementGenerator
from metalift_drivers.tensor import driver

SOURCE = "void f(const int *x, int *z, int n, int k) { for (int j = 0; j < k; j++) z[j] = j < n ? x[j] : 0; }\n"
I32 = MachineInt(32, True)


@pytest.mark.parametrize(("size", "inside"), [("int(n)", True), ("int(k)", False)])
def test_a_view_of_an_intermediate_stays_inside(size: str, inside: bool, tmp_path: Path, pool: SolverPool) -> None:
    (tmp_path / "f.c").write_text(SOURCE)
    fragment = import_function(open_source(tmp_path / "f.c"), "f")
    params: dict[str, Var] = {param.var.name: param.var for param in fragment.params}
    names: dict[str, Type] = {name: var.type for name, var in params.items()}
    at, made = Var("j", INT), Var("made", TensorType(I32, 1))

    def cells(of: Var, extent: str) -> Expr:
        return Build((parse(extent, names, INT),), (at,), Select(of, (at,)))

    write = Write(params["z"], cells(params["z"], size), cells(made, size))
    program = TargetProgram((Let(made, cells(params["x"], "int(n)")),), (write,), None)
    summary = derive(fragment)
    (views,) = (each for each in RefinementGenerator(fragment, summary, program, driver, ()).obligations() if each.name == VIEWS)
    (goal,) = (each.formula for each in views.goals if each.subject == "view of an intermediate")
    known = parse("0 <= int(n)", names, BOOL)
    assert (prove([known], goal, pool, 5.0).verdict is ObligationVerdict.PROVED) is inside
