"""Charts beside matrices: curves, points and bars on two plain axes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attn_figures import theme
from attn_figures.arrange import Box
from attn_figures.geometry import Axes, ColourRange, Geometry
from attn_figures.marks import is_words
from attn_figures.matrix import Matrix
from attn_figures.widths import letters


def ticks(values: Any, texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of an axis with ticks at these values, labelled with these texts."""
    return {"tickmode": "array", "tickvals": values, "ticktext": texts}


@dataclass(frozen=True)
class Chart:
    """One chart: traces in Plotly's own terms, without axes, and the room they take.

    Attributes:
        data: the traces, as Plotly calls them; each gets this panel's axes.
        columns, rows: the size of the body, in the units that all panels of the figure share.
        title: the text under the chart; may hold Plotly's tags, so escape users' words.
        x, y: settings of the axes beyond the common ones: title, range, type, ticks.
        colours: the range of a trace that is coloured by value.
        marks: shapes, without references to axes.
        maps: the heatmaps among its traces, as `Matrix` objects with their rows and columns.
        legend: (text, colour) of each entry, set as coloured words above the body.
        title_lines: the lines that the title takes, or that something else takes in its place.
        letter: the units of a letter of its words, which shrink so as never to touch; 0 for a fixed size.
        under: the box of the panel right below, whose left and right edges this chart takes.
        screens: "phones" or "wide" where it is drawn on these alone; on all when empty.
    """

    name: str
    data: Sequence[dict[str, Any]]
    columns: float
    rows: float
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    x: dict[str, Any] = field(default_factory=dict)
    y: dict[str, Any] = field(default_factory=dict)
    colours: ColourRange | None = None
    shows_bar: bool = False
    marks: Sequence[dict[str, Any]] = ()
    maps: Sequence[Matrix] = ()
    legend: Sequence[tuple[str, str]] = ()
    legend_lines: int = 1
    title_lines: int = 1
    letter: float = 0.0
    under: Box | None = None
    screens: str = ""

    def content(self) -> None:
        """Return None: a chart's words and numbers are not separated."""

    def with_traces(self, traces: Sequence[dict[str, Any]]) -> "Chart":
        """Return the chart with the traces of another position of a slider."""
        return replace(self, data=traces, maps=[each.with_traces(traces) for each in self.maps])

    def geometry(self) -> Geometry:
        """Return the room for tick marks and titles on the left and below."""
        widest = max((letters(text) for text in self.y.get("ticktext", ())), default=0)
        ticks = max(46, 12 + 7 * widest) if self.y.get("showticklabels", True) else 8
        left = ticks + (22 if self.y_title else 0)
        # On an axis without numbers the title takes their place.
        tick = 0 if self.title.strip() and not self.x.get("showticklabels", True) else 20
        bottom = 8 + tick + (24 if self.x_title else 0) + (6 + 18 * self.title_lines if self.title else 0)
        top = 12 + 22 * self.legend_lines if self.legend else 14
        box = Box(self.columns, self.rows, left=left + 20, lead=left, trail=12, top=top, bottom=bottom)
        if self.under is not None:
            left = max(box.left, self.under.left)
            box = box._replace(left=left, lead=self.under.lead, trail=self.under.trail)
        # A blank title only keeps room: what takes its place starts right under the body.
        below = tick + (24 if self.x_title else 0) if self.title.strip() else 0
        words = [at for at, trace in enumerate(self.data) if self.letter and is_words(trace)]
        return Geometry(
            box,
            self.y_title,
            self.x_title,
            below=below,
            letter=self.letter,
            words=tuple(words),
            screens=self.screens,
            traces=len(self.data) if self.screens else 0,
        )

    def colour_range(self) -> tuple[ColourRange, bool] | None:
        """Return the range of its colours, if it has one, and whether a bar shows it."""
        return None if self.colours is None else (self.colours, self.shows_bar)

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return the traces on this panel's axes; a trace with the colour axis "panel" gets this one."""
        traces = [trace | {"xaxis": axes.x, "yaxis": axes.y} for trace in self.data]
        for trace in traces:
            if trace.get("marker", {}).get("coloraxis") == "panel":
                trace["marker"] = trace["marker"] | {"coloraxis": coloraxis}
            if trace.get("coloraxis") == "panel":
                trace["coloraxis"] = coloraxis
        return traces

    def axes(self, axes: Axes) -> dict[str, Any]:
        """Return the settings of both axes: hairlines, muted ticks."""
        return {
            axes.x_layout: _axis(self.x_title) | {"anchor": axes.y} | self.x,
            axes.y_layout: _axis(self.y_title) | {"anchor": axes.x} | self.y,
        }

    def caption(self) -> str:
        """Return the title."""
        return self.title

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the marks on this panel's axes, or its domain where their `xref` or `yref` is " domain"."""
        return [
            mark | {"xref": axes.x + mark.get("xref", ""), "yref": axes.y + mark.get("yref", "")}
            for mark in self.marks
        ]

    def notes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the legend."""
        if not self.legend:
            return []
        entries = [f"<span style='color:{colour}'>{what}</span>" for what, colour in self.legend]
        each = -(-len(entries) // self.legend_lines)
        words = "    <br>".join("    ".join(entries[at : at + each]) for at in range(0, len(entries), each))
        place = {"x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "yshift": 8, "showarrow": False}
        if self.legend_lines > 1:
            place["align"] = "left"
        return [{"xref": f"{axes.x} domain", "yref": f"{axes.y} domain", "text": words, **place}]


def _axis(title: str) -> dict[str, Any]:
    return {
        "title": {
            "text": title,
            "font": {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted},
            "standoff": 8,
        },
        "tickfont": {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted},
        "gridcolor": theme.LIGHT.rule,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "nticks": 7,
        "fixedrange": True,
        "automargin": False,
        "ticklabeloverflow": "allow",
    }
