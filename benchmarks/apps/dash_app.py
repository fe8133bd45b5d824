"""The same maps in Dash: `python -m benchmarks.apps.dash_app PORT N_TOKEN N_HEAD`, or `PORT steps FILE`."""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from dash import Dash, Input, Output, dcc, html

from benchmarks.apps.maps import plain_figures


def decode(value: Any) -> Any:
    """Turn a page's typed arrays back into numpy; rows of equal length become a matrix."""
    if isinstance(value, dict):
        if "bytes" in value:
            return np.frombuffer(base64.b64decode(value["bytes"]), "<" + value["kind"])
        return {key: decode(inner) for key, inner in value.items()}
    if isinstance(value, list):
        inner = [decode(each) for each in value]
        arrays = inner and all(isinstance(each, np.ndarray) for each in inner)
        return np.stack(inner) if arrays else inner
    return value


port, first, second = sys.argv[1:]
steps = (
    decode(json.loads(Path(second).read_text()))
    if first == "steps"
    else plain_figures(int(first), int(second))
)
copies = [go.Figure(figure) for figure in steps]
app = Dash(__name__)
app.layout = html.Div(
    [
        dcc.Slider(0, len(copies) - 1, 1, value=0, id="step", updatemode="drag", marks=None),
        dcc.Graph(id="maps", figure=copies[0]),
    ]
)


@app.callback(Output("maps", "figure"), Input("step", "value"))
def draw(step: int) -> go.Figure:
    """Return the figure at one step."""
    return copies[step]


app.run(port=int(port), debug=False)
