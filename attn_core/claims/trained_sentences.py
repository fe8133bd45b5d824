"""What the heads of all-MiniLM-L6-v2 do with sentences, computed once by `docs/weigh_sentences.py`."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from attn_core.claims.measurements import Study

FILE = Path(__file__).with_suffix(".json")
UNIT = 10_000  # the file holds whole numbers: measurements times this


@cache
def sentence_records() -> Any:
    """Return the records by name: "pairs" (first the head of each layer, then sentences) and "layers"."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def pronoun_weights(layers: Sequence[int]) -> Study:
    """Measure the weights from a pronoun to the right noun and to the other, in one head of each layer.

    The head has most weight on the two nouns. A row is a pair of sentences, where one word swaps the nouns.

    >>> pronoun_weights([4]).measures["weight of the pronoun"]["the noun meant"].shape
    torch.Size([10, 1])
    """
    _heads, *pairs = sentence_records()["pairs"].values()
    # (n_pair, sentence, n_layer, noun)
    nouns = torch.tensor(pairs, dtype=torch.float64)[:, :, torch.tensor(layers) - 1] / UNIT
    meant = torch.stack([nouns[:, 0, :, 0], nouns[:, 1, :, 1]])
    other = torch.stack([nouns[:, 0, :, 1], nouns[:, 1, :, 0]])
    right = (meant > other).double().mean(dim=0)
    weights = {"the noun meant": meant.mean(dim=0), "the other noun": other.mean(dim=0)}
    picks = {"this head": right, "chance": torch.full_like(right, 0.5)}
    return Study("layers", tuple(layers), {"weight of the pronoun": weights, "picks the noun meant": picks})


def reach_of_layers(layers: Sequence[int]) -> Study:
    """Measure the distance of each layer's attention, and its effective keys; a row is a sentence.

    >>> sorted(reach_of_layers([1, 6]).measures)
    ['distance', 'effective keys']
    """
    records = [*sentence_records()["layers"].values()]
    at = torch.tensor(layers) - 1
    distance, keys = (
        torch.tensor([each[place] for each in records], dtype=torch.float64)[:, at] / UNIT for place in (1, 2)
    )
    n = torch.tensor([each[0] for each in records], dtype=torch.float64)[:, None].expand_as(distance)
    distances = {"attention": distance, "equal weights": (n * n - 1) / (3 * n)}
    measures = {"distance": distances, "effective keys": {"attention": keys, "equal weights": n}}
    return Study("layers", tuple(layers), measures)
