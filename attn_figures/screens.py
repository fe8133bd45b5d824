"""A figure's arrangement for every screen: places of panels, and which labels and numbers are readable.

Where there is too little room, decimals go first, then labels shrink, then the numbers go, then every second
label. The arrangement that shows most words and numbers wins, and of equal ones that with the largest cells.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from attn_figures import theme
from attn_figures.arrange import (
    PROJECTED,
    REFERENCE,
    SCREENS,
    SLIDES,
    WORTH,
    Arrangement,
    Box,
    Layout,
    Tree,
    arrange,
    as_tree,
    fitting,
)
from attn_figures.geometry import LABEL_SIZES, Geometry, PlacedPanel, Tick

BAR_ROOM = 64  # pixels on the right for colour bars
ROOMY_BAR, LONGEST_BAR = 72, 220  # pixels of a colour bar with its title
SMALL_TICK = 10  # pixels of the three numbers beside a shorter one
UNDER_BARS = 8  # pixels between the lowest bar and the figure's edge, for the lower half of its last number
SMALLEST_DIGIT = 12  # pixels below which no number is drawn
SMALLEST_ON_SLIDE, SMALLEST_PROJECTED = 10, 9  # pixels of a number that is enlarged with its slide
SMALLEST_DECIMALS = 10.5  # likewise
CELL_SHARE = 0.9  # of a cell's width that its number may take
COMPACT_BELOW = 560  # pixels of width of an arrangement: narrower ones have no bars, and short titles
LAPTOPS_BELOW = 1560  # pixels: a page so wide stands in a high window
NARROWEST = 288  # pixels of a window of 320, in which the narrowest arrangement is drawn smaller
PHONE_ROOM = 4000  # pixels that a figure may take where it is scrolled
THREE_PHONES = 2500  # pixels
HIGHEST = 0.75  # of its width that a roomy figure's height may be
SMALLEST_LABEL = LABEL_SIZES[-1]
LETTER_WIDE = 0.55  # of the size of its font, that a letter is wide
SMALLEST_BESIDE_DIGITS = 10  # pixels of a label: it becomes smaller for the sake of words, not of numbers
LABEL_SHARE = 0.85  # of the distance between two labels
SHORT_TITLE = 60  # pixels of a side that has room for one word
NOTHING = 0.001  # of a figure's width: what a panel takes on a screen that leaves it out
EVERY = (1, 2, 4, 8)  # of crowded labels one in so many stays
LABELS_WORTH = 0.75  # of the size of cells without labels: what cells must keep beside some labels
MUCH_ENLARGED = 568  # pixels of width up to which half a slide shows the smallest labels large enough
LARGER_ON_SLIDE = 2.0  # times a page's largest unit: a slide is filled
LARGEST_DIGIT = 1.5  # times the usual type, on slides


Heights = tuple[int, tuple[int, ...], int]  # of a phone's figure, of a roomy one, of a laptop's


class Room(NamedTuple):
    """The pixels that a figure may take, on a page or on a slide."""

    width: int
    height: int
    slide: bool = False
    smallest_digit: int = SMALLEST_DIGIT  # pixels below which no number is drawn

    @property
    def is_phone(self) -> bool:
        """Whether a figure is arranged for a phone: it is narrow, and on no slide."""
        return self.width < COMPACT_BELOW and not self.slide


class _Numbers(NamedTuple):
    """The format of the numbers in a kind of panel, "" if they cannot be read, and their font's size."""

    form: str
    size: float


@dataclass(frozen=True)
class _Candidate:
    """Panels arranged with labels of one size, of which one in ``every`` is kept; with size -1 none is."""

    arrangement: Arrangement
    size: int
    every: int
    numbers: tuple[_Numbers, ...]  # one a kind
    digits: tuple[int, int]  # how many panels have numbers, and how many of them all decimals
    smallest: int = SMALLEST_LABEL  # pixels: labels go rather than be smaller

    @property
    def pixels(self) -> int:
        """The size of the labels in pixels, 0 without labels."""
        return LABEL_SIZES[self.size] if self.size >= 0 else 0


class _Panels:
    """The panels of a figure; panels of one kind, which have equal geometries, are computed once."""

    def __init__(self, panels: Sequence[PlacedPanel]) -> None:
        self.all = panels
        counts = Counter(panel.geometry for panel in panels)
        self.kinds = tuple(counts)
        index = {kind: number for number, kind in enumerate(self.kinds)}
        self.kind_of = [index[panel.geometry] for panel in panels]
        self.axes = [(f"layout.{panel.axes.x_layout}", f"layout.{panel.axes.y_layout}") for panel in panels]
        self._counts = tuple(counts.values())
        self._n_numbered = sum(count for kind, count in counts.items() if kind.is_numbered)
        self._boxes: dict[int, tuple[Box, ...]] = {}
        self._legible: dict[tuple[int, int], tuple[float, ...]] = {}
        self._candidates: dict[tuple[Room, int, float, int, int], _Candidate] = {}
        # How many units apart labels stand, and how many there are.
        self._sides = {
            (units, len(places))
            for each in self.kinds
            if each.label_units and each.ticks
            for units, (places, _) in zip(each.label_units, each.ticks, strict=True)
        }

    def arrange(
        self, room: Room, size: int, largest_unit: float, right: int, smallest: int = SMALLEST_LABEL
    ) -> _Candidate:
        """Arrange them with labels of `LABEL_SIZES[size]`, -1 for none; none is smaller than ``smallest``."""
        key = room, size, largest_unit, right, smallest
        if key not in self._candidates:
            self._candidates[key] = self._try(*key)
        return self._candidates[key]

    def _try(self, room: Room, size: int, largest_unit: float, right: int, smallest: int) -> _Candidate:
        if size not in self._boxes:
            self._boxes[size] = tuple(panel.geometry.room(size) for panel in self.all)
        key = size, room.smallest_digit
        if key not in self._legible:
            legible = {unit for each in self.kinds for unit in _legible(each, room, size)}
            self._legible[key] = tuple(sorted(legible))
        arrangement = _cached_arrange(
            self._boxes[size],
            *(room.width, room.height),
            **{"largest_unit": largest_unit, "right": right, "legible": self._legible[key]},
            tight=room.slide,
        )
        sizes = ((every, self.label_size(arrangement.unit, every)) for every in EVERY)
        every = next((every for every, pixels in sizes if pixels >= smallest), EVERY[-1] + 1)
        fitting_numbers = [_numbers(each, room, arrangement.unit) for each in self.kinds]
        # One size of digits in all maps of a figure.
        digit = min((each.size for each in fitting_numbers if each.form), default=room.smallest_digit)
        numbers = tuple(_Numbers(each.form, digit) for each in fitting_numbers)
        return _Candidate(
            arrangement, size, every if size >= 0 else 1, numbers, self._digits(numbers), smallest
        )

    def shows_all(self, candidate: _Candidate) -> bool:
        """Whether all labels have their size, and all numbers all decimals."""
        return self.is_labelled(candidate) and candidate.digits == (self._n_numbered, self._n_numbered)

    def is_labelled(self, candidate: _Candidate) -> bool:
        """Whether all labels have the size that was tried."""
        return (
            candidate.every == 1
            and self.label_size(candidate.arrangement.unit) >= LABEL_SIZES[candidate.size]
        )

    def label_size(self, unit: float, every: int = 1) -> int:
        """Return the font size at which no labels touch, with one in ``every`` kept."""
        sides = (units * every for units, count in self._sides if count > every)
        return min((_pixels(units * unit) for units in sides), default=theme.FONT_SIZE)

    def _digits(self, numbers: Sequence[_Numbers]) -> tuple[int, int]:
        some = whole = 0
        for each, count, (form, _) in zip(self.kinds, self._counts, numbers, strict=True):
            some += count * bool(form)
            whole += count * bool(form and each.formats and form == each.formats[0][0])
        return some, whole


# Panels with other words and numbers, but equal boxes, are arranged alike.
_cached_arrange = lru_cache(maxsize=4096)(arrange)


@lru_cache(maxsize=64)  # 80 kB each; one picture takes a few, for all its steps
def all_screens(
    panels: tuple[PlacedPanel, ...], bars: tuple[tuple[str, bool], ...], largest_unit: float, heights: Heights
) -> tuple[list[dict[str, Any]], Tree]:
    """Arrange the panels for every screen; return all screens, and the settings of the reference one.

    Args:
        panels: of the figure.
        bars: each colour axis, and whether its bar is shown wherever there is room.
        largest_unit: pixels that a cell never exceeds on a page.
        heights: of a phone's figure, of a roomy one, and of a laptop's.
    """
    rooms = [Room(width, height) for width, high in SCREENS for height in _heights(width, high, *heights)]
    for sizes, digit in ((SLIDES, SMALLEST_ON_SLIDE), (PROJECTED, SMALLEST_PROJECTED)):
        rooms += [Room(*size, slide=True, smallest_digit=digit) for size in sizes]
    on = {phone: _Panels(_on(panels, "phones" if phone else "wide")) for phone in (True, False)}
    candidates = [(room, _best(on[room.is_phone], room, largest_unit, bars)) for room in rooms]
    candidates += [
        (room, fewer)
        for room, best in candidates
        if room.slide and room.width > MUCH_ENLARGED and best.pixels == SMALLEST_LABEL
        for fewer in _with_fewer(on[False], room, largest_unit, bars)
    ]
    thinned_axes = {axis for room, each in candidates for axis in _thinned_axes(on[room.is_phone], each)}
    # For the browser to choose from. Settings are paths into the figure: "layout.xaxis.domain".
    result = [
        {
            "width": each.arrangement.layout.width,
            "height": each.arrangement.layout.height,
            "unit": round(each.arrangement.unit, 3),
            "slide": room.slide,  # for slides and projectors alone
            "label": _smallest_label(on[room.is_phone], each),
            "every": each.every,
            "settings": {
                **_settings(on[room.is_phone], each, room, bars, thinned_axes),
                **_left_out(panels, on[room.is_phone].all),
            },
        }
        for room, each in candidates
    ]
    return result, as_tree(fitting(result, REFERENCE))


def _on(panels: Sequence[PlacedPanel], screen: str) -> tuple[PlacedPanel, ...]:
    """Return the panels that are drawn on a screen: "phones" or "wide"."""
    return tuple(panel for panel in panels if panel.geometry.screens in ("", screen))


def _left_out(panels: Sequence[PlacedPanel], present: Sequence[PlacedPanel]) -> dict[str, Any]:
    """Return the settings that hide panels on the screens that leave them out."""
    settings: dict[str, Any] = {}
    for panel in panels:
        if panel.geometry.screens:
            for words in (panel.operator - 1, panel.operator):
                settings[f"layout.annotations[{words}].visible"] = panel in present
            for trace in range(panel.geometry.traces):
                settings[f"data[{panel.first_trace + trace}].visible"] = panel in present
        if panel not in present:
            for axis in (panel.axes.x_layout, panel.axes.y_layout):
                settings[f"layout.{axis}.domain"] = [0, NOTHING]
    return settings


def _heights(
    width: int, tallest: int, phone_height: int, roomy: tuple[int, ...], laptop_height: int
) -> list[int]:
    """Return the heights to offer; the browser takes the last that fits: a roomy one in a high window."""
    if width < COMPACT_BELOW:
        return [min(tallest, phone_height)]
    if width < LAPTOPS_BELOW:
        tallest = min(tallest, laptop_height)
    return sorted({tallest, *(max(tallest, height) for height in roomy if height <= HIGHEST * width)})


# ---- which arrangement ----


def _best(panels: _Panels, room: Room, largest_unit: float, bars: Sequence[tuple[str, bool]]) -> _Candidate:
    """Return the arrangement that shows most, with a bar for colours whose numbers have no room.

    A phone has no room for bars: a tap shows the value.
    """
    if room.slide:
        largest_unit *= LARGER_ON_SLIDE
    if not any(always for _, always in bars) or room.is_phone:
        plain = _best_beside(panels, room, largest_unit, 0)
        if room.is_phone or not _bar_axes(panels, plain, room, bars):
            return plain
    return _best_beside(panels, room, largest_unit, BAR_ROOM)


def _bar_axes(
    panels: _Panels, candidate: _Candidate, room: Room, bars: Sequence[tuple[str, bool]]
) -> list[str]:
    """Return the colour axes with a bar: those that always have one, and those of maps without numbers."""
    if room.is_phone:
        return []
    blank = [
        kind.is_numbered and not numbers.form
        for kind, numbers in zip(panels.kinds, candidate.numbers, strict=True)
    ]
    axes = {panel.coloraxis for panel, kind in zip(panels.all, panels.kind_of, strict=True) if blank[kind]}
    return [bar for bar, always in bars if always or bar in axes]


def _best_beside(panels: _Panels, room: Room, largest_unit: float, right: int) -> _Candidate:
    """Return the arrangement that shows most, and then has the largest cells, with ``right`` pixels free."""
    first = panels.arrange(room, 0, largest_unit, right)
    if panels.shows_all(first):
        return first
    # Without labels cells are as large as they can be: labels too large for them need not be tried.
    bare = panels.arrange(room, -1, largest_unit, right)
    largest_label = panels.label_size(bare.arrangement.unit / WORTH)
    whole: list[_Candidate] = []
    for size, pixels in enumerate(LABEL_SIZES):
        if pixels > largest_label or (whole and pixels < SMALLEST_BESIDE_DIGITS):
            continue
        candidate = panels.arrange(room, size, largest_unit, right)
        if panels.is_labelled(candidate):
            whole.append(candidate)
            if candidate.digits == bare.digits:
                break
    if whole:
        return max(whole, key=lambda each: (each.digits[0], -each.size, each.arrangement.unit))
    last = len(LABEL_SIZES) - 1
    smallest = panels.arrange(room, last, largest_unit, right)
    if room.is_phone:
        # A phone may scroll: rather than leave words out, maps stand one above the other, in larger words.
        higher = _whole(panels, room._replace(height=PHONE_ROOM), largest_unit, right, SMALLEST_LABEL)
        if (
            higher and higher.arrangement.layout.height > THREE_PHONES
        ):  # too many: side by side in twice the room
            twice = room._replace(height=2 * room.height)
            higher = _whole(panels, twice, largest_unit, right, SMALLEST_BESIDE_DIGITS) or higher
        if higher:
            return higher
    # On a page, whose hover tells the words, the room of labels may go to cells that are small without it.
    least = 0.0 if room.slide else LABELS_WORTH * bare.arrangement.unit
    return smallest if smallest.every <= EVERY[-1] and smallest.arrangement.unit >= least else bare


def _whole(panels: _Panels, room: Room, largest_unit: float, right: int, smallest: int) -> _Candidate | None:
    """Return the arrangement with the largest labels that leaves none out; None if they are too small."""
    for size, pixels in enumerate(LABEL_SIZES):
        if pixels < smallest:
            break
        candidate = panels.arrange(room, size, largest_unit, right)
        if panels.is_labelled(candidate):
            return candidate
    return None


def _with_fewer(
    panels: _Panels, room: Room, largest_unit: float, bars: Sequence[tuple[str, bool]]
) -> Iterator[_Candidate]:
    """Yield, for a slide whose labels are of the smallest size, an arrangement with fewer and larger ones.

    On a slide that is enlarged only a little, labels of the smallest size cannot be read.
    """
    for right in (0, BAR_ROOM):
        size = LABEL_SIZES.index(SMALLEST_BESIDE_DIGITS)
        fewer = panels.arrange(room, size, LARGER_ON_SLIDE * largest_unit, right, SMALLEST_BESIDE_DIGITS)
        if fewer.every > EVERY[-1]:
            return
        if right or not (any(always for _, always in bars) or _bar_axes(panels, fewer, room, bars)):
            yield fewer
            return


def _pixels(distance: float) -> int:
    """Return the font size at which labels so far apart do not touch."""
    return int(min(theme.FONT_SIZE, LABEL_SHARE * distance))


def _legible(geometry: Geometry, room: Room, size: int) -> list[float]:
    """Return the units at which labels and more digits of the numbers become readable."""
    wide, tall = geometry.cell
    digits = [
        max(room.smallest_digit * ems / (CELL_SHARE * wide), room.smallest_digit / (0.8 * tall))
        for form, ems in geometry.formats or ()
        if form
    ]
    if size < 0 or not geometry.label_units:
        return digits
    least = LABEL_SIZES[size] + 0.01
    return [max(least / (LABEL_SHARE * units) for units in geometry.label_units), *digits]


def _numbers(geometry: Geometry, room: Room, unit: float) -> _Numbers:
    """Return the longest number format that can be read in a cell, and its size."""
    wide, tall = (side * unit for side in geometry.cell)
    largest = theme.FONT_SIZE * (LARGEST_DIGIT if room.slide else 1)
    formats = geometry.formats or ()
    for form, ems in formats:
        size = math.floor(10 * min(largest, 0.8 * tall, CELL_SHARE * wide / ems)) / 10 if form else 0.0
        smallest = SMALLEST_DECIMALS if room.slide else SMALLEST_DIGIT  # a number that keeps its last decimal
        if size >= (room.smallest_digit if form == formats[-1][0] else smallest):
            return _Numbers(form, size)
    return _Numbers("", room.smallest_digit)


def _thinned_axes(panels: _Panels, candidate: _Candidate) -> Iterator[str]:
    """Yield the axes on which labels are left out."""
    if candidate.size < 0 or candidate.every == 1:
        return
    for axes, kind in zip(panels.axes, panels.kind_of, strict=True):
        for axis, units in zip(axes, panels.kinds[kind].label_units or (), strict=False):
            if _every(units, candidate) > 1:
                yield axis


def _every(units: float, candidate: _Candidate) -> int:
    """Return how many labels of an axis there are for each one that is kept."""
    fits = (
        every for every in EVERY if _pixels(units * every * candidate.arrangement.unit) >= candidate.smallest
    )
    return min(next(fits, EVERY[-1]), candidate.every)


def _smallest_label(panels: _Panels, candidate: _Candidate) -> int:
    """Return the size of the smallest label that is drawn, 0 if none is."""
    units = {units for kind in panels.kinds for units in kind.label_units or ()}
    sizes = (_pixels(each * _every(each, candidate) * candidate.arrangement.unit) for each in units)
    return min(candidate.pixels, *sizes) if units and candidate.pixels else 0


# ---- what it sets ----


class _Labels(NamedTuple):
    """The labels along one side of a kind of panel."""

    size: int  # pixels of their font
    readable: bool
    every: int  # one in so many stays
    ticks: Tick


def _labels(geometry: Geometry, candidate: _Candidate) -> list[_Labels]:
    """Return the labels of the columns and of the rows; none where a panel has none."""
    sides = []
    for units, ticks in zip(geometry.label_units or (), geometry.ticks or (), strict=False):
        every = _every(units, candidate)
        # Labels shrink with the cells so as never to touch; the smallest are left to the hover.
        size = min(_pixels(units * every * candidate.arrangement.unit), candidate.pixels)
        readable = candidate.size >= 0 and size >= SMALLEST_LABEL
        sides.append(_Labels(max(size, SMALLEST_LABEL), readable, every, ticks))
    return sides


def _settings(
    panels: _Panels,
    candidate: _Candidate,
    room: Room,
    bars: Sequence[tuple[str, bool]],
    thinned_axes: set[str],
) -> Mapping[str, Any]:
    settings: dict[str, Any] = {}
    unit, layout, has_labels = candidate.arrangement.unit, candidate.arrangement.layout, candidate.size >= 0
    one_column = all(place.leads for place in layout.places)
    labels = [_labels(kind, candidate) for kind in panels.kinds]
    for panel, kind, axes, place in zip(panels.all, panels.kind_of, panels.axes, layout.places, strict=True):
        geometry, (x, y) = panel.geometry, axes
        wide = (place.x[1] - place.x[0]) * layout.width
        tall = (place.y[1] - place.y[0]) * layout.height
        settings[f"{x}.domain"] = [round(edge, 5) for edge in place.x]
        settings[f"{y}.domain"] = [round(edge, 5) for edge in place.y]
        # Bodies on one line share their rows, so only the first of a line names them.
        names_rows = place.leads or geometry.names_rows
        if geometry.formats:
            settings[f"{y}.title.text"] = _title(geometry.row_title, tall, 110, room) if names_rows else ""
        for axis, side in zip(axes, labels[kind], strict=False):
            settings[f"{axis}.tickfont.size"] = side.size
            settings[f"{axis}.showticklabels"] = side.readable and (axis == x or names_rows)
            if axis in thinned_axes:
                for name, all_of_them in zip(("tickvals", "ticktext"), side.ticks, strict=True):
                    settings[f"{axis}.{name}"] = [*all_of_them[:: side.every]]
        settings[f"{x}.title.text"] = _title(geometry.column_title, wide, 120, room)
        if geometry.operator:
            operator = f"layout.annotations[{panel.operator}]"
            room_of_labels = geometry.row_room(candidate.size) if names_rows else 0
            before = place.x[0] * (NARROWEST if room.width == SCREENS[0][0] else layout.width)
            cramped = before < room_of_labels + geometry.operator_pixels + 4
            # Where a line starts with it, it stands in the empty corner above the row labels.
            corner = has_labels and place.leads and (one_column or cramped)
            settings[f"{operator}.y"] = 1 if corner else 0.5
            settings[f"{operator}.yanchor"] = "bottom" if corner else "middle"
            aside = max(-4, math.ceil(geometry.operator_pixels - before) + 2)
            settings[f"{operator}.xshift"] = aside if corner else -room_of_labels - (4 if names_rows else 8)
        if geometry.formats:
            numbers = candidate.numbers[kind]
            settings[f"data[{panel.first_trace}].texttemplate"] = numbers.form
            settings[f"data[{panel.first_trace}].textfont.size"] = numbers.size
        for trace in geometry.words:
            fitting = min(theme.FONT_SIZE, int(geometry.letter * unit / LETTER_WIDE))
            settings[f"data[{panel.first_trace + trace}].textfont.size"] = max(fitting, SMALLEST_LABEL)
    with_bar = _bar_axes(panels, candidate, room, bars)
    hide = {f"layout.{bar}.showscale": False for bar, _ in bars if bar not in with_bar}
    return settings | hide | _bars(layout, with_bar)


def _title(title: str, pixels: float, full_width: int, room: Room) -> str:
    """Return as much of an axis's title as has room: on a phone "Key" of "Key (attended to)"."""
    short = re.split("[ （]", title, maxsplit=1)[0] if room.is_phone and pixels > SHORT_TITLE else ""
    return title if pixels > full_width else short


def _bars(layout: Layout, bars: Sequence[str]) -> dict[str, Any]:
    """Place colour bars beside the bodies, or along the whole figure if they would be too short there."""
    settings: dict[str, Any] = {}
    top, bottom = layout.places[0].y[1], min(place.y[0] for place in layout.places)
    each = (top - bottom) / max(1, len(bars))
    if each * layout.height < ROOMY_BAR:
        top, each = 1.0, (1 - UNDER_BARS / layout.height) / max(1, len(bars))
    for number, bar in enumerate(bars):
        settings[f"layout.{bar}.showscale"] = True
        settings[f"layout.{bar}.colorbar.x"] = min(1.0, (layout.longest + 4) / layout.width)
        settings[f"layout.{bar}.colorbar.y"] = top - number * each
        length = min(each, LONGEST_BAR / layout.height)
        settings[f"layout.{bar}.colorbar.len"] = length
        roomy = length * layout.height >= ROOMY_BAR
        settings[f"layout.{bar}.colorbar.tickfont.size"] = theme.FONT_SIZE - 1 if roomy else SMALL_TICK
    return settings
