"""Whose turn it is: of what takes long, `make test` runs a twelfth, and another twelfth at another commit.

    make test             # the twelfth whose turn it is at this commit
    make test TURN=2      # one of 0 to 11
    make test TURN=all    # all twelve, as the machines that prove a change run them side by side

Tests in a browser take turns, and what else is marked `turns`, but for what is marked `always`. Of
tests with many cases a sample is run: another one at each turn, or, of what has one turn itself, another one
each time that all turns were taken.
"""

import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

TURNS = 12
ALL = "all"
Case = TypeVar("Case")


def turns_of(asked: str, folder: Path) -> list[int]:
    """Return the turns that are asked for: one, all, or where nothing is asked the last commit's own.

    >>> turns_of("2", Path()), turns_of("all", Path())
    ([2], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    """
    if asked == ALL:
        return [*range(TURNS)]
    if not asked:
        return [_commits(folder) % TURNS]
    if asked not in {str(turn) for turn in range(TURNS)}:
        raise ValueError(f"a turn is one of {', '.join(map(str, range(TURNS)))} and {ALL}; got {asked!r}")
    return [int(asked)]


def round_of(folder: Path) -> int:
    """Return how often all turns were taken up to the last commit in a folder, modulo `TURNS`."""
    return _commits(folder) // TURNS % TURNS


def _commits(folder: Path) -> int:
    """Return how many commits led to the last one in a folder; 0 where there is none or no git."""
    asked = ["git", "-C", str(folder), "rev-list", "--count", "HEAD"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0
    return int(said.stdout) if said.returncode == 0 else 0


def turn_of(name: str) -> int:
    """Return the turn of a test by its name, which other tests that come or go do not move."""
    return zlib.crc32(name.encode()) % TURNS


def sample(cases: Sequence[Case], count: int, turns: Sequence[int]) -> list[Case]:
    """Return so many of the cases at equal distances, for each turn others, as far as there are others.

    >>> sample("abcdefghijkl", 2, [0]), sample("abcdefghijkl", 2, [1]), sample("abc", 2, [1])
    (['a', 'g'], ['b', 'h'], ['b', 'c'])
    >>> "".join(sample("abcdefghijkl", 2, range(12)))
    'abcdefghijkl'
    """
    most = len(cases)
    if count >= most:
        return [*cases]
    # A turn moves the sample by a twelfth of the distance between two cases, by one where that is less.
    moved = [max(turn * most // (TURNS * count), turn) for turn in turns]
    places = {(number * most // count + by) % most for number in range(count) for by in moved}
    return [cases[place] for place in sorted(places)]
