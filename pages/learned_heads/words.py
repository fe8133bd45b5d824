"""Sentences from numbers; pure."""

from collections.abc import Sequence

from attn_core.toys import CHANCE, SYMBOLS, TASKS, Outside, Recipe, Task
from attn_figures.numbers import counted, number
from attn_ui.base.markdown import listed
from pages.learned_heads.compute import NAMED, Now
from pages.learned_heads.trainer import Job

IS = {
    "previous token": "is a previous-token head",
    "induction": "is an induction head",
    "diagonal": "looks at its own place",
    "right place": "looks at the right place",
}
NAMELESS = f"No head has a name: all their measures are below {NAMED}."


def seen(now: Now) -> str:
    """Say how far the model is, what its heads are, and how it does on the sequence."""
    judged = now.judged
    told = [
        f"After **{now.step:,}** steps the model is right in **{judged.accuracy:.1%}** of held-out places "
        f"(loss {number(judged.loss, 3)})."
    ]
    off = now.off
    if off:
        told.append(
            f"Without {listed(off)}: **{now.ablated.accuracy:.1%}** (loss {number(now.ablated.loss, 3)})."
        )
    heads = [(now.head(head), *largest) for head, largest in enumerate(now.names)]
    named = [f"{head} {IS[name]} ({value:.2f})" for head, name, value in heads if value >= NAMED]
    told.append(f"{capital(listed(named))}." if named else NAMELESS)
    if not now.asked:
        return " ".join([*told, "No place of this sequence has an answer: it takes more letters."])
    if len(off) == now.n_head:
        return " ".join([*told, "With every head off nothing is read: all symbols are equally likely."])
    who = f"Without {listed(off)} it" if off else "It"
    told.append(f"{who} says {spoken(now.said, now.answers)}: {now.right} of {now.asked} right.")
    return " ".join(told)


def spoken(said: Sequence[int], answers: Sequence[int | None]) -> str:
    """Say which symbols a model says, from the first place on that has an answer.

    >>> spoken([3, 1, 0, 2], [None, 1, None, 3])
    '**b – c** from place 2 on'
    """
    first = next(place for place, answer in enumerate(answers) if answer is not None)
    symbols = " ".join(
        "–" if answer is None else SYMBOLS[symbol]
        for symbol, answer in zip(said[first:], answers[first:], strict=True)
    )
    return f"**{symbols}** {f'from place {first + 1} on' if first else 'here'}"


def capital(text: str) -> str:
    """Begin with a capital."""
    return text[:1].upper() + text[1:]


def what_is_learned(recipe: Recipe) -> str:
    """Say what the task asks and, by one that is there, how heads are called."""
    if recipe.layers > 1:
        called = " Head 2.1 is the first head of layer 2."
    else:
        called = " Head 1.2 is the second head of layer 1." if recipe.heads > 1 else ""
    return (
        f"The task at every place: {TASKS[recipe.task].says}.{called} Right answers are framed. Measures and "
        f"curves are of sequences that the training never saw, of the kind that it draws: "
        f"{TASKS[recipe.task].trained_on}."
    )


def without(off: Sequence[str]) -> str:
    """Say without which heads a number was measured; "" with all of them.

    >>> without([]), without(["head 1.1", "head 2.1"])
    ('', 'without head 1.1 and head 2.1 ')
    """
    return f"without {listed(off)} " if off else ""


def of_another_kind(task: Task, found: Outside, off: Sequence[str] = ()) -> str:
    """Say how a model does on sequences that its training does not draw, and where these leave no doubt.

    Args:
        task: what was learned; found: how the model does, without the heads that are off.
        off: their names.
    """
    where = f"Outside of that, on {task.strange_is}"
    told = f"{where}, {without(off)}it is right in **{found.accuracy:.1%}** of the places"
    if found.n_certain == found.n_asked:
        return f"{told}."
    share = found.n_certain / found.n_asked
    return (
        f"{told}, if the last of several right places counts. Where all of them hold one symbol, which is so "
        f"at {share:.0%} of the places, it is right in **{found.certain:.1%}**."
    )


def progress(job: Job, before: int) -> str:
    """Say where a training stands: in the line, or how far it is."""
    if job.state == "waiting":
        return f"In line: {counted(before, 'training')} before this one."
    told = f"Step {job.step:,} of {job.recipe.steps:,}"
    if job.look is None:
        return f"{told}."
    return f"{told}: loss {number(job.look.loss, 3)}, right {job.look.accuracy:.1%}."


def ended(state: str, step: int) -> str:
    """Say how a training ended that did not come to its end."""
    return f"{'Stopped' if state == 'stopped' else 'It failed'} after {counted(step, 'step')}."


def not_trained(wanted: Recipe, recipe: Recipe) -> str:
    """Say whose picture is shown while the wanted training is not there."""
    return f"Not trained yet: {recipe_in_words(wanted)}. The picture shows {recipe_in_words(recipe)}."


def recipe_in_words(recipe: Recipe) -> str:
    """Name a training by what can be set."""
    positions = "with positions" if recipe.positions else "without positions"
    each = f"{counted(recipe.layers, 'layer')} of {counted(recipe.heads, 'head')}"
    return f"seed {recipe.seed}, {each}, {positions}"


def without_positions(now: Now) -> str:
    """Say why a first layer without positions cannot find the previous token, with its score and chance."""
    measures = now.judged.measures
    heads = range(now.recipe.heads)
    scores = [f"{now.head(head)} {float(measures['previous token'][head]):.3f}" for head in heads]
    chance = [f"{float(measures[CHANCE][head]):.3f}" for head in heads]
    order = (
        " What it still learns of order comes by the causal mask, which shows every place what is before it."
        if now.task.causal
        else ""
    )
    return (
        "Without positions the scores of the first layer see words only: the same word scores alike wherever "
        "it stands, so the token just before has no more weight than any other token before. Previous-token "
        f"score: {listed(scores)}; any other token, on average: {listed(chance)}.{order}"
    )
