"""Names beside points lie on no other, and in their panel, at any size that the panel may have."""

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from attn_figures.planes import FULL_SIZE, SMALL_SIZE
from attn_figures.point_labels import PlaneStyle, QueryPoints, axis_reach, names_beside

WORDS = ["the", "cat", "sat", "on", "the", "mat", "and", "then", "looked", "at", "a"]
WORDS += ["telecommunications", "Attention", "WWW", "is"]
LETTER = 6.9  # pixels of a letter on average; a capital W has twice that
Box = tuple[float, float, float, float]


def boxes_of(parts: dict[str, Any], row: int, pixels: float, far: float) -> list[tuple[str, Box]]:
    """Where Plotly writes each text of a row: 14 pixels, one line or one beside an empty one."""
    found = []
    for x, y, text, side in zip(
        *(parts[part][row] for part in ("x", "y", "text", "textposition")), strict=True
    ):
        if not text:
            continue
        word = re.sub("<[^>]*>", "", text).strip("\u2003")
        wide, space = LETTER * len(word), 14 * text.startswith("\u2003") or 14 * text.endswith("\u2003")
        across, up = x / far * pixels / 2, y / far * pixels / 2
        line, begins = side.split()
        if line == "middle":
            low = up - 7
            left = across + space if begins == "right" else across - space - wide
        else:
            low = up + 18 if line == "top" else up - 32
            left = {"center": across - wide / 2, "right": across, "left": across - wide}[begins]
        found.append((word, (left, low, left + wide, low + 14)))
    return found


@pytest.mark.parametrize("look", [FULL_SIZE, SMALL_SIZE, PlaneStyle(9.0, most_names=8)])
@pytest.mark.parametrize("flat", [1.0, 0.0])
@pytest.mark.parametrize("n", [4, 9, 15])
def test_names_do_not_overlap_or_leave_the_panel(look: PlaneStyle, flat: float, n: int) -> None:
    for seed in range(12):
        rng = np.random.default_rng([seed, n])
        queries, keys = rng.standard_normal((2, n, 2)) ** 3 * [1, flat]
        words, weights = WORDS[:n], rng.dirichlet(np.ones(n), n)
        names = names_beside(keys, words, weights, look, queries=QueryPoints(queries, words))
        far = axis_reach(keys, queries)
        for row in range(n):
            for wider in (1.0, 1.4, 2.0, 3.4):
                pixels = look.pixels * wider
                drawn = boxes_of(names.parts, row, pixels, far) + boxes_of(names.queries, row, pixels, far)
                for (one, a), (other, b) in combinations(drawn, 2):
                    apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                    assert apart, (seed, row, wider, one, other)
                for word, box in drawn:
                    assert max(map(abs, box)) <= pixels / 2, (seed, row, word)
            said = boxes_of(names.parts, row, look.pixels, far)
            if not look.names_all(words):
                first = words[int(weights[row].argmax())]
                assert said[0][0].rstrip("…") == first[: len(said[0][0].rstrip("…"))]


def test_names_at_one_place_are_joined_as_typed() -> None:
    keys = np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, 0.5]])
    names = names_beside(keys, ["<b>", "the", "a&b"], np.full((3, 3), 1 / 3), FULL_SIZE)
    assert names.parts["text"][0].tolist() == ["&lt;b&gt;, the\u2003", "\u2003a&amp;b", ""]
