"""The numbers on screen: every measure of every head."""

from collections.abc import Mapping

from attn_core.toys import MEASURES
from attn_ui.base.page import Columns
from attn_words import N_
from pages.learned_heads.compute import Found, Now
from pages.learned_heads.state import Heads
from pages.learned_heads.whole import SPECIAL, Whole
from pages.learned_heads.words import capital


def tables(now: Found) -> Mapping[str, Columns]:
    """Return the numbers by what they are; a row a head."""
    if now is None:
        return {}
    return {"heads": of_whole(now.whole) if isinstance(now, Heads) else of_toy(now)}


def of_toy(now: Now) -> Columns:
    """Return the measures on held-out sequences, and accuracy and loss without each head."""
    gone = now.run.ablated
    return {
        "Head": [now.head(head) for head in range(now.n_head)],
        **{name: now.judged.measures[name].tolist() for name in MEASURES},
        N_("right without it"): gone.accuracy[now.at].tolist(),
        N_("loss without it"): gone.loss[now.at].tolist(),
    }


def of_whole(whole: Whole) -> Columns:
    """Return the measures of the true weights, in the order of the slider."""
    scores = whole.all_scores
    return {
        "Head": [whole.model.number(head) for head in whole.order],
        **{column(name): [scores[name][head] for head in whole.order] for name in whole.measures},
    }


def column(measure: str) -> str:
    """Return the title of a measure of a whole model, above its column."""
    return f"On {measure}" if measure == SPECIAL else capital(measure)
