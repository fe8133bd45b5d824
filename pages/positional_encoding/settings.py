"""What a link to this page can set: short names, defaults, ranges; and the controls that ask for it."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core import SCHEMES, label_tokens, tokenize
from attn_ui import address, controls, state
from attn_ui.bounds import MAX_D_MODEL, MAX_MODEL_TOKENS, MAX_TOKENS
from attn_ui.parameters import Choice, Parameter, Steps, Text, Whole, grouped_tabs
from attn_ui.places import Found, Place
from attn_ui.schemes import SchemeSettings, ask_scheme
from attn_ui.screen import SCREEN
from attn_ui.sentence import ask_sentence
from attn_ui.shared_settings import (
    BASE,
    CODE,
    HEAD,
    KEY,
    LAYOUT,
    QUERY,
    RAMP_STEP,
    SEED,
    STRENGTH,
    TEXT,
    scheme_setting,
)

TAB = grouped_tabs(
    understand=("Arithmetic", "Maths"),
    experiment=("Break it",),
    prove=("Checks",),
    take_away=("Data", "Code"),
)
PICTURE = Choice(
    "show",
    "attention",
    (
        "attention",
        "shuffle test",
        "shift test",
        "E + P",
        "encoding",
        "similarity",
        "compare",
        "past training",
    ),
    views=True,
)
SCHEME = scheme_setting(SCHEMES, "sinusoidal")
WORDS = Choice("words", "one-hot", ("one-hot", "random"))
WIDTH = Whole("width", 16, 1, MAX_D_MODEL)
LONGEST = MAX_MODEL_TOKENS
LENGTH = Steps("length", 64, (*range(1, 16), *range(16, LONGEST + 1, 4)), ".0f")
# Which of an encoding's settings its slider moves.
DRIVES = Choice("drive", "base", ("base", "length"))
PLACE = Steps("p", 10, tuple(range(LONGEST)), ".0f")
DIMENSIONS = Text("dims", "0, 1, 4, 8", longest=80)
MEASURE = Choice("measure", "dot product", ("dot product", "cosine"))
HEADS_OF_BIAS = Choice("of", "8", ("4", "8", "12", "16"))
ORDER = Choice("order", "random", ("random", "reverse", "swap two"))
ALONE, WHOLE = "positions alone", "whole attention"
LEVEL = Choice("level", ALONE, (ALONE, WHOLE))
SHIFT = Steps("shift", 8, tuple(range(65)), ".0f")
OFFSET = Steps("offset", 3, tuple(range(33)), ".0f")
BESIDE = Choice("beside", "all", ("all", *SCHEME.options))
TRAINED = Steps("trained", 16, tuple(range(4, 65, 4)), ".0f")
MISTAKE = Choice(
    "slip",
    "one frequency",
    ("one frequency", "split pairs", "base too small", "too loud", "off by one"),
    kind="mistake",
    tab="Break it",
)
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, PICTURE, TEXT, WORDS, WIDTH, SEED, SCHEME, LAYOUT, HEADS_OF_BIAS, STRENGTH, BASE, RAMP_STEP),
    *(
        LENGTH,
        DRIVES,
        PLACE,
        DIMENSIONS,
        MEASURE,
        HEAD,
        ORDER,
        LEVEL,
        SHIFT,
        OFFSET,
        BESIDE,
        TRAINED,
        MISTAKE,
    ),
    *(QUERY, KEY, CODE),
)


@dataclass(frozen=True)
class Inputs:
    """All that the page is set to, as plain values, so that it can key a cache."""

    picture: str
    tokens: tuple[str, ...]
    words: str
    width: int  # as asked for: a scheme may need another
    seed: int
    scheme: SchemeSettings
    num_heads: int
    drives: str = DRIVES.default
    measure: str = MEASURE.default
    dimensions: str = DIMENSIONS.default
    order: str = ORDER.default
    level: str = LEVEL.default
    beside: str = BESIDE.default
    # Where the live sliders stand.
    head: int = int(HEAD.default)
    length: int = int(LENGTH.default)
    shift: int = int(SHIFT.default)
    offset: int = int(OFFSET.default)
    trained: int = int(TRAINED.default)
    query: int = int(QUERY.default)
    key: int = int(KEY.default)

    @property
    def labels(self) -> list[str]:
        """The tokens with repeated ones told apart."""
        return label_tokens(self.tokens)

    def under(self, scheme: str) -> "Inputs":
        """Return the same under another scheme."""
        return replace(self, scheme=replace(self.scheme, name=scheme))

    def still(self, *moving: Steps) -> "Inputs":
        """Return what a figure is made from that these sliders move: the same wherever they stand.

        The chosen cell is drawn in no figure, so it is left out too.
        """
        names = {steps.name for steps in moving}
        scheme: dict[str, Any] = {
            steps.name: steps.default for steps in (STRENGTH, BASE, RAMP_STEP) if steps.name in names
        }
        own: dict[str, Any] = {
            steps.name: int(steps.default)
            for steps in (HEAD, LENGTH, SHIFT, OFFSET, TRAINED)
            if steps.name in names
        }
        still = replace(self, scheme=replace(self.scheme, **scheme), query=0, key=0)
        return replace(still, **own)


@dataclass(frozen=True)
class Example:
    """A sentence with the settings under which it is shown."""

    text: str
    words: str
    width: int
    scheme: str


EXAMPLES = {
    "The cat": Example(TEXT.default, WORDS.default, WIDTH.default, SCHEME.default),
    "I love dogs": Example("I love dogs", "one-hot", 4, "ramp"),
    "Dog bites man": Example("dog bites man", "random", 16, "sinusoidal"),
}
FOUND = tuple(
    Found(
        (name,),
        "example, Positional encoding",
        Place(
            "positional_encoding",
            {
                setting.name: str(value)
                for setting, value in (
                    (TEXT, example.text),
                    (WORDS, example.words),
                    (WIDTH, example.width),
                    (SCHEME, example.scheme),
                )
                if value != setting.default
            },
        ),
    )
    for name, example in EXAMPLES.items()
)
_VECTORS_HELP = (
    "One-hot vectors have nothing in common, so all that words do to one another comes from their positions. "
    "Random vectors are drawn from the seed and the word: the same word has the same vector everywhere."
)


_LIVE = (STRENGTH, BASE, RAMP_STEP)  # of a scheme's settings, those that a picture's own slider moves


def ask() -> Inputs:
    """Ask for everything that no live slider moves: in the sidebar, and for the picture above itself."""
    with st.sidebar:
        st.subheader("Positions", anchor=False)
        scheme = ask_scheme(SCREEN, SCHEME, SCHEMES, live=_LIVE)
        num_heads = int(HEADS_OF_BIAS.default)
        if "num_heads" in SCHEMES[scheme.name].settings():
            num_heads = int(controls.segment(HEADS_OF_BIAS, "Heads"))
        room = st.container()
        st.subheader("Words", anchor=False)
        with st.container(horizontal=True, gap="xxsmall"):
            for name, example in EXAMPLES.items():
                st.button(name, on_click=_take, args=(example,), key=f"example-{name}")
        text = ask_sentence(SCREEN, TEXT, "Sentence", tokenize=tokenize, most=MAX_TOKENS)
        words = controls.segment(WORDS, "Vectors", help=_VECTORS_HELP)
        width = controls.whole(WIDTH, "Width, d_model")
        width_note = st.empty()
        seed = controls.whole(SEED, "Seed")
    picture = controls.segment(PICTURE, "Picture", label_visibility="collapsed")
    tokens = tuple(tokenize(text)[:MAX_TOKENS])
    inputs = Inputs(picture, tokens, words, width, seed, scheme, num_heads)
    inputs = _ask_for_picture(inputs, room)
    note = _width_note(inputs)
    if note:
        width_note.caption(note)
    return inputs


def fitting_width(inputs: Inputs) -> int:
    """Return the width nearest to the one asked for that the words and the schemes compared can take."""
    width = max(inputs.width, len(set(inputs.tokens)) if inputs.words == "one-hot" else 1)
    for name in sorted(_compared(inputs), key="learned".__eq__):  # the table's width is even, so it is last
        width = SCHEMES[name].fitting_width(width)
    return width


def _compared(inputs: Inputs) -> set[str]:
    """Return the scheme, and the one beside it where the picture is the difference of two."""
    two = inputs.picture == "compare" and inputs.beside != "all"
    return {inputs.scheme.name, inputs.beside} if two else {inputs.scheme.name}


def _width_note(inputs: Inputs) -> str:
    used = fitting_width(inputs)
    if used == inputs.width:
        return ""
    count = len(set(inputs.tokens))
    if inputs.words == "one-hot" and count > inputs.width and used in (count, count + 1):
        even = ", made even for pairs" if used > count else ""
        return (
            f":material/info: {count} different one-hot words need a width of {count}{even}: {used} is used."
        )
    if "learned" in _compared(inputs):
        return f":material/info: The learned table has width {used}, so the words have too."
    return f":material/info: Rotary turns pairs of dimensions: {used} is used in place of {inputs.width}."


def _ask_for_picture(inputs: Inputs, room: DeltaGenerator) -> Inputs:
    """Ask for what belongs to one picture alone."""
    adds, takes = SCHEMES[inputs.scheme.name].adds, SCHEMES[inputs.scheme.name].settings()
    given: dict[str, Any] = {}
    with room:
        if inputs.picture == "shuffle test":
            given["order"] = controls.segment(ORDER, "New order")
        if inputs.picture == "shift test":
            given["level"] = controls.segment(LEVEL, "Shift test of")
        if inputs.picture == "compare":
            given["beside"] = _ask_beside()
        encodes = inputs.picture == "encoding" and adds in ("nothing", "vector")
        if encodes or inputs.picture == "similarity":
            given["drives"] = LENGTH.name
        if inputs.picture == "past training" or (given.get("drives") and "base" in takes):
            given["drives"] = controls.segment(DRIVES, "The slider moves")
        if encodes:
            given["dimensions"] = controls.line(DIMENSIONS, "Dimensions drawn as waves")
        if inputs.picture == "similarity" and adds == "vector":
            given["measure"] = controls.segment(MEASURE, "Measure")
    return replace(inputs, **given)


def _ask_beside() -> str:
    beside = controls.choose(BESIDE, "Beside it")
    if beside != "all" and SCHEMES[beside].missing():
        st.caption(f":material/info: “{beside}” is not installed: all the others are shown.")
        return "all"
    return beside


def at_sliders(inputs: Inputs) -> Inputs:
    """Return the inputs with each live slider where it stands."""
    strength, base, step = map(state.value, _LIVE)
    return replace(
        inputs,
        scheme=replace(inputs.scheme, strength=strength, base=base, step=step),
        head=address.place(HEAD, inputs.num_heads) + 1,
        length=int(state.value(LENGTH)),
        shift=int(state.value(SHIFT)),
        offset=int(state.value(OFFSET)),
        trained=int(state.value(TRAINED)),
        query=address.place(QUERY, len(inputs.tokens)),
        key=address.place(KEY, len(inputs.tokens)),
    )


def _take(example: Example) -> None:
    """Set the page to an example; a callback, before the page runs."""
    st.session_state[TEXT.name] = example.text
    st.session_state[WORDS.name] = example.words
    st.session_state[WIDTH.name] = example.width
    st.session_state[SCHEME.name] = example.scheme
    for steps in _LIVE:
        state.move(steps, steps.default)
