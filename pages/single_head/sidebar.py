"""The sidebar of the single-head page: from its controls to the settings that the numbers come from."""

from dataclasses import dataclass, replace

import streamlit as st

from attn_core import tokenize
from attn_core.limits import MAX_TOKENS
from attn_ui import controls, kept
from attn_ui.frame import plain
from attn_ui.parameters import Steps, Table
from attn_ui.sentence import ask_sentence
from attn_ui.shared_settings import (
    CROSS,
    FREE_SCALE,
    SEED,
    TABLE_K,
    TABLE_Q,
    TABLE_V,
    TEMPERATURE,
    TEXT,
    TEXT_2,
)
from pages.single_head.numbers import WIDTH_OF, Head, Inputs, Masking, make_head, mask_widths
from pages.single_head.settings import (
    BLOCKED,
    DILATION,
    EXAMPLE,
    GLOBAL_TOKENS,
    MASK,
    MASK_WIDTH,
    MOVES,
    QKV,
    RAMP,
    RANDOM_BLOCKS,
    SCALE,
    TABLE_X,
    TABLE_Y,
    UNIT_ROWS,
    VECTORS,
    WIDTH_K,
    WIDTH_V,
    WIDTH_X,
)

_GOOD = "_single_head_inputs"
_COMPUTED = "_single_head_computed"  # the last inputs whose Q, K and V were not typed
MOST_NUMBERS = 120_000  # of one moving map at all its steps


def ask_inputs() -> tuple[Inputs, Head]:
    """Ask for the vectors and what becomes of them; what cannot be computed leaves the last that could."""
    st.subheader("Input", anchor=False)
    inputs = Inputs(example=controls.choose(EXAMPLE, "Example"))
    if inputs.is_own:
        inputs = _ask_sentences(inputs)
    st.subheader("Queries, keys, values", anchor=False)
    inputs = replace(inputs, qkv=_ask_qkv(inputs))
    if inputs.qkv == "typed":
        return _typed(inputs)
    if inputs.is_own:
        inputs = _ask_vectors(inputs)
    inputs = replace(inputs, ramp=controls.flag(RAMP, "Add the ramp: position p adds p/2"))
    inputs = replace(inputs, unit_rows=controls.flag(UNIT_ROWS, "Normalise rows to length 1"))
    # The worked example "I love ice" has full 4 x 4 projections, which the defaults are.
    if inputs.qkv == "projected" and inputs.example != "I love ice":
        d_k = controls.whole(WIDTH_K, "Width d_k of queries and keys")
        inputs = replace(inputs, d_k=d_k, d_v=controls.whole(WIDTH_V, "Width d_v of values"))
    if inputs.is_drawn or inputs.vectors == "typed":
        inputs = replace(inputs, seed=controls.whole(SEED, "Seed"))
    shown, head = _computed(inputs)
    st.session_state[_COMPUTED] = shown
    return shown, head


def _ask_sentences(inputs: Inputs) -> Inputs:
    inputs = replace(inputs, text=ask_sentence(TEXT, "Sentence", tokenize=tokenize, most=MAX_TOKENS))
    if controls.flag(CROSS, "Keys from a second sentence"):
        inputs = replace(
            inputs, second_text=ask_sentence(TEXT_2, "Second sentence", tokenize=tokenize, most=MAX_TOKENS)
        )
    return inputs


def _ask_qkv(inputs: Inputs) -> str:
    if inputs.is_own:
        return controls.segment(QKV, "Made from the vectors", label_visibility="collapsed")
    if inputs.example in ("I love ice", "one query, ten keys"):
        st.caption("Projected by W_q, W_k and W_v from the seed.")
        return "projected"
    st.caption("The vectors as they are: Q = X and K = V.")
    return "as they are"


def _ask_vectors(inputs: Inputs) -> Inputs:
    inputs = replace(inputs, vectors=controls.segment(VECTORS, "Vectors"))
    if inputs.vectors == "random":
        return replace(inputs, width=controls.whole(WIDTH_X, "Width d_model of vectors"))
    if inputs.vectors == "typed":
        st.caption(":material/table: Type the vectors under *Data*.")
        return replace(inputs, x=_rows(TABLE_X), y=_rows(TABLE_Y))
    return inputs


def _rows(table: Table) -> tuple[tuple[float, ...], ...]:
    return table.rows(kept.text(table))


def _computed(inputs: Inputs) -> tuple[Inputs, Head]:
    try:
        head = make_head(inputs)
    except ValueError as problem:
        st.caption(f":material/edit: {plain(str(problem))} The picture keeps the last numbers that fit.")
        good: Inputs = st.session_state.get(_GOOD, Inputs())
        return good, make_head(good)
    st.session_state[_GOOD] = inputs
    return inputs, head


def _typed(inputs: Inputs) -> tuple[Inputs, Head]:
    tables = (TABLE_Q, TABLE_K, TABLE_V)
    if not all(kept.text(table) for table in tables):
        # The tables start from the numbers that were on the screen.
        start = make_head(st.session_state.get(_COMPUTED, replace(inputs, qkv="projected")))
        for table, tensor in zip(tables, (start.query, start.key, start.value), strict=True):
            if not kept.text(table):
                kept.keep(table, table.text(tensor.tolist()), replaces=True)
    st.caption(":material/table: Type the numbers under *Data*.")
    if st.button("Start again from the vectors", width="stretch"):
        for table in tables:
            kept.keep(table, "", replaces=True)
        st.rerun()
    return _computed(replace(inputs, q=_rows(TABLE_Q), k=_rows(TABLE_K), v=_rows(TABLE_V)))


@dataclass(frozen=True)
class Scoring:
    """The mask, the scale, and which slider stands under the figure."""

    masking: Masking
    scale: str
    free_scale: float
    temperature: Steps
    width: Steps
    moves: str


def fewer(values: tuple[float, ...], n_cells: int) -> tuple[float, ...]:
    """Offer every second value, or every fourth, where large maps at every value would be too much to send.

    >>> fewer(tuple(range(65)), 64 * 64)[:3], len(fewer(tuple(range(65)), 32 * 32))
    ((0, 4, 8), 65)
    """
    while len(values) * n_cells > MOST_NUMBERS:
        values = values[::2]
    return values


def ask_scoring(inputs: Inputs, head: Head) -> Scoring:
    """Ask for the mask and the scale."""
    st.subheader("Mask and scale", anchor=False)
    kind = controls.choose(MASK, "Mask")
    masking = Masking(kind=kind, seed=inputs.seed)
    n = max(len(head.queries), len(head.keys))
    if kind == "dilated":
        masking = replace(masking, dilation=controls.whole(DILATION, "Places between neighbours"))
    elif kind == "global + local":
        masking = replace(
            masking, global_tokens=controls.whole(GLOBAL_TOKENS, "Global tokens, from the first")
        )
    elif kind == "block-sparse":
        masking = replace(masking, random_blocks=controls.whole(RANDOM_BLOCKS, "Random blocks a row"))
    elif kind == "own":
        masking = replace(masking, blocked=tuple(sorted(BLOCKED.cells(kept.text(BLOCKED)))))
        st.caption(":material/touch_app: Click a cell of the scaled map to block or free it.")
        st.button("Free all cells", on_click=kept.keep, args=(BLOCKED, ""), disabled=not masking.blocked)
    n_cells = len(head.queries) * len(head.keys)
    temperature = replace(TEMPERATURE, values=fewer(TEMPERATURE.values, n_cells))
    width = replace(MASK_WIDTH, values=fewer(mask_widths(masking, n), n_cells))
    moves = "temperature"
    if kind in WIDTH_OF:
        moves = controls.segment(MOVES, "The slider moves")
    scale = controls.segment(SCALE, "Scale")
    free = controls.real(FREE_SCALE, "Scores are multiplied by") if scale == "free" else 1.0
    return Scoring(masking, scale, free, temperature, width, moves)
