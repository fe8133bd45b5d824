"""Weights as settings: drawn in one of several ways, or set by hand in tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from attn_ui.base.markdown import all_of
from attn_ui.base.parameters import Choice, Flag, Parameter, Table
from attn_words import N_, _, _c

MOST = 64  # rows or columns of a weight that is typed
HAND = Flag("hand", False)
TABLES: Mapping[str, Table] = {
    name: Table(name, MOST, MOST, exact=True)
    for name in (*(f"W_{x}" for x in "qkvo"), *(f"b_{x}" for x in "qkvo"))
}
SINGLE = ("W_q", "W_k", "W_v", "b_q", "b_k", "b_v")  # of one head
Rows = tuple[tuple[float, ...], ...]
HandRows = tuple[tuple[str, Rows], ...]  # hashable: names and rows, as XW takes them

SWITCH = N_("Projections W set by hand")
CONVENTION = N_(
    "As in X W: one row for each number that goes in, one column for each that comes out. "
    "`nn.Linear` keeps the transpose, (out, in)."
)


@dataclass(frozen=True)
class Weight:
    """A weight or bias of the page: its name, its shape in the product X W, and the names of its sizes.

    ``when`` names the case in which it has this shape, if it can have several.
    """

    name: str
    shape: tuple[int, int]
    sizes: str
    when: str = ""

    @property
    def title(self) -> str:
        """Its name and its shape."""
        return f"{self.name}: {self.shape[0]} × {self.shape[1]}"

    @property
    def is_typed(self) -> bool:
        """Whether it is small enough to be typed."""
        return max(self.shape) <= MOST

    def unfit(self, shape: tuple[int, int]) -> str:
        """Return a sentence with the wanted shape and the given one; "" where they are equal.

        >>> Weight("W_q", (6, 4), "d_model × d_k").unfit((4, 6))
        "W_q must be 6 × 4 (d_model × d_k); it is 4 × 6, the transpose, as nn.Linear's weight is."
        """
        if shape == self.shape:
            return ""
        fields = {
            "name": self.name,
            "wanted": f"{self.shape[0]} × {self.shape[1]}",
            "sizes": self.sizes,
            "came": f"{shape[0]} × {shape[1]}",
        }
        if shape == self.shape[::-1]:
            return _(
                "{name} must be {wanted} ({sizes}); it is {came}, the transpose, as nn.Linear's weight is.",
                **fields,
            )
        return _("{name} must be {wanted} ({sizes}); it is {came}.", **fields)


def hand_settings(names: Iterable[str]) -> tuple[Parameter, ...]:
    """Return the settings for weights set by hand."""
    return (HAND, *(TABLES[name] for name in names))


def init_setting(inits: Iterable[str]) -> Choice:
    """Return the setting for how weights are initialised; the first name is its default."""
    names = tuple(inits)
    return Choice("init", names[0], names)


def spread(texts: Mapping[str, str]) -> str:
    """Return a sentence with the standard deviations of weights, names with equal ones together.

    >>> spread({"W_q": "0.447", "W_k": "0.447", "W_v": "0.5"})
    'Standard deviation 0.447 in W_q and W_k, 0.5 in W_v.'
    """
    alike: dict[str, list[str]] = {}
    for name, text in texts.items():
        alike.setdefault(text, []).append(name)
    parts = (_("{number} in {names}", number=text, names=all_of(names)) for text, names in alike.items())
    return _("Standard deviation {numbers}.", numbers=_c("hover", ", ").join(parts))


def describe_origins(names: Sequence[str], by_hand: Mapping[str, str]) -> str:
    """Return a sentence on which weights are set by hand and which are drawn.

    Args:
        names: of all weights; by_hand: of those set by hand, each with its `Weight.when`.

    >>> describe_origins(["W_q", "W_k"], {"W_q": "with 4 heads"})
    'Set by hand: W_q with 4 heads; drawn from the seed: W_k.'
    >>> describe_origins(["W_q", "W_k"], {})
    'Set by hand: none; drawn from the seed: W_q and W_k.'
    """
    from_seed = [name for name in names if name not in by_hand]
    settings = all_of([f"{name} {when}".strip() for name, when in by_hand.items()])
    return _("Set by hand: {names}; drawn from the seed: {others}.", names=settings, others=all_of(from_seed))
