"""Attention flow through all layers: each layer's mean weights, lengths of weighted values and rollout."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from attn_core.attention_flow import SINK_SHARE
from attn_figures.attention_flow import Layer, attention_flow
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of, coloured, plain
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.scenes import SharedScene, pack_scene, shared_scene
from attn_ui.base.shared_settings import KEY, QUERY
from attn_words import _, paragraph
from pages.learned_heads import words
from pages.learned_heads.attention_flow import AttentionFlow, model_flow, toy_flow
from pages.learned_heads.compute import Result, array, steps_of
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import FLOW_TAB
from pages.learned_heads.state import FlowState, Heads, ToySetting


def view(controls: Controls, state: FlowState) -> View[AnyResult]:
    """Draw every layer; show why if the maps do not allow it."""
    source = state.source
    if isinstance(source, ToySetting):
        steps, whose = steps_of(source.recipe), source.recipe.task
        flow = toy_flow(Result(source, steps.nearest(controls.value(steps))), drops_sinks=state.drops_sinks)
    else:
        whose = source.model.name if source.model else "an own model"
        try:
            flow = model_flow(source, drops_sinks=state.drops_sinks)
        except ValueError as error:
            controls.caption(f":material/error: {error}.")
            return View(None, None)
    slider = flow.slider
    layers = tuple(int(each) - 1 for each in slider.values)
    flow = replace(flow, at=layers[slider.nearest(controls.value(slider))])
    figure = Figure(
        _shared(_key(flow), state.drops_sinks, layers, flow)
        if _key(flow)
        else SharedScene(lambda: _draw(flow, layers), lambda: pack_scene(_draw(flow, layers))),
        key="flow toy" if isinstance(source, ToySetting) else "flow model",
        name=f"flow of a text, {whose}",
        slider=Slider(_("Layer"), slider),
        selection={"query": QUERY, "key": KEY},
    )
    notes = [_about(flow)]
    if isinstance(source, Heads):
        notes += [words.about_model(source.model)] if source.model else map(plain, source.ranked.maps.notes)
    return View(flow, figure, notes=[*map(Small, notes)], tabs=FLOW_TAB)


def _key(flow: AttentionFlow) -> Hashable:
    """Return the cache key of a model and its text; "" for a file, which is not cached for all sessions."""
    if isinstance(flow.source, Result):
        return flow.source.setting, flow.source.at
    return flow.source.text


def _about(flow: AttentionFlow) -> str:
    """Return the note on how the maps are computed and which keys are sinks."""
    return _(
        "Rollout: half of each place passes a layer on the residual connection, half comes by the mean "
        "weights (Abnar and Zuidema, 2020). What a key writes is its weight times the length of its value "
        "after W_o (Kobayashi et al., 2020). An attention sink has at least {bar} of the other tokens' "
        "weight, on average.",
        bar=f"{max(SINK_SHARE, min(1.0, 2 / len(flow.tokens))):.2f}",
    )


@shared_scene
def _shared(key: Hashable, drops_sinks: bool, layers: tuple[int, ...], _flow: AttentionFlow) -> Scene:
    del key, drops_sinks
    return _draw(_flow, layers)


def _draw(flow: AttentionFlow, layers: tuple[int, ...]) -> Scene:
    figures = LazyMap(lambda layer: attention_flow(layer_of(flow, layer)), layers)
    return Scene(figures, captions=LazyMap(lambda layer: _caption(flow, layer), layers))


def layer_of(flow: AttentionFlow, at: int) -> Layer:
    """Return one layer as the figure's value."""
    last, names = None, list(flow.numbers[at])
    if flow.is_causal:
        last = array(flow.maps[at][:, -1]) if names else np.zeros((1, len(flow.tokens)))
        names = names or [_("none is on")]
    return Layer(
        at + 1,
        len(flow.maps[at]),
        flow.labels,
        array(flow.layer_weights[at]),
        array(flow.rollout[at]),
        None if flow.written_shares is None else array(flow.written_shares[at]),
        None if flow.norms is None else array(flow.norms[at]),
        flow.visible[at].numpy(),
        bool(flow.dropped_keys[at].any()),
        last,
        names,
    )


def _caption(flow: AttentionFlow, at: int) -> str:
    """Return the caption of a layer: its sinks, the rollout's mean diagonal, the last query's key."""
    if not flow.on[at]:
        return _("Every head of layer {layer} is off: it reads nothing.", layer=at + 1)
    top = flow.sinks[at].nonzero().flatten().tolist() or [int(flow.shares[at].argmax())]
    sentences = [
        _(
            "Layer {layer}: weight of the other tokens on {keys} **{weight}**; attention sinks: {sinks}; up "
            "to here **{own}** of a place is its own token's, on average.",
            layer=at + 1,
            keys=all_of([coloured("key", flow.labels[key]) for key in top]),
            weight=f"{float(flow.shares[at, top].sum()):.2f}",
            sinks=int(flow.sinks[at].sum()),
            own=f"{float(flow.rollout[at].diagonal().mean()):.2f}",
        )
    ]
    if flow.is_causal:
        key = int(flow.weights[at, -1].argmax())
        ends = {"query": coloured("query", flow.labels[-1]), "key": coloured("key", flow.labels[key])}
        weight = f"{float(flow.weights[at, -1, key]):.2f}"
        sentences.append(
            _("Query {query}, the last: largest mean weight **{weight}** on {key}.", weight=weight, **ends)
        )
    return paragraph(*sentences)
