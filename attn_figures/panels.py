"""Figures made of panels: matrices and charts side by side, placed for every screen, as one figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from attn_figures import theme
from attn_figures.arrange import (
    REFERENCE,
    SCREENS,
    Arrangement,
    Box,
    Tree,
    arrange,
    as_tree,
    fitting,
    screens,
    settled,
)
from attn_figures.picture import Picture, Spec

BAR_ROOM = 64  # pixels on the right for colour bars
SHORTEST_BAR = 48  # pixels
SMALLEST_DIGIT, CHARACTER = 9, 0.58  # pixels below which no number is drawn; width of a digit in its size
CELL_SHARE = 0.94  # of a cell's width that its number may take
PHONES_BELOW, PHONE_HEIGHT = 560, 4000  # pixels
IN_SIGHT = 690  # pixels that a phone 844 high has for a figure between its own bars and the sliders
SMALLEST_LABEL = 8  # pixels
LABEL_SHARE = 0.85  # of the distance between two labels


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

    def notes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return further words on it, as annotations."""


@dataclass(frozen=True)
class Absent:
    """Holds the place of a panel that other steps of a moving figure have: its traces, drawn nowhere."""

    panel: Panel

    @property
    def name(self) -> str:
        """The name of the panel that is not here."""
        return self.panel.name

    def traces(self, axes: Axes) -> list[dict[str, Any]]:
        """Return as many traces of the same types, without data, on the axes of another panel.

        Axes of their own would lay an empty ground over the figure.
        """
        return [
            {"type": trace["type"], "name": trace["name"], "visible": False}
            | {"xaxis": axes.x, "yaxis": axes.y}
            for trace in self.panel.traces(axes, "")
        ]


@Picture
def compose(
    panels: Sequence[Panel | Absent],
    *,
    largest_unit: float = 56.0,
    phone_height: int = PHONE_HEIGHT,
    roomy: int = 0,
) -> Spec:
    """Draw panels in reading order, in one shared unit, as one figure with an arrangement a screen.

    The steps of a moving figure need the same traces. Where a step has fewer panels than others, `Absent`
    stands for each that is missing, and the others take its room.

    Args:
        panels: what is drawn.
        largest_unit: pixels that a unit never exceeds.
        phone_height: pixels that the figure may take on a phone, where it would scroll otherwise; many
            equal maps stand side by side then, so that their slider stays in sight.
        roomy: pixels of height that the figure may take on every wider screen that is high enough, where its
            numbers would be too small to read otherwise.

    Raises:
        ValueError: if there is no panel, or two share a name.
    """
    names = [panel.name for panel in panels]
    if len(set(names)) != len(names) or all(isinstance(panel, Absent) for panel in panels):
        raise ValueError(f"a figure needs panels with different names, got {names}")
    ranges: dict[ColourRange, str] = {}
    shown: dict[str, bool] = {}
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    placed: list[Placed] = []
    first_present = Axes(next(i for i, panel in enumerate(panels) if not isinstance(panel, Absent)))
    for number, panel in enumerate(panels):
        axes = Axes(number)
        if isinstance(panel, Absent):
            traces += panel.traces(first_present)
            continue
        coloraxis = ""
        coloured = panel.colour_range()
        if coloured is not None:
            colour_range, wants_bar = coloured
            coloraxis = ranges.setdefault(colour_range, f"coloraxis{len(ranges) + 1 if ranges else ''}")
            shown[coloraxis] = shown.get(coloraxis, False) or wants_bar
        geometry = panel.geometry()
        placed.append(Placed(geometry, axes, len(traces), len(layout["annotations"]) + 1))
        traces += panel.traces(axes, coloraxis)
        layout |= panel.axes(axes)
        layout["annotations"] += _words(panel, geometry, axes)
        layout["shapes"] += panel.shapes(axes)
    for colour_range, coloraxis in ranges.items():
        layout[coloraxis] = _colour_axis(colour_range, shown[coloraxis])
    for panel, drawn in zip((p for p in panels if not isinstance(p, Absent)), placed, strict=True):
        layout["annotations"] += panel.notes(drawn.axes)
    bars = tuple(coloraxis for coloraxis, wanted in shown.items() if wanted)
    listed, reference = _screens(tuple(placed), bars, largest_unit, (phone_height, roomy))
    spec: Spec = settled({"data": traces, "layout": theme.layout(**layout)}, reference)
    spec["layout"]["meta"] = {"screens": listed}
    return spec


def _words(panel: Panel, geometry: Geometry, axes: Axes) -> list[dict[str, Any]]:
    """Return two annotations a panel, always: its caption below and the operator before it."""
    anchor = {"xref": f"{axes.x} domain", "yref": f"{axes.y} domain", "showarrow": False}
    caption = anchor | {"text": panel.caption(), "x": 0.5, "y": 0, "yanchor": "top"}
    caption["yshift"] = -8 - geometry.below
    operator = anchor | {
        "text": geometry.operator,
        "x": 0,
        "y": 0.5,
        "xanchor": "right",
        "font": {"family": theme.SERIF, "size": theme.FONT_SIZE, "color": theme.LIGHT.muted},
    }
    return [caption, operator]


@lru_cache(maxsize=256)
def _colour_axis(colours: ColourRange, shown: bool) -> dict[str, Any]:
    small = {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted}
    return {
        "cmin": colours.low,
        "cmax": colours.high,
        "colorscale": theme.colorscale(colours.ramp, colours.power),
        "showscale": shown,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "xanchor": "left",
            "yanchor": "top",
            "tickfont": small,
            "title": {"text": colours.title, "font": small},
            "ypad": 4,
            "nticks": 4,
        },
    }


@lru_cache(maxsize=512)
def _screens(
    panels: tuple[Placed, ...], bars: tuple[str, ...], largest_unit: float, heights: tuple[int, int]
) -> tuple[list[dict[str, Any]], Tree]:
    """Arrange the panels for every screen; return that, and the settings of the reference one."""
    boxes = [panel.geometry.box for panel in panels]
    variants = []
    sizes = [(width, height) for width, tallest in SCREENS for height in _heights(width, tallest, *heights)]
    for width, height in sizes:
        # A phone has no room for colour bars: a tap tells the value.
        right = BAR_ROOM if bars and width >= PHONES_BELOW else 0
        arranged = arrange(boxes, width, height, largest_unit=largest_unit, right=right)
        labelled = any(
            _label_size(units, arranged.unit) >= SMALLEST_LABEL
            for panel in panels
            for units in panel.geometry.label_units or (1.0,)
        )
        if not labelled:
            # The room of labels that cannot be read goes to the cells.
            bare = [panel.geometry.bare or panel.geometry.box for panel in panels]
            arranged = arrange(bare, width, height, largest_unit=largest_unit, right=right)
        variants.append((arranged, _settings(panels, arranged, bars, labelled)))
    listed = screens(variants)
    return listed, as_tree(fitting(listed, REFERENCE))


def _heights(width: int, tallest: int, phone_height: int, roomy: int) -> list[int]:
    """Return the heights to offer; the browser takes the last that fits: the roomy one in a high window."""
    if width < PHONES_BELOW:
        return [min(tallest, phone_height)]
    return sorted({tallest, max(tallest, roomy)})


def _label_size(units: float, unit: float) -> int:
    """Return the font size at which labels so many units apart do not touch."""
    return min(theme.FONT_SIZE, int(LABEL_SHARE * units * unit))


def _numbers(geometry: Geometry, unit: float) -> tuple[str, int]:
    """Return the longest number format that can be read in a cell, and its size; "" where none can."""
    wide, tall = (side * unit for side in geometry.cell)
    for form, characters in geometry.formats or ():
        size = int(min(theme.FONT_SIZE, 0.8 * tall, CELL_SHARE * wide / (CHARACTER * max(characters, 1))))
        if form and size >= SMALLEST_DIGIT:
            return form, size
    return "", SMALLEST_DIGIT


def _settings(
    panels: Sequence[Placed], arranged: Arrangement, bars: Sequence[str], labelled: bool
) -> Mapping[str, Any]:
    settings: dict[str, Any] = {}
    stacked = all(place.leads for place in arranged.places)
    for panel, place in zip(panels, arranged.places, strict=True):
        geometry = panel.geometry
        x, y = f"layout.{panel.axes.x_layout}", f"layout.{panel.axes.y_layout}"
        wide = (place.x[1] - place.x[0]) * arranged.width
        tall = (place.y[1] - place.y[0]) * arranged.height
        settings[f"{x}.domain"] = [round(edge, 5) for edge in place.x]
        settings[f"{y}.domain"] = [round(edge, 5) for edge in place.y]
        # Bodies on one line share their rows, so only the first of a line names them.
        names_rows = place.leads or geometry.names_rows
        if geometry.formats:
            settings[f"{y}.title.text"] = geometry.row_title if names_rows and tall > 110 else ""
        if geometry.label_units:
            for axis, units in zip((x, y), geometry.label_units, strict=True):
                # Labels shrink with the cells so as never to touch; the smallest are left to the hover.
                size = _label_size(units, arranged.unit)
                settings[f"{axis}.tickfont.size"] = max(size, SMALLEST_LABEL)
                readable = labelled and size >= SMALLEST_LABEL
                settings[f"{axis}.showticklabels"] = readable and (axis == x or names_rows)
        settings[f"{x}.title.text"] = geometry.column_title if wide > 120 else ""
        if geometry.operator:
            operator = f"layout.annotations[{panel.operator}]"
            cramped = place.x[0] * arranged.width < geometry.box.left + geometry.row_pixels
            # Stacked on a phone, it stands in the empty corner above the row labels.
            corner = stacked or (place.leads and cramped)
            settings[f"{operator}.y"] = 1 if corner else 0.5
            settings[f"{operator}.yanchor"] = "bottom" if corner else "middle"
            settings[f"{operator}.xanchor"] = "left" if corner else "right"
            settings[f"{operator}.align"] = "left" if corner else "center"
            beside_labels = -geometry.row_pixels if names_rows and labelled else 0
            settings[f"{operator}.xshift"] = beside_labels - (0 if corner else 4 if names_rows else 8)
        if geometry.formats:
            form, size = _numbers(geometry, arranged.unit)
            settings[f"data[{panel.first_trace}].texttemplate"] = form
            settings[f"data[{panel.first_trace}].textfont.size"] = size
    # Bars stand beside the bodies and leave the captions free, unless they would be too short to be read.
    top, bottom = arranged.places[0].y[1], min(place.y[0] for place in arranged.places)
    room = (top - bottom) / max(1, len(bars))
    if room * arranged.height < SHORTEST_BAR:
        room = top / max(1, len(bars))
    for number, bar in enumerate(bars):
        settings[f"layout.{bar}.showscale"] = arranged.width >= PHONES_BELOW
        settings[f"layout.{bar}.colorbar.x"] = 1 - (BAR_ROOM - 4) / arranged.width
        settings[f"layout.{bar}.colorbar.y"] = top - number * room
        settings[f"layout.{bar}.colorbar.len"] = min(room, 220 / arranged.height)
    return settings
