"""The search field of every page: over pages, their views, tabs and options, lessons, and glossary terms.

Its entries come from each page's `settings` module: the options of its choices, and its `FOUND` if it has
one. The list of entries and the script that reads it are files, fetched when the field first gets the focus.
The typed text is compared in the browser and sent nowhere.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from attn_live.bundle import content_hash, join_scripts
from attn_ui.base.link_options import LESSON
from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.base.parameters import Choice, Tabs, label_of
from attn_ui.base.search_entries import Entry, Place
from attn_ui.base.terms import general, names
from attn_ui.lessons.lesson import Lesson
from attn_ui.lessons.shelf import shelf
from attn_ui.screen import language
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_ui.screen.search_words import TEACH, WORDS
from attn_ui.streamlit_inside import markup
from attn_words import N_, SOURCE, _, cached, speaking

_HERE = Path(__file__).parent
_FIELD = (
    '<div class="search" role="search" data-module="{module}" data-list="{list}" data-app="{app}">'
    '<input type="search" aria-label="{label}" placeholder="{placeholder}" '
    'autocomplete="off" autocapitalize="off" spellcheck="false">'
    '<div class="search-results"><p aria-live="polite"></p><ul></ul></div></div>'
)


KINDS = (
    N_("term"),
    N_("page"),
    N_("lesson"),
    N_("tab"),
    N_("view"),
    N_("mask"),
    N_("scheme"),
    N_("score"),
    N_("mistake"),
    N_("example"),
    N_("claim"),
    N_("kernel"),
    N_("task"),
    N_("stage"),
    N_("spelling"),
    N_("data set"),
    N_("group of terms"),
    N_("teaching"),
)
"""The kinds of entries, as the list of results shows them after the name."""


@cached()
def all_entries() -> tuple[Entry, ...]:
    """Return all entries, the best known first: terms, pages, teaching, lessons, then options.

    Options and lessons have their names in the current language first, then in English.
    """
    modules = {page: import_module(f"pages.{page.folder}.settings") for page in PAGES}
    terms = [entry for module in modules.values() for entry in getattr(module, "FOUND", ())]
    pages = [Entry((page.title,), "page", Place(page.folder)) for page in PAGES]
    options = [
        entry
        for page, module in modules.items()
        for setting in module.SETTINGS
        if isinstance(setting, Choice)
        for entry in _options(page, setting)
    ]
    lessons = (_lesson(lesson) for lesson in shelf().lessons.values())
    return (*terms, *pages, *(_teaching_entry(name) for name in TEACH), *lessons, *options)


def _teaching_entry(name: str) -> Entry:
    """Return the entry of something that teachers do: at a link that does it, or in the guide."""
    page, _mark, link = TEACH[name][0].partition("?")
    return Entry((name,), "teaching", Place(page.replace("-", "_"), dict(parse_qsl(link))))


def _lesson(lesson: Lesson) -> Entry:
    """Return the entry of a lesson, at its first step."""
    first = lesson.steps[0]
    folder = next(page.folder for page in PAGES if page.address == first.link.partition("?")[0].strip("/"))
    link = dict(parse_qsl(first.link.partition("?")[2], keep_blank_values=True))
    with speaking(SOURCE):
        names = lesson.title, shelf().lessons[lesson.name].title
    place = Place(folder, link | {LESSON.name: f"{lesson.name}.{first.name}"})
    return Entry(tuple(dict.fromkeys(names)), "lesson", place)


def _options(page: PageEntry, setting: Choice) -> Iterator[Entry]:
    """Yield the entry of each option of a choice of tabs or views, or with a kind."""
    kind = "tab" if isinstance(setting, Tabs) else setting.kind or ("view" if setting.views else "")
    if not kind:
        return
    under = {"tab": setting.tab} if setting.tab else {}
    for option in setting.options:
        own = {} if option == setting.default else {setting.name: option}
        names = label_of(setting, option), option
        yield Entry(tuple(dict.fromkeys(names)), f"{kind}, {page.title}", Place(page.folder, own | under))


@cached()
def listing() -> str:
    """Return all entries as JSON for the browser: names, kind, address, further words."""
    sources = {term.name: f"{term.source}; {term.code}" for term in general() if term.source or term.code}
    words = WORDS | {name: words for name, (_link, words) in TEACH.items()}
    every: list[Any] = []
    for entry in all_entries():
        own = (words.pop(name) for name in entry.names if name in words)
        details = f"{next(own, '')}; {sources.get(entry.names[0], '')}"
        more = [each for each in details.split("; ") if each]
        every.append([_in_both(entry), _kind(entry.kind), entry.place.address, more])
    return json.dumps(every, ensure_ascii=False, separators=(",", ":"))


def _in_both(entry: Entry) -> list[str]:
    """Return names in the current language, and then in English where that differs."""
    labels = names(*entry.names) if entry.kind == "term" else map(_, entry.names)
    return list(dict.fromkeys([*labels, *entry.names]))


def _kind(kind: str) -> str:
    """Return a kind in the current language: "term", or "tab, Single head"."""
    what, comma, page = kind.partition(", ")
    return _("{kind}, {page}", kind=_(what), page=_(page)) if comma else _(kind)


@cache
def module() -> str:
    """Return the script that searches."""
    return join_scripts(_HERE / "search.js")


@cached()
def _field() -> str:
    # The list has no version in its address: that would need every page's settings whenever one opens.
    return _FIELD.format(
        module=f".{PLOTLY_ROUTE}/search.js?v={content_hash(module())}",
        list=f".{PLOTLY_ROUTE}/search.json{language.language_query()}",
        app=markup.APP,
        label=_("Find a page, a view or a term"),
        placeholder=_("Find a term, a view …"),
    )


def show() -> None:
    """Put the field into the page's head; a page that is shown inside another has none."""
    if not st.context.is_embedded:
        st.html(_field(), width="content")
