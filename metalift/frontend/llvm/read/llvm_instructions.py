"""Reads the text of one LLVM instruction. Nothing here knows what an instruction means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import Instr, array_parts, struct_fields
from metalift.ir.program.fragment import Location

TOKEN = re.compile(
    r"""c?"(?:[^"\\]|\\.)*"            # a string
    |[%@]"(?:[^"\\]|\\.)*" | [%@][-\w.$]+   # a name
    |!\w* | \#\w+                    # metadata, attribute groups
    |-?\d+\.\d*(?:[eE][+-]?\d+)? | 0x[0-9A-Za-z]+ | -?\d+
    |[A-Za-z_][\w.]* | \.\.\. | [^\s]""",
    re.VERBOSE,
)
TYPE_WORD = re.compile(r"(void|i\d+|float|double|half|bfloat|fp128|x86_fp80|ppc_fp128|ptr|label|metadata|token)\Z")
VALUE_WORDS = frozenset({"true", "false", "null", "undef", "poison", "none", "zeroinitializer"})
BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split())
CASTS = frozenset("trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast".split())
POINTEE = ("byval", "sret")  # attributes of a pointer that say which type it points to
CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


Resolver = Callable[["Tokens"], Location]


class Tokens:
    """A cursor over the tokens of one instruction or definition."""

    def __init__(self, text: str) -> None:
        self.items = TOKEN.findall(text)
        self.at = 0

    @property
    def current(self) -> str:
        """The token at the cursor, empty at the end."""
        return self.items[self.at] if self.at < len(self.items) else ""

    def take(self) -> str:
        """The token at the cursor, which moves on."""
        token = self.current
        self.at += 1
        return token

    def skip(self, token: str) -> bool:
        """Move past the token if it is the one at the cursor."""
        if self.current != token:
            return False
        self.at += 1
        return True

    def balanced(self) -> str:
        """The text of a bracketed group that begins at the cursor."""
        start, depth = self.at, 0
        while self.at < len(self.items):
            token = self.take()
            depth += (token in CLOSING) - (token in CLOSING.values())
            if depth == 0:
                break
        return " ".join(self.items[start : self.at])

    def at_type(self) -> bool:
        """Whether a type begins here."""
        return bool(TYPE_WORD.match(self.current)) or self.current[:1] in ("%", "{", "[", "<")

    def type(self) -> str:
        """The type at the cursor; a function type gives its result type."""
        token = self.current
        if token in CLOSING:
            text = _type_text(self.balanced())
        else:
            text = self.take()
            if text == "ptr" and self.current == "addrspace":
                self.take()
                text += " addrspace" + self.balanced()
        if self.current == "(":
            self.balanced()
        while self.skip("*"):
            text += "*"
        return text

    def attributes(self) -> frozenset[str]:
        """Words before a type or a value, with the arguments they carry skipped."""
        found = set()
        while self.current and not self.at_type() and re.match(r"[a-z#]", self.current) and self.current not in VALUE_WORDS:
            if self.current in CONSTANT_EXPRESSIONS:
                break
            word = self.take()
            found.add(word)
            if word == "align" and self.current != "(":
                self.take()
            elif self.current == "(":
                group = self.balanced()
                if word in POINTEE:
                    found.add(f"{word} {_type_text(group)[1:-1]}")
        return frozenset(found)

    def value(self) -> str:
        """The value at the cursor: a name, a literal, or the text of a constant expression."""
        if self.current in CLOSING:
            return self.balanced()
        token = self.take()
        if token in CONSTANT_EXPRESSIONS:
            while self.current and self.current != "(":
                token += " " + self.take()
            token += " " + self.balanced()
        return token


CONSTANT_EXPRESSIONS = frozenset({"getelementptr", "blockaddress", "asm", "splat", "dso_local_equivalent", "no_cfi"}) | CASTS


def _type_text(text: str) -> str:
    """Canonical spacing of a bracketed type."""
    return re.sub(r"([{\[<(]) | ([}\]>)])", r"\1\2", text).replace(" ,", ",")


def _binary(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    left = tokens.value()
    tokens.skip(",")
    return Instr(op, result, type_, (left, tokens.value()), (type_, type_), (), flags, where(tokens))


def _unary(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    return Instr(op, result, type_, (tokens.value(),), (type_,), (), flags, where(tokens))


def _cast(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    source = tokens.type()
    value = tokens.value()
    tokens.skip("to")
    return Instr(op, result, tokens.type(), (value,), (source,), (), flags, where(tokens))


def _compare(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    words = []
    while tokens.current and not tokens.at_type():
        words.append(tokens.take())
    type_ = tokens.type()
    left = tokens.value()
    tokens.skip(",")
    return Instr(op, result, "i1", (left, tokens.value()), (type_, type_), (words[-1],), frozenset(words[:-1]), where(tokens))


def _alloca(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    count: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    if tokens.skip(",") and tokens.at_type():
        types = (tokens.type(),)
        count = (tokens.value(),)
    return Instr(op, result, "ptr", count, types, (type_,), flags, where(tokens))


def _load(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    tokens.skip(",")
    tokens.type()
    return Instr(op, result, type_, (tokens.value(),), ("ptr",), (), flags, where(tokens))


def _store(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    value = tokens.value()
    tokens.skip(",")
    tokens.type()
    return Instr(op, result, type_, (value, tokens.value()), (type_, "ptr"), (), flags, where(tokens))


def _getelementptr(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    element = tokens.type()
    args, types = [], []
    while tokens.skip(",") and not tokens.current.startswith("!"):
        types.append(tokens.type())
        args.append(tokens.value())
    return Instr(op, result, "ptr", tuple(args), tuple(types), (element,), flags, where(tokens))


def _select(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    args, types = [], []
    for _ in range(3):
        types.append(tokens.type())
        args.append(tokens.value())
        tokens.skip(",")
    return Instr(op, result, types[1], tuple(args), tuple(types), (), flags, where(tokens))


def _phi(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    args, labels = [], []
    while tokens.skip("["):
        args.append(tokens.value())
        tokens.skip(",")
        labels.append(_label(tokens.take()))
        tokens.skip("]")
        if not tokens.skip(","):
            break
    return Instr(op, result, type_, tuple(args), (type_,) * len(args), tuple(labels), flags, where(tokens))


def _call(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    flags = tokens.attributes()
    type_ = tokens.type()
    callee = tokens.value()
    if callee.startswith('@"'):
        callee = "@" + callee[2:-1]
    args, types = [], []
    if tokens.skip("("):
        while tokens.current and not tokens.skip(")"):
            types.append(tokens.type())
            tokens.attributes()
            args.append(tokens.value() if types[-1] != "metadata" else tokens.take())
            if types[-1] == "metadata" and tokens.current == "(":
                tokens.balanced()
            tokens.skip(",")
    detail: tuple[str, ...] = (callee,)
    if op == "invoke":
        while tokens.current and tokens.current != "to":
            tokens.take()
        tokens.at += 2
        detail = (callee, _label(tokens.take()))
    return Instr("call", result, type_, tuple(args), tuple(types), detail, flags, where(tokens))


def _extract(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    whole = tokens.type()
    value = tokens.value()
    path = []
    while tokens.skip(",") and tokens.current.isdigit():
        path.append(tokens.take())
    part = whole
    for number in path:
        array, fields = array_parts(part), struct_fields(part)
        part = array[1] if array else fields[int(number)] if fields and int(number) < len(fields) else "void"
    return Instr(op, result, part, (value,), (whole,), tuple(path), location=where(tokens))


def _branch(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    if tokens.skip("label"):
        return Instr(op, detail=(_label(tokens.take()),), location=where(tokens))
    tokens.type()
    cond = tokens.value()
    labels = []
    while tokens.skip(",") and tokens.skip("label"):
        labels.append(_label(tokens.take()))
    return Instr(op, args=(cond,), types=("i1",), detail=tuple(labels), location=where(tokens))


def _switch(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    type_ = tokens.type()
    value = tokens.value()
    tokens.at += 2
    labels = [_label(tokens.take())]
    tokens.skip("[")
    while tokens.current and not tokens.skip("]"):
        tokens.type()
        labels.append(tokens.value())
        tokens.at += 2
        labels.append(_label(tokens.take()))
    return Instr(op, args=(value,), types=(type_,), detail=tuple(labels), location=where(tokens))


def _return(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    types = [tokens.type()]
    args = [] if types[0] == "void" else [tokens.value()]
    while tokens.skip(",") and tokens.current and not tokens.current.startswith("!"):  # of an outlined loop nest
        types.append(tokens.type())
        args.append(tokens.value())
    return Instr(op, type=types[0], args=tuple(args), types=tuple(types[: len(args)]), location=where(tokens))


def _unreachable(tokens: Tokens, op: str, result: str, where: Resolver) -> Instr:
    return Instr(op, location=where(tokens))


def _label(token: str) -> str:
    return token.removeprefix("%").strip('"')


PARSERS: dict[str, Callable[[Tokens, str, str, Resolver], Instr]] = {
    "icmp": _compare,
    "fcmp": _compare,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "select": _select,
    "phi": _phi,
    "call": _call,
    "invoke": _call,
    "br": _branch,
    "switch": _switch,
    "ret": _return,
    "unreachable": _unreachable,
    "resume": _unreachable,
    "fneg": _unary,
    "extractvalue": _extract,
    "freeze": _unary,
}
PARSERS |= dict.fromkeys(BINARY, _binary) | dict.fromkeys(CASTS, _cast)
OTHER_ENDS = frozenset({"indirectbr", "callbr", "cleanupret", "catchret", "catchswitch"})


def parse_instruction(text: str, where: Resolver) -> list[Instr]:
    """The instruction on a (joined) line; an invoke becomes a call and a branch to where it returns normally.

    What has no parser here is kept as an instruction named `other`, with its opcode as detail: it may be in a place that no
    kernel reaches.
    """
    tokens = Tokens(text)
    result = ""
    if tokens.items[1:2] == ["="]:
        result = tokens.take()
        tokens.take()
    while tokens.current in ("tail", "musttail", "notail"):
        tokens.take()
    op = tokens.take()
    parser = PARSERS.get(op)
    if parser is None:
        kind = "other-end" if op in OTHER_ENDS else "other"
        return [Instr(kind, result, detail=(op,), location=where(tokens))]
    instr = parser(tokens, op, result, where)
    if op == "invoke":
        return [replace(instr, detail=instr.detail[:1]), Instr("br", detail=instr.detail[1:], location=instr.location)]
    return [instr]
