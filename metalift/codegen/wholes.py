"""Lists that are used as far as others of the same length go are used whole."""

from __future__ import annotations

from metalift.ir.expr.nodes import Apply, Build, Expr, Length, Operator, Select, Var
from metalift.ir.expr.walk import map_children
from metalift.ir.program.summary import TargetProgram


def with_whole_lists(program: TargetProgram) -> TargetProgram:
    """The program without parts of lists that are all of them, since it requires lists to have the same length."""
    alike = {frozenset(lengths) for each in program.requires if len(lengths := _equal_lengths(each)) == 2}
    if not alike:
        return program

    def changed(expr: Expr) -> Expr:
        match expr:
            case Build((Apply(Operator.MIN, lengths),), (binder,), Select(Var() as whole, (at,))) if at == binder:
                if frozenset(lengths) in alike and Length(whole, 0) in lengths:
                    return whole
        return map_children(changed, expr)

    return program.map(changed)


def _equal_lengths(required: Expr) -> tuple[Expr, ...]:
    match required:
        case Apply(Operator.EQ, (Length(Var()), Length(Var())) as lengths):
            return lengths
    return ()
