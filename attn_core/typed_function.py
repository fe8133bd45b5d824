"""A function of x as somebody types it: read by a grammar of its own, and never run as code."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

from attn_words import _

MOST_CHARACTERS = 80
MOST_NESTED = 20
LARGEST = 1e6  # in size; what is larger counts as not finite, for no chart shows it
_PLACES = 1001  # at which a function is asked whether it is finite

_FUNCTIONS: Mapping[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {
        "sin": torch.sin,
        "cos": torch.cos,
        "tan": torch.tan,
        "exp": torch.exp,
        "log": torch.log,
        "sqrt": torch.sqrt,
        "abs": torch.abs,
    }
)
_CONSTANTS = MappingProxyType({"pi": math.pi, "e": math.e})
_NAMES = sorted((*_FUNCTIONS, *_CONSTANTS, "x"), key=len, reverse=True)
# Other ways to write the same: full-width forms are mapped by their place in Unicode.
_SAME = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "÷": "/",
    "π": "pi",
    "²": "^2",
    "³": "^3",
}
_FULL_WIDTH, _TO_ASCII = range(0xFF01, 0xFF5F), 0xFEE0
_TOKEN = re.compile(r"(?P<number>\d+\.?\d*|\.\d+)|(?P<word>[a-z]+)|(?P<sign>\*\*|[-+*/^()])", re.ASCII)


class FunctionError(ValueError):
    """What somebody typed is no function of x; ``position`` counts characters from 0."""

    def __init__(self, position: int, wanted: str) -> None:
        """Say at which character what was wanted."""
        super().__init__(_("Character {number}: {wanted}.", number=position + 1, wanted=wanted))
        self.position = position


@dataclass(frozen=True)
class _Number:
    value: float


@dataclass(frozen=True)
class _Constant:
    name: str


@dataclass(frozen=True)
class _X:
    pass


@dataclass(frozen=True)
class _Negative:
    of: "_Node"


@dataclass(frozen=True)
class _Call:
    name: str
    of: "_Node"


@dataclass(frozen=True)
class _Pair:
    sign: Literal["+", "-", "*", "/", "^"]
    left: "_Node"
    right: "_Node"


_Node: TypeAlias = _Number | _Constant | _X | _Negative | _Call | _Pair


@dataclass(frozen=True)
class TypedFunction:
    """A function of x that was read from text.

    ``text`` is what was typed; ``written`` the same as mathematics has it, which is read as the same
    function; ``code`` its expression in PyTorch; ``latex`` its formula.
    """

    text: str
    _tree: _Node

    def __call__(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return the values at x, in its dtype: NaN or infinite where the function is not defined."""
        return _value(self._tree, x).expand_as(x).clone()

    @property
    def written(self) -> str:
        """The function as it is printed."""
        return _written(self._tree)[0]

    @property
    def code(self) -> str:
        """The function of a tensor ``x`` as an expression of Python with torch."""
        return _code(self._tree)[0]

    @property
    def latex(self) -> str:
        """The function in LaTeX."""
        return _latex(self._tree)[0]

    def first_gap(self, low: float | int, high: float | int) -> float | None:
        """Return the first of many even places from low to high without a number of at most 10^6 in size.

        >>> read_function("1 / (x - 1)").first_gap(0, 5), read_function("sqrt(x)").first_gap(0, 5)
        (1.0, None)
        """
        places = torch.linspace(low, high, _PLACES, dtype=torch.float64)
        bad = ~(self(places).abs() <= LARGEST)
        return float(places[bad][0]) if bool(bad.any()) else None


def read_function(text: str) -> TypedFunction:
    r"""Read a function of x, such as ``sin(3x) + x/2``.

    $$\text{sum} = \text{term} \, (\pm\,\text{term})^{*} \qquad
      \text{term} = \text{signed} \, ((*|/)\,\text{signed} \;|\; \text{power})^{*}$$
    $$\text{signed} = (\pm)\,\text{signed} \;|\; \text{power} \qquad
      \text{power} = \text{atom} \, (\wedge\,\text{signed})$$

    An atom is a number, x, pi, e, a sum in parentheses, or sin, cos, tan, exp, log (natural), sqrt or abs of
    a sum in parentheses. Side by side two factors are multiplied, with the precedence of ``*``; powers
    associate to the right and bind more than a minus before them.

    Invariant: nothing but this grammar is read, and reading it back from ``written`` gives the same function.

    Edge cases: letters may be large; full-width forms, ``**``, ``−``, ``×``, ``÷``, ``π``, ``²`` and ``³``
    are read as what they mean. What is not defined (log of 0) is not finite when it is asked.

    Raises FunctionError, a ValueError that says at which character what was wanted, for all else: an empty
    text, one of more than 80 characters or nested more than 20 deep, unknown words and signs.

    Source: recursive descent, as in Aho, Lam, Sethi and Ullman, Compilers (2006), section 4.4.

    >>> function = read_function("-x^2 + 3x")
    >>> function(torch.tensor([0.0, 2.0])), function.written, function.code
    (tensor([0., 2.]), '−x^2 + 3·x', '-x**2 + 3 * x')
    >>> read_function("sin(x")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    FunctionError: Character 6: a closing parenthesis is wanted, and here is the end.
    """
    if len(text) > MOST_CHARACTERS:
        raise FunctionError(
            MOST_CHARACTERS, _("the function is longer than {most} characters", most=MOST_CHARACTERS)
        )
    return TypedFunction(text, _Reader(text).read())


class _Token(NamedTuple):
    kind: Literal["number", "name", "sign", "end"]
    text: str
    at: int


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens, each with the place where it was typed."""
    plain, places = "", []
    for at, typed in enumerate(text):
        narrow = chr(ord(typed) - _TO_ASCII) if ord(typed) in _FULL_WIDTH else typed
        same = _SAME.get(typed, narrow)
        plain += same.lower() if same.isascii() else same
        places += [at] * len(same)
    at = 0
    while at < len(plain):
        found = _TOKEN.match(plain, at)
        if plain[at].isspace():
            at += 1
        elif found is None:
            raise FunctionError(places[at], _("“{sign}” cannot be read", sign=text[places[at]]))
        elif found["word"]:
            word = found["word"]
            name = next((name for name in _NAMES if word.startswith(name)), None)
            if name is None:
                raise FunctionError(
                    places[at],
                    _(
                        "“{word}” is unknown; known are x, {names}",
                        word=word,
                        names=", ".join((*_FUNCTIONS, *_CONSTANTS)),
                    ),
                )
            yield _Token("name", name, places[at])
            at += len(name)
        else:
            sign = found[0]
            yield _Token("number" if found["number"] else "sign", "^" if sign == "**" else sign, places[at])
            at = found.end()
    yield _Token("end", "", len(text))


class _Reader:
    """Reads a text from its first token to its last."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.nested = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self, *signs: str) -> str:
        """Step over the next token and return it where it is one of the signs."""
        if self.next.kind == "sign" and self.next.text in signs:
            self.at += 1
            return self.tokens[self.at - 1].text
        return ""

    def read(self) -> _Node:
        tree = self.sum()
        if self.next.kind == "number":
            raise FunctionError(self.next.at, _("a number cannot follow; write * between"))
        if self.next.kind != "end":
            raise FunctionError(self.next.at, _("“{sign}” closes nothing", sign=self.next.text))
        return tree

    def sum(self) -> _Node:
        tree = self.term()
        while sign := self.take("+", "-"):
            tree = _Pair("+" if sign == "+" else "-", tree, self.term())
        return tree

    def term(self) -> _Node:
        tree = self.signed()
        while True:
            if sign := self.take("*", "/"):
                tree = _Pair("*" if sign == "*" else "/", tree, self.signed())
            elif self.next.kind == "name" or self.next.text == "(":
                tree = _Pair("*", tree, self.power())
            else:
                return tree

    def signed(self) -> _Node:
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise FunctionError(self.next.at, _("nested more than {most} deep", most=MOST_NESTED))
        sign = self.take("+", "-")
        tree = self.signed() if sign else self.power()
        self.nested -= 1
        return _Negative(tree) if sign == "-" else tree

    def power(self) -> _Node:
        base = self.atom()
        return _Pair("^", base, self.signed()) if self.take("^") else base

    def atom(self) -> _Node:
        kind, text, at = self.next
        if kind == "number":
            self.at += 1
            return _Number(float(text))
        if kind == "name":
            self.at += 1
            if text in _FUNCTIONS:
                return _Call(text, self.argument(text))
            return _X() if text == "x" else _Constant(text)
        if text == "(":
            return self.parenthesis()
        here = _("“{sign}”", sign=text) if text else _("the end")
        raise FunctionError(at, _("a number, x or a function is wanted, and here is {here}", here=here))

    def argument(self, name: str) -> _Node:
        if self.next.text != "(":
            raise FunctionError(self.next.at, _("{name} wants a parenthesis: {name}(x)", name=name))
        return self.parenthesis()

    def parenthesis(self) -> _Node:
        self.at += 1
        tree = self.sum()
        if not self.take(")"):
            here = _("“{sign}”", sign=self.next.text) if self.next.text else _("the end")
            raise FunctionError(
                self.next.at, _("a closing parenthesis is wanted, and here is {here}", here=here)
            )
        return tree


def _value(node: _Node, x: Tensor) -> Tensor:  # noqa: PLR0911  (one a kind)
    match node:
        case _X():
            return x
        case _Number(value):
            return torch.tensor(value, dtype=x.dtype)
        case _Constant(name):
            return torch.tensor(_CONSTANTS[name], dtype=x.dtype)
        case _Negative(of):
            return -_value(of, x)
        case _Call(name, of):
            return _FUNCTIONS[name](_value(of, x))
        case _Pair(sign, first, second):
            left, right = _value(first, x), _value(second, x)
            match sign:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case "/":
                    return left / right
                case "^":
                    return left**right


def _has_x(node: _Node) -> bool:
    match node:
        case _X():
            return True
        case _Negative(of) | _Call(_, of):
            return _has_x(of)
        case _Pair(_, left, right):
            return _has_x(left) or _has_x(right)
    return False


# How much what is written binds: a part that binds less than its place asks for stands in parentheses.
_SUM, _TERM, _SIGNED, _POWER, _ATOM = range(5)
_BINDS = {"+": _SUM, "-": _SUM, "*": _TERM, "/": _TERM, "^": _POWER}
_Text = tuple[str, int]


def _decimal(value: float) -> str:
    """Write a number in decimals, as the grammar reads it."""
    return format(Decimal(repr(value).removesuffix(".0")), "f")


def _literal(value: float) -> _Text:
    """Write a number as Python reads it, infinity too."""
    if not math.isfinite(value):
        return f'float("{value}")', _ATOM
    return repr(value).removesuffix(".0"), _ATOM if value >= 0 else _SIGNED


def _held(part: _Text, least: int) -> str:
    text, binds = part
    return f"({text})" if binds < least else text


def _pair(node: _Pair, write: Callable[[_Node], _Text], signs: Mapping[str, str]) -> _Text:
    """Write two parts with their sign between; of powers the left part must be an atom."""
    binds = _BINDS[node.sign]
    left = _held(write(node.left), _ATOM if node.sign == "^" else binds)
    right = _held(write(node.right), _SIGNED if node.sign == "^" else binds + 1)
    return f"{left}{signs[node.sign]}{right}", binds


def _written(node: _Node) -> _Text:
    match node:
        case _X():
            return "x", _ATOM
        case _Number(value):
            return _decimal(value), _ATOM
        case _Constant(name):
            return name.replace("pi", "π"), _ATOM
        case _Negative(of):
            return f"−{_held(_written(of), _SIGNED)}", _SIGNED
        case _Call(name, of):
            return f"{name}({_written(of)[0]})", _ATOM
        case _Pair():
            return _pair(node, _written, {"+": " + ", "-": " − ", "*": "·", "/": "/", "^": "^"})


def _code(node: _Node) -> _Text:
    if not _has_x(node):
        # A number, for torch's functions take tensors alone.
        return _literal(float(_value(node, torch.zeros((), dtype=torch.float64))))
    match node:
        case _Negative(of):
            return f"-{_held(_code(of), _SIGNED)}", _SIGNED
        case _Call(name, of):
            return f"torch.{name}({_code(of)[0]})", _ATOM
        case _Pair():
            return _pair(node, _code, {"+": " + ", "-": " - ", "*": " * ", "/": " / ", "^": "**"})
    return "x", _ATOM


def _latex(node: _Node) -> _Text:  # noqa: PLR0911  (one a kind)
    match node:
        case _X():
            return "x", _ATOM
        case _Number(value):
            return _decimal(value), _ATOM
        case _Constant(name):
            return name.replace("pi", r"\pi "), _ATOM
        case _Negative(of):
            return f"-{_held(_latex(of), _SIGNED)}", _SIGNED
        case _Call("sqrt", of):
            return rf"\sqrt{{{_latex(of)[0]}}}", _ATOM
        case _Call("abs", of):
            return rf"\left|{_latex(of)[0]}\right|", _ATOM
        case _Call(name, of):
            return rf"\{name}\left({_latex(of)[0]}\right)", _ATOM
        case _Pair("/", left, right):
            return rf"\frac{{{_latex(left)[0]}}}{{{_latex(right)[0]}}}", _ATOM
        case _Pair("^", left, right):
            return rf"{{{_held(_latex(left), _ATOM)}}}^{{{_latex(right)[0]}}}", _POWER
        case _Pair():
            return _pair(node, _latex, {"+": " + ", "-": " - ", "*": r" \cdot "})
