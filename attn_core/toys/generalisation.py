"""How a toy generalises to sequences of another kind than it was trained on."""

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from attn_core.toys.model import ToyModel
from attn_core.toys.tasks import Task

SEQUENCES, SEED = 512, 20_000
AT_ONCE = 1536  # tokens: few enough for a processor's cache


class Generalisation(NamedTuple):
    """Accuracy on sequences of another kind, and at those of their positions that leave no doubt.

    ``accuracy`` is over the ``n_asked`` positions with an answer, ``certain`` over the ``n_certain`` of them
    where all right keys hold the same symbol.
    """

    accuracy: float
    certain: float
    n_asked: int
    n_certain: int


def measure_generalisation(
    model: ToyModel, task: Task, off: tuple[int, ...] = (), *, count: int = SEQUENCES
) -> Generalisation:
    """Run a model, without the heads in ``off``, over sequences that its task does not draw in training.

    Raises ValueError for a task whose training draws everything that can be typed.

    >>> from attn_core.toys import TASKS, packaged_run
    >>> evaluation = measure_generalisation(packaged_run("induction").model(-1), TASKS["induction"], count=8)
    >>> evaluation.n_certain < evaluation.n_asked
    True
    """
    if task.strange is None:
        raise ValueError(f"{task.name} is trained on every kind of sequence: there is no other")
    tokens, answers, has_answer, certain = _draw_strange(task, count)
    some = max(1, AT_ONCE // tokens.shape[-1])
    with torch.no_grad():
        predictions = torch.cat([model(each, off=off).logits.argmax(dim=-1) for each in tokens.split(some)])
    hit = predictions == answers
    accuracy, sure = (float(hit[each].float().mean()) for each in (has_answer, certain))
    return Generalisation(accuracy, sure, int(has_answer.sum()), int(certain.sum()))


@lru_cache(maxsize=16)  # one entry per task, used at every step of every training
def _draw_strange(task: Task, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return sequences of another kind, their answers, and masks of positions with any and a sure answer."""
    assert task.strange is not None
    tokens = task.strange(count, torch.Generator().manual_seed(SEED))
    answers, right = task.answers(tokens), task.right(tokens)
    has_answer = answers >= 0
    # A position leaves no doubt where no right key holds another symbol than the answer.
    other = right & (tokens[..., None, :] != answers[..., None])
    return tokens, answers, has_answer, has_answer & ~other.any(dim=-1)
