"""The parts of a head by their names, and the terms of a group."""

from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.terms import names
from attn_words import _
from pages.glossary import parts
from pages.glossary.settings import GROUP, PART


def read_controls(_controls: Controls) -> None:
    """Read nothing: the terms' group stands below the picture."""


def view(controls: Controls, _state: None) -> View[str]:
    """Show the parts; the group of terms is chosen below."""
    figure = Figure(
        parts.draw_parts(),
        key="parts",
        alt=_("One attention head as a block diagram, one of its parts marked"),
        name="the parts of a head",
        slider=Slider(_("Part"), PART, names=[names(term.name)[0] for term in parts.terms()]),
    )
    return View(controls.peek(GROUP), figure, below="below")
