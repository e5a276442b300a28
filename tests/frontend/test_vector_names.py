"""Linker names of std::vector's members and of std::min and std::max, as libstdc++ and libc++ spell them."""

from __future__ import annotations

import pytest

from metalift.frontend.metadata import vector_element
from metalift.frontend.vector_names import extremum, has_own_meaning, vector_member
from metalift.ir.types import FLOAT


@pytest.mark.parametrize(
    ("symbol", "name", "element", "signature"),
    [
        ("_ZNKSt6vectorIiSaIiEE4sizeEv", "size", "i", "v"),
        ("_ZNSt6vectorIhSaIhEEixEm", "operator[]", "h", "m"),
        ("_ZNSt6vectorIfSaIfEEC2EmRKfRKS0_", "constructor", "f", "mRKfRKS0_"),
        ("_ZNSt6vectorIfSaIfEEC1EmRKS0_", "constructor", "f", "mRKS0_"),
        ("_ZNSt6vectorIdSaIdEEC2ERKS1_", "constructor", "d", "RKS1_"),
        ("_ZNSt6vectorIiSaIiEEaSEOS1_", "operator=", "i", "OS1_"),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "push_back", "i", "RKi"),
        ("_ZNSt6vectorIiSaIiEE12emplace_backIJiEEERiDpOT_", "emplace_back", "i", "RiDpOT_"),
        ("_ZNSt6vectorIiSaIiEED2Ev", "destructor", "i", "v"),
        ("_ZNKSt3__16vectorIiNS_9allocatorIiEEE4sizeB8ne220108Ev", "size", "i", "v"),
        ("_ZNSt3__16vectorIfNS_9allocatorIfEEE9push_backB8ne220108EOf", "push_back", "f", "Of"),
        ("_ZNSt3__16vectorIfNS_9allocatorIfEEEC2B8ne220108EmRKf", "constructor", "f", "mRKf"),
        ("_ZNSt3__16vectorIhNS_9allocatorIhEEEixB8ne220108Em", "operator[]", "h", "m"),
    ],
)
def test_members(symbol: str, name: str, element: str, signature: str) -> None:
    member = vector_member(symbol)
    assert member is not None
    assert (member.name, member.element, member.signature) == (name, element, signature)
    assert has_own_meaning(symbol)


@pytest.mark.parametrize(
    ("symbol", "found"),
    [
        ("_ZSt3maxIiERKT_S2_S2_", ("max", "i")),
        ("_ZSt3minIfERKT_S2_S2_", ("min", "f")),
        ("_ZNSt3__13maxB8ne220108IiEERKT_S3_S3_", ("max", "i")),
        ("_ZSt3maxIiET_St16initializer_listIS0_E", None),
        ("_ZSt3absf", None),
    ],
)
def test_extremum(symbol: str, found: tuple[str, str] | None) -> None:
    assert extremum(symbol) == found


@pytest.mark.parametrize("symbol", ["_ZNSt6vectorIS_IiSaIiEESaIS1_EEixEm", "_ZNSt6vectorIbSaIbEE9push_backEb"])
def test_other_vectors_are_kept_but_not_members(symbol: str) -> None:
    assert vector_member(symbol) is None
    assert has_own_meaning(symbol)


def test_elements_of_vector_classes() -> None:
    assert vector_element("_ZTSSt6vectorIfSaIfEE") == ("float", FLOAT)
    assert vector_element("_ZTSNSt3__16vectorIfNS_9allocatorIfEEEE") == ("float", FLOAT)
    assert vector_element("_ZTSSt6vectorIS_IiSaIiEESaIS1_EE") is None
    assert vector_element("_ZTSSt6vectorIbSaIbEE") is None
