"""Which maps are computed from which: covering one covers those computed from it too."""

from types import MappingProxyType

from pages.single_head.panel_sources import ARCS_AND_ROWS

PANEL_SOURCES = MappingProxyType(
    {
        **ARCS_AND_ROWS,
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
        "one": (),
        "other": (),
        "kept output": ("renormalised",),
        "weights without": ("weights", "difference"),
        "output without": ("weights without",),
        "difference": ("one", "other", "weights", "weights without"),
    }
)
