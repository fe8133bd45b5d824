"""What a live figure's message holds, for tests that look into one."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_live import paths
from attn_live.arrays import CrossedLabels, _multiple


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


def body_of(payload: bytes) -> bytes:
    """Return a packed message's body as it was before it was deflated."""
    return zlib.decompress(payload[4:])


def figure_at(payload: bytes, step: int, row: int = 0) -> dict[str, Any]:
    """The figure of one step, at one row of its cursor, as a plain dict."""
    header, arrays = read_body(body_of(payload))
    figure: dict[str, Any] = _resolve(header["figure"], arrays)
    for change in header["changes"]:
        values, index = change["values"], change["at"][step]
        value = arrays[values["@"]][index] if isinstance(values, dict) else _resolve(values[index], arrays)
        paths.put(figure, change["path"], value)
    cursor = header["cursor"] or {"changes": [], "copies": []}
    for change in cursor["changes"]:
        paths.put(figure, change["path"], _cursor_value(change, arrays, step, row))
    for copy in cursor["copies"]:
        paths.put(figure, copy["path"], paths.at(figure, copy["of"])[row])
    if header["screens"]:
        paths.put(figure, ("layout", "meta", "screens"), _screens(header["screens"], step))
    return figure


def _cursor_value(change: dict[str, Any], arrays: Sequence[Any], step: int, row: int) -> Any:
    """Return what follows the cursor at a step and a row."""
    values = _resolve(change["values"], arrays)
    if "picked" in change:
        return values[_resolve(change["picked"], arrays)[step][row]]
    return values[step][row] if change["by_step"] else values[row]


def _resolve(value: Any, arrays: Sequence[Any]) -> Any:
    if isinstance(value, dict):
        if "@" in value:
            return arrays[value["@"]]
        return {key: _resolve(inner, arrays) for key, inner in value.items()}
    return [_resolve(inner, arrays) for inner in value] if isinstance(value, list) else value


def _screens(tables_of_screens: dict[str, Any], step: int) -> list[dict[str, Any]]:
    tables = tables_of_screens["tables"]
    table = tables[tables_of_screens["at"][step]]
    settings = tables[0]["settings"] | table["settings"]
    return [
        {name: column[i] for name, column in table.items() if name != "settings"}
        | {
            "settings": {
                name: value
                for name, column in settings.items()
                if column is not None and (value := column[0 if len(column) == 1 else i]) is not None
            }
        }
        for i in range(len(table["width"]))
    ]


def read_body(body: bytes) -> tuple[dict[str, Any], list[Any]]:
    """Return a body's header and its arrays; arrays of words are lists."""
    length, n_words = (int.from_bytes(body[start : start + 4], "little") for start in (0, 4))
    header: dict[str, Any] = json.loads(body[8 : 8 + length])
    start = 8 + length
    planes = np.frombuffer(body, "u1", 4 * n_words, start).reshape(4, n_words)
    words = np.ascontiguousarray(planes.T).view("<i4").reshape(-1)
    arrays: list[Any] = []
    for description in header["arrays"]:
        array = _decode(description, words, body, start + 4 * n_words)
        if "of" in description:
            base, factors = arrays[description["of"]], arrays[description["times"]]
            array = (array.view("<i4") + _multiple(base, factors)).view("<f4")
        arrays.append(array)
    return header, arrays


def _decode(description: dict[str, Any], words: NDArray[np.int32], body: bytes, start: int) -> Any:
    if "text" in description:
        return description["text"]
    if "rows" in description:
        return CrossedLabels(description["rows"], description["columns"]).tolist()
    dtype, shape, at = np.dtype(description["type"]), description["shape"], description["at"]
    size = int(np.prod(shape))
    if dtype.itemsize == 1:
        return np.frombuffer(body, dtype, size, start + at).reshape(shape)
    zigzag = words[at : at + size * dtype.itemsize // 4]
    numbers = (zigzag.view("<u4") >> 1).view("<i4") ^ -(zigzag & 1)
    for _ in range(2):
        numbers = _sum(numbers, description["above"])
    return numbers.view(dtype).reshape(shape)


def _sum(differences: NDArray[np.int32], above: int) -> NDArray[np.int32]:
    rows = np.pad(differences, (0, -len(differences) % above)).reshape(-1, above)
    total: NDArray[np.int32] = np.cumsum(rows, axis=0, dtype=np.int32).reshape(-1)[: len(differences)]
    return total
