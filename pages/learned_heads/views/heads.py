"""All heads of a whole model: thumbnails, one head large, and the measure that they are ordered by."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from attn_figures.whole_model import OVERVIEW, head_at, steps
from attn_live.packing import pack
from attn_live.says import pack_says
from attn_ui import controls
from attn_ui.address import place
from attn_ui.live_figure import live_figure
from attn_ui.markdown import plain
from attn_ui.page import Cell, Slider
from attn_ui.shared_settings import KEY, QUERY
from attn_ui.state import move
from pages.learned_heads import whole_words as words
from pages.learned_heads.settings import RANK, RANK_BY
from pages.learned_heads.whole import SINK, SPECIAL, Whole, head_names

ASKED = {
    "the previous word": "previous token",
    "the next word": "next token",
    "itself": "itself",
    "the first word": "first token",
}
_ORDERS = "_whole_orders"  # each measure's order of the heads on screen, and which of them is large


def ask_measure() -> str:
    """Ask in the sidebar what heads are ordered by; the large head stays where it is."""
    st.subheader("Heads", anchor=False)
    return controls.choose(RANK_BY, "Order heads by", on_change=_keep_head)


def ask_which() -> None:
    """Offer the questions that one click answers."""
    with st.container(horizontal=True, vertical_alignment="center", key="which-head"):
        st.markdown("Which head looks at", width="content")
        for label, measure in ASKED.items():
            st.button(label, key=f"which-{measure}", on_click=_find, args=(measure,))


def rank_of(whole: Whole) -> int:
    """Return the place of the large head in the order, from 1."""
    return place(RANK, whole.n_head) + 1


def show(whole: Whole, *, key: str, name: str, made: Callable[[str, Callable[[], bytes]], bytes]) -> None:
    """Draw the heads in their order.

    Args:
        whole: the heads.
        key: the figure's name on the page; name: what a saved picture is called.
        made: keeps what takes long to make, by a name.
    """
    rank = rank_of(whole)
    st.session_state[_ORDERS] = (
        whole.order[rank - 1],
        {measure: whole.order_by(measure) for measure in RANK_BY.options},
    )
    slider = whole.slider(rank)
    ranks = [int(each) for each in slider.values]
    live_figure(
        made("figure", lambda: pack(steps(whole.model, [each - 1 for each in ranks]))),
        key=key,
        alt="Every head's map as a thumbnail, and one head's map large",
        name=name,
        slider=Slider(f"Head, by {whole.measure}", slider, names=head_names(whole, ranks)),
        chosen={"query": QUERY, "key": KEY},
        on_cell=partial(_clicked, whole),
        says=made("words", lambda: pack_says([_say(whole, each) for each in ranks])),
    )
    if any(whole.sink(head)[1] >= SINK for head in range(whole.n_head)):
        st.caption(words.SINKS)
    left_out = words.fewer(len(ranks), whole.n_head, whole.longest)
    if left_out:
        st.caption(f":material/info: {left_out}")


def _say(whole: Whole, rank: int) -> str:
    head = whole.order[rank - 1]
    of = "word" if whole.is_divided and whole.holds_whole_words else "token"
    if whole.can_look:
        scores = whole.scores
        alike = min(scores) == max(scores)
        told = words.seen(
            whole.model.name(head), whole.measure, scores[head], rank, whole.n_head, of=of, alike=alike
        )
    else:
        told = words.nowhere(whole.measure, whole.n_head, of=of)
    tokens, share = whole.sink(head)
    if whole.measure == SPECIAL or (not whole.special and share < SINK):
        return told
    whose = "the words" if whole.special else "the later tokens"
    return f"{told} {words.drawn(plain(tokens), share, whose=whose, hidden=whole.is_divided, sink=SINK)}"


def _clicked(whole: Whole, cell: Cell) -> None:
    """Make a thumbnail large."""
    head = head_at(whole.layers, cell.row, cell.column) if cell.trace == OVERVIEW else None
    if head is not None:
        move(RANK, whole.order.index(head) + 1)


def _find(measure: str) -> None:
    st.session_state[RANK_BY.name] = measure
    move(RANK, 1)


def _keep_head() -> None:
    head, orders = st.session_state.get(_ORDERS, (None, {}))
    order = orders.get(st.session_state[RANK_BY.name], [])
    if head in order:
        move(RANK, order.index(head) + 1)
