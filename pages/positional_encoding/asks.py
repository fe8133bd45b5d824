"""What is asked: in the sidebar, and for the picture above itself."""

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from attn_core import SCHEMES, how_cut, tokenize
from attn_ui.base.ask import Ask
from attn_ui.base.bounds import MAX_TOKENS
from attn_ui.base.links import Dropped
from attn_ui.base.parameters import shown
from attn_ui.base.schemes import ask_layout, ask_scheme
from attn_ui.base.sentence import ask_sentence
from attn_ui.base.shared_settings import BASE, HEAD, KEY, LAYOUT, QUERY, RAMP_STEP, SEED, STRENGTH, TEXT
from attn_words import N_, _
from pages.positional_encoding.own_order import own_order
from pages.positional_encoding.settings import (
    BESIDE,
    DIMENSIONS,
    DRIVES,
    EXAMPLES,
    FACTOR,
    HEADS_OF_BIAS,
    LENGTH,
    LEVEL,
    MEASURE,
    OFFSET,
    ORDER,
    PICTURE,
    PLACES,
    SCALING,
    SCHEME,
    SHIFT,
    SWEEP,
    TRAINED,
    WIDTH,
    WORDS,
    Example,
)
from pages.positional_encoding.state import State, fitting_width

_VECTORS_HELP = N_(
    "One-hot vectors have nothing in common, so all that words do to one another comes from their positions. "
    "Random vectors are drawn from the seed and the word: the same word has the same vector everywhere."
)
_WIDTH_HELP = N_(
    "Schemes are compared at one width. Rotary takes even widths, the learned table its own alone: where one "
    "of them is left out, choose it as the scheme."
)


_LIVE = (STRENGTH, BASE, RAMP_STEP)  # of a scheme's settings, those that a picture's own slider moves


def asks(ask: Ask) -> State:
    """Ask for everything that no live slider moves: in the sidebar, and for the picture above itself."""
    with ask.sidebar():
        ask.heading(_("Positions"))
        of_scheme, room = ask.space(), ask.space()
        ask.heading(_("Words"))
        with ask.row(gap="xxsmall"):
            for name, example in EXAMPLES.items():
                ask.button(name, partial(_take, ask, example), key=f"example-{name}")
        text = ask_sentence(ask, TEXT, _("Sentence"), tokenize=tokenize, most=MAX_TOKENS, how_cut=how_cut)
        with ask.more(LAYOUT, WORDS, WIDTH, SEED) as more:
            layout = ask_layout(more, SCHEMES[ask.now(SCHEME)])
            words = more.segment(WORDS, _("Vectors"), help=_(_VECTORS_HELP))
            width = more.whole(WIDTH, _("Width, d_model"), help=_(_WIDTH_HELP))
            seed = more.whole(SEED, _("Seed"))
        width_note = ask.space()
        with of_scheme:
            scheme = ask_scheme(ask, SCHEME, SCHEMES, layout, live=_LIVE)
            num_heads = int(HEADS_OF_BIAS.default)
            if "num_heads" in SCHEMES[scheme.name].settings():
                num_heads = int(ask.segment(HEADS_OF_BIAS, _("Heads")))
    picture = ask.segment(PICTURE, _("Picture"), label_visibility="collapsed")
    tokens = tuple(tokenize(text)[:MAX_TOKENS])
    state = State(picture, tokens, words, width, seed, scheme, num_heads)
    state = _ask_for_picture(ask, state, room)
    note = _width_note(state)
    if note:
        with width_note:
            ask.say(note)
    return state


def _width_note(state: State) -> str:
    used = fitting_width(state)
    if used == state.width:
        return ""
    return _(
        ":material/info: Width {used} is used in place of {width}: one-hot words need a dimension each, "
        "rotary takes pairs, and the learned table has its own width.",
        used=used,
        width=state.width,
    )


def _ask_for_picture(ask: Ask, state: State, room: AbstractContextManager[Any]) -> State:
    """Ask for what belongs to one picture alone."""
    adds, takes = SCHEMES[state.scheme.name].adds, SCHEMES[state.scheme.name].settings()
    given: dict[str, Any] = {}
    with room:
        if state.picture == "shuffle test":
            given["order"] = ask.segment(ORDER, _("New order"))
            if given["order"] == "own":
                given["places"] = ask.text(PLACES)
        if state.picture == "shift test":
            given["level"] = ask.segment(LEVEL, _("Shift test of"))
        if state.picture == "compare":
            given["beside"] = _ask_beside(ask)
        if state.picture == "length extrapolation":
            given["scaling"] = ask.segment(SCALING, _("Rotary scaling"))
        is_scaled = given.get("scaling", SCALING.default) != SCALING.default
        if is_scaled:
            given["sweep"] = ask.segment(SWEEP, _("The slider moves"))
            ask.button(_("A head of Llama 2"), partial(_take_head, ask), key="real-head")
        encodes = state.picture == "encoding" and adds in ("nothing", "vector")
        if encodes or state.picture == "similarity":
            given["drives"] = LENGTH.name
        if (state.picture == "length extrapolation" and not is_scaled) or (
            given.get("drives") and "base" in takes
        ):
            given["drives"] = ask.segment(DRIVES, _("The slider moves"))
        if encodes:
            given["dimensions"] = ask.line(DIMENSIONS, _("Dimensions drawn as waves"))
        if state.picture == "similarity" and adds == "vector":
            given["measure"] = ask.segment(MEASURE, _("Measure"))
    state = replace(state, **given)
    if state.picture == "shuffle test" and state.order == "own":
        order, wanted = own_order(state.places, len(state.tokens))
        if wanted:
            ask.misfit(Dropped(PLACES.name, state.places, wanted, used=",".join(map(str, order))))
        ask.part("pages.positional_encoding.word_order", state)
    return state


def _ask_beside(ask: Ask) -> str:
    beside = ask.choose(BESIDE, _("Beside it"))
    if beside != "all" and SCHEMES[beside].missing():
        ask.say(
            _(
                ":material/info: “{scheme}” is not installed: all the others are shown.",
                scheme=shown(BESIDE, beside),
            )
        )
        return "all"
    return beside


def at_sliders(ask: Ask, state: State) -> State:
    """Return the state with each live slider where it stands."""
    strength, base, step = map(ask.value, _LIVE)
    return replace(
        state,
        scheme=replace(state.scheme, strength=strength, base=base, step=step),
        head=ask.place(HEAD, state.num_heads) + 1,
        length=int(ask.value(LENGTH)),
        shift=int(ask.value(SHIFT)),
        offset=int(ask.value(OFFSET)),
        trained=int(ask.value(TRAINED)),
        factor=ask.value(FACTOR),
        query=ask.place(QUERY, len(state.tokens)),
        key=ask.place(KEY, len(state.tokens)),
    )


def _take_head(ask: Ask) -> None:
    """Set width, trained length and base as a head of Llama 2 has them; a callback, before the page runs."""
    ask.answer(WIDTH, 128)
    ask.move(TRAINED, 4096)
    ask.move(BASE, BASE.default)


def _take(ask: Ask, example: Example) -> None:
    """Set the page to an example; a callback, before the page runs."""
    ask.answer(TEXT, example.text)
    ask.answer(WORDS, example.words)
    ask.answer(WIDTH, example.width)
    ask.answer(SCHEME, example.scheme)
    for steps in _LIVE:
        ask.move(steps, steps.default)
