"""The tab FlashAttention: the same output from one tile of keys at a time, with a running softmax."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch
import torch.nn.functional as F

from attn_core import Check, compare, tiled_attention
from attn_figures.numbers import number
from attn_figures.tiled_and_linear import tile
from attn_ui.base.markdown import coloured
from attn_ui.base.page import Slider
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.tables import checks_table
from attn_words import _, paragraph
from pages.single_head.compute import Result
from pages.single_head.example import WIDTH, draw_vectors, name_example, read_words
from pages.single_head.programs import output_program
from pages.single_head.settings import TILE

SIZE = 2  # keys in a tile


def show(_result: Result) -> None:
    """Show the tile that is read, the running maximum, sum and output, and checks of the last output."""
    st.markdown(
        paragraph(
            _("Fast memory is too small for the whole map. So keys are read **a tile at a time**."),
            _(
                "Each query keeps its largest score, a sum and an output: a larger score shrinks both. The "
                "map shows the output divided by the sum; the program divides once, at the end."
            ),
        )
    )
    words = read_words()
    name_example(1, WIDTH)
    query, key, value = draw_vectors(words)
    tiles = tiled_attention(query, key, value, SIZE)
    scores = np.asarray(query @ key.mT / query.shape[-1] ** 0.5)
    slices = [slice(each.start, each.start + SIZE) for each in tiles]
    places = range(len(tiles))
    running = [np.stack([np.asarray(each.maximum), np.asarray(each.total)], axis=-1) for each in tiles]
    outputs = [np.asarray(each.output) for each in tiles]
    live_figure(
        [tile(words, scores, slices, running[at], outputs[at], now=at) for at in places],
        key="tiles",
        name="FlashAttention",
        slider=Slider(_("Tile"), replace(TILE, values=tuple(places)), names=[str(at + 1) for at in places]),
        captions=[
            _(
                "Tile {tile} of {count}: {held} numbers are held besides the output, the whole map has "
                "{all}. "
                "{word}: largest score {largest}, sum {total}.",
                tile=at + 1,
                count=len(tiles),
                held=each.numbers,
                all=len(words) ** 2,
                word=coloured("query", words[0]),
                largest=number(float(each.maximum[0]), 3),
                total=number(float(each.total[0]), 3),
            )
            for at, each in enumerate(tiles)
        ],
    )
    st.caption(
        _(
            "What is held grows with n, the map with n²: of 4,096 tokens a tile of 64 keys holds {held} "
            "numbers, the map {all}.",
            held=f"{4096 * (64 + 2):,}",
            all=f"{4096**2:,}",
        )
    )
    st.markdown(checks_table({_("this page"): checks(query, key, value)}))
    st.markdown(_("**In PyTorch**"))
    show_program(output_program(f"tiled_attention(Q, K, V, {SIZE})", query, key, value))


def checks(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> list[Check]:
    """Compare the output after each tile with torch's attention over the keys read so far."""
    tiles = tiled_attention(query, key, value, SIZE)
    before = [
        F.scaled_dot_product_attention(query, key[: each.start + SIZE], value[: each.start + SIZE])
        for each in tiles
    ]
    return [
        compare(_("the output is that of torch"), tiles[-1].output, before[-1]),
        compare(
            _("after each tile the output is torch's over the keys so far"),
            torch.stack([each.output for each in tiles]),
            torch.stack(before),
        ),
    ]
