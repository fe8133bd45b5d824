"""Pictures of one head against many: measures by the number of heads, and fits with each number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attn_figures import theme
from attn_figures.chart import Chart, ticks
from attn_figures.frame import Side
from attn_figures.marks import Mark, area, line, points, readings, upright
from attn_figures.matrix import Matrix, Numbers, comma
from attn_figures.numbers import power_of_ten
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_words import N_, _, _n

LIGHT = theme.LIGHT
ONE, MANY, OTHERS = LIGHT.series[1], LIGHT.series[0], theme.rgba(LIGHT.muted, 0.45)
PHONE_HEIGHT = 640  # pixels of all charts on a phone, two on a line
PARAMETERS, ENTROPY, RANK = N_("parameters"), N_("entropy (nats)"), N_("rank")
SCORE_RANK, WEIGHT_RANK = N_("rank of the scores"), N_("effective rank of the weights")
LEAST = 1e-12  # a smaller distance, as a share of the vectors' size, is rounding


@dataclass(frozen=True, eq=False)
class Spread:
    """Numbers over seeds: the mean, and one standard deviation to each side, each (n,)."""

    low: Numbers
    mean: Numbers
    high: Numbers

    @classmethod
    def of(cls, values: ArrayLike) -> "Spread":
        """Return mean and sample standard deviation over the first axis of (n_seed, n), n_seed at least two.

        >>> each = Spread.of([[1.0], [2.0], [3.0]])
        >>> each.low.tolist(), each.mean.tolist(), each.high.tolist()
        ([1.0], [2.0], [3.0])
        """
        values = np.asarray(values, dtype=np.float64)
        mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1)
        return cls(mean - deviation, mean, mean + deviation)

    @classmethod
    def of_powers(cls, values: ArrayLike) -> "Spread":
        """Return the spread of the logarithms, as powers of ten: the mean is the geometric one.

        Values below `LEAST` count as `LEAST`.

        >>> Spread.of_powers([[1.0], [100.0]]).mean.tolist()
        [10.0]
        """
        powers = cls.of(np.log10(np.maximum(np.asarray(values, dtype=np.float64), LEAST)))
        return cls(10**powers.low, 10**powers.mean, 10**powers.high)


@dataclass(frozen=True, eq=False)
class HeadCountStudy:
    """Measures for each number of heads: exact ones (n_count,), and some with a spread over seeds."""

    num_heads: Sequence[int]
    parameters: Sequence[int]
    flops: Sequence[int]
    entropy: Spread
    score_rank: Spread
    effective_rank: Spread


def single_vs_multi(
    study: HeadCountStudy, distances: Mapping[str, Sequence[Spread]], *, highlight: int, layer: int, way: str
) -> Spec:
    """Draw parameters, FLOPs, entropy and ranks against the number of heads, and distances over the layers.

    Args:
        distances: for each way to stack layers, by its name, a message, one spread (n_layers + 1,) for each
            number of heads; empty if layers cannot be stacked.
        highlight: the index of the number of heads that stands out beside one head.
        way: the name of the way that is drawn with its spread; the others are dotted.
    """
    counts = study.num_heads
    panels: list[Panel] = [
        _against_heads(PARAMETERS, counts, highlight, [(PARAMETERS, study.parameters, MANY)]),
        _against_heads("FLOPs", counts, highlight, [("FLOPs", study.flops, MANY)]),
        _against_heads(ENTROPY, counts, highlight, [(ENTROPY, study.entropy, MANY)]),
        _against_heads(
            RANK,
            counts,
            highlight,
            [(SCORE_RANK, study.score_rank, LIGHT.series[3]), (WEIGHT_RANK, study.effective_rank, MANY)],
        ),
    ]
    if distances:
        panels.append(_distances(distances, counts, highlight, layer, way))
    return compose(panels, largest_unit=40.0, phone_height=PHONE_HEIGHT)


def _against_heads(
    name: str,
    counts: Sequence[int],
    highlight: int,
    curves: Sequence[tuple[str, Sequence[int] | Spread, str]],
) -> Chart:
    traces: list[Mark] = []
    lowest, highest = np.inf, 0.0
    for label, values, colour in curves:
        hover = readings((_("heads"), "%{x}"), (_(label), "%{y:,.6~g}"))
        if isinstance(values, Spread):
            mean = values.mean
            lowest, highest = min(lowest, float(values.low.min())), max(highest, float(values.high.max()))
            traces.append(_bars(f"{label} ± 1 sd", counts, values, colour))
        else:
            mean = np.array(values, dtype=np.float64)
            lowest, highest = 0.0, max(highest, float(mean.max()))
        traces += [
            line(label, counts, mean, colour, width=1.5, dots=6, hover=hover, label=_(label)),
            points(f"{label} here", [counts[highlight]], [mean[highlight]], colour, size=11),
        ]
    # Entropies lie close together: their axis does not begin at 0, so that the bars are visible.
    room = max(highest - lowest, highest / 10) / 4
    floor = lowest - room if len(curves) == 1 and lowest > highest / 2 else 0.0
    return Chart(
        name,
        traces,
        columns=7,
        rows=4,
        x_title=_("Heads"),
        y_title=_(name),
        x={
            "type": "log",
            **ticks(list(counts), [str(each) for each in counts]),
            "range": [np.log10(0.8), np.log10(counts[-1] * 1.25)],
            "showgrid": False,
        },
        y={
            "range": [floor, highest + 0.15 * (highest - floor) or 1.0],
            "tickformat": "~s" if highest >= 10_000 else "~g",
            "nticks": 5,
        },
        legend=[(_("scores"), curves[0][2]), (_("weights"), curves[-1][2])] if len(curves) > 1 else (),
    )


def _bars(name: str, x: Sequence[int], spread: Spread, colour: str) -> Mark:
    """Return error bars: at each x an upright stroke from low to high, then a gap."""
    gap = np.full(len(x), np.nan)
    ends = np.stack([spread.low, spread.high, gap], axis=-1).ravel()
    return line(name, np.repeat(np.array(x, dtype=np.float64), 3), ends, colour, width=3.0)


def _band(name: str, x: Numbers, spread: Spread, colour: str) -> Mark:
    outline = np.concatenate([x, x[::-1]]), np.concatenate([spread.low, spread.high[::-1]])
    return area(name, *outline, theme.rgba(colour, 0.18))


def _distances(
    distances: Mapping[str, Sequence[Spread]], counts: Sequence[int], highlight: int, layer: int, way: str
) -> Chart:
    layers = np.arange(len(distances[way][0].mean), dtype=np.float64)
    marked = ((N_("one head"), 0, ONE), (N_("these heads"), highlight, MANY))
    traces: list[Mark] = []
    for name, spreads in distances.items():
        dash, label = "solid" if name == way else "dot", _(name)
        for heads, spread in zip(counts, spreads, strict=True):
            hover = _n(
                "{count:,} head, {way}<br>after layer {layer}: <b>{number}</b> of their size",
                "{count:,} heads, {way}<br>after layer {layer}: <b>{number}</b> of their size",
                heads,
                way=label,
                layer="%{x}",
                number="%{y:.3~g}",
            )
            curve, of_heads = f"{name}, {_trace_name(heads)}", f"{label}{comma()}{_heads(heads)}"
            traces.append(
                line(curve, layers, spread.mean, OTHERS, width=1.2, dash=dash, hover=hover, label=of_heads)
            )
        for who, place, colour in marked:
            width = 3.0 if name == way else 1.2
            traces.append(
                line(
                    f"{name}, {who}",
                    layers,
                    spreads[place].mean,
                    colour,
                    width=width,
                    dash=dash,
                    label=f"{label}{comma()}{_(who)}",
                )
            )
    here = slice(layer, layer + 1)
    for who, place, colour in marked:
        spread = distances[way][place]
        traces.append(_band(f"{who} ± 1 sd", layers, spread, colour))
        traces.append(points(f"{who} here", layers[here], spread.mean[here], colour, size=11))
    return Chart(
        "distance",
        traces,
        columns=16,
        rows=5,
        x_title=_("Layers"),
        y_title=_("Distance of tokens"),
        x={"range": [-0.3, layers[-1] + 0.3], "dtick": 2, "showgrid": False},
        y={"type": "log", "range": [-13.2, 0.6]} | _powers(range(-12, 1, 4)),
        marks=[upright(layer)],
        legend=[
            (_heads(counts[place]), colour) for _who, place, colour in (marked if highlight else marked[1:])
        ]
        + [(_("dotted: {way}", way=_(name)), LIGHT.muted) for name in distances if name != way],
    )


def _trace_name(heads: int) -> str:
    """Return a number of heads in English, for the names of traces."""
    return f"{heads:,} head" if heads == 1 else f"{heads:,} heads"


def _heads(count: int) -> str:
    return _n("{count:,} head", "{count:,} heads", count)


@dataclass(frozen=True, eq=False)
class HeadFit:
    """The errors (n_seed, n_step) of all fits with this number of heads, and the maps of the first seed.

    ``weights`` (n_step, n_head, n_query, n_key).
    """

    num_heads: int
    losses: Numbers
    weights: Numbers


def fitting(
    steps: Sequence[int], fits: Sequence[HeadFit], at: int, *, floor: float, queries: Sequence[str]
) -> Spec:
    """Draw the error over the steps for each number of heads, and maps of the first two fits at one step.

    Args:
        steps: of the optimiser, ascending; at: the index of the step whose maps are drawn.
        fits: one for each number of heads.
        floor: the least error that one head can have.
        queries: the names of the queries; keys are counted from 1.
    """
    x = np.array(steps, dtype=np.float64)
    colours = dict(
        zip([fit.num_heads for fit in fits], (ONE, MANY, LIGHT.series[2], LIGHT.series[3]), strict=True)
    )
    bands, curves, here = [], [], []
    for fit in fits:
        name, label, colour = _trace_name(fit.num_heads), _heads(fit.num_heads), colours[fit.num_heads]
        spread = Spread.of_powers(fit.losses)
        bands.append(_band(f"{name}: ± 1 sd", x, spread, colour))
        hover = readings((_("step"), "%{x}"), (_("mean squared error"), "%{y:.3~g}"), of=label)
        curves.append(line(name, x, spread.mean, colour, width=2.5, hover=hover, label=label))
        here.append(points(f"{name} here", x[at : at + 1], spread.mean[at : at + 1], colour, size=11))
    chart = Chart(
        "error",
        [
            *bands,
            line("least with one head", x[[0, -1]], [floor, floor], LIGHT.muted, width=1.2, dash="dot"),
            *curves,
            *here,
        ],
        columns=16,
        rows=6,
        x_title=_("Step"),
        y_title=_("Mean squared error"),
        x={"range": [-2.0, x[-1] + 2.0], "showgrid": False},
        y={"type": "log"} | _powers(range(-8, 2)),
        marks=[upright(float(steps[at]))],
        legend=[(_heads(heads), colour) for heads, colour in colours.items()],
    )
    keys = [str(key + 1) for key in range(fits[0].weights.shape[-1])]
    maps = [
        Matrix(
            f"weights, head {head + 1} of {fit.num_heads}",
            fit.weights[at, head],
            _("one head")
            if fit.num_heads == 1
            else _("head {number} of {all}", number=head + 1, all=fit.num_heads),
            Side.queries(queries),
            Side.keys(keys),
            names_rows=fit.num_heads == 1,
        )
        for fit in fits[:2]
        for head in range(fit.num_heads)
    ]
    return compose([chart, *maps], largest_unit=40.0)


def _powers(exponents: Iterable[int]) -> dict[str, Any]:
    """Return the settings of a logarithmic axis with ticks at these powers of ten."""
    powers = list(exponents)
    names = ["1" if each == 0 else power_of_ten(each) for each in powers]
    return ticks([10.0**each for each in powers], names)
