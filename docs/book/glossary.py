"""The glossary, one page for each group; each term has an anchor, and a link to where the app shows it."""

import attn_core
from attn_ui.base.markdown import plain
from attn_ui.base.parameters import label_of
from attn_ui.base.term import Term
from attn_ui.lessons.read import slug
from attn_words import _
from pages.glossary.settings import GROUP
from pages.glossary.terms import TERMS
from pages.glossary.words import all_names


def pages(app: str = "") -> dict[str, str]:
    """Return the glossary's pages as MyST Markdown by their files.

    Args:
        app: the address of an app, to whose pages the terms lead; "" for none.
    """
    return {"glossary/index.md": _contents()} | {
        f"glossary/{slug(group)}.md": _page(group, terms, app) for group, terms in TERMS.items()
    }


def anchor(term: Term) -> str:
    """Return the anchor of a term, the same in every language.

    >>> anchor(TERMS["attention"][5])
    'term-w_q'
    """
    return f"term-{slug(term.key)}"


def _contents() -> str:
    title = _("Glossary")
    about = _(
        "Every term that a student meets, with its other names, the paper's notation, the name in the code "
        "and a source."
    )
    names = "\n".join(map(slug, TERMS))
    return (
        f"# {title}\n\n{about}\n\n:::{{attention}} glossary\n:::\n\n"
        f"```{{toctree}}\n:maxdepth: 2\n\n{names}\n```\n"
    )


def _page(group: str, terms: tuple[Term, ...], app: str) -> str:
    title = label_of(GROUP, group)
    return "\n\n".join([f"# {title[:1].upper()}{title[1:]}", *(_entry(term, app) for term in terms)]) + "\n"


def _entry(term: Term, app: str) -> str:
    name, *also = all_names(term)
    lines = [f"({anchor(term)})=\n## {plain(name)}", _(term.definition)]
    if also:
        lines.append(_("Also: {names}.", names=plain(_(", ").join(also))))
    names = [f"${term.paper}$"] if term.paper else []
    if term.symbols and term.symbols != (term.paper,):
        names.append(_("here ${symbols}$", symbols=", ".join(term.symbols)))
    names += map(_code, term.codes)
    if names:
        lines.append(_("Written: {forms}.", forms=_(", ").join(names)))
    if term.source:
        lines.append(f"*{plain(term.source)}.*")
    there = plain(term.place.name)
    at = term.place.address.removeprefix("./")
    lines.append(f"[{there}]({app.rstrip('/')}/{at})" if app else f"{there}, `{at or '/'}`")
    return "\n\n".join(lines)


def _code(code: str) -> str:
    name = code.partition("(")[0]
    if name in attn_core.__all__:
        return f"{{py:obj}}`{code} <attn_core.{name}>`"
    return f"`{code}`"
