"""Which maps are computed from which: covering one covers those computed from it too."""

from types import MappingProxyType

from attn_ui.base.cover import GIVEN

PANEL_SOURCES = MappingProxyType(
    {
        "before": GIVEN,
        **dict.fromkeys(("after", "expected", "found"), ()),
        "difference": ("before", "after", "expected", "found"),
        "errors": ("difference",),
        "encoding": (),
        "dimension *": ("encoding",),
        "similarity": (),
        "turns *": (),
        "slower *": ("turns scaled",),
        "score *": ("turns scaled",),
        **dict.fromkeys(("none", "ramp", "sinusoidal", "learned", "rotary", "ALiBi", "buckets"), ()),
    }
)
