"""Packet programs as they are published: state in global variables, the packet a struct by value, words with a sign."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import metalift

PROGRAMS = {
    "flowlets, by a hash with a sign": """
struct Packet { int sport; int dport; int arrival; int burst; int id; };
int last_seen[8000] = {0};
int total_bursts = 3;
int hash2(int a, int b) { return (31 * (unsigned)a) ^ (unsigned)b; }
void program(struct Packet pkt) {
    pkt.id = hash2(pkt.sport, pkt.dport) % 8000;
    if (pkt.arrival - last_seen[pkt.id] > -5) {
        pkt.burst = -1;
        total_bursts = total_bursts + 1;
    }
    last_seen[pkt.id] = pkt.arrival;
}
""",
    "two fields, which are passed in one register": """
#include <stdint.h>
struct Two { uint32_t a, b; };
uint32_t kept;
uint32_t program(struct Two q) {
    if (q.a > 5) { q.b = 7; return 3; }
    kept = q.b;
    return q.a;
}
""",
    "a copy of the packet": """
struct Packet { int a, b, c, d, e; };
int kept;
static int inner(struct Packet pkt) { pkt.a = 9; return pkt.a; }
void program(struct Packet pkt) {
    struct Packet other = pkt;
    other.c = 4;
    pkt.b = inner(pkt);
    kept = other.c + pkt.a;
}
""",
}


@pytest.mark.quick(every=1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_leaves_in_its_packet_is_a_result(name: str, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(PROGRAMS[name], encoding="utf-8")
    done = metalift("lift", source, "--function", "program", "--to", "switch", "--out", tmp_path / "out", "--json")
    assert (done.status, done.function["verdict"]) == (0, "PROVED"), done.output
    assert "is a packet that goes on as the function leaves it: the last values of" in done.output


def test_other_drivers_have_no_such_results(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("struct P { int a[4]; int b; };\nint program(struct P p) { p.b += 1; return p.b + p.a[2]; }\n")
    done = metalift("lift", source, "--to", "numpy", "--out", tmp_path / "out", "--json")
    assert done.function["verdict"] == "PROVED"
    assert "is a packet" not in done.output
