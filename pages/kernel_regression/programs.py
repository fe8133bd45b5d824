"""Programs that print the estimate at the query of the open picture, and its formula."""

import numpy as np

from attn_figures.long_map import SHORT as MOST_DRAWN
from attn_ui.base.programs import Programs
from pages.kernel_regression import formulas
from pages.kernel_regression.compute import Result
from pages.kernel_regression.views.bandwidth import LEARNING_RATE, LEARNING_STEPS
from programs.writing import PYTORCH, SHORT


def programs(result: Result) -> Programs:
    """Return the programs and the formula of the picture on screen."""
    selection = result.selection
    kernel, row, h, x = selection.kernel, selection.row, selection.bandwidth, selection.keys
    is_gaussian, is_line = kernel == "gaussian", result.state.fits_lines
    numbers = {"query": selection.queries[[row]], "x": x, "y": selection.values}
    apart = "abs(query[:, None] - x)" if x.ndim == 1 else "length(query[:, None] - x)"
    weigh = "gaussian(u)" if is_gaussian else f"renormalise({kernel}(u))"
    lines = []
    if is_line and is_gaussian:
        nearest = np.unique(abs(x - selection.queries[row]))[:2] ** 2
        least = float(np.sqrt(np.diff(nearest).sum() / 1200))
        if least > h:
            lines = [f"# Of h = {h!r} one key alone would have weight; with this one the line is the same."]
            h = float(f"{1.01 * least:.3g}")
    lines += [f"u = {apart} / {h!r}  # (n_query, n_key): how many bandwidths away"]
    last, names = {}, ["weights", "estimate"]
    if is_line:
        names.append("slope")
        lines += [f"w = {weigh}", "estimate, slope, weights = local_line(query, x, y, w)"]
    else:
        lines += [f"weights = {weigh}  # rows sum to one", "estimate = weights @ y"]
        if len(x) <= MOST_DRAWN:
            last[SHORT] = "show(weights).show()"
        # Only PyTorch follows a gradient; the figure learns at the same rate.
        if is_gaussian and selection.lengths is None and x.ndim == 1:
            learn = f"learn_bandwidth(x, y, {h!r}, steps={LEARNING_STEPS}, rate={LEARNING_RATE})"
            last[PYTORCH] = f'print("h learned:", {learn})'
    if not is_gaussian:
        lines += [f"{name} = with_gaps({name}, {'w' if is_line else 'weights'})" for name in names[1:]]
    call = "local_linear" if is_line else "nadaraya_watson"
    short = [
        f'result = {call}(query, x, y, kernel="{kernel}", bandwidth={selection.bandwidth!r})',
        f"{', '.join(names)} = {', '.join(f'result.{name}' for name in names)}",
    ]
    return Programs(lines, numbers, names, short, lambda: formulas.with_numbers(result), last=last)
