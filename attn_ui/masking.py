"""What a mask takes beside its width, asked for in one way on each page; and cells that a click blocks."""

from collections.abc import Collection
from typing import Any

import streamlit as st

from attn_ui import controls, state
from attn_ui.shared_settings import BLOCKED, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS


def ask_details(kinds: Collection[str], *, blocks_in: str) -> dict[str, Any]:
    """Ask for what masks of these kinds take; return it by the names of the fields of `attn_core.Masking`.

    Args:
        kinds: the kinds of mask that are in use.
        blocks_in: where a cell of a mask of one's own is clicked, as "the scaled map".
    """
    details: dict[str, Any] = {}
    if "dilated" in kinds:
        details["dilation"] = controls.whole(DILATION, "Places between neighbours")
    if "global + local" in kinds:
        details["global_tokens"] = controls.whole(GLOBAL_TOKENS, "Global tokens, from the first")
    if "block-sparse" in kinds:
        details["random_blocks"] = controls.whole(RANDOM_BLOCKS, "Random blocks a row")
    if "own" in kinds:
        details["blocked"] = tuple(sorted(BLOCKED.cells(state.text(BLOCKED))))
        st.caption(
            f":material/touch_app: Click a cell of {blocks_in} to block or free it, or choose it under "
            "*Arithmetic*."
        )
        st.button("Free all cells", on_click=state.keep, args=(BLOCKED, ""), disabled=not details["blocked"])
    return details


def toggle_cell(query: int, key: int) -> None:
    """Block a cell of a mask of one's own, or free it."""
    state.keep(BLOCKED, BLOCKED.text(BLOCKED.cells(state.text(BLOCKED)) ^ {(query, key)}))
