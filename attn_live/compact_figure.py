"""The same figure in fewer bytes, for pages that are built once and read often.

`packing.pack` is made for a server that packs at every change; here time is cheap. Nothing is rounded.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from attn_live.arrays import IndexedItems
from attn_live.packing import PREFIX_BYTES, pack
from attn_live.unpacking import body_of, count_steps, unpack

_LEVEL = 9
_LENGTHS = 8  # bytes before the header: its length, and how many words follow it


def deflate(data: bytes) -> bytes:
    """Return data deflated (RFC 1950) as small as zlib can."""
    return zlib.compress(data, _LEVEL)


def deflate_again(payload: bytes) -> bytes:
    """Recompress data as small as zlib can.

    >>> hasty = zlib.compress(b"attention " * 50, 1)
    >>> zlib.decompress(deflate_again(hasty)) == zlib.decompress(hasty)
    True
    """
    return deflate(zlib.decompress(payload)) if payload else payload


def keep_widths(payload: bytes, widths: Sequence[int]) -> bytes:
    """Return a packed figure with only those of its arrangements for pages that some widths need.

    Those for slides and projectors stay. A figure without arrangements is only deflated well.

    Args:
        payload: the result of `packing.pack`.
        widths: pixels of the pages that will show it.
    """
    body = body_of(payload)
    header, end = _header(body)
    if header["screens"]:
        header["screens"] = _tables_for(header["screens"], widths)
    text = json.dumps(header, separators=(",", ":")).encode()
    rest = body[4:_LENGTHS] + text + body[end:]
    return payload[:PREFIX_BYTES] + deflate(len(text).to_bytes(4, "little") + rest)


def keep_steps(payload: bytes, steps: Sequence[int]) -> bytes:
    """Return a packed figure with some of its steps alone."""
    figures, cursor = unpack(payload)
    if cursor is not None:
        by_step = {
            path: values.at_steps(steps)
            if isinstance(values, IndexedItems)
            else [values[step] for step in steps]
            for path, values in cursor.by_step.items()
        }
        cursor = replace(cursor, by_step=by_step)
    return pack([figures[step] for step in steps], cursor)


def heights_at(payload: bytes, width: int) -> list[int]:
    """Return the pixels of height that each step takes in room of a width; height is no bound."""
    header, _end = _header(body_of(payload))
    screens = header["screens"]
    if not screens:
        figures, _ = unpack(payload)
        return [int(figure["layout"].get("height") or 450) for figure in figures]
    of_table = [table["height"][_index(table, width)] for table in screens["tables"]]
    return [of_table[screens["at"][step]] for step in range(count_steps(payload))]


def _header(body: bytes) -> tuple[dict[str, Any], int]:
    """Return a body's header, its arrays unread, and where it ends."""
    end = _LENGTHS + int.from_bytes(body[:4], "little")
    header: dict[str, Any] = json.loads(body[_LENGTHS:end])
    return header, end


def _index(table: dict[str, Any], width: int) -> int:
    """Return the arrangement that a page takes at a width: the widest that fits, or the narrowest."""
    of_pages = [i for i, is_slide in enumerate(table["slide"]) if not is_slide]
    fitting = [i for i in of_pages if table["width"][i] <= width]
    return fitting[-1] if fitting else of_pages[0]


def _tables_for(screens: dict[str, Any], widths: Sequence[int]) -> dict[str, Any]:
    tables = screens["tables"]
    counts = {len(table["width"]) for table in tables}
    indices = {_index(table, width) for table in tables for width in widths}
    columns = [
        i
        for i in range(max(counts))
        if i in indices or any(i < len(table["slide"]) and table["slide"][i] for table in tables)
    ]
    return {**screens, "tables": [_columns_at(table, columns) for table in tables]}


def _columns_at(table: dict[str, Any], columns: Sequence[int]) -> dict[str, Any]:
    count = len(table["width"])
    here = [i for i in columns if i < count]

    def pick(column: list[Any] | None) -> list[Any] | None:
        return column if column is None or len(column) != count else [column[i] for i in here]

    own = {name: pick(column) for name, column in table.items() if name != "settings"}
    return own | {"settings": {name: pick(column) for name, column in table["settings"].items()}}
