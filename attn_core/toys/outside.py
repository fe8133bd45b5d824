"""What a toy does on sequences of another kind than it was trained on."""

from typing import NamedTuple

import torch

from attn_core.toys.model import ToyModel
from attn_core.toys.tasks import Task

SEQUENCES, SEED = 512, 20_000


class Outside(NamedTuple):
    """The share of right answers on sequences of another kind, and where they leave no doubt.

    ``certain`` counts only places at which everything that the rule could mean is one symbol, which are
    ``n_certain`` of ``n_asked``.
    """

    accuracy: float
    certain: float
    n_asked: int
    n_certain: int


def outside(model: ToyModel, task: Task, off: tuple[int, ...] = (), *, count: int = SEQUENCES) -> Outside:
    """Run a model, without the heads in ``off``, over sequences that its task does not draw in training.

    Raises ValueError for a task whose training draws everything that can be typed.

    >>> from attn_core.toys import TASKS, shipped
    >>> found = outside(shipped("induction").model(-1), TASKS["induction"], count=8)
    >>> found.n_certain < found.n_asked
    True
    """
    if task.strange is None:
        raise ValueError(f"{task.name} is trained on every kind of sequence: there is no other")
    tokens = task.strange(count, torch.Generator().manual_seed(SEED))
    with torch.no_grad():
        said = model(tokens, off=off).logits.argmax(dim=-1)
    answers, right = task.answers(tokens), task.right(tokens)
    asked = answers >= 0
    # A place leaves no doubt where no right place holds another symbol than the answer.
    other = right & (tokens[..., None, :] != answers[..., None])
    certain = asked & ~other.any(dim=-1)
    hit = said == answers
    accuracy, sure = (float(hit[each].float().mean()) for each in (asked, certain))
    return Outside(accuracy, sure, int(asked.sum()), int(certain.sum()))
