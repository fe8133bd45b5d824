"""X = E + P as three matrices, or the matrices that schemes change which leave the input as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attn_figures.frame import Side, few_ticks
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers, Pick
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

WIDEST, HIGHEST = 9, 16  # units: more columns and rows have smaller cells
MOST_COLUMNS = 12  # of which all are labelled
UNIT = 48.0  # pixels
SUM = "sum"  # their cells light up together


@dataclass(frozen=True)
class Summand:
    """One matrix of the sum: its values, title, the name of a value, and the operator before it."""

    name: str
    values: Numbers
    title: str
    quantity: str
    operator: str = ""


def vectors(labels: Sequence[str], parts: Sequence[Summand], *, limit: float, longest_title: int) -> Spec:
    """Draw matrices of one row a word, with the same rows, columns and colours.

    Args:
        parts: (n, d_model) each, with the operators between them.
        limit: the value at the ends of their ramp, the same at all steps.
        longest_title: letters of the longest title of any step, so that nothing moves.
    """
    columns = [str(number) for number in range(parts[0].values.shape[1])]
    common: dict[str, Any] = {
        "rows": Side(labels, _("Word")),
        "columns": Side(
            columns, _("Dimension"), "ink", ticks=few_ticks(columns) if len(columns) > MOST_COLUMNS else None
        ),
        "hover": Hover(words=(_("word"), _("dimension"))),
        "pick": Pick("query", together=SUM),
        "size": (min(len(columns), WIDEST), min(len(labels), HIGHEST)),
    }
    return _line(parts, common, limit, longest_title)


def scores(labels: Sequence[str], parts: Sequence[Summand], *, limit: float, longest_title: int) -> Spec:
    """Draw matrices (query, key), each (n, n), in the same way as `vectors`."""
    common: dict[str, Any] = {
        "rows": Side.queries(labels),
        "columns": Side.keys(labels),
        "pick": Pick("query", "key", SUM),
        "size": (min(len(labels), HIGHEST),) * 2,
    }
    return _line(parts, common, limit, longest_title)


def _line(parts: Sequence[Summand], common: dict[str, Any], limit: float, longest_title: int) -> Spec:
    common |= {"ramp": ColourScale("scores", limit, bar=_("value")), "longest_title": longest_title}
    return compose(
        [
            Matrix(part.name, part.values, part.title, operator=part.operator, **common).with_hover(
                quantity=part.quantity
            )
            for part in parts
        ],
        largest_unit=UNIT,
    )
