"""Checks of local lines: the lines on screen compared with NumPy's least squares."""

import numpy as np
import torch
from torch import Tensor

from attn_core.checks import Check, compare
from attn_words import N_, _
from pages.kernel_regression.compute import Selection

SUMS = N_("each row of weights sums to one, or is empty")
EXACT = N_("values that lie on a line are met exactly")
HEIGHTS = N_("heights of the lines against numpy.linalg.lstsq, at {count} of {queries} queries")
SLOPES = N_("slopes of the lines against numpy.linalg.lstsq, at {count} of {queries} queries")
WELL_POSED = 1e-4  # below this ratio of singular values least squares gives no digit of a slope


def check(selection: Selection) -> list[Check]:
    """Compare the lines on screen with independent code, relative to the size of their numbers."""
    fit = selection.lines
    size = float(np.abs(selection.values).max()) or 1.0
    lean = max(1.0, fit.weights.abs().sum(dim=-1).max().item())  # rounding grows with it
    queries, keys = selection.tensors()
    estimates = (fit.weights @ (keys - keys[0]))[fit.has_slope]
    rows, heights, slopes = fit_lines(selection)
    width = float(np.ptp(selection.keys)) or 1.0
    steep = float(np.nanmax(np.abs(fit.slope.numpy()), initial=0.0)) or 1.0
    counts = {"count": len(rows), "queries": len(queries)}
    return [
        compare(_(SUMS), fit.weights.sum(dim=-1), fit.has_support.to(fit.weights), scale=lean),
        compare(_(EXACT), estimates, (queries - keys[0])[fit.has_slope], scale=width * lean),
        compare(_(HEIGHTS, **counts), fit.estimate[rows], heights, scale=size * lean),
        compare(_(SLOPES, **counts), fit.slope[rows], slopes, scale=steep * lean),
    ]


def fit_lines(selection: Selection) -> tuple[list[int], Tensor, Tensor]:
    """Fit lines by NumPy; return the queries at which a slope is well-posed, and heights and slopes there."""
    rows, lines = [], []
    for row, weights in enumerate(selection.regression.weights.numpy()):
        root, apart = np.sqrt(weights), selection.keys - selection.queries[row]
        scale = float(np.abs(apart[weights > 0]).max(initial=0.0)) or 1.0
        design = np.stack((root, root * apart / scale), axis=1)
        (height, slope), *_more, singular = np.linalg.lstsq(design, root * selection.values, rcond=None)
        if singular[1] > WELL_POSED * singular[0]:
            rows.append(row)
            lines.append((height, slope / scale))
    heights, slopes = torch.tensor(lines, dtype=torch.float64).reshape(-1, 2).T
    return rows, heights, slopes
