"""One head of a real model: its queries and keys as two point clouds, aligned, in one plane."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from attn_core import RealModel, label_tokens
from attn_core.clouds import Clouds, align_clouds
from attn_core.plane import Plane, main_directions
from attn_figures.planes import QueryKeyPlane
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.learned_heads.compute import array
from pages.learned_heads.settings import TOO_MANY_TOKENS
from pages.learned_heads.state import CloudState

MOST_TOKENS = 128


@dataclass(frozen=True, eq=False)
class HeadClouds:
    """Queries and keys of one head on one text, as two clouds of points.

    Attributes:
        query, key: (n, d_head), as the model computed them; several heads may share keys.
        weights, mask: (n, n), True where a query may attend.
    """

    state: CloudState
    model: RealModel
    tokens: tuple[str, ...]
    query: Tensor
    key: Tensor
    weights: Tensor
    mask: Tensor

    @cached_property
    def labels(self) -> list[str]:
        """The tokens, numbered where one occurs again."""
        return label_tokens(list(self.tokens))

    @property
    def number(self) -> str:
        """The head's layer and number, as "4.2"."""
        return f"{self.state.layer + 1}.{self.state.head + 1}"

    @property
    def scale(self) -> float:
        """The factor by which the layer multiplies its scores."""
        return self.model.scales[self.state.layer]

    @cached_property
    def clouds(self) -> Clouds:
        """Queries and keys, moved and scaled to one centre and spread."""
        return align_clouds(self.query, self.key)

    @cached_property
    def plane(self) -> Plane:
        """The plane through the clouds' centre that keeps most of their spread."""
        return main_directions(*self.clouds.around)

    @cached_property
    def in_plane(self) -> QueryKeyPlane:
        """The plane for the figures, around the clouds' centre; the vectors' origin lies elsewhere."""
        plane, clouds = self.plane, self.clouds
        arrays = (plane.queries, plane.keys, plane.explained, clouds.queries @ clouds.keys.mT)
        queries, keys, explained, products = map(array, arrays)
        origin = -array(plane.directions @ clouds.centre)
        return QueryKeyPlane(queries, keys, (self.labels, self.labels), explained, products, origin=origin)

    @cached_property
    def distances(self) -> Tensor:
        """The distance in the plane from each query to each key, (n, n)."""
        return torch.cdist(self.plane.queries, self.plane.keys)

    @cached_property
    def scores(self) -> Tensor:
        """The scaled products of the aligned queries and keys, (n, n)."""
        return self.scale * self.clouds.queries @ self.clouds.keys.mT

    def agreement(self, row: int) -> float | None:
        """Return the correlation of a query's scores with minus its distances to the keys in the plane.

        None if the query has fewer than three keys, or if all scores or all distances are equal.
        """
        keys = self.mask[row]
        pairs = torch.stack([self.scores[row][keys], -self.distances[row][keys]])
        if pairs.shape[1] < 3 or float(pairs.std(dim=1).min()) == 0.0:
            return None
        return float(torch.corrcoef(pairs)[0, 1])


def clouds_of(state: CloudState) -> HeadClouds:
    """Return one head's queries and keys on the text.

    Raises ValueError for a text of too many tokens.
    """
    n = len(state.heads.ranked.maps.tokens or ())
    if n > MOST_TOKENS:
        raise ValueError(_(TOO_MANY_TOKENS, most=MOST_TOKENS, count=n))
    return _compute(state.heads.text, state.layer, state.head, state)


@shared
def _compute(text: str, layer: int, head: int, _state: CloudState) -> HeadClouds:
    """Run the model; the cache's key leaves it out, as a process has only one."""
    model, tokens = _state.heads.model, tuple(_state.heads.ranked.maps.tokens or ())
    assert model is not None
    stage = model.stages(text)[layer]
    together = model.n_head // model.n_key_head
    mask, weights = model.masks(len(tokens))[layer], stage.weights[0, head]
    return HeadClouds(
        _state,
        model,
        tokens,
        stage.query[0, head].double(),
        stage.key[0, head // together].double(),
        weights.double(),
        torch.ones_like(weights, dtype=torch.bool) if mask is None else mask,
    )
