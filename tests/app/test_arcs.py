"""The stage of arcs: each step and query has the arcs of its weights, by torch, and says them."""

import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attn_figures.arcs import LEAST, THICKEST
from attn_live.unpacking import figure_at
from pages import PAGES

PAGE = PAGES["single-head"]


@pytest.mark.parametrize("link", ["", "mask=causal&t=0.5", "cross=true", "mask=padding&w=6"])
def test_arcs_of_every_query_are_as_thick_as_torchs_weights(link: str) -> None:
    page = PAGE.at(f"stage=arcs&{link}")
    now, figure = page.seen.now, page.seen.figure
    assert figure is not None
    assert figure.rows is not None
    head = now.head
    scores = head.query @ head.key.mT * now.scale / now.temperature
    blocked = scores.masked_fill(~now.mask, -torch.inf)
    weights = torch.softmax(blocked, dim=-1).nan_to_num().numpy()
    step = page.position[0]
    for row, query in enumerate(head.queries):
        data = {trace["name"]: trace for trace in figure_at(figure.steps, step, row)["data"]}
        drawn = [data[f"arc {number}"]["line"]["width"] for number in range(1, len(head.keys) + 1)]
        expected = np.where(weights[row] < LEAST, 0.0, THICKEST * weights[row])
        np.testing.assert_allclose(drawn, expected, atol=1e-5)
        np.testing.assert_allclose(data["key words"]["customdata"], weights[row], atol=1e-6)
        struck = ~np.isnan(np.asarray(data["masked words"]["x"], dtype=float))
        assert struck.tolist() == (~now.mask[row]).tolist()
        assert data["query word"]["text"] == [f"<b>{query}</b>"]
        shapes = figure_at(figure.steps, step, row)["layout"]["shapes"]
        assert [each["y0"] for each in shapes if each.get("name") == "weights marked"] == [row - 0.5]


def test_the_output_of_a_head_is_torchs_own_at_these_weights() -> None:
    now = PAGE.at("stage=arcs&mask=causal").seen.now
    head = now.head
    theirs = F.scaled_dot_product_attention(head.query, head.key, head.value, now.mask)
    torch.testing.assert_close(torch.from_numpy(now.walk.weights) @ head.value, theirs)


@pytest.mark.parametrize("q", range(6))
def test_the_sentence_has_the_thickest_arcs_and_what_has_none(q: int) -> None:
    page = PAGE.at(f"stage=arcs&q={q}&t=0.4")
    weights = page.seen.now.walk.weights[q]
    said = [float(each) for each in re.findall(r"” (\d\.\d{3})", page.sentence)]
    largest = np.sort(weights[weights >= LEAST])[::-1][:3]
    np.testing.assert_allclose(said, largest, atol=5.1e-4)
    together = re.search(r"together (\d\.\d+) of", page.sentence)
    assert together
    assert float(together[1]) == pytest.approx(largest.sum(), abs=5.1e-4)
    thin = weights[weights < LEAST]
    left = re.search(r"(\d+) keys? with less than 0\.005.*?\((\d\.\d+)", page.sentence)
    assert (int(left[1]) if left else 0) == len(thin)
    assert (float(left[2]) if left else 0.0) == pytest.approx(thin.sum(), abs=5.1e-5)


def test_a_query_that_may_attend_to_nothing_has_no_arc_and_says_so() -> None:
    page = PAGE.at("stage=arcs&mask=padding&w=6")
    assert "may attend to nothing: it has no arc" in page.sentence


@pytest.mark.parametrize(
    "link", ["head=2&q=4", "head=3&hmask=causal&hmoves=temperature&t=0.2", "heads=1&head=4"]
)
def test_arcs_of_one_of_many_heads_are_as_thick_as_torchs_weights(link: str) -> None:
    page = PAGES["multi-head"].at(f"view=arcs&text=the+little+cat+sat+on+the+old+red+mat&{link}")
    now, figure = page.seen.now, page.seen.figure
    assert figure is not None
    module, x = now.module, now.tokens.query
    query, key = (w(x).unflatten(-1, (now.n_head, -1)).transpose(0, 1) for w in (module.W_q, module.W_k))
    scores = query @ key.mT / query.shape[-1] ** 0.5 / now.setting.temperature
    if "causal" in link:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    head = min(int(re.findall(r"head=(\d)", link)[-1]), now.n_head) - 1
    weights = torch.softmax(scores, dim=-1)[head].numpy()
    assert page.sentence.startswith(f"Head {head + 1} of {now.n_head}. ")
    for row in (0, 4, 8):
        drawn = {trace["name"]: trace for trace in figure_at(figure.steps, page.position[0], row)["data"]}
        widths = [drawn[f"arc {number}"]["line"]["width"] for number in range(1, 10)]
        np.testing.assert_allclose(
            widths, np.where(weights[row] < LEAST, 0.0, THICKEST * weights[row]), atol=1e-5
        )
