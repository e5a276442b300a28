"""What does not fit the machine is refused with the reason, and wrong configurations are not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.configurations import Found, tally
from metalift.driver import CannotWrite
from metalift.prove.solver import SolverPool
from metalift.synth.cover import NotCovered
from tests.packet.pipelines import DRIVER, on, transaction

PACKET = "uint32_t x, y, z, u, v, w;"
TURN = "uint32_t a = s->a; s->a = s->b + p->x; s->b = s->c + p->x; s->c = a;"
LOOKED_UP = "if (s->b < p->x) { s->b += hash2(s->a, 1); s->a++; } else { s->a = 0; }"
HASH = "uint32_t hash2(uint32_t a, uint32_t b);"
THREE_LEVELS = "if (s->a < p->x) { if (s->a < p->y) { if (s->a < p->z) s->a = 1; else s->a = 2; } else s->a = 3; } else s->a = 4;"
FIVE_FIELDS = "if (s->a < p->x) { s->a = s->a == p->y ? p->z : p->u; } else { s->a = s->a == p->v ? p->w : 0; }"
REFUSED = {
    "three variables in a circle": (
        on("uint32_t a, b, c;", PACKET, TURN), "s_a, s_b, s_c are updated from each other; switch keeps at most 2 cells together",
    ),
    "a table between two variables": (
        on("uint32_t a, b;", PACKET, LOOKED_UP, HASH), "no operator of the driver packet updates s_b to",
    ),
    "two cells of one table": (
        on("uint32_t t[64];", PACKET, "s->t[p->x % 64] = s->t[p->y % 64];"), "switch accesses one cell of it at a time",
    ),
    "a choice that is nested more deeply than in any atom": (
        on("uint32_t a;", PACKET, THREE_LEVELS), "no operator of the driver packet updates s_a to",
    ),
    "a product": (on("uint32_t a;", PACKET, "s->a += p->x * p->y;"), "no operator of the driver packet updates s_a to"),
    "more fields than an atom takes": (
        on("uint32_t a;", PACKET, FIVE_FIELDS), "the atom of s_a takes 6 packet fields; it has room for 4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused_with_the_reason(what: str, tmp_path: Path) -> None:
    source, reason = REFUSED[what]
    found = transaction(source, tmp_path)
    with pytest.raises((NotCovered, CannotWrite)) as caught:
        found.text(found.program())
    assert reason in str(caught.value)


def test_what_differs_from_the_source_is_not_proved(tmp_path: Path) -> None:
    body = "if (s->a == 29) { p->z = 1; s->a = 0; } else { p->z = 0; s->a += p->x; }"
    found = transaction(on("uint32_t a;", PACKET, body), tmp_path)
    with SolverPool(2) as pool:
        result = tally(Found(found.fragment, found.summary, found.program(), DRIVER), 12, 1, pool)
    assert result.made == 12 and result.differ >= 6
    assert result.wrong == ()
