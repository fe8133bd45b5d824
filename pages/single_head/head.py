"""A head made from the settings: queries, keys and values, and the vectors and weights behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

import attn_core
from attn_ui.base.bounds import MAX_TOKENS
from attn_ui.base.controls import Controls
from attn_ui.base.hand_weight_settings import HandRows, Weight, spread
from attn_ui.base.parameters import Text
from attn_ui.base.sample_words import token_label
from attn_ui.base.sentence import read_sentence
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import SINK, SINK_LOGIT
from attn_words import N_, _, _n, paragraph
from pages.single_head.state import Inputs, Rows, tokens_of

SAMPLES = {
    "two keys, one query": "two-keys",
    "I love ice": "i-love-ice",
    "I love dogs": "i-love-dogs",
    "one query, ten keys": "cross-attention",
}


@dataclass(frozen=True, eq=False)
class SingleHead:
    """Queries, keys and values with their names, and the vectors and weights behind them (None if typed)."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    query: Tensor
    key: Tensor
    value: Tensor
    x: Tensor | None = None
    memory: Tensor | None = None  # the vectors behind keys and values; x itself in self-attention
    projections: tuple[Tensor, Tensor, Tensor] | None = None  # W_q, W_k, W_v as (d_model, d)
    biases: tuple[Tensor, Tensor, Tensor] | None = None  # each (1, d)

    @property
    def d_k(self) -> int:
        """The width of queries and keys."""
        return self.query.shape[-1]

    @property
    def is_cross(self) -> bool:
        """Whether the queries attend to a sequence other than their own."""
        return self.x is not self.memory if self.x is not None else self.queries != self.keys


SINK_HELP = N_(
    "A learned logit of each head, as in gpt-oss: it joins the softmax of every row and is dropped after."
)


def read_sink(controls: Controls) -> float | None:
    """Read the logit of an attention sink, the same in all heads; None for no sink."""
    has_sink = controls.flag(SINK, _("Attention sink"), help=_(SINK_HELP))
    return controls.real(SINK_LOGIT, _("Sink logit")) if has_sink else None


@shared
def make_head(inputs: Inputs) -> SingleHead:
    """Return the head with these settings.

    Raises:
        ValueError: typed tables that do not fit one another.
    """
    if inputs.qkv == "typed":
        return _from_tables(inputs)
    queries, keys, x, memory = _vectors(inputs)
    if inputs.qkv == "as they are":
        return SingleHead(queries, keys, x, memory, memory, x, memory)
    plain, biased = (
        attn_core.SelfAttention(
            x.shape[-1], inputs.d_k, inputs.d_v, bias=bias, seed=inputs.seed, dtype=x.dtype, init=inputs.init
        ).requires_grad_(False)
        for bias in (False, True)
    )
    module = biased if inputs.bias else plain
    linears = [(getattr(plain, name), getattr(module, name)) for name in ("W_q", "W_k", "W_v")]
    for bare, with_bias in linears:
        # So one seed draws the same matrices with biases and without.
        with_bias.weight.copy_(bare.weight)
    by_hand = {name: torch.tensor(rows, dtype=x.dtype) for name, rows in inputs.weights}
    attn_core.set_weights(
        module, {name: each if name[0] == "W" else each[0] for name, each in by_hand.items()}
    )
    query, (_own, key, value) = module.project(x)[0], module.project(memory)
    W_q, W_k, W_v = (linear.weight.mT for _plain, linear in linears)
    biases = None
    if inputs.bias:
        b_q, b_k, b_v = (linear.bias[None] for _plain, linear in linears)
        biases = b_q, b_k, b_v
    return SingleHead(queries, keys, query, key, value, x, memory, (W_q, W_k, W_v), biases)


def read_words(controls: Controls, setting: Text, label: str) -> str:
    """Read a sentence of at most MAX_TOKENS words."""
    how_cut, tokenize = attn_core.how_cut, attn_core.tokenize
    return read_sentence(controls, setting, label, tokenize=tokenize, most=MAX_TOKENS, how_cut=how_cut)


def weights(head: SingleHead) -> list[Weight]:
    """Return a head's weights and biases in their order, [] without projections."""
    sizes = zip("qkv", ("k", "k", "v"), head.projections or (), strict=False)
    matrices = [
        (letter, Weight(f"W_{letter}", (each.shape[0], each.shape[1]), f"d_model × d_{width}"), width)
        for letter, width, each in sizes
    ]
    return [weight for _letter, weight, _width in matrices] + [
        Weight(f"b_{letter}", (1, weight.shape[1]), f"1 × d_{width}")
        for letter, weight, width in matrices
        if head.biases is not None
    ]


def describe_drawing(every_weight: Sequence[Weight], init: str, by_hand: HandRows) -> str:
    """Say the spread of drawn weights, and their effect on a vector's spread; "" if none is drawn."""
    names = {name for name, _rows in by_hand}
    random_weights = [each for each in every_weight if each.name[0] == "W" and each.name not in names]
    if not random_weights:
        return ""
    wide = {each.name: attn_core.INITS[init].std(*each.shape) for each in random_weights}
    first = random_weights[0]
    factor = f"{wide[first.name] * first.shape[0] ** 0.5:.3g}"
    makes = _("{name} multiplies a vector's spread by about {factor}.", name=first.name, factor=factor)
    return paragraph(spread({name: f"{each:.3g}" for name, each in wide.items()}), makes)


def typed_vectors(tokens: list[str], rows: Rows, width: int, seed: int) -> Tensor:
    """Return a vector for each token: the typed rows, then seeded random vectors of the same width."""
    seeded_rows = attn_core.sentence_vectors(tokens, len(rows[0]) if rows else width, seed=seed)
    typed_rows = torch.tensor(rows, dtype=torch.float64)[: len(tokens)] if rows else seeded_rows[:0]
    return torch.cat([typed_rows, seeded_rows[len(typed_rows) :]])


def _vectors(inputs: Inputs) -> tuple[tuple[str, ...], tuple[str, ...], Tensor, Tensor]:
    sample_name = SAMPLES.get(inputs.example)
    if sample_name:
        sample = attn_core.ATTENTION_SAMPLES[sample_name]
        queries, keys = [*map(token_label, sample.query_tokens)], [*map(token_label, sample.key_tokens)]
        x, memory = sample.query, sample.key
        is_self = sample.is_self_attention
    else:
        is_self = inputs.second_text is None
        queries = tokens_of(inputs.text)
        keys = queries if inputs.second_text is None else tokens_of(inputs.second_text)
        x, memory = _sentences(inputs, queries, keys, is_self)
    if inputs.ramp:
        x, memory = (each + attn_core.ramp_encoding(*each.shape).to(each) for each in (x, memory))
    if inputs.unit_rows:
        x, memory = (torch.nn.functional.normalize(each, dim=-1) for each in (x, memory))
    labels = tuple(attn_core.label_tokens(queries))
    if is_self:
        return labels, labels, x, x
    return labels, tuple(attn_core.label_tokens(keys)), x, memory


def _sentences(inputs: Inputs, queries: list[str], keys: list[str], is_self: bool) -> tuple[Tensor, Tensor]:
    if inputs.vectors == "typed":
        x = typed_vectors(queries, inputs.x, inputs.width, inputs.seed)
        memory = x if is_self else typed_vectors(keys, inputs.y, x.shape[-1], inputs.seed)
        if memory.shape[-1] != x.shape[-1]:
            raise ValueError(
                _(
                    "X has width {x} and Y width {y}: both need the same width d_model.",
                    x=x.shape[-1],
                    y=memory.shape[-1],
                )
            )
        return x, memory
    # Both sentences at once, so that a word has one vector wherever it stands.
    words = queries if is_self else queries + keys
    width = inputs.width if inputs.vectors == "random" else len(set(words))
    both = attn_core.sentence_vectors(words, width, kind=inputs.vectors, seed=inputs.seed)
    x = both[: len(queries)]
    return x, x if is_self else both[len(queries) :]


def _from_tables(inputs: Inputs) -> SingleHead:
    query, key, value = (torch.tensor(rows, dtype=torch.float64) for rows in (inputs.q, inputs.k, inputs.v))
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            _(
                "Q has width {q} and K width {k}: the scores here need both to have the same width d_k.",
                q=query.shape[-1],
                k=key.shape[-1],
            )
        )
    if len(key) != len(value):
        raise ValueError(
            _n(
                "K has {count} row and V has {values}: each key needs its own value.",
                "K has {count} rows and V has {values}: each key needs its own value.",
                len(key),
                values=len(value),
            )
        )
    queries, keys = (_row_names(inputs, name, len(rows)) for name, rows in (("q", query), ("k", key)))
    return SingleHead(queries, keys, query, key, value)


def _row_names(inputs: Inputs, letter: str, count: int) -> tuple[str, ...]:
    """Return the tokens as names if there are as many as rows, else numbered letters."""
    text = inputs.text if letter == "q" or inputs.second_text is None else inputs.second_text
    tokens = tokens_of(text)
    if len(tokens) == count and inputs.example == "own sentence":
        return tuple(attn_core.label_tokens(tokens))
    return tuple(f"{letter}{number}" for number in range(1, count + 1))
