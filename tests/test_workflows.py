"""What runs elsewhere runs here: each step of a workflow is a command of `make`, or a pinned action."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.y*ml"))
PINNED = re.compile(r"^ *(?:- )?uses: (?P<action>[\w./-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$", re.MULTILINE)


def parse(workflow: Path) -> dict[str, Any]:
    """Read a workflow."""
    parsed: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    return parsed


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    """Go through the steps of all jobs."""
    for job in parse(workflow)["jobs"].values():
        yield from job["steps"]


def test_workflow_tests_every_change() -> None:
    assert "make test" in {step.get("run") for workflow in WORKFLOWS for step in steps(workflow)}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_steps_are_make_commands(workflow: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for step in steps(workflow):
        if "uses" not in step:
            command = re.fullmatch(r"make ([\w-]+)", step["run"])
            assert command, f"wanted one command of make, got {step['run']!r}"
            assert f"\n{command[1]}:" in makefile, f"no {command[1]!r} in the Makefile"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_actions_are_pinned_to_a_commit(workflow: Path) -> None:
    used = [step["uses"].partition("@")[0] for step in steps(workflow) if "uses" in step]
    pinned = [match["action"] for match in PINNED.finditer(workflow.read_text(encoding="utf-8"))]
    assert pinned == used
    assert used
    assert all(action.startswith("actions/") for action in used)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_only_publishing_may_write(workflow: Path) -> None:
    whole = parse(workflow)
    assert whole["permissions"] == {"contents": "read"}
    for job in whole["jobs"].values():
        if "write" in job.get("permissions", {}).values():
            assert "event_name != 'pull_request'" in job["if"]
