"""What is asked above the picture and in the sidebar."""

from attn_core import KERNELS
from attn_ui.base.ask import Ask
from attn_ui.base.shared_settings import SEED
from attn_words import _
from pages.kernel_regression.points import Points
from pages.kernel_regression.settings import (
    KERNEL,
    KERNEL_VIEW,
    MAP_STRIDE,
    NOISE,
    OWN_POINTS,
    POINTS,
    POINTS_DATA,
    QUERY_AT_2,
    TWO_INPUTS,
)
from pages.kernel_regression.state import Drawn, State

OWN = "kernel_own_points"  # where the session keeps a person's own points


def asks(ask: Ask) -> State:
    """Ask for all that the page follows."""
    picture = ask.segment(KERNEL_VIEW, _("Picture"), label_visibility="collapsed")
    two_inputs, own = picture == TWO_INPUTS, None
    with ask.sidebar():
        drawn = _ask_data(ask, two_inputs)
        kernel = _ask_kernel(ask)
        x2 = _ask_second_coordinate(ask) if two_inputs else QUERY_AT_2.default
        if drawn.data == OWN_POINTS:
            own = _own_points(ask)
            if own is None and not two_inputs:
                ask.say(
                    _(
                        ":material/info: A link carries no points of your own: add them in the tab *Data* of "
                        "*Take away*. Until then, sine."
                    )
                )
    if two_inputs and drawn.data == OWN_POINTS:
        ask.say(_(":material/info: Your own points have one input each; this picture has a data set of two."))
    return State(picture, drawn, kernel, x2, own)


def _own_points(ask: Ask) -> Points | None:
    kept: Points | None = ask.kept(OWN, None)
    return kept


def _ask_data(ask: Ask, two_inputs: bool) -> Drawn:
    """Ask which points there are; those with two inputs are one data set of its own."""
    ask.heading(_("Data"))
    # The label of what cannot be chosen would be too pale to read.
    label = "collapsed" if two_inputs else "visible"
    data = ask.choose(POINTS_DATA, _("Data set"), disabled=two_inputs, label_visibility=label)
    if two_inputs:
        ask.say(_("Two inputs have a data set of their own: y = 2 (sin x₁ + cos x₂), with noise."))
    own = data == OWN_POINTS and not two_inputs
    return Drawn(
        data,
        ask.whole(POINTS, _("Points"), disabled=own),
        ask.real(NOISE, _("Noise"), disabled=own),
        ask.whole(SEED, _("Seed"), disabled=own),
    )


def _ask_second_coordinate(ask: Ask) -> float:
    """Ask for the second coordinate of the query; the first one is the figure's own."""
    ask.heading(_("Query"))
    x2 = ask.step(QUERY_AT_2.thinned(MAP_STRIDE), _("Query x₂"))
    ask.say(_("Its x₁ moves under the figure. A click on the map sets both."))
    return x2


def _ask_kernel(ask: Ask) -> str:
    """Ask for the kernel, and show its formula."""
    ask.heading(_("Kernel"))
    kernel = ask.choose(KERNEL, _("Kernel"))
    ask.formula(f"K(u) = {KERNELS[kernel].formula}")
    ask.say("u = |q − k| / h")
    if kernel in ("triangular", "epanechnikov"):
        ask.say(_("Some courses print max(0, 1 − u), the triangular kernel, as Epanechnikov's."))
    return kernel
