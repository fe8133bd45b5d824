"""What is asked above the picture and in the sidebar."""

from dataclasses import replace

from attn_core import KERNELS, function_sample, read_function
from attn_ui.base.ask import Ask
from attn_ui.base.markdown import plain
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
    TRUTH,
    TWO_INPUTS,
    TYPED,
)
from pages.kernel_regression.state import Drawn, State

OWN = "kernel_own_points"  # where the session keeps a person's own points
LAST_FUNCTION = "kernel_last_function"  # where it keeps the last function that could be drawn


def asks(ask: Ask) -> State:
    """Ask for all that the page follows."""
    picture = ask.segment(KERNEL_VIEW, _("Picture"), label_visibility="collapsed")
    two_inputs, own = picture == TWO_INPUTS, None
    with ask.sidebar():
        kernel = _ask_kernel(ask)
        x2 = _ask_second_coordinate(ask) if two_inputs else QUERY_AT_2.default
        drawn = _ask_data(ask, two_inputs)
        if drawn.data == OWN_POINTS:
            own = _own_points(ask)
            if own is None and not two_inputs:
                ask.say(
                    _(
                        ":material/info: A link carries no points of your own: add them in the tab *Data*. "
                        "Until then, sine."
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
    own, typed = (data == each and not two_inputs for each in (OWN_POINTS, TYPED))
    text = ask.line(TRUTH, _("y, a function of x")) if typed else TRUTH.default
    under_the_text = ask.space(needed=typed)
    noise = ask.real(NOISE, _("Noise"), disabled=own)
    with ask.more(POINTS, SEED) as more:
        n_points = more.whole(POINTS, _("Points"), disabled=own)
        drawn = Drawn(data, n_points, noise, more.whole(SEED, _("Seed"), disabled=own))
    if not typed:
        return drawn
    with under_the_text:
        return replace(drawn, function=_drawable(ask, text, drawn))


def _drawable(ask: Ask, text: str, drawn: Drawn) -> str:
    """Return the function that was typed, or the last that could be drawn, and say why."""
    try:
        function = read_function(text)
        function_sample(function, n_points=drawn.n_points, noise=drawn.noise, seed=drawn.seed)
    except ValueError as error:
        last = ask.kept(LAST_FUNCTION, TRUTH.default)
        ask.say(
            _(
                ":material/info: {error} Shown is y = {function}.",
                error=plain(str(error)),
                function=plain(read_function(last).written),
            )
        )
        return last
    ask.keep(LAST_FUNCTION, text)
    ask.formula(f"y = {function.latex}")
    return text


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
