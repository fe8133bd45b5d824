"""Figures as Plotly has them, checked by it: what a picture's dicts are held to."""

from typing import Any

import plotly.graph_objects as go

from attn_live.arrays import CrossedLabels


def as_plotly(spec: dict[str, Any]) -> go.Figure:
    """Return a figure that Plotly has checked: a wrong property or colour raises ValueError."""
    traces = [
        {name: each.tolist() if isinstance(each, CrossedLabels) else each for name, each in trace.items()}
        for trace in spec["data"]
    ]
    return go.Figure(spec | {"data": traces})
