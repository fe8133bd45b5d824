"""The lines of PyTorch that print the estimate at the query of the open picture."""

import streamlit as st

from pages.kernel_regression.numbers import Standing
from pages.kernel_regression.settings import OWN_POINTS, Drawn
from pages.kernel_regression.snippet import own_data, snippet, toy_data


def show(standing: Standing, drawn: Drawn) -> None:
    """Hand over the program."""
    points = standing.points
    if points.name != OWN_POINTS and not standing.as_dot_products:
        data = toy_data(points.name, drawn.n_points, drawn.noise, drawn.seed)
    else:
        data = own_data(standing.keys.tolist(), standing.values.tolist())
    st.code(
        snippet(
            data=data,
            kernel=standing.kernel,
            bandwidth=standing.bandwidth,
            query=standing.queries[standing.row].tolist(),
        ),
        language="python",
    )
