"""What measured invariants say of a computation, as tables and sentences."""

import math
from collections.abc import Sequence
from typing import Protocol


class Checked(Protocol):
    """One measured invariant."""

    @property
    def name(self) -> str:
        """What must hold."""

    @property
    def error(self) -> float:
        """The largest deviation."""

    @property
    def passed(self) -> bool:
        """Whether it is small enough."""


TOLERANCE = "A check holds while its largest deviation stays below {:.1e} of the numbers' own size."


def checks_table(audits: Sequence[tuple[str, Sequence[Checked]]]) -> str:
    """Lay checks out as a markdown table, one column for each audited computation."""
    lines = [
        f"| what must hold | {' | '.join(title for title, _ in audits)} |",
        "|---|" + "---|" * len(audits),
    ]
    rows = zip(*(checks for _, checks in audits), strict=True)
    lines += [f"| {row[0].name} | {' | '.join(map(_verdict, row))} |" for row in rows]
    return "\n".join(lines)


def _verdict(check: Checked) -> str:
    if check.passed:
        return (
            f":material/check: holds, off by {check.error:.1e}"
            if check.error
            else ":material/check: holds exactly"
        )
    off = "not a number" if math.isinf(check.error) else f"off by {check.error:.3g}"
    return f":material/close: **fails**, {off}"


def mistake_sentence(largest: float, failed: Sequence[str], breaks: str) -> str:
    """Say what a mistake changed and which check finds it."""
    if not failed:
        return (
            "On these numbers the mistake changes nothing that a check could find, which is how it survives. "
            f"On others it breaks this: {breaks}."
        )
    found = "; ".join(failed)
    return f"The largest change of a weight is {largest:.3g}. What fails now: {found}."
