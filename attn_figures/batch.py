"""Several sentences in one batch: a map each, all of one size, with the padding hatched."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import NUMBERS_UP_TO, ColourScale, Matrix, Pick
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, ROOT
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _


def batch(tokens: Sequence[Sequence[str]], weights: NDArray[np.float64], mask: NDArray[np.bool_]) -> Spec:
    """Draw one head's weights in each sentence, (n_sentence, n, n), and hatch the padding."""
    panels = [
        Matrix(
            f"sentence {at + 1}",
            weights[at],
            _("sentence {number}", number=at + 1),
            Side.queries(labels),
            Side.keys(labels),
            mask=mask[at],
            pick=Pick(together="query-key"),
            ramp=ColourScale(power=1.0 if len(labels) <= NUMBERS_UP_TO else ROOT),
            names_rows=True,
        )
        for at, labels in enumerate(tokens)
    ]
    return compose(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)
