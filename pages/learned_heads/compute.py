"""Settings turned into arrays, which the picture, captions, tabs, checks and programs all read."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attn_core import causal_mask, toys
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_cache import shared
from attn_words import N_, _
from pages.learned_heads.settings import STEP
from pages.learned_heads.state import ToySetting
from pages.learned_heads.trainer import TRAINER

GUESSING = math.log(len(toys.SYMBOLS))  # the loss of saying every symbol alike
NAMED = 0.5  # a head has the name of its largest measure from here on


def run_of(recipe: toys.Recipe) -> toys.Run:
    """Return the training that a recipe stands for.

    Raises LookupError if it neither comes with the app nor was trained lately in this process.
    """
    if recipe in toys.SHIPPED:
        return toys.packaged_run(recipe.task, positions=recipe.positions)
    job = TRAINER.job(recipe)
    if job is None or job.run is None:
        raise LookupError("this training was not asked for, or is not yet over, or is forgotten")
    return job.run


def has_run(recipe: toys.Recipe) -> bool:
    """Whether there is a training by this recipe."""
    job = TRAINER.job(recipe)
    return recipe in toys.SHIPPED or (job is not None and job.run is not None)


def steps_of(recipe: toys.Recipe) -> Steps:
    """Return the slider over the steps at which this training was kept."""
    steps = tuple(each.step for each in run_of(recipe).checkpoints)
    return replace(STEP, values=steps, only=N_("a step at which the training was kept"))


@dataclass(frozen=True)
class Result:
    """What the page shows at one step of a training."""

    setting: ToySetting
    at: int  # of the checkpoints
    cell: tuple[int, int, int] = (0, 0, 0)  # the chosen head (over all layers), query and key

    @property
    def recipe(self) -> toys.Recipe:
        """The training."""
        return self.setting.recipe

    @property
    def task(self) -> toys.Task:
        """What is learned."""
        return toys.TASKS[self.recipe.task]

    @cached_property
    def run(self) -> toys.Run:
        """The training with its checkpoints."""
        return run_of(self.recipe)

    @property
    def step(self) -> int:
        """How many steps the model was trained for."""
        return self.run.checkpoints[self.at].step

    @cached_property
    def model(self) -> toys.ToyModel:
        """The model after these steps."""
        return self.run.model(self.at)

    @cached_property
    def sequence_run(self) -> "SequenceRun":
        """The model's run on the sequence, at every checkpoint."""
        return run_at_every_step(self.setting)

    @property
    def tokens(self) -> Tensor:
        """The sequence as the model reads it."""
        return self.sequence_run.tokens

    @property
    def symbols(self) -> list[str]:
        """The sequence as it is shown."""
        return self.sequence_run.symbols

    @cached_property
    def toy_run(self) -> toys.ToyRun:
        """Every stage on the sequence, with queries, keys and values."""
        run: toys.ToyRun = self.model(self.tokens, off=self.setting.off)
        return run

    @property
    def weights(self) -> Tensor:
        """The maps of all heads, (n_head, n, n)."""
        return self.sequence_run.weights[self.at]

    @property
    def logits(self) -> Tensor:
        """The score of each symbol at each place, (n, n_symbol)."""
        return self.sequence_run.logits[self.at]

    @property
    def chances(self) -> Tensor:
        """The probability of each symbol at each place, (n, n_symbol)."""
        return self.sequence_run.chances[self.at]

    @property
    def answers(self) -> list[int | None]:
        """The right symbol at each place, by its number; None where there is none."""
        return self.sequence_run.answers

    @property
    def predictions(self) -> list[int]:
        """The symbol that the model finds most likely at each place."""
        return self.sequence_run.predictions[self.at]

    @property
    def selection(self) -> tuple[int, int, int]:
        """The chosen head, query and key; the last where there are fewer."""
        last = (self.n_head - 1, *[len(self.symbols) - 1] * 2)
        head, query, key = (min(pair) for pair in zip(self.cell, last, strict=True))
        return head, query, key

    @property
    def right(self) -> int:
        """How many answers are right."""
        return sum(
            predictions == answer for predictions, answer in zip(self.predictions, self.answers, strict=True)
        )

    @cached_property
    def evaluation(self) -> toys.Evaluation:
        """How the model did on held-out sequences when it was trained, with all its heads."""
        return self.run.curve.at(self.step)

    @cached_property
    def without_off_heads(self) -> tuple[float, float]:
        """Accuracy and loss without the heads that are off; of one head as the training stored them."""
        off, single = self.setting.off, self.run.ablation
        if len(off) == 1:
            return float(single.accuracy[self.at, off[0]]), float(single.loss[self.at, off[0]])
        evaluation = evaluate_without(self.recipe, self.at, (off,))[0] if off else self.evaluation
        return evaluation.accuracy, evaluation.loss

    @property
    def n_head(self) -> int:
        """Heads over all layers."""
        return self.recipe.layers * self.recipe.heads

    @property
    def d_head(self) -> int:
        """The width of a head's queries and keys."""
        return self.task.d_model // self.recipe.heads

    def number(self, head: int) -> str:
        """Return the layer, and the number within it, of a head that is counted from 0 over all layers.

        The second head of the first layer is "1.2".
        """
        layer, within = divmod(head, self.recipe.heads)
        return f"{layer + 1}.{within + 1}"

    def head(self, head: int) -> str:
        """Return the name of a head's map and curves."""
        return f"head {self.number(head)}"

    def label(self, head: int) -> str:
        """Return a head's name in sentences."""
        return _("head {number}", number=self.number(head))

    @property
    def off(self) -> list[str]:
        """The names of the heads that are off."""
        return [self.label(head) for head in self.setting.off]

    @cached_property
    def names(self) -> list[tuple[str, float]]:
        """Each head's largest measure now and its value."""
        return largest_measures(self.evaluation)


def largest_measures(evaluation: toys.Evaluation) -> list[tuple[str, float]]:
    """Return for each head its largest measure, the first of `MEASURES` among equals, and its value."""
    heads = zip(*(evaluation.measures[name].tolist() for name in toys.MEASURES), strict=True)
    largest = ((values.index(max(values)), max(values)) for values in heads)
    return [(toys.MEASURES[at], value) for at, value in largest]


@dataclass(frozen=True, eq=False)
class SequenceRun:
    """What a model does with one sequence at every step that was kept.

    Attributes:
        tokens, symbols: the sequence (n,), as numbers and as it is shown.
        answers: the right symbol at each of its places, None where there is none.
        mask: True where a place may attend (n, n); None where all may.
        weights: the maps (n_step, n_head, n, n).
        logits, chances: the score and the probability of each symbol, (n_step, n, n_symbol).
        predictions: the most likely symbol at each place, for each step.
    """

    tokens: Tensor
    symbols: list[str]
    answers: list[int | None]
    mask: NDArray[np.bool_] | None
    weights: Tensor
    logits: Tensor
    chances: Tensor
    predictions: list[list[int]]


@shared
def run_at_every_step(setting: ToySetting) -> SequenceRun:
    """Run the sequence through the model of every step that was kept."""
    task = toys.TASKS[setting.recipe.task]
    tokens = task.tokens(setting.letters)
    answers = [each if each >= 0 else None for each in task.answers(tokens).tolist()]
    weights, logits = run_of(setting.recipe).on(tokens, off=setting.off)
    chances = logits.softmax(dim=-1)
    return SequenceRun(
        tokens,
        [toys.SYMBOLS[each] for each in tokens.tolist()],
        answers,
        causal_mask(len(tokens)).numpy() if task.causal else None,
        weights,
        logits,
        chances,
        chances.argmax(dim=-1).tolist(),
    )


@shared
def evaluate_without(
    recipe: toys.Recipe, at: int, each_off: tuple[tuple[int, ...], ...]
) -> list[toys.Evaluation]:
    """Return how a model does on held-out sequences without some of its heads, for each such choice."""
    return toys.evaluate_without(
        run_of(recipe).model(at), toys.TASKS[recipe.task], recipe.held_out(), each_off
    )


@shared
def evaluate_generalisation(recipe: toys.Recipe, at: int, off: tuple[int, ...]) -> toys.Generalisation:
    """Return how a model does on sequences of another kind than its task draws, without some of its heads."""
    return toys.measure_generalisation(run_of(recipe).model(at), toys.TASKS[recipe.task], off)


def array(tensor: Tensor) -> NDArray[np.float64]:
    """Return a tensor as the figures take it."""
    return np.asarray(tensor.detach(), dtype=np.float64)
