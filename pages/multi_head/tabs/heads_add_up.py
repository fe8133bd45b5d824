"""The tab "Heads add up": the output as a sum with one term a head."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attn_figures.contributions import contributions, shares
from attn_figures.scene import Scene
from attn_figures.ties import largest_indices
from attn_ui.base.markdown import coloured
from attn_ui.base.page import Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import QUERY
from attn_ui.base.ties import tie_sentence
from attn_ui.screen.live_figure import live_figure
from attn_words import _, _c, paragraph
from pages.multi_head.compute import Result, array, output_of, sequences, stages
from pages.multi_head.controls import names_of_heads
from pages.multi_head.state import HeadsSetting

MOST_DIMENSIONS = 128  # drawn, at most, of a wide output


def show(result: Result) -> None:
    """Show the contributions of all heads to one token, and which head moves which token most."""
    query, tokens, d_out = result.cell[0], result.tokens.queries, result.attention.output.shape[-1]
    st.markdown(
        _(
            "The output projection is linear, so the output is a **sum with one term a head**: what a head "
            "found, times its own block of W_o. A bias b_o is a term of its own; without W_o each head "
            "fills its own columns. Bars on the right are lengths."
        )
    )
    live_figure(
        _terms(result.setting, result.n_head, tuple(result.off)),
        key="adds-up",
        name="heads add up",
        slider=Slider(_("Token"), replace(QUERY, values=tuple(range(len(tokens)))), names=tokens),
        captions=_sentences(result.setting, result.n_head, tuple(result.off)),
    )
    if d_out > MOST_DIMENSIONS:
        st.caption(
            _(
                "The first {drawn} of {dimensions} dimensions are drawn; lengths are of all.",
                drawn=MOST_DIMENSIONS,
                dimensions=d_out,
            )
        )
    st.caption(_(":material/toggle_off: Switch heads off under the picture."))
    st.markdown(_("**Which head moves which token?** Each row shares out the lengths of what the heads add."))
    live_figure(_shares(result.setting, result.n_head, query), key="shares", name="shares of the heads")


@shared
def _sentences(setting: HeadsSetting, n_head: int, off: tuple[int, ...]) -> list[str]:
    """Say of every token which head adds most to it, and how far the output moves without the heads off."""
    attention = stages(setting, n_head)
    lengths = array(attention.contributions.norm(dim=-1)).T  # (n_query, n_head)
    changes = (output_of(attention, off) - attention.output).norm(dim=-1).tolist()
    sentences = []
    for token, each, output, change in zip(
        sequences(setting).queries, lengths, attention.output, changes, strict=True
    ):
        most, *others = largest_indices(each)
        adds = _(
            "{token}: head {head} adds most, a vector of length {length}; the output has length {whole}.",
            token=coloured("query", token),
            head=most + 1,
            length=f"{each[most]:.3g}",
            whole=f"{float(output.norm()):.3g}",
        )
        moves = _("Without the heads that are off, the output moves by {change}.", change=f"{change:.3g}")
        sentences.append(paragraph(adds, tie_sentence(len(others)), moves if off else ""))
    return sentences


@shared_scene
def _shares(setting: HeadsSetting, n_head: int, marked: int) -> Scene:
    """Return the scene of the contributions' lengths, one row per token, with `marked` framed."""
    lengths = array(stages(setting, n_head).contributions.norm(dim=-1))
    return Scene([shares(lengths.T, sequences(setting).queries, marked=marked)])


@shared_scene
def _terms(setting: HeadsSetting, n_head: int, off: tuple[int, ...]) -> Scene:
    """Return a scene with a figure per token: heads, any bias, the sum (three sums if heads are off)."""
    attention = stages(setting, n_head)
    names = [
        _("{head} (off)", head=name) if h in off else name for h, name in enumerate(names_of_heads(n_head))
    ]
    terms = [*attention.contributions]
    if attention.output_bias is not None:
        terms.append(attention.output_bias.expand_as(attention.output))
        names.append(_("bias"))
    sums = [attention.output]
    names.append(_("output"))
    if off:
        output = output_of(attention, off)
        sums += [output, output - attention.output]
        names[-1:] = [_("all heads"), _c("heads that are off", "without"), _("change")]
    rows = array(torch.stack([*terms, *sums], dim=1))
    lengths = np.linalg.norm(rows, axis=-1)
    panels = rows[..., :MOST_DIMENSIONS]
    return Scene(
        [
            contributions(
                panels[token],
                names,
                lengths[token],
                off=off,
                ramp_end=float(np.abs(panels).max()) or 1.0,
                longest=float(lengths.max()) or 1.0,
                n_sums=len(sums),
            )
            for token in range(len(sequences(setting).queries))
        ]
    )
