"""The picture of all heads at every position of the slider, and the notes under it."""

from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.masking import describe_mask, toggle_cell
from attn_ui.base.page import Cell, Figure, Small, View, query_rows
from attn_ui.base.parameters import label_of
from attn_ui.base.shared_settings import HEAD, KEY, QUERY
from attn_words import _, paragraph
from pages.multi_head.compute import Result, hand_rows, heads_slider, one_length, sequences
from pages.multi_head.controls import State, choose_heads
from pages.multi_head.settings import HEADS, HEADS_MASK, POSITIONS
from pages.multi_head.sliders import Moving
from pages.multi_head.views import VIEWS, maps, scene


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the maps at every position of the slider, with the switches of heads below."""
    moving = state.moving
    with controls.under_picture():
        look = choose_heads(controls, state.look, moving.heads(controls))
    n_query, n_key = sequences(moving.setting).shape
    slider = moving.slider
    cell = controls.place(QUERY, n_query), controls.place(KEY, n_key)
    result = moving.at(controls.value(slider.steps), look, cell)
    by_click = _block_or_free if result.setting.mask == "own" else None
    by_query = VIEWS[look.view].follow is not None
    figure = Figure(
        scene(moving.still, look.for_drawing),
        key="maps",
        name="multi-head attention",
        slider=slider,
        rows=query_rows(result.tokens.queries) if by_query else None,
        selection={"key": KEY} if by_query else {"query": QUERY, "key": KEY, "head": HEAD},
        clicked=VIEWS[look.view].clicked or by_click,
        captions_follow_choice=look.view == "two heads",
        caption="" if VIEWS[look.view].plain else describe_mask(HEADS_MASK, result.setting.kinds),
    )
    notes = [Small(note) for note in _notes(controls, moving, result)]
    return View(result, figure, formula=maps.formula(result), notes=notes)


def _notes(controls: Controls, moving: Moving, result: Result) -> list[str]:
    """Return notes on an unfit mask, unavailable values, the view, and untrained weights."""
    (n_query, n_key), notes = result.tokens.shape, list[str]()
    if n_query != n_key and (unfit := [kind for kind in result.setting.kinds if one_length(kind)]):
        notes.append(
            _(
                ":material/info: The mask “{mask}” needs as many queries as keys; here are {n_query} and "
                "{n_key}. Nothing is masked.",
                mask=label_of(HEADS_MASK, unfit[0]),
                n_query=n_query,
                n_key=n_key,
            )
        )
    n_head, slider = int(controls.value(HEADS)), moving.slider
    if n_head != result.n_head:
        notes.append(
            _(
                ":material/edit: Heads: {wanted} is not possible with d_model = {d_model}, maps of {size} "
                "and scheme {scheme}: the slider offers {offered}; {taken} is shown.",
                wanted=n_head,
                d_model=result.module.d_model,
                size=" × ".join(map(str, result.tokens.shape)),
                offered=all_of([f"{heads:.0f}" for heads in heads_slider(result.setting).values]),
                taken=result.n_head,
                scheme=label_of(POSITIONS, result.setting.positions.name),
            )
        )
    if moving.thinned:
        notes.append(
            _(
                ":material/edit: Maps as large as these leave few values of “{what}”: {offered}.",
                what=slider.label,
                offered=all_of([*slider.texts()]),
            )
        )
    if about := VIEWS[result.look.view].about:
        notes.append(_(about))
    if moving.removals is not None and (note := moving.removals.note()):
        notes.append(note)
    untrained = _("The numbers are random, not trained: they know no grammar.")
    by_hand_names = [name for name, _rows in hand_rows(result.setting, result.n_head)]
    return [
        *notes,
        paragraph(
            untrained, _("Set by hand: {names}.", names=all_of(by_hand_names)) if by_hand_names else ""
        ),
    ]


def _block_or_free(controls: Controls, cell: Cell) -> None:
    """Block or free the clicked cell, in a mask of the visitor's own."""
    if cell.trace.removesuffix(" masked") != "output":
        toggle_cell(controls, cell.row, cell.column)
