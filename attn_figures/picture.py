"""A picture is a function that describes one figure; calling it returns a checked Plotly figure."""

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any, Generic, ParamSpec

import plotly.graph_objects as go

from attn_live.arrays import CrossedLabels

Spec = dict[str, Any]  # {"data": [...], "layout": {...}}, as Plotly's own JSON has it
P = ParamSpec("P")


class Drawing(Spec):
    """A figure as Plotly's JSON has it, and the panels that it is drawn from.

    Attributes:
        panels: in their order, the first on the axes x and y, the next on x2 and y2.
        starts: the place of each panel's first trace, and after them the number of traces.
    """

    def __init__(self, spec: Spec, panels: Sequence[Any] = (), starts: Sequence[int] = ()) -> None:
        """Take over a figure, as a plain dict."""
        super().__init__(spec)
        self.panels, self.starts = panels, starts


class Picture(Generic[P]):
    """A figure builder: `picture(...)` is a `go.Figure`, `picture.spec(...)` the same as a plain dict, in
    which the words of a matrix's cells may be `CrossedLabels`, as the browser takes them.

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
            {
                name: value.tolist() if isinstance(value, CrossedLabels) else value
                for name, value in trace.items()
            }
            for trace in spec["data"]
        ]
        return go.Figure(spec | {"data": traces})
