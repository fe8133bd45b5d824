"""The mistakes that go around with kernel regression, each beside the right thing."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attn_core import leave_one_out_error
from attn_core.checks import compare
from attn_core.mistakes import softmax_over_queries
from attn_figures.kernel_studies import two_fits, two_maps
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.screen import SCREEN
from attn_words import N_, _, paragraph
from pages.kernel_regression import plane
from pages.kernel_regression.break_plane import Asked, verdict
from pages.kernel_regression.compute import Now, Sweep, estimates
from pages.kernel_regression.points import Points
from pages.kernel_regression.search import best_of, errors
from pages.kernel_regression.settings import KERNEL_SLIP, QUERY_AT, QUERY_AT_2, VECTOR_SLIPS
from pages.kernel_regression.tabs import plane_break

SUMS = N_("each row of weights sums to one")
FORMULA = N_("weights against max(0, 1 − u²)")


def show(now: Now) -> None:
    """Make the chosen mistake at the bandwidth of the picture, and say what it changes and why."""
    state, h = now.state, now.standing.slider_bandwidth
    points, drawn = state.points, state.drawn
    vectors = Asked(
        plane.sample(drawn.n_points, drawn.noise, drawn.seed),
        state.kernel,
        h,
        (SCREEN.value(QUERY_AT), SCREEN.value(QUERY_AT_2)),
    )
    mistake = controls.segment(KERNEL_SLIP, _("Mistake"), label_visibility="collapsed")
    if (mistake in VECTOR_SLIPS) != state.has_two_inputs:
        st.markdown(_elsewhere(points, vectors, two_inputs=state.has_two_inputs))
    if mistake in VECTOR_SLIPS:
        plane_break.show(vectors, mistake)
        return
    make = {
        "softmax over queries": _over_queries,
        "training error": _training_error,
        "triangular as Epanechnikov": _misnamed,
    }[mistake]
    spec, said = make(points, state.kernel, points.unit * h)
    live_figure(
        [spec],
        key="broken",
        alt=_("The mistake and the right thing: {name}", name=shown(KERNEL_SLIP, mistake)),
        name=f"mistake {mistake}",
    )
    st.markdown(said)


def _elsewhere(points: Points, vectors: Asked, *, two_inputs: bool) -> str:
    """Say which data a mistake is made with that the picture does not show."""
    if two_inputs:
        return _(
            "This mistake is made with one input, where its maps can be read: {data}, {count} points, the "
            "same bandwidth.",
            data=points.title,
            count=len(points.keys),
        )
    return _(
        "This mistake is made with vectors: the data of *Two inputs*, {count} points, h = {h}.",
        count=len(vectors.points.keys),
        h=vectors.points.set_width(vectors.bandwidth),
    )


def _over_queries(points: Points, _kernel: str, h: float) -> tuple[Spec, str]:
    sweep = Sweep(points, "gaussian")
    scene, right = sweep.scene, sweep.at(h)
    # Counted from the middle of the keys: far from zero |k|^2/2 would drown the differences between keys.
    middle = (points.keys[0] + points.keys[-1]) / 2
    queries, keys = ((torch.from_numpy(x) - middle) / h for x in (scene.queries, points.keys))
    # q . k - |q|^2/2 - |k|^2/2 as one dot product; attention's own 1 / sqrt(3) is taken out beforehand.
    q = torch.stack((queries, -queries.square() / 2, torch.ones_like(queries)), dim=-1)
    k = torch.stack((keys, torch.ones_like(keys), -keys.square() / 2), dim=-1)
    wrong = softmax_over_queries(q * math.sqrt(3), k, torch.from_numpy(points.values)[:, None])
    broken = replace(right, weights=wrong.weights.numpy(), at_queries=wrong.output[:, 0].numpy())
    sums = wrong.weights.sum(dim=-1)
    told = _(
        "The softmax runs down the columns: queries compete for keys. The weights of a query sum to between "
        "{least} and {most}.",
        least=number(float(sums.min()), 3),
        most=number(float(sums.max()), 3),
    )
    checked = verdict(compare(_(SUMS), sums, 1.0, scale=1.0))
    over = (shown(KERNEL_SLIP, "softmax over queries"), broken), (_("softmax over keys"), right)
    return two_maps.spec(scene, *over), paragraph(told, checked, _("(With the Gaussian kernel.)"))


def _training_error(points: Points, kernel: str, _h: float) -> tuple[Spec, str]:
    sweep = Sweep(points, kernel)
    found = errors(points, points.fingerprint, kernel, tuple(sweep.bandwidths().tolist()))
    best = best_of(points, points.fingerprint, kernel)
    least = float(found.bandwidths[found.training_errors.argmin()])
    left_out = leave_one_out_error(*points.tensors(), kernel=kernel, bandwidth=least)
    spec = two_fits.spec(
        sweep.floorless,
        (_("h = {h}, by training error", h=points.width(least)), sweep.at(least).on_grid),
        (_("h = {h}, by leave-one-out", h=points.width(best.bandwidth)), sweep.at(best.bandwidth).on_grid),
    )
    told = _(
        "The training error is smallest at h = {h}, where each point predicts itself.", h=points.width(least)
    )
    if math.isinf(left_out):
        none = _("There, left out, no point has a neighbour: there is no error to choose by.")
        return spec, paragraph(told, none)
    errs: dict[str, object] = {
        "error": number(left_out),
        "best_error": number(best.left_out),
        "best": points.width(best.bandwidth),
    }
    supported = int(found.supported[found.training_errors.argmin()])
    if supported < best.supported:
        against = _(
            "There, left out, only {supported} of {n_key} points keep a neighbour: their error is {error}, "
            "against {best_error} at h = {best}, where {most} do, and the two do not compare.",
            **errs,
            supported=supported,
            n_key=len(points.keys),
            most=best.supported,
        )
    elif left_out <= best.left_out:
        against = _(
            "It changes nothing here: on points left out its error is {error}, against {best_error} at h = "
            "{best}.",
            **errs,
        )
    else:
        against = _(
            "On points left out its error is {error}, against {best_error} at h = {best}: **a worse "
            "choice**.",
            **errs,
        )
    return spec, paragraph(told, against)


def _misnamed(points: Points, _kernel: str, h: float) -> tuple[Spec, str]:
    scene = Sweep(points, "gaussian").scene
    triangular, parabola = (
        estimates(points, name, np.array([h]), scene)[0] for name in ("triangular", "epanechnikov")
    )
    against = compare(
        _(FORMULA), torch.from_numpy(triangular.weights), torch.from_numpy(parabola.weights), scale=1.0
    )
    named = (("max(0, 1 − u)", triangular), ("max(0, 1 − u²)", parabola))
    told = _(
        "Some courses print max(0, 1 − u), the triangular kernel, under Epanechnikov's name. Rows with a key "
        "in the window sum to one either way, so no sum tells."
    )
    return two_maps.spec(scene, *named), paragraph(told, verdict(against))
