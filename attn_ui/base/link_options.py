"""Options that a link can set on any page, beside the page's own: those of a teacher's link.

They hide controls or prose, start in projector mode, show one sentence of the teacher's own, open a step of a
lesson beside the figure, cover a panel until it is revealed, pin a state to compare with, choose a language,
colours of maps and decimals in cells. They are stored in the link alone: the link without them opens the
whole page.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_figures.theme import RAMPS
from attn_ui.base.parameters import Choice, Flag, Parameter, Text
from attn_ui.base.pin import COMPARE, Pin
from attn_words import LANGUAGES, N_, _, is_spoken

PROJECTOR = Flag("projector", False)
SAY = Text("say", "", 300)
LESSON = Text("lesson", "", 200)  # the name of its file, a dot, and the name of a step
COVER = Text("cover", "", 80)
"""The covered panel or curve, by the name of its trace; `cover.names` lists those of a figure."""
ALOUD = "aloud"
PREDICT = Choice("predict", ALOUD, (ALOUD, "key", "row", "number", "trend", "curve"))
"""The kind of question about the covered panel or curve."""
PARTS = {
    "words": N_("All prose: what a page says beside its figure, and its tabs"),
    "tabs": N_("The tabs under the figure"),
    "sidebar": N_("The sidebar with all its settings"),
    "sliders": N_("The sliders under the figure"),
    "search": N_("The search field beside the title"),
}


@dataclass(frozen=True)
class Hidden:
    """Parts and settings of a page that a link hides: "words,temperature"."""

    names: tuple[str, ...]  # of everything that can be hidden
    name: str = "hide"
    default: str = ""

    def read(self, text: str) -> str:
        """Return the text itself where each of its names is known."""
        if text and not set(text.split(",")) <= set(self.names):
            raise ValueError(
                _("names of what to hide, with commas between them: {names}", names=", ".join(self.names))
            )
        return text


@dataclass(frozen=True)
class Language:
    """The language that a link sets; without it a page is in the visitor's own language."""

    name: str = "lang"
    default: str = ""

    def read(self, text: str) -> str:
        """Return the language."""
        if not is_spoken(text):
            raise ValueError(_("one of {options}", options=", ".join(LANGUAGES)))
        return text


LANG = Language()
PALETTE = Choice("palette", "indigo", tuple(RAMPS))
"""The colours of maps, on all pages."""
DECIMALS = Choice("decimals", "2", ("2", "3"))
"""Decimals of the numbers in cells that have room for them, on all pages."""


def hide_setting(settings: Sequence[Parameter]) -> Hidden:
    """Return the setting whose options are the parts and settings that a link can hide."""
    return Hidden((*PARTS, *(setting.name for setting in settings)))


def framing(settings: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """Return the options that a link to any page can set; `settings` are the page's own.

    >>> [each.name for each in framing([Flag("bias", False)])][4:]
    ['pin', 'compare', 'cover', 'predict', 'lang', 'palette', 'decimals']
    """
    return (
        hide_setting(settings),
        SAY,
        PROJECTOR,
        LESSON,
        Pin(tuple(settings)),
        COMPARE,
        COVER,
        PREDICT,
        LANG,
        PALETTE,
        DECIMALS,
    )
