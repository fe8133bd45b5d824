"""What a panel is drawn in: its axes, its colours, and the room that it needs."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from attn_figures import theme
from attn_figures.arrange import Box


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


class Look(NamedTuple):
    """A panel's words and its numbers apart: panels of equal words differ in nothing but numbers.

    ``words`` is all that titles, labels, colours and hatching follow from; ``numbers`` what each trace has
    besides.
    """

    words: Hashable
    numbers: list[dict[str, Any]]


@dataclass(frozen=True)
class Geometry:
    """All that decides where a panel stands and what it writes around itself; equal at most steps."""

    box: Box
    row_title: str = ""
    column_title: str = ""
    row_pixels: int = 0  # taken by the row labels, so that an operator can stand to their left
    # Number formats for wide and for narrow cells, each with the characters of the longest number.
    formats: tuple[tuple[str, int], tuple[str, int]] | None = None
    cell: tuple[float, float] = (1.0, 1.0)  # width and height of a cell, in units
    operator: str = ""
    operator_pixels: int = 0  # its width
    below: int = 0  # pixels that axis labels take under the body, before the caption
    names_rows: bool = False  # a matrix that labels its rows wherever on its line it stands
    label_units: tuple[float, float] | None = None  # between two column labels, between two row labels
    bare: Box | None = None  # the room without labels, for cells that are too small to be labelled


@dataclass(frozen=True)
class Placed:
    """A panel that is drawn, and where in the figure it stands: axes, first trace, operator's annotation."""

    geometry: Geometry
    axes: Axes
    first_trace: int
    operator: int
