"""What is said next, of a toy and of a small model that transformers saved: pictures, read-out, program."""

from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import transformers

from attn_core import load_model
from attn_figures.next_token import Lens, next_token
from attn_ui.base import shared_cache
from attn_ui.base.shared_settings import TEMPERATURE
from pages import PAGES
from pages.learned_heads import model_shelf
from pages.learned_heads.model_shelf import ModelShelf
from pages.learned_heads.tabs.flow import checks_of_next
from tests import run_programs, small_models
from tests.messages import figure_at
from tests.pages import open_sound
from tests.sentences import messages_in

NEXT = "look=next+token"


def at(link: str) -> Any:
    return PAGES["learned-heads"].at(f"{NEXT}&{link}")


def traces(page: Any, temperature: float) -> dict[str, dict[str, Any]]:
    figure = figure_at(page.view.figure.steps, TEMPERATURE.nearest(temperature), 0)
    return {each["name"]: each for each in figure["data"]}


def test_next_token_bars_equal_the_softmax_and_pale_where_cut() -> None:
    page = at("training=100&topk=5&topp=0.7&t=2")
    logits = page.view.result.next_token.logits.double().numpy()
    order = np.argsort(-logits)[:10]
    for temperature in (0.5, 1.0, 2.0):
        chances = np.exp(logits / temperature) / np.exp(logits / temperature).sum()
        data = traces(page, temperature)
        np.testing.assert_allclose(data["next token"]["x"], chances[order], atol=1e-6)
        among = chances[order[:5]] / chances[order[:5]].sum()
        n_left = 1 + int((np.cumsum(among) < 0.7).sum())
        colours = list(data["next token"]["marker"]["color"])
        assert colours == [colours[0]] * n_left + [colours[-1]] * (10 - n_left)
        if temperature == 2.0:
            assert messages_in(page.sentence, "share", k=5, p="0.70", count=n_left, all=16)
    prediction = page.view.result.next_token
    np.testing.assert_allclose(data["logit lens"]["z"], prediction.chances.detach(), atol=1e-6)
    np.testing.assert_allclose(data["logit parts"]["z"], prediction.heads.detach(), atol=1e-6)
    assert all(check.passed for check in checks_of_next(page.view.result))
    go.Figure(page.figure())  # Plotly takes every property


def test_next_token_program_and_tables_equal_the_screen() -> None:
    page = at("training=100&topk=3&t=0.5&ablate=2")
    printed = run_programs.run(page.programs, "attn_core")
    np.testing.assert_allclose(run_programs.arrays(printed)[0], page.tables["next"]["probability"], atol=6e-5)
    assert "tensor(3)" in printed
    adds = page.view.result.next_token.heads.flatten().tolist()
    np.testing.assert_allclose(adds, page.tables["heads"]["adds"])
    assert page.tables["next"]["left by top-k and top-p"] == [True] * 3 + [False] * 7


@pytest.mark.parametrize(("count", "width"), [(8, 680), (12, 968), (16, 968), (20, 968)])
def test_lens_cells_have_their_tokens_on_a_laptop(count: int, width: int) -> None:
    lens = Lens(["token"] * count, [*"abc"], [["winner"] * count] * 3, np.ones((3, count)), None, "a")
    figure = next_token(lens, ["a"], np.ones(1), np.ones(1, dtype=bool))
    forms = [each["settings"] for each in figure["layout"]["meta"]["screens"] if each["width"] == width]
    assert "%{text}" in [each["data[1].texttemplate"] for each in forms]


@pytest.mark.parametrize("link", ["task=reverse", "source=a+real+model", "source=your+own"])
def test_next_token_of_a_model_without_predictions_says_so(link: str) -> None:
    page = at(link)
    assert page.view.figure is None
    assert page.controls.messages


def test_next_token_logit_parts_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = transformers.AutoModelForCausalLM
    small_models.random_model(small_models.CONFIGS["llama"](), kind).save_pretrained(tmp_path)
    small_models.as_transformers(small_models.TOKENIZERS["llama"]()).save_pretrained(tmp_path)
    model = load_model(tmp_path)
    shelf = ModelShelf(lambda name, progress: model)
    shelf.status()
    shelf.wait(60)
    monkeypatch.setattr(model_shelf, "SHELF", shelf)
    shared_cache.clear()
    app = open_sound("learned-heads", source="a real model", look="next token", topk="5", tab="Checks")
    page = at("source=a+real+model&topk=5")
    shared_cache.clear()
    assert "".join(each.value for each in app.markdown).count(":material/check:") == 2
    prediction = page.view.result.next_token
    (message,) = messages_in(page.sentence, "logit", "parts", "most")
    layer, head = divmod(int(prediction.heads.argmax()), model.n_head)
    assert message["head"] == f"{layer + 1}.{head + 1}"
    assert "feed-forward layers" in message["parts"]
    assert np.shape(traces(page, 1.0)["logit lens"]["text"]) == tuple(prediction.winners.shape)
    assert messages_in(at("source=a+real+model&t=10").sentence, "chance")[0]["chance"] > "0.00"
