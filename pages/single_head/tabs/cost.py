"""The tab Cost: operations and memory of attention, and the savings of a mask."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from attn_core import AttentionCost, attention_cost, linear_attention_cost, sliding_window_mask
from attn_figures.matrix import Numbers
from attn_figures.scale_study import COSTS, cost_picture
from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.state import with_exact_value
from attn_ui.screen.tables import table
from attn_words import _
from pages.single_head.compute import Result
from pages.single_head.settings import COST_WINDOW

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
TOKENS, WIDTH = 128, 64  # of the example


def pairs(n: int, window: int) -> int:
    """Count the pairs of n tokens, each of which attends to itself and to `window` tokens before it."""
    return int(sliding_window_mask(n, window, is_causal=True).sum())


def curves_of(*sides: Sequence[Sequence[AttentionCost]]) -> dict[str, Numbers]:
    """Return pairs, operations and bytes summed over heads, each (n_side, n_length)."""
    return {
        what: np.array(
            [[sum(getattr(head, name) for head in each) for each in side] for side in sides], float
        )
        for what, name in zip(COSTS, ("pairs", "flops", "bytes"), strict=True)
    }


@shared_scene
def _study(window: Steps) -> Scene:
    full = [attention_cost(n, n, WIDTH, WIDTH) for n in LENGTHS]
    linear = [[linear_attention_cost(n, WIDTH, WIDTH)] for n in LENGTHS]
    figures, captions = [], []
    for wide in map(int, window.values):
        reduced = [attention_cost(n, n, WIDTH, WIDTH, pairs=pairs(n, wide)) for n in LENGTHS]
        curves = curves_of([[each] for each in full], [[each] for each in reduced], linear)
        name = _("window of {count}", count=wide)
        figures.append(cost_picture(LENGTHS, curves, TOKENS, "window", name))
        captions.append(sentence(wide, reduced[-1], full[-1]))
    return Scene(figures, captions=captions)


def show(_result: Result) -> None:
    """Show the cost of one head, and its growth with and without a window."""
    window = with_exact_value(COST_WINDOW)
    st.markdown(
        _(
            "Shown on one head of width {width}: each token attends to all, at quadratic cost, or to itself "
            "and as many before it as the window has. The table is for {count} tokens (dashed).",
            width=WIDTH,
            count=TOKENS,
        )
    )
    live_figure(_study(window), key="cost", name="cost of attention", slider=Slider(_("Window"), window))
    masked = {_("causal mask"): pairs(TOKENS, TOKENS), _("window of {count}", count=16): pairs(TOKENS, 16)}
    costs = {_("full attention"): attention_cost(TOKENS, TOKENS, WIDTH, WIDTH)} | {
        name: attention_cost(TOKENS, TOKENS, WIDTH, WIDTH, pairs=n_pairs) for name, n_pairs in masked.items()
    }
    costs[_("linear")] = linear_attention_cost(TOKENS, WIDTH, WIDTH)
    st.markdown(cost_table(costs))
    st.caption(
        _(
            "A saving is real only where the code skips masked pairs; plain softmax(QKᵀ) computes them all "
            "and discards them. Linear attention computes no pair: after {count} tokens it keeps "
            "{state} numbers, softmax a cache of {cache}.",
            count=TOKENS,
            state=f"{WIDTH * WIDTH + WIDTH:,}",
            cache=f"{2 * WIDTH * TOKENS:,}",
        )
    )


def cost_table(costs: dict[str, AttentionCost]) -> str:
    """Return the costs side by side as a table."""
    rows = {
        _("pairs of query and key"): [each.pairs for each in costs.values()],
        _("floating-point operations"): [each.flops for each in costs.values()],
        _("bytes, at 8 a number"): [each.bytes for each in costs.values()],
    }
    cells = [(name, *(f"{each:,}" for each in counts)) for name, counts in rows.items()]
    return table([_("cost"), *costs], cells, numbers=len(costs))


def sentence(window: int, reduced: AttentionCost, full: AttentionCost) -> str:
    """Say which share of the cost a window leaves at the longest length."""
    return _(
        "At {count} tokens a window of {window} leaves {share} of the pairs.",
        count=f"{LENGTHS[-1]:,}",
        window=window,
        share=f"{reduced.pairs / full.pairs:.1%}",
    )
