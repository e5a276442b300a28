"""Views of Python's lists: slices, rows and comprehensions, which all are copies; a matrix is a list of its rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce

from metalift.codegen.request import CannotSpell
from metalift.codegen.views import Access, Size, Views, is_whole, product
from metalift.driver.templates import call, name, subscript, used_names
from metalift.ir.arith.polynomial import Polynomial

_COUNTERS = ("i", "j", "k", "l", "m", "n")


class Lists(Views):
    """Spells views of lists. What would be a view by strides is a comprehension."""

    def read(self, base: ast.expr, lengths: Sequence[Size | None], sizes: Sequence[Size], view: Sequence[Access]) -> ast.expr:
        """The elements: of one axis by a slice, otherwise one by one."""
        *rows, last = view
        if not any(row.terms for row in rows) and self._is_slice(last):
            return self._sliced(self._at(base, rows), last, lengths[-1], sizes)
        used = sorted({position for access in view for position, _ in access.terms})
        counters = dict(zip(used, _fresh(len(used), [base, *(self.number(sizes[at]) for at in used)]), strict=True))
        places = [self._place(access, counters) for access in view]
        cell = reduce(lambda row, place: subscript(row, [place]), places, base)
        for at in reversed(used):
            cell = _each(cell, counters[at], call("range", self.number(sizes[at])))
        return cell

    def gathers(self, base: ast.expr, sizes: Sequence[Size], view: Sequence[Access]) -> bool:
        """Whether it is a copy: only the whole list and a row are none."""
        return any(access.terms for access in view)

    def gather(self, base: ast.expr, places: Sequence[ast.expr], sizes: Sequence[Size]) -> ast.expr:
        """The elements at a list of computed indices, or at one index."""
        if len(places) != 1 or len(sizes) > 1:
            raise CannotSpell("elements of lists of lists at computed indices")
        if not sizes:
            return subscript(base, list(places))
        (counter,) = _fresh(1, [base])
        return _each(subscript(base, [name(counter)]), counter, places[0])

    def spread(self, tree: ast.expr, used: Sequence[int], sizes: Sequence[Size], *, broadcasts: bool) -> ast.expr:
        """One element everywhere, or a row in each place."""
        if len(used) == len(sizes):
            return tree
        if used and list(used) != list(range(len(sizes) - len(used), len(sizes))):
            raise CannotSpell("a list that is repeated inside of lists")
        for size in reversed(sizes[: len(sizes) - len(used)]):
            tree = _each(tree, "_", call("range", self.number(size)))
        return tree

    def element(self, base: ast.expr, index: Polynomial) -> ast.expr:
        """An element that is spread over a list."""
        return subscript(base, [self.number(index)])

    def filled(self, value: ast.expr, sizes: Sequence[Size], dtype: ast.expr, near: ast.expr) -> ast.expr:
        """A number everywhere."""
        return self._repeated(value, sizes)

    def _repeated(self, value: ast.expr, sizes: Sequence[Size]) -> ast.expr:
        row = ast.BinOp(left=ast.List(elts=[value], ctx=ast.Load()), op=ast.Mult(), right=self.number(sizes[-1]))
        return self.spread(row, (len(sizes) - 1,), sizes, broadcasts=False)

    def permute(self, tree: ast.expr, order: Sequence[int]) -> ast.expr:
        """Lists have no other order of their axes."""
        if list(order) != sorted(order):
            raise CannotSpell("the transpose of a list of lists that is written")
        return tree

    def index_tensors(self, base: ast.expr, sizes: Sequence[Size], view: Sequence[Access]) -> list[ast.expr]:
        """Lists of indices."""
        if len(sizes) != 1 or any(len(access.terms) > 1 for access in view):
            raise CannotSpell("lists of lists of indices")
        (counter,) = _fresh(1, [self.number(sizes[0])])
        count = call("range", self.number(sizes[0]))
        return [_each(self._place(access, {0: counter}), counter, count) for access in view]

    def target(
        self, base: ast.expr, lengths: Sequence[Size | None], sizes: Sequence[Size], window: Sequence[Access], *, uniform: bool
    ) -> tuple[ast.expr, Callable[[ast.expr], ast.expr]]:
        """An element, or a slice; a slice of one number is a list of it."""
        *rows, last = window
        if any(row.terms for row in rows):
            raise CannotSpell("a write to several rows of a list of lists")
        if uniform and product(sizes) == Polynomial.constant(1):
            return self._at(base, window), lambda tree: tree
        if len(last.terms) > 1:
            return super().target(base, lengths, sizes, window, uniform=False)
        if not self._is_slice(last):
            raise CannotSpell("a write to a list with a step of unknown sign")
        ((position, stride),) = last.terms
        part, backwards = self.slice(last.start, stride, sizes[position], lengths[-1])
        target = subscript(self._at(base, rows), [part])
        if uniform:
            return target, lambda tree: self._repeated(tree, [sizes[position]])
        return target, lambda tree: self._flipped(tree, [0] if backwards else [])

    def _is_slice(self, access: Access) -> bool:
        return not access.terms or (len(access.terms) == 1 and self.sign(access.terms[0][1]) != 0)

    def _at(self, base: ast.expr, view: Sequence[Access]) -> ast.expr:
        """An element, or a row."""
        return reduce(lambda row, access: subscript(row, [self.number(access.start)]), view, base)

    def _sliced(self, base: ast.expr, access: Access, length: Size | None, sizes: Sequence[Size]) -> ast.expr:
        if not access.terms:
            return self._at(base, [access])
        ((position, stride),) = access.terms
        part, backwards = self.slice(access.start, stride, sizes[position], length)
        return self._flipped(base if is_whole(part) else subscript(base, [part]), [0] if backwards else [])

    def _place(self, access: Access, counters: dict[int, str]) -> ast.expr:
        """The index where the binders are the counters."""
        terms: list[ast.expr] = []
        for position, stride in access.terms:
            counter: ast.expr = name(counters[position])
            if stride != Polynomial.constant(1):
                counter = ast.BinOp(left=counter, op=ast.Mult(), right=self.number(stride))
            terms.append(counter)
        if not terms or access.start != Polynomial():
            terms.append(self.number(access.start))
        return reduce(lambda left, right: ast.BinOp(left=left, op=ast.Add(), right=right), terms)


def _each(element: ast.expr, counter: str, steps: ast.expr) -> ast.expr:
    """[element for counter in steps]"""
    target = ast.Name(id=counter, ctx=ast.Store())
    return ast.ListComp(elt=element, generators=[ast.comprehension(target=target, iter=steps, ifs=[], is_async=0)])


def _fresh(count: int, trees: Sequence[ast.expr]) -> list[str]:
    """Names of counters that the trees do not use."""
    used = frozenset(each for tree in trees for each in used_names(tree))
    names = [each for each in (*_COUNTERS, *(f"{each}_{n}" for n in range(1, 9) for each in _COUNTERS)) if each not in used]
    return names[:count]
