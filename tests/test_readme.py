"""The README says what is true: its code runs, its files are there, its commands exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXTS = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("deploy/*.md"))
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_every_snippet_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert (tmp_path / "weights.html").stat().st_size > 1000


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(text: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text.read_text()):
        assert (text.parent / target).exists(), f"{text.name} links to {target}"


def test_every_command_of_make_exists() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for text in TEXTS:
        assert set(re.findall(r"^    make (\w+)", text.read_text(), re.MULTILINE)) <= targets


def test_every_requirement_is_pinned() -> None:
    for path in ROOT.glob("requirements*.txt"):
        for line in path.read_text().splitlines():
            requirement = line.partition("#")[0].strip()
            assert not requirement or requirement.startswith("-r ") or "==" in requirement, line
