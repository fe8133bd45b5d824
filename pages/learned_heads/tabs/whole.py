"""The tabs of a whole model: every measure of every head, checks on the numbers on screen, and code."""

import streamlit as st
import torch
from torch.nn import functional as F

from attn_core import Check, RealModel, compare
from attn_ui.tables import checks_table
from pages.learned_heads.settings import RANK_BY
from pages.learned_heads.whole import SHARES, Whole
from pages.learned_heads.whole_snippet import CAPTURE, READ, model_snippet
from pages.learned_heads.words import capital


def show_heads(whole: Whole) -> None:
    """Show a line a head, in the order of the slider; a click on a column's name orders by it."""
    names = [whole.model.name(head).removeprefix("head ") for head in whole.order]
    st.dataframe(
        {"Head": names}
        | {capital(name): [whole.all_scores[name][head] for head in whole.order] for name in RANK_BY.options},
        hide_index=True,
        width="stretch",
        column_config={
            capital(name): st.column_config.ProgressColumn(
                width=110,
                min_value=0.0,
                max_value=1.0 if name in SHARES else max(whole.all_scores[name]) or 1.0,
                format="%.3f",
            )
            for name in RANK_BY.options
        },
    )
    st.caption(
        "The first four are mean weights, from 0 to 1; entropy is in nats, distance in positions. "
        "Head 1.3 is the third of the first layer."
    )


def checks(whole: Whole, model: RealModel | None = None, text: str = "") -> list[Check]:
    """Compute every check on the numbers on screen."""
    sums = torch.cat([torch.from_numpy(weights.sum(axis=-1).copy()).flatten() for weights in whole.layers])
    wanted = torch.where(sums > 0.5, 1.0, 0.0).to(sums.dtype)
    found = [compare("each row of each map sums to one, or is empty", sums, wanted)]
    if model is not None:
        stages = model.stages(text)
        theirs = [
            F.scaled_dot_product_attention(
                each.query, each.key, each.value, is_causal=model.is_causal, scale=scale
            )
            for each, scale in zip(stages, model.scales, strict=True)
        ]
        found.append(
            compare(
                "what each head gives is what `torch.nn.functional.scaled_dot_product_attention` gives",
                torch.stack([each.heads for each in stages]),
                torch.stack(theirs),
            )
        )
    return found


def show_checks(whole: Whole, model: RealModel | None = None, text: str = "") -> None:
    """Show the checks with their largest differences."""
    found = checks(whole, model, text)
    st.markdown("Computed just now, on the numbers on screen.")
    st.markdown(
        checks_table(
            [check.name for check in found],
            {"on the numbers on screen": [(check.passed, check.verdict) for check in found]},
        )
    )


def show_model_code(text: str, hide: bool) -> None:
    """Hand over the program that prints the model's numbers."""
    st.markdown("These lines read the model with `attn_core` and print its highest previous-token scores.")
    st.code(model_snippet(text, hide=hide), language="python")


def show_own_code() -> None:
    """Hand over the programs that write such a file, and read it."""
    st.markdown("`capture` takes the heads of any PyTorch model while it runs:")
    st.code(CAPTURE, language="python")
    st.markdown("These lines read the file and measure its heads:")
    st.code(READ, language="python")
