"""What a link to this page can set: short names, defaults, ranges."""

from attn_core import SCHEMES
from attn_core.limits import MAX_D_MODEL
from attn_ui.parameters import Choice, Parameter, Steps, Text, Whole
from attn_ui.shared_settings import (
    BASE,
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

TAB = Choice("tab", "", ("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"))
PICTURE = Choice(
    "show",
    "attention",
    ("attention", "shuffle test", "shift test", "encoding", "similarity", "compare", "past training"),
)
SCHEME = scheme_setting(SCHEMES, "sinusoidal")
WORDS = Choice("words", "one-hot", ("one-hot", "random"))
WIDTH = Whole("width", 16, 1, MAX_D_MODEL)
LENGTH = Steps("length", 64, (*range(1, 16), *range(16, 129, 4)), ".0f")
# Which of an encoding's settings its slider moves.
DRIVES = Choice("drive", "base", ("base", "length"))
PLACE = Steps("p", 10, tuple(range(128)), ".0f")
DIMENSIONS = Text("dims", "0, 1, 4, 8", longest=80)
MEASURE = Choice("measure", "dot product", ("dot product", "cosine"))
HEADS_OF_BIAS = Choice("of", "8", ("4", "8", "12", "16"))
ORDER = Choice("order", "random", ("random", "reverse", "swap two"))
SHIFT = Steps("shift", 8, tuple(range(65)), ".0f")
OFFSET = Steps("offset", 3, tuple(range(33)), ".0f")
BESIDE = Choice("beside", "all", ("all", *SCHEME.options))
TRAINED = Steps("trained", 16, tuple(range(4, 65, 4)), ".0f")
SLIP = Choice(
    "slip",
    "one frequency",
    ("one frequency", "split pairs", "base too small", "too loud", "off by one"),
)
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, PICTURE, TEXT, WORDS, WIDTH, SEED, SCHEME, LAYOUT, HEADS_OF_BIAS, STRENGTH, BASE, RAMP_STEP),
    *(LENGTH, DRIVES, PLACE, DIMENSIONS, MEASURE, HEAD, ORDER, SHIFT, OFFSET, BESIDE, TRAINED, SLIP),
    *(QUERY, KEY),
)
