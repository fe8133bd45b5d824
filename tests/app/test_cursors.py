"""Whatever frame follows a row slider stands around what the slider names, at each row, on every page."""

from typing import Any

import pytest

from attn_ui.base.page import page_at
from tests.messages import figure_at

LINKS = (
    "kernel-regression",
    "kernel-regression?picture=Four+kernels",
    "kernel-regression?picture=Local+lines",
    "single-head?stage=arcs",
    "multi-head?view=arcs",
    "multi-head?view=arcs&arcs=all+heads",
    "positional-encoding?show=encoding",
    "positional-encoding?show=similarity",
    "applications?use=speech",
    "applications?use=images",
)


def frames(shapes: list[dict[str, Any]]) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the frames of what is marked: between which values on each axis they stand."""
    return {
        shape["name"]: {side: (shape[f"{side}0"], shape[f"{side}1"]) for side in "xy"}
        for shape in shapes
        if shape.get("name", "").endswith(" marked")
    }


@pytest.mark.sample(6)
@pytest.mark.parametrize("link", LINKS)
def test_cursor_frames_the_row_of_the_slider(link: str) -> None:
    address, _, query = link.partition("?")
    page = page_at(address).at(query)
    drawn = page.view.figure
    assert drawn is not None
    assert drawn.rows is not None
    n_row = len(drawn.rows.steps.values)
    moved = [frames(figure_at(drawn.steps, 0, row)["layout"]["shapes"]) for row in range(n_row)]
    # Patches of an image stand in a grid: 1 on one side, 1 on the other.
    columns = {
        round(frame["x"][1] - 0.5) for each in moved for name, frame in each.items() if "picture" in name
    }
    for row, each in enumerate(moved):
        assert each, link
        for name, frame in each.items():
            sides = [side for side in "xy" if frame[side] != moved[row - 1][name][side]]
            if name in ("picture marked", "laid over marked"):
                down, right = divmod(row, max(columns) + 1)
                assert frame == {"x": (right - 0.5, right + 0.5), "y": (down - 0.5, down + 0.5)}
            else:
                (side,) = sides
                assert side == ("x" if name == "sound marked" else "y")
                assert frame[side] == (row - 0.5, row + 0.5), (name, row)
