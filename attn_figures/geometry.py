"""The frame of a panel: its axes, its colours, and the room that it needs."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from attn_figures import theme
from attn_figures.arrange import Box

LABEL_SIZES = (theme.FONT_SIZE, 12, 10, 8)  # pixels: labels become smaller before words are left out
Tick = tuple[tuple[float, ...], tuple[str, ...]]  # places of an axis's labels, and their texts


@dataclass(frozen=True)
class Axes:
    """The names of one panel's axes: as traces have them ("x2"), and as the layout has them ("xaxis2")."""

    number: int

    @property
    def x(self) -> str:
        """The x axis, for traces, shapes and annotations."""
        return f"x{self._suffix}"

    @property
    def y(self) -> str:
        """The y axis, for traces, shapes and annotations."""
        return f"y{self._suffix}"

    @property
    def x_layout(self) -> str:
        """The x axis's key in the layout."""
        return f"xaxis{self._suffix}"

    @property
    def y_layout(self) -> str:
        """The y axis's key in the layout."""
        return f"yaxis{self._suffix}"

    @property
    def _suffix(self) -> str:
        return "" if self.number == 0 else str(self.number + 1)


@dataclass(frozen=True)
class ColourRange:
    """A ramp stretched over values; panels with equal ranges share one colour axis and one bar."""

    ramp: theme.Ramp
    low: float
    high: float
    title: str
    power: float = 1.0


class PanelContent(NamedTuple):
    """A panel split into words and numbers: panels with equal words differ in their numbers alone.

    ``words`` determines titles, labels, colours and hatching; ``numbers`` holds the remaining fields of each
    trace.
    """

    words: Hashable
    numbers: list[dict[str, Any]]


@dataclass(frozen=True)
class Geometry:
    """All that decides a panel's place and the words around it; equal at most steps."""

    box: Box
    row_title: str = ""
    column_title: str = ""
    row_pixels: tuple[int, ...] = (0,)  # taken by the row labels, so that an operator can stand to their left
    # Number formats from wide cells to narrow ones, each with the longest number's width, in its font's size.
    formats: tuple[tuple[str, float], ...] | None = None
    cell: tuple[float, float] = (1.0, 1.0)  # width and height of a cell, in units
    operator: str = ""
    operator_pixels: int = 0  # its width
    below: int = 0  # pixels that axis labels take under the body, before the caption
    names_rows: bool = False  # whether rows are labelled even where it does not start a line
    label_units: tuple[float, float] | None = None  # between two column labels, between two row labels
    smaller: tuple[Box, ...] = ()  # the room with smaller labels, see `LABEL_SIZES`; the last has none
    ticks: tuple[Tick, Tick] | None = None  # the labels of the columns and of the rows
    letter: float = 0.0  # units that a letter of its own words has
    words: tuple[int, ...] = ()  # the indices of the traces with these words
    screens: str = ""  # "phones" or "wide" where it is drawn on these alone
    traces: int = 0  # how many it has, where it is not drawn on all screens

    @cached_property
    def is_numbered(self) -> bool:
        """Whether its cells have numbers where there is room for them."""
        return bool(self.formats and self.formats[0][0])

    def room(self, size: int) -> Box:
        """Return the room with labels of `LABEL_SIZES[size]`; of size -1, the room without them."""
        return (self.box, *self.smaller)[size] if self.smaller else self.box

    def row_room(self, size: int) -> int:
        """Return the pixels that row labels of `LABEL_SIZES[size]` take, or their title alone."""
        return self.row_pixels[size if len(self.row_pixels) > 1 else 0]


@dataclass(frozen=True)
class PlacedPanel:
    """A panel in a figure: its axes, the indices of its first trace and of its operator, its colour axis."""

    geometry: Geometry
    axes: Axes
    first_trace: int
    operator: int
    coloraxis: str = ""
