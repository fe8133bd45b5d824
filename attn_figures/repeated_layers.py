"""Pictures of repeated layers: how long vectors become, and how similar to one another."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.marks import Mark, readings
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_words import N_, _

WIDEST_STATE = 24  # most dimensions of a state that is drawn beside the curves
LENGTH, COSINE = N_("length"), N_("mean cosine")


def layer_curves(
    lengths: Numbers,
    similarities: Numbers,
    names: Sequence[str],
    *,
    highlight: int,
    layer: int,
    state: Numbers,
    tokens: Sequence[str],
    limit: float,
) -> Spec:
    """Draw mean vector length and mean cosine between tokens over the layers, and the vectors at one layer.

    Args:
        lengths: (n_variants, n_layers + 1), drawn on a logarithmic axis.
        similarities: the same shape, from -1 to 1; NaN, a gap, where no two vectors have a direction.
        names: of the variants; messages.
        highlight: the index of the variant that stands out.
        layer: the layer at the line, counted from 0, the input; state: (n, d_model), its vectors.
        limit: the value at the ends of the state's ramp.
    """
    common: dict[str, Any] = {"columns": 9, "rows": 6, "x_title": _("Layer")}
    line = marks.upright(layer)
    x = {"range": [-0.3, lengths.shape[1] - 0.7], "dtick": 2, "showgrid": False}
    panels: list[Panel] = [
        Chart(
            "lengths",
            _curves(LENGTH, lengths, names, highlight, layer),
            y_title=_("Mean length of a vector"),
            x=x,
            y={"type": "log", "dtick": 1},
            marks=[line],
            **common,
        ),
        Chart(
            "similarities",
            _curves(COSINE, similarities, names, highlight, layer),
            y_title=_("Mean cosine of two tokens"),
            x=x,
            y={"range": [min(-0.25, float(np.nanmin(similarities)) - 0.05), 1.05]},
            marks=[line],
            **common,
        ),
    ]
    if state.shape[1] <= WIDEST_STATE:
        panels.append(
            Matrix(
                "vectors",
                state,
                _("vectors after layer {layer}", layer=layer)
                if layer
                else _("vectors before the first layer"),
                Side(tokens),
                Side.numbers(state.shape[1], _("Dimension"), "output"),
                ramp=ColourScale("scores", limit),
                hover=Hover(_("value")),
                size=(7, 7 * len(tokens) / max(state.shape[1], len(tokens))),
                names_rows=True,
            )
        )
    return compose(panels, largest_unit=40.0)


def _curves(what: str, values: Numbers, names: Sequence[str], highlight: int, layer: int) -> list[Mark]:
    traces: list[Mark] = []
    # The highlighted curve is last, so that it lies on top.
    for variant in sorted(range(len(names)), key=lambda variant: variant == highlight):
        stands_out = variant == highlight
        name = _(names[variant])
        colour = theme.LIGHT.query if stands_out else theme.rgba(theme.LIGHT.muted, 0.45)
        traces.append(
            marks.line(
                f"{what}: {names[variant]}",
                np.arange(values.shape[1]),
                values[variant],
                colour,
                width=3 if stands_out else 1.5,
                hover=readings((_("layer"), "%{x}"), (_(what), "%{y:.4~g}"), of=name),
                label=_("{measure}: {name}", measure=_(what), name=name),
            )
        )
    here = values[highlight, layer : layer + 1]
    return [*traces, marks.points(f"{what} here", [layer], here, theme.LIGHT.query)]
