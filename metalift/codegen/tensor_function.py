"""Functions that take and return tensors: sizes are shapes, arrays have the axes that the source goes through, none is written.

The source's arrays are what lies in such tensors one after the other. An array that the source only writes is a result, one that
it also reads is an argument and, changed, a result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from metalift.codegen.effect import BINDERS
from metalift.codegen.equal_lengths import lengths_of, same_lengths, with_equal_lengths
from metalift.codegen.expressions import Printer
from metalift.codegen.function import FunctionWriter
from metalift.codegen.guards import CHECK_CONTIGUOUS, helper_texts
from metalift.codegen.header import described, docstring
from metalift.codegen.python_text import INDENT, LINE_LENGTH, statement, text
from metalift.codegen.request import ADAPTER, CannotSpell, Generated, GenerateRequest
from metalift.codegen.spelled import Spelled
from metalift.codegen.stacked import Stack, stacked
from metalift.codegen.views import Access, Size, accesses, product
from metalift.codegen.windows import with_windows
from metalift.driver.templates import call, constant, fill_template, name, subscript, tuple_of, used_names
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import at_most, equal, tuple_items
from metalift.ir.expr.nodes import TRUE, Apply, Build, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, TensorType, is_integer
from metalift.ir.expr.walk import free_names, free_vars, subexpressions, transform
from metalift.ir.program.assumption import Assumption
from metalift.ir.program.fragment import Param, ParamKind
from metalift.ir.program.summary import TargetProgram, Write
from metalift.ir.text import show

SHORT = 16  # characters of a part of a result that needs no name


class TensorWriter(FunctionWriter):
    """Writes one function. Raises CannotSpell where the source's arrays are not tensors one after the other."""

    def __init__(self, request: GenerateRequest) -> None:
        layout = request.target.layout
        if layout is None or not layout.reshape or request.target.kernels is not None:
            raise CannotSpell(f"the target {request.target.name} has no functions of tensors")
        alone = replace(layout, bounds="", strides="")
        self.apart: set[str] = set()  # arrays with another number of elements than is known that the source reads
        self.same = same_lengths(request)
        self.domain = [equal(length, other) for length, other in self.same.items()]
        request, self.windows, self.dropped = with_windows(with_equal_lengths(request, self.same))
        super().__init__(replace(request, target=replace(request.target, layout=alone)))
        self.part = "part_of_{}"
        self.shapes: dict[str, tuple[Size, ...]] = {}  # of the source's arrays, by their names
        self.sized: dict[str, tuple[str, int, int]] = {}  # scalars that are a size of an argument along an axis, less a number
        self.flat: set[str] = set()  # the source's arrays of one axis of which it says how many elements there are
        self.whole: dict[str, Write] = {}  # arrays that are written whole, in one way
        self.stacks: dict[str, Stack] = {}  # those that are written whole in parts side by side
        self.whole_views: dict[str, ast.expr] = {}  # arrays with the shape of an argument, by the text of that view

    def write(self) -> Generated:
        """The file; the function that is compared with the source calls this one."""
        made, assumptions = super().write(), self.request.assumptions
        kept = [self._is_moot(each) and (self.request.style.guarded or not self._is_length(each.formula)) for each in assumptions]
        domain = (*self.domain, *(self.printer.assumed or {}).values())
        return replace(made, adapter=self._adapter(), kept=tuple(kept), domain=domain)

    # What is taken

    def _bind_parameters(self) -> None:
        super()._bind_parameters()
        writes = self.program.writes
        for param in self._arrays():
            self.shapes[param.var.name] = self._natural(param)
            if param.kind is ParamKind.POINTER and param.rank == 1:
                self.flat.add(param.var.name)
        for write in writes:
            var = write.array
            once = write.guard == TRUE and sum(other.array == var for other in writes) == 1
            if once and self._axes(write.window, var) == self.shapes[var.name]:
                self.whole[var.name] = write
        self._find_stacks()
        arrays = {param.var for param in self._arrays()}
        read = {var for value in self._read() for var in free_vars(value) if var in arrays}
        self.taken = [p for p in self._arrays() if p.var in read or p.var.name not in self.whole]
        self._find_sizes()
        for param in self._arrays():
            self._bind(param)

    def _find_stacks(self) -> None:
        """The arrays that are written in parts which together are all of them."""
        for param in self._arrays() if self.printer.layout.stack else ():
            called = param.var.name
            own = [write for write in self.program.writes if write.array == param.var]
            found = stacked(own, product(self.shapes[called])) if param.kind is ParamKind.POINTER else None
            if found is not None:
                self.stacks[called], self.whole[called] = found, own[0]

    def _read(self) -> Iterator[Expr]:
        """What is computed; windows only say where it goes."""
        yield from (let.value for let in self.program.lets)
        yield from (write.value for write in self.program.writes)
        if self.program.result is not None:
            yield self.program.result
        yield from (each.value for each in self.early.early)

    def _natural(self, param: Param) -> tuple[Size, ...]:
        """The shape in which the source goes through all of an array; that of most axes, where there are several."""
        if param.kind is not ParamKind.POINTER:
            return tuple(Polynomial.of(self.same.get(length, length)) for length in lengths_of(param))
        flat = self._checked_shape(param)
        known = tuple(self._size(extent) for extent in flat)
        found = [known] if known and (param.rank > 1 or _is_product(known[0])) else []
        for value in (*self.program.values, *(write.window for write in self.program.writes)):
            found += [shape for sub in subexpressions(value) if (shape := self._axes(sub, param.var)) is not None]
        if found:
            whole = max(found, key=len)
            if param.rank == 1 and (not flat or self._size(flat[0]) != product(whole)):
                self.domain.append(equal(Length(param.var, 0), product(whole).to_expr()))
                self.apart.add(param.var.name)
        if not found:
            if param.rank > 1 or (param.var.name in self.written and not flat):
                raise CannotSpell(f"how many elements {param.var.name} has is not known from its sizes")
            self.apart.add(param.var.name)
            return (Polynomial.atom(Length(param.var, 0)),)  # as many as it has
        return max(found, key=len)

    def _axes(self, expr: Expr, array: Var) -> tuple[Size, ...] | None:
        """The shape of a view that goes through all elements of an array in order, as far as is known; None for other views."""
        match expr:
            case Build(extents, binders, Select(tensor, indices)) if tensor == array and set(indices) == set(binders):
                along = dict(zip(binders, extents, strict=True))
                sizes = [self._size(along[index]) for index in indices if isinstance(index, Var)]
                pairs = zip(sizes, self.extents.get(array.name, ()), strict=False)
                return tuple(sizes) if all(size in map(self._size, _greatest_of(extent)) for size, extent in pairs) else None
            case Build(extents, binders, Select(tensor, (index,))) if tensor == array:
                found = accesses((index,), binders)
                sizes = [self.printer.views.size(extent) for extent in extents]
                tight = None if found is None else self.printer.views.tight(sizes, found[0])
                if found is None or tight is None or found[0].start != Polynomial() or tight[1] != Polynomial.constant(1):
                    return None
                shape = tuple(sizes[at] for at in tight[0])
                read = self.extents.get(array.name, ())
                whole = [any(product(shape) == self._size(part) for part in _greatest_of(extent)) for extent in read]
                return shape if len(shape) == len(binders) and all(whole) else None
            case _:
                return None

    def _flattened(self, program: TargetProgram) -> TargetProgram:
        """Tensors keep their axes."""
        return program

    def _find_sizes(self) -> None:
        """Which scalars are sizes of arguments."""
        sizes = [(size, param, axis) for param in self.taken for axis, size in enumerate(self.shapes[param.var.name])]
        for size, param, axis in sorted(sizes, key=lambda each: each[0].constant_term != 0):
            match (size - size.constant_term).terms:
                case (((Var(called, type_),), 1),) if is_integer(type_) and param.kind is ParamKind.POINTER:
                    self.sized.setdefault(called, (self._shown(param.var), axis, size.constant_term))
        self.facts = Facts([*self._formulas(), *self._not_negative()])
        self.printer = Printer(self.request.driver, self.request.target, self.facts, self._hoist)
        self.printer.assumed = None if self.request.style.guarded else {}
        self.printer.given = frozenset(param.var.name for param in self.fragment.params)
        self.printer.absent = frozenset(self._shown(param.var) for param in self._arrays() if param not in self.taken)
        super()._bind_parameters()

    def _bind(self, param: Param) -> None:
        """An array as the tensor that is taken; several axes as one, where it is asked for so."""
        var, shape = param.var, self.shapes[param.var.name]
        if param.kind is not ParamKind.POINTER or param.rank != 1:
            self.printer.values[var.name] = replace(self.printer.values[var.name], lengths=shape)
            return
        tensor = self.printer.values[var.name].tree
        flat = tensor
        if len(shape) > 1:
            if param in self.taken and var.name in self.written and var.name not in self.whole:
                raise CannotSpell(f"{var.name} has several axes, and is written in parts")
            flat = fill_template(self.printer.layout.flatten, {"x": tensor})
            sizes = self.printer.views.shape(shape)
            self.whole_views[text(fill_template(self.printer.layout.reshape, {"x": flat, "shape": sizes}))] = tensor
        if isinstance(flat, ast.Name):
            self.printer.views.measured[flat.id] = (product(shape),)
        self.printer.values[var.name] = Spelled(flat, aliases=frozenset({var.name}), lengths=(product(shape),))

    def _shorten_arrays(self) -> None:
        """Nothing is longer than what is taken of it; what is written in parts is a copy."""
        for param in self.taken:
            if param.var.name in self.written and param.var.name not in self.whole:
                shown = self.printer.values[param.var.name].tree
                copied = fill_template(self.printer.layout.clone, {"x": shown})
                self.lines += statement(f"{text(shown)} = ", copied) if text(copied) != text(shown) else []

    def _check_overlaps(self) -> None:
        """What is taken is not written."""

    def _is_length(self, formula: Expr | None) -> bool:
        names = set() if formula is None else {var.name for var in free_vars(formula)}
        return names.isdisjoint(self.apart) and super()._is_length(formula)

    def _is_moot(self, assumption: Assumption) -> bool:
        """Whether it is of the source's memory, or of the sizes of its arrays."""
        formula = assumption.formula
        return assumption.arrays is not None or self._is_length(formula) or (formula is not None and self._is_given(formula))

    def _is_beyond(self, formula: Expr | None) -> bool:
        return formula is not None and not self.dropped.isdisjoint(free_names(formula))

    def _sized(self, formula: Expr) -> Expr:
        flat = [param.var for param in self.taken if param.var.name in self.flat]
        found: dict[Expr, Expr] = {Length(var, 0): product(self.shapes[var.name]).to_expr() for var in flat}
        return transform(lambda part: found.get(part, part), formula)

    def _is_given(self, formula: Expr) -> bool:
        """Whether it says no more than that sizes of arguments are not negative, and that arguments have as many elements as
        their shapes say.
        """
        match formula:
            case Apply(Operator.LE, (_, Length(Var(called), 0))) if called in self.windows:
                return True
            case Apply(Operator.LE, (size, Length(Var(called), 0))) if called in self.flat:
                return Facts(self._not_negative()).never_negative(product(self.shapes[called]) - Polynomial.of(size))
            case Apply(Operator.LE, (low, high)) if is_integer(type_of(low)):
                return Facts(self._not_negative()).never_negative(Polynomial.of(high) - Polynomial.of(low))
            case _:
                return False

    def _not_negative(self) -> list[Expr]:
        named = {param.var.name: param.var for param in self.fragment.arguments}
        return [at_most(integer(-more), named[called]) for called, (_, _, more) in self.sized.items()]

    def _size(self, extent: Expr) -> Size:
        """How many elements an extent is; the larger of two numbers where it is known which that is."""
        match extent:
            case Apply(Operator.MAX, (one, other)):
                for low, high in ((one, other), (other, one)):
                    if self.facts.never_negative(Polynomial.of(high) - Polynomial.of(low)):
                        return self.printer.views.size(high)
        return self.printer.views.size(extent)

    # What is checked

    def _array_checks(self) -> list[str]:
        """Each argument is a tensor of its type and shape; those of one type are checked together."""
        groups: dict[str, list[tuple[str, ast.expr]]] = {}
        for param in self.taken:
            assert isinstance(param.var.type, TensorType)
            shape: ast.expr = tuple_of([self.printer.polynomial(size) for size in self.shapes[param.var.name]])
            groups.setdefault(text(self.printer.dtype(param.var.type)), []).append((self._shown_argument(param), shape))
        lines: list[str] = []
        for dtype, group in groups.items():
            if len(group) == 1:
                ((shown, shape),) = group
                lines += self._shape_check(shown, shown, dtype, text(shape), 1)
                continue
            called, array, shaped = (self.names.take(each) for each in ("name", "each", "shape"))
            given = tuple_of([tuple_of([constant(shown), name(shown), shape]) for shown, shape in group])
            lines += statement(f"for {called}, {array}, {shaped} in ", given, suffix=":")
            lines += self._shape_check(f"{{{called}}}", array, dtype, shaped, 2)
        return lines

    def _shape_check(self, called: str, array: str, dtype: str, shape: str, indent: int) -> list[str]:
        kind = self.printer.layout.array_type
        test = f"not isinstance({array}, {kind}) or ({array}.dtype, {array}.shape) != ({dtype}, {shape})"
        message = f'f"{called} must be a {kind} of {dtype.rpartition(".")[2]} and shape {{{shape}}}"'
        raised = f"{INDENT * (indent + 1)}raise ValueError({message})"
        if len(raised) > LINE_LENGTH:
            raised = f"{INDENT * (indent + 1)}raise ValueError(\n{INDENT * (indent + 2)}{message}\n{INDENT * (indent + 1)})"
        return [*statement("if ", ast.parse(test, mode="eval").body, indent, suffix=":"), *raised.split("\n")]

    def _laid_out(self) -> list[tuple[str, str]]:
        """Arrays that are taken apart by strides lie side by side in memory."""
        strided = self.printer.views.strided_bases
        return [(CHECK_CONTIGUOUS, shown) for _, shown in self._arguments() if shown in strided]

    def _helpers(self, used: frozenset[str]) -> list[str]:
        return helper_texts(self.printer.layout, used, axes=False)

    def _unpacked(self, used: frozenset[str]) -> list[str]:
        """Sizes that the text uses, from the shapes of the arguments."""
        lines: list[str] = []
        for param in self.taken:
            shown = self._shown_argument(param)
            given = {axis: (self._param(called), more) for called, (array, axis, more) in self.sized.items() if array == shown}
            wanted = {axis: (called, more) for axis, (called, more) in sorted(given.items()) if called in used}
            if len(wanted) == len(self.shapes[param.var.name]) > 1 and not any(more for _, more in wanted.values()):
                lines.append(f"{INDENT}{', '.join(called for called, _ in wanted.values())} = {shown}.shape")
                continue
            for axis, (called, more) in wanted.items():
                less = f" {'-' if more > 0 else '+'} {abs(more)}" if more else ""
                lines.append(f"{INDENT}{called} = {shown}.shape[{axis}]{less}")
        return lines

    def _param(self, called: str) -> str:
        """The name in the text of a parameter of the source."""
        return self.params[[param.var.name for param in self.fragment.arguments].index(called)]

    def _shown_argument(self, param: Param) -> str:
        return self._param(param.var.name)

    def _arguments(self) -> list[tuple[Param, str]]:
        """What the function takes: no sizes, and no arrays that are only written."""
        arrays = {param.var.name for param in self.taken}
        pairs = zip(self.fragment.arguments, self.params, strict=True)
        return [
            (param, shown)
            for param, shown in pairs
            if param.var.name not in {*self.sized, *self.dropped}
            and (param.var.name in arrays or not isinstance(param.var.type, TensorType))
        ]

    # What is returned

    def _writes(self) -> None:
        """What is written in parts, in a copy."""
        parts = tuple(write for write in self.program.writes if write.array.name not in self.whole)
        whole = tuple(write for write in self.program.writes if write.array.name in self.whole)
        stacks = {called: self._stacked(called, stack) for called, stack in self.stacks.items()}
        others = (write for write in whole if write.array.name not in stacks)
        self.made = {**stacks, **{write.array.name: self._made(write, bool(parts)) for write in others}}
        self.program = replace(self.program, writes=parts)
        super()._writes()

    def _stacked(self, called: str, stack: Stack) -> ast.expr:
        """What an array becomes that is written in parts, of which those that are long get names."""
        parts: list[ast.expr] = []
        writes = [write for write in self.program.writes if write.array.name == called]
        for number, write in enumerate(writes[at] for at in stack.order):
            tree = self.printer.spell(self.rounding.written(write.value)).tree
            parts.append(tree if len(text(tree)) <= SHORT else self._hoist(f"{self._param(called)}_{number}", tree))
        layout = self.printer.layout
        together = fill_template(layout.stack, {"parts": tuple_of(parts), "axis": constant(stack.axis)})
        if len(self.shapes[called]) == 1:
            return fill_template(layout.flatten, {"x": together})
        sizes = tuple_of([self.printer.polynomial(size) for size in self.shapes[called]])
        return fill_template(layout.reshape, {"x": together, "shape": sizes})

    def _made(self, write: Write, kept: bool) -> ast.expr:
        """What an array becomes, with the axes of the argument; under a name where parts of others are written after it."""
        if self._axes(write.window, write.array) != self.shapes[write.array.name]:
            raise CannotSpell(f"{write.array.name} is written with other axes than it has")
        spelled = self.printer.spell(self.rounding.result(write.value))
        assert isinstance(write.window, Build) and isinstance(write.window.body, Select)
        found = accesses(write.window.body.indices, write.window.binders)
        assert found is not None
        order = [position for access in found for position, _ in access.terms]
        if len(found) == 1:
            sizes = [self.printer.views.size(extent) for extent in write.window.extents]
            tight = self.printer.views.tight(sizes, found[0])
            order = order if tight is None else tight[0]
        if spelled.number:
            sizes = [self.printer.views.size(extent) for extent in write.window.extents]
            return self._filled(spelled, write.array, sizes, spelled.tree)
        permuted = self.printer.views.permute(spelled.tree, [order.index(position) for position in sorted(order)])
        result = Spelled(permuted, aliases=spelled.aliases)
        return self._keep(f"new_{self._param(write.array.name)}", result).tree if kept else self._copied(result)

    def _shown(self, array: Var) -> str:
        return self._param(array.name)

    def _returned_arrays(self) -> list[ast.expr]:
        return [self.made[array] if array in self.made else name(self._param(array)) for array in self.written]

    # Text

    def _without_known_tests(self, tree: ast.expr) -> ast.expr:
        return super()._without_known_tests(self._natural_axes(tree))

    def _hoist(self, wanted: str, tree: ast.expr) -> ast.expr:
        return super()._hoist(wanted, self._natural_axes(tree))

    def _natural_axes(self, tree: ast.expr) -> ast.expr:
        """The tree with arguments as they are in the place of views with their own axes."""
        found = _Replaced(self.whole_views).visit(tree)
        assert isinstance(found, ast.expr)
        return found

    def _docstring(self) -> list[str]:
        shapes = {param.var.name: self._described(param) for param in self._arrays()}
        said: dict[str, list[str]] = {}
        for param, shown in self._arguments():
            about = shapes.get(param.var.name) or described(self.request, param, shown, (), {})
            if param.var.name in shapes or " " in about:  # of a number the hint says all
                said.setdefault(about, []).append(shown)
        taken = {param.var.name for param in self.taken}
        made = {called: f"new_{called}" for called in self.written if called in taken}
        returned = [f"{made.get(called, called)}: {shapes[called]}" for called in self.written if called in shapes]
        returned[:0] = [f"result: {number}" for number in self.numbers] if returned else []
        pairs = [f"{', '.join(shown)}: {about}" for about, shown in said.items()]
        sentences = [f"{'; '.join(pairs)}."] if pairs else []
        sentences += [f"Returns {'; '.join(returned)}."] if returned else []
        formulas = self._formulas_of(self.shapes, made, frozenset(self.whole.keys() - self.stacks.keys()))
        return docstring(self.request, self.function, formulas, (), self._unchecked(), self.briefly, " ".join(sentences))

    def _described(self, param: Param) -> str:
        """The type of an array and its shape, or the number of its axes where the shape is its own."""
        assert isinstance(param.var.type, TensorType)
        sizes = self.shapes[param.var.name]
        type_ = self.request.target.dtypes[param.var.type.element].rpartition(".")[2]
        place = f", the source's at {self._places(param)}" if param.var.name in self.windows else ""
        for other in self._arrays():
            if sizes == tuple(map(Polynomial.of, lengths_of(other))):
                like = f"of the shape of {self._shown(other.var)}{place}"
                return f"{type_}, {param.rank}-D" if other == param else f"{type_}, {like}"
        return f"{type_} of shape {text(tuple_of([self.printer.polynomial(size) for size in sizes]))}{place}"

    def _places(self, param: Param) -> str:
        """Where in the source's array the elements are, as an index."""
        window = self.windows[param.var.name]
        axes = zip(BINDERS, window.strides, strict=False)
        steps = [Polynomial.atom(Var(axis, INT)) * stride for axis, stride in axes]
        return show(transform(strip_casts, sum(steps, window.start).to_expr()))

    # For the comparison

    def _adapter(self) -> str:
        """A function with the source's parameters that calls the one that is written."""
        layout = self.printer.layout
        given: list[ast.expr] = []
        short: list[str] = []
        for param, shown in self._arguments():
            shape = self.shapes.get(param.var.name, ())
            if param.kind is not ParamKind.POINTER or not shape:
                given.append(name(shown))
                continue
            sizes = [self._clamped(size) for size in shape]
            if param.var.name in self.windows:
                least = self.windows[param.var.name].least
                short += [] if least is None else self._refused(shown, self._clamped(self.printer.views.size(least)))
                given.append(self.printer.views.gather(name(shown), self._cells(param), shape))
                continue
            if param.rank > 1:
                given.append(subscript(name(shown), [ast.Slice(upper=size) for size in sizes]))
                continue
            count = self._clamped(product(shape))
            part = ast.Subscript(value=name(shown), slice=ast.Slice(upper=count), ctx=ast.Load())
            short += self._refused(shown, count)
            given.append(part if len(shape) == 1 else fill_template(layout.reshape, {"x": part, "shape": tuple_of(sizes)}))
        results = [f"result_{at}" for at in range(len(self._scalar_results()))]
        made = [f"made_{at}" for at in range(len(self.written))]
        lines = [f"def {ADAPTER}({', '.join(self.params)}):", *short]
        lines.append(f"{INDENT}{', '.join([*results, *made])} = {text(call(self.function, *given))}")
        for called, value in zip(self.written, made, strict=True):
            lines += self._stored(called, value)
        lines.append(f"{INDENT}return {', '.join([*results, *map(self._param, self.written)])}")
        used = used_names(ast.parse("\n".join(lines)))
        lines[1:1] = [f"{INDENT}{each}" for called, each in self.request.target.imports.items() if called in used]
        return "\n\n" + "\n".join(lines) + "\n"

    def _refused(self, shown: str, count: ast.expr) -> list[str]:
        """Lines that refuse an array with fewer elements."""
        return [f"{INDENT}if len({shown}) < {text(count)}:", f'{INDENT * 2}raise ValueError("{shown} is too short")']

    def _scalar_results(self) -> Sequence[Expr]:
        result = self.request.program.result
        return () if result is None else tuple_items(result)

    def _stored(self, called: str, value: str) -> Iterator[str]:
        """The lines that put a result where the source writes it."""
        shown, layout = self._param(called), self.printer.layout
        param = next(param for param in self._arrays() if param.var.name == called)
        yield f"{INDENT}if {value}.dtype != {shown}.dtype:"
        yield f'{INDENT * 2}raise TypeError("a result of another type")'
        flat = value
        index: ast.expr = ast.Constant(...)
        if called in self.windows:
            cells = self._cells(param)
            index = cells[0] if len(cells) == 1 else tuple_of(cells)
        elif param.kind is ParamKind.POINTER and param.rank == 1:
            flat = text(fill_template(layout.flatten, {"x": name(value)}))
            index = ast.Slice(upper=self._clamped(product(self.shapes[called])))
        elif param.kind is ParamKind.POINTER:
            index = ast.Tuple([ast.Slice(upper=self._clamped(size)) for size in self.shapes[called]], ast.Load())
        if layout.update:
            part = ast.Subscript(value=name(f"{shown}.at"), slice=index, ctx=ast.Load())
            yield f"{INDENT}{shown} = {text(part)}.set({flat})"
        else:
            yield f"{INDENT}{text(ast.Subscript(value=name(shown), slice=index, ctx=ast.Load()))} = {flat}"

    def _cells(self, param: Param) -> list[ast.expr]:
        """The places of a window in the source's array."""
        window, sizes = self.windows[param.var.name], self.shapes[param.var.name]
        access = Access(window.start, tuple(enumerate(window.strides)))
        return self.printer.views.index_tensors(name(self._param(param.var.name)), sizes, [access])

    def _clamped(self, size: Size) -> ast.expr:
        return call("max", self.printer.polynomial(size), constant(0))


class _Replaced(ast.NodeTransformer):
    """Puts trees in the places of others that have a text."""

    def __init__(self, known: dict[str, ast.expr]) -> None:
        self.known = known

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The tree that stands for a call."""
        return self.known.get(text(node)) or self.generic_visit(node)  # type: ignore[return-value]


def _greatest_of(extent: Expr) -> Iterator[Expr]:
    """The extent, and the numbers of which it is the greatest."""
    yield extent
    if isinstance(extent, Apply) and extent.op is Operator.MAX:
        for part in extent.args:
            yield from _greatest_of(part)


def _is_product(size: Size) -> bool:
    """Whether it is a product of numbers, as the number of elements of a tensor."""
    return len(size.terms) == 1 and not any(isinstance(atom, Apply) and atom.op is Operator.MAX for atom in size.atoms)
