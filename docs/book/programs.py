"""Runs the code in the book: programs in its pages, and examples in docstrings of the reference."""

import contextlib
import doctest
import io
import pkgutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from importlib import import_module

from markdown_it import MarkdownIt

from docs.book.files import ROOT, WRITTEN
from docs.book.reference import PACKAGES


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the Python programs of a page with the lines that they begin at.

    >>> list(blocks("Text.\\n\\n```python\\nx = 1\\n```\\n"))
    [(4, 'x = 1\\n')]
    """
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.info.strip() == "python" and token.map:
            yield token.map[0] + 2, token.content


def fails(file: str, text: str) -> list[str]:
    """Run a page's programs in one namespace, in a folder of their own; return where one fails, and why."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        for line, program in blocks(text):
            # After as many empty lines as the page has before it: errors then have the page's lines.
            placed = "\n" * (line - 1) + program
            try:
                exec(compile(placed, file, "exec"), namespace)
            except Exception as error:
                frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == file]
                at = frames[-1].lineno if frames else getattr(error, "lineno", line)
                return [f"{file}:{at}: {type(error).__name__}: {error}"]
    return []


def examples_fail() -> int:
    """Run the examples in the docstrings of the packages in the reference; return how many fail."""
    failed = 0
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            failed += doctest.testmod(import_module(module.name)).failed
    return failed


def main() -> int:
    """Run all programs and examples; return 0, or 1 if one fails."""
    wrong = []
    for file in sorted(WRITTEN):
        text = (ROOT / file).read_text(encoding="utf-8")
        wrong += fails(file, text)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong or examples_fail() else 0


if __name__ == "__main__":
    sys.exit(main())
