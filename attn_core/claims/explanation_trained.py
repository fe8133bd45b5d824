"""Whether trained weights explain a model: attention beside the effect of blocking each key."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.attention_flow import attention_rollout
from attn_core.claims.explanation import rank_correlation
from attn_core.claims.measurements import Measurements, Study
from attn_core.multi_head import MultiHead, MultiHeadAttention
from attn_core.toys import TASKS, Run, ToyModel, packaged_run

SEQUENCES = 12
DECIMALS = 12  # of an effect: smaller differences are rounding errors
FEWEST = 4  # other tokens that a position must be able to attend to, for an order of them to count
ONE_LAYER = ("previous token", "reverse", "sort")
LAST, ROLLED = "induction, last layer", "induction, all layers"


def nearest_checkpoint(run: Run, share: float) -> int:
    """Return the index of the checkpoint that lies nearest to a share of a training's steps.

    >>> run = packaged_run("sort")
    >>> [run.checkpoints[nearest_checkpoint(run, share)].step for share in (0.0, 0.1, 1.0)]
    [0, 80, 800]
    """
    step = share * run.recipe.steps
    return min(range(len(run.checkpoints)), key=lambda at: abs(run.checkpoints[at].step - step))


def blocking_effects(
    model: ToyModel, tokens: Int[Tensor, "n_sequence n"]
) -> tuple[Float[Tensor, "n_sequence n_layer n n"], Float[Tensor, "n_sequence n n"]]:
    r"""Return each layer's weights, the mean over heads, and how far each answer moves without each token.

    $$e_{ij} = \frac{1}{2} \sum_s |p_i(s) - p_i^{\setminus j}(s)|$$

    p is the model's own prediction at position i, a probability for each symbol s; without j no other
    position of any layer may attend to j. Both results end in (query, token). The diagonal of the effects
    means nothing, since a token still attends to itself.

    Effects are rounded to 12 decimals, below which their order would be that of rounding errors.

    Invariant: effects are from 0 to 1; where attention is causal, a later token has effect 0.

    Source: Jain and Wallace (2019), Attention is not Explanation, for leave-one-out and this distance.
    """
    n = tokens.shape[-1]
    own = torch.eye(n, dtype=torch.bool)
    # Mask t hides column t from all but t itself; the last mask hides nothing. Axes: mask, sequence, head.
    masks = torch.cat([~own[:, None, :] | own, torch.ones(1, n, n, dtype=torch.bool)])[:, None, None]

    def attend(layer: MultiHeadAttention, x: Tensor, *, attn_mask: Tensor | None) -> MultiHead:
        output: MultiHead = layer(x, attn_mask=masks if attn_mask is None else masks & attn_mask)
        return output

    with torch.no_grad():
        run = model(tokens.expand(n + 1, *tokens.shape), attend=attend)
    probabilities = torch.softmax(run.logits, dim=-1)
    effects = (probabilities[:-1] - probabilities[-1]).abs().sum(dim=-1) / 2  # (token, sequence, query)
    maps = torch.stack([layer.weights[-1].mean(dim=-3) for layer in run.layers], dim=1)
    return maps, effects.permute(1, 2, 0).round(decimals=DECIMALS)


def agreement(
    weights: Float[Tensor, "n_sequence n n"],
    effects: Float[Tensor, "n_sequence n n"],
    has_answer: Tensor,
    *,
    causal: bool,
) -> tuple[Float[Tensor, " n_sequence"], Float[Tensor, " n_sequence"]]:
    """Return the rank correlation of weights and effects, and how often both are largest at the same token.

    Each is a mean over positions with an answer (``has_answer`` (n_sequence, n)) that may attend to four
    other tokens or more; NaN if there are none. Positions of equal weights have no correlation.
    """
    n = weights.shape[-1]
    orders, firsts = [], []
    for position in range(n):
        others = [at for at in range(n) if (at < position if causal else at != position)]
        if len(others) < FEWEST:
            continue
        w, e = (each[:, position, others] for each in (weights, effects))
        no_answer = ~has_answer[:, position]
        orders.append(rank_correlation(w, e).masked_fill(no_answer, torch.nan))
        same = (w.argmax(dim=-1) == e.argmax(dim=-1)).to(w.dtype)
        firsts.append(same.masked_fill(no_answer, torch.nan))
    return torch.stack(orders).nanmean(dim=0), torch.stack(firsts).nanmean(dim=0)


def explanation_by_training(shares: Sequence[float | int]) -> Study:
    """Measure how well weights predict which tokens matter, before, during and after training.

    Models are the packaged trainings, at the checkpoint nearest to each share of their steps; x is in
    percent. "rank correlation" is Spearman's between the weights of a position and the effects of blocking
    each other token on the model's own prediction there; "same first" is the share of positions whose
    largest weight is on the token with the largest effect. Rows are 12 held-out sequences, and positions
    those with an answer. A model of one layer has one curve; the model of two layers has one for its last
    map and one for the product of both (attention rollout).

    Raises ValueError for a share that is not from 0 to 100.

    Source: Jain and Wallace (2019), Attention is not Explanation; Wiegreffe and Pinter (2019), Attention is
    not not Explanation; Abnar and Zuidema (2020) for the rollout.

    >>> study = explanation_by_training([100])
    >>> bool(study.at("same first", "reverse", 100).mean() > 0.9)
    True
    """
    for share in shares:
        if not 0 <= _require.finite("each share", share, requirement="a number from 0 to 100") <= 100:
            raise ValueError(f"each share must be a number from 0 to 100; got {share}")
    measurements = Measurements()
    for task in (*ONE_LAYER, "induction"):
        run = packaged_run(task)
        tokens = run.recipe.held_out(SEQUENCES)
        has_answer = TASKS[task].answers(tokens) >= 0
        rows: dict[tuple[str, str], list[Tensor]] = {}
        for share in shares:
            maps, effects = blocking_effects(run.model(nearest_checkpoint(run, share / 100)).double(), tokens)
            ways = {task: maps[:, -1]}
            if maps.shape[1] > 1:
                ways = {
                    LAST: maps[:, -1],
                    ROLLED: torch.stack([attention_rollout(each)[-1] for each in maps]),
                }
            for name, weights in ways.items():
                order, first = agreement(weights, effects, has_answer, causal=TASKS[task].causal)
                rows.setdefault(("rank correlation", name), []).append(order)
                rows.setdefault(("same first", name), []).append(first)
        for (measure, name), each in rows.items():
            for row in torch.stack(each, dim=1):
                if not bool(row.isnan().any()):
                    measurements.add(measure, name, row)
    return Study("percent of the training", tuple(shares), measurements.curves(len(shares)))
