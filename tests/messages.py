"""What a live figure's message holds, for tests that look into one."""

import json
from typing import Any

import numpy as np


def parts(message: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    """The head, the sentences and the steps of a message."""
    found = []
    for _ in range(2):
        size = int.from_bytes(message[:4], "little")
        found.append(message[4 : 4 + size])
        message = message[4 + size :]
    return json.loads(found[0]), found[1], message


def plain(value: Any) -> Any:
    """Arrays as lists, and what is no number as a word, so that all can be compared."""
    match value:
        case dict():
            return {key: plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
        case np.ndarray():
            return plain(value.tolist())
        case float() if np.isnan(value):
            return "nan"
    return value
