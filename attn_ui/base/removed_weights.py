"""Weights that are removed from a head: those below a threshold, or those of one key."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from attn_ui.base.controls import Controls
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.programs import More
from attn_ui.base.shared_settings import ABOVE, ALL_BUT_ONE, KEEP, LARGEST, RENORMALISED, WITHOUT
from attn_words import _

MOST_NUMBERS = 120_000  # of one moving map at all its steps
MOST_NUMBERS_WITHOUT = 480_000  # of all that moves while the slider goes over the words


@dataclass(frozen=True)
class Removal:
    """The weights that are removed: those below ``value``, all but the ``value`` largest, or one key's."""

    kind: str = ""  # "above", "largest" or "without"
    value: float = 0.0
    renormalised: bool = False

    @property
    def rule(self) -> dict[str, Any]:
        """The rule by which weights are kept, as arguments of `attn_core.threshold`."""
        return {"threshold": self.value} if self.kind == "above" else {"top": int(self.value)}


NO_REMOVAL = Removal()


@dataclass(frozen=True)
class RemovalSlider:
    """A slider over thresholds, over numbers of weights, or over keys."""

    kind: str
    steps: Steps
    renormalised: bool = False
    keys: tuple[str, ...] = ()  # of which one is left out

    def at(self, value: float) -> Removal:
        """Return the removal at one value of the slider."""
        return Removal(self.kind, value, self.renormalised)

    @property
    def slider(self) -> Slider:
        """The slider with its label; over keys, with their names."""
        labels = {"above": _("Threshold τ"), "largest": _("Largest k"), "without": _("Without")}
        names = [self.keys[int(key)] for key in self.steps.values] if self.keys else []
        return Slider(labels[self.kind], self.steps, names=names)

    def note(self) -> str:
        """Return a sentence if the slider covers only some of the words; "" if it covers all."""
        some, every = len(self.steps.values), len(self.keys)
        if some >= every:
            return ""
        return _(
            "The slider has {some} of {every} words: the maps are large. A link has any other by its place, "
            "from 0: `without={place}`.",
            some=some,
            every=every,
            place=min({*range(every)} - {*map(int, self.steps.values)}),
        )


def read_removal(controls: Controls, n_query: int, keys: Sequence[str], width: int) -> RemovalSlider:
    """Read which weights are kept, and whether rows sum to one again; or which key is left out.

    Args:
        n_query: how many queries; keys: the words; width: of the output.
    """
    n_key = len(keys)
    with controls.row():
        keep = controls.segment(KEEP, _("Keep"), label_visibility="collapsed")
        renormalised = keep != ALL_BUT_ONE and controls.flag(RENORMALISED, _("Rows sum to one again"))
    if keep == ALL_BUT_ONE:
        # Two maps and the output move; of more than 62 words some have no step of their own.
        numbers, words = 2 * n_query * n_key + n_query * width, replace(WITHOUT, values=tuple(range(n_key)))
        steps = controls.exact(words.fitting(numbers, MOST_NUMBERS_WITHOUT))
        return RemovalSlider("without", steps, keys=tuple(keys))
    steps = ABOVE if keep == "above" else replace(LARGEST, values=tuple(range(1, n_key + 1)))
    return RemovalSlider(keep, controls.exact(steps.fitting(n_query * n_key, MOST_NUMBERS)), renormalised)


def removal_lines(removal: Removal, keys: Sequence[str], mask: str = "", head: int | None = None) -> More:
    """Return the lines of a program that zero small weights, or mask a key.

    Args:
        removal: the removed weights; keys: the words.
        mask: expression for where queries may attend; head: zero-based index, None for a single head.
    """
    at, output, lines = "", "output", list[str]()
    if head is not None:
        at, output, lines = f"[{head}]", f"heads[{head}]", [f"# Head {head + 1} alone."]
    if removal.kind == "without":
        place = int(removal.value)
        rest = f"{mask} & (j != {place})" if mask else f"j != {place}"
        lines += [
            f"# Nobody attends to {keys[place]!r}: softmax shares each row out anew.",
            f"output_without, without = attend_masked(scores{at}, V{at}, {rest})",
            f"moved_by = length(output_without - {output})",
        ]
        return lines, ["without", "output_without", "moved_by"]
    weights = f"weights{at}"
    condition = f"({weights} >= {removal.value:g})"
    if removal.kind == "largest":
        condition = f"largest_in_row({weights}, {removal.value:g})"
    lines += [f"kept = {weights} * {condition}", "mass = kept.sum(-1)  # what each row keeps"]
    if not removal.renormalised:
        return lines, ["mass"]
    lines += [
        "renormalised = renormalise(kept)",
        f"output_kept = renormalised @ V{at}",
        f"moved_by = length(output_kept - {output})",
    ]
    return lines, ["mass", "renormalised", "output_kept", "moved_by"]
