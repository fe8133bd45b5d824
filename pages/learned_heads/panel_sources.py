"""Which maps and curves are computed from which: covering one covers those computed from it too."""

from types import MappingProxyType

PANEL_SOURCES = MappingProxyType(
    {
        "head [0-9].[0-9]": (),
        "prediction": ("head *",),
        **dict.fromkeys(("loss", "right"), ()),
        "loss here": ("loss",),
        **dict.fromkeys(("written", "rollout", "flow"), ("weights",)),
        **dict.fromkeys(("weights", "last token", "blocks"), ()),
        **dict.fromkeys(("window", "StreamingLLM", "H2O"), ("head *",)),
        "budget here": ("window", "StreamingLLM", "H2O"),
        **dict.fromkeys(("A", "B", "next token", "logit lens"), ()),
        "logit parts": ("next token",),
        "difference": ("A", "B"),
        **dict.fromkeys(("roof", "ridge", "steps"), ()),
        "step here": ("steps",),
        "right here": ("right",),
        **dict.fromkeys(("query points", "arrow", "arrow head", "query name", "equal scores"), ()),
        "key points": (),
        **dict.fromkeys(("masked key points", "key names"), ("key points",)),
    }
)
