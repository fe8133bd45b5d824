"""Sentences that say what a line fitted around a query gives, beside the weighted mean."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_figures.local_lines import Lines
from attn_figures.numbers import number
from attn_words import _, _n, paragraph
from pages.kernel_regression.points import Numbers, Points
from pages.kernel_regression.words import named

ROUNDING = 1e-12  # of the largest value: a line that is nearer to the true curve lies on it
BELOW = 1e-6  # a weight of at least so much under zero is below it


@dataclass(frozen=True, eq=False)
class Against:
    """Line and mean less the true curve at each key, (n_key,), keys ascending."""

    line: Numbers
    mean: Numbers

    def sizes(self) -> tuple[float, float]:
        """The root of the mean square of each."""
        line, mean = (math.sqrt(float(np.mean(each**2))) for each in (self.line, self.mean))
        return line, mean


def line_sentences(
    points: Points,
    *,
    kernel: str,
    places: Sequence[str],
    fitted: Lines,
    means: Numbers,
    against: Against | None,
) -> list[str]:
    """Say of each query what its line gives, and of the bandwidth how far both curves are from the true one.

    Args:
        points: the data; kernel: its name.
        places: the queries as they are written; fitted: the line of each.
        means: the weighted mean at each query, (n_query,).
        against: None where the true curve is not known.
    """
    # What thousands of sentences have in common is translated once.
    gap = _(
        "At {place} the **query** finds no **key** in the window of the {kernel} kernel: there is nothing "
        "to fit, and both curves have a gap.",
        place="{place}",
        kernel=named(kernel),
    )
    line = _(
        "The line fitted around the **query** {place} stands there at {line}, with slope {slope}; the "
        "weighted mean of the **values** is {mean}."
    )
    none_below = _("No **key** has a weight below −0.000001.")
    apart = _apart(points, against)
    amount, n_key = points.amount, fitted.weights.shape[1]
    counts = np.count_nonzero(fitted.weights < -BELOW, axis=1).tolist()
    least = fitted.weights.min(axis=1).tolist()
    below = {
        count: _n(
            "{count} of {n_key} **keys** has a weight below −0.000001, the least {least}.",
            "{count} of {n_key} **keys** have weights below −0.000001, the least {least}.",
            count,
            n_key=n_key,
            least="{least}",
        )
        for count in {*counts}
    }

    return [
        paragraph(
            line.format(place=place, line=amount(at), slope=number(slope), mean=amount(mean)),
            below[negative].format(least=number(lowest, 3)) if negative else none_below,
            apart,
        )
        if not math.isnan(at)
        else paragraph(gap.format(place=place), apart)
        for place, at, slope, mean, negative, lowest in zip(
            places,
            fitted.at_queries.tolist(),
            fitted.slopes.tolist(),
            means.tolist(),
            counts,
            least,
            strict=True,
        )
    ]


def _apart(points: Points, against: Against | None) -> str:
    if against is None:
        return ""
    said = []
    line, mean = against.sizes()
    least = ROUNDING * float(np.abs(points.values).max())

    def told(apart: float) -> str:
        return points.amount(apart if abs(apart) > least else 0.0)

    if not math.isnan(line):
        said.append(
            _(
                "From the true curve, at the keys, the line is {line} away (root mean square), the mean "
                "{mean}.",
                line=told(line),
                mean=told(mean),
            )
        )
    first, last = ((float(against.line[end]), float(against.mean[end])) for end in (0, -1))
    if not any(map(math.isnan, (*first, *last))):
        said.append(
            _(
                "At the first key the line is off by {line_first}, the mean by {mean_first}; at the last by "
                "{line_last} and {mean_last}.",
                line_first=told(first[0]),
                mean_first=told(first[1]),
                line_last=told(last[0]),
                mean_last=told(last[1]),
            )
        )
    return paragraph(*said)
