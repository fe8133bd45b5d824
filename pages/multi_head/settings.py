"""What this page can set: names in the link, defaults, ranges."""

from attn_core import ATTENTION_SAMPLES, INITS, MASK_PATTERNS, MULTI_HEAD_MISTAKES, SCHEMES
from attn_ui.base.bounds import MAX_D_MODEL, MAX_HEADS, MAX_TOKENS
from attn_ui.base.hand_weight_settings import TABLES, hand_settings, init_setting
from attn_ui.base.parameters import Choice, Flag, Integer, MultiChoice, Parameter, Steps, Text, page_tabs
from attn_ui.base.shared_settings import (
    ABOVE,
    ALL_BUT_ONE,
    ALSO,
    BASE,
    BIAS,
    BLOCKED,
    CODE,
    CROSS,
    DILATION,
    GLOBAL_TOKENS,
    HEAD,
    KEEP,
    KEY,
    LARGEST,
    LAYOUT,
    QUERY,
    RAMP_STEP,
    RANDOM_BLOCKS,
    RENORMALISED,
    SEED,
    SINK,
    SINK_LOGIT,
    STRENGTH,
    TEMPERATURE,
    TEXT,
    TEXT_2,
    TOGETHER,
    TYPED,
    WITHOUT,
    scheme_setting,
)
from attn_words import N_

TAB = page_tabs(
    arithmetic=("Heads add up", "Shapes", "Arithmetic"),
    experiments=("Break it", "Block", "Shared heads", "Token by token", "Batch", "One or many", "Cost"),
    code=("Code", "Spellings"),
    data=("Data", "Measures"),
)
EXAMPLES = {
    "I love dogs, two heads": ATTENTION_SAMPLES["i-love-dogs-two-heads"],
    "I love ice, two full-width heads": ATTENTION_SAMPLES["i-love-ice-two-heads"],
    "cross-attention, four heads": ATTENTION_SAMPLES["cross-attention"],
    "the original Transformer": ATTENTION_SAMPLES["transformer-sizes"],
    "heads wider than their share": ATTENTION_SAMPLES["free-head-width"],
    "I love dogs with the ramp, two heads": ATTENTION_SAMPLES["i-love-dogs-two-heads"],
}
CASE = Choice("case", "own sentence", ("own sentence", *EXAMPLES), kind="example")
WIDTH_MODEL = Integer("dm", 8, 1, MAX_D_MODEL)
WIDTH_MEMORY = Integer("dmem", 8, 1, MAX_D_MODEL)
FREE_HEADS = Flag("free", False)
WIDTH_HEAD = Integer("dh", 8, 1, MAX_D_MODEL)
HEADS = Steps(
    "heads",
    4,
    tuple(range(1, MAX_HEADS + 1)),
    ".0f",
    only=N_("a number of heads that is offered here"),
    page_explains=True,
)
PROJECTION = Flag("wo", True)
INIT = init_setting(INITS)
A_PATTERN_A_HEAD = "a pattern a head"
HEADS_MASK = Choice("hmask", "none", (*MASK_PATTERNS, A_PATTERN_A_HEAD), kind="mask")
# The width of a window, prefix, padding or block, depending on the mask.
MASK_REACH = Steps("reach", 1, tuple(range(MAX_TOKENS + 1)), ".0f")
# The patterns that heads have in turn; USUAL_PATTERNS if none is chosen.
PATTERNS = MultiChoice(
    "patterns", tuple(kind for kind in MASK_PATTERNS if kind not in ("none", "padding", "own"))
)
USUAL_PATTERNS = ("sliding window", "global + local", "block-sparse")
POSITIONS = scheme_setting(SCHEMES, "none", "pos")
MOVES = Choice("hmoves", "heads", ("heads", "mask width", "temperature", "strength of positions"))
COMPARISON = "heads compared"
VIEW = Choice(
    "view",
    "every head",
    (
        *("every head", "arcs", "points", "diagram", "encoder and decoder", COMPARISON),
        *("threshold", "single vs multi-head"),
    ),
    chips=("every head", "arcs", "points", "diagram", "encoder and decoder"),
    views=True,
    old_options=(
        ("mean and max", f"view={COMPARISON}"),
        ("two heads", f"view={COMPARISON}&compared=two heads"),
        ("without", f"view=threshold&keep={ALL_BUT_ONE}"),
        ("kept", "view=threshold"),
        ("one or many", "view=single vs multi-head"),
    ),
)
COMPARED = Choice("compared", "mean and max", ("mean and max", "two heads"))
# Views that show no single head.
WITHOUT_HEADS = ("diagram", "encoder and decoder", "single vs multi-head")
REMOVING_VIEWS = ("threshold", "without")  # views whose slider removes weights
ONE_HEAD = ("arcs", *REMOVING_VIEWS)  # views of one head, which a control chooses
ARCS_OF = Choice("arcs", "one head", ("one head", "all heads"))
ORDER_BY = Choice(
    "by",
    "number",
    ("number", "entropy", "effective keys", "distance", "previous token", "diagonal", "contribution"),
)
AGAINST = Steps("against", 2, tuple(range(1, MAX_HEADS + 1)), ".0f")
OFF = MultiChoice("off", tuple(str(head) for head in range(1, MAX_HEADS + 1)))
RESHAPE = Steps("reshape", 0, tuple(range(37)), ".0f")
# Settings of the experiments, which have an example of their own.
TOKEN = Steps("token", 5, tuple(range(12)), ".0f")
LAYERS = Steps("layers", 6, tuple(range(13)), ".0f")
KV_HEADS = Steps(
    "kv",
    MAX_HEADS,  # as many as heads
    tuple(range(1, MAX_HEADS + 1)),
    ".0f",
    only=N_("a number that the heads can be shared out among"),
)
COST_LENGTH = Steps("costlength", 64, (8, 16, 32, 64, 128, 256, 512, 1024), ".0f")
SHARED = Steps("shared", 2, (1, 2, 4, 8), ".0f")
LATENT = Steps("latent", 6, tuple(range(1, 17)), ".0f")
SPELLING = Choice(
    "spelling", "einops", ("loops", "matmul", "einsum", "einops", "torch"), kind="spelling", tab="Spellings"
)
FIT_STEP = Steps("fit", 120, tuple(range(0, 121, 5)), ".0f", only=N_("a step that is kept, every fifth"))
BATCH = Text("batch", "the cat sat on the mat / cats like warm milk / it rains", 300)
MASK_PADDING = Flag("maskpadding", True)
RESIDUAL = Flag("residual", True)
NORM = Choice("norm", "after", ("none", "before", "after"))
MISTAKE = Choice(
    "fault", next(iter(MULTI_HEAD_MISTAKES)), tuple(MULTI_HEAD_MISTAKES), kind="mistake", tab="Break it"
)
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, CASE, TEXT, CROSS, TEXT_2, WIDTH_MODEL, WIDTH_MEMORY, SEED),
    *(HEADS, FREE_HEADS, WIDTH_HEAD, BIAS, PROJECTION, HEADS_MASK, MASK_REACH),
    *(VIEW, COMPARED, ORDER_BY, HEAD, AGAINST, QUERY, KEY, OFF, RESHAPE, LAYERS, RESIDUAL, NORM),
    *(TYPED, TOKEN, KV_HEADS, SHARED, COST_LENGTH, LATENT, BATCH, MASK_PADDING, SPELLING, FIT_STEP, MISTAKE),
    *(POSITIONS, STRENGTH, LAYOUT, BASE, RAMP_STEP, TEMPERATURE, MOVES),
    *(ARCS_OF, ALSO, TOGETHER, KEEP, ABOVE, LARGEST, RENORMALISED, WITHOUT),
    *(PATTERNS, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS, BLOCKED, CODE, INIT, SINK, SINK_LOGIT),
    *hand_settings(TABLES),
)

WITH_POSITIONS = {"I love dogs with the ramp, two heads": "ramp"}
# The settings for which an example has values of its own, besides its words.
DECIDED = (HEADS, FREE_HEADS, WIDTH_HEAD, PROJECTION, BIAS, POSITIONS)
