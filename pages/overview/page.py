"""The landing page: the whole story in one screen, on one slider."""

from pathlib import Path

import streamlit as st
import torch

from attn_core import (
    MultiHeadAttention,
    label_tokens,
    nadaraya_watson,
    scaled_dot_product_attention,
    sentence_vectors,
    sinusoidal_encoding,
    tokenize,
)
from attn_figures.overview import story
from attn_ui import frame
from attn_ui.live_figure import Slider, live_figure, pack
from attn_ui.positions import value
from attn_ui.shared_settings import TEMPERATURE
from pages.overview.settings import SETTINGS
from pages.overview.words import what_the_slider_does

PAGES = Path(__file__).resolve().parents[1]
SENTENCE = "the cat sat on the mat"
D_MODEL, N_HEAD, SEED = 16, 2, 4

CHAPTERS = (
    (
        "kernel_regression",
        "Kernel regression",
        "Near keys weigh more: attention as of 1964.",
    ),
    ("single_head", "Single head", "Similar words weigh more: scores, softmax, a mix of values."),
    ("positional_encoding", "Positional encoding", "What order does, and what happens without it."),
    ("multi_head", "Multi-head", "Several views of one sentence, added up to one output."),
)

frame.open_page(
    "",
    SETTINGS,
    "See attention",
    "Attention is a weighted average: each row is one **query**, its weights over the **keys** sum to one.",
)


@st.cache_data
def steps() -> bytes:
    """Compute and draw every position of the slider.

    A Gaussian kernel of bandwidth h is a softmax at temperature h squared, so one slider serves all maps.
    """
    temperature = torch.tensor(TEMPERATURE.values, dtype=torch.float64)
    tokens = tokenize(SENTENCE)
    places = torch.arange(len(tokens), dtype=torch.float64)
    kernel = nadaraya_watson(places, places, places, bandwidth=temperature.sqrt())
    x = sentence_vectors(tokens, D_MODEL, seed=SEED)
    placed = x + sinusoidal_encoding(len(tokens), D_MODEL, dtype=x.dtype)
    column = temperature.reshape(-1, 1, 1)
    head = scaled_dot_product_attention(x, x, x, temperature=column)
    with_places = scaled_dot_product_attention(placed, placed, placed, temperature=column)
    model = MultiHeadAttention(D_MODEL, N_HEAD, seed=SEED, dtype=x.dtype)
    heads = scaled_dot_product_attention(*model.project(placed), temperature=column.unsqueeze(-1))
    return pack(
        [
            story.spec(
                kernel.weights[i].numpy(),
                head.weights[i].numpy(),
                with_places.weights[i].numpy(),
                list(heads.weights[i].detach().numpy()),
                label_tokens(tokens),
            )
            for i in range(len(temperature))
        ]
    )


live_figure(
    steps(),
    key="story",
    alt="Five maps of weights: a kernel, one head, one head with positions, and two heads",
    name="attention in one picture",
    slider=Slider("Temperature", TEMPERATURE),
)
frame.what_you_see(what_the_slider_does(value(TEMPERATURE)))

for column, (page, name, sentence) in zip(st.columns(len(CHAPTERS)), CHAPTERS, strict=True):
    with column:
        st.page_link(str(PAGES / page / "page.py"), label=f"**{name}**", icon=":material/arrow_forward:")
        st.caption(sentence)
