"""A text's flow and eviction, as the page Learned heads shows them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attn_core import AttentionMaps, MultiHeadAttention, load_model
from attn_core.attention_flow import attention_rollout
from attn_core.eviction import POLICIES
from attn_ui.base.controls import Controls
from pages import PAGES
from pages.learned_heads.attention_flow import MOST_TOKENS, AttentionFlow, model_flow
from pages.learned_heads.eviction import HeadEviction
from pages.learned_heads.ranked_heads import RankedHeads
from pages.learned_heads.state import FlowState, Heads
from pages.learned_heads.tabs.flow import checks_of_eviction, checks_of_flow
from pages.learned_heads.views import attention_flow as flow_view
from tests import run_programs, small_models
from tests.sentences import messages_in, numbers_in

FLOW = "look=attention+flow"


def at(link: str) -> Any:
    return PAGES["learned-heads"].at(link)


def values(found: Any, name: str) -> np.ndarray:
    return np.array(
        next(trace["z"] for trace in found.figure()["data"] if trace["name"] == name), dtype=np.float64
    )


def own(*shapes: tuple[int, int, int], causal: bool = False) -> Heads:
    maps = {}
    for number, shape in enumerate(shapes):
        weights = np.random.default_rng(number).random(shape)
        weights = np.tril(weights) if causal else weights
        maps[f"layer {number}"] = weights / weights.sum(-1, keepdims=True)
    return Heads(RankedHeads(AttentionMaps(maps, notes=("of a file",)), "previous token"))


@pytest.mark.parametrize(
    "more", ["", "&task=sort", "&task=reverse", "&ablate=1&ablate=2", "&sinksaside=true"]
)
@pytest.mark.parametrize("layer", [1, 2])
def test_flow_maps_of_a_toy_equal_its_heads(more: str, layer: int) -> None:
    found = at(f"{FLOW}{more}&layer={layer}")
    flow = found.view.result
    assert isinstance(flow, AttentionFlow)
    # A toy of one layer has no second: the link is told so.
    assert [bad.name for bad in found.dropped] == ["layer"] * (layer > len(flow.maps))
    np.testing.assert_allclose(
        values(found, "rollout"), attention_rollout(flow.layer_weights)[flow.at], atol=1e-6
    )
    heads = [each.mean(0) if len(each) else torch.zeros(flow.weights.shape[1:]) for each in flow.maps]
    torch.testing.assert_close(flow.weights, torch.stack(heads).double())
    assert all(check.passed for check in checks_of_flow(flow))
    assert f"ayer {flow.at + 1}" in found.sentence


def test_flow_of_a_switched_off_head_is_zero() -> None:
    flow = at(f"{FLOW}&ablate=1&ablate=2").view.result
    assert not flow.norms[0].any()
    assert flow.norms[1].any()
    np.testing.assert_allclose(flow.rollout[0], np.eye(len(flow.tokens)))


@pytest.mark.parametrize("task", ["induction", "sort"])
def test_flow_sentence_has_the_share_of_other_tokens(task: str) -> None:
    found = at(f"{FLOW}&task={task}&layer=1")
    flow = found.view.result
    weights = flow.maps[0].mean(dim=0).numpy()
    n = len(weights)
    shares = (weights.sum(axis=0) - np.diagonal(weights)) / (n - 1)
    sinks = shares >= max(0.3, min(1, 2 / n))
    given = shares[sinks].sum() if sinks.any() else shares.max()
    assert messages_in(found.sentence, "keys", layer=1, weight=f"{given:.2f}", sinks=int(sinks.sum()))


def test_flow_of_a_file_has_its_notes_and_no_values() -> None:
    flow = model_flow(own((2, 5, 5), (3, 5, 5)))
    assert (flow.norms, flow.is_causal) == (None, False)
    assert "of a file" in flow_view.view(Controls(), FlowState(own((2, 5, 5)))).notes
    assert len(checks_of_flow(flow)) == 2
    assert model_flow(own((2, 5, 5), causal=True)).is_causal


@pytest.mark.parametrize(
    ("shapes", "why"),
    [
        ([(1, 4, 5)], "sides of 4, 5"),
        ([(1, 4, 4), (1, 6, 6)], "sides of 4, 6"),
        ([(1, MOST_TOKENS + 1, MOST_TOKENS + 1)], "at most 128 tokens"),
    ],
)
def test_flow_refuses_maps_of_unequal_sides_or_too_many_tokens(
    shapes: list[tuple[int, int, int]], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        model_flow(own(*shapes))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("budget", [1, 4, 13])
def test_eviction_picture_equals_the_computation(policy: str, budget: int) -> None:
    found = at(f"look=eviction&policy={policy}&budget={budget}")
    result = found.view.result
    assert isinstance(result, HeadEviction)
    assert result.budget == budget
    drawn = values(found, "head 2.1")
    np.testing.assert_allclose(drawn[result.mask[2].numpy()], result.weights[2][result.mask[2]], atol=1e-6)
    assert np.isnan(drawn[~result.mask[2].numpy()]).all()
    assert all(check.passed for check in checks_of_eviction(result))
    assert f"{float(result.errors.mean()):.3f}" in found.sentence
    if policy == "StreamingLLM" and budget < 13:  # the sinks are those before the first gap
        assert numbers_in(found.view.notes[0])[0] == result.mask[0, -1].tolist().index(False)
    assert found.tables["eviction"][policy][budget - 1] == pytest.approx(float(result.errors.mean()))


@pytest.mark.parametrize("link", ["look=eviction&task=reverse", "look=eviction&task=reverse&budget=3"])
def test_eviction_is_absent_for_bidirectional_models(link: str) -> None:
    found = at(link)
    assert found.view.figure is None
    assert "writes token by token" in found.controls.messages[-1]


def test_flow_length_is_of_one_layer_only() -> None:
    module = MultiHeadAttention(4, 2, seed=0, dtype=torch.float64).requires_grad_(False)
    stages = module(torch.eye(4, dtype=torch.float64))
    flow = model_flow(own((2, 4, 4)))
    lengths = AttentionFlow(**(vars(flow) | {"stages": [stages], "on": [[1]]})).norms
    assert module.W_o is not None
    written = stages.weights[1, :, :, None] * (stages.value[1] @ module.W_o.weight[:, 2:].T)
    torch.testing.assert_close(lengths, written.norm(dim=-1)[None])


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "bert"])
def test_flow_works_for_any_model_family(name: str, tmp_path: Path) -> None:
    model = load_model(small_models.write(tmp_path / "small", name))
    maps = model.attend("the cat sat")
    masks = [None if each is None else each.numpy() for each in model.masks(len(maps.tokens or ()))]
    flow = model_flow(Heads(RankedHeads(maps, "previous token", masks=masks), model, "the cat sat"))
    assert flow.is_causal == model.is_causal
    assert all(check.passed for check in checks_of_flow(flow))
    assert not flow.weights[~flow.mask].any()


PRINTED = [FLOW, f"{FLOW}&task=reverse&layer=1&ablate=1&sinksaside=true", "look=eviction&policy=StreamingLLM"]
PRINTED += ["look=eviction&budget=3"]


@pytest.mark.parametrize("kind", run_programs.KINDS)
@pytest.mark.parametrize("link", PRINTED)
def test_flow_programs_print_the_numbers(link: str, kind: str) -> None:
    found = at(link)
    result = found.view.result
    printed = np.array(re.findall(r"-?\d+\.\d*", run_programs.run(found.programs, kind)), dtype=np.float64)
    if isinstance(result, AttentionFlow):
        wanted = [
            each[result.at]
            for each in (result.layer_weights, result.norms, result.rollout)
            if each is not None
        ]
    else:
        wanted = [result.weights, result.errors]
    np.testing.assert_allclose(printed, torch.cat([each.flatten() for each in wanted]), atol=1.1e-4)


def test_flow_hover_of_a_key_has_its_share_and_length() -> None:
    found = at(f"{FLOW}&layer=2")
    (drawn,) = (trace for trace in found.figure()["data"] if trace["name"] == "written")
    lengths = found.view.result.norms[1].numpy()
    np.testing.assert_allclose(drawn["customdata"][..., 0], lengths, atol=1e-6)
    np.testing.assert_allclose(
        np.nan_to_num(drawn["z"]), lengths / lengths.sum(axis=1, keepdims=True), atol=1e-6
    )
    told = drawn["hovertemplate"]
    assert "query <b>%{y}</b>, key <b>%{x}</b>" in told
    assert re.search(r"share of the row\S* length <b>%\{z", told)
    assert re.search(r"length ‖α f\(x\)‖ %\{customdata\[0\]", told)
    (last,) = (trace for trace in found.figure()["data"] if trace["name"] == "last token")
    assert "head <b>%{y}</b>, key <b>%{x}</b>" in last["hovertemplate"]
    np.testing.assert_allclose(last["z"], found.view.result.maps[1][:, -1].detach(), atol=1e-6)


@pytest.mark.parametrize(
    ("address", "link", "one", "several"),
    [
        ("learned-heads", "look=eviction&budget=1", "1 key", "2 keys"),
        ("positional-encoding", "show=encoding&drive=length&length=1", "1 position", "2 positions"),
        (
            "positional-encoding",
            "show=similarity&scheme=ramp&drive=length&length=1",
            "1 position",
            "2 positions",
        ),
        (
            "positional-encoding",
            "show=length+extrapolation&drive=length&trained=4",
            "4 positions",
            "8 positions",
        ),
    ],
)
def test_flow_slider_has_a_singular_for_one(address: str, link: str, one: str, several: str) -> None:
    figure: Any = PAGES[address].at(link).view.figure
    texts = figure.slider.texts()
    assert texts[:2] == [one, several]
    assert len({*texts}) == len(texts)


def test_flow_link_to_a_removed_view_opens_its_neighbour() -> None:
    old, result = at("look=eviction&texts=8&device=H100&budget=3"), at("look=eviction&budget=3")
    assert old.dropped == []
    assert old.sentence == result.sentence
