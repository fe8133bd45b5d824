"""Sentences that say what the pictures of kernel regression show. Numbers in, sentences out."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def fit_sentence(
    *,
    kernel: str,
    bandwidth: float,
    query: float,
    estimate: float,
    weights: Numbers,
    keys: Numbers,
    effective: float,
    empty: int,
    n_query: int,
    digits: int = 3,
) -> str:
    """Say what the chosen query attends to, and how many queries find nothing."""
    if math.isnan(estimate):
        nearest = float(np.abs(keys - query).min())
        return (
            f"At {query:.{digits}g} the **query** finds no **key** within h = {bandwidth:.3g}: the nearest "
            f"lies {nearest:.3g} away, so there is nothing to average and the estimate has a gap, as for "
            f"{empty} of the {n_query} queries (hatched)."
        )
    heaviest = int(weights.argmax())
    seen = (
        f"At {query:.{digits}g} the **query** spreads its weight as if over {effective:.1f} of {len(keys)} "
        f"**keys**; the one at {keys[heaviest]:.{digits}g} counts most ({weights[heaviest]:.3f}), "
        f"and the weighted mean of the **values** is {_value(estimate)}."
    )
    if empty:
        seen += f" {empty} of {n_query} queries find no key in the window of the {kernel} kernel (hatched)."
    return seen


def compare_sentence(
    *,
    bandwidth: float,
    query: float,
    estimates: Mapping[str, float],
    effective: Mapping[str, float],
    empty: Mapping[str, float],
    digits: int = 3,
) -> str:
    """Say how far the kernels agree at one bandwidth."""
    told = [
        f"{name} {_value(estimate)} ({effective[name]:.1f})"
        for name, estimate in estimates.items()
        if not math.isnan(estimate)
    ]
    silent = [name for name, estimate in estimates.items() if math.isnan(estimate)]
    seen = (
        f"One h = {bandwidth:.3g} is not one width. Estimates at {query:.{digits}g}, with their effective "
        f"keys: {_join(told)}."
    )
    if silent:
        seen += f" No estimate from {_join(silent)}: no key lies in the window."
    elif max(empty.values()) > 0:
        widest = max(empty, key=lambda name: empty[name])
        seen += f" The compact kernels leave {empty[widest]:.0%} of the queries without any key (hatched)."
    return seen


def choose_sentence(
    *,
    bandwidth: float,
    training: float,
    left_out: float,
    best: float,
    best_error: float,
    supported: int,
    n_key: int,
) -> str:
    """Say which error can choose a bandwidth, and where this one stands."""
    place = "narrower" if bandwidth < best / 1.15 else "wider" if bandwidth > best * 1.15 else "about as wide"
    follows = {
        "narrower": "it follows the noise",
        "wider": "it blurs the curve",
        "about as wide": "neither noise nor blur wins",
    }
    seen = f"Training error {_value(training)}, leave-one-out error {_value(left_out)}: "
    if math.isinf(left_out):
        seen = f"Training error {_value(training)}; left out, no point has a neighbour in its window: "
    seen += (
        f"h = {bandwidth:.3g} is {place} {'as' if place == 'about as wide' else 'than'} the best, {best:.3g} "
        f"(error {_value(best_error)}), so {follows[place]}. The training error always wants h = 0, where "
        "each point asks itself; left out of its own estimate, a point cannot."
    )
    if 0 < supported < n_key:
        seen += f" Dotted: only {supported} of {n_key} points keep a neighbour, so it is not comparable."
    return seen


def learned_sentence(
    *,
    steps: int,
    planned: int,
    start: float,
    end: float,
    error: float,
    best: float,
    best_error: float,
    kernel: str,
) -> str:
    """Say how learning went."""
    if steps == 0 and kernel == "boxcar":
        return (
            f"Nothing to learn from h = {start:.3g}: the boxcar's error is a staircase in h, flat between "
            "its steps, so its gradient is zero everywhere."
        )
    if steps == 0:
        return f"Nothing to learn from h = {start:.3g}: there the error does not change with h."
    went = (
        f"Adam on log h went from {start:.3g} to **{end:.4g}** in {steps} steps"
        f"{'' if steps >= planned else ', where it was stopped or found no slope'}, error {error:.4g}; "
        f"the best of the search is {best:.4g} with {best_error:.4g}"
    )
    apart = abs(end / best - 1)
    if apart <= 0.02:
        return f"{went}: {apart:.1%} apart."
    if error <= best_error * 1.02:
        return f"{went}: {apart:.0%} apart in h, but the valley is flat and the errors agree."
    return f"{went}. Descent goes to the nearest valley, or is still on its way: try another start."


def bridge_sentence(*, largest: float, keeps_lengths: bool, on_circle: bool, h_squared: float) -> str:
    """Say what becomes of the Gaussian weights without the term in the keys' lengths."""
    at = f"At temperature h² = {h_squared:.3g}"
    if keeps_lengths:
        return (
            f"{at}, softmax of **q** · **k** − |**k**|²/2 is the Gaussian kernel: the largest difference is "
            f"{largest:.1e}. |**q**|²/2 is the same along a row, so the softmax never sees it."
        )
    if on_circle:
        return (
            f"{at}, and all **keys** equally long: |**k**|²/2 is the same for every key, the softmax does "
            f"not see it: dot-product attention is the Gaussian kernel (largest difference {largest:.1e})."
        )
    return (
        f"{at}, without |**k**|²/2: dot-product attention favours long **keys** over near ones. The largest "
        f"difference of a weight is {largest:.3f}. Put the keys on a circle and it goes."
    )


def fails_sentence(
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
        silent: share of the places drawn that find no key.
        ends: bias at the first and at the last key, or None where the truth is not known.
        to_nearest, to_mean: mean distances of the estimate to the nearest key's value and to the mean.
        spread: standard deviation of the values, which says what is small.
    """
    seen = f"h = {bandwidth:.3g}, {kernel}:"
    if to_nearest < 0.05 * spread:
        seen += " so narrow that every place copies its nearest key; the noise is all there."
    elif to_mean < 0.15 * spread:
        seen += " so wide that every place gets the mean of all values; the curve is gone."
    elif ends is not None:
        seen += (
            f" even without noise the ends are off by {ends[0]:+.3g} and {ends[1]:+.3g}, "
            "because all their keys lie on one side."
        )
    else:
        seen += " at both ends all keys lie on one side, which pulls the estimate inwards."
    if silent > 0.005:
        return f"{seen} {silent:.0%} of the places drawn find no key in the window: no estimate (hatched)."
    return f"{seen} Beyond the data the estimate levels off: it knows no trend, only its nearest keys."


def _value(number: float) -> str:
    """Write a value: three decimals where they say something, else four significant digits."""
    return f"{number:.3f}" if 0.01 <= abs(number) < 1e5 or number == 0 else f"{number:.4g}"


def _join(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else "none"
