"""A typed function as the true curve: drawn, refused, in links, programs and captions."""

from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch

from attn_core import nadaraya_watson, read_function
from attn_core.typed_function import MOST_CHARACTERS
from attn_ui.base.page import At
from attn_words import speaking
from pages import PAGES
from pages.kernel_regression.data_points import sample, typed_sample
from pages.kernel_regression.settings import KERNEL_VIEW, TRUTH
from tests.app.test_kernel_regression import assert_sound, page, text_of
from tests.run_programs import leaves
from tests.walk import fields

FUNCTION = "typed function"
REFUSED = {
    "2^": "Character 3: a number, x or a function is wanted, and here is the end.",
    "y": "“y” is unknown",
    "1/x": "1/x is not at x = 0.",
    "<img src=x onerror=alert(1)>": "“<” cannot be read",
    "$x$ **b** [a](http://b.c)": "“$” cannot be read",
    "x\uff0c2\u3002": "Character 2: “\uff0c” cannot be read",
    "__import__('os').getcwd()": "“_” cannot be read",
}


def open_function(text: str) -> At[Any]:
    return PAGES["kernel-regression"].at(urlencode({"data": FUNCTION, "truth": text}))


def noted(text: str) -> str:
    """What is said in the sidebar of a link, without its markdown."""
    at = open_function(text)
    assert at.figure() is not None
    return "\n".join(at.controls.messages).replace("\\", "")


@pytest.mark.parametrize("text", REFUSED)
def test_typed_function_that_cannot_be_drawn_is_refused_with_its_place(text: str) -> None:
    said = noted(text)
    assert REFUSED[text] in said
    assert "Shown is y = sin(3·x) + x/2." in said
    at = page(data=FUNCTION, truth=text)
    assert_sound(at)
    assert any(REFUSED[text] in each.value.replace("\\", "") for each in at.sidebar.caption)


def test_typed_function_that_can_be_drawn_has_no_message() -> None:
    assert "Shown is" not in noted("x^2")
    assert "Shown is" not in noted("\uff08x\uff0b1\uff09\u00d72")


def test_typed_function_invalid_shows_the_default() -> None:
    at = page(data=FUNCTION, truth="x^2")
    at.sidebar.text_input[0].set_value("x^").run()
    default = read_function(TRUTH.default).expression
    assert any(f"Shown is y = {default}." in each.value.replace("\\", "") for each in at.sidebar.caption)


def test_typed_function_equals_the_same_built_in_function() -> None:
    ours, theirs = typed_sample("2sin(x) + x", 30, 0.4, 7), sample("sine", 30, 0.4, 7)
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-13)
    places = np.linspace(-0.5, 5.5, 11)
    assert ours.truth is not None
    assert theirs.truth is not None
    np.testing.assert_allclose(ours.truth(places), theirs.truth(places), rtol=1e-13)
    assert ours.fingerprint != theirs.fingerprint


@pytest.mark.parametrize("picture", KERNEL_VIEW.options)
@pytest.mark.parametrize("text", ["sqrt(x)", "1/(x + 0.5)", "3", "tan(x)"])
def test_typed_function_steep_undefined_or_flat_opens_every_picture(picture: str, text: str) -> None:
    assert_sound(page(data=FUNCTION, truth=text, picture=picture))


@pytest.mark.parametrize(
    "text", ["sin(3x) + x/2", "-x^2 + pi x", "abs(x - 2)^1.5 exp(-x/2)", "4", "1/(x + 1/0)"]
)
def test_typed_function_programs_give_the_numbers_on_screen(text: str) -> None:
    points = typed_sample(text, 40, 0.5, 4)
    query = torch.tensor([2.5], dtype=torch.float64)
    wanted = nadaraya_watson(query, *points.tensors(), bandwidth=0.5).estimate
    for kind in ("PyTorch", "NumPy", "attn_core"):
        at = open_function(text)
        estimate = np.asarray(leaves(at.programs, kind)["estimate"])
        np.testing.assert_allclose(estimate, wanted.numpy(), rtol=1e-9)


def test_typed_function_is_whole_in_the_caption() -> None:
    head = fields(page(data=FUNCTION, truth="x(x-1)"))[0][0]
    assert head["caption"].startswith("y = x·(x − 1), 40 points, Gaussian kernel")
    assert TRUTH.longest == MOST_CHARACTERS
    read_function(TRUTH.default)


def test_typed_function_messages_are_translated() -> None:
    with speaking("zh"):
        said = noted("2^")
    assert "第 3 个字符" in said
    assert not text_of(page(lang="zh", data=FUNCTION)).count("typed function")
