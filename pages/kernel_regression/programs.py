"""Programs that print the estimate at the query of the open picture, and its formula."""

from attn_core import KERNELS, read_function
from attn_ui.base.numpy_code import in_numpy
from attn_ui.base.programs import Programs
from attn_words import _
from pages.kernel_regression.compute import Now
from pages.kernel_regression.line_snippet import lines_formula, lines_short, lines_snippet
from pages.kernel_regression.settings import OWN_POINTS, TYPED
from pages.kernel_regression.snippet import (
    Learning,
    formula,
    own_data,
    plane_data,
    short,
    snippet,
    toy_data,
    typed_data,
)
from pages.kernel_regression.views.bandwidth import LEARNING_RATE, LEARNING_STEPS


def programs(now: Now) -> Programs:
    """Return what is handed over."""
    standing = now.standing
    kernel, row = standing.kernel, standing.row
    here = {"kernel": kernel, "bandwidth": standing.bandwidth, "query": standing.queries[row].tolist()}
    if now.state.fits_lines:
        line = standing.lines
        return Programs(
            lambda: lines_snippet(data=_data(now), **here),
            lambda: lines_short(data=_data(now), **here),
            lambda: lines_formula(
                here["query"],
                standing.bandwidth,
                KERNELS[kernel].formula,
                estimate=float(line.estimate[row]),
                slope=float(line.slope[row]),
            ),
            prints=_(
                "the equivalent weights of the points at this query, and the line’s height and slope there"
            ),
        )
    # Only PyTorch follows a gradient; the figure learns at the same rate.
    scalar = standing.lengths is None and standing.keys.ndim == 1
    learning = Learning(LEARNING_STEPS, LEARNING_RATE) if kernel == "gaussian" and scalar else None
    return Programs(
        lambda: snippet(data=_data(now), learning=learning, **here),
        lambda: short(data=_data(now), n_key=len(standing.keys), **here),
        lambda: formula(
            standing.queries[row].tolist(),
            standing.bandwidth,
            KERNELS[kernel].formula,
            n_key=len(standing.keys),
            estimate=float(standing.regression.estimate[row]),
        ),
        numpy=lambda: in_numpy(snippet(data=_data(now), **here)),
        prints=_("the weights of the points at this query, and the estimate"),
        torch_adds=_("Then it learns h, and prints that too.") * (learning is not None),
    )


def _data(now: Now) -> str:
    drawn, standing = now.state.drawn, now.standing
    if now.state.has_two_inputs:
        return plane_data(drawn.n_points, drawn.noise, drawn.seed)
    if standing.points.name == TYPED and standing.lengths is None:
        return typed_data(read_function(drawn.function).code, drawn.n_points, drawn.noise, drawn.seed)
    if standing.points.name != OWN_POINTS and standing.lengths is None:
        return toy_data(standing.points.name, drawn.n_points, drawn.noise, drawn.seed)
    return own_data(standing.keys.tolist(), standing.values.tolist())
