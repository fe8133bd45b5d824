"""The tab *Break it* of every page: a mistake beside the right computation, and the check that finds it."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attn_figures.numbers import number
from attn_ui.base.parameters import Choice
from attn_ui.screen import widgets
from attn_ui.screen.live_figure import live_figure
from attn_words import _, paragraph

NO_BREAK = "\N{NO-BREAK SPACE}"


def break_it(choice: Choice, mistakes: Mapping[str, Any], draw: Callable[..., dict[str, Any]]) -> None:
    """Offer the mistakes, and show the chosen one on its own example, not on the page's settings.

    Args:
        choice: the setting whose options are the mistakes' names.
        mistakes: each an `attn_core.Mistake`, by name.
        draw: returns the figure from a mistake's two drawings, the right one and the broken one.
    """
    name = widgets.choose(choice, _("Mistake"), width=360)
    mistake = mistakes[name]
    st.markdown(paragraph(_(mistake.what), _(mistake.why)))
    live_figure([draw(*mistake.maps)], key="broken", name=f"mistake {name}")
    st.caption(_(mistake.example.sentence))
    for check, *numbers in mistake.numbers:
        right, broken = (_verdict(each, check.holds(each)) for each in numbers)
        caption = _(
            "Check: *{check}*. Measured ({number}): right {right}, broken {broken}.",
            check=_(check.name),
            number=_(check.number),
            right=right,
            broken=broken,
        )
        st.markdown(caption)


def _verdict(value: float, holds: bool) -> str:
    text = number(value, 3).replace(" ", NO_BREAK)
    return f":material/check:{NO_BREAK}{text}" if holds else f":material/close:{NO_BREAK}**{text}**"
