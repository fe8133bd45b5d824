"""The guides say what is true: their code runs, their files are there, their commands exist."""

import math
import re
from pathlib import Path

import pytest

from attn_core import read_attention
from attn_ui.base.navigation import PAGES
from attn_ui.base.page import page_at
from attn_ui.lessons import check
from attn_ui.lessons.read import read
from attn_words import _, speaking
from tests.test_decisions import LINK, anchors

ROOT = Path(__file__).resolve().parents[1]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]
BOOK = sorted(ROOT.glob("docs/book/*.md"))
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("deploy/*.md")), *BOOK]
COMMAND = re.compile(r"(?:^    |`)make ([\w-]+)", re.MULTILINE)
SNIPPETS = [
    (path.name, code)
    for path in (*READMES, *BOOK)
    for code in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
]
WIDTH = 110  # letters of a line, as a window of a laptop shows a README
TWO_SCREENS = 2 * 60


def test_there_is_code_to_run() -> None:
    assert len(SNIPPETS) >= 4
    assert sum("weights.html" in code for _, code in SNIPPETS) >= 3


@pytest.mark.parametrize(("name", "code"), SNIPPETS)
def test_every_snippet_runs(
    name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {})
    if "weights.html" in code:
        assert (tmp_path / "weights.html").stat().st_size > 1000
    if "print(" in code:
        assert capsys.readouterr().out.strip()


SMALL = "hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48"
BODIES = {
    "bert": f"t.BertModel(t.BertConfig({SMALL})), {{'input_ids': torch.arange(6)[None]}}",
    "gpt2": (
        "t.GPT2Model(t.GPT2Config(n_embd=32, n_layer=2, n_head=4)), {'input_ids': torch.arange(6)[None]}"
    ),
    "vit": (
        f"t.ViTModel(t.ViTConfig({SMALL}, image_size=8, patch_size=4)), "
        "{'pixel_values': torch.randn(1, 3, 8, 8)}"
    ),
}


@pytest.mark.parametrize("body", BODIES)
def test_the_snippet_that_captures_runs_on_other_models(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = [code for _, code in SNIPPETS if "capture(model" in code]
    line = next(line for line in code.splitlines() if line.startswith("model, inputs = "))
    code = code.replace(line, f"import transformers as t\nmodel, inputs = {BODIES[body]}")
    exec(compile(code, "notebook.md", "exec"), {})
    names = [line.split(" tensor")[0] for line in capsys.readouterr().out.splitlines()]
    assert len(names) == 2
    assert all(re.search(rf"\.{layer}\..*att", name) for layer, name in enumerate(names)), names
    maps = read_attention("heads.npz", Path("heads.npz").read_bytes()).maps
    assert [weights.shape[0] for weights in maps.values()] == [4, 4]


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(text: Path) -> None:
    for target, anchor in LINK.findall(text.read_text(encoding="utf-8")):
        if target.startswith("project:"):  # of pages that are generated: the book's build follows it
            continue
        there = text.parent / target if target else text
        assert there.exists(), f"{text.name} links to {target}"
        assert not anchor or anchor in anchors(there), f"{text.name}: no heading #{anchor} in {there.name}"


def test_every_command_of_make_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        str(text.relative_to(ROOT)): set(COMMAND.findall(text.read_text(encoding="utf-8"))) for text in TEXTS
    }
    assert named["README.md"] >= {"run", "test"}
    assert {name: commands - targets for name, commands in named.items() if commands - targets} == {}


@pytest.mark.parametrize(("readme", "spoken"), list(zip(READMES, ("en", "zh"), strict=True)))
def test_a_readme_fits_on_two_screens_and_has_every_page(readme: Path, spoken: str) -> None:
    lines = readme.read_text(encoding="utf-8").splitlines()
    assert sum(max(1, math.ceil(len(line) / WIDTH)) for line in lines) <= TWO_SCREENS
    rows = [line for line in lines if line.startswith("| **")]
    assert len(rows) == len(PAGES)
    with speaking(spoken):
        for page, row in zip(PAGES, rows, strict=True):
            assert row.startswith(f"| **{_(page.title)}** |")


def test_the_readmes_lead_to_the_same_pages_of_the_book() -> None:
    links = [
        re.findall(r"\]\(docs/book/([\w-]+\.md)\)", path.read_text(encoding="utf-8")) for path in READMES
    ]
    assert links[0] == links[1]


def test_the_lesson_of_the_guide_is_a_lesson_and_true() -> None:
    guide = (ROOT / "docs" / "book" / "lessons.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```markdown\n(---\n.*?)```", guide, re.DOTALL)
    lesson = read(text, "cold-heads", "cold-heads.md")
    assert [len(step.questions) for step in lesson.steps] == [1]
    assert check.complaints(lesson) == []


def test_every_requirement_is_pinned() -> None:
    for path in ROOT.glob("requirements*.txt"):
        for line in path.read_text().splitlines():
            requirement = line.partition("#")[0].strip()
            pinned = requirement.startswith(("-r ", "--hash=")) or "==" in requirement
            assert not requirement or pinned, line


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_every_way_to_look_opens_as_it_is_written(readme: Path) -> None:
    """Each address of the table, with nothing dropped; a figure but where a file of one's own is wanted."""
    table = re.findall(r"^\| [^|*]+ \|( `.*`) \|$", readme.read_text(encoding="utf-8"), re.MULTILINE)
    links = [link for row in table for link in re.findall(r"`([^`]+)`", row)]
    assert len(links) >= 14
    for link in links:
        page, _asks, query = link.partition("?")
        at = page_at(page).at(query)
        assert at.dropped == [], link
        assert query == "source=your+own" or at.figure()["data"], link


def test_both_readmes_have_the_same_ways_to_look() -> None:
    named = [re.findall(r"`((?:\w+-)+\w+\?[^`]+)`", path.read_text(encoding="utf-8")) for path in READMES]
    assert named[0] == named[1]
