"""The tab "Shared heads": from multi-head through grouped-query to multi-query attention, and latent keys."""

import math
from dataclasses import replace

import streamlit as st
import torch
from torch.nn import functional as F

from attn_core import Check, compare, multi_head_size
from attn_figures.shared_heads import sharing, trade
from attn_live.packing import pack
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.state import exact, value
from attn_words import _, paragraph
from pages.multi_head import programs, words
from pages.multi_head.compute import Now, divisors, heads, latent_module
from pages.multi_head.settings import KV_HEADS, LATENT
from pages.multi_head.state import Look, Setting
from pages.multi_head.tabs.checks import largest, table

MOST_STEPS = 24  # of the latent slider
ONE_LOOK = Look("every head", "number", 0, 0, ())  # these numbers depend on no other look


def show(now: Now) -> None:
    """Show heads that share keys, what it saves and costs, and the latent vector that goes further."""
    st.markdown(
        paragraph(
            _("While text is written, the keys and values of every earlier token are kept."),
            _(
                "**Heads can share them**: several heads of queries, side by side, read one head of keys and "
                "values."
            ),
        )
    )
    slider = kv_slider(now.n_head)
    groups = int(value(slider))
    live_figure(
        _steps(now.setting, now.n_head, now.look.head),
        key="shared",
        alt=_("Which head reads which keys, the map of one head with shared keys, and what sharing changes"),
        name="heads that share keys",
        slider=Slider(_("Heads of keys and values"), slider),
        says=[say(now, each) for each in divisors(now.n_head)],
    )
    st.markdown(sizes(now))
    st.caption(
        paragraph(
            _(
                "Each shared head is the mean of the heads that it replaces, as a trained model is converted "
                "before it is trained on (Ainslie et al., 2023, GQA; one head: Shazeer, 2019)."
            ),
            _("Bytes: in float16, two a number."),
        )
    )
    _latent(now)
    st.markdown(_("**Checked just now**"))
    turned = now.module.rotation is not None
    d_latent = 0 if turned else int(value(_latent_slider(now)))
    st.markdown(table(checks(now, groups, d_latent)))
    st.markdown(_("**In PyTorch**"))
    show_program(programs.shared_heads(now, groups))


def say(now: Now, groups: int) -> str:
    """Say who shares keys with whom, and what it saves and costs."""
    d_head = now.module.d_head
    change = _changes(now.setting, now.n_head)[groups]
    return words.sharing(now.n_head, groups, 2 * groups * d_head, 2 * now.n_head * d_head, change)


def kv_slider(n_head: int) -> Steps:
    """Return the slider with the numbers of key heads that divide the heads."""
    return replace(KV_HEADS, values=tuple(divisors(n_head)))


@shared
def _changes(setting: Setting, n_head: int) -> dict[int, float]:
    """Return the largest change of the output, as a share of its largest number, by the heads of keys.

    The modules of all of them together are more than is kept of the widest models.
    """
    now = Now(setting, ONE_LOOK, n_head)
    right = now.result.output
    every = {groups: now.sharing(groups).result.output for groups in divisors(n_head)}
    return {groups: largest(output - right) / (largest(right) or 1.0) for groups, output in every.items()}


@shared
def _steps(setting: Setting, n_head: int, head: int) -> bytes:
    now = Now(setting, ONE_LOOK, n_head)
    steps = [now.sharing(groups) for groups in divisors(n_head)]
    limit = max(largest(each.result.weights[head] - now.result.weights[head]) for each in steps)
    return pack(
        [
            sharing.spec(heads(now), heads(each), each.module.num_kv_heads, head=head, limit=max(limit, 1e-9))
            for each in steps
        ]
    )


def sizes(now: Now) -> str:
    """Return a table of every number of key heads: parameters, what is kept, what the output loses."""
    n, d_head = now.tokens, now.module.d_head
    header = (
        _("Heads of keys"),
        _("Name"),
        _("Parameters"),
        _("Kept a token"),
        _("Kept for these tokens"),
        _("Output off by"),
    )
    lines = [f"| {' | '.join(header)} |", "|--:|:--|--:|--:|--:|--:|"]
    for groups in divisors(now.n_head):
        if groups == now.n_head:
            name = _("multi-head")
        else:
            name = _("multi-query") if groups == 1 else _("grouped-query")
        size = multi_head_size(
            len(n.queries),
            len(n.keys),
            now.module.d_model,
            now.n_head,
            d_head,
            bias=now.setting.bias,
            output_projection=now.setting.projection,
            d_key=now.module.d_key,
            num_kv_heads=groups,
        )
        kept = 2 * groups * d_head
        change = 100 * _changes(now.setting, now.n_head)[groups]
        a_token = _("{numbers} numbers", numbers=f"{kept:,}")
        in_all = _("{bytes} bytes", bytes=f"{2 * kept * len(n.keys):,}")
        lines.append(f"| {groups} | {name} | {size.parameters:,} | {a_token} | {in_all} | {change:.3g}% |")
    return "\n".join(lines)


def _latent_slider(now: Now) -> Steps:
    rank = latent_module(now.setting, now.n_head).d_latent
    every = -(-rank // MOST_STEPS)
    return exact(replace(LATENT, values=tuple(sorted({*range(1, rank + 1, every), rank}))))


def _latent(now: Now) -> None:
    if now.module.rotation is not None:
        st.markdown(
            paragraph(
                _(
                    "**One latent vector for all heads** (multi-head latent attention, MLA) cannot be read "
                    "here: its maps are absorbed into W_q, and a rotation stands between the two."
                ),
                _("DeepSeek-V2 keeps a second, small rotary key beside the latent vector for that reason."),
                _("Take another scheme of positions to see it."),
            )
        )
        return
    absorbed = (
        _(
            "They need not even be applied, for they can be absorbed into W_q and W_o (DeepSeek-V2, 2024; "
            "without its separate rotary part)."
        )
        if now.setting.projection
        else _(
            "That of the keys need not even be applied, for it can be absorbed into W_q; that of the values "
            "could be into W_o, which is not here (DeepSeek-V2, 2024; without its separate rotary part)."
        )
    )
    whole = latent_module(now.setting, now.n_head)
    slider = _latent_slider(now)
    offered = tuple(map(int, slider.values))
    st.markdown(
        paragraph(
            _(
                "**One latent vector for all heads** (multi-head latent attention, MLA) goes further: keep a "
                "short vector c a token, and read the keys and values of every head from it by maps."
            ),
            absorbed,
        )
    )
    full = 2 * now.n_head * now.module.d_head
    errors = latent_errors(now.setting, now.n_head, offered)
    live_figure(
        _latent_steps(offered, errors),
        key="latent",
        alt=_("Numbers kept a token, and how far the output is off, against the width of the latent vector"),
        name="latent attention",
        slider=Slider(_("Width of c"), slider),
        says=[
            words.latent(width, whole.d_latent, full, error)
            for width, error in zip(offered, errors, strict=True)
        ],
    )


@shared
def latent_errors(setting: Setting, n_head: int, offered: tuple[int, ...]) -> tuple[float, ...]:
    """Return how far the output is off at each width of c, as a share of its largest number."""
    now = Now(setting, ONE_LOOK, n_head)
    whole, n = latent_module(setting, n_head), now.tokens
    right = now.result.output
    return tuple(
        largest(whole.cut(width).absorbed(n.query, n.key, now.mask)[1] - right) / (largest(right) or 1.0)
        for width in offered
    )


@shared
def _latent_steps(offered: tuple[int, ...], errors: tuple[float, ...]) -> bytes:
    return pack(
        [
            trade.spec(offered, offered, errors, at, x_title=_("Width of the latent vector c"))
            for at in range(len(offered))
        ]
    )


def checks(now: Now, groups: int, d_latent: int) -> list[Check]:
    """Compute every check on shared heads and, but under a rotation, on the latent vector."""
    shared = now.sharing(groups)
    result, n = shared.result, now.tokens
    attends = (result.weights.sum(dim=-1) > 0).all(dim=0)  # torch gives NaN to a row without a key
    theirs = F.scaled_dot_product_attention(
        result.query,
        result.key,
        result.value,
        now.mask,
        scale=1 / (math.sqrt(now.module.d_head) * now.setting.temperature),
        enable_gqa=True,
    )
    found = [
        compare(
            _("shared heads are those of `scaled_dot_product_attention(enable_gqa=True)`"),
            result.heads[:, attends],
            theirs[:, attends],
        ),
        compare(
            _("with a head of keys for each head, the output is that of this page"),
            now.sharing(now.n_head).result.output,
            now.result.output,
        ),
        compare(
            _("the parameters counted are those that the module holds"),
            torch.tensor(float(sum(each.numel() for each in shared.module.parameters()))),
            torch.tensor(float(_counted(shared))),
        ),
    ]
    if now.module.rotation is not None:
        return found
    latent = latent_module(now.setting, now.n_head)
    cut = latent.cut(d_latent)
    expanded = cut.expanded(n.query, n.key, now.mask)
    weights, output = cut.absorbed(n.query, n.key, now.mask)
    return [
        *found,
        compare(_("latent: absorbed weights are the expanded ones"), weights, expanded.weights),
        compare(_("latent: the absorbed output is the expanded one"), output, expanded.output),
        compare(
            _("latent: at the whole rank, the output is that of this page"),
            latent.absorbed(n.query, n.key, now.mask)[1],
            now.result.output,
        ),
    ]


def _counted(shared: Now) -> int:
    n = shared.tokens
    return multi_head_size(
        len(n.queries),
        len(n.keys),
        shared.module.d_model,
        shared.n_head,
        shared.module.d_head,
        bias=shared.setting.bias,
        output_projection=shared.setting.projection,
        d_key=shared.module.d_key,
        num_kv_heads=shared.module.num_kv_heads,
    ).parameters
