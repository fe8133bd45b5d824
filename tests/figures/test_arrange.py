"""Boxes are placed in order, inside the figure, without overlap, with square units, for every screen."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_figures.arrange import PROJECTED, SCREENS, SLIDES, Arrangement, Box, Placement, arrange

BOX = st.builds(
    Box,
    columns=st.integers(1, 64),
    rows=st.integers(1, 64),
    left=st.integers(0, 60),
    lead=st.integers(0, 90),
    trail=st.integers(0, 20),
    top=st.integers(0, 90),
    bottom=st.integers(0, 40),
    caption=st.just(0),  # captions wider than their bodies have tests of their own
)


def pixels(placed: Arrangement, index: int) -> tuple[float, float]:
    place = placed.layout.places[index]
    return (place.x[1] - place.x[0]) * placed.layout.width, (place.y[1] - place.y[0]) * placed.layout.height


def test_arrange_without_boxes_raises() -> None:
    with pytest.raises(ValueError, match="at least one box"):
        arrange([], 980, 420)


@given(boxes=st.lists(BOX, min_size=1, max_size=17), screen=st.sampled_from(SCREENS))
def test_arrange_places_square_cells_inside_the_figure(boxes: list[Box], screen: tuple[int, int]) -> None:
    placed = arrange(boxes, *screen)
    for index, (box, place) in enumerate(zip(boxes, placed.layout.places, strict=True)):
        assert 0 <= place.x[0] < place.x[1] <= 1
        assert 0 <= place.y[0] < place.y[1] <= 1
        wide, tall = pixels(placed, index)
        if placed.unit > 1:  # a screen too small for a pixel a cell is cut off, not squeezed
            assert wide == pytest.approx(box.columns * placed.unit, rel=1e-6)
            assert tall == pytest.approx(box.rows * placed.unit, rel=0.02, abs=1)


@given(boxes=st.lists(BOX, min_size=2, max_size=17), screen=st.sampled_from(SCREENS))
def test_arrange_boxes_do_not_overlap(boxes: list[Box], screen: tuple[int, int]) -> None:
    places = arrange(boxes, *screen).layout.places
    for i, one in enumerate(places):
        for other in places[i + 1 :]:
            beside = one.x[1] <= other.x[0] + 1e-9 or other.x[1] <= one.x[0] + 1e-9
            above = one.y[0] >= other.y[1] - 1e-9 or other.y[0] >= one.y[1] - 1e-9
            assert beside or above


def test_arrange_stacks_on_phones_what_is_a_row_on_desks() -> None:
    boxes = [Box(6, 6, left=40, lead=60, top=60, bottom=30)] * 4
    assert [place.leads for place in arrange(boxes, 980, 420).layout.places] == [True, False, False, False]
    assert [place.leads for place in arrange(boxes, 350, 4000).layout.places] == [True] * 4


def test_arrange_lines_are_as_even_as_possible() -> None:
    boxes = [Box(9, 9, left=30, lead=70, top=70, bottom=36)] * 8
    leads = [place.leads for place in arrange(boxes, 980, 420).layout.places]
    assert leads == [True, False, False, False] * 2


@pytest.mark.parametrize(("width", "height"), [(1280, 560), (688, 640), (560, 1200), (350, 4000)])
def test_arrange_pairs_stand_below_one_another(width: int, height: int) -> None:
    curves, maps = [Box(6, 4.4, top=34, bottom=28)] * 4, [Box(6, 4.4, top=30, bottom=32, caption=200)] * 4
    places = arrange([*curves, *maps], width, height).layout.places
    lines = sorted({place.y for place in places}, reverse=True)
    line = [lines.index(place.y) for place in places]
    assert [below - above for above, below in zip(line[:4], line[4:], strict=True)] == [1] * 4
    assert len({line.count(each) for each in line}) == 1


def test_arrange_unit_stays_below_its_limit() -> None:
    assert arrange([Box(2, 2)], 1900, 760, largest_unit=40).unit == 40


def every_way(boxes: list[Box], width: int, height: int) -> list[float]:
    """Return the unit that each way to break boxes into lines has, found by trying one after the other."""
    units = []
    for cuts in itertools.product((False, True), repeat=len(boxes) - 1):
        lines = [[boxes[0]]]
        for box, cut in zip(boxes[1:], cuts, strict=True):
            if cut:
                lines.append([box])
            else:
                lines[-1].append(box)
        fits = [unit for unit in np.arange(1, 56.01, 0.25) if all_fit(lines, float(unit), width, height)]
        units.append(max(fits, default=0.0))
    return units


def all_fit(lines: list[list[Box]], unit: float, width: int, height: int) -> bool:
    wide = [
        line[0].lead
        + sum(box.left for box in line[1:])
        + line[-1].trail
        + unit * sum(box.columns for box in line)
        for line in lines
    ]
    tall = sum(
        max(box.top for box in line) + unit * max(box.rows for box in line) + max(box.bottom for box in line)
        for line in lines
    )
    return max(wide) <= width and tall <= height


@settings(max_examples=60)
@given(boxes=st.lists(BOX, min_size=1, max_size=5), screen=st.sampled_from(SCREENS))
def test_arrange_cells_are_nearly_as_large_as_possible(boxes: list[Box], screen: tuple[int, int]) -> None:
    best = max(every_way(boxes, *screen))
    assert arrange(boxes, *screen).unit >= 0.9 * best - 1e-9


def widths_of_lines(placed: Arrangement) -> list[float]:
    lines: list[list[Placement]] = []
    for place in placed.layout.places:
        if place.leads:
            lines.append([])
        lines[-1].append(place)
    return [(line[-1].x[1] - line[0].x[0]) * placed.layout.width for line in lines]


@pytest.mark.parametrize("last", [8, 16])
@pytest.mark.parametrize(("width", "height"), [(930, 494), (1420, 664), (1560, 664)])
def test_arrange_leaves_no_box_alone_under_a_full_line(last: int, width: int, height: int) -> None:
    maps = [Box(6, 6, left=24, lead=60, trail=16, top=65, bottom=32)] * 4
    output = Box(last, 6, left=110, lead=94, trail=4, top=46, bottom=32)
    widths = widths_of_lines(arrange([*maps, output], width, height))
    assert min(widths) > 0.5 * max(widths)


def test_arrange_wide_captions_do_not_meet() -> None:
    boxes = [Box(13, 13, left=24, lead=60, trail=4, top=46, bottom=32, caption=190)] * 6
    for width, height in SCREENS:
        placed = arrange(boxes, width, height)
        for one, other in itertools.pairwise(placed.layout.places):
            if not other.leads:
                middles = [sum(place.x) / 2 * width for place in (one, other)]
                assert middles[1] - middles[0] >= 190


def test_arrange_keeps_numbers_rather_than_full_lines() -> None:
    boxes = [*[Box(6, 6, left=24, lead=60, trail=16, top=65, bottom=32)] * 4]
    boxes.append(Box(8, 6, left=110, lead=94, trail=4, top=46, bottom=32))
    even = arrange(boxes, 930, 494).unit
    best = max(every_way(boxes, 930, 494))
    assert even < best - 0.5
    assert arrange(boxes, 930, 494, legible=[best - 0.3]).unit >= best - 0.3


@settings(max_examples=60)
@given(boxes=st.lists(BOX, min_size=1, max_size=9), screen=st.sampled_from([*SLIDES, *PROJECTED]))
def test_arrange_tight_slide_has_no_empty_margin(boxes: list[Box], screen: tuple[int, int]) -> None:
    # Beside what would lie there alone, in the same cells: an empty margin would be enlarged with them.
    whole = arrange(boxes, *screen, right=64)
    tight = arrange(boxes, *screen, right=64, tight=True)
    assert tight.unit == whole.unit
    assert tight.layout.height == whole.layout.height
    assert tight.layout.width <= whole.layout.width
    moved = [
        place.x[0] * tight.layout.width - old.x[0] * whole.layout.width for place, old in both(tight, whole)
    ]
    assert np.ptp(moved) <= 1  # all by as much
    if whole.unit > 1:
        ends = [
            place.x[1] * tight.layout.width + box.trail
            for box, place in zip(boxes, tight.layout.places, strict=True)
        ]
        assert tight.layout.width - 64 - max(ends) <= 1


def both(one: Arrangement, other: Arrangement) -> list[tuple[Placement, Placement]]:
    return [*zip(one.layout.places, other.layout.places, strict=True)]
