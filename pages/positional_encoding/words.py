"""Sentences about what the positional-encoding page shows: numbers in, words out."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_core import Scheme, label_tokens
from attn_figures.numbers import fixed, number, power_of_ten
from attn_figures.ties import largest
from attn_ui.base.markdown import listed, plain
from attn_ui.base.parameters import Steps, shown
from attn_ui.base.ties import as_much, differ_as_much
from attn_words import N_, _, _n, paragraph
from pages.positional_encoding.settings import SCHEME

Numbers = NDArray[np.float64]
SAME = 5e-7  # weights that agree to six digits are called equal
ROUNDING = 1e-9  # of the numbers' own size


def named(scheme: str) -> str:
    """Return the name of a scheme as it is shown."""
    return shown(SCHEME, scheme)


def so_many_positions(steps: Steps) -> tuple[str, ...]:
    """Say each length of a slider as so many positions."""
    return tuple(_n("{count} position", "{count} positions", int(length)) for length in steps.values)


def titled(scheme: str) -> str:
    """Return the title of a map of weights under a scheme."""
    return _("without positions") if scheme == "none" else titled_with(scheme)


def titled_with(scheme: str) -> str:
    """Return the title of a map beside the one without positions."""
    return _("with positions: {scheme}", scheme=named(scheme))


def attention(tokens: Sequence[str], before: Numbers, after: Numbers, scheme: str, strength: float) -> str:
    """Say what positions change in a map of weights.

    Args:
        tokens: the words.
        before, after: weights (n, n) without and with positions.
        scheme: its name.
        strength: what the encoding is multiplied by.
    """
    n, labels = len(tokens), label_tokens(tokens)
    if n == 1:
        return _("One word attends to itself whatever its position: its weight is 1.")
    first = _bag(tokens, labels)
    if scheme == "none" or strength == 0:
        return first
    change = after - before
    most, *ties = largest(np.abs(change))
    query, key = divmod(most, n)
    if abs(change[query, key]) < SAME:
        return paragraph(first, _("With positions, every weight stays the same, to six digits."))
    said = (
        N_(
            "With positions, the weight that changes most is the one that **{query}** gives **{key}**: it "
            "rises from {before} to {after}."
        )
        if change[query, key] > 0
        else N_(
            "With positions, the weight that changes most is the one that **{query}** gives **{key}**: it "
            "falls from {before} to {after}."
        )
    )
    changes = _(
        said,
        query=plain(labels[query]),
        key=plain(labels[key]),
        before=f"{before[query, key]:.3f}",
        after=f"{after[query, key]:.3f}",
    )
    return paragraph(first, changes, as_much(len(ties)))


def _bag(tokens: Sequence[str], labels: Sequence[str]) -> str:
    """Point at two places of one word, whose rows are equal: the sign that order is invisible."""
    for second, token in enumerate(tokens):
        first = tokens.index(token)
        if first < second:
            return _(
                "Without positions, **{first}** and **{second}** have the same row: only the word counts, "
                "not its place.",
                first=plain(labels[first]),
                second=plain(labels[second]),
            )
    return _(
        "Without positions, the map would follow the words into any order: only the word counts, not its "
        "place."
    )


def two_schemes(labels: Sequence[str], one: Numbers, other: Numbers, names: tuple[str, str]) -> str:
    """Say where two schemes disagree most."""
    first, second = map(named, names)
    if names[0] == names[1]:
        return _("Both maps are those of {scheme}: choose another scheme to compare it with.", scheme=first)
    change = other - one
    if np.abs(change).max() < SAME:
        return _("{one} and {other} give the same weights here, to six digits.", one=first, other=second)
    most, *ties = largest(np.abs(change))
    query, key = divmod(most, len(labels))
    said = _(
        "They differ most in the weight that **{query}** gives **{key}**: {weight} under {one}, "
        "{other_weight} under {other}.",
        query=plain(labels[query]),
        key=plain(labels[key]),
        weight=f"{one[query, key]:.3f}",
        one=first,
        other_weight=f"{other[query, key]:.3f}",
        other=second,
    )
    return paragraph(said, differ_as_much(len(ties)))


def compare(maps: Mapping[str, Numbers]) -> str:
    """Say how far a word looks on average under each scheme."""
    places = np.arange(len(next(iter(maps.values()))))
    distances = np.abs(places[:, None] - places)
    far = [f"{named(name)} {(weights * distances).sum(-1).mean():.2f}" for name, weights in maps.items()]
    return _("How many places away a word looks on average: {far}.", far=listed(far))


def shuffle(shuffled: Sequence[str], errors: Mapping[str, float]) -> str:
    """Say by how much, under each scheme, shuffling the words did more than shuffle the output."""
    return _(
        "The new order is *{order}*. Without positions, the output has the same rows in that order. The "
        "largest difference from that, but for rounding: {changes}.",
        order=plain(" ".join(shuffled)),
        changes=_changes(errors, {}),
    )


def _changes(errors: Mapping[str, float], scales: Mapping[str, float]) -> str:
    """List the largest change under each scheme; one that is rounding only is 0."""
    limits = {name: ROUNDING * max(scales.get(name, 1.0), 1.0) for name in errors}
    return listed([f"{named(name)} {number(e, 3) if e > limits[name] else 0}" for name, e in errors.items()])


def shift(errors: Mapping[str, float], scales: Mapping[str, float], by: int, *, of_words: bool) -> str:
    """Say what moving all positions on changes under each scheme.

    Args:
        errors: each scheme's largest change; scales: its largest number before.
        by: how far the positions moved on.
        of_words: whether weights between words change, or what positions alone say of each pair.
    """
    if by == 0:
        return _("Nothing is shifted yet: at 0 both maps are the same.")
    changes = _changes(errors, scales)
    if of_words:
        moved = _n(
            "All words move on by {count} position. The largest change of a weight, but for rounding: "
            "{changes}.",
            "All words move on by {count} positions. The largest change of a weight, but for rounding: "
            "{changes}.",
            by,
            changes=changes,
        )
        meets = _("A vector that is added to words meets them, e · p: another number at another place.")
        return paragraph(moved, meets)
    return _(
        "All positions move on by {count}. The largest change of what they alone give a pair, but for "
        "rounding: {changes}. Where it is 0, only the offset counts.",
        count=by,
        changes=changes,
    )


def encoding(values: Numbers, scheme: str, base: float, layout: str) -> str:
    """Say what the map of an encoding (length, d_model) shows."""
    if not values.any():
        if scheme == "none":
            return _("Without positions nothing is added: every position has a vector of zeros.")
        return _("Every position here has a vector of zeros.")
    if scheme == "sinusoidal":
        width = values.shape[1]
        waves = _(
            "The fastest wave repeats every 6.28 positions, the slowest every {slowest}.",
            slowest=number(2 * np.pi * base ** (2 * ((width + 1) // 2 - 1) / width)),
        )
        order = _("The sines come first, then the cosines.") if layout == "concatenated" else ""
        return paragraph(waves, order)
    if scheme == "ramp":
        return _("Every dimension holds the same number, so a position is told by length alone.")
    longest = _(
        "Each row is what its position adds to a word; the longest vector is that of position {position}.",
        position=largest(np.linalg.norm(values, axis=1))[0],
    )
    if scheme != "learned":
        return longest
    return paragraph(
        longest, _("The table was trained, and is scaled by one number; position 0 is that of [CLS].")
    )


def similarity(
    bands: tuple[Numbers, Numbers, Numbers],
    scheme: Scheme,
    width: int,
    quantity: str,
    *,
    with_cls: float | None = None,
    zeros: Sequence[int] = (),
) -> str:
    """Say whether the offset alone decides, and what it decides.

    Args:
        bands: least, mean and greatest at each offset from 1 - n to n - 1, of the positions that a word can
            have; NaN where no two of them have a cosine.
        scheme: what is seen.
        width: of the vectors.
        quantity: what a number is called.
        with_cls: the largest spread with position 0, where that belongs to [CLS] alone.
        zeros: the positions that have no cosine, because their vectors are zero.
    """
    if scheme.adds == "nothing":
        return _("Without positions every pair of positions looks the same.")
    low, mean, high = bands
    centre, known = len(mean) // 2, ~np.isnan(mean)
    if not known.any():
        return _("Every position here has a vector of zeros, which has no direction and no cosine.")
    told = ""
    if with_cls is not None:
        told = _(
            "Position 0 is that of [CLS]; with it pairs at the same offset differ by up to {most}.",
            most=number(with_cls),
        )
    elif zeros:
        told = _(
            "The vector of position {positions} is zero and has no cosine.",
            positions=listed([str(zero) for zero in zeros]),
        )
    if known.sum() == 1:
        return paragraph(told, _("One position has nothing to be compared with."))
    spread, scale = float(np.nanmax(high - low)), float(np.nanmax(np.abs([low, high])))
    rounding = ROUNDING * max(scale, 1.0)
    if spread > rounding:
        first = _(_DIFFER[with_cls is not None], most=number(spread))
        if scheme.name == "sinusoidal" and width % 2:
            first = paragraph(first, _("In an odd number of dimensions the last sine has no cosine."))
    elif np.nanmax(mean) - np.nanmin(mean) <= rounding:
        same = _(
            "Every pair has the same {quantity}, {value}: neither place nor offset counts.",
            quantity=quantity,
            value=number(mean[centre], 3),
        )
        return paragraph(told, same)
    else:
        first = _(
            "All pairs at the same offset agree, to rounding (the band has no width): only the offset counts."
        )
    near = _(
        "The mean {quantity} is {at_0} at offset 0 and {at_1} at offset 1.",
        quantity=quantity,
        at_0=number(mean[centre], 3),
        at_1=number(mean[centre + 1], 3),
    )
    return paragraph(told, first, near)


# Whether position 0, that of [CLS], was left out.
_DIFFER: Mapping[bool, str] = {
    False: N_("Pairs at the same offset differ, by up to {most}: the place itself counts."),
    True: N_("Without it pairs at the same offset differ, by up to {most}: the place itself counts."),
}


def turnings(scores: Numbers, at_zero: Numbers) -> list[list[str]]:
    """Say that the score of a turned query and key does not depend on where both stand.

    Thousands of sentences are made at once: what they have in common is translated once, and its fields are
    numbered, to fill fast.

    Args:
        scores: for each place of the query and each offset of the key from it, (n_place, n_offset).
        at_zero: the scores at place 0, (n_offset,).
    """
    said = _(
        "The query stands at {place}, the key {offset} further: both have turned, and the angle between them "
        "is that of the offset. Their score is {score}; at positions 0 and {offset} it is {at_zero} "
        "(difference {difference})."
    )
    fields = {"place": "{0}", "offset": "{1}", "score": "{2}", "at_zero": "{3}", "difference": "{4}"}
    form = said.format(**fields).format
    first = [fixed(score, 4) for score in at_zero.tolist()]

    def say(place: int, offset: int, score: float, apart: float) -> str:
        return form(place, offset, fixed(score, 4), first[offset], _rounding(apart))

    rows = zip(scores.tolist(), np.abs(scores - at_zero).tolist(), strict=True)
    return [
        [say(place, offset, *each) for offset, each in enumerate(zip(*row, strict=True))]
        for place, row in enumerate(rows)
    ]


def bias(from_first: Numbers, scheme: str, head: int) -> str:
    """Say what a head's bias does to far keys.

    Args:
        from_first: every head's bias of the query at position 0 for every key, (n_head, n_key).
        scheme: "ALiBi" or "buckets".
        head: which one, from 0.
    """
    if scheme == "buckets":
        return _(
            "Near offsets have a bias each, far ones share: steps widen with distance. These biases are "
            "drawn from the seed; a model would have learned them."
        )
    n_head, n_key = from_first.shape
    if n_key < 2:
        return _("With one position there is no distance to penalise.")
    slopes = from_first[:, 0] - from_first[:, 1]
    steeper, gentler = int((slopes > slopes[head]).sum()), int((slopes < slopes[head]).sum())
    taken = _(
        "Head {head} takes {slope} off the score for each step of distance: a key one step away keeps "
        "{share} of its weight before the rows are normalised.",
        head=head + 1,
        slope=f"{slopes[head]:.4g}",
        share=f"{np.exp(-slopes[head]):.3f}",
    )
    others = _n(
        "Of the {n_head} heads {count} looks further, {steeper} less far.",
        "Of the {n_head} heads {count} look further, {steeper} less far.",
        gentler,
        n_head=n_head,
        steeper=steeper,
    )
    return paragraph(taken, others)


_LEAST = 1e-300  # floats end near it


def far(curves: Mapping[str, Numbers], returns: Mapping[str, int], trained: int) -> str:
    """Say where similarity comes back, and where it decays, past the training length."""
    alibi = curves["ALiBi"]
    used = _(
        "Trained on {trained} positions (unshaded), used on {used}.",
        trained=f"{trained:,}",
        used=f"{len(alibi):,}",
    )
    past = _(
        "Past them {sinusoidal}, {rotary}.",
        sinusoidal=_back(_OF_SINES, curves["sinusoidal"], returns.get("sinusoidal")),
        rotary=_back(_OF_ROTARY, curves["rotary"], returns.get("rotary")),
    )
    decays = _(
        "ALiBi decays: at offset {offset} its factor is {factor}. A learned table has no row past its last. "
        "Use past the trained length is called length extrapolation.",
        offset=f"{len(alibi) - 1:,}",
        factor=number(alibi[-1], 2) if alibi[-1] > _LEAST else _("below {number}", number=power_of_ten(-300)),
    )
    return paragraph(used, past, decays)


# Where a curve falls on, and where it comes back.
_OF_SINES = (
    N_("the sinusoidal product keeps falling, to {share} of its largest at offset {offset}"),
    N_("the sinusoidal product comes back to {share} of its largest at offset {offset}"),
)
_OF_ROTARY = (
    N_("the rotary score of one vector keeps falling, to {share} of its largest at offset {offset}"),
    N_("the rotary score of one vector comes back to {share} of its largest at offset {offset}"),
)


def _back(said: tuple[str, str], curve: Numbers, at: int | None) -> str:
    falls, returns = said
    if at is None:
        return _(falls, share=fixed(curve[-1], 2), offset=f"{len(curve) - 1:,}")
    return _(returns, share=fixed(curve[at], 2), offset=f"{at:,}")


def _rounding(difference: float) -> str:
    if difference == 0:
        return _("exactly 0")
    return _("{difference}, rounding", difference=number(difference, 2))


PARTS: Mapping[str, str] = {
    "nothing": N_("Without positions the words alone decide."),
    "vector": N_("Adding a vector to each word makes four products of one: words and positions also mix."),
    "rotation": N_(
        "Turning adds no vector; it changes the angle between query and key by that of their offset."
    ),
    "bias": N_("The bias depends on where the words stand and not on which they are."),
}
