"""Mistakes made with a model that has learned, each as it is made: now they can cost something."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from torch import Tensor

from attn_core import head_mistakes
from attn_core.head_mistakes import MULTI_HEAD_MISTAKES
from attn_core.multi_head import MultiHead, MultiHeadAttention, split_heads
from attn_core.toys.model import Attend, ToyModel, ToyRun
from attn_words import N_


@dataclass(frozen=True, eq=False)
class ToyMistake:
    """A mistake made with a trained model: ``what`` is done and ``why`` it is wrong.

    ``attend`` is how each layer then attends, ``start`` the place that the first symbol is counted as.
    ``needs`` says what must be there for it to show: several "heads" a layer, a "cache" (a sequence written
    symbol by symbol), a "mask", "positions", or nothing ("").
    """

    name: str
    what: str
    why: str
    attend: Attend = MultiHeadAttention.__call__
    start: int = 0
    needs: str = ""

    def runs(self, model: ToyModel) -> bool:
        """Whether the mistake can be made: nothing is cached where places see all others."""
        return self.needs != "cache" or model.causal

    def run(self, model: ToyModel, tokens: Tensor, off: tuple[int, ...] = ()) -> ToyRun:
        """Run sequences (*batch, n) through the model with the mistake in it, without the heads in ``off``.

        Raises ValueError where the mistake cannot be made.
        """
        if not self.runs(model):
            raise ValueError(f"{self.name} needs a causal model; got one whose places see all others")
        found: ToyRun = model(tokens, off=off, attend=self.attend, start=self.start)
        return found


def mask_forgotten(module: MultiHeadAttention, x: Tensor, attn_mask: Tensor | None = None) -> MultiHead:
    """Attend from ``x`` (*batch, n, d_model) to all of it, whatever the mask."""
    found: MultiHead = module(x)
    return found


def heads_in_another_order(
    module: MultiHeadAttention, x: Tensor, attn_mask: Tensor | None = None
) -> MultiHead:
    """Attend over ``x`` (*batch, n, d_model) with the first head's query and key for the last's, and so on.

    Values and W_o keep their order, as where some of a checkpoint's matrices are put together from the heads
    in one order and some in the other; all four in one order say what the model says.
    """
    query, key, value = module.project(x)
    return module.attend(query.flip(-3), key.flip(-3), value, attn_mask)


def weights_not_transposed(
    module: MultiHeadAttention, x: Tensor, attn_mask: Tensor | None = None
) -> MultiHead:
    """Attend over ``x`` (*batch, n, d_model) with the transpose of every weight.

    Raises ValueError for weights that are not square, as torch does, and for biases: a file that has its
    weights turned has them as they are.

    Source: GPT-2's files, whose layers (``Conv1D`` in transformers) keep (in, out) and compute x W, where
    ``nn.Linear`` keeps (out, in) and computes x W^T.
    """
    shapes = {name: tuple(each.shape) for name, each in module.named_parameters()}
    square = (module.d_model, module.d_model)
    if shapes != {f"W_{part}.weight": square for part in "qkvo"}:
        raise ValueError(f"this mistake needs four weights {square} and no biases; got {shapes}")
    q, k, v = (x @ each.weight for each in (module.W_q, module.W_k, module.W_v))
    q, k, v = (split_heads(each, module.num_heads) for each in (q, k, v))
    found = module.attend(module.turned(q), module.turned(k), v, attn_mask)
    weight = module.get_parameter("W_o.weight").T
    return replace(found, output=found.concatenated @ weight.T, output_weight=weight)


def _between_heads(name: str, attend: Callable[..., MultiHead], needs: str = "") -> ToyMistake:
    known = MULTI_HEAD_MISTAKES[name]
    return ToyMistake(name, known.what, known.why, attend, needs=needs)


TOY_MISTAKES: Mapping[str, ToyMistake] = MappingProxyType(
    {
        mistake.name: mistake
        for mistake in (
            _between_heads("merge-without-transpose", head_mistakes.merge_without_transpose, "heads"),
            _between_heads("scale-by-d-model", head_mistakes.scale_by_d_model, "heads"),
            _between_heads("shared-projections", head_mistakes.shared_projections, "heads"),
            _between_heads("unpacked-in-another-order", head_mistakes.unpacked_in_another_order),
            _between_heads("cached-after-attending", head_mistakes.cached_after_attending, "cache"),
            ToyMistake(
                "mask-forgotten",
                N_("The model was trained with the causal mask and is used without it."),
                N_(
                    "A place then also sees what comes after it, and no step taught a head what to do with "
                    "that."
                ),
                mask_forgotten,
                needs="mask",
            ),
            ToyMistake(
                "counted-from-one",
                N_("Places are counted from 0 in training and from 1 in use."),
                N_(
                    "All then stands one place too far: heads that learned distances hardly notice, heads "
                    "that learned the places themselves look elsewhere."
                ),
                start=1,
                needs="positions",
            ),
            ToyMistake(
                "heads-in-another-order",
                N_(
                    "W_q and W_k are loaded with each layer's heads in the opposite order, W_v and W_o are "
                    "not."
                ),
                N_("A head then looks where another should, and passes on what it finds there as its own."),
                heads_in_another_order,
                needs="heads",
            ),
            ToyMistake(
                "weights-not-transposed",
                N_("Weights kept as (in, out), as GPT-2's are, go into nn.Linear, which wants (out, in)."),
                N_(
                    "All of them are square, so torch refuses nothing, and every W is the transpose of its "
                    "own."
                ),
                weights_not_transposed,
            ),
        )
    }
)
"""Mistakes made with a trained model by name, read-only."""
