"""The tab "Token by token": what is kept while text is written, and what that saves."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attn_core import Check, DecodingCost, compare, decoding_cost
from attn_figures.shared_heads import writing, writing_cost
from attn_live.packing import pack
from attn_ui.base.markdown import coloured
from attn_ui.base.page import Slider
from attn_ui.base.parameters import shown
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import QUERY
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.state import value
from attn_words import _, _n, paragraph
from pages.multi_head import programs, words
from pages.multi_head.compute import Now, array, biases, sequences, written
from pages.multi_head.settings import TAB
from pages.multi_head.state import Setting
from pages.multi_head.tabs.checks import table
from pages.multi_head.tabs.shared_heads import kv_slider

WIDEST = 32  # dimensions of a head whose keys are drawn


def show(now: Now) -> None:
    """Show the token that is being written, what is kept, and what is computed with and without the cache."""
    if not now.is_self_attention:
        st.markdown(
            paragraph(
                _(":material/edit: Text is written by a sequence that attends to itself."),
                _("Here queries and keys are different sequences; take one sentence to see its cache grow."),
            )
        )
        return
    groups = int(value(kv_slider(now.n_head)))
    st.markdown(
        paragraph(
            _("A model writes one token after the other, and a causal row reads only what came before."),
            _("**Keys and values of earlier tokens never change**, so they are kept: the KV cache."),
        )
    )
    tokens, at = now.tokens.queries, now.cell[0]
    every = costs(now, groups)
    live_figure(
        _steps(now.setting, now.n_head, groups, now.look.head),
        key="writing",
        alt=_("Rows of weights written one after the other, and the keys and values that are kept"),
        name="token by token",
        slider=Slider(_("Token"), replace(QUERY, values=tuple(range(len(tokens)))), names=tokens),
        says=[
            words.writing(
                coloured("query", tokens[place]),
                place,
                cost.cached_flops,
                cost.uncached_flops,
                cost.cache_numbers,
            )
            for place, cost in enumerate(every)
        ],
    )
    st.caption(
        _n(
            "Head {head} of {count}, which reads {shared} of keys and values (*{tab}* sets how many); the "
            "mask is causal, whatever the sidebar says.",
            "Head {head} of {count}, which read {shared} of keys and values (*{tab}* sets how many); the "
            "mask is causal, whatever the sidebar says.",
            now.n_head,
            head=now.look.head + 1,
            shared=words.heads(groups),
            tab=shown(TAB, "Shared heads"),
        )
    )
    live_figure(
        [
            writing_cost.spec(
                [cost.cached_flops for cost in every], [cost.uncached_flops for cost in every], at
            )
        ],
        key="writing-cost",
        alt=_("Operations for each token with the cache and without"),
        name="cost of a token",
    )
    st.markdown(arithmetic(now, groups, at))
    st.markdown(_("**Checked just now**"))
    st.markdown(table(checks(now, groups)))
    if groups == now.n_head:
        st.markdown(_("**In PyTorch**"))
        show_program(programs.token_by_token(now))


def costs(now: Now, groups: int) -> list[DecodingCost]:
    """Return what each token takes."""
    return [
        decoding_cost(
            at,
            now.module.d_model,
            now.n_head,
            now.module.d_head,
            num_kv_heads=groups,
            bias=now.setting.bias,
            output_projection=now.setting.projection,
        )
        for at in range(len(now.tokens.queries))
    ]


def arithmetic(now: Now, groups: int, at: int) -> str:
    """Write out what is kept, and in how many bytes."""
    d_head, t = now.module.d_head, at + 1
    numbers = 2 * groups * d_head * t
    kept = _(
        "Kept: keys and values, 2 × {heads} × {dimensions} × {tokens} = **{numbers} numbers**, {bytes} bytes "
        "in float16.",
        heads=words.heads(groups),
        dimensions=_n("{count} dimension", "{count} dimensions", d_head),
        tokens=words.tokens(t),
        numbers=f"{numbers:,}",
        bytes=f"{2 * numbers:,}",
    )
    if t == 1:
        once = _("The first token and its one score a head are computed with the cache or without.")
        return paragraph(kept, once)
    return paragraph(
        kept,
        _(
            "Without the cache all {tokens} tokens are projected again, and {scores} scores a head are "
            "computed where {tokens} are new.",
            tokens=t,
            scores=f"{t * (t + 1) // 2:,}",
        ),
    )


def checks(now: Now, groups: int) -> list[Check]:
    """Hold every token written with the cache against the whole causal computation at once."""
    rows, kept = written(now.setting, now.n_head, groups)
    shared = now.sharing(groups)
    bias = biases(now.setting, now.n_head)
    whole = shared.module(now.tokens.query, attn_mask=bias, is_causal=True)
    theirs = shared.module.fast(now.tokens.query, attn_mask=bias, is_causal=True)
    output = torch.cat([row.output for row in rows])
    n = len(rows)
    weights = torch.zeros_like(whole.weights)
    for at, row in enumerate(rows):
        weights[:, at, : at + 1] = row.weights[:, 0]
    counted = torch.tensor(float(costs(now, groups)[n - 1].cache_numbers))
    return [
        compare(_("each token's output is its row of the whole causal computation"), output, whole.output),
        compare(_("and that of torch's fused attention with `is_causal=True`"), output, theirs),
        compare(_("each row of weights is that of the whole map"), weights, whole.weights),
        compare(_("the numbers counted are those that are kept"), torch.tensor(float(kept.numbers)), counted),
    ]


@shared
def _steps(setting: Setting, n_head: int, groups: int, head: int) -> bytes:
    rows, kept = written(setting, n_head, groups)
    n, d_head = len(rows), kept.key.shape[-1]
    weights = np.zeros((n, n))
    for at, row in enumerate(rows):
        weights[at, : at + 1] = array(row.weights[head, 0])
    group = head * groups // n_head
    key, value_ = (array(each[group])[:, : min(d_head, WIDEST)] for each in (kept.key, kept.value))
    limit = float(max(abs(key).max(), abs(value_).max())) or 1.0
    tokens = sequences(setting).queries
    return pack([writing.spec(tokens, weights, key, value_, at, limit=limit) for at in range(n)])
