"""What the text of a pipeline says: words, nested tuples, and the widths and values of expressions."""

import re

TOKEN = re.compile(r"\s*(?:(//.*)|(-?\d+s\d+|\d+(?:w\d+)?)|([A-Za-z_]\w*)|(==|!=|<=|<<|>>|&&|\|\||[-+*/%&|^<>!(){}\[\];,=?:]))")
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">"), ("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("%", "*", "/"))
LITERAL = re.compile(r"-?\d+[ws]\d+")
TYPES = ("bool", "bit", "int")
MASK = 0xFFFFFFFF


class Refused(Exception):
    """The text is not one that the pipeline runs."""


def mixed(words):
    """The hash units: multiply and shift, word by word."""
    value = 0x811C9DC5
    for word in words:
        value = ((value ^ word) * 0x9E3779B1) & MASK
        value ^= value >> 15
    return value


class Unit:
    """A hash unit: its name, how many words of 32 bits it takes, and what it computes of them, which is one, too."""

    def __init__(self, name, count, function):
        self.name, self.count, self.function = name, count, function


EXTERNS = {f"hash{count}": Unit(f"hash{count}", count, mixed) for count in (2, 3, 5)}  # where the text says nothing else


def tokens_of(text):
    """The words of the text, without comments."""
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise Refused(f"what is {text[at : at + 20]!r}?")
        at = match.end()
        if match[1] is None:
            found.append(match[0].strip())
    return found


class Parser:
    """Reads the text into nested tuples."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0
        self.units = dict(EXTERNS)

    def peek(self, ahead=0):
        """A token to come, nothing at the end."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        """The next token."""
        token = self.peek()
        if wanted is not None and token != wanted:
            raise Refused(f"{wanted!r} is expected before {token!r}")
        self.at += 1
        return token

    def type(self):
        """A number of bits; 1 for bool, one below zero for words with a sign."""
        kind = self.take()
        if kind == "bool":
            return 1
        self.take("<")
        bits = int(self.take())
        self.take(">")
        return -bits if kind == "int" else bits

    def control(self):
        """The whole: its name, parameters, stages and deparser."""
        while self.peek() == "unit":
            self.unit()
        self.take("control")
        name = self.take()
        self.take("(")
        params = []
        while self.peek() != ")":
            role = self.take()
            if role not in ("in", "inout", "register"):
                raise Refused(f"a parameter is in, inout or register, not {role!r}")
            params.append((role, self.type(), self.take()))
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        self.take("{")
        stages = []
        while self.peek() == "stage":
            self.take()
            number = int(self.take())
            if stages and number <= stages[-1][0]:
                raise Refused("stages are in order")
            stages.append((number, self.items()))
        self.take("deparser")
        deparser = self.items()
        self.take("}")
        if self.peek():
            raise Refused(f"{self.peek()!r} after the end")
        return name, params, stages, deparser

    def unit(self):
        """unit NAME(words) = expression;"""
        self.take("unit")
        name, words = self.take(), []
        self.take("(")
        while self.peek() != ")":
            words.append(self.take())
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        self.take("=")
        body = self.ended()
        if not names_in(body) <= set(words):
            raise Refused(f"{name} computes of its words alone")
        self.units[name] = Unit(name, len(words), lambda values: value(body, dict(zip(words, values, strict=True))) & MASK)

    def items(self):
        """What stands in a stage."""
        self.take("{")
        found = []
        while self.peek() != "}":
            found.append(self.item())
        self.take()
        return found

    def item(self):
        """A declaration, an assignment, a return, or an atom on registers."""
        if self.peek() in TYPES:
            bits, name = self.type(), self.take()
            self.take("=")
            return ("declare", bits, name, self.ended())
        if self.peek() == "return":
            self.take()
            return ("return", self.ended())
        if self.peek(1) == "(":
            return self.atom()
        return self.assignment()

    def ended(self):
        """An expression and a semicolon."""
        value = self.expression()
        self.take(";")
        return value

    def assignment(self):
        """NAME = expression;"""
        name = self.take()
        self.take("=")
        return ("assign", name, self.ended())

    def atom(self):
        """KIND(register[index] as name, out old, out new; ...) { statements }"""
        kind = self.take()
        self.take("(")
        cells = [self.cell()]
        while self.peek() == ";":
            self.take()
            cells.append(self.cell())
        self.take(")")
        return ("atom", kind, cells, self.statements())

    def cell(self):
        """register[index] as name, out old, out new"""
        register = self.take()
        self.take("[")
        index = self.expression()
        self.take("]")
        self.take("as")
        name, outputs = self.take(), []
        while self.peek() == ",":
            self.take()
            self.take("out")
            outputs.append(self.take())
        return register, index, name, outputs

    def statements(self):
        """{ if (condition) { ... } else { ... } NAME = expression; }"""
        self.take("{")
        found = []
        while self.peek() != "}":
            if self.peek() != "if":
                found.append(self.assignment())
                continue
            self.take()
            self.take("(")
            cond = self.expression()
            self.take(")")
            then, other = self.statements(), []
            if self.peek() == "else":
                self.take()
                other = self.statements()
            found.append(("if", cond, then, other))
        self.take()
        return found

    def expression(self, level=0):
        """An expression of operators that bind at least as tightly."""
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.peek() in LEVELS[level]:
            op = self.take()
            left = (op, left, self.expression(level + 1))
        if level == 0 and self.peek() == "?":
            self.take()
            then = self.expression()
            self.take(":")
            return ("?", left, then, self.expression())
        return left

    def unary(self):
        """A negation, a conversion, a name, a literal, a call."""
        token = self.take()
        if token == "!":
            return ("!", self.unary())
        if token == "(":
            if self.peek() in TYPES:
                bits = self.type()
                self.take(")")
                return ("cast", bits, self.unary())
            inner = self.expression()
            self.take(")")
            return inner
        if token in ("true", "false"):
            return ("literal", 1, int(token == "true"))
        if LITERAL.fullmatch(token):
            bits, value = map(int, re.split("[ws]", token.lstrip("-")))
            return ("literal", -bits if "s" in token else bits, -value if token.startswith("-") else value)
        if token.isdigit():
            return ("literal", 0, int(token))
        if self.peek() == "(":
            self.take()
            args = [self.expression()]
            while self.peek() == ",":
                self.take()
                args.append(self.expression())
            self.take(")")
            return ("call", self.units.get(token, Unit(token, None, None)), *args)
        return ("name", token)


def names_in(expr):
    """The names that an expression reads."""
    if expr[0] == "name":
        return {expr[1]}
    return {name for part in expr[1:] if isinstance(part, tuple) for name in names_in(part)}


def width(expr, widths):  # noqa: C901 (one case for each kind)
    """The width of an expression; 1 for truth values, 0 for an index without a type, below zero for words with a sign."""
    kind = expr[0]
    if kind == "name":
        if expr[1] not in widths:
            raise Refused(f"{expr[1]} is read before an earlier stage has made it")
        return widths[expr[1]]
    if kind == "literal":
        if expr[1] and wrapped(expr[2], expr[1]) != expr[2]:
            raise Refused(f"{expr[2]} does not fit {abs(expr[1])} bits")
        return expr[1]
    if kind == "cast":
        width(expr[2], widths)
        return expr[1]
    if kind == "call":
        if len(expr) - 2 != expr[1].count:
            raise Refused(f"there is no {expr[1].name} of {len(expr) - 2} words")
        if any(width(arg, widths) != 32 for arg in expr[2:]):
            raise Refused(f"{expr[1].name} takes words of 32 bits")
        return 32
    if kind in ("*", "/", "<<", ">>"):
        raise Refused(f"a stage has no {kind}")
    found = [width(part, widths) for part in expr[1:]]
    if kind == "!":
        wanted, result = [1], 1
    elif kind == "?":
        wanted, result = [1, found[1], found[1]], found[1]
    elif kind in ("&&", "||"):
        wanted, result = [1, 1], 1
    else:
        wanted, result = [found[0]] * 2, 1 if kind in ("==", "!=", "<", "<=", ">") else found[0]
    if found != wanted:
        raise Refused(f"operands of {kind} have the widths {found}")
    return result


def wrapped(number, bits):
    """A number modulo the size of a word, which has a sign where its width is below zero; with no width as it is."""
    if bits == 0:
        return number
    low = number & ((1 << abs(bits)) - 1)
    return low - (1 << -bits) if bits < 0 and low >> (-bits - 1) else low


def remainder(left, right, bits):
    """The remainder, of words with a sign with the sign of the dividend."""
    return -(-left % right) if bits < 0 and left < 0 else left % right


def value(expr, env, widths=None):  # noqa: C901 (one case for each operator)
    """The value of an expression; sums wrap. Without widths they do not: a unit's are whole numbers of any size."""
    kind = expr[0]
    if kind == "name":
        return env[expr[1]]
    if kind == "literal":
        return expr[2]
    if kind == "cast":
        return wrapped(value(expr[2], env, widths), expr[1])
    if kind == "call":
        return expr[1].function([value(arg, env, widths) for arg in expr[2:]])
    if kind == "?":
        return value(expr[2] if value(expr[1], env, widths) else expr[3], env, widths)
    parts = [value(part, env, widths) for part in expr[1:]]
    bits = 0 if widths is None else width(expr, widths)
    left, right = parts if len(parts) == 2 else (parts[0], 0)
    table = {
        "!": lambda: int(not left), "&&": lambda: left & right, "||": lambda: left | right,
        "==": lambda: int(left == right), "!=": lambda: int(left != right), "<": lambda: int(left < right),
        "<=": lambda: int(left <= right), ">": lambda: int(left > right), "+": lambda: wrapped(left + right, bits),
        "-": lambda: wrapped(left - right, bits), "%": lambda: remainder(left, right, bits), "&": lambda: left & right,
        "|": lambda: left | right, "^": lambda: left ^ right, "*": lambda: left * right, "/": lambda: left // right,
        "<<": lambda: left << right, ">>": lambda: left >> right,
    }  # fmt: skip
    return table[kind]()
