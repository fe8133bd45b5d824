"""What a cache with a budget keeps of each head's keys, and what that costs in its output."""

from dataclasses import replace

from attn_figures.eviction import Cache, eviction
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import listed
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.parameters import shown
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import HEAD, KEY, QUERY
from attn_words import N_, _, _n, paragraph
from pages.learned_heads.compute import Result, array, steps_of
from pages.learned_heads.evicted import SINKS, Evicted, runs_of
from pages.learned_heads.found import Found
from pages.learned_heads.settings import FLOW_TAB, POLICY
from pages.learned_heads.state import Evicting

_POLICIES = {
    "window": N_("The window keeps the latest keys."),
    "StreamingLLM": N_("StreamingLLM keeps the first {sinks} keys and the latest (Xiao et al., 2024)."),
    "H2O": N_(
        "H2O keeps the latest half of the budget and, of the others, the keys that have had most weight so "
        "far (Zhang et al., 2023)."
    ),
}


def view(controls: Controls, asked: Evicting) -> View[Found]:
    """Draw every budget of one policy."""
    steps = steps_of(asked.setting.recipe)
    at = steps.nearest(controls.value(steps))
    found = evicted(asked, at)
    slider = found.slider
    found = replace(found, budget=int(slider.values[slider.nearest(controls.value(slider))]))
    figure = Figure(
        _drawn(asked, at),
        key="eviction",
        alt=_("Every head's map, hatched where a key is not in the cache, and the errors by budget"),
        name=f"eviction by {asked.policy}, {asked.setting.recipe.task}",
        slider=Slider(
            _("Budget"), slider, [_n("{count} key", "{count} keys", int(budget)) for budget in slider.values]
        ),
        chosen={"query": QUERY, "key": KEY, "head": HEAD},
    )
    return View(found, figure, notes=[Small(_about(found))], tabs=FLOW_TAB)


def evicted(asked: Evicting, at: int) -> Evicted:
    """Return all heads of a toy under a policy."""
    setting = asked.setting
    return Evicted(Result(setting, at), asked.policy, runs_of(setting, at))


@shared_scene
def _drawn(asked: Evicting, at: int) -> Scene:
    found = evicted(asked, at)
    steps = [replace(found, budget=budget) for budget in range(1, found.n + 1)]
    return Scene(LazyMap(lambda step: eviction.spec(cache(step)), steps), captions=LazyMap(_say, steps))


def cache(found: Evicted) -> Cache:
    """Hand one budget to the figures."""
    result = found.result
    heads = range(result.n_head)
    return Cache(
        found.budget,
        found.policy,
        [result.head(head) for head in heads],
        [
            _(
                "head {number}: error {error}",
                number=result.number(head),
                error=f"{float(found.errors[head]):.3f}",
            )
            for head in heads
        ],
        result.symbols,
        array(found.weights),
        found.kept.numpy(),
        {policy: array(errors) for policy, errors in found.means.items()},
        {policy: shown(POLICY, policy) for policy in found.runs},
    )


def _about(run: Evicted) -> str:
    """Say how the policy chooses, and what the error is of."""
    return paragraph(
        _(_POLICIES[run.policy], sinks=min(SINKS, run.budget - 1)),
        _(
            "A token's own key is never evicted; what is evicted does not come back. The error is of each "
            "head's output, as a share of its size, on the queries, keys and values of the full run."
        ),
    )


def _say(run: Evicted) -> str:
    """Say what a budget costs by each policy, the one on screen first."""
    names = [run.policy, *(name for name in run.means if name != run.policy)]
    errors = [f"{shown(POLICY, name)} **{float(run.means[name][run.budget - 1]):.3f}**" for name in names]
    return _(
        "Budget {budget} of {n} keys, mean error of the heads: {errors}.",
        budget=run.budget,
        n=run.n,
        errors=listed(errors),
    )
