"""The book, in every language: `python -m docs.book.build`, as `make book` does.

The build fails at a link to no figure, a reference to nothing, a formula that cannot be written, a program or
an example that does not run; each is reported with its file and line.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attn_words import LANGUAGES, LOCALES
from docs.book import paper, programs, words
from docs.book.files import HERE, ROOT
from docs.book.sources import edited, gather

MADE = ROOT / "build" / "book"


def sphinx(builder: str, language: str, out: Path, app: str = "") -> int:
    """Build the gathered pages of a language with Sphinx; return 0 if there was no warning."""
    source, doctrees = MADE / "source" / language, MADE / "read" / f"{builder}-{language}"
    command = [
        *(sys.executable, "-m", "sphinx", "--builder", builder, "--conf-dir", str(HERE)),
        *("--doctree-dir", str(doctrees), "--jobs", "auto"),
        *("--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"),
        *(str(source), str(out)),
    ]
    settings = {
        "BOOK_LANGUAGE": LOCALES.get(language, language),
        "BOOK_APP": app,
        "OMP_NUM_THREADS": "1",  # one process a core: threads of torch would wait for one another
    }
    process = subprocess.run(
        command, cwd=ROOT, env=os.environ | settings, check=False, stderr=subprocess.PIPE, text=True
    )
    print(edited(process.stderr, source), end="", file=sys.stderr)
    if process.returncode:
        # Sphinx warns of a page when it reads it, and would not read it again.
        shutil.rmtree(doctrees, ignore_errors=True)
    return process.returncode


def start() -> str:
    """Return the start page, which leads readers to the book in their language."""
    links = "".join(
        f'<p><a lang="{code}" href="{code}/index.html">{name}</a></p>' for code, name in LANGUAGES.items()
    )
    text = (HERE / "start.html").read_text(encoding="utf-8")
    return text.replace("{{ codes }}", json.dumps([*LANGUAGES])).replace("{{ links }}", links)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the book; return 0, or 1 where something in it is wrong."""
    parser = argparse.ArgumentParser(prog="python -m docs.book.build", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=MADE / "html", help="the folder for the site")
    parser.add_argument("--format", choices=("html", "pdf"), default="html")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="all of them without it")
    parser.add_argument("--app", default="", help="the address of an app, to which figures link")
    options = parser.parse_args(arguments)
    wrong = programs.main()
    words.lay_out()
    for language in options.language or LANGUAGES:
        began = time.monotonic()
        try:
            gather(MADE / "source" / language, language, options.app)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
        if options.format == "pdf":
            wrong |= sphinx("singlehtml", language, MADE / "paper" / language, options.app)
            output = paper.printed(MADE / "paper" / language, MADE / f"attention-lab-{language}.pdf")
        else:
            wrong |= sphinx("html", language, options.out / language, options.app)
            output = options.out / language
        print(f"book: {output}, {time.monotonic() - began:.0f} s")
    if options.format == "html":
        (options.out / "index.html").write_text(start(), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
