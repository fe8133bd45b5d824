"""Learned heads of a real model and of one's own file, as Streamlit runs the page."""

import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import AttentionMaps, RealModel, load_model
from attn_figures.whole_model import OVERVIEW
from attn_live.says import said_at
from attn_live.unpacking import figure_at
from attn_ui import shared_cache
from attn_ui.live_figure import Cell
from pages.learned_heads import model_shelf
from pages.learned_heads import whole_snippet as snippet
from pages.learned_heads.model_shelf import Shelf
from pages.learned_heads.settings import RANK_BY
from pages.learned_heads.tabs.whole import checks
from pages.learned_heads.views import heads
from pages.learned_heads.views.model import INSTALL
from pages.learned_heads.whole import MEASURES, MOST_NUMBERS, Whole
from tests import planted_bert
from tests.pages import open_sound

opened = partial(open_sound, "learned-heads")
REAL, OWN = "a real model", "your own"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> RealModel:
    return load_model(planted_bert.write(tmp_path_factory.mktemp("planted")))


def shelf_with(monkeypatch: pytest.MonkeyPatch, load: Any) -> Shelf:
    shelf = Shelf(load)
    monkeypatch.setattr(model_shelf, "SHELF", shelf)
    shelf.standing()
    shelf.wait(60)
    return shelf


@pytest.fixture
def real(planted: RealModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's model is the planted one, read already."""
    shared_cache.clear()
    shelf_with(monkeypatch, lambda name, progress: planted)
    yield
    shared_cache.clear()


def message(at: AppTest) -> tuple[dict[str, Any], bytes, bytes]:
    """What the figure is sent: its head, its sentences, its steps."""
    (figure,) = at.get("bidi_component")
    rest, parts = figure.proto.bytes, []
    for _ in range(2):
        end = 4 + int.from_bytes(rest[:4], "little")
        parts.append(rest[4:end])
        rest = rest[end:]
    return json.loads(parts[0]), parts[1], rest


def sentence(at: AppTest) -> str:
    head, said, _ = message(at)
    return "".join(run for _, run in said_at(said, head["slider"]["index"], 0))


def large(at: AppTest) -> dict[str, Any]:
    """The large map where the slider stands."""
    head, _, packed = message(at)
    figure = figure_at(packed, head["slider"]["index"], 0)
    trace: dict[str, Any] = next(each for each in figure["data"] if each["name"] == "weights")
    return trace


def texts(at: AppTest) -> str:
    kinds = (at.markdown, at.caption, at.warning, at.info)
    return "\n".join(str(each.value) for kind in kinds for each in kind)


def test_the_head_that_looks_at_the_word_before_is_found_by_one_click(real: None, planted: RealModel) -> None:
    at = opened(source=REAL, rankby="entropy", rank="3")
    at.button(key="which-previous token").click().run()
    assert "Of all 4 heads, head 1.2 looks most at the word before: 1.00" in sentence(at)
    assert (at.selectbox(key="rankby").value, "rank" in at.query_params) == ("previous token", False)
    weights = planted.attend("the cat sat on the mat").without_special().maps["layer 0"][1]
    np.testing.assert_allclose(large(at)["z"], weights, atol=1e-6)
    np.testing.assert_allclose(np.diagonal(large(at)["z"], -1), 1, atol=0.02)
    assert "[CLS] and [SEP]" in texts(at).replace("\\", "")
    at.toggle(key="wordsonly").set_value(False).run()
    assert np.shape(large(at)["z"]) == (8, 8)
    np.testing.assert_allclose(np.sum(large(at)["z"], axis=1), 1, atol=1e-5)


def drawn_maps(*shape: int, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    weights = rng.random(shape)
    weights /= weights.sum(axis=-1, keepdims=True)
    return {f"layer {layer}": each.astype("f4") for layer, each in enumerate(weights)}


def test_a_thumbnail_that_is_clicked_becomes_large(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Whole(AttentionMaps(drawn_maps(3, 2, 6, 6)), "entropy")
    moved: list[int] = []
    monkeypatch.setattr(heads, "move", lambda steps, to: moved.append(int(to)))
    heads._clicked(whole, Cell(OVERVIEW, 8, 0))  # the second line of thumbnails, seven cells apart
    heads._clicked(whole, Cell(OVERVIEW, 6, 0))  # between two of them
    heads._clicked(whole, Cell("weights", 4, 0))
    assert [whole.model.name(whole.order[rank - 1]) for rank in moved] == ["head 2.1"]


def test_a_sentence_goes_through_the_model_once(
    real: None, planted: RealModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    attend = planted.attend

    def counted(text: str) -> AttentionMaps:
        asked.append(text)
        return attend(text)

    monkeypatch.setattr(planted, "attend", counted)
    for hide in ("true", "false"):
        opened(source=REAL, text="b a d c b", wordsonly=hide)
    assert asked == ["b a d c b"]


def test_another_measure_keeps_the_large_head(real: None) -> None:
    at = opened(source=REAL)
    at.selectbox(key="rankby").select("distance").run()
    head, _, _ = message(at)
    assert head["slider"]["texts"][head["slider"]["index"]] == "head 1.2"
    assert "mean distance of 4 heads" in sentence(at)


@pytest.mark.parametrize("measure", RANK_BY.options)
def test_heads_stand_in_the_order_of_their_measure(measure: str) -> None:
    whole = Whole(AttentionMaps(drawn_maps(3, 4, 5, 5)), measure)
    scores = [
        float(MEASURES[measure](torch.from_numpy(each[None].astype("f8"))))
        for weights in whole.layers
        for each in weights
    ]
    np.testing.assert_allclose(whole.scores, scores)
    assert sorted(scores, reverse=True) == pytest.approx([scores[head] for head in whole.order])
    assert whole.model.name(7) == "head 2.4"


def test_large_maps_leave_the_highest_heads_and_the_chosen_one() -> None:
    whole = Whole(AttentionMaps(drawn_maps(2, 12, 100, 100)), "entropy")
    values = list(whole.slider(20).values)
    assert values == [1, 2, 3, 4, 5, 6, 20]
    assert (len(values) - 1) * 100**2 <= MOST_NUMBERS


def test_a_sentence_of_no_word_and_one_too_long(real: None) -> None:
    at = opened(source=REAL, text="the dog")
    at.text_input(key="text").set_value(" ").run()
    assert "No word here yet" in texts(at)
    assert np.shape(large(at)["z"]) == (2, 2)
    at.text_input(key="text").set_value("cat " * 40).run()
    assert "40 tokens. The first 18 are drawn." in texts(at)
    assert np.shape(large(at)["z"]) == (18, 18)


@pytest.mark.parametrize("tab", ["Heads", "Checks", "Code"])
def test_every_tab_opens(tab: str, real: None) -> None:
    at = opened(source=REAL, tab=tab)
    if tab == "Heads":
        assert next(iter(at.dataframe[0].value["Head"])) == "1.2"
    if tab == "Checks":
        assert texts(at).count(":material/check:") == 2
    if tab == "Code":
        assert "load_model().attend('the cat sat on the mat').without_special()" in at.code[0].value


def test_a_wrong_map_fails_its_check(planted: RealModel) -> None:
    maps = AttentionMaps({"layer 0": np.full((1, 3, 3), 0.3, dtype="f4")})
    assert not checks(Whole(maps, "entropy"))[0].passed
    good = checks(Whole(planted.attend("the cat"), "entropy"), planted, "the cat")
    assert [check.passed for check in good] == [True, True]


def test_the_code_prints_the_head(
    planted: RealModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("attn_core.load_model", lambda: planted)
    exec(compile(snippet.model_snippet("the cat sat", hide=True), "model", "exec"), {})
    assert capsys.readouterr().out.startswith("head 1.2: ")


def test_the_code_for_ones_own_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet.CAPTURE, "capture", "exec"), {})
    exec(compile(snippet.READ, "read", "exec"), {})
    assert "layers.1.self_attn" in capsys.readouterr().out


class TestTheShelf:
    def test_where_the_package_is_missing_the_page_says_the_command(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("attn_core.real_model.packaged_folder", lambda: None)
        shelf_with(monkeypatch, load_model)
        at = opened(source=REAL)
        assert f"`{INSTALL}`" in texts(at)
        assert not at.get("bidi_component")

    def test_while_it_is_read_the_page_shows_how_far(
        self, planted: RealModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told, go_on = Event(), Event()

        def slowly(name: str | None, progress: Any) -> RealModel:
            progress(0.4)
            told.set()
            assert go_on.wait(60)
            return planted

        shelf = Shelf(slowly)
        monkeypatch.setattr(model_shelf, "SHELF", shelf)
        shelf.standing()
        assert told.wait(60)
        at = opened(source=REAL)
        assert "The model is being read" in str(at.get("progress")[0].proto)
        assert not at.get("bidi_component")
        go_on.set()
        shelf.wait(60)
        at.run()
        assert at.get("bidi_component")

    def test_a_model_asked_for_that_is_none_leaves_the_packaged_one(
        self, planted: RealModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def load(name: str | None, progress: Any) -> RealModel:
            return planted if name is None else load_model(name)

        monkeypatch.setenv(model_shelf.OTHER, str(tmp_path))
        shelf = Shelf(load)
        monkeypatch.setattr(model_shelf, "SHELF", shelf)
        model_shelf.standing()
        shelf.wait(60)
        at = opened(source=REAL)
        assert "must hold config.json" in texts(at).replace("\\", "")
        assert at.get("bidi_component")


def upload(at: AppTest, name: str, data: bytes) -> None:
    field: Any = at.get("file_uploader")[0]
    field.set_value((name, data, "application/octet-stream")).run()
    assert not at.exception


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def test_an_own_file_is_shown_and_a_bad_one_leaves_it() -> None:
    at = opened(source=OWN)
    assert "capture(model" in at.code[0].value
    weights = np.stack(list(drawn_maps(2, 3, 4, 4).values()))
    upload(at, "mine.npz", npz(attn=weights, tokens=["<b>", "*a*", "c", "d"]))
    figure = figure_at(message(at)[2], 0, 0)
    assert "&lt;b&gt;" in str(figure["layout"])
    assert "<b>" not in str(figure["layout"].get("yaxis2"))
    shown = large(at)["z"]
    assert any(np.allclose(shown, each, atol=1e-6) for each in weights.reshape(-1, 4, 4))
    upload(at, "mine.npz", npz(attn=weights * 2))
    assert "sums from 2 to 2" in texts(at).replace("\\", "")
    assert "What was there stays." in texts(at)
    np.testing.assert_array_equal(large(at)["z"], shown)
    at.selectbox(key="rankby").select("entropy").run()
    assert "entropy" in message(at)[0]["slider"]["label"]
