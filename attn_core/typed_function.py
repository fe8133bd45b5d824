"""A typed function of x, parsed from a short list of tokens; nothing of it is run as Python."""

import ast
import copy
import math
import operator
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

from attn_words import _

MOST_CHARACTERS = 80
MOST_NESTED = 20
LARGEST = 1e6  # in size; larger values count as not finite, as no chart shows them
_PLACES = 1001  # at which a function is checked for finite values

_FUNCTIONS: Mapping[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {name: getattr(torch, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "abs")}
)
_CONSTANTS = MappingProxyType({"pi": math.pi, "e": math.e})
_OPERATORS: Mapping[type[ast.operator], Callable[[Tensor, Tensor], Tensor]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: operator.pow,
    }
)
_SAME = {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "π": "pi", "²": "^2", "³": "^3"}
_TOKEN = re.compile(
    rf"(?P<number>\d+\.?\d*|\.\d+)|(?P<name>{'|'.join((*_FUNCTIONS, *_CONSTANTS, 'x'))})"
    r"|(?P<sign>\*\*|[-+*/^()])|(?P<end>$)",
    re.ASCII,
)


class FunctionError(ValueError):
    """The text is no function of x; ``position`` is the zero-based index of the character at fault."""

    def __init__(self, position: int, requirement: str) -> None:
        """Set the message from the position of the character and the requirement there."""
        super().__init__(_("Character {number}: {wanted}.", number=position + 1, wanted=requirement))
        self.position = position


@dataclass(frozen=True)
class TypedFunction:
    """A function of x, parsed from text.

    ``text`` is what was typed, ``expression`` the same in mathematical notation, ``latex`` its formula.
    """

    text: str
    _tree: ast.expr = field(compare=False, repr=False)

    def __call__(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return the values at x, in its dtype: NaN or infinite where the function is not defined."""
        return _value(self._tree, x).expand_as(x).clone()

    @property
    def expression(self) -> str:
        """The function in mathematical notation, which parses to the same function."""
        text = ast.unparse(_Decimals().visit(copy.deepcopy(self._tree)))
        for python, symbol in ((" ** ", "^"), (" * ", "·"), (" / ", "/"), ("-", "−"), ("pi", "π")):
            text = text.replace(python, symbol)
        return text

    @property
    def latex(self) -> str:
        """The function in LaTeX."""
        return _latex(self._tree)

    def first_gap(self, low: float | int, high: float | int) -> float | None:
        """Return the first of 1001 points from low to high where the function is above 10^6 or not finite.

        >>> read_function("1 / (x - 1)").first_gap(0, 5), read_function("sqrt(x)").first_gap(0, 5)
        (1.0, None)
        """
        places = torch.linspace(low, high, _PLACES, dtype=torch.float64)
        bad = ~(self(places).abs() <= LARGEST)
        return float(places[bad][0]) if bool(bad.any()) else None


def read_function(text: str) -> TypedFunction:
    r"""Read a function of x, such as ``sin(3x) + x/2``.

    It may contain numbers, x, pi, e, + - * / ^ (or ``**``), parentheses, and sin, cos, tan, exp, log
    (natural), sqrt or abs of something in parentheses. Adjacent factors are multiplied. Precedence is that of
    Python: powers group to the right, and bind more than a minus before them. All is computed in x's dtype,
    so that a power of powers is infinite and not a number of many digits.

    Invariant: nothing else is accepted, nothing is run, and ``expression`` parses to the same function.

    Edge cases: letters may be capitals; full-width forms, ``−``, ``×``, ``÷``, ``π``, ``²`` and ``³`` are
    understood. Where the function is undefined (log of 0), its values are not finite.

    Raises FunctionError, a ValueError with the character and the requirement, for all else: an empty
    text, one of more than 80 characters or nested more than 20 deep, unknown words and signs.

    Source: the precedence of operators in The Python Language Reference, section 6.17.

    >>> function = read_function("-x^2 + 3x")
    >>> function(torch.tensor([0.0, 2.0])), function.expression
    (tensor([0., 2.]), '−x^2 + 3·x')
    >>> read_function("sin(x")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    FunctionError: Character 6: a closing parenthesis is wanted, and here is the end.
    """
    if len(text) > MOST_CHARACTERS:
        raise FunctionError(
            MOST_CHARACTERS, _("the function is longer than {most} characters", most=MOST_CHARACTERS)
        )
    return TypedFunction(text, ast.parse(" ".join(_python(list(_tokens(text)))), mode="eval").body)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the kind of each token, its text, and its index in the typed text; the last is the end."""
    plain, places = "", []
    for at, character in enumerate(text):
        same = _SAME.get(character) or unicodedata.normalize("NFKC", character)
        plain += same.lower() if same.isascii() else same
        places += [at] * len(same)
    places.append(len(text))
    at = 0
    while at <= len(plain):
        match = _TOKEN.match(plain, at)
        if plain[at : at + 1].isspace():
            at += 1
        elif match is None:
            names = ", ".join((*_FUNCTIONS, *_CONSTANTS))
            word, sign = re.match("[a-z]+", plain[at:]), text[places[at]]
            readable = (
                sign if sign.isprintable() else f"U+{ord(sign):04X}"
            )  # it may reverse the text around it
            raise FunctionError(
                places[at],
                _("“{word}” is unknown; known are x, {names}", word=word[0], names=names)
                if word
                else _("“{sign}” cannot be read", sign=readable),
            )
        else:
            yield str(match.lastgroup), match[0], places[at]
            at = match.end() + (match.lastgroup == "end")


def _python(tokens: list[tuple[str, str, int]]) -> Iterator[str]:
    """Yield the tokens as Python writes them; raise FunctionError where one cannot follow the last."""
    starts, function = True, ""  # whether an operand must follow; the function whose parenthesis must
    depths = [0]  # of each open parenthesis, the signs and powers that wait for their operand
    for kind, text, at in tokens:
        here = _("“{sign}”", sign=text) if text else _("the end")
        opens = kind in {"number", "name"} or text == "("
        if function and text != "(":
            raise FunctionError(at, _("{name} wants a parenthesis: {name}(x)", name=function))
        if starts and len(depths) - 1 + sum(depths) >= MOST_NESTED:
            raise FunctionError(at, _("nested more than {most} deep", most=MOST_NESTED))
        if starts and not opens and text not in {"+", "-"}:
            raise FunctionError(at, _("a number, x or a function is wanted, and here is {here}", here=here))
        if not starts and (kind == "number" or (text == ")" and len(depths) == 1)):
            raise FunctionError(at, _("an operator is wanted, and here is {here}", here=here))
        if kind == "end" and len(depths) > 1:
            raise FunctionError(at, _("a closing parenthesis is wanted, and here is {here}", here=here))
        if opens and not starts:
            yield "*"
            depths[-1] = 0
        if kind == "sign" and text not in {"(", ")"}:
            depths[-1] = depths[-1] + 1 if starts or text in {"^", "**"} else 0
        elif text == "(":
            depths.append(0)
        elif text == ")":
            depths.pop()
        if not (starts and text == "+"):
            yield "**" if text == "^" else str(float(text)) if kind == "number" else text
        function = text if text in _FUNCTIONS else ""
        starts = bool(function) or (kind == "sign" and text != ")")


def _value(node: ast.expr, x: Tensor) -> Tensor:
    """Evaluate a node of the syntax tree at x."""
    match node:
        case ast.Name(id="x"):
            return x
        case ast.Name(id=name):
            return torch.tensor(_CONSTANTS[name], dtype=x.dtype)
        case ast.Constant(value=float(value)):
            return torch.tensor(value, dtype=x.dtype)
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return -_value(of, x)
        case ast.Call(func=ast.Name(id=name), args=[of], keywords=[]):
            return _FUNCTIONS[name](_value(of, x))
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](_value(left, x), _value(right, x))
    raise TypeError(type(node).__name__)


class _Decimals(ast.NodeTransformer):
    """Replaces numbers by their decimals, as names, which ``ast.unparse`` prints as they are."""

    def visit_Constant(self, node: ast.Constant) -> ast.Name:
        return ast.Name(format(Decimal(repr(node.value).removesuffix(".0")), "f"))


def _latex(node: ast.expr, least: int = 0) -> str:
    """Return the LaTeX of a node, in parentheses where it binds less than ``least``."""
    binds = 4
    match node:
        case ast.UnaryOp(operand=of):
            text, binds = f"-{_latex(of, 2)}", 2
        case ast.Call(func=ast.Name(id="sqrt"), args=[of]):
            text = rf"\sqrt{{{_latex(of)}}}"
        case ast.Call(func=ast.Name(id="abs"), args=[of]):
            text = rf"\left|{_latex(of)}\right|"
        case ast.Call(func=ast.Name(id=name), args=[of]):
            text = rf"\{name}\left({_latex(of)}\right)"
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            text, binds = rf"\frac{{{_latex(left)}}}{{{_latex(right)}}}", 3
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            text, binds = rf"{{{_latex(left, 4)}}}^{{{_latex(right)}}}", 3
        case ast.BinOp(left=left, op=sign, right=right):
            binds = int(isinstance(sign, ast.Mult))
            between = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: r" \cdot "}[type(sign)]
            text = _latex(left, binds) + between + _latex(right, binds + 1)
        case _:
            text = ast.unparse(_Decimals().visit(copy.deepcopy(node))).replace("pi", r"\pi ")
    return rf"\left({text}\right)" if binds < least else text
