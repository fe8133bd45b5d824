"""The view: a stage, the chosen cell and a slider, drawn and described at each of its positions."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from attn_core import MASK_PATTERNS
from attn_figures.arcs import NO_GROUP, Group
from attn_figures.scene import Scene
from attn_live.captions import LazyMap, StepCaption
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.masking import describe_mask, toggle_cell
from attn_ui.base.page import Cell, Figure, Slider, Small, View, query_rows
from attn_ui.base.removed_weights import NO_REMOVAL, Removal, read_removal
from attn_ui.base.scenes import shared_captions, shared_scene
from attn_ui.base.shared_settings import KEY, QUERY
from attn_words import _
from pages.single_head.arcs import read_together
from pages.single_head.compute import Result, at_every_step
from pages.single_head.head import make_head
from pages.single_head.plane_controls import read_along
from pages.single_head.settings import MASK, STAGE
from pages.single_head.stages import STAGE_OF_BOX, STAGES, caption
from pages.single_head.state import StageOptions, State


def view(controls: Controls, state: State) -> View[Result]:
    """Read the stage, and show it."""
    scoring, head = state.scoring, make_head(state.inputs)
    stage = controls.segment(STAGE, _("Stage"), label_visibility="collapsed")
    moves = scoring.moves if STAGES[stage].follows_slider else None
    slider = None
    if moves == "temperature":
        slider = Slider(_("Temperature T"), scoring.temperature)
    elif moves == "mask width":
        slider = Slider(_(MASK_PATTERNS[scoring.masking.kind].width), scoring.width)
    removals_of_steps: tuple[Removal, ...] = (NO_REMOVAL,)
    notes: list[str] = [_("A click on a box opens its stage.")] if stage == "diagram" else []
    if STAGES[stage].removes_weights:
        removals = read_removal(controls, len(head.queries), head.keys, head.value.shape[-1])
        stage = "without" if removals.kind == "without" else stage
        moves, slider = None, removals.slider
        notes += [removals.note()] if removals.note() else []
        removals_of_steps = tuple(map(removals.at, removals.steps.values))
    group = _read_group(controls, head.queries) if STAGES[stage].takes_together else NO_GROUP
    along = None
    if STAGES[stage].has_plane:
        along, unfit = read_along(controls, head)
        notes += [f":material/edit: {each}" for each in unfit]
    cell = controls.place(QUERY, len(head.queries)), controls.place(KEY, len(head.keys))
    temperature, width = controls.value(scoring.temperature), int(controls.value(scoring.width))
    look = StageOptions(temperature, width, removals_of_steps, group, along, moves).over_the_slider()
    # The result at the slider's value; all steps of the picture are computed together.
    result = at_every_step(state, cell, look)[
        slider.steps.nearest(controls.value(slider.steps)) if slider else 0
    ]
    by_query = STAGES[stage].follow is not None
    by_click = _block_or_free if scoring.masking.kind == "own" else None
    figure = Figure(
        draw_stage(stage, state, look).with_captions(stage_captions(stage, state, cell, look)),
        key="walk",
        name=f"single head {stage}",
        slider=slider,
        rows=query_rows(head.queries) if by_query else None,
        selection={"key": KEY} if by_query else {"query": QUERY, "key": KEY},
        clicked=_open_box if stage == "diagram" else by_click,
        captions_follow_choice=True,
        caption=describe_mask(MASK, [scoring.masking.kind]) if STAGES[stage].follows_slider else "",
    )
    formula = "" if stage == "all at once" else STAGES[stage].formula(result)
    return View(result, figure, formula=formula, notes=[Small(note) for note in notes])


def _read_group(controls: Controls, queries: Sequence[str]) -> Group:
    """Read which queries' rows are combined."""
    with controls.sidebar():
        controls.heading(_("Picture"))
        return Group(*read_together(controls, queries))


@shared_scene
def draw_stage(stage: str, state: State, look: StageOptions) -> Scene:
    """Draw a stage at every position of its slider."""
    steps = at_every_step(state, look=look)
    matrices = [result.matrices for result in steps]
    figures, follow = LazyMap(STAGES[stage].picture, matrices), STAGES[stage].follow
    return Scene(figures, Cursor(len(matrices[0].queries), **follow(matrices)) if follow else None)


@shared_captions
def stage_captions(
    stage: str, state: State, cell: tuple[int, int], look: StageOptions
) -> Sequence[StepCaption]:
    """Return the captions of a stage for the chosen cell, at every position of its slider."""
    steps = at_every_step(state, cell, look)
    if not STAGES[stage].follow:
        return LazyMap(partial(caption, stage), steps)
    cells = [(query, cell[1]) for query in range(len(steps[0].matrices.queries))]
    return LazyMap(
        lambda result: LazyMap(lambda cell: caption(stage, replace(result, cell=cell)), cells), steps
    )


def _open_box(controls: Controls, cell: Cell) -> None:
    """Open the stage of the clicked box of the diagram."""
    controls.answer(STAGE, STAGE_OF_BOX.get(cell.trace, "diagram"))


def _block_or_free(controls: Controls, cell: Cell) -> None:
    """Block or free the clicked cell, in a mask of the visitor's own."""
    if cell.trace.removesuffix(" masked") in ("scaled", "masked", "mask"):
        toggle_cell(controls, cell.row, cell.column)
