"""A picture is a function that describes one figure; calling it gives a checked Plotly figure."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, ParamSpec

import plotly.graph_objects as go

from attn_live.arrays import Crossed

Spec = dict[str, Any]  # {"data": [...], "layout": {...}}, as Plotly's own JSON has it
P = ParamSpec("P")


class Picture(Generic[P]):
    """A figure builder: `picture(...)` is a `go.Figure`, `picture.spec(...)` the same as a plain dict, in
    which the words of a matrix's cells may be `Crossed`, as the browser takes them.

    Checking costs ten times what describing does, so the steps of a moving figure use `spec`, and the
    tests hold each picture to Plotly's checks.
    """

    def __init__(self, describe: Callable[P, Spec]) -> None:
        """Wrap the function that describes the figure, keeping its name and docstring."""
        self.spec = describe
        update_wrapper(self, describe)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> go.Figure:
        """Return the figure, checked by Plotly: a wrong property or colour raises ValueError."""
        spec = self.spec(*args, **kwargs)
        traces = [
            {name: value.tolist() if isinstance(value, Crossed) else value for name, value in trace.items()}
            for trace in spec["data"]
        ]
        return go.Figure(spec | {"data": traces})
