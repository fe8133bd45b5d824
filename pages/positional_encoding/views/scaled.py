"""Rotary positions past the trained length: which pairs a scaling slows, and what becomes of the scores."""

from dataclasses import replace

from attn_figures import rotary_scaling as pictures
from attn_figures.numbers import fixed, number
from attn_figures.scene import Scene
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import BASE
from attn_words import _, _n, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import Now
from pages.positional_encoding.scaled import SAME, SCALED, ScaledHead, head_of, named
from pages.positional_encoding.settings import FACTOR, TRAINED
from pages.positional_encoding.state import State


def see(ask: Ask, now: Now) -> Seen[Now]:
    """Draw how far pairs turn, how much slower the scaling makes each, and the score by offset."""
    trained = ask.exact(TRAINED)
    slider = {
        "factor": Slider(_("Factor"), ask.exact(FACTOR)),
        "length": Slider(_("Trained length"), trained, words.so_many_positions(trained)),
        "base": Slider(_("Base"), ask.exact(BASE)),
    }[now.state.sweep]
    figure = Figure(
        _packed(now.state.still(slider.steps), slider.steps),
        key="scaled",
        alt=_(
            "How many times round each pair of dimensions turns in training and at the longer length, how "
            "many times slower {scaling} makes each, and the score by offset",
            scaling=named(now.state.scaling),
        ),
        name=f"rotary scaling {now.state.scaling}",
        slider=slider,
    )
    return Seen(now, figure)


def say(head: ScaledHead) -> str:
    """Say which pairs are kept and which slowed, and how far they then go past what training has shown."""
    if head.factor == 1:
        return _(
            "At factor 1 the text is no longer than the {trained} positions of training, and {scaling} "
            "leaves every pair as it was.",
            trained=f"{head.trained:,}",
            scaling=named(head.name),
        )
    length = _(
        "Trained on {trained} positions, used on {used}.", trained=f"{head.trained:,}", used=f"{head.used:,}"
    )
    return paragraph(length, _past(head), _slowed(head), _near(head), _sharper(head))


def _past(head: ScaledHead) -> str:
    new = head.seen < 1
    n_pair = len(head.seen)
    if not new.any():
        return _("In training every pair comes round ({count} of {count}): no angle is new.", count=n_pair)
    times = (head.scaling.turns(head.d_head) / head.seen)[new].max()
    told = _n(
        "In training {count} of {all} pairs does not come round once; unscaled, it turns {factor} times as "
        "far as it did there, into the shaded angles.",
        "In training {count} of {all} pairs do not come round once; unscaled, each of them turns {factor} "
        "times as far as it did there, into the shaded angles.",
        int(new.sum()),
        all=n_pair,
        factor=number(head.factor),
    )
    if times <= 1 + SAME:
        none = _("With {scaling} none of them goes further than in training.", scaling=named(head.name))
        return paragraph(told, none)
    furthest = _(
        "With {scaling} the one that goes furthest turns {times} times as far as in training.",
        scaling=named(head.name),
        times=number(float(times), 3),
    )
    return paragraph(told, furthest)


def _slowed(head: ScaledHead) -> str:
    slower = head.slower(head.name)
    kept = int((slower <= 1 + SAME).sum())
    slowed = int((slower >= head.factor * (1 - SAME)).sum())
    return _(
        "Pairs that are kept: {kept}; slowed {factor} times: {slowed}; in between: {between}.",
        kept=kept,
        factor=number(head.factor),
        slowed=slowed,
        between=len(slower) - kept - slowed,
    )


def _near(head: ScaledHead) -> str:
    """Say what becomes of neighbours, which the fastest pair tells apart."""
    fastest = float(head.scaling.frequencies(head.d_head)[0])
    if fastest >= 1 - SAME:
        return _("The fastest pair still turns by 1 rad a position, as it did in training.")
    return _(
        "The fastest pair turns by {turn} rad a position instead of 1: neighbours are harder to tell apart.",
        turn=number(fastest, 3),
    )


def _sharper(head: ScaledHead) -> str:
    times = float(head.scaling.score_factor)
    if times == 1:
        return ""
    return _(
        "Scores are multiplied by {times}, which is (0.1 ln {factor} + 1)².",
        times=fixed(times, 3),
        factor=number(head.factor),
    )


def drawn(head: ScaledHead) -> pictures.Scaled:
    """Return what is drawn of a head."""
    return pictures.Scaled(
        seen=head.seen.numpy(),
        plain=head.plain.turns(head.d_head).numpy(),
        scaled=head.scaling.turns(head.d_head).numpy(),
        slower={name: head.slower(name).numpy() for name in SCALED},
        chosen=head.name,
        offsets=head.offsets.numpy(),
        plain_scores=head.plain.scores(head.offsets.double(), head.d_head).numpy(),
        scores=head.scaling.scores(head.offsets.double(), head.d_head).numpy(),
        trained=head.trained,
    )


@shared_scene
def _packed(state: State, steps: Steps) -> Scene:
    heads = [head_of(Now(_at(state, value))) for value in steps.values]
    each = [drawn(head) for head in heads]
    turns = [array for at in each for array in (at.seen, at.plain, at.scaled)]
    scores = [array for at in each for array in (at.plain_scores, at.scores)]
    ends = pictures.Ends(
        turns=(min(array.min() for array in turns), max(1.0, *(array.max() for array in turns))),
        slower=max(head.factor for head in heads),
        scores=(min(0.0, *(array.min() for array in scores)), max(1.0, *(array.max() for array in scores))),
    )
    said = {name: named(name) for name in SCALED}
    figures = [pictures.scaling.spec(at, ends, said) for at in each]
    return Scene(figures, says=[say(head) for head in heads])


def _at(state: State, value: float) -> State:
    """Return the state with its slider at a value."""
    match state.sweep:
        case "factor":
            return replace(state, factor=value)
        case "length":
            return replace(state, trained=int(value))
    return replace(state, scheme=replace(state.scheme, base=value))
