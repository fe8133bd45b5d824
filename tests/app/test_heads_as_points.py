"""Every head's queries and keys in a plane of its own: coordinates by numpy, weights as the head has them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
import torch

from attn_figures.planes import SMALL_SIZE, AttentionPlane, QueryKeyPlane
from attn_figures.point_labels import names_beside
from attn_live.packing import MOST_BYTES
from pages import PAGES
from pages.multi_head.compute import planes_of
from pages.multi_head.tabs import checks
from tests.messages import figure_at
from tests.pages import open_page
from tests.run_programs import faults, leaves
from tests.sentences import messages_in, numbers_in

LONG = "text=one+two+three+four+five+six+seven+eight+nine+ten&dm=16"


def traces(page: Any, step: int, row: int) -> dict[str, dict[str, Any]]:
    """Return the traces of a step and a row, by name."""
    return {each["name"]: each for each in figure_at(page.view.figure.steps, step, row)["data"]}


def heads_of(page: Any) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield each head with its queries and keys, cut out of what the projections make of all words."""
    result = page.view.result
    query, key = result.module.W_q(result.tokens.query), result.module.W_k(result.tokens.key)
    for head in range(result.n_head):
        own = slice(head * result.module.d_head, (head + 1) * result.module.d_head)
        yield head, query[:, own].numpy(), key[:, own].numpy()


@pytest.mark.parametrize(
    "link",
    ["", LONG, "heads=8&dm=16&hmask=causal", "cross=true&heads=2", "heads=1&dm=8&hmoves=temperature&t=0.5"],
)
def test_heads_planes_equal_numpy_and_colours_their_weights(link: str) -> None:
    page = PAGES["multi-head"].at(f"view=points&{link}")
    result, step = page.view.result, page.position[0]
    for head, query, key in heads_of(page):
        left, sigma, _directions = np.linalg.svd(np.vstack([query, key]), full_matrices=False)
        wanted = np.abs(left * sigma)[:, :2]
        for row in range(len(query)):
            data = traces(page, step, row)
            name = f"head {head + 1}"
            shown = [data[f"{name} {kind} points"] for kind in ("query", "key")]
            places = np.vstack([np.array([each["x"], each["y"]], dtype=float).T for each in shown])
            hidden = np.array(data[f"{name} masked key points"]["x"], dtype=float)
            places[len(query) :, 0] = np.where(np.isnan(hidden), places[len(query) :, 0], hidden)
            np.testing.assert_allclose(np.abs(places), wanted, atol=1e-4)
            np.testing.assert_allclose(
                np.asarray(shown[1]["marker"]["color"]), result.attention.weights[head, row], atol=1e-6
            )
            tip = [abs(data[f"{name} arrow"][axis][1]) for axis in "xy"]
            assert tip == pytest.approx(wanted[row].tolist(), abs=1e-4)
            may = result.attention.weights[head, row].numpy() > 0
            assert np.isnan(hidden).tolist() == may.tolist()


def test_heads_planes_omit_missing_heads() -> None:
    page = PAGES["multi-head"].at("view=points&heads=2&dm=8")
    for step, count in enumerate((1, 2, 4, 8)):
        data = traces(page, step, 1)
        seen = [head for head in range(1, 9) if data[f"head {head} key points"].get("visible") is not False]
        assert seen == list(range(1, count + 1))


@pytest.mark.parametrize(
    "link", ["pos=rotary&strength=1&dm=16", "pos=rotary&dm=16&hmoves=strength+of+positions"]
)
def test_heads_planes_show_rotated_queries_and_keys_as_scored(link: str) -> None:
    page = PAGES["multi-head"].at(f"view=points&{link}")
    result, data = page.view.result, traces(page, page.position[0], 0)
    for head in range(result.n_head):
        query, key = result.attention.query[head], result.attention.key[head]
        torch.testing.assert_close(query @ key.mT, result.attention.scores[head])
        sigma = np.linalg.svd(torch.cat([query, key]).numpy(), compute_uv=False)
        shown = [data[f"head {head + 1} {kind} points"] for kind in ("query", "key")]
        along = np.concatenate([np.asarray(each["x"], dtype=float) for each in shown])
        assert float(np.square(along).sum()) == pytest.approx(float(sigma[0] ** 2), rel=1e-4)


def test_heads_planes_sentence_and_titles_have_weight_and_share() -> None:
    page = PAGES["multi-head"].at(f"view=points&{LONG}&q=3")
    assert page.view.figure is not None
    spec = figure_at(page.view.figure.steps, page.position[0], 0)
    titles = [note["text"] for note in spec["layout"]["annotations"] if "keeps" in note["text"]]
    for title, (_head, query, key) in zip(titles, heads_of(page), strict=True):
        sigma = np.linalg.svd(np.vstack([query, key]), compute_uv=False)
        assert numbers_in(title)[1] == pytest.approx(100 * (sigma[:2] ** 2).sum() / (sigma**2).sum(), abs=0.5)
    weights = page.view.result.attention.weights[:, 3]
    head, key = divmod(int(weights.argmax()), weights.shape[-1])
    named = f"“{page.view.result.tokens.keys[key]}”"
    assert messages_in(page.sentence, weight=f"{float(weights.max()):.3f}", head=head + 1, key=named)


def test_heads_planes_keep_order_and_switched_off_heads() -> None:
    page = PAGES["multi-head"].at("view=points&by=entropy&off=2")
    assert page.view.figure is not None
    spec = figure_at(page.view.figure.steps, page.position[0], 0)
    said = [note["text"] for note in spec["layout"]["annotations"] if note["text"].startswith("head ")]
    entropy = page.view.result.attention.weights
    means = -(entropy * entropy.clamp(min=1e-300).log()).sum(dim=-1).mean(dim=-1)
    order = means.argsort(descending=True).tolist()
    assert [int(text.split()[1]) - 1 for text in said] == order
    assert sum("(off)" in text for text in said) == 1


def test_heads_other_views_have_no_planes() -> None:
    for view in ("every head", "arcs"):
        page = PAGES["multi-head"].at(f"view={view}")
        assert not any("key points" in name for name in traces(page, 0, 0))


ONE_WIDE = "heads=8&dm=8"
MADE = ["", "cross=true&heads=2", "heads=8&dm=16&hmask=causal", "pos=rotary&strength=1&dm=16", ONE_WIDE]


@pytest.mark.parametrize("link", ["", "cross=true&heads=2&text=%3C+b"])
def test_heads_planes_table_has_their_points(link: str) -> None:
    query = {"view": "points", **dict(parse_qsl(link))}
    wanted = PAGES["multi-head"].at(urlencode(query)).tables["points"]
    shown = next(
        each.value
        for each in open_page("multi-head", **query, tab="Data").dataframe
        if "vector" in each.value
    )
    assert [*shown["head"]] == [*map(str, wanted["head"])]
    for name in ("vector", "word", "first coordinate", "second coordinate"):
        assert [*shown[name]] == [*wanted[name]]
    assert faults("multi-head", query) == []


@pytest.mark.parametrize("link", MADE)
@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_heads_planes_programs_leave_the_points(link: str, kind: str) -> None:
    page = PAGES["multi-head"].at(f"view=points&{link}")
    left = leaves(page.programs, kind)
    query, key, table = left["query_points"], left["key_points"], page.tables["points"]
    both = zip(np.asarray(query), np.asarray(key), strict=True)
    made = np.concatenate([part for pair in both for part in pair])
    names = ("first coordinate", "second coordinate")
    np.testing.assert_allclose(made, np.array([table[name] for name in names]).T, atol=1e-6)
    shown = traces(page, page.position[0], 0)["head 1 query points"]
    np.testing.assert_allclose(made[: len(query[0]), 0], np.asarray(shown["x"], dtype=float), atol=1e-4)
    assert len(made) == len(table["word"]) == page.view.result.n_head * (len(query[0]) + len(key[0]))


@pytest.mark.parametrize("link", MADE)
def test_heads_planes_checks_cover_every_head(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = PAGES["multi-head"].at(f"view=points&{link}").view.result
    found = {each.name: each for each in checks.checks(result) if "in every head" in each.name}
    assert len(found) == 2
    assert all(each.passed for each in found.values())
    last = planes_of(result)[-1]
    tilted = replace(last, directions=last.directions.flip(0) + 0.1)
    monkeypatch.setattr(checks, "planes_of", lambda _now: [*planes_of(result)[:-1], tilted])
    assert not any(each.passed for each in checks.checks(result) if "in every head" in each.name)


def test_heads_plane_of_zero_vectors_has_no_share() -> None:
    weights = ";".join(["0,0,1,2"] * 4)
    link = f"view=points&text=a+b+c&dm=4&heads=2&hand=true&W_q={weights}"
    page = PAGES["multi-head"].at(f"{link}&W_k={weights}")
    assert not page.dropped
    titles = [note["text"] for note in page.figure()["layout"]["annotations"] if note["text"]]
    assert titles == ["head 1 is zero", "head 2 keeps 100%"]


def test_heads_plane_missing_at_a_step_takes_names_of_another_step() -> None:
    """They are not seen; to place them anew took as long as those that are."""
    places = np.random.default_rng(0).normal(size=(9, 2))
    words = [f"w{number}" for number in range(9)]
    plane = QueryKeyPlane(places, places, (words, words), np.array([0.5, 0.5]), places @ places.T)
    other = replace(plane, keys=-places)
    weights = np.full((3, 9, 9), 1 / 9)
    shown = AttentionPlane([None, plane, other], weights, np.ones((3, 9, 9), bool), SMALL_SIZE).follow()
    absent, there, turned = shown["data[key names].text"]
    assert absent.tolist() == there.tolist() != turned.tolist()
    assert any(there[0])


def test_heads_plane_words_at_one_place_are_joined_at_the_first() -> None:
    queries = np.array([[3.0, 0.0], [1.0, 1.0], [3.0, 0.0], [-2.0, -1.0]])
    names = names_beside(queries, ["a", "b", "c", "d"], np.full((1, 4), 0.25), SMALL_SIZE)
    shown = {word.strip("\u2003").replace("<br>", "").strip("\u2003") for word in names.parts["text"][0]}
    assert shown == {"a, c", "b", "", "d"}


@pytest.mark.parametrize(("count", "width", "heads"), [(64, 96, {1, 2, 4, 8, 16}), (51, 96, {3, 6, 12})])
def test_heads_planes_of_many_words_fit_a_message(count: int, width: int, heads: set[int]) -> None:
    """With all divisors of 96, 64 words took 1.9 MB, and the page ended in an error."""
    text = " ".join(f"w{number}" for number in range(count))
    page = PAGES["multi-head"].at(urlencode({"view": "points", "text": text, "dm": width}))
    figure: Any = page.view.figure
    offered = {int(value) for value in figure.slider.steps.values}
    assert heads <= offered
    assert (offered == heads) == (count == 64)  # of 51 all divisors are there
    assert len(figure.steps) < MOST_BYTES
