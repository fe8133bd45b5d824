"""Two sentences in one real model: pictures, sentences, tables and program against the model's own maps."""

from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attn_core import load_model
from attn_ui.base import shared_cache
from pages import PAGES
from pages.learned_heads import model_shelf
from pages.learned_heads.model_shelf import ModelShelf
from pages.learned_heads.tabs.ranked_heads import checks_of_pair
from pages.learned_heads.two_texts import PAIRS, TwoTexts
from tests import run_programs, small_models
from tests.messages import figure_at
from tests.pages import open_sound
from tests.sentences import messages_in

TWO = "source=a+real+model&look=two+sentences"
IT = 9


def at(link: str = "") -> Any:
    return PAGES["learned-heads"].at(f"{TWO}&{link}")


def maps(page: Any, step: int) -> dict[str, np.ndarray]:
    data = figure_at(page.view.figure.steps, step, 0)["data"]
    return {
        each["name"]: np.array(each["z"], dtype=float)
        for each in data
        if each["name"] in ["A", "B", "difference"]
    }


def naive(texts: tuple[str, str], head: int) -> tuple[np.ndarray, np.ndarray]:
    """Both maps of a head of the packaged model, by `attend`."""
    layer, within = divmod(head, 12)
    first, second = (list(load_model().attend(each).maps.values())[layer][within] for each in texts)
    return first, second


def test_two_texts_open_on_it_in_layer_4_head_2() -> None:
    page = at()
    (message,) = messages_in(page.sentence, "weights", "moved", head="Head 4.2", query="it")
    first, second = naive(PAIRS["tired / wide"], 37)
    assert message["weights"].startswith("animal 0.65 in A, 0.30 in B; street 0.06 in A, 0.16 in B")
    change = np.abs(np.delete(first[IT] - second[IT], 12)).sum() / 2 + (first[IT, 12] + second[IT, 12]) / 2
    assert message["moved"] == f"{change:.2f}"
    trophy = at("pair=big+%2F+small").sentence
    assert messages_in(trophy, "weights", head="Head 4.2", query="it")
    assert "trophy 0.63 in A, 0.67 in B" in trophy.replace("*", "").replace(":orange[trophy]", "trophy")


def test_two_texts_maps_share_one_axis_with_missing_tokens_hatched() -> None:
    page = at()
    result = page.view.result
    assert isinstance(result, TwoTexts)
    for step in (0, 5, 71):
        first, second = naive(PAIRS["tired / wide"], result.order[step])
        drawn = maps(page, step)
        without_wide, without_tired = np.delete(np.arange(15), 13), np.delete(np.arange(15), 12)
        np.testing.assert_allclose(drawn["A"][np.ix_(without_wide, without_wide)], first, atol=1e-6)
        np.testing.assert_allclose(drawn["B"][np.ix_(without_tired, without_tired)], second, atol=1e-6)
        both = np.delete(np.arange(15), [12, 13])
        difference = (drawn["B"] - drawn["A"])[np.ix_(both, both)]
        np.testing.assert_allclose(drawn["difference"][np.ix_(both, both)], difference, atol=1e-6)
        for name, apart in (("A", [13]), ("B", [12]), ("difference", [12, 13])):
            assert np.isnan(drawn[name][apart]).all()
            assert np.isnan(drawn[name][:, apart]).all()
    go.Figure(page.figure())  # Plotly takes every property
    means = np.array(page.tables["heads"]["mean over the words of both"])
    assert (np.diff(means) <= 0).all()
    assert page.tables["heads"]["Head"].index("4.2") == result.order.index(37)


def test_two_texts_tables_checks_and_program_equal_the_screen() -> None:
    page = at("pairhead=62&pairq=0")
    result = page.view.result
    assert result.number(result.head) == "6.2"
    assert all(check.passed for check in checks_of_pair(result))
    printed = run_programs.arrays(run_programs.run(page.programs, "attn_core"))
    table = page.tables["pairs"]
    both = np.ix_(result.pair.alignment.shared, result.pair.alignment.shared)
    for (
        name,
        map_,
    ) in zip("AB", printed, strict=False):
        np.testing.assert_allclose(np.array(map_)[both].ravel(), table[name], atol=6e-5)
    np.testing.assert_allclose(np.subtract(table["B"], table["A"]), table["B − A"], atol=1e-12)


def test_two_texts_of_any_length_and_an_unshared_word_open() -> None:
    page = at("pair=typed&text=the+tokenizers+slept&text2=the+cat+slept+on+the+mat&pairq=2")
    assert messages_in(page.sentence, "weights", query="the₂", moved="–")
    words, pieces = (
        page.view.result.labels,
        at("pair=typed&text=the+tokenizers+slept&text2=the+cat+slept&pieces=true").view.result.labels,
    )
    assert "tokenizers" in words
    assert any(each.startswith("##") for each in pieces)
    assert at("pair=typed&text=a&text2=a").view.figure is not None
    many = "+".join(f"{number}" for number in range(100))
    assert at(f"pair=typed&text={many}&text2={many.replace('+', '+cat+')}").view.figure is None


def test_two_texts_without_a_pair_in_the_source_say_so() -> None:
    page = PAGES["learned-heads"].at("look=two+sentences")
    assert (page.view.figure, len(page.controls.messages)) == (None, 1)


def test_two_texts_of_a_decoder_mask_later_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(small_models.write(tmp_path / "small", "gpt2"))
    shelf = ModelShelf(lambda name, progress: model)
    shelf.status()
    shelf.wait(60)
    monkeypatch.setattr(model_shelf, "SHELF", shelf)
    shared_cache.clear()
    app = open_sound(
        "learned-heads",
        source="a real model",
        look="two sentences",
        pair="typed",
        text="the cat sat",
        text2="the cat ran on",
    )
    assert [each.value for each in app.text_input] == ["the cat sat", "the cat ran on"]
    app.toggle(key="pieces").set_value(True).run()
    assert not app.exception
    page = at("pair=typed&text=the+cat+sat&text2=the+cat+ran+on&pieces=true")
    early = at("pair=typed&text=the+cat+sat&text2=a+cat+sat")
    assert [len(each.view.notes) for each in (page, early)] == [3, 2]  # no word sees a difference after it
    shared_cache.clear()
    n = len(page.view.result.labels)
    for each in maps(page, 0).values():
        assert np.isnan(each[np.triu_indices(n, 1)]).all()
        assert not np.isnan(np.diagonal(each)[:2]).any()
