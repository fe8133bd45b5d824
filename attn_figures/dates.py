"""Dates on an axis: days since 1970-01-01, how they are written, and the ticks of an axis."""

import numpy as np

from attn_figures.numbers import number
from attn_words import _n

DAY = 86_400  # seconds
MOST_TOLD_BY_DAY = 3.0  # days between neighbours from which on a date needs no time of the day
# Units of numpy, days in one of them, and how many of them may lie between two ticks.
_STEPS = (
    ("s", 1 / DAY, (1, 5, 15, 30)),
    ("m", 60 / DAY, (1, 5, 15, 30)),
    ("h", 1 / 24, (1, 3, 6, 12)),
    ("D", 1.0, (1, 2, 7, 14)),
    ("M", 30.4, (1, 3, 6)),
    ("Y", 365.2425, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)),
)


def date(days: float, apart: float = 0.0) -> str:
    """Write a date, with its time unless that is midnight or neighbours are three days or more ``apart``.

    >>> date(19753.0), date(19753.4375), date(19753.4375, apart=30)
    ('2024-01-31', '2024-01-31 10:30', '2024-01-31')
    """
    seconds = round(days * DAY)
    text = str(np.datetime64(seconds, "s")).replace("T", " ")
    if seconds % DAY == 0 or apart >= MOST_TOLD_BY_DAY:
        return text[:-9]
    return text if seconds % 60 else text[:-3]


def duration(days: float, digits: int = 3) -> str:
    """Write a duration in the largest unit of which it has at least one.

    >>> duration(2.5), duration(1), duration(0.5), duration(1 / DAY)
    ('2.5 days', '1 day', '12 hours', '1 second')
    """
    units = (("day", 1.0), ("hour", 1 / 24), ("minute", 60 / DAY), ("second", 1 / DAY))
    unit, size = next((each for each in units if abs(days) >= each[1]), units[-1])
    count = number(days / size, digits)
    form = 1 if count == "1" else 2
    if unit == "day":
        return _n("{count} day", "{count} days", form, count=count)
    if unit == "hour":
        return _n("{count} hour", "{count} hours", form, count=count)
    if unit == "minute":
        return _n("{count} minute", "{count} minutes", form, count=count)
    return _n("{count} second", "{count} seconds", form, count=count)


def round_dates(low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
    """Return round dates from low to high, about ``most`` of them, and their texts.

    >>> [text for _, text in round_dates(19723.0, 19904.0)]
    ['2024-01', '2024-02', '2024-03', '2024-04', '2024-05', '2024-06']
    >>> [text for _, text in round_dates(0.0, 20000.0, 4)]
    ['1980', '2000', '2020']
    """
    span = high - low
    steps = [(unit, size * k, k) for unit, size, ks in _STEPS for k in ks]
    unit, _, count = next((step for step in steps if span <= step[1] * most), steps[-1])
    seconds = np.array([round(low * DAY), round(high * DAY)]).astype("datetime64[s]")
    ends = seconds.astype(f"datetime64[{unit}]").astype(np.int64)
    zero = 1970 if unit == "Y" else 0
    first = -(-(int(ends[0]) + zero) // count) * count - zero
    marks = np.arange(first, int(ends[1]) + 1, count).astype(f"datetime64[{unit}]")
    places = marks.astype("datetime64[s]").astype(np.int64) / DAY
    shown_marks = marks.astype("datetime64[m]") if unit == "h" else marks
    texts = [str(mark).replace("T", " ") for mark in shown_marks]
    return [(float(at), text) for at, text in zip(places, texts, strict=True) if low <= at <= high]
