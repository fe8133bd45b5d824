"""What the guides say is so: their code runs, their links lead somewhere, their commands exist."""

import re
from pathlib import Path

import pytest

from attn_ui.base.navigation import PAGES
from attn_ui.base.page import page_at
from attn_ui.lessons import check
from attn_ui.lessons.read import read_lesson
from attn_words import _, speaking

ROOT = Path(__file__).resolve().parents[1]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]
BOOK = sorted(ROOT.glob("docs/book/*.md"))
DECISIONS = sorted(ROOT.glob("docs/decisions/*.md"))
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("deploy/*.md")), *BOOK, *DECISIONS]
LINK = re.compile(r"\]\((?!https?:|project:)([^)#]*)(?:#([^)]+))?\)")
COMMAND = re.compile(r"(?:^    |`)make ([\w-]+)", re.MULTILINE)
FILE = re.compile(r"`((?:attn_\w+|pages|lessons|locales|programs|tests|deploy|benchmarks|docs)/[\w./<>-]+)`")
MADE_BY_READERS = ("deploy/bases.env", "lessons/7-its-name.md", "pages/averages/")
SNIPPETS = [
    (path.name, code)
    for path in (*READMES, *BOOK)
    for code in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_guide_snippets_are_all_tried() -> None:
    assert len(SNIPPETS) >= 4


@pytest.mark.parametrize(("name", "code"), SNIPPETS)
def test_guide_snippet_runs(
    name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {})
    if "weights.html" in code:
        assert (tmp_path / "weights.html").stat().st_size > 1000
    if "print(" in code:
        assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.name)
def test_guide_links_lead_somewhere(text: Path) -> None:
    for target, anchor in LINK.findall(text.read_text(encoding="utf-8")):
        there = text.parent / target if target else text
        assert there.exists(), f"{text.name} links to {target}"
        assert not anchor or anchor in anchors(there), f"{text.name}: no heading #{anchor} in {there.name}"


@pytest.mark.parametrize("text", [*TEXTS, *ROOT.glob("docs/*.md")], ids=lambda path: path.name)
def test_guide_files_exist(text: Path) -> None:
    for named in FILE.findall(text.read_text(encoding="utf-8")):
        assert named.startswith(MADE_BY_READERS) or any(
            ROOT.glob(re.sub(r"<\w+>", "*", named).rstrip("/"))
        ), f"{text.name} names {named}"


def test_decision_index_lists_each_page_once() -> None:
    index = (ROOT / "DECISIONS.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\(docs/decisions/([\w-]+\.md)\)", index)) == [
        page.name for page in DECISIONS
    ]


def test_make_commands_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        str(text.relative_to(ROOT)): set(COMMAND.findall(text.read_text(encoding="utf-8"))) for text in TEXTS
    }
    assert named["README.md"] >= {"run", "test"}
    assert {name: commands - targets for name, commands in named.items() if commands - targets} == {}


@pytest.mark.parametrize(("readme", "spoken"), list(zip(READMES, ("en", "zh"), strict=True)))
def test_readme_has_every_page_by_its_title(readme: Path, spoken: str) -> None:
    rows = re.findall(r"^\| \*\*(.*?)\*\* \|", readme.read_text(encoding="utf-8"), re.MULTILINE)
    with speaking(spoken):
        assert rows == [_(page.title) for page in PAGES]


def test_readmes_have_the_same_links() -> None:
    leads = [
        re.findall(r"\]\(docs/book/([\w-]+\.md)\)|`((?:\w+-)+\w+\?[^`]+)`", path.read_text(encoding="utf-8"))
        for path in READMES
    ]
    assert leads[0] == leads[1]


def test_readme_looks_open_as_written() -> None:
    """Each address of the tables, with nothing dropped; a figure but where a file of one's own is wanted."""
    texts = [
        READMES[0].read_text(encoding="utf-8"),
        (ROOT / "docs/book/teach.md").read_text(encoding="utf-8"),
    ]
    table = [cells for text in texts for cells in re.findall(r"^\| .*\| (`.*`) \|$", text, re.MULTILINE)]
    links = [link for cell in table for link in re.findall(r"`([a-z-]+\?[^`]+)`", cell)]
    assert len(links) >= 20
    for link in links:
        page, _asks, query = link.partition("?")
        at = page_at(page).at(query)
        assert at.dropped == [], link
        assert query == "source=your+own" or at.figure()["data"], link


def test_guide_lesson_is_read_and_true() -> None:
    guide = (ROOT / "docs" / "book" / "lessons.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```markdown\n(---\n.*?)```", guide, re.DOTALL)
    lesson = read_lesson(text, "cold-heads", "cold-heads.md")
    assert [len(step.questions) for step in lesson.steps] == [1]
    assert check.complaints(lesson) == []


def test_requirements_are_pinned() -> None:
    for path in ROOT.glob("requirements*.txt"):
        for line in path.read_text().splitlines():
            requirement = line.partition("#")[0].strip()
            pinned = requirement.startswith(("-r ", "--hash=")) or "==" in requirement
            assert not requirement or pinned, line
