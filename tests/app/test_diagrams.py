"""Block diagrams: shapes on arrows are those of tensors made some other way; each box opens something."""

import random
import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from attn_core import Masking, make_mask
from attn_figures.picture import Spec
from attn_ui.base.parameters import Choice
from attn_ui.base.shared_settings import TEMPERATURE
from pages.multi_head.compute import Result, divisors
from pages.multi_head.state import HeadsOptions, HeadsSetting
from pages.multi_head.views import diagram as heads_view
from pages.single_head.compute import at_every_step
from pages.single_head.settings import MASK_WIDTH, STAGE
from pages.single_head.stages import STAGE_OF_BOX, STAGES, caption
from pages.single_head.state import Inputs, Scoring, StageOptions, State
from tests.sentences import messages_in, numbers_in

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "slept", "there"]


def labels(spec: Spec) -> list[str]:
    """What the arrows carry."""
    (found,) = (trace["text"] for trace in spec["data"] if trace["name"] == "shapes")
    return [*found]


def boxes(spec: Spec) -> dict[str, str]:
    """The words in each box that can be clicked, by its name."""
    (texts,) = (trace["text"] for trace in spec["data"] if trace["name"] == "boxes")
    names = [trace["name"] for trace in spec["data"] if trace.get("meta") == {"opens": True}]
    return dict(zip(names, texts, strict=True))


def hovers(spec: Spec) -> dict[str, str]:
    return {each["name"]: each["text"] for each in spec["data"] if each.get("meta") == {"opens": True}}


def size(*shape: int) -> str:
    return " × ".join(map(str, shape))


# ---- one head ----


@pytest.mark.parametrize("number", range(24))
def test_diagram_shapes_of_one_head_equal_a_hand_made_head(number: int) -> None:
    chance = random.Random(number)
    n, m, width, d_k, d_v = (chance.randint(1, 9) for _ in range(5))
    cross, projected, bias = number % 2 == 1, number % 4 < 2, chance.random() < 0.5
    kind = ("none", "causal", "own", "padding")[number // 2 % 4]
    inputs = Inputs(
        text=" ".join(WORDS[:n]),
        second_text=" ".join(WORDS[:m]) if cross else None,
        width=width, d_k=d_k, d_v=d_v, bias=bias, seed=number,
        qkv="projected" if projected else "as they are",
    )  # fmt: skip
    scoring = Scoring(Masking(kind), "1/√dₖ", 1.0, TEMPERATURE, MASK_WIDTH, "temperature")
    temperature = chance.choice([0.5, 1.0, 2.0])
    (result,) = at_every_step(State(inputs, scoring), look=StageOptions(temperature=temperature))
    spec = STAGES["diagram"].picture(result.matrices)

    m = m if cross else n
    x, y = torch.zeros(n, width), torch.zeros(m, width)
    w = [torch.zeros(width, each) for each in (d_k, d_k, d_v)]
    q, k, v = (x @ w[0], y @ w[1], y @ w[2]) if projected else (x, y, y)
    weights, output = torch.softmax(q @ k.T, -1), F.scaled_dot_product_attention(q, k, v)
    named = {
        "Q": q,
        "K": k,
        "V": v,
        "scores": weights,
        "scaled": weights,
        "weights": weights,
        "output": output,
    }
    if kind != "none":
        named["masked"] = weights
    expected = [f"{name} {size(*each.shape)}" for name, each in named.items()]
    if projected:
        expected += [size(*each.shape) for each in (x, y, y)]
    assert sorted(labels(spec)) == sorted(expected)

    said, told = boxes(spec), hovers(spec)
    assert ("mask" in said) == (kind != "none")
    assert ("W_q" in said) == projected != ("Q" in said)
    assert ("Y" in said) == (projected and cross)
    factor = re.search(r"= × (\S+)$", said["scale"])
    assert factor is not None
    assert float(factor[1]) == pytest.approx(1 / q.shape[-1] ** 0.5 / temperature, rel=5e-3)
    exact = [1 / q.shape[-1] ** 0.5 / temperature, len(weights), len(weights.T)]
    assert numbers_in(told["scale"].replace("<br>", " ")) == pytest.approx(exact, rel=1e-5)
    if kind != "none":
        hidden = int((~make_mask(Masking(kind), n, m, 1)).sum())
        assert said["mask"] == f"Mask  hides {hidden} of {n * m}"
    if projected:
        for letter, each in zip("qkv", w, strict=True):
            assert f"W_{letter}: {size(*each.shape)}" in told[f"W_{letter}"]
        assert ("+ b_q" in told["W_q"]) == bias
    assert [STAGE_OF_BOX[name] for name in said if STAGE_OF_BOX[name] not in STAGE.options] == []
    assert all(told.values())


def test_diagram_sentence_follows_the_selected_pair() -> None:
    scoring = Scoring(Masking("causal"), "1/√dₖ", 1.0, TEMPERATURE, MASK_WIDTH, "temperature")
    (result,) = at_every_step(
        State(Inputs(text="a cat sat"), scoring), (2, 1), look=StageOptions(temperature=2.0)
    )
    query, key = result.matrices.query[2], result.matrices.key[1]
    score = float(query @ key)
    row = np.exp(result.matrices.query[2] @ result.matrices.key.T / 2 / 2.0)
    (told,) = messages_in(caption("diagram", result), "query", "key", "scaled", "weight")
    numbers = [numbers_in(told[each])[0] for each in ("score", "scaled", "weight")]
    assert numbers == pytest.approx([score, score / 4, row[1] / row.sum()], rel=1e-4)
    (result,) = at_every_step(State(Inputs(text="a cat sat"), scoring), (0, 1))
    assert "; weight 0.000000." in caption("diagram", result)


def test_diagram_query_with_nothing_to_attend_to_is_named_in_its_box() -> None:
    scoring = Scoring(
        Masking("own", blocked_cells=((0, 0),)), "1/√dₖ", 1.0, TEMPERATURE, MASK_WIDTH, "temperature"
    )
    (result,) = at_every_step(State(Inputs(text="cat"), scoring))
    assert boxes(STAGES["diagram"].picture(result.matrices))["softmax"] == "SoftMax  Σ = 1 or empty"


# ---- many heads ----

OWN = HeadsSetting("own sentence", "", "", cross=False, d_model=8, d_memory=8, d_head=None, bias=False,
              projection=True, seed=4, mask="none", reach=1)  # fmt: skip


@pytest.mark.parametrize("number", range(24))
def test_diagram_shapes_of_many_heads_equal_hand_made_heads(number: int) -> None:
    chance = random.Random(number)
    n, m = chance.randint(1, 9), chance.randint(1, 9)
    n_head, cross, projection = chance.choice([1, 2, 4, 6]), number % 2 == 1, number % 3 > 0
    free, bias = chance.random() < 0.5, chance.random() < 0.5
    d_model = 12
    d_memory = chance.randint(1, 12) if cross else d_model
    d_head = chance.randint(1, 9) if free else d_model // n_head
    groups = chance.choice(divisors(n_head))
    setting = replace(
        OWN, text=" ".join(WORDS[:n]), memory_text=" ".join(WORDS[:m]), cross=cross, d_model=d_model,
        d_memory=d_memory, d_head=d_head if free else None, bias=bias, projection=projection,
        mask=chance.choice(["none", "causal"]), temperature=chance.choice([0.5, 1.0]),
    )  # fmt: skip
    result = Result(setting, HeadsOptions("diagram", "number", 0, 0, (), groups), n_head)
    spec = heads_view.picture(result)

    m = m if cross else n
    x, y = torch.zeros(n, d_model), torch.zeros(m, d_memory)

    def split(source: torch.Tensor, count: int) -> torch.Tensor:
        made = source @ torch.zeros(source.shape[1], count * d_head)
        return torch.stack(made.split(d_head, dim=-1))

    q, k, v = split(x, n_head), split(y, groups), split(y, groups)
    shared = [part.repeat_interleave(n_head // groups, 0) for part in (k, v)]
    each = F.scaled_dot_product_attention(q, shared[0], shared[1])
    joined = each.transpose(0, 1).flatten(-2)
    named = {"Q": q, "K": k, "V": v, "heads": each}
    expected = [f"{name} {size(*part.shape)}" for name, part in named.items()]
    expected += [size(*part.shape) for part in (x, y, y, joined)]
    if projection:
        expected.append(size(*(joined @ torch.zeros(joined.shape[-1], d_model)).shape))
    assert sorted(labels(spec)) == sorted(expected)

    said, told = boxes(spec), hovers(spec)
    assert ("W_o" in said) == projection
    assert ("Y" in said) == cross
    if projection:
        assert f"W_o: {size(n_head * d_head, d_model)}" in told["W_o"]
        assert ("+ b_o" in told["W_o"]) == bias
    times = {count: "" if count == 1 else f"{count} × " for count in (n_head, groups)}
    assert said["W_q"] == f"{times[n_head]}Linear"
    assert said["W_k"] == said["W_v"] == f"{times[groups]}Linear"
    assert ("read the same keys" in told["attention"]) == (groups < n_head)
    assert ("T = 0.5" in told["attention"]) == (setting.temperature == 0.5)
    assert ("mask: causal" in told["attention"]) == (setting.mask == "causal")
    for name in said:
        opened, option = heads_view.TARGET_OF_BOX[name]
        assert isinstance(opened, Choice)
        assert option in opened.options
    assert f"{d_head} wide" in heads_view.describe(result)


def test_diagram_key_heads_that_do_not_divide_become_the_next_fewer() -> None:
    setting = replace(OWN, text="a cat", d_model=12)
    for n_head, wanted in product((1, 4, 6), (1, 3, 4, 16)):
        result = Result(setting, HeadsOptions("diagram", "number", 0, 0, (), wanted), n_head)
        shapes = heads_view.shapes(result)
        assert shapes.key[0] == max(each for each in divisors(n_head) if each <= wanted)


# ---- how it stands ----


def wide(screen: dict[str, Any], levels: float) -> float:
    """How many units wide the diagram is drawn: a level has 1.6."""
    (left, right), (low, high) = (screen["settings"][f"layout.{side}axis.domain"] for side in "xy")
    across, down = (right - left) * screen["width"], (high - low) * screen["height"]
    return float(round(across / down * 1.6 * levels, 1))
