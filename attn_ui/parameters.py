"""Every setting that a link can carry: its short name, default and allowed range.

The names are public: a link that someone saved must keep working. A name means the same on every page.
"""

import math
from collections.abc import Sequence
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


def _read_number(text: str, low: float, high: float) -> float:
    wanted = f"a number from {low:g} to {high:g}"
    try:
        number = float(text)
    except ValueError:
        raise ValueError(wanted) from None
    # A value written with few digits may lie a rounding outside.
    slack = 1e-2 * max(abs(low), abs(high)) if math.isfinite(number) else 0.0
    if not low - slack <= number <= high + slack:
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

TAB = Choice("tab", "", ("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"))
TEXT = Text("text", "the cat sat on the mat", longest=400)
SEED = Whole("seed", 4, 0, 9999)

# ---- kernel regression ----

BANDWIDTH = Steps("h", 0.5, logarithmic(0.05, 5.0, 41), ".3f")
KERNEL_REGRESSION: tuple[Parameter, ...] = (TAB, SEED, BANDWIDTH)

# ---- single head ----

TEMPERATURE = Steps("t", 1.0, logarithmic(0.1, 10.0, 41), ".2f")
SINGLE_HEAD: tuple[Parameter, ...] = (TAB, TEXT, SEED, TEMPERATURE)

# ---- positional encoding ----

POSITIONAL_ENCODING: tuple[Parameter, ...] = (TAB, TEXT, SEED)

# ---- multi-head ----

MULTI_HEAD: tuple[Parameter, ...] = (TAB, TEXT, SEED)

# What each page can set, by its address.
PAGES: dict[str, tuple[Parameter, ...]] = {
    "": (),
    "kernel-regression": KERNEL_REGRESSION,
    "single-head": SINGLE_HEAD,
    "positional-encoding": POSITIONAL_ENCODING,
    "multi-head": MULTI_HEAD,
}
