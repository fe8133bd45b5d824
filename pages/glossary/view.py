"""The parts of a head by their names above all terms, or the terms of one group alone."""

from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.terms import names
from attn_words import _
from pages.glossary import parts
from pages.glossary.settings import EVERY, GROUP, PART


def read_controls(_controls: Controls) -> None:
    """Return None: the page has no state, as the group is chosen in the view."""


def view(controls: Controls, _state: None) -> View[str]:
    """Show the terms of a group; above all of them the parts of a head."""
    group = controls.choose(GROUP, _("Terms of"), width=240)
    if group != EVERY:
        return View(group, None, below="term_list")
    figure = Figure(
        parts.draw_parts(),
        key="parts",
        name="the parts of a head",
        slider=Slider(_("Part"), PART, names=[names(term.name)[0] for term in parts.terms()]),
    )
    return View(group, figure, below="term_list")
