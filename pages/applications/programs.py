"""A program that prints the weights on screen."""

from attn_ui.base.programs import OneProgram
from attn_words import _
from pages.applications.photo import PhotoRows
from pages.applications.state import State
from pages.applications.views import VIEWS


def programs(state: State | PhotoRows) -> OneProgram | None:
    """Return the program of a use of attention; None for a visitor's own picture."""
    if isinstance(state, PhotoRows):
        return None
    return OneProgram(
        VIEWS[state.use].program(state),
        _(
            "Attention written out in PyTorch; what goes in is of `attn_core`: `pip install .` in this app's "
            "folder. It prints the weights on screen."
        ),
    )
