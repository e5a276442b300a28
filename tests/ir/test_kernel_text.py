"""Kernels on tiles as text: what is read is well formed and typed, and what is not has its line; see also tests/certificate."""

from __future__ import annotations

import random

import pytest

from metalift.ir.expr.types import FLOAT, INT, TensorType, Type
from metalift.ir.text import ParseError
from metalift.ir.text.kernels import parse_kernel, show_kernel

PARAMS: dict[str, Type] = {"n": INT, "x": TensorType(FLOAT), "s": FLOAT}
LETS: dict[str, Type] = {"y": FLOAT}
START = """machine rows 128 work 4096 sums 512 bank 512 exact 16777216 columns 0 stores sums
domain `some op` from -0.5 to ratio(1, 3)
assume 0 <= n
assume forall(i: x[i] <= 1) as `all are small`
size w = n // 4 from 1 to 64
output [i < n] = [x[i] * s for i < n]
output = y
idiom 0 = quotient(i32 x, i32 d) -> q
  given 0 <= x
  step p: i32 = multiply (x, 257:i32)
  cut 0 <= p keeping [p]
  step q: i32 = shift_right (p, 8:i32)
make t: f32[1, 4] in sbuf
make i32s: i32[1, 4] in sbuf
make c: f32[1, 1] in sbuf
make p: f32[4, 4] in psum
fill c = 0.5:f32
iota i32s = n step -1
"""
BODY = """for k < n // 4
  keep c = fold(4 * k, 0.0:f32, a, j: a + x[j]) then 0.0:f32 within [0, 4 * n]
  load t = [x[i] for i < n] at [4 * k + tile.f] within 7
  map t = add (t, (s), 0.5:f32)
  reduce c = maximum t
  once keeping 2
    map t = add (t, t)
    reduce c = sum t
  across c = sum c
  when 0 < k
    scan t = t, t, c
    make q: i32[1, 4] in sbuf
    expand q = 0 (i32s, 3:i32)
    product p = t * t rows added k != 0
divided n, n, tile.f over 1, 4
name y = c
store 0 at [tile.f] = t by [tile.f = i % 4] where 0 <= i
"""


def test_all_statements_read_back() -> None:
    kernel = parse_kernel(START + BODY, PARAMS, LETS)
    assert parse_kernel(show_kernel(kernel), PARAMS, LETS) == kernel
    assert show_kernel(kernel).splitlines()[0] == START.splitlines()[0]


WRONG = {
    "a counter behind its loop": ("store 0 at [tile.f]", "store 0 at [k]", "nothing is called k here"),
    "a counter in its own extent": ("for k < n // 4", "for k < k", "nothing is called k here"),
    "a counter in what is behind the loop": ("then 0.0:f32", "then f32(k)", "behind the loop k has no value"),
    "an intermediate in a loop": ("  across c = sum c", "  name y = c", "gets its value here, once"),
    "an intermediate twice": ("name y = c", "name y = c\nname y = c", "gets its value here, once"),
    "a place in a size": ("make c: f32[1, 1]", "make c: f32[tile.p, 1]", "nothing is called tile.p here"),
    "two invariants": ("  load t", "  keep c = 0.0:f32 then 0.0:f32\n  load t", "two invariants of c"),
    "an element that says where": ("[x[i] for i < n] at", "[x[int(x[i] < 0 and i < 1)] for i < n] at", ""),
    "another output": ("store 0", "store 2", "there is no output 2"),
    "another idiom": ("= 0 (i32s, 3:i32)", "= 1 (i32s, 3:i32)", "there is no idiom 1"),
    "an operand too much": ("= 0 (i32s, 3:i32)", "= 0 (i32s, 3:i32, 3:i32)", "an operand for each parameter"),
    "an idiom over its operand": ("expand q = 0", "expand i32s = 0", "a tile of its own"),
    "a product that may be the first": ("* t rows added k != 0", "* t rows", "has to be said"),
    "another reduction": ("reduce c = maximum", "reduce c = minimum", "sum or maximum"),
    "more behind it": ("fill c = 0.5:f32", "fill c = 0.5:f32 0", "expected the end"),
    "no number": ("within 7", "within -", "a whole number"),
    "a place of another output": ("where 0 <= i", "where 0 <= j", "nothing is called j here"),
    "an inverse twice": ("by [tile.f = i % 4]", "by [tile.f = i % 4, tile.f = 0]", "output 0 has 1 places"),
    "an inverse of no counter": ("by [tile.f = i % 4]", "by [s = i % 4]", "s is no counter"),
    "an idiom of an outer name": ("step p: i32 = multiply (x,", "step p: i32 = multiply (n,", "nothing is called n here"),
    "a step twice": ("step q:", "step p:", "no new name"),
    "a step that is none": ("-> q", "-> r", "no step gives r"),
    "a type that is none": ("make t: f32", "make t: f99", "32 bits at most"),
    "a size among none": ("from 1 to 64", "from 65 to 64", "a size is chosen among some"),
    "a size of a counter": ("size w = n // 4", "size w = k", "nothing is called k here"),
    "a size by a taken name": ("size w =", "size x =", "already the name of something else"),
    "an instruction that keeps nothing": ("once keeping 2", "once keeping 0", "keeps some of them"),
    "an instruction that keeps more than it makes": ("once keeping 2", "once keeping 3", "keeps some of them"),
    "another statement in an instruction": ("    reduce c = sum t", "    fill c = 0.5:f32", "steps that map or reduce"),
    "a name of obligations": ("make t:", "make fold.0:", "no name for something of a kernel"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_well_formed_has_its_line(name: str) -> None:
    before, after, said = WRONG[name]
    text = START + BODY
    assert before in text
    with pytest.raises(ParseError, match="^line [0-9]+") as problem:
        parse_kernel(text.replace(before, after, 1), PARAMS, LETS)
    assert said in str(problem.value)


def test_changed_texts_are_read_or_refused() -> None:
    text = START + BODY
    parse_kernel(text, PARAMS, LETS)
    words = ["", " ", "(", ")", "[", "]", "0", "-", "x", "\n", ":", " if ", "tile.f", "fold(", "`", "i32", "9" * 400, "\x00", "²"]
    for seed in range(400):
        chance = random.Random(seed)
        changed = text
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(changed))
            changed = changed[:at] + chance.choice(words) + changed[at + chance.randrange(3) :]
        try:
            kernel = parse_kernel(changed, PARAMS, LETS)
        except ParseError:
            continue
        assert parse_kernel(show_kernel(kernel), PARAMS, LETS) == kernel
