"""What the pictures of one head show: a read-out of the chosen place, and a warning."""

import numpy as np

from attn_figures.arcs import LEAST
from attn_figures.numbers import as_share, as_weight, number
from attn_figures.ties import largest
from attn_ui.base import set_aside_words
from attn_ui.base.arcs import arcs_said
from attn_ui.base.markdown import coloured, first_of
from attn_ui.base.shared_settings import TEMPERATURE
from attn_ui.base.ties import rounded, tied
from attn_words import _, _n
from pages.single_head.compute import Now


def _query(now: Now) -> str:
    return f"“{coloured('query', now.walk.queries[now.cell[0]])}”"


def _keys(now: Now, *at: int) -> str:
    return first_of([f"“{coloured('key', now.walk.keys[each])}”" for each in at])


def _pair(now: Now) -> dict[str, str]:
    """Return the fields of the chosen query and key."""
    query, key = now.cell
    digits = {
        "q": np.linalg.norm(now.walk.query[query]),
        "k": np.linalg.norm(now.walk.key[key]),
        "score": now.walk.scores[now.cell],
        "scaled": now.walk.scaled[now.cell],
    }
    return {
        "query": _query(now),
        "key": _keys(now, key),
        "weight": as_weight(float(now.walk.weights[now.cell])),
        "factor": now.factor,
        "temperature": TEMPERATURE.text(now.temperature),
        **{name: number(float(value), 6) for name, value in digits.items()},
    }


# ---- read-outs of the chosen place ----


def of_row(now: Now) -> str:
    """Where the chosen query looks, and how widely."""
    walk, row = now.walk, now.cell[0]
    if not walk.mask[row].any():
        return ""
    return _(
        "Query {query}: largest weight {weight} on {key}; effective number of keys {spread} of {count} "
        "(average {mean}).",
        query=_query(now),
        weight=f"{walk.weights[row].max():.3f}",
        key=_keys(now, *largest(walk.weights[row])),
        spread=f"{now.effective[row]:.1f}",
        count=int(walk.mask[row].sum()),
        mean=f"{now.effective[walk.mask.any(axis=1)].mean():.1f}",
    )


def of_vector(now: Now) -> str:
    """How many numbers the chosen query's vector has, and how long it is."""
    vector = (now.walk.query if now.walk.x is None else now.walk.x)[now.cell[0]]
    return _n(
        "Query {query}: {count} number, length {length}.",
        "Query {query}: {count} numbers, length {length}.",
        vector.size,
        query=_query(now),
        length=number(float(np.linalg.norm(vector)), 6),
    )


def of_score(now: Now) -> str:
    """The chosen score, and the lengths of its vectors."""
    return _("Query {query}, key {key}: |q| = {q}, |k| = {k}, score {score}.", **_pair(now))


def of_weight(now: Now) -> str:
    """What becomes of the chosen score."""
    if not now.walk.mask[now.cell]:
        return _(
            "Query {query}, key {key}: score {score} {factor} ÷ {temperature} = {scaled}; masked: weight 0.",
            **_pair(now),
        )
    return _(
        "Query {query}, key {key}: score {score} {factor} ÷ {temperature} = {scaled}; weight {weight}.",
        **_pair(now),
    )


def of_mask(now: Now) -> str:
    """How many pairs the mask leaves, and what becomes of the chosen one."""
    mask = now.walk.mask
    masked = float(now.walk.scaled[now.cell]) if mask[now.cell] else -np.inf
    fields = _pair(now) | {"masked": number(masked, 6), "left": f"{mask.sum():,}", "count": f"{mask.size:,}"}
    return _("Query {query}, key {key}: masked score {masked}. Pairs left: {left} of {count}.", **fields)


def of_arcs(now: Now) -> str:
    """What the thickest arcs of the chosen query, or of several together, hold."""
    walk, rows = now.walk, now.walk.group.rows(now.cell[0])
    mean, may = walk.weights[rows].mean(axis=0), np.any(walk.mask[rows], axis=0)
    keys = [_keys(now, key) for key in range(len(walk.keys))]
    return arcs_said([walk.queries[row] for row in rows], keys, mean, may, LEAST, summed=walk.group.summed)


def of_points(now: Now) -> str:
    """What the plane shows of the product of the chosen query with its best key."""
    if now.walk.points is None:
        return ""
    seen, row = now.walk.points(), now.cell[0]
    best = largest(now.walk.weights[row])[0]
    return _(
        "Query {query}, key {key}: q · k = {whole}, of which the plane shows {shown}. Keys that have another "
        "rank there: {moved}. Squared length kept: {share} of queries and keys, {values} of the values.",
        query=_query(now),
        key=_keys(now, best),
        whole=number(float(seen.plane.products[row, best]), 6),
        shown=number(float(seen.plane.shown[row, best]), 6),
        moved=int(seen.moved[row]),
        share=_share(float(seen.plane.explained.sum())),
        values=_share(float(seen.kept.sum())),
    )


def _share(share: float) -> str:
    """Write a share of squared length; of vectors that are all zero there is none."""
    return "–" if np.isnan(share) else as_share(share, 1)


def of_lookup(now: Now) -> str:
    """Which key the chosen query looks up, what softmax gives it, and how far the outputs are apart."""
    walk, row = now.walk, now.cell[0]
    if walk.lookup is None or not walk.mask[row].any():
        return ""
    best: list[int] = np.flatnonzero(walk.lookup.weights[row]).tolist()
    return _(
        "Query {query}: best scaled score {score}, with {key}; softmax at T = {temperature} gives it "
        "{weight}; the two outputs are {apart} apart (over all queries at most {most}).",
        query=_query(now),
        score=number(float(walk.scaled[row, best[0]]), 6),
        key=_keys(now, *best),
        temperature=TEMPERATURE.text(now.temperature),
        weight=as_weight(float(walk.weights[row, best[0]])),
        apart=number(rounded(float(walk.lookup.apart[row])), 3),
        most=number(rounded(float(walk.lookup.apart.max())), 3),
    )


def of_kept(now: Now) -> str:
    """What is kept of the weights."""
    return set_aside_words.kept(now.walk, now.aside, number)


def of_without(now: Now) -> str:
    """Who changes most without the word."""
    return set_aside_words.without(now.walk, number)


# ---- warnings ----


def warning(now: Now, *, of_largest: bool) -> str:
    """Say which queries have nothing to attend to; else with how many others the largest weight is tied."""
    if empty := np.flatnonzero(~now.walk.mask.any(axis=1)).tolist():
        return _n(
            "{count} query has every key masked, {queries}: its weights and output are zero.",
            "{count} queries have every key masked, {queries}: their weights and outputs are zero.",
            len(empty),
            queries=first_of([f"“{coloured('query', now.walk.queries[row])}”" for row in empty]),
        )
    return tied(len(largest(now.walk.weights[now.cell[0]])) - 1) if of_largest else ""
