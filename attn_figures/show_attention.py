"""Attention in a notebook, in one line: every layer and every head, with a slider for each."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from attn_figures import theme
from attn_figures.attention_inputs import (
    MOST_NUMBERS,
    Numbers,
    read_array,
    read_attentions,
    read_places,
    read_words,
)
from attn_figures.frame import Side
from attn_figures.geometry import Axes
from attn_figures.long_map import SHORT, long_map
from attn_figures.matrix import NUMBERS_UP_TO, ColourScale, Hover, Matrix, comma
from attn_figures.multi_head import OUTPUT_UP_TO, ROOT
from attn_figures.panels import compose
from attn_live.pyramid import KEEPS, Keep
from attn_words import _, _c

if TYPE_CHECKING:
    from attn_live.long_widget import LongWidget

SLIDER_PIXELS = 84


def show(
    attentions: Any,
    tokens: Sequence[object] | None = None,
    *,
    keys: Sequence[object] | None = None,
    columns: Sequence[int | str] | None = None,
    output: Any = None,
    dimensions: Sequence[int] | None = None,
    layer: int = 0,
    head: int = 0,
    keep: Keep = "max",
    palette: str = "indigo",
) -> "go.Figure | LongWidget":
    """Draw attention weights: one map, with a slider over layers and one over heads where there are several.

    The picture is plain Plotly and moves without a server. Hover shows the exact weight.

    Maps of more than 256 places, to 4,096, and more than 3,000,000 weights, to 1 GB, come as a widget that is
    zoomed from the whole map to single cells. From afar a point stands for a block of cells.

    Args:
        attentions: (layers, heads, n_query, n_key), (heads, n_query, n_key) or (n_query, n_key), as an array
            or a tensor; or a list of layers, each with a batch of one or without, as transformers gives them.
        tokens: the words, one a query; numbers from 1 when None.
        keys: the words that are attended to, if these are other words (cross-attention).
        columns: the keys to draw, by zero-based index or by word; rows then no longer sum to one, and the
            title shows how many keys are drawn. All when None.
        output: the output, drawn beside the weights: (n_query, d), (layers, n_query, d) or
            (layers, heads, n_query, d). None draws the weights alone.
        dimensions: zero-based indices of the output's dimensions to draw; the first 24 when None.
        layer, head: zero-based indices of those that the figure opens with; -1 is the last.
        keep: what a point of a large map shows of its block, "max" or "mean"; the widget can change it.
        palette: the colours of the maps, "indigo", "viridis", "cividis", "ylgnbu" or "grey", as in the app.

    Raises:
        ValueError: for a batch, shapes or words that do not fit, numbers that are no weights or too many, an
            unknown palette or keep, masked arrays and sparse tensors.
        ImportError: if the maps are large, and the package anywidget is not installed.

    >>> show([[1.0, 0.0], [0.5, 0.5]], ["a", "b"]).data[0].z.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    if keep not in KEEPS:
        raise ValueError(f"keep must be one of {', '.join(KEEPS)}, got {keep!r}")
    if palette not in theme.RAMPS:
        raise ValueError(f"palette must be one of {', '.join(theme.RAMPS)}, got {palette!r}")
    weights = read_attentions(attentions)
    n_layer, n_head, n_query, n_key = weights.shape
    rows = read_words(tokens, n_query, "queries")
    every_key = read_words(keys if keys is not None else tokens if n_query == n_key else None, n_key, "keys")
    places = read_places(columns, every_key, "keys")
    labels = [every_key[place] for place in places]
    at = (_number(layer, n_layer, "layer"), _number(head, n_head, "head"))
    maps = weights if columns is None else weights[..., places]
    if max(maps.shape[-2:]) > SHORT or maps.size > MOST_NUMBERS:
        if output is not None:
            raise ValueError(
                f"an output is drawn beside maps of {SHORT} places and {MOST_NUMBERS:,} weights at most, got "
                f"weights of {maps.shape}: leave it out"
            )
        has_words = keys is not None or tokens is not None
        names = None if tokens is None else rows, labels if has_words else None
        return long_map(maps, *names, at=at, keep=keep, palette=palette)
    title = _("weights of {count} of {all} keys", count=len(places), all=n_key)
    if len(places) == n_key:
        title = _("weights")
    bend = 1.0 if n_key <= NUMBERS_UP_TO else ROOT
    panels = [
        Matrix(
            "weights",
            maps[at],
            title,
            Side.queries(rows),
            Side.keys(labels),
            ramp=ColourScale(power=bend),
            hover=Hover(place=""),
        )
    ]
    numbers = [maps]
    if output is not None:
        panel, outputs = _output(output, weights.shape, rows, dimensions, at)
        panels.append(panel)
        numbers.append(outputs)
    spec = compose(panels)
    layout = spec["layout"]
    colours = theme.recolouring(theme.LIGHT, palette)
    layout |= {  # colour axes hold the ramps, and no words that could be recoloured
        name: theme.recolour(axis, colours) for name, axis in layout.items() if name.startswith("coloraxis")
    }
    moves: tuple[dict[str, Any], dict[str, Any]] = ({}, {})  # each axis, and the cells from step to step

    for number, (panel, values) in enumerate(zip(panels, numbers, strict=True)):
        trace = next(trace for trace in spec["data"] if trace["name"] == panel.name)
        height, width = values.shape[-2:]
        # Layers under one another, heads side by side: a slider moves the window over them along one axis,
        # so that any layer meets any head.
        trace["z"] = values.transpose(0, 2, 1, 3).reshape(values.shape[0] * height, -1)
        words = [f"{word} <b>%{{{axis}}}</b>" for word, axis in zip(_words(panel), "yx", strict=True)]
        trace["hovertemplate"] = f"{comma().join(words)}{trace['hovertemplate']}"
        trace.pop("hovertext", None)
        axes, twins = Axes(number), Axes(len(panels) + number)
        for copies, name, twin, words_of_axis, size, ranges in (
            (values.shape[0], axes.y_layout, twins, panel.rows.labels, height, moves[0]),
            (values.shape[1], axes.x_layout, twins, panel.columns.labels, width, moves[1]),
        ):
            twin_name = twin.y_layout if name.startswith("y") else twin.x_layout
            layout |= _twins(layout, (name, twin_name), words_of_axis, copies, twin)
            ranges.update(dict.fromkeys((name, twin_name), size if copies > 1 else 0))
        # Plotly draws an axis only if a trace is on it: the hatch can be, since nothing is masked.
        on_twins = {"x": [None], "y": [None], "visible": True, "xaxis": twins.x, "yaxis": twins.y}
        spec["data"] = [
            each | on_twins if each["name"] == f"{panel.name} hatch" else each for each in spec["data"]
        ]
    del layout["meta"]  # arrangements for other widths, without room for the sliders
    _add_sliders(layout, (n_layer, n_head), at, moves)
    return go.Figure(spec)


def _number(place: int, count: int, what: str) -> int:
    if not -count <= place < count:
        raise ValueError(f"{what} must be from 0 to {count - 1}, counted from 0, got {place}")
    return range(count)[place]


def _words(panel: Matrix) -> tuple[str, str]:
    return _("query"), _("key") if panel.ramp.scale == "weights" else _("dimension")


def _output(
    values: Any,
    shape: tuple[int, ...],
    rows: Sequence[str],
    dimensions: Sequence[int] | None,
    at: tuple[int, int],
) -> tuple[Matrix, Numbers]:
    n_layer, n_head, n_query = shape[:3]
    output = read_array(values)
    fitting = {2: (n_query,), 3: (n_layer, n_query), 4: (n_layer, n_head, n_query)}
    if fitting.get(output.ndim) != output.shape[:-1] or 0 in output.shape:
        raise ValueError(
            f"the output must be ({n_query}, d), ({n_layer}, {n_query}, d) or "
            f"({n_layer}, {n_head}, {n_query}, d) to fit the weights, got {output.shape}"
        )
    output = output.reshape(output.shape[:-2] + (1,) * (4 - output.ndim) + output.shape[-2:])
    width = output.shape[-1]
    names = [str(number) for number in range(1, width + 1)]
    places = read_places(
        range(min(width, OUTPUT_UP_TO)) if dimensions is None else dimensions, names, "dimensions"
    )
    output = output[..., places]
    first = output[at[0] if len(output) > 1 else 0, at[1] if output.shape[1] > 1 else 0]
    title = _("{count} of {all} dimensions of the output", count=len(places), all=width)
    if len(places) == width:
        title = _("output")
    panel = Matrix(
        "output",
        first,
        title,
        Side(rows),
        Side([names[place] for place in places], _("Dimension"), "output"),
        ramp=ColourScale("scores", float(np.abs(output[np.isfinite(output)]).max(initial=0.0)) or 1.0),
        hover=Hover(_("output"), place=""),
    )
    return panel, output


def _twins(
    layout: dict[str, Any], names: tuple[str, str], labels: Sequence[str], copies: int, twin: Axes
) -> dict[str, Any]:
    """Return two axes over one another: one with every label for the hover, one with the visible labels."""
    name, twin_name = names
    axis = layout[name]
    across = name.startswith("x")
    count = len(labels)
    every = {
        "tickvals": list(range(copies * count)),
        "ticktext": [escape(label) for label in labels] * copies,
        "showticklabels": False,
        "title": {},
    }
    ticks = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    visible = {
        "tickvals": [copy * count + place for copy in range(copies) for place in ticks],
        "ticktext": list(ticks.values()) * copies,
        "overlaying": name.replace("axis", ""),
        "anchor": twin.y if across else twin.x,
        "domain": axis["domain"],
    }
    return {name: axis | every, twin_name: axis | visible}


def _add_sliders(
    layout: dict[str, Any],
    counts: tuple[int, int],
    at: tuple[int, int],
    moves: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    sliders: list[dict[str, Any]] = []
    first = {axis: list(layout[axis]["range"]) for ranges_of in moves for axis in ranges_of}
    prefixes = _c("slider", "Layer "), _c("slider", "Head ")
    for prefix, count, active, ranges_of in zip(prefixes, counts, at, moves, strict=True):
        for axis, size in ranges_of.items():
            layout[axis]["range"] = [edge + active * size for edge in first[axis]]
        if count == 1:
            continue
        steps = []
        for step in range(count):
            ranges = {
                f"{axis}.range": [edge + step * size for edge in first[axis]]
                for axis, size in ranges_of.items()
                if size
            }
            steps.append({"label": str(step + 1), "method": "relayout", "args": [ranges]})
        sliders.append(
            {
                "active": active,
                "currentvalue": {
                    "prefix": prefix,
                    "suffix": _c("slider", " of {count}", count=count),
                    "font": {"size": theme.FONT_SIZE, "color": theme.LIGHT.ink},
                },
                "font": {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted},
                "bgcolor": theme.LIGHT.rule,
                "bordercolor": theme.LIGHT.rule,
                "activebgcolor": theme.LIGHT.query,
                "tickcolor": theme.LIGHT.rule,
                "x": 0.05,
                "len": 0.9,
                "y": 0,
                "yanchor": "top",
                "pad": {"t": 12 + SLIDER_PIXELS * len(sliders), "b": 0},
                "steps": steps,
            }
        )
    room = SLIDER_PIXELS * len(sliders) + (16 if sliders else 0)
    layout |= {
        "sliders": sliders,
        "height": layout["height"] + room,
        "margin": layout["margin"] | {"b": room},
    }
