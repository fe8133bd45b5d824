"""The vectors of the words, and what the scheme adds to each, as tables to download."""

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from attn_ui.download import csv_of, offer_csv
from pages.positional_encoding.numbers import Numbers


def show(numbers: Numbers) -> None:
    """Show both tables."""
    x, width, labels = numbers.x, numbers.width, numbers.inputs.labels
    dimensions = [f"dimension {i}" for i in range(width)]
    st.markdown(f"The vectors of the words, {len(x)} × {width}:")
    _table("words", labels, dimensions, x.numpy())
    scheme = numbers.bare()
    if scheme.adds == "bias":
        what, columns = (
            f"The bias of each pair in head {numbers.inputs.head}",
            [f"key {each}" for each in labels],
        )
        added = scheme.bias(len(x), len(x))
    elif scheme.adds == "rotation":
        what, columns = "The turned vectors", dimensions
        added = scheme.turn(x, torch.arange(len(x)) + scheme.first)
    else:
        what, columns = "The vectors of their positions", dimensions
        added = scheme.vectors(len(x), width, start=scheme.first)
    st.markdown(f"{what}, at strength 1, {added.shape[0]} × {added.shape[1]}:")
    _table("positions", labels, columns, added.numpy() + 0.0)  # a bias of −0 is 0


def _table(name: str, rows: list[str], columns: list[str], values: NDArray[np.float64]) -> None:
    st.dataframe(
        {"word": rows} | {column: values[:, i] for i, column in enumerate(columns)},
        hide_index=True,
        key=f"table-{name}",
    )
    offer_csv(
        "Download as CSV",
        f"{name}.csv",
        lambda: csv_of(["word", *columns], zip(rows, *values.T.tolist(), strict=True)),
        key=f"download-{name}",
        type="tertiary",
    )
