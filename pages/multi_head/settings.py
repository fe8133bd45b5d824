"""What a link to this page can set: short names, defaults, ranges."""

from attn_ui.parameters import Choice, Flag, Parameter, Several, Steps, Whole
from attn_ui.shared_settings import CROSS, HEAD, KEY, QUERY, SEED, TEXT, TEXT_2

TAB = Choice(
    "tab",
    "",
    (
        "Heads add up",
        "Shapes",
        "Measures",
        "Block",
        "Arithmetic",
        "Maths",
        "Break it",
        "Checks",
        "Data",
        "Code",
    ),
)
CASE = Choice(
    "case",
    "own sentence",
    (
        "own sentence",
        "I love dogs, two heads",
        "I love ice, two full-width heads",
        "cross-attention, four heads",
        "the original Transformer",
        "heads wider than their share",
    ),
)
WIDTH_MODEL = Whole("dm", 8, 1, 128)
WIDTH_MEMORY = Whole("dmem", 8, 1, 128)
FREE_HEADS = Flag("free", False)
WIDTH_HEAD = Whole("dh", 8, 1, 128)
HEADS = Steps("heads", 4, tuple(range(1, 17)), ".0f")
BIAS = Flag("bias", False)
PROJECTION = Flag("wo", True)
HEADS_MASK = Choice("hmask", "none", ("none", "causal", "sliding window", "padding"))
MASK_REACH = Whole("reach", 1, 0, 63)
VIEW = Choice("view", "every head", ("every head", "mean and max", "two heads"))
ORDER_BY = Choice(
    "by",
    "number",
    ("number", "entropy", "effective keys", "distance", "previous token", "diagonal", "contribution"),
)
AGAINST = Steps("against", 2, tuple(range(1, 17)), ".0f")
OFF = Several("off", tuple(str(head) for head in range(1, 17)))
RESHAPE = Steps("reshape", 0, tuple(range(37)), ".0f")
LAYERS = Steps("layers", 6, tuple(range(13)), ".0f")
RESIDUAL = Flag("residual", True)
NORM = Choice("norm", "after", ("none", "before", "after"))
FAULT = Choice(
    "fault",
    "split without transpose",
    ("split without transpose", "merge without transpose", "√d_model for √d_head", "one W for all heads"),
)
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, CASE, TEXT, CROSS, TEXT_2, WIDTH_MODEL, WIDTH_MEMORY, SEED),
    *(HEADS, FREE_HEADS, WIDTH_HEAD, BIAS, PROJECTION, HEADS_MASK, MASK_REACH),
    *(VIEW, ORDER_BY, HEAD, AGAINST, QUERY, KEY, OFF, RESHAPE, LAYERS, RESIDUAL, NORM, FAULT),
)
