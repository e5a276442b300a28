"""Hash units: what the source says that they compute is in the text, and the simulator computes it."""

from __future__ import annotations

from pathlib import Path

import pytest

import metalift
from tests.packet.pipelines import on
from tests.packet.test_simulator import pipeline, simulator

BODIES = {
    "return (a * 31u) ^ b;": "unit hash2(a, b) = (((bit<32>) (31 * a)) ^ b);",
    "a ^= a >> 16; return a * 0x85EBCA6Bu + (b & 0xFFFFu);": "unit hash2(a, b) = ",
}


@pytest.mark.parametrize("body", BODIES)
def test_a_transaction_with_a_hash_of_its_own_agrees(body: str, tmp_path: Path) -> None:
    """Run beside the source compiled with that body."""
    path = tmp_path / "mark.c"
    unit = f"static uint32_t hash2(uint32_t a, uint32_t b) {{ {body} }}"
    step = "uint32_t i = hash2(p->x, p->y) % 64; p->z = s->seen[i]; s->seen[i] = 1;"
    path.write_text(on("uint32_t seen[64];", "uint32_t x, y, z;", step, unit), encoding="utf-8")
    result = metalift.lift(path, functions=["step"], to=["switch"], out=tmp_path / "out", timeout=60)
    assert result.ok
    assert BODIES[body] in (tmp_path / "out" / "switch" / "step.p4").read_text(encoding="utf-8")


def test_a_unit_is_what_the_text_says(tmp_path: Path) -> None:
    """Whole numbers of any size, cut off where a conversion says so."""
    unit = "unit hash2(a, b) = ((bit<32>) (a * a - 1)) / 2 ^ (b < 3 ? 1 : b >> 1);"
    text = f"{unit} control step(in bit<32> x) {{ deparser {{ return hash2(x, x); }} }}"
    path = tmp_path / "step.p4"
    path.write_text(text, encoding="utf-8")
    run = simulator().load(str(path), "step")
    for x in (0, 1, 2, 3, 65537, 2**32 - 1):
        assert run(x) == ((x * x - 1) % 2**32 // 2 ^ (1 if x < 3 else x >> 1)) % 2**32


@pytest.mark.parametrize("op", ["*", "/", "<<", ">>"])
def test_stages_have_less_than_units(op: str, tmp_path: Path) -> None:
    """The operators of a unit's expression are none of the machine's."""
    with pytest.raises(Exception, match="a stage has no"):
        pipeline(tmp_path, f"stage 1 {{ bit<32> a = p_x {op} p_y; }}", "p_z = a;")
