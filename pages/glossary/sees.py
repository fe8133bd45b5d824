"""The parts of a head by their names, and the terms of a group."""

from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider
from attn_ui.base.terms import names
from attn_words import _
from pages.glossary import parts
from pages.glossary.settings import GROUP, PART


def asks(_ask: Ask) -> None:
    """Ask for nothing: the terms' group stands below the picture."""


def sees(ask: Ask, _asked: None) -> Seen[str]:
    """Show the parts; which group of terms is open is read where it is asked for, below."""
    figure = Figure(
        parts.drawn(),
        key="parts",
        alt=_("One attention head as a block diagram, one of its parts marked"),
        name="the parts of a head",
        slider=Slider(_("Part"), PART, names=[names(term.name)[0] for term in parts.terms()]),
    )
    return Seen(ask.now(GROUP), figure, below="below")
