"""Sentences that say what the pictures of kernel regression show. Numbers in, sentences out."""

import math
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from attn_figures.numbers import number
from attn_ui.base.markdown import listed
from pages.kernel_regression.points import Numbers, Points

SAME = 1e-9  # weights this close, relative to the largest, are ties
NEARLY = 1.02  # weights whose largest is at most so many times the mean are nearly alike
CLOSE = 1.01  # an error at most so many times the best is as good


def named(kernel: str) -> str:
    """Write the name of a kernel as a sentence has it: with a capital where it is a person's.

    >>> named("epanechnikov"), named("boxcar")
    ('Epanechnikov', 'boxcar')
    """
    return kernel.capitalize() if kernel in ("gaussian", "epanechnikov") else kernel


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


def fit_sentences(
    points: Points,
    *,
    kernel: str,
    bandwidth: float,
    places: Sequence[str],
    nearest: Sequence[float],
    estimates: Sequence[float],
    most: Sequence[Heaviest],
    effective: Sequence[float],
) -> list[str]:
    """Say of each query what it attends to, and how many queries find nothing.

    Args:
        points: the data.
        kernel: its name; bandwidth: in the unit of the keys.
        places: the queries as they are written; nearest: how far from each the nearest key is.
        estimates: NaN where no key is in the window; most, effective: the heaviest key, and how many count.
    """
    n_query, n_key = len(places), len(points.keys)
    empty = sum(map(math.isnan, estimates))
    find = "finds" if empty == 1 else "find"
    hatched = (
        f" {empty} of {n_query} queries {find} no key in the window of the {named(kernel)} kernel (hatched)."
    )
    end = hatched if empty else ""

    def say(place: str, away: float, estimate: float, top: Heaviest, spread: float) -> str:
        if math.isnan(estimate):
            window, distance = told_apart(points, bandwidth, away)
            return (
                f"At {place} the **query** finds no **key** within h = {window}: the nearest lies {distance} "
                "away, so there is nothing to average and the estimate has a gap, as for "
                f"{empty} of the {n_query} queries (hatched)."
            )
        return (
            f"The estimate at the **query** {place} is {points.amount(estimate)}, the weighted mean of the "
            f"**values**. {counts_most(points, top)}. The weights are as spread as equal weights on "
            f"{spread:.1f} of {n_key} **keys**.{end}"
        )

    return list(map(say, places, nearest, estimates, most, effective))


def told_apart(points: Points, bandwidth: float, nearest: float) -> tuple[str, str]:
    """Write a bandwidth and the distance of the nearest key with as many digits as tell them apart."""
    h = points.set_width(bandwidth)
    return h, next((away for n in range(3, 10) if (away := points.width(nearest, n)) != h), h)


def counts_most(points: Points, most: Heaviest) -> str:
    """Name the key that counts most, or say how many tie."""
    largest = f"{most.largest:.3f}"
    if most.tied == most.n_key:
        return f"All keys have the same weight ({largest})"
    if most.tied > 1:
        others = "all others none" if most.tied == most.positive else "all others less"
        return f"{most.tied} keys have the same weight ({largest}), {others}"
    if most.largest * most.n_key <= NEARLY:
        return f"All keys have nearly the same weight (at most {largest})"
    return f"The key at {points.key_names[most.key]} has the largest weight ({largest})"


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
    seen = (
        f"The same h = {points.set_width(bandwidth)} is another width for each kernel. Estimates at {query}, "
        f"with their effective keys: {listed(told)}."
    )
    if silent:
        return f"{seen} No estimate from {listed(silent)}: no key lies in the window."
    if any(empty.values()):
        most = max(empty.values())
        return f"{seen} Compact kernels leave up to {most} of {n_query} queries without any key (hatched)."
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
    who = "every point" if most_supported == n_key else f"{most_supported} of {n_key} points"
    among = (
        f"{tried:,} tried" if compared == tried else f"the {compared:,} tried that leave {who} a neighbour"
    )
    least = f"the smallest of {among} is {number(best_error)} at h = {points.width(best)}"
    if not most_supported:
        return (
            f"Training error {number(training)}. No bandwidth leaves any point a neighbour, so there is no "
            "leave-one-out error to choose by."
        )
    if not supported:
        return (
            f"Training error {number(training)}. Left out, no point has a neighbour within h = {h}, so no "
            f"leave-one-out error; {least}. {_ALWAYS}"
        )
    seen = f"Training error {number(training)}, leave-one-out error {number(left_out)} at h = {h}; {least}"
    if supported < most_supported:
        return (
            f"{seen}. Dotted: only {supported} of {n_key} points keep a neighbour here, so the errors are "
            f"not comparable. {_ALWAYS}"
        )
    return f"{seen}, so {_stands(training, left_out, best_training, best_error)}. {_ALWAYS}"


_ALWAYS = (
    "The training error is smallest as h goes to 0, because each point then predicts itself. Leave-one-out "
    "takes the point away first."
)


def _stands(training: float, left_out: float, best_training: float, best_error: float) -> str:
    if left_out <= best_error * CLOSE:
        return "this h is as good"
    if training < best_training:
        return "this h is too small: the curve follows single points, and is farther from those left out"
    if training > best_training:
        return "this h is too large: the curve is too smooth for the points seen and for those left out"
    return "this h is worse on the points left out"


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
        return (
            f"Nothing to learn from h = {points.set_width(start)}: the boxcar's error is a staircase in h, "
            "flat between its steps, so its gradient is zero everywhere."
        )
    if steps == 0:
        return f"Nothing to learn from h = {points.set_width(start)}: there the error does not change with h."
    count = "1 step" if steps == 1 else f"{steps} steps"
    went = (
        f"Adam on log h went from {points.set_width(start)} to **{points.width(end, 4)}** in {count}"
        f"{'' if steps >= planned else ', where it was stopped or found no slope'}, error {number(error)}; "
        f"the best of the search is {points.width(best, 4)} with {number(best_error)}"
    )
    if fewer is not None:
        few = f"only {fewer} of {len(points.keys)} points keep a neighbour"
        return f"{went}. Where it ended {few}, so the errors do not compare."
    apart = abs(end / best - 1)
    if apart <= 0.02:
        return f"{went}: {apart:.1%} apart."
    if error <= best_error * 1.02:
        return f"{went}: {apart:.0%} apart in h, but the valley is flat and the errors agree."
    return f"{went}. Descent goes to the nearest valley, or is still on its way: try another start."


def bridge_sentence(*, largest: float, keeps_lengths: bool, on_circle: bool, h_squared: float) -> str:
    """Say what becomes of the Gaussian weights without the term in the keys' lengths."""
    at = f"With temperature h² = {number(h_squared, 3)}"
    if keeps_lengths:
        return (
            f"{at}, the softmax of **q** · **k** − |**k**|²/2 gives the weights of the Gaussian kernel "
            f"(largest difference {number(largest, 2)}). |**q**|²/2 is the same in a whole row: it cancels."
        )
    if on_circle:
        return (
            f"{at}, and all **keys** equally long, |**k**|²/2 is the same for every key, so it cancels too: "
            "dot-product attention is the Gaussian kernel (largest difference "
            f"{number(largest, 2)})."
        )
    if largest < 5e-4:
        return (
            f"{at} the scores are so small against h² that even without |**k**|²/2 no weight differs by more "
            f"than {number(largest, 2)}. A narrower h shows what the term does."
        )
    return (
        f"{at}, without |**k**|²/2: dot-product attention favours long **keys** over near ones. The largest "
        f"difference of a weight is {largest:.3f}. Put the keys on a circle and it goes."
    )


def fails_sentence(
    points: Points,
    *,
    kernel: str,
    bandwidth: float,
    silent: float,
    ends: tuple[float, float] | None,
    to_nearest: float,
    to_mean: float,
    spread: float,
) -> str:
    """Say which of the failures the picture shows.

    Args:
        points: the data.
        kernel: its name; bandwidth: in the unit of the keys.
        silent: share of the places drawn that find no key.
        ends: bias at the first and at the last key, or None where the truth is not known.
        to_nearest, to_mean: mean distances of the estimate to the nearest key's value and to the mean.
        spread: standard deviation of the values, which says what is small.
    """
    seen = f"h = {points.set_width(bandwidth)}, {named(kernel)}:"
    levels = (
        " Beyond the data the estimate becomes flat: it continues no trend, it averages the nearest keys."
    )
    if not spread:
        seen += " all values are the same, and so is every estimate."
    elif to_nearest < 0.05 * spread:
        seen += (
            " so narrow that every estimate copies the nearest key's value, and its noise where it has any."
        )
    elif to_mean < 0.15 * spread:
        seen += " so wide that every place gets the mean of all values; the curve is gone."
        levels = ""
    elif ends is None:
        seen += " at both ends all keys lie on one side, which pulls the estimate inwards."
    elif max(map(abs, ends)) < 0.02 * spread:
        seen += " narrow enough that the ends are hardly wrong, though all their keys lie on one side."
    else:
        off = listed([f"{'+' if end > 0 else ''}{number(end, 3)}" for end in ends])
        seen += f" even without noise the ends are wrong by {off}, because all their keys lie on one side."
    if silent > 0.005:
        return f"{seen} {silent:.0%} of the places drawn find no key in the window: no estimate (hatched)."
    return f"{seen}{levels}"
