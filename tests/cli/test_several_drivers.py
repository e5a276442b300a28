"""Targets of several drivers in one call: one reading and one summary, a certificate for each driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.pipeline.reporting import by_all
from tests.support.commands import lift_text, metalift

SCALE = "void scale(float *a, float s, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= s;\n}\n"
HASH = "unsigned hash(const unsigned *s, int n) {\n    unsigned h = 1;\n    for (int i = 0; i < n; i++)\n"
HASH += "        h = (h << 5) ^ (h >> 27) ^ s[i];\n    return h;\n}\n"


def test_each_driver_has_a_certificate_that_holds(tmp_path: Path) -> None:
    function = lift_text(SCALE, tmp_path, "--to", "numpy,nki,pytorch").function
    assert [target["verdict"] for target in function["targets"].values()] == ["PROVED"] * 3
    folders = sorted((tmp_path / "out" / "certificates").iterdir())
    assert [folder.name for folder in folders] == ["scale-tensor", "scale-trainium"]
    for folder in folders:
        done = metalift("check", folder)
        assert (done.status, done.output.splitlines()[-1]) == (0, "ok"), done.output


def test_what_one_target_does_not_check_is_not_said_to_be_checked(tmp_path: Path) -> None:
    both = lift_text(SCALE, tmp_path, "--to", "numpy,nki").function
    alone = lift_text(SCALE, tmp_path, "--to", "numpy").function
    size = [[each["checked"] for each in one["assumptions"] if "at least" in each["text"]] for one in (both, alone)]
    assert size == [["no"], ["guard"]]
    assert by_all([(True, False), (), (True, True)]) == (True, False) and by_all([]) == ()


def test_one_target_may_keep_a_loop_where_another_has_no_code(tmp_path: Path) -> None:
    done = lift_text(HASH, tmp_path, "--to", "nki,numpy")
    assert done.status == 1
    assert [target["verdict"] for target in done.function["targets"].values()] == ["NOT_LIFTED", "PROVED"]
    assert [folder.name for folder in (tmp_path / "out" / "certificates").iterdir()] == ["hash-tensor"]
    assert [reason["target"] for reason in done.function["reasons"]] == ["nki"]


@pytest.mark.parametrize("targets", ["numpy,switch", "switch,nki"])
def test_drivers_that_read_a_source_in_other_ways_do_not_go_together(targets: str, tmp_path: Path) -> None:
    done = lift_text(SCALE, tmp_path, "--to", targets)
    assert (done.status, done.output) == (2, "") and "lift to one at a time" in done.errors
    assert not (tmp_path / "out").exists()
