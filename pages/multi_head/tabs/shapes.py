"""The tab "Shapes": split and merge on blocks that move, and every shape."""

import math

import streamlit as st

from attn_figures.reshape import N_STEPS, STAGES, blocks, moment
from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import table
from attn_words import N_, _, _c
from pages.multi_head.compute import Result
from pages.multi_head.settings import RESHAPE

N, N_HEAD, D_HEAD = 3, 2, 3  # sizes of the drawn example
STAGE_WORDS = (
    N_("one row a token"),
    N_("each token's row is cut into heads"),
    N_("one block a head, one row a token"),
    N_("within each block, tokens mix"),
    N_("one block a token again"),
    N_("the heads stand side by side"),
)


def show(result: Result) -> None:
    """Show the split into heads and the merge as moving blocks, and every shape at the present sizes."""
    st.markdown(
        _(
            "A head is no new thing to compute: **the same numbers, arranged another way**, attend "
            "apart. A reshape and a transpose split heads; a transpose and a reshape merge them again."
        )
    )
    names = stage_names()
    live_figure(
        _moves(),
        key="reshape",
        name="split and merge",
        slider=Slider(_("Reshape"), RESHAPE, names=[names[moment(step).nearest] for step in range(N_STEPS)]),
    )
    st.caption(
        _(
            "Shown on 3 tokens and 2 heads of width 3: each block is a number, its digit the token, "
            "its colour the head. Moving changes no number: only *attention* does, when blocks turn "
            "dark."
        )
    )
    st.markdown(_("**Every shape on this page**"))
    st.markdown(ledger(result))


def stage_names() -> list[str]:
    """Return the names of the stages."""
    return [
        "X W",
        _c("stage", "view"),
        _c("stage", "transpose"),
        _c("stage", "attention"),
        _c("stage", "transpose back"),
        _c("stage", "reshape"),
    ]


@shared_scene
def _moves() -> Scene:
    shapes = {
        "flat": ("n, n_head · d_head", f"{N}, {N_HEAD * D_HEAD}"),
        "split": ("n, n_head, d_head", f"{N}, {N_HEAD}, {D_HEAD}"),
        "heads": ("n_head, n, d_head", f"{N_HEAD}, {N}, {D_HEAD}"),
    }
    of_stage = [shapes[name] for name in ("flat", "split", "heads", "heads", "split", "flat")]
    figures = []
    for step in range(N_STEPS):
        stage = moment(step).nearest
        axes, sizes = of_stage[stage]
        caption = f"{_(STAGE_WORDS[stage])}<br><b>({axes}) = ({sizes})</b>"
        figures.append(blocks(step, [str(t) for t in range(N)], N_HEAD, D_HEAD, caption=caption))
    return Scene(figures)


assert len(STAGES) == len(STAGE_WORDS)


def ledger(result: Result) -> str:
    """Return a table of every stage with its axes and its present shape, read from the tensors."""
    attention, n = result.attention, result.tokens
    batch, n_head, d_head = 1, result.n_head, result.module.d_head
    flat, bias = n_head * d_head, " + b_q" if result.setting.bias else ""
    rows = [
        ("X", "B, n_query, d_model", (batch, *n.query.shape)),
        ("X_k", "B, n_key, d_model", (batch, *n.key.shape)),
        (f"X W_q{bias}", "B, n_query, n_head · d_head", (batch, attention.query.shape[-2], flat)),
        (
            _c("stage", "view"),
            "B, n_query, n_head, d_head",
            (batch, attention.query.shape[-2], n_head, d_head),
        ),
        (_("transpose: Q"), "B, n_head, n_query, d_head", (batch, *attention.query.shape)),
        ("K", "B, n_head, n_key, d_head", (batch, *attention.key.shape)),
        ("V", "B, n_head, n_key, d_head", (batch, *attention.value.shape)),
        ("Q Kᵀ", "B, n_head, n_query, n_key", (batch, *attention.scores.shape)),
        ("softmax(Q Kᵀ)", "B, n_head, n_query, n_key", (batch, *attention.weights.shape)),
        ("softmax(Q Kᵀ) V", "B, n_head, n_query, d_head", (batch, *attention.heads.shape)),
        (_("transpose, reshape"), "B, n_query, n_head · d_head", (batch, *attention.concatenated.shape)),
        (_("output"), "B, n_query, d_out", (batch, *attention.output.shape)),
    ]
    cells = [
        (step, f"`{axes}`", f"`{', '.join(map(str, shape))}`", f"{math.prod(shape):,}")
        for step, axes, shape in rows
    ]
    return table([_("Step"), _("Axes"), _("Shape"), _("Numbers")], cells, numbers=1)
