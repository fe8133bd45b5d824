"""The weighted mean at the query of the open picture, written out."""

import numpy as np
import streamlit as st
import torch

from attn_core import KERNELS
from attn_figures.numbers import number
from attn_ui.tables import ROUNDED, table
from pages.kernel_regression.numbers import Standing

SHOWN_KEYS = 8
DIGITS = 6  # of the bandwidth, so that the table can be computed after


def show(standing: Standing) -> None:
    """Write out the distances, the kernel, the weights and their mean."""
    points, row = standing.points, standing.row
    fit = standing.regression
    if not bool(fit.has_support[row]):
        st.markdown(
            f"At {standing.asked} no key lies within h = {standing.width}: there is no weight and no mean."
        )
        return
    distances, weights = fit.distances[row].numpy(), fit.weights[row].numpy()
    u = distances / standing.bandwidth
    profile = KERNELS[standing.kernel].profile(torch.from_numpy(u)).numpy()
    parts = weights * standing.values
    order = np.argsort(-weights, kind="stable")[:SHOWN_KEYS]
    rest = np.setdiff1d(np.arange(len(weights)), order)
    rows = [
        [
            standing.key_names[j],
            number(distances[j]),
            number(u[j]),
            number(profile[j]),
            f"**{number(weights[j])}**",
            points.amount(standing.values[j]),
            points.amount(parts[j]),
        ]
        for j in order
    ]
    if len(rest):
        mass, part = weights[rest].sum(), parts[rest].sum()
        others = "1 other" if len(rest) == 1 else f"{len(rest)} others"
        rows.append([others, "", "", number(profile[rest].sum()), number(mass), "", points.amount(part)])
    mean = points.amount(float(fit.estimate[row]))
    rows.append(["**sum**", "", "", number(profile.sum()), f"**{number(weights.sum())}**", "", f"**{mean}**"])
    kernel = standing.kernel.replace("gaussian", "Gaussian")
    width = points.width(standing.bandwidth, DIGITS)
    st.markdown(
        f"The :violet[query] q = {standing.asked} at bandwidth h = {width}, {kernel} kernel: each "
        "weight is K(u) divided by the sum of its column, the estimate the sum of w · v. Heaviest keys "
        f"first. {ROUNDED}"
    )
    apart = "|q − k|, days" if points.dated else "|q − k|"
    header = [":orange[key] k", apart, "u = |q − k| / h", "K(u)", "weight w", ":green[value] v", "w · v"]
    st.markdown(table(header, rows, numbers=len(header) - 1))
    if not profile.sum():
        st.caption(
            "Every K(u) is too small for a number here; the weights are taken relative to the nearest key, "
            "which changes none of their ratios."
        )
    if standing.as_dot_products:
        _dot_products(standing, order.tolist())


def _dot_products(standing: Standing, order: list[int]) -> None:
    """Write the same scores as a dot product and two lengths."""
    query, keys = standing.queries[standing.row], standing.keys
    products, half_keys = keys @ query, (keys**2).sum(axis=1) / 2
    half_query = float((query**2).sum() / 2)
    scores = products - half_keys - half_query
    st.markdown("The same scores from a dot product and two lengths:")
    header = [":orange[key] k", "q · k", "− |k|²/2", "− |q|²/2", "= −|q − k|²/2", "÷ h²"]
    st.markdown(
        table(
            header,
            [
                [
                    standing.key_names[j],
                    number(products[j]),
                    number(-half_keys[j]),
                    number(-half_query),
                    number(scores[j]),
                    number(scores[j] / standing.bandwidth**2),
                ]
                for j in order
            ],
            numbers=len(header) - 1,
        )
    )
