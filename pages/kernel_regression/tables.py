"""The numbers on screen as a table: the points, and their weights for the chosen query."""

from collections.abc import Mapping

from attn_ui.base.page import Columns
from attn_words import N_
from pages.kernel_regression.compute import Result, Selection


def tables(result: Result) -> Mapping[str, Columns]:
    """Return the tables by name."""
    return {"points": columns(result.selection, lines=result.state.fits_lines)}


def columns(selection: Selection, *, lines: bool = False) -> dict[str, list[float]]:
    """Return keys (one column or two), values, and each key's weight and distance for the chosen query.

    With `lines` the weights are the equivalent weights of the line fitted at the query.
    """
    fit, row = selection.lines if lines else selection.regression, selection.row
    keys = {"x": selection.keys}
    if selection.keys.ndim > 1:
        keys = {f"x{'₁₂'[each]}": column for each, column in enumerate(selection.keys.T)}
    of_query = {N_("weight"): fit.weights[row].numpy(), "|q − k|": fit.distances[row].numpy()}
    arrays = {**keys, "y": selection.values, **of_query}
    return {name: column.tolist() for name, column in arrays.items()}
