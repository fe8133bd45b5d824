"""Sentences about what the positional-encoding page shows: numbers in, words out."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_ui.frame import plain

Numbers = NDArray[np.float64]
SAME = 5e-7  # weights that agree to six digits are called equal


def attention(labels: Sequence[str], before: Numbers, after: Numbers, scheme: str, strength: float) -> str:
    """Say what positions change in a map of weights.

    Args:
        labels: the words.
        before, after: weights (n, n) without and with positions.
        scheme: its name.
        strength: what the encoding is multiplied by.
    """
    n = len(labels)
    if scheme == "none" or strength == 0:
        return f"Without positions {_bag(labels, before)}"
    if n == 1:
        return "One word attends to itself whatever its position: its weight is 1."
    change = after - before
    query, key = divmod(int(np.abs(change).argmax()), n)
    verb = "rises" if change[query, key] > 0 else "falls"
    return (
        f"Without positions {_bag(labels, before)} With them the largest change is at "
        f"**{plain(labels[query])}** looking at **{plain(labels[key])}**: its weight {verb} from "
        f"{before[query, key]:.3f} to {after[query, key]:.3f}."
    )


def _bag(labels: Sequence[str], weights: Numbers) -> str:
    """Point at two equal rows of one word, the sign that order is invisible."""
    for first in range(len(labels)):
        for second in range(first + 1, len(labels)):
            if labels[second].startswith(labels[first]) and np.allclose(
                weights[first], weights[second], rtol=0, atol=SAME
            ):
                return (
                    f"**{plain(labels[first])}** and **{plain(labels[second])}** have the same row: "
                    "the word counts, not its place."
                )
    return "the map would follow the words to any order: the word counts, not its place."


def two_schemes(labels: Sequence[str], one: Numbers, other: Numbers, names: tuple[str, str]) -> str:
    """Say where two schemes disagree most."""
    change = other - one
    if np.abs(change).max() < SAME:
        return f"{names[0]} and {names[1]} give the same weights here, to six digits."
    query, key = divmod(int(np.abs(change).argmax()), len(labels))
    return (
        f"They disagree most at **{plain(labels[query])}** looking at **{plain(labels[key])}**: "
        f"{one[query, key]:.3f} under {names[0]}, {other[query, key]:.3f} under {names[1]}."
    )


def compare(maps: Mapping[str, Numbers]) -> str:
    """Say how far each scheme looks on average."""
    places = {name: np.arange(len(weights)) for name, weights in maps.items()}
    far = {
        name: float((weights * np.abs(places[name][:, None] - places[name])).sum(-1).mean())
        for name, weights in maps.items()
    }
    if len(far) < 2 or len(next(iter(maps.values()))) < 2:
        return "One word attends to itself under every scheme."
    nearest = min(far, key=far.__getitem__)
    return (
        f"Without positions a word looks {far['none']:.2f} places away on average; "
        f"**{nearest}** keeps it closest, at {far[nearest]:.2f}. Every row sums to 1 under each scheme."
    )


def shuffle(shuffled: Sequence[str], errors: Mapping[str, float], scheme: str, strength: float) -> str:
    """Say whether shuffling the words did more than shuffle the output.

    Args:
        shuffled: the words in their new order.
        errors: each scheme's largest difference.
        scheme: the one whose maps are shown.
        strength: what it is multiplied by.
    """
    order = plain(" ".join(shuffled))
    start = f"Shuffled to *{order}*: without positions the output is the same rows in the new order "
    start += f"(largest difference {_rounding(errors['none'])})."
    if scheme == "none" or strength == 0:
        return start
    if errors[scheme] < 1e-9:
        return f"{start} With {scheme} too: in this order of these words it makes no difference."
    return f"{start} With {scheme} it is not: a number of the output differs by {errors[scheme]:.3f}."


def shift(errors: Mapping[str, float], scheme: str, by: float) -> str:
    """Say whether moving all positions on changes what they say of each pair."""
    kept = [name for name, error in errors.items() if error < 1e-9]
    lost = [name for name in errors if name not in kept]
    if by == 0:
        return "Nothing has been shifted yet: move the slider."
    if scheme == "none":
        first = "Without positions there is nothing to shift."
    elif scheme in kept:
        first = (
            f"All positions move on by {by:.0f}, and what {scheme} says of each pair stays "
            f"(largest change {_rounding(errors[scheme])}): only the offset counts."
        )
    else:
        first = (
            f"All positions move on by {by:.0f}, and what {scheme} says of a pair changes by up to "
            f"{errors[scheme]:.3g}: the place itself counts."
        )
    return f"{first} Only the offset counts for {_list(kept)}; not for {_list(lost)}."


def encoding(values: Numbers, scheme: str, base: float) -> str:
    """Say what the map of an encoding (length, d_model) shows."""
    length, width = values.shape
    if scheme == "none":
        return "Without positions nothing is added: every position has a vector of zeros."
    if scheme == "ramp":
        return "Every dimension holds the same number, so a position is told by length alone."
    if scheme == "learned":
        longest = int(np.linalg.norm(values, axis=1).argmax())
        return (
            f"A trained table, scaled by one number: position {longest} has by far the longest vector "
            "(it belongs to the [CLS] token); the others form slow waves that nobody put there."
        )
    slowest = 2 * np.pi * base ** ((2 * ((width - 1) // 2)) / width)
    turns = "comes round within them" if slowest <= length else "does not come round within them"
    return (
        f"Fast waves on the left, slow ones on the right: the first repeats every 6.28 positions, the last "
        f"every {slowest:,.0f}. Of {length} positions the slowest {turns}."
    )


def similarity(low: Numbers, mean: Numbers, high: Numbers, scheme: str, *, cosine: bool) -> str:
    """Say whether the offset alone decides, and what it decides.

    Args:
        low, mean, high: at each offset from 1 - n to n - 1.
        scheme: its name.
        cosine: whether lengths were divided out.
    """
    if scheme == "none":
        return "Without positions every pair of positions looks the same."
    spread = float((high - low).max())
    centre = len(mean) // 2
    if spread > 1e-9:
        first = f"Pairs at the same offset differ, by up to {spread:.3g}: the place itself counts."
    else:
        first = "The band has no width: pairs at the same offset agree to rounding. Only the offset counts."
    if len(mean) == 1:
        return "One position has nothing to be compared with."
    what = "cosine" if cosine else "mean"
    near = f"{mean[centre]:.3g} at offset 0 and {mean[centre + 1]:.3g} at offset 1"
    return f"{first} The {what} is {near}."


def turning(score: float, at_zero: float, shift_by: int, offset: int) -> str:
    """Say that the score of a turned query and key does not depend on where both stand."""
    return (
        f"The query stands at {shift_by}, the key {offset} further: both have turned, and the angle between "
        f"them is that of the offset. Their score is {score:.4f}; at positions 0 and {offset} it is "
        f"{at_zero:.4f} (difference {_rounding(abs(score - at_zero))})."
    )


def bias(from_first: Numbers, scheme: str, head: int) -> str:
    """Say what a head's bias does to far keys.

    Args:
        from_first: the bias of the query at position 0 for every key.
        scheme: "ALiBi" or "buckets".
        head: which one, from 1.
    """
    if scheme == "buckets":
        return (
            "Near offsets have a bias each, far ones share: steps widen with distance. These biases are "
            "drawn from the seed; a model would have learned them."
        )
    if len(from_first) < 2:
        return "With one position there is no distance to penalise."
    slope = float(from_first[0] - from_first[1])
    return (
        f"Head {head} takes {slope:.4g} off the score for each step of distance: a key one step away keeps "
        f"{np.exp(-slope):.3f} of its weight before the rows are normalised. Later heads look further."
    )


def far(curves: Mapping[str, Numbers], returns: Mapping[str, int], trained: int) -> str:
    """Say where similarity comes back, and where it decays, past the training length."""
    wave, turned, alibi = returns["sinusoidal"], returns["rotary"], curves["ALiBi"]
    return (
        f"Trained on {trained} positions (white), used on {len(alibi)}: past them the sinusoidal product "
        f"comes back to {curves['sinusoidal'][wave]:.2f} of its largest at offset {wave}, the rotary score "
        f"of one vector to {curves['rotary'][turned]:.2f} at {turned}. ALiBi decays: at offset "
        f"{len(alibi) - 1} its factor is {alibi[-1]:.1e}. A learned table has no row past its last."
    )


def _rounding(difference: float) -> str:
    return "exactly 0" if difference == 0 else f"{difference:.1e}, rounding"


def _list(names: Sequence[str]) -> str:
    if not names:
        return "none of them"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


PARTS = {
    "nothing": "Without positions the words alone decide.",
    "vector": "Adding a vector to each word makes four products of one: words and positions also mix.",
    "rotation": "Turning adds nothing; it changes the angle between query and key by that of their offset.",
    "bias": "The bias depends on where the words stand and not on which they are.",
}


def mistake(check: str, measure: str, measured: tuple[float, float], holds: tuple[bool, bool]) -> str:
    """Say which check the broken one fails, with the numbers of both."""
    right, broken = (f"{abs(number):.4g}" for number in measured)
    first = f"The check: *{check}* Measured ({measure}): right {right}, broken {broken}."
    if holds == (True, False):
        return f"{first} The right one passes; **the broken one fails**."
    if holds == (True, True):
        return f"{first} At these settings both pass: the mistake does not show here."
    return f"{first} At these settings the right one does not pass either: there are too few waves or words."
