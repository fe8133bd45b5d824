"""How a term stands in the list."""

from collections.abc import Sequence

from attn_ui.base.term import Term


def entry(term: Term) -> str:
    """Return a term's lines as an item of a list in markdown.

    Everything in it is the glossary's own: nothing that a user typed.
    """
    named = " · ".join((f"**{term.name}**", *term.also))
    written = [f"${term.paper}$"] if term.paper else []
    written += [f"`{code}`" for code in term.code.split(", ") if code]
    notation = f" — {', '.join(written)}" if written else ""
    source = f" *{term.source}.*" if term.source else ""
    see = f"[{term.place.title}: {term.label}]({term.place.address})"
    return f"- {named}{notation}  \n  {term.says}{source} {see}"


def listed(terms: Sequence[Term]) -> str:
    """Return the terms of a group as a list in markdown."""
    return "\n".join(entry(term) for term in terms)
