"""The overview's opening picture: a word's arcs over its row of weights, and the map with that row framed.

There are two charts: phones show the words on two lines, other screens on one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.arcs import LEAST, bezier_shares
from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.geometry import ColourRange
from attn_figures.matrix import BY_KEY, Matrix, frame_at
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_figures.widths import letters
from attn_words import _

Weights = NDArray[np.float64]
LIGHT = theme.LIGHT
BENDS = 32  # segments of an arc
THICKEST = 15.0  # pixels of an arc that has all the weight
BLANK = "\u00a0"  # Plotly drops the node of an empty text, and misplaces the next ones
# Column widths from a word's middle up to where arcs begin, and down to its cell's edge.
ABOVE, BELOW = 0.36, 0.98
CELL = 0.66, 0.56  # from a word's middle down to that of its cell, and the cell's height
PHONE, MAP = 7.2, 4.3  # units that two lines of words take across, and the map


@dataclass(frozen=True)
class _Lines:
    """Words in lines of ``across`` words each; coordinates in column widths, y downwards."""

    name: str
    words: Sequence[str]
    across: int
    rises: float  # of the highest arc
    unit: float  # of a column, in the figure's units
    screens: str

    def place(self, word: int) -> tuple[float, float]:
        """Return the middle of the word of this index."""
        return float(word % self.across), word // self.across * self.pitch

    @property
    def pitch(self) -> float:
        """The distance from one line to the next."""
        return ABOVE + BELOW + self.rises

    @property
    def count(self) -> int:
        """The number of lines."""
        return -(-len(self.words) // self.across)

    @property
    def last(self) -> float:
        """The y coordinate of the last line."""
        return (self.count - 1) * self.pitch

    def arc(self, query: int, key: int) -> NDArray[np.float64]:
        """Return the points of an arc, (2, BENDS + 1): over the words between, or from line to line."""
        (x, y), (to, at) = self.place(query), self.place(key)
        if y == at:
            aside = 0.0 if to != x else 0.3  # a word's arc to itself is a loop
            share = 0.3 + 0.7 * min(1.0, abs(to - x) / (0.75 * (self.across - 1)))
            lean = (share * self.rises + aside) / 0.75  # it rises to 3/4 of its control points' height
            # Arcs fill the room between lines: the last line's rise above it, others hang below.
            starts, leans = (y + BELOW, lean) if y < self.last else (y - ABOVE, -lean)
            corners = (x - aside / 3, starts), (x - aside, starts + leans), (to + aside, starts + leans)
            points = [*corners, (to + aside / 3, starts)]
        else:
            starts, ends = (y + BELOW, at - ABOVE) if at > y else (y - ABOVE, at + BELOW)
            lean = 0.6 * (ends - starts)
            points = [(x, starts), (x, starts + lean), (to, ends - lean), (to, ends)]
        return np.asarray(np.transpose(points) @ bezier_shares(BENDS).T)

    def cells(self, row: Weights) -> list[Weights]:
        """Return a row of weights as the cells of each line."""
        cells = np.pad(row, (0, self.across * self.count - len(row)), constant_values=np.nan)
        return [part[None] for part in np.split(cells, self.count)]

    def chart(self, weights: Weights, row: int) -> Chart:
        """Draw the words with the arcs of the word ``row``, and its row of weights under them."""
        colour = theme.rgba(LIGHT.query, 0.62)
        strokes = [
            marks.line(f"{self.name} arc {key}", x, y, colour, width=float(width))
            for key, width in enumerate(thickness(weights[row]))
            for x, y in [self.arc(row, key)]
        ]
        for stroke in strokes:
            stroke["line"] |= {"simplify": False}
        x, y = np.array([self.place(word) for word in range(len(self.words))]).T
        words = [
            marks.words(f"{self.name} words", x, y, others(self.words, weights, row)),
            *(
                self.bold(f"{self.name} {role}", [word], colour)
                for role, word, colour in self.bold_words(weights, row)
            ),
        ]
        for each in words:
            each["meta"] = {"placed": True}  # each stays over its cell
        target = marks.points(f"{self.name} targets", x, y, theme.rgba(LIGHT.paper, 0), size=30)
        # The pointer finds these points, but no hover label covers the arcs.
        target |= {"hoverinfo": "none", "meta": {"cursor": [*range(len(self.words))], "points": True}}
        rows = [
            {
                "type": "heatmap",
                "name": f"{self.name} row {line}",
                "z": cells,
                "x": np.arange(self.across, dtype=np.float64),
                "y0": line * self.pitch + CELL[0],
                "dy": CELL[1],
                "xgap": 3,
                "hoverongaps": False,
                "coloraxis": "panel",
                "texttemplate": "%{z:.2f}",
                "textfont": {"size": theme.FONT_SIZE},
                "hovertemplate": _("weight <b>{weight}</b>", weight="%{z:.6f}") + "<extra></extra>",
            }
            for line, cells in enumerate(self.cells(weights[row]))
        ]
        top, bottom = -ABOVE - (0 if self.last else self.rises + 0.15), self.last + BELOW
        quiet: dict[str, Any] = {"showticklabels": False, "showgrid": False}
        widest = max(letters(word) for word in self.words)
        return Chart(
            self.name,
            [*strokes, *rows, *words, target],
            columns=self.across * self.unit,
            rows=(bottom - top) * self.unit,
            letter=self.unit / (widest + 0.3),
            title=_("one row of weights: they sum to 1, rounding aside"),
            colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
            x=quiet | {"range": [-0.5, self.across - 0.5]},
            y=quiet | {"range": [bottom, top]},
            screens=self.screens,
        )

    @staticmethod
    def bold_words(weights: Weights, row: int) -> list[tuple[str, int, str]]:
        """Return (role, index, colour) of both bold words: the key with the largest weight, the query."""
        return [("key", int(weights[row].argmax()), LIGHT.key), ("query", row, LIGHT.query)]

    def bold(self, name: str, words: Sequence[int], colour: str) -> marks.Mark:
        """Write the words of these indices in bold, in a colour."""
        x, y = np.array([self.place(word) for word in words]).T
        trace = marks.words(name, x, y, [f"<b>{escape(self.words[word])}</b>" for word in words])
        trace["textfont"] = trace["textfont"] | {"color": colour}
        return trace

    def cursor(self, weights: Weights) -> dict[str, Any]:
        """Return the settings that change with the chosen word, by path."""
        n = len(self.words)
        changes: dict[str, Any] = {
            f"data[{self.name} words].text": [others(self.words, weights, row) for row in range(n)]
        }
        for at, role in enumerate(("key", "query")):
            words = [self.bold_words(weights, row)[at][1] for row in range(n)]
            marked = self.bold("", words, "")
            for part in ("x", "y"):
                changes[f"data[{self.name} {role}].{part}"] = marked[part][:, None]
            changes[f"data[{self.name} {role}].text"] = [[text] for text in marked["text"]]
        for key in range(n):
            course = np.stack([self.arc(row, key) for row in range(n)])
            changes |= {
                f"data[{self.name} arc {key}].x": course[:, 0],
                f"data[{self.name} arc {key}].y": course[:, 1],
                f"data[{self.name} arc {key}].line.width": thickness(weights)[:, key],
            }
        for line in range(self.count):
            changes[f"data[{self.name} row {line}].z"] = np.stack([self.cells(row)[line] for row in weights])
        return changes


def thickness(weights: Weights) -> Weights:
    """Return the width of each arc in pixels; 0 for a weight below `LEAST`."""
    return np.where(weights < LEAST, 0.0, THICKEST * weights)


def others(words: Sequence[str], weights: Weights, row: int) -> list[str]:
    """Return the words, with a blank for each that another trace writes in bold."""
    bold = {word for _role, word, _colour in _Lines.bold_words(weights, row)}
    return [BLANK if at in bold else escape(word) for at, word in enumerate(words)]


def _drawings(words: Sequence[str]) -> tuple[_Lines, _Lines]:
    half = -(-len(words) // 2)
    wide = _Lines("sentence", words, len(words), 0.17 * len(words), 14 / len(words), "wide")
    return wide, _Lines("sentence in lines", words, half, 1.05, PHONE / half, "phones")


class _Map(Matrix):
    """A map without a colour bar: the row beside it has the numbers."""

    def colour_range(self) -> tuple[ColourRange, bool]:
        """Return [0, 1], and no bar."""
        return super().colour_range()[0], False


def opening(words: Sequence[str], weights: Weights, row: int) -> Spec:
    """Draw a sentence with the arcs of one word, its row of weights, and the map of all rows.

    Args:
        words: the n tokens; weights: (n, n); row: the index of the chosen word.
    """
    whole = _Map(
        "weights",
        weights,
        _("every word’s row: the attention map"),
        Side.queries(words),
        Side.keys(words),
        marked=(row, None),
        pick=BY_KEY,
        size=(MAP, MAP),
        numbered=False,
        shows_shape=False,
        names_rows=True,
    )
    charts = [each.chart(weights, row) for each in _drawings(words)]
    return compose([*charts, whole], largest_unit=72, phone_height=IN_SIGHT)


def follow(words: Sequence[str], weights: Weights) -> dict[str, Any]:
    """Return the settings of `opening` that change with the word, by path: see `attn_live.packing.Cursor`."""
    changes: dict[str, Any] = {**frame_at("weights", row=np.arange(len(words)))}
    for each in _drawings(words):
        changes |= each.cursor(weights)
    return changes
