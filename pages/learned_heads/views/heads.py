"""All heads of a whole model in the order of a measure: thumbnails, and one head large."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attn_figures.scene import Scene
from attn_figures.ties import TIE
from attn_figures.whole_model import OVERVIEW, head_at, steps
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of, plain
from attn_ui.base.page import Cell, Figure, Slider, Small, View
from attn_ui.base.parameters import label_of
from attn_ui.base.scenes import Packed, SharedScene, pack_scene, shared_scene
from attn_ui.base.search_entries import Place
from attn_ui.base.shared_settings import KEY, QUERY
from attn_words import _, language, paragraph
from pages.learned_heads import words
from pages.learned_heads.controls import ORDERS
from pages.learned_heads.long_text import describe_blocks
from pages.learned_heads.ranked_heads import RankedHeads, head_names
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import RANK, RANK_BY, WHOLE_TAB
from pages.learned_heads.state import Heads
from pages.learned_heads.visible_part import visible_part

_PAYLOAD = "learned_own_made"
_MOST_NAMES = 12


def view(controls: Controls, heads: Heads) -> View[AnyResult]:
    """Draw the heads in their order."""
    ranked, model = heads.ranked, heads.model
    rank = controls.place(RANK, ranked.n_head) + 1
    orders = tuple(tuple(ranked.order_by(measure)) for measure in RANK_BY.options)
    controls.remember(ORDERS, (ranked.order[rank - 1], orders))
    slider = ranked.slider(rank)
    ranks = tuple(int(each) for each in slider.values)
    if model is None:
        scene = SharedScene(partial(_draw, ranked, ranks), partial(_draw_of_session, controls, ranked, ranks))
    else:
        scene = _shared(heads.text, ranked.words_only, ranked.measure, ranks, ranked)
    figure = Figure(
        scene,
        key="own" if model is None else "real",
        name=f"heads of {'an own model' if model is None else model.name}",
        slider=Slider(
            _("Head, by {measure}", measure=label_of(RANK_BY, ranked.measure)),
            slider,
            names=head_names(ranked, ranks),
        ),
        selection={"query": QUERY, "key": KEY},
        clicked=partial(_select_clicked, ranked),
        caption=describe_blocks(ranked.longest) if ranked.is_long else "",
    )
    head = ranked.order[rank - 1]
    layer, within = ranked.model.at(head)
    zoom = visible_part(controls, ranked.layers[layer][within].shape) if ranked.is_long else ""
    left_out = _(
        "The slider has {shown} of {heads} heads, with maps of {places} tokens; all are among the thumbnails "
        "and in the tab Heads.",
        shown=len(ranks),
        heads=ranked.n_head,
        places=ranked.longest,
    )
    notes = [
        _("A click on a thumbnail shows its head large."),
        f":material/info: {left_out}" if len(ranks) < ranked.n_head else "",
        *_notes(heads),
    ]
    return View(
        replace(heads, head=head, zoom=zoom),
        figure,
        notes=[Small(each) for each in notes if each],
        below="long_head" if ranked.is_long else "",
        tabs=WHOLE_TAB,
        leads=[Place("applications", {"use": "images"})] if model is None else [],  # a file of patch weights
    )


def _notes(heads: Heads) -> list[str]:
    """Return notes on the source of the heads and on hidden tokens."""
    ranked, model = heads.ranked, heads.model
    hidden_tokens = ""
    if ranked.words_only and ranked.special:
        hidden_tokens = _(
            "Hidden: {tokens}. Each row shows how its weight on the words is shared out, divided by its sum; "
            "measures and order are of the true weights.",
            tokens=all_of([*dict.fromkeys(map(plain, ranked.special))]),
        )
    if model is not None:
        return [paragraph(words.about_model(model), hidden_tokens)]
    layers = [f"{number} {plain(name)}" for number, name in enumerate(ranked.names, start=1)]
    names = _(", ").join([*layers[:_MOST_NAMES], *(["…"] if len(layers) > _MOST_NAMES else [])])
    return [
        *(f":material/content_cut: {plain(note)}" for note in ranked.maps.notes),
        hidden_tokens,
        _("Layers, as the file names them: {names}.", names=names),
    ]


@shared_scene
def _shared(text: str, hide: bool, measure: str, ranks: tuple[int, ...], _ranked: RankedHeads) -> Scene:
    """Draw a real model's heads; the cache's key leaves out the model, as a process has only one."""
    del text, hide, measure
    return _draw(_ranked, ranks)


def _draw_of_session(controls: Controls, ranked: RankedHeads, ranks: tuple[int, ...]) -> Packed:
    """Draw the heads of a file; the session keeps the picture of the present order alone."""
    request = (ranked.maps, ranked.words_only, ranked.measure, ranks, language())
    nothing: tuple[object, Packed | None] = (None, None)
    cached, payload = controls.recall(_PAYLOAD, nothing)
    if payload is None or cached != request:
        payload = pack_scene(_draw(ranked, ranks))
        controls.remember(_PAYLOAD, (request, payload))
    return payload


def _draw(ranked: RankedHeads, ranks: Sequence[int]) -> Scene:
    figures = steps(ranked.model, [rank - 1 for rank in ranks])
    return Scene(figures, captions=LazyMap(partial(_caption, ranked), ranks))


def _caption(ranked: RankedHeads, rank: int) -> str:
    head, scores = ranked.order[rank - 1], np.array(ranked.scores)
    alike = np.isclose(scores, scores[head], rtol=TIE, atol=0)
    higher = int((~alike & (scores > scores[head])).sum())
    return words.describe_head(ranked, head, higher + 1, int(alike.sum()) - 1)


def _select_clicked(ranked: RankedHeads, controls: Controls, cell: Cell) -> None:
    """Show the head of the clicked thumbnail large."""
    head = head_at(ranked.layers, cell.row, cell.column) if cell.trace == OVERVIEW else None
    if head is not None:
        controls.move(RANK, ranked.order.index(head) + 1)
