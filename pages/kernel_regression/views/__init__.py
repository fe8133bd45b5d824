"""The pictures, one a file: each asks for what only it takes, computes, draws and says."""

from collections.abc import Callable, Mapping

from attn_ui.base.ask import Ask
from attn_ui.base.page import Seen
from pages.kernel_regression.compute import Now
from pages.kernel_regression.settings import LOCAL_LINES, TWO_INPUTS
from pages.kernel_regression.state import State
from pages.kernel_regression.views import bandwidth, bridge, compare, fails, fit, lines, two_inputs

VIEWS: Mapping[str, Callable[[Ask, State], Seen[Now]]] = {
    "Fit and weights": fit.see,
    "Four kernels": compare.see,
    "Choose the bandwidth": bandwidth.see,
    "Bridge to attention": bridge.see,
    "Limits": fails.see,
    LOCAL_LINES: lines.see,
    TWO_INPUTS: two_inputs.see,
}
