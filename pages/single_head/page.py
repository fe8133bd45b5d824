"""Single-head attention: every step, every number, and what breaks it."""

import streamlit as st

from attn_ui import controls, kept, positions
from attn_ui.frame import open_page, tabs, what_you_see
from attn_ui.live_figure import Cell, Slider, live_figure
from attn_ui.shared_settings import KEY, QUERY
from pages.single_head import words
from pages.single_head.numbers import WIDTH_OF
from pages.single_head.settings import BLOCKED, SETTINGS, STAGE, TAB
from pages.single_head.sidebar import ask_inputs, ask_scoring
from pages.single_head.tabs import arithmetic as single_head_arithmetic
from pages.single_head.tabs import data as single_head_data
from pages.single_head.tabs import proof as single_head_proof
from pages.single_head.tabs import study as single_head_study
from pages.single_head.view import View, drawn

MOVING = ("all at once", "scaled", "masked", "weights", "output")
MAPS = ("scores", "scaled", "masked", "mask", "exponentials", "weights")

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
    """Select what was clicked; in a mask of one's own, block or free it."""
    panel = cell.trace.removesuffix(" masked")
    if panel in MAPS:
        positions.move(QUERY, cell.row)
        positions.move(KEY, cell.column)
        if scoring.masking.kind == "own" and panel in ("scaled", "masked", "mask"):
            blocked = BLOCKED.cells(kept.text(BLOCKED)) ^ {(cell.row, cell.column)}
            kept.keep(BLOCKED, BLOCKED.text(blocked))
    elif panel in ("X", "Q", "output", "row sums"):
        positions.move(QUERY, cell.row)
    elif panel in ("Y", "K", "V"):
        positions.move(KEY, cell.row)
    elif panel == "K transposed":
        positions.move(KEY, cell.column)


def step_stage(by: int) -> None:
    """Go to the next stage of the walk, or to the one before."""
    at = STAGE.options.index(st.session_state[STAGE.name])
    st.session_state[STAGE.name] = STAGE.options[(at + by) % len(STAGE.options)]


with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    st.button("Back", on_click=step_stage, args=(-1,), shortcut="Left")
    st.button("Next", on_click=step_stage, args=(1,), shortcut="Right")
    stage = controls.segment(STAGE, "Stage", label_visibility="collapsed")

moves = scoring.moves if stage in MOVING else None
slider = {
    "temperature": Slider("Temperature T", scoring.temperature),
    "mask width": Slider(WIDTH_OF.get(scoring.masking.kind, ""), scoring.width),
}.get(moves or "")
view = View(
    inputs,
    head,
    scoring,
    temperature=positions.value(scoring.temperature),
    width=positions.value(scoring.width),
    cell=(
        min(int(positions.value(QUERY)), len(head.queries) - 1),
        min(int(positions.value(KEY)), len(head.keys) - 1),
    ),
)
live_figure(
    drawn(
        inputs,
        scoring,
        stage,
        view.cell,
        moves=moves,
        # What the slider moves is computed at all its values: where it stands must not miss the cache.
        temperature=1.0 if moves == "temperature" else view.temperature,
        width=0.0 if moves == "mask width" else view.width,
    ),
    key="walk",
    alt="The matrices of one attention head, from its vectors to its output",
    name=f"single head {stage}",
    slider=slider,
    on_cell=clicked,
)
if stage != "all at once":
    st.latex(words.formula(stage, view.seen()), width="content")
what_you_see(words.sentence(stage, view.seen()))
tabs(
    TAB,
    {
        "Arithmetic": lambda: single_head_arithmetic.show(view),
        "Maths": lambda: single_head_study.show_maths(view),
        "Scale": lambda: single_head_study.show_scale(view),
        "Cost": lambda: single_head_study.show_cost(view),
        "Break it": lambda: single_head_proof.show_mistakes(view),
        "Checks": lambda: single_head_proof.show_checks(view),
        "Data": lambda: single_head_data.show_data(view),
        "Code": lambda: single_head_data.show_code(view),
    },
)
