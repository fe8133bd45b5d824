"""A term of the glossary: a word or a letter of our formulas, its meaning, and where to see it."""

from dataclasses import dataclass

from attn_ui.base.search_entries import Place


@dataclass(frozen=True)
class Term:
    """One term.

    Attributes:
        name: as the field calls it.
        definition: what it is, in one plain sentence; formulas in it stand between dollar signs.
        place: where this app shows it.
        also: its other names.
        apart: those of its names with other meanings in sentences: only the search finds the term by them.
        paper: how papers write it, in LaTeX.
        symbols: how our formulas write it, in LaTeX: letters, each with its accent and its naming subscript.
        on: the folder of the page, or "folder:view", whose formulas use its symbols for this; "" for all
            others.
        code: its names in `attn_core`, with commas between them; "" for none.
        source: who introduced it, and when; "" where nobody in particular did.
        target: where the search leads; None is `place`.
    """

    name: str
    definition: str
    place: Place
    also: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    paper: str = ""
    symbols: tuple[str, ...] = ()
    on: str = ""
    code: str = ""
    source: str = ""
    target: Place | None = None

    @property
    def key(self) -> str:
        """The key that identifies the term."""
        return f"{self.name} ({self.on})" if ":" in self.on else self.name

    @property
    def codes(self) -> list[str]:
        """Each of its names in `attn_core`."""
        return [code for code in self.code.split(", ") if code]
