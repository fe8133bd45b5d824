"""A map of any size on screen, zoomed from the whole to single cells."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from attn_live.pyramid import Keep
from attn_ui.base.parameters import Sight
from attn_ui.host.tiles import OpenMap, Source
from attn_ui.screen import state
from attn_ui.screen.own_controls import component

_KEPT = "_zoomed_map"


def zoomed_map(
    make: Callable[[], Source],
    of: object,
    *,
    sizes: Sequence[tuple[int, int]],
    keep: Keep,
    meta: Mapping[str, Any],
    name: str,
    key: str,
    sight: tuple[Sight, str],
) -> None:
    """Draw a map.

    The browser fetches what comes into sight; the session holds the source of one map.

    Args:
        make: returns the source of the map's tiles.
        of: identifies the map among those of the session.
        sizes: of each level; keep: how a cell sums up its block.
        meta: further data for the script, without sizes.
        name: of a saved picture; key: of the element.
        sight: the setting of the visible part, and its present text. It follows the map once that is at rest:
            no zoom and no pan waits for it.
    """
    setting, at = sight
    cached: tuple[object, OpenMap | None] = st.session_state.get(_KEPT, (None, None))
    open_map = cached[1]
    if open_map is None or cached[0] != of:
        open_map = OpenMap(make())
        st.session_state[_KEPT] = of, open_map
    data = {
        "meta": {**meta, "sizes": [*sizes]},
        "name": name,
        "keep": keep,
        "address": f".{open_map.address}",
        "sight": at,
    }

    def on_move() -> None:
        text = (st.session_state.get(key) or {}).get("sight")
        with suppress(ValueError):
            state.write_setting(setting, setting.read(text if isinstance(text, str) else ""))

    component("zoomed_map")(key=key, data=data, on_sight_change=on_move)
