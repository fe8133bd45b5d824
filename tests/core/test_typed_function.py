import ast
import math
import re
from random import Random

import numpy as np
import pytest
import torch

from attn_core import FunctionError, TypedFunction, function_sample, read_function, regression_sample
from tests.core.kinds import Refuses

PLACES = torch.linspace(0.1, 5, 13, dtype=torch.float64)
READ = {
    "sin(3x) + x/2": lambda x: math.sin(3 * x) + x / 2,
    "-x^2": lambda x: -(x**2),
    "2x^-2": lambda x: 2 * x**-2,
    "2^x^2/100": lambda x: 2 ** (x**2) / 100,
    "1/2x": lambda x: 0.5 * x,
    "1/(2x)": lambda x: 1 / (2 * x),
    "x - 2 - 3": lambda x: x - 5,
    "x - (2 - 3)": lambda x: x + 1,
    "x/2/4": lambda x: x / 8,
    "xsin(x)cos(x)": lambda x: x * math.sin(x) * math.cos(x),
    "exp(-(x-2)^2/0.3)": lambda x: math.exp(-((x - 2) ** 2) / 0.3),
    "e^(-x) + pi": lambda x: math.e**-x + math.pi,
    "log(x + 1) - sqrt(x) abs(x - 2)": lambda x: math.log(x + 1) - math.sqrt(x) * abs(x - 2),
    "tan(x/4)": lambda x: math.tan(x / 4),
    "(x)(x+1)2": None,
    "--x + +1": lambda x: x + 1,
    "SIN(X)": math.sin,
    ".5x + 2.": lambda x: x / 2 + 2,
    "7": lambda _: 7.0,
    "\uff08\uff13\uff58\uff0b\uff11\uff09\u00d7x\u00b2\u00f72 \u2212 \u03c0": lambda x: (
        (3 * x + 1) * x**2 / 2 - math.pi
    ),
    "x**2**0.5": lambda x: x ** (2**0.5),
    "(-2)^2x": lambda x: 4 * x,
    "1/(x+1/0)": lambda _: 0.0,
    "x/(-0)": lambda _: -math.inf,
    "9^9^9^9^9^9": lambda _: math.inf,
}
REFUSED = {
    "": 1, "  ": 3, "sin": 4, "sin x": 5, "x)": 2, "(x": 3, "2 3": 3, "x2": 2, "x+": 3, "*x": 1, "foo(x)": 1,
    "x;import os": 2, "__import__('os')": 1, "lambda x: x": 1, "x.real": 2, "().__class__": 3, "x\uff0c2": 2,
    "x\u3002": 2, "|x|": 1, "<b>x</b>": 1, "$x$": 1, "x!": 2, "\u0130": 1, "\U0001f600x": 1, "1e3": 3,
    "\u0663x": 1,
    "(" * 22: 21, "-" * 40 + "x": 21, "2^" * 30 + "x": 41, "x" * 81: 81, "x=3": 2, "[x]": 1, "x\x00": 2,
}  # fmt: skip


@pytest.mark.parametrize("text", [text for text, meant in READ.items() if meant])
def test_typed_function_reads_usual_notation(text: str) -> None:
    function, meant = read_function(text), READ[text]
    assert meant is not None
    expected = torch.tensor([meant(x) for x in PLACES.tolist()], dtype=torch.float64)
    torch.testing.assert_close(function(PLACES), expected)
    again = read_function(function.expression)
    assert again.expression == function.expression
    torch.testing.assert_close(again(PLACES), expected)


@pytest.mark.parametrize("text", REFUSED)
def test_typed_function_refusal_says_where(text: str) -> None:
    with pytest.raises(FunctionError) as refused:
        read_function(text)
    assert refused.value.position == REFUSED[text] - 1
    assert re.match(rf"Character {REFUSED[text]}: .+\.$", str(refused.value))


@pytest.mark.parametrize(
    ("sign", "name"), [("\u202e", "“U\\+202E”"), ("\x1b", "“U\\+001B”"), ("\u00a7", "“§”")]
)
def test_typed_function_invisible_sign_is_named_by_code(sign: str, name: str) -> None:
    with pytest.raises(FunctionError, match=name):
        read_function(f"x + {sign}1")


def test_typed_function_computes_listed_names_only() -> None:
    for foreign in ("x.real", "__import__('os')", "[x]", "x if x else 1", "sin(x, 2)", "open(x)", "x @ x"):
        function = TypedFunction(foreign, ast.parse(foreign, mode="eval").body)
        with pytest.raises((TypeError, KeyError)):
            function(PLACES)


def test_typed_function_power_base_has_parentheses() -> None:
    assert read_function("(x/2)^2").latex == r"{\left(\frac{x}{2}\right)}^{2}"
    assert read_function("-x^2 + sqrt(3x)").latex == r"-{x}^{2} + \sqrt{3 \cdot x}"


def test_typed_function_factors_need_no_sign_numbers_do() -> None:
    with pytest.raises(FunctionError, match=r"^Character 9: an operator"):
        read_function("(x)(x+1)2")


def test_typed_function_any_text_is_read_or_refused() -> None:
    chance = Random(4)
    pieces = [
        "x",
        "sin",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        "^",
        "2",
        ".5",
        "pi",
        "e",
        " ",
        "_",
        "\uff0c",
        "exp(",
        "__",
    ]
    read = 0
    for _ in range(3000):
        text = "".join(chance.choices(pieces, k=chance.randrange(12)))
        try:
            function = read_function(text)
        except FunctionError:
            continue
        read += 1
        value = function(PLACES)
        assert value.shape == PLACES.shape
        assert value.dtype == PLACES.dtype
        torch.testing.assert_close(read_function(function.expression)(PLACES), value, equal_nan=True)
    assert read > 100


@pytest.mark.parametrize(
    ("text", "gap"), [("1/x", 0.0), ("log(x)", 0.0), ("sqrt(x - 1)", 0.0), ("1/(x - 2.5)", 2.5),
                      ("10^(3x)", 2.005), ("0/0", 0.0), ("sqrt(x)", None), ("sin(x)", None)]
)  # fmt: skip
def test_typed_function_names_its_first_gap(text: str, gap: float | None) -> None:
    found = read_function(text).first_gap(0, 5)
    assert found == pytest.approx(gap) if gap is not None else found is None


def test_function_sample_equals_the_ready_made_one() -> None:
    theirs = regression_sample("sine", n_points=33, noise=0.7, seed=9)
    ours = function_sample(read_function("2sin(x) + x"), n_points=33, noise=0.7, seed=9)
    assert (ours.keys == theirs.keys).all()
    np.testing.assert_allclose(ours.values.numpy(), theirs.values.numpy(), rtol=1e-14)
    assert ours.truth is not None
    assert float(ours.truth(torch.tensor([2.0], dtype=torch.float64))) == pytest.approx(2 * math.sin(2) + 2)


def test_function_sample_refuses_gaps(refuses: Refuses) -> None:
    with refuses("The function must be a number of at most 1,000,000 .* from 0 to 5; 1/x is not at x = 0"):
        function_sample(read_function("1/x"))
