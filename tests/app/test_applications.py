"""Where attention is used: true numbers in the sentences, programs that print them, links that open."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import AttentionMaps
from attn_core.applications import house_picture
from attn_ui.base.links import bad_settings
from attn_ui.base.search_entries import Place
from attn_words import speaking
from pages.applications import photo
from pages.applications.page import PAGE
from pages.applications.settings import USE
from pages.applications.state import State
from pages.applications.tables import columns
from pages.applications.tabs.checks import audit_maps
from pages.applications.views import VIEWS, images
from tests import run_programs
from tests.core.test_vision import file_of, save_vision_model, speckled
from tests.messages import figure_at
from tests.pages import PAGES, open_page, open_sound
from tests.plain_words import english_in
from tests.sentences import messages_in, numbers_in
from tests.walk import fields, said_now

ADDRESSES = {folder: address for address, (folder, _) in PAGES.items()}
STATES = {
    "translation": State("translation", temperature=2.5),
    "BERT and GPT": State("BERT and GPT", "a rose is a rose", 9, prefix=2),
    "images": State("images", temperature=0.5, patch=9),
    "captions": State("captions", temperature=2.0, word=2),
    "speech": State("speech", window=1, frame=11),
}


def link(result: State) -> dict[str, str]:
    """The link that opens a state."""
    return {
        "use": result.use,
        "text": result.text,
        "seed": str(result.seed),
        "t": f"{result.temperature:.2f}",
        **{name: str(getattr(result, name)) for name in ("prefix", "patch", "word", "window", "frame")},
    }


def maps(result: State) -> dict[str, np.ndarray[Any, Any]]:
    """The weights under Data, by map."""
    table = columns(result)
    found: dict[str, list[float]] = {}
    for name, weight in zip(table["map"], table["weight"], strict=True):
        found.setdefault(str(name), []).append(float(str(weight)))
    heads = {head.name: head for head in VIEWS[result.use].heads(result)}
    return {name: np.array(each).reshape(len(heads[name].queries), -1) for name, each in found.items()}


@pytest.mark.parametrize("use", USE.options)
def test_application_sentence_has_equal_numbers_in_both_languages(use: str) -> None:
    address = urlencode(link(STATES[use]))
    english = PAGE.at(address).sentence
    with speaking("zh"):
        at = PAGE.at(address)
        chinese = [
            at.sentence,
            *at.controls.messages,
            *at.view.notes,
            *(each.title for each in at.view.leads),
        ]
    assert sorted(re.findall(r"[\d.]+\d", chinese[0])) == sorted(re.findall(r"[\d.]+\d", english))
    named = frozenset(["noir", "black", "cat", "milk", "transformer", "conformer"])
    assert [english_in(text, named) for text in chinese] == [[]] * len(chinese)


@pytest.mark.parametrize("use", USE.options)
def test_application_opens_with_a_picture_and_checks_that_hold(use: str) -> None:
    application = VIEWS[use]
    at = open_sound("applications", **link(STATES[use]), tab="Checks")
    said = [each.value for each in (*at.markdown, *at.caption)]
    assert application.INTRODUCTION in said
    assert f"**What is trained, what is not.** {application.TRAINED}" in said
    tables = [each for each in said if "What must hold" in each]
    assert len(tables) == 2
    assert all(":material/check:" in each and ":material/close:" not in each for each in tables)
    assert all(":material/close:" not in each for each in said)


@pytest.mark.parametrize("use", USE.options)
def test_application_picture_equals_the_weights_in_its_table(use: str) -> None:
    result = STATES[use]
    at = open_sound("applications", **link(result), tab="Data")
    shown = run_programs.picture(at)
    names = {"cross-attention": "weights", "patches": "weights", "words": "weights"}
    names |= {"local head": "local", "global head": "global"}
    for name, wanted in maps(result).items():
        np.testing.assert_allclose(run_programs.cells(shown[names.get(name, name)]), wanted, atol=1e-7)
    frame = at.dataframe[0].value
    assert list(frame.columns) == ["map", "query", "key", "may attend", "weight"]
    assert len(frame) == sum(each.size for each in maps(result).values())


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("use", USE.options)
def test_application_program_prints_the_numbers_of_its_table(use: str, changed: bool) -> None:
    result = STATES[use] if changed else State(use)
    code = open_sound("applications", **link(result), tab="Code").code[0].value
    assert code == VIEWS[use].program(result).text().strip()
    printed = run_programs.run(code)
    wanted: list[np.ndarray[Any, Any]] = []
    for each in maps(result).values():
        if use in ("images", "captions"):
            row = (result.patch if use == "images" else result.word) - 1
            wanted.append(each[row].reshape(6, 6))
        if use == "speech":
            wanted.append(each[result.frame - 1])
        wanted.append(each)
    assert list(run_programs.compared(printed, wanted)) == []
    if use == "BERT and GPT":
        pairs = [int(each) for each in re.findall(r"allows (\d+) pairs", printed)]
        assert pairs == [int((each > 0).sum()) for each in maps(result).values()]


def test_application_check_fails_on_wrong_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    application = VIEWS["BERT and GPT"]
    later = "pages.applications.views.masks.causal_mask"
    monkeypatch.setattr(later, lambda n: torch.tril(torch.ones(n, n), -1) > 0)
    failed = [check.name for check in application.checks(State("BERT and GPT")) if not check.passed]
    assert any("n (n + 1) / 2" in name for name in failed)
    assert any("cut off" in name for name in failed)


# ---- BERT and GPT ----


@pytest.mark.parametrize(("text", "n"), [("the cat sat on the mat", 6), ("word", 1), ("w " * 30, 16)])
def test_mask_pairs_are_counted_and_the_last_row_sums_to_one(text: str, n: int) -> None:
    for prefix in range(n + 1):
        result = State("BERT and GPT", text, prefix=prefix)
        allowed = {"BERT": 0, "GPT": 0, "prefix (T5)": 0}
        for i in range(n):
            for j in range(n):
                allowed["BERT"] += 1
                allowed["GPT"] += j <= i
                allowed["prefix (T5)"] += j <= i or j < prefix
        assert {name: int((each > 0).sum()) for name, each in maps(result).items()} == allowed
        last = [each[-1] for each in maps(result).values()]
        np.testing.assert_allclose(last, [last[0]] * 3, atol=1e-15)
        at = open_sound("applications", **link(result)) if prefix in (0, n) else None
        if at:
            (said,) = said_now(at)
            bert, gpt, third = (f"{count}" for count in allowed.values())
            counts = {"bert": bert, "gpt": gpt, "prefix": third}
            assert messages_in(said, pairs=n * n, length=prefix, **counts)


def test_prefix_longer_than_the_sentence_is_named_and_tags_stay_text() -> None:
    at = open_page("applications", use="BERT and GPT", text="<b>two</b>", prefix="12")
    assert not at.exception
    assert any("`prefix` was `12`" in each.value for each in at.warning)
    figure = figure_at(fields(at)[0][2], 0)
    assert "<b>" not in json.dumps(figure["layout"]["xaxis"]["ticktext"])
    assert State("BERT and GPT", "<b>two</b>").words == ("<", "b", ">", "two", "<", "/", "b", ">")


def test_sentence_without_a_word_keeps_the_last_one() -> None:
    at = open_sound("applications", use="BERT and GPT", text=" ")
    assert any("No word here yet" in each.value for each in at.caption)
    assert messages_in(said_now(at)[0], "bert", pairs=36)


# ---- translation ----


def test_alignment_sentence_has_the_softmax_of_its_scores() -> None:
    (said,) = said_now(open_sound("applications", t="2.50"))
    e, half = np.exp(4 / 2.5), np.exp(2 / 2.5)
    noir, chat, du = e / (e + half + 4), e / (e + 5), half / (half + 5)
    assert messages_in(said, "low", temperature="2.50", count=6)
    assert f"give it {noir:.2f} to {chat:.2f} of their weight" in said
    assert f"black {noir:.2f} and cat, which decides its form, {half / (e + half + 4):.2f}" in said
    assert f"gives milk {du:.2f}." in said


# ---- images and captions ----


def by_hand(temperature: float) -> np.ndarray[Any, Any]:
    """The weights between patches, patch by patch."""
    picture = house_picture().numpy()
    cut = np.array(
        [picture[4 * r : 4 * r + 4, 4 * c : 4 * c + 4].ravel() for r in range(6) for c in range(6)]
    )
    beyond = cut - cut.mean(axis=0)
    scores = 6 * np.array([[a @ b / np.sqrt(a @ a) / np.sqrt(b @ b) for b in beyond] for a in beyond])
    shares = np.exp(scores / temperature)
    found: np.ndarray[Any, Any] = shares / shares.sum(axis=1, keepdims=True)
    return found


def test_patch_sentence_has_the_weight_of_patches_of_its_shape() -> None:
    weights = by_hand(0.5)
    np.testing.assert_allclose(maps(STATES["images"])["patches"], weights, atol=1e-12)
    own = [at for at, name in enumerate(images.SHAPES) if name == "roof"]
    (said,) = said_now(open_sound("applications", **link(STATES["images"])))
    share = weights[8, own].sum()
    spread = np.exp(-(weights[8] * np.log(weights[8])).sum())
    told = [0.5, 9, round(share, 3), len(own), round(1 - share, 3), 36 - len(own), round(spread, 1)]
    assert numbers_in(said) == told
    whole, apart, turned, patches = map(
        json.loads, re.findall(r"\[\d+,[\d, ]*\]", images.IN_WORDS.translate({40: 91, 41: 93}))
    )
    cut = house_picture().reshape(apart).transpose(1, 2)
    assert [*house_picture().shape, *cut.shape] == whole + turned
    np.testing.assert_array_equal(cut.reshape(patches)[7], house_picture()[4:8, 4:8].ravel())


def test_equal_patches_share_all_weight_at_low_temperature() -> None:
    weights = maps(State("images", temperature=0.1))["patches"]
    for shape in ("wall", "bush", "grass"):
        own = [at for at, name in enumerate(images.SHAPES) if name == shape]
        np.testing.assert_allclose(weights[np.ix_(own, own)], 1 / len(own), atol=1e-6)


def test_picture_click_selects_the_patch() -> None:
    assert [images.patch_at("laid over", row, column) for row in range(2) for column in range(6)] == [
        *range(1, 13)
    ]
    at = open_sound("applications", use="images", patch="31")
    shown = run_programs.picture(at)
    assert shown["row"] == 30
    assert numbers_in(said_now(at)[0])[:2] == [1, 31]


def test_alignment_word_attends_most_to_its_translation() -> None:
    weights = maps(State("captions"))["words"]
    told = [said_now(open_sound("applications", use="captions", word=str(word)))[0] for word in range(1, 7)]
    for word, row, said in zip(("sky", "sun", "roof", "wall", "bush", "grass"), weights, told, strict=True):
        own = [name == word for name in images.SHAPES]
        assert row[own].sum() > 0.5
        assert {float(f"{row[own].sum():.3f}"), sum(own)} <= {*numbers_in(said)}


# ---- speech ----


@pytest.mark.parametrize(("frame", "window", "seen"), [(24, 3, range(20, 27)), (2, 1, range(3))])
def test_sound_window_masks_the_other_vowel(frame: int, window: int, seen: range) -> None:
    found = maps(State("speech", window=window, frame=frame))
    local, everywhere = found["local head"][frame - 1], found["global head"][frame - 1]
    assert np.flatnonzero(local).tolist() == [*seen]
    same = {*range(5), *range(21, 26)}  # both a
    heard, beyond = ([*places] for places in (same & {*seen}, same - {*seen}))
    (said,) = said_now(open_sound("applications", use="speech", frame=str(frame), window=str(window)))
    shares = [float(f"{each.sum():.3f}") for each in (local[heard], everywhere[[*same]], everywhere[beyond])]
    assert numbers_in(said)[-5:] == [len(seen), 28, *shares]
    assert everywhere[beyond].sum() > 0.4


def test_sound_window_of_zero_leaves_each_frame_itself() -> None:
    found = maps(State("speech", window=0))["local head"]
    np.testing.assert_array_equal(found, np.eye(28))


# ---- links ----

LINKS = [(use, see) for use in USE.options for see in VIEWS[use].leads(STATES[use])]


@pytest.mark.parametrize(("use", "see"), LINKS)
def test_application_link_names_settings_of_its_page(use: str, see: Place) -> None:
    settings = PAGES[ADDRESSES[see.folder]][1]
    assert bad_settings(settings, {key: [text] for key, text in see.link.items()}) == []
    at = open_page(ADDRESSES[see.folder], **see.link)
    assert not at.exception
    assert not at.warning


def test_application_links_are_on_the_page_with_their_settings() -> None:
    at: AppTest = open_page("applications", use="speech", window="2")
    told = [(each.proto.page, each.proto.query_string) for each in at.get("page_link")]
    assert told == [
        ("single-head", "stage=weights&mask=sliding+window&w=2"),
        ("multi-head", "hmask=sliding+window"),
    ]


def test_application_maps_pass_the_audit_against_torch() -> None:
    for use, result in STATES.items():
        every = audit_maps(result)
        assert len(every) == len(VIEWS[use].heads(result))
        assert all(check.passed for found in every.values() for check in found)


# ---- a picture of one's own ----


def test_a_visitors_picture_shows_every_head_of_the_hosts_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert photo.NO_MODEL in PAGE.at("use=images").view.notes
    monkeypatch.setenv("ATTENTION_LAB_VISION_MODEL", str(save_vision_model(tmp_path, "deit")))
    at = open_sound("applications", use="images")
    uploader: Any = at.get("file_uploader")[0]
    with pytest.raises(ValueError, match="PNG or JPEG"):
        photo.photo_of(b"GIF89a")
    uploader.upload("mine.png", file_of(speckled()), "image/png").run()
    assert not at.exception
    own = at.session_state[photo.OWN_PICTURE]
    at.selectbox[0].select_index(2 + 6).run()  # row 2, column 3, after [CLS] and [distillation]
    row = own.model.rows(own.picture, 8).double()
    figure = run_programs.picture(at)
    naive = np.zeros((4, 4))
    for patch in range(16):
        naive[patch // 4, patch % 4] = row[0, 0, 2 + patch]
    np.testing.assert_allclose(run_programs.cells(figure["laid over"]), naive / naive.max(), atol=1e-6)
    np.testing.assert_allclose(np.squeeze(figure["laid over"]["customdata"]), naive, atol=1e-7)
    rows = photo.PhotoRows(own, own.tokens(), own.queries(), 8, "en")
    with speaking("zh"):
        assert not {*rows.tokens[2:]} & {*own.tokens()}
    for layer, head in ((0, 0), (1, 1)):
        numbers = [float(each) for each in re.findall(r"\*\*([\d.]+)\*\*", rows.caption(layer, head))]
        weights = row[layer, head]
        np.testing.assert_allclose(numbers, [*weights[:2], weights[2:].sum(), weights[2:].max()], atol=5e-4)
    shown = rows.columns()
    assert [shown["weight"][at] for at in (0, 17, 71)] == [row[0, 0, 0], row[0, 0, 17], row[1, 1, 17]]
    (back,) = [each for each in at.button if "own drawing" in each.label]
    back.click().run()
    assert run_programs.cells(run_programs.picture(at)["laid over"]).shape == (6, 6)


def test_a_file_of_weights_is_laid_over_the_picture_beside_it(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).dirichlet(np.ones(17), (2, 3, 4)).astype(np.float32)
    path = AttentionMaps({"first": weights[0], "second": weights[1]}, tokens=tuple("abcd")).save(
        tmp_path / "mine.npz"
    )
    at = open_sound("applications", use="images")
    picture: Any = at.get("file_uploader")[0]
    picture.upload("mine.png", file_of(speckled()), "image/png").run()
    assert "no vision model" in at.warning[0].value
    beside: Any = at.get("file_uploader")[1]
    beside.upload("mine.npz", path.read_bytes(), "application/octet-stream").run()
    assert not at.exception
    assert not at.warning
    at.selectbox[0].select_index(2).run()
    assert at.selectbox[0].value == 2 or "3 c" in str(at.selectbox[0].options)
    at.button(key="pin").click().run()  # a link would show the page's own drawing as A
    assert "no link has a file of your own" in " ".join(each.value for each in at.markdown)
    figure = run_programs.picture(at)
    over = np.squeeze(figure["laid over"]["customdata"])
    np.testing.assert_allclose(over, weights[0, 0, 2, 1:].reshape(4, 4), atol=1e-6)
