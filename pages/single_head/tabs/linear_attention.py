"""The tab Linear attention: a state of fixed size, to which every token is added."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from attn_core import (
    Check,
    causal_mask,
    compare,
    linear_attention_steps,
    scaled_dot_product_attention,
    score_attention,
)
from attn_figures.numbers import number
from attn_figures.tiled_and_linear import state
from attn_ui.base.markdown import coloured
from attn_ui.base.page import Slider
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.tables import checks_table
from attn_words import _, paragraph
from pages.single_head.compute import Result
from pages.single_head.example import WIDTH, draw_vectors, name_example, read_words
from pages.single_head.programs import output_program
from pages.single_head.settings import STATE


def show(_result: Result) -> None:
    """Show the state after each token, the outputs, and the first word's weight, linear and by softmax."""
    st.markdown(
        paragraph(
            _("With φ(q)·φ(k) in place of exp(q·k), all earlier keys and values fit into **one sum**, S."),
            _("It never grows, so the text may be of any length; what is added blurs what was there."),
        )
    )
    words = read_words()
    name_example(1, WIDTH)
    query, key, value = draw_vectors(words)
    steps = linear_attention_steps(query, key, value)
    causal = causal_mask(len(words))
    ways = (
        scaled_dot_product_attention(query, key, value, causal).weights[:, 0],
        score_attention("linear", query, key, value, causal).weights[:, 0],
    )
    first = np.asarray(ways[0]), np.asarray(ways[1])
    output = np.stack([np.asarray(each.output) for each in steps])
    limit = max(float(each.abs().max()) for step in steps for each in (step.state, step.normaliser))
    places = range(len(words))
    live_figure(
        [
            state(
                words,
                (np.asarray(steps[at].state), np.asarray(steps[at].normaliser)),
                output,
                first,
                limit=limit,
                now=at,
            )
            for at in places
        ],
        key="state",
        name="linear attention",
        slider=Slider(_("Token"), replace(STATE, values=tuple(places)), names=words),
        captions=[
            _(
                "{token}: the state has {kept} numbers, a cache of keys and values {cache}. Weight of the "
                "first word: softmax {softmax}, linear {linear}.",
                token=coloured("query", words[at]),
                kept=WIDTH * WIDTH + WIDTH,
                cache=2 * WIDTH * (at + 1),
                softmax=number(float(first[0][at]), 2),
                linear=number(float(first[1][at]), 2),
            )
            for at in places
        ],
    )
    st.markdown(checks_table({_("this page"): checks(query, key, value)}))
    st.markdown(_("**In PyTorch**"))
    show_program(output_program("linear_attention(Q, K, V)", query, key, value))


def checks(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> list[Check]:
    """Compare the outputs read from the state with the parallel form under a causal mask."""
    stepwise = torch.stack([each.output for each in linear_attention_steps(query, key, value)])
    parallel = score_attention("linear", query, key, value, causal_mask(len(query))).output
    return [
        compare(
            _("outputs from the state are those of all pairs at once, under a causal mask"),
            stepwise,
            parallel,
        )
    ]
