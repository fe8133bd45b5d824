"""The map of two inputs held against NumPy, cell by cell."""

import numpy as np
import torch

from attn_core import kernel_estimate
from attn_core.checks import Check, compare
from attn_words import N_, _
from pages.kernel_regression.compute import Selection
from pages.kernel_regression.plane import MAP
from pages.kernel_regression.points import Numbers

OF_MAP = N_("every estimate of the map against NumPy, by the formula")


def of_map(selection: Selection) -> list[Check]:
    """Hold all estimates of the map on screen against the formula, relative to the size of the values."""
    keys, values = torch.from_numpy(selection.keys), torch.from_numpy(selection.values)
    ours = kernel_estimate(
        torch.from_numpy(MAP), keys, values, kernel=selection.kernel, bandwidth=selection.bandwidth
    )
    theirs = by_formula(selection.kernel, selection.bandwidth, MAP, selection.keys, selection.values)
    size = float(np.abs(selection.values).max()) or 1.0
    return [compare(_(OF_MAP), ours, torch.from_numpy(theirs), scale=size)]


def by_formula(kernel: str, h: float, queries: Numbers, keys: Numbers, values: Numbers) -> Numbers:
    """Estimate queries (n_query, d) by sums of K(u) in NumPy; NaN where no key is in the window."""
    squares = sum((queries[:, None, i] - keys[:, i]) ** 2 for i in range(keys.shape[1]))
    u = np.sqrt(squares) / h
    if kernel == "gaussian":
        # Relative to the nearest key, or a narrow kernel would be 0 / 0.
        weights = np.exp((np.min(squares, axis=1, keepdims=True) - squares) / h**2 / 2)
    else:
        weights = {
            "boxcar": (u <= 1).astype(float),
            "triangular": np.maximum(0, 1 - u),
            "epanechnikov": np.maximum(0, 1 - u**2),
        }[kernel]
    total = weights.sum(axis=1)
    estimates: Numbers = np.where(total > 0, weights @ values / np.where(total > 0, total, 1), np.nan)
    return estimates
