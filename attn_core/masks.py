"""Masks: which keys each query may attend to. Boolean, (query, key), True = may attend."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attn_core import _require


def causal_mask(n_query: int, n_key: int | None = None) -> Bool[Tensor, "n_query n_key"]:
    r"""Let each query attend to the keys up to its own position.

    $$M_{ij} = [\,j \le i\,]$$

    ``n_key`` defaults to ``n_query``. Queries and keys both start at position 0, as in torch's ``is_causal``,
    so that query 0 attends to key 0 only, whatever the lengths.

    Raises ValueError for lengths below one.

    Source: Vaswani et al. (2017), section 3.2.3.

    >>> causal_mask(2, 3).int()
    tensor([[1, 0, 0],
            [1, 1, 0]], dtype=torch.int32)
    """
    i, j = _places(n_query, n_query if n_key is None else n_key)
    return j <= i


def padding_mask(
    lengths: Sequence[int] | Int[Tensor, "*batch"], n_key: int
) -> Bool[Tensor, "*batch 1 n_key"]:
    r"""Hide the padding after sequences of different lengths.

    $$M_{b,1,j} = [\,j < \mathrm{length}_b\,]$$

    The axis of size one broadcasts over queries. For multi-head weights (batch, n_head, n_query, n_key), put
    the head axis in with ``mask.unsqueeze(-3)``.

    Edge cases: a length of 0 masks its whole row; attention then gives weights zero and output zero.

    Raises ValueError for a length that is not a whole number from 0 to ``n_key``.

    >>> padding_mask([1, 3], 3).int()
    tensor([[[1, 0, 0]],
    <BLANKLINE>
            [[1, 1, 1]]], dtype=torch.int32)
    """
    n_key = _require.integer("n_key", n_key, least=1)
    counts = torch.as_tensor(lengths)
    if (
        counts.is_floating_point()
        or counts.dtype == torch.bool
        or bool(((counts < 0) | (counts > n_key)).any())
    ):
        raise ValueError(f"lengths must be whole numbers from 0 to n_key = {n_key}; got {counts.tolist()}")
    return torch.arange(n_key, device=counts.device) < counts[..., None, None]


def sliding_window_mask(n: int, window: int, *, is_causal: bool = False) -> Bool[Tensor, "n n"]:
    r"""Let each query attend to ``window`` neighbours on each side, and to itself.

    $$M_{ij} = [\,|i - j| \le \mathrm{window}\,]$$

    With ``is_causal``, to the neighbours before it only.

    Raises ValueError for n below one or a window below zero.

    Source: Beltagy, Peters and Cohan (2020), Longformer, whose window size w counts both sides (2 x ours).

    >>> sliding_window_mask(4, 1).int()
    tensor([[1, 1, 0, 0],
            [1, 1, 1, 0],
            [0, 1, 1, 1],
            [0, 0, 1, 1]], dtype=torch.int32)
    """
    window = _require.integer("window", window, least=0)
    i, j = _places(n, n)
    near = (i - j).abs() <= window
    return near & (j <= i) if is_causal else near


def dilated_mask(n: int, window: int, dilation: int) -> Bool[Tensor, "n n"]:
    r"""Let each query attend to itself and ``window`` neighbours on each side, ``dilation`` positions apart.

    $$M_{ij} = [\,|i - j| \le \mathrm{window} \cdot \mathrm{dilation} \ \text{and}\
      (i - j) \bmod \mathrm{dilation} = 0\,]$$

    A dilation of 1 is the sliding window.

    Raises ValueError for n or dilation below one, or a window below zero.

    Source: Beltagy, Peters and Cohan (2020), Longformer, section 3.1.

    >>> dilated_mask(5, 1, 2).int()
    tensor([[1, 0, 1, 0, 0],
            [0, 1, 0, 1, 0],
            [1, 0, 1, 0, 1],
            [0, 1, 0, 1, 0],
            [0, 0, 1, 0, 1]], dtype=torch.int32)
    """
    window = _require.integer("window", window, least=0)
    dilation = _require.integer("dilation", dilation, least=1)
    i, j = _places(n, n)
    return ((i - j).abs() <= window * dilation) & ((i - j) % dilation == 0)


def global_local_mask(
    n: int, window: int, global_positions: Sequence[int] | Int[Tensor, " n_global"]
) -> Bool[Tensor, "n n"]:
    """Let each query attend to a sliding window, global positions to all keys, and all queries to them.

    Raises ValueError as ``sliding_window_mask``, and for a global position outside 0 to n - 1.

    Source: Beltagy, Peters and Cohan (2020), Longformer, section 3.1.

    >>> global_local_mask(4, 0, [0]).int()
    tensor([[1, 1, 1, 1],
            [1, 1, 0, 0],
            [1, 0, 1, 0],
            [1, 0, 0, 1]], dtype=torch.int32)
    """
    mask = sliding_window_mask(n, window)
    positions = global_positions.tolist() if isinstance(global_positions, Tensor) else global_positions
    for position in positions:
        index = _require.integer("each of global_positions", position, least=0, most=n - 1)
        mask[index, :] = True
        mask[:, index] = True
    return mask


def block_sparse_mask(n: int, block_size: int, random_blocks: int, *, seed: int) -> Bool[Tensor, "n n"]:
    """Let each block of queries attend to its own block of keys and to a few others, drawn from the seed.

    Positions are cut into blocks of ``block_size``, the last one shorter where n does not divide; every block
    of queries draws ``random_blocks`` different other blocks.

    Raises ValueError for n or block_size below one, or more random blocks than there are others.

    Source: Zaheer et al. (2020), Big Bird, section 2 (its random part, without the global one).

    >>> mask = block_sparse_mask(6, 2, 1, seed=0)
    >>> mask.sum(dim=1).tolist()
    [4, 4, 4, 4, 4, 4]
    """
    n = _require.integer("n", n, least=1)
    block_size = _require.integer("block_size", block_size, least=1)
    n_block = -(-n // block_size)
    random_blocks = _require.integer(
        f"random_blocks (n = {n} has {n_block} blocks of {block_size})",
        random_blocks,
        least=0,
        most=n_block - 1,
    )
    generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
    blocks = torch.eye(n_block, dtype=torch.bool)
    for row in range(n_block):
        others = torch.randperm(n_block - 1, generator=generator)[:random_blocks]
        # The numbers skip the row's own block, which is allowed already.
        blocks[row, others + (others >= row)] = True
    return blocks.repeat_interleave(block_size, 0).repeat_interleave(block_size, 1)[:n, :n]


def prefix_mask(n: int, prefix: int) -> Bool[Tensor, "n n"]:
    r"""Let each query attend to the keys up to its own position, and to the first ``prefix`` keys.

    $$M_{ij} = [\,j \le i \ \text{or}\ j < \mathrm{prefix}\,]$$

    A prefix of 0 gives the causal mask, a prefix of n no mask at all.

    Raises ValueError for n below one, or a prefix outside 0 to n.

    Source: Raffel et al. (2020), Exploring the Limits of Transfer Learning (T5), section 3.2.1.

    >>> prefix_mask(3, 2).int()
    tensor([[1, 1, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    i, j = _places(n, n)
    prefix = _require.integer("prefix", prefix, least=0, most=n)
    return (j <= i) | (j < prefix)


def packed_mask(lengths: Sequence[int]) -> Bool[Tensor, "n n"]:
    """Let each query attend to the keys of its own text up to its own position, in a row of several texts.

    ``lengths`` are those of the texts, in their order; n is their sum. A text may be empty.

    Invariant: attention under it is causal attention to each text alone.

    Raises ValueError for lengths that are not whole numbers from 0, or whose sum is below one.

    Source: Krell et al. (2021), Efficient Sequence Packing without Cross-contamination.

    >>> packed_mask([1, 2]).int()
    tensor([[1, 0, 0],
            [0, 1, 0],
            [0, 1, 1]], dtype=torch.int32)
    """
    lengths = [_require.integer("each of lengths", each, least=0) for each in lengths]
    text = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths, dtype=torch.int64))
    return causal_mask(len(text)) & (text[:, None] == text)


def _places(n_query: int, n_key: int) -> tuple[Tensor, Tensor]:
    """Return query indices as a column and key indices as a row."""
    n_query = _require.integer("n_query", n_query, least=1)
    n_key = _require.integer("n_key", n_key, least=1)
    return torch.arange(n_query)[:, None], torch.arange(n_key)[None, :]
