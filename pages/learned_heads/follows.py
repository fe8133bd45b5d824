"""Which maps and curves are computed from which: what a teacher covers takes with it what follows."""

from types import MappingProxyType

FOLLOWS = MappingProxyType(
    {
        "head [0-9].[0-9]": (),
        "prediction": ("head *",),
        **dict.fromkeys(("loss", "right"), ()),
        "loss here": ("loss",),
        "right here": ("right",),
    }
)
