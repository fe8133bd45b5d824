"""The view of one sentence in a trained head: a chosen word, and the words that it attends to."""

from dataclasses import replace

from attn_figures import opening
from attn_figures.scene import Scene
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.scenes import shared_scene
from attn_words import _
from pages.overview.sentences import SENTENCES, Sentence
from pages.overview.settings import SENTENCE, WORD
from pages.overview.words import INVITATION, source, word_caption


def read_controls(_controls: Controls) -> None:
    """Return None: the page has no state, as the sentence is chosen under the picture."""


def view(controls: Controls, _state: None) -> View[Sentence]:
    """Show which words each word of the sentence attends to."""
    with controls.under_picture(), controls.row():
        controls.part("pages.overview.next_steps", None)
        text = controls.choose(SENTENCE, _("Sentence"), label_visibility="collapsed", width=440)
    sentence = SENTENCES[text]
    values = tuple(range(-sentence.opens, len(sentence.tokens) - sentence.opens))
    figure = Figure(
        _draw(text),
        key="opening",
        name="which words a word draws on",
        rows=Slider(_("Word"), replace(WORD, values=values), sentence.tokens),
        invites=_(INVITATION),
    )
    return View(
        sentence, figure, notes=[Small(source(sentence.tokens, sentence.weights))], below="story_and_pages"
    )


@shared_scene
def _draw(text: str) -> Scene:
    """Draw a sentence, with a caption for each of its words."""
    sentence = SENTENCES[text]
    picture = opening.opening(sentence.tokens, sentence.weights, 0)
    cursor = Cursor(len(sentence.tokens), opening.follow(sentence.tokens, sentence.weights))
    captions = [word_caption(sentence.tokens, sentence.weights, row) for row in range(len(sentence.tokens))]
    return Scene([picture], cursor, captions=[captions])
