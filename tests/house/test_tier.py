"""`make test` runs the same tests each time, and names and counts those that pass only the second time."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MOST_FLAKY

ROOT = Path(__file__).resolve().parents[2]
FAILS_ONCE = """
import pathlib, pytest

@pytest.mark.parametrize("number", range({count}))
def test_tier_runs_its_first_test(tmp_path_factory, number):
    seen = pathlib.Path({folder!r}) / str(number)
    was_there = seen.exists()
    seen.touch()
    assert was_there
"""


def pytest_run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("count", [MOST_FLAKY, MOST_FLAKY + 1])
def test_flaky_tests_are_named_and_fail_the_run_past_the_limit(tmp_path: Path, count: int) -> None:
    path = tmp_path / "test_fails_once.py"
    path.write_text(FAILS_ONCE.format(count=count, folder=str(tmp_path)))
    run = pytest_run("-p", "tests.conftest", "--reruns=1", str(path))
    assert run.returncode == int(count > MOST_FLAKY), run.stdout
    assert f"{count} flaky" in run.stdout
    assert run.stdout.count("passed only the second time:") == count


@pytest.mark.slow
def test_tier_collection_is_the_same_twice() -> None:
    first, second = (pytest_run("--collect-only", "-q", "-m", "essential", "tests/browser") for _ in range(2))
    names = [line for line in first.stdout.splitlines() if "::" in line]
    assert names == [line for line in second.stdout.splitlines() if "::" in line]
    assert 60 <= len({name.partition("[")[0] for name in names}) <= 90
