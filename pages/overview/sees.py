"""One sentence in a trained head, a word chosen, and what it draws on."""

from dataclasses import replace

from attn_figures import opening
from attn_figures.scene import Scene
from attn_live.packing import Cursor
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Rows, Seen, Small
from attn_ui.base.scenes import shared_scene
from attn_words import _
from pages.overview.sentences import SENTENCES, Sentence
from pages.overview.settings import SENTENCE, WORD
from pages.overview.words import INVITATION, source, what_a_word_draws_on


def asks(_ask: Ask) -> None:
    """Ask for nothing: the sentence is chosen under the picture."""


def sees(ask: Ask, _asked: None) -> Seen[Sentence]:
    """Show what each word of the sentence draws on."""
    with ask.under_picture(), ask.row():
        ask.part("pages.overview.ways_on", None)
        text = ask.choose(SENTENCE, _("Sentence"), label_visibility="collapsed", width=440)
    seen = SENTENCES[text]
    values = tuple(range(-seen.opens, len(seen.tokens) - seen.opens))
    figure = Figure(
        _drawn(text),
        key="opening",
        alt=_(
            "The words of “{sentence}”, arcs from one of them, its row of weights, and the map",
            sentence=text,
        ),
        name="which words a word draws on",
        rows=Rows(_("Word"), replace(WORD, values=values), Cursor(len(values)), seen.tokens),
        invites=_(INVITATION),
    )
    return Seen(seen, figure, notes=[Small(source(seen.tokens, seen.weights))], below="below")


@shared_scene
def _drawn(text: str) -> Scene:
    """Draw a sentence, and say what each of its words draws on."""
    seen = SENTENCES[text]
    picture = opening.opening.spec(seen.tokens, seen.weights, 0)
    cursor = Cursor(len(seen.tokens), opening.follow(seen.tokens, seen.weights))
    says = [what_a_word_draws_on(seen.tokens, seen.weights, row) for row in range(len(seen.tokens))]
    return Scene([picture], cursor, captions=[says])
