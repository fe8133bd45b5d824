"""One layer of a real model on a long text: a head in blocks, and whole beneath."""

from dataclasses import replace

from attn_figures import long_head
from attn_figures.scene import Scene
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import capital, plain
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.scenes import shared_scene
from attn_words import _, paragraph
from pages.learned_heads import words
from pages.learned_heads.found import Found
from pages.learned_heads.in_sight import in_sight
from pages.learned_heads.long_text import (
    FIRST,
    ITSELF,
    PREVIOUS,
    SPECIAL,
    LongText,
    Looks,
    in_blocks,
    look,
    reading,
)
from pages.learned_heads.settings import LONG_TAB, WITHIN


def view(controls: Controls, asked: LongText) -> View[Found]:
    """Draw the heads of the layer; say why where numbers overflow."""
    model = asked.model
    heads = range(1, model.n_head + 1)
    slider = replace(WITHIN, values=tuple(map(float, heads)))
    head = slider.nearest(controls.value(slider))
    try:
        with controls.working() as tell:
            if not _drawn.packed.is_kept(asked.text, asked.layer, asked):
                look(asked, lambda layer, at: tell(*reading(asked, layer, at)))
        scene = _drawn(asked.text, asked.layer, asked)
        scene.pack()
    except ValueError as error:
        fault = _("{fault}.", fault=plain(capital(str(error))))
        controls.say(f":material/error: {fault}")
        return View(None, None)
    figure = Figure(
        scene,
        key="long",
        alt=_("One head's map of a long text, in blocks of which the largest weight is shown"),
        name=f"heads of {model.name}, layer {asked.layer + 1}",
        slider=Slider(_("Head of the layer"), slider, names=[asked.name(each - 1) for each in heads]),
        caption=in_blocks(asked.n),
    )
    one_layer = _(
        "The maps of all heads together have room for {most} tokens, and this text has {places}: here is one "
        "layer at a time. Measures of all heads and attention flow are of shorter texts.",
        most=f"{model.most_tokens:,}",
        places=f"{asked.n:,}",
    )
    notes = [one_layer, words.about_model(model, asked.read.labels)]
    return View(
        replace(asked, head=head, zoom=in_sight(controls, (asked.n, asked.n))),
        figure,
        notes=[*map(Small, notes)],
        below="long_head",
        tabs=LONG_TAB,
    )


@shared_scene
def _drawn(text: str, layer: int, _asked: LongText) -> Scene:
    """Draw all heads of a layer; there is one model a process, so it is no part of what is asked."""
    del text, layer
    looks, labels = _asked.looks, _asked.labels
    heads = range(_asked.model.n_head)
    drawn = [long_head.spec(looks.blocks[head], _asked.number(head), labels, looks.size) for head in heads]
    return Scene(drawn, captions=[_say(_asked, looks, head) for head in heads])


def _say(result: LongText, looks: Looks, head: int) -> str:
    """Say what one head of a long text looks at."""
    drawn = SPECIAL if SPECIAL in looks.shares else FIRST
    before, itself = (words.mean(looks.shares[which][head]) for which in (PREVIOUS, ITSELF))
    fields = {
        "head": capital(result.name(head)),
        "places": f"{result.n:,}",
        "before": before,
        "itself": itself,
    }
    told = _(
        "**{head}**: of {places} tokens each gives the one before **{before}** of its weight and itself "
        "**{itself}**, on average.",
        **fields,
    )
    return paragraph(told, words.drawn_weight(drawn, looks.shares[drawn][head]))
