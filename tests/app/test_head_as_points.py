"""One head of a real model as two clouds of points: places by numpy, weights by softmax, for every query."""

import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from attn_core import load_model
from pages import PAGES
from pages.learned_heads import clouds
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.ranked_heads import RankedHeads
from pages.learned_heads.state import CloudState, Heads
from pages.learned_heads.tabs.clouds import checks_of_clouds
from tests import run_programs, small_models
from tests.messages import figure_at

POINTS = "source=a+real+model&look=points"


def at(link: str) -> Any:
    return PAGES["learned-heads"].at(f"{POINTS}&{link}")


def traces(found: Any, row: int) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in figure_at(found.view.figure.steps, 0, row)["data"]}


def laid_by_numpy(query: np.ndarray, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both clouds around their centre: equal means and spreads, without a word of the page's code."""
    apart = [each - each.mean(axis=0) for each in (query, key)]
    wide = [np.sqrt((each**2).sum(axis=1).mean()) for each in apart]
    s = np.sqrt(wide[0] / wide[1])
    return apart[0] / s, apart[1] * s


@pytest.mark.parametrize("link", ["", "layer=1&within=3", "layer=3&within=12&tint=position"])
def test_head_points_equal_numpy_and_the_models_weights(link: str) -> None:
    found = at(link)
    result = found.view.result
    assert isinstance(result, HeadClouds)
    around = np.vstack(laid_by_numpy(result.query.numpy(), result.key.numpy()))
    left, sigma, _directions = np.linalg.svd(around, full_matrices=False)
    wanted, n = np.abs(left * sigma)[:, :2], len(result.tokens)
    maps = result.state.heads.ranked.maps.maps
    weights = list(maps.values())[result.state.layer][result.state.head]
    for row in range(n):
        data = traces(found, row)
        shown = [data[f"{kind} points"] for kind in ("query", "key")]
        places = np.vstack([np.array([each["x"], each["y"]], dtype=float).T for each in shown])
        np.testing.assert_allclose(np.abs(places), wanted, atol=1e-3)
        told = [int(said.split()[-1]) for each in shown for said in each["hovertext"]]
        assert told == [*range(1, n + 1)] * 2
        marker = shown[1]["marker"]
        drawn = shown[1]["customdata"] if result.state.by_place else marker["color"]
        np.testing.assert_allclose(np.asarray(drawn), weights[row], atol=1e-6)
        opacity = np.atleast_1d(marker["opacity"])  # one for all where colour is the bar's
        assert (np.diff(opacity) > 0).sum() == (n - 1 if result.state.by_place else 0)
        assert opacity[-1] == 1
        assert result.labels[row] in data["query name"]["text"][0]


def test_head_points_lines_are_perpendicular_to_rising_scores() -> None:
    found = at("layer=2&within=5")
    result, row = found.view.result, 4
    line = traces(found, row)["equal scores"]
    along = np.array([line[axis][1] - line[axis][0] for axis in "xy"], dtype=float)
    # The arrow is the query, as the plane shows it, so it begins where a vector of zeros stands.
    arrow = [np.diff(traces(found, row)["arrow"][axis])[0] for axis in "xy"]
    np.testing.assert_allclose(arrow, result.plane.directions @ result.clouds.queries[row], atol=1e-3)
    # Two keys that differ along the line alone have one score.
    step, query = torch.tensor(along) @ result.plane.directions, result.clouds.queries[row]
    assert float(query @ step) == pytest.approx(0.0, abs=1e-4 * float(query.norm() * step.norm()))


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "gemma 2"])
@pytest.mark.parametrize("head", [0, 3])
def test_head_points_exist_for_any_model_family_and_shared_keys(name: str, head: int, tmp_path: Path) -> None:
    model = load_model(small_models.write(tmp_path / "small", name))
    text = "the cat sat on the mat"
    maps = model.attend(text)
    asked = CloudState(Heads(RankedHeads(maps, "previous token"), model, text), 1, head)
    result: HeadClouds = cast(Any, clouds._compute).__wrapped__(
        text, 1, head, asked
    )  # past the cache of one model
    checks = checks_of_clouds(result)
    assert all(check.passed for check in checks)
    assert len(checks) == (2 if model.softcap is not None else 4)
    if model.softcap is None:
        scores = (result.scale * result.query @ result.key.T).masked_fill(~result.mask, -torch.inf)
        mine = list(maps.maps.values())[1][head]
        np.testing.assert_allclose(torch.softmax(scores, dim=-1), mine, atol=1e-5)


def test_head_points_sentence_is_of_the_selected_query() -> None:
    found = at("layer=1&within=3&q=3")
    result = found.view.result
    best = int(result.weights[3].argmax())
    assert f"{float(result.weights[3, best]):.3f}" in found.sentence
    assert result.labels[best] in found.sentence
    around = laid_by_numpy(result.query.numpy(), result.key.numpy())
    sigma = np.linalg.svd(np.vstack(around), compute_uv=False)
    assert f"keeps {(sigma[:2] ** 2).sum() / (sigma**2).sum():.1%}" in found.view.notes[0]
    scores = result.scale * (result.query @ result.key.T)[3].numpy()
    distances = result.distances[3].numpy()
    told = re.search(r"nearness there and score (−?[\d.]+)\.", found.sentence)
    assert told is not None
    assert float(told[1].replace("−", "-")) == pytest.approx(np.corrcoef(scores, -distances)[0, 1], abs=0.006)


def test_head_points_without_queries_and_keys_give_a_reason() -> None:
    for source in ("a+toy+trained+here", "your+own"):
        found = PAGES["learned-heads"].at(f"source={source}&look=points")
        assert found.view.figure is None
    long = at("text=" + "+".join(["word"] * 140))
    assert long.view.figure is None


def test_head_points_tables_and_program_have_equal_numbers() -> None:
    found = at("layer=1&within=3")
    table, result = found.tables["points"], found.view.result
    places = np.array([table["first coordinate"], table["second coordinate"]]).T
    printed = run_programs.arrays(run_programs.run(found.programs, "attn_core"))
    n = len(result.tokens)
    np.testing.assert_allclose(printed[0], result.weights, atol=6e-5)
    np.testing.assert_allclose(np.vstack(printed[1:]), places, atol=6e-5)
    assert len(found.tables["pairs"]["weight"]) == n * n
