"""What a link to this page can set: short names, defaults, ranges."""

from attn_ui.parameters import Cells, Choice, Flag, Parameter, Steps, Table, Whole
from attn_ui.shared_settings import (
    CROSS,
    FREE_SCALE,
    KEY,
    QUERY,
    SEED,
    TABLE_K,
    TABLE_Q,
    TABLE_V,
    TEMPERATURE,
    TEXT,
    TEXT_2,
)

TAB = Choice("tab", "", ("Arithmetic", "Maths", "Scale", "Cost", "Break it", "Checks", "Data", "Code"))
EXAMPLE = Choice(
    "example",
    "own sentence",
    ("own sentence", "two keys, one query", "I love ice", "I love dogs", "one query, ten keys"),
)
VECTORS = Choice("vectors", "random", ("random", "one-hot", "typed"))
WIDTH_X = Whole("d", 6, 1, 16)
RAMP = Flag("ramp", False)
UNIT_ROWS = Flag("unit", False)
TABLE_X = Table("X", 64, 16)
TABLE_Y = Table("Y", 64, 16)
QKV = Choice("qkv", "projected", ("projected", "as they are", "typed"))
WIDTH_K = Whole("dk", 4, 1, 16)
WIDTH_V = Whole("dv", 4, 1, 16)
MASK = Choice(
    "mask",
    "none",
    (
        "none",
        "causal",
        "padding",
        "sliding window",
        "dilated",
        "global + local",
        "block-sparse",
        "prefix",
        "own",
    ),
)
# What it is of depends on the mask: window, prefix, padding or block size.
MASK_WIDTH = Steps("w", 1, tuple(range(65)), ".0f")
DILATION = Whole("gap", 2, 1, 8)
GLOBAL_TOKENS = Whole("global", 1, 0, 8)
RANDOM_BLOCKS = Whole("blocks", 1, 0, 8)
BLOCKED = Cells("blocked", 64)
MOVES = Choice("moves", "temperature", ("temperature", "mask width"))
SCALE = Choice("scale", "1/√dₖ", ("1/√dₖ", "none", "free"))
STAGE = Choice(
    "stage", "all at once", ("all at once", "X", "Q, K, V", "scores", "scaled", "masked", "weights", "output")
)
MISTAKE = Choice(
    "mistake",
    "softmax-over-queries",
    (
        "softmax-over-queries",
        "no-scale",
        "constant-scale",
        "mask-after-softmax",
        "zero-for-minus-infinity",
        "mask-turned-round",
        "unguarded-softmax",
    ),
)
SWEEP_WIDTH = Steps("dsweep", 64, tuple(2**power for power in range(11)), ".0f")
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, EXAMPLE, TEXT, CROSS, TEXT_2, VECTORS, WIDTH_X, RAMP, UNIT_ROWS, TABLE_X, TABLE_Y, SEED),
    *(QKV, WIDTH_K, WIDTH_V, TABLE_Q, TABLE_K, TABLE_V),
    *(MASK, MASK_WIDTH, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS, BLOCKED, MOVES),
    *(SCALE, FREE_SCALE, TEMPERATURE, STAGE, QUERY, KEY, MISTAKE, SWEEP_WIDTH),
)
