"""The numbers on screen as a table: the points, and what each weighs for the query chosen."""

from collections.abc import Mapping

from attn_ui.base.page import Columns
from attn_words import N_
from pages.kernel_regression.compute import Result, Standing


def tables(result: Result) -> Mapping[str, Columns]:
    """Return the numbers by what they are."""
    return {"points": columns(result.standing, lines=result.state.fits_lines)}


def columns(standing: Standing, *, lines: bool = False) -> dict[str, list[float]]:
    """The keys (n_key,) or (n_key, 2), their values, and weights and distances for the query chosen.

    With `lines` the weights are the equivalent ones of the line fitted there.
    """
    fit, row = standing.lines if lines else standing.regression, standing.row
    keys = {"x": standing.keys}
    if standing.keys.ndim > 1:
        keys = {f"x{'₁₂'[each]}": column for each, column in enumerate(standing.keys.T)}
    of_query = {N_("weight"): fit.weights[row].numpy(), "|q − k|": fit.distances[row].numpy()}
    arrays = {**keys, "y": standing.values, **of_query}
    return {name: column.tolist() for name, column in arrays.items()}
