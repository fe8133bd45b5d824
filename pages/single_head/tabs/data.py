"""The tab Data: the numbers to read, to type, to paste and to take away."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_figures.matrix import Numbers
from attn_figures.numbers import fixed
from attn_ui import state, weights_tab
from attn_ui.download import offer_csv
from attn_ui.hand_weights import is_by_hand
from attn_ui.shared_settings import TABLE_K, TABLE_Q, TABLE_V
from attn_ui.typed_tables import Typed, paste, type_over
from pages.single_head.head import tokens_of, typed_vectors, weights
from pages.single_head.numbers import Now
from pages.single_head.settings import TABLE_X, TABLE_Y


def show(now: Now) -> None:
    """Let the tables be edited where they are typed, and hand all numbers over."""
    tables = _tables(now)
    if tables:
        type_over(tables)
        for table in tables:
            paste(table)
    if now.head.projections is not None:
        weights_tab.show(
            weights(now.head),
            _weights(now),
            now.inputs.weights,
            by_hand=is_by_hand(),
            write=partial(fixed, decimals=6),
        )
    pairs = _pairs(now)
    st.dataframe(pairs, hide_index=True, height=320)
    left, right = st.columns(2)
    with left:
        offer_csv("Save as CSV", "single-head-attention.csv", lambda: pairs.to_csv(index=False).encode())
    right.caption("One row for each query and key. A masked pair has no scaled score and weight 0.")
    output = pd.DataFrame(
        now.walk.output, columns=[str(dimension) for dimension in range(1, now.walk.output.shape[1] + 1)]
    )
    output.insert(0, "output of", list(now.walk.queries))
    st.dataframe(output, hide_index=True)


def _weights(now: Now) -> dict[str, Numbers]:
    """Return the weights as X W takes them, and the biases as rows."""
    walk = now.walk
    given = (
        [*zip("qkv", walk.projections or (), strict=False)],
        [*zip("qkv", walk.biases or (), strict=False)],
    )
    return {
        f"{kind}_{letter}": np.asarray(each)
        for kind, made in zip("Wb", given, strict=True)
        for letter, each in made
    }


def _pairs(now: Now) -> pd.DataFrame:
    walk = now.walk
    mask = walk.mask.ravel()
    return pd.DataFrame(
        {
            "query": np.repeat(np.array(walk.queries, dtype=object), len(walk.keys)),
            "key": np.tile(np.array(walk.keys, dtype=object), len(walk.queries)),
            "score": walk.scores.ravel(),
            "may attend": mask,
            "scaled score": np.where(mask, walk.scaled.ravel(), np.nan),
            "weight": walk.weights.ravel(),
        }
    )


def _tables(now: Now) -> list[Typed]:
    """Return the tables that are typed, with the present settings."""
    inputs = now.inputs
    if inputs.is_own and st.session_state.get("qkv") == "typed":
        named = ((TABLE_Q, "Queries Q"), (TABLE_K, "Keys K"), (TABLE_V, "Values V"))
        return [Typed(setting, title, setting.rows(state.text(setting))) for setting, title in named]
    if not inputs.is_own or st.session_state.get("vectors") != "typed":
        return []
    sentences = [(TABLE_X, "Vectors X", inputs.text, inputs.x)]
    if inputs.second_text is not None:
        sentences.append((TABLE_Y, "Vectors Y of the second sentence", inputs.second_text, inputs.y))
    return [
        Typed(
            setting,
            title,
            typed_vectors(tokens_of(text), rows, inputs.width, inputs.seed).tolist(),
            tokens_of(text),
        )
        for setting, title, text, rows in sentences
    ]
