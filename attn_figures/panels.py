"""Figures made of panels: matrices and charts side by side, arranged for each size of screen."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from attn_figures import theme
from attn_figures.arrange import overlay
from attn_figures.geometry import Axes, ColourRange, Geometry, PanelContent, PlacedPanel
from attn_figures.numbers import number
from attn_figures.picture import Drawing
from attn_figures.screens import Heights, all_screens
from attn_words import cached

PHONE_HEIGHT = 4000  # pixels
LAPTOP = 376  # pixels for a figure between a row of views and two sliders in a window 768 high
IN_SIGHT = 690  # pixels for a figure between the browser's bars and the sliders on a phone 844 high


class Panel(Protocol):
    """The interface of a figure's parts: matrices and charts."""

    @property
    def name(self) -> str:
        """Short and unique in the figure."""

    def content(self) -> PanelContent | None:
        """Return the panel split into words and numbers; None if it cannot be split."""

    def with_traces(self, traces: Sequence[dict[str, Any]]) -> "Panel":
        """Return the panel with the traces of another position of a slider."""

    def geometry(self) -> Geometry:
        """Return the room it needs."""

    def colour_range(self) -> tuple[ColourRange, bool] | None:
        """Return the panel's colour range and whether it needs a colour bar; None without colours."""

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return its traces; the first holds the values."""

    def axes(self, axes: Axes) -> dict[str, Any]:
        """Return the settings of its two axes, by their names in the layout."""

    def caption(self) -> str:
        """Return the text under it."""

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the lines and frames drawn on it."""

    def notes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return further annotations on it."""


@dataclass(frozen=True)
class Absent:
    """A stand-in for a panel that only other steps of a moving figure have: its traces, invisible."""

    panel: Panel

    @property
    def name(self) -> str:
        """The name of the absent panel."""
        return self.panel.name

    def content(self) -> PanelContent | None:
        """Return the words of the absent panel, and no numbers."""
        content = self.panel.content()
        return content and PanelContent(("absent", content.words), [{} for _ in content.numbers])

    def traces(self, axes: Axes) -> list[dict[str, Any]]:
        """Return as many traces of the same types, without data, on the axes of another panel.

        Axes of their own would lay an empty ground over the figure.
        """
        return [
            {"type": trace["type"], "name": trace["name"], "visible": False}
            | {"xaxis": axes.x, "yaxis": axes.y}
            for trace in self.panel.traces(axes, "")
        ]


def compose(
    panels: Sequence[Panel | Absent],
    *,
    largest_unit: float = 56.0,
    phone_height: int = PHONE_HEIGHT,
    roomy: tuple[int, ...] = (),
    laptop_height: int = PHONE_HEIGHT,
) -> Drawing:
    """Draw panels in reading order, in one shared unit, as one figure with an arrangement for each screen.

    The steps of a moving figure need the same traces. Where a step has fewer panels than others, `Absent`
    replaces each missing one, and the others take its room.

    Args:
        largest_unit: pixels that a unit never exceeds.
        phone_height: pixels that the figure may take on a phone, by default more than any needs; a lower
            figure has its maps side by side, so that their slider stays in sight.
        roomy: more heights in pixels, for wider screens that are high enough, on which numbers would be too
            small to read otherwise.
        laptop_height: pixels that the figure may take on a laptop, whose sliders would hide a higher one.

    Raises:
        ValueError: if there is no panel, or two share a name.
    """
    names = [panel.name for panel in panels]
    if len(set(names)) != len(names) or all(isinstance(panel, Absent) for panel in panels):
        raise ValueError(f"a figure needs panels with different names, got {names}")
    options = largest_unit, (phone_height, roomy, laptop_height)
    contents = []
    for panel in panels:
        if (content := panel.content()) is None:
            return _draw(panels, *options)
        contents.append(content)
    alike = _PanelKey(tuple(content.words for content in contents), [*panels])
    still = _still(alike, *options)
    alike.panels.clear()  # the cache keeps its keys, which need not keep these
    own = (numbers for content in contents for numbers in content.numbers)
    traces = [trace | numbers for trace, numbers in zip(still["data"], own, strict=True)]
    return Drawing({"data": traces, "layout": dict(still["layout"])}, panels, still.starts)


@dataclass(frozen=True)
class _PanelKey:
    """A key of the cache for panels; equal where only the panels' numbers differ."""

    words: tuple[Hashable, ...]
    panels: list[Panel | Absent] = field(compare=False)


@cached(64)
def _still(alike: _PanelKey, largest_unit: float, heights: Heights) -> Drawing:
    """Draw panels without their numbers: this part is the same at all steps, and for many settings."""
    spec = _draw(alike.panels, largest_unit, heights)
    own = (numbers for panel in alike.panels if (content := panel.content()) for numbers in content.numbers)
    bare = [
        {key: value for key, value in trace.items() if key not in numbers}
        for trace, numbers in zip(spec["data"], own, strict=True)
    ]
    return Drawing({"data": bare, "layout": spec["layout"]}, starts=spec.starts)


def _draw(panels: Sequence[Panel | Absent], largest_unit: float, heights: Heights) -> Drawing:
    ranges: dict[ColourRange, str] = {}
    has_bar: dict[str, bool] = {}
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    present: list[PlacedPanel] = []
    first_present = Axes(next(i for i, panel in enumerate(panels) if not isinstance(panel, Absent)))
    starts = []
    for index, panel in enumerate(panels):
        axes = Axes(index)
        starts.append(len(traces))
        if isinstance(panel, Absent):
            traces += panel.traces(first_present)
            continue
        coloraxis = ""
        if (colours := panel.colour_range()) is not None:
            colour_range, wants_bar = colours
            coloraxis = ranges.setdefault(colour_range, f"coloraxis{len(ranges) + 1 if ranges else ''}")
            has_bar[coloraxis] = has_bar.get(coloraxis, False) or wants_bar
        geometry = panel.geometry()
        operator = len(layout["annotations"]) + 1
        present.append(PlacedPanel(geometry, axes, len(traces), operator, coloraxis))
        traces += panel.traces(axes, coloraxis)
        layout |= panel.axes(axes)
        layout["annotations"] += _words(panel, geometry, axes)
        layout["shapes"] += panel.shapes(axes)
    for colour_range, coloraxis in ranges.items():
        layout[coloraxis] = _colour_axis(colour_range, has_bar[coloraxis])
    for panel, place in zip((p for p in panels if not isinstance(p, Absent)), present, strict=True):
        layout["annotations"] += panel.notes(place.axes)
    screens, reference = all_screens(tuple(present), tuple(has_bar.items()), largest_unit, heights)
    spec = overlay({"data": traces, "layout": theme.layout(**layout)}, reference)
    spec["layout"]["meta"] = {"screens": screens}
    return Drawing(spec, panels, (*starts, len(traces)))


def _words(panel: Panel, geometry: Geometry, axes: Axes) -> list[dict[str, Any]]:
    """Return a panel's two annotations: the caption below it and the operator before it."""
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


def _round(end: float) -> float:
    """Return the value at an end of a ramp, rounded towards zero to two digits."""
    if not end:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(end))) - 1)
    return math.copysign(math.floor(abs(end) / unit + 1e-9) * unit, end)


@lru_cache(maxsize=256)
def _colour_axis(colours: ColourRange, has_bar: bool) -> dict[str, Any]:
    small = {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted}
    ends = [_round(colours.low), _round(colours.high)]
    ticks = [ends[0], sum(ends) / 2, ends[1]]
    return {
        "cmin": colours.low,
        "cmax": colours.high,
        "colorscale": theme.colorscale(colours.ramp, colours.power),
        "showscale": has_bar,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "xanchor": "left",
            "yanchor": "top",
            "tickfont": small,
            "title": {"text": colours.title, "font": small},
            "ypad": 4,
            "tickvals": ticks,
            "ticktext": [number(tick, 2) for tick in ticks],
        },
    }
