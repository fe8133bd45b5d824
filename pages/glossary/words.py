"""How a term stands in the list."""

from collections.abc import Sequence

from attn_ui.base.term import Term
from attn_ui.base.terms import names
from attn_words import _


def all_names(term: Term) -> tuple[str, ...]:
    """Return all names of a term: the one in the language that is spoken, and beside it the English one."""
    name, *also = names(term.name, *term.also)
    beside = () if name.casefold() == term.name.casefold() else (term.name,)
    return tuple(dict.fromkeys((name, *beside, *also, *term.also)))


def _see(term: Term) -> str:
    """Return the link to what shows a term, as markdown."""
    return f"[{term.place.name}]({term.place.address})"


def entry(term: Term) -> str:
    """Return a term's lines as an item of a list in markdown.

    Everything in it is the glossary's own: nothing that a user typed.
    """
    name, *also = all_names(term)
    title = " · ".join((f"**{name}**", *also))
    symbols = [f"${term.paper}$"] if term.paper else []
    if term.symbols and term.symbols != (term.paper,):
        symbols.append(_("here ${symbols}$", symbols=", ".join(term.symbols)))
    symbols += [f"`{code}`" for code in term.codes]
    notation = f" — {', '.join(symbols)}" if symbols else ""
    source = f" *{term.source}.*" if term.source else ""
    return f"- {title}{notation}  \n  {_(term.says)}{source} {_see(term)}"


def letters(terms: Sequence[Term]) -> str:
    """Return the letters that one view explains in words of its own, with these, as a list."""
    return "\n".join(f"- ${', '.join(term.symbols)}$  \n  {_(term.says)} {_see(term)}" for term in terms)


def list_terms(terms: Sequence[Term]) -> str:
    """Return the terms of a group as a list in markdown."""
    return "\n".join(entry(term) for term in terms)
