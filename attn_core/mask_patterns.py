"""Masks by name: their settings, widths and code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Bool
from torch import Tensor

from attn_core import _require, masks
from attn_words import N_


@dataclass(frozen=True)
class Masking:
    """The settings of a mask except its width; ``blocked_cells`` (query, key) belong to the mask "own"."""

    kind: str = "none"
    dilation: int = 2
    global_tokens: int = 1
    random_blocks: int = 1
    blocked_cells: tuple[tuple[int, int], ...] = ()
    seed: int = 4


@dataclass(frozen=True)
class Pattern:
    """One way of masking.

    ``make`` returns the mask from (masking, n_query, n_key, width), ``widths`` the possible widths for n
    positions, and ``code`` is an expression in i (queries), j (keys), K and the settings themselves, or ""
    where only a list of cells describes the mask.
    """

    make: Callable[[Masking, int, int, int], Tensor]
    width: str = ""  # what its width is called, where it has one
    widths: Callable[[Masking, int], Sequence[int]] = lambda masking, n: (0,)
    code: str = ""


def _square(make: Callable[[Masking, int, int], Tensor]) -> Callable[[Masking, int, int, int], Tensor]:
    """Return a maker of masks that cuts a square mask, as long as the longer side, to (n_query, n_key)."""
    return lambda masking, n_query, n_key, width: make(masking, max(n_query, n_key), width)[:n_query, :n_key]


def _padding(masking: Masking, n_query: int, n_key: int, width: int) -> Tensor:
    return masks.padding_mask([max(0, n_key - width)], n_key)[0].expand(n_query, n_key)


def _block_sparse(masking: Masking, n: int, width: int) -> Tensor:
    others = -(-n // width) - 1
    return masks.block_sparse_mask(n, width, min(masking.random_blocks, others), seed=masking.seed)


def _own(masking: Masking, n: int, width: int) -> Tensor:
    mask = torch.ones(n, n, dtype=torch.bool)
    for query, key in masking.blocked_cells:
        if query < n and key < n:
            mask[query, key] = False
    return mask


MASK_PATTERNS: Mapping[str, Pattern] = MappingProxyType(
    {
        "none": Pattern(
            lambda masking, n_query, n_key, width: torch.ones(n_query, n_key, dtype=torch.bool),
            code="j >= 0",
        ),
        "causal": Pattern(
            lambda masking, n_query, n_key, width: masks.causal_mask(n_query, n_key),
            code="j <= i",
        ),
        "padding": Pattern(
            _padding,
            N_("Padding"),
            lambda masking, n: range(n + 1),
            "j < len(K) - {width}",
        ),
        "sliding window": Pattern(
            _square(lambda masking, n, width: masks.sliding_window_mask(n, width)),
            N_("Window"),
            lambda masking, n: range(n),
            "abs(i - j) <= {width}",
        ),
        "causal window": Pattern(
            _square(lambda masking, n, width: masks.sliding_window_mask(n, width, is_causal=True)),
            N_("Keys before"),
            lambda masking, n: range(n),
            "(j <= i) & (i - j <= {width})",
        ),
        "dilated": Pattern(
            _square(lambda masking, n, width: masks.dilated_mask(n, width, masking.dilation)),
            N_("Window"),
            lambda masking, n: range(-(-(n - 1) // masking.dilation) + 1),
            "(abs(i - j) <= {width} * {dilation}) & ((i - j) % {dilation} == 0)",
        ),
        "global + local": Pattern(
            _square(
                lambda masking, n, width: masks.global_local_mask(
                    n, width, range(min(masking.global_tokens, n))
                )
            ),
            N_("Window"),
            lambda masking, n: range(n),
            "(abs(i - j) <= {width}) | (i < {global_tokens}) | (j < {global_tokens})",
        ),
        "block-sparse": Pattern(
            _square(_block_sparse),
            N_("Block size"),
            lambda masking, n: range(1, n + 1),
        ),
        "prefix": Pattern(
            _square(lambda masking, n, width: masks.prefix_mask(n, width)),
            N_("Prefix"),
            lambda masking, n: range(n + 1),
            "(j <= i) | (j < {width})",
        ),
        "packed": Pattern(
            _square(lambda masking, n, width: masks.packed_mask([width, n - width])),
            N_("First text"),
            lambda masking, n: range(n + 1),
            "(j <= i) & ((i < {width}) == (j < {width}))",
        ),
        "own": Pattern(_square(_own)),
    }
)


def make_mask(masking: Masking, n_query: int, n_key: int, width: int) -> Bool[Tensor, "n_query n_key"]:
    """Return where each query may attend, (n_query, n_key), True = may attend.

    A width out of range is replaced by the nearest possible one. A pattern for one sequence is made as long
    as the longer of the two, and cut to its first n_query rows and n_key columns.

    Raises ValueError for a kind that is not in `MASK_PATTERNS`.

    >>> make_mask(Masking("dilated", dilation=2), 3, 3, 1).int()
    tensor([[1, 0, 1],
            [0, 1, 0],
            [1, 0, 1]], dtype=torch.int32)
    """
    _require.one_of("mask", masking.kind, MASK_PATTERNS)
    pattern = MASK_PATTERNS[masking.kind]
    widths = pattern.widths(masking, max(n_query, n_key))
    return pattern.make(masking, n_query, n_key, min(max(width, widths[0]), widths[-1]))


def mask_code(masking: Masking, width: int) -> str:
    """Return an expression in i (queries) and j (keys) that makes the mask, empty where there is none.

    The expression works in torch and in NumPy. A user's own mask, or one of random blocks, has none.

    >>> mask_code(Masking("sliding window"), 2)
    'abs(i - j) <= 2'
    """
    code = MASK_PATTERNS[masking.kind].code
    return code.format(width=width, dilation=masking.dilation, global_tokens=masking.global_tokens)
