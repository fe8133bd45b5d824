"""What a link to this page can set: short names, defaults, ranges."""

from attn_core.eviction import POLICIES
from attn_core.toys import TASKS, TOY_MISTAKES
from attn_live.pyramid import MOST_PLACES
from attn_ui.base.bounds import MAX_HEADS, MAX_MODEL_TOKENS
from attn_ui.base.parameters import (
    Choice,
    Flag,
    Integer,
    MultiChoice,
    Parameter,
    Sight,
    Steps,
    Text,
    page_tabs,
)
from attn_ui.base.shared_settings import CODE, HEAD, KEY, QUERY, TEMPERATURE, TEXT, TEXT_2
from attn_words import N_

TOO_MANY_TOKENS = N_("at most {most} tokens fit into this view; there are {count}")
TOY = "a toy trained here"
REAL = "a real model"
FROM_FILE = "your own"
SOURCE = Choice("source", TOY, (TOY, REAL, FROM_FILE), views=True)
TAB = page_tabs(arithmetic=("Heads", "Arithmetic"), experiments=("Break it",))
# A whole model has no tab Arithmetic: other pages work out a single head.
WHOLE_TAB = page_tabs(arithmetic=("Heads",), maths=())
TASK = Choice("task", "induction", tuple(TASKS), kind="task")
MOST_STEPS = 2000
# The page opens on the trained model, at the last step.
STEP = Steps("training", MOST_STEPS, tuple(range(0, MOST_STEPS + 1, 5)), ".0f")
_NAMES = {
    "induction": "abab",
    "previous token": "before",
    "copy": "copied",
    "reverse": "turned",
    "sort": "sorted",
}
SEQUENCES = {name: Text(_NAMES[name], task.example, longest=400) for name, task in TASKS.items()}
READY, OWN = "ready made", "train it now"
MODEL = Choice("model", READY, (READY, OWN))
PLACES = Flag("places", True)
OWN_SEED = Integer("trainseed", 0, 0, 9999)
OWN_LAYERS = Choice("trainlayers", "2", ("1", "2"))
OWN_HEADS = Choice("trainheads", "2", ("1", "2", "4"))
ABLATED = MultiChoice("ablate", tuple(str(head) for head in range(1, MAX_HEADS + 1)), numbered=True)
MISTAKE = Choice("flaw", next(iter(TOY_MISTAKES)), tuple(TOY_MISTAKES), kind="mistake", tab="Break it")
# For a whole model: the measure that orders its heads, and the rank in that order.
RANK_BY = Choice(
    "rankby",
    "previous token",
    ("previous token", "next token", "itself", "first token", "entropy", "distance", "special tokens"),
)
RANK = Steps("rank", 1, tuple(range(1, 4097)), ".0f")  # 64 layers of 64 heads
KIND = Steps("kind", 1, tuple(range(1, 5)), ".0f")  # of a file's maps, see `attn_core.encoder_decoder.KINDS`
HIDE = Flag("wordsonly", True)  # special tokens hidden
# The views: each head, the flow through all layers, keys evicted from a cache, one head's queries and keys
# as points, or the changes between two sentences.
HEADS, FLOW, EVICTION, POINTS, TWO = "heads", "attention flow", "eviction", "points", "two sentences"
NEXT = "next token"
LOOK = Choice(
    "look",
    HEADS,
    (HEADS, FLOW, EVICTION, POINTS, TWO, NEXT),
    views=True,
    chips=(HEADS, FLOW),
    old_options=(("text's flow", f"look={FLOW}"),),
)
FLOW_TAB = page_tabs()
MOST_LAYERS = 64
LAYER = Steps("layer", MOST_LAYERS, tuple(range(1, MOST_LAYERS + 1)), ".0f")
DROPS_SINKS = Flag("sinksaside", False)
WITHIN = Steps("within", 1, tuple(range(1, 65)), ".0f")  # a head within its layer
LONG_TAB = page_tabs(maths=())
POLICY = Choice("policy", "H2O", tuple(POLICIES))
BUDGET = Steps("budget", 6, tuple(range(1, 65)), ".0f")
# What the colour of a point shows.
BY_WEIGHT, BY_PLACE = "weight", "position"
TINT = Choice("tint", BY_WEIGHT, (BY_WEIGHT, BY_PLACE))
BLOCKS = Choice("coarse", "largest", ("largest", "mean"))  # which weight of its block a point shows
ZOOM = Sight("zoom", MOST_PLACES)  # the part of a long map in sight
# Which tokens stay possible next, by the parameters of `generate` in transformers.
TOP_K = Steps("topk", 50, (1, 2, 3, 5, 10, 20, 50, 100, 200), ".0f")
TOP_P = Steps("topp", 1.0, tuple(part / 20 for part in range(1, 21)), ".2f")
# Which two sentences; the head, counted from 1 over all layers (38 of twelve a layer is 4.2); the query,
# counted from the end, so that both presets open on "it".
TIRED_OR_WIDE, BIG_OR_SMALL, TYPED = "tired / wide", "big / small", "typed"
PAIR = Choice("pair", TIRED_OR_WIDE, (TIRED_OR_WIDE, BIG_OR_SMALL, TYPED))
PIECES = Flag("pieces", False)
PAIR_HEAD = Steps("pairhead", 38, RANK.values, ".0f", only=N_("a head of the model"))
PAIR_QUERY = Steps("pairq", 5, tuple(range(MAX_MODEL_TOKENS)), ".0f", only=N_("a place from the end"))
SETTINGS: tuple[Parameter, ...] = (
    *(SOURCE, TAB, TASK, STEP, ABLATED, HEAD, QUERY, KEY),
    *SEQUENCES.values(),
    *(MODEL, PLACES, OWN_SEED, OWN_LAYERS, OWN_HEADS, MISTAKE),
    *(TEXT, RANK_BY, RANK, KIND, HIDE, BLOCKS, ZOOM, CODE),
    *(LOOK, LAYER, WITHIN, DROPS_SINKS, POLICY, BUDGET),
    *(TINT, PAIR, TEXT_2, PIECES, PAIR_HEAD, PAIR_QUERY, TEMPERATURE, TOP_K, TOP_P),
)
