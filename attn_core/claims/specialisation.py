"""Whether heads specialise: measures of each head of a trained model along its training."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attn_core.claims.measurements import Study
from attn_core.measures import previous_token_score
from attn_core.toys import TASKS, packaged_run, share_on

SEQUENCES = 32
TASK = "induction"


def head_roles(steps: Sequence[int]) -> Study:
    """Measure each head of the packaged model that continues repeated blocks, at steps of its training.

    "previous token" is the mean weight on the token before, "induction" the mean weight on the token that
    followed the current symbol earlier. Rows are those of 32 held-out sequences that have such a token.

    Raises ValueError for a step without a checkpoint.

    Source: Olsson et al. (2022), In-context Learning and Induction Heads, for the two kinds of heads.

    >>> sorted(head_roles([0, 1000]).measures["previous token"])
    ['layer 1 head 1', 'layer 1 head 2', 'layer 2 head 1', 'layer 2 head 2']
    """
    run = packaged_run(TASK)
    steps_kept = [each.step for each in run.checkpoints]
    if unknown := sorted({*steps} - {*steps_kept}):
        raise ValueError(f"steps must be among those that were kept, {steps_kept}; got {unknown}")
    tokens = run.recipe.held_out(SEQUENCES)
    right = TASKS[TASK].right(tokens)
    has_answer = right.any(dim=(-2, -1))
    scores: dict[str, list[Tensor]] = {"previous token": [], "induction": []}
    with torch.no_grad():
        for step in steps:
            weights = run.model(steps_kept.index(step))(tokens).weights
            scores["previous token"].append(previous_token_score(weights)[has_answer])
            scores["induction"].append(share_on(weights, right)[has_answer])
    n_head = run.recipe.heads
    return Study(
        "training steps",
        tuple(steps),
        {
            measure: {
                f"layer {at // n_head + 1} head {at % n_head + 1}": curve
                for at, curve in enumerate(torch.stack(each, dim=1).unbind(dim=-1))
            }
            for measure, each in scores.items()
        },
    )
