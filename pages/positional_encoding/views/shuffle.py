"""Permute the words: without positions the output is the same rows, permuted."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attn_core import shuffle_difference
from attn_figures import positional as pictures
from attn_figures.picture import Spec
from attn_figures.positional import Trial
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import plain
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import STRENGTH
from attn_words import _
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result, values
from pages.positional_encoding.own_order import own_order
from pages.positional_encoding.state import State


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the shuffled output, the output of the shuffled words, and their difference."""
    strengths = _strength_slider(controls, result)
    figure = Figure(
        _draw(result.state.still(STRENGTH), strengths),
        key="shuffle",
        name=f"shuffle {result.scheme_name}",
        slider=Slider(_("Strength of positions"), strengths),
    )
    return View(result, figure)


def shuffled_order(kind: str, n: int, seed: int, places: str = "") -> Tensor:
    """Return the index of the word at each new place; the kind "own" takes it from `places`."""
    if kind == "own":
        return torch.tensor(own_order(places, n)[0])
    if kind == "reverse":
        return torch.arange(n).flip(0)
    if kind == "random":
        return torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    order = torch.arange(n)
    order[[0, n - 1]] = order[[n - 1, 0]]
    return order


def _strength_slider(controls: Controls, result: Result) -> Steps:
    return controls.exact(STRENGTH.fitting(3 * len(result.state.tokens) * result.width, MOST_NUMBERS))


def _errors(result: Result, order: Tensor, strengths: Tensor) -> Mapping[str, list[float]]:
    """Return each scheme's largest difference between both outputs, at every strength."""
    errors = {}
    for name, own in result.each_scheme().items():
        difference = shuffle_difference(own.scheme(strength=strengths), own.x, order)
        errors[name] = difference.abs().amax(dim=(-2, -1)).expand(len(strengths)).tolist()
    return errors


@shared_scene
def _draw(state: State, steps: Steps) -> Scene:
    result = Result(state)
    order = shuffled_order(state.order, len(state.tokens), state.seed, state.places)
    x, scheme = result.x, result.scheme(strength=values(steps))
    shape = (len(steps.values), *x.shape)
    expected = scheme.attend(x).output.expand(shape)[:, order].numpy()
    actual = scheme.attend(x[order]).output.expand(shape).numpy()
    limit = float(abs(actual).max())
    # Differences that are rounding only stay blank.
    change = float(abs(actual - expected).max())
    errors = _errors(result, order, values(steps))
    largest = max(map(max, errors.values())) or 1.0
    names = {name: words.scheme_name(name) for name in errors}
    every = range(len(steps.values))
    errors_at = LazyMap(lambda step: {name: each[step] for name, each in errors.items()}, every)

    def picture(step: int) -> Spec:
        trial = Trial(
            expected=expected[step],
            actual=actual[step],
            titles=(_("output, then shuffled"), _("shuffled, then output")),
            rows=[state.labels[i] for i in order.tolist()],
            columns=[str(i) for i in range(result.width)],
            row_title=_("Word"),
            column_title=_("Dimension"),
            quantity=_("output"),
            limits=(limit, change if change > 1e-9 * limit else limit),
        )
        return pictures.trial(trial, errors_at[step], result.scheme_name, largest, labels=names)

    shuffled = [state.tokens[i] for i in order.tolist()]
    captions = LazyMap(lambda errors_here: _caption(shuffled, errors_here), errors_at)
    return Scene(LazyMap(picture, every), captions=captions)


def _caption(shuffled: Sequence[str], errors: Mapping[str, float]) -> str:
    """Say the new order, and each scheme's largest difference between both outputs."""
    return _(
        "The new order is *{order}*. Without positions, the output has the same rows in that order. The "
        "largest difference from that, but for rounding: {changes}.",
        order=plain(" ".join(shuffled)),
        changes=words.changes(errors, {}),
    )
