"""Certificates of kernels on tiles: the text of the kernel is what is proved, and no other text is."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from metalift import lift
from metalift.check import certificate, certifying
from metalift.check import recheck as rechecking
from metalift.check.proving import claim
from metalift.cli import main
from metalift.frontend.llvm.compile.confined import Reach
from metalift.pipeline import check
from metalift.prove.batch import settle_all
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError
from metalift.result.verdict import ObligationVerdict
from tests.certificate.test_forged import accepted, rewrite

SECONDS = 3.0
SOURCE = """float f(const float *x, float *y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  for (int i = 0; i < n; i++)
    y[i] = s * x[i];
  return s;
}
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    (folder / "kernel.c").write_text(SOURCE, encoding="utf-8")
    (function,) = lift(folder / "kernel.c", driver="gaudi", to=["gaudi"], out=folder / "out").functions
    assert function.certificate is not None
    return Path(function.certificate)


@pytest.fixture(scope="module")
def pool() -> Iterator[SolverPool]:
    with SolverPool(1) as solvers:
        yield solvers


@pytest.fixture
def forged(honest: Path, tmp_path: Path) -> Path:
    return shutil.copytree(honest, tmp_path / "forged")


def changed(folder: Path, before: str, after: str) -> None:
    """Change the kernel at the first place where something stands."""
    path = folder / "kernels" / "gaudi.txt"
    text = path.read_text(encoding="utf-8")
    assert before in text, text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def proved_anew(folder: Path, pool: SolverPool) -> None:
    """What a forger with the project's own tools does: proofs of whatever is now claimed, as far as there are any."""
    recorded = certificate.read(folder)
    fragment = rechecking.source_fragment(folder, recorded, Reach((folder,)))
    wanted = [one for subject in rechecking.derived(fragment, recorded, ()) for one in subject.obligations]
    settled = settle_all([claim(each) for each in wanted], pool, SECONDS)
    lines = (each.location.line for each in wanted)
    obligations, files = certifying.proof_records(list(zip(settled, lines, strict=True)))
    source = (folder / recorded.source).read_text(encoding="utf-8")
    texts = certificate.texts_for_people(fragment, recorded.summary, recorded.programs) | files | {recorded.source: source}
    certifying.write(folder, replace(recorded, obligations=obligations), texts)


def test_the_kernel_as_written_is_accepted(honest: Path, forged: Path, pool: SolverPool) -> None:
    assert check(honest).ok
    proved_anew(forged, pool)
    assert check(forged).ok


def test_only_what_operators_mean_is_loaded(honest: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from metalift.pipeline import check\n"
        "assert check(Path(sys.argv[1])).ok\n"
        "print(*sorted(name for name in sys.modules if name.startswith('metalift_drivers.gaudi')))\n"
    )
    found = subprocess.run([sys.executable, "-c", code, str(honest)], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["metalift_drivers.gaudi", "metalift_drivers.gaudi.operators"]


WRONG = {
    "another operator": (" = multiply (", " = add ("),
    "another start": ("fill total_1 = 0.0:f32", "fill total_1 = 1.0:f32"),
    "the other reduction": ("= sum ", "= maximum "),
    "an iteration less": ("+ 63) // 64", "+ 0) // 64"),
    "an element further": ("at [64 * u_2 + tile.f]", "at [64 * u_2 + tile.f + 1]"),
    "wider tiles": ("f32[1, min(64,", "f32[1, min(65,"),
    "another invariant": ("keep total_1 = fold(64 * u_2", "keep total_1 = fold(63 * u_2"),
    "where nothing is stored": (" where 0 <= i", " where 1 <= i"),
    "no start": ("fill total_1 = 0.0:f32\n", ""),
    "stored elsewhere": ("store 0 at [64 * t_5 + tile.f]", "store 0 at [64 * t_5]"),
}


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_refused_and_not_proved(name: str, forged: Path, pool: SolverPool) -> None:
    changed(forged, *WRONG[name])
    assert check(forged).differences, "the proofs are those of another kernel"
    proved_anew(forged, pool)
    result = check(forged)
    assert not any("derived anew" in text for text in result.differences), "it is no kernel at all"
    assert any(one.verdict is not ObligationVerdict.PROVED for one in result.obligations), "a wrong kernel is proved"
    assert not result.ok


REFUSED = {
    "another machine": ("work 81920", "work 8192000", "limits are not those of the machine"),
    "a faster machine": ("columns 64", "columns 640", "limits are not those of the machine"),
    "another output": ("= multiply:f32[](s_1,", "= add:f32[](s_1,", "outputs are not what the program writes"),
    "a smaller output": ("output [i < int(n)]", "output [i < int(n) - 1]", "another extent"),
    "no output": ("output [i < int(n)] = multiply:f32[](s_1, [x[i] for i < int(n)])\n", "", "nothing is called i here"),
    "a tile twice": ("  make part_4", "  make total_1", "already the name of something else"),
    "a counter twice": ("for t_5", "for n", "already the name of something else"),
    "no such tile": ("(total_1, part_4)", "(total_1, part_9)", "nothing is called part_9"),
    "a value of an array": ("fill total_1 = 0.0:f32", "fill total_1 = x[0]", "no number outside of the kernel"),
    "a sum": ("fill total_1 = 0.0:f32", "fill total_1 = fold(int(n), 0.0:f32, a, i: a + x[i])", "no number outside of"),
    "an intermediate early": ("fill total_1 = 0.0:f32", "fill total_1 = s_1", "nothing is called s_1 here"),
    "a name of obligations": ("for t_5", "for tile.q", "no name for something of a kernel"),
    "what is computed": ("= [x[i] for i < int(n)] at", "= [x[i] + x[i] for i < int(n)] at", "is a view of an array"),
    "another type": ("make total_1: f32", "make total_1: i32", "another type"),
    "wide elements": ("make total_1: f32", "make total_1: f64", "32 bits at most"),
    "no operator": (" = multiply (", " = multiplied (", "multiplied"),
    "an operator on arrays": (" = multiply (", " = total (", "total"),
    "a bound that is none": ("= sum x_3", "= sum x_3 within many", "whole number"),
    "a huge number": ("64 * u_2", "9" * 5000 + " * u_2", "too many digits"),
    "deep nesting": ("at [64 * u_2", "at [" + "(" * 20000 + "64 * u_2", "nested too deeply"),
    "no statement": ("  reduce", "  reduces", "statement"),
    "another indentation": ("  reduce", "   reduce", "statement"),
    "spaces": (" = multiply (", "  =  multiply (", "not written as kernels are"),
    "nothing": ("machine ", "", "line 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_kernel_of_the_program_is_refused(name: str, forged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, said = REFUSED[name]
    changed(forged, before, after)
    assert main(["check", str(forged)]) == 1
    out, err = capsys.readouterr()
    assert said in " ".join((out + err).split()), out + err
    assert "Traceback" not in out + err


def test_control_characters_are_bad_use(forged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(forged, "(total_1, part_4)", "(total_1, `\x1b[2J`)")
    assert main(["check", str(forged)]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_proofs_from_what_a_kernel_assumes_are_vacuous(forged: Path, pool: SolverPool) -> None:
    changed(forged, "output [", "assume False\noutput [")
    changed(forged, " = multiply (", " = add (")
    proved_anew(forged, pool)
    result = check(forged)
    assert any("vacuous" in text for text in result.differences) and not result.ok


def test_a_kernel_that_is_missing_or_too_much_is_refused(forged: Path, honest: Path, tmp_path: Path) -> None:
    rewrite(forged, lambda data: data.update(kernels=[]))
    assert any("programs on tiles for ['gaudi']" in text for text in check(forged).differences)
    rewrite(forged, lambda data: data.update(kernels=["gaudi", "../../gaudi"]))
    with pytest.raises(UsageError, match="is not a file of the certificate"):
        check(forged)
    other = shutil.copytree(honest, tmp_path / "other")
    (other / "kernels" / "gaudi.txt").unlink()
    assert not accepted(other)


@pytest.mark.quick(every=10)
@pytest.mark.parametrize("seed", range(30))
def test_changed_characters_never_end_in_a_traceback(seed: int, forged: Path) -> None:
    chance = random.Random(seed)
    path = forged / "kernels" / "gaudi.txt"
    text = path.read_text(encoding="utf-8")
    words = ["", " ", "(", "]", "0", "-", "x", "\n", ":", "if", "tile.f", "fold(", "`"]
    for _ in range(3):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(words) + text[at + 1 :]
    path.write_text(text, encoding="utf-8")
    result = check(forged)
    assert not result.ok
