"""All four kernels at one bandwidth and one query."""

import numpy as np
import streamlit as st

from attn_core import KERNELS
from attn_figures.kernel_studies import compare, compare_cursor
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Cursor, Rows, Slider, live_figure, pack
from attn_ui.positions import position
from pages.kernel_regression.data import Points
from pages.kernel_regression.numbers import Sweep
from pages.kernel_regression.words import compare_sentence


@st.cache_data(max_entries=32, show_spinner=False)
def _packed(_sweeps: dict[str, Sweep], fingerprint: str) -> bytes:
    scene = next(iter(_sweeps.values())).scene
    each = {name: sweep.estimates() for name, sweep in _sweeps.items()}
    steps = [dict(zip(each, at_step, strict=True)) for at_step in zip(*each.values(), strict=True)]
    cursor = Cursor(len(scene.queries), **compare_cursor(scene, steps))
    return pack([compare.spec(scene, step) for step in steps], cursor)


def show(points: Points) -> None:
    """Draw the figure and say how the kernels differ."""
    sweeps = {name: Sweep(points, name, maps=len(KERNELS)) for name in KERNELS}
    one = sweeps["gaussian"]
    row = position(one.query)
    live_figure(
        _packed(sweeps, points.fingerprint),
        key="compare",
        alt="Four kernels at one bandwidth: above, each estimate; below, its map of weights.",
        name=f"four kernels {points.name}",
        slider=Slider("Bandwidth h", one.bandwidth, names=one.bandwidth_names()),
        rows=Rows("Query", one.query, Cursor(len(one.query.values)), one.query_names()),
    )
    bandwidth = float(one.bandwidths()[position(one.bandwidth)])
    at = {name: sweep.at(bandwidth) for name, sweep in sweeps.items()}
    what_you_see(
        compare_sentence(
            bandwidth=bandwidth,
            query=float(one.scene.queries[row]),
            estimates={name: float(estimate.at_queries[row]) for name, estimate in at.items()},
            effective={name: float(estimate.effective_keys[row]) for name, estimate in at.items()},
            empty={name: float(np.mean(~estimate.supported)) for name, estimate in at.items()},
            digits=points.digits,
        )
    )
