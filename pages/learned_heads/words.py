"""Sentences from numbers; pure."""

from collections.abc import Sequence

from attn_core.toys import CHANCE, SYMBOLS, TASKS, Outside, Recipe, Task
from attn_figures.numbers import as_share, number
from attn_ui.base.markdown import capital, listed
from attn_words import N_, _, _c, _n, paragraph
from pages.learned_heads.compute import NAMED, Now
from pages.learned_heads.trainer import Job

IS = {
    "previous token": N_("{head} is a previous-token head ({value})"),
    "induction": N_("{head} is an induction head ({value})"),
    "diagonal": N_("{head} looks at its own place ({value})"),
    "right place": N_("{head} looks at the right place ({value})"),
}


def seen(now: Now) -> str:
    """Say how far the model is, what its heads are, and how it does on the sequence."""
    judged, off = now.judged, now.off
    told = [
        _(
            "After **{steps}** steps the model is right in **{right}** of held-out places (loss {loss}).",
            steps=f"{now.step:,}",
            right=as_share(judged.accuracy, 1),
            loss=number(judged.loss, 3),
        )
    ]
    if off:
        accuracy, loss = now.ablated
        told.append(
            _(
                "Without {heads}: **{right}** (loss {loss}).",
                heads=listed(off),
                right=as_share(accuracy, 1),
                loss=number(loss, 3),
            )
        )
    heads = [(now.called(head), *largest) for head, largest in enumerate(now.names)]
    named = [_(IS[name], head=head, value=f"{value:.2f}") for head, name, value in heads if value >= NAMED]
    told.append(
        _c("heads that have a name", "{heads}.", heads=capital(listed(named))) if named else nameless()
    )
    if not now.asked:
        return paragraph(*told, _("No place of this sequence has an answer: it takes more letters."))
    if len(off) == now.n_head:
        return paragraph(*told, _("With every head off nothing is read: all symbols are equally likely."))
    says = _(
        "It says {symbols}: {right} of {asked} right.",
        symbols=spoken(now.said, now.answers),
        right=now.right,
        asked=now.asked,
    )
    return paragraph(*told, says)


def nameless() -> str:
    """Say that no head has a name."""
    return _("No head has a name: all their measures are below {number}.", number=NAMED)


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
    if first:
        return _("**{symbols}** from place {place} on", symbols=symbols, place=first + 1)
    return _("**{symbols}** here", symbols=symbols)


def what_is_learned(recipe: Recipe) -> str:
    """Say what the task asks and, by one that is there, how heads are called."""
    called = ""
    if recipe.layers > 1:
        called = _("Head 2.1 is the first head of layer 2.")
    elif recipe.heads > 1:
        called = _("Head 1.2 is the second head of layer 1.")
    return paragraph(
        _("The task at every place: {task}.", task=_(TASKS[recipe.task].says)),
        called,
        _("Right answers are framed."),
        _(
            "Measures and curves are of sequences that the training never saw, of the kind that it draws: "
            "{kind}.",
            kind=_(TASKS[recipe.task].trained_on),
        ),
    )


def of_another_kind(task: Task, found: Outside) -> str:
    """Say how a model does on sequences that its training does not draw, and where these leave no doubt."""
    fields = {"kind": _(task.strange_is), "right": as_share(found.accuracy, 1)}
    if found.n_certain == found.n_asked:
        return _(
            "Outside of that, on {kind}, the model as it is shown is right in **{right}** of the places.",
            **fields,
        )
    return paragraph(
        _(
            "Outside of that, on {kind}, the model as it is shown is right in **{right}** of the places, if "
            "the last of several right places counts.",
            **fields,
        ),
        _(
            "Where all of them hold one symbol, which is so at {share} of the places, it is right in "
            "**{right}**.",
            share=as_share(found.n_certain / found.n_asked),
            right=as_share(found.certain, 1),
        ),
    )


def progress(job: Job, before: int) -> str:
    """Say where a training stands: in the line, or how far it is."""
    if job.state == "waiting":
        return _n(
            "In line: {count:,} training before this one.",
            "In line: {count:,} trainings before this one.",
            before,
        )
    steps = {"step": f"{job.step:,}", "steps": f"{job.recipe.steps:,}"}
    if job.look is None:
        return _("Step {step} of {steps}.", **steps)
    return _(
        "Step {step} of {steps}: loss {loss}, right {right}.",
        **steps,
        loss=number(job.look.loss, 3),
        right=as_share(job.look.accuracy, 1),
    )


def ended(state: str, step: int) -> str:
    """Say how a training ended that did not come to its end."""
    if state == "stopped":
        return _n("Stopped after {count:,} step.", "Stopped after {count:,} steps.", step)
    return _n("It failed after {count:,} step.", "It failed after {count:,} steps.", step)


def not_trained(wanted: Recipe, recipe: Recipe) -> str:
    """Say whose picture is shown while the wanted training is not there."""
    return _(
        "Not trained yet: {wanted}. The picture shows {shown}.",
        wanted=recipe_in_words(wanted),
        shown=recipe_in_words(recipe),
    )


def recipe_in_words(recipe: Recipe) -> str:
    """Name a training by what can be set."""
    size = layers_of_heads(recipe.layers, recipe.heads)
    if recipe.positions:
        return _("seed {seed}, {size}, with positions", seed=recipe.seed, size=size)
    return _("seed {seed}, {size}, without positions", seed=recipe.seed, size=size)


def layers_of_heads(n_layer: int, n_head: int) -> str:
    """Say how many layers and heads a model has.

    >>> layers_of_heads(1, 2), layers_of_heads(2, 1)
    ('1 layer of 2 heads', '2 layers of 1 head')
    """
    heads = _n("{count:,} head", "{count:,} heads", n_head)
    return _n("{count:,} layer of {heads}", "{count:,} layers of {heads}", n_layer, heads=heads)


def without_positions(now: Now) -> str:
    """Say why a first layer without positions cannot find the previous token, with its score and chance."""
    measures = now.judged.measures
    heads = range(now.recipe.heads)
    scores = [f"{now.called(head)} {float(measures['previous token'][head]):.3f}" for head in heads]
    chance = [f"{float(measures[CHANCE][head]):.3f}" for head in heads]
    return paragraph(
        _(
            "Without positions the scores of the first layer see words only: the same word scores alike "
            "wherever it stands, so the token just before has no more weight than any other token before."
        ),
        _(
            "Previous-token score: {scores}; any other token, on average: {chance}.",
            scores=listed(scores),
            chance=listed(chance),
        ),
        _(
            "What it still learns of order comes by the causal mask, which shows every place what is before "
            "it."
        )
        if now.task.causal
        else "",
    )
