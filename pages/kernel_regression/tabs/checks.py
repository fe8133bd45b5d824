"""The numbers on screen held against independent code, on the spot."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch
import torch.nn.functional as F

from attn_core import leave_one_out_error
from attn_core.checks import Check, compare
from attn_ui.screen.tables import checks_table
from attn_words import N_, _, _n
from pages.kernel_regression.compute import Result, Selection, lengthen
from pages.kernel_regression.points import Numbers
from pages.kernel_regression.tabs import line_checks, plane_checks

Places = Sequence[Sequence[float]]  # each a vector
SUMS = N_("each row of weights sums to one, or is empty")
NAIVE = N_("estimates against plain Python, one query and one key at a time")
LEFT_OUT = N_("leave-one-out error against leaving out one point after another")
TORCH = N_("estimates against torch's scaled_dot_product_attention, key lengths as one more dimension")


def show(result: Result) -> None:
    """Compute each check and lay them in a table; a map has one besides."""
    selection = result.selection
    if result.state.fits_lines:
        checks = line_checks.check(selection)
    else:
        checks = check(selection) + (plane_checks.of_map(selection) if result.state.has_two_inputs else [])
    st.markdown(
        checks_table(
            [each.name for each in checks],
            {_("on this page"): [(each.passed, each.verdict) for each in checks]},
        )
    )
    empty = int((~selection.regression.has_support).sum())
    if empty:
        st.caption(
            _n(
                "{count} query has no key in the window: weights there are zero, and the estimate is a gap.",
                "{count} queries have no key in the window: weights there are zero, and the estimate is a "
                "gap.",
                empty,
            )
        )


def check(selection: Selection) -> list[Check]:
    """Hold the regression on screen against independent code, relative to the size of its numbers."""
    fit, kernel, h = selection.regression, selection.kernel, selection.bandwidth
    queries, keys = vectors(selection.queries), vectors(selection.keys)
    values = selection.values.tolist()
    size = float(np.abs(selection.values).max()) or 1.0
    again = torch.tensor(regress(kernel, h, queries, keys, values), dtype=torch.float64)
    left_out = leave_one_out_error(
        torch.from_numpy(selection.keys), torch.from_numpy(selection.values), kernel=kernel, bandwidth=h
    )
    checks = [
        compare(_(SUMS), fit.weights.sum(dim=-1), fit.has_support.to(fit.weights), scale=1.0),
        compare(_(NAIVE), fit.estimate, again, scale=size),
        compare(
            _(LEFT_OUT),
            torch.tensor([left_out], dtype=torch.float64),
            refit(kernel, h, keys, values),
            scale=size**2,
        ),
    ]
    if kernel == "gaussian":
        theirs = torch.from_numpy(through_attention(selection))
        checks.append(compare(_(TORCH), fit.estimate, theirs, scale=size))
    return checks


def vectors(places: Numbers) -> Places:
    """Write numbers (n,) or vectors (n, d) as vectors."""
    rows: Places = places.reshape(len(places), -1).tolist()
    return rows


def regress(kernel: str, h: float, queries: Places, keys: Places, values: Sequence[float]) -> list[float]:
    """Estimate each query with loops and sums only; NaN where no key is in the window."""
    estimates = []
    for query in queries:
        distances = [math.dist(query, key) for key in keys]
        nearest = min(distances)
        weights = [_weight(kernel, distance, nearest, h) for distance in distances]
        total = math.fsum(weights)
        mean = math.fsum(w * v for w, v in zip(weights, values, strict=True))
        estimates.append(mean / total if total else math.nan)
    return estimates


def _weight(kernel: str, distance: float, nearest: float, h: float) -> float:
    if kernel == "gaussian":
        # Relative to the nearest key, or a narrow kernel would be 0 / 0.
        return math.exp(-((distance - nearest) / h) * ((distance + nearest) / h) / 2)
    u = distance / h
    return {"boxcar": float(u <= 1), "triangular": max(0.0, 1 - u), "epanechnikov": max(0.0, 1 - u * u)}[
        kernel
    ]


def refit(kernel: str, h: float, keys: Places, values: Sequence[float]) -> float:
    """The leave-one-out error by its definition: infinite where no point keeps a neighbour."""
    squares = []
    for i, (key, value) in enumerate(zip(keys, values, strict=True)):
        others = [*keys[:i], *keys[i + 1 :]], [*values[:i], *values[i + 1 :]]
        (estimate,) = regress(kernel, h, [key], *others)
        if not math.isnan(estimate):
            squares.append((estimate - value) ** 2)
    return math.fsum(squares) / len(squares) if squares else math.inf


def through_attention(selection: Selection) -> Numbers:
    """The Gaussian estimates by torch's own attention.

    Queries and keys are counted from the middle of the keys and in bandwidths: far from zero |k|^2/2 would
    drown the differences between keys.
    """
    middle = (selection.keys.min(axis=0) + selection.keys.max(axis=0)) / 2
    places = (
        torch.from_numpy((each - middle) / selection.bandwidth).reshape(len(each), -1)
        for each in (selection.queries, selection.keys)
    )
    q, k = lengthen(*places)
    output: Numbers = F.scaled_dot_product_attention(
        q, k, torch.from_numpy(selection.values)[:, None], scale=1.0
    )[:, 0].numpy()
    return output
