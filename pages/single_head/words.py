"""What the pictures of one head show, in sentences and formulas: numbers in, words out."""

from typing import Literal

import numpy as np

from attn_figures.matrix import Numbers
from attn_figures.numbers import number
from attn_ui.base.markdown import coloured, listed
from attn_ui.base.shared_settings import TEMPERATURE
from pages.single_head.compute import Now
from pages.single_head.state import Inputs

_TIE = 1e-9  # weights that differ by less are said to be equal


def _query(now: Now) -> str:
    return _quoted("query", now.walk.queries[now.cell[0]])


def _key(now: Now) -> str:
    return _quoted("key", now.walk.keys[now.cell[1]])


def _quoted(role: Literal["query", "key"], token: str) -> str:
    """Quote a token, so that one that is a word of the sentence itself, such as "the", is seen as a token."""
    return f"“{coloured(role, token)}”"


def _digits(value: float) -> str:
    return number(value, 6)


def _count(number: int, one: str, more: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {more}"


# ---- one sentence a stage ----


def all_at_once(now: Now) -> str:
    """Say where the chosen query looks, how widely, and why."""
    parts = [_where(now), _length(now), _untrained(now.inputs)]
    return " ".join(part for part in parts if part)


def _where(now: Now) -> str:
    walk, row = now.walk, now.cell[0]
    sees: list[int] = np.flatnonzero(walk.mask[row]).tolist()
    if not sees:
        return f"{_query(now)} may attend to nothing."
    if len(sees) == 1:
        alone = _quoted("key", walk.keys[sees[0]])
        return f"{_query(now)} may attend to {alone} alone, so {alone} gets all its weight."
    weights = walk.weights[row]
    top = [key for key in sees if weights[key] >= weights[sees].max() - _TIE]
    if len(top) == len(sees):
        each = f"{weights[top[0]]:.3f}"
        return f"{_query(now)} gives each of the {len(sees)} keys that it may see the same weight, {each}."
    names = [_quoted("key", walk.keys[key]) for key in top[:3]]
    if len(top) > 3:
        names.append(f"{len(top) - 3} more")
    each = "" if len(top) == 1 else " each"
    said = f"{_query(now)} gives its largest weight, {weights[top[0]]:.3f}{each}, to {listed(names)}. "
    said += f"Its weights are as spread as equal weights on {now.effective[row]:.1f} of the {len(sees)} keys"
    said += "" if len(sees) == walk.mask.shape[1] else " that it may see"
    rows = walk.mask.any(axis=1)
    if rows.sum() > 1:
        said += f" (average over all queries: {now.effective[rows].mean():.1f})"
    return f"{said}."


def _length(now: Now) -> str:
    """Say what length alone does, where that is the story: the ramp makes later vectors longer."""
    if not (now.inputs.example == "I love dogs" and now.inputs.ramp):
        return ""
    if now.unit_weights is None:
        return "All vectors have length 1, so no key wins by length alone."
    walk, row = now.walk, now.cell[0]
    longest = int(np.linalg.norm(walk.key, axis=1).argmax())
    name = _quoted("key", walk.keys[longest])
    said = f"{name} is the longest vector, and dot products grow with length, not with meaning"
    if not walk.mask[row, longest]:
        return f"{said}; but {_query(now)} may not attend to it."
    return (
        f"{said}: its weight here is {walk.weights[row, longest]:.3f}, and with all rows normalised to "
        f"length 1 it is {now.unit_weights[row, longest]:.3f}."
    )


def diagram(now: Now) -> str:
    """Follow the chosen pair through the boxes."""
    walk, cell = now.walk, now.cell
    score, scaled = _digits(float(walk.scores[cell])), _digits(float(walk.scaled[cell]))
    said = f"{_query(now)} with {_key(now)}: the first MatMul gives {score}, Scale makes it {scaled}"
    if not walk.mask[cell]:
        said += ", the mask hides it, and its weight is 0."
    else:
        said += f", and SoftMax gives it the weight {walk.weights[cell]:.3f}."
    return f"{said} A click on a box opens its stage."


def _untrained(inputs: Inputs) -> str:
    if inputs.weights and inputs.qkv == "projected":
        names = [name for name, _ in inputs.weights]
        rest = "other numbers" if len(names) < (6 if inputs.bias else 3) else "vectors"
        said = f"{listed(names)} {'is' if len(names) == 1 else 'are'} as set by hand"
        return f"{said}; the {rest} come from a seed." if inputs.is_drawn else f"{said}."
    if not inputs.is_drawn:
        return ""
    return "The numbers come from a seed, not from training: this map knows no grammar."


def sources(now: Now) -> str:
    """Say what a row of X is, and whether it tells where its token stands."""
    inputs, walk = now.inputs, now.walk
    if walk.x is None:
        return (
            f"Q, K and V as they were typed, one row a query or a key. Framed: {_query(now)} in Q, "
            f"{_key(now)} in K and V."
        )
    framed = (
        f"{_query(now)} is the framed one"
        if not now.head.is_cross
        else (f"framed are {_query(now)} in X and {_key(now)} in Y")
    )
    said = f"One row a token, its embedding, {_count(walk.x.shape[1], 'number', 'numbers')} each: {framed}."
    if inputs.ramp:
        said += " The ramp added p/2 to every number of position p"
        if inputs.unit_rows:
            but = "" if walk.x.any(axis=1).all() else ", but for those of zeros, which have no direction"
            return f"{said}; then every row was brought to length 1{but}."
        return (
            f"{said}, so a token that comes twice has two different rows."
            if _from_words(inputs)
            else f"{said}."
        )
    if _from_words(inputs):
        return f"{said} Equal tokens have equal rows, wherever they stand."
    return said


def _from_words(inputs: Inputs) -> bool:
    """Whether a token's vector follows from the token alone, before the ramp."""
    return inputs.is_own and inputs.vectors != "typed"


def projected(now: Now) -> str:
    """Say what a row of each is for."""
    return (
        f"The framed rows: Q holds what {_query(now)} asks for, K what {_key(now)} is found by, and V what "
        f"{_key(now)} passes on."
    )


def dot_products(now: Now) -> str:
    """Say how the chosen score comes about."""
    score = float(now.walk.scores[now.cell])
    row, column = f"Row {_query(now)} of Q", f"column {_key(now)} of Kᵀ"
    return f"{row} times {column}, number by number, added up: {_digits(score)}."


def scaling(now: Now) -> str:
    """Say what scaling made of the chosen score, and what it is for."""
    score, scaled, d_k = (
        float(now.walk.scores[now.cell]),
        float(now.walk.scaled[now.cell]),
        now.head.d_k,
    )
    said = f"{_digits(score)} {now.factor} ÷ {TEMPERATURE.text(now.temperature)} = {_digits(scaled)}."
    if d_k == 1:
        return f"{said} A dot product of width 1 is a single product, and √1 = 1: there is nothing to undo."
    wide = f"A sum of {d_k} products varies about √{d_k} times as much as one product."
    if now.scoring.scale == "none":
        return f"{said} {wide} Nothing undoes that here."
    if now.scoring.scale == "free":
        return f"{said} {wide} Dividing by √{d_k} would be a factor of {1 / d_k**0.5:.3g}."
    return f"{said} {wide} Dividing by √{d_k} undoes that."


def masking(now: Now) -> str:
    """Say how many pairs the mask leaves, and what becomes of the chosen one."""
    mask, kind = now.walk.mask, now.scoring.masking.kind
    if mask.all():
        said = "Nothing is masked: every query may attend to every key."
        if kind == "none":
            return f"{said} Choose a mask in the sidebar."
        return f"{said} The {kind} mask blocks none of these cells{' yet' if kind == 'own' else ' here'}."
    may = "may" if mask[now.cell] else "may not"
    left = "1 pair is" if mask.sum() == 1 else f"{mask.sum()} of {_count(mask.size, 'pair', 'pairs')} are"
    said = (
        f"The mask adds −∞ to the hatched cells, before the softmax: {left} left. {_query(now)} {may} "
        f"attend to {_key(now)}."
    )
    if kind == "prefix" and now.width <= 1 and mask.shape[0] <= mask.shape[1]:
        said += " A prefix of 0 or 1 is the causal mask: all may see the first place anyway."
    return said


def softmax(now: Now) -> str:
    """Say what the softmax gave the chosen pair."""
    walk, row = now.walk, now.cell[0]
    if walk.mask[now.cell]:
        return (
            "Each row is exponentiated and divided by its sum, so it adds up to one: "
            f"{_query(now)} gives {_key(now)} {walk.weights[now.cell]:.6f}."
        )
    said = f"{_query(now)} may not attend to {_key(now)}: its weight is 0"
    sees = int(walk.mask[row].sum())
    if not sees:
        return f"{said}."
    return f"{said}, and {'one other key takes' if sees == 1 else f'{sees} other keys share'} the row."


def mixing(now: Now) -> str:
    """Say what the chosen key gives to the chosen query's output."""
    return (
        f"Row {_query(now)} of the output is the sum of all values, each times its weight. {_key(now)} adds "
        f"its value times {now.walk.weights[now.cell]:.6f}."
    )


def hard_or_soft(now: Now) -> str:
    """Say which key the chosen query looks up, what softmax gives it, and how far the outputs are apart."""
    walk, row = now.walk, now.cell[0]
    if walk.lookup is None:
        return ""
    best: list[int] = np.flatnonzero(walk.lookup.weights[row]).tolist()
    if not best:
        return f"{_query(now)} may attend to nothing: it looks nothing up, and both outputs are zero."
    names = [_quoted("key", walk.keys[key]) for key in best[:3]]
    if len(best) > 3:
        names.append(f"{len(best) - 3} more")
    score, each = _digits(float(walk.scaled[row, best[0]])), number(float(walk.weights[row, best[0]]), 3)
    said = f"{_query(now)} has its best scaled score, {score}, with "
    softmax_gives = f"softmax at T = {TEMPERATURE.text(now.temperature)} gives"
    if len(best) == 1:
        said += f"{names[0]}. The hard look-up returns the value of {names[0]} alone; "
        said += f"{softmax_gives} it the weight {each}"
    else:
        said += f"{len(best)} keys that tie: {listed(names)}. A dictionary would have to return one of their "
        said += f"values; as T falls to 0 softmax gives each {number(1 / len(best), 3)}, and so does the "
        said += f"hard look-up here. Now {softmax_gives} each {each}"
    others = [key for key in np.flatnonzero(walk.mask[row]).tolist() if key not in best]
    if not others:
        return f"{said}. {_query(now)} sees no other key, so both outputs are the same at every T."
    largest = walk.weights[row, others].max()
    following = [key for key in others if walk.weights[row, key] >= largest - _TIE * largest]
    which = listed([_quoted("key", walk.keys[key]) for key in following[:3]])
    less = number(float(np.exp(walk.scaled[row, others].max() - walk.scaled[row, best[0]])), 3)
    what = f"the next best, {which}, " if len(following) < 4 else f"each of {len(following)} next best keys "
    said += f", and {what}{less} times as much. "
    said += f"The two outputs are {number(float(walk.lookup.apart[row]), 3)} apart"
    if walk.mask.any(axis=1).sum() > 1:
        said += f" (over all queries at most {number(float(walk.lookup.apart.max()), 3)})"
    return f"{said}; as T falls to 0 they meet."


def empty_rows(now: Now) -> str:
    """Say which queries have nothing to attend to; "" where all have."""
    count = int((~now.walk.mask.any(axis=1)).sum())
    if not count:
        return ""
    if count == len(now.walk.queries):
        return "The mask blocks every cell: all weights and outputs are zero, and nothing is divided by zero."
    which = "One query has" if count == 1 else f"{count} queries have"
    return f"{which} every key masked: weights and output are zero there."


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
    return rf"O = \mathrm{{softmax}}\!\left({inside}\right)V"


def sources_formula(now: Now) -> str:
    """What the vectors are."""
    walk = now.walk
    if walk.x is None or walk.memory is None:
        return projected_formula(now)
    given = [("X", "E", walk.x)] + ([("Y", "F", walk.memory)] if now.head.is_cross else [])
    parts = [rf"{name} \in \mathbb{{R}}^{{{x.shape[0]}\times {x.shape[1]}}}" for name, _, x in given]
    parts += [made for name, before, x in given if (made := _made(now.inputs, name, before, x))]
    return r",\quad ".join(parts)


def _made(inputs: Inputs, name: str, before: str, x: Numbers) -> str:
    """Say how row p of X, counted from 0, comes from the vector of its word; "" where it is that."""
    if not (inputs.ramp or inputs.unit_rows):
        return ""
    row = rf"{before}_p + \frac{{p}}{{2}}" if inputs.ramp else f"{before}_p"
    if not inputs.unit_rows:
        return f"{name}_p = {row}"
    zero = "" if x.any(axis=1).all() else rf"\ (0 \text{{ where }} {row} = 0)"
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
