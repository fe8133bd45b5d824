"""The view of a use of attention: which tokens attend to which, and which parts are trained."""

from dataclasses import replace

from attn_core import how_cut, tokenize
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell, Figure, Small, View
from attn_ui.base.sentence import read_sentence
from attn_ui.base.shared_settings import SEED, TEMPERATURE, TEXT
from attn_ui.host.hosting import hosting
from attn_words import _, paragraph
from pages.applications import photo
from pages.applications.compute import draw_use
from pages.applications.photo import PhotoRows
from pages.applications.settings import FRAME, PATCH, PREFIX, USE, WINDOW, WORD
from pages.applications.state import MOST_WORDS, State
from pages.applications.views import VIEWS, images


def read_controls(controls: Controls) -> State:
    """Read which use is shown, and its settings other than sliders."""
    use = controls.segment(USE, _("Use"), label_visibility="collapsed")
    if use != "BERT and GPT":
        return State(use)
    wide, narrow = controls.columns([3, 1])
    with wide:
        text = read_sentence(
            controls, TEXT, _("Sentence"), tokenize=tokenize, most=MOST_WORDS, how_cut=how_cut
        )
    with narrow:
        return State(use, text, controls.whole(SEED, _("Seed")))


def view(controls: Controls, state: State) -> View[State | PhotoRows]:
    """Show the use, at all positions of its sliders, or a visitor's own picture."""
    own: photo.Photo | None = controls.recall(photo.OWN_PICTURE, None)
    if state.use == "images" and own is not None:
        return photo.view(controls, own)
    application = VIEWS[state.use]
    slider = application.slider(state)
    sliding = controls.exact(slider.steps)
    controls.message(_(application.INTRODUCTION))
    positions = [int(controls.value(each)) for each in (PREFIX, PATCH, WORD, WINDOW, FRAME)]
    result = State(state.use, state.text, state.seed, controls.value(TEMPERATURE), *positions)
    figure = Figure(
        draw_use(state, sliding),
        key=f"use-{USE.options.index(state.use)}",
        name=f"where attention is used: {state.use}",
        slider=replace(slider, steps=sliding),
        rows=application.rows(),
        clicked=_choose_patch if state.use == "images" else None,
    )
    notes = [Small(paragraph(_("**What is trained, what is not.**"), _(application.TRAINED)))]
    below = "upload" if state.use == "images" else ""
    if below and not hosting().vision_model:
        notes.append(Small(_(photo.NO_MODEL)))
    return View(result, figure, notes=notes, below=below, leads=application.leads(result), name=state.use)


def _choose_patch(controls: Controls, cell: Cell) -> None:
    """Make the clicked patch the query whose weights lie over the picture."""
    patch = images.patch_at(cell.trace, cell.row, cell.column)
    if patch is not None:
        controls.move(PATCH, patch)
