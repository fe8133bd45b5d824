"""A use drawn and said at all positions of its sliders; kept for whoever asks next."""

from attn_live.says import pack_says
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_cache import shared
from pages.applications.state import State
from pages.applications.views import VIEWS


@shared
def drawn(asked: State, steps: Steps) -> tuple[bytes, bytes]:
    """Draw every position of the sliders, and say what is seen there.

    Args:
        asked: with all sliders at their defaults; steps: of the slider.
    """
    view = VIEWS[asked.use]
    return view.draw(asked, steps), pack_says(view.says(asked, steps))
