"""The figure of a mistake: right, broken and their difference, with what is masked or lost."""

from typing import Any

import numpy as np
import pytest

from attn_core.mistakes import ATTENTION_MISTAKES, MULTI_HEAD_MISTAKES, POSITION_MISTAKES
from attn_core.mistakes.record import LabelledMap, Mistake
from attn_figures.mistakes import right_and_broken
from tests.core.test_mistakes import ALL
from tests.plotly_figure import as_plotly


def by_name(mistake: Mistake[Any]) -> dict[str, Any]:
    return {trace.name: trace for trace in as_plotly(right_and_broken(*mistake.maps)).data}


def numbers(trace: Any) -> Any:
    return np.asarray(trace.z, dtype=float)


@pytest.mark.parametrize("name", ALL)
def test_mistake_maps_mark_weight_against_the_mask(name: str) -> None:
    right, broken = ALL[name].maps
    traces = by_name(ALL[name])
    for each, drawing in (("right", right), ("broken", broken)):
        values = np.asarray(drawing.values, dtype=float)
        told = numbers(traces[each])
        hidden = np.isnan(told)
        np.testing.assert_allclose(told[~hidden], values[~hidden])
        assert not values[hidden & ~np.isnan(values)].any()
    if right.values.shape != broken.values.shape:
        assert "difference" not in traces
        return
    apart = np.asarray(broken.values - right.values, dtype=float)
    difference = numbers(traces["difference"])
    shown = ~np.isnan(difference)
    np.testing.assert_allclose(difference[shown], apart[shown], atol=1e-12)
    assert not apart[~shown & ~np.isnan(apart)].any()
    if right.mask is not None:
        leaking = np.asarray(~right.mask & (broken.values > 0))
        np.testing.assert_array_equal(np.isfinite(numbers(traces["broken leaking"])), leaking)
        assert "masked" in traces["broken leaking"].hovertemplate


def test_mistake_nan_is_a_gap() -> None:
    assert np.isnan(numbers(by_name(ATTENTION_MISTAKES["unguarded-softmax"])["broken"])[0]).all()


def test_mistake_maps_share_a_ramp_of_weights_for_shares_only() -> None:
    for mistake, ends in ((ATTENTION_MISTAKES["no-scale"], (0, 1)), (POSITION_MISTAKES["split pairs"], None)):
        figure = as_plotly(right_and_broken(*mistake.maps))
        axes = [figure.layout[trace.coloraxis] for trace in figure.data if trace.name in ("right", "broken")]
        largest = max(float(each.values.abs().max()) for each in mistake.maps)
        assert {(axis.cmin, axis.cmax) for axis in axes} == {ends or (-largest, largest)}


def test_mistake_of_heads_and_words_has_both_maps() -> None:
    right, broken = MULTI_HEAD_MISTAKES["split without transpose"].maps
    figure = as_plotly(right_and_broken(right, broken))
    titles = [each.text for each in figure.layout.annotations if each.text]
    assert sum("4 × 4" in each for each in titles) == 1
    assert {"Query", "Key", "Head"} <= {*titles, *right.titles, *broken.titles}


def test_mistake_small_difference_is_drawn_around_zero() -> None:
    values = ATTENTION_MISTAKES["no-scale"].maps[0].values
    one, two = (LabelledMap(each, "abcdef", "abcdef") for each in (values, values + 0.02))
    axis = as_plotly(right_and_broken(one, two)).layout["coloraxis2"]
    np.testing.assert_allclose((axis.cmin, axis.cmax), (-0.02, 0.02))
