"""Every setting that a link can carry: its short name, default and allowed range.

The names are public: a link that someone saved must keep working. A name means the same on every page.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Parameter(Protocol):
    """What all kinds of settings have in common."""

    @property
    def name(self) -> str:
        """The name in the address."""

    @property
    def default(self) -> Any:
        """The value that is left out of the address."""

    def read(self, text: str) -> Any:
        """Return the value that `text` stands for; ValueError says what was wanted."""


@dataclass(frozen=True)
class Choice:
    """One of a few named options; the address carries the option as it is shown."""

    name: str
    default: str
    options: tuple[str, ...]

    def read(self, text: str) -> str:
        """Return the option itself."""
        if text not in self.options:
            raise ValueError(f"one of {', '.join(self.options)}")
        return text


@dataclass(frozen=True)
class Whole:
    """A whole number from low to high."""

    name: str
    default: int
    low: int
    high: int

    def read(self, text: str) -> int:
        """Return the number."""
        if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 12):
            raise ValueError(f"a whole number from {self.low} to {self.high}")
        if not self.low <= int(text) <= self.high:
            raise ValueError(f"a whole number from {self.low} to {self.high}")
        return int(text)


@dataclass(frozen=True)
class Real:
    """A number from low to high."""

    name: str
    default: float
    low: float
    high: float
    step: float = 0.1

    def read(self, text: str) -> float:
        """Return the number."""
        return _read_number(text, self.low, self.high)


@dataclass(frozen=True)
class Flag:
    """On or off, written true or false."""

    name: str
    default: bool

    def read(self, text: str) -> bool:
        """Return True or False."""
        if text.lower() not in ("true", "false"):
            raise ValueError("true or false")
        return text.lower() == "true"


@dataclass(frozen=True)
class Text:
    """A line of text."""

    name: str
    default: str
    longest: int

    def read(self, text: str) -> str:
        """Return the text as it is."""
        if len(text) > self.longest:
            raise ValueError(f"at most {self.longest} characters")
        return text


@dataclass(frozen=True)
class Steps:
    """The values of a live figure's slider; the address carries the value, the nearest step is taken.

    A page may offer only some of the values (`dataclasses.replace(HEADS, values=...)`): the setting is the
    value, never its position.
    """

    name: str
    default: float
    values: tuple[float, ...]
    form: str = ".3g"

    def read(self, text: str) -> float:
        """Return the nearest of the values."""
        return self.values[self.nearest(_read_number(text, min(self.values), max(self.values)))]

    def nearest(self, value: float) -> int:
        """Return the position of the value nearest to `value`."""
        return min(range(len(self.values)), key=lambda i: abs(self.values[i] - value))

    def texts(self) -> list[str]:
        """Each value as it stands in the address and beside the slider."""
        return [format(value, self.form) for value in self.values]


@dataclass(frozen=True)
class Table:
    """Rows of numbers: "1,2,3;4,5,6" is two rows of three. Empty text stands for no table."""

    name: str
    most_rows: int
    most_columns: int
    default: str = ""
    longest: int = 3000  # characters, so that a link stays a link

    def read(self, text: str) -> str:
        """Return the text itself when it is a table within bounds."""
        self.rows(text)
        return text

    def rows(self, text: str) -> tuple[tuple[float, ...], ...]:
        """Return the numbers.

        >>> Table("Q", 2, 3).rows("1,2,3;4,5.5,-6")
        ((1.0, 2.0, 3.0), (4.0, 5.5, -6.0))
        """
        if not text:
            return ()
        wanted = (
            f"at most {self.most_rows} rows of at most {self.most_columns} numbers from -1000 to 1000, "
            "as in 1,2,3;4,5,6"
        )
        if len(text) > self.longest:
            raise ValueError(f"{wanted}, in at most {self.longest} characters")
        try:
            rows = tuple(tuple(float(cell) for cell in row.split(",")) for row in text.split(";"))
        except ValueError:
            raise ValueError(wanted) from None
        widths = {len(row) for row in rows}
        fits = len(rows) <= self.most_rows and len(widths) == 1 and max(widths) <= self.most_columns
        if not fits or not all(abs(number) <= 1000 for row in rows for number in row):
            raise ValueError(wanted)
        return rows

    def text(self, rows: Sequence[Sequence[float]]) -> str:
        """Write numbers as the address has them, six significant digits each.

        >>> Table("Q", 2, 3).text([[1.0, 2.0], [0.1234567, -3.5]])
        '1,2;0.123457,-3.5'
        """
        return ";".join(",".join(f"{number:.6g}" for number in row) for row in rows)


@dataclass(frozen=True)
class Cells:
    """Cells of a map: "0.2,1.0" is query 0 with key 2, and query 1 with key 0."""

    name: str
    most: int  # rows or columns
    default: str = ""

    def read(self, text: str) -> str:
        """Return the text itself when it is a list of cells."""
        self.cells(text)
        return text

    def cells(self, text: str) -> frozenset[tuple[int, int]]:
        """Return the cells as (query, key).

        >>> sorted(Cells("cells", 64).cells("0.2,1.0"))
        [(0, 2), (1, 0)]
        """
        if not text:
            return frozenset()
        cells = set()
        for part in text.split(","):
            query, dot, key = part.partition(".")
            whole = all(side.isascii() and side.isdigit() and len(side) < 4 for side in (query, key))
            if not (dot and whole and int(query) < self.most and int(key) < self.most):
                raise ValueError(f"cells as query.key, each from 0 to {self.most - 1}, as in 0.2,1.0")
            cells.add((int(query), int(key)))
        return frozenset(cells)

    def text(self, cells: Iterable[tuple[int, int]]) -> str:
        """Write cells as the address has them."""
        return ",".join(f"{query}.{key}" for query, key in sorted(cells))


@dataclass(frozen=True)
class Several:
    """Any number of named options; the address repeats the name once for each."""

    name: str
    options: tuple[str, ...]
    default: tuple[str, ...] = ()

    def read(self, text: str) -> str:
        """Return one option."""
        if text not in self.options:
            raise ValueError(f"any of {', '.join(self.options)}, each at most once")
        return text


def _read_number(text: str, low: float, high: float) -> float:
    wanted = f"a number from {low:g} to {high:g}"
    try:
        number = float(text)
    except ValueError:
        raise ValueError(wanted) from None
    # A bound written with few digits may lie a rounding outside.
    if not low - 1e-2 * abs(low) <= number <= high + 1e-2 * abs(high):
        raise ValueError(wanted)
    return min(max(number, low), high)


def logarithmic(low: float, high: float, count: int) -> tuple[float, ...]:
    """Space `count` values from low to high evenly on a logarithmic scale.

    >>> logarithmic(0.1, 10, 3)
    (0.1, 1.0, 10.0)
    """
    ratio = math.log(high / low) / (count - 1)
    inner = tuple(round(low * math.exp(ratio * i), 12) for i in range(1, count - 1))
    return (float(low), *inner, float(high))


def by_name(parameters: Sequence[Parameter]) -> dict[str, Parameter]:
    """Index parameters by name."""
    return {parameter.name: parameter for parameter in parameters}


# ---- settings that several pages share ----

TAB = Choice(
    "tab",
    "",
    (
        *("Heads add up", "Shapes", "Measures", "Block", "Scale", "Cost"),
        *("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"),
    ),
)
TEXT = Text("text", "the cat sat on the mat", longest=4000)
CROSS = Flag("cross", False)
TEXT_2 = Text("text2", "a dog lay on the rug", longest=4000)
SEED = Whole("seed", 4, 0, 9999)
TEMPERATURE = Steps("t", 1.0, logarithmic(0.1, 10.0, 41), ".2f")
# The selected cell of a map: the places of its query and of its key, counted from 0.
QUERY = Steps("q", 0, tuple(range(128)), ".0f")
KEY = Steps("k", 0, tuple(range(128)), ".0f")
HEAD = Steps("head", 1, tuple(range(1, 17)), ".0f")

# ---- kernel regression ----

KERNEL_VIEW = Choice(
    "picture",
    "Fit and weights",
    ("Fit and weights", "Four kernels", "Choose the bandwidth", "Bridge to attention", "Where it fails"),
)
OWN_POINTS = "own points"
POINTS_DATA = Choice("data", "sine", ("sine", "step", "bump", "heteroscedastic", "gap", OWN_POINTS))
POINTS = Whole("points", 40, 4, 500)
NOISE = Real("noise", 0.5, 0.0, 2.0, 0.1)
KERNEL = Choice("kernel", "gaussian", ("gaussian", "boxcar", "triangular", "epanechnikov"))
# Both are in the unit of the toy data, which lie in [0, 5]; a person's own data are measured by their width.
BANDWIDTH = Steps("h", 0.5, logarithmic(0.01, 25.0, 61), ".3g")
QUERY_AT = Steps("x0", 2.5, tuple(round(-0.5 + 0.1 * i, 1) for i in range(61)), ".1f")
KEY_LENGTHS = Flag("lengths", True)
ALL_KEYS = Flag("all", False)
KERNEL_SLIP = Choice(
    "trap", "softmax over queries", ("softmax over queries", "training error", "triangular as Epanechnikov")
)
KEYS_LIE = Choice("keys", "on a line", ("on a line", "on a circle"))
KERNEL_REGRESSION: tuple[Parameter, ...] = (
    TAB,
    KERNEL_VIEW,
    POINTS_DATA,
    POINTS,
    NOISE,
    SEED,
    KERNEL,
    BANDWIDTH,
    QUERY_AT,
    KEY_LENGTHS,
    ALL_KEYS,
    KEYS_LIE,
    KERNEL_SLIP,
)

# ---- single head ----

EXAMPLE = Choice(
    "example",
    "own sentence",
    ("own sentence", "two keys, one query", "I love ice", "I love dogs", "one query, ten keys"),
)
VECTORS = Choice("vectors", "random", ("random", "one-hot", "typed"))
WIDTH_X = Whole("d", 6, 1, 16)
RAMP = Flag("ramp", False)
UNIT_ROWS = Flag("unit", False)
TABLE_X = Table("X", 64, 16)
TABLE_Y = Table("Y", 64, 16)
QKV = Choice("qkv", "projected", ("projected", "as they are", "typed"))
WIDTH_K = Whole("dk", 4, 1, 16)
WIDTH_V = Whole("dv", 4, 1, 16)
TABLE_Q = Table("Q", 64, 16)
TABLE_K = Table("K", 64, 16)
TABLE_V = Table("V", 64, 16)
MASK = Choice(
    "mask",
    "none",
    (
        "none",
        "causal",
        "padding",
        "sliding window",
        "dilated",
        "global + local",
        "block-sparse",
        "prefix",
        "own",
    ),
)
# What it is of depends on the mask: window, prefix, padding or block size.
MASK_WIDTH = Steps("w", 1, tuple(range(65)), ".0f")
DILATION = Whole("gap", 2, 1, 8)
GLOBAL_TOKENS = Whole("global", 1, 0, 8)
RANDOM_BLOCKS = Whole("blocks", 1, 0, 8)
BLOCKED = Cells("blocked", 64)
MOVES = Choice("moves", "temperature", ("temperature", "mask width"))
SCALE = Choice("scale", "1/√dₖ", ("1/√dₖ", "none", "free"))
FREE_SCALE = Real("s", 1.0, 0.01, 100.0, 0.01)
STAGE = Choice(
    "stage", "all at once", ("all at once", "X", "Q, K, V", "scores", "scaled", "masked", "weights", "output")
)
MISTAKE = Choice(
    "mistake",
    "softmax-over-queries",
    (
        "softmax-over-queries",
        "no-scale",
        "constant-scale",
        "mask-after-softmax",
        "zero-for-minus-infinity",
        "mask-turned-round",
        "unguarded-softmax",
    ),
)
SWEEP_WIDTH = Steps("dsweep", 64, tuple(2**power for power in range(11)), ".0f")
SINGLE_HEAD: tuple[Parameter, ...] = (
    *(TAB, EXAMPLE, TEXT, CROSS, TEXT_2, VECTORS, WIDTH_X, RAMP, UNIT_ROWS, TABLE_X, TABLE_Y, SEED),
    *(QKV, WIDTH_K, WIDTH_V, TABLE_Q, TABLE_K, TABLE_V),
    *(MASK, MASK_WIDTH, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS, BLOCKED, MOVES),
    *(SCALE, FREE_SCALE, TEMPERATURE, STAGE, QUERY, KEY, MISTAKE, SWEEP_WIDTH),
)

# ---- positional encoding ----

PICTURE = Choice(
    "show",
    "attention",
    ("attention", "shuffle test", "shift test", "encoding", "similarity", "compare", "past training"),
)
SCHEME = Choice(
    "scheme", "sinusoidal", ("none", "ramp", "sinusoidal", "learned", "rotary", "ALiBi", "buckets")
)
WORDS = Choice("words", "one-hot", ("one-hot", "random"))
WIDTH = Whole("width", 16, 1, 128)
LAYOUT = Choice("layout", "interleaved", ("interleaved", "concatenated"))
STRENGTH = Steps("strength", 1.0, tuple(i / 10 for i in range(21)), ".1f")
_ROUND = (1.0, 2.0, 3.0, 5.0)
BASE = Steps("base", 10000.0, (*(digit * 10.0**power for power in range(5) for digit in _ROUND), 1e5), ".6g")
RAMP_STEP = Steps("step", 0.5, tuple(i / 20 for i in range(41)), ".2f")
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
POSITIONAL_ENCODING: tuple[Parameter, ...] = (
    *(TAB, PICTURE, TEXT, WORDS, WIDTH, SEED, SCHEME, LAYOUT, HEADS_OF_BIAS, STRENGTH, BASE, RAMP_STEP),
    *(LENGTH, DRIVES, PLACE, DIMENSIONS, MEASURE, HEAD, ORDER, SHIFT, OFFSET, BESIDE, TRAINED, SLIP),
    *(QUERY, KEY),
)

# ---- multi-head ----

CASE = Choice(
    "case",
    "own sentence",
    (
        "own sentence",
        "I love dogs, two heads",
        "I love ice, two full-width heads",
        "cross-attention, four heads",
        "the original Transformer",
        "heads wider than their share",
    ),
)
WIDTH_MODEL = Whole("dm", 8, 1, 128)
WIDTH_MEMORY = Whole("dmem", 8, 1, 128)
FREE_HEADS = Flag("free", False)
WIDTH_HEAD = Whole("dh", 8, 1, 128)
HEADS = Steps("heads", 4, tuple(range(1, 17)), ".0f")
BIAS = Flag("bias", False)
PROJECTION = Flag("wo", True)
HEADS_MASK = Choice("hmask", "none", ("none", "causal", "sliding window", "padding"))
MASK_REACH = Whole("reach", 1, 0, 63)
VIEW = Choice("view", "every head", ("every head", "mean and max", "two heads"))
ORDER_BY = Choice(
    "by",
    "number",
    ("number", "entropy", "effective keys", "distance", "previous token", "diagonal", "contribution"),
)
AGAINST = Steps("against", 2, tuple(range(1, 17)), ".0f")
OFF = Several("off", tuple(str(head) for head in range(1, 17)))
RESHAPE = Steps("reshape", 0, tuple(range(37)), ".0f")
LAYERS = Steps("layers", 6, tuple(range(13)), ".0f")
RESIDUAL = Flag("residual", True)
NORM = Choice("norm", "after", ("none", "before", "after"))
FAULT = Choice(
    "fault",
    "split without transpose",
    ("split without transpose", "merge without transpose", "√d_model for √d_head", "one W for all heads"),
)
MULTI_HEAD: tuple[Parameter, ...] = (
    *(TAB, CASE, TEXT, CROSS, TEXT_2, WIDTH_MODEL, WIDTH_MEMORY, SEED),
    *(HEADS, FREE_HEADS, WIDTH_HEAD, BIAS, PROJECTION, HEADS_MASK, MASK_REACH),
    *(VIEW, ORDER_BY, HEAD, AGAINST, QUERY, KEY, OFF, RESHAPE, LAYERS, RESIDUAL, NORM, FAULT),
)

# What each page can set, by its address.
PAGES: dict[str, tuple[Parameter, ...]] = {
    "": (TEMPERATURE,),
    "kernel-regression": KERNEL_REGRESSION,
    "single-head": SINGLE_HEAD,
    "positional-encoding": POSITIONAL_ENCODING,
    "multi-head": MULTI_HEAD,
}
