"""The tab "Batch": several sentences at once, padded to one length, with a mask for each."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attn_core import Check, compare
from attn_figures.batch import batch as picture
from attn_live.packing import pack
from attn_ui.base.markdown import listed
from attn_ui.base.page import Slider
from attn_ui.base.parameters import shown
from attn_ui.base.shared_settings import HEAD
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_words import _, _n, paragraph
from pages.multi_head import words
from pages.multi_head.batch import MOST_SENTENCES, MOST_WORDS, PAD, Batch, batch_of
from pages.multi_head.compute import Now, array
from pages.multi_head.settings import BATCH, CASE, EXAMPLES, HEADS_MASK
from pages.multi_head.tabs.checks import table


def show(now: Now) -> None:
    """Draw one head's map in each sentence, and say every shape."""
    if now.setting.case in EXAMPLES or not now.is_self_attention:
        st.markdown(
            paragraph(
                _(":material/edit: A batch is made of sentences that attend to themselves."),
                _(
                    "Choose *{option}* as the example, without a second sentence.",
                    option=shown(CASE, "own sentence"),
                ),
            )
        )
        return
    st.markdown(
        _(
            "Models compute **many sentences at once**. Shorter ones are filled up with padding, so that all "
            "have one shape; a **mask for each sentence** keeps the padding from being attended to."
        )
    )
    text = controls.line(
        BATCH,
        _("Sentences, with a slash between them"),
        help=_(
            "Up to {sentences} sentences of up to {words} words are taken.",
            sentences=MOST_SENTENCES,
            words=MOST_WORDS,
        ),
    )
    try:
        found = batch_of(now, text)
    except ValueError as error:
        st.caption(
            _(
                ":material/edit: {problem}. Up to {sentences} are drawn.",
                problem=str(error).capitalize(),
                sentences=MOST_SENTENCES,
            )
        )
        return
    weights, mask = array(found.result.weights), np.asarray(found.mask[:, 0])
    live_figure(
        pack([picture.spec(found.tokens, weights[:, head], mask) for head in range(now.n_head)]),
        key="sentences",
        alt=_("One map a sentence, all of one size; keys that are padding are hatched"),
        name="batch",
        slider=Slider(_("Head"), replace(HEAD, values=HEAD.values[: now.n_head])),
        says=[said(found, head) for head in range(now.n_head)],
    )
    st.markdown(shapes(found))
    if setting_mask(now):
        st.caption(
            _(
                ":material/info: The mask “{mask}” of the sidebar is of one sentence; here only *{causal}* "
                "counts beside the padding.",
                mask=shown(HEADS_MASK, now.setting.mask),
                causal=shown(HEADS_MASK, "causal"),
            )
        )
    st.markdown(_("**Checked just now**"))
    st.markdown(table(checks(now, found)))


def setting_mask(now: Now) -> bool:
    """Whether the sidebar asks for a mask that a batch does not take."""
    return now.setting.mask not in ("none", "causal")


def said(found: Batch, head: int) -> str:
    """Say what is padded, and what its mask prevents in one head."""
    n = len(found.tokens[0])
    if not found.is_padded:
        return _(
            "All sentences have {tokens}, so there is no padding, and nothing of it to mask.",
            tokens=words.tokens(n),
        )
    padded = [at for at, length in enumerate(found.lengths) if length < n]
    most = max(padded, key=lambda at: float(found.wasted[at, head]))
    return paragraph(
        _n(
            "Sentence {sentences} is filled up to {tokens}.",
            "Sentences {sentences} are filled up to {tokens}.",
            len(padded),
            sentences=listed([str(at + 1) for at in padded]),
            tokens=words.tokens(n),
        ),
        _(
            "Without the mask, head {head} would give padding **{wasted}** of the weight of a word in "
            "sentence {sentence}, on average; with it, 0.",
            head=head + 1,
            wasted=f"{float(found.wasted[most, head]):.3f}",
            sentence=most + 1,
        ),
        _("Rows of {padding} are computed all the same, and nobody reads them.", padding=PAD),
    )


def shapes(found: Batch) -> str:
    """Return a table of every stage's axes and shape, read from the tensors."""
    result = found.result
    rows = [
        ("X", "B, n, d_model", found.x),
        (_("Q, K and V"), "B, n_head, n, d_head", result.query),
        (_("mask of the padding"), "B, 1, n, n", found.mask),
        (_("scores and weights"), "B, n_head, n, n", result.weights),
        (_("output"), "B, n, d_out", result.output),
    ]
    lines = [f"| {_('Step')} | {_('Axes')} | {_('Shape')} |", "|:--|:--|:--|"]
    lines += [
        f"| {name} | `{axes}` | `{', '.join(str(size) for size in tensor.shape)}` |"
        for name, axes, tensor in rows
    ]
    return "\n".join(lines)


def checks(now: Now, found: Batch) -> list[Check]:
    """Hold each sentence in the batch against itself alone, and all against torch."""
    result, module = found.result, now.module
    alone = []
    for at, length in enumerate(found.lengths):
        bias = None if found.bias is None else found.bias[:, :length, :length]
        own = module(found.x[at, :length], attn_mask=bias, is_causal=now.setting.mask == "causal")
        alone.append(own.output)
    together = torch.cat([result.output[at, :length] for at, length in enumerate(found.lengths)])
    mask = found.mask if found.bias is None else found.bias.masked_fill(~found.mask, -torch.inf)
    sums = torch.stack([result.weights[at, :, :, length:].sum() for at, length in enumerate(found.lengths)])
    return [
        compare(_("each sentence's output is what it is alone"), together, torch.cat(alone)),
        compare(
            _("and that of torch's fused attention with the same mask"),
            result.output,
            module.fast(found.x, attn_mask=mask),
        ),
        compare(_("padding gets no weight"), sums, torch.zeros_like(sums)),
    ]
