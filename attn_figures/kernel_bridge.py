"""From the Gaussian kernel to dot-product attention, term by term, as matrices."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_figures.frame import Side
from attn_figures.matrix import NUMBERS_UP_TO, ColourScale, Hover, Matrix, Numbers, Pick
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_figures.widths import letters
from attn_words import _

SIZE = (6.0, 4.0)  # of a map too large for a unit a cell


@dataclass(frozen=True)
class Terms:
    """The terms of -|q - k|^2 / 2, each (n_query, n_key), and the labels of queries and keys."""

    products: Numbers
    half_keys: Numbers
    half_queries: Numbers
    queries: list[str]
    keys: list[str]

    @property
    def scores(self) -> Numbers:
        """-|q - k|^2 / 2, put together from its terms."""
        scores: Numbers = self.products - self.half_keys - self.half_queries
        return scores


def bridge(
    terms: Terms, gaussian: Numbers, attention: Numbers, *, h_squared: float, keeps_lengths: bool
) -> Spec:
    """Draw the terms; then attention's weights, the kernel's weights and their difference.

    `gaussian` and `attention` are weights (n_query, n_key); `keeps_lengths` is whether attention's scores
    have the term |k|^2/2, which is hatched otherwise.
    """
    large = max(terms.products.shape) > NUMBERS_UP_TO
    everywhere = np.ones(terms.products.shape, dtype=bool)
    limit = float(
        max(
            np.abs(part).max() for part in (terms.products, terms.half_keys, terms.half_queries, terms.scores)
        )
    )

    common: dict[str, Any] = {
        "rows": Side.queries(terms.queries, _some(terms.queries, 4) if large else None),
        "columns": Side.keys(terms.keys, _some(terms.keys, 4) if large else None),
        "pick": Pick(together="query-key"),
        "size": SIZE if large else None,
    }
    scores = common | {"ramp": ColourScale("scores", limit), "hover": Hover(_("score"))}
    # Their captions are long, and on a phone two stand on a line.
    weights = common | {"ramp": ColourScale(power=2.0), "shows_shape": False}
    lengths = everywhere if keeps_lengths else ~everywhere
    left_out = 0.0 if keeps_lengths else terms.half_keys
    together = "−|q − k|²/2" if keeps_lengths else "q · k − |q|²/2"
    after = _("softmax of these ÷ {number}", number=f"{h_squared:.3g}")
    # Its caption has the same room at all steps: nothing else moves.
    longest = letters(_("softmax of these ÷ {number}", number="0.0000"))
    no_term = _("<b>left out</b>")
    from_products = Matrix("attention", attention, after, **weights)
    from_distances = Matrix("gaussian", gaussian, _("Gaussian kernel"), operator="−", **weights)
    return compose(
        [
            Matrix("q·k", terms.products, "q · k", **scores),
            Matrix(
                "half |k|²",
                terms.half_keys,
                "|k|²/2",
                mask=lengths,
                operator="−",
                **scores | {"hover": Hover(_("score"), blocked=no_term)},
            ),
            Matrix("half |q|²", terms.half_queries, "|q|²/2", operator="−", **scores),
            Matrix("scores", terms.scores + left_out, together, operator="=", **scores),
            replace(from_products, longest_title=longest),
            from_distances,
            from_products.minus(from_distances, limit=1.0, operator="="),
        ],
        largest_unit=44.0,
        phone_height=IN_SIGHT,
    )


def _some(labels: list[str], count: int) -> list[tuple[float, str]]:
    """Return ticks for a few labels, evenly among the rows or columns, none at an edge of the map."""
    places = np.unique(((np.arange(count) + 0.5) * len(labels) / count).astype(int))
    return [(float(place), labels[place]) for place in places]
