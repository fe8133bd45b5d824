"""The sidebar's part on weights: how they are drawn, how wide that is here, and those set by hand."""

from dataclasses import replace

import streamlit as st

from attn_core import INITS
from attn_ui import state
from attn_ui.hand_weights import ask_by_hand, ask_init, ask_whether
from attn_ui.screen import SCREEN
from attn_ui.weight_tables import Weight, spread
from pages.multi_head.numbers import heads_slider, sizes_of
from pages.multi_head.settings import HEADS, INIT, Setting
from pages.multi_head.weights import weights


def ask_weights(setting: Setting) -> Setting:
    """Return the setting with how its weights are drawn, and with those set by hand."""
    st.subheader("Weights W", anchor=False)
    setting = replace(
        setting, init=ask_init(SCREEN, INIT, {name: each.sentence for name, each in INITS.items()})
    )
    about = st.container()
    given = ask_by_hand(SCREEN, _shapes(setting)) if ask_whether(SCREEN) else ()
    if drawn := drawn_so(setting, [name for name, _ in given]):
        about.caption(drawn)
    return replace(setting, weights=given)


def _shapes(setting: Setting) -> list[list[Weight]]:
    """Return each weight in the shapes that it has with any number of heads, the present number first."""
    slider = heads_slider(setting)
    if setting.d_head is None:  # all heads share one width, however many there are
        return [[each] for each in weights(sizes_of(setting, int(slider.values[0])))]
    present = int(slider.taken(state.value(HEADS)))
    counts = [present, *(int(heads) for heads in slider.values if heads != present)]
    every = (weights(sizes_of(setting, heads), _with(heads)) for heads in counts)
    return [list(shapes) for shapes in zip(*every, strict=True)]


def _with(heads: int) -> str:
    return "with 1 head" if heads == 1 else f"with {heads} heads"


def drawn_so(setting: Setting, typed: list[str]) -> str:
    """Say how wide the weights are drawn that are, at the least and the most heads where these differ."""
    counts = [int(heads) for heads in heads_slider(setting).values]
    ends = [counts[0]] if setting.d_head is None else sorted({counts[0], counts[-1]})
    found: dict[str, list[str]] = {}
    for heads in ends:
        for each in weights(sizes_of(setting, heads)):
            if each.name[0] == "W" and each.name not in typed:
                found.setdefault(each.name, []).append(f"{INITS[setting.init].std(*each.shape):.3g}")
    if not found:
        return ""
    return spread(
        {
            name: texts[0]
            if len({*texts}) == 1
            else " and ".join(f"{text} {_with(heads)}" for text, heads in zip(texts, ends, strict=True))
            for name, texts in found.items()
        }
    )
