"""The tab Break it: the mistakes that go around, and what finds them."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

import attn_core
from attn_core.scores import DOT
from attn_figures.numbers import number
from attn_figures.single_head import mistake_picture
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import checks_table
from attn_words import _, _c, _n, paragraph
from pages.single_head.compute import Now
from pages.single_head.settings import MISTAKE


def show(now: Now) -> None:
    """Show one mistake beside the right map, their difference, and which check fails."""
    name = controls.choose(MISTAKE, _("Mistake"), width=360)
    mistake = attn_core.ATTENTION_MISTAKES[name]
    head = now.head
    mask, note = _mask_for(mistake.needs, now)
    right = attn_core.scaled_dot_product_attention(head.query, head.key, head.value, mask)
    broken = mistake.attend(head.query, head.key, head.value, mask)
    st.markdown(paragraph(_(mistake.what), _(mistake.why)))
    live_figure(
        [
            mistake_picture.spec(
                np.asarray(right.weights),
                np.asarray(broken.weights),
                (np.asarray(mask), np.asarray(mask if broken.mask is None else broken.mask)),
                queries=head.queries,
                keys=head.keys,
            )
        ],
        key="broken",
        alt=_(
            "The right weights, the weights with the mistake {name}, and their difference",
            name=shown(MISTAKE, name),
        ),
        name=f"mistake {name}",
    )
    audits = {
        title: attn_core.audit_attention(result, head.query, head.key, head.value, mask)
        for title, result in (("right", right), ("broken", broken))
    }
    changes = (broken.weights - right.weights).abs()
    largest, lost = float(changes.nan_to_num(nan=0.0).max()), int(changes.isnan().sum())
    failed = [_(check.name) for check in audits["broken"] if not check.passed]
    leaked = broken.weights[~mask & (broken.weights > 0)].tolist()
    st.markdown(paragraph(verdict(largest, failed, _(mistake.breaks), lost=lost), leaks(leaked)))
    titles = {"right": _c("attention", "right"), "broken": _c("attention", "broken")}
    st.markdown(
        checks_table(
            [_(check.name) for check in audits["right"]],
            {
                titles[title]: [(check.passed, check.verdict) for check in audited]
                for title, audited in audits.items()
            },
        )
    )
    gaps = _("Empty cells are not numbers.") if bool(broken.weights.isnan().any()) else ""
    here = _("Here the scale is 1/√d_k and the temperature 1.")
    if now.scoring.score != DOT:
        here = _("Here the score is the dot product, the scale 1/√d_k and the temperature 1.")
    st.caption(paragraph(here, note, gaps))


def verdict(largest: float, failed: Sequence[str], breaks: str, *, lost: int = 0) -> str:
    """Say what a mistake changed, and which checks find it.

    Args:
        largest: change of a weight that is still a number; lost: how many are none.
        failed: the names of the checks that fail, as they are shown.
        breaks: what the mistake breaks where it shows, likewise.
    """
    if not failed:
        if largest:
            told = _(
                "On these numbers the mistake changes no weight by more than {most} and every check holds, "
                "which is how it survives.",
                most=number(largest, 2),
            )
        else:
            told = _(
                "On these numbers the mistake changes nothing and every check holds, which is how it "
                "survives."
            )
        return paragraph(told, _("On others it breaks this: {check}.", check=breaks))
    if not lost:
        told = _("The largest change of a weight is {change}.", change=number(largest, 3))
    elif largest:
        told = _n(
            "{count} weight is no number any more; others change by up to {change}.",
            "{count} weights are no numbers any more; others change by up to {change}.",
            lost,
            change=number(largest, 3),
        )
    else:
        told = _n("{count} weight is no number any more.", "{count} weights are no numbers any more.", lost)
    return paragraph(told, _("What fails now: {checks}.", checks=_("; ").join(failed)))


def leaks(weights: Sequence[float]) -> str:
    """Say how many masked pairs have weight all the same; "" where none has.

    >>> leaks([0.25, 0.5])
    'Marked: 2 masked pairs that have weight all the same, up to 0.5.'
    """
    if not weights:
        return ""
    return _n(
        "Marked: {count} masked pair that has weight all the same, {most}.",
        "Marked: {count} masked pairs that have weight all the same, up to {most}.",
        len(weights),
        most=number(max(weights), 3),
    )


def _mask_for(needs: str, now: Now) -> tuple[torch.Tensor, str]:
    """The mask on the screen where the mistake shows with it, else one with which it does."""
    mask = now.mask
    if needs == "mask" and bool(mask.all()):
        causal = attn_core.causal_mask(*mask.shape)
        return causal, _("This mistake needs a mask, so a causal one is used here.")
    if needs == "masked row" and bool(mask.any(dim=-1).all()):
        mask = mask.clone()
        mask[now.cell[0]] = False
        return mask, _("This mistake needs a row with every key masked: here it is the selected query's.")
    return mask, ""
