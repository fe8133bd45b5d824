"""The options of a teacher's link, applied on screen: see `attn_ui.base.link_options`."""

import html
from collections.abc import Sequence

import streamlit as st

from attn_ui.base.link_options import SAY, hide_setting
from attn_ui.base.parameters import Parameter
from attn_ui.streamlit_inside import markup

_HIDDEN = {
    "words": f".live-says, .terms-here, {markup.PROSE}",
    "tabs": markup.TABS,
    "sidebar": markup.SIDEBAR,
    "sliders": ".live-row > :not(.live-tools)",
    "search": ".search",
}


def style(names: str) -> str:
    """Return the style sheet that hides parts and settings of a page; the names must be valid.

    >>> style("search")
    '.search { display: none !important; }'
    """
    selectors = [_HIDDEN.get(name) or _control(name) for name in names.split(",") if name]
    return "\n".join(f"{selector} {{ display: none !important; }}" for selector in selectors)


def _control(name: str) -> str:
    """Return the selector of a setting's control, in the sidebar or under a figure."""
    keys = ", ".join(f".st-key-{prefix}{name}" for prefix in ("", "step-", "pick-"))
    return f'{keys}, .live-row[data-setting="{name}"] > :not(.live-tools)'


def hide_parts(settings: Sequence[Parameter]) -> None:
    """Hide the parts that the link names, after the address was checked."""
    hide = hide_setting(settings)
    try:
        sheet = style(hide.read(st.query_params.get(hide.name, hide.default)))
    except ValueError:  # typed into the address after the page was entered
        return
    if sheet:
        st.html(f"<style>{sheet}</style>")


def show_sentence() -> None:
    """Show the teacher's sentence, as text and never as markup."""
    text = " ".join(st.query_params.get("say", "").split())[: SAY.longest]
    if text:
        st.html(f'<p class="teacher-says">{html.escape(text)}</p>')
