"""The tab "Cost": the pairs that each head attends to under its mask, and what they cost against all."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attn_core import attention_cost, make_mask
from attn_figures.scale_study import COSTS, cost_picture
from attn_ui.base.parameters import shown
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import table
from attn_words import _, paragraph
from pages.multi_head.compute import Now, allowed, width_of
from pages.multi_head.settings import A_PATTERN_A_HEAD, HEADS_MASK
from pages.multi_head.state import Setting

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)


def show(now: Now) -> None:
    """Show what each head attends to and what that costs, and how both grow with the sentence."""
    counts, full = pairs(now), now.tokens.shape[0] * now.tokens.shape[1]
    st.markdown(
        _(
            "A pair of query and key that a mask blocks need not be computed: each costs one multiply-add "
            "for every number of the query's product with the key, and one for every number of the value "
            "that is mixed in."
        )
    )
    st.markdown(cost_table(now, counts, full))
    setting, d_head = now.setting, now.module.d_head
    if setting.mask == "own" or allowed(setting, now.n_head) is None:
        return
    grown = _pairs_at(setting, now.n_head)
    costs = [
        [attention_cost(n, n, d_head, d_head, pairs=count) for n, count in zip(LENGTHS, head, strict=True)]
        for head in grown
    ]
    full_costs = [attention_cost(n, n, d_head, d_head, n_head=now.n_head) for n in LENGTHS]
    curves = {
        name: np.array(
            [
                [getattr(each, field) for each in full_costs],
                [sum(getattr(head[at], field) for head in costs) for at in range(len(LENGTHS))],
            ],
            dtype=float,
        )
        for name, field in zip(COSTS, ("pairs", "flops", "bytes"), strict=True)
    }
    if setting.mask == A_PATTERN_A_HEAD:
        name, told = "these patterns", _("these patterns")
    else:
        name, told = f"{setting.mask} mask", _("{mask} mask", mask=shown(HEADS_MASK, setting.mask))
    live_figure(
        [cost_picture.spec(LENGTHS, curves, max(now.tokens.shape), name, told)],
        key="mask-cost",
        alt=_(
            "Pairs, operations and bytes of all heads over the number of tokens, in full and under the mask"
        ),
        name=f"cost of heads under {name}",
    )
    st.markdown(sentence(sum(head[-1] for head in grown), full_costs[-1].pairs))


def pairs(now: Now) -> list[int]:
    """Return how many pairs each head attends to."""
    may = allowed(now.setting, now.n_head)
    if may is None:
        return [now.tokens.shape[0] * now.tokens.shape[1]] * now.n_head
    counts: list[int] = may.expand(now.n_head, *may.shape[-2:]).sum(dim=(-2, -1)).tolist()
    return counts


def cost_table(now: Now, counts: list[int], full: int) -> str:
    """Compare each head's pairs and multiply-adds with those of full attention."""
    each = 2 * now.module.d_head
    masked = allowed(now.setting, now.n_head) is not None
    kinds = now.setting.kinds if masked else ("none",)
    rows = [
        (
            _("head {head}", head=head + 1),
            shown(HEADS_MASK, kinds[head % len(kinds)]),
            f"{count:,}",
            f"{count / full:.1%}",
            f"{each * count:,}",
        )
        for head, count in enumerate(counts)
    ]
    total, whole = sum(counts), full * len(counts)
    every = _("**all heads**")
    rows.append((every, "", f"**{total:,}**", f"**{total / whole:.1%}**", f"**{each * total:,}**"))
    none = shown(HEADS_MASK, "none")
    rows.append((_("full attention"), none, f"{whole:,}", "100.0%", f"{each * whole:,}"))
    return table([_("head"), _("mask"), _("pairs"), _("share"), _("multiply-adds")], rows, numbers=3)


def sentence(attended: int, full: int) -> str:
    """Say what is left at the longest length."""
    if attended == full:
        return _("At {tokens} tokens every pair is left: nothing is saved.", tokens=f"{LENGTHS[-1]:,}")
    return paragraph(
        _(
            "At {tokens} tokens {share} of the pairs are left.",
            tokens=f"{LENGTHS[-1]:,}",
            share=f"{attended / full:.1%}",
        ),
        _(
            "The saving is real only where the code skips masked pairs; plain softmax(QKᵀ) computes them all "
            "and discards them."
        ),
    )


@shared
def _pairs_at(setting: Setting, n_head: int) -> tuple[tuple[int, ...], ...]:
    """Pairs of each head at each length, under the widths that it has here."""
    by_kind = {}
    for kind in setting.kinds:
        masking, width = replace(setting.masking, kind=kind), width_of(setting, kind)
        by_kind[kind] = tuple(int(make_mask(masking, n, n, width).sum()) for n in LENGTHS)
    return tuple(by_kind[setting.kinds[head % len(setting.kinds)]] for head in range(n_head))
