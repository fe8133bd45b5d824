"""The overview: five maps on one slider, true numbers, and links to the pages."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import nadaraya_watson
from attn_live.says import said_at
from attn_ui.base.navigation import PAGES
from pages.overview.compute import PATCHES, PITCHES, story, uses
from pages.overview.words import USES, what_the_slider_does
from tests.pages import open_sound
from tests.walk import split

overview = partial(open_sound, "")


def seen(app: AppTest) -> str:
    """The sentence under the first figure, where its slider stands."""
    head, said, _ = split(app.get("bidi_component")[0].proto.bytes)
    return "".join(text for _, text in said_at(said, json.loads(head)["slider"]["index"]))


def test_it_opens_and_says_what_is_seen() -> None:
    app = overview()
    assert not app.exception
    assert app.title[0].value == "See attention"
    assert "temperature 1.00" in seen(app)
    assert len(app.get("bidi_component")) == 2


def test_every_page_is_one_click_away() -> None:
    links = {link.proto.page for link in overview().get("page_link")}
    assert links == {page.address for page in PAGES if not page.is_default}


def test_a_link_opens_at_its_temperature() -> None:
    assert "temperature 3.16" in seen(overview(t="3.16"))


@pytest.mark.parametrize(
    ("text", "used"), [("nan", "1.00"), ("-1", "0.10"), ("1e9", "10.00"), ("<b>", "1.00"), ("", "1.00")]
)
def test_a_bad_temperature_is_named(text: str, used: str) -> None:
    app = overview(t=text)
    assert not app.exception
    assert any("The link's `t` was" in each.value for each in app.warning)
    assert f"temperature {used}" in seen(app)


def test_a_kernel_of_bandwidth_h_is_a_softmax_at_temperature_h_squared() -> None:
    # What lets one slider serve all maps.
    places = torch.arange(6, dtype=torch.float64)
    temperature = 2.7
    kernel = nadaraya_watson(places, places, places, bandwidth=temperature**0.5).weights
    scores = -((places[:, None] - places) ** 2) / 2
    np.testing.assert_allclose(kernel, torch.softmax(scores / temperature, dim=-1), atol=1e-14)


@pytest.mark.parametrize(
    ("spread", "word"),
    [((5.9, 5.8, 5.7), "average"), ((3.0, 1.2, 1.4), "same row"), ((1.0, 1.1, 1.2), "choice")],
)
def test_the_sentence_follows_the_weights(spread: tuple[float, float, float], word: str) -> None:
    assert word in what_the_slider_does(1.0, spread, 6)


def test_the_two_the_look_alike_until_places_are_added() -> None:
    for weights, alike in ((story().head, True), (story().placed, False)):
        assert np.allclose(weights[:, 0], weights[:, 4], atol=1e-12) == alike


def test_a_query_spreads_over_as_many_words_as_its_weights_say() -> None:
    step = len(story().kernel) // 2
    weights = story().kernel[step]
    spread = np.exp(-(weights * np.log(weights)).sum(axis=1)).mean()
    assert story().spread(step)[0] == pytest.approx(spread)


def test_each_use_attends_where_the_page_says() -> None:
    translation, text, images, speech = uses()
    for query, key in (("21", "21"), ("November", "11"), ("2026", "2026")):
        assert translation.weights[translation.queries.index(query)].argmax() == translation.keys.index(key)
    assert (text.weights[np.triu_indices(len(text.queries), 1)] == 0).all()
    for use, kinds in ((images, PATCHES), (speech, PITCHES)):
        alike = np.equal.outer(np.array(kinds), np.array(kinds))
        for row, same in zip(use.weights, alike, strict=True):
            assert row[same].min() > row[~same].max()
    for use in uses():
        np.testing.assert_allclose(use.weights.sum(axis=1), 1, atol=1e-12)


def test_every_use_has_its_sentence() -> None:
    at = overview()
    said = "".join(paragraph.value for paragraph in at.markdown)
    for use in uses():
        assert USES[use.name] in said
    assert len(at.get("bidi_component")) == 2
