"""What decides a claim, drawn: true means, bands of one deviation, the place that is marked."""

import numpy as np

from attn_figures.claims import measure_charts
from tests.plotly_figure import as_plotly

X = [1.0, 2.0, 4.0]
MEASURES = {
    "lost": {"a": np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 5.0]]), "b": np.array([[0.0, 1.0, 2.0]])},
    "steps": {"a": np.array([[1.0, 10.0, 100.0], [1.0, 1000.0, 100.0]])},
}


def test_claim_curves_are_means_with_one_standard_deviation() -> None:
    figure = as_plotly(
        measure_charts("tokens", X, MEASURES, 1, is_log=True, logarithmic={"lost": False, "steps": True})
    )
    drawn = {trace.name: trace for trace in figure.data}
    assert list(drawn["lost, a"].y) == [2.0, 2.0, 4.0]
    deviation = 2**0.5
    np.testing.assert_allclose(
        drawn["lost, a: ± 1 sd"].y,
        [2 - deviation, 2.0, 4 - deviation, 4 + deviation, 2.0, 2 + deviation],
    )
    assert "lost, b: ± 1 sd" not in drawn
    assert [*drawn["lost, b here"].x, *drawn["lost, b here"].y] == [2.0, 1.0]
    np.testing.assert_allclose(drawn["steps, a"].y, [1, 100, 100])  # geometric, as its axis is


def test_claim_chosen_measures_stay_within_their_axes() -> None:
    figure = as_plotly(measure_charts("tokens", X, MEASURES, 0, is_log=False, logarithmic={"steps": True}))
    assert {trace.name.partition(",")[0] for trace in figure.data} == {"steps"}
    low, high = figure.layout.yaxis.range
    band = np.log10([each for trace in figure.data for each in trace.y])
    assert low <= band.min()
    assert high >= band.max()
