"""The encoder layer beside the decoder layer: its shapes, its sentence, where its arrows end, its clicks."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import MultiHead, MultiHeadAttention
from attn_figures.encoder_decoder import encoder_and_decoder
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell
from attn_ui.base.parameters import Tabs
from pages.multi_head.compute import Result
from pages.multi_head.settings import CASE, EXAMPLES, HEADS_MASK, TAB, VIEW
from pages.multi_head.state import HeadsOptions, HeadsSetting
from pages.multi_head.views import VIEWS, caption
from pages.multi_head.views.encoder_and_decoder import BLOCK, TARGET_OF_BOX, layers
from tests.plotly_figure import as_plotly
from tests.sentences import messages_in

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "slept", "there"]
NAME = "encoder and decoder"
LOOK = HeadsOptions(NAME, "number", 0, 0, ())
OWN = HeadsSetting("own sentence", "a cat sat", "it slept", cross=False, d_model=8, d_memory=8, d_head=None,
              bias=False, projection=True, seed=4, mask="none", reach=1)  # fmt: skip


def by_name(result: Result) -> dict[str, Any]:
    (spec,) = VIEWS[NAME].draw([result])
    return {trace["name"]: trace for trace in spec["data"]}


def hovers(traces: dict[str, Any]) -> dict[str, str]:
    return {name: each["text"] for name, each in traces.items() if each.get("meta") == {"opens": True}}


def size(tensor: Tensor) -> str:
    return " × ".join(map(str, tensor.shape))


@pytest.mark.parametrize("number", range(16))
def test_encoder_decoder_shapes_equal_those_of_two_running_layers(number: int) -> None:
    chance = random.Random(number)
    n, m = chance.randint(1, 9), chance.randint(1, 9)
    n_head, cross, free = chance.choice([1, 2, 4, 6]), number % 2 == 1, chance.random() < 0.5
    d_memory = chance.randint(1, 12) if cross else 12
    d_head = chance.randint(1, 9) if free else 12 // n_head
    setting = replace(
        OWN, text=" ".join(WORDS[:n]), memory_text=" ".join(WORDS[:m]), cross=cross, d_model=12,
        d_memory=d_memory, d_head=d_head if free else None, projection=chance.random() < 0.5,
    )  # fmt: skip
    traces = by_name(Result(setting, LOOK, n_head))

    def attend(query: Tensor, key: Tensor, mask: Tensor | None = None) -> MultiHead:
        width = key.shape[-1]
        made = MultiHeadAttention(
            query.shape[-1], n_head, d_head=d_head, d_key=width, d_value=width, dtype=torch.float64
        )(query, key, key, mask)
        assert isinstance(made, MultiHead)
        return made

    def around(x: Tensor, made: Tensor) -> Tensor:
        return F.layer_norm(x + made, x.shape[-1:])

    def feed(x: Tensor) -> Tensor:
        wide = torch.zeros(4 * x.shape[-1], x.shape[-1], dtype=torch.float64)
        return F.linear(F.relu(F.linear(x, wide)), wide.T)

    x = torch.randn(n, 12, dtype=torch.float64)
    y = torch.randn(m if cross else n, d_memory, dtype=torch.float64)
    own = attend(y, y)
    first = around(y, own.output)
    memory = around(first, feed(first))
    masked = attend(x, x, torch.ones(n, n, dtype=torch.bool).tril())
    second = around(x, masked.output)
    across = attend(second, memory)
    third = around(second, across.output)
    output = around(third, feed(third))

    assert Counter(traces["shapes"]["text"]) == Counter(
        [
            f"X {size(y)}", f"Q, K, V {size(own.query)}", *map(size, (own.output, first, feed(first))),
            f"output {size(memory)}", f"K, V {size(across.key)}", f"Q {size(across.query)}",
            f"X {size(x)}", f"Q, K, V {size(masked.query)}", *map(size, (masked.output, across.output)),
            *map(size, (third, feed(third), output)),
        ]
    )  # fmt: skip
    told = hovers(traces)
    for name, made in (("self", own), ("masked", masked), ("cross", across)):
        assert f"weights: {size(made.weights)}" in told[name]
        assert f"{n_head} head" in told[name]
        assert f"{d_head} wide" in told[name]
    assert torch.equal(masked.weights.triu(1), torch.zeros_like(masked.weights))
    assert f"heads of {size(across.weights[0])} weights" in caption(Result(setting, LOOK, n_head)).replace(
        "1 head of", "1 heads of"
    )


def test_encoder_decoder_sentence_follows_sizes_and_not_the_mask() -> None:
    same = caption(Result(OWN, LOOK, 2))
    assert messages_in(same, count=2, n_query=3, n_key=3)
    assert messages_in(
        caption(Result(replace(OWN, cross=True, text="cat"), LOOK, 1)), count=1, n_query=1, n_key=2
    )
    assert caption(Result(replace(OWN, mask="causal", temperature=2.0), LOOK, 2)) == same


@pytest.mark.parametrize("n_head", [1, 4])
def test_encoder_decoder_arrows_end_at_boxes_clear_of_labels(n_head: int) -> None:
    traces = by_name(Result(replace(OWN, cross=True), LOOK, n_head))
    boxes = {name: traces[name] for name in hovers(traces)}
    edges = {
        name: (min(each["x"]), max(each["x"]), min(each["y"]), max(each["y"])) for name, each in boxes.items()
    }
    for x, y in zip(traces["shapes"]["x"], traces["shapes"]["y"], strict=True):
        assert not any(a < x < b and low - 0.1 < y < high + 0.1 for a, b, low, high in edges.values())
    entered: Counter[str] = Counter()
    for name, trace in traces.items():
        if not name.startswith("heads of arrows"):
            continue
        right = {"triangle-right": 1, "triangle-left": -1}.get(trace["marker"]["symbol"], 0)
        for x, y in zip(trace["x"], trace["y"], strict=True):
            tip = x + 0.1 * right, y + (0 if right else 0.1)
            (box,) = (at for at, (a, b, low, high) in edges.items() if a < tip[0] < b and low < tip[1] < high)
            entered[f"{box} from the {'side' if right else 'floor'}"] += 1
    norms = [name for name in boxes if "norm" in name]
    assert len(norms) == 5
    assert entered == Counter(
        {f"{name} from the {where}": 1 for name in norms for where in ("side", "floor")}
        | {f"{name} from the floor": 3 for name in ("self", "masked", "cross")}
        | {f"{name} feed-forward from the floor": 1 for name in ("encoder", "decoder")}
        | {"output from the floor": 1}
    )


def test_encoder_decoder_picture_is_valid_for_plotly() -> None:
    figure = as_plotly(encoder_and_decoder(layers(Result(OWN, LOOK, 2))))
    assert len(figure.data) > 10


def after_click(box: str, **link: Any) -> Controls:
    controls = Controls({"view": NAME, **link})
    clicked = VIEWS[NAME].clicked
    assert clicked is not None
    clicked(controls, Cell(box, 0, 0))
    return controls


def test_encoder_decoder_click_opens_the_view_of_a_box() -> None:
    names = {*hovers(by_name(Result(OWN, LOOK, 2)))}
    assert {*TARGET_OF_BOX} < names
    for box in names:
        for setting, option in TARGET_OF_BOX.get(box, BLOCK):
            assert isinstance(option, bool) or option in getattr(setting, "options", ())
            assert after_click(box, cross=True).values[setting.name] == option
    for box in names - {*TARGET_OF_BOX}:
        assert "norm" in box or "feed-forward" in box
        assert after_click(box).values == {"view": NAME, "tab": "Block"}
    masked = after_click("masked", cross=True).values
    assert masked == {"view": "every head", "cross": False, "hmask": "causal"}
    assert after_click("cross", hmask="causal").values == {
        "view": "every head",
        "cross": True,
        "hmask": "none",
    }
    assert after_click("self", cross=True).values["view"] == "diagram"
    assert isinstance(TAB, Tabs)
    assert {VIEW.name, HEADS_MASK.name} == {"view", "hmask"}


@pytest.mark.parametrize("case", EXAMPLES)
def test_encoder_decoder_click_leaves_an_example_only_if_it_must(case: str) -> None:
    crosses = EXAMPLES[case].key is not EXAMPLES[case].query
    kept = {box: after_click(box, case=case).values["case"] == case for box in ("self", "masked", "cross")}
    assert kept == {"self": not crosses, "masked": not crosses, "cross": crosses}
    assert CASE.default == "own sentence"
