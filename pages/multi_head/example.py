"""The worked example of the experiments: a short sentence, heads drawn from a seed, nothing masked."""

from dataclasses import replace
from typing import Any

import streamlit as st

from attn_core import tokenize
from attn_ui.base.markdown import plain
from attn_ui.screen import widgets
from attn_words import _
from pages.multi_head.compute import ANY_LOOK, Result
from pages.multi_head.settings import TYPED
from pages.multi_head.state import HeadsSetting

LEAST_WORDS, MOST_WORDS = 2, 12


def example(text: str = TYPED.default, *, n_head: int = 2, d_model: int = 8, **others: Any) -> Result:
    """Return attention of a sentence to itself, the same whatever the sidebar says."""
    setting = HeadsSetting(
        case="own sentence",
        text=text,
        memory_text="",
        cross=False,
        d_model=d_model,
        d_memory=d_model,
        d_head=None,
        bias=False,
        projection=True,
        seed=4,
        mask="none",
        reach=1,
    )
    return Result(replace(setting, **others), ANY_LOOK, n_head)


def read_words() -> str:
    """Read the example's sentence; where it is too short or too long, say which is taken."""
    text = widgets.line(TYPED, _("Sentence of the example, 2 to 12 words"))
    tokens = tokenize(text)
    if LEAST_WORDS <= len(tokens) <= MOST_WORDS:
        return text
    excerpt = " ".join(tokens[:MOST_WORDS]) if tokens[MOST_WORDS:] else TYPED.default
    st.caption(
        _(":material/edit: The example takes 2 to 12 words. It shows “{sentence}”.", sentence=plain(excerpt))
    )
    return excerpt


def name_example(result: Result) -> None:
    """Say in one line on what an experiment is shown."""
    st.caption(
        _(
            "Shown on an example of its own, whatever the sidebar says: {heads} heads of width {d_head}, "
            "drawn from a seed, not trained.",
            heads=result.n_head,
            d_head=result.module.d_head,
        )
    )
