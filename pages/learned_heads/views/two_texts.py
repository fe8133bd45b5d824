"""One head on two texts: A, B and B − A; the slider has the heads that change most first."""

from collections import ChainMap
from dataclasses import replace
from html import escape

import numpy as np

from attn_figures.matrix import frame_at
from attn_figures.picture import Spec
from attn_figures.scene import Scene
from attn_figures.ties import largest_first
from attn_figures.two_texts import MAPS, two_texts
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of, capital, coloured, plain
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.parameters import label_of
from attn_ui.base.scenes import shared_scene
from attn_words import _
from pages.learned_heads import words
from pages.learned_heads.compute import array
from pages.learned_heads.ranked_heads import SPECIAL
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import PAIR_HEAD, PAIR_QUERY, RANK_BY, WHOLE_TAB
from pages.learned_heads.two_texts import TwoTexts

_NAMED = 2  # keys named in the caption
_ROUNDING = 1e-5  # what rounding alone moves, in single precision


def view(controls: Controls, state: TwoTexts) -> View[AnyResult]:
    """Draw the heads in their order; show why if the texts cannot be compared."""
    try:
        pair = state.pair
    except ValueError as error:
        controls.caption(f":material/error: {plain(capital(str(error)))}.")
        return View(None, None)
    n, n_head = len(pair.alignment.tokens), len(pair.changes)
    every = replace(PAIR_HEAD, values=PAIR_HEAD.values[:n_head])
    heads = tuple(state.on_slider(every.nearest(controls.value(every))))
    slider = replace(PAIR_HEAD, values=tuple(head + 1 for head in heads))
    queries = replace(PAIR_QUERY, values=PAIR_QUERY.values[n - 1 :: -1])
    state = replace(
        state,
        head=heads[slider.nearest(controls.value(slider))],
        row=queries.nearest(controls.value(queries)),
    )
    figure = Figure(
        _draw(state.texts, state.pieces, heads, state),
        key="two texts",
        name=f"two sentences, {state.model.name}",
        slider=Slider(
            _("Head, by what changes"),
            slider,
            names=[_("head {number}", number=state.number(head)) for head in heads],
        ),
        rows=Slider(_("Query"), queries, state.labels),
    )
    about = _(
        "A is “{first}”, B “{second}”. What moves of a row: half the sum of the absolute differences (total "
        "variation), a word that one sentence lacks counted as zero. Heads stand in the order of its mean "
        "over the words that both have.",
        first=plain(state.texts[0]),
        second=plain(state.texts[1]),
    )
    notes = [Small(about), Small(words.about_model(state.model))]
    if state.model.is_causal and float(pair.changes.max()) < _ROUNDING:
        nothing = _(
            "Nothing moves: words see only what stands before them, and before each word that both sentences "
            "have these are the same. Type two that differ earlier."
        )
        notes.insert(0, Small(f":material/info: {nothing}"))
    return View(state, figure, notes=notes, tabs=WHOLE_TAB)


@shared_scene
def _draw(texts: tuple[str, str], pieces: bool, heads: tuple[int, ...], _state: TwoTexts) -> Scene:
    """Draw the heads; the cache's key leaves out the model, as a process has only one."""
    del texts, pieces
    pair, labels = _state.pair, _state.labels
    alignment, weights = pair.alignment, array(pair.weights)
    titles = [*"AB"]
    for side, places in enumerate((alignment.first, alignment.second)):
        if own := [labels[at] for at in places if at not in alignment.shared]:
            titles[side] = _("{text}: {words}", text=titles[side], words=escape(all_of(own)))
    limit = float((pair.weights[1] - pair.weights[0])[pair.visible.all(dim=0)].abs().max()) or 1.0

    def draw(head: int) -> Spec:
        return two_texts(weights[:, head], pair.visible[:, head].numpy(), labels, titles, limit=limit)

    rows = range(len(labels))
    frames = (frame_at(name, row=np.array(rows)) for name in MAPS)
    return Scene(
        LazyMap(draw, heads),
        Cursor(len(rows), ChainMap(*frames)),
        captions=LazyMap(lambda head: [_caption(_state, head, row) for row in rows], heads),
    )


def _caption(state: TwoTexts, head: int, row: int) -> str:
    """Return a query's heaviest keys in both texts, how much of its row moves, and the head's rank."""
    pair = state.pair
    common = [place for place in pair.alignment.shared if place not in pair.special]
    rows = array(pair.weights[:, head, row])
    keys = {
        coloured("key", state.labels[common[at]]): [common[at]]
        for at in largest_first(rows.sum(axis=0)[common])[:_NAMED]
    }
    if pair.special:
        keys[label_of(RANK_BY, SPECIAL)] = [*pair.special]
    has_row = [row in places for places in (pair.alignment.first, pair.alignment.second)]
    shares = []
    for key, places in keys.items():
        first, second = (
            words.mean(float(each[places].sum())) if has else "–"
            for each, has in zip(rows, has_row, strict=True)
        )
        shares.append(_("{key} **{first}** in A, **{second}** in B", key=key, first=first, second=second))
    change = float(pair.changes[head, pair.alignment.shared.index(row)]) if all(has_row) else None
    return _(
        "**{head}**, query {query}: {weights}. Moved: **{moved}** of the row, {mean} on average, rank "
        "{rank} of {heads}.",
        head=capital(_("head {number}", number=state.number(head))),
        query=coloured("query", state.labels[row]),
        weights=_("; ").join(shares),
        moved="–" if change is None else words.mean(change),
        mean=words.mean(float(state.means[head])),
        rank=state.order.index(head) + 1,
        heads=len(state.order),
    )
