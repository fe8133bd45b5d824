"""A quantity of a figure, as a lesson writes it: `weights[the, cat]`, computed from the page at a link.

    weights[the, cat]                 a cell of the map "weights": query *the*, key *cat*
    weights[the₂, cat]                the same of the second *the*
    weights[the]                      its row
    weights                           all of the map
    estimate[2.5]                     a curve at x = 2.5
    largest weights[the]              the name of the key where the row is largest
    spread weights[the] at single-head?t=0.5 | .2f

After `at` comes the link to compute it at, if that is not the step's own; after `|` the format of the number.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.scene import LabelledArray

Numbers = NDArray[np.float64]
Tables = Mapping[str, LabelledArray]

USUAL_FORM = ".3g"
_FORM = re.compile(r"[+]?\.\d[fg]|d|%|\.\d%")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _spread(values: Numbers) -> float:
    """Return the number of equal weights as spread as these: the exponential of entropy, mean over rows."""
    rows = np.atleast_2d(values)
    positive = np.where(rows > 0, rows, 1.0)
    return float(np.exp(-(rows * np.log(positive)).sum(-1)).mean())


MEASURES: Mapping[str, Callable[[Numbers], float]] = {
    "sum": lambda values: float(values.sum()),
    "mean": lambda values: float(values.mean()),
    "deviation": lambda values: float(values.std()),
    "greatest": lambda values: float(values.max()),
    "least": lambda values: float(values.min()),
    "size": lambda values: float(np.linalg.norm(values)),
    "spread": _spread,
}
"""Numbers that sum up a row or a map; masked cells count for nothing."""

CHOICES: Mapping[str, Callable[[Numbers], int]] = {
    "largest": lambda values: int(np.nanargmax(values)),
    "smallest": lambda values: int(np.nanargmin(values)),
}
"""Functions that choose an index of a row; the quantity's value is the name at this index."""


@dataclass(frozen=True)
class Quantity:
    """A number or a name to compute from a figure.

    Attributes:
        panel: the name of a map or a curve of the figure.
        cell: the names of a row and a column, of a row alone, or a curve's x; empty for the whole panel.
        of: one of `MEASURES` or `CHOICES`; "" for the cell itself.
        link: to compute it at; "" for the link of the step.
        form: the format of the number.
    """

    panel: str
    cell: tuple[str, ...] = ()
    of: str = ""
    link: str = ""
    form: str = USUAL_FORM

    @property
    def chooses(self) -> bool:
        """Whether its value is a name."""
        return self.of in CHOICES

    @property
    def name(self) -> str:
        """Its text as a lesson writes it, without link and format."""
        cell = f"[{', '.join(self.cell)}]" if self.cell else ""
        return f"{self.of} {self.panel}{cell}".strip()

    def at(self, link: str) -> "Quantity":
        """Return the quantity at a link, unless it has a link of its own."""
        return self if self.link else replace(self, link=link)


def parse(text: str) -> Quantity:
    """Read a quantity.

    Raises:
        ValueError: the text is no quantity; the message says what was wanted.

    >>> parse("largest weights[the] at single-head?t=0.5")
    Quantity(panel='weights', cell=('the',), of='largest', link='single-head?t=0.5', form='.3g')
    >>> parse("half |k|²[0, 1]").panel
    'half |k|²'
    """
    # A panel may have bars in its name: the text after the last one is a format only if it matches one.
    body, bar, form = text.rpartition("|")
    if not (bar and _FORM.fullmatch(form.strip())):
        body, form = text, ""
    match = re.fullmatch(
        r"\s*(?P<panel>[^\[\]]+?)\s*(?:\[(?P<cell>[^\]]*)\])?(?:\s+at\s+(?P<link>\S+))?\s*", body
    )
    if not match:
        raise ValueError(f"a quantity as `weights[the, cat]`; got {text!r:.80}")
    panel = match["panel"]
    first, _, rest = panel.partition(" ")
    of = first if rest and (first in MEASURES or first in CHOICES) else ""
    panel = rest.strip() if of else panel
    cell = tuple(part.strip() for part in match["cell"].split(",")) if match["cell"] is not None else ()
    if any(not part for part in cell) or len(cell) > 2:
        raise ValueError(f"a row, or a row and a column, in the brackets; got {text!r:.80}")
    if not of and len(cell) != 2 and match["cell"] is None:
        raise ValueError(
            f"a cell in brackets after the panel's name, or one of {', '.join((*MEASURES, *CHOICES))} before "
            f"it; got {text!r:.80}"
        )
    return Quantity(panel, cell, of, match["link"] or "", form.strip() or USUAL_FORM)


def value(quantity: Quantity, tables: Tables) -> float | str:
    """Compute a quantity from the maps and curves of a figure; a name for one of `CHOICES`.

    Raises:
        ValueError: the figure has no such panel, row or column, or no number there.
    """
    values, names = _numbers_and_names(quantity, tables)
    if quantity.chooses:
        if values.ndim != 1 or len(names) != len(values):
            raise ValueError(f"one row in brackets, to choose from; got {quantity.name!r}")
        return names[CHOICES[quantity.of](values)]
    if quantity.of:
        there = np.isfinite(values)
        # Rows stay rows; a masked weight counts as zero.
        return MEASURES[quantity.of](
            np.where(there, values, 0.0) if quantity.of == "spread" else values[there]
        )
    if values.ndim:
        raise ValueError(f"a row and a column in brackets; got {quantity.name!r}")
    if not np.isfinite(values):
        raise ValueError(f"{quantity.name} is masked: it has no number")
    return float(values)


def options(quantity: Quantity, tables: Tables) -> list[str]:
    """Return the names that one of `CHOICES` chooses from: those with a number."""
    values, names = _numbers_and_names(quantity, tables)
    return [name for name, number in zip(names, np.atleast_1d(values), strict=True) if np.isfinite(number)]


def all_names(quantity: Quantity, tables: Tables) -> list[str]:
    """Return all names that one of `CHOICES` could choose, in any language."""
    return _numbers_and_names(replace(quantity, cell=()), tables)[1]


def format_value(number: float, form: str = USUAL_FORM) -> str:
    """Write a number as text does: a true minus sign, no exponent below a million.

    >>> format_value(-0.12345), format_value(1234567.5), format_value(1.52e-8, ".1g")
    ('−0.123', '1230000', '2 × 10⁻⁸')
    """
    is_whole = form.endswith("g") and abs(number - round(number)) < 1e-9 and abs(number) < 1e9
    text = f"{round(number):d}" if is_whole or form == "d" else format(number, form)
    if "e" in text and 1e-5 < abs(number) < 1e9:
        text = f"{float(text):f}".rstrip("0").rstrip(".")
    if "e" in text:
        mantissa, _, power = text.partition("e")
        text = f"{mantissa} × 10{str(int(power)).translate(_RAISED)}"
    return text.replace("-", "−")


def _numbers_and_names(quantity: Quantity, tables: Tables) -> tuple[Numbers, list[str]]:
    """Return the numbers that a quantity refers to, and the names along their last axis."""
    table = tables.get(quantity.panel)
    if table is None:
        raise ValueError(f"a panel of the figure: {', '.join(tables)}; got {quantity.panel!r}")
    values, along = table.values, table.names[-1]
    if values.ndim == 2:
        for name, names in zip(quantity.cell, table.names, strict=False):
            values = values[_place(name, names, quantity.panel)]
        return values, list(along)
    if len(quantity.cell) > 1:
        raise ValueError(f"one x in brackets: {quantity.panel} is a curve; got {quantity.name!r}")
    return values[_nearest(quantity.cell[0], along)] if quantity.cell else values, [str(x) for x in along]


def _place(name: str, names: Sequence[str], panel: str) -> int:
    places = [place for place, other in enumerate(names) if other == name]
    if len(places) == 1:
        return places[0]
    choices = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    raise ValueError(f"one of {choices} in {panel}; got {name!r}, which is there {len(places)} times")


def _nearest(text: str, along: Sequence[Any]) -> int:
    if text in along:
        return list(along).index(text)
    try:
        number = float(text)
        distances = [abs(float(x) - number) for x in along]
    except (TypeError, ValueError):
        raise ValueError(f"one of {', '.join(map(str, along[:20]))}; got {text!r}") from None
    place = int(np.argmin(distances))
    if not math.isclose(distances[place], 0.0, abs_tol=1e-6 + 1e-6 * abs(number)):
        raise ValueError(f"an x of the curve, the nearest is {float(along[place]):.6g}; got {text!r}")
    return place
