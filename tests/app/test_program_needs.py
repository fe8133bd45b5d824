"""What a caption says that a program needs and does is what the program imports and does."""

import ast
import re
import sys

import numpy as np
import pytest

from attn_ui.base.programs import OneProgram, Programs
from pages import PAGES
from pages.learned_heads.whole_snippet import CAPTURE, READ
from tests import handed

LINKS = [
    ("single-head", ""),
    ("single-head", "qkv=as they are&vectors=one-hot"),
    ("single-head", "qkv=typed"),
    ("multi-head", ""),
    ("positional-encoding", ""),
    ("positional-encoding", "scheme=learned"),
    ("kernel-regression", ""),
    ("kernel-regression", "picture=Two inputs"),
    ("learned-heads", ""),
    ("applications", ""),
    ("what-courses-say", ""),
]
FRAMEWORKS = {"PyTorch": "torch", "NumPy": "numpy", "attn_core": "attn_core"}


def imported(program: str) -> set[str]:
    """The first names of what a program imports, Python's own library left out."""
    names = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
    nodes = [each for each in ast.walk(ast.parse(program)) if isinstance(each, ast.Import | ast.ImportFrom)]
    assert len(nodes) == len(names), "an import that is not at a line's start"
    return {name for name in names if name not in sys.stdlib_module_names}


def named(caption: str) -> set[str]:
    """The packages that a caption names, as they are imported."""
    found = {name for word, name in FRAMEWORKS.items() if re.search(rf"\b{word}\b(?!'s)", caption)}
    return found | {word.replace("-", "_") for word in re.findall(r"`([\w-]+)`", caption)}


def refuse_to_draw(_seed: int) -> None:
    raise AssertionError("draws numbers")


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_caption_names_what_its_program_needs(
    page: str, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = PAGES[page].at(link).programs
    if isinstance(programs, OneProgram):
        needed = imported(programs.text())
        assert named(programs.says) == needed, programs.says
        return
    assert isinstance(programs, Programs)
    for kind in ("PyTorch", "NumPy"):
        text = programs.text(kind)
        caption = programs.says(kind, text)
        assert named(caption.partition(" It prints")[0]) == imported(text)
        assert ("in this app's folder" in caption) == ("attn_core/" in text)
    with monkeypatch.context() as changed:
        changed.setattr(np.random, "RandomState", refuse_to_draw)
        if "It draws" in caption:
            with pytest.raises(AssertionError, match="draws numbers"):
                handed.run(text)
        else:
            handed.run(text)
    short = programs.text("attn_core")
    assert {"attn_core"} < imported(short) <= {"attn_core", "attn_figures", "torch"}
    assert "packages of this app" in programs.says("attn_core", short)


def test_both_kinds_are_there() -> None:
    drawn = {link: "It draws" in _numpy_caption(page, link) for page, link in LINKS[:3]}
    assert drawn == {"": True, "qkv=as they are&vectors=one-hot": False, "qkv=typed": False}


def _numpy_caption(page: str, link: str) -> str:
    programs = PAGES[page].at(link).programs
    assert isinstance(programs, Programs)
    return programs.says("NumPy", programs.text("NumPy"))


def test_short_lines_of_tabs_need_what_stands_over_them() -> None:
    for lines in (CAPTURE, READ):  # "with attn_core"
        assert imported(lines) == {"torch", "attn_core"}


@pytest.mark.parametrize("link", ["", "kernel=boxcar", "picture=Two inputs", "picture=Local lines"])
def test_a_caption_says_that_a_program_learns_where_it_prints_what_it_learned(link: str) -> None:
    programs = PAGES["kernel-regression"].at(link).programs
    assert isinstance(programs, Programs)
    for kind in ("PyTorch", "NumPy", "attn_core"):
        text = programs.text(kind)
        assert ("learns h" in programs.says(kind, text)) == ('print(f"h learned' in text)
    assert ("learns h" in programs.says("PyTorch", "")) == (link == "")
