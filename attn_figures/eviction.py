"""Pictures of cache eviction: the keys that each head keeps with a budget, and the error that this costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.marks import Mark, line, points, readings, upright
from attn_figures.matrix import PAIRS, Hover, Numbers
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, text_map
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT


@dataclass(frozen=True, eq=False)
class Cache:
    """All heads with one budget, and the errors at every budget.

    Attributes:
        budget: the number of keys in the cache; policy: the name of the policy that is drawn.
        weights: over the keys in the cache, (n_head, n, n); in_cache: True for these keys.
        errors: by policy name, the heads' mean relative error with a budget of 1 to n keys, (n,).
    """

    budget: int
    policy: str
    names: Sequence[str]
    titles: Sequence[str]
    tokens: Sequence[str]
    weights: Numbers
    in_cache: NDArray[np.bool_]
    errors: Mapping[str, Numbers]
    labels: Mapping[str, str]


def eviction(cache: Cache) -> Spec:
    """Draw each head's map, hatched where a key is not in the cache, and errors by budget."""
    panels: list[Panel] = [
        text_map(
            name,
            weights,
            title,
            cache.tokens,
            mask=in_cache,
            pick=replace(PAIRS, part=("head", head)),
            numbered=False,
            hover=Hover(blocked=_("<b>not in the cache</b>: evicted, or not yet written")),
        )
        for head, (name, title, weights, in_cache) in enumerate(
            zip(cache.names, cache.titles, cache.weights, cache.in_cache, strict=True)
        )
    ]
    return compose([*panels, _errors(cache)], phone_height=PHONE_HEIGHT, roomy=ROOMY)


def _errors(cache: Cache) -> Chart:
    n = len(cache.tokens)
    budgets = np.arange(1, n + 1)
    colours = dict(zip(cache.errors, LIGHT.series, strict=False))
    traces: list[Mark] = []
    for policy, errors in cache.errors.items():
        is_own = policy == cache.policy
        hover = readings((_("keys"), "%{x}"), (_("relative error"), "%{y:.4f}"), of=cache.labels[policy])
        traces.append(
            line(
                policy,
                budgets,
                errors,
                colours[policy],
                width=3.0 if is_own else 1.5,
                dash="solid" if is_own else "dot",
                hover=hover,
                label=cache.labels[policy],
            )
        )
    here = cache.errors[cache.policy][cache.budget - 1 : cache.budget]
    traces.append(points("budget here", [cache.budget], here, colours[cache.policy], size=10))
    top = max(float(errors.max()) for errors in cache.errors.values()) or 1.0
    return Chart(
        "error",
        traces,
        columns=max(14.0, 1.3 * n),
        rows=0.85 * n,
        title=_("relative error, mean of the heads"),
        x_title=_("Budget: keys kept"),
        x={"range": [0.5, n + 0.5], "showgrid": False, "nticks": 6},
        y={"range": [-0.04 * top, 1.08 * top], "nticks": 4},
        marks=[upright(float(cache.budget), name="budget")],
        legend=[(cache.labels[policy], colours[policy]) for policy in cache.errors],
    )
