"""The controls above the picture and in the sidebar."""

from dataclasses import replace

from attn_core import KERNELS, function_sample, read_function
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import plain
from attn_ui.base.shared_settings import SEED
from attn_words import _
from pages.kernel_regression.data_points import Points
from pages.kernel_regression.settings import (
    KERNEL,
    KERNEL_VIEW,
    LIMITS,
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
from pages.kernel_regression.state import LIMITS_SAMPLE, SampleSettings, State

OWN = "kernel_own_points"  # the session's key for a visitor's own points


def read_controls(controls: Controls) -> State:
    """Read the controls into the state of the page."""
    picture = controls.segment(KERNEL_VIEW, _("Picture"), label_visibility="collapsed")
    two_inputs, own = picture == TWO_INPUTS, None
    with controls.sidebar():
        kernel = _read_kernel(controls)
        x2 = _read_second_coordinate(controls) if two_inputs else QUERY_AT_2.default
        sample = LIMITS_SAMPLE if picture == LIMITS else _read_data(controls, two_inputs)
        if sample.data == OWN_POINTS:
            own = _own_points(controls)
            if own is None and not two_inputs:
                controls.caption(
                    _(
                        ":material/info: A link carries no points of your own: add them in the tab *Data*. "
                        "Until then, sine."
                    )
                )
    return State(picture, sample, kernel, x2, own)


def _own_points(controls: Controls) -> Points | None:
    points: Points | None = controls.recall(OWN, None)
    return points


def _read_data(controls: Controls, two_inputs: bool) -> SampleSettings:
    """Read the data set and its settings; with two inputs there is only one data set."""
    controls.heading(_("Data"))
    # The label of a disabled control would be too pale to read.
    label = "collapsed" if two_inputs else "visible"
    data = controls.choose(POINTS_DATA, _("Data set"), disabled=two_inputs, label_visibility=label)
    if two_inputs:
        controls.caption(_("Two inputs have a data set of their own: y = 2 (sin x₁ + cos x₂), with noise."))
    own, is_typed = (data == each and not two_inputs for each in (OWN_POINTS, TYPED))
    text = controls.line(TRUTH, _("y, a function of x")) if is_typed else TRUTH.default
    under_the_text = controls.space(is_needed=is_typed)
    noise = controls.real(NOISE, _("Noise"), disabled=own)
    with controls.more(POINTS, SEED) as more:
        n_points = more.whole(POINTS, _("Points"), disabled=own)
        sample = SampleSettings(data, n_points, noise, more.whole(SEED, _("Seed"), disabled=own))
    if not is_typed:
        return sample
    with under_the_text:
        return replace(sample, function=_read_function(controls, text, sample))


def _read_function(controls: Controls, text: str, sample: SampleSettings) -> str:
    """Return the typed function and show it; if it cannot be drawn, show why and return the default."""
    try:
        function = read_function(text)
        function_sample(function, n_points=sample.n_points, noise=sample.noise, seed=sample.seed)
    except ValueError as error:
        controls.caption(
            _(
                ":material/info: {error} Shown is y = {function}.",
                error=plain(str(error)),
                function=plain(read_function(TRUTH.default).expression),
            )
        )
        return TRUTH.default
    controls.formula(f"y = {function.latex}")
    return text


def _read_second_coordinate(controls: Controls) -> float:
    """Read the second coordinate of the query; the slider under the figure sets the first."""
    controls.heading(_("Query"))
    return controls.step(QUERY_AT_2.thinned(MAP_STRIDE), _("Query x₂"))


def _read_kernel(controls: Controls) -> str:
    """Read the kernel, and show its formula."""
    controls.heading(_("Kernel"))
    kernel = controls.choose(KERNEL, _("Kernel"))
    controls.formula(f"K(u) = {KERNELS[kernel].formula}")
    controls.caption("u = |q − k| / h")
    if kernel in ("triangular", "epanechnikov"):
        controls.caption(_("Some courses print max(0, 1 − u), the triangular kernel, as Epanechnikov's."))
    return kernel
