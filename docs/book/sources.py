"""All pages of the book in one language, in the folder that Sphinx reads: written, taken and generated."""

from pathlib import Path

from attn_words import SOURCE, _, language, speaking
from docs.book import chapters, examples, glossary, reference
from docs.book.files import ROOT, TAKEN, WRITTEN, attached, with_book_links, write

ENGLISH = ("built/", "decisions/", "reference/")
"""What of the book nobody translates."""


def generated(app: str = "") -> dict[str, str]:
    """Return the pages that are made of lessons, terms, examples and docstrings, by their files."""
    return chapters.pages(app) | glossary.pages(app) | examples.pages() | reference.pages()


def pages(app: str = "") -> dict[str, str]:
    """Return all pages in the language that is spoken, by their files.

    Args:
        app: the address of an app, to which they lead; "" for none.

    Raises:
        ValueError: what in one of them is not so, with file and line.
    """
    texts = {name: with_book_links(file) for file, name in {**TAKEN, **WRITTEN}.items()}
    decisions = sorted(Path(name).stem for name in TAKEN.values() if name.startswith("decisions/"))
    names = "\n".join(name for name in decisions if name != "index")
    texts["decisions/index.md"] += f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    return {name: _in_english(name, text) for name, text in (texts | generated(app)).items()}


def _in_english(name: str, text: str) -> str:
    """Say under the title of a page that it is in English, where the book is not."""
    if language() == SOURCE or not name.startswith(ENGLISH):
        return text
    note = _("This page is in English only.")
    title, rest = text.split("\n", maxsplit=1)
    return f"{title}\n\n*{note}*\n{rest}"


def gather(folder: Path, language_code: str, app: str = "") -> None:
    """Fill a folder with the book's pages in one language; what it has besides is taken away.

    Args:
        folder: for Sphinx to read; spoken: one of the app's languages; app: as in `pages`.

    Raises:
        ValueError: what in one of the pages is not so, with file and line.
    """
    with speaking(language_code):
        contents = {name: text.encode() for name, text in pages(app).items()}
    contents |= {name: (ROOT / file).read_bytes() for file, name in attached().items()}
    for name, content in contents.items():
        write(folder / name, content)
    expected = {folder / name for name in contents}
    for path in folder.rglob("*"):
        if path not in expected and not path.is_dir():
            path.unlink()


def edited(text: str, folder: Path) -> str:
    """Return what is told of gathered pages as told of the files that are edited; lines are the same there.

    >>> edited("made/index.md:3: WARNING: ...", Path("made"))
    'docs/book/index.md:3: WARNING: ...'
    """
    for file, name in {**TAKEN, **WRITTEN}.items():
        text = text.replace(f"{folder / name}:", f"{file}:")
    return text
