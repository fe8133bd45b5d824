"""Where a sentence names the largest change, it tells of how many others tie with it; a loop counts them."""

from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from pages import PAGES
from tests.messages import figure_at
from tests.sentences import messages_in

TEXTS = ("the+cat+sat+on+the+mat", "a+a+a+b+b", "dog+dog+dog", "a+b", "x+y+z+x")


def count(change: Any) -> int:
    """Count the cells that change as much as the one that changes most."""
    sizes = [abs(float(each)) for each in np.asarray(change).flat]
    return sum(max(sizes) - each < 1e-8 for each in sizes) - 1 if max(sizes) > 1e-8 else 0


def tells_ties(sentence: str, count: int) -> bool:
    """Whether a sentence tells of so many others."""
    return f"Tied with {count} other" in sentence if count else "Tied with" not in sentence


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("text", TEXTS)
def test_equal_heads_are_tied(text: str, mask: str) -> None:
    page = PAGES["multi-head"].at(f"view=two+heads&text={text}&hmask={mask}")
    one, other = np.asarray(page.view.result.attention.weights)[:2]
    equal = np.abs(one - other).max() < 1e-8
    assert tells_ties(page.sentence, one.size - 1 if equal else count(one - other)), page.sentence


@pytest.mark.parametrize("scheme", ["ALiBi", "sinusoidal", "rotary"])
@pytest.mark.parametrize("text", TEXTS)
def test_equal_positions_are_tied(text: str, scheme: str) -> None:
    page = PAGES["positional-encoding"].at(f"show=attention&text={text}&scheme={scheme}")
    drawn = {trace["name"]: trace for trace in page.figure()["data"]}
    change = np.asarray(drawn["difference"]["z"], dtype=float)
    sizes = np.abs(change)
    sure = int((sizes.max() - sizes < 1e-6).sum()) - 1  # drawn in float32
    assert tells_ties(page.sentence, sure), page.sentence


@pytest.mark.parametrize("text", TEXTS)
def test_pin_of_equal_maps_names_no_change(text: str) -> None:
    page = PAGES["single-head"].at(f"text={text}&t=0.5&pin={quote(f'text={text}')}")
    before = np.asarray(PAGES["single-head"].at(f"text={text}").view.result.matrices.weights)
    change = np.asarray(page.view.result.matrices.weights) - before
    assert tells_ties(page.sentence, count(change)), page.sentence


def test_numbers_that_are_nearly_equal_are_not_tied() -> None:
    link = "text=a+b+c+a&show=E+%2B+P"  # eight cosines of position 0 are 1, later ones nearly
    pinned = PAGES["positional-encoding"].at(f"{link}&pin={quote(f'{link}&scheme=none')}")
    assert tells_ties(pinned.sentence, 7)


def test_curves_have_no_count_of_cells() -> None:
    sentence = PAGES["kernel-regression"].at("h=2&pin=h%3D1&compare=fit").sentence
    assert "changed most" in sentence
    assert "Tied with" not in sentence


@pytest.mark.parametrize("show", ["shift+test", "shuffle+test"])
def test_layout_stays_where_a_map_is_zero_at_one_step(show: str) -> None:
    drawn = PAGES["positional-encoding"].at(f"show={show}").view.figure
    assert drawn is not None
    layouts = [figure_at(drawn.steps, step)["layout"] for step in range(3)]
    assert len({str(layout["annotations"]) for layout in layouts}) > 1
    assert len({str(layout["meta"]["screens"]) for layout in layouts}) == 1


def test_tied_heads_are_named() -> None:
    assert tells_ties(PAGES["multi-head"].at("view=points&hmask=causal&q=0").sentence, 3)
    assert tells_ties(PAGES["multi-head"].at("view=points&q=2").sentence, 0)


def test_equal_outputs_are_equal_under_any_score() -> None:
    typed = "qkv=typed&text=a+b&Q=1,0;0,0&K=0,3;5,0"
    said = PAGES["single-head"].at(f"score=kernel&{typed}&V=1000,1;1000,1").sentence
    assert messages_in(said, "weights", outputs=0)
    assert not messages_in(PAGES["single-head"].at(f"score=kernel&{typed}&V=1000,1;1,1").sentence, outputs=0)
