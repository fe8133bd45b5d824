"""Pictures and captions of one use of attention at all slider positions, cached for all sessions."""

from dataclasses import replace

from attn_figures.scene import Scene
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from pages.applications.state import State
from pages.applications.views import VIEWS


@shared_scene
def draw_use(state: State, steps: Steps) -> Scene:
    """Draw the use at every position of its sliders, with captions.

    Args:
        state: with all sliders at their defaults; steps: the slider's setting, with its values.
    """
    application = VIEWS[state.use]
    return replace(application.draw(state, steps), captions=application.captions(state, steps))
