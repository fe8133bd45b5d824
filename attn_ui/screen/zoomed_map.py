"""A map of any size on screen, zoomed from the whole to single cells."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attn_live.pyramid import Pyramid
from attn_ui.screen.component import component
from attn_ui.streamlit_inside import media

_KEPT = "_zoomed_map"


def zoomed_map(pyramid: Pyramid, of: object, *, meta: Mapping[str, Any], name: str, key: str) -> bool:
    """Draw a map; return whether that can be.

    Its numbers are one file, of which the browser fetches what comes into sight; the session keeps that of
    one map, 4/3 of what the map takes.

    Args:
        pyramid: the map.
        of: tells this map from any other of the session.
        meta: what the script takes of it, without its sizes.
        name: of a saved picture; key: of the element.
    """
    kept, tiles = st.session_state.get(_KEPT, (None, b""))
    if kept != of:
        tiles = pyramid.tiles()
        st.session_state[_KEPT] = of, tiles
    address = media.address(tiles, key)
    if not address:
        return False
    data = {
        "meta": {**meta, "sizes": pyramid.sizes},
        "name": name,
        "keep": pyramid.keep,
        "address": f".{address}",
    }
    component("zoomed_map")(key=key, data=data)
    return True
