"""Which maps of the heads are computed from which: what a teacher covers takes with it what follows."""

from types import MappingProxyType

FOLLOWS = MappingProxyType(
    {
        "head [0-9]": (),
        "head [0-9][0-9]": (),
        "output": ("head *",),
        "one": (),
        "other": (),
        "difference": ("one", "other"),
    }
)
