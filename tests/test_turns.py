"""Turns: each test in a browser has one, twelve turns run them all, and samples go on through the cases."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests.turns import TURNS, round_of, sample, turn_of, turns_of

ROOT = Path(__file__).resolve().parents[1]


COLLECTS = """
import json, sys, pytest
for asked in json.loads(sys.argv[1]):
    print("collected:")
    assert pytest.main(["--collect-only", "-q", *asked]) == 0
"""


def collected(*runs: Sequence[str]) -> list[set[str]]:
    """Return the tests that pytest would run, for each list of what is asked of it; all in one process."""
    command = [sys.executable, "-c", COLLECTS, json.dumps(runs)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    said = found.stdout.split("collected:\n")[1:]
    return [{line for line in each.splitlines() if "::" in line} for each in said]


@pytest.mark.turns
def test_all_turns_together_run_all_that_is_run_without_turns_and_no_test_twice() -> None:
    names = ("live_figure", "arcs", "multi_head", "tabs", "geometry", "lesson", "pages")
    asked = [f"tests/browser/test_{name}.py" for name in names]
    turns = [[f"--turn={turn}", *asked] for turn in range(TURNS)]
    *each, of_all, without = collected(*turns, ["--turn=all", *asked], asked)
    always = set.intersection(*each)
    assert all(one - always for one in each)
    assert sum(len(one - always) for one in each) == len(set.union(*each) - always)
    assert set.union(*each) == of_all
    functions = {name.partition("[")[0] for name in set.union(*each)}
    assert {name.partition("[")[0] for name in without} == functions


@pytest.mark.turns
@pytest.mark.parametrize(
    ("asked", "told"),
    [((), False), (("--turn=1", "--wide"), False), (("--turn=all",), False), (("--turn=1",), True)],
)
def test_a_run_tells_its_turn_where_turns_are_taken(asked: tuple[str, ...], told: bool) -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "tests/test_decisions.py", *asked]
    head = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert ("turn: 1 of 12" in head) == told
    assert ("turn:" in head) == told


def test_the_machines_that_prove_a_change_run_each_turn() -> None:
    job = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]["test"]
    assert job["strategy"]["matrix"]["turn"] == [str(turn) for turn in range(TURNS)]
    assert job["env"]["TURN"] == "${{ matrix.turn }}"


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 7, 9, 40, 177])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_turns_look_at_other_cases_as_far_as_there_are_others(most: int, count: int) -> None:
    cases = [*range(most)]
    one_by_one = [sample(cases, count, [turn]) for turn in range(TURNS)]
    assert all(len(set(one)) == len(one) == min(count, most) for one in one_by_one)
    seen = {case for one in one_by_one for case in one}
    assert len(seen) == min(most, TURNS * count)
    assert sample(cases, count, range(TURNS)) == sorted(seen)


def test_commits_take_turns_and_what_is_no_repository_has_the_first(tmp_path: Path) -> None:
    assert turns_of("", tmp_path) == [0]
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    assert turns_of("", tmp_path) == [0]
    found, rounds = [], []
    for number in range(2 * TURNS):
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", f"{number}"], check=True)
        found += turns_of("", tmp_path)
        rounds.append(round_of(tmp_path))
    assert found == [(number + 1) % TURNS for number in range(2 * TURNS)]
    assert rounds == [(number + 1) // TURNS for number in range(2 * TURNS)]


def test_a_turn_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and all; got '12'"):
        turns_of("12", ROOT)


def test_names_are_spread_over_the_turns() -> None:
    assert {turn_of(f"tests/browser/test_a.py::test_{number}") for number in range(60)} == set(range(TURNS))
