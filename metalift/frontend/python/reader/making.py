"""Making lists: literals, repetition, comprehensions, and what makes lists longer and shorter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.lists import ROWS, Lists
from metalift.frontend.python.reader.loops import ONE, Loops, plus
from metalift.frontend.python.stands_for import Again, Items, Iteration, ListObject, NoneValue, Value, View
from metalift.ir.expr.nodes import Const, Expr, Operator
from metalift.ir.expr.types import INT


@dataclass(slots=True)
class Making:
    """Reads what makes lists."""

    context: Context
    expressions: Expressions
    loops: Loops
    lists: Lists

    # Making

    def is_list(self, node: ast.expr) -> bool:
        """Whether an expression makes a list: `[0] * n`, `x + y` of lists."""
        match node:
            case ast.List() | ast.ListComp():
                return True
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return isinstance(left, ast.List) or isinstance(right, ast.List)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return all(self.is_list(side) or self._names_list(side) for side in (left, right))
            case _:
                return False

    def _names_list(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._names_list(node.value)
        found = self.context.view(node)
        return found is not None and not found.object.numpy

    def new_list(self, node: ast.expr, hint: str) -> View:
        """The list that an expression makes."""
        depth = self._depth(node)
        if depth > 2:
            self.context.refuse(node, f"a list of lists of lists that is made here; {ROWS}")
        made = self.lists.make(node, hint, max(1, depth), INT)
        length = self.fill(node, made)
        self.context.env[made.object.length] = length
        return made

    def _depth(self, node: ast.expr) -> int:
        """How many axes the list of an expression has, as far as its form tells."""
        match node:
            case ast.List(elts=[first, *_]):
                return 1 + self._depth(first)
            case ast.ListComp(elt=inner):
                return 1 + self._depth(inner)
            case ast.BinOp(left=ast.List() as inner) | ast.BinOp(right=ast.List() as inner):
                return self._depth(inner)
            case ast.List():
                return 1
            case ast.Call(func=ast.Name(id="list" | "tuple"), args=[_]):
                return 1
            case ast.Subscript(slice=ast.Slice()):
                return 1
            case _:
                return 0

    def fill(self, node: ast.expr, target: View) -> Expr:
        """Fill an empty list with the elements of the list that an expression makes; how many there are."""
        match node:
            case ast.List(elts=parts):
                return self._literal(parts, target)
            case ast.ListComp():
                return self._comprehension(node, target)
            case ast.BinOp(left=ast.List() as part, op=ast.Mult(), right=times):
                return self._repeated(node, part, times, target)
            case ast.BinOp(left=times, op=ast.Mult(), right=ast.List() as part):
                return self._repeated(node, part, times, target)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                self.expressions.only_reads([left, right])
                begin = self._filled_from(left, target, ZERO)
                return self._filled_from(right, target, begin)
            case _:
                return self._filled_from(node, target, ZERO)

    def copy_of(self, arg: ast.expr, node: ast.AST, hint: str) -> View:
        """A new list with the values of an iterable."""
        if isinstance(arg, ast.GeneratorExp):
            arg = ast.copy_location(ast.ListComp(arg.elt, arg.generators), arg)
        if self.is_list(arg):
            return self.new_list(arg, hint)
        found = self.loops.iteration(arg, lazy=False)
        if isinstance(found, Items):
            made = self.lists.make(node, hint, 1, INT)
            self.context.env[made.object.length] = self._filled_from(arg, made, ZERO)
            return made
        return self.lists.copied(found, node, hint)

    def _filled_from(self, node: ast.expr, target: View, begin: Expr) -> Expr:
        """Append the elements of an iterable from a place on; the length afterwards."""
        written = self._written_out(node) if target.rank == 1 else None
        source = self.loops.iteration(node) if written is None else written
        if isinstance(source, Items):
            for at, part in enumerate(source.items):
                self.lists.put(target, plus(begin, Const(at, INT)), self.lists.as_element(part, target.object, node), node)
            return plus(begin, Const(len(source.items), INT))
        source = self.loops.by_zero(source)
        begin = self.context.frozen(begin)
        count = self.loops.rounds(source)

        def item(index: Expr) -> Value:
            self.set_element(target, plus(begin, index), source.item(index), node)
            return NoneValue()

        self.loops.loop(replace(source, item=item), node, [], lambda _: None, tag=f"fill{len(target.prefix)}")
        return plus(begin, count)

    def _written_out(self, node: ast.expr) -> Items | None:
        """The elements of a list that is written out; None where it is none, or they change something."""
        if not isinstance(node, ast.List) or not all(map(self.expressions.is_simple, node.elts)):
            return None
        return Items(tuple(self.expressions.operands(node.elts)))

    def deepen(self, owner: ListObject) -> None:
        """The list turns out to be one of lists: read the function again with that."""
        if owner.rank > 1:
            function = self.context.module.find(self.context.frame.function.name)
            self.context.refuse(function, f"a list of lists of lists that is made here; {ROWS}")
        self.context.known.ranks[owner.site] = owner.rank + 1
        raise Again

    def set_element(self, target: View, index: Expr, value: Value, node: ast.AST) -> None:
        """Set an element or a row of a list that is being made."""
        if isinstance(value, View) and value.object is target.object and value.rank >= target.rank:
            self.context.refuse(node, "a list that is put into itself; put a copy there")
        if isinstance(value, View | Iteration):
            if target.rank == 1:
                self.deepen(target.object)
            row = View(target.object, (*target.prefix, self.context.frozen(index, "row")))
            inner = self.loops.by_zero(self.loops.over(value) if isinstance(value, View) else value)
            self.lists.copy(row, inner, node)
            self.lists.rows_have_at(row, inner, node)
            if isinstance(value, View):
                self.shares(value, target.object, node)
            return
        if target.rank > 1:
            self.context.refuse(node, f"a list of lists that also has numbers; {ROWS}")
        self.lists.put(target, index, self.lists.as_element(value, target.object, node), node)

    def shares(self, value: View, outer: ListObject, node: ast.AST) -> None:
        """A list was put into another one, of which here only a copy is kept."""
        if value.object.numpy or self.lists.is_fresh(value):
            return
        if self.context.point.sharing.of(value.object.site):
            self.context.refuse(node, "a list that is put into another and may have a second name; put a copy there")
        if value.object.local and not value.prefix:
            self.context.env[f"#moved:{value.object.site}"] = NoneValue()
        else:
            self.lists.shared.append((value.object, outer, self.context.here(node)))

    def element_node(self, node: ast.expr, target: View, index: Expr) -> None:
        """Set an element or a row to what an expression gives, without a list in between where it makes one."""
        if not self.is_list(node):
            self.set_element(target, index, self.expressions.value(node), node)
            return
        if target.rank == 1:
            self.deepen(target.object)
        row = View(target.object, (*target.prefix, self.context.frozen(index, "row")))
        length = self.fill(node, row)
        if len(row.prefix) == 1:
            self.lists.rows_have(target.object, (length,), node)

    def _literal(self, parts: Sequence[ast.expr], target: View) -> Expr:
        if not all(self.expressions.is_simple(part) for part in parts) or target.rank > 1:
            for at, part in enumerate(parts):
                self.element_node(part, target, Const(at, INT))
            return Const(len(parts), INT)
        for at, (value, part) in enumerate(zip(self.expressions.operands(parts), parts, strict=True)):
            self.set_element(target, Const(at, INT), value, part)
        return Const(len(parts), INT)

    def _repeated(self, node: ast.BinOp, part: ast.List, times: ast.expr, target: View) -> Expr:
        """[x] * n."""
        if len(part.elts) != 1:
            self.context.refuse(node, "a list of several elements that is repeated; supported is [x] * n")
        self.expressions.only_reads([part.elts[0], times])
        if self.is_list(part.elts[0]) or isinstance(self.expressions.value(part.elts[0]), View):
            message = "a list that is repeated, whose rows are then one and the same list; write [[x] * m for _ in range(n)]"
            self.context.refuse(node, message)
        element = part.elts[0]
        count = self.context.frozen(self.expressions.integer(times), "count")
        none = isinstance(element, ast.Constant) and element.value is None
        value = ZERO if none else self.context.named(self.expressions.scalar(element), "fill")
        length = scalars.clamped(count, self.context.is_natural(count))
        if not none:
            fill = Iteration(ZERO, count, 1, lambda index: self._put_item(target, index, value, node))
            self.loops.loop(fill, node, [], lambda _: None, tag="repeat")
        return length

    def _put_item(self, target: View, index: Expr, value: Expr, node: ast.AST) -> Value:
        self.lists.put(target, index, value, node)
        return NoneValue()

    def _comprehension(self, node: ast.ListComp, target: View) -> Expr:
        """[e for i in s if c ...]: without conditions and with one loop the place is the counter, otherwise it is counted."""
        if any(generator.is_async for generator in node.generators):
            self.context.refuse(node, "an asynchronous comprehension; supported are ordinary ones")
        first = node.generators[0]
        if len(node.generators) == 1 and not first.ifs and not isinstance(first.iter, ast.GeneratorExp):
            found = self.loops.iteration(first.iter)
            if not isinstance(found, Items):
                return self._mapped_into(node, self.loops.by_zero(found), target)
        count = f"{self.context.key(node)}:#count"
        self.context.env[count] = ZERO

        def add() -> None:
            at = self.context.env[count]
            assert isinstance(at, Expr)
            self.element_node(node.elt, target, at)
            self.context.env[count] = plus(at, ONE)

        self.generate(node.generators, [count], add)
        length = self.context.env.pop(count)
        assert isinstance(length, Expr)
        return length

    def _mapped_into(self, node: ast.ListComp, source: Iteration, target: View) -> Expr:
        source = replace(source, stop=self.context.frozen(source.stop, "stop"))
        length = self.loops.rounds(source)
        generator = node.generators[0]

        def item(index: Expr) -> Value:
            def element() -> Value:
                self.element_node(node.elt, target, index)
                return NoneValue()

            return self.loops.within(generator.target, source.item(index), element)

        self.loops.loop(replace(source, item=item), node, self.walrus(node), lambda _: None)
        return length

    def walrus(self, node: ast.AST) -> list[str]:
        """The names that := inside sets."""
        targets = [part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
        return [self.context.name_of(name) for name in targets]

    def generate(self, generators: Sequence[ast.comprehension], names: Sequence[str], body: Callable[[], None]) -> None:
        """Do `body` for each value of nested generators that passes their conditions; it changes `names`."""
        first, *rest = generators
        names = [*names, *(name for each in generators for name in self.walrus(each))]

        def one() -> Value:
            self._if_all(first.ifs, lambda: self.generate(rest, names, body) if rest else body(), first)
            return NoneValue()

        if isinstance(inner := first.iter, ast.GeneratorExp):  # whose values are taken one by one
            element = inner.elt
            taken = lambda: _ignored(self.loops.within(first.target, self.expressions.value(element), one))  # noqa: E731
            self.generate(inner.generators, names, taken)
            return
        source = self.loops.iteration(first.iter)
        if isinstance(source, Items):
            for value in source.items:
                self.loops.within(first.target, value, one)
            return
        self.loops.loop(source, first.iter, names, lambda value: _ignored(self.loops.within(first.target, value, one)), tag="gen")

    def _if_all(self, tests: Sequence[ast.expr], body: Callable[[], None], node: ast.AST) -> None:
        if not tests:
            body()
            return
        cond = self.expressions.truth(tests[0])
        chosen, other = self.context.branch(cond, "if")
        self.context.at = chosen
        self._if_all(tests[1:], body, tests[0])
        self.context.join([self.context.at, other], "endif", self.context.key(tests[0], "if"))

    # Changing lengths

    def growing(self, view: View, node: ast.AST) -> ListObject:
        """The list whose length is going to change."""
        owner = view.object
        if owner.numpy:
            self.context.refuse(node, "a change of the length of a NumPy array; supported is a list")
        if not owner.local:
            self.context.refuse(node, f"a change of the length of the parameter {owner.var.name}; fill a new list and return it")
        if view.prefix:
            self.context.refuse(node, f"a change of the length of a row; {ROWS}")
        if any(part.object is owner for iteration in self.loops.running for part in iteration.views):
            self.context.refuse(node, "a change of the length of the list over which the loop runs; loop over a copy, x[:]")
        self.context.change(owner)
        return owner

    def append(self, view: View, node: ast.expr) -> None:
        """x.append(e)."""
        owner = self.growing(view, node)
        if self.is_list(node):
            self.expressions.only_reads([node])
        if not self.is_list(node):
            value = self.expressions.value(node)
            at = self.context.length(view)
            self.set_element(view, at, value, node)
        else:
            self.element_node(node, view, self.context.length(view))
        self.context.env[owner.length] = plus(self.context.length(view), ONE)

    def extend(self, view: View, node: ast.expr) -> None:
        """x.extend(s), x += s."""
        owner = self.growing(view, node)
        self.expressions.only_reads([node])
        before = self.context.frozen(self.context.length(view))
        self.context.env[owner.length] = self._filled_from(node, view, before)

    def pop(self, view: View, node: ast.Call) -> Value:
        """x.pop()."""
        owner = self.growing(view, node)
        if node.args:
            self.context.refuse(node, "pop from a place; supported is pop() of the last element")
        if view.rank > 1:
            self.context.refuse(node, f"pop of a row, which has a name of its own then; {ROWS}")
        last = scalars.add(Operator.SUB, self.context.length(view), ONE)
        value = self.context.element(view, last)
        if isinstance(value, Expr):
            value = self.context.named(value, "last")
        self.context.env[owner.length] = last
        return value


def _ignored(value: Value) -> None:
    del value
