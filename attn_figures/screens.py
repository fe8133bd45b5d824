"""A figure on every screen: where its panels stand, and which of their labels and numbers can be read."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from attn_figures import theme
from attn_figures.arrange import REFERENCE, SCREENS, Arrangement, Tree, arrange, as_tree, fitting, screens
from attn_figures.frame import TITLE_PIXELS
from attn_figures.geometry import Geometry, Placed

BAR_ROOM = 64  # pixels on the right for colour bars
SHORTEST_BAR = 48  # pixels
SMALLEST_DIGIT, CHARACTER = 9, 0.58  # pixels below which no number is drawn; width of a digit in its size
CELL_SHARE = 0.94  # of a cell's width that its number may take
PHONES_BELOW = 560  # pixels
PHONE_ROOM = 4000  # pixels that a figure may take where it is scrolled
HIGHEST = 0.75  # of its width that a roomy figure's height may be
SMALLEST_LABEL = 8  # pixels
LABEL_SHARE = 0.85  # of the distance between two labels


_arranged = lru_cache(maxsize=2048)(arrange)  # other words and numbers in the same boxes stand as these do


@lru_cache(maxsize=64)  # 80 kB each; one picture takes a few, for all its steps
def all_screens(
    panels: tuple[Placed, ...],
    bars: tuple[str, ...],
    largest_unit: float,
    heights: tuple[int, tuple[int, ...]],
) -> tuple[list[dict[str, Any]], Tree]:
    """Arrange the panels for every screen; return that, and the settings of the reference one."""
    boxes = tuple(panel.geometry.box for panel in panels)
    legible = tuple(sorted({unit for panel in panels for unit in _legible(panel.geometry)}))
    named = max((_named(panel.geometry) for panel in panels), default=0.0)
    variants = []
    sizes = [(width, height) for width, tallest in SCREENS for height in _heights(width, tallest, *heights)]
    for width, height in sizes:
        # A phone has no room for colour bars: a tap tells the value.
        right = BAR_ROOM if bars and width >= PHONES_BELOW else 0
        arranged = _arranged(boxes, width, height, largest_unit=largest_unit, right=right, legible=legible)
        if width < PHONES_BELOW and arranged.unit < named:
            # A phone may scroll: rather than leave words out, maps stand one above the other.
            higher = _arranged(boxes, width, PHONE_ROOM, largest_unit=largest_unit, legible=legible)
            arranged = higher if higher.unit >= named else arranged
        labelled = any(
            _label_size(units, arranged.unit) >= SMALLEST_LABEL
            for panel in panels
            for units in panel.geometry.label_units or (1.0,)
        )
        if not labelled:
            # The room of labels that cannot be read goes to the cells.
            bare = tuple(panel.geometry.bare or panel.geometry.box for panel in panels)
            arranged = _arranged(bare, width, height, largest_unit=largest_unit, right=right)
        variants.append((arranged, _settings(panels, arranged, bars, labelled)))
    listed = screens(variants)
    return listed, as_tree(fitting(listed, REFERENCE))


def _heights(width: int, tallest: int, phone_height: int, roomy: tuple[int, ...]) -> list[int]:
    """Return the heights to offer; the browser takes the last that fits: a roomy one in a high window."""
    if width < PHONES_BELOW:
        return [min(tallest, phone_height)]
    return sorted({tallest, *(max(tallest, height) for height in roomy if height <= HIGHEST * width)})


def _label_size(units: float, unit: float) -> int:
    """Return the font size at which labels so many units apart do not touch."""
    return min(theme.FONT_SIZE, int(LABEL_SHARE * units * unit))


def _named(geometry: Geometry) -> float:
    """Return the unit from which on all labels can be read."""
    return max(
        ((SMALLEST_LABEL + 0.01) / (LABEL_SHARE * units) for units in geometry.label_units or ()), default=0.0
    )


def _legible(geometry: Geometry) -> list[float]:
    """Return the units from which on labels and more digits of the numbers can be read."""
    wide, tall = geometry.cell
    digits = [
        max(
            SMALLEST_DIGIT * CHARACTER * max(characters, 1) / (CELL_SHARE * wide),
            SMALLEST_DIGIT / (0.8 * tall),
        )
        for form, characters in geometry.formats or ()
        if form
    ]
    return [_named(geometry), *digits] if geometry.label_units else digits


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
            labels = (geometry.row_pixels if labelled else TITLE_PIXELS) if names_rows else 0
            cramped = place.x[0] * arranged.width < labels + geometry.operator_pixels + 4
            # Where a line starts with it, it stands in the empty corner above the row labels.
            corner = labelled and place.leads and (stacked or cramped)
            settings[f"{operator}.y"] = 1 if corner else 0.5
            settings[f"{operator}.yanchor"] = "bottom" if corner else "middle"
            settings[f"{operator}.xshift"] = -4 if corner else -labels - (4 if names_rows else 8)
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
