"""A figure as plain dicts: the type that functions which draw figures return."""

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]
"""{"data": [...], "layout": {...}}, as Plotly's own JSON has it; a matrix's words may be `CrossedLabels`."""


class Drawing(Spec):
    """A figure as Plotly's JSON has it, and the panels that it is drawn from.

    Attributes:
        panels: in their order, the first on the axes x and y, the next on x2 and y2.
        starts: the place of each panel's first trace, and after them the number of traces.
    """

    def __init__(self, spec: Spec, panels: Sequence[Any] = (), starts: Sequence[int] = ()) -> None:
        """Copy a figure, given as a plain dict, and note its panels."""
        super().__init__(spec)
        self.panels, self.starts = panels, starts
