"""Under the story: where to go from here, where to start, and where attention is used."""

from pathlib import Path

import streamlit as st

from attn_figures import overview
from attn_live.packing import pack
from attn_ui.base.navigation import PAGES
from attn_ui.base.shared_cache import shared
from attn_ui.screen import lesson
from attn_ui.screen.live_figure import live_figure
from attn_words import _
from pages.overview.compute import uses
from pages.overview.words import STARTS, USES

FOLDER = Path(__file__).resolve().parents[1]
CHAPTERS = [page for page in PAGES if not page.is_default]


def show(_temperature: float) -> None:
    """Lead on to the pages, advise, and draw the uses."""
    with st.container(key="chapters"), st.container(horizontal=True, key="chapter-links"):
        for chapter in CHAPTERS:
            with st.container():
                script = str(FOLDER / chapter.folder / "page.py")
                st.page_link(script, label=f"**{_(chapter.title)}**", icon=":material/arrow_forward:")
                st.caption(_(chapter.about))

    st.header(_("Lessons"), anchor=False)
    st.markdown(
        _("Each leads through the pages, asks, and checks the answers against what is computed there.")
    )
    lesson.offer()

    st.header(_("Where to start"), anchor=False)
    for column, advice in zip(st.columns(len(STARTS)), STARTS, strict=True):
        column.markdown(_(advice))

    st.header(_("Where attention is used"), anchor=False)
    live_figure(
        _uses_drawn(),
        key="uses",
        alt=_(
            "Four small maps of weights: a date translated, a sentence, patches of a picture, frames of a "
            "sound"
        ),
        name="where attention is used",
    )
    for column, use in zip(st.columns(len(uses())), uses(), strict=True):
        column.markdown(_(USES[use.name]))
    st.page_link(
        str(FOLDER / "applications" / "page.py"),
        label=_("Larger ones, and BERT beside GPT"),
        icon=":material/arrow_forward:",
    )


@shared
def _uses_drawn() -> bytes:
    """Draw where attention is used."""
    return pack([overview.uses.spec([(_(use.name), use.weights, use.queries, use.keys) for use in uses()])])
