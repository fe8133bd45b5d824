"""Boxes are placed in order, inside the figure, without overlap, with square units, for every screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_figures.arrange import SCREENS, Arrangement, Box, arrange

BOX = st.builds(
    Box,
    columns=st.integers(1, 64),
    rows=st.integers(1, 64),
    left=st.integers(0, 60),
    lead=st.integers(0, 90),
    trail=st.integers(0, 20),
    top=st.integers(0, 90),
    bottom=st.integers(0, 40),
)


def pixels(placed: Arrangement, index: int) -> tuple[float, float]:
    place = placed.places[index]
    return (place.x[1] - place.x[0]) * placed.width, (place.y[1] - place.y[0]) * placed.height


def test_no_box_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one box"):
        arrange([], 980, 420)


@given(boxes=st.lists(BOX, min_size=1, max_size=17), screen=st.sampled_from(SCREENS))
def test_every_box_is_inside_and_square(boxes: list[Box], screen: tuple[int, int]) -> None:
    placed = arrange(boxes, *screen)
    for index, (box, place) in enumerate(zip(boxes, placed.places, strict=True)):
        assert 0 <= place.x[0] < place.x[1] <= 1
        assert 0 <= place.y[0] < place.y[1] <= 1
        wide, tall = pixels(placed, index)
        if placed.unit > 1:  # a screen too small for a pixel a cell is cut off, not squeezed
            assert wide == pytest.approx(box.columns * placed.unit, rel=1e-6)
            assert tall == pytest.approx(box.rows * placed.unit, rel=0.02, abs=1)


@given(boxes=st.lists(BOX, min_size=2, max_size=17), screen=st.sampled_from(SCREENS))
def test_boxes_never_overlap(boxes: list[Box], screen: tuple[int, int]) -> None:
    places = arrange(boxes, *screen).places
    for i, one in enumerate(places):
        for other in places[i + 1 :]:
            beside = one.x[1] <= other.x[0] + 1e-9 or other.x[1] <= one.x[0] + 1e-9
            above = one.y[0] >= other.y[1] - 1e-9 or other.y[0] >= one.y[1] - 1e-9
            assert beside or above


def test_a_phone_stacks_what_a_desk_puts_in_a_row() -> None:
    boxes = [Box(6, 6, left=40, lead=60, top=60, bottom=30)] * 4
    assert [place.leads for place in arrange(boxes, 980, 420).places] == [True, False, False, False]
    assert [place.leads for place in arrange(boxes, 350, 4000).places] == [True] * 4


def test_lines_are_as_even_as_they_can_be() -> None:
    boxes = [Box(9, 9, left=30, lead=70, top=70, bottom=36)] * 8
    leads = [place.leads for place in arrange(boxes, 980, 420).places]
    assert leads == [True, False, False, False] * 2


def test_a_unit_never_grows_past_its_limit() -> None:
    assert arrange([Box(2, 2)], 1900, 760, largest_unit=40).unit == 40
