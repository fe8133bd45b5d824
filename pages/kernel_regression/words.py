"""Captions of kernel regression: a fixed line, a read-out of the query, and a warning."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attn_figures.numbers import number
from attn_live.captions import CaptionTemplates, LazyMap
from attn_ui.base.parameters import label_of
from attn_ui.base.ties import ROUNDING, tie_sentence
from attn_words import _, _n, paragraph
from pages.kernel_regression.data_points import Numbers, Points
from pages.kernel_regression.settings import KERNEL

SAME = 1e-9  # weights this close, relative to the largest, are ties


def kernel_name(kernel: str) -> str:
    """Write the name of a kernel for a sentence, with a capital if it is a person's.

    >>> kernel_name("epanechnikov"), kernel_name("boxcar")
    ('Epanechnikov', 'boxcar')
    """
    name = label_of(KERNEL, kernel)
    return name.capitalize() if kernel in ("gaussian", "epanechnikov") else name


def empty_warning(empty: int, places: int, kernel: str) -> str:
    """Warn of places that have no estimate; "" if all have one."""
    if not empty:
        return ""
    return _n(
        "{count} of {places} places finds no key in the window of the {kernel} kernel (hatched).",
        "{count} of {places} places find no key in the window of the {kernel} kernel (hatched).",
        empty,
        places=places,
        kernel=kernel_name(kernel),
    )


class Answers(NamedTuple):
    """The estimates and weights of one kernel for all queries and bandwidths.

    Attributes:
        bandwidths: one per step, in the unit of the keys.
        places: the text of each query; nearest: the distance from each query to its nearest key.
        estimates: (n_step, n_query), NaN where no key is in the window.
        weights: (n_step * n_query, n_key); effective: number of keys, (n_step, n_query).
    """

    bandwidths: Sequence[float]
    places: Sequence[str]
    nearest: Sequence[float]
    estimates: Numbers
    weights: Numbers
    effective: Numbers


def estimate_captions(
    points: Points, answers: Answers, besides: Sequence[str], warnings: Sequence[str]
) -> CaptionTemplates:
    """Return, for each query and bandwidth, what the query attends to or how far the nearest key is.

    Args:
        points: the data; answers: the estimates and weights computed from it.
        besides, warnings: more text for each step, "" for none; a warning replaces that of ties.
    """
    bandwidths, places, nearest, estimates, weights, effective = answers
    n_step, n_query = estimates.shape
    shows = _(
        "The estimate is the mean of all **values**, weighted by the kernel around the query: near **keys** "
        "get large weights, drawn as large dots."
    )
    readout = _(
        "**Query** {place}: estimate {estimate}, largest weight {largest} on the **key** at {key}; effective "
        "number of keys {spread} of {n_key}, as if {spread} keys shared the weight equally."
    )
    gap = _(
        "**Query** {place}: no **key** within h = {window}, the nearest is {distance} away, so there is no "
        "estimate."
    )
    forms = [paragraph(shows, sentence, more) for sentence in (readout, gap) for more in ("", "{more}")]
    largest = weights.max(axis=1)
    others = np.count_nonzero(weights >= largest[:, None] * (1 - SAME), axis=1) - 1
    no_estimate = np.isnan(estimates).ravel()
    ties = {count: tie_sentence(count) for count in {*others[~no_estimate].tolist()}}

    def more(place: int) -> str:
        step = place // n_query
        tie = "" if no_estimate[place] else ties[int(others[place])]
        return paragraph(besides[step], warnings[step] or tie)

    def lengths(place: int) -> tuple[str, str]:
        step, query = divmod(place, n_query)
        return format_apart(points, bandwidths[step], nearest[query])

    sentence = [bool(one or other) for one, other in zip(besides, warnings, strict=True)]
    form = 2 * no_estimate.astype(int) + (np.repeat(sentence, n_query) | (~no_estimate & (others > 0)))
    apart = LazyMap(lengths, range(estimates.size))
    keys = points.key_names
    fields = {
        "place": [*places] * n_step,
        "estimate": LazyMap(points.amount, estimates.ravel().tolist()),
        "largest": LazyMap("{:.3f}".format, largest.tolist()),
        "key": [keys[key] for key in weights.argmax(axis=1).tolist()],
        "spread": LazyMap("{:.1f}".format, effective.ravel().tolist()),
        "n_key": [str(len(keys))] * estimates.size,
        "more": LazyMap(more, range(estimates.size)),
        "window": LazyMap(lambda place: apart[place][0], range(estimates.size)),
        "distance": LazyMap(lambda place: apart[place][1], range(estimates.size)),
    }
    return CaptionTemplates(forms, form.reshape(estimates.shape), fields)


def format_apart(points: Points, bandwidth: float, nearest: float) -> tuple[str, str]:
    """Write a bandwidth and the distance of the nearest key with as many digits as tell them apart."""
    h = points.slider_width_text(bandwidth)
    return h, next((away for n in range(3, 10) if (away := points.width_text(nearest, n)) != h), h)


def format_amount(points: Points, value: float) -> str:
    """Write an amount: 0 if it is rounding beside the largest value, a dash for NaN."""
    size = float(np.abs(points.values).max()) or 1.0
    return "–" if math.isnan(value) else points.amount(value if abs(value) >= ROUNDING * size else 0.0)


def error_readout(
    points: Points, h: float, errors: tuple[float, float], n_supported: int, best: tuple[float, float]
) -> str:
    """Return a sentence with both errors of a bandwidth, and the best bandwidth with its error."""
    return _(
        "h = {h}: training error {training}, leave-one-out error {left_out} (over {supported} of {n_key} "
        "points); the search's best is {least}, at h = {best}.",
        h=points.slider_width_text(h),
        training=number(errors[0]),
        left_out=number(errors[1]),
        supported=n_supported,
        n_key=len(points.keys),
        least=number(best[1]),
        best=points.width_text(best[0]),
    )
