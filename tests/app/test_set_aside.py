"""The stages "kept" and "without": what they draw, say, tabulate and hand over, against plain sums."""

import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from pages import PAGES
from tests.handed import leaves
from tests.pages import open_sound

SENTENCE = "text=a+cat+sat+on+my+mat&t=0.8"


def opened(link: str) -> Any:
    return PAGES["single-head"].at(f"{SENTENCE}&{link}")


def drawn(at: Any) -> dict[str, dict[str, Any]]:
    return {trace["name"]: trace for trace in at.figure()["data"]}


def plain(sentence: str) -> str:
    return re.sub(r":(?:violet|orange|green)\[(.*?)\]", r"\1", sentence)


@pytest.mark.parametrize("value", [0.0, 0.15, 0.5])
def test_a_threshold_fades_and_the_sentence_says_what_is_kept(value: float) -> None:
    at = opened(f"stage=kept&above={value:g}")
    traces = drawn(at)
    weights = np.asarray(traces["weights"]["z"], dtype=float)
    faded = np.asarray(traces["weights faded"]["z"], dtype=float) == 0
    assert (faded == (weights < value)).all()
    assert not np.isnan(weights).any()  # the hover tells a faded weight as any other
    mass = [sum(each for each in row if each >= value) for row in weights.tolist()]
    assert np.asarray(traces["kept mass"]["z"])[:, 0].tolist() == pytest.approx(mass)
    kept = sum(each >= value for each in weights.ravel().tolist())
    assert f"{kept} of 36 weights" in at.sentence
    assert f"{sum(mass) / 6:.3g} of a row" in at.sentence
    assert f"{min(mass):.3g} in the row" in at.sentence


def test_the_two_largest_sum_to_one_again_and_the_output_moves_as_said() -> None:
    at = opened("stage=kept&keep=largest&largest=2&renorm=true&mask=causal")
    weights = np.nan_to_num(np.asarray(drawn(at)["weights"]["z"], dtype=float))
    value = np.asarray([[*row] for row in zip(*_values(), strict=True)])
    moved = []
    for row in weights:
        best = sorted(range(6), key=lambda key: -row[key])[:2]
        again = [row[key] / sum(row[best]) if key in best else 0.0 for key in range(6)]
        moved.append(float(np.linalg.norm(np.asarray(again) @ value - row @ value)))
    assert at.tables["kept"]["output moves by"] == pytest.approx(moved, abs=1e-6)
    assert f"most at “{['a', 'cat', 'sat', 'on', 'my', 'mat'][int(np.argmax(moved))]}”" in plain(at.sentence)
    assert f"by {max(moved):.3g}." in at.sentence


def _values() -> list[list[float]]:
    trace = {each["name"]: each for each in opened("stage=output").figure()["data"]}["V"]
    values: list[list[float]] = np.asarray(trace["z"], dtype=float).T.tolist()
    return values


def test_ties_are_kept_and_said() -> None:
    at = PAGES["single-head"].at("text=a+a+a+b&vectors=one-hot&stage=kept&keep=largest&largest=1")
    assert "because weights tie" in at.sentence


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("word", [0, 2, 5])
def test_without_a_word_it_is_torch_masked_there(word: int, mask: str) -> None:
    at = opened(f"stage=without&without={word}&mask={mask}")
    walk = at.seen.now.walk
    less = torch.from_numpy(walk.mask).clone()
    less[:, word] = False
    query, key, value = map(torch.from_numpy, (walk.query, walk.key, walk.value))
    made = F.scaled_dot_product_attention(query, key, value, attn_mask=less, scale=0.5 / 0.8).nan_to_num()
    apart = (made - torch.from_numpy(walk.output)).norm(dim=-1)
    traces = drawn(at)
    np.testing.assert_allclose(np.asarray(traces["output without"]["z"]), made, atol=1e-9)
    assert f"moves by {float(apart.max()):.3g}" in at.sentence
    column = walk.weights[:, word]
    tokens = ["a", "cat", "sat", "on", "my", "mat"]
    assert f"“{tokens[int(column.argmax())]}”, which gave it {column.max():.3g}" in plain(at.sentence)
    assert f"move by {float(apart.mean()):.3g}" in at.sentence
    assert ("weights and output of zero" in at.sentence) == (mask == "causal" and word == 0)
    assert at.tables["without"]["output moves by, on average"][word] == pytest.approx(float(apart.mean()))


@pytest.mark.parametrize("more", ["", "&mask=causal", "&qkv=as+they+are", "&cross=true"])
@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_programs_leave_the_numbers_on_the_page(more: str, kind: str) -> None:
    def programs(link: str) -> tuple[Any, dict[str, Any]]:
        at = opened(link + more)
        return at, leaves(at.programs.text(kind))

    at, names = programs("stage=kept&above=0.2&renorm=true")
    assert names["mass"].tolist() == pytest.approx(at.tables["kept"]["kept weight"], abs=1e-6)
    assert names["moved_by"].tolist() == pytest.approx(at.tables["kept"]["output moves by"], abs=1e-6)
    at, names = programs("stage=kept&keep=largest&largest=2")
    assert names["mass"].tolist() == pytest.approx(at.tables["kept"]["kept weight"], abs=1e-6)
    at, names = programs("stage=without&without=0")
    mean = at.tables["without"]["output moves by, on average"][0]
    assert float(names["moved_by"].mean()) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("stage", ["without&without=63", "kept&renorm=true", "kept&keep=largest&renorm=true"])
def test_the_longest_sentence_with_the_widest_values_is_drawn(stage: str) -> None:
    words = "+".join(f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh")
    at = PAGES["single-head"].at(f"text={words}&dv=16&stage={stage}")
    assert len(drawn(at)["weights"]["z"]) == 64
    assert at.sentence


@pytest.mark.parametrize(("stage", "column"), [("kept", "kept weight"), ("without", "most")])
def test_the_tab_of_data_has_what_is_set_aside(stage: str, column: str) -> None:
    at = open_sound("single-head", stage=stage, tab="Data")
    shown = [each.value.columns.tolist() for each in at.dataframe]
    assert [shown[-3][0], shown[-2][0]] == ["query", "output of"]
    assert column in shown[-1]
