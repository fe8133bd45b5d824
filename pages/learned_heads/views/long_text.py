"""One layer of a real model on a long text: a head in blocks, and a zoomed map below."""

from dataclasses import replace

from attn_figures import long_head
from attn_figures.scene import Scene
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import capital, plain
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.scenes import shared_scene
from attn_words import _, paragraph
from pages.learned_heads import words
from pages.learned_heads.long_text import (
    FIRST,
    ITSELF,
    PREVIOUS,
    SPECIAL,
    LayerSummary,
    LongText,
    describe_blocks,
    reading,
    summarise_with_progress,
)
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import LONG_TAB, WITHIN
from pages.learned_heads.visible_part import visible_part


def view(controls: Controls, result: LongText) -> View[AnyResult]:
    """Draw the heads of the layer; show the error if they cannot be computed."""
    model = result.model
    heads = range(1, model.n_head + 1)
    slider = replace(WITHIN, values=tuple(map(float, heads)))
    head = slider.nearest(controls.value(slider))
    try:
        with controls.working() as tell:
            if not _draw.pack.is_kept(result.text, result.layer, result):
                summarise_with_progress(result, lambda layer, at: tell(*reading(result, layer, at)))
        scene = _draw(result.text, result.layer, result)
        scene.pack()
    except ValueError as error:
        fault = _("{fault}.", fault=plain(capital(str(error))))
        controls.caption(f":material/error: {fault}")
        return View(None, None)
    figure = Figure(
        scene,
        key="long",
        name=f"heads of {model.name}, layer {result.layer + 1}",
        slider=Slider(_("Head of the layer"), slider, names=[result.name(each - 1) for each in heads]),
        caption=describe_blocks(result.n),
    )
    one_layer = _(
        "The maps of all heads together have room for {most} tokens, and this text has {places}: here is one "
        "layer at a time.",
        most=f"{model.most_tokens:,}",
        places=f"{result.n:,}",
    )
    notes = [one_layer, words.about_model(model)]
    return View(
        replace(result, head=head, zoom=visible_part(controls, (result.n, result.n))),
        figure,
        notes=[*map(Small, notes)],
        below="long_head",
        tabs=LONG_TAB,
    )


@shared_scene
def _draw(text: str, layer: int, _result: LongText) -> Scene:
    """Draw all heads of a layer; the cache's key leaves out the model, as a process has only one."""
    del text, layer
    summary, labels = _result.summary, _result.labels
    heads = range(_result.model.n_head)
    panels = [
        long_head.spec(summary.blocks[head], _result.number(head), labels, summary.size) for head in heads
    ]
    return Scene(panels, captions=[_caption(_result, summary, head) for head in heads])


def _caption(result: LongText, summary: LayerSummary, head: int) -> str:
    """Say a head's mean weights on the token before, the token itself and a sink."""
    sink = SPECIAL if SPECIAL in summary.shares else FIRST
    before, itself = (words.mean(summary.shares[which][head]) for which in (PREVIOUS, ITSELF))
    fields = {
        "head": capital(result.name(head)),
        "places": f"{result.n:,}",
        "before": before,
        "itself": itself,
    }
    sentence = _(
        "**{head}**: of {places} tokens each gives the one before **{before}** of its weight and itself "
        "**{itself}**, on average.",
        **fields,
    )
    return paragraph(sentence, words.sink_weight(sink, summary.shares[sink][head]))
