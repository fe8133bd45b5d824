"""The tab Cost: what attention takes, and what a mask could save."""

import numpy as np
import streamlit as st

from attn_core import AttentionCost, Masking, attention_cost, make_mask
from attn_core.scores import DOT
from attn_figures.scale_study import cost_picture
from attn_ui.base.parameters import shown
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import table
from attn_words import _, paragraph
from pages.single_head.compute import Now
from pages.single_head.settings import MASK

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)


@shared
def _pairs(masking: Masking, width: int) -> tuple[int, ...]:
    """Pairs left of n x n, at each length."""
    return tuple(int(make_mask(masking, n, n, width).sum()) for n in LENGTHS)


def show(now: Now) -> None:
    """Show what is computed now, and how it grows."""
    mask, widths = now.walk.mask, (now.head.d_k, now.walk.value.shape[1])
    cost = attention_cost(*mask.shape, *widths, pairs=int(mask.sum()))
    st.markdown(cost_table(cost, attention_cost(*mask.shape, *widths)))
    if now.scoring.score != DOT:
        st.caption(of_another_score(now.scoring.score))
    masking = now.scoring.masking
    pairs = _pairs(masking, now.width)
    each = [
        [attention_cost(n, n, *widths, pairs=count) for n, count in zip(LENGTHS, counts, strict=True)]
        for counts in ([n * n for n in LENGTHS], pairs)
    ]
    curves = {
        "pairs": np.array([[c.pairs for c in row] for row in each], dtype=float),
        "operations": np.array([[c.flops for c in row] for row in each], dtype=float),
        "bytes": np.array([[c.bytes for c in row] for row in each], dtype=float),
    }
    name, masked = f"{masking.kind} mask", _("{mask} mask", mask=shown(MASK, masking.kind))
    if masking.kind == "none":
        name, masked = "no mask", _("no mask")
    live_figure(
        [cost_picture.spec(LENGTHS, curves, max(mask.shape), name, masked)],
        key="cost",
        alt=_("Pairs, operations and bytes over the number of tokens, in full and under the mask"),
        name=f"cost of attention {'no' if masking.kind == 'none' else masking.kind} mask",
    )
    st.markdown(sentence(masking.kind, LENGTHS[-1], pairs[-1]))


def of_another_score(score: str) -> str:
    """Say what is counted where the score is not the dot product."""
    needs_none = _(
        "Without a mask, or with a causal one, linear attention needs no pairs: φ(Q) (φ(K)ᵀV) takes about "
        "4 n d_k d_v operations."
    )
    counted = _("The operations are those of the dot product.")
    return paragraph(counted, needs_none if score == "linear" else "")


def cost_table(cost: AttentionCost, full: AttentionCost) -> str:
    """Compare what the mask leaves with full attention."""
    rows = (
        (_("pairs of query and key"), cost.pairs, full.pairs),
        (_("floating-point operations"), cost.flops, full.flops),
        (_("bytes, at 8 a number"), cost.bytes, full.bytes),
    )
    cells = [(name, f"{one:,}", f"{all_:,}", f"{one / all_:.1%}") for name, one, all_ in rows]
    return table([_("cost"), _("under this mask"), _("full attention"), _("share")], cells, numbers=3)


def sentence(kind: str, longest: int, pairs: int) -> str:
    """Say how the cost grows under a mask that leaves so many pairs of the longest sequence."""
    if kind == "none":
        return _(
            "Without a mask there are n² pairs: twice the tokens make four times as many. The dashed line "
            "marks the present number of tokens."
        )
    if kind == "own":
        return _("A mask of single cells saves no more than those cells, however long the sentence grows.")
    if pairs == longest**2:
        return _("At {count} tokens this mask leaves every pair: nothing is saved.", count=f"{longest:,}")
    return _(
        "At {count} tokens this mask leaves {share} of the pairs. The saving is real only where the code "
        "skips masked pairs; plain softmax(QKᵀ) computes them all and discards them.",
        count=f"{longest:,}",
        share=f"{pairs / longest**2:.1%}",
    )
