"""The numbers on screen as tables, for each kind of result."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from attn_core.toys import MEASURES
from attn_ui.base.markdown import capital
from attn_ui.base.page import Columns
from attn_words import N_, _
from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import HeadEviction
from pages.learned_heads.long_text import LongText
from pages.learned_heads.next_token import NextResult
from pages.learned_heads.ranked_heads import SPECIAL, RankedHeads
from pages.learned_heads.results import AnyResult
from pages.learned_heads.state import Heads
from pages.learned_heads.two_texts import TwoTexts


def tables(result: AnyResult) -> Mapping[str, Columns]:
    """Return the tables by name, with one row per head, token, pair of tokens, or budget."""
    return {} if result is None else {name: make(result) for name, make in _TABLES[type(result)].items()}


def toy_table(result: Result) -> Columns:
    """Return the measures on held-out sequences, and accuracy and loss without each head."""
    gone = result.run.ablation
    return {
        "Head": [result.head(head) for head in range(result.n_head)],
        **{name: result.evaluation.measures[name].tolist() for name in MEASURES},
        N_("right without it"): gone.accuracy[result.at].tolist(),
        N_("loss without it"): gone.loss[result.at].tolist(),
    }


def whole_table(ranked: RankedHeads) -> Columns:
    """Return the measures of the true weights, in the order of the slider."""
    scores = ranked.all_scores
    return {
        "Head": [ranked.model.number(head) for head in ranked.order],
        **{column(name): [scores[name][head] for head in ranked.order] for name in ranked.measures},
    }


def long_table(result: LongText) -> Columns:
    """Return the mean weights of the heads of one layer, in the model's order."""
    shares = result.summary.shares
    return {
        "Head": [result.number(head) for head in range(result.model.n_head)],
        **{column(name): list(values) for name, values in shares.items()},
    }


def pair_table(result: TwoTexts) -> Columns:
    """Return each head's change, largest mean first: the mean over rows, and the chosen query's row."""
    shared = result.pair.alignment.shared
    columns: dict[str, Sequence[object]] = {
        "Head": [result.number(head) for head in result.order],
        N_("mean over the words of both"): result.means[result.order].tolist(),
    }
    if result.row in shared:
        at = shared.index(result.row)
        columns[N_("the chosen query")] = result.pair.changes[result.order, at].tolist()
    return columns


def weights_table(result: TwoTexts) -> Columns:
    """Return the chosen head's weights on both texts, one row per pair of tokens that both have."""
    shared, labels = result.pair.alignment.shared, result.labels
    first, second = (
        each[shared][:, shared].flatten().tolist() for each in result.pair.weights[:, result.head]
    )
    return {
        "Query": [labels[query] for query in shared for _key in shared],
        "Key": [labels[key] for key in shared] * len(shared),
        "A": first,
        "B": second,
        "B − A": [after - before for before, after in zip(first, second, strict=True)],
    }


def next_table(result: NextResult) -> Columns:
    """Return the likeliest tokens, their logits and probabilities, and whether top-k and top-p keep them."""
    chances, survivors = result.at(result.temperature)
    return {
        N_("token"): [result.name(token) for token in result.order],
        N_("logit"): result.next_token.logits[result.order].tolist(),
        N_("probability"): chances[result.order].tolist(),
        N_("left by top-k and top-p"): survivors[result.order].tolist(),
    }


def parts_table(result: NextResult) -> Columns:
    """Return the parts of the likeliest token's logit: each head's and the others."""
    heads, rest = result.next_token.heads, result.next_token.rest
    parts = (
        {}
        if heads is None
        else {
            f"{layer + 1}.{head + 1}": value
            for layer, line in enumerate(heads.tolist())
            for head, value in enumerate(line)
        }
    )
    parts |= {_(name): value for name, value in rest.items()}
    return {N_("part"): [*parts], N_("adds"): [*parts.values()]}


def column(measure: str) -> str:
    """Return the title of the column that shows a measure of a whole model."""
    return f"On {measure}" if measure == SPECIAL else capital(measure)


def flow_table(flow: AttentionFlow) -> Columns:
    """Return the weights, rollout and lengths of the layer on screen, one row per pair of tokens."""
    at, tokens = flow.at, flow.tokens
    columns: dict[str, Sequence[object]] = {
        "Query": [query for query in tokens for _key in tokens],
        "Key": [*tokens] * len(tokens),
        "weight": flow.layer_weights[at].flatten().tolist(),
        N_("rollout"): flow.rollout[at].flatten().tolist(),
    }
    if flow.norms is not None:
        columns[N_("length of what is written")] = flow.norms[at].flatten().tolist()
    return columns


def points_table(result: HeadClouds) -> Columns:
    """Return the coordinates of each query and key in the plane, a row each."""
    points = torch.cat([result.plane.queries, result.plane.keys])
    n = len(result.tokens)
    return {
        N_("vector"): [*[_("query")] * n, *[_("key")] * n],
        N_("word"): [*result.labels] * 2,
        N_("place"): [*range(1, n + 1)] * 2,
        N_("first coordinate"): points[:, 0].tolist(),
        N_("second coordinate"): points[:, 1].tolist(),
    }


def pairs_table(result: HeadClouds) -> Columns:
    """Return the weight, scaled score and distance of each pair of query and key."""
    n = len(result.tokens)
    return {
        "Query": [query for query in result.labels for _key in range(n)],
        "Key": [*result.labels] * n,
        "weight": result.weights.flatten().tolist(),
        N_("scaled score"): (result.scale * result.query @ result.key.mT).flatten().tolist(),
        N_("may attend"): result.mask.flatten().tolist(),
        N_("distance in the plane"): result.distances.flatten().tolist(),
    }


def eviction_table(result: HeadEviction) -> Columns:
    """Return errors by budget: the heads' mean by each policy, and each head's by the chosen policy."""
    heads = range(result.result.n_head)
    return {
        N_("Budget"): list(range(1, result.n + 1)),
        **{policy: errors.tolist() for policy, errors in result.means.items()},
        **{result.result.head(head): result.run.errors[:, head].tolist() for head in heads},
    }


_TABLES: Mapping[type, Mapping[str, Callable[[Any], Columns]]] = {
    Result: {"heads": toy_table},
    Heads: {"heads": lambda heads: whole_table(heads.ranked)},
    LongText: {"heads": long_table},
    TwoTexts: {"heads": pair_table, "pairs": weights_table},
    NextResult: {"next": next_table, "heads": parts_table},
    AttentionFlow: {"flow": flow_table},
    HeadClouds: {"points": points_table, "pairs": pairs_table},
    HeadEviction: {"eviction": eviction_table},
}
