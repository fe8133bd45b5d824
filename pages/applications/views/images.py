"""Vision transformers: the patches of a picture are the tokens, and attend to one another."""

from functools import cache

import torch
from torch import Tensor

from attn_core import Check, compare, effective_keys, scaled_dot_product_attention
from attn_core.applications import PATCH as PIXELS
from attn_core.applications import house_picture, likeness, patch_names, patches
from attn_figures.patch_weights import PatchedImage, over_picture, over_picture_cursor
from attn_figures.scene import Scene
from attn_live.packing import Cursor
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.search_entries import Place
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _, cached
from pages.applications.application import UseMap, temperature_slider
from pages.applications.settings import PATCH
from pages.applications.state import State
from programs.writing import SHORT, Program

SCALE = 6.0  # the factor that makes a score of a cosine, which is at most 1
SIDE = 6  # patches
SHAPES = patch_names()


@cached()
def names() -> tuple[str, ...]:
    """Return the name of each patch."""
    return tuple(f"{at + 1} {_(shape)}" for at, shape in enumerate(SHAPES))


@cache
def vectors() -> Tensor:
    """Return the patches' vectors, (n_patch, n_pixel): their pixels minus the mean patch."""
    return likeness(patches(house_picture()))


@cached()
def picture() -> PatchedImage:
    """Return the picture with its own patches as queries."""
    return PatchedImage(house_picture().numpy(), (SIDE, SIDE), names(), names(), _("patch"))


def heads(state: State) -> list[UseMap]:
    """Return the one map, patches to patches."""
    x = vectors()
    return [UseMap(N_("patches"), x, x, names(), names(), SCALE / state.temperature)]


def weights_at(query: Tensor, key: Tensor, steps: Steps) -> Tensor:
    """Return the weights at every temperature, (n_steps, n_query, n_key), in one batch."""
    temperature = torch.tensor(steps.values, dtype=torch.float64)[:, None, None]
    return scaled_dot_product_attention(query, key, key, scale=SCALE, temperature=temperature).weights


def pack_scene(image: PatchedImage, weights: Tensor) -> Scene:
    """Return the scene of a picture, with weights (n_steps, n_query, n_patch)."""
    arrays = weights.numpy()
    by_row, by_step = over_picture_cursor(image, arrays)
    figure = over_picture(image, arrays[0])
    return Scene([figure], Cursor(arrays.shape[1], by_row, by_step), {"data[weights].z": arrays})


def draw(state: State, steps: Steps) -> Scene:
    """Draw the picture, one patch's weights over it, and all rows."""
    return pack_scene(picture(), weights_at(vectors(), vectors(), steps))


def captions(state: State, steps: Steps) -> list[list[str]]:
    """Return a sentence for each temperature and query patch: its weight on patches of its own shape."""
    weights = weights_at(vectors(), vectors(), steps)
    who = [_("patch {number}, {shape}", number=at + 1, shape=_(shape)) for at, shape in enumerate(SHAPES)]
    return captions_of(weights, steps, who, SHAPES)


def captions_of(weights: Tensor, steps: Steps, who: list[str], shapes: tuple[str, ...]) -> list[list[str]]:
    """Return a sentence for each temperature and query: its weight on the patches of its shape.

    Args:
        weights: (n_steps, n_query, n_patch).
        who: each query's name as shown; shapes: the shape that each query belongs to.
    """
    alike = torch.tensor([[one == other for other in SHAPES] for one in shapes])
    shares, rests = ((weights * which).sum(dim=-1) for which in (alike, ~alike))
    spread = effective_keys(weights)
    counts = alike.sum(dim=-1).tolist()
    # The message is translated once and filled in a thousand times.
    sentence = _(
        "Temperature {temperature}, {name}: weight **{share}** on the {count} patches of {shape}, {rest} on "
        "the other {others}; effective number of patches {wide}."
    )
    shape_names = [_(shape) for shape in shapes]
    return [
        [
            sentence.format(
                temperature=TEMPERATURE.text(temperature),
                name=name,
                share=f"{share:.3f}",
                count=count,
                shape=shape,
                rest=f"{rest:.3f}",
                others=len(SHAPES) - count,
                wide=f"{wide:.1f}",
            )
            for name, shape, count, share, rest, wide in zip(
                who, shape_names, counts, row, rest_row, wides, strict=True
            )
        ]
        for temperature, row, rest_row, wides in zip(
            steps.values, shares.tolist(), rests.tolist(), spread.tolist(), strict=True
        )
    ]


def patch_at(trace: str, row: int, column: int) -> int | None:
    """Return the clicked patch's number, counted from 1; None for a click outside the picture.

    >>> patch_at("picture", 1, 2), patch_at("weights", 3, 0)
    (9, None)
    """
    return row * SIDE + column + 1 if trace in ("picture", "laid over") else None


def checks(state: State) -> list[Check]:
    """Compare the patches with torch's unfold, and the scores with torch's cosine similarity."""
    image, x = house_picture(), vectors()
    unfolded = torch.nn.functional.unfold(image[None, None], PIXELS, stride=PIXELS)[0].T
    squares = patches(image)
    beyond = unfolded - unfolded.mean(dim=0)
    cosines = torch.nn.functional.cosine_similarity(beyond[:, None], beyond[None, :], dim=-1)
    return [
        compare(_("the patches are those of `torch.nn.functional.unfold`"), squares, unfolded, scale=1.0),
        compare(_("the scores are `torch.nn.functional.cosine_similarity`'s"), x @ x.T, cosines, scale=1.0),
        compare(_("scores are the same both ways: q and k are one vector"), x @ x.T, (x @ x.T).T, scale=1.0),
    ]


def formula(state: State) -> str:
    """Return the formulas of patches, vectors and weights."""
    return (
        rf"24 \times 24 \to {SIDE * SIDE} \times {PIXELS**2}, \qquad "
        r"u_i = \frac{x_i - \bar x}{\lVert x_i - \bar x \rVert}, \qquad "
        rf"A = \operatorname{{softmax}}\!\left(\frac{{{SCALE:g}}}{{T}}\, U U^\top\right), \quad "
        rf"T = {state.temperature:.6g}"
    )


INTRODUCTION = N_("**Each patch of a picture asks all patches.** Click one.")
TRAINED = N_(
    "Nothing: a patch's query and key are both its own pixels, so like attends to like. A trained vision "
    "transformer learns matrices for both, and adds positions."
)
IN_WORDS = N_(
    """
- A patch is a **token**: its 16 pixels are its vector. Where it stands is not in it.
- u is a patch's pixels beyond the mean patch, at length 1: two patches are compared by their cosine.
- A reshape cuts the patches: `(24, 24) → (6, 4, 6, 4) → (6, 6, 4, 4) → (36, 16)` (Dosovitskiy et al., 2021).
"""
)


def program(state: State) -> Program:
    """Return a program that prints the chosen patch's weights, as a square of patches, and all rows."""
    lines = f"""picture = house_picture()  # (24, 24), ink from 0 to 1
squares = picture.reshape({SIDE}, {PIXELS}, {SIDE}, {PIXELS}).transpose(1, 2)  # rows, columns, pixels
patches = squares.reshape({SIDE * SIDE}, -1)  # one row a patch
x = patches - patches.mean(dim=0)
x = x / x.norm(dim=-1, keepdim=True)  # dot products are cosines now
scale, temperature = {SCALE:g}, {state.temperature:.10g}
weights = torch.softmax(scale * x @ x.T / temperature, dim=-1)
row = weights[{state.patch - 1}].reshape({SIDE}, {SIDE})  # of patch {state.patch}, over the picture"""
    return Program(SHORT, lines, prints=["row", "weights"])


def leads(state: State) -> list[Place]:
    """Return links to the pages that show scores and weights in numbers, and positions."""
    return [
        Place("single_head", {"qkv": "as they are"}),
        Place("positional_encoding"),
        Place("kernel_regression"),
    ]


slider = temperature_slider


def rows() -> Slider:
    """Return the slider over the queries."""
    return Slider(_("Patch that asks"), PATCH, names())
