"""A model's next token: the likeliest ones, also after every layer (logit lens), and what each head adds."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attn_core.models.model import ModelTrace
from attn_core.toys.model import ToyModel, ToyRun
from attn_words import N_, _

AT_ONCE = 4_000_000  # logits in memory together


@dataclass(frozen=True, eq=False)
class NextToken:
    """The prediction after the last of n tokens.

    Attributes:
        logits: of the next token.
        winners, chances: the likeliest token after each layer at each position, and its probability; in a
            real model row 0 is after the embedding, which a toy's prediction does not use.
        heads: what each head adds to the winner's logit; None where layers do not add heads unchanged.
        rest: the other summands of this logit, by name.

    Invariant: ``heads`` and ``rest`` sum to the largest logit.
    """

    logits: Float[Tensor, " n_vocabulary"]
    winners: Int[Tensor, "n_layers n"]
    chances: Float[Tensor, "n_layers n"]
    heads: Float[Tensor, "n_layer n_head"] | None
    rest: Mapping[str, float]


def keep_likeliest(
    logits: Float[Tensor, " n"], *, temperature: float = 1.0, top_k: int, top_p: float = 1.0
) -> tuple[Float[Tensor, " n"], Bool[Tensor, " n"]]:
    r"""Return the probabilities at a temperature, and which tokens top-k and then top-p keep.

    $$p_i = \mathrm{softmax}(z / T)_i$$

    Of the tokens that top-k keeps, top-p keeps the fewest likeliest with a share p of their probability.

    Invariant: probabilities sum to one; the likeliest token is always kept.

    Source: Holtzman et al. (2020), The Curious Case of Neural Text Degeneration; as transformers' warpers.

    >>> logits = torch.tensor([0.5, 0.3, 0.2]).log()
    >>> keep_likeliest(logits, top_k=2, top_p=0.6)[1].tolist()
    [True, False, False]
    """
    chances = (logits.double() / temperature).softmax(dim=-1)
    ranked, order = chances.topk(min(top_k, len(chances)))
    tail = ranked.flip(0).cumsum(dim=-1).flip(0) / ranked.sum()  # of each token and the less likely ones
    survivors = (ranked > 0) & (tail > 1 - top_p)
    survivors[0] = True
    return chances, torch.zeros_like(chances, dtype=torch.bool).scatter(0, order, survivors)


def logit_lens(
    residual: Float[Tensor, "n_layers n d_model"], predict: Callable[[Tensor], Tensor], n_vocabulary: int
) -> tuple[Int[Tensor, "n_layers n"], Float[Tensor, "n_layers n"]]:
    """Return the likeliest token, and its probability, that each layer would predict if it were the last.

    ``predict`` maps vectors to logits; at most ``AT_ONCE`` logits are in memory together.

    Source: nostalgebraist (2020), interpreting GPT: the logit lens.
    """
    vectors = residual.flatten(0, 1)
    blocks = [
        predict(each).softmax(dim=-1).max(dim=-1) for each in vectors.split(max(1, AT_ONCE // n_vocabulary))
    ]
    chances, winners = (torch.cat(parts).view(residual.shape[:2]) for parts in zip(*blocks, strict=True))
    return winners, chances


def next_of_toy(model: ToyModel, run: ToyRun, *, off: Collection[int] = ()) -> NextToken:
    """Return a toy's prediction after a sequence without heads ``off``; its logits are sums over heads."""
    parts = torch.stack([each.contributions for each in run.layers])
    parts.flatten(0, 1)[list(off)] = 0
    residual, symbols = parts.sum(dim=1).cumsum(dim=0), model.readout
    winners, chances = logit_lens(residual, lambda vectors: vectors @ symbols.T, len(symbols))
    heads = parts[:, :, -1] @ symbols[int(run.logits[-1].argmax())]
    return NextToken(run.logits[-1], winners, chances, heads, {})


def next_of_model(trace: ModelTrace) -> NextToken:
    """Return a model's prediction after a text.

    The last norm divides the whole residual stream by one number: with this divisor held fixed, a logit is a
    sum over the embedding, heads and feed-forward layers (direct logit attribution).

    Raises ValueError where the logits are not those of the last norm and a linear layer.
    """
    norm, head, last = trace.norm, trace.head, trace.residual[-1, -1]
    if not torch.allclose(head(norm(last)), trace.logits, atol=1e-3):
        raise ValueError(
            _("a model must predict tokens by its last norm and a linear layer; this one does not")
        )
    winners, chances = logit_lens(trace.residual, lambda vectors: head(norm(vectors)), len(trace.logits))
    winner = int(trace.logits.argmax())
    # The last norm with its divisor held fixed: a centred vector, times `gain`, divided.
    is_centred, shift = isinstance(norm, nn.LayerNorm), norm(torch.zeros_like(last))
    unit = torch.ones_like(last)
    unit[1::2] = -1 if is_centred else 1
    gain = (norm(unit) - shift) * unit
    scaled = (last - last.mean() if is_centred else last) * gain
    divided = float((norm(last) - shift) @ scaled / (scaled @ scaled))
    direction = head.weight[winner] * gain * divided
    direction = direction - direction.mean() if is_centred else direction
    biases = shift @ head.weight[winner] + (0.0 if head.bias is None else head.bias[winner])
    biases += sum(each.output_bias @ direction for each in trace.layers if each.output_bias is not None)
    heads = None
    if trace.adds:
        heads = torch.stack([each.contributions[0, :, -1] @ direction for each in trace.layers])
    rest = {N_("embedding"): float(trace.residual[0, -1] @ direction), N_("biases"): float(biases)}
    others = float(trace.logits[winner]) - sum(rest.values()) - (0.0 if heads is None else float(heads.sum()))
    return NextToken(trace.logits, winners, chances, heads, {**rest, N_("feed-forward layers"): others})
