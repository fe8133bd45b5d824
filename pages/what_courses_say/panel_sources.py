"""Which curves of a claim are computed from which: none, as each is measured by itself."""

from types import MappingProxyType

PANEL_SOURCES = MappingProxyType(
    {
        "*, *": (),
    }
)
