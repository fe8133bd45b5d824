"""One slide of a deck, as it is saved from a page and written into a file."""

from dataclasses import dataclass
from pathlib import Path

from attn_words import SOURCE


@dataclass(frozen=True)
class Slide:
    """One slide: the title above its picture, caption and link under it, and the picture's file."""

    title: str
    caption: str
    link: str
    picture: Path
    url: str = ""  # the link as readers of the slide can open it; "" if that is unknown
    language: str = SOURCE  # of its words
