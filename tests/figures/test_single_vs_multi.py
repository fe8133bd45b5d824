"""The pictures of one head against many: what is drawn is what was given."""

import numpy as np
import plotly.graph_objects as go

from attn_figures.single_vs_multi import LEAST, HeadCountStudy, HeadFit, Spread, fitting, single_vs_multi
from tests.plotly_figure import as_plotly

RANDOM = np.random.default_rng(3)
COUNTS = (1, 2, 3, 6)


def traces(figure: go.Figure) -> dict[str, go.Scatter]:
    found = {trace.name: trace for trace in figure.data}
    assert len(found) == len(figure.data)
    return found


def compared() -> HeadCountStudy:
    return HeadCountStudy(
        COUNTS, [9] * 4, [10, 11, 12, 15], *(Spread.of(RANDOM.random((5, 4))) for _ in range(3))
    )


def test_head_count_bars_are_one_standard_deviation() -> None:
    values = RANDOM.random((5, 4))
    spread = Spread.of(values)
    np.testing.assert_allclose(spread.mean, values.mean(axis=0))
    np.testing.assert_allclose(spread.high - spread.low, 2 * values.std(axis=0, ddof=1))
    each = compared()
    drawn = traces(as_plotly(single_vs_multi(each, {}, highlight=2, layer=0, way="")))
    assert not any("residual" in name for name in drawn)
    bars = drawn["entropy (nats) ± 1 sd"]
    np.testing.assert_allclose(bars.x, np.repeat(COUNTS, 3))
    np.testing.assert_allclose(np.reshape(bars.y, (4, 3))[:, 0], each.entropy.low)
    np.testing.assert_allclose(np.reshape(bars.y, (4, 3))[:, 1], each.entropy.high)
    np.testing.assert_allclose(drawn["rank of the scores"].y, each.score_rank.mean)
    assert list(drawn["FLOPs here"].x) == [3]
    assert list(drawn["FLOPs here"].y) == [12]


def test_head_count_distances_mark_the_layer_in_every_way() -> None:
    values = {way: 10.0 ** -(5 * RANDOM.random((4, 6, 13))) for way in ("without", "with")}
    spreads = {way: [Spread.of_powers(each) for each in heads] for way, heads in values.items()}
    drawn = traces(as_plotly(single_vs_multi(compared(), spreads, highlight=1, layer=4, way="with")))
    for way, heads in values.items():
        for count, each in zip(COUNTS, heads, strict=True):
            curve = drawn[f"{way}, {count} heads" if count > 1 else f"{way}, 1 head"]
            np.testing.assert_allclose(curve.y, np.exp(np.log(each).mean(axis=0)))
            assert (curve.line.dash == "dot") == (way == "without")
        np.testing.assert_allclose(drawn[f"{way}, these heads"].y, spreads[way][1].mean)
        np.testing.assert_allclose(drawn[f"{way}, one head"].y, spreads[way][0].mean)
    assert list(drawn["these heads here"].x) == [4]
    np.testing.assert_allclose(drawn["these heads here"].y, spreads["with"][1].mean[4:5])
    np.testing.assert_allclose(drawn["these heads ± 1 sd"].y[:13], spreads["with"][1].low)
    other = as_plotly(single_vs_multi(compared(), spreads, highlight=0, layer=4, way="with"))
    assert list(traces(other)) == list(drawn)  # the steps of a moving figure have the same traces
    assert float(Spread.of_powers([[0.0], [0.0]]).mean[0]) == LEAST


def test_head_count_one_alone_is_drawn_once() -> None:
    alone = HeadCountStudy((1,), [9], [10], *(Spread.of(RANDOM.random((5, 1))) for _ in range(3)))
    ways = {"with": [Spread.of_powers(RANDOM.random((6, 13)))]}
    figure = as_plotly(single_vs_multi(alone, ways, highlight=0, layer=12, way="with"))
    np.testing.assert_allclose(traces(figure)["with, one head"].y, ways["with"][0].mean)
    assert sum("1 head" in str(note.text) for note in figure.layout.annotations) == 1


def test_fitting_shows_errors_and_maps_of_the_step() -> None:
    fits = [
        HeadFit(heads, RANDOM.random((3, 5)) + 0.1, RANDOM.dirichlet(np.ones(4), size=(5, heads, 2)))
        for heads in (1, 2, 4, 8)
    ]
    figure = as_plotly(fitting([0, 5, 10, 15, 20], fits, 3, floor=0.5, queries=["3", "4"]))
    drawn = traces(figure)
    for fit in fits:
        name = "1 head" if fit.num_heads == 1 else f"{fit.num_heads} heads"
        np.testing.assert_allclose(drawn[name].y, np.exp(np.log(fit.losses).mean(axis=0)))
        assert list(drawn[f"{name} here"].x) == [15]
    np.testing.assert_allclose(np.asarray(drawn["weights, head 2 of 2"].z), fits[1].weights[3, 1])
    np.testing.assert_allclose(np.asarray(drawn["weights, head 1 of 1"].z), fits[0].weights[3, 0])
    assert list(drawn["least with one head"].y) == [0.5, 0.5]
