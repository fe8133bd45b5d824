"""Which panels are computed from which: covering one covers those computed from it too."""

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
