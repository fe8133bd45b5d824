"""What a live figure's message holds, for tests that look into one."""

import json
import zlib
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


def caption_at(payload: bytes, step: int, row: int = 0) -> list[tuple[str, str]]:
    """Return the runs of one caption out of the result of `pack_captions`."""
    table = json.loads(zlib.decompress(payload))
    numbers = _numbers(table)
    ends = [place for place, number in enumerate(numbers) if number < 0]
    before, here = table["next"][:step], table["next"][step]
    rows = [here] if isinstance(here, int) else here[: row + 1]
    text = sum(each if isinstance(each, int) else sum(each) for each in before) + sum(rows)
    start = ends[text - 1] + 1 if text else 0
    return [(role, words) for role, words in (table["runs"][run] for run in numbers[start : ends[text]])]


def _numbers(table: dict[str, Any]) -> list[int]:
    """Return the sentences as numbers of runs, each with an end, out of their differences."""
    numbers: list[int] = []
    for place, difference in enumerate(table["texts"]):
        numbers.append(difference + (numbers[place - table["lag"]] if place >= table["lag"] else 0))
    return numbers


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


def stacks() -> dict[str, np.ndarray]:
    """Weights at steps of a temperature, what they are made of, and other numbers: (step, query, key)."""
    generator = np.random.default_rng(3)
    scores = generator.normal(size=(1, 40, 40)) / np.geomspace(0.1, 10, 9)[:, None, None]
    raised = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = raised / raised.sum(axis=2, keepdims=True)
    for stack in (scores, raised, weights):
        stack[:, 3, 5:] = np.nan
    scores[2, 7], scores[:, 11], weights[:, 12] = np.inf, 0, 1e-44 * np.arange(40)
    weights[4, 13, ::2] = 1e38
    return {
        "scores": scores,
        "raised": raised,
        "weights": weights,
        "other": generator.normal(size=(9, 40, 40)),
    }
