"""A real model on a text too long for the maps of all heads, as a link shows it and as Streamlit runs it."""

import asyncio
import gc
import io
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.delta_generator import DeltaGenerator

from attn_core import RealModel, load_model, previous_token_score
from attn_core.models import HeadMap
from attn_live.pyramid import STRIPE, Pyramid
from attn_ui.base import shared_cache
from attn_ui.base.programs import OneProgram
from attn_ui.host.tiles import FOLDER, OpenMap, Tiles
from pages import PAGES
from pages.learned_heads import long_text, model_shelf
from pages.learned_heads.long_text import LongText, layer_inputs, summarise_with_progress, tiles_of
from pages.learned_heads.model_shelf import ModelShelf
from pages.learned_heads.tabs import ranked_heads
from pages.learned_heads.tabs.ranked_heads import checks_of_long
from tests import planted_bert
from tests.pages import open_sound
from tests.sentences import messages_in

TEXT = "the cat sat on the mat a dog sat on a cat"  # 12 words, 14 tokens
opened = partial(open_sound, "learned-heads")
LINK = f"source=a+real+model&text={TEXT.replace(' ', '+')}"


@pytest.fixture
def model(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealModel]:
    """The page's model holds the maps of all heads for no more than eight tokens."""
    planted = load_model(planted_bert.write(tmp_path_factory.mktemp("planted")))
    monkeypatch.setattr("attn_core.models.model.MAPS_BYTES", 1)
    monkeypatch.setattr("attn_core.models.model.LEAST_TOKENS", 8)
    shared_cache.clear()
    shelf = ModelShelf(lambda name, progress: planted)
    monkeypatch.setattr(model_shelf, "SHELF", shelf)
    shelf.status()
    shelf.wait(60)
    yield planted
    shared_cache.clear()


def by_forward(model: RealModel, text: str = TEXT) -> list[torch.Tensor]:
    """The maps of all heads, a layer each."""
    ids = model.read(text, 20).ids
    return [each.weights[0] for each in model.forward(torch.tensor([ids]))]


@pytest.mark.parametrize(("layer", "head"), [(1, 2), (2, 1)])
def test_long_text_link_shows_one_head_of_a_layer(model: RealModel, layer: int, head: int) -> None:
    at = PAGES["learned-heads"].at(f"{LINK}&layer={layer}&within={head}")
    assert (at.dropped, at.controls.messages) == ([], [])
    weights = by_forward(model)[layer - 1][head - 1].numpy()
    drawn = next(each for each in at.figure()["data"] if each["name"] == "blocks")
    np.testing.assert_allclose(np.array(drawn["z"]), weights, atol=1e-6)
    assert f"Head {layer}.{head}: of 14 tokens" in at.sentence
    words = weights[1:13]
    before = float(previous_token_score(torch.from_numpy(weights)))
    assert f"gives the one before {before:.2f} of its weight" in at.sentence
    assert f"special tokens: {words[:, [0, 13]].sum(axis=1).mean():.2f}" in at.sentence
    table = at.tables["heads"]
    expected = by_forward(model)[layer - 1].diagonal(0, 1, 2).mean(dim=1)
    np.testing.assert_allclose(np.asarray(table["Itself"], dtype=float), expected, atol=1e-6)
    assert any("room for 8 tokens, and this text has 14" in note for note in at.view.notes)


def test_text_that_fits_is_shown_in_full(model: RealModel) -> None:
    at = PAGES["learned-heads"].at("source=a+real+model&text=the+cat+sat")
    assert not isinstance(at.view.result, LongText)
    assert messages_in(at.sentence, "measure", rank=1, heads=4)


@pytest.mark.parametrize(
    ("zoom", "wanted"),
    [
        ("3.14.5", ""),
        ("15.3.5", "a part of a map of 14 queries and 14 keys"),
        ("3.15.5", "a part of a map of 14 queries and 14 keys"),
        ("3.3", "query.key.keys in sight, each from 1 to 4,096, as in 120.64.32"),
        ("0.3.5", "query.key.keys in sight"),
        ("3.3.4097", "query.key.keys in sight"),
        ("3.3.٣", "query.key.keys in sight"),
    ],
)
def test_long_text_link_has_the_zoomed_part(model: RealModel, zoom: str, wanted: str) -> None:
    at = PAGES["learned-heads"].at(f"{LINK}&zoom={zoom}")
    said = [*(each.sentence() for each in at.dropped), *at.controls.messages]
    result = at.view.result
    assert isinstance(result, LongText)
    assert result.zoom == ("" if wanted else zoom)
    assert len(said) == bool(wanted)
    assert all(zoom in each and wanted in each for each in said)


def test_many_heads_have_fewer_blocks(model: RealModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_text, "MOST_NUMBERS", 2 * 7**2)
    found = PAGES["learned-heads"].at(f"{LINK}&layer=2").view.result
    assert isinstance(found, LongText)
    assert (found.summary.size, found.summary.blocks.shape) == (2, (2, 7, 7))
    whole = by_forward(model)[1].reshape(2, 7, 2, 7, 2).amax(dim=(2, 4))
    np.testing.assert_allclose(found.summary.blocks, whole, atol=1e-6)


def test_flow_of_a_long_text_states_its_requirement(model: RealModel) -> None:
    at = PAGES["learned-heads"].at(f"{LINK}&look=attention+flow")
    assert any("At most 8 tokens fit into this view" in said for said in at.controls.messages)
    assert any("12 tokens. The first 6 are drawn" in said for said in at.controls.messages)


def test_evicted_layer_is_computed_again(model: RealModel) -> None:
    result = PAGES["learned-heads"].at(f"{LINK}&layer=2").view.result
    assert isinstance(result, LongText)
    tiles = tiles_of(result)
    before = tiles.tile(0, 0, 0)
    shared_cache.bound(1)  # keeps nothing
    try:
        assert tiles_of(result).tile(0, 0, 0) == tiles.tile(0, 0, 0) == before
    finally:
        shared_cache.bound(shared_cache.MOST_BYTES)
    np.testing.assert_allclose(
        np.frombuffer(before, "<f4").reshape(14, 14), by_forward(model)[1][0], atol=1e-6
    )


def noted(model: RealModel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Up to which layers the model is run, from now on."""
    run: list[int] = []
    reach_layer = model.reach

    def call_of_layer(ids: Any, layer: int, tell: Any) -> Any:
        run.append(layer)
        return reach_layer(ids, layer, tell)

    monkeypatch.setattr(model, "reach", call_of_layer)
    return run


class Gone(BaseException):
    """As Streamlit ends a run whose visitor left or asked for something else."""


def test_reading_shows_progress_and_ends_without_viewers(
    model: RealModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = LongText(model, TEXT, model.read(TEXT, model.longest), 1, "max")
    run = noted(model, monkeypatch)

    def leave(layer: int, head: int | None) -> None:
        raise Gone

    with pytest.raises(Gone):
        summarise_with_progress(result, leave)
    run.clear()
    told: list[tuple[int, int | None]] = []

    def leave_at_a_head(layer: int, head: int | None) -> None:
        told.append((layer, head))
        if head == 1:
            raise Gone

    with pytest.raises(Gone):
        summarise_with_progress(result, leave_at_a_head)
    assert told == [(0, None), (1, 0), (1, 1)]
    assert run == [1]
    told.clear()
    found = summarise_with_progress(result, lambda layer, head: told.append((layer, head)))
    assert told == [(1, 0), (1, 1)]  # what was read before somebody left is there
    assert run == [1]
    np.testing.assert_allclose(found.blocks, by_forward(model)[1], atol=1e-6)
    told.clear()
    assert summarise_with_progress(result, lambda layer, head: told.append((layer, head))) is found
    assert told == []


def test_equal_texts_of_two_visitors_run_once(model: RealModel, monkeypatch: pytest.MonkeyPatch) -> None:
    result = LongText(model, TEXT, model.read(TEXT, model.longest), 1, "max")
    run, found = noted(model, monkeypatch), dict[int, Any]()

    def read(who: int) -> None:
        found[who] = layer_inputs(result, lambda layer, head: None)

    threads = [threading.Thread(target=read, args=(who,)) for who in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert found[0] is found[1]
    assert run == [1]


def test_reading_messages_have_their_numbers(model: RealModel) -> None:
    result = LongText(model, TEXT, model.read(TEXT, model.longest), 1, "max")
    assert long_text.reading(result, 0, None) == (0, "Layer 1 of 2 is being read, with all 14 tokens.")
    share, said = long_text.reading(result, 1, 1)
    assert said == "Layer 2 of 2 is being read, with all 14 tokens."
    assert 0 < share < 1


def test_long_computation_shows_progress_until_it_ends(
    model: RealModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attn_ui.screen.progress.QUICK", 0.0)
    shown: list[str] = []
    monkeypatch.setattr(DeltaGenerator, "progress", lambda self, share, text: shown.append(text))
    opened(source="a real model", text=TEXT, layer="2")
    assert shown[0].startswith("Layer 1 of 2 is being read")
    assert len(shown) == 3
    opened(source="a real model", text=TEXT, layer="2")
    assert len(shown) == 3


def test_checks_of_a_map_of_many_blocks_hold(model: RealModel) -> None:
    query, key = torch.randn(2, 200, 4, generator=torch.Generator().manual_seed(3))
    head = HeadMap.of(query, key, scale=1.0, is_causal=True)
    shared = shared_cache.shared(lambda: Pyramid(head, "max", head.may).above)
    assert ranked_heads._check_pyramid(Pyramid(head, "max", head.may, shared()), STRIPE).passed


def test_long_text_checks_hold_and_fail(model: RealModel, monkeypatch: pytest.MonkeyPatch) -> None:
    result = PAGES["learned-heads"].at(f"{LINK}&layer=2&within=2&coarse=mean").view.result
    assert isinstance(result, LongText)
    assert [check.passed for check in checks_of_long(result)] == [True, True]
    result.map.highest.add_(0.01)
    assert [check.passed for check in checks_of_long(result)] == [False, False]


def test_long_text_program_prints_the_shown_numbers(
    model: RealModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = PAGES["learned-heads"].at(f"{LINK}&layer=2&within=2").programs
    assert isinstance(programs, OneProgram)
    monkeypatch.setattr("attn_core.load_model", lambda name: model)  # the folder that it names is elsewhere
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(programs.text(), {})
    weights = by_forward(model)[1][1]
    before, itself = (float(weights.diagonal(-places).mean()) for places in (1, 0))
    said = f"head 2.2 of 14 tokens: {before:.4f} to the token before, {itself:.4f} to itself"
    assert said in printed.getvalue()


def test_long_text_page_opens_and_serves_tiles_to_its_session(model: RealModel) -> None:
    at = opened(source="a real model", text=TEXT, layer="2")
    assert "From the whole to single cells: head 2.1" in "\n".join(each.value for each in at.markdown)
    assert len(at.get("bidi_component")) == 2
    of, kept = at.session_state["_zoomed_map"]
    assert of == (TEXT, 1, 0, "max")
    status, body = ask(f"/lab{kept.address}/0.0.0")
    assert status == 200
    read = np.frombuffer(body, "<f4").reshape(14, 14)
    np.testing.assert_allclose(read, by_forward(model)[1][0], atol=1e-6)
    at.select_slider(key="step-layer").set_value("1").run()
    assert at.session_state["_zoomed_map"][1].address != kept.address


def test_tile_is_served_while_a_session_has_its_map() -> None:
    class Squares:
        def tile(self, level: int, row: int, column: int) -> bytes:
            if level > 3:
                raise ValueError("no such level")
            return bytes([level, row, column])

    kept = OpenMap(Squares())
    address = kept.address
    assert ask(f"{address}/1.2.3") == (200, bytes([1, 2, 3]))
    for wrong in (f"{address}/4.0.0", f"/{FOLDER}/{'x' * 22}/1.2.3"):
        assert ask(wrong)[0] == 404
    for other in (f"{address}/1.2", f"{address}/1.2.3/4", f"/{FOLDER}/short/1.2.3", f"{address}/-1.0.0"):
        assert ask(other) == (200, b"the app")
    assert ask(f"{address}/1.2.3", method="POST") == (200, b"the app")
    del kept
    gc.collect()
    assert ask(f"{address}/1.2.3")[0] == 404


def ask(path: str, method: str = "GET") -> tuple[int, bytes]:
    """What is answered at an address: the status and the body."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"the app"})

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Tiles(app)({"type": "http", "method": method, "path": path, "headers": []}, receive, send))
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])
