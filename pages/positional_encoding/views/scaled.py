"""Rotary positions past the trained length: how a scaling slows pairs and changes scores."""

from dataclasses import replace

from attn_figures import rotary_scaling as pictures
from attn_figures.numbers import fixed_point, number
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import BASE
from attn_words import _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import SAME, SCALED, ScaledHead, head_of, scaling_name
from pages.positional_encoding.settings import FACTOR, TRAINED
from pages.positional_encoding.state import State


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the turns of each pair, the factors that slow them, and the score by offset."""
    trained = controls.exact(TRAINED)
    slider = {
        "factor": Slider(_("Factor"), controls.exact(FACTOR)),
        "length": Slider(_("Trained length"), trained, words.position_counts(trained)),
        "base": Slider(_("Base"), controls.exact(BASE)),
    }[result.state.sweep]
    figure = Figure(
        _draw(result.state.still(slider.steps), slider.steps),
        key="scaled",
        name=f"rotary scaling {result.state.scaling}",
        slider=slider,
    )
    return View(result, figure)


def caption(head: ScaledHead) -> str:
    """Say how many pairs are kept and slowed, and how far turns go beyond those of training."""
    slower, n_pair = head.slower(head.name), len(head.trained_turns)
    unchanged = slower <= 1 + SAME
    slowed = ~unchanged & (slower >= head.factor * (1 - SAME))
    new = head.trained_turns < 1
    past = (head.scaling.turns(head.d_head) / head.trained_turns)[new]
    pairs = _(
        "Of {all} pairs {new} do not come round once in training; the one of these that goes furthest turns "
        "{times} times as far under {scaling}. Pairs kept: {kept}; slowed {factor} times: {slowed}; in "
        "between: {between}.",
        all=n_pair,
        new=int(new.sum()),
        times=number(float(past.max()), 3) if len(past) else "–",
        scaling=scaling_name(head.name),
        kept=int(unchanged.sum()),
        factor=number(head.factor),
        slowed=int(slowed.sum()),
        between=n_pair - int(unchanged.sum()) - int(slowed.sum()),
    )
    near = _(
        "The fastest pair turns by {turn} rad a position (in training 1); scores are multiplied by {times}.",
        turn=number(float(head.scaling.frequencies(head.d_head)[0]), 3),
        times=fixed_point(float(head.scaling.score_factor), 3),
    )
    return paragraph(words.length_sentence(head.trained, head.used_length), pairs, near)


def scaled_turns(head: ScaledHead) -> pictures.ScaledTurns:
    """Return what the figure draws of a head."""
    return pictures.ScaledTurns(
        trained_turns=head.trained_turns.numpy(),
        plain=head.plain.turns(head.d_head).numpy(),
        scaled=head.scaling.turns(head.d_head).numpy(),
        slower={name: head.slower(name).numpy() for name in SCALED},
        scaling=head.name,
        offsets=head.offsets.numpy(),
        plain_scores=head.plain.scores(head.offsets.double(), head.d_head).numpy(),
        scores=head.scaling.scores(head.offsets.double(), head.d_head).numpy(),
        trained=head.trained,
    )


@shared_scene
def _draw(state: State, steps: Steps) -> Scene:
    heads = [head_of(Result(_state_at(state, value))) for value in steps.values]
    each = [scaled_turns(head) for head in heads]
    turns = [
        array
        for head_turns in each
        for array in (head_turns.trained_turns, head_turns.plain, head_turns.scaled)
    ]
    scores = [array for head in each for array in (head.plain_scores, head.scores)]
    ends = pictures.AxisEnds(
        turns=(min(array.min() for array in turns), max(1.0, *(array.max() for array in turns))),
        slower=max(head.factor for head in heads),
        scores=(min(0.0, *(array.min() for array in scores)), max(1.0, *(array.max() for array in scores))),
    )
    labels = {name: scaling_name(name) for name in SCALED}
    figures = LazyMap(lambda head_turns: pictures.scaling(head_turns, ends, labels), each)
    return Scene(figures, captions=LazyMap(caption, heads))


def _state_at(state: State, value: float) -> State:
    """Return the state at a value of its slider."""
    match state.sweep:
        case "factor":
            return replace(state, factor=value)
        case "length":
            return replace(state, trained=int(value))
    return replace(state, scheme=replace(state.scheme, base=value))
