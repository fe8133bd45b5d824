"""The same maps in Dash: `python -m benchmarks.apps.dash_app PORT N_TOKEN N_HEAD`."""

import sys

import plotly.graph_objects as go
from dash import Dash, Input, Output, dcc, html

from benchmarks.apps.maps import TEMPERATURES, plain_figures

port, n_token, n_head = map(int, sys.argv[1:])
made = [go.Figure(figure) for figure in plain_figures(n_token, n_head)]
app = Dash(__name__)
app.layout = html.Div(
    [
        dcc.Slider(0, len(TEMPERATURES) - 1, 1, value=0, id="step", updatemode="drag", marks=None),
        dcc.Graph(id="maps", figure=made[0]),
    ]
)


@app.callback(Output("maps", "figure"), Input("step", "value"))
def draw(step: int) -> go.Figure:
    """Return the figure at one step."""
    return made[step]


app.run(port=port, debug=False)
