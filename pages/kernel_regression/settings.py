"""What a link to this page can set: short names, defaults and ranges."""

from dataclasses import replace

from attn_core import KERNEL_MISTAKES
from attn_ui.base.bounds import MAX_KERNEL_POINTS
from attn_ui.base.parameters import Choice, Flag, Integer, Parameter, Real, Steps, Text, page_tabs, rungs
from attn_ui.base.shared_settings import CODE, SEED

TAB = page_tabs(arithmetic=("Arithmetic",), experiments=("Break it",), data=("Data",))
# Fitted lines have no tab Arithmetic, which writes out one sum, and no tab Break it.
LINES_TAB = page_tabs(data=("Data",))
KERNEL_VIEW = Choice(
    "picture",
    "Fit and weights",
    (
        "Fit and weights", "Four kernels", "Choose the bandwidth", "Bridge to attention", "Limits",
        "Local lines", "Two inputs",
    ),
    views=True,
    old_options=(("Where it fails", "picture=Limits"),),
)  # fmt: skip
LIMITS, LOCAL_LINES, TWO_INPUTS = KERNEL_VIEW.options[-3:]
OWN_POINTS, TYPED = "own points", "typed function"
POINTS_DATA = Choice(
    "data", "sine", ("sine", "step", "bump", "heteroscedastic", "gap", TYPED, OWN_POINTS), kind="data set"
)
TRUTH = Text("truth", "sin(3x) + x/2", longest=80)  # the typed function; `read_function` has the same limit
POINTS = Integer("points", 40, 4, MAX_KERNEL_POINTS)
NOISE = Real("noise", 0.5, 0.0, 2.0, 0.1)
KERNEL = Choice("kernel", "gaussian", ("gaussian", "boxcar", "triangular", "epanechnikov"), kind="kernel")
# h and x0 are in the sliders' unit: toy data lie in [0, 5], and so does a visitor's span of keys.
_SEVENTEEN = (1, 1.15, 1.3, 1.5, 1.75, 2, 2.3, 2.6, 3, 3.5, 4, 4.5, 5, 5.75, 6.5, 7.5, 8.75)
_COURSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # bandwidths that courses name: offered however few steps are
BANDWIDTH = Steps("h", 0.5, rungs(0.01, 25.0, _SEVENTEEN, ".3g"), ".3g", landmarks=_COURSES)
QUERY_AT = Steps("x0", 2.5, tuple(round(-0.5 + 0.1 * i, 1) for i in range(61)), ".1f")
QUERY_AT_2 = replace(QUERY_AT, name="x02")  # the second coordinate of a query with two inputs
MAP_STRIDE = 2  # every second of the query's places is a column and a row of the map of two inputs
KEY_LENGTHS = Flag("lengths", True)
ALL_KEYS = Flag("all", False)
MISTAKE = Choice("trap", next(iter(KERNEL_MISTAKES)), tuple(KERNEL_MISTAKES), kind="mistake", tab="Break it")
KEYS_LIE = Choice("keys", "on a line", ("on a line", "on a circle"))
SETTINGS: tuple[Parameter, ...] = (
    TAB,
    KERNEL_VIEW,
    POINTS_DATA,
    TRUTH,
    POINTS,
    NOISE,
    SEED,
    KERNEL,
    BANDWIDTH,
    QUERY_AT,
    QUERY_AT_2,
    KEY_LENGTHS,
    ALL_KEYS,
    KEYS_LIE,
    MISTAKE,
    CODE,
)
