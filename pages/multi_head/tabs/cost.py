"""The tab "Cost": the pairs that heads attend to under four masks, and their share of the full cost."""

import streamlit as st

from attn_core import AttentionCost, Masking, attention_cost, make_mask
from attn_figures.scale_study import cost_picture
from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.parameters import label_of
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.state import position
from attn_ui.screen.tables import table
from attn_words import _
from pages.multi_head.compute import Result
from pages.multi_head.settings import COST_LENGTH, HEADS_MASK
from pages.single_head.tabs.cost import curves_of

D_HEAD = 64
LENGTHS = tuple(map(int, COST_LENGTH.values))
# The mask of each head, with its settings and width.
PATTERNS = {
    "causal": (Masking(kind="causal"), 1),
    "sliding window": (Masking(kind="sliding window"), 4),
    "global + local": (Masking(kind="global + local", global_tokens=1), 4),
    "block-sparse": (Masking(kind="block-sparse", random_blocks=1), 8),
}


def show(_result: Result) -> None:
    """Show the pairs that heads with different masks attend to, their cost, and its growth with length."""
    st.markdown(
        _(
            "A pair of query and key that a mask blocks need not be computed: each costs one multiply-add "
            "for every number of the query's product with the key, and one for every number of the value "
            "that is mixed in."
        )
    )
    st.caption(
        _(
            "Shown on an example of its own, whatever the sidebar says: {heads} heads of width {d_head} "
            "with a pattern each, a window of 4 to each side, blocks of 8.",
            heads=len(PATTERNS),
            d_head=D_HEAD,
        )
    )
    live_figure(
        _steps(),
        key="mask-cost",
        name="cost of heads under these patterns",
        slider=Slider(_("Tokens"), COST_LENGTH),
        captions=[
            _(
                "At {tokens} tokens {share} of the pairs are left. The saving is real only where the code "
                "skips masked pairs; plain softmax(QKᵀ) computes them all and discards them.",
                tokens=n,
                share=f"{sum(pairs(n)) / (len(PATTERNS) * n * n):.1%}",
            )
            for n in LENGTHS
        ],
    )
    st.markdown(cost_table(LENGTHS[position(COST_LENGTH)]))


@shared
def pairs(n: int) -> tuple[int, ...]:
    """Return the number of pairs that each head attends to in a text of n tokens."""
    return tuple(int(make_mask(masking, n, n, min(width, n)).sum()) for masking, width in PATTERNS.values())


@shared_scene
def _steps() -> Scene:
    def cost(n: int, n_pairs: int) -> AttentionCost:
        return attention_cost(n, n, D_HEAD, D_HEAD, pairs=n_pairs)

    full = [[cost(n, n * n)] * len(PATTERNS) for n in LENGTHS]
    masked = [[cost(n, n_pairs) for n_pairs in pairs(n)] for n in LENGTHS]
    curves = curves_of(full, masked)
    return Scene([cost_picture(LENGTHS, curves, n, "these patterns", _("these patterns")) for n in LENGTHS])


def cost_table(n: int) -> str:
    """Return a table of each head's pairs and multiply-adds, beside those of full attention."""
    counts = dict(zip((label_of(HEADS_MASK, kind) for kind in PATTERNS), pairs(n), strict=True))
    counts |= {_("**all heads**"): sum(pairs(n)), _("full attention"): len(PATTERNS) * n * n}
    full = [n * n] * len(PATTERNS) + [len(PATTERNS) * n * n] * 2
    rows = [
        (what, f"{n_pairs:,}", f"{n_pairs / whole:.1%}", f"{2 * D_HEAD * n_pairs:,}")
        for (what, n_pairs), whole in zip(counts.items(), full, strict=True)
    ]
    return table([_("mask"), _("pairs"), _("share"), _("multiply-adds")], rows, numbers=3)
