"""Sentences that say what the pictures of kernel regression show. Numbers in, sentences out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple

import numpy as np

from attn_figures.numbers import as_share, number
from attn_live.says import Filled
from attn_ui.base.markdown import listed
from attn_ui.base.parameters import shown
from attn_words import N_, _, _n, cached, paragraph
from pages.kernel_regression.points import Numbers, Points
from pages.kernel_regression.settings import KERNEL

SAME = 1e-9  # weights this close, relative to the largest, are ties
NEARLY = 1.02  # weights whose largest is at most so many times the mean are nearly alike
CLOSE = 1.01  # an error at most so many times the best is as good


def named(kernel: str) -> str:
    """Write the name of a kernel as a sentence has it: with a capital where it is a person's.

    >>> named("epanechnikov"), named("boxcar")
    ('Epanechnikov', 'boxcar')
    """
    name = shown(KERNEL, kernel)
    return name.capitalize() if kernel in ("gaussian", "epanechnikov") else name


class Heaviest(NamedTuple):
    """What one query's weights come to: the largest, and how many keys share it."""

    largest: float
    tied: int
    positive: int  # keys that have any weight
    n_key: int
    key: int  # the first with the largest weight


def heaviest(weights: Numbers) -> list[Heaviest]:
    """Find the largest weight of each query, for weights (n_query, n_key)."""
    largest = weights.max(axis=1)
    tied = np.count_nonzero(weights >= largest[:, None] * (1 - SAME), axis=1)
    positive, key = np.count_nonzero(weights, axis=1), weights.argmax(axis=1)
    columns = (column.tolist() for column in (largest, tied, positive))
    return list(map(Heaviest, *columns, repeat(weights.shape[1]), key.tolist()))


# What the weights of a query come to: see `lying`.
_MOST: Mapping[str, str] = {
    "alike": N_("All keys have the same weight ({largest})."),
    "tied alone": N_("{tied} keys have the same weight ({largest}), all others none."),
    "tied": N_("{tied} keys have the same weight ({largest}), all others less."),
    "nearly alike": N_("All keys have nearly the same weight (at most {largest})."),
    "one": N_("The key at {key} has the largest weight ({largest})."),
}


def lying(most: Heaviest) -> str:
    """Return how the weights lie: whether one key counts most, or some tie."""
    if most.tied == most.n_key:
        return "alike"
    if most.tied > 1:
        return "tied alone" if most.tied == most.positive else "tied"
    return "nearly alike" if most.largest * most.n_key <= NEARLY else "one"


@cached(16)
def _forms(n_key: int) -> Sequence[str]:
    """Return what is said of an estimate, by how the weights lie: without and with `more`."""
    first = _("The estimate at the **query** {place} is {estimate}, the weighted mean of the **values**.")
    spread = _("The weights are as spread as equal weights on {spread} of {n_key} **keys**.")
    said = [paragraph(first, _(most), spread) for most in _MOST.values()]
    return [_left_open(paragraph(form, more), n_key=str(n_key)) for form in said for more in ("", "{more}")]


def _left_open(form: str, **known: str) -> str:
    """Fill some fields of a form; the others stay."""
    return form.format_map(_Open(known))


class _Open(dict[str, str]):
    def __missing__(self, field: str) -> str:
        return f"{{{field}}}"


class Answered(NamedTuple):
    """What a kernel answers all queries at all bandwidths.

    Attributes:
        bandwidths: of the steps, in the unit of the keys.
        places: the queries as they are written; nearest: how far from each the nearest key is.
        estimates: (n_step, n_query), NaN where no key is in the window.
        most, effective: the heaviest key, one a step and query, and how many count, (n_step, n_query).
    """

    bandwidths: Sequence[float]
    places: Sequence[str]
    nearest: Sequence[float]
    estimates: Numbers
    most: Sequence[Heaviest]
    effective: Numbers


def estimates_said(points: Points, answered: Answered, *, gap: str, more: Sequence[str]) -> Filled:
    """Say of each query at each bandwidth what it attends to, or how far away the nearest key is.

    Args:
        points: the data; answered: what is said of it.
        gap: what is said where there is no estimate, with fields `place`, `window`, `distance` and `more`.
        more: what is said besides at each step; "" for nothing.
    """
    bandwidths, places, nearest, estimates, most, effective = answered
    n_step, n_query = estimates.shape
    keys, no_estimate = points.key_names, np.isnan(estimates)
    hows = {how: 2 * number for number, how in enumerate(_MOST)}
    form = np.reshape([hows[lying(top)] for top in most], estimates.shape)
    form = form + np.array([[bool(text)] for text in more])
    forms = [*_forms(len(points.keys)), gap]
    window, distance = [""] * estimates.size, [""] * estimates.size
    for place in np.flatnonzero(no_estimate).tolist():
        step, query = divmod(place, n_query)
        window[place], distance[place] = told_apart(points, bandwidths[step], nearest[query])
    fields = {
        "place": [*places] * n_step,
        "estimate": list(map(points.amount, estimates.ravel().tolist())),
        "largest": [f"{top.largest:.3f}" for top in most],
        "tied": [str(top.tied) for top in most],
        "key": [keys[top.key] for top in most],
        "spread": list(map("{:.1f}".format, effective.ravel().tolist())),
        "more": [text for text in more for _query in places],
        "window": window,
        "distance": distance,
    }
    return Filled(forms, np.where(no_estimate, len(forms) - 1, form), fields)


def fit_sentences(points: Points, answered: Answered, *, kernel: str) -> Filled:
    """Say of each query what it attends to, and how many queries find nothing."""
    n_query = len(answered.places)
    empty = np.isnan(answered.estimates).sum(axis=1).tolist()
    hatched = [
        _n(
            "{count} of {n_query} queries finds no key in the window of the {kernel} kernel (hatched).",
            "{count} of {n_query} queries find no key in the window of the {kernel} kernel (hatched).",
            count,
            n_query=n_query,
            kernel=named(kernel),
        )
        if count
        else ""
        for count in empty
    ]
    gap = _(
        "At {place} the **query** finds no **key** within h = {window}: the nearest lies {distance} away, so "
        "there is nothing to average and the estimate has a gap, as for {empty} of the {n_query} queries "
        "(hatched)."
    )
    said = estimates_said(points, answered, gap=_left_open(gap, n_query=str(n_query)), more=hatched)
    counts = [str(count) for count in empty for _query in answered.places]
    return replace(said, fields={**said.fields, "empty": counts})


def told_apart(points: Points, bandwidth: float, nearest: float) -> tuple[str, str]:
    """Write a bandwidth and the distance of the nearest key with as many digits as tell them apart."""
    h = points.set_width(bandwidth)
    return h, next((away for n in range(3, 10) if (away := points.width(nearest, n)) != h), h)


def compare_sentence(
    points: Points,
    *,
    bandwidth: float,
    query: str,
    estimates: Mapping[str, float],
    effective: Mapping[str, float],
    empty: Mapping[str, int],
    n_query: int,
) -> str:
    """Say how far the kernels agree at one bandwidth."""
    told = [
        f"{named(name)} {points.amount(estimate)} ({effective[name]:.1f})"
        for name, estimate in estimates.items()
        if not math.isnan(estimate)
    ]
    silent = [named(name) for name, estimate in estimates.items() if math.isnan(estimate)]
    seen = _(
        "The same h = {h} is another width for each kernel. Estimates at {query}, with their effective keys: "
        "{estimates}.",
        h=points.set_width(bandwidth),
        query=query,
        estimates=listed(told),
    )
    if silent:
        none = _("No estimate from {kernels}: no key lies in the window.", kernels=listed(silent))
        return paragraph(seen, none)
    if any(empty.values()):
        left = _(
            "Compact kernels leave up to {most} of {n_query} queries without any key (hatched).",
            most=max(empty.values()),
            n_query=n_query,
        )
        return paragraph(seen, left)
    return seen


def choose_sentence(
    points: Points,
    *,
    bandwidth: float,
    training: float,
    left_out: float,
    best: float,
    best_training: float,
    best_error: float,
    tried: int,
    compared: int,
    supported: int,
    most_supported: int,
) -> str:
    """Say which error can choose a bandwidth, and how this one's errors compare with the best one's.

    Of the bandwidths tried those are compared that leave most_supported points a neighbour.
    """
    h, n_key = points.set_width(bandwidth), len(points.keys)
    alone = _("Training error {training}.", training=number(training))
    if not most_supported:
        none = _(
            "No bandwidth leaves any point a neighbour, so there is no leave-one-out error to choose by."
        )
        return paragraph(alone, none)
    said = {
        "training": number(training),
        "left_out": number(left_out),
        "h": h,
        "among": among(tried, compared, most_supported, n_key),
        "least": number(best_error),
        "best": points.width(best),
    }
    if not supported:
        none = _(
            "Left out, no point has a neighbour within h = {h}, so no leave-one-out error; the smallest of "
            "{among} is {least} at h = {best}.",
            **said,
        )
        return paragraph(alone, none, _(_ALWAYS))
    if supported < most_supported:
        seen = _(
            "Training error {training}, leave-one-out error {left_out} at h = {h}; the smallest of {among} "
            "is {least} at h = {best}.",
            **said,
        )
        dotted = _(
            "Dotted: only {supported} of {n_key} points keep a neighbour here, so the errors are not "
            "comparable.",
            supported=supported,
            n_key=n_key,
        )
        return paragraph(seen, dotted, _(_ALWAYS))
    if max(training, left_out) <= (_EXACT * float(np.abs(points.values).max())) ** 2:
        return _(
            "Training error and leave-one-out error are 0 at h = {h}, to rounding: no bandwidth does better.",
            h=h,
        )
    stands = _STANDS[_stands(training, left_out, best_training, best_error)]
    return paragraph(_(stands, **said), _(_ALWAYS))


def among(tried: int, compared: int, most_supported: int, n_key: int) -> str:
    """Say which bandwidths are compared: all that were tried, or those that leave most points a neighbour."""
    if compared == tried:
        return _("{tried} tried", tried=f"{tried:,}")
    if most_supported == n_key:
        return _("the {compared} tried that leave every point a neighbour", compared=f"{compared:,}")
    return _(
        "the {compared} tried that leave {supported} of {n_key} points a neighbour",
        compared=f"{compared:,}",
        supported=most_supported,
        n_key=n_key,
    )


_EXACT = 1e-12  # an error of so small a share of the values is rounding
_ALWAYS = N_(
    "The training error is smallest as h goes to 0: each point is among those that it is predicted from. "
    "Leave-one-out takes it away first."
)
_STANDS: Mapping[str, str] = {
    "as good": N_(
        "Training error {training}, leave-one-out error {left_out} at h = {h}; the smallest of {among} is "
        "{least} at h = {best}, so this h is as good."
    ),
    "too small": N_(
        "Training error {training}, leave-one-out error {left_out} at h = {h}; the smallest of {among} is "
        "{least} at h = {best}, so this h is too small: the curve follows single points, and is farther from "
        "those left out."
    ),
    "too large": N_(
        "Training error {training}, leave-one-out error {left_out} at h = {h}; the smallest of {among} is "
        "{least} at h = {best}, so this h is too large: the curve is too smooth for the points seen and for "
        "those left out."
    ),
    "worse": N_(
        "Training error {training}, leave-one-out error {left_out} at h = {h}; the smallest of {among} is "
        "{least} at h = {best}, so this h is worse on the points left out."
    ),
}


def _stands(training: float, left_out: float, best_training: float, best_error: float) -> str:
    if left_out <= best_error * CLOSE:
        return "as good"
    if training < best_training:
        return "too small"
    return "too large" if training > best_training else "worse"


def learned_sentence(
    points: Points,
    *,
    steps: int,
    planned: int,
    start: float,
    end: float,
    error: float,
    best: float,
    best_error: float,
    kernel: str,
    fewer: int | None = None,
) -> str:
    """Say how learning went; ``fewer`` are the points with a neighbour at its end."""
    if steps == 0 and kernel == "boxcar":
        return _(
            "Nothing to learn from h = {h}: the boxcar's error is a staircase in h, flat between its steps, "
            "so its gradient is zero everywhere.",
            h=points.set_width(start),
        )
    if steps == 0:
        return _(
            "Nothing to learn from h = {h}: there the error does not change with h.",
            h=points.set_width(start),
        )
    apart = abs(end / best - 1)
    if fewer is not None or (apart > _NEAR and error > best_error * _NEARLY_AS_GOOD):
        ends = "apart"
    else:
        ends = "same" if apart <= _NEAR else "flat"
    went = _(
        _WENT[ends, steps < planned],
        start=points.set_width(start),
        end=points.width(end, 4),
        steps=_n("{count} step", "{count} steps", steps),
        error=number(error),
        best=points.width(best, 4),
        best_error=number(best_error),
        apart=f"{apart:.1%}" if ends == "same" else f"{apart:.0%}",
    )
    if fewer is not None:
        few = _(
            "Where it ended only {fewer} of {n_key} points keep a neighbour, so the errors do not compare.",
            fewer=fewer,
            n_key=len(points.keys),
        )
        return paragraph(went, few)
    if ends == "apart":
        valley = _("Descent goes to the nearest valley, or is still on its way: try another start.")
        return paragraph(went, valley)
    return went


_NEAR = 0.02  # bandwidths so far apart, as a share of the best, are the same
_NEARLY_AS_GOOD = 1.02  # errors so many times the best agree
# Where learning ended, and whether it ended early.
_WENT: Mapping[tuple[str, bool], str] = {
    ("apart", False): N_(
        "Adam on log h went from {start} to **{end}** in {steps}, error {error}; the best of the search is "
        "{best} with {best_error}."
    ),
    ("apart", True): N_(
        "Adam on log h went from {start} to **{end}** in {steps}, where it was stopped or found no slope, "
        "error {error}; the best of the search is {best} with {best_error}."
    ),
    ("same", False): N_(
        "Adam on log h went from {start} to **{end}** in {steps}, error {error}; the best of the search is "
        "{best} with {best_error}: {apart} apart."
    ),
    ("same", True): N_(
        "Adam on log h went from {start} to **{end}** in {steps}, where it was stopped or found no slope, "
        "error {error}; the best of the search is {best} with {best_error}: {apart} apart."
    ),
    ("flat", False): N_(
        "Adam on log h went from {start} to **{end}** in {steps}, error {error}; the best of the search is "
        "{best} with {best_error}: {apart} apart in h, but the valley is flat and the errors agree."
    ),
    ("flat", True): N_(
        "Adam on log h went from {start} to **{end}** in {steps}, where it was stopped or found no slope, "
        "error {error}; the best of the search is {best} with {best_error}: {apart} apart in h, but the "
        "valley is flat and the errors agree."
    ),
}


def bridge_sentence(*, largest: float, keeps_lengths: bool, on_circle: bool, h_squared: float) -> str:
    """Say what becomes of the Gaussian weights without the term in the keys' lengths."""
    temperature, difference = number(h_squared, 3), number(largest, 2)
    if keeps_lengths:
        return _(
            "With temperature h² = {temperature}, the softmax of **q** · **k** − |**k**|²/2 gives the "
            "weights of the Gaussian kernel (largest difference {difference}). |**q**|²/2 is the same in a "
            "whole row: it cancels.",
            temperature=temperature,
            difference=difference,
        )
    if on_circle:
        return _(
            "With temperature h² = {temperature}, and all **keys** equally long, |**k**|²/2 is the same for "
            "every key, so it cancels too: dot-product attention is the Gaussian kernel (largest difference "
            "{difference}).",
            temperature=temperature,
            difference=difference,
        )
    if largest < 5e-4:
        return _(
            "With temperature h² = {temperature} the scores are so small against h² that even without "
            "|**k**|²/2 no weight differs by more than {difference}. A narrower h shows what the term does.",
            temperature=temperature,
            difference=difference,
        )
    return _(
        "With temperature h² = {temperature}, without |**k**|²/2: dot-product attention favours long "
        "**keys** over near ones. The largest difference of a weight is {difference}. Put the keys on a "
        "circle and it goes.",
        temperature=temperature,
        difference=f"{largest:.3f}",
    )


def fails_sentence(
    points: Points,
    *,
    kernel: str,
    bandwidth: float,
    silent: float,
    bias: Numbers,
    to_nearest: float,
    to_mean: float,
    spread: float,
) -> str:
    """Say which of the failures the picture shows.

    Args:
        points: the data.
        kernel: its name; bandwidth: in the unit of the keys.
        silent: share of the places drawn that find no key.
        bias: from the first key to the last; empty where the truth or an estimate is not known.
        to_nearest, to_mean: mean distances of the estimate to the nearest key's value and to the mean.
        spread: standard deviation of the values, which says what is small.
    """
    said: dict[str, object] = {"h": points.set_width(bandwidth), "kernel": named(kernel)}
    levels = _(
        "Beyond the data the estimate becomes flat: it continues no trend, it averages the nearest keys."
    )
    if not spread:
        seen = _("h = {h}, {kernel}: all values are the same, and so is every estimate.", **said)
    elif to_nearest < 0.05 * spread:
        seen = _(
            "h = {h}, {kernel}: so narrow that every estimate copies the nearest key's value, or nearly, and "
            "its noise where it has any.",
            **said,
        )
    elif to_mean < 0.15 * spread:
        seen = _(
            "h = {h}, {kernel}: so wide that every place gets the mean of all values, or nearly; the curve "
            "is gone.",
            **said,
        )
        levels = ""
    elif not len(bias):
        seen = _("h = {h}, {kernel}: at both ends all keys lie on one side.", **said)
    else:
        seen = _(
            "h = {h}, {kernel}: even without noise the ends, where all keys lie on one side, are wrong by "
            "{errors}, and places between by up to {most}.",
            **said,
            errors=listed([f"{'+' if end > 0 else ''}{number(end, 3)}" for end in bias[[0, -1]].tolist()]),
            most=number(float(np.abs(bias).max()), 3),
        )
    if silent > 0.005:
        none = _(
            "{share} of the places drawn find no key in the window: no estimate (hatched).",
            share=as_share(silent),
        )
        return paragraph(seen, none)
    return paragraph(seen, levels)
