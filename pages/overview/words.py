"""The captions and notes of the overview."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_ui.base.markdown import coloured
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _

INVITATION = N_("Point at another word, or move the slider.")
SOURCE = N_(
    "One of the 72 heads, each with such a map, of a trained language model (all-MiniLM-L6-v2, layer 4, "
    "head 2): what it does was learned, not programmed. Each word takes its weighted sum on to the next "
    "layer; after the last one, a chatbot's model predicts the next word. [CLS] and [SEP] begin and end "
    "every text. A row has to sum to 1, so a word with nothing to look for rests on [CLS]: here {count} of "
    "the {words} words."
)
MARKS = ("[CLS]", "[SEP]")


def source(words: Sequence[str], weights: NDArray[np.float64]) -> str:
    """Return the note on the head, with how many words give most weight to the mark that begins the text.

    >>> source(["[CLS]", "a", "b", "[SEP]"], np.eye(4)[[0, 0, 2, 3]])[-38:]
    'rests on [CLS]: here 1 of the 2 words.'
    """
    rows = [row for row, word in enumerate(words) if word not in MARKS]
    resting = sum(words[int(weights[row].argmax())] == MARKS[0] for row in rows)
    return _(SOURCE, count=resting, words=len(rows))


def word_caption(words: Sequence[str], weights: NDArray[np.float64], row: int) -> str:
    """Say which token has most of a word's weight, and which of all other words has most.

    Args:
        words: names of the tokens; weights: (n, n); row: the index of the query word.
    """
    first = int(np.argmax(weights[row]))
    others = [key for key in range(len(words)) if words[key] not in MARKS and key not in (first, row)]
    second = max(others, key=weights[row].__getitem__)
    return _(
        "“{query}” takes most from “{key}”: weight {weight}. Next, but for itself, [CLS] and [SEP]: "
        "“{name}”, {other}.",
        query=coloured("query", words[row]),
        key=coloured("key", words[first]),
        weight=f"{weights[row, first]:.2f}",
        name=coloured("key", words[second]),
        other=f"{weights[row, second]:.2f}",
    )


def temperature_caption(temperature: float, spread: tuple[float, float, float], n_key: int) -> str:
    """Return the effective numbers of words at a temperature.

    Args:
        temperature: the slider's value.
        spread: the mean effective number of words of a query: by nearness, by likeness, by both.
        n_key: the number of words.

    >>> temperature_caption(1.0, (3.2, 1.1, 1.4), 6).startswith("At temperature 1.00")
    True
    """
    by_nearness, by_likeness, by_both = (f"{each:.1f}" for each in spread)
    return _(
        "At temperature {temperature} (a kernel of bandwidth {bandwidth}) the effective number of words is "
        "{by_nearness} of {count} by nearness, {by_likeness} by likeness and {by_both} by both.",
        temperature=TEMPERATURE.text(temperature),
        bandwidth=f"{temperature**0.5:.2f}",
        by_nearness=by_nearness,
        by_likeness=by_likeness,
        by_both=by_both,
        count=n_key,
    )
