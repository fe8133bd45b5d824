"""Settings that several pages share: a name in a link means the same on each of them."""

from attn_ui.parameters import Flag, Real, Steps, Table, Text, Whole, logarithmic

TEXT = Text("text", "the cat sat on the mat", longest=4000)
CROSS = Flag("cross", False)
TEXT_2 = Text("text2", "a dog lay on the rug", longest=4000)
SEED = Whole("seed", 4, 0, 9999)
TEMPERATURE = Steps("t", 1.0, logarithmic(0.1, 10.0, 41), ".2f")
# The selected cell of a map: the places of its query and of its key, counted from 0.
QUERY = Steps("q", 0, tuple(range(128)), ".0f")
KEY = Steps("k", 0, tuple(range(128)), ".0f")
HEAD = Steps("head", 1, tuple(range(1, 17)), ".0f")
# The single-head page's own, which other pages link to.
FREE_SCALE = Real("s", 1.0, 0.01, 100.0, 0.01)
TABLE_Q = Table("Q", 64, 16)
TABLE_K = Table("K", 64, 16)
TABLE_V = Table("V", 64, 16)
