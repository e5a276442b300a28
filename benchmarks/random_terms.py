"""Random expressions of C and Python over given atoms."""

from __future__ import annotations

import random

CTYPES = {
    "u8": "uint8_t",
    "i8": "int8_t",
    "u16": "uint16_t",
    "i16": "int16_t",
    "i32": "int",
    "u32": "unsigned",
    "i64": "int64_t",
    "u64": "uint64_t",
    "f32": "float",
    "f64": "double",
}
LITERALS = "0 1 2 3 5 7 10 127 128 255 256 -1 -3 32767 65535 255u 2147483647 1ll".split()
DIVISORS = "2 2 3 3 4 7 7 -3 255 -1 10u 7ll".split()
Atom = tuple[str, str]  # text and type


def real(type_: str) -> bool:
    """Whether it is a type of floats."""
    return type_.startswith("f")


class CTerms:
    """Makes expressions. `exact` becomes False where floats are divided by what is no power of two, or a root is taken."""

    def __init__(self, chosen: random.Random) -> None:
        self.random = chosen
        self.exact = True

    def term(self, atoms: list[Atom], depth: int, wanted: str) -> str:
        """A term that is assigned to something of the type."""
        if real(wanted):
            return self.real(atoms, depth, wanted)
        if not any(not real(type_) for _, type_ in atoms):
            return f"({self.random.choice(('int', CTYPES[wanted]))})({self.real(atoms, depth - 1, 'f32')})"
        return self.integer([atom for atom in atoms if not real(atom[1])], depth)

    def condition(self, atoms: list[Atom]) -> str:
        """A comparison, or two."""
        reals = [atom for atom in atoms if real(atom[1])]
        if reals and (len(reals) == len(atoms) or self.random.random() < 0.4):
            left, right = self.real(reals, 1, reals[0][1]), self.real(reals, 0, reals[0][1])
        else:
            whole = [atom for atom in atoms if not real(atom[1])]
            left, right = self.integer(whole, 1), self.integer(whole, 0)
        test = f"{left} {self.random.choice(('<', '<=', '>', '>=', '==', '!='))} {right}"
        more = self.random.random()
        if more < 0.1:
            return f"{test} && {self.condition(atoms)}"
        return f"!({test})" if more < 0.15 else test

    def real(self, atoms: list[Atom], depth: int, wanted: str) -> str:
        """A term of floats."""
        suffix = "f" if wanted == "f32" else ""
        if depth <= 0 or self.random.random() < 0.1:
            if self.random.random() < 0.25:
                return self.random.choice(("0.5", "2.0", "-1.0", "3.0", "0.25", "1.0")) + suffix
            text, type_ = self.random.choice(atoms)
            return text if real(type_) else f"({CTYPES[wanted]}){text}"
        left, right = self.real(atoms, depth - 1, wanted), self.real(atoms, depth - 1, wanted)
        match self.random.randrange(10):
            case 0 | 1 | 2:
                return f"({left} + {right})"
            case 3 | 4:
                return f"({left} * {right})"
            case 5:
                return f"({left} - {right})"
            case 6:
                return f"({left} < {right} ? {left} : {right})"
            case 7:
                return f"({self.condition(atoms)} ? {left} : {right})"
            case 8:
                return f"({left} / {self.random.choice(('2.0', '4.0', '-8.0'))}{suffix})"
            case _:
                if self.random.random() < 0.5:
                    return f"-({left})"
                self.exact = False
                return self.random.choice((f"({left} / 3.0{suffix})", f"({left} / ({right} * {right} + 1.0{suffix}))"))

    def integer(self, atoms: list[Atom], depth: int) -> str:  # noqa: C901 (one case for each kind of term)
        """A term of integers."""
        if depth <= 0 or self.random.random() < 0.1:
            return self.random.choice(LITERALS) if self.random.random() < 0.25 else self.random.choice(atoms)[0]
        left, right = self.integer(atoms, depth - 1), self.integer(atoms, depth - 1)
        match self.random.choice((0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9, 10, 11, 12, 12, 13, 13, 14, 14, 15)):
            case 0 | 1 | 2:
                return f"({left} + {right})"
            case 3 | 4:
                return f"({left} - {right})"
            case 5 | 6:
                return f"({left} * {right})"
            case 7:
                divisor = self.random.choice((*DIVISORS, f"({right} | 1)", right))
                return f"({left} {self.random.choice('/%')} {divisor})"
            case 8:
                return f"({left} {self.random.choice('&|^')} {right})"
            case 9:
                amount = self.random.choice(("1", "2", "3", "7", "8", "16", f"({right} & 7)", f"({right} & 31)", "31", "32"))
                return f"({left} {self.random.choice(('<<', '>>'))} {amount})"
            case 10:
                return f"({left} {self.random.choice(('<', '<=', '>', '==', '!='))} {right})"
            case 11:
                return f"({self.condition(atoms)} ? {left} : {right})"
            case 12:
                return f"({left} {self.random.choice('<>')} {right} ? {left} : {right})"
            case 13:
                return f"({left} & {self.random.choice(('1', '15', '255', '0xff00', '-2'))})"
            case 14:
                return f"({CTYPES[self.random.choice(tuple(name for name in CTYPES if not real(name)))]})({left})"
            case _:
                return f"{self.random.choice('-~!')}({left})"


class MixedTerms(CTerms):
    """Makes expressions in which integers and floats turn into each other, by casts and without."""

    def term(self, atoms: list[Atom], depth: int, wanted: str) -> str:
        """A term of any type that is assigned to something of the type, so that it is converted."""
        if self.random.random() < 0.5:
            return self.real(atoms, depth, self.random.choice(("f32", "f64")))
        return self.integer(atoms, depth)

    def condition(self, atoms: list[Atom]) -> str:
        """A comparison of an integer with a float, or as others are."""
        if self.random.random() < 0.5:
            return super().condition(atoms)
        left, right = self.real(atoms, 1, self.random.choice(("f32", "f64"))), self.integer(atoms, 1)
        return f"{left} {self.random.choice(('<', '<=', '>', '>=', '==', '!='))} {right}"

    def real(self, atoms: list[Atom], depth: int, wanted: str) -> str:
        """A term of floats, of integers among others."""
        self.exact = False
        if depth <= 0 or self.random.random() < 0.6:
            return super().real(atoms, depth, wanted)
        whole = self.integer(atoms, depth - 1)
        suffix = "f" if wanted == "f32" else ""
        divisor = self.random.choice(("2", "3", "10", "7", "255", "100"))
        ways = (f"({CTYPES[wanted]}){whole}", f"({CTYPES[wanted]}){whole} / {divisor}", f"({whole} * 0.1{suffix})")
        return f"({self.random.choice((*ways, f'({whole} / {divisor}.0{suffix})', f'({whole} + 0.5{suffix})'))})"

    def integer(self, atoms: list[Atom], depth: int) -> str:
        """A term of integers, made of floats among others."""
        whole = [atom for atom in atoms if not real(atom[1])]
        if whole and (depth <= 0 or self.random.random() < 0.7):
            return super().integer(whole, depth)
        target = self.random.choice(("int", "int", "uint8_t", "int64_t", "unsigned", "int16_t"))
        return f"({target})({self.real(atoms, max(depth - 1, 0), self.random.choice(('f32', 'f64')))})"


class PythonTerms:
    """Makes expressions of one kind of numbers."""

    def __init__(self, chosen: random.Random, kind: str) -> None:
        self.random = chosen
        self.kind = kind
        self.exact = True

    def condition(self, atoms: list[str]) -> str:
        """A comparison."""
        test = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"{self.term(atoms, 1)} {test} {self.term(atoms, 0)}"

    def term(self, atoms: list[str], depth: int) -> str:
        """A term."""
        if depth <= 0 or self.random.random() < 0.1:
            literals = ("0", "1", "2", "3", "-1", "7") if self.kind == "int" else ("0.5", "2.0", "-1.0", "1.0")
            return self.random.choice(literals if self.random.random() < 0.25 else atoms)
        left, right = self.term(atoms, depth - 1), self.term(atoms, depth - 1)
        ways = [f"({left} + {right})", f"({left} - {right})", f"({left} * {right})", f"max({left}, {right})", f"abs({left})"]
        ways += [f"({left} if {self.condition(atoms)} else {right})", f"-({left})", f"min({left}, {right})"]
        if self.kind == "int":
            divisor = self.random.choice(("2", "3", "-3", "7", right))
            ways += [f"({left} {self.random.choice(('//', '%'))} {divisor})"] * 2
            ways += [f"({left} {self.random.choice(('&', '|', '^', '<<', '>>'))} {self.random.choice(('1', '3', right))})"]
        else:
            ways.append(f"({left} / {self.random.choice(('2.0', '4.0'))})")
        return self.random.choice(ways)


class MixedPythonTerms(PythonTerms):
    """Makes expressions in which integers and floats turn into each other. `kind` is that of the atoms."""

    def term(self, atoms: list[str], depth: int) -> str:
        """A term of either kind."""
        if depth <= 0 or self.random.random() < 0.55:
            return super().term(atoms, depth)
        self.exact = False
        left, right = self.term(atoms, depth - 1), self.term(atoms, depth - 1)
        divisor = self.random.choice(("2", "3", "10", "0.1", "2.5", "255"))
        ways = [f"({left} / {divisor})", f"int({left} / {divisor})", f"({left} // {divisor})", f"({left} * 0.5)"]
        ways += [f"float({left})", f"int({left})", f"({left} % {divisor})", f"({left} > {right})", f"({left} + 0.1)"]
        return self.random.choice(ways)
