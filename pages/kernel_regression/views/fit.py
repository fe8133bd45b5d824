"""The first picture: the data asked at one query, and the weights of all queries."""

import streamlit as st

from attn_figures.kernel_regression import fit, fit_cursor
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Cursor, Rows, Slider, live_figure, pack
from attn_ui.positions import position
from pages.kernel_regression.data import Points
from pages.kernel_regression.numbers import Sweep
from pages.kernel_regression.words import fit_sentence


@st.cache_data(max_entries=64, show_spinner=False)
def _packed(_sweep: Sweep, fingerprint: str, kernel: str) -> bytes:
    scene, estimates = _sweep.scene, _sweep.estimates()
    cursor = Cursor(len(scene.queries), **fit_cursor(scene, estimates))
    return pack([fit.spec(scene, estimate) for estimate in estimates], cursor)


def show(points: Points, kernel: str) -> None:
    """Draw the figure and say what it shows."""
    sweep = Sweep(points, kernel)
    step, row = position(sweep.bandwidth), position(sweep.query)
    bandwidth = float(sweep.bandwidths()[step])
    live_figure(
        _packed(sweep, points.fingerprint, kernel),
        key="fit",
        alt=(
            "Left: data points, the kernel estimate, and one query; each point's size and colour is its "
            "weight for that query. Right: the map of all weights, queries in rows, keys in columns."
        ),
        name=f"kernel regression {points.name} {kernel}",
        slider=Slider("Bandwidth h", sweep.bandwidth, names=sweep.bandwidth_names()),
        rows=Rows("Query", sweep.query, Cursor(len(sweep.query.values)), sweep.query_names()),
    )
    estimate = sweep.at(bandwidth)
    what_you_see(
        fit_sentence(
            kernel=kernel,
            bandwidth=bandwidth,
            query=float(sweep.scene.queries[row]),
            estimate=float(estimate.at_queries[row]),
            weights=estimate.weights[row],
            keys=points.keys,
            effective=float(estimate.effective_keys[row]),
            empty=int((~estimate.supported).sum()),
            n_query=len(sweep.scene.queries),
            digits=points.digits,
        )
    )
