"""The landing page: the whole story in one screen, on one slider, and where to go from here."""

from pathlib import Path

import streamlit as st

from attn_figures import overview
from attn_ui import frame
from attn_ui.live_figure import Slider, live_figure, pack, pack_says
from attn_ui.navigation import PAGES
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import TEMPERATURE
from attn_ui.state import exact
from pages.overview.numbers import story, uses
from pages.overview.settings import SETTINGS
from pages.overview.words import INVITATION, STARTS, USES, what_the_slider_does

FOLDER = Path(__file__).resolve().parents[1]
CHAPTERS = [page for page in PAGES if not page.is_default]

frame.open_page(
    "",
    SETTINGS,
    "See attention",
    "Attention is a weighted average: each row is one **query**, its weights over the **keys** sum to one.",
)


@shared
def story_told(temperatures: tuple[float, ...]) -> tuple[bytes, bytes]:
    """Draw every position of the slider, and say what it shows."""
    told = story(temperatures)
    steps = [
        overview.story.spec(
            told.kernel[step], told.head[step], told.placed[step], list(told.heads[step]), told.words
        )
        for step in range(len(temperatures))
    ]
    says = [
        what_the_slider_does(temperature, told.spread(step), len(told.words))
        for step, temperature in enumerate(temperatures)
    ]
    return pack(steps), pack_says(says)


@shared
def uses_drawn() -> bytes:
    """Draw where attention is used."""
    return pack([overview.uses.spec([(use.name, use.weights, use.queries, use.keys) for use in uses()])])


temperature = exact(TEMPERATURE)
steps, said = story_told(temperature.values)
live_figure(
    steps,
    key="story",
    alt="Five maps of weights: a kernel, one head, one head with positions, and two heads",
    name="attention in one picture",
    slider=Slider("Temperature", temperature),
    says=said,
    invites=INVITATION,
)

for column, chapter in zip(st.columns(len(CHAPTERS)), CHAPTERS, strict=True):
    with column:
        script = str(FOLDER / chapter.folder / "page.py")
        st.page_link(script, label=f"**{chapter.title}**", icon=":material/arrow_forward:")
        st.caption(chapter.about)

st.header("Where to start", anchor=False)
for column, (who, advice) in zip(st.columns(len(STARTS)), STARTS.items(), strict=True):
    column.markdown(f"**{who}.** {advice}")

st.header("Where attention is used", anchor=False)
live_figure(
    uses_drawn(),
    key="uses",
    alt="Four small maps of weights: a date translated, a sentence, patches of a picture, frames of a sound",
    name="where attention is used",
)
for column, use in zip(st.columns(len(uses())), uses(), strict=True):
    column.markdown(USES[use.name])
st.page_link(
    str(FOLDER / "applications" / "page.py"),
    label="Larger ones, and BERT beside GPT",
    icon=":material/arrow_forward:",
)
