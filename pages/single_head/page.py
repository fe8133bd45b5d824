"""Single-head attention: every step, every number, and what breaks it."""

import streamlit as st

from attn_core import MASK_PATTERNS
from attn_ui import address, controls, state
from attn_ui.following import follow
from attn_ui.frame import open_page, tabs
from attn_ui.live_figure import Cell, Slider, live_figure, pack, pack_says
from attn_ui.masking import toggle_cell
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import KEY, QUERY
from pages.single_head.head import Inputs
from pages.single_head.numbers import Scoring, at_every_step
from pages.single_head.settings import SETTINGS, STAGE, TAB, ask_inputs, ask_scoring
from pages.single_head.stages import OPENS, STAGES
from pages.single_head.tabs import arithmetic, break_it, checks, code, cost, data, maths, scale

_ARRIVED = "_single_head_arrived"

if not (st.query_params or st.session_state.get(_ARRIVED) or state.value(QUERY) or state.value(KEY)):
    # Whoever opens the page without a link first sees a word meet another word, not itself.
    state.move(KEY, 1)
st.session_state[_ARRIVED] = True
open_page(
    "single-head",
    SETTINGS,
    "Single-head attention",
    "Each :violet[**query**] scores every :orange[**key**]; the weights mix the :green[**values**].",
)
with st.sidebar:
    inputs, head = ask_inputs()
    scoring = ask_scoring(inputs, head)


def clicked(cell: Cell) -> None:
    """Open the stage that a box is; in a mask of one's own, block or free what was clicked."""
    if st.session_state[STAGE.name] == "diagram":
        st.session_state[STAGE.name] = OPENS.get(cell.trace, "diagram")
        return
    panel = cell.trace.removesuffix(" masked")
    if panel in ("scaled", "masked", "mask"):
        toggle_cell(cell.row, cell.column)


def step_stage(by: int) -> None:
    """Go to the next stage of the walk, or to the one before."""
    at = STAGE.options.index(st.session_state[STAGE.name])
    st.session_state[STAGE.name] = STAGE.options[(at + by) % len(STAGE.options)]


@shared
def drawn_at_every_position(
    stage: str, inputs: Inputs, scoring: Scoring, *, moves: str | None, temperature: float, width: int
) -> bytes:
    """Draw a stage at every position of its slider."""
    steps = at_every_step(inputs, scoring, moves=moves, temperature=temperature, width=width)
    return pack([STAGES[stage].picture.spec(each.walk) for each in steps])


@shared
def said_at_every_position(
    stage: str,
    inputs: Inputs,
    scoring: Scoring,
    cell: tuple[int, int],
    *,
    moves: str | None,
    temperature: float,
    width: int,
) -> bytes:
    """Say what a stage shows of the chosen cell at every position of its slider."""
    steps = at_every_step(inputs, scoring, cell, moves=moves, temperature=temperature, width=width)
    return pack_says([STAGES[stage].says(each) for each in steps])


def show() -> None:
    """Draw the stage, say what it shows, and lay the tabs under it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Back", on_click=step_stage, args=(-1,), shortcut="Left")
        st.button("Next", on_click=step_stage, args=(1,), shortcut="Right")
        stage = controls.segment(STAGE, "Stage", label_visibility="collapsed")

    moves = scoring.moves if STAGES[stage].follows_slider else None
    slider = {
        "temperature": Slider("Temperature T", scoring.temperature),
        "mask width": Slider(MASK_PATTERNS[scoring.masking.kind].width, scoring.width),
    }.get(moves or "")
    cell = address.place(QUERY, len(head.queries)), address.place(KEY, len(head.keys))
    temperature, width = state.value(scoring.temperature), int(state.value(scoring.width))
    (now,) = at_every_step(inputs, scoring, cell, temperature=temperature, width=width)
    # What the slider moves is drawn at all its values: where it stands must not miss the cache.
    if moves == "temperature":
        temperature = 1.0
    if moves == "mask width":
        width = 0
    live_figure(
        drawn_at_every_position(stage, inputs, scoring, moves=moves, temperature=temperature, width=width),
        key="walk",
        alt=STAGES[stage].alt,
        name=f"single head {stage}",
        slider=slider,
        chosen={"query": QUERY, "key": KEY},
        on_cell=clicked if stage == "diagram" or scoring.masking.kind == "own" else None,
        says=said_at_every_position(
            stage, inputs, scoring, cell, moves=moves, temperature=temperature, width=width
        ),
        says_what_is_chosen=True,
    )
    if stage != "all at once":
        st.latex(STAGES[stage].formula(now), width="content")
    tabs(
        TAB,
        {
            "Arithmetic": lambda: arithmetic.show(now),
            "Maths": lambda: maths.show(now),
            "Scale": lambda: scale.show(now),
            "Cost": lambda: cost.show(now),
            "Break it": lambda: break_it.show(now),
            "Checks": lambda: checks.show(now),
            "Data": lambda: data.show(now),
            "Code": lambda: code.show(now),
        },
    )


follow(show, SETTINGS)
