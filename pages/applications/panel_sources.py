"""Which panels are computed from which: a covered panel takes those that depend on it with it."""

from types import MappingProxyType

from attn_ui.base.cover import GIVEN

PANEL_SOURCES = MappingProxyType(
    {
        **dict.fromkeys(("queries", "keys", "picture", "picture ink", "sound"), GIVEN),
        **dict.fromkeys(("BERT", "GPT", "prefix (T5)", "local", "global"), ()),
        "weights": (),
        "ribbons *": ("weights",),
        "laid over*": ("weights",),
    }
)
