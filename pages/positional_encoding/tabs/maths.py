"""The tab Maths: the attention on screen, then each scheme's formula and source, the chosen one first."""

import streamlit as st

from attn_core import SCALINGS, SCHEMES
from attn_words import N_, _
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import SCALED
from pages.positional_encoding.words import scheme_name

LETTERS = {
    "nothing": N_("The rows of $X$ are the words' vectors."),
    "vector": N_(
        "The rows of $E$ are the words' vectors and those of $P$ the positions'; $X$ is what attends."
    ),
    "rotation": N_("The rows of $X$ are the words' vectors, and $R$ turns each by an angle of its position."),
    "bias": N_("The rows of $X$ are the words' vectors; $B$ are the biases of the chosen head."),
}


def show(result: Result) -> None:
    """Show the formulas."""
    if result.state.is_scaled:
        _show_scalings(result.state.scaling)
    own = result.scheme_name
    message = _(
        "The words attend to one another ({scheme}); rows, pairs and positions count from 0:",
        scheme=scheme_name(own),
    )
    st.markdown(message)
    st.latex(formulas.attention(result))
    st.markdown(_(LETTERS[result.scheme().adds]))
    for name in (own, *(other for other in SCHEMES if other != own)):
        scheme = SCHEMES[name]
        st.markdown(_("**{scheme}**. {sentence}", scheme=scheme_name(name), sentence=_(scheme.sentence)))
        st.latex(formulas.scheme_formula(result, name))
        st.caption(_(scheme.source))


def _show_scalings(own: str) -> None:
    """Show how each scaling slows the pairs of a rotary head, the chosen one first."""
    st.markdown(
        _(
            "Pair $i$ of a rotary head turns by $\\omega_i$ from one position to the next, and $r_i$ times "
            "round within the trained length $L$; a text $s$ times as long is read with $\\omega'_i$:"
        )
    )
    st.latex(r"\omega_i = b^{-2i/d}, \qquad r_i = \frac{L\,\omega_i}{2\pi}")
    for name in (own, *(other for other in SCALED if other != own)):
        scaling = SCALINGS[name]
        st.markdown(_(scaling.sentence))
        st.latex(scaling.formula)
        st.caption(_(scaling.source))
