"""The part under the opening picture: the five maps with one slider, the pages, and the lessons."""

from pathlib import Path

import streamlit as st

from attn_figures import overview
from attn_figures.scene import Scene
from attn_ui.base.navigation import PAGES
from attn_ui.base.page import Figure, Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import TEMPERATURE
from attn_ui.screen import lesson_panel
from attn_ui.screen.run_page import draw
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_words import N_, _
from pages.overview.compute import story
from pages.overview.sentences import Sentence
from pages.overview.words import temperature_caption

FOLDER = Path(__file__).resolve().parents[1]
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (N_("The course"), ("kernel_regression", "single_head", "positional_encoding", "multi_head")),
    (N_("Trained"), ("learned_heads", "applications")),
    (N_("Look up"), ()),  # all remaining pages
)


def show(_result: Sentence) -> None:
    """Draw the five maps, and list pages and lessons."""
    st.header(_("One idea, five maps"), anchor=False)
    st.markdown(
        _("What is near, or alike, gets more weight; two heads compare in two ways. Nothing is trained here.")
    )
    _show_story()
    _list_pages()
    st.header(_("Teach with it"), anchor="teach")
    st.markdown(
        _(
            "Each lesson leads through the pages, asks, and checks the answers against what is computed "
            "there. *Share* has the address of what you see, as a link and as a code for phones; beside each "
            "figure one button saves it for a slide, and one fills the screen for a projector."
        )
    )
    lesson_panel.list_lessons()


def _show_story() -> None:
    temperature = CONTROLS.exact(TEMPERATURE)
    figure = Figure(
        _draw(temperature.values),
        key="story",
        name="attention in one picture",
        slider=Slider(_("Temperature"), temperature),
    )
    draw(figure)


@shared_scene
def _draw(temperatures: tuple[float, ...]) -> Scene:
    """Draw the five maps at every position of the slider, with a caption each."""
    maps = story(temperatures)
    steps = [
        overview.story(
            maps.kernel[step], maps.head[step], maps.placed[step], list(maps.heads[step]), maps.words
        )
        for step in range(len(temperatures))
    ]
    captions = [
        temperature_caption(temperature, maps.spread(step), len(maps.words))
        for step, temperature in enumerate(temperatures)
    ]
    return Scene(steps, captions=captions)


def _list_pages() -> None:
    """List the pages in their groups."""
    remaining = {page.folder: page for page in PAGES if not page.is_default}
    with st.container(key="chapters"), st.container(horizontal=True, key="chapter-links"):
        for name, folders in GROUPS:
            with st.container():
                st.subheader(_(name), anchor=False)
                for page in [remaining.pop(each) for each in folders or tuple(remaining)]:
                    script = str(FOLDER / page.folder / "page.py")
                    st.page_link(script, label=f"**{_(page.title)}**", icon=":material/arrow_forward:")
                    st.caption(_(page.about))
