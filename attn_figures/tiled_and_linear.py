"""Pictures of attention without its map: tiles of keys with running sums, and a state of one size."""

from collections.abc import Sequence

import numpy as np

from attn_figures.frame import Side
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _


def tile(
    tokens: Sequence[str],
    scores: Numbers,
    tiles: Sequence[slice],
    running: Numbers,
    output: Numbers,
    *,
    now: int,
) -> Spec:
    """Draw the tile of scores in fast memory, the running sums, and the output so far.

    Args:
        tokens: as typed. scores: (n, n), of which one tile is shown.
        tiles: the keys of each tile; now: the index of the tile in fast memory.
        running: (n, 2), each query's largest score and sum so far. output: (n, d_v), over the keys so far.
    """
    n = len(tokens)
    in_tile = np.zeros((n, n), dtype=bool)
    in_tile[:, tiles[now]] = True
    queries = Side.queries(tokens)
    panels = [
        Matrix(
            "tile",
            scores,
            _("scores of this tile"),
            queries,
            Side.keys(tokens),
            ramp=ColourScale("scores"),
            mask=in_tile,
            hover=Hover(_("score"), blocked=_("not in fast memory")),
        ),
        Matrix(
            "running",
            running,
            _("running"),
            queries,
            Side([_("max"), _("sum")]),
            ramp=ColourScale("scores"),
            hover=Hover(_("running"), words=(_("query"), _("column"))),
        ),
        Matrix(
            "output so far",
            output,
            _("output so far"),
            queries,
            Side.numbers(output.shape[1], _("Dimension"), "output"),
            ramp=ColourScale("scores"),
            hover=Hover(_("output")),
        ),
    ]
    return compose(panels, largest_unit=48.0)


def state(
    tokens: Sequence[str],
    memory: tuple[Numbers, Numbers],
    output: Numbers,
    first: tuple[Numbers, Numbers],
    *,
    limit: float,
    now: int,
) -> Spec:
    """Draw the state after a token, the outputs so far, and the weight of the first word by both methods.

    Args:
        tokens: as typed. memory: S (d_k, d_v) and z (d_k,) after the token of index ``now``.
        output: (n, d_v); rows after ``now`` are hatched.
        first: (n,) the weight of the first word, by softmax and by linear attention.
        limit: the value at the ends of the ramp of S and z, the same at all steps.
    """
    n = len(tokens)
    sums, normaliser = memory
    queries = Side.queries(tokens)
    is_written = (np.arange(n) <= now)[:, None]
    panels = [
        Matrix(
            "S",
            sums,
            "S = Σ φ(k) vᵀ",
            Side.numbers(len(sums), _("Dimension"), "key"),
            Side.numbers(sums.shape[1], _("Dimension"), "value"),
            ramp=ColourScale("scores", limit),
            hover=Hover(_("sum"), words=("φ(k)", "v")),
        ),
        Matrix(
            "z",
            normaliser[:, None],
            "z = Σ φ(k)",
            Side.numbers(len(sums), _("Dimension"), "key"),
            Side(["z"]),
            ramp=ColourScale("scores", limit),
            hover=Hover(_("sum"), words=("φ(k)", "z")),
        ),
        Matrix(
            "output",
            output,
            _("outputs written"),
            queries,
            Side.numbers(output.shape[1], _("Dimension"), "output"),
            ramp=ColourScale("scores"),
            mask=np.broadcast_to(is_written, output.shape),
            hover=Hover(_("output"), blocked=_("not written yet")),
            marked=(now, None),
            names_rows=True,
        ),
        Matrix(
            "first word",
            np.stack(first, axis=-1),
            _("weight of the first word"),
            queries,
            Side(["softmax", _("linear")]),
            mask=np.broadcast_to(is_written, (n, 2)),
            hover=Hover(blocked=_("not written yet"), words=(_("query"), _("column"))),
            marked=(now, None),
        ),
    ]
    return compose(panels, largest_unit=48.0)
