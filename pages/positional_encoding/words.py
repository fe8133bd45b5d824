"""Words and parts of captions of positional encoding."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_figures.numbers import number
from attn_figures.ties import largest_indices
from attn_ui.base.markdown import all_of, plain
from attn_ui.base.parameters import Steps, label_of
from attn_ui.base.ties import tie_sentence
from attn_words import N_, _, _n, paragraph
from pages.positional_encoding.settings import SCHEME

Numbers = NDArray[np.float64]
ROUNDING = 1e-9  # of the numbers' own size


def scheme_name(scheme: str) -> str:
    """Return the name of a scheme on screen."""
    return label_of(SCHEME, scheme)


def position_counts(steps: Steps) -> tuple[str, ...]:
    """Return each length of a slider in words: "8 positions"."""
    return tuple(_n("{count} position", "{count} positions", int(length)) for length in steps.values)


def map_title(scheme: str) -> str:
    """Return the title of a map of weights under a scheme."""
    return _("without positions") if scheme == "none" else map_title_with(scheme)


def map_title_with(scheme: str) -> str:
    """Return the title of a map with positions."""
    return _("with positions: {scheme}", scheme=scheme_name(scheme))


def two_schemes(labels: Sequence[str], one: Numbers, other: Numbers, names: tuple[str, str]) -> str:
    """Say where two maps disagree most."""
    if np.allclose(one, other, rtol=0, atol=0.0005):
        return _("The weights of both maps differ by at most {most}.", most=0.0005)
    most, *ties = largest_indices(np.abs(other - one))
    query, key = divmod(most, len(labels))
    sentence = _(
        "Largest difference: query **{query}**, key **{key}**: {weight} ({one}) and {other_weight} "
        "({other}).",
        query=plain(labels[query]),
        key=plain(labels[key]),
        weight=f"{one[query, key]:.3f}",
        one=names[0],
        other_weight=f"{other[query, key]:.3f}",
        other=names[1],
    )
    return paragraph(sentence, tie_sentence(len(ties)))


def changes(errors: Mapping[str, float], scales: Mapping[str, float]) -> str:
    """List the largest change under each scheme, with 0 for rounding."""
    sizes = {name: max(scales.get(name, 1.0), 1.0) for name in errors}
    return all_of(
        [f"{scheme_name(name)} {number(without_rounding(e, sizes[name]), 3)}" for name, e in errors.items()]
    )


def without_rounding(difference: float, size: float = 1.0) -> float:
    """Return a difference, or 0 if it is only rounding of numbers of this size."""
    return difference if difference > ROUNDING * size else 0.0


def length_sentence(trained: int, used_length: int) -> str:
    """Say how many positions a scheme was trained on, and on how many it is used."""
    return _(
        "Trained on {trained} positions, used on {used}.", trained=f"{trained:,}", used=f"{used_length:,}"
    )


PARTS: Mapping[str, str] = {
    "nothing": N_("Without positions nothing is added: P is zero, X = E, and the words alone decide."),
    "vector": N_(
        "X is what each word brings, E, plus what its position adds, P: a score is a sum of four products, "
        "and words and positions also mix."
    ),
    "rotation": N_(
        "Nothing is added, X = E: turning q and k changes the angle between them by that of their offset."
    ),
    "bias": N_(
        "Nothing is added, X = E: the scores get a bias, which depends on where the words stand and not on "
        "which they are."
    ),
}
