"""A use of attention: who asks, who answers, what of it is trained."""

from dataclasses import replace

from attn_core import how_cut, tokenize
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell, Figure, Rows, Slider, Small, View
from attn_ui.base.sentence import read_sentence
from attn_ui.base.shared_settings import SEED, TEMPERATURE, TEXT
from attn_words import _, paragraph
from pages.applications.compute import drawn
from pages.applications.settings import FRAME, PATCH, PREFIX, USE, WINDOW, WORD
from pages.applications.state import MOST_WORDS, State
from pages.applications.views import VIEWS, images


def read_controls(controls: Controls) -> State:
    """Read the use, and for what it takes besides its sliders."""
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


def view(controls: Controls, asked: State) -> View[State]:
    """Show the use, at all positions of its sliders."""
    application = VIEWS[asked.use]
    moved = application.slider(asked)
    sliding = controls.exact(moved.steps)
    rows = None
    if application.rows:
        asking = application.rows()
        rows = Rows(asking.label, asking.steps, Cursor(len(asking.steps.values)), asking.names)
    controls.tell(_(application.introduction))
    state = _at_sliders(controls, asked)
    figure = Figure(
        drawn(asked, sliding),
        key=f"use-{USE.options.index(asked.use)}",
        alt=_(application.alt),
        name=f"where attention is used: {asked.use}",
        slider=Slider(moved.label, sliding, names=moved.names),
        rows=rows,
        clicked=_choose_patch if asked.use == "images" else None,
    )
    notes = [Small(paragraph(_("**What is trained, what is not.**"), _(application.trained)))]
    return View(state, figure, notes=notes, leads=application.leads(state), name=asked.use)


def _at_sliders(controls: Controls, asked: State) -> State:
    """Return the state with each slider where it stands."""
    prefix, patch, word, window, frame = (
        int(controls.value(each)) for each in (PREFIX, PATCH, WORD, WINDOW, FRAME)
    )
    return replace(
        asked,
        temperature=controls.value(TEMPERATURE),
        prefix=prefix,
        patch=patch,
        word=word,
        window=window,
        frame=frame,
    )


def _choose_patch(controls: Controls, cell: Cell) -> None:
    """Lay the weights of the patch that was clicked over the picture."""
    patch = images.patch_at(cell.trace, cell.row, cell.column)
    if patch is not None:
        controls.move(PATCH, patch)
