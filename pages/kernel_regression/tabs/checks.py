"""The numbers on screen held against independent code, on the spot."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch
import torch.nn.functional as F

from attn_core import leave_one_out_error
from pages.kernel_regression.data import Numbers, Points
from pages.kernel_regression.tabs.text import standing
from pages.kernel_regression.views.bridge import Bridge

ALLOWED = 1e-8


def show(points: Points, kernel: str) -> None:
    """Compute each check and lay them in a table."""
    sweep, h, _ = standing(points, kernel)
    estimate, queries = sweep.at(h), sweep.scene.queries
    supported = estimate.supported
    sums = estimate.weights.sum(axis=1)[supported]
    again = regress(kernel, h, queries.tolist(), points.keys.tolist(), points.values.tolist())
    checked = {
        "each row of weights sums to one": float(np.abs(sums - 1).max(initial=0.0)),
        "estimates against plain Python, one query and one key at a time": apart(estimate.at_queries, again),
        "leave-one-out error against leaving out one point after another": apart(
            [leave_one_out_error(*points.tensors(), kernel=kernel, bandwidth=h)], [refit(points, kernel, h)]
        ),
    }
    if kernel == "gaussian":
        what = "estimates against torch's scaled_dot_product_attention, key lengths as one more dimension"
        checked[what] = apart(estimate.at_queries, through_attention(points, h, queries))
    st.markdown(
        "\n".join(
            [
                "| checked on the numbers on screen | largest difference | |",
                "|:--|--:|:--|",
                *(
                    f"| {what} | {far:.1e} | {'holds' if far < ALLOWED else '**does not hold**'} |"
                    for what, far in checked.items()
                ),
            ]
        )
    )
    empty = int((~supported).sum())
    if empty:
        st.caption(
            f"{empty} queries have no key in the window: their weights are zero, their estimate is a gap."
        )


def regress(
    kernel: str, h: float, queries: Sequence[float], keys: Sequence[float], values: Sequence[float]
) -> list[float]:
    """Estimate each query with loops and sums only; NaN where no key is in the window."""
    found = []
    for query in queries:
        nearest = min(abs(query - key) for key in keys)
        weights = [_weight(kernel, abs(query - key), nearest, h) for key in keys]
        total = math.fsum(weights)
        mean = math.fsum(w * v for w, v in zip(weights, values, strict=True))
        found.append(mean / total if total else math.nan)
    return found


def _weight(kernel: str, distance: float, nearest: float, h: float) -> float:
    if kernel == "gaussian":
        # Relative to the nearest key, or a narrow kernel would be 0 / 0.
        return math.exp(-(distance - nearest) * (distance + nearest) / 2 / h / h)
    u = distance / h
    return {"boxcar": float(u <= 1), "triangular": max(0.0, 1 - u), "epanechnikov": max(0.0, 1 - u * u)}[
        kernel
    ]


def refit(points: Points, kernel: str, h: float) -> float:
    """The leave-one-out error by its definition: infinite where no point keeps a neighbour."""
    keys, values = points.keys.tolist(), points.values.tolist()
    squares = []
    for i, (key, value) in enumerate(zip(keys, values, strict=True)):
        others = keys[:i] + keys[i + 1 :], values[:i] + values[i + 1 :]
        (estimate,) = regress(kernel, h, [key], *others)
        if not math.isnan(estimate):
            squares.append((estimate - value) ** 2)
    return math.fsum(squares) / len(squares) if squares else math.inf


def through_attention(points: Points, h: float, queries: Numbers) -> Numbers:
    """The Gaussian estimates by torch's own attention."""
    keys, values = points.tensors()
    q, k = Bridge.on_a_line(torch.from_numpy(queries), keys, values).lengthened(keeps_lengths=True)
    output: Numbers = F.scaled_dot_product_attention(q, k, values[:, None], scale=1 / h**2)[:, 0].numpy()
    return output


def apart(found: Sequence[float] | Numbers, wanted: Sequence[float] | Numbers) -> float:
    """The largest difference; infinite where one has a gap that the other has not."""
    pairs = list(zip(found, wanted, strict=True))
    if any(math.isfinite(a) != math.isfinite(b) for a, b in pairs):
        return math.inf
    return float(max((abs(a - b) for a, b in pairs if math.isfinite(a)), default=0.0))
