"""Lesson links: what a teacher can add to the link of any page.

They hide controls or prose, start in projector mode, and say one sentence of the teacher's own. All of it
stands in the link alone; whoever takes it out of the address has the whole page again.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from attn_ui.base.parameters import Flag, Parameter, Text
from attn_ui.streamlit_inside import markup

PROJECTOR = Flag("projector", False)
SAY = Text("say", "", 300)
PARTS = {
    "words": "All prose: what a page says beside its figure, and its tabs",
    "tabs": "The tabs under the figure",
    "sidebar": "The sidebar with all its settings",
    "sliders": "The sliders under the figure",
    "search": "The search field beside the title",
}
_HIDDEN = {
    "words": f".live-says, {markup.PROSE}",
    "tabs": markup.TABS,
    "sidebar": markup.SIDEBAR,
    "sliders": ".live-row > :not(.live-tools)",
    "search": ".find",
}


@dataclass(frozen=True)
class Hidden:
    """Parts and settings of a page that a link hides: "words,temperature"."""

    names: tuple[str, ...]  # of what there is to hide
    name: str = "hide"
    default: str = ""

    def read(self, text: str) -> str:
        """Return the text itself where each of its names is known."""
        if text and not set(text.split(",")) <= set(self.names):
            raise ValueError(f"names of what to hide, with commas between them: {', '.join(self.names)}")
        return text


def parameters(settings: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """Return what a lesson link can set on a page with these settings.

    >>> [each.name for each in parameters([Flag("bias", False)])]
    ['hide', 'say', 'projector']
    """
    return Hidden((*PARTS, *(setting.name for setting in settings))), SAY, PROJECTOR


def style(hidden: str) -> str:
    """Return the style sheet that hides parts and settings of a page; their names were checked by `Hidden`.

    >>> style("search")
    '.find { display: none !important; }'
    """
    chosen = [_HIDDEN.get(name) or _control(name) for name in hidden.split(",") if name]
    return "\n".join(f"{selector} {{ display: none !important; }}" for selector in chosen)


def _control(name: str) -> str:
    """Return the selector of a setting's control, wherever it stands: in the sidebar or under a figure."""
    keys = ", ".join(f".st-key-{prefix}{name}" for prefix in ("", "step-", "pick-"))
    return f'{keys}, .live-row[data-setting="{name}"] > :not(.live-tools)'


def hide_parts(settings: Sequence[Parameter]) -> None:
    """Hide what the link hides; to be called once the address was checked."""
    hidden = st.query_params.get("hide", "")
    try:
        sheet = style(Hidden((*PARTS, *(setting.name for setting in settings))).read(hidden))
    except ValueError:  # typed into the address after the page was entered
        return
    if sheet:
        st.html(f"<style>{sheet}</style>")


def say() -> None:
    """Show the teacher's sentence, as text and never as markup."""
    text = " ".join(st.query_params.get("say", "").split())[: SAY.longest]
    if text:
        st.html(f'<p class="teacher-says">{html.escape(text)}</p>')
