"""Single-head attention: every step from scores to output."""

import numpy as np
import streamlit as st
import torch

import attn_core
from attn_core.tokens import label_tokens, tokenize
from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Matrix
from attn_figures.panels import compose
from attn_ui import controls
from attn_ui.frame import open_page, tabs, what_you_see
from attn_ui.live_figure import Slider, live_figure, pack
from attn_ui.parameters import SEED, TEMPERATURE, TEXT
from attn_ui.positions import position

open_page("single-head", "Single-head attention", "Each word asks a question, every word offers an answer.")
with st.sidebar:
    text = controls.line(TEXT, "Sentence")
    seed = controls.whole(SEED, "Seed")


@st.cache_data(max_entries=64)
def steps(text: str, seed: int) -> bytes:
    """Compute and draw every step of the temperature slider."""
    tokens = label_tokens(tokenize(text))
    x = attn_core.sentence_vectors(tokenize(text), 8, kind="random", seed=seed)
    temperatures = torch.tensor(TEMPERATURE.values, dtype=x.dtype).reshape(-1, 1, 1)
    mask = attn_core.causal_mask(len(tokens))
    result = attn_core.scaled_dot_product_attention(x, x, x, mask, temperature=temperatures)
    scores, scaled, weights, output = (
        np.asarray(t) for t in (result.scores, result.scaled_scores, result.weights, result.output)
    )
    common = {"rows": tokens, "row_title": QUERY_TITLE}
    maps = {"columns": tokens, "column_title": KEY_TITLE, "cells": "query-key"} | common
    return pack(
        [
            compose.spec(
                [
                    Matrix("scores", scores, "scores QKᵀ", scale="scores", quantity="score", **maps),
                    Matrix(
                        "scaled",
                        scaled[i],
                        "scaled, masked",
                        scale="scores",
                        quantity="scaled score",
                        mask=mask.numpy(),
                        operator="÷ √8<br>mask",
                        limit=float(abs(scores).max()),
                        **maps,
                    ),
                    Matrix(
                        "weights", weights[i], "weights", mask=mask.numpy(), operator="soft-<br>max", **maps
                    ),
                    Matrix(
                        "output",
                        output[i],
                        "output",
                        columns=[f"v{d}" for d in range(8)],
                        operator="· V",
                        column_role="value",
                        scale="scores",
                        quantity="output",
                        limit=4.0,
                        **common,
                    ),
                ]
            )
            for i in range(len(TEMPERATURE.values))
        ]
    )


live_figure(
    steps(text, seed),
    key="chain",
    alt="scores, scaled scores, weights and output",
    name="single head",
    slider=Slider("Temperature", TEMPERATURE),
)
what_you_see(f"The slider stands at {TEMPERATURE.texts()[position(TEMPERATURE)]}.")
tabs({"Maths": lambda: st.latex(r"\operatorname{softmax}(QK^\top/\sqrt{d_k})V")})
