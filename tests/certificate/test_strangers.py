"""Certificates from strangers: what is read of them, what solvers and clang are made to do, second opinions and proofs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from metalift.check.certificate import forbidden_command
from metalift.check.recheck import refuse_includes
from metalift.check.second_opinion import Opinions
from metalift.pipeline import check, lift
from metalift.prove.solver import Answer, SolverPool
from metalift.result.errors import UsageError
from tests.certificate.test_forged import SOURCE, UNSAT, forged, honest, rewrite

__all__ = ["forged", "honest"]  # fixtures


@pytest.mark.parametrize(
    "command",
    [
        '(set-option :regular-output-channel "{}")',
        '(set-option :diagnostic-output-channel "{}")',
        '(set-info :source |"{}"|)',
        '(echo "unsat")',
        "(exit)",
        "(get-model)",
        "(reset)",
        "(push 1)",
        "(define-fun-rec f ((x Int)) Int (f x))",
        "check-sat",
        "(assert true",
        "((assert true))",
        "(assert true))",
        '; a comment\n(set-option :regular-output-channel "{}")',
        "(declare-const |a\n(b| Int) (eval 3)",
    ],
)
def test_no_other_command_reaches_a_solver(command: str, tmp_path: Path, pool: SolverPool) -> None:
    target = tmp_path / "written"
    script = f"{command.format(target)}\n{UNSAT}"
    assert forbidden_command(script) is not None
    for solver in ("cvc5", "z3"):
        assert Opinions(pool, solver).ask("it", script).answer == "unknown"
    assert not target.exists()


def test_what_solvers_do_with_options_is_why(tmp_path: Path, pool: SolverPool) -> None:
    pool.ask(f'(set-option :regular-output-channel "{tmp_path / "written"}")\n{UNSAT}', 5.0)
    assert (tmp_path / "written").exists()


@pytest.mark.parametrize("script", [UNSAT, "", "; (set-option\n(check-sat)", "(declare-const |(exit)| Bool)\n(assert |(exit)|)"])
def test_the_commands_of_proofs_are_let_through(script: str) -> None:
    assert forbidden_command(script) is None


def test_a_proof_file_with_another_command_is_refused(forged: Path, tmp_path: Path) -> None:
    target = tmp_path / "written"
    for file in forged.glob("obligations/*.smt2"):
        file.write_text(f'(set-option :regular-output-channel "{target}")\n{file.read_text()}')
    result = check(forged, smt_only=True)
    assert not result.ok
    assert all("set-option" in one.reason for one in result.obligations)
    assert not target.exists()


def test_links_that_lead_out_of_the_folder_are_not_followed(forged: Path, tmp_path: Path) -> None:
    first = min(forged.glob("obligations/*.smt2"))
    first.rename(tmp_path / "elsewhere.smt2")
    first.symlink_to(tmp_path / "elsewhere.smt2")
    assert not check(forged, smt_only=True).ok
    (forged / "kernel.c").unlink()
    (forged / "kernel.c").symlink_to("/etc/hostname")
    assert not check(forged).ok


def test_a_pipe_in_the_place_of_a_file_does_not_block(forged: Path) -> None:
    first = min(forged.glob("obligations/*.smt2"))
    first.unlink()
    os.mkfifo(first)
    assert not check(forged, smt_only=True).ok
    (forged / "certificate.json").unlink()
    os.mkfifo(forged / "certificate.json")
    with pytest.raises(UsageError, match="plain file"):
        check(forged)


@pytest.mark.parametrize(
    "line",
    [
        '#include "/etc/passwd"',
        "#include </etc/passwd>",
        '#include "../secret.h"',
        '# include_next "a/../../b.h"',
        "%: include </dev/zero>",
        "#define HERE </dev/zero>\n#include HERE",
        '#inc\\\nlude "/dev/zero"',
        "int a[] = {\n#embed </dev/zero>\n};",
        '/* */ #include "/etc/passwd"',
    ],
)
def test_a_source_includes_only_what_is_beside_it(line: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(f"{line}\n{SOURCE}")
    with pytest.raises(UsageError, match="includes"):
        refuse_includes(tmp_path, "k.c")


def test_a_certificate_whose_source_includes_more_is_refused(forged: Path) -> None:
    (forged / "kernel.c").write_text(f"#include </dev/zero>\n{SOURCE}")
    assert any("includes" in difference for difference in check(forged).differences)


@pytest.mark.parametrize("line", ["#include <stdint.h>", '#include "beside.h" // why', "#include <sys/types.h>", "int include;"])
def test_headers_by_their_names_may_be_included(line: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(f"{line}\n{SOURCE}")
    refuse_includes(tmp_path, "k.c")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"summary": ' + '{"is": "Var", "of": [' * 20_000 + "]}" * 20_000 + "}",
        '{"summary": {"fraction": "1/0"}}',
        '{"summary": {"fraction": "1e999999999"}}',
        '{"summary": {"is": "MachineInt", "of": ["a", 3]}}',
        '{"summary": {"is": "Operator", "of": []}}',
    ],
)
def test_made_up_data_is_bad_use(text: str, forged: Path) -> None:
    (forged / "certificate.json").write_text(text)
    with pytest.raises(UsageError):
        check(forged)


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "", "obligations/../../x"])
def test_names_that_lead_out_of_the_folder_are_bad_use(name: str, forged: Path) -> None:
    rewrite(forged, lambda data: data["obligations"][0]["proofs"][0].update(file=name))
    with pytest.raises(UsageError):
        check(forged)
    rewrite(forged, lambda data: data.update(source=name))
    with pytest.raises(UsageError):
        check(forged)


def test_solvers_that_disagree_are_an_error_and_both_answers_are_kept(pool: SolverPool) -> None:
    opinions = Opinions(pool, "z3")
    opinions.compare("obligations/000.smt2", UNSAT, Answer("sat", "", 0.1))
    (folder,) = opinions.disagreements
    assert (Path(folder) / "obligation.smt2").read_text() == UNSAT
    assert (Path(folder) / "answers.txt").read_text() == "obligations/000.smt2\nz3: sat \ncvc5: unsat\n"
    assert Opinions(pool, "z3").ask("x", "(set-logic ALL)\n(check-sat)\n").answer == "sat"  # about which both agree


def test_proofs_are_written_beside_what_they_prove(honest: Path, tmp_path: Path) -> None:
    result = check(honest, proof=tmp_path / "proofs")
    assert result.ok
    scripts, proofs = (sorted((tmp_path / "proofs").glob(f"*.{suffix}")) for suffix in ("smt2", "cpc"))
    assert [file.stem for file in scripts] == [file.stem for file in proofs]
    assert len(proofs) >= len(result.obligations)
    assert all("(step " in file.read_text() for file in proofs)
    assert "checked by cvc5 itself" in result.proof


def test_a_certificate_of_another_source_of_the_same_name_is_refused(forged: Path, tmp_path: Path) -> None:
    other = tmp_path / "kernel.c"
    other.write_text(SOURCE.replace("x[i] * y[i]", "x[i] + y[i]"))
    (function,) = lift(other, functions=["dot"], to=["numpy"], out=tmp_path / "out").functions
    assert function.certificate is not None
    made = json.loads((Path(function.certificate) / "certificate.json").read_text())
    rewrite(forged, lambda data: data.update(summary=made["summary"], programs=made["programs"]))
    assert not check(forged).ok
