"""Certificates that were changed after they were written: `metalift check` accepts none of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metalift import lift
from metalift.check import certificate
from metalift.check import recheck as rechecking
from metalift.check.user_assumptions import parse_assumptions
from metalift.frontend.llvm.compile.confined import Reach
from metalift.ir.wellformed.check import IllTyped
from metalift.pipeline import check
from metalift.prove.efforts import EFFORTS
from metalift.prove.prover import script_for
from metalift.result.errors import UsageError
from metalift.result.verdict import ObligationVerdict
from metalift.system.files import write_text_atomic

SOURCE = """float dot(int n, const float *x, const float *y) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
float other(int n, const float *x, const float *y) {
  float s = 1;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
"""
UNSAT = "(set-logic ALL)\n(assert false)\n(check-sat)\n"
Claim = dict[str, Any]
FALSE = {"is": "Const", "of": [False, {"is": "BoolType", "of": []}]}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    (folder / "kernel.c").write_text(SOURCE, encoding="utf-8")
    (function,) = lift(folder / "kernel.c", functions=["dot"], to=["numpy"], out=folder / "out").functions
    assert function.certificate is not None
    return Path(function.certificate)


@pytest.fixture
def forged(honest: Path, tmp_path: Path) -> Path:
    return shutil.copytree(honest, tmp_path / "forged")


def rewrite(folder: Path, change: Callable[[Claim], object]) -> None:
    """Change the claim."""
    path = folder / "certificate.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def accepted(folder: Path) -> bool:
    """Whether checking says ok; what cannot be read is not accepted."""
    try:
        return check(folder).ok
    except UsageError:
        return False


def test_the_certificate_as_written_is_accepted(honest: Path) -> None:
    assert check(honest).ok
    assert check(honest, solver="z3").ok
    assert check(honest, smt_only=True).ok


def first_proof(data: Claim) -> Claim:
    proof = data["obligations"][0]["proofs"][0]
    assert isinstance(proof, dict)
    return proof


def _requires(data: Claim, formula: object) -> None:
    data["summary"]["of"][3] = [formula]


CHANGES: dict[str, Callable[[Claim], object]] = {
    "no obligations": lambda data: data.update(obligations=[]),
    "an obligation less": lambda data: data["obligations"].pop(),
    "an obligation twice": lambda data: data["obligations"].append(data["obligations"][0]),
    "another order": lambda data: data["obligations"].reverse(),
    "another name": lambda data: data["obligations"][0].update(name="nothing"),
    "no proofs": lambda data: data["obligations"][0].update(proofs=[]),
    "a proof twice": lambda data: data["obligations"][0]["proofs"].append(first_proof(data)),
    "the proof of another": lambda data: data["obligations"][0].update(proofs=data["obligations"][1]["proofs"]),
    # one that says less; one that says more, and what the file asserts among it, would prove it, too
    "another effort": lambda data: first_proof(data).update(effort="ground, opposite orders"),
    "an unknown effort": lambda data: first_proof(data).update(effort="trust"),
    "a lemma slipped in": lambda data: first_proof(data).update(lemmas=["fold extensionality"]),
    "an unknown lemma": lambda data: first_proof(data).update(lemmas=["anything"]),
    "no programs": lambda data: data.update(programs={}),
    "no programs and their obligations": lambda data: data.update(
        programs={}, obligations=[one for one in data["obligations"] if one["name"].startswith(("loop", "return"))]
    ),
    "another function": lambda data: data.update(function="other"),
    "no such function": lambda data: data.update(function="third"),
    "an assumption that nothing satisfies": lambda data: data.update(assume=["int(n) < 0 and 0 < int(n)"]),
    "an assumption about nothing": lambda data: data.update(assume=["k < 0"]),
    "a requirement that nothing satisfies": lambda data: _requires(data, FALSE),
    "arrays that are one": lambda data: data.update(identical={"x": ["y"]}),
    "a summary that is none": lambda data: data.update(summary=data["programs"]["numpy"]),
    "a program that is none": lambda data: data["programs"].update(numpy=data["summary"]),
    "a driver that is none": lambda data: data.update(driver="no_such_driver"),
    "a source elsewhere": lambda data: data.update(source="../kernel.c"),
    "other macros": lambda data: data.update(clang_args=["-Ddot=dot_", "-Dother=dot"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_claim_is_refused(name: str, forged: Path) -> None:
    rewrite(forged, CHANGES[name])
    assert not accepted(forged)


def test_a_trivial_file_in_the_place_of_a_proof_is_named(forged: Path) -> None:
    for file in sorted(forged.glob("obligations/*.smt2")):
        file.write_text(UNSAT, encoding="utf-8")
    result = check(forged)
    assert not result.ok
    assert len(result.differences) == len(list(forged.glob("obligations/*.smt2")))
    assert all(name.startswith("obligations/") for name in result.differences)


@pytest.mark.parametrize("script", [UNSAT, "", '(echo "unsat")', "(set-logic ALL)\n(check-sat)\n", "garbage"])
def test_one_other_proof_file_is_refused(script: str, forged: Path) -> None:
    first = min(forged.glob("obligations/*.smt2"))
    first.write_text(script, encoding="utf-8")
    assert not accepted(forged)
    if script != UNSAT:
        assert not check(forged, smt_only=True).ok


def test_a_missing_proof_file_is_refused(forged: Path) -> None:
    min(forged.glob("obligations/*.smt2")).unlink()
    assert not accepted(forged)
    assert not check(forged, smt_only=True).ok


def test_another_file_beside_the_proofs_is_named(forged: Path) -> None:
    (forged / "obligations" / "999.smt2").write_text(UNSAT, encoding="utf-8")
    result = check(forged)
    assert not result.ok
    assert result.differences == ("'obligations/999.smt2': nothing in the certificate refers to it",)


def test_another_source_is_refused(forged: Path) -> None:
    source = forged / "kernel.c"
    source.write_text(SOURCE.replace("float s = 0", "float s = 2"), encoding="utf-8")
    assert not accepted(forged)


@pytest.mark.parametrize("name", ["summary.txt", "fragment.txt", "programs/numpy.txt"])
def test_what_people_read_is_what_was_proved(name: str, forged: Path) -> None:
    (forged / name).write_text("return = 0\n", encoding="utf-8")
    result = check(forged)
    assert result.differences == (name,)
    assert not result.ok


def test_a_wrong_summary_with_trivial_proofs_is_refused(forged: Path) -> None:
    text = (forged / "certificate.json").read_text(encoding="utf-8")
    assert '"op": "*"' in text.replace("\n", " ").replace("  ", "") or '"*"' in text
    (forged / "certificate.json").write_text(text.replace('"op": "*"', '"op": "+"'), encoding="utf-8")
    for file in forged.glob("obligations/*.smt2"):
        file.write_text(UNSAT, encoding="utf-8")
    assert not accepted(forged)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "{", '{"summary": 3}', "\udcff"])
def test_what_is_no_certificate_is_bad_use(text: str, forged: Path) -> None:
    (forged / "certificate.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(UsageError):
        check(forged)


def prove_anew(folder: Path) -> None:
    """What a forger with the project's own tools does: the proofs of whatever is now claimed."""
    recorded = certificate.read(folder)
    fragment = rechecking.source_fragment(folder, recorded, Reach((folder,)))
    shutil.rmtree(folder / "obligations")
    shutil.rmtree(folder / "lemmas", ignore_errors=True)
    (folder / "obligations").mkdir()
    records = []
    subjects = rechecking.derived(fragment, recorded, parse_assumptions(recorded.assume, fragment))
    for number, one in enumerate(one for subject in subjects for one in subject.obligations):
        script, lemmas = script_for((*one.hypotheses, *one.assumed), one.goal, EFFORTS[0])
        (folder / f"obligations/{number:03d}.smt2").write_text(f"; {one.name}\n{script}", encoding="utf-8")
        proof = {"file": f"obligations/{number:03d}.smt2", "effort": EFFORTS[0].name, "lemmas": list(lemmas)}
        records.append({"name": one.name, "line": one.location.line, "proofs": [proof]})
    rewrite(folder, lambda data: data.update(obligations=records))
    used = certificate.lemma_texts(certificate.read(folder))
    for name, text in (certificate.texts_for_people(fragment, recorded.summary, recorded.programs) | used).items():
        write_text_atomic(folder / name, text)


def zero(data: Claim) -> None:
    """The result is a constant."""
    seven = {"is": "Const", "of": [{"fraction": "7"}, {"is": "RealType", "of": [32]}]}
    data["summary"]["of"][1], data["summary"]["of"][2] = [], [["return", seven]]
    program = data["programs"].get("numpy")
    if program is not None:
        program["of"][0], program["of"][2] = [], seven


VACUOUS: dict[str, Callable[[Claim], object]] = {
    "requirement": lambda data: _requires(data, FALSE),
    "assumption": lambda data: data.update(assume=["int(n) < 0 and 0 < int(n)"]),
    "equation": lambda data: data.update(assume=["int(n) == int(n) + 1"]),
}


def test_a_certificate_that_is_proved_anew_is_accepted(forged: Path) -> None:
    prove_anew(forged)
    assert check(forged).ok


@pytest.mark.parametrize("name", VACUOUS)
def test_proofs_from_contradictions_are_refused(name: str, forged: Path) -> None:
    rewrite(forged, zero)
    rewrite(forged, VACUOUS[name])
    prove_anew(forged)
    result = check(forged)
    assert all(one.verdict is ObligationVerdict.PROVED for one in result.obligations)
    assert result.differences
    assert all("vacuous" in difference for difference in result.differences)
    assert not result.ok


def test_proofs_of_a_wrong_summary_are_refused(forged: Path) -> None:
    rewrite(forged, zero)
    prove_anew(forged)
    result = check(forged)
    assert not result.differences
    assert not result.ok


def test_a_summary_without_a_program_claims_nothing_of_a_target(forged: Path) -> None:
    rewrite(forged, lambda data: data.update(programs={}))
    shutil.rmtree(forged / "programs")
    prove_anew(forged)
    (difference,) = check(forged).differences
    assert "no program" in difference


def test_a_driver_file_that_the_certificate_names_is_not_run(forged: Path, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    driver = tmp_path / "driver.py"
    driver.write_text(f"open({str(trace)!r}, 'w').close()\n", encoding="utf-8")
    rewrite(forged, lambda data: data.update(driver=str(driver)))
    with pytest.raises(UsageError, match="--driver"):
        check(forged)
    assert not trace.exists()


@pytest.mark.parametrize("arguments", [["-fplugin=x.so"], ["-Xclang", "-load"], ["-I", "x", "-fpass-plugin=x.so"], ["@file"]])
def test_arguments_that_make_clang_load_code_are_refused(arguments: list[str], forged: Path) -> None:
    rewrite(forged, lambda data: data.update(clang_args=arguments))
    with pytest.raises(UsageError, match="asks clang"):
        check(forged)


def test_a_product_of_fewer_bits_than_it_is_stored_in_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "kernel.c"
    source.write_text("void twice(int *o, const short *x, int n) { for (int i = 0; i < n; i++) o[i] = x[i] * 2; }")
    (function,) = lift(source, to=["numpy"], out=tmp_path / "out").functions
    assert function.certificate is not None
    folder = Path(function.certificate)

    def narrowed(data: Claim) -> None:
        product = data["programs"]["numpy"]["of"][1][0]["of"][2]["of"]
        short = {"is": "MachineInt", "of": [16, True]}
        product[1] = [product[1][0]["of"][1][0], {"is": "Const", "of": [2, short]}]
        product[2] = {"is": "TensorType", "of": [short, 1]}

    rewrite(folder, narrowed)
    with pytest.raises(IllTyped, match="fewer bits"):
        prove_anew(folder)
