"""A toy that is trained here: its heads, predictions and training history, at every checkpoint."""

from dataclasses import replace

from attn_core.toys import CHANCE, SYMBOLS, TASKS, Generalisation, Recipe, Task
from attn_figures.numbers import as_share
from attn_figures.scene import Scene
from attn_figures.training import ModelMaps, TrainingHistory, scrubber
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.parameters import label_of
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import HEAD, KEY, QUERY
from attn_words import _, paragraph
from pages.learned_heads import words
from pages.learned_heads.compute import (
    GUESSING,
    NAMED,
    Result,
    array,
    evaluate_generalisation,
    largest_measures,
    steps_of,
)
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import TASK
from pages.learned_heads.state import ToySetting


def view(controls: Controls, setting: ToySetting) -> View[AnyResult]:
    """Draw every head at every step of the training."""
    steps = steps_of(setting.recipe)
    result = Result(setting, steps.nearest(controls.value(steps)))
    n = len(result.symbols)
    result = replace(
        result, cell=(controls.place(HEAD, result.n_head), controls.place(QUERY, n), controls.place(KEY, n))
    )
    figure = Figure(
        draw_steps(setting),
        key="learned",
        name=f"learned heads, {setting.recipe.task}",
        slider=Slider(_("Training step"), steps),
        selection={"query": QUERY, "key": KEY, "head": HEAD},
        caption=_(
            "{task}, {training}, on {letters}",
            task=label_of(TASK, setting.recipe.task),
            training=words.recipe_in_words(setting.recipe),
            letters=setting.letters,
        ),
    )
    notes = [about(setting.recipe)]
    if result.task.strange is not None:
        notes.append(
            describe_generalisation(
                result.task, evaluate_generalisation(setting.recipe, result.at, setting.off)
            )
        )
    if not setting.recipe.positions:
        notes.append(_without_positions(result))
    return View(result, figure, notes=[*map(Small, notes)])


def about(recipe: Recipe) -> str:
    """Return a sentence on the task, and one on the names of heads."""
    return paragraph(
        _("The task at every place: {task}.", task=_(TASKS[recipe.task].question)),
        _("Right answers are framed."),
        _(
            "A head is called by its layer and its number there; a measure from {number} on names it, as a "
            "previous-token head or an induction head.",
            number=NAMED,
        ),
        _(
            "Accuracy, loss and measures are of sequences that the training never saw, of the kind that it "
            "draws: {kind}.",
            kind=_(TASKS[recipe.task].trained_on),
        ),
    )


def describe_generalisation(task: Task, evaluation: Generalisation) -> str:
    """Say the accuracy on sequences of another kind, also at places with only one right symbol."""
    return _(
        "Outside of that, on {kind}: accuracy **{right}**, the last of several right places counting; where "
        "all of them hold one symbol, at {share} of the places, **{certain}**.",
        kind=_(task.strange_name),
        right=as_share(evaluation.accuracy, 1),
        share=as_share(evaluation.n_certain / evaluation.n_asked),
        certain=as_share(evaluation.certain, 1),
    )


def _without_positions(result: Result) -> str:
    """Return the weights of a first layer without positions, on the previous and on any other token."""
    measures, heads = result.evaluation.measures, range(result.recipe.heads)
    return _(
        "Without positions the first layer scores words only. Previous-token score: {scores}; any other "
        "token, on average: {chance}.",
        scores=all_of(
            [f"{result.label(head)} {float(measures['previous token'][head]):.3f}" for head in heads]
        ),
        chance=all_of([f"{float(measures[CHANCE][head]):.3f}" for head in heads]),
    )


def results_of(setting: ToySetting) -> list[Result]:
    """Return the result at every checkpoint."""
    return [Result(setting, at) for at in range(len(steps_of(setting.recipe).values))]


@shared_scene
def draw_steps(setting: ToySetting) -> Scene:
    """Draw every position of the slider, with captions."""
    results = results_of(setting)
    course = course_of(results[-1])
    places = [int(place) for place in course.steps]
    steps = LazyMap(lambda result: scrubber(maps(result), course, places.index(result.step)), results)
    return Scene(steps, captions=LazyMap(words.describe_toy, results))


def maps(result: Result) -> ModelMaps:
    """Return maps and predictions for the sequence as the figure's value."""
    return ModelMaps(
        array(result.weights),
        [result.head(head) for head in range(result.n_head)],
        [title(result, head) for head in range(result.n_head)],
        result.symbols,
        array(result.chances),
        list(SYMBOLS),
        result.answers,
        result.sequence_run.mask,
        result.recipe.heads,
    )


def title(result: Result, head: int) -> str:
    """Return a head's title: number and largest measure if that is at least NAMED, else its plain name."""
    if head in result.setting.off:
        return _("{head} (off)", head=_("head {number}", number=result.number(head)))
    name, value = result.names[head]
    return f"{result.number(head)} {_(name)} {value:.2f}" if value >= NAMED else result.label(head)


def course_of(result: Result) -> TrainingHistory:
    """Return the training history as the figure's value, with each head's largest measure at the end."""
    curve = result.run.curve
    measures = [
        (result.head(head), name, array(curve.measures[name][:, head]))
        for head, (name, _value) in enumerate(largest_measures(curve.at(result.recipe.steps)))
    ]
    labels = {result.head(head): result.label(head) for head in range(result.n_head)}
    return TrainingHistory(
        array(curve.steps), array(curve.loss), array(curve.accuracy), measures, GUESSING, labels
    )
