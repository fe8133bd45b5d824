"""One sentence under three masks, those of three kinds of models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.frame import Side
from attn_figures.matrix import Matrix, Numbers, Pick
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_figures.widths import letters
from attn_words import _n

UNDER_A_SENTENCE = 336  # pixels between a row to type in and a slider in a window 768 high
LARGEST = 48.0  # pixels: the sentence is typed above, and captions stay in sight


@dataclass(frozen=True, eq=False)
class MaskedWeights:
    """One mask: its name, the weights under it, and where a query may attend, (n, n) both.

    ``label`` is shown in place of its name; the name when empty.
    """

    name: str
    weights: Numbers
    may: NDArray[np.bool_]
    label: str = ""

    @property
    def pairs(self) -> int:
        """The number of pairs of query and key that the mask allows."""
        return int(self.may.sum())

    def title(self, pairs: int) -> str:
        """Return a title: the label, and this number of pairs."""
        name = self.label or self.name
        return _n("{name}: {count:,} pair", "{name}: {count:,} pairs", pairs, name=name)


def three_masks(masked: Sequence[MaskedWeights], words: Sequence[str]) -> Spec:
    """Draw one map of weights for each mask, with the last word's row framed."""
    last = len(words) - 1
    common: dict[str, Any] = {
        "rows": Side.queries(words),
        "columns": Side.keys(words),
        "pick": Pick(together="query-key"),
        "shows_shape": False,
        "marked": (last, None),
        "longest_title": max(letters(each.title(256)) for each in masked),
    }
    return compose(
        [Matrix(each.name, each.weights, each.title(each.pairs), mask=each.may, **common) for each in masked],
        largest_unit=LARGEST,
        laptop_height=UNDER_A_SENTENCE,
        phone_height=IN_SIGHT,
    )
