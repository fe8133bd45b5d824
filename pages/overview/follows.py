"""Which of the maps are computed from which: none of them from another."""

from types import MappingProxyType

FOLLOWS = MappingProxyType(
    {
        **dict.fromkeys(("kernel", "head", "placed", "head 1", "head 2"), ()),
    }
)
