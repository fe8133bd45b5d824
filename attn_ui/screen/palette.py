"""What colours the maps: as the link says, or as chosen under *Share*, on all pages alike."""

import streamlit as st

from attn_ui.base.link_options import PALETTE
from attn_ui.screen import state
from attn_words import N_, _

_CHOSEN = "_palette"
_KEY = "pick-palette"
_LABELS = (N_("indigo"), N_("viridis"), N_("cividis"), N_("YlGnBu"), N_("grey"))
_CALLED = dict(zip(PALETTE.options, _LABELS, strict=True))


def here() -> str:
    """Return the palette that is worn."""
    return str(st.session_state.get(_CHOSEN, PALETTE.default))


def wear_here() -> None:
    """Take over what the link says, and have the address say what was chosen on another page."""
    linked = st.query_params.get(PALETTE.name)
    if linked in PALETTE.options:
        st.session_state[_CHOSEN] = linked
    elif linked is None and here() != PALETTE.default:
        st.query_params[PALETTE.name] = here()


def place() -> None:
    """Offer the others."""
    st.session_state[_KEY] = here()
    st.selectbox(
        _("Colours of maps, on every page"),
        PALETTE.options,
        key=_KEY,
        format_func={name: _(label) for name, label in _CALLED.items()}.__getitem__,
        on_change=_choose,
    )


def _choose() -> None:
    if st.session_state[_KEY] not in PALETTE.options:  # the list was in another language meanwhile
        return
    st.session_state[_CHOSEN] = st.session_state[_KEY]
    state.put(PALETTE.name, *([] if here() == PALETTE.default else [here()]))
