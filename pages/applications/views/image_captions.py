"""Captioning: the words of a caption attend to the patches of a picture."""

from functools import cache

import torch
from torch import Tensor

from attn_core import Check, compare
from attn_core.applications import PATCH as PIXELS
from attn_core.applications import SHAPES
from attn_figures.patch_weights import PatchedImage
from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.search_entries import Place
from attn_words import N_, _, cached
from pages.applications.application import UseMap, temperature_slider
from pages.applications.settings import WORD
from pages.applications.state import State
from pages.applications.views import images
from pages.applications.views.images import SCALE, SIDE
from programs.writing import SHORT, Program


@cache
def queries() -> Tensor:
    """Return each word's query, (n_word, n_pixel): the mean of its patches, scaled to length 1."""
    x = images.vectors()
    of_shape = torch.tensor([[shape == other for other in images.SHAPES] for shape in SHAPES], dtype=x.dtype)
    return torch.nn.functional.normalize(of_shape @ x, dim=-1)


def words() -> tuple[str, ...]:
    """Return the words of the caption: the shapes, as they are shown."""
    return tuple(map(_, SHAPES))


@cached()
def picture() -> PatchedImage:
    """Return the picture with the words as queries."""
    own = images.picture()
    return PatchedImage(own.ink, own.grid, own.patches, words(), _("word"))


def heads(state: State) -> list[UseMap]:
    """Return the one map, words to patches."""
    return [
        UseMap(N_("words"), queries(), images.vectors(), words(), images.names(), SCALE / state.temperature)
    ]


def draw(state: State, steps: Steps) -> Scene:
    """Draw the picture, one word's weights over it, and all words' rows."""
    return images.pack_scene(picture(), images.weights_at(queries(), images.vectors(), steps))


def captions(state: State, steps: Steps) -> list[list[str]]:
    """Return a sentence for each word: its weight on the patches of its shape."""
    weights = images.weights_at(queries(), images.vectors(), steps)
    return images.captions_of(weights, steps, [f"“{word}”" for word in words()], SHAPES)


def checks(state: State) -> list[Check]:
    """Compare queries with a loop over patches, and the weights with torch's module of one head."""
    x, q = images.vectors(), queries()
    by_hand = torch.stack(
        [
            sum((x[at] for at, shape in enumerate(images.SHAPES) if shape == word), torch.zeros(PIXELS**2))
            for word in SHAPES
        ]
    )
    by_hand = by_hand / by_hand.square().sum(dim=-1, keepdim=True).sqrt()
    module = torch.nn.MultiheadAttention(PIXELS**2, 1, bias=False, batch_first=True, dtype=x.dtype)
    with torch.no_grad():
        eye = torch.eye(PIXELS**2, dtype=x.dtype)
        module.in_proj_weight.copy_(torch.cat([eye, eye, eye]))
        # The module divides by the root of the width, and has no temperature.
        query = q * (SCALE / state.temperature * PIXELS)
        _mixed, weights = module(query[None], x[None], x[None])
    return [
        compare(_("each query is the mean of its shape's patches, at length 1"), q, by_hand, scale=1.0),
        compare(
            _("the maps are those of `torch.nn.MultiheadAttention`"),
            heads(state)[0].attention.weights,
            weights[0],
            scale=1.0,
        ),
    ]


def formula(state: State) -> str:
    """Return the formulas of queries and weights."""
    return (
        r"q_w = \frac{\sum_{i \in w} u_i}{\lVert \sum_{i \in w} u_i \rVert}, \qquad k_i = u_i, \qquad "
        rf"A = \operatorname{{softmax}}\!\left(\frac{{{SCALE:g}}}{{T}}\, Q K^\top\right) "
        rf"\ ({len(SHAPES)} \times {SIDE * SIDE}), \quad T = {state.temperature:.6g}"
    )


INTRODUCTION = N_("**Each word of a caption asks the patches** of the picture.")
TRAINED = N_(
    "Nothing: each query is set by hand, as the mean of the patches of its shape. In a trained model it is "
    "made of the words written so far."
)
IN_WORDS = N_(
    """
- This is **cross-attention**: queries come from one sequence (words), keys and values from another (patches).
- The word *sun* finds its patches worst: they are four different corners of one disc, and their mean is like
  none of them.
- Xu et al. (2015), Show, Attend and Tell, drew such maps for a trained model.
"""
)


def program(state: State) -> Program:
    """Return a program that prints the chosen word's weights, as a square of patches, and all rows."""
    lines = f"""picture = house_picture()  # (24, 24), ink from 0 to 1
squares = picture.reshape({SIDE}, {PIXELS}, {SIDE}, {PIXELS}).transpose(1, 2)  # rows, columns, pixels
patches = squares.reshape({SIDE * SIDE}, -1)  # one row a patch
k = patches - patches.mean(dim=0)
k = k / k.norm(dim=-1, keepdim=True)
names = patch_names()  # the shape of each patch
q = torch.stack([k[[name == shape for name in names]].sum(dim=0) for shape in SHAPES])
q = q / q.norm(dim=-1, keepdim=True)  # a word's query is the mean of its patches
scale, temperature = {SCALE:g}, {state.temperature:.10g}
weights = torch.softmax(scale * q @ k.T / temperature, dim=-1)
row = weights[{state.word - 1}].reshape({SIDE}, {SIDE})  # of {SHAPES[state.word - 1]}, over the picture"""
    return Program(SHORT, lines, prints=["row", "weights"])


def leads(state: State) -> list[Place]:
    """Return a link to the page that shows queries and keys of two sequences in numbers."""
    return [
        Place("single_head", {"cross": "true"}),
        Place("multi_head", {"case": "cross-attention, four heads"}),
    ]


slider = temperature_slider


def rows() -> Slider:
    """Return the slider over the queries."""
    return Slider(_("Word that asks"), WORD, words())
