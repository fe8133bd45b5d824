"""Which curves and maps are computed from which: covering one covers those computed from it too."""

from types import MappingProxyType

from attn_ui.base.cover import GIVEN

PANEL_SOURCES = MappingProxyType(
    {
        **dict.fromkeys(("data", "true curve", "kernel", "keys", "query"), GIVEN),
        "weights": ("kernel",),
        "weight of each point": ("weights",),
        "weights effective keys": ("weights",),
        "estimate": ("weights",),
        **dict.fromkeys(("queries", "estimate at the query", "read-out"), ("estimate",)),
        # Local lines: the mean beside them has weights of its own.
        "mean": ("kernel",),
        "fitted line": ("estimate",),
        # Four kernels: each has the same five curves.
        **dict.fromkeys(("* data", "* true curve", "* kernel"), GIVEN),
        "* weight of each point": (),
        "* estimate": ("* weight of each point",),
        "* estimate at the query": ("* estimate",),
        # The bridge: from dot products to a kernel's scores and weights.
        **dict.fromkeys(("q·k", "half |k|²", "half |q|²"), ()),
        "scores": ("q·k", "half *"),
        "attention": ("q·k",),
        "gaussian": ("scores",),
        # The bandwidth: errors against it, apart from the estimate.
        "training error": (),
        "training here": ("training error",),
        "leave-one-out error": (),
        "left out here": ("leave-one-out error",),
    }
)
