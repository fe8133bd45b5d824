"""What the pictures of one head show, in sentences and formulas: numbers in, words out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from attn_ui.frame import coloured

NO_GRAMMAR = "The numbers come from a seed, not from training: this map knows no grammar."


@dataclass(frozen=True)
class Seen:
    """What the sentences speak of: sizes, and one cell of one head at one position of the slider.

    Labels are as typed; the sentences escape them. ``d_model`` is None where Q, K and V were typed.
    """

    query: str
    key: str
    top_key: str  # the key with the largest weight in the query's row
    n_query: int
    n_key: int
    d_model: int | None
    d_k: int
    d_v: int
    score: float
    scaled: float
    allowed: bool
    weight: float
    top_weight: float
    row_effective: float
    mean_effective: float
    empty_rows: int
    pairs: int
    factor: str  # "÷ √4"
    temperature: float
    untrained: bool
    made: str = "projected"  # or "as they are", "typed": where Q, K and V come from
    is_cross: bool = False  # whether keys and values are made from another sentence, Y
    longest: str = ""  # the longest vector, where length is the story
    equal_lengths: bool = False


def sentence(stage: str, seen: Seen) -> str:
    """Return what the picture of a stage shows, as markdown.

    Raises:
        KeyError: for a stage that is not one of the walk.
    """
    return _SENTENCES[stage](seen) + _empty_rows(seen)


def _all_at_once(seen: Seen) -> str:
    query, top = coloured("query", seen.query), coloured("key", seen.top_key)
    if not seen.top_weight:
        said = f"{query} may attend to nothing."
    else:
        said = (
            f"{query} gives {top} the largest weight, {seen.top_weight:.3f}, and spreads over "
            f"{seen.row_effective:.1f} of {seen.n_key} keys in effect ({seen.mean_effective:.1f} on average)."
        )
    if seen.longest and seen.equal_lengths:
        said += " All vectors have length 1, so no key wins by length alone."
    elif seen.longest:
        said += (
            f" {coloured('key', seen.longest)} is the longest vector, and dot products grow with length: "
            "that, not meaning, draws the weight. Normalise the rows and see it go."
        )
    if seen.untrained:
        said += f" {NO_GRAMMAR}"
    return said


def _inputs(seen: Seen) -> str:
    return (
        f"One row a token: {coloured('query', seen.query)} is the framed one, {seen.d_model or seen.d_k} "
        "numbers. Equal tokens have equal rows, wherever they stand."
    )


def _projected(seen: Seen) -> str:
    query, key = coloured("query", seen.query), coloured("key", seen.key)
    return (
        f"The framed row of Q is what {query} asks, that of K what {key} is found by, that of V what "
        f"{key} hands over."
    )


def _scores(seen: Seen) -> str:
    query, key = coloured("query", seen.query), coloured("key", seen.key)
    return f"Row {query} of Q times column {key} of Kᵀ, number by number, added up: {seen.score:.6g}."


def _scaled(seen: Seen) -> str:
    return (
        f"{seen.score:.6g} {seen.factor} ÷ {seen.temperature:.2f} = {seen.scaled:.6g}. A sum of {seen.d_k} "
        f"products spreads about √{seen.d_k} times as wide as one; dividing by √d_k takes that back."
    )


def _output(seen: Seen) -> str:
    query, key = coloured("query", seen.query), coloured("key", seen.key)
    return (
        f"Row {query} of the output is the values mixed by its weights; {key} gives its value times "
        f"{seen.weight:.6f}."
    )


def _masked(seen: Seen) -> str:
    query, key = coloured("query", seen.query), coloured("key", seen.key)
    if seen.pairs == seen.n_query * seen.n_key:
        return "Nothing is masked: every query may attend to every key. Choose a mask in the sidebar."
    here = f"{query} may attend to {key}" if seen.allowed else f"{query} may not attend to {key}"
    return (
        f"The mask adds −∞ to the hatched cells, before the softmax: {seen.pairs} of "
        f"{seen.n_query * seen.n_key} pairs are left. {here}."
    )


def _weights(seen: Seen) -> str:
    query, key = coloured("query", seen.query), coloured("key", seen.key)
    if not seen.allowed:
        return f"{query} may not attend to {key}: its weight is 0, and the other keys share the row."
    return (
        f"Each row is exponentiated and divided by its sum, so it adds up to one: {query} gives {key} "
        f"{seen.weight:.6f}."
    )


def _empty_rows(seen: Seen) -> str:
    if not seen.empty_rows:
        return ""
    if seen.empty_rows == seen.n_query:
        return (
            " The mask blocks every cell: all weights and outputs are zero, and nothing is divided by zero."
        )
    count = "One query has" if seen.empty_rows == 1 else f"{seen.empty_rows} queries have"
    return f" {count} every key masked: weights and output are zero there."


_SENTENCES: Mapping[str, Callable[[Seen], str]] = MappingProxyType(
    {
        "all at once": _all_at_once,
        "X": _inputs,
        "Q, K, V": _projected,
        "scores": _scores,
        "scaled": _scaled,
        "masked": _masked,
        "weights": _weights,
        "output": _output,
    }
)


def formula(stage: str, seen: Seen) -> str:
    """Return what a stage computes, with the present sizes, for `st.latex`."""
    n, m, dk, dv = seen.n_query, seen.n_key, seen.d_k, seen.d_v
    scale = {"×": r"\cdot\,", "÷": "/"}[seen.factor[0]] + seen.factor[1:].strip().replace("√", r"\sqrt ")
    return {
        "all at once": r"O = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        "X": _made_from(seen),
        "Q, K, V": _made(seen),
        "scores": (
            rf"\underset{{{n}\times {m}}}{{S}} = \underset{{{n}\times {dk}}}{{Q}}\;"
            rf"\underset{{{dk}\times {m}}}{{K^\top}}"
        ),
        "scaled": rf"\underset{{{n}\times {m}}}{{\tilde S}} = S\,{scale}\,/\,{seen.temperature:.2f}",
        "masked": (
            rf"\underset{{{n}\times {m}}}{{\hat S}} = \tilde S + M,\quad "
            r"M_{ij} \in \{0, -\infty\}"
        ),
        "weights": (
            rf"\underset{{{n}\times {m}}}{{W}}:\quad W_{{ij}} = "
            r"\frac{\exp(\hat S_{ij} - \max_l \hat S_{il})}{\sum_l \exp(\hat S_{il} - \max_l \hat S_{il})}"
        ),
        "output": (
            rf"\underset{{{n}\times {dv}}}{{O}} = \underset{{{n}\times {m}}}{{W}}\;"
            rf"\underset{{{m}\times {dv}}}{{V}}"
        ),
    }[stage]


def _made_from(seen: Seen) -> str:
    x = rf"X \in \mathbb{{R}}^{{{seen.n_query}\times {seen.d_model}}}"
    if seen.made == "typed":
        return _made(seen)
    return x + (rf",\quad Y \in \mathbb{{R}}^{{{seen.n_key}\times {seen.d_model}}}" if seen.is_cross else "")


def _made(seen: Seen) -> str:
    other = "Y" if seen.is_cross else "X"
    sources = {"projected": ("XW_q", f"{other}W_k", f"{other}W_v"), "as they are": ("X", other, other)}
    sizes = {"Q": (seen.n_query, seen.d_k), "K": (seen.n_key, seen.d_k), "V": (seen.n_key, seen.d_v)}
    given = [rf"\underset{{{rows}\times {columns}}}{{{name}}}" for name, (rows, columns) in sizes.items()]
    made = sources.get(seen.made)
    parts = given if made is None else [f"{one} = {source}" for one, source in zip(given, made, strict=True)]
    return r",\quad ".join(parts)


EXPLANATIONS: Mapping[str, str] = MappingProxyType(
    {
        "all at once": "One head in one line.",
        "Q, K, V": "Three views of each token: what it asks, what it is found by, what it hands over.",
        "scores": "Each query's dot product with each key: it grows with their lengths and their agreement.",
        "scaled": "Brought to one spread whatever the width; T flattens (above 1) or sharpens (below 1).",
        "masked": "M is 0 where a query may attend and −∞ elsewhere, before the softmax: exp(−∞) = 0.",
        "weights": "Each row adds up to one. Taking its largest off first only keeps exp from overflowing.",
        "output": "Each row is an average of the values, so it stays within their hull.",
    }
)
NOTES = """
- Without positions and with Q = K the **scores** are symmetric; the weights only where row sums agree.
- Permuting the tokens permutes the rows and changes nothing else: order is invisible without positions.
- Numbers drawn from a seed know no grammar. Where one key draws all the weight, look at its length first.
"""
