"""The book, in every language: `python -m docs.book.build --out build/book/html`."""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attn_words import LANGUAGES, LOCALES
from docs.book.files import HERE, ROOT
from docs.book.sources import edited, gather

MADE = ROOT / "build" / "book"


def sphinx(builder: str, language: str, out: Path, app: str = "") -> int:
    """Have Sphinx build what was gathered in a language; return 0 where nothing was wrong."""
    source, read = MADE / "source" / language, MADE / "doctrees" / language
    command = [
        *(sys.executable, "-m", "sphinx", "--builder", builder, "--conf-dir", str(HERE)),
        *("--doctree-dir", str(read), "--jobs", "auto"),
        *("--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"),
        *(str(source), str(out)),
    ]
    settings = {"BOOK_LANGUAGE": LOCALES.get(language, language), "BOOK_APP": app}
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | settings, check=False, stderr=subprocess.PIPE, text=True
    )
    print(edited(done.stderr, source), end="", file=sys.stderr)
    if done.returncode:
        # Sphinx warns of a page when it reads it, and would not read it again.
        shutil.rmtree(read, ignore_errors=True)
    return done.returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the book; return 0, or 1 where something in it is wrong."""
    parser = argparse.ArgumentParser(prog="python -m docs.book.build", description=__doc__)
    parser.add_argument("--out", type=Path, default=MADE / "html", help="the folder for the site")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="all of them without it")
    parser.add_argument("--app", default="", help="the address of an app, to which figures link")
    asked = parser.parse_args(arguments)
    wrong = 0
    for language in asked.language or LANGUAGES:
        start = time.monotonic()
        gather(MADE / "source" / language, language, asked.app)
        wrong |= sphinx("html", language, asked.out / language, asked.app)
        print(f"book: {language} in {time.monotonic() - start:.0f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
