"""The stage of arcs: each step and query has the arcs of its weights, by torch, and says them."""

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attn_figures import theme
from attn_figures.arcs import LEAST, LETTER, THICKEST
from pages import PAGES
from tests.messages import figure_at
from tests.run_programs import leaves
from tests.sentences import messages_in, numbers_in

PAGE = PAGES["single-head"]


@pytest.mark.parametrize("link", ["", "mask=causal&t=0.5", "cross=true", "mask=padding&w=6"])
def test_arcs_of_every_query_equal_torch_weights(link: str) -> None:
    page = PAGE.at(f"stage=arcs&{link}")
    result, figure = page.view.result, page.view.figure
    assert figure is not None
    assert figure.rows is not None
    head = result.head
    scores = head.query @ head.key.mT * result.scale / result.temperature
    blocked = scores.masked_fill(~result.mask, -torch.inf)
    weights = torch.softmax(blocked, dim=-1).nan_to_num().numpy()
    step = page.position[0]
    for row, query in enumerate(head.queries):
        data = {trace["name"]: trace for trace in figure_at(figure.steps, step, row)["data"]}
        drawn = [data[f"arc {number}"]["line"]["width"] for number in range(1, len(head.keys) + 1)]
        expected = np.where(weights[row] < LEAST, 0.0, THICKEST * weights[row])
        np.testing.assert_allclose(drawn, expected, atol=1e-5)
        np.testing.assert_allclose(data["key weights"]["customdata"], weights[row], atol=1e-6)
        struck = ~np.isnan(np.asarray(data["masked words"]["x"], dtype=float))
        assert struck.tolist() == (~result.mask[row]).tolist()
        assert data["query word"]["text"] == [f"<b>{query}</b>"]
        shapes = figure_at(figure.steps, step, row)["layout"]["shapes"]
        assert [each["y0"] for each in shapes if each.get("name") == "weights marked"] == [row - 0.5]


def test_arcs_output_of_a_head_equals_torch() -> None:
    result = PAGE.at("stage=arcs&mask=causal").view.result
    head = result.head
    theirs = F.scaled_dot_product_attention(head.query, head.key, head.value, result.mask)
    torch.testing.assert_close(torch.from_numpy(result.matrices.weights) @ head.value, theirs)


@pytest.mark.parametrize("q", range(6))
def test_arcs_sentence_has_the_largest_weights_and_their_sum(q: int) -> None:
    page = PAGE.at(f"stage=arcs&q={q}&t=0.4")
    weights = page.view.result.matrices.weights[q]
    drawn = np.sort(weights[weights >= LEAST])[::-1]
    (told,) = messages_in(page.sentence, "queries", "keys", least=LEAST)
    np.testing.assert_allclose(numbers_in(told["keys"])[:3], drawn[:3], atol=5.1e-4)
    assert float(told["sum"]) == pytest.approx(drawn.sum(), abs=5.1e-4)


@pytest.mark.parametrize(
    "link", ["head=2&q=4", "head=3&hmask=causal&hmoves=temperature&t=0.2", "heads=1&head=4"]
)
def test_arcs_of_one_of_many_heads_equal_torch_weights(link: str) -> None:
    page = PAGES["multi-head"].at(f"view=arcs&text=the+little+cat+sat+on+the+old+red+mat&{link}")
    result, figure = page.view.result, page.view.figure
    assert figure is not None
    module, x = result.module, result.tokens.query
    query, key = (w(x).unflatten(-1, (result.n_head, -1)).transpose(0, 1) for w in (module.W_q, module.W_k))
    scores = query @ key.mT / query.shape[-1] ** 0.5 / result.setting.temperature
    if "causal" in link:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    head = min(int(re.findall(r"head=(\d)", link)[-1]), result.n_head) - 1
    weights = torch.softmax(scores, dim=-1)[head].numpy()
    assert messages_in(page.sentence, number=head + 1, count=result.n_head)
    for row in (0, 4, 8):
        drawn = {trace["name"]: trace for trace in figure_at(figure.steps, page.position[0], row)["data"]}
        widths = [drawn[f"arc {number}"]["line"]["width"] for number in range(1, 10)]
        np.testing.assert_allclose(
            widths, np.where(weights[row] < LEAST, 0.0, THICKEST * weights[row]), atol=1e-5
        )


def by_torch(result: Any) -> Any:
    """The weights of all heads, by torch alone."""
    module, x = result.module, result.tokens.query
    query, key = (w(x).unflatten(-1, (result.n_head, -1)).transpose(0, 1) for w in (module.W_q, module.W_k))
    scores = query @ key.mT / query.shape[-1] ** 0.5 / result.setting.temperature
    if result.setting.mask == "causal":
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    return torch.softmax(scores, dim=-1).numpy()


HEADS = "view=arcs&arcs=all+heads&text=the+little+cat+sat+on+the+old+red+mat"


@pytest.mark.parametrize(
    "more", ["", "&heads=2&hmask=causal", "&off=2", "&hmoves=temperature&t=0.2", "&heads=8"]
)
@pytest.mark.parametrize("q", [0, 8])
def test_arcs_of_all_heads_are_the_largest_weights_in_head_colours(more: str, q: int) -> None:
    page = PAGES["multi-head"].at(f"{HEADS}{more}&q={q}")
    result, figure = page.view.result, page.figure()
    shown = [head for head in range(result.n_head) if f"off={head + 1}" not in more]
    each = min(9, 48 // len(shown))
    weights = by_torch(result)[:, q]
    arcs = [trace for trace in figure["data"] if trace["name"].startswith("arc ")]
    drawn = [trace for trace in arcs if trace["line"]["width"]]
    wanted = {
        (head, key): weights[head, key]
        for head in shown
        for key in np.argsort(-weights[head], kind="stable")[:each]
        if weights[head, key] >= LEAST
    }
    assert len(drawn) == len(wanted)
    colours = dict(zip(shown, theme.LIGHT.series * 3, strict=False)) if more != "&heads=8" else {}
    for trace in drawn:
        head = int(re.findall(r"head <b>(\d+)<", trace["hovertemplate"])[0]) - 1
        key = int(trace["meta"]["column"])
        assert trace["meta"]["key"].startswith(result.tokens.keys[key][:3])
        assert trace["meta"]["weight"] == pytest.approx(wanted.pop((head, key)), abs=1e-6)
        assert trace["line"]["width"] == pytest.approx(THICKEST * weights[head, key], abs=1e-4)
        if head < 5 and colours:
            assert trace["line"]["color"].startswith(theme.LIGHT.series[head])
    assert not wanted
    words = {trace["name"]: trace for trace in figure["data"]}["key weights"]
    assert "mean of the heads" in words["hovertemplate"]
    np.testing.assert_allclose(words["customdata"], weights[shown].mean(axis=0), atol=1e-6)
    numbers = {trace["name"]: trace for trace in figure["data"]}["head numbers"]
    said = [int(text[3:-4]) for text in numbers["text"] if text]
    assert said == [head + 1 for head in shown]
    for number, *place in zip(said, numbers["x"], numbers["y"], strict=False):
        if all(key == q for key in np.flatnonzero(weights[number - 1] >= LEAST)):
            assert np.isnan(place).all()  # a loop alone has no room for it
            continue
        parts = [
            np.stack([course[:-1], course[1:]], axis=1)
            for trace in drawn
            if f"head <b>{number}<" in trace["hovertemplate"]
            for course in [np.array([trace["x"], trace["y"]], dtype=float).T]
        ]
        assert _nearest(np.nan_to_num(np.concatenate(parts), nan=99), np.array(place)) < 1e-4
    np.testing.assert_allclose(
        np.nan_to_num({trace["name"]: trace for trace in figure["data"]}["weights"]["z"]),
        by_torch(result)[shown].mean(axis=0),
        atol=1e-6,
    )


def _nearest(parts: Any, place: Any) -> float:
    """How far a place is from the nearest of some straight parts, (n, 2 ends, 2)."""
    start, along = parts[:, 0], parts[:, 1] - parts[:, 0]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((place - start) * along).sum(axis=1) / length, 0, 1)
    return float(np.linalg.norm(start + share[:, None] * along - place, axis=1).min())


DIGIT = 0.36, 0.5  # units of a number on the narrowest screen, where a unit has 20 pixels and a digit 8 x 10


@pytest.mark.parametrize("more", ["", "&mask=causal", "&also=2", "&hmoves=temperature&t=0.3"])
@pytest.mark.parametrize("n", [2, 4, 9, 16])
def test_arcs_numbers_of_heads_overlap_no_word_or_number(n: int, more: str) -> None:
    words = "the cat sat on the mat and then looked at the dog who slept by it"
    text = "+".join(words.split()[:n])
    page = PAGES["multi-head"].at(f"view=arcs&arcs=all+heads&heads=8&text={text}{more}")
    found, (step, _row) = page.view.figure, page.position
    assert found is not None
    for row in range(n):
        figure = figure_at(found.steps, step, row)
        data = {trace["name"]: trace for trace in figure["data"]}
        numbers = data["head numbers"]
        places = np.array([numbers["x"], numbers["y"]], dtype=float).T
        places = places[~np.isnan(places[:, 0])]
        for one, other in combinations(places, 2):
            assert (np.abs(one - other) >= DIGIT).any(), (row, one, other)
        for word, x, y in zip(*(data["key words"][part] for part in ("text", "x", "y")), strict=True):
            half = 0.5 * LETTER * len(re.sub("<[^>]*>", "", word))
            for place in places:
                apart = abs(place[0] - x) >= half or abs(place[1] - y) >= DIGIT[1]
                assert apart, (row, word, place)


@pytest.mark.parametrize("more", ["&heads=8&q=2", "&q=5&off=1&off=3", "&q=2&also=6&heads=8", "&heads=2&q=1"])
def test_arcs_sentence_has_the_weight_left_out_of_all_heads(more: str) -> None:
    page = PAGES["multi-head"].at(HEADS + more)
    result, rows = page.view.result, [2, 6] if "also" in more else [int(more.split("q=")[1][0])]
    shown = [head for head in range(result.n_head) if f"off={head + 1}" not in more]
    each = min(9, 48 // len(shown) // len(rows))
    mean = by_torch(result)[:, rows].mean(axis=1)
    left = {
        head: 1 - sum(part for part in sorted(mean[head].tolist())[::-1][:each] if part >= LEAST)
        for head in shown
    }
    most = max(left, key=left.__getitem__)
    told = {"mean": f"{np.mean([*left.values()]):.3f}", "most": f"{left[most]:.3f}", "head": most + 1}
    assert messages_in(page.sentence, **told)
    average = mean[shown].mean(axis=0)
    key = f"“{result.tokens.keys[int(average.argmax())]}”"
    assert messages_in(page.sentence, key=key, weight=f"{average.max():.3f}")


def test_arcs_with_all_heads_off_are_absent() -> None:
    page = PAGES["multi-head"].at("view=arcs&arcs=all+heads&heads=2&off=1&off=2")
    assert not any(t["line"]["width"] for t in page.figure()["data"] if t["name"].startswith("arc "))


TOGETHER = [
    ("single-head", "stage=arcs&q=3&also=1&also=5"),
    ("single-head", "stage=arcs&q=3&also=1&also=3&rows=sum&mask=causal"),
    ("multi-head", "view=arcs&head=2&q=0&also=2&rows=sum"),
    ("multi-head", "view=arcs&arcs=all+heads&q=0&also=2&also=4&off=3&hmask=causal"),
    ("multi-head", "view=arcs&arcs=all+heads&q=0&also=2&rows=sum&pos=rotary"),
]


@pytest.mark.parametrize(("page", "link"), TOGETHER)
def test_arcs_of_several_queries_equal_sums_of_rows_everywhere(page: str, link: str) -> None:
    at = PAGES[page].at(link)
    result = at.view.result
    rows = sorted({int(each) for each in re.findall(r"(?:q|also)=(\d)", link)})
    if page == "single-head":
        weights, words = result.matrices.weights, result.matrices.queries
    else:
        weights, words = result.attention.weights.numpy(), result.tokens.queries
        weights = weights[[0, 1, 3] if "off" in link else [0, 1, 2, 3]] if "all" in link else weights[1]
    wanted = sum(weights[..., row, :] for row in rows)
    wanted = wanted if "sum" in link else wanted / len(rows)
    told = np.array([column for name, column in list(at.tables["together"].items())[1:]])
    np.testing.assert_allclose(told.reshape(wanted.shape), wanted, atol=1e-12)
    for kind in ("PyTorch", "NumPy", "attn_core"):
        np.testing.assert_allclose(leaves(at.programs.text(kind))["together"], wanted, atol=5e-6)
    figure = at.figure()
    data = {trace["name"]: trace for trace in figure["data"]}
    mean = wanted.mean(axis=0) if wanted.ndim > 1 else wanted
    np.testing.assert_allclose(data["key weights"]["customdata"], mean, atol=1e-6)
    bold = {text[3:-4] for name in ("query word", "other query words") for text in data[name]["text"]}
    assert bold == {words[row] for row in rows}
    framed = {
        shape["y0"] + 0.5 for shape in figure["layout"]["shapes"] if shape["name"].startswith("weights")
    }
    assert framed == {*rows}
    if wanted.ndim == 1:
        largest = int(wanted.argmax())
        keys = result.matrices.keys if page == "single-head" else result.tokens.keys
        (said,) = messages_in(at.sentence, "queries", "keys", "sum", all=f"{wanted.sum():.3f}")
        assert said["keys"].startswith(f"“{keys[largest]}” {wanted[largest]:.3f}")


@pytest.mark.parametrize("link", ["also=1&also=4", "also=1&also=4&rows=sum"])
def test_arcs_of_selected_words_equal_the_mean_weight_per_key(link: str) -> None:
    at = PAGES["single-head"].at(f"stage=arcs&q=4&{link}")
    figure = at.view.figure
    assert figure
    matrices, steps = at.view.result.matrices, figure.steps
    for row, rows in ((4, [1, 4]), (2, [1, 2, 4])):
        data = {trace["name"]: trace for trace in figure_at(steps, at.position[0], row)["data"]}
        mean = matrices.weights[rows].mean(axis=0)
        for number in range(1, 7):
            moving, others = data[f"arc {number}"], data[f"arc {number} of others"]
            width = THICKEST * mean[number - 1] if mean[number - 1] >= LEAST else 0
            assert moving["line"]["width"] == pytest.approx(width, abs=1e-5)
            assert others["line"]["width"] == pytest.approx(width, abs=1e-5)
            assert np.isnan(moving["x"]).all() == (row in (1, 4))  # it is among the others
            assert np.isnan(np.asarray(others["x"])).sum() == 2


@pytest.mark.parametrize(
    "page", ["single-head?stage=arcs", "multi-head?view=arcs", "multi-head?view=arcs&arcs=all+heads"]
)
def test_arcs_sentence_of_summed_rows_has_the_largest_key(page: str) -> None:
    address, link = page.split("?")
    for rows in ("mean", "sum"):
        at = PAGES[address].at(f"{link}&q=0&also=1&also=2&rows={rows}")
        weights = np.asarray(next(each["z"] for each in at.figure()["data"] if each["name"] == "weights"))
        most = float(getattr(weights[:3], rows)(axis=0).max())
        assert f"{most:.3f}" in at.sentence
    alone = PAGES[address].at(f"{link}&q=1&also=1&rows=sum")
    assert f"{float(weights[1].max()):.3f}" in alone.sentence


@pytest.mark.parametrize("page", ["single-head?stage=arcs&mask=causal", "multi-head?view=arcs&hmask=causal"])
def test_arcs_word_is_struck_out_where_no_selected_query_may_attend(page: str) -> None:
    address, link = page.split("?")
    for also, last in (("", 1), ("&also=3", 3)):
        drawn = PAGES[address].at(f"{link}&q=1{also}").figure()["data"]
        struck = next(np.asarray(each["x"]) for each in drawn if each["name"] == "masked words")
        assert np.isnan(struck).tolist() == [key <= last for key in range(len(struck))]


@pytest.mark.parametrize("t", ["0.1", "0.5", "1", "10"])
def test_arcs_sentence_counts_the_arcs_of_each_head(t: str) -> None:
    page = PAGES["multi-head"].at(f"view=arcs&arcs=all+heads&heads=8&t={t}&q=2")
    weights = np.asarray(page.view.result.attention.weights)[:, 2]
    counts = (weights >= LEAST).sum(axis=1)
    assert messages_in(page.sentence, "query", most=counts.max())
    drawn = [each for each in page.figure()["data"] if (each.get("name") or "").startswith("arc ")]
    assert sum(each["line"]["width"] > 0 for each in drawn) == counts.sum()
