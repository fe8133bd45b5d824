"""What a link to this page can set: the claim that is shown, and a slider for each claim."""

from attn_ui.base.parameters import Choice, Parameter, Steps, page_tabs
from attn_ui.base.shared_settings import SEED

TAB = page_tabs(data=("Data",))
CLAIM = Choice(
    "claim",
    "over-smoothing",
    (
        "over-smoothing",
        "robust to noise",
        "runs in parallel",
        "weights explain",
        "trained weights",
        "(d k h)",
        "parameters",
        "linear positions",
        "√2",
        "without √d",
        "XW or WX",
        "nonparametric",
        "one-vector bottleneck",
        "heads specialise",
        "coreference",
        "hierarchy",
        "with positions",
        "grammar",
        "symmetric",
        "printed results",
    ),
    views=True,
    kind="claim",
    old_options=(
        ("in parallel", "claim=runs in parallel"),
        ("noise", "claim=robust to noise"),
        ("one vector", "claim=one-vector bottleneck"),
        ("printed", "claim=printed results"),
        ("ramp", "claim=linear positions"),
    ),
)
_HEADS = (1, 2, 4, 8)
_WIDTHS = (1, 2, 4, 8, 16, 32, 64)
LAYERS = Steps("smoothed", 12, tuple(range(13)), ".0f")
NOISE = Steps("loud", 0.5, (0.0, 0.1, 0.2, 0.5, 1.0, 2.0), ".1f")
TOKENS = Steps("longer", 64, _WIDTHS, ".0f")
STACKED = Steps("stacked", 6, tuple(range(1, 7)), ".0f")
FUSED = Steps("fused", 4, _HEADS, ".0f")
COUNTED = Steps("counted", 8, _HEADS, ".0f")
PLACE = Steps("spot", 10, tuple(range(1, 64)), ".0f")
ROOT_2 = Steps("roottwo", 4, _WIDTHS, ".0f")
NO_ROOT = Steps("noroot", 64, _WIDTHS, ".0f")
SIDE = Steps("side", 4, tuple(range(1, 9)), ".0f")
POINTS = Steps("grown", 160, (10, 20, 40, 80, 160), ".0f")
REMEMBERED = Steps("remembered", 64, _WIDTHS, ".0f")
PRONOUN = Steps("pronounlayer", 4, tuple(range(1, 7)), ".0f")
DEEPER = Steps("deeper", 6, tuple(range(1, 7)), ".0f")
COURSE = Steps("course", 1000, (0, 40, 80, 100, 140, 210, 395, 1000), ".0f")
DONE = Steps("done", 100, (0, 5, 10, 25, 100), ".0f")
_RAMPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
RAMPED = Steps("ramped", 0.5, _RAMPS, "g")
PHRASED = Steps("phrased", 0.5, _RAMPS, "g")
WORDED = Steps("worded", 8, tuple(range(1, 13)), ".0f")
AGAIN = Steps("again", 2, tuple(range(2, 10)), ".0f")
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, CLAIM, SEED, LAYERS, NOISE, TOKENS, STACKED, FUSED, COUNTED, PLACE, ROOT_2, NO_ROOT, SIDE),
    *(POINTS, REMEMBERED, PRONOUN, DEEPER, COURSE, DONE, RAMPED, PHRASED, WORDED, AGAIN),
)
