"""Weights over the patches of a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.frame import Side, middles_of_parts
from attn_figures.geometry import Axes, ColourRange
from attn_figures.matrix import ColourScale, Extra, Hover, Matrix, Numbers, Pick, frame_at
from attn_figures.multi_head import ROOT
from attn_figures.panels import LAPTOP, compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT
BODY = 10.0  # units a side
FEW_ROWS = 12
PHONE_HEIGHT = 460  # pixels: the picture and its weights side by side, both above a phone's sliders
NO_INK = 0.01  # pixels with less ink are not drawn


@dataclass(frozen=True)
class _Patches(Matrix):
    """A number for each patch, under the ink of the picture."""

    ink: Any = field(default_factory=lambda: np.zeros((1, 1)))  # (height, width), from 0 to 1
    names: Any = None  # of the patches, for the hover
    opacity: float = 1.0  # of full ink
    painted: bool = True  # whether the numbers are coloured, or blank paper
    source: str = ""  # the address of a photo under the numbers, in place of ink

    def colour_range(self) -> tuple[ColourRange, bool]:
        """Return the colours of the numbers; only the colour of paper if they are not painted."""
        if self.painted:
            return super().colour_range()
        return ColourRange((LIGHT.paper, LIGHT.paper), 0.0, 1.0, _("ink")), False

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return the numbers with the patches' names, and the ink over them, which has no hover."""
        cells, *rest = super().traces(axes, coloraxis)
        if self.source:
            return [cells | {"hovertext": self.names, "opacity": 0.6 * self.painted}, *rest]
        ink = {
            "type": "heatmap",
            "name": f"{self.name} ink",
            "xaxis": axes.x,
            "yaxis": axes.y,
            "z": np.where(self.ink < NO_INK, np.nan, self.ink),
            "x": middles_of_parts(self.ink.shape[1], len(self.columns)),
            "y": middles_of_parts(self.ink.shape[0], len(self.rows)),
            "zmin": 0.0,
            "zmax": 1.0,
            "colorscale": [[0, theme.rgba(LIGHT.ink, 0)], [1, theme.rgba(LIGHT.ink, self.opacity)]],
            "showscale": False,
            "hoverinfo": "skip",
        }
        return [cells | {"hovertext": self.names}, *rest, ink]

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the lines between the patches, and the frame around one."""
        line = {"type": "line", "xref": axes.x, "yref": axes.y, "line": {"color": LIGHT.rule, "width": 1.5}}
        rows, columns = len(self.rows), len(self.columns)
        across = [{"y0": at - 0.5, "y1": at - 0.5, "x0": -0.5, "x1": columns - 0.5} for at in range(1, rows)]
        down = [{"x0": at - 0.5, "x1": at - 0.5, "y0": -0.5, "y1": rows - 0.5} for at in range(1, columns)]
        return [*(line | each for each in (*across, *down)), *super().shapes(axes)]


@dataclass(frozen=True, eq=False)
class PatchedImage:
    """A picture in patches, which are the keys, and the queries that attend to it.

    Attributes:
        ink: the picture, (height, width), from 0 to 1.
        grid: rows and columns of its patches.
        patches: names of the patches, in reading order.
        queries: names of the queries; equal to ``patches`` where these attend to one another.
        one: the noun for one query, such as "patch".
        source: a photo as a `data:` address, shown in place of ink.
    """

    ink: Numbers
    grid: tuple[int, int]
    patches: Sequence[str]
    queries: Sequence[str]
    one: str
    source: str = ""

    @property
    def to_itself(self) -> bool:
        """Whether the patches attend to one another."""
        return list(self.queries) == list(self.patches)


def _draw_pair(
    image: PatchedImage, values: Numbers, place: tuple[int, int] | None, hover: Hover, bar: str
) -> list[_Patches]:
    """Return the picture in patches, and one query's weights or their shares, (n_patch,), over it.

    Args:
        place: the row and column of the patch that is the query; None if the query is no patch.
        hover: of the weights; bar: the title of their colour bar.
    """
    rows, columns = image.grid
    names: NDArray[np.object_] = np.array(image.patches, dtype=object).reshape(image.grid)
    means = image.ink.reshape(rows, image.ink.shape[0] // rows, columns, -1).mean(axis=(1, 3))
    common: dict[str, Any] = {
        "rows": Side([""] * rows, role="ink"),
        "columns": Side([""] * columns, role="ink"),
        "pick": Pick(together="patches"),
        "size": (BODY, BODY),
        "numbered": False,
        "shows_shape": False,
        "ink": image.ink,
        "names": names,
        "marked": place,
        "source": image.source,
    }
    picture = _Patches(
        "picture",
        means,
        _("{rows} × {columns} patches: the keys", rows=rows, columns=columns),
        hover=Hover(_("mean ink"), place="%{hovertext}"),
        painted=False,
        **common,
    )
    overlay = _Patches(
        "laid over",
        values.reshape(image.grid),
        _("where this {one} looks", one=image.one),
        ramp=ColourScale(bar=bar, power=ROOT),
        hover=hover,
        opacity=0.4,
        **common,
    )
    return [picture, overlay]


def shares_of_largest(weights: Numbers) -> Numbers:
    """Divide weights (..., n_row, n_column) by the largest of each map; a map of zeros stays as it is."""
    largest = np.max(weights, axis=(-2, -1), keepdims=True)
    shares: Numbers = np.divide(weights, largest, out=np.zeros_like(weights), where=largest > 0)
    return shares


def over_photo(image: PatchedImage, weights: Numbers, query: int | None) -> Spec:
    """Draw a photo in patches, and one query's weights, (n_row, n_column), over it.

    Colours are shares of the largest weight, since a row of hundreds of patches has only small ones.

    Args:
        query: the index of the patch that is the query; None if the query is no patch.
    """
    place, share = None if query is None else divmod(query, image.grid[1]), _("share of the largest weight")
    hover = Hover(share, place="%{hovertext}", extra=Extra([(_("true weight"), weights)]))
    panels = _draw_pair(image, shares_of_largest(weights), place, hover, share)
    spec = compose(panels, phone_height=PHONE_HEIGHT // 2, laptop_height=LAPTOP)
    box = {"x": -0.5, "y": -0.5, "sizex": image.grid[1], "sizey": image.grid[0], "yanchor": "top"}
    axes = [{"xref": each.x, "yref": each.y} for each in map(Axes, range(len(panels)))]
    photo = box | {"source": image.source, "sizing": "stretch", "layer": "below"}
    spec["layout"]["images"] = [photo | each for each in axes]
    return spec


def over_picture(image: PatchedImage, weights: Numbers, query: int = 0) -> Spec:
    """Draw the picture in patches, one query's weights over it, and all rows of weights.

    Args:
        weights: (n_query, n_patch).
        query: the index of the query whose row is drawn over the picture.
    """
    columns = image.grid[1]
    place = divmod(query, columns) if image.to_itself else None
    few = len(image.queries) <= FEW_ROWS
    ticks = [(at, str(at + 1)) for at in range(0, len(image.patches), columns)]
    every = Matrix(
        "weights",
        weights,
        _("where every {one} looks", one=image.one),
        Side.queries(image.queries, None if few else ticks),
        Side.keys(image.patches, ticks),
        ramp=ColourScale(bar=_("weight"), power=ROOT),
        numbered=False,
        pick=Pick(moves_cursor=True),
        marked=(query, None),
        names_rows=True,
        size=(BODY, BODY * 0.6 if few else BODY),
    )
    pair = _draw_pair(image, weights[query], place, Hover(place="%{hovertext}"), _("weight"))
    return compose([*pair, every], phone_height=PHONE_HEIGHT, laptop_height=LAPTOP)


def over_picture_cursor(
    image: PatchedImage, weights: NDArray[np.float64]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings that change with the query, by row and by step, from (n_step, n_query, n_patch)."""
    n_query = weights.shape[1]
    at = np.arange(n_query, dtype=np.float64)
    rows: dict[str, Any] = frame_at("weights", row=at)
    if image.to_itself:
        down, right = np.divmod(at, image.grid[1])
        rows |= frame_at("picture", row=down, column=right) | frame_at("laid over", row=down, column=right)
    return rows, {"data[laid over].z": weights.reshape(len(weights), n_query, *image.grid)}
