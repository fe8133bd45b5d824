"""The metadata of a file: order of layers, tokens, special positions, notes, precision."""

import json
from collections.abc import Mapping
from typing import Any

from attn_core.attention_file.stored_arrays import StoredArray
from attn_core.precision import PRECISIONS
from attn_words import _, with_whole_letters

_TOKEN_LETTERS, _NOTE_LETTERS, _MOST_NOTES = 40, 300, 4


def read_list(name: str, value: Any, most: int) -> tuple[list[Any] | None, int]:
    """Return the first items of a list in the metadata, and its full length; (None, 0) without such a list.

    The list is an array, whose shape is checked before it is read, or a text in JSON.

    Raises ValueError for a value that is no list.
    """
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(_requirement(name)) from error
    if value is None:
        return None, 0
    if isinstance(value, StoredArray) and len(value.shape) == 1:
        try:
            return value.read()[:most].tolist(), value.shape[0]
        except (ValueError, SystemError) as error:  # codes that are no characters
            raise ValueError(_requirement(name)) from error
    if not isinstance(value, list):
        raise ValueError(_requirement(name))
    return value[:most], len(value)


def _requirement(name: str) -> str:
    if name == "special":
        return _("special must be a list of places, whole numbers from 0; got something else")
    return _("{name} must be a list of texts, as an array or in JSON; got something else", name=name)


def tokens(name: str, value: Any, longest: int, most: int) -> tuple[tuple[str, ...] | None, int | None]:
    """Return the tokens of the positions that are read, and how many the file has (both None without any)."""
    items, count = read_list(name, value, most)
    if items is None:
        return None, None
    if not all(isinstance(token, str) for token in items):
        raise ValueError(_requirement(name))
    names = tuple(with_whole_letters(token[:_TOKEN_LETTERS]) for token in items)
    return names, min(count, most) if longest > most else count


def special(value: Any, names: tuple[str, ...] | None) -> tuple[int, ...]:
    """Return the positions of tokens that stand for no word, such as [CLS]."""
    items, _count = read_list("special", value, 10_000)
    if items is None or names is None:
        return ()
    if not all(type(place) is int for place in items):
        raise ValueError(_requirement("special"))
    return tuple(place for place in dict.fromkeys(items) if 0 <= place < len(names))


def order(value: Any, most: int) -> list[str] | None:
    """Return the names of the layers in the order in which they ran."""
    items, _count = read_list("names", value, most)
    return None if items is None else [with_whole_letters(str(name)[:1_000]) for name in items]


def notes(value: Any) -> list[str]:
    """Return sentences on what was left out when the file was written."""
    items, _count = read_list("notes", value, _MOST_NOTES)
    return [with_whole_letters(note[:_NOTE_LETTERS]) for note in items or [] if isinstance(note, str)]


def precision(metadata: Mapping[str, Any]) -> str | None:
    """Return the coarsest format that the numbers have gone through, as the file says."""
    items, _count = read_list("precision", metadata.get("precision"), 1)
    if items is None:
        return None
    if len(items) != 1 or items[0] not in PRECISIONS:
        raise ValueError(
            _("precision must be one of {names}; got something else", names=", ".join(PRECISIONS))
        )
    return str(items[0])
