"""The mistakes that go around with kernel regression, each beside the right thing."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attn_core import leave_one_out_error
from attn_core.mistakes import softmax_over_queries
from attn_figures.kernel_studies import two_fits, two_maps
from attn_figures.picture import Spec
from attn_ui import controls
from attn_ui.live_figure import live_figure
from pages.kernel_regression.data import Points
from pages.kernel_regression.numbers import estimates
from pages.kernel_regression.settings import KERNEL_SLIP
from pages.kernel_regression.tabs.text import standing
from pages.kernel_regression.views.bandwidth import best_of


def show(points: Points, kernel: str) -> None:
    """Make the chosen mistake, and say which check fails and why."""
    slip = controls.segment(KERNEL_SLIP, "Mistake", label_visibility="collapsed")
    make = {
        "softmax over queries": _over_queries,
        "training error": _training_error,
        "triangular as Epanechnikov": _misnamed,
    }[slip]
    spec, said = make(points, kernel)
    live_figure(
        [spec], key="broken", alt=f"The mistake beside the right thing: {slip}", name=f"mistake {slip}"
    )
    st.markdown(said)


def _over_queries(points: Points, _kernel: str) -> tuple[Spec, str]:
    sweep, h, _ = standing(points, "gaussian")
    scene, right = sweep.scene, sweep.at(h)
    keys, values = points.tensors()
    queries = torch.from_numpy(scene.queries)
    # q . k - |q|^2/2 - |k|^2/2 as one dot product; attention's own 1 / sqrt(3) is taken out beforehand.
    q = torch.stack((queries, -queries.square() / 2, torch.ones_like(queries)), dim=-1)
    k = torch.stack((keys, torch.ones_like(keys), -keys.square() / 2), dim=-1)
    wrong = softmax_over_queries(q * math.sqrt(3) / h**2, k, values[:, None])
    broken = replace(right, weights=wrong.weights.numpy(), at_queries=wrong.output[:, 0].numpy())
    sums = broken.weights.sum(axis=1)
    return two_maps.spec(scene, ("softmax over queries", broken), ("softmax over keys", right)), (
        "The softmax runs down the columns: queries compete for keys. **The check that each row sums to one "
        f"fails**: rows sum to between {sums.min():.3f} and {sums.max():.3f}, so the estimate is no mean of "
        "the values. (With the Gaussian kernel.)"
    )


def _training_error(points: Points, kernel: str) -> tuple[Spec, str]:
    sweep, _, _ = standing(points, kernel)
    found, best, best_error = best_of(points, kernel, tuple(sweep.bandwidths().tolist()))
    least = float(found.bandwidths[found.training_errors.argmin()])
    left_out = leave_one_out_error(*points.tensors(), kernel=kernel, bandwidth=least)
    spec = two_fits.spec(
        sweep.floorless,
        (f"h = {least:.3g}, by training error", sweep.at(least).on_grid),
        (f"h = {best:.3g}, by leave-one-out", sweep.at(best).on_grid),
    )
    error = "no longer defined: no point has a neighbour" if math.isinf(left_out) else f"{left_out:.3f}"
    return spec, (
        "The training error is least where each point asks only itself. **The check on points left out "
        f"fails**: there the error is {error}, against {best_error:.3f} at the best bandwidth."
    )


def _misnamed(points: Points, kernel: str) -> tuple[Spec, str]:
    sweep, h, _ = standing(points, kernel)
    triangular, parabola = (
        estimates(points, name, np.array([h]), sweep.scene)[0] for name in ("triangular", "epanechnikov")
    )
    apart = np.abs(triangular.weights - parabola.weights).max()
    named = (("max(0, 1 − u)", triangular), ("max(0, 1 − u²)", parabola))
    return two_maps.spec(sweep.scene, *named), (
        "Some courses print max(0, 1 − u), the triangular kernel, under Epanechnikov's name. Rows still sum "
        f"to one, so no sum tells; **the check against max(0, 1 − u²) fails**: weights differ by {apart:.3f}."
    )
