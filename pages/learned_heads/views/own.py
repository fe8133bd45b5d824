"""Heads of one's own model, from a file; it is kept for the session alone."""

from collections.abc import Callable, Hashable

import streamlit as st

from attn_core import AttentionMaps, read_attention
from attn_ui import controls
from attn_ui.bounds import MAX_MAPS_BYTES
from attn_ui.frame import tabs
from attn_ui.markdown import plain
from pages.learned_heads import whole_words as words
from pages.learned_heads.settings import HIDE, WHOLE_TAB
from pages.learned_heads.tabs import whole as whole_tabs
from pages.learned_heads.views import heads
from pages.learned_heads.whole import Whole
from pages.learned_heads.whole_snippet import CAPTURE
from pages.learned_heads.words import capital

OWN_MAPS = "learned_own_maps"  # where the session keeps them
_FILE, _FAULT, _MADE = "own-maps", "learned_own_fault", "learned_own_made"
_MOST_NAMES = 12


def show() -> None:
    """Ask for a file, and draw its heads."""
    st.file_uploader(
        f"Attention weights (.npz, .safetensors or .npy, at most {MAX_MAPS_BYTES // 1_000_000} MB)",
        type=["npz", "safetensors", "npy"],
        key=_FILE,
        on_change=_take,
        max_upload_size=MAX_MAPS_BYTES // 1_000_000,
        help="(layers, heads, queries, keys), or Q and K, and tokens if you like. Read in memory, for this "
        "session alone; nothing is stored.",
    )
    if st.session_state.get(_FAULT):
        stays = " What was there stays." if OWN_MAPS in st.session_state else ""
        st.warning(plain(st.session_state[_FAULT]) + stays, icon=":material/error:")
    maps: AttentionMaps | None = st.session_state.get(OWN_MAPS)
    if maps is None:
        st.markdown("`capture` takes the heads of any PyTorch model while it runs and writes such a file:")
        st.code(CAPTURE, language="python")
        return
    with st.sidebar:
        measure = heads.ask_measure()
        hide = bool(maps.special) and controls.flag(HIDE, "Hide special tokens")
    heads.ask_which()
    whole = Whole(maps, measure, hide)
    asked = (hide, measure, tuple(whole.slider(heads.rank_of(whole)).values))
    heads.show(whole, key="own", name="heads of an own model", made=lambda *each: _made(asked, *each))
    for note in maps.notes:
        st.caption(f":material/content_cut: {plain(note)}")
    if hide and maps.tokens:
        specials = [plain(maps.tokens[place]) for place in maps.special]
        st.caption(words.hidden(len(specials), specials))
    named = [f"{number} {plain(name)}" for number, name in enumerate(whole.names, start=1)]
    more = f" and {len(named) - _MOST_NAMES} more" if len(named) > _MOST_NAMES else ""
    st.caption(f"Layers, as the file names them: {', '.join(named[:_MOST_NAMES])}{more}.")
    tabs(
        WHOLE_TAB,
        {
            "Heads": lambda: whole_tabs.show_heads(whole),
            "Checks": lambda: whole_tabs.show_checks(whole),
            "Code": whole_tabs.show_own_code,
        },
    )


def _take() -> None:
    """Read what was uploaded; where it cannot be, say why and keep what was there."""
    uploaded = st.session_state.get(_FILE)
    if uploaded is None:
        return
    try:
        maps = read_attention(uploaded.name, uploaded.getvalue())
    except ValueError as error:
        st.session_state[_FAULT] = f"{capital(str(error))}."
        return
    st.session_state[OWN_MAPS] = maps
    st.session_state.pop(_FAULT, None)
    st.session_state.pop(_MADE, None)


def _made(asked: Hashable, what: str, make: Callable[[], bytes]) -> bytes:
    """Keep the picture of the present order in the session, and no other."""
    kept, pictures = st.session_state.get(_MADE, (None, {}))
    if kept != asked:
        pictures = {}
    if what not in pictures:
        pictures[what] = make()
    st.session_state[_MADE] = (asked, pictures)
    made: bytes = pictures[what]
    return made
