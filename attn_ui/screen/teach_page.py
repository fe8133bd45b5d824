"""The guide, `docs/book/teach.md`, as a page of the app; every page has a link to it."""

import re
from pathlib import Path

import streamlit as st

from attn_ui.screen import language

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "book" / "teach.md"
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n")
_OTHER_FILE = re.compile(r"\[([^\]]*)\]\([^)]*\)")  # which the book alone has
_VIEW = re.compile(r"`([a-z-]+\?[a-z]+=[^`. ]*)`")


def show() -> None:
    """Show the guide without pictures; each address of a view in it becomes a link."""
    language.show()
    text = _OTHER_FILE.sub(r"\1", _PICTURE.sub("", GUIDE.read_text(encoding="utf-8")))
    st.markdown(_VIEW.sub(r"[`\1`](\1)", text))
