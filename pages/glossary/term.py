"""What a term of the glossary is."""

from dataclasses import dataclass

from attn_ui.base.places import Place


@dataclass(frozen=True)
class Term:
    """One term.

    Attributes:
        name: as the field calls it.
        says: what it is, in one plain sentence.
        label: what the place that shows it is called.
        place: where this app shows it.
        also: its other names.
        paper: how papers write it, in LaTeX.
        code: what it is called in `attn_core`, "" where it is nothing there.
        source: who introduced it, and when; "" where nobody in particular did.
    """

    name: str
    says: str
    label: str
    place: Place
    also: tuple[str, ...] = ()
    paper: str = ""
    code: str = ""
    source: str = ""
