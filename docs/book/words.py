"""Catalogues of the pages that are written for the book: `python -m docs.book.words`, as `make words` does.

Sphinx extracts their sentences, sphinx-intl updates `locales/<language>/book/<page>.po` and keeps the
translations. Lessons, terms and figures have their words in catalogues of their own.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from babel.messages.pofile import read_po

from attn_words import LOCALES
from docs.book.files import HERE, ROOT, WRITTEN, with_book_links, write
from locales.words import to_po

MADE = ROOT / "build" / "book"
LOCALE = MADE / "locale"
"""Where Sphinx finds catalogues; `conf.py` names it too."""


def catalogues(locale: str) -> Path:
    """Return the folder of a language's catalogues of pages, by gettext's name of the language."""
    return ROOT / "locales" / locale / "book"


def lay_out() -> None:
    """Copy all catalogues to where Sphinx finds and compiles them."""
    for locale in LOCALES.values():
        target = LOCALE / locale / "LC_MESSAGES"
        target.mkdir(parents=True, exist_ok=True)
        for path in catalogues(locale).glob("*.po"):
            if not (target / path.name).exists() or (target / path.name).read_bytes() != path.read_bytes():
                shutil.copyfile(path, target / path.name)


def main() -> int:
    """Bring the catalogues up to date; return 0, or 1 where that fails."""
    source, messages = MADE / "written", MADE / "messages"
    for file, name in WRITTEN.items():
        write(source / name, with_book_links(file).encode())
    lay_out()
    shutil.rmtree(messages, ignore_errors=True)
    sphinx = (sys.executable, "-m", "sphinx", "--builder", "gettext", "--conf-dir", str(HERE))
    # Without warnings: the targets of these pages' links are missing here.
    there = ("--doctree-dir", str(MADE / "read" / "gettext"), "-Q", str(source), str(messages))
    process = subprocess.run([*sphinx, *there], cwd=ROOT, check=False)
    for locale in LOCALES.values() if not process.returncode else ():
        intl = (sys.executable, "-m", "sphinx_intl", "update", "--line-width", "110", "--no-obsolete")
        options = ("--pot-dir", str(messages), "--locale-dir", str(LOCALE), "--language", locale)
        process = subprocess.run([*intl, *options], cwd=ROOT, check=False)
        catalogues(locale).mkdir(exist_ok=True)
        for name in WRITTEN.values():
            made_one = LOCALE / locale / "LC_MESSAGES" / Path(name).with_suffix(".po")
            with made_one.open("rb") as opened:
                text = to_po(read_po(opened, locale=locale))  # without dates and names
            (catalogues(locale) / made_one.name).write_bytes(text)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
