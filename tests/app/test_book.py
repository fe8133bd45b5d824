"""The book without a browser: its pages hold what they are made of, and what is wrong in it is told."""

import doctest
import io
import os
import re
from importlib import import_module
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from sphinx.application import Sphinx

import attn_core
import attn_figures
import attn_ui.publish.sphinx as publish
from attn_words import LANGUAGES, LOCALES, speaking
from docs.book import chapters, conf, examples, files, glossary, programs, reference, sources
from pages.glossary.terms import TERMS

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted(ROOT.glob("lessons/*.md"))


PROJECT = """# Page

```{live-attention} single-head?mask=causal
:caption: A *mask*.
```

```{attention} multi-head
```

```{attention} The exam is on Friday.
```
"""
WRONG = """
```{live-attention} single-head?mask=no
```

```{live-attention} no-page
```
"""


@pytest.mark.slow
def test_sphinx_wrong_links_fail_with_their_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(publish, "draw_stills", lambda folder: 0)
    settings = {"extensions": ["myst_parser", publish.__name__], "language": "zh_CN"}

    def build(page: str) -> tuple[int, str]:
        (tmp_path / "index.md").write_text(page, encoding="utf-8")
        told = io.StringIO()
        folders = tmp_path, None, tmp_path / "made", tmp_path / "read"
        project = Sphinx(*folders, "html", confoverrides=settings, status=None, warning=told)
        project.build()
        return project.statuscode, told.getvalue()

    assert build(PROJECT) == (0, "")
    html = (tmp_path / "made" / "index.html").read_text(encoding="utf-8")
    assert html.count("<live-figure") == 2
    assert html.count('class="admonition attention"') == 1
    # The words of its panels are those of the project's language.
    assert "_figures/attention-lab-zh.js" in html
    assert (tmp_path / "made" / "_figures" / "attention-lab-zh.js").is_file()
    for _again in range(2):  # a page that is wrong is read again
        status, told = build(PROJECT + WRONG)
        assert status == 1
        (first, second) = re.findall(r"index\.md:(\d+): ERROR: (.*)", told)
        assert (first[0], second[0]) == ("13", "16")
        assert first[1].startswith("single-head?mask=no: ")
        assert "causal" in first[1], "what was wanted"
        assert second[1].startswith("no-page: ")
        assert "Traceback" not in told


@pytest.mark.slow
@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_book_chapter_has_every_part_of_its_lesson(file: Path, spoken: str) -> None:
    text = (file.parent / LOCALES.get(spoken, "") / file.name).read_text()
    with speaking(spoken):
        lesson = next(each for each in chapters.lessons() if file.stem.endswith(each.name))
        chapter = chapters.chapter(lesson)
    steps = re.findall(r"^## (.*)$", text, re.MULTILINE)
    made = re.findall(r"^## (.*)$", chapter, re.MULTILINE)
    assert [re.sub(r"\\(?=\W|_)", "", step) for step in made] == steps
    links = re.findall(r"^:::\{attention\} (.*)$", text, re.MULTILINE)
    assert re.findall(r"^:::\{live-attention\} (.*)$", chapter, re.MULTILINE) == links
    assert len(links) == len(steps)
    questions = re.findall(r"^:::\{question\}", text, re.MULTILINE)
    assert len(re.findall(r"^:class: question$", chapter, re.MULTILINE)) == len(questions)
    hints = re.findall(r"^hint: ", text, re.MULTILINE)
    asides = re.findall(r"^:::\{dropdown\}", text, re.MULTILINE)
    opened = re.findall(r"^:::\{dropdown\}", chapter, re.MULTILINE)
    assert len(opened) == len(questions) + len(hints) + len(asides)
    assert "{value}" not in chapter


def test_book_glossary_has_every_term_once() -> None:
    pages = glossary.pages("https://lab.example.org")
    for group, terms in TERMS.items():
        text = pages[f"glossary/{group.replace(' ', '-')}.md"]
        assert len(re.findall("^## ", text, re.MULTILINE)) == len(terms)
        for term in terms:
            assert term.definition in text
            assert f"(https://lab.example.org/{term.place.address.removeprefix('./')})" in text
    anchors = re.findall(r"^\((term-.*)\)=$", "\n".join(pages.values()), re.MULTILINE)
    assert len(anchors) == len({*anchors}) == sum(map(len, TERMS.values()))


@pytest.mark.parametrize("package", [attn_core, attn_figures])
def test_book_reference_has_every_public_name(package: object) -> None:
    name = getattr(package, "__name__", "")
    found = re.findall(
        rf"^\.\. auto\w+:: {name}\.(\w+)$", "\n".join(reference.pages().values()), re.MULTILINE
    )
    assert sorted(found) == sorted(getattr(package, "__all__", ()))


def test_book_signatures_link_their_public_types() -> None:
    ((_kind, ignored),) = conf.nitpick_ignore_regex
    not_public = ("attn_core.models.head_map.HeadMap", "attn_core.models.reading.Encoded", "numpy.ndarray")
    assert all(re.match(ignored, name) for name in not_public)
    assert not re.match(ignored, "attn_core.attention.Attention")


@pytest.mark.slow
def test_book_example_has_the_numbers_of_its_product() -> None:
    page = examples.pages()["examples/two-keys-one-query.md"]
    scores = [1 * 4 + 2 * 5 + 3 * 6, 1 * 7 + 2 * 8 + 3 * 9]
    rows = re.findall(r"^\| query \| key (\d) \| (\d+) \|", page, re.MULTILINE)
    assert rows == [("1", str(scores[0])), ("2", str(scores[1]))]
    heads = examples.pages()["examples/i-love-dogs-two-heads.md"]
    assert re.findall(r"^## Head (\d): weights$", heads, re.MULTILINE) == ["1", "2"]


def test_book_page_programs_run() -> None:
    assert [told for file in files.WRITTEN for told in programs.fails(file, (ROOT / file).read_text())] == []


def test_book_failing_program_is_reported_with_its_line() -> None:
    page = "Text.\n\n```python\nx = 1\n```\n\n```python\nassert x == 1\nassert x == 2, 'two'\n```\n"
    assert programs.fails("docs/page.md", page) == ["docs/page.md:9: AssertionError: two"]


def test_book_link_to_a_missing_file_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "DECISIONS.md").write_text("# Decisions\n\n[One](https://a.example), [two](docs/two.md#it)\n")
    monkeypatch.setattr(files, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"^DECISIONS\.md:3: .* got docs/two\.md$"):
        files.with_book_links("DECISIONS.md")


def test_book_links_lead_to_existing_pages_and_files() -> None:
    there = {*files.TAKEN.values(), *files.WRITTEN.values(), *files.attached().values()}
    for file, name in {**files.TAKEN, **files.WRITTEN}.items():
        for link in re.findall(r"\]\(((?:[\w-]+/|\.\./)*[\w-]+\.\w+)[)#]", files.with_book_links(file)):
            assert os.path.normpath(Path(name).parent / link) in there


def test_book_error_names_the_edited_file() -> None:
    told = "build/en/built/deploying.md:3: WARNING: a\nbuild/en/teach.md:4: WARNING: b\n"
    here = "deploy/README.md:3: WARNING: a\ndocs/book/teach.md:4: WARNING: b\n"
    assert sources.edited(told, Path("build/en")) == here


@pytest.mark.parametrize("locale", LOCALES.values())
def test_book_pages_are_all_translated(locale: str) -> None:
    for file in files.WRITTEN:
        path = ROOT / "locales" / locale / "book" / f"{Path(file).stem}.po"
        with path.open("rb") as opened:
            messages = [message for message in read_po(opened, locale=locale) if message.id]
        assert messages
        left = [message.id for message in messages if not message.string or message.fuzzy]
        assert not left, f"{path.name}: to be translated"


@pytest.mark.parametrize(
    "name", ["docstrings", "files", "glossary", "look", "mathml", "programs", "search_chinese", "sources"]
)
def test_book_docstring_examples_run(name: str) -> None:
    result = doctest.testmod(import_module(f"docs.book.{name}"))
    assert not result.failed
