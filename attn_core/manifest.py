"""What ran while a model was captured: what was kept of it, what was missed, and why."""

from dataclasses import dataclass

_COLUMNS = ("module", "kind", "computed by", "(batch, head, query, key)", "kept as, or missed because")
_MOST_NAMES = 2


@dataclass(frozen=True)
class Ran:
    """One attention that a model computed, or a module that should have and cannot be read.

    ``module`` is its place in the model, as ``named_modules`` spells it; ``kind`` its class; ``computed_by``
    the function that computed it; ``shape`` that of all its weights, (batch, head, query, key), None where
    none were seen. ``kept`` are the names of its maps, and ``missed`` is the reason where there is none.

    >>> Ran("layers.0", "GatedDeltaNet", missed="computes no weights of queries over keys").is_kept
    False
    """

    module: str
    kind: str
    computed_by: str = ""
    shape: tuple[int, ...] | None = None
    kept: tuple[str, ...] = ()
    missed: str = ""

    @property
    def is_kept(self) -> bool:
        """Whether it has a map."""
        return not self.missed


@dataclass(frozen=True)
class Manifest:
    """All attention that ran in one ``capture``, in the order in which it was computed.

    Invariant: what is in ``ran`` is in ``kept`` or in ``missed``. Printed, it is a table, a line each.

    >>> manifest = Manifest((Ran("attention", "Block", "softmax", (1, 2, 3, 3), ("attention",)),))
    >>> manifest.is_complete, manifest.summary
    (True, 'all of 1 attention kept')
    >>> print(manifest)
    module     kind   computed by  (batch, head, query, key)  kept as, or missed because
    attention  Block  softmax      (1, 2, 3, 3)               attention
    """

    ran: tuple[Ran, ...]

    @property
    def kept(self) -> tuple[Ran, ...]:
        """What has a map."""
        return tuple(each for each in self.ran if each.is_kept)

    @property
    def missed(self) -> tuple[Ran, ...]:
        """What has none, each with its reason."""
        return tuple(each for each in self.ran if not each.is_kept)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was missed."""
        return not self.missed

    @property
    def summary(self) -> str:
        """Say in one line how much was kept, and what was missed first."""
        attentions = "attention" if len(self.ran) == 1 else "attentions"
        if self.is_complete:
            return f"all of {len(self.ran)} {attentions} kept"
        first = self.missed[0]
        return (
            f"{len(self.kept)} of {len(self.ran)} {attentions} kept; missed: {first.module} ({first.kind}), "
            f"which {first.missed}" + (f", and {len(self.missed) - 1} more" if len(self.missed) > 1 else "")
        )

    def __str__(self) -> str:
        """Return a table, a line for each attention."""
        rows = [_COLUMNS]
        for each in self.ran:
            names = ", ".join(each.kept[:_MOST_NAMES])
            more = f" and {len(each.kept) - _MOST_NAMES} more" if len(each.kept) > _MOST_NAMES else ""
            shape = "" if each.shape is None else str(each.shape)
            rows.append((each.module, each.kind, each.computed_by, shape, each.missed or names + more))
        widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)
