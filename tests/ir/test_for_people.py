"""Parts of tuples and records in the texts that people read."""

from __future__ import annotations

import json

import pytest

from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import Const, Select, Var, integer
from metalift.ir.expr.types import DOUBLE, INT, STRING, IntType, TensorType
from metalift.ir.interp.identities import for_people, of_text, part_of, tuple_type, whole_of
from metalift.ir.text import show

PIXEL = IntType("Pixel", (("r", INT), ("weight", DOUBLE)))
IMAGE = Var("image", TensorType(PIXEL, 1))
ELEMENT = Select(IMAGE, (Var("k", INT),))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (show(part_of(ELEMENT, 0)), "image[k].r"),
        (f"0 <= {show(part_of(ELEMENT, 0))} and {show(part_of(ELEMENT, 1))} < 1", "0 <= image[k].r and image[k].weight < 1"),
        (show(whole_of((part_of(ELEMENT, 0), integer(1)))), "(image[k].r, 1)"),
        (show(whole_of((integer(2), part_of(ELEMENT, 1)), PIXEL)), "Pixel(2, image[k].weight)"),
        ("f(x) + 1", "f(x) + 1"),
        ("external.part.0.Pixel.int.end.r:int(image[k", "(image[k).r"),
    ],
)
def test_texts_are_of_parts_as_sources_have_them(text: str, wanted: str) -> None:
    assert for_people(text) == wanted


@pytest.mark.parametrize("literal", ["eng", "", "a b", 'say "no"', "(", "é", "two\nlines"])
def test_strings_are_shown_in_quotes(literal: str) -> None:
    name = Var("name", STRING)
    text = for_people(show(equal(name, Const(of_text(literal), STRING))))
    assert text == f"name == {json.dumps(literal, ensure_ascii=False)}"


def test_other_numbers_stay_numbers() -> None:
    number = of_text("eng")
    for text in ("9223372036854775807 < n", f"0.{number} < x", f"{number}.5 < x", f"a{number} == 1", f"{number + 2**48} == n"):
        assert for_people(text) == text


def test_the_type_of_tuples_is_no_word_of_the_text() -> None:
    whole = Var("pair", tuple_type((INT, INT)))
    assert for_people(show(part_of(whole, 1))) == "pair._2"
