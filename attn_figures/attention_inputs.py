"""Attention from any library, read into one array of layers, heads, queries and keys."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]

WANTED = "(layers, heads, n, n), (heads, n, n), (n, n), or a list of layers"
MOST_NUMBERS = 3_000_000  # in one figure of Plotly; more make a page that no notebook opens
MOST_BYTES = 1_000_000_000  # of all weights of one widget, in their own type
ROUNDING = 0.01  # by which half precision may exceed 1


def read_array(values: Any) -> Numbers:
    """Return numbers as numpy, from a tensor of any library, an array, or nested lists.

    A tensor is detached and brought to the processor first, by its own methods; types that numpy does not
    know (bfloat16) come as float32.

    >>> read_array([[1, 0], [0.5, 0.5]]).shape
    (2, 2)

    Raises:
        ValueError: if values are not real numbers, have rows of unequal length, or are masked or sparse.
    """
    if np.ma.isMaskedArray(values):
        raise ValueError("wanted plain numbers, got a masked array: fill it first, as with .filled(0)")
    for bring in ("detach", "cpu"):
        if hasattr(values, bring):
            values = getattr(values, bring)()
    try:
        array = np.asarray(values)
    except TypeError as error:  # torch raises it for bfloat16 and for sparse tensors
        if not hasattr(values, "float") or getattr(values, "is_sparse", False):
            raise ValueError(f"wanted an array of numbers, got {type(values).__name__}: {error}") from error
        array = np.asarray(values.float())
    except ValueError as error:
        raise ValueError(f"wanted an array of numbers, got {type(values).__name__}: {error}") from error
    if array.dtype.kind == "V" and hasattr(values, "astype"):  # bfloat16 as jax gives it
        array = np.asarray(values.astype("float32"))
    if array.dtype.kind not in "buif":
        raise ValueError(
            f"wanted an array of numbers, got {type(values).__name__} of {array.dtype}: {values!r:.60}"
        )
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)


def read_attentions(attentions: Any) -> Numbers:
    """Return weights as (layers, heads, n_query, n_key).

    Args:
        attentions: (layers, heads, n_query, n_key), (heads, n_query, n_key) or (n_query, n_key); or a list of
            layers, as transformers gives them: each (1, heads, n, n), (heads, n, n) or (n, n).

    Raises:
        ValueError: for a batch of more than one, layers of unequal shape, too many numbers, or numbers that
            are no weights.
    """
    if isinstance(attentions, list | tuple) and len(attentions) and not _is_plain(attentions[0]):
        layers = [_one_layer(layer, number) for number, layer in enumerate(attentions)]
        shapes = sorted({layer.shape for layer in layers})
        if len(shapes) > 1:
            raise ValueError(
                f"all layers must have one shape, got {', '.join(map(str, shapes))}: show them one by one"
            )
        weights = np.stack(layers)
    else:
        weights = read_array(attentions)
        if weights.ndim == 5:
            if weights.shape[1] != 1:
                raise _batch(weights.shape[1], weights.shape)
            weights = weights[:, 0]
        if not 2 <= weights.ndim <= 4:
            raise ValueError(f"wanted weights as {WANTED}, got shape {weights.shape}")
        weights = weights.reshape((1,) * (4 - weights.ndim) + weights.shape)
    _check(weights)
    return weights


def _is_plain(first: Any) -> bool:
    """Whether a list's first item is a number, or a row of numbers: then the list is an array itself."""
    while isinstance(first, list | tuple) and len(first):
        first = first[0]
    return isinstance(first, int | float | str)


def _one_layer(layer: Any, number: int) -> Numbers:
    if layer is None or (isinstance(layer, list | tuple) and not _is_plain(layer)):
        raise ValueError(
            f"wanted an array as layer {number}, got {type(layer).__name__}: of a model's output take "
            "`attentions`, with output_attentions=True and eager attention; of generated text, one step's"
        )
    weights = read_array(layer)
    if weights.ndim == 4:
        if weights.shape[0] != 1:
            raise _batch(weights.shape[0], weights.shape)
        weights = weights[0]
    if weights.ndim not in (2, 3):
        raise ValueError(
            f"wanted each layer as (1, heads, n, n), (heads, n, n) or (n, n), got {weights.shape} "
            f"as layer {number}"
        )
    return weights if weights.ndim == 3 else weights[None]


def _batch(size: int, shape: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"wanted one sequence, got a batch of {size} in {shape}: choose one, such as "
        "[layer[0] for layer in attentions]"
    )


def _check(weights: Numbers) -> None:
    if weights.size == 0:
        raise ValueError(f"wanted weights as {WANTED}, got shape {weights.shape}, which holds none")
    if weights.nbytes > MOST_BYTES:
        raise ValueError(
            f"the weights may take {MOST_BYTES:,} bytes, these take {weights.nbytes:,}: show fewer layers, "
            "such as attentions[:2], or float32"
        )
    low, high = float(weights.min()), float(weights.max())  # NaN where any number is
    if not np.isfinite([low, high]).all():
        broken = int(np.sum(~np.isfinite(weights)))
        raise ValueError(f"wanted weights from 0 to 1; {broken:,} of {weights.size:,} are NaN or infinite")
    if low < 0 or high > 1 + ROUNDING:
        raise ValueError(
            f"wanted weights from 0 to 1, got {low:.4g} to {high:.4g}: are these scores, before the softmax?"
        )


def read_words(words: Sequence[object] | None, count: int, what: str) -> list[str]:
    """Return a label for each place: its word, or without words its number, counted from 1.

    >>> read_words(None, 3, "keys")
    ['1', '2', '3']

    Raises:
        ValueError: if the number of words is not ``count``.
    """
    if words is None:
        return [str(place) for place in range(1, count + 1)]
    if isinstance(words, str):
        raise ValueError(f"wanted {count} tokens, one a place of the {what}, got one string: split it first")
    if len(words) != count:
        raise ValueError(f"wanted {count} tokens, one a place of the {what}, got {len(words)}")
    return [str(word) for word in words]


def read_places(choice: Sequence[int | str] | None, words: Sequence[str], what: str) -> list[int]:
    """Return the chosen indices; a choice is an index (-1 is the last) or a word, for all its places.

    >>> read_places([0, "c", -1], ["a", "b", "c", "c"], "keys")
    [0, 2, 3]

    Raises:
        ValueError: if nothing is chosen, or an index or word does not exist.
    """
    if choice is None:
        return list(range(len(words)))
    places: dict[int, None] = {}
    for one in choice:
        if isinstance(one, str):
            matches = [place for place, word in enumerate(words) if word == one]
        else:
            matches = [range(len(words))[one]] if -len(words) <= one < len(words) else []
        if not matches:
            raise ValueError(f"there is no {one!r} among the {len(words)} {what}")
        places.update(dict.fromkeys(matches))
    if not places:
        raise ValueError(f"choose at least one of the {len(words)} {what}")
    return list(places)
