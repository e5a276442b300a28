"""A version without loops for vectors whose length is a number of full rows of one tile; other lengths go the general way.

With n = rows * width the quotient n // width is `rows` and nothing is left: loops over tiles have one iteration, and what is done
for the rest is dropped. The other moves find more to do in it.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.driver.moves import Moved, Site
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conj, equal, neg
from metalift.ir.expr.nodes import FALSE, Apply, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars, subexpressions, substitute, transform
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.program.kernel import Kernel, Loop, Size, Statement, Store, When

from .rewriting import rewritten, same, statements

NAME = "straight"
PREFIX = "one_"


def sites(kernel: Kernel) -> tuple[Site, ...]:
    """The width of a vector, once for each kernel; not where a version was made already."""
    if any(isinstance(each, When) and not _is_rest(each.cond) for each in kernel.body):
        return ()
    return ((),) if _divided(kernel) else ()


def apply(kernel: Kernel, site: Site) -> Moved:
    """Both versions, of which one runs."""
    found = _divided(kernel)
    rows = {width: Size(Var(f"{PREFIX}{width.name}", INT), n, 1, kernel.machine.rows) for width, (n, _) in found.items()}
    known: dict[Expr, Expr] = {}
    guards: list[Expr] = []
    for width, (quotient, n) in found.items():
        rows[width] = replace(rows[width], value=quotient)
        known[quotient] = rows[width].var
        known[Apply(Operator.FMOD, (n, width))] = integer(0)
        guards.append(equal(n, Apply(Operator.MUL, (width, rows[width].var))))
    guard = conj(*guards)
    limits = {size.var: size.most for size in (*kernel.sizes, *rows.values())}
    fast = _Straight(known, guard, limits).body(kernel.body)
    slow = tuple(_owned(each, neg(guard)) for each in kernel.body)
    versions = (When(guard, fast), When(neg(guard), slow))
    return Moved(replace(kernel, body=versions, sizes=(*kernel.sizes, *rows.values())), guard)


def _divided(kernel: Kernel) -> dict[Var, tuple[Expr, Expr]]:
    """The widths of vectors, each with the quotient of the vector's length by it, and that length."""
    widths = {size.var for size in kernel.sizes}
    found: dict[Var, tuple[Expr, Expr]] = {}
    for each in kernel.body:
        if isinstance(each, Loop):
            for part in subexpressions(each.count):
                if isinstance(part, Apply) and part.op is Operator.FDIV and part.args[1] in widths:
                    width = part.args[1]
                    assert isinstance(width, Var)
                    found[width] = part, part.args[0]
    return found


def _is_rest(cond: Expr) -> bool:
    """Whether a condition says that something is left."""
    return isinstance(cond, Apply) and any(isinstance(arg, Apply) and arg.op is Operator.FMOD for arg in cond.args)


def _owned(statement: Statement, guard: Expr) -> Statement:
    """A statement whose stores write where the guard holds only."""
    match statement:
        case Store():
            return replace(statement, owns=conj(guard, statement.owns))
        case Loop() | When():
            return replace(statement, body=tuple(_owned(each, guard) for each in statement.body))
        case _:
            return statement


class _Straight:
    """Makes the version; `known` are the numbers that some expressions are in it, `limits` the largest of sizes."""

    def __init__(self, known: dict[Expr, Expr], guard: Expr, limits: dict[Var, int]) -> None:
        self.known = known
        self.guard = guard
        self.limits = limits

    def body(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """The statements, those of loops with one iteration in their places."""
        made: list[Statement] = []
        for each in body:
            made += self.statement(each)
        return tuple(made)

    def statement(self, statement: Statement) -> tuple[Statement, ...]:
        """What becomes of one."""
        match statement:
            case Loop(var, count, body) if self.once(count):
                inner = tuple(rewritten(each, lambda expr: substitute(expr, {var: integer(0)}), same) for each in body)
                return self.body(tuple(_without(each, var) for each in inner))
            case When(cond) if self.simple(cond) == FALSE:
                return ()
            case _:
                return (_owned(self.renamed(statement), self.guard),)

    def renamed(self, statement: Statement) -> Statement:
        """With tiles and counters of its own, as names are unique in a kernel."""
        counters = {each.var for each in statements((statement,)) if isinstance(each, Loop)}
        own = {var: Var(f"{PREFIX}{var.name}", INT) for var in counters}

        def expression(expr: Expr) -> Expr:
            return self.simple(substitute(expr, dict(own)))

        made = rewritten(statement, expression, lambda tile: f"{PREFIX}{tile}")
        return _recounted(made, own) if own else made

    def once(self, count: Expr) -> bool:
        """Whether a number is 1 for the least and the greatest of the sizes in it, rounded up as it is."""
        value = self.simple(count)
        if not free_vars(value) <= set(self.limits):
            return False
        ends = ({var.name: end for var, end in zip(self.limits, ends, strict=True)} for ends in
                ([1] * len(self.limits), list(self.limits.values())))  # fmt: skip
        return all(evaluate(value, each) == 1 for each in ends)

    def simple(self, expr: Expr) -> Expr:
        """An expression with what is known put in, and sizes as polynomials."""
        return transform(self.folded, transform(lambda part: self.known.get(part, part), expr))

    def folded(self, part: Expr) -> Expr:
        """A part whose parts are simple: no multiples of 0, no minimum with what is no less."""
        if not isinstance(part, Apply):
            return part
        if part.op is Operator.MIN and type_of(part) == INT:
            low, high = part.args
            if isinstance(high, Var) and high in self.limits and low == integer(self.limits[high]):
                return high
        if part.op is Operator.LT and part.args == (integer(0), integer(0)):
            return FALSE
        if part.op in (Operator.ADD, Operator.SUB, Operator.MUL) and type_of(part) == INT and not _nonlinear(part):
            return Polynomial.of(part).to_expr()
        return part


def _nonlinear(part: Expr) -> bool:
    """Whether divisions stand in it, which are left alone."""
    return any(isinstance(each, Apply) and each.op in (Operator.FDIV, Operator.FMOD) for each in subexpressions(part))


def _without(statement: Statement, counter: Var) -> Statement:
    """A statement of a loop that is gone: a store's inverse has no value for its counter."""
    match statement:
        case Store():
            return replace(statement, inverse=tuple(pair for pair in statement.inverse if pair[0] != counter))
        case Loop() | When():
            return replace(statement, body=tuple(_without(each, counter) for each in statement.body))
        case _:
            return statement


def _recounted(statement: Statement, own: dict[Var, Var]) -> Statement:
    """Loops with counters of their own."""
    match statement:
        case Loop():
            body = tuple(_recounted(each, own) for each in statement.body)
            return replace(statement, var=own[statement.var], body=body)
        case When():
            return replace(statement, body=tuple(_recounted(each, own) for each in statement.body))
        case Store():
            return replace(statement, inverse=tuple((own.get(var, var), value) for var, value in statement.inverse))
        case _:
            return statement
