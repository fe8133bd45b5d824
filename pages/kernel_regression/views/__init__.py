"""The views, one per file: each reads its own controls, computes, draws and writes its caption."""

from collections.abc import Callable, Mapping

from attn_ui.base.controls import Controls
from attn_ui.base.page import View
from pages.kernel_regression.compute import Result
from pages.kernel_regression.settings import LIMITS, LOCAL_LINES, TWO_INPUTS
from pages.kernel_regression.state import State
from pages.kernel_regression.views import bandwidth, bridge, compare, failures, fit, local_linear, two_inputs

VIEWS: Mapping[str, Callable[[Controls, State], View[Result]]] = {
    "Fit and weights": fit.view,
    "Four kernels": compare.view,
    "Choose the bandwidth": bandwidth.view,
    "Bridge to attention": bridge.view,
    LIMITS: failures.view,
    LOCAL_LINES: local_linear.view,
    TWO_INPUTS: two_inputs.view,
}
