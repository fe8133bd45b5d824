"""Formulas that pages show, evaluated: the little LaTeX that they are written in, turned into Python."""

import math
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

_SPACES = re.compile(r"\\[,!;: ]|\\quad|\\qquad|~")
_ATOM = re.compile(
    r"""(?P<number>\d+(?:\.\d+)?)
    | (?P<symbol>(?:\\tilde\s*|\\hat\s*)?(?:\\(?:mathrm|text)\{[a-z]+\}|\\omega|[A-Za-z])
        (?:_(?:\{[^{}]*\}|\w))?(?:\^\{\([^()]*\)\})?)
    | (?P<sign>[-+/()])""",
    re.VERBOSE,
)


def evaluate(formula: str, known: Mapping[str, Any]) -> Any:
    r"""Evaluate one side of an equation; what stands side by side is multiplied, matrices as matrices.

    >>> evaluate(r"\frac{a b}{\sqrt{4}}\cdot 3 + c^\top", {"a": 2.0, "b": 5.0, "c": torch.ones(())})
    tensor(16.)
    """
    value, rest = _sum(_SPACES.sub(" ", formula).strip(), known)
    if rest:
        raise ValueError(f"wanted the end of a formula; got {rest!r} in {formula!r}")
    return value


def sides(formula: str, left: str) -> str:
    """Return the right side of the equation with this left side, among those that a formula strings."""
    parts = re.split(r",?\s*(?:\\qquad|\\quad|\\\\)\s*", formula)
    (found,) = [part.split("=", 1)[1] for part in parts if part.split("=")[0].strip() == left]
    return found.strip().rstrip(",")


def _sum(text: str, known: Mapping[str, Any]) -> tuple[Any, str]:
    total: Any = None
    sign = 1
    while text and text[0] not in ")}]," and not text.startswith(r"\right"):
        if text[0] in "+-":
            sign, text = (1 if text[0] == "+" else -1), text[1:].lstrip()
        term, text = _product(text, known)
        total = sign * term if total is None else total + sign * term
    return total, text


def _product(text: str, known: Mapping[str, Any]) -> tuple[Any, str]:
    product, text = _factor(text, known)
    while text and text[0] not in "+-)}],":
        if text.startswith(r"\right"):
            break
        over = text[0] == "/"
        text = re.sub(r"^(\\cdot|/)\s*", "", text)
        factor, text = _factor(text, known)
        product = product / factor if over else _times(product, factor)
    return product, text


def _times(one: Any, other: Any) -> Any:
    both = all(isinstance(each, Tensor) and each.ndim > 1 for each in (one, other))
    return one @ other if both else one * other


def _factor(text: str, known: Mapping[str, Any]) -> tuple[Any, str]:
    value: Any
    if match := re.match(r"\\(sqrt|frac|sin|cos|operatorname|lceil|left)\b", text):
        name, text = match[1], text[match.end() :].lstrip()
        if name == "operatorname":
            text = text.removeprefix("{softmax}").lstrip().removeprefix(r"\left").lstrip()
            value, text = _sum(text[1:].lstrip(), known)
            value, text = value.softmax(dim=-1), text.removeprefix(r"\right").removeprefix(")")
        elif name == "frac":
            over, text = _group(text, known)
            under, text = _group(text, known)
            value = over / under
        elif name == "lceil":
            inside, _, text = text.partition(r"\rceil")
            value = math.ceil(_sum(inside, known)[0])
        elif text[0] in "{(":
            value, text = _group(text, known)
            value = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos}[name](value)
        else:
            value, text = _product(text, known)
            value = {"sin": math.sin, "cos": math.cos}[name](value)
    elif text[0] == "[":
        value, text = _side_by_side(text[1:], known)
    elif text[0] in "({":
        value, text = _group(text, known)
    else:
        atom = _ATOM.match(text)
        if atom is None or atom["sign"]:
            raise ValueError(f"no factor at {text!r}")
        text = text[atom.end() :]
        value = float(atom["number"]) if atom["number"] else known[re.sub(r"\s", "", atom["symbol"])]
    text = text.lstrip()
    if text.startswith(r"^\top"):
        value, text = value.mT if value.ndim > 1 else value, text.removeprefix(r"^\top").lstrip()
    elif text.startswith("^"):
        power, text = _group(text[1:], known)
        value = value**power
    return value, text


def _side_by_side(text: str, known: Mapping[str, Any]) -> tuple[Tensor, str]:
    parts = []
    while text[0] != "]":
        part, text = _sum(text.lstrip(" ,"), known)
        parts.append(part)
        text = text.lstrip(" ,")
    return torch.cat(parts, dim=-1), text[1:]


def _group(text: str, known: Mapping[str, Any]) -> tuple[Any, str]:
    value, rest = _sum(text[1:].lstrip(), known)
    return value, rest.lstrip()[1:].lstrip()
