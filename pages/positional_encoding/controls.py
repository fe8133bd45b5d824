"""The controls in the sidebar and above the picture."""

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from attn_core import SCHEMES, how_cut, tokenize
from attn_ui.base.bounds import MAX_TOKENS
from attn_ui.base.controls import Controls
from attn_ui.base.links import Dropped
from attn_ui.base.parameters import label_of
from attn_ui.base.schemes import read_layout, read_scheme
from attn_ui.base.sentence import read_sentence
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
    SentenceExample,
)
from pages.positional_encoding.state import State, fitting_width

_VECTORS_HELP = N_(
    "One-hot vectors of different words have nothing in common: these see each other by position alone. "
    "Random vectors are drawn from the seed and the word: the same word has the same vector everywhere."
)
_WIDTH_HELP = N_(
    "Schemes are compared at one width. Rotary takes even widths, the learned table its own alone: where one "
    "of them is left out, choose it as the scheme."
)


_LIVE = (STRENGTH, BASE, RAMP_STEP)  # the settings of a scheme that a picture's slider can move


def read_controls(controls: Controls) -> State:
    """Read all settings that no live slider moves, in the sidebar and above the picture."""
    with controls.sidebar():
        controls.heading(_("Positions"))
        of_scheme, room = controls.space(), controls.space()
        controls.heading(_("Words"))
        with controls.row(gap="xxsmall"):
            for name, example in EXAMPLES.items():
                controls.button(name, partial(_take, controls, example), key=f"example-{name}")
        text = read_sentence(
            controls, TEXT, _("Sentence"), tokenize=tokenize, most=MAX_TOKENS, how_cut=how_cut
        )
        with controls.more(LAYOUT, WORDS, WIDTH, SEED) as more:
            layout = read_layout(more, SCHEMES[controls.peek(SCHEME)])
            words = more.segment(WORDS, _("Vectors"), help=_(_VECTORS_HELP))
            width = more.whole(WIDTH, _("Width, d_model"), help=_(_WIDTH_HELP))
            seed = more.whole(SEED, _("Seed"))
        width_note = controls.space()
        with of_scheme:
            scheme = read_scheme(controls, SCHEME, SCHEMES, layout, live=_LIVE)
            num_heads = int(HEADS_OF_BIAS.default)
            if "num_heads" in SCHEMES[scheme.name].settings():
                num_heads = int(controls.segment(HEADS_OF_BIAS, _("Heads")))
    picture = controls.segment(PICTURE, _("Picture"), label_visibility="collapsed")
    tokens = tuple(tokenize(text)[:MAX_TOKENS])
    state = State(picture, tokens, words, width, seed, scheme, num_heads)
    state = _read_for_picture(controls, state, room)
    note = _width_note(state)
    if note:
        with width_note:
            controls.caption(note)
    return state


def _width_note(state: State) -> str:
    used_width = fitting_width(state)
    if used_width == state.width:
        return ""
    return _(
        ":material/info: Width {used} is used in place of {width}: one-hot words need a dimension each, "
        "rotary takes pairs, and learned positions have their own width.",
        used=used_width,
        width=state.width,
    )


def _read_for_picture(controls: Controls, state: State, room: AbstractContextManager[Any]) -> State:
    """Read the settings of the chosen picture alone."""
    adds, takes = SCHEMES[state.scheme.name].adds, SCHEMES[state.scheme.name].settings()
    settings: dict[str, Any] = {}
    with room:
        if state.picture == "shuffle test":
            settings["order"] = controls.segment(ORDER, _("New order"))
            if settings["order"] == "own":
                settings["places"] = controls.text(PLACES)
        if state.picture == "shift test":
            settings["level"] = controls.segment(LEVEL, _("Shift test of"))
        if state.picture == "compare":
            settings["beside"] = _read_beside(controls)
        if state.picture == "length extrapolation":
            settings["scaling"] = controls.segment(SCALING, _("Rotary scaling"))
        is_scaled = settings.get("scaling", SCALING.default) != SCALING.default
        if is_scaled:
            settings["sweep"] = controls.segment(SWEEP, _("The slider moves"))
            controls.button(_("A head of Llama 2"), partial(_take_head, controls), key="real-head")
        encodes = state.picture == "encoding" and adds in ("nothing", "vector")
        if encodes or state.picture == "similarity":
            settings["drives"] = LENGTH.name
        if (state.picture == "length extrapolation" and not is_scaled) or (
            settings.get("drives") and "base" in takes
        ):
            settings["drives"] = controls.segment(DRIVES, _("The slider moves"))
        if encodes:
            settings["dimensions"] = controls.line(DIMENSIONS, _("Dimensions drawn as waves"))
        if state.picture == "similarity" and adds == "vector":
            settings["measure"] = controls.segment(MEASURE, _("Measure"))
    state = replace(state, **settings)
    if state.picture == "shuffle test" and state.order == "own":
        order, requirement = own_order(state.places, len(state.tokens))
        if requirement:
            controls.report_dropped(
                Dropped(PLACES.name, state.places, requirement, replacement=",".join(map(str, order)))
            )
        controls.part("pages.positional_encoding.word_order", state)
    return state


def _read_beside(controls: Controls) -> str:
    beside = controls.choose(BESIDE, _("Beside it"))
    if beside != "all" and SCHEMES[beside].missing_package():
        controls.caption(
            _(
                ":material/info: “{scheme}” is not installed: all the others are shown.",
                scheme=label_of(BESIDE, beside),
            )
        )
        return "all"
    return beside


def with_sliders(controls: Controls, state: State) -> State:
    """Return the state with the values of all live sliders."""
    strength, base, step = map(controls.value, _LIVE)
    return replace(
        state,
        scheme=replace(state.scheme, strength=strength, base=base, step=step),
        head=controls.place(HEAD, state.num_heads) + 1,
        length=int(controls.value(LENGTH)),
        shift=int(controls.value(SHIFT)),
        offset=int(controls.value(OFFSET)),
        trained=int(controls.value(TRAINED)),
        factor=controls.value(FACTOR),
        query=controls.place(QUERY, len(state.tokens)),
        key=controls.place(KEY, len(state.tokens)),
    )


def _take_head(controls: Controls) -> None:
    """Set width, trained length and base to those of a head of Llama 2; a callback, before the page runs."""
    controls.answer(WIDTH, 128)
    controls.move(TRAINED, 4096)
    controls.move(BASE, BASE.default)


def _take(controls: Controls, example: SentenceExample) -> None:
    """Set the page to an example; a callback, before the page runs."""
    controls.answer(TEXT, example.text)
    controls.answer(WORDS, example.words)
    controls.answer(WIDTH, example.width)
    controls.answer(SCHEME, example.scheme)
    for steps in _LIVE:
        controls.move(steps, steps.default)
