"""The numbers on screen: every measure of every head."""

from collections.abc import Mapping, Sequence

import torch

from attn_core.toys import MEASURES
from attn_ui.base.markdown import capital
from attn_ui.base.page import Columns
from attn_words import N_, _
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Now
from pages.learned_heads.evicted import Evicted
from pages.learned_heads.found import Found
from pages.learned_heads.long_text import LongText
from pages.learned_heads.state import Heads
from pages.learned_heads.text_flow import TextFlow
from pages.learned_heads.whole import SPECIAL, Whole


def tables(now: Found) -> Mapping[str, Columns]:
    """Return the numbers by what they are: a row a head, a pair of tokens, or a budget."""
    if now is None:
        return {}
    if isinstance(now, TextFlow):
        return {"flow": of_flow(now)}
    if isinstance(now, HeadClouds):
        return {"points": of_points(now), "pairs": of_pairs(now)}
    if isinstance(now, Evicted):
        return {"eviction": of_eviction(now)}
    if isinstance(now, LongText):
        return {"heads": of_long(now)}
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


def of_long(now: LongText) -> Columns:
    """Return the mean weights of the heads of one layer, as they stand in it."""
    shares = now.looks.shares
    return {
        "Head": [now.number(head) for head in range(now.model.n_head)],
        **{column(name): list(given) for name, given in shares.items()},
    }


def column(measure: str) -> str:
    """Return the title of a measure of a whole model, above its column."""
    return f"On {measure}" if measure == SPECIAL else capital(measure)


def of_flow(flow: TextFlow) -> Columns:
    """Return the maps of the layer on screen, a row a pair of tokens."""
    at, tokens = flow.at, flow.tokens
    found: dict[str, Sequence[object]] = {
        "Query": [query for query in tokens for _key in tokens],
        "Key": [*tokens] * len(tokens),
        "weight": flow.drawn[at].flatten().tolist(),
        N_("rollout"): flow.rollout[at].flatten().tolist(),
    }
    if flow.norms is not None:
        found[N_("length of what is written")] = flow.norms[at].flatten().tolist()
    return found


def of_points(now: HeadClouds) -> Columns:
    """Return where each query and each key stands, a row each."""
    both = torch.cat([now.plane.queries, now.plane.keys])
    n = len(now.tokens)
    return {
        N_("vector"): [*[_("query")] * n, *[_("key")] * n],
        N_("word"): [*now.labels] * 2,
        N_("place"): [*range(1, n + 1)] * 2,
        N_("first coordinate"): both[:, 0].tolist(),
        N_("second coordinate"): both[:, 1].tolist(),
    }


def of_pairs(now: HeadClouds) -> Columns:
    """Return weight, scaled score and distance of each pair."""
    n = len(now.tokens)
    return {
        "Query": [query for query in now.labels for _key in range(n)],
        "Key": [*now.labels] * n,
        "weight": now.weights.flatten().tolist(),
        N_("scaled score"): (now.scale * now.query @ now.key.mT).flatten().tolist(),
        N_("may attend"): now.mask.flatten().tolist(),
        N_("distance in the plane"): now.distances.flatten().tolist(),
    }


def of_eviction(found: Evicted) -> Columns:
    """Return the mean error of the heads by each policy, and of each head by the present one, by budget."""
    heads = range(found.now.n_head)
    return {
        N_("Budget"): list(range(1, found.n + 1)),
        **{policy: errors.tolist() for policy, errors in found.means.items()},
        **{found.now.head(head): found.run.errors[:, head].tolist() for head in heads},
    }
