"""The tabs under the pictures: one cell's arithmetic, the formulas, mistakes, checks, data and code."""

from functools import partial

import numpy as np
import streamlit as st

from attn_core.position_mistakes import POSITION_MISTAKES
from attn_core.schemes import SCHEMES
from attn_figures import positional as pictures
from attn_figures.positional import Trial
from attn_ui import controls, positions
from attn_ui.frame import plain, tabs
from attn_ui.live_figure import live_figure
from attn_ui.parameters import Steps
from attn_ui.shared_settings import KEY, QUERY, STRENGTH
from pages.positional_encoding import words
from pages.positional_encoding.settings import SLIP, TAB
from pages.positional_encoding.setup import Setup, settings
from pages.positional_encoding.snippet import Recipe, attention_code
from pages.positional_encoding.tabs.checks import run_checks

WITHIN = 1e-9  # differences that a check lets pass as rounding


def show_tabs(setup: Setup) -> None:
    """Lay the tabs under the picture."""
    contents = {
        "Arithmetic": show_arithmetic,
        "Maths": show_maths,
        "Break it": show_mistake,
        "Checks": show_checks,
        "Data": show_data,
        "Code": show_code,
    }
    tabs(TAB, {name: partial(show, setup) for name, show in contents.items()})


def show_arithmetic(setup: Setup) -> None:
    """Take one score apart: what the words say, what their positions say."""
    labels = setup.labels
    left, right, _ = st.columns([1, 1, 2])
    with left:
        query = _pick(QUERY, "Query", labels)
    with right:
        key = _pick(KEY, "Key", labels)
    x, placed = setup.vectors(), setup.placed(settings(), positions.value(STRENGTH))
    terms, attended = placed.terms(x, query, key), placed.attend(x)
    scaled = attended.scaled_scores[query]
    st.markdown(
        f"The scaled score of :violet[**{plain(labels[query])}**] at position {query + setup.start} and "
        f":orange[**{plain(labels[key])}**] at position {key + setup.start}, by what each part comes from:"
    )
    rows = [f"| {name} | {value:+.6f} |" for name, value in terms.items()]
    total = f"| **scaled score** | **{sum(terms.values()):+.6f}** |"
    st.markdown("\n".join(("| part | value |", "|---|--:|", *rows, total)))
    top = float(scaled.max())
    exponentials = (scaled - top).exp()
    st.markdown(
        f"Less the row's largest, {top:.6f}, so that nothing overflows: exp({scaled[key] - top:.6f}) = "
        f"{exponentials[key]:.6f}; the row's exponentials sum to {exponentials.sum():.6f}; the weight is "
        f"{exponentials[key]:.6f} / {exponentials.sum():.6f} = **{attended.weights[query, key]:.6f}**."
    )
    st.caption(words.PARTS[SCHEMES[setup.scheme].adds])


def _pick(steps: Steps, label: str, labels: list[str]) -> int:
    """Offer the words as places of a query or key; a click on a cell sets the same."""
    place = min(int(positions.value(steps)), len(labels) - 1)
    widget = f"pick-{steps.name}"
    st.session_state[widget] = place

    def take() -> None:
        positions.move(steps, st.session_state[widget])

    chosen: int = st.selectbox(
        label, range(len(labels)), format_func=labels.__getitem__, key=widget, on_change=take
    )
    return chosen


def show_maths(setup: Setup) -> None:
    """Every scheme's formula, sentence and source, the chosen one first."""
    for name in (setup.scheme, *(other for other in SCHEMES if other != setup.scheme)):
        scheme = SCHEMES[name]
        st.markdown(f"**{name}**. {scheme.sentence}")
        st.latex(scheme.formula)
        st.caption(scheme.source)


def show_mistake(setup: Setup) -> None:
    """A mistake beside what is right, the difference, and the check that it fails."""
    name = controls.segment(SLIP, "Mistake", label_visibility="collapsed")
    mistake = POSITION_MISTAKES[name]
    st.markdown(f"{mistake.what} {mistake.why}")
    compared = mistake.compare(setup.vectors(), settings().base)
    right, broken = compared.right.numpy(), compared.broken.numpy()
    weights = mistake.maps == "weights"
    labels = setup.labels if weights else [str(p) for p in range(len(right))]
    largest = float(abs(right).max())
    live_figure(
        [
            pictures.beside.spec(
                Trial(
                    expected=right,
                    found=broken,
                    titles=("right", "broken"),
                    rows=labels,
                    columns=labels,
                    row_title="Query (attending)" if weights else "Position",
                    column_title="Key (attended to)" if weights else "Position",
                    quantity="weight" if weights else "dot product",
                    limits=(largest, max(float(abs(broken - right).max()), 1e-9)),
                    scale="weights" if weights else "scores",
                )
            )
        ],
        key="mistake",
        alt=f"The right map, the map of the mistake {name}, and their difference",
        name=f"mistake {name}",
    )
    st.markdown(words.mistake(mistake.check, mistake.measure, compared.measured, compared.holds))


def show_checks(setup: Setup) -> None:
    """The numbers on screen against independent code."""
    st.markdown("Computed now, on the words and settings on screen, in float64:")
    rows = [
        f"| {check.what} | {check.difference:.1e} | {'holds' if check.difference < WITHIN else '**fails**'} |"
        for check in run_checks(setup, settings(), positions.value(STRENGTH))
    ]
    st.markdown("\n".join(("| check | largest difference | |", "|---|--:|---|", *rows)))


def show_data(setup: Setup) -> None:
    """The vectors of the words, and what the scheme adds to each, as tables to download."""
    placed, x = setup.placed(settings()), setup.vectors()
    st.markdown(f"The vectors of the words, {len(x)} × {setup.width}:")
    _table("words", setup.labels, [f"dimension {i}" for i in range(setup.width)], x.numpy())
    if placed.adds == "bias":
        what, columns = "The bias of each pair", [f"key {label}" for label in setup.labels]
        added = placed.bias(len(x), len(x)).numpy()
    elif placed.adds == "rotation":
        what, columns = "The turned vectors", [f"dimension {i}" for i in range(setup.width)]
        added = placed.turn(x, setup.places()).numpy()
    else:
        what, columns = "The vectors of their positions", [f"dimension {i}" for i in range(setup.width)]
        added = placed.vectors(len(x), setup.width, start=setup.start).numpy()
    st.markdown(f"{what}, at strength 1, {added.shape[0]} × {added.shape[1]}:")
    _table("positions", setup.labels, columns, added)


def _table(
    name: str, rows: list[str], columns: list[str], values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> None:
    data = {"word": rows} | {column: values[:, i] for i, column in enumerate(columns)}
    st.dataframe(data, hide_index=True, key=f"table-{name}")
    head = ",".join(["word", *map(_quoted, columns)])
    body = "\n".join(
        ",".join([_quoted(row), *(repr(float(v)) for v in line)])
        for row, line in zip(rows, values, strict=True)
    )
    st.download_button(
        "Download as CSV",
        f"{head}\n{body}\n",
        f"{name}.csv",
        "text/csv",
        key=f"download-{name}",
        on_click="ignore",
        type="tertiary",
    )


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def show_code(setup: Setup) -> None:
    """The lines that reproduce the weights."""
    at = settings()
    placed = setup.placed(at, positions.value(STRENGTH))
    recipe = Recipe(setup.tokens, setup.words, setup.width, setup.seed, placed)
    st.markdown("These lines reproduce the weights with positions, with nothing but PyTorch:")
    st.code(attention_code(recipe), language="python")
