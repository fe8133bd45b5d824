"""A use of attention: who asks, who answers, what of it is trained."""

from dataclasses import replace

from attn_core import how_cut, tokenize
from attn_live.packing import Cursor
from attn_ui.base.ask import Ask
from attn_ui.base.page import Cell, Figure, Rows, Seen, Slider, Small
from attn_ui.base.sentence import ask_sentence
from attn_ui.base.shared_settings import SEED, TEMPERATURE, TEXT
from attn_words import _, paragraph
from pages.applications.compute import drawn
from pages.applications.settings import FRAME, PATCH, PREFIX, USE, WINDOW, WORD
from pages.applications.state import MOST_WORDS, State
from pages.applications.views import VIEWS, images


def asks(ask: Ask) -> State:
    """Ask for the use, and for what it takes besides its sliders."""
    use = ask.segment(USE, _("Use"), label_visibility="collapsed")
    if use != "BERT and GPT":
        return State(use)
    wide, narrow = ask.columns([3, 1])
    with wide:
        text = ask_sentence(ask, TEXT, _("Sentence"), tokenize=tokenize, most=MOST_WORDS, how_cut=how_cut)
    with narrow:
        return State(use, text, ask.whole(SEED, _("Seed")))


def sees(ask: Ask, asked: State) -> Seen[State]:
    """Show the use, at all positions of its sliders."""
    view = VIEWS[asked.use]
    moved = view.slider(asked)
    sliding = ask.exact(moved.steps)
    rows = None
    if view.rows:
        asking = view.rows()
        rows = Rows(asking.label, asking.steps, Cursor(len(asking.steps.values)), asking.names)
    ask.tell(_(view.asks))
    state = _at_sliders(ask, asked)
    figure = Figure(
        drawn(asked, sliding),
        key=f"use-{USE.options.index(asked.use)}",
        alt=_(view.alt),
        name=f"where attention is used: {asked.use}",
        slider=Slider(moved.label, sliding, names=moved.names),
        rows=rows,
        clicked=_choose_patch if asked.use == "images" else None,
    )
    notes = [Small(paragraph(_("**What is trained, what is not.**"), _(view.trained)))]
    return Seen(state, figure, notes=notes, leads=view.see(state), view=asked.use)


def _at_sliders(ask: Ask, asked: State) -> State:
    """Return the state with each slider where it stands."""
    prefix, patch, word, window, frame = (
        int(ask.value(each)) for each in (PREFIX, PATCH, WORD, WINDOW, FRAME)
    )
    return replace(
        asked,
        temperature=ask.value(TEMPERATURE),
        prefix=prefix,
        patch=patch,
        word=word,
        window=window,
        frame=frame,
    )


def _choose_patch(ask: Ask, cell: Cell) -> None:
    """Lay the weights of the patch that was clicked over the picture."""
    patch = images.patch_at(cell.trace, cell.row, cell.column)
    if patch is not None:
        ask.move(PATCH, patch)
