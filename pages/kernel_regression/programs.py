"""Programs that print the estimate at the query of the open picture, and its formula."""

import numpy as np

from attn_core import KERNELS
from attn_figures.long_map import SHORT as MOST_DRAWN
from attn_ui.base.programs import Programs
from attn_words import _
from pages.kernel_regression import formulas
from pages.kernel_regression.compute import Result
from pages.kernel_regression.views.bandwidth import LEARNING_RATE, LEARNING_STEPS


def programs(result: Result) -> Programs:
    """Return what is handed over."""
    selection = result.selection
    kernel, row, h = selection.kernel, selection.row, selection.bandwidth
    query: formulas.Query = selection.queries[row].tolist()
    numbers = {"query": [query], "x": selection.keys, "y": selection.values}
    arguments = f'query, x, y, kernel="{kernel}", bandwidth={h!r}'
    apart = "abs(query[:, None] - x)" if selection.keys.ndim == 1 else "length(query[:, None] - x)"
    lines = [f"u = {apart} / {h!r}  # (n_query, n_key): how many bandwidths away"]
    if result.state.fits_lines:
        line = selection.lines
        weigh = "gaussian(u)" if kernel == "gaussian" else f"renormalise({kernel}(u))"
        u = np.unique(abs(selection.keys - selection.queries[row]) / h)
        if kernel == "gaussian" and (np.diff(u[:2] ** 2) > 1200).any():  # the next weight is too small
            weigh = "gaussian_nearest(u)"
        lines += [f"w = {weigh}", "estimate, slope, weights = local_line(query, x, y, w)"]
        if kernel != "gaussian":
            lines.append("estimate, slope = with_gaps(estimate, w), with_gaps(slope, w)")
        return Programs(
            "\n".join(lines),
            numbers,
            ["weights", "estimate", "slope"],
            short=(
                f"line = local_linear({arguments})\n"
                "weights, estimate, slope = line.weights, line.estimate, line.slope",
                "",
            ),
            formula=lambda: formulas.of_line(
                query, h, KERNELS[kernel].formula, float(line.estimate[row]), float(line.slope[row])
            ),
        )
    if kernel == "gaussian":
        lines += ["weights = gaussian(u)  # rows sum to one", "estimate = weights @ y"]
    else:
        lines.append(f"weights = renormalise({kernel}(u))  # rows sum to one")
        lines.append("estimate = with_gaps(weights @ y, weights)")
    # Only PyTorch follows a gradient; the figure learns at the same rate.
    learns = kernel == "gaussian" and selection.lengths is None and selection.keys.ndim == 1
    learn = f"learn_bandwidth(x, y, {h!r}, steps={LEARNING_STEPS}, rate={LEARNING_RATE})"
    learn = f'print("h learned:", {learn})'
    return Programs(
        "\n".join(lines),
        numbers,
        ["weights", "estimate"],
        short=(
            f"regression = nadaraya_watson({arguments})\n"
            "weights, estimate = regression.weights, regression.estimate",
            "show(weights).show()" if len(selection.keys) <= MOST_DRAWN else "",
        ),
        formula=lambda: formulas.formula(
            query,
            h,
            KERNELS[kernel].formula,
            n_key=len(selection.keys),
            estimate=float(selection.regression.estimate[row]),
        ),
        learns=learn if learns else "",
        learns_note=_("Then it learns h, and prints that too.") * learns,
    )
