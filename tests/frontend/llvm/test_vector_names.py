"""Linker names of std::vector's members and of std::min and std::max, as libstdc++ and libc++ spell them."""

from __future__ import annotations

import pytest

from metalift.frontend.llvm.names.library_names import has_own_meaning
from metalift.frontend.llvm.names.vector_names import extremum, vector_member
from metalift.frontend.llvm.read.mangled import demangle, type_name
from metalift.frontend.llvm.read.metadata import vector_element

GNU_ROWS, LLVM_ROWS = "St6vectorIS_IfSaIfEESaIS1_EE", "St3__16vectorINS0_IfNS_9allocatorIfEEEENS1_IS3_EEE"


@pytest.mark.parametrize(
    ("symbol", "name", "vector", "params"),
    [
        ("_ZNKSt6vectorIiSaIiEE4sizeEv", "size", ("i", 1), ()),
        ("_ZNSt6vectorIhSaIhEEixEm", "operator[]", ("h", 1), ("unsigned long",)),
        ("_ZNSt6vectorIfSaIfEEC2EmRKfRKS0_", "constructor", ("f", 1),
         ("unsigned long", "float const&", "std::allocator<float> const&")),
        ("_ZNSt6vectorIfSaIfEEC1EmRKS0_", "constructor", ("f", 1), ("unsigned long", "std::allocator<float> const&")),
        ("_ZNSt6vectorIdSaIdEEC2ERKS1_", "constructor", ("d", 1), ("std::vector<double> const&",)),
        ("_ZNSt6vectorIiSaIiEEaSEOS1_", "operator=", ("i", 1), ("std::vector<int>&&",)),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "push_back", ("i", 1), ("int const&",)),
        ("_ZNSt6vectorIiSaIiEE4swapERS1_", "swap", ("i", 1), ("std::vector<int>&",)),
        ("_ZNSt6vectorIiSaIiEED2Ev", "destructor", ("i", 1), ()),
        ("_ZNKSt3__16vectorIiNS_9allocatorIiEEE4sizeB8ne220108Ev", "size", ("i", 1), ()),
        ("_ZNSt3__16vectorIfNS_9allocatorIfEEE9push_backB8ne220108EOf", "push_back", ("f", 1), ("float&&",)),
        ("_ZNSt3__16vectorIfNS_9allocatorIfEEEC2B8ne220108EmRKf", "constructor", ("f", 1), ("unsigned long", "float const&")),
        (f"_ZN{GNU_ROWS}9push_backERKS1_", "push_back", ("f", 2), ("std::vector<float> const&",)),
        (f"_ZN{GNU_ROWS}C2EmRKS1_RKS2_", "constructor", ("f", 2),
         ("unsigned long", "std::vector<float> const&", "std::allocator<std::vector<float>> const&")),
        (f"_ZNK{LLVM_ROWS}ixB9nie220108Em", "operator[]", ("f", 2), ("unsigned long",)),
        (f"_ZN{LLVM_ROWS}9push_backB9nie220108EOS3_", "push_back", ("f", 2), ("std::vector<float>&&",)),
        ("_ZNSt6vectorIS_IS_IiSaIiEESaIS1_EESaIS3_EEC2EOS5_", "constructor", ("i", 3),
         ("std::vector<std::vector<std::vector<int>>>&&",)),
    ],
)  # fmt: skip
def test_members(symbol: str, name: str, vector: tuple[str, int], params: tuple[str, ...]) -> None:
    member = vector_member(symbol)
    assert member is not None
    assert (member.name, (member.element, member.rank), member.params) == (name, vector, params)
    assert has_own_meaning(symbol)


@pytest.mark.parametrize(
    ("symbol", "template"),
    [
        ("_ZNSt6vectorIiSaIiEE12emplace_backIJiEEERiDpOT_", ("int",)),
        (f"_ZN{GNU_ROWS}12emplace_backIJRS1_EEERS1_DpOT_", ("std::vector<float>&",)),
        (f"_ZN{GNU_ROWS}12emplace_backIJmRKfEEERS1_DpOT_", ("unsigned long", "float const&")),
        ("_ZNSt6vectorIiSaIiEEC2IN9__gnu_cxx17__normal_iteratorIPKiS1_EEvEET_S8_RKS0_",
         ("__gnu_cxx::__normal_iterator<int const*, std::vector<int>>", "void")),
    ],
)  # fmt: skip
def test_template_arguments(symbol: str, template: tuple[str, ...]) -> None:
    member = vector_member(symbol)
    assert member is not None and member.template == template


def test_names_with_expressions_and_lambdas() -> None:
    found = demangle(
        "_ZNSt3__116allocator_traitsINS_9allocatorINS_6vectorIfNS1_IfEEEEEEE7destroyB9nie220108IS4_TnNS_9enable_ifIX15"
        "__has_destroy_vIS5_PT_EEiE4typeELi0EEEvRS5_SA_"
    )
    assert found is not None
    assert (found.scope, found.name) == ("std::allocator_traits<std::allocator<std::vector<float>>>", "destroy")
    local = demangle("_ZSt8for_eachIPiZ4kernRSt6vectorIiSaIiEEEUliE_ET0_T_S7_S6_")
    assert local is not None and (local.scope, local.name, local.params[0]) == ("std", "for_each", "int*")
    assert demangle("main") is None and demangle("_ZNSt6vectorI") is None


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


@pytest.mark.parametrize("symbol", ["_ZNSt6vectorI4ItemSaIS0_EEixEm", "_ZNSt6vectorIbSaIbEE9push_backEb"])
def test_members_of_other_vectors_have_no_numbers(symbol: str) -> None:
    member = vector_member(symbol)
    assert member is not None and not member.of_numbers
    assert has_own_meaning(symbol)


def test_elements_of_vector_classes() -> None:
    assert vector_element(type_name("_ZTSSt6vectorIfSaIfEE")) == ("f", 1)
    assert vector_element(type_name("_ZTSNSt3__16vectorIfNS_9allocatorIfEEEE")) == ("f", 1)
    assert vector_element(type_name("_ZTSSt6vectorIS_IiSaIiEESaIS1_EE")) == ("i", 2)
    assert vector_element(type_name("_ZTSSt6vectorIbSaIbEE")) is None
