"""The marks of charts: line, points, area, band, bar, words, upright, as traces and shapes of Plotly.

A mark takes its data, its colour and a few options; without a hover text the pointer skips it. Any other
setting of Plotly's can be added: `line(...) | {"connectgaps": True}`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attn_figures import theme

Mark = dict[str, Any]
HATCH = {
    "shape": "/",
    "size": 6,
    "solidity": 0.18,
    "fgcolor": theme.LIGHT.hatch,
    "bgcolor": theme.LIGHT.masked,
}


def readings(*pairs: tuple[str, object], of: str = "") -> str:
    """Return the hover text of a point: the name ``of`` the point, then each label with its number in bold.

    >>> readings(("weight", "0.5"), of="query cat")
    'query cat<br>weight <b>0.5</b>'
    """
    return "<br>".join([of, *(f"{label} <b>{number}</b>" for label, number in pairs)]).removeprefix("<br>")


def line(
    name: str,
    x: ArrayLike,
    y: ArrayLike,
    colour: str,
    *,
    width: float = 2.0,
    dash: str = "solid",
    shape: str = "linear",
    dots: float | Sequence[float] = 0.0,
    texts: Sequence[str] = (),
    hover: str = "",
    label: str = "",
) -> Mark:
    """Draw a curve through (x, y), both (n,); NaN is a gap, which stays open.

    Args:
        width: of the line in pixels; dash: "solid", "dot", "dash".
        shape: "linear", "spline", or "hvh" for stairs.
        dots: the size of the dots on its points, one for all or one each; 0 for none.
        texts: written on its points, one each, in its colour on paper; none when empty.
        hover: Plotly's template of the hover text; no hover when empty.
        label: shown in place of its name, as in a comparison; the name when empty.

    >>> line("mean", [0, 1], [2, 2], "#000000")["mode"]
    'lines'
    """
    stroke = {"color": colour, "width": width} | _unless(dash, "solid", dash=dash)
    mode = "lines" + "+markers" * bool(dots) + "+text" * bool(texts)
    shadow = f"0 0 3px {theme.LIGHT.paper}"
    font = {"color": colour[: len("#RRGGBB")], "size": theme.FONT_SIZE - 1, "shadow": shadow}
    return (
        _scatter(name, x, y, mode, hover)
        | {"line": stroke | _unless(shape, "linear", shape=shape), "connectgaps": False}
        | ({"marker": {"size": dots, "color": colour}} if dots else {})
        | ({"text": texts, "textfont": font} if texts else {})
        | ({"meta": {"said": label}} if label not in ("", name) else {})
    )


def is_line(trace: Mapping[str, Any]) -> bool:
    """Whether a trace is a visible line that fills nothing.

    >>> is_line(line("mean", [0, 1], [2, 2], "#000000")), is_line(area("a", [0, 1], [2, 2], "#000000"))
    (True, False)
    """
    has_lines = trace.get("type", "scatter") == "scatter" and "lines" in trace.get("mode", "")
    return has_lines and not trace.get("fill") and bool((trace.get("line") or {}).get("width", 2))


def points(
    name: str,
    x: ArrayLike,
    y: ArrayLike,
    colour: Any,
    *,
    size: Any = 10,
    ring: str = "",
    ring_width: float = 1.5,
    symbol: str = "circle",
    hover: str = "",
) -> Mark:
    """Draw points at (x, y), both (n,); colour and size are one for all or one each.

    Args:
        colour, size: of the points; the size is a diameter in pixels.
        ring: the colour of a rim around each; no rim when empty.
        hover: Plotly's template of the hover text; no hover when empty.
    """
    marker: Mark = {"size": size, "color": colour} | _unless(symbol, "circle", symbol=symbol)
    if ring:
        marker["line"] = {"color": ring, "width": ring_width}
    return _scatter(name, x, y, "markers", hover) | {"marker": marker}


def area(
    name: str, x: ArrayLike, y: ArrayLike, fill: str, *, edge: str = "", width: float = 1.5, hover: str = ""
) -> Mark:
    """Fill the outline through (x, y); NaN separates patches, `edge` is the colour of the outline."""
    return _scatter(name, x, y, "lines", hover) | {
        "line": {"color": edge, "width": width} if edge else {"width": 0},
        "fill": "toself",
        "fillcolor": fill,
    }


def hatch_area(name: str, x: ArrayLike, y: ArrayLike) -> Mark:
    """Fill the outline through (x, y) with the hatching of cells and places that have no number."""
    return area(name, x, y, theme.LIGHT.masked) | {"fillpattern": HATCH}


def cross_area(name: str, x: ArrayLike, y: ArrayLike) -> Mark:
    """Hatch the area with the outline (x, y), in lines so thin that numbers under them can be read."""
    warning = theme.LIGHT.warning
    return area(name, x, y, theme.rgba(warning, 0), edge=warning) | {
        "fillpattern": {"shape": "/", "size": 12, "solidity": 0.07, "fgcolor": warning}
    }


def band(
    names: tuple[str, str], x: ArrayLike, low: ArrayLike, high: ArrayLike, fill: str, *, hover: str = ""
) -> list[Mark]:
    """Fill the band between two curves over x (n,); in a hover they are %{customdata[0]} and [1]."""
    bare = {"line": {"width": 0}}
    return [
        _scatter(names[0], x, low, "lines", "") | bare,
        _scatter(names[1], x, high, "lines", hover)
        | bare
        | {"fill": "tonexty", "fillcolor": fill, "customdata": np.stack([low, high], -1)},
    ]


def words(
    name: str, x: ArrayLike, y: ArrayLike, texts: Sequence[str] | str, *, hover: str = "", spot: float = 0.0
) -> Mark:
    """Write at (x, y), both (n,): a text each, or one of Plotly's templates for all.

    ``spot`` is the size of a spot of paper under each, in pixels; 0 for none.
    """
    text = {"texttemplate" if isinstance(texts, str) else "text": texts}
    font = {"color": theme.LIGHT.ink, "size": theme.FONT_SIZE}
    under = {"marker": {"color": theme.LIGHT.paper, "size": spot}} if spot else {}
    return _scatter(name, x, y, "markers+text" if spot else "text", hover) | text | {"textfont": font} | under


def is_words(trace: Mapping[str, Any]) -> bool:
    """Whether a trace is text without points."""
    return trace.get("mode") == "text"


def bar(
    name: str, places: ArrayLike, lengths: ArrayLike, colour: Any, *, across: bool = False, hover: str = ""
) -> Mark:
    """Draw a bar of each length (n,) at each place (n,), upwards or, where `across`, to the right."""
    x, y = (lengths, places) if across else (places, lengths)
    trace = {"type": "bar", "name": name, "x": _array(x), "y": _array(y), "marker": {"color": colour}}
    return trace | ({"orientation": "h"} if across else {}) | _hover(hover)


def upright(
    x: float, colour: str = theme.LIGHT.muted, *, dash: str = "dot", width: float = 1.0, name: str = ""
) -> Mark:
    """Draw a line at x from the bottom of a chart to its top: a shape, for `Chart.marks`; named if it moves.

    >>> upright(2.0)["x0"]
    2.0
    """
    stroke = {"color": colour, "width": width} | _unless(dash, "solid", dash=dash)
    place = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": " domain"}
    return {"type": "line", "line": stroke, **place} | _unless(name, "", name=name)


def ground(x0: float, x1: float) -> Mark:
    """Shade a chart from x0 to x1, from its bottom to its top: a shape, for `Chart.marks`."""
    place = {"type": "rect", "x0": x0, "x1": x1, "y0": 0, "y1": 1, "yref": " domain"}
    fill = theme.rgba(theme.LIGHT.masked, 0.7)
    return place | {"fillcolor": fill, "line": {"width": 0}, "layer": "below"}


def _scatter(name: str, x: ArrayLike, y: ArrayLike, mode: str, hover: str) -> Mark:
    return {"type": "scatter", "name": name, "mode": mode, "x": _array(x), "y": _array(y)} | _hover(hover)


def _hover(hover: str) -> Mark:
    return {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}


def _array(values: ArrayLike) -> Any:
    """Return numbers as a float array, which is packed as one, and names unchanged."""
    array = np.asarray(values)
    return array if array.dtype.kind in "fiub" else values


def _unless(value: Any, usual: Any, **setting: Any) -> Mark:
    return {} if value == usual else setting
