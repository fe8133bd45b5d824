"""Four ideas in one picture: kernel weights, a head, positions, several heads, each beside the last."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import Matrix, Pick
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_words import _

Weights = NDArray[np.float64]


def story(
    kernel: Weights, head: Weights, with_positions: Weights, heads: Sequence[Weights], labels: Sequence[str]
) -> Spec:
    """Draw four stages of one idea side by side.

    Args:
        kernel: kernel weights between the places of the words (n, n).
        head: one head's weights between words (n, n).
        with_positions: the same with positions added to the words (n, n).
        heads: several heads' weights, each (n, n).
    """
    words: Any = {"rows": Side.queries(labels), "columns": Side.keys(labels), "pick": Pick(together="words")}
    panels = [
        Matrix("kernel", kernel, _("1 nearness"), **words),
        Matrix("head", head, _("2 likeness"), operator=_("compare<br>meanings"), **words),
        Matrix("placed", with_positions, _("3 both"), operator=_("add<br>positions"), **words),
        *(
            Matrix(
                f"head {i + 1}",
                weights,
                _("4 head {number}", number=i + 1),
                operator="" if i else _("two<br>heads"),
                **words,
            )
            for i, weights in enumerate(heads)
        ),
    ]
    return compose(panels, phone_height=IN_SIGHT)
