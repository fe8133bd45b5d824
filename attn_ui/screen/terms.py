"""Explanations of words and letters on a page: one line at its end, and the data for the browser.

The line unfolds to small buttons, one for each term and letter at the figure. Its script is loaded once the
figure is drawn; it marks the same words in prose, finds those of the open tab, and explains each by hover,
tap and keyboard. It never changes the text itself.
"""

import html
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from attn_live.bundle import content_hash, join_scripts
from attn_ui.base import latex
from attn_ui.base.term import Term
from attn_ui.base.terms import BEFORE, NOT_AFTER, all_terms, compounds, forms, names
from attn_ui.screen import language
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_ui.streamlit_inside import markup
from attn_words import SOURCE, _, cached
from attn_words import language as current_language

_LINE = (
    '<details class="terms-here" data-module="{module}" data-list="{list}" data-app="{app}" data-on="{on}" '
    'data-here="{here}"><summary>{summary}</summary><div></div></details>'
)


def show(terms: Sequence[Term], letters: str) -> None:
    """Show the line of these terms at the end of the page; see `attn_ui.base.page.Page.letters`."""
    st.html(
        _LINE.format(
            module=f".{PLOTLY_ROUTE}/terms.js?v={content_hash(module())}",
            list=f".{PLOTLY_ROUTE}/terms.json{language.language_query()}",
            app=markup.APP,
            on=html.escape(letters),
            here=html.escape("|".join(term.key for term in terms)),
            summary=_("Words and symbols here"),
        )
    )


@cached()
def listing() -> str:
    """Return every term as JSON for the browser, and the symbols to which a subscript belongs."""
    content: dict[str, Any] = {"terms": [_entry(term) for term in all_terms()], "named": sorted(compounds())}
    if current_language() != SOURCE:
        content["beside"] = [BEFORE, NOT_AFTER]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _entry(term: Term) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "key": term.key,
        "name": (name := names(term.name)[0]),
        "english": term.name if term.name.casefold() != name.casefold() else "",
        "says": latex.text_spans(_(term.definition)),
        "paper": latex.inline_spans(term.paper),
        "ours": [span for symbol in term.symbols for span in (*latex.inline_spans(symbol), (", ", ""))][:-1],
        "code": term.codes,
        "see": [term.place.name, term.place.address],
        "forms": [] if ":" in term.on else forms(term),
        "symbols": [latex.key(symbol) for symbol in term.symbols],
        "on": term.on,
    }
    return {name: value for name, value in entry.items() if value}


@cache
def module() -> str:
    """Return the script that shows the explanations."""
    script = join_scripts(Path(__file__).parent / "terms.js")
    names = {"{prose}": markup.TEXT, "{main}": markup.MAIN, "{state}": markup.STATE}
    for placed, name in names.items():
        script = script.replace(placed, name)
    return script
