"""How a term stands in the list."""

from collections.abc import Sequence

from attn_ui.base.term import Term


def entry(term: Term) -> str:
    """Return a term's lines as an item of a list in markdown.

    Everything in it is the glossary's own: nothing that a user typed.
    """
    named = " · ".join((f"**{term.name}**", *term.also))
    written = [f"${term.paper}$"] if term.paper else []
    if term.symbols and term.symbols != (term.paper,):
        written.append(f"here ${', '.join(term.symbols)}$")
    written += [f"`{code}`" for code in term.codes]
    notation = f" — {', '.join(written)}" if written else ""
    source = f" *{term.source}.*" if term.source else ""
    see = f"[{term.place.title}: {term.label}]({term.place.address})"
    return f"- {named}{notation}  \n  {term.says}{source} {see}"


def letters(terms: Sequence[Term]) -> str:
    """Return the letters that one view explains in words of its own, with these, as a list."""
    lines = []
    for term in terms:
        see = f"[{term.place.title}: {term.label}]({term.place.address})"
        lines.append(f"- ${', '.join(term.symbols)}$  \n  {term.says} {see}")
    return "\n".join(lines)


def listed(terms: Sequence[Term]) -> str:
    """Return the terms of a group as a list in markdown."""
    return "\n".join(entry(term) for term in terms)
