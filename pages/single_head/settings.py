"""What this page can set: names in the link, defaults, ranges, and the sidebar that asks for them."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from attn_core import INITS, MASK_PATTERNS, Masking, tokenize
from attn_ui import controls, state
from attn_ui.bounds import MAX_TABLE_COLUMNS, MAX_TOKENS
from attn_ui.frame import say_names
from attn_ui.hand_weights import ask_by_hand, ask_init, ask_whether, is_by_hand
from attn_ui.markdown import plain
from attn_ui.masking import ask_details
from attn_ui.parameters import Choice, Flag, Parameter, Steps, Table, Whole, grouped_tabs
from attn_ui.sentence import ask_sentence
from attn_ui.shared_settings import (
    BIAS,
    BLOCKED,
    CODE,
    CROSS,
    DILATION,
    FREE_SCALE,
    GLOBAL_TOKENS,
    KEY,
    QUERY,
    RANDOM_BLOCKS,
    SEED,
    TABLE_K,
    TABLE_Q,
    TABLE_V,
    TEMPERATURE,
    TEXT,
    TEXT_2,
)
from attn_ui.weight_tables import SINGLE, Given, hand_settings, init_setting, spread
from pages.single_head.head import SAMPLES, Head, Inputs, Rows, make_head, weights
from pages.single_head.numbers import Scoring
from pages.single_head.stages import STAGES

TAB = grouped_tabs(
    understand=("Arithmetic", "Maths", "Scale", "Cost"),
    experiment=("Break it",),
    prove=("Checks",),
    take_away=("Data", "Code"),
)
EXAMPLE = Choice("example", "own sentence", ("own sentence", *SAMPLES), kind="example")
VECTORS = Choice("vectors", "random", ("random", "one-hot", "typed"))
WIDTH_X = Whole("d", Inputs.width, 1, 16)
RAMP = Flag("ramp", False)
UNIT_ROWS = Flag("unit", False)
TABLE_X = Table("X", MAX_TOKENS, MAX_TABLE_COLUMNS)
TABLE_Y = Table("Y", MAX_TOKENS, MAX_TABLE_COLUMNS)
QKV = Choice("qkv", "projected", ("projected", "as they are", "typed"))
WIDTH_K = Whole("dk", Inputs.d_k, 1, 16)
WIDTH_V = Whole("dv", Inputs.d_v, 1, 16)
INIT = init_setting(INITS)
MASK = Choice("mask", "none", tuple(MASK_PATTERNS), kind="mask")
# What it is of depends on the mask: window, prefix, padding or block size.
MASK_WIDTH = Steps("w", 1, tuple(range(MAX_TOKENS + 1)), ".0f")
MOVES = Choice("moves", "temperature", ("temperature", "mask width"))
SCALE = Choice("scale", "1/√dₖ", ("1/√dₖ", "none", "free"))
COLOURS = Choice("colours", "by size", ("by size", "even", "bent"))
STAGE = Choice("stage", "all at once", tuple(STAGES), views=True, kind="stage")
MISTAKE = Choice(
    "mistake",
    "softmax-over-queries",
    (
        "softmax-over-queries",
        "no-scale",
        "constant-scale",
        "mask-after-softmax",
        "zero-for-minus-infinity",
        "mask-turned-round",
        "unguarded-softmax",
    ),
    kind="mistake",
    tab="Break it",
)
SWEEP_WIDTH = Steps("dsweep", 64, tuple(2**power for power in range(11)), ".0f")
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, EXAMPLE, TEXT, CROSS, TEXT_2, VECTORS, WIDTH_X, RAMP, UNIT_ROWS, TABLE_X, TABLE_Y, SEED),
    *(QKV, BIAS, WIDTH_K, WIDTH_V, TABLE_Q, TABLE_K, TABLE_V, INIT),
    *hand_settings(SINGLE),
    *(MASK, MASK_WIDTH, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS, BLOCKED, MOVES),
    *(SCALE, FREE_SCALE, TEMPERATURE, COLOURS, STAGE, QUERY, KEY, MISTAKE, SWEEP_WIDTH, CODE),
)

MOST_NUMBERS = 120_000  # of one moving map at all its steps
_GOOD = "_single_head_inputs"  # the last inputs that could be computed
_UNTYPED = "_single_head_untyped"  # the last of them whose Q, K and V were not typed


def ask_inputs() -> tuple[Inputs, Head]:
    """Ask for the vectors and what becomes of them; what cannot be computed leaves the last that could."""
    st.subheader("Input", anchor=False)
    inputs = Inputs(example=controls.choose(EXAMPLE, "Example"))
    if inputs.is_own:
        inputs = _ask_sentences(inputs)
    st.subheader("Queries, keys, values", anchor=False)
    inputs = replace(inputs, qkv=_ask_qkv(inputs))
    inputs = _ask_tables(inputs) if inputs.qkv == "typed" else _ask_making(inputs)
    by_hand, about = False, st.container()
    if inputs.qkv == "projected":
        inputs = replace(inputs, init=ask_init(INIT, {name: each.sentence for name, each in INITS.items()}))
        about, by_hand = st.container(), ask_whether()
    try:
        head = make_head(inputs)
    except ValueError as problem:
        st.caption(f":material/edit: {plain(str(problem))} The picture keeps the last numbers that fit.")
        state.call("kept", "Of all this is shown", "the last numbers that fit one another")
        inputs = st.session_state.get(_GOOD, Inputs())
        return inputs, make_head(inputs)
    if inputs.qkv == "projected":
        given: Given = ask_by_hand([[each] for each in weights(head)]) if by_hand else ()
        if drawn := _drawn_so(inputs.init, head, [name for name, _ in given]):
            about.caption(drawn)
        inputs = replace(inputs, weights=given)
        head = make_head(inputs)
    st.session_state[_GOOD] = inputs
    if inputs.qkv != "typed":
        st.session_state[_UNTYPED] = inputs
    return inputs, head


def _drawn_so(init: str, head: Head, typed: Sequence[str]) -> str:
    """Say how wide the weights are drawn that are, and what that makes of a vector; nothing where none is."""
    drawn = [each for each in weights(head) if each.name[0] == "W" and each.name not in typed]
    if not drawn:
        return ""
    wide = {each.name: INITS[init].std(*each.shape) for each in drawn}
    name, d_model = drawn[0].name, drawn[0].shape[0]
    makes = {"W_q": "A query's", "W_k": "A key's", "W_v": "A value's"}[name]
    grown = wide[name] * d_model**0.5
    said = spread({name: f"{each:.3g}" for name, each in wide.items()})
    return f"{said} {makes} numbers are about {grown:.3g} times as large as a vector's."


def _ask_sentences(inputs: Inputs) -> Inputs:
    inputs = replace(inputs, text=ask_sentence(TEXT, "Sentence", tokenize=tokenize, most=MAX_TOKENS))
    if controls.flag(CROSS, "Keys from a second sentence", help=CROSS_HELP):
        second = ask_sentence(TEXT_2, "Second sentence", tokenize=tokenize, most=MAX_TOKENS)
        inputs = replace(inputs, second_text=second)
    return inputs


def _ask_qkv(inputs: Inputs) -> str:
    if inputs.is_own:
        return controls.segment(QKV, "Made from the vectors", label_visibility="collapsed")
    if inputs.example in ("I love ice", "one query, ten keys"):
        st.caption(f"Projected by W_q, W_k and W_v{'' if is_by_hand() else ' from the seed'}.")
        return "projected"
    st.caption("The vectors as they are: Q = X and K = V.")
    return "as they are"


def _ask_making(inputs: Inputs) -> Inputs:
    """Ask for the vectors and how they become queries, keys and values."""
    if inputs.is_own:
        inputs = _ask_vectors(inputs)
    inputs = replace(inputs, ramp=controls.flag(RAMP, "Add the ramp: position p adds p/2"))
    inputs = replace(inputs, unit_rows=controls.flag(UNIT_ROWS, "Normalise rows to length 1"))
    if inputs.qkv == "projected":
        # The worked example "I love ice" has full 4 x 4 projections, which the defaults are.
        if inputs.example != "I love ice":
            d_k = controls.whole(WIDTH_K, "Width d_k of queries and keys")
            inputs = replace(inputs, d_k=d_k, d_v=controls.whole(WIDTH_V, "Width d_v of values"))
        inputs = replace(inputs, bias=controls.flag(BIAS, "Biases b_q, b_k, b_v"))
    if inputs.is_drawn or inputs.vectors == "typed":
        inputs = replace(inputs, seed=controls.whole(SEED, "Seed"))
    return inputs


def _ask_vectors(inputs: Inputs) -> Inputs:
    inputs = replace(inputs, vectors=controls.segment(VECTORS, "Vectors"))
    if inputs.vectors == "random":
        return replace(inputs, width=controls.whole(WIDTH_X, "Width d_model of vectors"))
    if inputs.vectors == "typed":
        st.caption(":material/table: Type the vectors in the tab *Data* of *Take away*.")
        return replace(inputs, x=_rows(TABLE_X), y=_rows(TABLE_Y))
    return inputs


def _ask_tables(inputs: Inputs) -> Inputs:
    """Take Q, K and V from their tables; those that are missing start from what fits the others."""
    tables = (TABLE_Q, TABLE_K, TABLE_V)
    st.caption(":material/table: Type the numbers in the tab *Data* of *Take away*.")
    if st.button("Start again from the vectors", width="stretch"):
        for table in tables:
            state.keep(table, "", replaces=True)
    given = [_rows(table) for table in tables]
    if not all(given):
        screen = make_head(st.session_state.get(_UNTYPED, replace(inputs, qkv="projected")))
        started = [screen.query.tolist(), screen.key.tolist(), screen.value.tolist()]
        for table, before, rows in zip(tables, given, _fitting(given, started), strict=True):
            if not before:
                state.keep(table, table.text(rows), replaces=True)
    q, k, v = (_rows(table) for table in tables)
    return replace(inputs, q=q, k=k, v=v)


def _fitting(given: list[Rows], started: list[list[list[float]]]) -> list[Sequence[Sequence[float]]]:
    """Fill in the tables that are missing: from the screen where that fits the others, else from these.

    >>> _fitting([((1.0, 2.0),), (), ()], [[[0.0]], [[0.0]], [[3.0]]])
    [((1.0, 2.0),), ((1.0, 2.0),), [[3.0]]]
    """
    q, k, v = (rows or start for rows, start in zip(given, started, strict=True))
    if not given[1] and (len(k[0]) != len(q[0]) or (given[2] and len(k) != len(v))):
        fits = not given[2] or len(q) == len(v)
        k = q if fits and given[0] else [[0.0] * len(q[0]) for _ in v]
    if not given[0] and len(q[0]) != len(k[0]):
        q = k
    if not given[2] and len(v) != len(k):
        v = k
    return [q, k, v]


def _rows(table: Table) -> Rows:
    return table.rows(state.text(table))


def ask_scoring(inputs: Inputs, head: Head) -> Scoring:
    """Ask for the mask, the scale and the colours."""
    st.subheader("Mask and scale", anchor=False)
    kind = controls.choose(MASK, "Mask", on_change=_widen_prefix, help=MASK_HELP)
    say_names(MASK_PATTERNS[kind].known_as)
    masking = Masking(kind, seed=inputs.seed, **ask_details([kind], blocks_in="the scaled map"))
    n_cells = len(head.queries) * len(head.keys)
    widths = tuple(MASK_PATTERNS[kind].widths(masking, max(len(head.queries), len(head.keys))))
    moves = controls.segment(MOVES, "The slider moves") if MASK_PATTERNS[kind].width else "temperature"
    scale = controls.segment(SCALE, "Scale")
    return Scoring(
        masking,
        scale,
        controls.real(FREE_SCALE, "Scores are multiplied by") if scale == "free" else 1.0,
        temperature=state.exact(TEMPERATURE.fitting(n_cells, MOST_NUMBERS)),
        width=state.exact(replace(MASK_WIDTH, values=widths).fitting(n_cells, MOST_NUMBERS)),
        moves=moves,
        colours=controls.segment(COLOURS, "Colours of weights", help=COLOURS_HELP),
    )


CROSS_HELP = (
    "Off: self-attention, queries and keys of one sentence. On: cross-attention, as a decoder attends to "
    "what an encoder has read."
)
MASK_HELP = (
    "The attention mask: where a query may attend. Without one every token attends to all, as in an encoder; "
    "under a causal one each attends to what came before, as in a decoder."
)
COLOURS_HELP = (
    "Colours run from 0 to 1, so that one colour is one number everywhere. Bent, the ramp is spent on small "
    "weights: a colour then stands for the square of its place. By size bends it from 13 tokens on."
)


def _widen_prefix() -> None:
    """A prefix of 1 is the causal mask, which is no start for one who chooses a prefix."""
    if st.session_state[MASK.name] == "prefix" and state.value(MASK_WIDTH) < 2:
        state.move(MASK_WIDTH, 2)
