"""The weights of one trained head on six sentences, computed once by `docs/weigh_sentences.py`."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from attn_core import label_tokens

FILE = Path(__file__).with_suffix(".json")
LAYER, HEAD = 4, 2  # counted from 1
MILLION = 1_000_000


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence: the names of its tokens, the index of the one chosen first, the head's weights (n, n)."""

    text: str
    tokens: tuple[str, ...]
    opens: int
    weights: NDArray[np.float64]


def _load() -> dict[str, Sentence]:
    records = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        text: Sentence(
            text, tuple(label_tokens(each["tokens"])), each["opens"], np.array(each["weights"]) / MILLION
        )
        for text, each in records.items()
    }


SENTENCES = _load()
