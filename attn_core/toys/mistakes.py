"""Common mistakes in the use of a trained model, and the accuracy that they cost."""

from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core.checks import MASKED_IS_ZERO
from attn_core.masks import causal_mask
from attn_core.mistakes import heads
from attn_core.mistakes.heads import MULTI_HEAD_MISTAKES
from attn_core.mistakes.one_head import Mask, largest
from attn_core.mistakes.record import Example, LabelledMap, Mistake, MustHold, mistakes_by_name
from attn_core.multi_head import MultiHead, MultiHeadAttention, split_heads
from attn_core.toys.files import packaged_run
from attn_core.toys.model import Attend, ToyRun
from attn_core.toys.tasks import SYMBOLS, TASKS
from attn_core.toys.training_loop import Recipe, evaluate
from attn_words import N_


@dataclass(frozen=True, eq=False)
class TrainedResult:
    """Every stage of a trained model on its task's example, and its accuracy on held-out sequences."""

    run: ToyRun
    share: float


def run_on_example(task: str, *, attend: Attend, start: int = 0) -> ToyRun:
    """Run the model that was trained on a task on the task's example."""
    how = TASKS[task]
    with torch.no_grad():
        run: ToyRun = packaged_run(task).model(-1)(how.tokens(how.example), attend=attend, start=start)
    return run


def use(
    task: str, _head: int = 0, *, attend: Attend = MultiHeadAttention.__call__, start: int = 0
) -> TrainedResult:
    """Run a task's trained model on the task's example and on held-out sequences.

    ``attend`` is how each layer attends, ``start`` the position of the first symbol.
    """
    held_out = Recipe.usual(task).held_out()
    evaluation = evaluate(packaged_run(task).model(-1), TASKS[task], held_out, attend=attend, start=start)
    return TrainedResult(run_on_example(task, attend=attend, start=start), evaluation.accuracy)


def mask_forgotten(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Attend from ``x`` (*batch, n, d_model) to all of it, whatever the mask."""
    stages: MultiHead = module(x)
    return stages


def heads_in_another_order(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Attend over ``x`` (*batch, n, d_model) with the first head's query and key for the last's, and so on.

    Values and W_o keep their order, as when a checkpoint's matrices are put together from the heads in
    different orders; with all four in one order nothing would change.
    """
    query, key, value = module.project(x)
    return module.attend(query.flip(-3), key.flip(-3), value, attn_mask)


def weights_not_transposed(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Attend over ``x`` (*batch, n, d_model) with the transpose of every weight.

    So weights of a file, stored as (in, out) for x W, are taken for those of ``nn.Linear``, (out, in) for
    x W^T. Raises ValueError for weights that are not square, as torch does, and for biases.
    """
    shapes = {name: tuple(each.shape) for name, each in module.named_parameters()}
    square = (module.d_model, module.d_model)
    if shapes != {f"W_{part}.weight": square for part in "qkvo"}:
        raise ValueError(f"this mistake needs four weights {square} and no biases; got {shapes}")
    q, k, v = (x @ each.weight for each in (module.W_q, module.W_k, module.W_v))
    q, k, v = (split_heads(each, module.num_heads) for each in (q, k, v))
    stages = module.attend(module.rotate(q), module.rotate(k), v, attn_mask)
    weight = module.get_parameter("W_o.weight").T
    return replace(stages, output=stages.concatenated @ weight.T, output_weight=weight)


def as_torch(module: MultiHeadAttention, x: Tensor, attn_mask: Mask = None) -> MultiHead:
    """Attend over ``x`` (n, d_model) by torch's own function for several heads."""
    assert module.W_o is not None
    output, weights = F.multi_head_attention_forward(
        *(x, x, x, module.d_model, module.num_heads),
        *(None, None, None, None),  # one matrix for all three, its bias, and biases of keys and values
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=module.W_o.weight,
        out_proj_bias=None,
        attn_mask=None if attn_mask is None else ~attn_mask,
        use_separate_proj_weight=True,
        q_proj_weight=module.W_q.weight,
        k_proj_weight=module.W_k.weight,
        v_proj_weight=module.W_v.weight,
        average_attn_weights=False,
    )
    assert weights is not None
    return replace(heads.attend(module, x, attn_mask), weights=weights, output=output)


def _off_torch(result: TrainedResult, task: str, head: int) -> float:
    return largest(result.run.weights[head] - run_on_example(task, attend=as_torch).weights[head])


def _masked(result: TrainedResult, _task: str, head: int) -> float:
    weights = result.run.weights[head]
    return largest(weights[~causal_mask(len(weights))])


def _draw(result: TrainedResult, task: str, head: int) -> LabelledMap:
    how = TASKS[task]
    symbols = [SYMBOLS[token] for token in how.tokens(how.example).tolist()]
    mask = result.run.layers[head // how.heads].mask
    return LabelledMap(
        result.run.weights[head], symbols, symbols, mask=None if mask is None else mask[head % how.heads]
    )


ANSWERS = MustHold(
    N_("the model answers as it has learned to"),
    N_("share of right answers on sequences it was not trained on, at least 0.95"),
    lambda result, *_inputs: result.share,
    least=0.95,
)
AS_TORCH = MustHold(
    N_("the maps are those of torch"), N_("largest distance of a weight from it"), _off_torch, most=1e-5
)
MASKED = MustHold(MASKED_IS_ZERO, N_("largest weight of a masked key"), _masked, most=0.0)
EARLY = Example(
    N_("A trained model that continues a repeated block of letters; the map is that of head 1.1."),
    lambda: ("induction", 0),
    _draw,
)
LATE = Example(
    N_("A trained model that continues a repeated block of letters; the map is that of head 2.2."),
    lambda: ("induction", 3),
    _draw,
)
COPY = Example(
    N_("A trained model that copies letters; the map is that of its only head."), lambda: ("copy", 0), _draw
)
REVERSE = Example(
    N_("A trained model that reads letters backwards; the map is that of its only head."),
    lambda: ("reverse", 0),
    _draw,
)


def _toy(
    name: str,
    attend: Attend,
    *,
    what: str = "",
    why: str = "",
    start: int = 0,
    check: MustHold = ANSWERS,
    example: Example = LATE,
) -> Mistake[TrainedResult]:
    """Return a mistake in the use of a model; without ``what``, its words are in ``MULTI_HEAD_MISTAKES``."""
    if not what:
        what, why = MULTI_HEAD_MISTAKES[name].what, MULTI_HEAD_MISTAKES[name].why
    also = () if check is ANSWERS else (ANSWERS,)
    broken = partial(use, attend=attend, start=start)
    return Mistake(name, what, why, use, broken, check, example, also)


TOY_MISTAKES = mistakes_by_name(
    _toy("merge without transpose", heads.merge_without_transpose),
    _toy("√d_model for √d_head", heads.scale_by_d_model, check=AS_TORCH),
    _toy("one W for all heads", heads.shared_projections),
    _toy("(d k h) for (k h d)", heads.unpacked_in_another_order),
    _toy("own key not yet cached", heads.cached_after_attending, example=COPY),
    _toy(
        "mask forgotten",
        mask_forgotten,
        what=N_("The model was trained with the causal mask and is used without it."),
        why=N_("A place then also sees what comes after it, and no step taught a head what to do with that."),
        check=MASKED,
        example=EARLY,
    ),
    _toy(
        "places from one",
        MultiHeadAttention.__call__,
        what=N_("Places are counted from 0 in training and from 1 in use."),
        why=N_(
            "All then stands one place too far: heads that learned distances hardly notice, heads that "
            "learned the places themselves look elsewhere."
        ),
        start=1,
        example=REVERSE,
    ),
    _toy(
        "heads in another order",
        heads_in_another_order,
        what=N_("W_q and W_k are loaded with each layer's heads in the opposite order, W_v and W_o are not."),
        why=N_("A head then looks where another should, and passes on what it finds there as its own."),
        check=AS_TORCH,
    ),
    _toy(
        "W not transposed",
        weights_not_transposed,
        what=N_("Weights kept as (in, out), as GPT-2's are, go into nn.Linear, which wants (out, in)."),
        why=N_("All of them are square, so torch refuses nothing, and every W is the transpose of its own."),
    ),
)
"""Mistakes made with a trained model by name, read-only."""
