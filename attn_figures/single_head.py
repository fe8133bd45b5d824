"""Pictures of one head: one for each stage from the vectors to the output, and one of all at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import arcs, planes
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
UNDER_CHOICES = 400  # pixels between choices and the slider in a window of 1366 x 768
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
    """The result of a hard look-up: each query takes the value of its best key alone.

    ``output_change`` (n_query,) is the distance of each query's output from its output by softmax.
    """

    weights: Numbers
    output: Numbers
    output_change: Numbers


@dataclass(frozen=True, eq=False)
class Threshold:
    """The cells that a threshold keeps, and the weights and the output if rows are renormalised.

    ``mass`` (n_query, 1) is the kept part of each row. ``renormalised``, ``output`` and its distance from the
    output of all weights, ``output_change`` (n_query,), are None if rows are not renormalised.
    """

    cells: NDArray[np.bool_]
    mass: Numbers
    renormalised: Numbers | None = None
    output: Numbers | None = None
    output_change: Numbers | None = None


@dataclass(frozen=True, eq=False)
class Ablation:
    """The head without the key of index ``key``: its weights and its output.

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
class HeadMatrices:
    """Every matrix of one head, at one position of the slider.

    Queries come from ``x``, keys and values from ``memory``, by ``projections`` W_q, W_k and W_v with
    ``biases``, rows (1, d); each is None where the head has none. ``scaled_scores`` are before the mask;
    ``mask`` is True where a query may attend, and ``is_masked`` whether a mask is set, even if it hides
    nothing. ``factor`` is the operator that scales the scores and ``scale`` its number; ``score`` names the
    score function, ``score_weights`` are its parameters. ``lookup``, ``threshold`` and ``ablation`` are None
    where no picture needs them; ``lookup`` and ``points`` compute when called; ``group`` has the queries
    whose rows the arcs combine. ``sink`` is a logit in every row's softmax that belongs to no key.
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
        """The exponential of each score minus its row's largest; 0 where masked."""
        lowest, may = np.finfo(np.float64).min, self.mask
        largest = np.max(self.scaled_scores, axis=1, where=may, initial=lowest, keepdims=True)
        return np.where(may, np.exp(np.minimum(self.scaled_scores - largest, 0.0)), 0.0)

    @cached_property
    def sink_exponentials(self) -> Numbers:
        """The exponential of the sink minus each row's largest score (n_query, 1); 0 without a sink."""
        largest = np.max(self.scaled_scores, axis=1, where=self.mask, initial=-700.0, keepdims=True)
        beside = self.mask.any(axis=1, keepdims=True) & (self.sink is not None)
        return np.where(beside, np.exp(np.minimum((self.sink or 0.0) - largest, 700.0)), 0.0)

    @cached_property
    def row_sums(self) -> Numbers:
        """The sum of each row's exponentials (n_query, 1), with the sink's."""
        return np.asarray(self.exponentials.sum(axis=1, keepdims=True) + self.sink_exponentials)

    @cached_property
    def limit(self) -> float:
        """The value at the ends of the ramp that all vectors share: equal colours are equal numbers."""
        vectors = [self.x, self.memory, self.query, self.key, self.value]
        return max(float(np.abs(each).max()) for each in vectors if each is not None) or 1.0

    def with_thresholds(self, thresholds: Any, output: Any, *, again: bool) -> list["HeadMatrices"]:
        """Return the head at each step of a threshold.

        Args:
            thresholds: `mask`, `mass` and `weights`, each with an axis of steps in front.
            output: of the renormalised rows, with the same axis; again: whether rows are renormalised.
        """
        cells, mass, rows = map(np.asarray, (thresholds.mask, thresholds.mass, thresholds.weights))
        outputs = np.asarray(output)
        change = np.linalg.norm(outputs - self.output, axis=-1)
        steps = (
            Threshold(cells[at], mass[at, :, None], *([rows[at], outputs[at], change[at]] if again else []))
            for at in range(len(cells))
        )
        return [replace(self, threshold=step) for step in steps]

    def with_ablation(self, ablations: Any, key: int) -> "HeadMatrices":
        """Return the head with one key ablated, from arrays that hold the ablation of every key."""
        weights, output, changes, empty = (
            np.asarray(getattr(ablations, name)) for name in ("weights", "output", "output_change", "empty")
        )
        n = len(self.keys)  # a sink comes after the keys
        return replace(
            self, ablation=Ablation(key, weights[key, :, :n], output[key], changes[:n], empty[key])
        )

    @property
    def ramp_power(self) -> float:
        """The power of the weights' ramp: 2 with many keys, as weights are small then and have no numbers."""
        return 1.0 if max(self.mask.shape) <= NUMBERS_UP_TO else 2.0

    @property
    def score_title(self) -> str:
        """The title of the scores, with the formula that they are computed by."""
        return _(_SCORES[self.score])

    @property
    def is_large(self) -> bool:
        """Whether the maps are too large for every hover to hold the numbers of all stages."""
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


def _map(head: HeadMatrices, name: str, values: Numbers, title: str, **more: Any) -> Matrix:
    """Return a map of queries by keys; all maps of a figure light up together."""
    rows, columns = _sides(tuple(head.queries), tuple(head.keys))
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


def _scores(head: HeadMatrices, **more: Any) -> Matrix:
    ramp = ColourScale("scores", bar=_("score"))
    return _map(head, "scores", head.scores, head.score_title, ramp=ramp, hover=Hover(_("score")), **more)


def _scaled_map(head: HeadMatrices, name: str = "scaled", title: str = "", **more: Any) -> Matrix:
    extra = [] if head.is_large else [(_("score"), head.scores)]
    settings: dict[str, Any] = {
        # The ramp of the raw scores, so that scaling visibly pales the map.
        "ramp": ColourScale("scores", float(np.abs(head.scores).max()) or 1.0, _("score")),
        "hover": Hover(_("scaled score"), extra=Extra(extra)),
    }
    return _map(head, name, head.scaled_scores, title or _("scaled"), **settings | more)


def _masked_map(head: HeadMatrices, **more: Any) -> Matrix:
    title = _("scaled") if head.mask.all() else _("scaled, masked")
    return _scaled_map(head, "masked", title, mask=head.mask, **more)


def _weights(head: HeadMatrices, bar: str = "", **more: Any) -> Matrix:
    extra = [] if head.is_large else [(_("scaled score"), head.scaled_scores), (_("score"), head.scores)]
    ramp, hover = ColourScale(bar=bar, power=head.ramp_power, tells_power=True), Hover(extra=Extra(extra))
    return _map(head, "weights", head.weights, _("weights"), mask=head.mask, ramp=ramp, hover=hover, **more)


def _query(head: HeadMatrices, **more: Any) -> Matrix:
    return _vectors("Q", head.query, "Q", head.queries, ("query", "query"), limit=head.limit, **more)


def _key(head: HeadMatrices, **more: Any) -> Matrix:
    return _vectors("K", head.key, "K", head.keys, ("key", "key"), limit=head.limit, **more)


def _value(head: HeadMatrices, **more: Any) -> Matrix:
    more = {"pick": KEYS} | more
    return _vectors("V", head.value, "V", head.keys, ("key", "value"), limit=head.limit, **more)


def _output(head: HeadMatrices, **more: Any) -> Matrix:
    name = _("output")
    settings: dict[str, Any] = {"pick": QUERIES, "quantity": name, "limit": head.limit} | more
    return _vectors("output", head.output, name, head.queries, ("query", "output"), **settings)


def words_with_arcs(head: HeadMatrices) -> Spec:
    """Draw the words with the arcs of the first query, beside the map of all weights."""
    weights = _weights(head, pick=BY_KEY, marked=(0, None), names_rows=True)
    mean = head.group.mean(head.weights)
    return arcs.arcs(mean, head.queries, head.keys, weights, group=head.group)


def words_in_plane(head: HeadMatrices) -> Spec:
    """Draw queries and keys as points of one plane, and the values with the first query's output."""
    if head.points is None:
        raise ValueError("the picture needs a head with points; got one without")
    return planes.points(head.points(), (head.weights, head.mask, head.output))


def follow_arcs(steps: Sequence[HeadMatrices]) -> dict[str, Any]:
    """Return the settings of `words_with_arcs` that change with the query, at every step."""
    first, group = steps[0], steps[0].group
    weights = np.stack([group.mean(each.weights) for each in steps])
    masks = np.stack([group.mean(each.mask.astype(np.float64)) > 0 for each in steps])
    return arcs.cursor(weights, masks, first.queries, first.keys, group=group)


def follow_points(steps: Sequence[HeadMatrices]) -> dict[str, Any]:
    """Return the settings of `words_in_plane` that change with the query, at every step."""
    arrays = (np.stack([getattr(each, name) for each in steps]) for name in ("weights", "mask", "output"))
    return planes.cursor(steps[0].points(), *arrays) if steps[0].points else {}


def all_at_once(head: HeadMatrices) -> Spec:
    """Draw the chain from the scores to the output, with the values that the weights mix."""
    operator = head.factor if head.mask.all() else _("{factor}<br>mask", factor=head.factor)
    panels = [
        _scores(head),
        _masked_map(head, operator=operator),
        _weights(head, operator="soft-<br>max"),
        _value(head, operator="·", names_rows=True),
        _output(head, operator="=", names_rows=True),
    ]
    return compose(panels, largest_unit=56, phone_height=IN_SIGHT)


def _sources(head: HeadMatrices) -> list[Matrix]:
    """Return the inputs of the head: X, and Y where the keys come from a second sequence."""
    if head.x is None or head.memory is None:
        return []
    limit = head.limit
    x = _vectors("X", head.x, "X", head.queries, ("query", "ink"), pick=QUERIES, limit=limit)
    if head.memory is head.x:
        return [x]
    y = _vectors("Y", head.memory, "Y", head.keys, ("key", "ink"), pick=KEYS, names_rows=True, limit=limit)
    return [x, y]


def _query_key_value(head: HeadMatrices) -> list[Matrix]:
    return [
        _query(head, pick=QUERIES, names_rows=True),
        _key(head, pick=KEYS, names_rows=True),
        _value(head, names_rows=True),
    ]


def sources(head: HeadMatrices) -> Spec:
    """Draw the inputs of the head: its vectors, or Q, K and V where these are the inputs."""
    return compose(_sources(head) or _query_key_value(head), largest_unit=64)


def projecting(head: HeadMatrices) -> Spec:
    """Draw the vectors, the projections with their biases, and Q, K and V, which they make."""
    maps = [*(head.projections or []), *(head.biases or [])]
    limit = max((float(np.abs(each).max()) for each in maps), default=1.0)
    panels = _sources(head)
    roles: tuple[Role, Role, Role] = ("query", "key", "value")
    for letter, values, role in zip("qkv", head.projections or (), roles, strict=False):
        rows = [str(number) for number in range(1, len(values) + 1)]
        title = f"W<sub>{letter}</sub>"
        panels.append(
            _vectors(f"W{letter}", values, title, rows, ("ink", role), limit=limit, names_rows=True)
        )
    if head.biases is not None:
        rows = ["q", "k", "v"]
        title = "b<sub>q</sub>, b<sub>k</sub>, b<sub>v</sub>"
        panels.append(
            _vectors("b", _stack_rows(head.biases), title, rows, ("ink", "ink"), limit=limit, names_rows=True)
        )
    return compose([*panels, *_query_key_value(head)], largest_unit=64)


def _stack_rows(rows: Sequence[Numbers]) -> Numbers:
    """Stack rows (1, d) of different lengths; the shorter ones end in NaN."""
    widest = max(row.shape[1] for row in rows)
    return np.vstack(
        [np.pad(row, ((0, 0), (0, widest - row.shape[1])), constant_values=np.nan) for row in rows]
    )


def dot_products(head: HeadMatrices) -> Spec:
    """Draw Q times the transpose of K: the scores."""
    keys = Matrix(
        "K transposed",
        np.ascontiguousarray(head.key.T),
        "Kᵀ",
        rows=Side.numbers(head.key.shape[1], "", "key"),
        columns=Side(head.keys, role="key"),
        ramp=ColourScale("scores", head.limit),
        hover=Hover("K", words=(_("dimension"), _("key"))),
        operator=_MEETS[head.score],
        pick=Pick(None, "key"),
        names_rows=True,
    )
    query = _query(head, pick=QUERIES, row_title=query_title())
    scores = _scores(head, operator="=", names_rows=True, rows=Side(head.queries))
    own = {name: _own(name, each) for name, each in head.score_weights.items()}
    before = [own["W_a"]] if "W_a" in own else []
    after = [own["U_a"], own["v_a"]] if "U_a" in own else []
    if "U_a" in own:  # U_a multiplies rows of keys
        keys = _key(head, pick=KEYS, names_rows=True, operator="+")
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


def scaling(head: HeadMatrices) -> Spec:
    """Draw the scores before and after scaling, on one ramp."""
    return compose([_scores(head), _scaled_map(head, operator=head.factor)], largest_unit=64)


def masking(head: HeadMatrices) -> Spec:
    """Draw what the mask adds to the scaled scores."""
    bias = _map(
        head,
        "mask",
        np.where(head.mask, 0.0, -np.inf),
        _("mask"),
        mask=head.mask,
        ramp=ColourScale("scores", 1.0),
        hover=Hover(_("added")),
        operator="+",
    )
    return compose([_scaled_map(head), bias, _masked_map(head, operator="=")], largest_unit=64)


def softmax(head: HeadMatrices) -> Spec:
    """Draw the softmax in its steps: exponentials, sums of rows, weights."""
    exponentials = _map(
        head,
        "exponentials",
        head.exponentials,
        "exp",
        mask=head.mask,
        hover=Hover(_("exp(scaled − largest of its row)")),
        ramp=ColourScale(bar=_("weight"), power=head.ramp_power),
        operator="− max<br>exp",
    )
    sums = Matrix(
        "row sums",
        head.row_sums,
        _("sum"),
        rows=Side(head.queries),
        columns=Side(["Σ"], role="ink"),
        ramp=ColourScale("scores", float(len(head.keys))),
        hover=Hover(_("row sum")),
        operator="Σ",
        pick=QUERIES,
    )
    panels = [_masked_map(head), exponentials, sums, _weights(head, operator=_("divide"))]
    return compose(panels, largest_unit=64)


def mixing(head: HeadMatrices) -> Spec:
    """Draw the weights times the values: the output."""
    panels = [
        _weights(head, pick=replace(PAIRS, column=None)),
        _value(head, operator="·", names_rows=True),
        _output(head, operator="=", names_rows=True),
    ]
    return compose(panels, largest_unit=64)


def hard_or_soft(head: HeadMatrices) -> Spec:
    """Draw the look-up of the best key and its output, and the softmax and its output for comparison."""
    if head.lookup is None:
        raise ValueError("the picture needs a head with a look-up; got one without")
    lookup = head.lookup()
    extra = (
        []
        if head.is_large
        else [(_("softmax weight"), head.weights), (_("scaled score"), head.scaled_scores)]
    )
    hard = _map(
        head, "hard weights", lookup.weights, _("hard weights"), mask=head.mask,
        hover=Hover(_("hard weight"), extra=Extra(extra)), operator="arg-<br>max",
        ramp=ColourScale(bar=_("weight"), power=head.ramp_power),
    )  # fmt: skip
    output, name = _output(head, operator="· V =", names_rows=True), _("hard output")
    hard_output = replace(output, name="hard output", title=name, values=lookup.output)
    between = _(
        "query {query}<br>hard and soft output are <b>{distance}</b> apart",
        query="%{hovertext}",
        distance="%{customdata[0]:.6~g}",
    )
    side = _distances(head, lookup.output_change, between)
    panels = [
        _masked_map(head),
        hard,
        hard_output.with_hover(quantity=name),
        _weights(head, operator="soft-<br>max", bar=_("weight")),
        replace(output, title=_("soft output"), side_bars=side),
    ]
    return compose(panels, largest_unit=56)


def _distances(head: HeadMatrices, distances: Numbers, hover: str) -> SideBars:
    """Return bars beside an output: each row's distance, as a share of the largest between any two values."""
    full = np.linalg.norm(head.value[:, None] - head.value, axis=-1).max(initial=0.0)
    names = [escape(each, quote=False) for each in head.queries]
    full = max(float(full), float(distances.max(initial=0.0))) or 1.0
    return SideBars("distance", distances, full, hover, distances[:, None], names)


def _output_changes(head: HeadMatrices, distances: Numbers) -> SideBars:
    hover = _(
        "query {query}<br>its output moves by <b>{distance}</b>",
        query="%{hovertext}",
        distance="%{customdata[0]:.6~g}",
    )
    return _distances(head, distances, hover)


def threshold(head: HeadMatrices) -> Spec:
    """Draw the weights, faded below the threshold, and the kept part of each row.

    If rows are renormalised, the new weights and their output follow.
    """
    if (part := head.threshold) is None:
        raise ValueError("the picture needs a head with kept weights; got one without")
    mass = Matrix(
        "kept mass", part.mass, _("kept"), rows=Side(head.queries), columns=Side(["Σ"], role="ink"),
        hover=Hover(_("kept weight")), operator="Σ", pick=QUERIES,
        ramp=ColourScale(bar=_("weight"), power=head.ramp_power),
    )  # fmt: skip
    aside = head.mask & ~part.cells
    panels = [_weights(head, faded=aside, bar=_("weight")), mass]
    if part.renormalised is None or part.output is None or part.output_change is None:
        return compose(panels, largest_unit=64, laptop_height=UNDER_CHOICES)
    again = _map(
        head, "renormalised", part.renormalised, _("renormalised"), mask=head.mask, faded=aside,
        hover=Hover(_("renormalised weight"), extra=Extra([(_("weight"), head.weights)])),
        operator=_("divide"), ramp=ColourScale(bar=_("weight"), power=head.ramp_power),
    )  # fmt: skip
    output = replace(
        _output(head, operator="· V =", names_rows=True), name="kept output", title=_("output of the kept"),
        values=part.output, side_bars=_output_changes(head, part.output_change),
    )  # fmt: skip
    return compose([*panels, again, output], largest_unit=56)


def ablation(head: HeadMatrices) -> Spec:
    """Draw the weights, the weights without one key, the output without it, and the difference of weights."""
    if (part := head.ablation) is None:
        raise ValueError("the picture needs a head without a key; got one with all")
    mask = head.mask.copy()
    mask[:, part.key] = False
    weights = _weights(head, marked=(None, part.key), bar=_("weight"))
    less = _map(
        head, "weights without", part.weights, _("without it"), mask=mask,
        ramp=ColourScale(bar=_("weight"), power=head.ramp_power),
    )  # fmt: skip
    output = replace(
        _output(head, operator="· V =", names_rows=True), name="output without", title=_("output without it"),
        values=part.output, side_bars=_output_changes(head, part.output_change),
    )  # fmt: skip
    change = less.minus(weights, _("without − with"), limit=1.0)
    return compose([weights, less, output, change], largest_unit=56)
