"""The settings turned into arrays: the one state that picture, words, tabs, checks and code all read."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attn_core import causal_mask
from attn_core.toys import (
    MEASURES,
    SHIPPED,
    SYMBOLS,
    TASKS,
    Evaluation,
    Outside,
    Recipe,
    Run,
    Task,
    ToyModel,
    ToyRun,
    judge_without,
    outside,
    shipped,
)
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_cache import shared
from attn_words import N_, _
from pages.learned_heads.settings import STEP
from pages.learned_heads.state import Setting
from pages.learned_heads.trainer import TRAINER

GUESSING = math.log(len(SYMBOLS))  # the loss of saying every symbol alike
NAMED = 0.5  # a head has the name of its largest measure from here on


def run_of(recipe: Recipe) -> Run:
    """Return the training that a recipe stands for.

    Raises LookupError where it neither comes with the app nor was trained in this process of late.
    """
    if recipe in SHIPPED:
        return shipped(recipe.task, positions=recipe.positions)
    job = TRAINER.job(recipe)
    if job is None or job.run is None:
        raise LookupError("this training was not asked for, or is not yet over, or is forgotten")
    return job.run


def is_there(recipe: Recipe) -> bool:
    """Whether there is a training by this recipe."""
    job = TRAINER.job(recipe)
    return recipe in SHIPPED or (job is not None and job.run is not None)


def steps_of(recipe: Recipe) -> Steps:
    """Return the slider over the steps at which this training was kept."""
    kept = tuple(each.step for each in run_of(recipe).checkpoints)
    return replace(STEP, values=kept, only=N_("a step at which the training was kept"))


@dataclass(frozen=True)
class Result:
    """What the page shows at one step of a training."""

    setting: Setting
    at: int  # of the checkpoints
    cell: tuple[int, int, int] = (0, 0, 0)  # the chosen head (over all layers), query and key

    @property
    def recipe(self) -> Recipe:
        """The training."""
        return self.setting.recipe

    @property
    def task(self) -> Task:
        """What is learned."""
        return TASKS[self.recipe.task]

    @cached_property
    def run(self) -> Run:
        """The training with its checkpoints."""
        return run_of(self.recipe)

    @property
    def step(self) -> int:
        """How many steps the model was trained for."""
        return self.run.checkpoints[self.at].step

    @cached_property
    def model(self) -> ToyModel:
        """The model after these steps."""
        return self.run.model(self.at)

    @cached_property
    def shown(self) -> "Shown":
        """What the model does with the sequence, at every step that was kept."""
        return at_every_step(self.setting)

    @property
    def tokens(self) -> Tensor:
        """The sequence as the model reads it."""
        return self.shown.tokens

    @property
    def symbols(self) -> list[str]:
        """The sequence as it is shown."""
        return self.shown.symbols

    @cached_property
    def toy_run(self) -> ToyRun:
        """Every stage on the sequence, where more is wanted than the maps and the logits."""
        found: ToyRun = self.model(self.tokens, off=self.setting.off)
        return found

    @property
    def weights(self) -> Tensor:
        """The maps of all heads, (n_head, n, n)."""
        return self.shown.weights[self.at]

    @property
    def logits(self) -> Tensor:
        """The score of each symbol at each place, (n, n_symbol)."""
        return self.shown.logits[self.at]

    @property
    def chances(self) -> Tensor:
        """The probability of each symbol at each place, (n, n_symbol)."""
        return self.shown.chances[self.at]

    @property
    def answers(self) -> list[int | None]:
        """The right symbol at each place, by its number; None where there is none."""
        return self.shown.answers

    @property
    def said(self) -> list[int]:
        """The symbol that the model finds most likely at each place."""
        return self.shown.said[self.at]

    @property
    def chosen(self) -> tuple[int, int, int]:
        """The chosen head, query and key; the last where there are fewer."""
        last = (self.n_head - 1, *[len(self.symbols) - 1] * 2)
        head, query, key = (min(pair) for pair in zip(self.cell, last, strict=True))
        return head, query, key

    @property
    def right(self) -> int:
        """How many answers are right."""
        return sum(said == answer for said, answer in zip(self.said, self.answers, strict=True))

    @property
    def asked(self) -> int:
        """How many places have an answer."""
        return sum(answer is not None for answer in self.answers)

    @cached_property
    def judged(self) -> Evaluation:
        """How the model did on held-out sequences when it was trained, with all its heads."""
        return self.run.curve.at(self.step)

    @cached_property
    def ablated(self) -> tuple[float, float]:
        """The share of right answers, and the loss, without the heads that are off; of one as kept."""
        off, kept = self.setting.off, self.run.ablated
        if len(off) == 1:
            return float(kept.accuracy[self.at, off[0]]), float(kept.loss[self.at, off[0]])
        judged = judged_without(self.recipe, self.at, (off,))[0] if off else self.judged
        return judged.accuracy, judged.loss

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

    def called(self, head: int) -> str:
        """Return what a head is called in sentences."""
        return _("head {number}", number=self.number(head))

    @property
    def off(self) -> list[str]:
        """What the heads that are off are called."""
        return [self.called(head) for head in self.setting.off]

    @cached_property
    def names(self) -> list[tuple[str, float]]:
        """Each head's largest measure now and its value."""
        return naming(self.judged)


def naming(judged: Evaluation) -> list[tuple[str, float]]:
    """Return for each head its largest measure, the first of `MEASURES` among equals, and its value."""
    heads = zip(*(judged.measures[name].tolist() for name in MEASURES), strict=True)
    largest = ((values.index(max(values)), max(values)) for values in heads)
    return [(MEASURES[at], value) for at, value in largest]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a model does with one sequence at every step that was kept.

    Attributes:
        tokens, symbols: the sequence (n,), as numbers and as it is shown.
        answers: the right symbol at each of its places, None where there is none.
        mask: True where a place may attend (n, n); None where all may.
        weights: the maps (n_step, n_head, n, n).
        logits, chances: the score and the probability of each symbol, (n_step, n, n_symbol).
        said: the most likely symbol at each place, for each step.
    """

    tokens: Tensor
    symbols: list[str]
    answers: list[int | None]
    mask: NDArray[np.bool_] | None
    weights: Tensor
    logits: Tensor
    chances: Tensor
    said: list[list[int]]


@shared
def at_every_step(setting: Setting) -> Shown:
    """Run the sequence through the model of every step that was kept."""
    task = TASKS[setting.recipe.task]
    tokens = task.tokens(setting.typed)
    answers = [each if each >= 0 else None for each in task.answers(tokens).tolist()]
    weights, logits = run_of(setting.recipe).on(tokens, off=setting.off)
    chances = logits.softmax(dim=-1)
    return Shown(
        tokens,
        [SYMBOLS[each] for each in tokens.tolist()],
        answers,
        causal_mask(len(tokens)).numpy() if task.causal else None,
        weights,
        logits,
        chances,
        chances.argmax(dim=-1).tolist(),
    )


@shared
def judged_without(recipe: Recipe, at: int, each_off: tuple[tuple[int, ...], ...]) -> list[Evaluation]:
    """Return how a model does on held-out sequences without some of its heads, for each such choice."""
    return judge_without(run_of(recipe).model(at), TASKS[recipe.task], recipe.held_out(), each_off)


@shared
def judged_outside(recipe: Recipe, at: int, off: tuple[int, ...]) -> Outside:
    """Return how a model does on sequences of another kind than its task draws, without some of its heads."""
    return outside(run_of(recipe).model(at), TASKS[recipe.task], off)


def array(tensor: Tensor) -> NDArray[np.float64]:
    """Hand a tensor to the figures."""
    return np.asarray(tensor.detach(), dtype=np.float64)
