"""The stages "kept" and "without": what they draw, say, tabulate and hand over, against plain sums."""

import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from pages import PAGES
from pages.multi_head.matrices import matrices_of
from tests.run_programs import leaves
from tests.sentences import messages_in, numbers_in

SENTENCE = "text=a+cat+sat+on+my+mat&t=0.8"


def open_view(link: str) -> Any:
    return PAGES["single-head"].at(f"{SENTENCE}&{link}")


def by_name(at: Any) -> dict[str, dict[str, Any]]:
    return {trace["name"]: trace for trace in at.figure()["data"]}


@pytest.mark.parametrize("value", [0.0, 0.15, 0.5])
def test_threshold_fades_dropped_weights_and_states_the_kept_sum(value: float) -> None:
    at = open_view(f"stage=threshold&above={value:g}")
    traces = by_name(at)
    weights = np.asarray(traces["weights"]["z"], dtype=float)
    faded = np.asarray(traces["weights faded"]["z"], dtype=float) == 0
    assert (faded == (weights < value)).all()
    assert not np.isnan(weights).any()  # the hover tells a faded weight as any other
    mass = [sum(each for each in row if each >= value) for row in weights.tolist()]
    assert np.asarray(traces["kept mass"]["z"])[:, 0].tolist() == pytest.approx(mass)
    kept = sum(each >= value for each in weights.ravel().tolist())
    assert messages_in(at.sentence, kept=kept, count=36)
    least = {} if max(mass) - min(mass) < 1e-6 else {"least": f"{min(mass):.3g}"}
    assert messages_in(at.sentence, mean=f"{sum(mass) / 6:.3g}", **least)


def test_top_two_weights_are_renormalised_and_the_output_moves_as_stated() -> None:
    at = open_view("stage=threshold&keep=largest&largest=2&renorm=true&mask=causal")
    weights = np.nan_to_num(np.asarray(by_name(at)["weights"]["z"], dtype=float))
    value = np.asarray([[*row] for row in zip(*_values(), strict=True)])
    moved = []
    for row in weights:
        best = sorted(range(6), key=lambda key: -row[key])[:2]
        again = [row[key] / sum(row[best]) if key in best else 0.0 for key in range(6)]
        moved.append(float(np.linalg.norm(np.asarray(again) @ value - row @ value)))
    assert at.tables["kept"]["output moves by"] == pytest.approx(moved, abs=1e-6)
    assert messages_in(at.sentence, mean=f"{np.mean(moved):.3g}", most=f"{max(moved):.3g}")


def _values() -> list[list[float]]:
    trace = {each["name"]: each for each in open_view("stage=output").figure()["data"]}["V"]
    values: list[list[float]] = np.asarray(trace["z"], dtype=float).T.tolist()
    return values


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("word", [0, 2, 5])
def test_ablated_word_equals_torch_with_it_masked(word: int, mask: str) -> None:
    at = open_view(f"stage=without&without={word}&mask={mask}")
    matrices = at.view.result.matrices
    less = torch.from_numpy(matrices.mask).clone()
    less[:, word] = False
    query, key, value = map(torch.from_numpy, (matrices.query, matrices.key, matrices.value))
    made = F.scaled_dot_product_attention(query, key, value, attn_mask=less, scale=0.5 / 0.8).nan_to_num()
    apart = (made - torch.from_numpy(matrices.output)).norm(dim=-1)
    traces = by_name(at)
    np.testing.assert_allclose(np.asarray(traces["output without"]["z"]), made, atol=1e-9)
    assert messages_in(at.sentence, far=f"{float(apart.max()):.3g}")
    column = matrices.weights[:, word]
    tokens = ["a", "cat", "sat", "on", "my", "mat"]
    gave = {"queries": f"“{tokens[int(column.argmax())]}”", "lost": f"{column.max():.3g}"}
    assert messages_in(at.sentence, "key", **gave)
    assert messages_in(at.sentence, mean=f"{float(apart.mean()):.3g}")
    assert at.tables["without"]["output moves by, on average"][word] == pytest.approx(float(apart.mean()))


@pytest.mark.parametrize("more", ["", "&mask=causal", "&qkv=as+they+are", "&cross=true"])
@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_ablation_programs_leave_the_numbers_on_the_page(more: str, kind: str) -> None:
    def programs(link: str) -> tuple[Any, dict[str, Any]]:
        at = open_view(link + more)
        return at, leaves(at.programs, kind)

    at, names = programs("stage=threshold&above=0.2&renorm=true")
    assert names["mass"].tolist() == pytest.approx(at.tables["kept"]["kept weight"], abs=1e-6)
    assert names["moved_by"].tolist() == pytest.approx(at.tables["kept"]["output moves by"], abs=1e-6)
    at, names = programs("stage=threshold&keep=largest&largest=2")
    assert names["mass"].tolist() == pytest.approx(at.tables["kept"]["kept weight"], abs=1e-6)
    at, names = programs("stage=without&without=0")
    mean = at.tables["without"]["output moves by, on average"][0]
    assert float(names["moved_by"].mean()) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize(
    "link",
    [
        "single-head?stage=without&scale=none&t=0.1&mask=causal",
        "multi-head?view=without&t=0.1&dm=64&heads=1&seed=1&init=standard+normal",
    ],
)
@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_ablated_key_with_all_weight_is_shared_among_the_rest(link: str, kind: str) -> None:
    name, _mark, settings = link.partition("?")
    at = PAGES[name].at(f"{settings}&without=1")
    weights, without = (
        np.asarray(by_name(at)[each]["z"], dtype=float) for each in ("weights", "weights without")
    )
    assert (weights[:, 1] == 1).any()  # nothing of it is left to divide
    np.testing.assert_allclose(leaves(at.programs, kind)["without"], np.nan_to_num(without), atol=1e-6)


# ---- one of many heads ----

HEADS = PAGES["multi-head"]
MANY = "text=a+cat+sat+on+my+mat&dm=12"


def one_head(result: Any, head: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The scaled scores of a head before the mask, where it may attend, and its values: by torch."""
    module, n = result.module, result.tokens
    own = slice(head * module.d_head, (head + 1) * module.d_head)
    query, key, value = (
        F.linear(x, w.weight[own])
        for w, x in ((module.W_q, n.query), (module.W_k, n.key), (module.W_v, n.key))
    )
    scores = query @ key.T / module.d_head**0.5 / result.setting.temperature
    may = torch.ones_like(scores).bool()
    if result.setting.mask == "causal":
        may = may.tril()
    if result.setting.positions.name == "ALiBi":
        distance = torch.arange(len(query))[:, None] - torch.arange(len(key))
        slope = 2.0 ** (-8 * (head + 1) / result.n_head)
        scores = scores - slope * distance.abs()
    return scores, may, value


@pytest.mark.parametrize("more", ["", "&hmask=causal&t=0.5", "&pos=ALiBi", "&cross=true"])
@pytest.mark.parametrize(("word", "head"), [(0, 1), (2, 3), (5, 4)])
def test_ablated_word_in_many_heads_equals_torch_with_it_masked(word: int, head: int, more: str) -> None:
    at = HEADS.at(f"{MANY}{more}&view=without&without={word}&head={head}")
    scores, may, value = one_head(at.view.result, head - 1)
    left = may.clone()
    left[:, word] = False
    made = [scores.masked_fill(~each, -torch.inf).softmax(dim=-1).nan_to_num() for each in (may, left)]
    traces = by_name(at)
    np.testing.assert_allclose(np.nan_to_num(traces["weights"]["z"]), made[0], atol=1e-6)
    np.testing.assert_allclose(np.nan_to_num(traces["weights without"]["z"]), made[1], atol=1e-6)
    apart = ((made[1] - made[0]) @ value).norm(dim=-1)
    np.testing.assert_allclose(traces["output without"]["z"], made[1] @ value, atol=1e-6)
    said, result = at.sentence, at.view.result
    assert messages_in(said, number=head, count=4)
    assert messages_in(said, "lost", key=f"“{result.tokens.keys[word]}”")
    assert messages_in(said, "far", furthest=f"“{result.tokens.queries[int(apart.argmax())]}”")
    assert messages_in(said, mean=f"{float(apart.mean()):.3g}")
    column = at.tables["without"]
    mean = column["output moves by, on average"][word]
    assert mean == pytest.approx(float(apart.mean()))
    assert column["most"][word] == pytest.approx(float(apart.max()))


@pytest.mark.parametrize("more", ["", "&hmask=causal", "&pos=ALiBi"])
def test_threshold_in_many_heads_keeps_weights_that_reach_it(more: str) -> None:
    at = HEADS.at(f"{MANY}{more}&view=threshold&above=0.15&renorm=true&head=2")
    scores, may, value = one_head(at.view.result, 1)
    weights = scores.masked_fill(~may, -torch.inf).softmax(dim=-1)
    kept = weights * (weights >= 0.15)
    mass = kept.sum(dim=-1)
    traces = by_name(at)
    np.testing.assert_allclose(traces["kept mass"]["z"], mass[:, None], atol=1e-6)
    np.testing.assert_allclose(np.array(at.tables["kept"]["kept weight"], dtype=float), mass)
    again = kept / mass.clamp(min=1e-300)[:, None]
    np.testing.assert_allclose(np.nan_to_num(traces["renormalised"]["z"]), again, atol=1e-6)
    moved = ((again - weights) @ value).norm(dim=-1)
    np.testing.assert_allclose(np.array(at.tables["kept"]["output moves by"], dtype=float), moved, atol=1e-9)
    assert messages_in(at.sentence, kept=int((kept > 0).sum()), count=int(may.sum()))
    assert messages_in(at.sentence, "least", mean=f"{float(mass.mean()):.3g}")


@pytest.mark.parametrize(
    "more", ["", "&hmask=causal", "&cross=true", "&pos=rotary", "&pos=sinusoidal", "&bias=true"]
)
@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_ablation_programs_of_many_heads_leave_the_same_numbers(more: str, kind: str) -> None:
    for link, table, column, name in (
        ("view=threshold&above=0.2&renorm=true&head=3", "kept", "kept weight", "mass"),
        ("view=threshold&above=0.2&renorm=true&head=3", "kept", "output moves by", "moved_by"),
        ("view=threshold&keep=largest&largest=2", "kept", "kept weight", "mass"),
    ):
        at = HEADS.at(f"{link}{more}")
        names = leaves(at.programs, kind)
        assert names[name].tolist() == pytest.approx(at.tables[table][column], abs=1e-6)
    at = HEADS.at(f"view=without&without=1&head=2{more}")
    moved = leaves(at.programs, kind)["moved_by"]
    assert float(moved.mean()) == pytest.approx(
        at.tables["without"]["output moves by, on average"][1], abs=1e-6
    )


@pytest.mark.parametrize("page", ["single-head?stage=without", "multi-head?view=without"])
@pytest.mark.parametrize(("count", "some"), [(60, False), (64, True)])
def test_ablation_slider_over_some_words_only_names_them_with_a_link(
    page: str, count: int, some: bool
) -> None:
    words = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh"][:count]
    name, link = page.split("?")
    at = PAGES[name].at(f"{link}&text={'+'.join(words)}")
    figure = at.view.figure
    assert figure
    assert figure.slider
    offered = [int(value) for value in figure.slider.steps.values]
    said = [note for note in at.view.notes if "without=" in note]
    assert (len(offered) < count) == some
    assert len(said) == some
    if some:
        assert {len(offered), count} <= {*numbers_in(said[0])}
        other = int(re.findall(r"without=(\d+)", said[0])[0])
        assert other not in offered
        there = PAGES[name].at(f"{link}&without={other}&text={'+'.join(words)}")
        assert messages_in(there.sentence, "lost", key=f"“{words[other]}”")
        assert not there.dropped


TIED = [
    "single-head?stage=without&text=a+b+a+b+c&vectors=one-hot",
    "single-head?stage=without&text=a+a+a+a&vectors=one-hot&without=1",
    "single-head?stage=without&text=a+b+a+b+c&vectors=one-hot&qkv=as+they+are&without=4",
    "multi-head?view=without&text=a+b+a+b&vectors=one-hot&without=2",
    "multi-head?view=without&text=the+cat+sat+on+the+mat",
]


def largest(names: list[str], numbers: Any) -> list[str]:
    """The first three names with the largest number, and how many more have it."""
    found = [name for name, each in zip(names, numbers, strict=True) if np.isclose(each, max(numbers))]
    return [*found[:3], *([f"{len(found) - 3} more"] if len(found) > 3 else [])]


@pytest.mark.parametrize("link", TIED)
def test_ablation_sentence_names_all_ties(link: str) -> None:
    address, query = link.split("?")
    at = PAGES[address].at(query)
    matrices = matrices_of(at.view.result) if address == "multi-head" else at.view.result.matrices
    assert matrices.ablation is not None
    key, keys = matrices.ablation.key, np.arange(len(matrices.keys))
    queries, weights = [f"“{name}”" for name in matrices.queries], np.asarray(matrices.weights)
    output = weights @ matrices.value
    apart = []  # by key that is left out, then by query
    for left_out in keys:
        rest = weights[:, keys != left_out] / weights[:, keys != left_out].sum(axis=1, keepdims=True)
        apart.append(np.linalg.norm(rest @ matrices.value[keys != left_out] - output, axis=1))
    gave, *_ = messages_in(at.sentence, "key", "lost")
    assert names_of(gave["queries"]) == largest(queries, weights[:, key])
    assert names_of(gave["furthest"]) == largest(queries, np.round(apart[key], 9))
    means = np.round(np.mean(apart, axis=1), 9)
    assert names_of(gave["most"]) == largest([f"“{name}”" for name in matrices.keys], means)


def names_of(told: str) -> list[str]:
    """The words that a list names."""
    return re.split(r", | and ", told)


def test_threshold_sentence_names_all_ties() -> None:
    link = "stage=threshold&text=a+b+a+b+c&vectors=one-hot&keep=largest&largest=1&renorm=true"
    at = PAGES["single-head"].at(link)
    matrices = at.view.result.matrices
    names = [f"“{name}”" for name in matrices.queries]
    (least,) = messages_in(at.sentence, "mean", "least")
    assert names_of(least["queries"]) == largest(names, -matrices.threshold.mass[:, 0])


@pytest.mark.parametrize("link", ["single-head?stage=threshold", "multi-head?view=threshold"])
@pytest.mark.parametrize("above", [0.3, 0.4, 0.5])
def test_threshold_row_without_weights_stays_zero(link: str, above: float) -> None:
    address, query = link.split("?")
    at = PAGES[address].at(f"{query}&keep=above&above={above:g}&text=a b c d e&renorm=true")
    rows = np.nan_to_num(np.asarray(by_name(at)["weights"]["z"], dtype=float))
    again = np.nan_to_num(np.asarray(by_name(at)["renormalised"]["z"], dtype=float))
    empty = int((rows.max(axis=1) < above).sum())
    assert np.allclose(np.sort(again.sum(axis=1)), [0.0] * empty + [1.0] * (5 - empty))


@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_threshold_small_weights_that_differ_do_not_tie(kind: str) -> None:
    link = "stage=threshold&keep=largest&largest=2&qkv=typed&Q=1&K=0;-30;-60;-90&V=1;2;3;4&scale=none"
    page = PAGES["single-head"].at(link)
    assert messages_in(page.sentence, kept=2, count=4)
    weights = np.asarray(leaves(page.programs, kind)["weights"])
    assert leaves(page.programs, kind)["mass"].tolist() == pytest.approx(
        weights[:, :2].sum(axis=1).tolist(), rel=1e-14
    )


def test_threshold_sentence_names_the_query_with_most_dropped_weight() -> None:
    # Softmax of (0, −30, −60) and of twice that: e^-30 and e^-60 for the second key.
    link = "stage=without&without=1&qkv=typed&Q=1;2&K=0;-30;-60&V=1;2;3&scale=none"
    assert messages_in(PAGES["single-head"].at(link).sentence, queries="“q1”", lost="9.36 × 10⁻¹⁴")
