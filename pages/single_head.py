"""Single-head attention: every step, every number, and what breaks it."""

from typing import Any

import numpy as np
import streamlit as st

import attn_core
from attn_figures.single_head import Walk, walk_picture
from attn_ui import controls, kept, positions
from attn_ui.frame import open_page, what_you_see
from attn_ui.live_figure import Cell, Slider, live_figure, pack
from attn_ui.parameters import BLOCKED, KEY, QUERY, STAGE, TEMPERATURE
from attn_ui.words import single_head as words
from pages.parts.single_head_controls import Scoring, ask_inputs, ask_scoring
from pages.parts.single_head_numbers import (
    WIDTH_OF,
    Head,
    Inputs,
    Stages,
    make_head,
    make_mask,
    make_stages,
    scale_of,
)

MOVING = ("all at once", "scaled", "masked", "weights", "output")

open_page(
    "single-head",
    "Single-head attention",
    "Each :violet[**query**] scores every :orange[**key**]; the weights mix the :green[**values**].",
)
with st.sidebar:
    inputs, head = ask_inputs()
    scoring = ask_scoring(inputs, head)


def stages_of(head: Head, scoring: Scoring, temperature: float, width: float, moves: str | None) -> Stages:
    """Compute all positions of the slider that moves, or one position when none does."""
    shape = len(head.queries), len(head.keys)
    widths = scoring.width.values if moves == "mask width" else (width,)
    return make_stages(
        head,
        [make_mask(scoring.masking, *shape, int(each)) for each in widths],
        scale=scale_of(scoring.scale, scoring.free_scale, head.d_k),
        temperatures=list(TEMPERATURE.values) if moves == "temperature" else [temperature],
    )


def walk(head: Head, stages: Stages, step: int, factor: str, cell: tuple[int, int]) -> Walk:
    """Turn one position's tensors into what the picture is drawn from."""

    def at(values: Any) -> Any:
        return np.asarray(values[min(step, len(values) - 1)])

    def plain(values: Any) -> Any:
        return None if values is None else np.asarray(values)

    x = plain(head.x)
    return Walk(
        queries=head.queries,
        keys=head.keys,
        x=x,
        memory=plain(head.memory) if head.is_cross else x,
        projections=None if head.projections is None else [np.asarray(each) for each in head.projections],
        query=np.asarray(head.query),
        key=np.asarray(head.key),
        value=np.asarray(head.value),
        scores=at(stages.scores),
        scaled=at(stages.unmasked),
        mask=at(stages.mask),
        exponentials=at(stages.exponentials),
        row_sums=at(stages.row_sums),
        weights=at(stages.weights),
        output=at(stages.output),
        factor=factor,
        cell=cell,
    )


@st.cache_data(max_entries=128, show_spinner=False)
def drawn(
    inputs: Inputs,
    scoring: Scoring,
    stage: str,
    cell: tuple[int, int],
    *,
    moves: str | None,
    fixed: tuple[float, float],
) -> bytes:
    """Compute and draw the figure at every position of its slider."""
    head = make_head(inputs)
    stages = stages_of(head, scoring, *fixed, moves)
    scale = factor(scoring, head)
    steps = range(len(stages.weights) if moves else 1)
    return pack([walk_picture.spec(stage, walk(head, stages, i, f"{scale}<br>÷ T", cell)) for i in steps])


def factor(scoring: Scoring, head: Head) -> str:
    """Say what the scores are multiplied by, as an operator."""
    return {"none": "× 1", "free": f"× {scoring.free_scale:g}"}.get(scoring.scale, f"÷ √{head.d_k}")


def clicked(cell: Cell) -> None:
    """Select what was clicked; in a mask of one's own, block or free it."""
    panel = cell.trace.removesuffix(" masked")
    if panel in ("scores", "scaled", "masked", "mask", "exponentials", "weights"):
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


def look(head: Head, stages: Stages, scoring: Scoring, cell: tuple[int, int]) -> words.Seen:
    """Pick out what the words speak of."""
    row, column = cell
    weights = stages.weights[0]
    top = int(weights[row].argmax())
    effective = attn_core.effective_keys(weights)
    lengths = head.key.norm(dim=-1)
    about_length = inputs.example == "I love dogs" and inputs.ramp
    return words.Seen(
        query=head.queries[row],
        key=head.keys[column],
        top_key=head.keys[top],
        n_query=len(head.queries),
        n_key=len(head.keys),
        d_model=None if head.x is None else head.x.shape[-1],
        d_k=head.d_k,
        d_v=head.value.shape[-1],
        score=float(stages.scores[0, row, column]),
        scaled=float(stages.unmasked[0, row, column]),
        allowed=bool(stages.mask[0, row, column]),
        weight=float(weights[row, column]),
        top_weight=float(weights[row, top]),
        row_effective=float(effective[row]),
        mean_effective=float(effective.mean()),
        empty_rows=int((~stages.mask[0].any(dim=-1)).sum()),
        pairs=int(stages.mask[0].sum()),
        factor=factor(scoring, head),
        temperature=temperature,
        untrained=inputs.qkv == "projected"
        or (inputs.example == "own sentence" and inputs.vectors == "random"),
        longest=head.keys[int(lengths.argmax())] if about_length else "",
        equal_lengths=inputs.unit_rows,
    )


with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    st.button("Back", on_click=step_stage, args=(-1,), shortcut="Left")
    stage = controls.segment(STAGE, "Stage", label_visibility="collapsed")
    st.button("Next", on_click=step_stage, args=(1,), shortcut="Right")

cell = (
    min(int(positions.value(QUERY)), len(head.queries) - 1),
    min(int(positions.value(KEY)), len(head.keys) - 1),
)
moves = scoring.moves if stage in MOVING else None
temperature, width = positions.value(TEMPERATURE), positions.value(scoring.width)
slider = {
    "temperature": Slider("Temperature T", TEMPERATURE),
    "mask width": Slider(WIDTH_OF.get(scoring.masking.kind, ""), scoring.width),
}.get(moves or "")
fixed = (1.0 if moves == "temperature" else temperature, 0.0 if moves == "mask width" else width)
stages = stages_of(head, scoring, temperature, width, None)
seen = look(head, stages, scoring, cell)
live_figure(
    drawn(inputs, scoring, stage, cell, moves=moves, fixed=fixed),
    key="walk",
    alt="The matrices of one attention head, from scores to output",
    name=f"single head {stage}",
    slider=slider,
    on_cell=clicked,
)
if stage != "all at once":
    st.latex(words.formula(stage, seen), width="content")
what_you_see(words.sentence(stage, seen))
