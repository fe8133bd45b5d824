"""The letters of each claim's formula, and what they stand for."""

import re
from collections.abc import Iterator

from attn_ui.base.latex import formulas_in, latex_of, subject
from attn_ui.base.search_entries import Place
from attn_ui.base.term import Term
from attn_words import _
from pages.what_courses_say.claims import CLAIMS
from pages.what_courses_say.settings import CLAIM

_CLAUSES = re.compile(r"(?<=\.)\s+|;\s+|(?<=。)|；")


def letters(subscripted: frozenset[str]) -> tuple[Term, ...]:
    """Return a term for each letter that a claim's words explain.

    Args:
        subscripted: keys of the symbols that include their subscript.
    """
    return tuple(
        term for name, claim in CLAIMS.items() for term in _terms_of(name, _(claim.in_words), subscripted)
    )


def _terms_of(name: str, in_words: str, subscripted: frozenset[str]) -> Iterator[Term]:
    clauses: dict[str, str] = {}
    for clause in _CLAUSES.split(in_words):
        for formula in formulas_in(clause):
            if letter := subject(formula, subscripted):
                clauses.setdefault(
                    letter, _("{clause}.", clause=clause[0].upper() + clause[1:].rstrip(".。"))
                )
    place = Place("what_courses_say", {} if name == CLAIM.default else {CLAIM.name: name})
    for letter, clause in clauses.items():
        yield Term(
            letter.removeprefix("bf "),
            clause,
            place,
            symbols=(latex_of(letter),),
            on=f"what_courses_say:{name}",
        )
