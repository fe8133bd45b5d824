"""Which curves of a claim are computed from which: none, each is measured for itself."""

from types import MappingProxyType

PANEL_SOURCES = MappingProxyType(
    {
        "*, *": (),
    }
)
