"""The markdown of a term in the glossary's list."""

from collections.abc import Sequence

from attn_ui.base.term import Term
from attn_ui.base.terms import names
from attn_words import _


def all_names(term: Term) -> tuple[str, ...]:
    """Return all names of a term, without repeats: first in the page's language, then in English."""
    name, *also = names(term.name, *term.also)
    beside = () if name.casefold() == term.name.casefold() else (term.name,)
    return tuple(dict.fromkeys((name, *beside, *also, *term.also)))


def _see(term: Term) -> str:
    """Return a markdown link to the place that shows a term."""
    return f"[{term.place.name}]({term.place.address})"


def entry(term: Term) -> str:
    """Return a term's lines as an item of a list in markdown.

    Nothing in it is typed by a user, so nothing is escaped.
    """
    name, *also = all_names(term)
    title = " · ".join((f"**{name}**", *also))
    symbols = [f"${term.paper}$"] if term.paper else []
    if term.symbols and term.symbols != (term.paper,):
        symbols.append(_("here ${symbols}$", symbols=", ".join(term.symbols)))
    symbols += [f"`{code}`" for code in term.codes]
    notation = f" — {', '.join(symbols)}" if symbols else ""
    source = f" *{term.source}.*" if term.source else ""
    return f"- {title}{notation}  \n  {_(term.definition)}{source} {_see(term)}"


def letters(terms: Sequence[Term]) -> str:
    """Return the letters that a view explains, with their explanations, as a markdown list."""
    return "\n".join(f"- ${', '.join(t.symbols)}$  \n  {_(t.definition)} {_see(t)}" for t in terms)


def list_terms(terms: Sequence[Term]) -> str:
    """Return the terms of a group as a list in markdown."""
    return "\n".join(entry(term) for term in terms)
