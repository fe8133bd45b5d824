"""The tab "Shared heads": from multi-head through grouped-query to multi-query attention, and latent keys."""

import math

import streamlit as st
from torch.nn import functional as F

from attn_core import Check, LatentAttention, compare, multi_head_size
from attn_figures.scene import Scene
from attn_figures.shared_heads import sharing, trade
from attn_ui.base.page import Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.state import position
from attn_ui.screen.tables import checks_table, table
from attn_words import _, _n
from pages.multi_head import programs
from pages.multi_head.compute import Result, heads
from pages.multi_head.example import example, name_example, read_words
from pages.multi_head.settings import LATENT, SHARED
from pages.multi_head.tabs.checks import largest

N_HEAD, D_MODEL, SEED = 8, 16, 73  # this seed draws some similar heads, so errors grow gradually
GROUPS = tuple(map(int, SHARED.values))
WIDTHS = tuple(map(int, LATENT.values))


def show(_result: Result) -> None:
    """Show heads that share keys, and then a latent vector, each with its savings and its error."""
    st.markdown(
        _(
            "While text is written, the keys and values of every earlier token are kept. **Heads can "
            "share them**: several heads of queries, side by side, read one head of keys and values."
        )
    )
    text = read_words()
    result = attend_in(text)
    name_example(result)
    live_figure(
        _steps(text),
        key="shared",
        name="heads that share keys",
        slider=Slider(_("Heads of keys and values"), SHARED),
        captions=[read_out(result, each) for each in GROUPS],
    )
    st.markdown(sizes(result))
    st.caption(
        _(
            "Each shared head is the mean of the heads that it replaces, as a trained model is "
            "converted before it is trained on (Ainslie et al., 2023, GQA; one head: Shazeer, 2019). "
            "Bytes: in float16, two a number."
        )
    )
    st.markdown(
        _(
            "**One latent vector for all heads** (multi-head latent attention, MLA) goes further: keep a "
            "short vector c a token, and read the keys and values of every head from it by maps. They need "
            "not even be applied, for they can be absorbed into W_q and W_o (DeepSeek-V2, 2024; without "
            "its separate rotary part)."
        )
    )
    errors = latent_errors(text)
    live_figure(
        [
            trade(WIDTHS, WIDTHS, errors, at, x_title=_("Width of the latent vector c"))
            for at in range(len(WIDTHS))
        ],
        key="latent",
        name="latent attention",
        slider=Slider(_("Width of c"), LATENT),
        captions=[
            _n(
                "{count} number kept a token in place of {full}: the output is off by up to {off} of its "
                "largest number.",
                "{count} numbers kept a token in place of {full}: the output is off by up to {off} of its "
                "largest number.",
                width,
                full=2 * D_MODEL,
                off=percent(error),
            )
            for width, error in zip(WIDTHS, errors, strict=True)
        ],
    )
    groups = GROUPS[position(SHARED)]
    st.markdown(checks_table({_("this page"): checks(result, groups, WIDTHS[position(LATENT)])}))
    st.markdown(_("**In PyTorch**"))
    show_program(programs.shared_heads(result, groups))


def attend_in(text: str) -> Result:
    """Return the example at full size: with as many heads of keys and values as of queries."""
    return example(text, n_head=N_HEAD, d_model=D_MODEL, seed=SEED)


def percent(share: float) -> str:
    """Write a share in percent.

    >>> percent(0.5839), percent(2e-16)
    ('58.4%', '0.0%')
    """
    return f"{share:.1%}"


def read_out(result: Result, groups: int) -> str:
    """Say how large the cache is with this number of key heads, and the error of the output."""
    return _n(
        "{count} head of keys and values for {heads} of queries: {kept} numbers kept a token in place of "
        "{full}, the output is off by up to {off} of its largest number.",
        "{count} heads of keys and values for {heads} of queries: {kept} numbers kept a token in place of "
        "{full}, the output is off by up to {off} of its largest number.",
        groups,
        heads=N_HEAD,
        kept=2 * groups * result.module.d_head,
        full=2 * D_MODEL,
        off=percent(change(result, groups)),
    )


def change(result: Result, groups: int) -> float:
    """Return the largest change of the output, as a share of its largest number."""
    right = result.attention.output
    return largest(result.sharing(groups).attention.output - right) / largest(right)


@shared_scene
def _steps(text: str) -> Scene:
    result = attend_in(text)
    steps = [result.sharing(groups) for groups in GROUPS]
    limit = max(largest(each.attention.weights[0] - result.attention.weights[0]) for each in steps)
    return Scene(
        [
            sharing(heads(result), heads(each), each.module.num_kv_heads, head=0, limit=max(limit, 1e-9))
            for each in steps
        ]
    )


def sizes(result: Result) -> str:
    """Return a table by number of key heads: parameters, size of the cache, error of the output."""
    names = {1: _("multi-query attention (MQA)"), N_HEAD: _("multi-head")}
    n, d_head = len(result.tokens.keys), result.module.d_head
    header = (
        _("Name"),
        _("Heads of keys"),
        _("Parameters"),
        _("Numbers kept a token"),
        _("Bytes for these tokens"),
        _("Output off by"),
    )
    rows = []
    for groups in GROUPS:
        size = multi_head_size(n, n, D_MODEL, N_HEAD, d_head, bias=False, num_kv_heads=groups)
        n_cached = 2 * groups * d_head
        numbers = (
            f"{size.parameters:,}",
            str(n_cached),
            f"{2 * n_cached * n:,}",
            percent(change(result, groups)),
        )
        rows.append((names.get(groups, _("grouped-query attention (GQA)")), str(groups), *numbers))
    return table(header, rows, numbers=5)


def latent(result: Result) -> LatentAttention:
    """Return the example as latent attention at full rank: one latent vector a token for keys and values."""
    return LatentAttention.from_multi_head(result.module, D_MODEL)


@shared
def latent_errors(text: str) -> tuple[float, ...]:
    """Return the largest error of the output at each width of c, as a share of its largest number."""
    result = attend_in(text)
    x, right = result.tokens.query, result.attention.output
    return tuple(
        largest(latent(result).truncate(width).attend_absorbed(x, x)[1] - right) / largest(right)
        for width in WIDTHS
    )


def checks(result: Result, groups: int, d_latent: int) -> list[Check]:
    """Compare shared heads with torch, and latent attention's absorbed form with its expanded form."""
    attention, x, compressed = (
        result.sharing(groups).attention,
        result.tokens.query,
        latent(result).truncate(d_latent),
    )
    theirs = F.scaled_dot_product_attention(
        attention.query,
        attention.key,
        attention.value,
        scale=1 / math.sqrt(result.module.d_head),
        enable_gqa=True,
    )
    what = _("shared heads are those of `scaled_dot_product_attention(enable_gqa=True)`")
    return [
        compare(what, attention.heads, theirs),
        compare(
            _("latent: the absorbed output is the expanded one"),
            compressed.attend_absorbed(x, x)[1],
            compressed.attend_expanded(x, x).output,
        ),
    ]
