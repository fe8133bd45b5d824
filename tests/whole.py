"""All that `make test` runs, in parts, three of them at a time.

    python -m tests.whole            # of what takes long the turn of this commit, see `tests.turns`
    python -m tests.whole --turn=all

Two parts drive a browser, which waits as well: they come first, with the pages, and who has ended takes the
next. The output of the first is shown as it comes, that of the others when all have ended. What failed in a
browser on the busy machine is run once more, alone.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build"
ONCE_MORE = ["--last-failed", "--last-failed-no-failures=none", "--exitfirst"]
TESTS_FAILED = 1  # of pytest's exit codes
AT_ONCE = 3
# What Python compiles is kept: else each of the four, and each server that they start, compiles it anew.
KEPT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Part:
    """One command: what it is called, its arguments, and whether it drives a browser."""

    name: str
    command: Sequence[str]
    in_browser: bool = False


@dataclass(frozen=True)
class Ended:
    """How a part ended, and after how many seconds."""

    part: Part
    code: int
    seconds: float

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.part.name:10} {'passed' if self.code == 0 else 'failed'} {self.seconds:6.0f} s"


def parts(asked: Sequence[str]) -> list[Part]:
    """Return what is run, the longest first; asked: of pytest."""

    def pytest(name: str, *which: str, in_browser: bool = False) -> Part:
        own_cache = f"cache_dir=build/cache-{name}"
        return Part(name, [sys.executable, "-m", "pytest", *asked, "-o", own_cache, *which], in_browser)

    (browser_1, browser_2), (pages_1, pages_2) = _halves("tests/browser"), _halves("tests/app")
    return [
        pytest("browser-1", "--durations=20", *browser_1, in_browser=True),
        pytest("browser-2", *browser_2, in_browser=True),
        pytest("pages-1", *pages_1),
        pytest("pages-2", *pages_2),
        Part("check", ["make", "--no-print-directory", "check"]),
        pytest("rest", "--ignore=tests/app", "--ignore=tests/browser"),
    ]


def _halves(folder: str) -> tuple[list[str], list[str]]:
    """Return the files of a folder's tests, each in one of two parts that take about as long."""
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob("test_*.py"))
    second = next((place for place, path in enumerate(files) if Path(path).stem >= "test_m"), len(files))
    return files[:second], files[second:]


def run(part: Part, *more: str, shown: bool) -> Ended:
    """Run a part, into its log where it is not shown."""
    began = time.monotonic()
    with (LOGS / f"{part.name}.log").open("w") as log:
        code = subprocess.run(
            [*part.command, *more],
            cwd=ROOT,
            env=KEPT,
            stdout=None if shown else log,
            stderr=None if shown else subprocess.STDOUT,
            check=False,
        ).returncode
    return Ended(part, code, time.monotonic() - began)


def run_all(every: Sequence[Part]) -> list[Ended]:
    """Run the parts, show what was not shown, and run once more what failed in a browser."""
    LOGS.mkdir(exist_ok=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = [*pool.map(lambda part: run(part, shown=part is every[0]), every)]
    for part in every[1:]:
        print((LOGS / f"{part.name}.log").read_text(), flush=True)
    return [
        run(each.part, *ONCE_MORE, shown=True) if each.part.in_browser and each.code == TESTS_FAILED else each
        for each in ended
    ]


def main(asked: Sequence[str]) -> int:
    """Run all; return 1 where a part failed."""
    ended = run_all(parts(asked))
    print("\n".join(map(str, ended)), flush=True)
    return int(any(each.code for each in ended))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
