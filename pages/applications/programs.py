"""A program that prints the weights on screen."""

from attn_ui.base.programs import OneProgram
from pages.applications.state import State
from pages.applications.views import VIEWS


def programs(state: State) -> OneProgram:
    """Return what is handed over."""
    view = VIEWS[state.use]
    return OneProgram(
        lambda: view.program(state),
        "Attention written out in PyTorch; what goes in is this app's own: `pip install .` in its folder. "
        f"It prints {view.prints}.",
    )
