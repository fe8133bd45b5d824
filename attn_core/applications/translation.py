"""A sentence and its translation, with query and key vectors set by hand from their grammar."""

import torch
from jaxtyping import Float
from torch import Tensor

SOURCE = ("the", "black", "cat", "drinks", "cold", "milk")
TARGET = ("le", "chat", "noir", "boit", "du", "lait", "froid")
# For each French word the English word that it translates, and the one that decides its form; "" for none.
_NEEDS = {
    "le": ("the", "cat"),
    "chat": ("cat", ""),
    "noir": ("black", "cat"),
    "boit": ("drinks", "cat"),
    "du": ("", "milk"),
    "lait": ("milk", ""),
    "froid": ("cold", "milk"),
}


def alignment() -> tuple[Float[Tensor, "n_query d_k"], Float[Tensor, "n_key d_k"]]:
    r"""Return the queries of the French words and the keys of the English ones, set by hand.

    $$k_j = e_j, \qquad q_i = e_{t(i)} + \tfrac12 e_{f(i)}$$

    Key j is the unit vector of its own word. A query has 1 for the word t(i) that it translates and 1/2 for
    the word f(i) that decides its form: *le* and *noir* agree with *chat*, and *boit* with its subject. *du*
    translates nothing, and *chat* and *lait* need no other word.

    >>> query, key = alignment()
    >>> (query @ key.T)[TARGET.index("noir")].tolist()
    [0.0, 1.0, 0.5, 0.0, 0.0, 0.0]
    """
    key = torch.eye(len(SOURCE), dtype=torch.float64)
    query = torch.zeros(len(TARGET), len(SOURCE), dtype=torch.float64)
    for row, word in enumerate(TARGET):
        for share, word_needed in zip((1.0, 0.5), _NEEDS[word], strict=True):
            if word_needed:
                query[row, SOURCE.index(word_needed)] = share
    return query, key


def source_word(word: str) -> str:
    """Return the English word that a French word of the sentence translates; "" where there is none.

    >>> source_word("noir"), source_word("du")
    ('black', '')
    """
    return _NEEDS[word][0]
