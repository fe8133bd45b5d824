"""The story in one picture: the same weights, each time with one idea more."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import Matrix, Pick
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Picture, Spec
from attn_words import _

Weights = NDArray[np.float64]
SIDE = 6.0  # units of every small map, whatever its number of cells


@Picture
def story(
    kernel: Weights, head: Weights, placed: Weights, heads: Sequence[Weights], labels: Sequence[str]
) -> Spec:
    """Draw four stages of one idea side by side.

    Args:
        kernel: kernel weights between the places of the words (n, n).
        head: one head's weights between words (n, n).
        placed: the same with positions added to the words (n, n).
        heads: several heads' weights, each (n, n).
        labels: the words.
    """
    words: Any = {"rows": Side.queries(labels), "columns": Side.keys(labels), "pick": Pick(together="words")}
    panels = [
        Matrix("kernel", kernel, _("1 nearness"), **words),
        Matrix("head", head, _("2 likeness"), operator=_("compare<br>meanings"), **words),
        Matrix("placed", placed, _("3 both"), operator=_("add<br>places"), **words),
        *(
            Matrix(
                f"head {i + 1}",
                weights,
                _("4 head {number}", number=i + 1),
                operator="" if i else _("look<br>twice"),
                **words,
            )
            for i, weights in enumerate(heads)
        ),
    ]
    return compose.spec(panels, phone_height=IN_SIGHT)


@Picture
def uses(
    uses: Sequence[tuple[str, Weights, Sequence[str], Sequence[str]]], said: Mapping[str, str] = {}
) -> Spec:
    """Draw one small map a use: its name, its weights (n_query, n_key), what asks and what is asked.

    A softmax gives no weight of exactly 0, so such a cell was masked, and is hatched. ``said`` has what
    people read in place of the names, where that is something else.
    """
    return compose.spec(
        [
            Matrix(
                name,
                weights,
                said.get(name, name),
                Side.queries(queries),
                Side.keys(keys),
                mask=weights > 0,
                size=(SIDE, SIDE),
                numbered=False,
                names_rows=True,
            )
            for name, weights, queries, keys in uses
        ],
        phone_height=IN_SIGHT,
    )
