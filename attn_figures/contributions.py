"""Pictures of the sum over heads: each head's part of a token's output, and how these parts compare."""

from collections.abc import Sequence

import numpy as np

from attn_figures import theme
from attn_figures.frame import Side
from attn_figures.matrix import ColourScale, Extra, Hover, Matrix, Numbers, SideBars
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

WIDEST = 16  # dimensions that are drawn as square cells; more share the same width


def contributions(
    rows: Numbers,
    names: Sequence[str],
    lengths: Numbers,
    *,
    off: Sequence[int] = (),
    ramp_end: float,
    longest: float,
    n_sums: int = 1,
) -> Spec:
    """Draw each head's contribution to one token's output, a row for each head, and their sum below.

    Args:
        rows: (n_rows, d_drawn): one a head, the bias where there is one, and `n_sums` rows of sums; wide
            outputs may be cut.
        lengths: (n_rows,), the norms of the whole rows.
        off: the indices of rows that are left out of the sum.
        ramp_end: the value at the ends of the ramp; longest: of the longest bar. Both the same at every step.
        n_sums: how many of the last rows are sums; they are framed.
    """
    n_dimensions = rows.shape[1]
    ticks = range(0, n_dimensions, -(-n_dimensions // WIDEST))
    on = np.ones(rows.shape, dtype=bool)
    on[list(off)] = False
    matrix = Matrix(
        "contributions",
        rows,
        _("what each row adds"),
        Side(names, role="ink"),
        Side.numbers(
            n_dimensions, _("Dimension of the output"), "output", ticks=[(d, str(d + 1)) for d in ticks]
        ),
        ramp=ColourScale("scores", ramp_end),
        hover=Hover(
            _("adds"),
            place=_("{row}, dimension {dimension}", row="%{y}", dimension="%{x}"),
            blocked=_("switched off"),
        ),
        mask=on,
        size=None if n_dimensions <= WIDEST else (WIDEST, len(rows)),
        side_bars=SideBars(
            "lengths",
            lengths,
            longest,
            _("{row}: length <b>{length}</b>", row="%{y}", length="%{customdata[0]:.6~g}"),
            lengths[:, None],
        ),
    )
    spec = compose([matrix], largest_unit=44.0)
    first = len(names) - n_sums - 0.5
    # Above the sums, as under a column of figures.
    line = {"type": "line", "xref": "x", "yref": "y", "x0": -0.5, "x1": n_dimensions - 0.5}
    line |= {"y0": first, "y1": first, "line": {"color": theme.LIGHT.ink, "width": 2}}
    spec["layout"]["shapes"] = [*spec["layout"]["shapes"], line]
    return spec


def shares(lengths: Numbers, tokens: Sequence[str], *, marked: int | None = None) -> Spec:
    """Draw each head's share of a row's sum of ``lengths`` (n_query, n_head), the norms of what heads add."""
    total = lengths.sum(axis=1, keepdims=True)
    share = np.divide(lengths, total, out=np.zeros_like(lengths), where=total > 0)
    return compose(
        [
            Matrix(
                "shares",
                share,
                _("share of each head in the lengths"),
                Side(tokens, _("Token")),
                Side.numbers(lengths.shape[1], _("Head"), "ink"),
                hover=Hover(
                    _("share"),
                    place=_("{token}, head {head}", token="%{y}", head="%{x}"),
                    extra=Extra([(_("length"), lengths)]),
                ),
                marked=None if marked is None else (marked, None),
            )
        ],
        largest_unit=34.0,
    )


def similarity(values: Numbers) -> Spec:
    """Draw the similarity of every two heads: (n_head, n_head), from 0 to 1."""
    side = Side.numbers(len(values), _("Head"), "ink")
    hover = Hover(_("similarity"), place=_("head {one} and head {other}", one="%{y}", other="%{x}"))
    matrix = Matrix("similarity", values, _("similarity of the maps"), side, side, hover=hover)
    return compose([matrix], largest_unit=44.0)
