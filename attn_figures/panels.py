"""Figures made of panels: matrices and charts side by side, placed for every screen, as one figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from attn_figures import theme
from attn_figures.arrange import SCREENS, Arrangement, Box, apply, arrange, screens
from attn_figures.picture import Picture, Spec

BAR_ROOM = 64  # pixels on the right for colour bars


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


@dataclass(frozen=True)
class Geometry:
    """All that decides where a panel stands and what it writes around itself; equal at most steps."""

    box: Box
    row_title: str = ""
    column_title: str = ""
    row_pixels: int = 0  # taken by the row labels, so that an operator can stand to their left
    formats: tuple[str, str] | None = None  # number formats for wide and for narrow cells
    operator: str = ""


class Panel(Protocol):
    """What a figure needs to know of each of its parts."""

    @property
    def name(self) -> str:
        """Short and unique in the figure."""

    def geometry(self) -> Geometry:
        """Return the room it needs."""

    def colour_range(self) -> tuple[ColourRange, bool] | None:
        """Return how its values are coloured and whether a bar must tell, or None."""

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return its traces; the first is the one that carries the values."""

    def axes(self, axes: Axes) -> dict[str, Any]:
        """Return its two axes, by their names in the layout."""

    def caption(self) -> str:
        """Return what is said under it."""

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the lines and frames drawn on it."""


@Picture
def compose(panels: Sequence[Panel], *, largest_unit: float = 56.0) -> Spec:
    """Draw panels in reading order, in one shared unit, as one figure with an arrangement a screen.

    Raises:
        ValueError: if there is no panel, or two share a name.
    """
    names = [panel.name for panel in panels]
    if len(set(names)) != len(names) or not names:
        raise ValueError(f"a figure needs panels with different names, got {names}")
    ranges: dict[ColourRange, str] = {}
    shown: dict[str, bool] = {}
    traces: list[dict[str, Any]] = []
    first_traces = []
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    for number, panel in enumerate(panels):
        axes = Axes(number)
        coloraxis = ""
        coloured = panel.colour_range()
        if coloured is not None:
            colour_range, wants_bar = coloured
            coloraxis = ranges.setdefault(colour_range, f"coloraxis{len(ranges) + 1 if ranges else ''}")
            shown[coloraxis] = shown.get(coloraxis, False) or wants_bar
        first_traces.append(len(traces))
        traces += panel.traces(axes, coloraxis)
        layout |= panel.axes(axes)
        layout["annotations"] += _words(panel, axes)
        layout["shapes"] += panel.shapes(axes)
    for colour_range, coloraxis in ranges.items():
        layout[coloraxis] = _colour_axis(colour_range, shown[coloraxis])
    bars = tuple(coloraxis for coloraxis, wanted in shown.items() if wanted)
    geometries = tuple(panel.geometry() for panel in panels)
    variants = _screens(geometries, tuple(first_traces), bars, largest_unit)
    return apply({"data": traces, "layout": theme.layout(**layout)}, variants)


def _words(panel: Panel, axes: Axes) -> list[dict[str, Any]]:
    """Return two annotations a panel, always: its caption below and the operator before it."""
    anchor = {"xref": f"{axes.x} domain", "yref": f"{axes.y} domain", "showarrow": False}
    caption = anchor | {"text": panel.caption(), "x": 0.5, "y": 0, "yshift": -8, "yanchor": "top"}
    operator = anchor | {
        "text": panel.geometry().operator,
        "x": 0,
        "y": 0.5,
        "xanchor": "right",
        "font": {"family": theme.SERIF, "size": theme.FONT_SIZE, "color": theme.LIGHT.muted},
    }
    return [caption, operator]


def _colour_axis(colours: ColourRange, shown: bool) -> dict[str, Any]:
    small = {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted}
    return {
        "cmin": colours.low,
        "cmax": colours.high,
        "colorscale": theme.colorscale(colours.ramp),
        "showscale": shown,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "xanchor": "left",
            "yanchor": "top",
            "tickfont": small,
            "title": {"text": colours.title, "font": small},
            "nticks": 5,
        },
    }


@lru_cache(maxsize=512)
def _screens(
    panels: tuple[Geometry, ...], first_traces: tuple[int, ...], bars: tuple[str, ...], largest_unit: float
) -> list[dict[str, Any]]:
    boxes = [panel.box for panel in panels]
    variants = []
    for width, height in SCREENS:
        placed = arrange(boxes, width, height, largest_unit=largest_unit, right=BAR_ROOM if bars else 0)
        variants.append((placed, _settings(panels, first_traces, placed, bars)))
    return screens(variants)


def _settings(
    panels: Sequence[Geometry], first_traces: Sequence[int], placed: Arrangement, bars: Sequence[str]
) -> Mapping[str, Any]:
    settings: dict[str, Any] = {}
    stacked = all(place.leads for place in placed.places)
    for number, (panel, place) in enumerate(zip(panels, placed.places, strict=True)):
        x, y = f"layout.{Axes(number).x_layout}", f"layout.{Axes(number).y_layout}"
        wide = (place.x[1] - place.x[0]) * placed.width
        tall = (place.y[1] - place.y[0]) * placed.height
        settings[f"{x}.domain"] = list(place.x)
        settings[f"{y}.domain"] = list(place.y)
        # Bodies on one line share their rows, so only the first of a line names them.
        settings[f"{y}.showticklabels"] = place.leads or not panel.formats
        row_title = panel.row_title if (place.leads and tall > 110) or not panel.formats else ""
        settings[f"{y}.title.text"] = row_title
        settings[f"{x}.title.text"] = panel.column_title if wide > 120 else ""
        if panel.operator:
            operator = f"layout.annotations[{2 * number + 1}]"
            # Stacked on a phone, it stands in the empty corner above the row labels.
            settings[f"{operator}.y"] = 1 if stacked else 0.5
            settings[f"{operator}.yanchor"] = "bottom" if stacked else "middle"
            settings[f"{operator}.xshift"] = -(panel.row_pixels + 4) if place.leads and not stacked else -8
        if panel.formats:
            form = panel.formats[0 if placed.unit >= 34 else 1]
            settings[f"data[{first_traces[number]}].texttemplate"] = form
    for number, bar in enumerate(bars):
        settings[f"layout.{bar}.colorbar.x"] = 1 - (BAR_ROOM - 4) / placed.width
        settings[f"layout.{bar}.colorbar.y"] = placed.places[0].y[1] - number / len(bars)
        settings[f"layout.{bar}.colorbar.len"] = min(1.0, 220 / placed.height) / len(bars)
    return settings
