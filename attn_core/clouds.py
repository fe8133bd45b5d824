"""Queries and keys moved and scaled to one centre and spread, which leaves every softmax as it is."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.checks import Check, compare
from attn_words import N_

_ALIKE = 1e-7  # of the longest vector: a smaller spread is only rounding


@dataclass(frozen=True, eq=False)
class Clouds:
    """Queries and keys with one centre and one spread.

    ``queries`` are divided by ``factor``; ``keys`` are moved by ``shift`` and then multiplied by ``factor``.
    """

    queries: Float[Tensor, "n_query d_k"]
    keys: Float[Tensor, "n_key d_k"]
    factor: Float[Tensor, ""]
    shift: Float[Tensor, " d_k"]

    @property
    def centre(self) -> Float[Tensor, " d_k"]:
        """The mean of the queries, which is that of the keys."""
        return self.queries.mean(dim=0)

    @property
    def around(self) -> tuple[Float[Tensor, "n_query d_k"], Float[Tensor, "n_key d_k"]]:
        """Queries and keys, less the centre."""
        return self.queries - self.centre, self.keys - self.centre


def align_clouds(queries: Float[Tensor, "n_query d_k"], keys: Float[Tensor, "n_key d_k"]) -> Clouds:
    r"""Move the keys by one vector, and scale queries and keys to equal spread, about one centre.

    $$\hat q_i = q_i / s, \qquad \hat k_j = s\,(k_j + c), \qquad
      s^2 = \frac{\sigma_q}{\sigma_k}, \qquad c = \bar q / s^2 - \bar k$$

    where $\sigma^2$ is a cloud's mean squared distance from its own mean.

    Invariants: $\hat q_i \cdot \hat k_j = q_i \cdot k_j + q_i \cdot c$, where the last term is equal for all
    keys, so that every softmax over keys is unchanged; both clouds have one mean and one $\sigma$.

    Edge cases: where a cloud has no spread (one token, or all alike), nothing is scaled: s = 1.

    Raises ValueError for queries and keys of different widths or types, and for none of either.

    Source: Yeh et al. (2023), AttentionViz: A Global View of Transformer Attention, section 4.

    >>> clouds = align_clouds(torch.tensor([[0.0, 4.0], [4.0, 4.0]]), torch.tensor([[1.0, 0.0], [2.0, 0.0]]))
    >>> clouds.factor, clouds.queries.tolist(), clouds.keys.tolist()
    (tensor(2.), [[0.0, 2.0], [2.0, 2.0]], [[0.0, 2.0], [2.0, 2.0]])
    """
    _require.same_dtype(queries=queries, keys=keys)
    if queries.ndim != 2 or keys.ndim != 2 or queries.shape[1] != keys.shape[1]:
        raise ValueError(
            "queries and keys must be (n_query, d_k) and (n_key, d_k); "
            f"got {tuple(queries.shape)} and {tuple(keys.shape)}"
        )
    if not queries.numel() or not keys.numel():
        raise ValueError(
            f"there must be a query and a key; got {tuple(queries.shape)} and {tuple(keys.shape)}"
        )
    sigmas = [(each - each.mean(dim=0)).norm(dim=-1).square().mean().sqrt() for each in (queries, keys)]
    least = _ALIKE * max(float(each.norm(dim=-1).max()) for each in (queries, keys))
    spreads = min(sigmas) > least
    factor = (sigmas[0] / sigmas[1]).sqrt() if spreads else torch.ones((), dtype=keys.dtype)
    shift = queries.mean(dim=0) / factor**2 - keys.mean(dim=0)
    return Clouds(queries / factor, factor * (keys + shift), factor, shift)


def audit_clouds(
    clouds: Clouds, weights: Float[Tensor, "n_query n_key"], scale: float, mask: Tensor | None = None
) -> tuple[Check, ...]:
    r"""Check that the clouds have the weights of the queries and keys, and one centre.

    $$\mathrm{softmax}_j(\text{scale} \cdot \hat q_i \cdot \hat k_j) = w_{ij}$$

    ``mask`` (n_query, n_key) is True where a query may attend.

    >>> queries, keys = torch.eye(3).double(), torch.arange(6.0).double().reshape(2, 3)
    >>> weights = torch.softmax(queries @ keys.T, dim=-1)
    >>> [check.passed for check in audit_clouds(align_clouds(queries, keys), weights, 1.0)]
    [True, True]
    """
    scores = scale * clouds.queries @ clouds.keys.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    softmax = torch.softmax(scores, dim=-1).nan_to_num()
    return (
        compare(
            N_("the softmax over the moved keys gives the weights"), weights, softmax.to(weights), scale=1.0
        ),
        compare(
            N_("both clouds have one centre"),
            clouds.keys.mean(dim=0),
            clouds.centre,
            scale=max(float(clouds.keys.abs().max()), 1e-300),
        ),
    )
