"""What the pictures of one head show, in sentences and formulas: numbers in, words out."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from attn_core.scores import DOT
from attn_figures.arcs import LEAST
from attn_figures.matrix import Numbers
from attn_figures.numbers import as_share, as_weight, fixed, number
from attn_figures.points import WHOLE
from attn_figures.ties import TIE
from attn_figures.ties import largest as all_largest
from attn_ui.base import set_aside_words
from attn_ui.base.arcs import arcs_said
from attn_ui.base.markdown import coloured, first_of, listed
from attn_ui.base.planes import names_told, plane_part
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import _, _c, _n, paragraph
from pages.single_head import score_words
from pages.single_head.compute import Now
from pages.single_head.state import Inputs


def _query(now: Now) -> str:
    return _quoted("query", now.walk.queries[now.cell[0]])


def _key(now: Now) -> str:
    return _quoted("key", now.walk.keys[now.cell[1]])


def _quoted(role: Literal["query", "key"], token: str) -> str:
    """Quote a token, so that one that is a word of the sentence itself, such as "the", is seen as a token."""
    return f"“{coloured(role, token)}”"


def _digits(value: float) -> str:
    return number(value, 6)


# ---- one sentence a stage ----


def all_at_once(now: Now) -> str:
    """Say where the chosen query looks, how widely, and why."""
    return paragraph(_where(now), _length(now), score_words.beside_dot(now), _untrained(now.inputs))


def _where(now: Now) -> str:
    walk, row, query = now.walk, now.cell[0], _query(now)
    sees: list[int] = np.flatnonzero(walk.mask[row]).tolist()
    if not sees:
        return _("{query} may attend to nothing.", query=query)
    if len(sees) == 1:
        alone = _quoted("key", walk.keys[sees[0]])
        return _("{query} may attend to {key} alone, so {key} gets all its weight.", query=query, key=alone)
    weights = walk.weights[row]
    top = [key for key in sees if weights[key] >= weights[sees].max() - TIE]
    largest = f"{weights[top[0]]:.3f}"
    if len(top) == len(sees):
        return _(
            "{query} gives each of the {count} keys that it may see the same weight, {weight}.",
            query=query,
            count=len(sees),
            weight=largest,
        )
    keys = _first_three(now, top)
    if len(top) == 1:
        said = _(
            "{query} gives its largest weight, {weight}, to {key}.", query=query, weight=largest, key=keys
        )
    else:
        said = _(
            "{query} gives its largest weight, {weight} each, to {keys}.",
            query=query,
            weight=largest,
            keys=keys,
        )
    return paragraph(said, _spread(now, len(sees)))


def _first_three(now: Now, keys: Sequence[int]) -> str:
    """List keys; of many the first, and how many more there are."""
    return first_of([_quoted("key", now.walk.keys[key]) for key in keys])


def _spread(now: Now, n_seen: int) -> str:
    """Say how widely the chosen query looks, which sees so many keys."""
    rows = now.walk.mask.any(axis=1)
    return _(
        "Effective number of keys: {spread} of {count} that it may see (average over all queries: {mean}).",
        spread=f"{now.effective[now.cell[0]]:.1f}",
        count=n_seen,
        mean=f"{now.effective[rows].mean():.1f}",
    )


def _length(now: Now) -> str:
    """Say what length alone does, where that is the story: the ramp makes later vectors longer."""
    if now.scoring.score != DOT or not (now.inputs.example == "I love dogs" and now.inputs.ramp):
        return ""
    if now.unit_weights is None:
        return _("All vectors have length 1, so no key wins by length alone.")
    walk, row = now.walk, now.cell[0]
    longest = all_largest(np.linalg.norm(walk.key, axis=1))[0]
    name = _quoted("key", walk.keys[longest])
    if not walk.mask[row, longest]:
        return _(
            "{key} is the longest vector, and dot products grow with length, not with meaning; but {query} "
            "may not attend to it.",
            key=name,
            query=_query(now),
        )
    return _(
        "{key} is the longest vector, and dot products grow with length, not with meaning: its weight here "
        "is {weight}, and with all rows normalised to length 1 it is {unit_weight}.",
        key=name,
        weight=f"{walk.weights[row, longest]:.3f}",
        unit_weight=f"{now.unit_weights[row, longest]:.3f}",
    )


def diagram(now: Now) -> str:
    """Follow the chosen pair through the boxes."""
    walk, cell = now.walk, now.cell
    is_dot = now.scoring.score == DOT
    fields = {
        "query": _query(now),
        "key": _key(now),
        "score": _digits(float(walk.scores[cell])),
        "scaled": _digits(float(walk.scaled[cell])),
    }
    if not walk.mask[cell]:
        said = (
            _(
                "{query} with {key}: the first MatMul gives {score}, Scale makes it {scaled}, the mask hides "
                "it, and its weight is 0.",
                **fields,
            )
            if is_dot
            else _(
                "{query} with {key}: the score is {score}, Scale makes it {scaled}, the mask hides it, and "
                "its weight is 0.",
                **fields,
            )
        )
    else:
        said = (
            _(
                "{query} with {key}: the first MatMul gives {score}, Scale makes it {scaled}, and SoftMax "
                "gives it the weight {weight}.",
                weight=f"{walk.weights[cell]:.3f}",
                **fields,
            )
            if is_dot
            else _(
                "{query} with {key}: the score is {score}, Scale makes it {scaled}, and SoftMax gives it the "
                "weight {weight}.",
                weight=f"{walk.weights[cell]:.3f}",
                **fields,
            )
        )
    return said


def _untrained(inputs: Inputs) -> str:
    if inputs.weights and inputs.qkv == "projected":
        names = [name for name, _rows in inputs.weights]
        if not inputs.is_drawn:
            return _("{names} are as set by hand.", names=listed(names))
        if len(names) == (6 if inputs.bias else 3):
            return _("{names} are as set by hand; the vectors come from a seed.", names=listed(names))
        return _n(
            "{names} is as set by hand; the other numbers come from a seed.",
            "{names} are as set by hand; the other numbers come from a seed.",
            len(names),
            names=listed(names),
        )
    if not inputs.is_drawn:
        return ""
    return _("The numbers are random, drawn from a seed and not trained: this map knows no grammar.")


def sources(now: Now) -> str:
    """Say what a row of X is, and whether it tells where its token stands."""
    query, key, x = _query(now), _key(now), now.walk.x
    if x is None:
        return _(
            "Q, K and V as they were typed, one row a query or a key. Framed: {query} in Q, {key} in K and "
            "V.",
            query=query,
            key=key,
        )
    if now.head.is_cross:
        said = _n(
            "One row a token, its embedding, {count} number each: framed are {query} in X and {key} in Y.",
            "One row a token, its embedding, {count} numbers each: framed are {query} in X and {key} in Y.",
            x.shape[1],
            query=query,
            key=key,
        )
    else:
        said = _n(
            "One row a token, its embedding, {count} number each: {query} is the framed one.",
            "One row a token, its embedding, {count} numbers each: {query} is the framed one.",
            x.shape[1],
            query=query,
        )
    return paragraph(said, _added(now.inputs, x))


def _added(inputs: Inputs, x: Numbers) -> str:
    """Say what made equal tokens differ, or that they do not."""
    from_words = inputs.is_own and inputs.vectors != "typed"  # a token's vector follows from the token alone
    if not inputs.ramp:
        return _("Equal tokens have equal rows, wherever they stand.") if from_words else ""
    if inputs.unit_rows and x.any(axis=1).all():
        return _("The ramp added p/2 to every number of position p; then every row was brought to length 1.")
    if inputs.unit_rows:
        return _(
            "The ramp added p/2 to every number of position p; then every row was brought to length 1, but "
            "for those of zeros, which have no direction."
        )
    if from_words:
        return _(
            "The ramp added p/2 to every number of position p, so a token that comes twice has two different "
            "rows."
        )
    return _("The ramp added p/2 to every number of position p.")


def projected(now: Now) -> str:
    """Say what a row of each is for."""
    return _(
        "The framed rows: Q holds what {query} asks for, K what {key} is found by, and V what {key} passes "
        "on.",
        query=_query(now),
        key=_key(now),
    )


def dot_products(now: Now) -> str:
    """Say how the chosen score comes about."""
    if now.scoring.score != DOT:
        return paragraph(
            _(
                "The score of {query} with {key} is {score}.",
                query=_query(now),
                key=_key(now),
                score=_digits(float(now.walk.scores[now.cell])),
            ),
            _(score_words.EXPLAINS[now.scoring.score]),
        )
    return _(
        "Row {query} of Q times column {key} of Kᵀ, number by number, added up: {score}.",
        query=_query(now),
        key=_key(now),
        score=_digits(float(now.walk.scores[now.cell])),
    )


def scaling(now: Now) -> str:
    """Say what scaling made of the chosen score, and what it is for."""
    said = _(
        "{score} {factor} ÷ {temperature} = {scaled}.",
        score=_digits(float(now.walk.scores[now.cell])),
        factor=now.factor,
        temperature=TEMPERATURE.text(now.temperature),
        scaled=_digits(float(now.walk.scaled[now.cell])),
    )
    if own := score_words.scaling(now) if now.scoring.score != DOT else "":
        return paragraph(said, own)
    d_k = now.head.d_k
    if d_k == 1:
        single = _("A dot product of width 1 is a single product, and √1 = 1: there is nothing to undo.")
        return paragraph(said, single)
    wide = _("A sum of {d_k} products varies about √{d_k} times as much as one product.", d_k=d_k)
    if now.scoring.scale == "none":
        undone = _("Nothing undoes that here.")
    elif now.scoring.scale == "free":
        undone = _("Dividing by √{d_k} would be a factor of {factor}.", d_k=d_k, factor=f"{1 / d_k**0.5:.3g}")
    else:
        undone = _("Dividing by √{d_k} undoes that.", d_k=d_k)
    return paragraph(said, wide, undone)


def masking(now: Now) -> str:
    """Say how many pairs the mask leaves, and what becomes of the chosen one."""
    mask, kind = now.walk.mask, now.scoring.masking.kind
    if mask.all():
        return paragraph(
            _("Nothing is masked: every query may attend to every key."), _why_nothing_is_masked(kind)
        )
    if mask.sum() == 1:
        left = _("The mask adds −∞ to the hatched cells, before the softmax: 1 pair is left.")
    else:
        left = _n(
            "The mask adds −∞ to the hatched cells, before the softmax: {left} of {count} pair are left.",
            "The mask adds −∞ to the hatched cells, before the softmax: {left} of {count} pairs are left.",
            mask.size,
            count=f"{mask.size:,}",
            left=f"{mask.sum():,}",
        )
    if mask[now.cell]:
        chosen = _("{query} may attend to {key}.", query=_query(now), key=_key(now))
    else:
        chosen = _("{query} may not attend to {key}.", query=_query(now), key=_key(now))
    is_causal = kind == "prefix" and now.width <= 1 and mask.shape[0] <= mask.shape[1]
    same = _("A prefix of 0 or 1 is the causal mask: all may see the first place anyway.")
    return paragraph(left, chosen, same if is_causal else "")


def _why_nothing_is_masked(kind: str) -> str:
    if kind == "none":
        return _("Choose a mask in the sidebar.")
    if kind == "own":
        return _("The own mask blocks none of these cells yet.")
    # As `shown` has it; the settings read this module.
    return _("The {mask} mask blocks none of these cells here.", mask=_c("mask", kind))


def softmax(now: Now) -> str:
    """Say what the softmax gave the chosen pair."""
    walk, query, key = now.walk, _query(now), _key(now)
    if walk.mask[now.cell]:
        return _(
            "Each row is exponentiated and divided by its sum, so it adds up to one: {query} gives {key} "
            "{weight}.",
            query=query,
            key=key,
            weight=as_weight(float(walk.weights[now.cell])),
        )
    sees = int(walk.mask[now.cell[0]].sum())
    if not sees:
        return _("{query} may not attend to {key}: its weight is 0.", query=query, key=key)
    return _n(
        "{query} may not attend to {key}: its weight is 0, and one other key takes the row.",
        "{query} may not attend to {key}: its weight is 0, and {count} other keys share the row.",
        sees,
        query=query,
        key=key,
    )


def arcs(now: Now) -> str:
    """Say what the chosen query's thickest arcs hold, and what has none."""
    walk, rows = now.walk, now.walk.group.rows(now.cell[0])
    keys = [_quoted("key", key) for key in walk.keys]
    mean, may = walk.weights[rows].mean(axis=0), np.any(walk.mask[rows], axis=0)
    queries = [walk.queries[row] for row in rows]
    return arcs_said(queries, keys, mean, may, LEAST, summed=walk.group.summed)


def points(now: Now) -> str:
    """Say what the plane keeps, which key is nearest in direction, and which keys change rank."""
    walk, row = now.walk, now.cell[0]
    if walk.points is None:
        return ""
    seen = walk.points()
    plane = seen.plane
    kept = _planes_keep(float(plane.explained.sum()), float(seen.kept.sum()))
    if plane.dimensions is not None:
        first, second = (each + 1 for each in plane.dimensions)
        of = _("Queries and keys are seen in dimensions {first} and {second}.", first=first, second=second)
        kept = paragraph(of, kept)
    some = names_told(WHOLE, walk.keys)
    if not walk.mask[row].any():
        nothing = _("{query} may attend to nothing: its output is zero.", query=_query(now))
        return paragraph(kept, nothing, some)
    part = plane_part(
        plane.products[row],
        plane.shown[row],
        all_largest(walk.weights[row])[0],
        query=_query(now),
        key=lambda key: _quoted("key", walk.keys[key]),
        digits=_digits,
    )
    query, lengths = walk.query[row], np.linalg.norm(walk.key, axis=1)
    length = float(np.linalg.norm(query))
    if length == 0 or not lengths.all():
        nearest = ""
    else:
        cosines = walk.key @ query / (lengths * length)
        # The same word again has the same key.
        best = all_largest(cosines)
        told = {"query": _query(now), "cosine": fixed(float(cosines[best[0]]), 3)}
        if cosines[best[0]] <= TIE - 1:
            nearest = _("Every key points straight away from {query}: their cosine is {cosine}.", **told)
        else:
            nearest = _n(
                "Of all keys, {key} is nearest to {query} in direction: their cosine is {cosine}.",
                "Of all keys, {key} are nearest to {query} in direction: their cosine is {cosine}.",
                len(best),
                key=first_of([_quoted("key", walk.keys[key]) for key in best]),
                **told,
            )
    moved = _n(
        "{count} key has another rank by the score in the plane than by its score.",
        "{count} keys have another rank by the score in the plane than by their score.",
        int(seen.moved[row]),
    )
    ordered = _("The plane keeps the order of its scores.")
    if now.scoring.score != DOT:
        other = _(
            "Lines are of equal dot products; what scores here is another: {score}.", score=walk.score_title
        )
        return paragraph(kept, part, nearest, other, some)
    order = moved if seen.moved[row] else ordered
    return paragraph(kept, part, nearest, order, some)


def _planes_keep(share: float, values: float) -> str:
    """Say what the planes keep; a share is NaN where all vectors are zero."""
    told = {"share": as_share(share, 1), "values": as_share(values, 1)}
    if np.isnan(share) and np.isnan(values):
        return _("Queries, keys and values are all zero.")
    if np.isnan(share):
        return _(
            "Queries and keys are all zero; the plane of the values keeps {values} of their squared length.",
            **told,
        )
    if np.isnan(values):
        return _(
            "The plane keeps {share} of the squared length of queries and keys; the values are all zero.",
            **told,
        )
    return _(
        "The plane keeps {share} of the squared length of queries and keys, that of the values {values}.",
        **told,
    )


def mixing(now: Now) -> str:
    """Say what the chosen key gives to the chosen query's output."""
    return _(
        "Row {query} of the output is the sum of all values, each times its weight. {key} adds its value "
        "times {weight}.",
        query=_query(now),
        key=_key(now),
        weight=as_weight(float(now.walk.weights[now.cell])),
    )


def hard_or_soft(now: Now) -> str:
    """Say which key the chosen query looks up, what softmax gives it, and how far the outputs are apart."""
    walk, row, query = now.walk, now.cell[0], _query(now)
    if walk.lookup is None:
        return ""
    best: list[int] = np.flatnonzero(walk.lookup.weights[row]).tolist()
    if not best:
        return _(
            "{query} may attend to nothing: it looks nothing up, and both outputs are zero.", query=query
        )
    score = _digits(float(walk.scaled[row, best[0]]))
    if len(best) == 1:
        found = _(
            "{query} has its best scaled score, {score}, with {key}: the hard look-up has its value alone.",
            query=query,
            score=score,
            key=_first_three(now, best),
        )
    else:
        tie = _(
            "{query} has its best scaled score, {score}, with {count} keys that tie: {keys}.",
            query=query,
            score=score,
            count=len(best),
            keys=_first_three(now, best),
        )
        must = _(
            "A dictionary would have to return one of their values; as T falls to 0 softmax gives each "
            "{share}, and so does the hard look-up here.",
            share=number(1 / len(best), 3),
        )
        found = paragraph(tie, must)
    others = [key for key in np.flatnonzero(walk.mask[row]).tolist() if key not in best]
    if not others:
        same = _("{query} sees no other key, so both outputs are the same at every T.", query=query)
        return paragraph(found, _softmax_gives(now, best, others), same)
    apart = number(float(walk.lookup.apart[row]), 3)
    meet = _(
        "The two outputs are {apart} apart (over all queries at most {most}); as T falls to 0 they meet.",
        apart=apart,
        most=number(float(walk.lookup.apart.max()), 3),
    )
    return paragraph(found, _softmax_gives(now, best, others), meet)


def _all_but(share: float) -> str:
    """Write a weight with three digits, with more where it would seem to be all."""
    return as_weight(share) if 0.9995 <= share < 1 else number(share, 3)


def _softmax_gives(now: Now, best: Sequence[int], others: Sequence[int]) -> str:
    """Say what softmax gives each of the best keys, and the best of the others that are seen."""
    scaled, first = now.walk.scaled[now.cell[0]], best[0]
    said = _(
        "Softmax at T = {temperature} gives {key} the weight {weight}.",
        temperature=TEMPERATURE.text(now.temperature),
        key=_quoted("key", now.walk.keys[first]),
        weight=_all_but(float(now.walk.weights[now.cell[0], first])),
    )
    if not others:
        return said
    less = number(float(np.exp(scaled[others].max() - scaled[first])), 3)
    return paragraph(said, _("The next best has {less} times as much.", less=less))


def empty_rows(now: Now) -> str:
    """Say which queries have nothing to attend to; "" where all have."""
    count = int((~now.walk.mask.any(axis=1)).sum())
    if not count:
        return ""
    if count == len(now.walk.queries):
        return _(
            "The mask blocks every cell: all weights and outputs are zero, and nothing is divided by zero."
        )
    return _n(
        "One query has every key masked: weights and output are zero there.",
        "{count} queries have every key masked: weights and output are zero there.",
        count,
    )


# ---- one formula a stage, with the present sizes, for st.latex ----


def _sized(name: str, values: Numbers) -> str:
    """Write a matrix's name over its shape; an accent is written as "~S" or "^S"."""
    name = {"~S": r"\tilde S", "^S": r"\hat S", "K^T": r"K^\top"}.get(name, name)
    return rf"\underset{{{values.shape[0]}\times {values.shape[1]}}}{{{name}}}"


def all_at_once_formula(now: Now) -> str:
    """The whole head."""
    over = [r"\sqrt{d_k}"] if now.scoring.scale not in ("none", "free") else []
    over += ["T"] if now.temperature != 1 else []
    inside = rf"\frac{{QK^\top}}{{{' '.join(over)}}}" if over else r"QK^\top"
    if now.scoring.scale == "free":
        inside = rf"{now.scoring.free_scale:g}\,{inside}"
    if not now.walk.mask.all():
        inside += " + M"
    if now.scoring.score != DOT:
        inside, told = inside.replace(r"QK^\top", "S"), rf", \quad {score_words.formula(now)}"
    else:
        told = ""
    return rf"O = \mathrm{{softmax}}\!\left({inside}\right)V{told}"


def points_formula(now: Now) -> str:
    """The plane of queries and keys."""
    if now.along is not None and now.along.dimensions is not None:
        first, second = (dimension + 1 for dimension in now.along.dimensions)
        return rf"q' = (q_{{{first}}},\, q_{{{second}}}), \qquad k' = (k_{{{first}}},\, k_{{{second}}})"
    return r"q' = (q \cdot d_1,\, q \cdot d_2), \qquad k' = (k \cdot d_1,\, k \cdot d_2)"


def sources_formula(now: Now) -> str:
    """What the vectors are."""
    walk = now.walk
    if walk.x is None or walk.memory is None:
        return projected_formula(now)
    given = [("X", "E", walk.x)] + ([("Y", "F", walk.memory)] if now.head.is_cross else [])
    parts = [rf"{name} \in \mathbb{{R}}^{{{x.shape[0]}\times {x.shape[1]}}}" for name, _before, x in given]
    parts += [made for name, before, x in given if (made := _made(now.inputs, name, before, x))]
    return r",\quad ".join(parts)


def _made(inputs: Inputs, name: str, before: str, x: Numbers) -> str:
    """Say how row p of X, counted from 0, comes from the vector of its word; "" where it is that."""
    if not (inputs.ramp or inputs.unit_rows):
        return ""
    row = rf"{before}_p + \frac{{p}}{{2}}" if inputs.ramp else f"{before}_p"
    if not inputs.unit_rows:
        return f"{name}_p = {row}"
    where = _c("formula", "where")
    zero = "" if x.any(axis=1).all() else rf"\ (0 \text{{ {where} }} {row} = 0)"
    return rf"{name}_p = \frac{{{row}}}{{|{row}|}}{zero}"


def projected_formula(now: Now) -> str:
    """Where Q, K and V come from."""
    other = "Y" if now.head.is_cross else "X"
    bias = {letter: f" + b_{letter}" if now.walk.biases is not None else "" for letter in "qkv"}
    sources = {
        "projected": (f"XW_q{bias['q']}", f"{other}W_k{bias['k']}", f"{other}W_v{bias['v']}"),
        "as they are": ("X", other, other),
    }.get(now.inputs.qkv)
    given = [
        _sized(name, values)
        for name, values in zip("QKV", (now.walk.query, now.walk.key, now.walk.value), strict=True)
    ]
    parts = (
        given
        if sources is None
        else [f"{one} = {source}" for one, source in zip(given, sources, strict=True)]
    )
    return r",\quad ".join(parts)


def dot_products_formula(now: Now) -> str:
    """The scores."""
    if now.scoring.score != DOT:
        return f"{_sized('S', now.walk.scores)}: \\quad {score_words.formula(now)}"
    product = rf"{_sized('Q', now.walk.query)}\;{_sized('K^T', now.walk.key.T)}"
    return f"{_sized('S', now.walk.scores)} = {product}"


def scaling_formula(now: Now) -> str:
    """The scaled scores."""
    scale = {"none": "", "free": rf"\,\cdot\,{now.scoring.free_scale:g}"}.get(
        now.scoring.scale, rf"\,/\sqrt{{{now.head.d_k}}}"
    )
    return rf"{_sized('~S', now.walk.scaled)} = S{scale}\,/\,T"


def masking_formula(now: Now) -> str:
    """The mask."""
    return rf"{_sized('^S', now.walk.scaled)} = \tilde S + M,\quad M_{{ij}} \in \{{0, -\infty\}}"


def softmax_formula(now: Now) -> str:
    """The weights."""
    return (
        rf"{_sized('W', now.walk.weights)}:\quad W_{{ij}} = "
        r"\frac{\exp(\hat S_{ij} - \max_l \hat S_{il})}{\sum_l \exp(\hat S_{il} - \max_l \hat S_{il})}"
    )


def mixing_formula(now: Now) -> str:
    """The output."""
    return rf"{_sized('O', now.walk.output)} = {_sized('W', now.walk.weights)}\;{_sized('V', now.walk.value)}"


def hard_or_soft_formula(now: Now) -> str:
    """The look-up of the best keys, and what softmax makes of the same scores."""
    return (
        rf"{_sized('O', now.walk.output)}: \quad "
        r"O^\mathrm{hard}_i = \frac{1}{|J_i|} \sum_{j \in J_i} V_j, "
        r"\quad J_i = \arg\max_j \hat S_{ij}; \quad O_i = \sum_j W_{ij} V_j "
        r"\xrightarrow{\,T \to 0\,} O^\mathrm{hard}_i"
    )


def kept(now: Now) -> str:
    """Say what is kept of the weights."""
    return set_aside_words.kept(now.walk, now.aside, number)


def kept_formula(now: Now) -> str:
    """What is kept, its mass, and the row that sums to one again."""
    return set_aside_words.kept_formula(now.aside)


def without(now: Now) -> str:
    """Say who changes most without the word."""
    return set_aside_words.without(now.walk, number)


def without_formula(_now: Now) -> str:
    """The weights and the output without key l."""
    return set_aside_words.without_formula()
