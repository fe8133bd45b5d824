"""The stage of points: coordinates by numpy's singular values, weights by torch, for every query."""

import re
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

from pages import PAGES
from tests.messages import figure_at
from tests.pages import open_sound
from tests.run_programs import faults
from tests.sentences import messages_in, numbers_in

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
CHOSEN = "along=two+dimensions"


def drawn_at(link: str, step: int | None = None, row: int = 0) -> dict[str, dict[str, Any]]:
    """Return the traces of a state of the stage, by name."""
    page = PAGES["single-head"].at(f"stage=points&{link}")
    figure = page.view.figure
    assert figure is not None
    at = page.position[0] if step is None else step
    return {each["name"]: each for each in figure_at(figure.steps, at, row)["data"]}


@pytest.mark.parametrize("link", ["", "mask=causal&t=0.5", "cross=true", "mask=padding&w=6", "dk=1&dv=1"])
def test_points_of_every_query_equal_numpy_and_colours_torch(link: str) -> None:
    page = PAGES["single-head"].at(f"stage=points&{link}")
    result, figure = page.view.result, page.view.figure
    assert figure is not None
    head = result.head
    rows = np.vstack([head.query.numpy(), head.key.numpy()])
    directions = np.linalg.svd(rows, full_matrices=False)[2][:2]
    scores = (head.query @ head.key.mT * result.scale / result.temperature).masked_fill(
        ~result.mask, -torch.inf
    )
    weights = torch.softmax(scores, dim=-1).nan_to_num().numpy()
    for row in range(len(head.queries)):
        data = {each["name"]: each for each in figure_at(figure.steps, page.position[0], row)["data"]}
        np.testing.assert_allclose(data["key points"]["marker"]["color"], weights[row], atol=1e-6)
        struck = ~np.isnan(np.asarray(data["masked key points"]["x"], dtype=float))
        assert struck.tolist() == (~result.mask[row]).tolist()
        tip = abs(float(data["arrow"]["x"][1]))
        assert tip == pytest.approx(abs(float(directions[0] @ head.query[row].numpy())), abs=1e-5)


@pytest.mark.parametrize(("first", "second"), [(1, 2), (4, 2), (3, 1)])
def test_points_of_two_dimensions_are_the_vector_entries(first: int, second: int) -> None:
    link = f"{CHOSEN}&dim1={first}&dim2={second}"
    head = PAGES["single-head"].at(f"stage=points&{link}").view.result.head
    data = drawn_at(link)
    for name, vectors in (("query", head.query), ("key", head.key)):
        for axis, dimension in (("x", first), ("y", second)):
            np.testing.assert_allclose(data[f"{name} points"][axis], vectors[:, dimension - 1], atol=1e-6)


@pytest.mark.parametrize("link", ["", CHOSEN, f"{CHOSEN}&dim2=4&mask=causal", "dk=1", "cross=true&dk=7"])
def test_points_hover_and_tables_equal_a_loop_over_products(link: str) -> None:
    page = PAGES["single-head"].at(f"stage=points&{link}")
    head, matrices = page.view.result.head, page.view.result.matrices
    plane = matrices.points().plane
    pairs = page.tables["pairs"]
    n_key = len(head.keys)
    for row in range(len(head.queries)):
        hover = np.asarray(drawn_at(link, row=row)["key points"]["customdata"], dtype=float)
        for key in range(n_key):
            whole = sum(float(a) * float(b) for a, b in zip(head.query[row], head.key[key], strict=True))
            shown = sum(float(a) * float(b) for a, b in zip(plane.queries[row], plane.keys[key], strict=True))
            assert hover[key].tolist() == pytest.approx([whole, shown], abs=1e-5)
            assert pairs["q·k"][row * n_key + key] == pytest.approx(whole)
            assert pairs["q·k in the plane"][row * n_key + key] == pytest.approx(shown)


def test_points_table_equals_numpy() -> None:
    page = PAGES["single-head"].at("stage=points")
    head, table = page.view.result.head, page.tables["points"]
    rows = np.vstack([head.query.numpy(), head.key.numpy()])
    left, sigma, _directions = np.linalg.svd(rows, full_matrices=False)
    found = np.array([table["first coordinate"], table["second coordinate"]]).T[: len(rows)]
    np.testing.assert_allclose(np.abs(found), np.abs(left * sigma)[:, :2], atol=1e-10)


def test_points_sentence_has_the_share_in_the_plane() -> None:
    page = PAGES["single-head"].at(f"stage=points&{CHOSEN}&q=2")
    matrices, row = page.view.result.matrices, page.view.result.cell[0]
    best = int(matrices.weights[row].argmax())
    whole = float(matrices.query[row] @ matrices.key[best])
    shown = float(matrices.query[row, :2] @ matrices.key[best, :2])
    told, *_ = messages_in(page.sentence, "whole", "shown", "moved")
    numbers = [numbers_in(told[each])[0] for each in ("whole", "shown")]
    assert numbers == pytest.approx([whole, shown], rel=1e-5)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("link", "name", "text", "axes"),
    [
        ("dim1=3&dim2=3", "dim2", "3", (3, 2)),
        ("dim1=2&dim2=2", "dim2", "2", (2, 1)),
        ("dim1=9", "dim1", "9", (4, 2)),
        ("dim1=9&dim2=9", "dim2", "9", (4, 3)),
    ],
)
def test_points_dimension_out_of_range_is_named(
    link: str, name: str, text: str, axes: tuple[int, int]
) -> None:
    page = PAGES["single-head"].at(f"stage=points&{CHOSEN}&{link}")
    assert (name, text) in [(each.name, each.text) for each in page.dropped]
    layout = page.figure()["layout"]
    named = [layout[axis]["title"]["text"].split(" keeps")[0] for axis in ("xaxis", "yaxis")]
    assert named == [f"dimension {each}" for each in axes]
    opened = open_sound("single-head", stage="points", **dict(parse_qsl(f"{CHOSEN}&{link}")))
    assert [each.sentence() for each in page.dropped] == [each.value for each in opened.warning]


def test_points_dimensions_in_range_drop_nothing() -> None:
    for link in ("dim1=2", "dim1=4&dim2=1", "dim2=4"):
        assert not PAGES["single-head"].at(f"stage=points&{CHOSEN}&{link}").dropped
    assert len(PAGES["single-head"].at(f"stage=points&{CHOSEN}&dk=1").view.notes) == 1
    assert [each.name for each in PAGES["single-head"].at("stage=points&along=best").dropped] == ["along"]


def test_points_stage_without_points_has_no_plane_control() -> None:
    page = PAGES["single-head"].at(f"stage=scores&{CHOSEN}&dim1=9")
    assert page.view.result.along is None
    assert page.view.result.matrices.points is None
    assert not page.view.notes


@pytest.mark.parametrize("link", ["", "mask=causal&t=0.1", "mask=sliding+window&w=2&moves=mask+width"])
def test_points_of_many_words_name_the_largest_weights(link: str) -> None:
    page = PAGES["single-head"].at(f"stage=points&text={LONG.replace(' ', '+')}&{link}")
    figure, result = page.view.figure, page.view.result
    assert figure is not None
    words = LONG.split()
    for row in range(len(words)):
        spec = figure_at(figure.steps, page.position[0], row)
        data = {each["name"]: each for each in spec["data"]}
        names = data["key names"]
        said = _words_of(names)
        weights = dict(zip(words, result.matrices.weights[row], strict=True))
        assert 1 <= len(said) <= 8
        assert all(weights[word] > 0 for word in said)
        assert said[0] == max(weights, key=lambda word: weights[word])
        assert _words_of(data["query name"]) == [words[row]]


def _words_of(names: dict[str, Any]) -> list[str]:
    """The words of a trace, without what sets them apart from their points."""
    return [re.sub("<[^>]*>", "", text).strip() for text in names["text"] if text]


@pytest.mark.parametrize("link", [{}, {"along": "two dimensions", "dim1": 4}, {"dk": 1}, {"bias": "true"}])
def test_points_programs_print_the_points(link: dict[str, Any]) -> None:
    assert faults("single-head", {"stage": "points", **link}) == []


def test_points_with_long_names_name_the_largest_weights() -> None:
    words = ["internationalisation", "telecommunications", "misunderstandings", "counterrevolutionary"]
    words += ["incomprehensibility", "electroencephalogram", "disproportionately", "responsibilities"]
    named = _words_of(drawn_at(f"text={'+'.join(words)}", row=2)["key names"])
    assert 1 <= len(named) < 8
    assert max(map(len, named)) <= 14, named


ZERO, ONE = "0,0;0,0", "0,1;2,0"


@pytest.mark.parametrize(
    ("q", "k", "v", "shares"),
    [
        (ZERO, ZERO, ZERO, {"share": "–", "values": "–"}),
        (ZERO, ZERO, ONE, {"share": "–", "values": "100.0%"}),
        (ONE, ZERO, ZERO, {"share": "100.0%", "values": "–"}),
    ],
)
def test_points_of_zero_vectors_have_no_share_in_the_plane(
    q: str, k: str, v: str, shares: dict[str, str]
) -> None:
    page = PAGES["single-head"].at(f"stage=points&qkv=typed&Q={q}&K={k}&V={v}")
    assert messages_in(page.sentence, **shares)
    axes = str([axis.get("title") for name, axis in page.figure()["layout"].items() if "axis" in name])
    assert "nan" not in axes
    assert ("keeps" not in axes) == (q == k == v)


def test_points_share_of_nearly_all_is_not_rounded_to_all() -> None:
    # 1e-6 of the squared length lies in the third dimension.
    page = PAGES["single-head"].at("stage=points&qkv=typed&Q=1,0,0;0,1,0&K=1,1,0;0,0,0.002&V=1,0,0;0,1,0")
    (told,) = messages_in(page.sentence, "share", "values")
    assert numbers_in(told["share"]) == [99.9]


@pytest.mark.parametrize(
    ("link", "pair"),
    [("", (1, 2)), ("&dim1=2", (2, 1)), ("&dim1=3", (3, 2)), ("&dim2=3", (1, 3)), ("&dim1=4&dim2=3", (4, 3))],
)
def test_points_are_of_the_two_selected_dimensions(link: str, pair: tuple[int, int]) -> None:
    page = PAGES["single-head"].at(f"stage=points&along=two+dimensions{link}")
    assert not page.dropped
    at = np.asarray(page.view.result.head.query)[:, [each - 1 for each in pair]]
    np.testing.assert_allclose(page.view.result.matrices.points().plane.queries, at, atol=1e-12)


def test_points_of_a_one_dimensional_head_give_a_reason() -> None:
    (note, *_) = PAGES["single-head"].at("stage=points&dk=1&along=two+dimensions").view.notes
    assert note.startswith(":material/edit: ")
    assert note.endswith("one dimension, so no two can be chosen.")
