"""Pictures of common mistakes: the right map, the broken one, and their difference."""

from dataclasses import replace
from typing import Any

import numpy as np

from attn_figures.frame import Role, Side, few_ticks
from attn_figures.matrix import ColourScale, Hover, Matrix, Pick
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _, _c

ROLES: dict[str, Role] = {"Query": "query", "Key": "key"}
MANY, BODY = 16, 9.0  # a map of more rows than MANY has sides of BODY units


def right_and_broken(right: Any, broken: Any) -> Spec:
    """Draw the right map, the broken one, and the second minus the first where their shapes agree.

    Args:
        right, broken: of the type `attn_core.mistakes.LabelledMap`. Masked cells are hatched, or marked where
            they have weight although the right map's mask forbids it. NaN is a gap.
    """
    values = [np.asarray(each.values, dtype=np.float64) for each in (right, broken)]
    finite = np.concatenate([each[np.isfinite(each)] for each in values])
    is_share = bool(((finite >= 0) & (finite <= 1)).all())
    ramp = ColourScale() if is_share else ColourScale("scores", float(np.abs(finite).max()))
    first, second = (
        _map(name, title, drawing, numbers, ramp)
        for name, title, drawing, numbers in (
            ("right", _c("mistake", "right"), right, values[0]),
            ("broken", _c("mistake", "broken"), broken, values[1]),
        )
    )
    if values[0].shape != values[1].shape:
        return compose([first, replace(second, names_rows=True)], largest_unit=48)
    if first.mask is not None:
        second = second.against(first.mask)
    return compose([first, second, second.minus(first, _("broken − right"))], largest_unit=48)


def _map(name: str, caption: str, drawing: Any, values: Any, ramp: ColourScale) -> Matrix:
    rows, columns = (
        Side(labels, _(title), ROLES.get(title, "ink"), few_ticks(labels) if len(labels) > MANY else None)
        for labels, title in zip((drawing.rows, drawing.columns), drawing.titles, strict=True)
    )
    return Matrix(
        name,
        values,
        caption,
        rows,
        columns,
        ramp=ramp,
        mask=None if drawing.mask is None else np.asarray(drawing.mask),
        hover=Hover(_(drawing.quantity)),
        pick=Pick(together="mistake"),
        size=(BODY, BODY) if len(rows) > MANY else None,
    )
