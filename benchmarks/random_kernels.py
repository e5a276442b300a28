"""Random kernels in C, C++ and Python: loops over arrays with the corner cases of each language, each made from a number.

They are well defined for some inputs and not for others; which these are is told by running them (`benchmarks.oracle`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.random_terms import CTYPES, CTerms, MixedPythonTerms, MixedTerms, PythonTerms

INTEGERS = ("u8", "i8", "u16", "i16", "i32", "i32", "i32", "u32", "i64", "u64")
ELEMENTS = (*INTEGERS, "u8", "f32", "f32", "f32", "f64", "f64")


@dataclass(frozen=True, slots=True)
class Param:
    """Its name, element type, and how it is passed: a value, a pointer, a vector, a view (const vector &), a list."""

    name: str
    type: str
    form: str = "value"


@dataclass(frozen=True, slots=True)
class Program:
    """A function with what is needed to call it. `exact`: its floats are rounded nowhere if its inputs are small."""

    name: str
    language: str
    params: tuple[Param, ...]
    result: str  # a type, "" for none, "list" of a type in Python
    text: str
    exact: bool


def program(seed: int, number: int, language: str | None = None, mixed: bool = False) -> Program:
    """The program of that number; `mixed`: one in which integers and floats turn into each other."""
    chosen = random.Random(f"{seed}:{number}")
    language = language or chosen.choice(("c", "c", "c", "c", "c", "cc", "py"))
    python: type[PythonMaker] = MixedPythonMaker if mixed else PythonMaker
    c: type[CMaker] = MixedCMaker if mixed else CMaker
    return (python if language == "py" else c)(chosen, f"k{number}", language).program()


class CMaker:
    """Makes a C or C++ function."""

    def __init__(self, chosen: random.Random, name: str, language: str) -> None:
        self.random = chosen
        self.name = name
        self.language = language
        self.size = chosen.choice(("i32", "i32", "i32", "i32", "i32", "i32", "u32", "u32", "i64", "u64", "u8", "i16"))
        self.vectors = language == "cc" and chosen.random() < 0.7
        kinds = chosen.choice(((chosen.choice(ELEMENTS),), (chosen.choice(ELEMENTS), chosen.choice(ELEMENTS))))
        self.out = chosen.choice(kinds)
        self.arrays = {name: chosen.choice(kinds) for name in "ab"[: chosen.choice((1, 2, 2))]}
        self.scalars = {"c": chosen.choice(("i32", "u8", self.out, "i32"))} if chosen.random() < 0.6 else {}
        self.result = chosen.choice(("", "", chosen.choice(INTEGERS), self.out, "i32"))
        self.terms = CTerms(chosen)
        self.used_out = False
        self.second = False  # whether there is a second size, m
        self.bitwise = True  # whether terms that are assigned to integers are integers

    def program(self) -> Program:
        """The whole function."""
        body = self.body()
        params = self.params()
        result = CTYPES[self.result] if self.result else "void"
        declared = ", ".join(self.declared(param) for param in params)
        text = f"{result} {self.name}({declared}) {{\n{body}}}\n"
        return Program(self.name, self.language, params, self.result, text, self.terms.exact)

    def params(self) -> tuple[Param, ...]:
        form, read = ("vector", "view") if self.vectors else ("pointer", "pointer")
        found = [] if self.vectors else [Param("n", self.size)]
        found += [Param("m", self.size)] if self.second else []
        found += [Param("o", self.out, form)] if self.used_out else []
        found += [Param(name, type_, read) for name, type_ in self.arrays.items()]
        return (*found, *(Param(name, type_) for name, type_ in self.scalars.items()))

    def declared(self, param: Param) -> str:
        type_ = CTYPES[param.type]
        const = "const " if param.name != "o" and self.random.random() < 0.7 else ""
        match param.form:
            case "pointer":
                return f"{const}{type_} *{param.name}"
            case "vector":
                return f"std::vector<{type_}> &{param.name}"
            case "view":
                return f"const std::vector<{type_}> &{param.name}"
            case _:
                return f"{type_} {param.name}"

    def body(self) -> str:
        """Locals, one or two loops, the result."""
        lines = []
        if self.vectors:
            lines.append(f"{self.random.choice(('int', 'std::size_t'))} n = a.size();")
        if self.result:
            lines.append(f"{CTYPES[self.result]} s = {self.random.choice(('0', '0', '0', '1', '-1', '3'))};")
        if self.result and self.random.random() < 0.12:
            atoms = [*self.scalars, *([] if self.vectors else ["n"])] or ["s"]
            lines.append(f"s = {self.terms.term([(name, self.type(name)) for name in atoms], 3, self.result)};")
        else:
            loops: list[Callable[[], list[str]]] = [self.map] * 20 + [self.conditional] * 6 + [self.bumped] * 4 + [self.scan] * 2
            loops += [self.nest, self.nest, self.scatter, self.swap, self.carried]
            loops += [self.reduce] * 28 + [self.extreme] * 3 + [self.stop] if self.result else []
            for _ in range(self.random.choice((1, 1, 1, 1, 1, 2))):
                lines += self.random.choice(loops)()
        if self.result:
            lines.append("return s;")
        return "".join(f"  {line}\n" for line in lines)

    def type(self, name: str) -> str:
        known = {**self.arrays, **self.scalars, "n": "u64" if self.vectors else self.size, "s": self.result, "o": self.out}
        return known.get(name, "i32")

    def head(self) -> tuple[str, str]:
        """The head of a loop over i, and what must follow its body."""
        own = CTYPES[self.size]
        counter = self.random.choice((*("int",) * 6, *(own,) * 6, "unsigned", "size_t", "uint8_t", "long"))
        bound = self.random.choice(("n",) * 16 + ("n - 1", "n - 1", "n + 1", "n / 2", "7", "(int)n"))
        start = self.random.choice((*("0",) * 8, "1", "2"))
        step = self.random.choice(("i++",) * 8 + ("++i", "++i", "i += 1", "i += 2", "i += 2", "i += 3"))
        test = self.random.choice(("<",) * 14 + ("<=", "!="))
        match self.random.randrange(14):
            case 0:
                return f"for (int i = n - 1; i >= {start}; i--) {{", "}"
            case 1:
                return f"for ({counter} i = n; i-- > {start};) {{", "}"
            case 2:
                return "", ""  # a while or a do-while
            case _:
                return f"for ({counter} i = {start}; i {test} {bound}; {step}) {{", "}"

    def looped(self, body: list[str]) -> list[str]:
        """The statements in a loop over i."""
        head, end = self.head()
        if end:
            return [head, *(f"  {line}" for line in body), end]
        way = self.random.random()
        if way < 0.5:
            return ["{", "  int i = 0;", "  while (i < n) {", *(f"    {line}" for line in body), "    i++;", "  }", "}"]
        return ["{", "  int i = 0;", "  do {", *(f"    {line}" for line in body), "    i++;", "  } while (i < n);", "}"]

    def reads(self, at: str = "i") -> list[tuple[str, str]]:
        """Atoms: elements, scalars and the counter, with their types."""
        offset = self.random.choice(("", "", "", "", "", " + 1", " + 2", " - 1"))
        found = [(f"{name}[{at}{offset if k else ''}]", type_) for k, (name, type_) in enumerate(self.arrays.items())]
        found += [(name, type_) for name, type_ in self.scalars.items()]
        return found * 2 + ([("i", "i32"), ("n", "i32")] if self.random.random() < 0.2 else [])

    def write(self) -> str:
        self.used_out = True
        return self.random.choice(("o[i]",) * 24 + ("o[2 * i]", "o[i + 1]", "o[i + 1]", "o[n - 1 - i]", "o[i % 4]"))

    def map(self) -> list[str]:
        """o[i] = E, or updated."""
        cell = self.write()
        atoms = self.reads() + ([(cell, self.out)] if self.random.random() < 0.25 else [])
        whole = () if self.out.startswith("f") or not self.bitwise else ("^=", ">>=", "|=")
        op = self.random.choice((*("=",) * 12, "+=", "+=", "-=", "*=", *whole))
        term = self.terms.term(atoms, self.random.choice((1, 1, 1, 2, 2, 3)), self.out)
        if self.random.random() < 0.3:
            local = self.random.choice(ELEMENTS if self.out.startswith("f") else INTEGERS)
            last = self.terms.term([("t", local), *atoms], 1, self.out)
            return self.looped([f"{CTYPES[local]} t = {term};", f"{cell} {op} {last};"])
        return self.looped([f"{cell} {op} {term};"])

    def conditional(self) -> list[str]:
        """Stores under conditions."""
        cell, atoms = self.write(), self.reads()
        one, two = self.terms.term(atoms, 2, self.out), self.terms.term(atoms, 1, self.out)
        condition = self.terms.condition(atoms)
        match self.random.randrange(4):
            case 0:
                return self.looped([f"if ({condition}) {cell} = {one};"])
            case 1:
                return self.looped([f"if ({condition}) {cell} = {one}; else {cell} = {two};"])
            case 2:
                return self.looped([f"if ({condition}) continue;" if self.random.random() < 0.5 else ";", f"{cell} = {one};"])
            case _:
                more = self.terms.condition(atoms)
                return self.looped([f"if ({condition}) {cell} = {one}; else if ({more}) {cell} += {two};"])

    def reduce(self) -> list[str]:
        """s op= E."""
        atoms = self.reads()
        term = self.terms.term(atoms, self.random.choice((0, 1, 1, 1, 2, 2)), self.result)
        whole = () if self.result.startswith("f") or not self.bitwise else ("^=", "|=", "&=")
        op = self.random.choice((*("+=",) * 12, "-=", "-=", "*=", *whole))
        condition = f"if ({self.terms.condition(atoms)}) " if self.random.random() < 0.3 else ""
        return self.looped([f"{condition}s {op} {term};"])

    def extreme(self) -> list[str]:
        """The largest, the smallest, or where it is."""
        (name, type_), *_ = self.arrays.items()
        test = self.random.choice(("<", ">", "<=", ">="))
        if self.random.random() < 0.4:
            better = f"if ({name}[i] {test} best) {{ best = {name}[i]; s = i; }}"
            return [f"{CTYPES[type_]} best = {name}[0];", *self.looped([better])]
        return self.looped([f"if ({name}[i] {test} s) s = {name}[i];"])

    def stop(self) -> list[str]:
        """A loop that is left early."""
        atoms = self.reads()
        way = self.random.choice(("break;", "return i;", "{ s = i; break; }"))
        return self.looped([f"if ({self.terms.condition(atoms)}) {way}", f"s += {self.terms.term(atoms, 1, self.result)};"])

    def scan(self) -> list[str]:
        """Prefixes."""
        self.used_out = True
        local = self.random.choice((self.out, *INTEGERS)) if not self.out.startswith("f") else self.out
        first = self.terms.term(self.reads(), 1, local)
        add = f"t += {first};"
        lines = self.random.choice(([add, "o[i] = t;"], ["o[i] = t;", add], [f"t = t * 2 + {first};", "o[i] = t;"]))
        return ["{", f"  {CTYPES[local]} t = 0;", *(f"  {line}" for line in self.looped(lines)), "}"]

    def scatter(self) -> list[str]:
        """Indices that are values."""
        small = next((name for name, type_ in self.arrays.items() if type_ in ("u8", "i8")), None)
        self.used_out = True
        if small is None:
            return self.looped([f"o[i] = {next(iter(self.arrays))}[(i * 3) % 8];"])
        at = f"{small}[i]"
        return self.looped([self.random.choice((f"o[{at}]++;", f"o[{at} & 15] += i;", f"o[i] = o[{at} & 7];", f"o[{at}] = i;"))])

    def swap(self) -> list[str]:
        """Elements change places."""
        self.used_out = True
        way = self.random.choice(
            (
                "{t} t = o[i]; o[i] = o[n - 1 - i]; o[n - 1 - i] = t;",
                "{t} t = o[i]; o[i] = o[i + 1]; o[i + 1] = t;",
                "o[i] = o[n - 1 - i];",
                "o[i] = o[i + 1];",
                "o[i + 1] = o[i];",
            )
        )
        return self.looped([way.format(t=CTYPES[self.out])])

    def carried(self) -> list[str]:
        """A value of the round before."""
        self.used_out = True
        (name, type_), *_ = self.arrays.items()
        lines = [f"o[i] = {name}[i] - last;", f"last = {name}[i];"]
        return ["{", f"  {CTYPES[type_]} last = 0;", *(f"  {line}" for line in self.looped(lines)), "}"]

    def nest(self) -> list[str]:
        """Two loops, over rows and columns."""
        self.used_out, self.second = True, True
        (name, type_), *_ = self.arrays.items()
        counter = self.random.choice(("int", "int", "unsigned", CTYPES[self.size]))
        inner = f"{name}[{self.random.choice(('i * m + j', 'i * n + j', 'j', 'i', 'i + j'))}]"
        atoms = [(inner, type_), (inner, type_), *self.scalars.items()]
        term = self.terms.term(atoms, 2, self.out)
        whole = ("n", "m")
        bounds = self.random.choice((whole, whole, ("n", "i"), ("n", "i + 1"), ("n - 1", "m - 1"), ("4", "m"), ("n", "3")))
        body = self.random.choice(
            [f"{cell} {term};" for cell in ("o[i * m + j] =", "o[i * m + j] +=", "o[i] +=", "o[j] +=", "o[j * n + i] =")]
        )
        before = self.random.choice((["o[i] = 0;"], []))
        first = f"for ({counter} i = 0; i < {bounds[0]}; i++) {{"
        return [first, *(f"  {line}" for line in before), f"  for ({counter} j = 0; j < {bounds[1]}; j++)", f"    {body}", "}"]

    def bumped(self) -> list[str]:
        """Pointers that move; elements of a vector by its own loop."""
        self.used_out = True
        (name, type_), *_ = self.arrays.items()
        if self.vectors:
            term = self.terms.term([("v", self.out), *self.scalars.items()], 2, self.out)
            return [f"for ({CTYPES[self.out]} &v : o) v = {term};"]
        term = self.terms.term([("*p", type_), *self.scalars.items()], 2, self.out)
        pointers = f"const {CTYPES[type_]} *p = {name}; {CTYPES[self.out]} *q = o;"
        way = self.random.choice(
            (
                f"int k = n; while (k-- > 0) {{ *q++ = {term}; p++; }}",
                f"int k = n; while (k--) {{ *q++ = {term}; p++; }}",
                f"for (; p < {name} + n; p++, q++) *q = {term};",
                f"const {CTYPES[type_]} *e = {name} + n; while (p != e) {{ *q += {term}; ++p; ++q; }}",
                f"for (int k = 0; k < n; k++, p += 2) *q++ = {term};",
            )
        )
        return [f"{{ {pointers} {way} }}"]


class PythonMaker:
    """Makes a Python function."""

    def __init__(self, chosen: random.Random, name: str, language: str) -> None:
        self.random = chosen
        self.name = name
        self.language = language
        self.kind = chosen.choice(("int", "int", "float"))
        self.terms = PythonTerms(chosen, self.kind)
        self.scalar = chosen.random() < 0.5

    def program(self) -> Program:
        """The whole function."""
        kind = "i64" if self.kind == "int" else "f64"
        way = self.random.choice((self.made, self.made, self.reduced, self.reduced, self.reduced, self.in_place, self.in_place))
        result, lines = way()
        params = [Param("a", kind, "list"), Param("b", kind, "list")]
        params += [Param("c", kind)] if self.scalar else []
        spelled = [f"{p.name}: {f'list[{self.kind}]' if p.form == 'list' else self.kind}" for p in params]
        annotation = {"": "None", "list": f"list[{self.kind}]"}.get(result, self.kind)
        body = "".join(f"    {line}\n" for line in lines)
        text = f"def {self.name}({', '.join(spelled)}) -> {annotation}:\n{body}"
        returned = kind if result == "number" else result
        return Program(self.name, self.language, tuple(params), returned, text, self.terms.exact)

    def atoms(self, *more: str) -> list[str]:
        return [*more, *more, *(["c"] if self.scalar else [])]

    def head(self) -> str:
        bound = self.random.choice(("len(a)", "len(a)", "len(a)", "min(len(a), len(b))", "len(a) - 1", "len(b)"))
        ways = (f"range({bound})",) * 4 + (f"range(1, {bound})", f"range(0, {bound}, 2)", "range(len(a) - 1, -1, -1)")
        return f"for i in {self.random.choice(ways)}:"

    def made(self) -> tuple[str, list[str]]:
        """A list that is returned."""
        term, two = self.terms.term(self.atoms("x", "y"), 2), self.terms.term(self.atoms("x"), 2)
        match self.random.randrange(5):
            case 0:
                return "list", [f"return [{two} for x in a]"]
            case 1:
                return "list", [f"return [{term} for x, y in zip(a, b)]"]
            case 2:
                return "list", [f"return [{two} for x in a if {self.terms.condition(self.atoms('x'))}]"]
            case 3:
                return "list", ["o = []", "for x in a:", f"    o.append({two})", "return o"]
            case _:
                cell = self.terms.term(self.atoms("a[i]", "b[i]"), 2)
                zero = "0" if self.kind == "int" else "0.0"
                return "list", [f"o = [{zero}] * len(a)", self.head(), f"    o[i] = {cell}", "return o"]

    def reduced(self) -> tuple[str, list[str]]:
        """A number."""
        zero = "0" if self.kind == "int" else "0.0"
        term, one = self.terms.term(self.atoms("a[i]", "b[i]"), 2), self.terms.term(self.atoms("x"), 2)
        op = self.random.choice(("+=", "+=", "-=", "*="))
        match self.random.randrange(6):
            case 0:
                return "number", [f"return sum({one} for x in a)"]
            case 1:
                return "number", [f"return {self.random.choice(('max', 'min', 'sum'))}(a)"]
            case 2:
                test = f"    if {self.terms.condition(self.atoms('x'))}:"
                return "number", [f"s = {zero}", "for x in a:", test, f"        s {op} {one}", "return s"]
            case 3:
                stop = f"    if {self.terms.condition(self.atoms('x'))}:"
                return "number", [f"s = {zero}", "for x in a:", stop, "        break", f"    s += {one}", "return s"]
            case 4:
                step = f"    s {op} {self.terms.term(self.atoms('a[i]'), 2)}"
                return "number", [f"s = {zero}", "i = 0", "while i < len(a):", step, "    i += 1", "return s"]
            case _:
                return "number", [f"s = {zero}", self.head(), f"    s {op} {term}", "return s"]

    def in_place(self) -> tuple[str, list[str]]:
        """Elements that are assigned."""
        cell = self.random.choice(("b[i]", "b[i]", "b[i]", "b[len(b) - 1 - i]", "b[-1 - i]", "b[i - 1]"))
        term = self.terms.term(self.atoms("a[i]", "b[i]"), 2)
        op = self.random.choice(("=", "=", "=", "+=", "*="))
        if self.random.random() < 0.3:
            condition = self.terms.condition(self.atoms("a[i]"))
            return "", [self.head(), f"    if {condition}:", f"        {cell} {op} {term}"]
        return "", [self.head(), f"    {cell} {op} {term}"]


class MixedCMaker(CMaker):
    """Makes a C or C++ function in which integers and floats turn into each other; most have no float in their signature."""

    def __init__(self, chosen: random.Random, name: str, language: str) -> None:
        super().__init__(chosen, name, language)
        self.terms = MixedTerms(chosen)
        self.bitwise = False
        if chosen.random() < 0.6:
            self.arrays = {name: chosen.choice(INTEGERS) for name in self.arrays}
            self.scalars = {name: chosen.choice(("i32", "u8", "i64")) for name in self.scalars}
            self.out = chosen.choice(("u8", "i16", "i32", "i32", "i64"))
            self.result = chosen.choice(("", "i32", "i32", "i64", "u8"))


class MixedPythonMaker(PythonMaker):
    """Makes a Python function of integers or floats that computes with both."""

    def __init__(self, chosen: random.Random, name: str, language: str) -> None:
        super().__init__(chosen, name, language)
        self.terms = MixedPythonTerms(chosen, self.kind)
