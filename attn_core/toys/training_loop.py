"""Trains a toy from a seed, and keeps more checkpoints where it changes more."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.func import functional_call, vmap
from torch.nn import functional as F

from attn_core import _require
from attn_core._adam import Adam
from attn_core.multi_head import MultiHead, MultiHeadAttention
from attn_core.toys.measures import measure_heads
from attn_core.toys.model import Attend, ToyModel
from attn_core.toys.tasks import TASKS, Task

# The learning rate of W_q and W_k, as a multiple of the others'. At equal rates the answers are right, and
# the loss gone, long before a head attends to one key alone.
WHERE_FASTER = 4.0
BATCH = 64
HELD_OUT = 128  # sequences that no training step uses
EVERY = 5  # steps between two evaluations on the held-out sequences
CHECKPOINTS = 31
_HELD_OUT_SEED = 1_000_000


@dataclass(frozen=True)
class Recipe:
    """The settings of a training: the same recipe gives the same model."""

    task: str
    seed: int = 0
    layers: int = 1
    heads: int = 2
    positions: bool = True
    steps: int = 300

    @classmethod
    def usual(cls, task: str) -> "Recipe":
        """Return the recipe by which a task's toy in this repository was trained.

        Raises ValueError for an unknown task.
        """
        _require.one_of("task", task, TASKS)
        of = TASKS[task]
        return cls(task, of.seed, of.layers, of.heads, steps=of.steps)

    def model(self) -> ToyModel:
        """Return the untrained model."""
        task = TASKS[self.task]
        return ToyModel(
            layers=self.layers,
            heads=self.heads,
            length=task.length,
            seed=self.seed,
            positions=self.positions,
            causal=task.causal,
            d_model=task.d_model,
        )

    def held_out(self, count: int = HELD_OUT) -> Int[Tensor, "count n"]:
        """Return the sequences that the model is evaluated on and never trained on."""
        generator = torch.Generator().manual_seed(_HELD_OUT_SEED + self.seed)
        return TASKS[self.task].draw(count, generator)


class Checkpoint(NamedTuple):
    """A model's parameters by name, after ``step`` steps."""

    step: int
    state: Mapping[str, Tensor]


class Evaluation(NamedTuple):
    """The loss, accuracy and heads' measures of a model on sequences."""

    loss: float
    accuracy: float
    measures: Mapping[str, Float[Tensor, " n_head"]]


@dataclass(frozen=True, eq=False)
class TrainingCurve:
    """The evaluations of a model on held-out sequences after each of ``steps``.

    ``loss`` (nats per answer) and ``accuracy`` are (n,), each of ``measures`` (n, n_head).
    """

    steps: Int[Tensor, " n"]
    loss: Float[Tensor, " n"]
    accuracy: Float[Tensor, " n"]
    measures: Mapping[str, Float[Tensor, "n n_head"]]

    def at(self, step: int) -> Evaluation:
        """Return the evaluation after a number of steps."""
        place = int((self.steps == step).int().argmax())
        measures = {name: each[place] for name, each in self.measures.items()}
        return Evaluation(float(self.loss[place]), float(self.accuracy[place]), measures)


class HeadAblation(NamedTuple):
    """Loss and accuracy of each checkpoint on held-out sequences without each of its heads."""

    loss: Float[Tensor, "n_checkpoint n_head"]
    accuracy: Float[Tensor, "n_checkpoint n_head"]


@dataclass(frozen=True, eq=False)
class Run:
    """A finished training: its recipe, curve, checkpoints, and the ablation of each head."""

    recipe: Recipe
    curve: TrainingCurve
    checkpoints: tuple[Checkpoint, ...]
    ablation: HeadAblation

    def model(self, at: int) -> ToyModel:
        """Return the model of a checkpoint, by its zero-based index."""
        return _as_it_was(self.recipe, self.checkpoints[at])

    def on(
        self, tokens: Int[Tensor, " n"], *, off: Collection[int] = ()
    ) -> tuple[Float[Tensor, "n_checkpoint n_head n n"], Float[Tensor, "n_checkpoint n n_symbol"]]:
        """Return the maps and the logits of a sequence at every checkpoint, all in one batch.

        They are those of ``model(at)(tokens, off=off)``, up to the rounding of float32.
        """
        model = self.model(0)

        def forward(state: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
            run = functional_call(model, dict(state), (tokens,), {"off": off})
            return run.weights, run.logits

        states = [each.state for each in self.checkpoints]
        maps_and_logits: tuple[Tensor, Tensor] = vmap(forward)(
            {name: torch.stack([state[name] for state in states]) for name in states[0]}
        )
        return maps_and_logits


def evaluate(
    model: ToyModel,
    task: Task,
    tokens: Int[Tensor, "n_sequence n"],
    off: tuple[int, ...] = (),
    *,
    attend: Attend = MultiHeadAttention.__call__,
    start: int = 0,
) -> Evaluation:
    """Evaluate a model on sequences; ``off``, ``attend`` and ``start`` as in ``ToyModel.forward``."""
    with torch.no_grad():
        run = model(tokens, off=off, attend=attend, start=start)
    answers = task.answers(tokens)
    has_answer = answers >= 0
    loss = F.cross_entropy(run.logits[has_answer], answers[has_answer])
    right = run.logits[has_answer].argmax(dim=-1) == answers[has_answer]
    return Evaluation(float(loss), float(right.float().mean()), measure_heads(task, tokens, run.weights))


def evaluate_without(
    model: ToyModel, task: Task, tokens: Int[Tensor, "n_sequence n"], each_off: Sequence[tuple[int, ...]]
) -> list[Evaluation]:
    """Evaluate a model without each of several sets of heads.

    Results are those of ``evaluate``, bit for bit; a layer with the same input for several sets runs once.
    """
    layers: list[tuple[MultiHeadAttention, Tensor, MultiHead]] = []

    def attend(attention: MultiHeadAttention, x: Tensor, **options: Tensor | None) -> MultiHead:
        for module, inputs, stages in layers:
            if module is attention and torch.equal(inputs, x):
                return stages
        layers.append((attention, x, attention(x, **options)))
        return layers[-1][-1]

    return [evaluate(model, task, tokens, off, attend=attend) for off in each_off]


OnStep = Callable[[int, Evaluation | None], None]


def train(recipe: Recipe, *, checkpoints: int = CHECKPOINTS, on_step: OnStep | None = None) -> Run:
    """Train a model by a recipe with Adam, on batches drawn from its seed.

    Args:
        recipe: the settings; the same recipe gives the same numbers on the same machine.
        checkpoints: how many are kept at most: the first, the last, and others between which loss, accuracy
            and the heads' measures change by about the same amount.
        on_step: called with the number of steps so far, and the evaluation there or None. An exception from
            it ends the training.

    Raises ValueError for an unknown task, steps below one, or fewer than two checkpoints.
    """
    _require.one_of("task", recipe.task, TASKS)
    _require.integer("steps", recipe.steps, least=1)
    _require.integer("checkpoints", checkpoints, least=2)
    task, model = TASKS[recipe.task], recipe.model()
    held_out = recipe.held_out()
    generator = torch.Generator().manual_seed(recipe.seed)
    adam = _adam(model, task.rate)
    states: list[Checkpoint] = []
    evaluations: list[Evaluation] = []
    for step in range(recipe.steps + 1):
        evaluation = None
        if step % EVERY == 0 or step == recipe.steps:
            evaluation = evaluate(model, task, held_out)
            evaluations.append(evaluation)
            states.append(Checkpoint(step, {name: each.clone() for name, each in model.state_dict().items()}))
        if on_step is not None:
            on_step(step, evaluation)
        if step == recipe.steps:
            break
        tokens = task.draw(BATCH, generator)
        adam.step(_loss(model, task, tokens[~_among(tokens, held_out)]))
    selection = tuple(states[at] for at in _evenly_along_path(evaluations, checkpoints))
    return Run(recipe, _curve(states, evaluations), selection, _ablate(recipe, selection))


def _as_it_was(recipe: Recipe, checkpoint: Checkpoint) -> ToyModel:
    model = recipe.model()
    model.load_state_dict(dict(checkpoint.state))
    return model.eval().requires_grad_(False)


def _ablate(recipe: Recipe, checkpoints: Sequence[Checkpoint]) -> HeadAblation:
    each_off = [(head,) for head in range(recipe.layers * recipe.heads)]
    task, held_out = TASKS[recipe.task], recipe.held_out()
    evaluations = [
        evaluate_without(_as_it_was(recipe, each), task, held_out, each_off) for each in checkpoints
    ]
    return HeadAblation(
        torch.tensor([[one.loss for one in each] for each in evaluations]),
        torch.tensor([[one.accuracy for one in each] for each in evaluations]),
    )


def _adam(model: ToyModel, rate: float) -> Adam:
    parameters = dict(model.named_parameters())
    where = [each for name, each in parameters.items() if ".W_q." in name or ".W_k." in name]
    what = [each for name, each in parameters.items() if ".W_q." not in name and ".W_k." not in name]
    return Adam((where, WHERE_FASTER * rate), (what, rate))


def _loss(model: ToyModel, task: Task, tokens: Tensor) -> Tensor:
    logits: Tensor = model(tokens).logits
    return F.cross_entropy(logits.flatten(0, -2), task.answers(tokens).flatten())


def _among(tokens: Tensor, others: Tensor) -> Tensor:
    """Whether each sequence is one of the others."""
    return (tokens[:, None] == others).all(dim=-1).any(dim=-1)


def _curve(checkpoints: list[Checkpoint], evaluations: list[Evaluation]) -> TrainingCurve:
    return TrainingCurve(
        torch.tensor([each.step for each in checkpoints]),
        torch.tensor([each.loss for each in evaluations]),
        torch.tensor([each.accuracy for each in evaluations]),
        {
            name: torch.stack([each.measures[name] for each in evaluations])
            for name in evaluations[0].measures
        },
    )


def _evenly_along_path(evaluations: list[Evaluation], count: int) -> list[int]:
    """Return indices of evaluations evenly spaced along the path of loss, accuracy and measures."""
    path = torch.stack(
        [
            torch.cat([torch.tensor([each.loss / 3, each.accuracy]), *each.measures.values()])
            for each in evaluations
        ]
    )
    lengths = (path[1:] - path[:-1]).abs().amax(dim=-1) + 0.5 / max(1, len(evaluations) - 1)
    along = torch.cat([torch.zeros(1), lengths.cumsum(dim=0)])
    marks = torch.linspace(0, float(along[-1]), count)
    nearest = (along[None] - marks[:, None]).abs().argmin(dim=-1)
    return sorted({0, len(evaluations) - 1, *nearest.tolist()})
