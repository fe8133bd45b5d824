"""The figure at a lesson's link, computed once for everybody at that step."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

from attn_figures.scene import LabelledArray
from attn_ui.base.link_options import COVER
from attn_ui.base.navigation import PAGES
from attn_ui.base.page import At, Page, page_at
from attn_ui.base.shared_cache import shared
from attn_ui.lessons.lesson import LessonQuestion, LessonStep
from attn_ui.lessons.quantity import Quantity, all_names
from attn_words import SOURCE, _, language, speaking


def page_of(link: str) -> Page[Any, Any]:
    """Return the page of a link.

    Raises:
        ValueError: the link leads to no page.
    """
    try:
        return page_at(link.partition("?")[0].strip("/"))
    except KeyError:
        names = ", ".join(each.address or "/" for each in PAGES)
        raise ValueError(f"a link to a page ({names}), got {link!r}") from None


def open_link(link: str) -> At[Any]:
    """Open a page at a link; refuse one with a setting that the page cannot use.

    Raises:
        ValueError: a setting of it cannot be used.
    """
    at = page_of(link).at(link.partition("?")[2])
    if at.dropped:
        raise ValueError(" ".join(each.complaint() for each in at.dropped))
    return at


def tables_of(link: str) -> dict[str, LabelledArray]:
    """Return the numbers of the figure at a link, its maps and curves, with names in English.

    Lessons of every language use these names.

    Raises:
        ValueError: a setting of it cannot be used; LookupError: it has no figure.
    """
    with speaking(SOURCE):
        return translated_tables(link)


@shared
def translated_tables(link: str) -> dict[str, LabelledArray]:
    """Return the numbers of `tables_of` with names in the current language."""
    page, mark, query = link.partition("?")
    settings = [pair for pair in parse_qsl(query) if pair[0] != COVER.name]  # its panel may be in question
    return open_link(f"{page}{mark}{urlencode(settings)}").still.tables()


def shown_name(of: Quantity, name: str) -> str:
    """Return how a name, which lessons have in English, is shown in the current language."""
    if language() == SOURCE:
        return name
    names, translations = (all_names(of, tables(of.link)) for tables in (tables_of, translated_tables))
    return dict(zip(names, translations, strict=False)).get(name, name)


def shown_answer(question: LessonQuestion, step: LessonStep, answer: str) -> str:
    """Return how an answer is shown: a name, or one of the words for what is compared."""
    return shown_name(question.of.at(step.link), answer) if question.kind == "which" else _(answer)
