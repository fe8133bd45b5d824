"""A model's prediction: its likeliest next tokens, what each layer predicts, and what each head adds."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart, ticks
from attn_figures.frame import Side
from attn_figures.geometry import Axes
from attn_figures.marks import readings
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, ROOT
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_figures.screens import LETTER_WIDE
from attn_figures.widths import letters, shorten
from attn_words import _

LIGHT = theme.LIGHT
_ACROSS = 64  # letters in a row of the lens; a cell has three to six
_WIDEST = 28.0  # units of the lens


@dataclass(frozen=True, eq=False)
class Lens:
    """The prediction after each layer, and what each head adds to the last one.

    Attributes:
        tokens: the text's n tokens; layers: names of the embedding and of each layer.
        winners, chances: the likeliest token at each place and its probability, (len(layers), n).
        parts: what each head adds to the logit of ``winner``, (n_layer, n_head); None if unknown.
    """

    tokens: Sequence[str]
    layers: Sequence[str]
    winners: Sequence[Sequence[str]]
    chances: Numbers
    parts: Numbers | None
    winner: str


@dataclass(frozen=True)
class _Winners(Matrix):
    """A map of probabilities with a token in each cell, where these have room."""

    winners: Sequence[Sequence[str]] = ()
    texts: Sequence[Sequence[str]] = ()  # the winners as they are written in cells

    def _formats(self) -> tuple[tuple[str, float], ...]:
        """Return the format of a cell's token, with the width of the longest one."""
        return (("%{text}", _longest(self.texts) * LETTER_WIDE),)

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return the cells with the token in each, and in their hover."""
        cells, *rest = super().traces(axes, coloraxis)
        names = np.array([[escape(each) for each in line] for line in self.winners], dtype=object)
        texts = [[escape(each) for each in line] for line in self.texts]
        return [cells | {"hovertext": names, "text": texts}, *rest]


def _longest(texts: Sequence[Sequence[str]]) -> int:
    return max(letters(each) for line in texts for each in line)


def _shorten(winners: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the tokens as they are written in cells, the shorter the more there are in a row."""
    most = min(6, max(3, _ACROSS // len(winners[0])))
    return [[shorten(each, most) for each in line] for line in winners]


def next_token(lens: Lens, names: Sequence[str], chances: Numbers, survivors: NDArray[np.bool_]) -> Spec:
    """Draw the likeliest next tokens as bars, what each layer predicts, and what each head adds.

    Args:
        names: the likeliest tokens, the most probable first.
        chances: their probabilities; survivors: whether top-k and top-p keep them.
    """
    n = len(names)
    bars = marks.bar(
        "next token",
        np.arange(n),
        chances,
        [LIGHT.query if each else LIGHT.hatch for each in survivors],
        across=True,
        hover=readings((_("probability"), "%{x:.6f}"), of="%{hovertext}"),
    ) | {
        "hovertext": [escape(each) for each in names],
        "text": [f"{each:.2f}" if each >= 0.005 else "&lt;0.01" for each in chances],
        "textposition": "outside",
        "cliponaxis": False,
    }
    texts = _shorten(lens.winners)
    wide = min(_WIDEST, len(lens.tokens) * (0.4 * _longest(texts) + 0.6))
    next_ = Chart(
        "next token",
        [bars],
        columns=8.0,
        rows=10.0,
        title=_("next token"),
        x={"range": [0, 1.12], "nticks": 3},
        y={
            "range": [n - 0.5, -0.5],
            "showgrid": False,
            **ticks([*range(n)], [escape(shorten(each, 12)) for each in names]),
        },
    )
    lens_map = _Winners(
        "logit lens",
        lens.chances,
        _("what each layer would say next (logit lens)"),
        Side(lens.layers, role="ink"),
        Side(lens.tokens, _("After the token"), "query"),
        ramp=ColourScale(bar=_("probability"), power=ROOT),
        hover=Hover(
            _("probability"),
            place=_(
                "{layer}, after {token}: <b>{winner}</b>", layer="%{y}", token="%{x}", winner="%{hovertext}"
            ),
        ),
        shows_shape=False,
        names_rows=True,
        winners=lens.winners,
        texts=texts,
        size=(wide, min(10.0, 1.6 * len(lens.layers))),
    )
    panels: list[Panel] = [next_, lens_map]
    if lens.parts is not None:
        n_layer, n_head = lens.parts.shape
        unit = min(2.0, 10.0 / max(n_layer, n_head))
        panels.append(
            Matrix(
                "logit parts",
                lens.parts,
                _("what each head adds to the logit of {token}", token=escape(lens.winner)),
                Side.numbers(n_layer, _("Layer"), "ink"),
                Side.numbers(n_head, _("Head"), "ink"),
                ramp=ColourScale("scores"),
                names_rows=True,
                shows_shape=False,
                hover=Hover(_("adds"), place=_("head {layer}.{head}", layer="%{y}", head="%{x}")),
                size=(n_head * unit, n_layer * unit),
            )
        )
    return compose(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)
