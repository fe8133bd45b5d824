"""One slide of a deck, as it is saved from a page and written into a file."""

from dataclasses import dataclass
from pathlib import Path

from attn_words import SOURCE


@dataclass(frozen=True)
class Slide:
    """One slide: what stands over its picture and under it, and the picture's file."""

    title: str
    caption: str
    link: str
    picture: Path
    url: str = ""  # where the link leads for whoever sees the slide; "" where nobody knows
    language: str = SOURCE  # of its words
