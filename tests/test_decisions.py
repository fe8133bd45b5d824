"""DECISIONS.md lists every page of decisions, and every link and file that these pages name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INDEX = ROOT / "DECISIONS.md"
PAGES = sorted((ROOT / "docs" / "decisions").glob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")
NAMED_FILE = re.compile(r"`((?:attn_\w+|pages|tests|deploy|benchmarks|docs)/[\w./]+)`")


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_index_lists_every_page_once() -> None:
    listed = re.findall(r"\]\(docs/decisions/([\w-]+\.md)\)", INDEX.read_text(encoding="utf-8"))
    assert sorted(listed) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", [INDEX, *PAGES], ids=lambda page: page.name)
def test_links_and_named_files_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, anchor in LINK.findall(text):
        there = page.parent / target if target else page
        assert there.exists(), f"{page.name} links to {target}, which is not there"
        assert not anchor or anchor in anchors(there), f"{page.name}: no heading #{anchor} in {there.name}"
    for named in NAMED_FILE.findall(text):
        assert (ROOT / named).exists(), f"{page.name} names {named}, which is not there"
