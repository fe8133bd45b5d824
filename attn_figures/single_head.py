"""Pictures of one head: one for each stage from the vectors to the output, and one of all at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import arcs
from attn_figures import points as planes
from attn_figures.frame import Role, Side, query_title
from attn_figures.matrix import (
    BY_KEY,
    KEYS,
    NUMBERS_UP_TO,
    PAIRS,
    QUERIES,
    ColourScale,
    Extra,
    Hover,
    Matrix,
    Numbers,
    Pick,
    SideBars,
)
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_words import N_, _, cached

LARGE = 1024  # cells
UNDER_CHOICES = 400  # pixels that a window of 1366 x 768 has between choices and the slider
_SCORES = {
    "dot product": N_("scores QKᵀ"),
    "additive": N_("scores, additive"),
    "general": N_("scores QWₐKᵀ"),
    "cosine": N_("scores cos(Q, K)"),
    "kernel": N_("scores −½|Q − K|²"),
    "linear": N_("scores log φ(Q)φ(K)ᵀ"),
}
_MEETS = {
    "dot product": "·",
    "additive": "+",
    "general": "·",
    "cosine": "cos",
    "kernel": "−½|−|²",
    "linear": "log φ·φ",
}


@dataclass(frozen=True, eq=False)
class Lookup:
    """The result of a hard look-up: each query takes the best key alone.

    ``output_change`` (n_query,) is the distance of its output from softmax's, for each query.
    """

    weights: Numbers
    output: Numbers
    output_change: Numbers


@dataclass(frozen=True, eq=False)
class Threshold:
    """The weights that a threshold keeps, and the rows and the output where rows are renormalised.

    ``mass`` (n_query, 1) is the kept part of each row. ``renormalised``, ``output`` and its distance from the
    output of all weights, ``output_change`` (n_query,), are None where rows stay as they are.
    """

    cells: NDArray[np.bool_]
    mass: Numbers
    renormalised: Numbers | None = None
    output: Numbers | None = None
    output_change: Numbers | None = None


@dataclass(frozen=True, eq=False)
class Ablation:
    """The head without one key, the ``key``-th: its weights and its output.

    ``output_changes`` (n_key, n_query) are the distances by which each key's ablation moves each output;
    ``empty`` (n_query,) is True for queries that could attend to this key alone.
    """

    key: int
    weights: Numbers
    output: Numbers
    output_changes: Numbers
    empty: NDArray[np.bool_]

    @property
    def output_change(self) -> Numbers:
        """The distance by which each query's output moves (n_query,)."""
        return np.asarray(self.output_changes[self.key])


@dataclass(frozen=True, eq=False)
class Walk:
    """Every matrix of one head, at one position of the slider.

    Queries come from ``x``, keys and values from ``memory``, by ``projections`` W_q, W_k and W_v with
    ``biases``, rows (1, d); each is None where the head has none. ``scaled_scores`` are before the mask;
    ``mask`` is True where a query may attend, and ``is_masked`` whether a mask is set, even if it hides
    nothing. ``factor`` is the operator that scales the scores and ``scale`` its number; ``score`` names the
    score function, ``score_weights`` are its parameters. ``lookup``, ``threshold`` and ``ablation`` are None
    where no picture needs them; ``lookup`` and ``points`` compute when called; ``group`` has the queries
    whose rows the arcs take together. ``sink`` is a logit in every row's softmax that is no key's.
    """

    queries: Sequence[str]
    keys: Sequence[str]
    query: Numbers
    key: Numbers
    value: Numbers
    scores: Numbers
    scaled_scores: Numbers
    mask: NDArray[np.bool_]
    weights: Numbers
    output: Numbers
    factor: str = ""
    scale: float = 1.0
    is_masked: bool = False
    x: Numbers | None = None
    memory: Numbers | None = None
    projections: Sequence[Numbers] | None = None
    biases: Sequence[Numbers] | None = None
    lookup: Callable[[], Lookup] | None = None
    threshold: Threshold | None = None
    ablation: Ablation | None = None
    points: Callable[[], planes.HeadPlanes] | None = None
    group: arcs.Group = arcs.NO_GROUP
    score: str = "dot product"
    sink: float | None = None
    score_weights: Mapping[str, Numbers] = field(default_factory=dict)

    @cached_property
    def exponentials(self) -> Numbers:
        """The exponential of each score less its row's largest; 0 where masked."""
        lowest, may = np.finfo(np.float64).min, self.mask
        largest = np.max(self.scaled_scores, axis=1, where=may, initial=lowest, keepdims=True)
        return np.where(may, np.exp(np.minimum(self.scaled_scores - largest, 0.0)), 0.0)

    @cached_property
    def sink_exponentials(self) -> Numbers:
        """The exponential of the sink's logit, less the largest score of each row (n_query, 1); 0 without."""
        largest = np.max(self.scaled_scores, axis=1, where=self.mask, initial=-700.0, keepdims=True)
        beside = self.mask.any(axis=1, keepdims=True) & (self.sink is not None)
        return np.where(beside, np.exp(np.minimum((self.sink or 0.0) - largest, 700.0)), 0.0)

    @cached_property
    def row_sums(self) -> Numbers:
        """The sum of each row's exponentials (n_query, 1), the sink's too."""
        return np.asarray(self.exponentials.sum(axis=1, keepdims=True) + self.sink_exponentials)

    @cached_property
    def limit(self) -> float:
        """The end of the one ramp of all vectors, so that a colour stands for one number."""
        vectors = [self.x, self.memory, self.query, self.key, self.value]
        return max(float(np.abs(each).max()) for each in vectors if each is not None) or 1.0

    def with_thresholds(self, thresholds: Any, output: Any, *, again: bool) -> list["Walk"]:
        """Return the head at each step of a threshold.

        Args:
            thresholds: `mask`, `mass` and `weights`, each with an axis of steps in front.
            output: of the renormalised rows, with the same axis; again: whether rows are to sum to one again.
        """
        cells, mass, rows = map(np.asarray, (thresholds.mask, thresholds.mass, thresholds.weights))
        outputs = np.asarray(output)
        change = np.linalg.norm(outputs - self.output, axis=-1)
        steps = (
            Threshold(cells[at], mass[at, :, None], *([rows[at], outputs[at], change[at]] if again else []))
            for at in range(len(cells))
        )
        return [replace(self, threshold=step) for step in steps]

    def with_ablation(self, ablations: Any, key: int) -> "Walk":
        """Return the head with one key ablated, from the ablations of each key in turn."""
        weights, output, changes, empty = (
            np.asarray(getattr(ablations, name)) for name in ("weights", "output", "output_change", "empty")
        )
        n = len(self.keys)  # a sink comes after the keys
        return replace(
            self, ablation=Ablation(key, weights[key, :, :n], output[key], changes[:n], empty[key])
        )

    @property
    def ramp_power(self) -> float:
        """The power of the weights' ramp: among many keys weights are small, and have no numbers."""
        return 1.0 if max(self.mask.shape) <= NUMBERS_UP_TO else 2.0

    @property
    def score_title(self) -> str:
        """The title of the scores: how they are computed."""
        return _(_SCORES[self.score])

    @property
    def is_large(self) -> bool:
        """Whether the maps are too large for the hover of each to have the numbers of all stages."""
        return self.scores.size > LARGE


@cached(64)
def _sides(queries: tuple[str, ...], keys: tuple[str, ...]) -> tuple[Side, Side]:
    """Return the sides of a map, which all steps and maps share."""
    return Side.queries(queries), Side.keys(keys)


@lru_cache(256)
def _side(labels: tuple[str, ...], title: str, role: Role) -> Side:
    return Side(labels, title, role)


@lru_cache(256)
def _dimensions(count: int, role: Role) -> Side:
    return Side.numbers(count, "", role).as_tuples


def _map(walk: Walk, name: str, values: Numbers, title: str, **more: Any) -> Matrix:
    """Return a map of queries by keys; all maps of a figure light up together."""
    rows, columns = _sides(tuple(walk.queries), tuple(walk.keys))
    settings: dict[str, Any] = {"rows": rows, "columns": columns, "pick": PAIRS}
    return Matrix(name, values, title, **settings | more)


def _vectors(
    name: str,
    values: Numbers,
    title: str,
    rows: Sequence[str],
    roles: tuple[Role, Role],
    *,
    limit: float,
    row_title: str = "",
    quantity: str = "",
    **more: Any,
) -> Matrix:
    """Return a matrix of one vector a row; `quantity` is the name of a value, the matrix's own when empty."""
    whose = {"query": _("query"), "key": _("key")}.get(roles[0], _("row"))
    settings: dict[str, Any] = {
        "rows": _side(tuple(rows), row_title, roles[0]),
        "columns": _dimensions(values.shape[1], roles[1]),
        "ramp": ColourScale("scores", limit, _("vectors")),
        "hover": Hover(quantity or name, words=(whose, _("dimension"))),
    }
    return Matrix(name, values, title, **settings | more)


def _scores(walk: Walk, **more: Any) -> Matrix:
    ramp = ColourScale("scores", bar=_("score"))
    return _map(walk, "scores", walk.scores, walk.score_title, ramp=ramp, hover=Hover(_("score")), **more)


def _scaled_map(walk: Walk, name: str = "scaled", title: str = "", **more: Any) -> Matrix:
    extra = [] if walk.is_large else [(_("score"), walk.scores)]
    settings: dict[str, Any] = {
        # The ramp of the raw scores, so that scaling is seen to pale the map.
        "ramp": ColourScale("scores", float(np.abs(walk.scores).max()) or 1.0, _("score")),
        "hover": Hover(_("scaled score"), extra=Extra(extra)),
    }
    return _map(walk, name, walk.scaled_scores, title or _("scaled"), **settings | more)


def _masked_map(walk: Walk, **more: Any) -> Matrix:
    title = _("scaled") if walk.mask.all() else _("scaled, masked")
    return _scaled_map(walk, "masked", title, mask=walk.mask, **more)


def _weights(walk: Walk, bar: str = "", **more: Any) -> Matrix:
    extra = [] if walk.is_large else [(_("scaled score"), walk.scaled_scores), (_("score"), walk.scores)]
    ramp, hover = ColourScale(bar=bar, power=walk.ramp_power, tells_power=True), Hover(extra=Extra(extra))
    return _map(walk, "weights", walk.weights, _("weights"), mask=walk.mask, ramp=ramp, hover=hover, **more)


def _query(walk: Walk, **more: Any) -> Matrix:
    return _vectors("Q", walk.query, "Q", walk.queries, ("query", "query"), limit=walk.limit, **more)


def _key(walk: Walk, **more: Any) -> Matrix:
    return _vectors("K", walk.key, "K", walk.keys, ("key", "key"), limit=walk.limit, **more)


def _value(walk: Walk, **more: Any) -> Matrix:
    more = {"pick": KEYS} | more
    return _vectors("V", walk.value, "V", walk.keys, ("key", "value"), limit=walk.limit, **more)


def _output(walk: Walk, **more: Any) -> Matrix:
    name = _("output")
    settings: dict[str, Any] = {"pick": QUERIES, "quantity": name, "limit": walk.limit} | more
    return _vectors("output", walk.output, name, walk.queries, ("query", "output"), **settings)


def words_with_arcs(walk: Walk) -> Spec:
    """Draw the words with the arcs of the first query, beside the map of all weights."""
    weights = _weights(walk, pick=BY_KEY, marked=(0, None), names_rows=True)
    mean = walk.group.mean(walk.weights)
    return arcs.arcs(mean, walk.queries, walk.keys, weights, group=walk.group)


def words_in_plane(walk: Walk) -> Spec:
    """Draw queries and keys as points of one plane, and the values with the first query's output."""
    if walk.points is None:
        raise ValueError("the picture needs a walk with points; got one without")
    return planes.points(walk.points(), (walk.weights, walk.mask, walk.output))


def follow_arcs(walks: Sequence[Walk]) -> dict[str, Any]:
    """Return what follows the query in the picture of arcs, at every step."""
    first, group = walks[0], walks[0].group
    weights = np.stack([group.mean(each.weights) for each in walks])
    masks = np.stack([group.mean(each.mask.astype(np.float64)) > 0 for each in walks])
    return arcs.cursor(weights, masks, first.queries, first.keys, group=group)


def follow_points(walks: Sequence[Walk]) -> dict[str, Any]:
    """Return what follows the query in the picture of points, at every step."""
    arrays = (np.stack([getattr(each, name) for each in walks]) for name in ("weights", "mask", "output"))
    return planes.cursor(walks[0].points(), *arrays) if walks[0].points else {}


def all_at_once(walk: Walk) -> Spec:
    """Draw the chain from the scores to the output, with the values that the weights mix."""
    operator = walk.factor if walk.mask.all() else _("{factor}<br>mask", factor=walk.factor)
    panels = [
        _scores(walk),
        _masked_map(walk, operator=operator),
        _weights(walk, operator="soft-<br>max"),
        _value(walk, operator="·", names_rows=True),
        _output(walk, operator="=", names_rows=True),
    ]
    return compose(panels, largest_unit=56, phone_height=IN_SIGHT)


def _sources(walk: Walk) -> list[Matrix]:
    """Return the inputs of the head: X, and Y where the keys come from a second sequence."""
    if walk.x is None or walk.memory is None:
        return []
    limit = walk.limit
    x = _vectors("X", walk.x, "X", walk.queries, ("query", "ink"), pick=QUERIES, limit=limit)
    if walk.memory is walk.x:
        return [x]
    y = _vectors("Y", walk.memory, "Y", walk.keys, ("key", "ink"), pick=KEYS, names_rows=True, limit=limit)
    return [x, y]


def _query_key_value(walk: Walk) -> list[Matrix]:
    return [
        _query(walk, pick=QUERIES, names_rows=True),
        _key(walk, pick=KEYS, names_rows=True),
        _value(walk, names_rows=True),
    ]


def sources(walk: Walk) -> Spec:
    """Draw the inputs of the head: its vectors, or Q, K and V where these are the inputs."""
    return compose(_sources(walk) or _query_key_value(walk), largest_unit=64)


def projecting(walk: Walk) -> Spec:
    """Draw the vectors, the projections with their biases, and Q, K and V, which they make."""
    maps = [*(walk.projections or []), *(walk.biases or [])]
    limit = max((float(np.abs(each).max()) for each in maps), default=1.0)
    panels = _sources(walk)
    roles: tuple[Role, Role, Role] = ("query", "key", "value")
    for letter, values, role in zip("qkv", walk.projections or (), roles, strict=False):
        rows = [str(number) for number in range(1, len(values) + 1)]
        title = f"W<sub>{letter}</sub>"
        panels.append(
            _vectors(f"W{letter}", values, title, rows, ("ink", role), limit=limit, names_rows=True)
        )
    if walk.biases is not None:
        rows = ["q", "k", "v"]
        title = "b<sub>q</sub>, b<sub>k</sub>, b<sub>v</sub>"
        panels.append(
            _vectors("b", _stack_rows(walk.biases), title, rows, ("ink", "ink"), limit=limit, names_rows=True)
        )
    return compose([*panels, *_query_key_value(walk)], largest_unit=64)


def _stack_rows(rows: Sequence[Numbers]) -> Numbers:
    """Stack rows (1, d) of different lengths; the shorter ones end in NaN."""
    widest = max(row.shape[1] for row in rows)
    return np.vstack(
        [np.pad(row, ((0, 0), (0, widest - row.shape[1])), constant_values=np.nan) for row in rows]
    )


def dot_products(walk: Walk) -> Spec:
    """Draw Q times the transpose of K: the scores."""
    keys = Matrix(
        "K transposed",
        np.ascontiguousarray(walk.key.T),
        "Kᵀ",
        rows=Side.numbers(walk.key.shape[1], "", "key"),
        columns=Side(walk.keys, role="key"),
        ramp=ColourScale("scores", walk.limit),
        hover=Hover("K", words=(_("dimension"), _("key"))),
        operator=_MEETS[walk.score],
        pick=Pick(None, "key"),
        names_rows=True,
    )
    query = _query(walk, pick=QUERIES, row_title=query_title())
    scores = _scores(walk, operator="=", names_rows=True, rows=Side(walk.queries))
    own = {name: _own(name, each) for name, each in walk.score_weights.items()}
    before = [own["W_a"]] if "W_a" in own else []
    after = [own["U_a"], own["v_a"]] if "U_a" in own else []
    if "U_a" in own:  # which takes keys as rows
        keys = _key(walk, pick=KEYS, names_rows=True, operator="+")
    return compose([query, *before, keys, *after, scores], largest_unit=64)


def _own(name: str, values: Numbers) -> Matrix:
    """Return one of the score function's own parameters as a map; a vector is a column."""
    columns = values if values.ndim == 2 else values[:, None]
    rows = [str(number) for number in range(1, len(columns) + 1)]
    title = f"{name[0]}<sub>{name[2]}</sub>"
    operator = "tanh ·" if name == "v_a" else "·"
    limit = float(np.abs(values).max()) or 1.0
    return _vectors(
        name, columns, title, rows, ("ink", "ink"), limit=limit, names_rows=True, operator=operator
    )


def scaling(walk: Walk) -> Spec:
    """Draw the scores before and after scaling, on one ramp."""
    return compose([_scores(walk), _scaled_map(walk, operator=walk.factor)], largest_unit=64)


def masking(walk: Walk) -> Spec:
    """Draw what the mask adds to the scaled scores."""
    bias = _map(
        walk,
        "mask",
        np.where(walk.mask, 0.0, -np.inf),
        _("mask"),
        mask=walk.mask,
        ramp=ColourScale("scores", 1.0),
        hover=Hover(_("added")),
        operator="+",
    )
    return compose([_scaled_map(walk), bias, _masked_map(walk, operator="=")], largest_unit=64)


def softmax(walk: Walk) -> Spec:
    """Draw the softmax in its steps: exponentials, sums of rows, weights."""
    exponentials = _map(
        walk,
        "exponentials",
        walk.exponentials,
        "exp",
        mask=walk.mask,
        hover=Hover(_("exp(scaled − largest of its row)")),
        ramp=ColourScale(bar=_("weight"), power=walk.ramp_power),
        operator="exp",
    )
    sums = Matrix(
        "row sums",
        walk.row_sums,
        _("sum"),
        rows=Side(walk.queries),
        columns=Side(["Σ"], role="ink"),
        ramp=ColourScale("scores", float(len(walk.keys))),
        hover=Hover(_("row sum")),
        operator="Σ",
        pick=QUERIES,
    )
    panels = [_masked_map(walk), exponentials, sums, _weights(walk, operator=_("divide"))]
    return compose(panels, largest_unit=64)


def mixing(walk: Walk) -> Spec:
    """Draw the weights times the values: the output."""
    panels = [
        _weights(walk, pick=replace(PAIRS, column=None)),
        _value(walk, operator="·", names_rows=True),
        _output(walk, operator="=", names_rows=True),
    ]
    return compose(panels, largest_unit=64)


def hard_or_soft(walk: Walk) -> Spec:
    """Draw the look-up of the best key with its output, and under or beside it the softmax with its own."""
    if walk.lookup is None:
        raise ValueError("the picture needs a walk with a look-up; got one without")
    lookup = walk.lookup()
    extra = (
        []
        if walk.is_large
        else [(_("softmax weight"), walk.weights), (_("scaled score"), walk.scaled_scores)]
    )
    hard = _map(
        walk, "hard weights", lookup.weights, _("hard weights"), mask=walk.mask,
        hover=Hover(_("hard weight"), extra=Extra(extra)), operator="arg-<br>max",
        ramp=ColourScale(bar=_("weight"), power=walk.ramp_power),
    )  # fmt: skip
    output, name = _output(walk, operator="· V =", names_rows=True), _("hard output")
    hard_output = replace(output, name="hard output", title=name, values=lookup.output)
    between = _(
        "query {query}<br>hard and soft output are <b>{distance}</b> apart",
        query="%{hovertext}",
        distance="%{customdata[0]:.6~g}",
    )
    side = _distances(walk, lookup.output_change, between)
    panels = [
        _masked_map(walk),
        hard,
        hard_output.with_hover(quantity=name),
        _weights(walk, operator="soft-<br>max", bar=_("weight")),
        replace(output, title=_("soft output"), side_bars=side),
    ]
    return compose(panels, largest_unit=56)


def _distances(walk: Walk, distances: Numbers, hover: str) -> SideBars:
    """Return bars beside an output: each row's distance, as a share of the largest between two values."""
    full = np.linalg.norm(walk.value[:, None] - walk.value, axis=-1).max(initial=0.0)
    names = [escape(each, quote=False) for each in walk.queries]
    full = max(float(full), float(distances.max(initial=0.0))) or 1.0
    return SideBars("distance", distances, full, hover, distances[:, None], names)


def _output_changes(walk: Walk, distances: Numbers) -> SideBars:
    hover = _(
        "query {query}<br>its output moves by <b>{distance}</b>",
        query="%{hovertext}",
        distance="%{customdata[0]:.6~g}",
    )
    return _distances(walk, distances, hover)


def threshold(walk: Walk) -> Spec:
    """Draw the weights with those under the threshold faded, and the kept part of each row.

    Where rows are renormalised, these and their output follow.
    """
    if (part := walk.threshold) is None:
        raise ValueError("the picture needs a walk with kept weights; got one without")
    mass = Matrix(
        "kept mass", part.mass, _("kept"), rows=Side(walk.queries), columns=Side(["Σ"], role="ink"),
        hover=Hover(_("kept weight")), operator="Σ", pick=QUERIES,
        ramp=ColourScale(bar=_("weight"), power=walk.ramp_power),
    )  # fmt: skip
    aside = walk.mask & ~part.cells
    panels = [_weights(walk, faded=aside, bar=_("weight")), mass]
    if part.renormalised is None or part.output is None or part.output_change is None:
        return compose(panels, largest_unit=64, laptop_height=UNDER_CHOICES)
    again = _map(
        walk, "renormalised", part.renormalised, _("renormalised"), mask=walk.mask, faded=aside,
        hover=Hover(_("renormalised weight"), extra=Extra([(_("weight"), walk.weights)])),
        operator=_("divide"), ramp=ColourScale(bar=_("weight"), power=walk.ramp_power),
    )  # fmt: skip
    output = replace(
        _output(walk, operator="· V =", names_rows=True), name="kept output", title=_("output of the kept"),
        values=part.output, side_bars=_output_changes(walk, part.output_change),
    )  # fmt: skip
    return compose([*panels, again, output], largest_unit=56)


def ablation(walk: Walk) -> Spec:
    """Draw the weights, those without one key, their difference, and the output without it."""
    if (part := walk.ablation) is None:
        raise ValueError("the picture needs a walk without a key; got one with all")
    mask = walk.mask.copy()
    mask[:, part.key] = False
    weights = _weights(walk, marked=(None, part.key), bar=_("weight"))
    less = _map(
        walk, "weights without", part.weights, _("without it"), mask=mask,
        ramp=ColourScale(bar=_("weight"), power=walk.ramp_power),
    )  # fmt: skip
    output = replace(
        _output(walk, operator="· V =", names_rows=True), name="output without", title=_("output without it"),
        values=part.output, side_bars=_output_changes(walk, part.output_change),
    )  # fmt: skip
    change = less.minus(weights, _("without − with"), limit=1.0)
    return compose([weights, less, output, change], largest_unit=56)
