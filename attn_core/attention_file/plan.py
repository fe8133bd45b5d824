"""Which maps a file holds, decided by shapes alone: nothing is read before it is known to fit."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from attn_core.attention_file.stored_arrays import MAX_BYTES, StoredArray
from attn_words import N_, _

MAX_PLACES = 4096
"""How many queries and keys of a map are kept."""
_AXES = N_("{name} must have axes {axes}; got {array}")
MAX_HEADS = 256
_NAME_LETTERS = 120
_BYTES = 4  # per weight that is kept


@dataclass(frozen=True, eq=False)
class MapPlan:
    """A map to read: its name, its index in an array, and how many of its heads are kept."""

    name: str
    array: StoredArray
    index: tuple[int, ...]
    heads: int

    @property
    def cost(self) -> int:
        """Bytes that one head takes once it is cut."""
        places = [min(side, MAX_PLACES) for side in self.sides]
        return places[0] * places[1] * _BYTES

    @property
    def sides(self) -> tuple[int, int]:
        """Queries and keys, before they are cut."""
        return self.array.shape[-2], self.array.shape[-1]


@dataclass(frozen=True, eq=False)
class ProjectionPlan(MapPlan):
    """A map to compute from queries and keys."""

    keys: StoredArray

    @property
    def sides(self) -> tuple[int, int]:
        """Queries and keys, before they are cut."""
        return self.array.shape[-2], self.keys.shape[-2]


def plan_weights(layers: Mapping[str, StoredArray], order: Sequence[str] | None) -> list[MapPlan]:
    """Plan a map for each layer.

    A single array of four axes is (layer, head, query, key). Where there is an array per layer, four axes are
    (batch, head, query, key), as transformers returns them, and each sequence has its map; five axes are
    always (layer, batch, head, query, key).
    """
    for name, each in layers.items():
        check_shape(name or "weights", each, (3, 4, 5))
    names = natural(layers)
    if order is not None and sorted(order) == sorted(layers):
        names = list(order)
    several = {each.shape[-4] for each in layers.values() if len(each.shape) > 3 and len(names) > 1}
    front = "sequence" if len(several) < 2 else "part"  # batches of unequal size are windows (Swin)
    plans: list[MapPlan] = []
    for name in names:
        each = layers[name]
        plans += [
            MapPlan(_map_name(name, each, index, front, several=len(names) > 1), each, index, each.shape[-3])
            for index in _indices(each.shape[:-3])
        ]
    return _number_duplicates(plans)


def _indices(front: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the indices into the axes before the heads, at most ``MAX_HEADS`` + 1 of them."""
    places: list[tuple[int, ...]] = [()]
    for side in front:
        places = [(*place, i) for place in places for i in range(min(side, MAX_HEADS))][: MAX_HEADS + 1]
    return places


def _map_name(name: str, array: StoredArray, index: tuple[int, ...], of: str, *, several: bool) -> str:
    """Return the name of a map: its layer, and its number in a batch of several."""
    front = array.shape[:-3]
    if not front:
        return name[-_NAME_LETTERS:] or "layer 0"
    if len(front) == 1 and not several:
        return f"layer {index[0]}"
    layer = f"layer {index[0]}" if len(front) == 2 else ""
    label = " ".join(filter(None, (name[-_NAME_LETTERS:] if several else "", layer)))
    return label if front[-1] == 1 else f"{label}, {of} {index[-1]}"


def _number_duplicates(plans: list[MapPlan]) -> list[MapPlan]:
    """Append a number to each map name that equals an earlier one, as long names do once shortened."""
    times: dict[str, int] = {}
    unlike: list[MapPlan] = []
    for each in plans:
        times[each.name] = times.get(each.name, 0) + 1
        again = times[each.name]
        unlike.append(each if again == 1 else replace(each, name=f"{each.name} ({again})"))
    return unlike


def plan_projections(arrays: Mapping[str, StoredArray]) -> list[MapPlan]:
    """Plan a map for each layer of Q and K."""
    layers = {name: arrays[name] for name in "QKV" if name in arrays}
    shapes = ", ".join(each.description for each in layers.values())
    for name, each in layers.items():
        check_shape(name, each, (3, 4))
    q, k, v = (layers.get(name) for name in "QKV")
    if q is None or k is None or q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(
            _(_AXES, name="Q, K", axes="(…, head, query, d_k), (…, head, key, d_k)", array=shapes)
        )
    if v is not None and v.shape[:-1] != k.shape[:-1]:
        raise ValueError(_(_AXES, name="V", axes="(…, head, key, d_v)", array=shapes))
    indices = _indices(q.shape[:-3])
    return [
        ProjectionPlan(f"layer {number}", q, index, q.shape[-3], k) for number, index in enumerate(indices)
    ]


def check_shape(name: str, array: StoredArray, axes: tuple[int, ...]) -> None:
    """Refuse an array that cannot be weights, queries or keys."""
    if len(array.shape) not in axes or 0 in array.shape:
        last = "query, key" if 5 in axes else "place, d"
        either = _("{first} or {other}", first=f"(head, {last})", other=f"(layer, head, {last})")
        raise ValueError(_(_AXES, name=name[:40], axes=either, array=array.description))
    if array.kind != "f":
        raise ValueError(
            _(
                "{name} must hold floating-point numbers; got {format} in {array}",
                name=name[:40],
                format=array.format,
                array=array.description,
            )
        )


def natural(layers: Iterable[str]) -> list[str]:
    """Sort names by their numbers: layer 2 before layer 10."""
    return sorted(
        layers,
        key=lambda name: [
            (len(part), part) if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)
        ],
    )


def affordable(plans: list[MapPlan], notes: list[str]) -> list[MapPlan]:
    """Return the maps that fit into memory: whole layers, or as many heads of the first as fit.

    The limits are ``MAX_HEADS`` heads, and ``MAX_BYTES`` for the parts of them that are kept.
    """
    arrays = {id(each.array): each.array for each in plans}
    total = sum(math.prod(array.shape[:-2]) for array in arrays.values())
    selection: list[MapPlan] = []
    heads, room = MAX_HEADS, MAX_BYTES
    for each in plans:
        fits = min(each.heads, heads, room // each.cost)
        if fits == each.heads or (fits and not selection):
            selection.append(replace(each, heads=fits))
            heads -= fits
            room -= fits * each.cost
        else:
            break
    if MAX_HEADS - heads < total:
        notes.append(
            _(
                "The file has {total} heads; the first {count} are shown.",
                total=f"{total:,}",
                count=MAX_HEADS - heads,
            )
        )
    return selection
