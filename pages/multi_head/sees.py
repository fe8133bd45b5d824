"""The picture of all heads at every place of the slider, and what newcomers may stumble over."""

from attn_ui.base.ask import Ask
from attn_ui.base.masking import mask_said, toggle_cell
from attn_ui.base.page import Cell, Figure, Seen, Small, query_rows
from attn_ui.base.shared_settings import HEAD, KEY, QUERY
from attn_words import _
from pages.multi_head import words
from pages.multi_head.asks import Asked, with_heads
from pages.multi_head.compute import Now, by_hand, heads_slider, sequences, sizes_of
from pages.multi_head.settings import HEADS, HEADS_MASK
from pages.multi_head.sliders import Moving
from pages.multi_head.views import VIEWS, scene, set_aside
from pages.multi_head.views.conditions import notes_on
from pages.multi_head.weights import weights


def sees(ask: Ask, asked: Asked) -> Seen[Now]:
    """Draw the maps; under them stand the switches of heads."""
    moving = asked.moving
    with ask.under_picture():
        look = with_heads(ask, asked.look, moving.heads(ask))
    n_query, n_key = sequences(moving.setting).shape
    slider = moving.slider
    cell = ask.place(QUERY, n_query), ask.place(KEY, n_key)
    now = moving.at(ask.value(slider.steps), look, cell)
    by_click = _block_or_free if now.setting.mask == "own" else None
    by_query = VIEWS[look.view].follow is not None
    figure = Figure(
        scene(moving.still, look.drawn),
        key="maps",
        alt=_(VIEWS[look.view].alt),
        name="multi-head attention",
        slider=slider,
        rows=query_rows(now.tokens.queries) if by_query else None,
        chosen={"key": KEY} if by_query else {"query": QUERY, "key": KEY, "head": HEAD},
        clicked=VIEWS[look.view].clicked or by_click,
        says_what_is_chosen=look.view == "two heads",
        caption="" if VIEWS[look.view].plain else mask_said(HEADS_MASK, now.setting.kinds),
    )
    notes = [Small(note) for note in _notes(ask, moving, now)]
    return Seen(now, figure, formula=set_aside.formula(now), notes=notes)


def _notes(ask: Ask, moving: Moving, now: Now) -> list[str]:
    """Return what is to be said of masks and widths, of heads and values that cannot be had, and of W."""
    notes = [f":material/info: {note}" for note in notes_on(now)]
    sizes = now.tokens.shape
    wanted, slider = int(ask.value(HEADS)), moving.slider
    if wanted != now.n_head:
        offered = [int(heads) for heads in heads_slider(now.setting).values]
        turned = now.module.rotation is not None
        why = words.other_heads(wanted, now.n_head, offered, now.module.d_model, sizes[0], turned=turned)
        notes.append(f":material/edit: {why}")
    if moving.thinned:
        why = words.other_values(slider.label, slider.texts(), max(sizes), now.n_head)
        notes.append(f":material/edit: {why}")
    made = weights(sizes_of(now.setting, now.n_head))
    if VIEWS[now.look.view].clicked:
        notes.append(_("A click on a box opens what shows it."))
    if moving.asides is not None and (note := moving.asides.note()):
        notes.append(note)
    return [*notes, words.made(made, by_hand(now.setting, now.n_head))]


def _block_or_free(ask: Ask, cell: Cell) -> None:
    """Block or free what was clicked, in a mask of one's own."""
    if cell.trace.removesuffix(" masked") != "output":
        toggle_cell(ask, cell.row, cell.column)
