"""All pages of the book in one language, in the folder that Sphinx reads: written, taken and generated."""

from pathlib import Path

from attn_words import speaking
from docs.book import chapters, examples, glossary, reference
from docs.book.files import HERE, OTHERS, taken, write


def generated(app: str = "") -> dict[str, str]:
    """Return the pages that are made of lessons, terms, examples, docstrings and other files, by theirs."""
    decisions = "\n".join(sorted(Path(file).stem for file in OTHERS.values() if _is_decision(file)))
    found = {OTHERS[file]: taken(file) for file in OTHERS}
    found["decisions/index.md"] += f"\n```{{toctree}}\n:hidden:\n\n{decisions}\n```\n"
    return found | chapters.pages(app) | glossary.pages(app) | examples.pages() | reference.pages()


def _is_decision(file: str) -> bool:
    return file.startswith("decisions/") and file != "decisions/index.md"


def gather(folder: Path, language: str, app: str = "") -> None:
    """Fill a folder with the book's pages in one language; what it has besides is taken away.

    Args:
        folder: for Sphinx to read; language: one of the app's; app: the address of an app, "" for none.
    """
    with speaking(language):
        made = generated(app) | own()
    for name, text in made.items():
        write(folder / name, text)
    wanted = {folder / name for name in made}
    for path in folder.rglob("*"):
        if path not in wanted and not path.is_dir():
            path.unlink()


def own() -> dict[str, str]:
    """Return the pages that are written for the book, by their files."""
    return {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("*.md")}


def edited(told: str, folder: Path) -> str:
    """Return what is told of gathered pages as told of the files that are edited; lines are the same there.

    >>> edited("made/index.md:3: WARNING: ...", Path("made"))
    'docs/book/index.md:3: WARNING: ...'
    """
    places = {name: f"docs/book/{name}" for name in own()} | {name: file for file, name in OTHERS.items()}
    for name, file in places.items():
        told = told.replace(f"{folder / name}:", f"{file}:")
    return told
