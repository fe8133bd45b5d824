"""All pages of the book in one language, in the folder that Sphinx reads: written, taken and generated."""

from pathlib import Path

from attn_words import SOURCE, _, language, speaking
from docs.book import chapters, examples, glossary, reference
from docs.book.files import ROOT, TAKEN, WRITTEN, attached, with_book_links, write

ENGLISH = ("built/", "decisions/", "reference/")
"""Folders of the book that are not translated."""


def generated(app: str = "") -> dict[str, str]:
    """Return the pages that are made of lessons, terms, examples and docstrings, by their files."""
    return chapters.pages(app) | glossary.pages(app) | examples.pages() | reference.pages()


def pages(app: str = "") -> dict[str, str]:
    """Return all pages in the current language, by their files.

    Args:
        app: the address of an app, to which they lead; "" for none.

    Raises:
        ValueError: one has faults; the message lists them with file and line.
    """
    texts = {name: with_book_links(file) for file, name in {**TAKEN, **WRITTEN}.items()}
    decisions = sorted(Path(name).stem for name in TAKEN.values() if name.startswith("decisions/"))
    names = "\n".join(name for name in decisions if name != "index")
    texts["decisions/index.md"] += f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    return {name: _in_english(name, text) for name, text in (texts | generated(app)).items()}


def _in_english(name: str, text: str) -> str:
    """Return a page; if it is in English and the book is not, a note under its title says so."""
    if language() == SOURCE or not name.startswith(ENGLISH):
        return text
    note = _("This page is in English only.")
    title, rest = text.split("\n", maxsplit=1)
    return f"{title}\n\n*{note}*\n{rest}"


def gather(folder: Path, language_code: str, app: str = "") -> None:
    """Fill a folder with the book's pages in one language; other files in it are deleted.

    Args:
        folder: for Sphinx to read; language_code: one of the app's languages; app: as in `pages`.

    Raises:
        ValueError: a page has faults; the message lists them with file and line.
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
    """Return messages about gathered pages with the paths of their source files; the lines are the same.

    >>> edited("made/index.md:3: WARNING: ...", Path("made"))
    'docs/book/index.md:3: WARNING: ...'
    """
    for file, name in {**TAKEN, **WRITTEN}.items():
        text = text.replace(f"{folder / name}:", f"{file}:")
    return text
