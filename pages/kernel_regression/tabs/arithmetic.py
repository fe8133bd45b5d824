"""The weighted mean at the query of the open picture, written out."""

import numpy as np
import streamlit as st
import torch

from attn_core import KERNELS
from attn_figures.numbers import number
from attn_figures.ties import largest_first
from attn_ui.screen.tables import ROUNDED, table
from attn_words import _, paragraph
from pages.kernel_regression.compute import Result, Selection
from pages.kernel_regression.words import kernel_name

SHOWN_KEYS = 8
DIGITS = 6  # of the bandwidth, so that a reader can recompute the table


def show(result: Result) -> None:
    """Write out the distances, the kernel, the weights and their mean."""
    selection = result.selection
    points, row = selection.points, selection.row
    fit = selection.regression
    if not bool(fit.has_support[row]):
        st.markdown(
            _(
                "At {query} no key lies within h = {h}: there is no weight and no mean.",
                query=selection.query_name,
                h=selection.width,
            )
        )
        return
    distances, weights = fit.distances[row].numpy(), fit.weights[row].numpy()
    u = distances / selection.bandwidth
    profile = KERNELS[selection.kernel].profile(torch.from_numpy(u)).numpy()
    parts = weights * selection.values
    order = largest_first(-distances)[:SHOWN_KEYS]  # by distance, as many weights may be 0
    rest = np.setdiff1d(np.arange(len(weights)), order)
    rows = [
        [
            selection.key_names[j],
            number(distances[j]),
            number(u[j]),
            number(profile[j]),
            f"**{number(weights[j])}**",
            points.amount(selection.values[j]),
            points.amount(parts[j]),
        ]
        for j in order
    ]
    if len(rest):
        mass, part = weights[rest].sum(), parts[rest].sum()
        others = _("{count} more", count=len(rest))
        rows.append([others, "", "", number(profile[rest].sum()), number(mass), "", points.amount(part)])
    mean = points.amount(float(fit.estimate[row]))
    total = _("sum")
    rows.append(
        [f"**{total}**", "", "", number(profile.sum()), f"**{number(weights.sum())}**", "", f"**{mean}**"]
    )
    width = points.width_text(selection.bandwidth, DIGITS)
    sentence = _(
        "The :violet[query] q = {query} at bandwidth h = {h}, {kernel} kernel: each weight is K(u) divided "
        "by the sum of its column, the estimate the sum of w · v. Heaviest keys first.",
        query=selection.query_name,
        h=width,
        kernel=kernel_name(selection.kernel),
    )
    st.markdown(paragraph(sentence, _(ROUNDED)))
    key, apart = _(":orange[key] k"), _("|q − k|, days") if points.dated else "|q − k|"
    header = [key, apart, "u = |q − k| / h", "K(u)", _("weight w"), _(":green[value] v"), "w · v"]
    st.markdown(table(header, rows, numbers=len(header) - 1))
    if result.state.has_two_inputs:
        st.markdown(_("Each distance comes from two differences, one for each input:"))
        header, differences = coordinates(selection)
        rows = [[selection.key_names[j], *map(number, differences[j].tolist())] for j in order]
        st.markdown(table([key, *header], rows, numbers=len(header)))
    if not profile.sum():
        st.caption(
            _(
                "Every K(u) is too small for a number here; the weights are taken relative to the nearest "
                "key, which changes none of their ratios."
            )
        )
    if selection.lengths is not None:
        sentence, header, terms = dot_products(selection)
        st.markdown(sentence)
        rows = [[selection.key_names[j], *map(number, terms[j].tolist())] for j in order]
        st.markdown(table([key, *header], rows, numbers=len(header)))


def coordinates(selection: Selection) -> tuple[list[str], np.ndarray]:
    """Return the steps to each distance on a plane: the columns' names, and their numbers (n_key, 4)."""
    apart = selection.queries[selection.row] - selection.keys
    squares = (apart**2).sum(axis=1)
    columns = np.stack([*apart.T, squares, np.sqrt(squares)], axis=1)
    return ["q₁ − k₁", "q₂ − k₂", _("sum of their squares"), _("its root |q − k|")], columns


def dot_products(selection: Selection) -> tuple[str, list[str], np.ndarray]:
    """Return the steps from dot products to scores: a sentence, the columns' names, numbers (n_key, 5)."""
    query, keys = selection.queries[selection.row], selection.keys
    products, half_keys = keys @ query, (keys**2).sum(axis=1) / 2
    half_query = np.full_like(products, (query**2).sum() / 2)
    if selection.lengths:
        scores = products - half_keys - half_query
        return (
            _("The same scores from a dot product and two lengths:"),
            ["q · k", "− |k|²/2", "− |q|²/2", "= −|q − k|²/2", "÷ h²"],
            np.stack([products, -half_keys, -half_query, scores, scores / selection.bandwidth**2], axis=1),
        )
    scores = products - half_query
    scaled = scores / selection.bandwidth**2
    weights = torch.softmax(torch.from_numpy(scaled), dim=-1).numpy()
    sentence = _(
        "Dot-product attention, as the picture has it: without |k|²/2, which changes no weight only where it "
        "is the same for every key."
    )
    return (
        sentence,
        ["q · k", "− |q|²/2", _("sum"), "÷ h²", _("its softmax")],
        np.stack([products, -half_query, scores, scaled, weights], axis=1),
    )
