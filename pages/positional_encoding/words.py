"""Sentences about what the positional-encoding page shows: numbers in, words out."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_core import SCHEMES, Scheme, label_tokens
from attn_figures.numbers import fixed, number
from attn_ui.base.markdown import listed, plain

Numbers = NDArray[np.float64]
SAME = 5e-7  # weights that agree to six digits are called equal
ROUNDING = 1e-9  # of the numbers' own size

LONE_SINE = "in an odd number of dimensions the last sine has no cosine"


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
        return "One word attends to itself whatever its position: its weight is 1."
    first = f"Without positions, {_bag(tokens, labels)}"
    if scheme == "none" or strength == 0:
        return first
    change = after - before
    query, key = divmod(int(np.abs(change).argmax()), n)
    if abs(change[query, key]) < SAME:
        return f"{first} With positions, every weight stays the same, to six digits."
    verb = "rises" if change[query, key] > 0 else "falls"
    return (
        f"{first} With positions, the weight that changes most is the one that **{plain(labels[query])}** "
        f"gives **{plain(labels[key])}**: it {verb} from {before[query, key]:.3f} to {after[query, key]:.3f}."
    )


def _bag(tokens: Sequence[str], labels: Sequence[str]) -> str:
    """Point at two places of one word, whose rows are equal: the sign that order is invisible."""
    for second, token in enumerate(tokens):
        first = tokens.index(token)
        if first < second:
            return (
                f"**{plain(labels[first])}** and **{plain(labels[second])}** have the same row: "
                "only the word counts, not its place."
            )
    return "the map would follow the words into any order: only the word counts, not its place."


def two_schemes(labels: Sequence[str], one: Numbers, other: Numbers, names: tuple[str, str]) -> str:
    """Say where two schemes disagree most."""
    if names[0] == names[1]:
        return f"Both maps are those of {names[0]}: choose another scheme to compare it with."
    change = other - one
    if np.abs(change).max() < SAME:
        return f"{names[0]} and {names[1]} give the same weights here, to six digits."
    query, key = divmod(int(np.abs(change).argmax()), len(labels))
    return (
        f"They differ most in the weight that **{plain(labels[query])}** gives **{plain(labels[key])}**: "
        f"{one[query, key]:.3f} under {names[0]}, {other[query, key]:.3f} under {names[1]}."
    )


def compare(maps: Mapping[str, Numbers]) -> str:
    """Say how far each scheme looks on average; one of them is "none"."""
    n = len(maps["none"])
    if n == 1:
        return "One word attends to itself under every scheme."
    distances = np.abs(np.arange(n)[:, None] - np.arange(n))
    far = {name: float((weights * distances).sum(-1).mean()) for name, weights in maps.items()}
    if max(far.values()) - min(far.values()) < SAME:
        return f"Under every scheme a word looks {far['none']:.2f} places away on average."
    nearest = min(far, key=far.__getitem__)
    closest = (
        "no scheme keeps it closer"
        if far["none"] - far[nearest] < SAME
        else f"**{nearest}** keeps it closest, at {far[nearest]:.2f}"
    )
    return f"Without positions a word looks {far['none']:.2f} places away on average; {closest}."


def shuffle(
    tokens: Sequence[str], shuffled: Sequence[str], errors: Mapping[str, float], scheme: str, strength: float
) -> str:
    """Say whether shuffling the words did more than shuffle the output.

    Args:
        tokens, shuffled: the words in their old order and in their new one.
        errors: each scheme's largest difference.
        scheme: the one whose maps are shown.
        strength: what it is multiplied by.
    """
    if list(tokens) == list(shuffled):
        return f"The new order of *{plain(' '.join(shuffled))}* is the old one: choose another."
    start = (
        f"The new order is *{plain(' '.join(shuffled))}*. Without positions, the output has the same rows in "
        f"that order (largest difference {_rounding(errors['none'])})."
    )
    if scheme == "none" or strength == 0:
        return start
    if errors[scheme] < ROUNDING:
        return f"{start} With {scheme} too: in this order of these words it makes no difference."
    return f"{start} With {scheme} it has not: its numbers differ by up to {number(errors[scheme])}."


def shift(errors: Mapping[str, float], scales: Mapping[str, float], scheme: str, by: int, width: int) -> str:
    """Say whether moving all positions on changes what they alone say of each pair.

    Args:
        errors: each scheme's largest change; scales: its largest number before.
        scheme: the one whose maps are shown.
        by: how far the positions moved on.
        width: of the vectors.
    """
    if by == 0:
        return "Nothing has been shifted yet: move the slider."
    kept, lost = _kept(errors, scales)
    if scheme == "none":
        first = "Without positions there is nothing to shift."
    elif scheme in kept:
        first = (
            f"All positions move on by {by}. What {scheme} alone gives each pair does not change (largest "
            f"change {_rounding(errors[scheme])})."
        )
    else:
        why = f" ({LONE_SINE})" if scheme == "sinusoidal" and width % 2 else ""
        first = (
            f"All positions move on by {by}. What {scheme} alone gives a pair changes by up to "
            f"{number(errors[scheme])}: the place itself counts{why}."
        )
    but = f"; not for {listed(lost)}" if lost else ""
    told = f"{first} Between positions alone only the offset counts for {listed(kept)}{but}."
    if scheme in kept and scheme == "sinusoidal":
        return f"{told} Words meet positions too: see the *whole attention*."
    return told


def _kept(errors: Mapping[str, float], scales: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Part the schemes into those under which nothing changed but for rounding, and the others."""
    kept = [name for name, error in errors.items() if error <= ROUNDING * max(scales[name], 1.0)]
    return kept, [name for name in errors if name not in kept]


def _places(by: int) -> str:
    return "1 position" if by == 1 else f"{by} positions"


def whole_shift(
    errors: Mapping[str, float],
    scales: Mapping[str, float],
    scheme: str,
    by: int,
    width: int,
    *,
    strength: float = 1.0,
) -> str:
    """Say whether moving all positions on changes the weights between the words.

    It is called as `shift` is, with the strength of every scheme.
    """
    if by == 0:
        return "Nothing has been shifted yet: move the slider."
    if strength == 0:
        return (
            f"All words move on by {_places(by)}, but at strength 0 no scheme tells where a word stands: "
            f"every weight stays (largest change {_rounding(max(errors.values()))})."
        )
    kept, lost = _kept(errors, scales)
    if scheme == "none":
        first = "Without positions there is nothing to shift."
    elif scheme in kept:
        first = (
            f"All words move on by {_places(by)}, and under {scheme} every weight stays (largest change "
            f"{_rounding(errors[scheme])})."
        )
    else:
        alone = SCHEMES[scheme].sees_offsets_only(width)
        which = "e · p, which is another number" if alone else "e · p, and positions p · p: other numbers"
        first = (
            f"All words move on by {_places(by)}, and under {scheme} a weight changes by up to "
            f"{number(errors[scheme], 3)}: words meet positions, {which} at another place."
        )
    if not lost:
        return f"{first} On these words nothing tells the schemes apart."
    relative = f"Weights stay under {listed(kept)}; they" if kept else "They"
    return f"{first} {relative} change under {listed(lost)}."


def encoding(values: Numbers, scheme: str, base: float, layout: str) -> str:
    """Say what the map of an encoding (length, d_model) shows."""
    if not values.any():
        return _NOTHING.get(scheme, "Every position here has a vector of zeros.")
    if scheme == "sinusoidal":
        return _waves(*values.shape, base=base, layout=layout)
    if scheme == "ramp":
        return "Every dimension holds the same number, so a position is told by length alone."
    if scheme == "learned":
        return _table(values)
    longest = int(np.linalg.norm(values, axis=1).argmax())
    return f"Each row is what its position adds to a word; the longest vector is that of position {longest}."


_NOTHING = {"none": "Without positions nothing is added: every position has a vector of zeros."}


def _waves(length: int, width: int, *, base: float, layout: str) -> str:
    n_wave = (width + 1) // 2
    slowest = 2 * np.pi * base ** (2 * (n_wave - 1) / width)
    if n_wave == 1 or base == 1:
        many = "All waves repeat" if n_wave > 1 else "The wave repeats"
        last = "every 6.28 positions, and so do the rows" if width > 1 else "every 6.28 positions"
        first = f"{many} {last}."
    else:
        halves = "The sines come first, then the cosines, each from fast waves to slow ones"
        order = "Dimensions go from fast waves to slow ones" if layout == "interleaved" else halves
        turns = "comes round" if slowest <= length - 1 else "does not come round"
        first = (
            f"{order}: the first repeats every 6.28 positions, the last every "
            f"{number(slowest)}. Within {length} position{'s' * (length > 1)} the slowest {turns}."
        )
    return f"{first} The last sine has no cosine, for the width is odd." if width % 2 else first


def _table(values: Numbers) -> str:
    lengths = np.linalg.norm(values, axis=1)
    if len(values) < 2:
        return "A trained table, scaled by one number: its first row, which belongs to the [CLS] token."
    longest = int(lengths.argmax())
    times = lengths[longest] / np.median(np.delete(lengths, longest))
    cls = " (it belongs to the [CLS] token)" if longest == 0 else ""
    return (
        f"A trained table, scaled by one number: position {longest} has the longest vector{cls}, "
        f"{number(times, 3)} times as long as the others' median."
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
        return "Without positions every pair of positions looks the same."
    low, mean, high = bands
    centre, known = len(mean) // 2, ~np.isnan(mean)
    if not known.any():
        return "Every position here has a vector of zeros, which has no direction and no cosine."
    told, pairs = "", "Pairs"
    if with_cls is not None:
        most = number(with_cls)
        told = f"Position 0 is that of [CLS]; with it pairs at the same offset differ by up to {most}. "
        pairs = "Without it pairs"
    elif zeros:
        told = f"The vector of position {listed([str(zero) for zero in zeros])} is zero and has no cosine. "
    if known.sum() == 1:
        return f"{told}One position has nothing to be compared with."
    spread, scale = float(np.nanmax(high - low)), float(np.nanmax(np.abs([low, high])))
    rounding = ROUNDING * max(scale, 1.0)
    if spread > rounding:
        why = f" ({LONE_SINE})" if scheme.name == "sinusoidal" and width % 2 else ""
        first = f"{pairs} at the same offset differ, by up to {number(spread)}: the place itself counts{why}."
    elif np.nanmax(mean) - np.nanmin(mean) <= rounding:
        same = f"{told}Every pair has the same {quantity}, {number(mean[centre], 3)}"
        return f"{same}: neither place nor offset counts."
    else:
        first = (
            "All pairs at the same offset agree, to rounding (the band has no width): only the offset counts."
        )
    near = [f"{number(mean[centre + offset], 3)} at offset {offset}" for offset in (0, 1)]
    return f"{told}{first} The mean {quantity} is {listed(near)}."


def turning(score: float, at_zero: float, place: int, offset: int) -> str:
    """Say that the score of a turned query and key does not depend on where both stand."""
    return (
        f"The query stands at {place}, the key {offset} further: both have turned, and the angle between "
        f"them is that of the offset. Their score is {fixed(score, 4)}; at positions 0 and {offset} it is "
        f"{fixed(at_zero, 4)} (difference {_rounding(abs(score - at_zero))})."
    )


def bias(from_first: Numbers, scheme: str, head: int) -> str:
    """Say what a head's bias does to far keys.

    Args:
        from_first: every head's bias of the query at position 0 for every key, (n_head, n_key).
        scheme: "ALiBi" or "buckets".
        head: which one, from 0.
    """
    if scheme == "buckets":
        return (
            "Near offsets have a bias each, far ones share: steps widen with distance. These biases are "
            "drawn from the seed; a model would have learned them."
        )
    n_head, n_key = from_first.shape
    if n_key < 2:
        return "With one position there is no distance to penalise."
    slopes = from_first[:, 0] - from_first[:, 1]
    steeper, gentler = int((slopes > slopes[head]).sum()), int((slopes < slopes[head]).sum())
    return (
        f"Head {head + 1} takes {slopes[head]:.4g} off the score for each step of distance: a key one step "
        f"away keeps {np.exp(-slopes[head]):.3f} of its weight before the rows are normalised. Of the "
        f"{n_head} heads {gentler} look{'s' * (gentler == 1)} further, {steeper} less far."
    )


def far(curves: Mapping[str, Numbers], returns: Mapping[str, int], trained: int) -> str:
    """Say where similarity comes back, and where it decays, past the training length."""
    alibi = curves["ALiBi"]
    end = len(alibi) - 1
    return (
        f"Trained on {trained} positions (unshaded), used on {len(alibi)}. Past them "
        f"{_back('the sinusoidal product', curves['sinusoidal'], returns.get('sinusoidal'))}, "
        f"{_back('the rotary score of one vector', curves['rotary'], returns.get('rotary'))}. "
        f"ALiBi decays: at offset {end} its factor is {number(alibi[-1], 2)}. "
        "A learned table has no row past its last. Use past the trained length is called length "
        "extrapolation."
    )


def _back(what: str, curve: Numbers, at: int | None) -> str:
    if np.isnan(curve).any():
        return f"{what} says nothing (a lone sine is 0 at position 0)"
    if at is None:
        return f"{what} keeps falling, to {_share(curve[-1])} of its largest at offset {len(curve) - 1}"
    return f"{what} comes back to {_share(curve[at])} of its largest at offset {at}"


def _share(value: float) -> str:
    return fixed(value, 2)


def _rounding(difference: float) -> str:
    return "exactly 0" if difference == 0 else f"{number(difference, 2)}, rounding"


PARTS = {
    "nothing": "Without positions the words alone decide.",
    "vector": "Adding a vector to each word makes four products of one: words and positions also mix.",
    "rotation": "Turning adds no vector; it changes the angle between query and key by that of their offset.",
    "bias": "The bias depends on where the words stand and not on which they are.",
}


def mistake(check: str, measure: str, measured: tuple[float, float], holds: tuple[bool, bool]) -> str:
    """Say which check the broken one fails, with the numbers of both."""
    right, broken = (number(abs(each)) for each in measured)
    first = f"The check: *{check}* Measured ({measure}): right {right}, broken {broken}."
    verdicts = {
        (True, False): "The right one passes; **the broken one fails**.",
        (True, True): "At these settings both pass: the mistake does not show here.",
        (False, True): "At these settings it is the right one that fails, so the check tells nothing here.",
        (False, False): "At these settings the right one fails too, so the check tells nothing here.",
    }
    return f"{first} {verdicts[holds]}"
