"""What this page can set: names in the link, defaults, ranges."""

from attn_core import ATTENTION_MISTAKES, INITS, MASK_PATTERNS, SCORES
from attn_ui.base.bounds import MAX_TABLE_COLUMNS, MAX_TOKENS
from attn_ui.base.hand_weight_settings import SINGLE, hand_settings, init_setting
from attn_ui.base.parameters import Choice, Flag, Integer, Parameter, Steps, Table, page_tabs
from attn_ui.base.shared_settings import (
    ABOVE,
    ALL_BUT_ONE,
    ALSO,
    BIAS,
    BLOCKED,
    CODE,
    CROSS,
    DILATION,
    FREE_SCALE,
    GLOBAL_TOKENS,
    KEEP,
    KEY,
    LARGEST,
    QUERY,
    RANDOM_BLOCKS,
    RENORMALISED,
    SEED,
    SINK,
    SINK_LOGIT,
    TABLE_K,
    TABLE_Q,
    TABLE_V,
    TEMPERATURE,
    TEXT,
    TEXT_2,
    TOGETHER,
    TYPED,
    WITHOUT,
)
from pages.single_head.head import SAMPLES
from pages.single_head.stages import STAGES
from pages.single_head.state import Inputs

TAB = page_tabs(
    arithmetic=("Arithmetic",),
    experiments=("Break it", "Scale", "Cost", "FlashAttention", "Linear attention"),
    data=("Data",),
)
EXAMPLE = Choice("example", "own sentence", ("own sentence", *SAMPLES), kind="example")
VECTORS = Choice("vectors", "random", ("random", "one-hot", "typed"))
WIDTH_X = Integer("d", Inputs.width, 1, 16)
RAMP = Flag("ramp", False)
UNIT_ROWS = Flag("unit", False)
TABLE_X = Table("X", MAX_TOKENS, MAX_TABLE_COLUMNS)
TABLE_Y = Table("Y", MAX_TOKENS, MAX_TABLE_COLUMNS)
QKV = Choice("qkv", "projected", ("projected", "as they are", "typed"))
WIDTH_K = Integer("dk", Inputs.d_k, 1, 16)
WIDTH_V = Integer("dv", Inputs.d_v, 1, 16)
INIT = init_setting(INITS)
MASK = Choice("mask", "none", tuple(MASK_PATTERNS), kind="mask")
# The width of a window, prefix, padding or block, depending on the mask.
MASK_WIDTH = Steps("w", 1, tuple(range(MAX_TOKENS + 1)), ".0f")
MOVES = Choice("moves", "temperature", ("temperature", "mask width"))
SCORE = Choice("score", next(iter(SCORES)), tuple(SCORES), kind="score")
SCALE = Choice("scale", "1/√dₖ", ("1/√dₖ", "none", "free"))
STAGE = Choice(
    "stage",
    "all at once",
    tuple(each for each in STAGES if each != "without"),
    views=True,
    kind="stage",
    chips=("all at once", "scores", "scaled", "masked", "weights", "output"),
    old_options=(("without", f"stage=threshold&keep={ALL_BUT_ONE}"), ("kept", "stage=threshold")),
)
MISTAKE = Choice(
    "mistake", next(iter(ATTENTION_MISTAKES)), tuple(ATTENTION_MISTAKES), kind="mistake", tab="Break it"
)
# The plane in which the stage "points" draws queries and keys; dimensions are counted from 1.
MAIN, TWO = "main directions", "two dimensions"
PLANE = Choice("along", MAIN, (MAIN, TWO))
FIRST, SECOND = (
    Steps(f"dim{number}", number, tuple(range(1, 2 * MAX_TOKENS + 1)), ".0f") for number in (1, 2)
)
SWEEP_WIDTH = Steps("dsweep", 64, tuple(2**power for power in range(11)), ".0f")
COST_WINDOW = Steps("cwindow", 16, tuple(2**power for power in range(11)), ".0f")
TILE = Steps("tile", 0, tuple(range(6)), ".0f")
STATE = Steps("written", 5, tuple(range(12)), ".0f")
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, EXAMPLE, TEXT, CROSS, TEXT_2, VECTORS, WIDTH_X, RAMP, UNIT_ROWS, TABLE_X, TABLE_Y, SEED),
    *(QKV, BIAS, WIDTH_K, WIDTH_V, TABLE_Q, TABLE_K, TABLE_V, INIT),
    *hand_settings(SINGLE),
    *(MASK, MASK_WIDTH, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS, BLOCKED, MOVES),
    *(SCORE, SCALE, FREE_SCALE, SINK, SINK_LOGIT, TEMPERATURE, STAGE, QUERY, KEY),
    *(MISTAKE, SWEEP_WIDTH, COST_WINDOW, CODE),
    *(TYPED, TILE, STATE),
    *(KEEP, ABOVE, LARGEST, RENORMALISED, WITHOUT, ALSO, TOGETHER),
    *(PLANE, FIRST, SECOND),
)
