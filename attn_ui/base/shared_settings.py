"""Settings that several pages share: a name in a link means the same on each of them."""

from collections.abc import Iterable

from attn_ui.base.bounds import MAX_HEADS, MAX_MODEL_TOKENS, MAX_TABLE_COLUMNS, MAX_TOKENS
from attn_ui.base.parameters import Cells, Choice, Flag, Integer, MultiChoice, Real, Steps, Table, Text, rungs

TEXT = Text("text", "the cat sat on the mat", longest=20_000)  # as many as a real model reads
CROSS = Flag("cross", False)
TEXT_2 = Text("text2", "a dog lay on the rug", longest=4000)
TYPED = Text("typed", "the cat sat on the mat", 20_000)  # of an experiment's own example
BIAS = Flag("bias", False)
# The language of the program in the tab "Code" (`attn_ui.base.programs`).
CODE = Choice("code", "PyTorch", ("PyTorch", "NumPy", "attn_core", "LaTeX"))
SEED = Integer("seed", 4, 0, 9999)
# Twenty to a power of ten, as evenly spaced as round numbers can be: the preferred numbers R'20 of ISO 497.
_TWENTY = (1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9)
TEMPERATURE = Steps("t", 1.0, rungs(0.1, 10.0, _TWENTY, ".2f"), ".2f")
# The selected cell of a map: the places of its query and of its key, counted from 0.
QUERY = Steps("q", 0, tuple(range(MAX_MODEL_TOKENS)), ".0f")
KEY = Steps("k", 0, tuple(range(MAX_MODEL_TOKENS)), ".0f")
# Further queries, whose rows are combined with the query's where arcs are drawn.
ALSO = MultiChoice("also", tuple(map(str, range(MAX_TOKENS))), numbered=True)
TOGETHER = Choice("rows", "mean", ("mean", "sum"))
# Which weights are removed (`removed_weights.read_removal`).
ALL_BUT_ONE = "all but one word"
KEEP = Choice("keep", "above", ("above", "largest", ALL_BUT_ONE))
ABOVE = Steps("above", 0.05, tuple(part / 100 for part in range(51)), ".2f")
LARGEST = Steps("largest", 3, tuple(range(1, MAX_TOKENS + 1)), ".0f")
RENORMALISED = Flag("renorm", False)
WITHOUT = Steps("without", 0, tuple(range(MAX_TOKENS)), ".0f")
HEAD = Steps("head", 1, tuple(range(1, MAX_HEADS + 1)), ".0f")
# The settings of all positional schemes (`attn_ui.base.schemes` reads them), and their strength.
STRENGTH = Steps("strength", 1.0, tuple(i / 10 for i in range(21)), ".1f")
LAYOUT = Choice("layout", "interleaved", ("interleaved", "concatenated"))
_ROUND = (1.0, 2.0, 3.0, 5.0)
BASE = Steps("base", 10000.0, (*(digit * 10.0**power for power in range(5) for digit in _ROUND), 1e5), ".6g")
RAMP_STEP = Steps("step", 0.5, tuple(i / 20 for i in range(41)), ".2f")
# The settings of a mask beside its width (`attn_ui.base.masking` reads them).
DILATION = Integer("gap", 2, 1, 8)
GLOBAL_TOKENS = Integer("global", 1, 0, 8)
RANDOM_BLOCKS = Integer("blocks", 1, 0, 8)
BLOCKED = Cells("blocked", MAX_TOKENS)
# The single-head page's own, which other pages link to.
FREE_SCALE = Real("s", 1.0, 0.01, 100.0, 0.01)
# A logit beside the scaled scores, in every row's softmax and dropped after it.
SINK = Flag("sink", False)
SINK_LOGIT = Real("logit", 0.0, -20.0, 20.0)
TABLE_Q = Table("Q", MAX_TOKENS, MAX_TABLE_COLUMNS)
TABLE_K = Table("K", MAX_TOKENS, MAX_TABLE_COLUMNS)
TABLE_V = Table("V", MAX_TOKENS, MAX_TABLE_COLUMNS)


def scheme_setting(schemes: Iterable[str], default: str, name: str = "scheme") -> Choice:
    """Return the choice of a positional scheme among these names."""
    return Choice(name, default, tuple(schemes), kind="scheme")
