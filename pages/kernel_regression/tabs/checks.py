"""Checks: the numbers on screen compared with independent code."""

import math

import numpy as np
import streamlit as st
import torch
import torch.nn.functional as F

from attn_core import kernel_estimate, leave_one_out_error
from attn_core.checks import Check, compare
from attn_ui.screen.tables import checks_table
from attn_words import N_, _
from pages.kernel_regression.compute import Result, Selection, append_dimension
from pages.kernel_regression.data_points import Numbers
from pages.kernel_regression.plane import MAP
from pages.kernel_regression.tabs import line_checks

SUMS = N_("each row of weights sums to one, or is empty")
FORMULA = N_("estimates against NumPy, by the formula")
LEFT_OUT = N_("leave-one-out error against leaving out one point after another")
TORCH = N_("estimates against torch's scaled_dot_product_attention, key lengths as one more dimension")


def show(result: Result) -> None:
    """Show the checks in a table; a map of two inputs has one more."""
    selection = result.selection
    if result.state.fits_lines:
        checks = line_checks.check(selection)
    else:
        checks = check(selection) + (check_map(selection) if result.state.has_two_inputs else [])
    st.markdown(checks_table({_("this page"): checks}))


def check(selection: Selection) -> list[Check]:
    """Compare the regression on screen with independent code, relative to the size of its numbers."""
    fit, kernel, h = selection.regression, selection.kernel, selection.bandwidth
    keys, values = selection.keys, selection.values
    size = float(np.abs(values).max()) or 1.0
    theirs = torch.from_numpy(estimate_by_formula(kernel, h, selection.queries, keys, values))
    ours = leave_one_out_error(torch.from_numpy(keys), torch.from_numpy(values), kernel=kernel, bandwidth=h)
    checks = [
        compare(_(SUMS), fit.weights.sum(dim=-1), fit.has_support.to(fit.weights), scale=1.0),
        compare(_(FORMULA), fit.estimate, theirs, scale=size),
        compare(
            _(LEFT_OUT),
            torch.tensor([ours], dtype=torch.float64),
            refit(kernel, h, keys, values),
            scale=size**2,
        ),
    ]
    if kernel == "gaussian":
        theirs = torch.from_numpy(through_attention(selection))
        checks.append(compare(_(TORCH), fit.estimate, theirs, scale=size))
    return checks


def check_map(selection: Selection) -> list[Check]:
    """Compare all estimates of the map on screen with the formula, relative to the size of the values."""
    keys, values, kernel, h = selection.keys, selection.values, selection.kernel, selection.bandwidth
    arrays = map(torch.from_numpy, (MAP, keys, values))
    theirs = torch.from_numpy(estimate_by_formula(kernel, h, MAP, keys, values))
    size = float(np.abs(values).max()) or 1.0
    return [compare(_(FORMULA), kernel_estimate(*arrays, kernel=kernel, bandwidth=h), theirs, scale=size)]


def estimate_by_formula(kernel: str, h: float, queries: Numbers, keys: Numbers, values: Numbers) -> Numbers:
    """Estimate queries (n_query,) or (n_query, d) by sums of K(u); NaN where no key is in the window."""
    apart = queries.reshape(len(queries), 1, -1) - keys.reshape(len(keys), -1)
    distances = np.sqrt((apart**2).sum(axis=-1))
    nearest, u = distances.min(axis=1, keepdims=True), distances / h
    weights = {
        # Relative to the nearest key's weight; without that, a narrow kernel gives 0 / 0.
        "gaussian": np.exp(-((distances - nearest) / h) * ((distances + nearest) / h) / 2),
        "boxcar": (u <= 1).astype(float),
        "triangular": np.maximum(0, 1 - u),
        "epanechnikov": np.maximum(0, 1 - u**2),
    }[kernel]
    total = weights.sum(axis=1)
    estimates: Numbers = np.where(total > 0, weights @ values / np.where(total > 0, total, 1), np.nan)
    return estimates


def refit(kernel: str, h: float, keys: Numbers, values: Numbers) -> float:
    """Return the leave-one-out error by definition: infinite if no point has another in its window."""
    others = [np.arange(len(keys)) != i for i in range(len(keys))]
    estimates = [estimate_by_formula(kernel, h, keys[~each], keys[each], values[each])[0] for each in others]
    squares = (np.array(estimates) - values) ** 2
    return math.inf if np.isnan(squares).all() else float(np.nanmean(squares))


def through_attention(selection: Selection) -> Numbers:
    """Return the Gaussian estimates by torch's own attention.

    Queries and keys are first shifted by the middle of the keys and divided by the bandwidth: far from zero,
    rounding of |k|^2/2 would be larger than the differences between keys.
    """
    middle = (selection.keys.min(axis=0) + selection.keys.max(axis=0)) / 2
    places = (
        torch.from_numpy((each - middle) / selection.bandwidth).reshape(len(each), -1)
        for each in (selection.queries, selection.keys)
    )
    q, k = append_dimension(*places)
    output: Numbers = F.scaled_dot_product_attention(
        q, k, torch.from_numpy(selection.values)[:, None], scale=1.0
    )[:, 0].numpy()
    return output
