"""Which keys of each head a cache with a budget keeps, and the error of the output."""

from dataclasses import replace

from attn_figures.eviction import Cache, eviction
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.parameters import label_of
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import HEAD, KEY, QUERY
from attn_words import _, _n
from pages.learned_heads.compute import Result, array, steps_of
from pages.learned_heads.eviction import SINKS, HeadEviction
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import FLOW_TAB, POLICY
from pages.learned_heads.state import EvictionState


def view(controls: Controls, state: EvictionState) -> View[AnyResult]:
    """Draw every budget of one policy."""
    steps = steps_of(state.setting.recipe)
    at = steps.nearest(controls.value(steps))
    result = HeadEviction(Result(state.setting, at), state.policy)
    slider = result.slider
    result = replace(result, budget=int(slider.values[slider.nearest(controls.value(slider))]))
    figure = Figure(
        _draw(state, at),
        key="eviction",
        name=f"eviction by {state.policy}, {state.setting.recipe.task}",
        slider=Slider(
            _("Budget"), slider, [_n("{count} key", "{count} keys", int(budget)) for budget in slider.values]
        ),
        selection={"query": QUERY, "key": KEY, "head": HEAD},
    )
    return View(result, figure, notes=[Small(_about(result))], tabs=FLOW_TAB)


@shared_scene
def _draw(state: EvictionState, at: int) -> Scene:
    result = HeadEviction(Result(state.setting, at), state.policy)
    steps = [replace(result, budget=budget) for budget in range(1, result.n + 1)]
    return Scene(LazyMap(lambda step: eviction(cache(step)), steps), captions=LazyMap(_caption, steps))


def cache(result: HeadEviction) -> Cache:
    """Return one budget as the figure's value."""
    toy = result.result
    heads = range(toy.n_head)
    return Cache(
        result.budget,
        result.policy,
        [toy.head(head) for head in heads],
        [
            _(
                "head {number}: error {error}",
                number=toy.number(head),
                error=f"{float(result.errors[head]):.3f}",
            )
            for head in heads
        ],
        toy.symbols,
        array(result.weights),
        result.mask.numpy(),
        {policy: array(errors) for policy, errors in result.means.items()},
        {policy: label_of(POLICY, policy) for policy in result.runs},
    )


def _about(run: HeadEviction) -> str:
    """Return the note on how each policy chooses keys, and how the error is measured."""
    return _(
        "StreamingLLM keeps the first {sinks} keys and the latest (Xiao et al., 2024), the window the "
        "latest, H2O the latest half of the budget and those with most weight so far (Zhang et al., 2023). "
        "The error is of each head's output, as a share of its size.",
        sinks=min(SINKS, run.budget - 1),
    )


def _caption(run: HeadEviction) -> str:
    """Return the mean error at a budget by each policy, the chosen policy first."""
    names = [run.policy, *(name for name in run.means if name != run.policy)]
    errors = [f"{label_of(POLICY, name)} **{float(run.means[name][run.budget - 1]):.3f}**" for name in names]
    return _(
        "Budget {budget} of {n} keys, mean error of the heads: {errors}.",
        budget=run.budget,
        n=run.n,
        errors=all_of(errors),
    )
