"""How all pages look: the colours of maps and the decimals in cells, by the link or chosen under *Share*."""

from functools import partial

import streamlit as st

from attn_ui.base.link_options import DECIMALS, PALETTE
from attn_ui.base.parameters import Choice
from attn_ui.screen import state
from attn_words import N_, _

_LABELS = {
    "indigo": N_("indigo"),
    "viridis": N_("viridis"),
    "cividis": N_("cividis"),
    "ylgnbu": N_("YlGnBu"),
    "grey": N_("grey"),
    "2": N_("two (0.00)"),
    "3": N_("three (0.000)"),
}


def current_look(setting: Choice) -> str:
    """Return the chosen look."""
    return str(st.session_state.get(f"_{setting.name}", setting.default))


def sync_with_address() -> None:
    """Take the looks from the link; write those chosen on another page into the address."""
    for setting in (PALETTE, DECIMALS):
        linked = st.query_params.get(setting.name)
        if linked in setting.options:
            st.session_state[f"_{setting.name}"] = linked
        elif linked is None and current_look(setting) != setting.default:
            st.query_params[setting.name] = current_look(setting)


def show() -> None:
    """Show the lists of looks."""
    for setting, label in (
        (PALETTE, _("Colours of maps, on every page")),
        (DECIMALS, _("Decimals in cells, on every page")),
    ):
        key = f"pick-{setting.name}"
        st.session_state[key] = current_look(setting)
        names = {name: _(_LABELS[name]) for name in setting.options}
        st.selectbox(
            label,
            setting.options,
            key=key,
            format_func=names.__getitem__,
            on_change=partial(_choose, setting, key),
        )


def _choose(setting: Choice, key: str) -> None:
    look = st.session_state[key]
    if look not in setting.options:  # the list was in another language meanwhile
        return
    st.session_state[f"_{setting.name}"] = look
    state.put_in_address(setting.name, *([] if look == setting.default else [look]))
