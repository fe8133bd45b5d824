"""A chosen cell is part of no figure: links that differ in it alone bring the same packed bytes."""

from typing import Any

import numpy as np
import pytest

from attn_figures import theme
from attn_figures.frame import Side
from attn_figures.matrix import Matrix, Pick
from attn_figures.panels import compose
from attn_live.frames import with_frames
from attn_live.packing import count_steps, pack
from tests.messages import figure_at
from tests.pages import open_sound


def packed_steps(page: str, **settings: str) -> bytes:
    """The steps that the first figure of a page is sent."""
    at = open_sound(page, **settings)
    found: list[bytes] = [each.proto.bytes for each in at.get("bidi_component")]
    for _ in ("head", "sentences"):
        found = [message[4 + int.from_bytes(message[:4], "little") :] for message in found]
    return next(steps for steps in found if count_steps(steps))


@pytest.mark.parametrize(
    ("page", "fixed"),
    [
        ("single-head", {}),
        ("single-head", {"stage": "output"}),
        ("multi-head", {}),
        ("multi-head", {"view": "heads compared"}),
        ("positional-encoding", {"show": "attention"}),
    ],
)
def test_links_with_different_selected_cells_send_equal_steps(page: str, fixed: dict[str, str]) -> None:
    one = packed_steps(page, q="1", k="0")
    one = packed_steps(page, **fixed, q="1", k="0", head="1")
    assert packed_steps(page, **fixed, q="2", k="1", head="3") == one


def figure_of_maps(part: tuple[str, int] | None = None) -> dict[str, Any]:
    labels = ["a", "b", "c"]
    common: dict[str, Any] = {"rows": Side(labels), "columns": Side(labels, role="key")}
    maps = [
        Matrix("both", np.eye(3), "both", pick=Pick("query", "key"), mask=np.tri(3, dtype=bool), **common),
        Matrix("row", np.eye(3), "row", pick=Pick("key", part=part), **common),
        Matrix("none", np.eye(3), "none", **common),
    ]
    return figure_at(pack([compose(maps)]), 0)


def rectangles(figure: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The frames in ink; under each is one of paper, wider by a pixel on each side."""
    shapes = figure["layout"]["shapes"]
    paper, ink = shapes[::2], shapes[1::2]
    for under, over in zip(paper, ink, strict=True):
        assert {**under, "line": None} == {**over, "line": None}
        assert under["line"] == {"color": theme.LIGHT.paper, "width": over["line"]["width"] + 2}
        assert over["line"]["color"] == theme.LIGHT.ink
    return [(s["xref"], s["x0"], s["x1"], s["y0"], s["y1"]) for s in ink]


def test_plain_chart_has_the_same_frames() -> None:
    assert rectangles(with_frames(figure_of_maps(), {"query": 2, "key": 1})) == [
        ("x", 0.5, 1.5, 1.5, 2.5),
        ("x2", -0.5, 2.5, 0.5, 1.5),
    ]
    assert rectangles(with_frames(figure_of_maps(), {})) == []


def test_frame_beyond_the_last_place_is_at_the_last() -> None:
    assert rectangles(with_frames(figure_of_maps(), {"query": 9, "key": 7}))[0] == ("x", 1.5, 2.5, 1.5, 2.5)


def test_selected_map_is_framed_as_a_whole() -> None:
    assert rectangles(with_frames(figure_of_maps(("head", 2)), {"head": 5})) == [("x2", -0.5, 2.5, -0.5, 2.5)]
    assert rectangles(with_frames(figure_of_maps(("head", 2)), {"head": 1})) == []
