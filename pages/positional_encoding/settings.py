"""What a link to this page can set: short names, defaults, ranges."""

from dataclasses import dataclass

from attn_core import POSITION_MISTAKES, SCALINGS, SCHEMES
from attn_ui.base.bounds import MAX_D_MODEL, MAX_MODEL_TOKENS, MAX_TOKENS
from attn_ui.base.parameters import Choice, Integer, Parameter, Steps, Table, Text, page_tabs
from attn_ui.base.search_entries import Entry, Place
from attn_ui.base.shared_settings import (
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

TAB = page_tabs(arithmetic=("Arithmetic",), experiments=("Break it",), data=("Data",))
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
        "length extrapolation",
    ),
    old_options=(("past training", "show=length extrapolation"),),
    chips=("attention", "shuffle test", "shift test", "encoding", "similarity"),
    views=True,
)
SCHEME = scheme_setting(SCHEMES, "sinusoidal")
WORDS = Choice("words", "one-hot", ("one-hot", "random"))
WIDTH = Integer("width", 16, 1, MAX_D_MODEL)
LONGEST = MAX_MODEL_TOKENS
LENGTH = Steps("length", 64, (*range(1, 16), *range(16, LONGEST + 1, 4)), ".0f")
# Which setting the slider of an encoding moves.
DRIVES = Choice("drive", "base", ("base", "length"))
PLACE = Steps("p", 10, tuple(range(LONGEST)), ".0f")
DIMENSIONS = Text("dims", "0, 1, 4, 8", longest=80)
MEASURE = Choice("measure", "dot product", ("dot product", "cosine"))
HEADS_OF_BIAS = Choice("of", "8", ("4", "8", "12", "16"))
ORDER = Choice("order", "random", ("random", "reverse", "swap two", "own"))
# For a visitor's own order: the place from which each word comes.
PLACES = Table("from", 1, MAX_TOKENS)
ALONE, WHOLE = "positions alone", "whole attention"
LEVEL = Choice("level", ALONE, (ALONE, WHOLE))
SHIFT = Steps("shift", 8, tuple(range(65)), ".0f")
OFFSET = Steps("offset", 3, tuple(range(33)), ".0f")
BESIDE = Choice("beside", "all", ("all", *SCHEME.options))
TRAINED = Steps("trained", 16, (*range(4, 65, 4), *(2**power for power in range(7, 13))), ".0f")
# How rotary positions are slowed for texts longer than TRAINED, the factor, and what the slider moves.
SCALING = Choice("scaling", "none", tuple(SCALINGS))
FACTOR = Steps("factor", 4, (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32))
SWEEP = Choice("ropemoves", "factor", ("factor", "length", "base"))
MISTAKE = Choice(
    "slip", next(iter(POSITION_MISTAKES)), tuple(POSITION_MISTAKES), kind="mistake", tab="Break it"
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
        PLACES,
        LEVEL,
        SHIFT,
        OFFSET,
        BESIDE,
        TRAINED,
        SCALING,
        FACTOR,
        SWEEP,
        MISTAKE,
    ),
    *(QUERY, KEY, CODE),
)


@dataclass(frozen=True)
class SentenceExample:
    """A sentence with the settings under which it is shown."""

    text: str
    words: str
    width: int
    scheme: str


EXAMPLES = {
    "The cat": SentenceExample(TEXT.default, WORDS.default, WIDTH.default, SCHEME.default),
    "I love dogs": SentenceExample("I love dogs", "one-hot", 4, "ramp"),
    "Dog bites man": SentenceExample("dog bites man", "random", 16, "sinusoidal"),
}
FOUND = tuple(
    Entry(
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
