"""What a file tells beside its numbers: the order of its layers, tokens, special places, notes, precision."""

import json
from collections.abc import Mapping
from typing import Any

from attn_core.attention_file.stored import Stored
from attn_core.precision import PRECISIONS
from attn_words import _, with_whole_letters

_TOKEN_LETTERS, _NOTE_LETTERS, _MOST_NOTES = 40, 300, 4


def listed(name: str, given: Any, most: int) -> tuple[list[Any] | None, int]:
    """Return the first of what a file tells as a list, and how many there are; None where it tells nothing.

    An array is counted by its shape before it is read, a text is JSON.

    Raises ValueError for what is no list.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                _("{name} in the metadata must be a JSON list; it is none", name=name)
            ) from error
    if given is None:
        return None, 0
    if isinstance(given, Stored) and len(given.shape) == 1:
        try:
            return given.read()[:most].tolist(), given.shape[0]
        except (ValueError, SystemError) as error:  # numbers that are no letters
            raise ValueError(
                _("{name} must be a list that can be read; got one that is damaged", name=name)
            ) from error
    if not isinstance(given, list):
        raise ValueError(_something_else(name))
    return given[:most], len(given)


def _something_else(name: str) -> str:
    if name.endswith("tokens"):
        return _("{name} must be a list of texts, one for each place; got something else", name=name)
    if name == "special":
        return _("special must be a list of places, whole numbers from 0; got something else")
    return _("{name} must be a list; got something else", name=name)


def tokens(name: str, given: Any, longest: int, most: int) -> tuple[tuple[str, ...] | None, int | None]:
    """Return the names of places, and how many there are; those of places cut away are left out."""
    found, count = listed(name, given, most)
    if found is None:
        return None, None
    if not all(isinstance(token, str) for token in found):
        raise ValueError(_something_else(name))
    read = tuple(with_whole_letters(token[:_TOKEN_LETTERS]) for token in found)
    return read, min(count, most) if longest > most else count


def special(given: Any, named: tuple[str, ...] | None) -> tuple[int, ...]:
    """Return the places of tokens that stand for no word."""
    found, _count = listed("special", given, 10_000)
    if found is None or named is None:
        return ()
    if not all(type(place) is int for place in found):
        raise ValueError(_something_else("special"))
    return tuple(place for place in dict.fromkeys(found) if 0 <= place < len(named))


def order(given: Any, most: int) -> list[str] | None:
    """Return the names of the layers in the order in which they ran."""
    found, _count = listed("names", given, most)
    return None if found is None else [with_whole_letters(str(name)[:1_000]) for name in found]


def notes(given: Any) -> list[str]:
    """Return sentences on what was left out when the file was written."""
    found, _count = listed("notes", given, _MOST_NOTES)
    return [with_whole_letters(note[:_NOTE_LETTERS]) for note in found or [] if isinstance(note, str)]


def precision(told: Mapping[str, Any]) -> str | None:
    """Return the coarsest format that the numbers have gone through, by the file's own word."""
    found, _count = listed("precision", told.get("precision"), 1)
    if found is None:
        return None
    if len(found) != 1 or found[0] not in PRECISIONS:
        raise ValueError(
            _("precision must be one of {names}; got something else", names=", ".join(PRECISIONS))
        )
    return str(found[0])
