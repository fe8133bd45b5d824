"""Kernel regression drawn: data and estimate on the left, the map of weights on the right, one figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.dates import date, round_dates
from attn_figures.frame import Ticks
from attn_figures.marks import Mark
from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Extra, Matrix, SideBars
from attn_figures.numbers import PLAIN, SMALL, distinct
from attn_figures.panels import ColourRange, compose
from attn_figures.picture import Picture, Spec

Numbers = NDArray[np.float64]

WEIGHTS = "weights"  # the name of the map whose cells can be clicked
LIGHT = theme.LIGHT
WIDEST_BUBBLE = 46  # pixels, of a point that has all the weight among forty
KERNEL_SHARE = 0.3  # of the chart's height, for the kernel drawn around the query
SCENES = 16  # whose still parts are kept
EMPTY = "<b>no key in the window</b>: nothing to average"


@dataclass(frozen=True, eq=False)
class Scene:
    """What stays when a slider moves: data sorted by key, where it is asked, and how far the axes go.

    What is drawn of it alone is made once, so that all steps share it.

    Attributes:
        keys, values: the data points, (n_key,) each, keys ascending.
        queries: where the map has its rows, (n_query,), evenly spaced.
        grid: where the estimate is drawn, (n_grid,).
        truth: the true curve on the grid, or None where nobody knows it.
        offsets: distances from the query at which the kernel is drawn, (n_offset,), ascending.
        y_range: the lowest and the highest value on the axis.
        x_title, y_title: what the two columns are called; escape users' words.
        digits: significant digits that tell one place from the next.
        value_digits: significant digits that tell one value from another.
        dated: whether places are dates, in days since 1970-01-01.
    """

    keys: Numbers
    values: Numbers
    queries: Numbers
    grid: Numbers
    truth: Numbers | None
    offsets: Numbers
    y_range: tuple[float, float]
    x_title: str = "x"
    y_title: str = "y"
    digits: int = 3
    value_digits: int = 4
    dated: bool = False

    def name(self, place: float) -> str:
        """Write a place."""
        if self.dated:
            return date(place, float(self.queries[1] - self.queries[0]))
        return f"{place:.{self.digits}g}"

    def names(self, places: Numbers) -> NDArray[np.object_]:
        """Write places, for the hover of dates."""
        return np.array([self.name(place) for place in places.tolist()], dtype=object)

    def ticks(self, low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
        """Round places from low to high, at most `most`, with how they are written."""
        return (round_dates if self.dated else round_numbers)(low, high, most)

    @cached_property
    def hover_form(self) -> str:
        """How the hover writes a place that is a number."""
        return f".{self.digits + 1}~g"

    def hover_place(self, said: str) -> str:
        """The hover's template for the place of a mark that was `told` its places."""
        return f"{said} <b>%{{customdata}}</b>" if self.dated else f"{said} <b>%{{x:{self.hover_form}}}</b>"

    def told(self, mark: Mark) -> Mark:
        """Give a mark the names of its places where the hover cannot write them itself."""
        return mark | {"customdata": self.names(mark["x"])} if self.dated else mark

    @cached_property
    def value_form(self) -> str:
        """How Plotly writes a value of the size of these: up to a million in full, as `number` does."""
        size = float(np.abs(self.values).max())
        if size > PLAIN or 0 < size < SMALL:
            return f".{self.value_digits - 1}~e"
        return f",.{max(self.value_digits, len(str(int(size))))}~r"

    @cached_property
    def ramp_power(self) -> float:
        """The more keys, the smaller their weights: a weight of 1 / n_key always has the same colour."""
        return max(1.0, float(np.log(len(self.keys)) / np.log(6.3)))

    @property
    def x_range(self) -> tuple[float, float]:
        """From the first query to the last."""
        return float(self.queries[0]), float(self.queries[-1])

    def kernel_height(self, profile: Numbers) -> Numbers:
        """Lift a kernel's profile (..., n_offset), which is 1 at the query, off the floor of the chart."""
        low, high = self.y_range
        lifted: Numbers = low + KERNEL_SHARE * (high - low) * profile
        return lifted

    @cached_property
    def row_names(self) -> list[str]:
        """Each query as the map's rows name it."""
        return [self.name(query) for query in self.queries.tolist()]

    @cached_property
    def column_names(self) -> list[str]:
        """Each key as the map's columns name it."""
        return [self.name(key) for key in self.keys.tolist()]

    @cached_property
    def of_cells(self) -> Extra:
        """What the hover tells of each cell: where its query and its key stand, and the key's value.

        A date is no number: the hover has it from the labels.
        """
        shape = (len(self.queries), len(self.keys))
        places = [
            ("query at", np.broadcast_to(self.queries[:, None], shape)),
            ("key at", np.broadcast_to(self.keys, shape)),
        ]
        value = ("its value", np.broadcast_to(self.values, shape))
        return Extra([value] if self.dated else [*places, value])

    @cached_property
    def rows_of_keys(self) -> list[int]:
        """The query nearest to each key, so that a click on a point asks there."""
        nearest = np.abs(self.queries[:, None] - self.keys[None, :]).argmin(axis=0)
        return [int(row) for row in nearest]


@dataclass(frozen=True)
class Estimate:
    """One bandwidth: weights (n_query, n_key), what follows from them, and the curve on the finer grid."""

    weights: Numbers
    effective_keys: Numbers
    at_queries: Numbers
    on_grid: Numbers
    profile: Numbers

    @property
    def supported(self) -> NDArray[np.bool_]:
        """Which queries have a key in their window, (n_query,)."""
        return np.isfinite(self.at_queries)


@Picture
def fit(scene: Scene, estimate: Estimate, row: int = 0) -> Spec:
    """Draw the data, the estimate and the weights of the query in `row`, beside the map of all weights."""
    chart = Chart(
        "fit",
        [
            kernel_shape(scene, estimate.profile, scene.queries[row]),
            truth_line(scene),
            bubbles(scene, estimate.weights[row]),
            points(scene) | {"meta": {"cursor": scene.rows_of_keys}},
            estimate_line(scene, estimate.on_grid),
            _asking(scene, estimate.at_queries),
            answer(scene.queries[row], estimate.at_queries[row]),
            *_read_outs(scene, estimate, row),
        ],
        columns=11.5,
        rows=7.6,
        x_title=scene.x_title,
        y_title=scene.y_title,
        x=place_axis(scene),
        y=value_axis(scene),
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, "weight", scene.ramp_power),
        marks=[query_line(scene, scene.queries[row])],
        legend=legend(scene),
        title=" ",
        title_lines=2,
    )
    return compose.spec([chart, weight_map(scene, estimate, size=(7.6, 7.6), row=row)], largest_unit=70.0)


def fit_cursor(scene: Scene, estimates: Sequence[Estimate]) -> dict[str, dict[str, Any]]:
    """What follows the query in `fit`: by row, by step and row, and rows of what is drawn anyway."""
    queries, rows = scene.queries, np.arange(len(scene.queries))
    at_queries = np.stack([each.at_queries for each in estimates])[..., None]
    empty = np.isnan(at_queries)
    left, right = scene.x_range
    facts = np.stack([_facts(scene, each) for each in estimates])[:, :, None, :]
    return {
        "changes": {
            "layout.shapes[query].x0": queries,
            "layout.shapes[query].x1": queries,
            f"layout.shapes[{WEIGHTS} marked].y0": rows - 0.5,
            f"layout.shapes[{WEIGHTS} marked].y1": rows + 0.5,
            "data[kernel].x": around_queries(scene, queries),
            "data[estimate at the query].x": queries[:, None],
        },
        "by_step": {
            "data[estimate at the query].y": at_queries,
            "data[read-out].x": np.where(empty, np.nan, (left + right) / 2),
            "data[read-out].customdata": facts,
            "data[read-out of an empty window].x": np.where(empty, (left + right) / 2, np.nan),
        },
        "rows_of": {
            f"data[weight of each point].marker.{field}": f"data[{WEIGHTS}].z" for field in ("size", "color")
        },
    }


def weight_map(
    scene: Scene,
    estimate: Estimate,
    *,
    size: tuple[float, float],
    row: int | None = None,
    name: str = WEIGHTS,
    title: str = "weights",
    names_rows: bool = True,
    side: bool = True,
) -> Matrix:
    """The (query, key) weights, keys in the order of their place; each row's effective keys at its side."""
    n_query, n_key = estimate.weights.shape
    shape = (n_query, n_key)
    supported = estimate.supported
    return Matrix(
        name,
        estimate.weights,
        title,
        scene.row_names,
        scene.column_names,
        row_title=QUERY_TITLE,
        column_title=KEY_TITLE,
        mask=np.broadcast_to(supported[:, None], shape),
        marked=None if row is None else (row, None),
        cells="query-key",
        extra=scene.of_cells,
        moves_cursor=True,
        size=size,
        ramp_power=scene.ramp_power,
        ticks=(_row_ticks(scene), _key_ticks(scene)),
        # Numbers are told more exactly than their labels have them; a date is its label.
        place=None if scene.dated else "",
        words=("query at", "key at"),
        blocked=EMPTY,
        side=_row_facts(scene, estimate, name) if side else None,
        names_rows=names_rows,
    )


def _row_facts(scene: Scene, estimate: Estimate, name: str) -> SideBars:
    n_key = len(scene.keys)
    return SideBars(
        f"{name} effective keys",
        estimate.effective_keys,
        float(n_key),
        f"query at {'%{hovertext}' if scene.dated else f'%{{customdata[0]:{scene.hover_form}}}'}<br>"
        f"effective keys <b>%{{customdata[1]:.2f}}</b> of {n_key}<br>row sum <b>%{{customdata[2]:.6f}}</b>",
        _facts(scene, estimate),
        tuple(scene.names(scene.queries)) if scene.dated else (),
    )


# ---- parts that several pictures share ----


@lru_cache(maxsize=SCENES)
def points(scene: Scene) -> Mark:
    """The data, as small rings; as dots where there are many."""
    many = len(scene.keys) > 150
    return scene.told(
        marks.points(
            "data",
            scene.keys,
            scene.values,
            LIGHT.ink if many else LIGHT.paper,
            size=3 if many else 5,
            ring=LIGHT.ink,
            ring_width=0 if many else 1.2,
            hover=f"{scene.hover_place('key at')}<br>value <b>%{{y:{scene.value_form}}}</b>",
        )
    )


@lru_cache(maxsize=SCENES)
def place_axis(scene: Scene, most: int = 7, x_range: tuple[float, float] | None = None) -> dict[str, Any]:
    """The axis of the keys: round numbers or dates written out, however far from zero."""
    low, high = x_range or scene.x_range
    long = scene.dated or scene.digits >= 6
    ticks = scene.ticks(low, high, most if not long else 3 if most < 7 else 4)
    return {
        "range": [low, high],
        "tickmode": "array",
        "tickvals": [value for value, _ in ticks],
        "ticktext": [text for _, text in ticks],
    }


@lru_cache(maxsize=SCENES)
def value_axis(scene: Scene, most: int = 7) -> dict[str, Any]:
    """The axis of the values: round numbers, written as everywhere."""
    low, high = scene.y_range
    places = [value for value, _ in round_numbers(low, high, most)]
    return {"range": [low, high], "tickmode": "array", "tickvals": places, "ticktext": distinct(places)}


@lru_cache(maxsize=SCENES)
def truth_line(scene: Scene) -> Mark:
    """The true curve; nowhere where it is not known."""
    truth = np.full(len(scene.grid), np.nan) if scene.truth is None else scene.truth
    return marks.line("true curve", scene.grid, truth, LIGHT.muted, width=1.5, dash="dot")


def estimate_line(scene: Scene, on_grid: Numbers) -> Mark:
    """The estimate; a gap where no key is in the window."""
    return marks.line("estimate", scene.grid, on_grid, LIGHT.output, width=3)


@lru_cache(maxsize=SCENES)
def legend(scene: Scene) -> list[tuple[str, str]]:
    """What is drawn, in its colours."""
    truth = [] if scene.truth is None else [("┅ truth", LIGHT.muted)]
    return [
        ("○ data", LIGHT.ink),
        *truth,
        ("━ estimate", LIGHT.output),
        ("▲ kernel", LIGHT.query),
    ]


def kernel_shape(scene: Scene, profile: Numbers, query: float) -> Mark:
    """The kernel, standing on the floor of the chart around the query."""
    floor = scene.y_range[0]
    return marks.area(
        "kernel",
        around_queries(scene, np.array([query]))[0],
        np.concatenate(([floor], scene.kernel_height(profile), [floor])),
        theme.rgba(LIGHT.query, 0.1),
        edge=LIGHT.query,
    )


def around_queries(scene: Scene, queries: Numbers) -> Numbers:
    """The kernel's places around each query, (n_query, n_offset + 2): its ends stand on the floor."""
    offsets = np.concatenate((scene.offsets[:1], scene.offsets, scene.offsets[-1:]))
    around: Numbers = queries[:, None] + offsets
    return around


def bubbles(scene: Scene, weights: Numbers) -> Mark:
    """Each point's weight for one query, as area and as colour."""
    widest = WIDEST_BUBBLE * max(1.0, len(scene.keys) / 40) ** 0.25
    drawn = marks.points(
        "weight of each point",
        scene.keys,
        scene.values,
        weights,
        size=weights,
        ring=LIGHT.query,
        ring_width=1,
    )
    area = {"sizemode": "area", "sizeref": 2 / widest**2, "coloraxis": "panel", "opacity": 1}
    return drawn | {"marker": drawn["marker"] | area}


def _asking(scene: Scene, at_queries: Numbers) -> Mark:
    """Invisible points along the estimate, one a query, to point at and to click."""
    return scene.told(
        marks.points(
            "queries",
            scene.queries,
            at_queries,
            theme.rgba(LIGHT.query, 0),
            size=14,
            hover=f"{scene.hover_place('query at')}<br>estimate <b>%{{y:{scene.value_form}}}</b>",
        )
    ) | {"meta": {"cursor": True}}


def answer(query: float, estimate: float) -> Mark:
    """The estimate at the query; nothing where there is none."""
    return marks.points(
        "estimate at the query", [query], [estimate], LIGHT.output, size=13, ring=LIGHT.paper, ring_width=2
    )


def _facts(scene: Scene, estimate: Estimate) -> Numbers:
    """Each query, its effective keys, its sum of weights and its estimate, 0 where there is none."""
    facts = (scene.queries, estimate.effective_keys, estimate.weights.sum(axis=1), estimate.at_queries)
    told: Numbers = np.nan_to_num(np.stack(facts, axis=-1))
    return told


def _read_outs(scene: Scene, estimate: Estimate, row: int) -> list[Mark]:
    """Two lines of words under the chart, of which one shows: with an estimate, or without."""
    n_key = len(scene.keys)
    low, high = scene.y_range
    floor = [low + 1e-4 * (high - low)]  # a point outside the range would not be written
    middle = sum(scene.x_range) / 2
    empty = not estimate.supported[row]
    below = "<br>" * 3
    told = (
        f"{below}estimate <b>%{{customdata[3]:{scene.value_form}}}</b><br>"
        "weights sum to <b>%{customdata[2]:.3f}</b>, "
        f"effective keys <b>%{{customdata[1]:.1f}}</b> of {n_key}"
    )
    nothing = f"{below}<b>no key in the window</b><br>no estimate here"
    hangs = {"textposition": "bottom center", "cliponaxis": False}
    return [
        marks.words("read-out", [np.nan if empty else middle], floor, told)
        | {"customdata": _facts(scene, estimate)[[row]], **hangs},
        marks.words("read-out of an empty window", [middle if empty else np.nan], floor, nothing) | hangs,
    ]


def query_line(scene: Scene, query: float, name: str = "query") -> dict[str, Any]:
    """Where the query stands."""
    return {
        "type": "line",
        "name": name,
        "x0": query,
        "x1": query,
        "y0": scene.y_range[0],
        "y1": scene.y_range[1],
        "line": {"color": LIGHT.query, "width": 1.5, "dash": "dash"},
        "layer": "below",
    }


@lru_cache(maxsize=SCENES)
def _row_ticks(scene: Scene) -> Ticks:
    step = scene.queries[1] - scene.queries[0]
    return [((value - scene.queries[0]) / step, text) for value, text in scene.ticks(*scene.x_range)]


@lru_cache(maxsize=SCENES)
def _key_ticks(scene: Scene) -> Ticks:
    """Round numbers between the keys where they would stand: the columns are keys, not places."""
    columns = np.arange(len(scene.keys))
    ticks: list[tuple[float, str]] = []
    for value, text in scene.ticks(float(scene.keys[0]), float(scene.keys[-1])):
        column = float(np.interp(value, scene.keys, columns))
        # In a gap of the data two would overlap; long numbers need more room.
        if not ticks or column - ticks[-1][0] > len(columns) * max(
            0.07, (0.045 if scene.dated else 0.028) * len(text)
        ):
            ticks.append((column, text))
    return ticks


def round_numbers(low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
    """Round numbers from low to high, at most `most`, with how they are written.

    >>> [text for _, text in round_numbers(-0.5, 5.5)]
    ['0', '1', '2', '3', '4', '5']
    """
    span = (high - low) or 1.0
    scale = 10.0 ** np.floor(np.log10(span / most))
    step = next(scale * k for k in (1, 2, 5, 10, 20) if span / (scale * k) <= most)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    # As many digits as tell neighbours apart, and, below 1e12, as many as stand before the point.
    largest = max(abs(low), abs(high), step)
    digits = int(np.ceil(np.log10(largest / step))) + 1
    digits = max(6, digits, int(np.log10(largest)) + 1 if largest < 1e12 else 0)
    return [(k * step, f"{k * step:.{digits}g}") for k in range(first, last + 1)]
