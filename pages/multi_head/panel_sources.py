"""Which maps of the heads are computed from which: what a teacher covers takes with it what follows."""

from types import MappingProxyType

from attn_ui.base.cover import GIVEN

PANEL_SOURCES = MappingProxyType(
    {
        "head [0-9]": (),
        "head [0-9][0-9]": (),
        **dict.fromkeys(("head * query points", "head * key points"), ()),
        **dict.fromkeys(
            ("head * arrow", "head * arrow head", "head * equal scores", "head * query name"),
            ("head * query points",),
        ),
        **dict.fromkeys(("head * masked key points", "head * key names"), ("head * key points",)),
        "output": ("head *",),
        "weights": (),
        "arc *": ("weights",),
        "key weights": ("weights",),
        **dict.fromkeys(
            ("query word", "query words", "other query words", "key words", "masked words"), GIVEN
        ),
        "one": (),
        "other": (),
        "kept mass": ("weights",),
        "renormalised": ("weights",),
        "kept output": ("renormalised",),
        "weights without": ("weights", "difference"),
        "output without": ("weights without",),
        "difference": ("one", "other", "weights", "weights without"),
    }
)
