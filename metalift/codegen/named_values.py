"""The statements that give values names."""

from __future__ import annotations

import ast

from metalift.codegen.entry import Entry
from metalift.codegen.long_lines import say
from metalift.codegen.names import identifier, stem
from metalift.codegen.plain_numbers import without_known_tests
from metalift.codegen.request import GenerateRequest
from metalift.codegen.rounding import Rounding
from metalift.codegen.several import Several
from metalift.codegen.spelled import Spelled
from metalift.driver.templates import fill_template, name
from metalift.ir.expr.nodes import Call, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.summary import Let


class NamedValues(Entry):
    """Writes the values of a program's lets."""

    def __init__(self, request: GenerateRequest) -> None:
        super().__init__(request)
        scalars = frozenset(param.var for param in self.fragment.params if not isinstance(param.var.type, TensorType))
        self.rounding = Rounding(request.driver, request.target, scalars)
        self.several = Several(request.driver)

    def _say(self, prefix: str, tree: ast.expr) -> None:
        lines = say(prefix, self._without_known_tests(tree), self._hoist)  # the steps that it takes come first
        self.lines += lines

    def _without_known_tests(self, tree: ast.expr) -> ast.expr:
        return without_known_tests(tree, self.printer.numbers.short)

    def _of_one_call(self, position: int) -> int:
        """How many values from this one on are results of one call; a statement names them. None where there is one."""
        count = self.several.run(self.program.lets[position:])
        lets = self.program.lets[position : position + count]
        if count < 2:
            return 0
        spelled = [self.printer.spell(self.rounding.intermediate(let)) for let in lets]
        shown = [self._name_for(let.var, position + count - 1) for let in lets]
        made = self.several.statement(lets, shown, [each.tree for each in spelled])
        if made is None:
            return 0
        self._say(*made)
        for let, called, each in zip(lets, shown, spelled, strict=True):
            self.holders[called] = let.var.name
            self.printer.values[let.var.name] = Spelled(name(called), each.number, each.aliases, each.lengths)
            if isinstance(let.var.type, TensorType):
                self.printer.learn_lengths(let)
        return count

    def _let(self, position: int, let: Let) -> None:
        spelled = self.printer.spell(self.rounding.intermediate(let))
        if isinstance(spelled.tree, ast.Name) and not spelled.aliases and spelled.tree.id in self.holders:
            del self.holders[spelled.tree.id]  # a second name for it says nothing; nothing else may have this one
            self.printer.values[let.var.name] = spelled
            return
        shown = self._name_for(let.var, position)
        self._say(f"{shown} = ", spelled.tree)
        self.holders[shown] = let.var.name
        self.printer.values[let.var.name] = Spelled(name(shown), spelled.number, spelled.aliases, spelled.lengths)
        if isinstance(let.value, Call) and isinstance(let.var.type, TensorType):
            self.printer.learn_lengths(let)

    def _name_for(self, var: Var, position: int) -> str:
        """The name of the source's variable, taken over from an earlier version that nobody needs any more."""
        plain = identifier(stem(var.name))
        holder = self.holders.get(plain)
        if holder is None:
            return self.names.take(stem(var.name))
        later = [*(let.value for let in self.program.lets[position + 1 :]), *(write.value for write in self.program.writes)]
        later += [part for write in self.program.writes for part in (write.window, write.guard)]
        later += [] if self.program.result is None else [self.program.result]
        if any(used.name == holder for value in later for used in free_vars(value)):
            return self.names.take(var.name)
        self.printer.forget()
        return plain

    def _keep(self, wanted: str, spelled: Spelled) -> Spelled:
        """A value that writes must not change, under a name."""
        settled = spelled.number or (isinstance(spelled.tree, ast.Name) and not spelled.aliases)
        if settled:
            return spelled
        shown = self.names.take(wanted)
        self._say(f"{shown} = ", self._copied(spelled))
        return Spelled(name(shown))

    def _copied(self, spelled: Spelled) -> ast.expr:
        if not spelled.aliases or self.request.target.layout is None:
            return spelled.tree
        return fill_template(self.request.target.layout.clone, {"x": spelled.tree})
