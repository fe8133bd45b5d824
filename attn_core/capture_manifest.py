"""The manifest of a capture: every attention that ran, its maps, or why it has none."""

from dataclasses import dataclass

_COLUMNS = ("module", "kind", "computed by", "(batch, head, query, key)", "kept as, or missed because")
_MOST_NAMES = 2


@dataclass(frozen=True)
class ManifestEntry:
    """One attention that a model computed, or a module whose attention cannot be read.

    ``module`` is the module's name in ``named_modules``; ``kind`` its class; ``computed_by`` the function
    that computed the attention; ``shape`` that of all its weights, (batch, head, query, key), None where
    there are none. ``maps`` are the names of its maps, and ``reason`` is why there is none.
    """

    module: str
    kind: str
    computed_by: str = ""
    shape: tuple[int, ...] | None = None
    maps: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Manifest:
    """All attention that ran in one ``capture``, in the order in which it was computed.

    Printed, it is a table with a line for each entry.

    >>> entry = ManifestEntry("attention", "Block", "softmax", (1, 2, 3, 3), ("attention",))
    >>> manifest = Manifest((entry,))
    >>> manifest.is_complete, manifest.summary
    (True, 'all of 1 attention kept')
    >>> print(manifest)
    module     kind   computed by  (batch, head, query, key)  kept as, or missed because
    attention  Block  softmax      (1, 2, 3, 3)               attention
    """

    entries: tuple[ManifestEntry, ...]

    @property
    def without_maps(self) -> tuple[ManifestEntry, ...]:
        """The entries that have no map, each with its reason."""
        return tuple(each for each in self.entries if each.reason)

    @property
    def is_complete(self) -> bool:
        """Whether every entry has a map."""
        return not self.without_maps

    @property
    def summary(self) -> str:
        """One line: how many attentions have maps, and the first that has none."""
        attentions = "attention" if len(self.entries) == 1 else "attentions"
        if self.is_complete:
            return f"all of {len(self.entries)} {attentions} kept"
        first, *others = self.without_maps
        return (
            f"{len(self.entries) - 1 - len(others)} of {len(self.entries)} {attentions} kept; missed: "
            f"{first.module} ({first.kind}), which {first.reason}"
            + (f", and {len(others)} more" if others else "")
        )

    def __str__(self) -> str:
        """Return the table."""
        rows = [_COLUMNS]
        for each in self.entries:
            names = ", ".join(each.maps[:_MOST_NAMES])
            more = f" and {len(each.maps) - _MOST_NAMES} more" if len(each.maps) > _MOST_NAMES else ""
            shape = "" if each.shape is None else str(each.shape)
            rows.append((each.module, each.kind, each.computed_by, shape, each.reason or names + more))
        widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)
