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

GUESSING = math.log(len(toys.SYMBOLS))  # the loss if every symbol is equally likely
NAMED = 0.5  # from this value on a head has the name of its largest measure


def run_of(recipe: toys.Recipe) -> toys.Run:
    """Return the training of a recipe.

    Raises LookupError if it neither comes with the app nor is among this process's last trainings.
    """
    if recipe in toys.SHIPPED:
        return toys.packaged_run(recipe.task, positions=recipe.positions)
    job = TRAINER.job(recipe)
    if job is None or job.run is None:
        raise LookupError("this training was not asked for, or is not yet over, or is forgotten")
    return job.run


def has_run(recipe: toys.Recipe) -> bool:
    """Whether a finished training of this recipe exists."""
    job = TRAINER.job(recipe)
    return recipe in toys.SHIPPED or (job is not None and job.run is not None)


def steps_of(recipe: toys.Recipe) -> Steps:
    """Return the slider over the training steps that have a checkpoint."""
    steps = tuple(each.step for each in run_of(recipe).checkpoints)
    return replace(STEP, values=steps, only=N_("a step at which the training was kept"))


@dataclass(frozen=True)
class Result:
    """One checkpoint of a training, the chosen cell, and all that is computed from them."""

    setting: ToySetting
    at: int  # index of the checkpoint
    cell: tuple[int, int, int] = (0, 0, 0)  # the chosen head (over all layers), query and key

    @property
    def recipe(self) -> toys.Recipe:
        """The recipe of the training."""
        return self.setting.recipe

    @property
    def task(self) -> toys.Task:
        """The task that is learned."""
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
        """The model after `step` steps."""
        return self.run.model(self.at)

    @cached_property
    def sequence_run(self) -> "SequenceRun":
        """The maps and predictions for the sequence, at every checkpoint."""
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
        """The right symbol's index at each place; None at places without an answer."""
        return self.sequence_run.answers

    @property
    def predictions(self) -> list[int]:
        """The index of the most likely symbol at each place."""
        return self.sequence_run.predictions[self.at]

    @property
    def selection(self) -> tuple[int, int, int]:
        """The chosen head, query and key, each at most the last that exists."""
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
        """The evaluation on held-out sequences stored at this step of the training, with all heads."""
        return self.run.curve.at(self.step)

    @cached_property
    def without_off_heads(self) -> tuple[float, float]:
        """Accuracy and loss without the heads that are off; without one head, as the training stored them."""
        off, single = self.setting.off, self.run.ablation
        if len(off) == 1:
            return float(single.accuracy[self.at, off[0]]), float(single.loss[self.at, off[0]])
        evaluation = evaluate_without(self.recipe, self.at, (off,))[0] if off else self.evaluation
        return evaluation.accuracy, evaluation.loss

    @property
    def n_head(self) -> int:
        """How many heads all layers have together."""
        return self.recipe.layers * self.recipe.heads

    @property
    def d_head(self) -> int:
        """The width of a head's queries and keys."""
        return self.task.d_model // self.recipe.heads

    def number(self, head: int) -> str:
        """Return a head's layer and its number there; `head` is a zero-based index over all layers.

        The second head of the first layer is "1.2".
        """
        layer, within = divmod(head, self.recipe.heads)
        return f"{layer + 1}.{within + 1}"

    def head(self, head: int) -> str:
        """Return the name of a head's map and curves, in English."""
        return f"head {self.number(head)}"

    def label(self, head: int) -> str:
        """Return a head's name in sentences, in the page's language."""
        return _("head {number}", number=self.number(head))

    @property
    def off(self) -> list[str]:
        """The names of the heads that are off."""
        return [self.label(head) for head in self.setting.off]

    @cached_property
    def names(self) -> list[tuple[str, float]]:
        """Each head's largest measure at this step, and its value."""
        return largest_measures(self.evaluation)


def largest_measures(evaluation: toys.Evaluation) -> list[tuple[str, float]]:
    """Return each head's largest measure and its value; among equal ones the first in MEASURES."""
    heads = zip(*(evaluation.measures[name].tolist() for name in toys.MEASURES), strict=True)
    largest = ((values.index(max(values)), max(values)) for values in heads)
    return [(toys.MEASURES[at], value) for at, value in largest]


@dataclass(frozen=True, eq=False)
class SequenceRun:
    """What the model computes on one sequence at every checkpoint.

    Attributes:
        tokens, symbols: the sequence (n,), as numbers and as letters.
        answers: the right symbol's index at each place, None at places without an answer.
        mask: True where a query may attend (n, n); None if nothing is masked.
        weights: the maps (n_step, n_head, n, n).
        logits, chances: the score and the probability of each symbol, (n_step, n, n_symbol).
        predictions: the most likely symbol's index, by step and place.
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
    """Run the sequence through the model of every checkpoint."""
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
    """Return the evaluation on held-out sequences without some heads, for each choice in `each_off`."""
    return toys.evaluate_without(
        run_of(recipe).model(at), toys.TASKS[recipe.task], recipe.held_out(), each_off
    )


@shared
def evaluate_generalisation(recipe: toys.Recipe, at: int, off: tuple[int, ...]) -> toys.Generalisation:
    """Return the evaluation on sequences of a kind that its task never draws, without the heads in `off`."""
    return toys.measure_generalisation(run_of(recipe).model(at), toys.TASKS[recipe.task], off)


def array(tensor: Tensor) -> NDArray[np.float64]:
    """Return a tensor as an array for the figures."""
    return np.asarray(tensor.detach(), dtype=np.float64)
