"""What `make test` runs: each test once, failures counted, and what failed in a browser asked once more."""

import sys
import threading
from pathlib import Path

import pytest

from tests import whole
from tests.whole import AT_ONCE, Ended, Part, parts, run_all

FAILS_ONCE = """
import sys
from pathlib import Path
mark = Path(sys.argv[1])
mark.write_text(mark.read_text() + "x" if mark.exists() else "x")
sys.exit(0 if "--last-failed" in sys.argv else 1)
"""


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(whole, "LOGS", tmp_path / "build")
    return tmp_path


def part(name: str, code: str, *more: str, in_browser: bool = False) -> Part:
    return Part(name, [sys.executable, "-c", code, *more], in_browser)


def test_each_file_is_in_one_part_and_none_in_two() -> None:
    every = parts([])
    for folder, ours in (("tests/browser", every[:2]), ("tests/app", every[2:4])):
        files = sorted(
            path.relative_to(whole.ROOT).as_posix() for path in whole.ROOT.glob(f"{folder}/test_*.py")
        )
        given = [[each for each in part.command if "test_" in each] for part in ours]
        assert sorted(each for files in given for each in files) == files
        assert all(given), folder
    # The rest takes all but that.
    commands = {each.name: each.command for each in every}
    assert commands["rest"][-2:] == ["--ignore=tests/app", "--ignore=tests/browser"]
    assert [each.name for each in every if each.in_browser] == ["browser-1", "browser-2"]
    assert [*commands] == ["browser-1", "browser-2", "pages-1", "pages-2", "check", "rest"]


def test_what_is_asked_of_pytest_reaches_every_run_of_it() -> None:
    commands = [each.command for each in parts(["--turn=2"])]
    assert [("--turn=2" in each) for each in commands] == ["pytest" in each for each in commands]


def test_what_failed_is_told_and_what_follows_it_is_run(capfd: pytest.CaptureFixture[str]) -> None:
    bad, good = part("bad", "print('was bad'); raise SystemExit(2)"), part("good", "print('was good')")
    ended = run_all([part("shown", "print('as it comes')"), bad, good])
    assert [(each.part.name, each.code) for each in ended] == [("shown", 0), ("bad", 2), ("good", 0)]
    said = capfd.readouterr().out
    assert said.index("as it comes") < said.index("was bad") < said.index("was good")
    assert str(ended[1]).startswith("bad        failed")


def test_three_run_at_a_time_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    running = threading.Semaphore(AT_ONCE)
    one_more = threading.Event()

    def run(each: Part, *_more: str, shown: bool) -> Ended:
        if not running.acquire(blocking=False):
            one_more.set()
            return Ended(each, 1, 0.0)
        one_more.wait(0.1)  # so long one more may come
        running.release()
        (whole.LOGS / f"{each.name}.log").touch()
        return Ended(each, 0, float(shown))

    monkeypatch.setattr(whole, "run", run)
    ended = run_all([part(f"{number}", "") for number in range(2 * AT_ONCE)])
    assert [(each.code, each.seconds) for each in ended] == [(0, 1.0), *[(0, 0.0)] * (2 * AT_ONCE - 1)]


def test_what_fails_in_a_browser_is_run_once_more_and_nothing_else_is(logs: Path) -> None:
    again = part("browser", FAILS_ONCE, str(logs / "browser"), in_browser=True)
    once = part("pages", FAILS_ONCE, str(logs / "pages"))
    ended = run_all([once, again])
    assert [(each.part.name, each.code) for each in ended] == [("pages", 1), ("browser", 0)]
    assert [(logs / name).read_text() for name in ("pages", "browser")] == ["x", "xx"]


def test_a_run_that_could_not_start_is_not_run_again_and_fails(logs: Path) -> None:
    broken = part(
        "browser", f"{FAILS_ONCE.replace('else 1', 'else 4')}", str(logs / "browser"), in_browser=True
    )
    (ended,) = run_all([broken])
    assert (ended.code, (logs / "browser").read_text()) == (4, "x")


def test_one_that_fails_makes_the_whole_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    for code in (0, 3):
        monkeypatch.setattr(
            whole, "parts", lambda _asked, code=code: [part("one", f"raise SystemExit({code})")]
        )
        assert whole.main([]) == bool(code)
