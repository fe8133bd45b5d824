"""Programs that print the estimate at the query of the open picture, and its formula."""

from attn_core import KERNELS
from attn_ui import programs_tab
from attn_ui.numpy_code import in_numpy
from attn_ui.programs import Programs
from pages.kernel_regression.numbers import Standing
from pages.kernel_regression.plane import PlanePoints
from pages.kernel_regression.settings import OWN_POINTS, Drawn
from pages.kernel_regression.snippet import Learning, formula, own_data, plane_data, short, snippet, toy_data
from pages.kernel_regression.views.bandwidth import LEARNING_RATE, LEARNING_STEPS


def show(standing: Standing, drawn: Drawn) -> None:
    """Hand over the programs and the formula."""
    kernel, row = standing.kernel, standing.row
    here = {"kernel": kernel, "bandwidth": standing.bandwidth, "query": standing.queries[row].tolist()}
    # Only PyTorch follows a gradient; the figure learns at the same rate.
    scalar = standing.lengths is None and standing.keys.ndim == 1
    learning = Learning(LEARNING_STEPS, LEARNING_RATE) if kernel == "gaussian" and scalar else None
    programs_tab.show(
        Programs(
            lambda: snippet(data=_data(standing, drawn), learning=learning, **here),
            lambda: short(data=_data(standing, drawn), **here),
            lambda: formula(
                standing.queries[row].tolist(),
                standing.bandwidth,
                KERNELS[kernel].formula,
                n_key=len(standing.keys),
                estimate=float(standing.regression.estimate[row]),
            ),
            numpy=lambda: in_numpy(snippet(data=_data(standing, drawn), **here)),
            prints="the weights of the points at this query, and the estimate",
        )
    )


def _data(standing: Standing, drawn: Drawn) -> str:
    points = standing.points
    if isinstance(points, PlanePoints):
        return plane_data(drawn.n_points, drawn.noise, drawn.seed)
    if points.name != OWN_POINTS and standing.lengths is None:
        return toy_data(points.name, drawn.n_points, drawn.noise, drawn.seed)
    return own_data(standing.keys.tolist(), standing.values.tolist())
