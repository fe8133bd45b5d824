"""Which of the head's matrices are computed from which: covering one covers those computed from it too."""

from types import MappingProxyType

from attn_ui.base.cover import GIVEN

# For pictures that the page of several heads has too.
ARCS_AND_ROWS = {
    **dict.fromkeys(("arc *", "key weights", "kept mass", "renormalised"), ("weights",)),
    **dict.fromkeys(("query word", "query words", "other query words", "key words", "masked words"), GIVEN),
}
PANEL_SOURCES = MappingProxyType(
    {
        **ARCS_AND_ROWS,
        **dict.fromkeys(("X", "Y", "Wq", "Wk", "Wv", "b", "mask", "W_a", "U_a", "v_a"), GIVEN),
        "Q": ("X", "Wq", "b"),
        "K": ("X", "Y", "Wk", "b"),
        "V": ("X", "Y", "Wv", "b"),
        "K transposed": ("K",),
        "scores": ("Q", "K", "K transposed", "W_a", "U_a", "v_a"),
        "scaled": ("scores",),
        "masked": ("scaled", "mask"),
        "exponentials": ("masked",),
        "row sums": ("exponentials",),
        # The look-up shows where the largest weight is, and the weights show which key is best.
        "hard weights": ("masked", "weights"),
        "weights": ("exponentials", "row sums", "hard weights"),
        **dict.fromkeys(("query points", "arrow", "arrow head", "equal scores"), ("Q",)),
        **dict.fromkeys(("key points", "key names", "masked key points"), ("K", "weights")),
        **dict.fromkeys(("value points", "value names", "masked value points"), ("V", "weights")),
        "output point": ("output",),
        "hard output": ("hard weights", "V"),
        "output": ("weights", "V"),
        "kept output": ("renormalised", "V"),
        "weights without": ("weights", "difference"),
        "output without": ("weights without", "V"),
        "difference": ("weights", "weights without"),
    }
)
