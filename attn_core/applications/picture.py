"""A small picture drawn by rule, and the patches that a vision transformer cuts a picture into."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_words import N_

SIDE, PATCH = 24, 4  # pixels
SHAPES = (N_("sky"), N_("sun"), N_("roof"), N_("wall"), N_("bush"), N_("grass"))


def house_picture() -> Float[Tensor, "24 24"]:
    """Return a picture of a house with a bush under the sun: how much ink each pixel has, from 0 to 1.

    The sky has no ink and the roof is full of it. The sun is half full; wall, bush and grass are patterns of
    1/4 and 3/4 (lines across, dots, upright lines), half full on average: they differ in pattern alone.

    >>> picture = house_picture()
    >>> tuple(picture.shape), float(picture.min()), float(picture.max())
    ((24, 24), 0.0, 1.0)
    """
    y, x = _grid()
    shape = _shapes()
    ink = {
        "sun": torch.full_like(y, 0.5),
        "roof": torch.ones_like(y),
        "wall": 0.75 - 0.5 * (y % 2),
        "bush": 0.75 - 0.5 * ((x + y) % 2),
        "grass": 0.75 - 0.5 * (x % 2),
    }
    picture = torch.zeros_like(y)
    for name, each in ink.items():
        picture = torch.where(shape == SHAPES.index(name), each, picture)
    return picture


def patches(picture: Float[Tensor, "height width"], side: int = PATCH) -> Float[Tensor, "n_patch n_pixel"]:
    r"""Return the squares of a picture in reading order, a row of pixels for each.

    $$(H, W) \to \Bigl(\frac{H}{p}, p, \frac{W}{p}, p\Bigr) \to \Bigl(\frac{H}{p} \cdot \frac{W}{p},
      p^2\Bigr)$$

    Invariant: every pixel occurs once.

    Raises ValueError for a side below one, or one that does not divide height and width.

    Source: Dosovitskiy et al. (2021), An Image is Worth 16x16 Words, section 3.1.

    >>> patches(torch.arange(8.0).reshape(2, 4), 2).tolist()
    [[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]
    """
    side = _require.integer("side", side, least=1)
    if picture.ndim != 2 or picture.shape[0] % side or picture.shape[1] % side:
        raise ValueError(
            f"picture must have shape (height, width), both multiples of side = {side}; "
            f"got {tuple(picture.shape)}"
        )
    height, width = (length // side for length in picture.shape)
    # The axis within a patch moves behind the axis of patches: (row, y, column, x) -> (row, column, y, x).
    return picture.reshape(height, side, width, side).transpose(1, 2).reshape(height * width, side * side)


def patch_names(side: int = PATCH) -> tuple[str, ...]:
    """Name each patch by the shape with most of its pixels; a tie goes to the first in ``SHAPES``.

    Raises ValueError as ``patches``.

    >>> names = patch_names()
    >>> len(names), names[0], names[-1]
    (36, 'sky', 'grass')
    """
    shapes = patches(_shapes().to(torch.float64), side)
    counts = torch.stack([(shapes == shape).sum(dim=-1) for shape in range(len(SHAPES))])
    return tuple(SHAPES[each] for each in counts.argmax(dim=0).tolist())


def _grid() -> tuple[Tensor, Tensor]:
    place = torch.arange(SIDE, dtype=torch.float64)
    return place[:, None].expand(SIDE, SIDE), place.expand(SIDE, SIDE)


def _shapes() -> Int[Tensor, "24 24"]:
    """Return the index in ``SHAPES`` of each pixel's shape."""
    y, x = _grid()
    parts = {
        "sun": (y - 3.5) ** 2 + (x - 19.5) ** 2 <= 14,
        "roof": (y >= 5) & (y < 12) & ((x - 9.5).abs() <= 1.1 * (y - 4)),
        "wall": (y >= 12) & (y < 20) & (x >= 4) & (x < 16),
        "bush": (y >= 12) & (y < 20) & (x >= 16),
        "grass": y >= 20,
    }
    shape = torch.zeros(SIDE, SIDE, dtype=torch.long)
    for name, where in parts.items():
        shape[where] = SHAPES.index(name)
    return shape
