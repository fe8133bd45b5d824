"""Families of models, each as data: what it calls its settings and tensors, and what its layers have.

Sources: Devlin et al. (2019), BERT; Liu et al. (2019), RoBERTa; Sanh et al. (2019), DistilBERT; Radford et
al. (2019), Language Models are Unsupervised Multitask Learners; Touvron et al. (2023), LLaMA; Jiang et al.
(2023), Mistral 7B; Qwen Team (2024, 2025), Qwen2 and Qwen3; Gemma Team (2024), Gemma and Gemma 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from attn_core.models.windows import Windows, alternate, by_layer_type, every_layer, no_window

PROJECTIONS = ("query", "key", "value", "out")


@dataclass(frozen=True)
class Family:
    """What a family calls its settings and tensors, and what its layers are made of.

    ``parts`` names a layer's tensors below ``prefix``: "query", "key", "value" or all three as "joint", and
    "out"; "widen", "narrow" and, where the feed-forward part is gated, "gate"; and norms by where they stand:
    "attention_in" before attention, "attention_out" on what it gives, "attention_sum" after the residual sum,
    the same three of "feed", and "query_norm" and "key_norm" on each head. A norm that is not named is not
    there. ``biased`` are the parts with a bias; those of ``biased_where`` have one where its setting is true.
    """

    name: str
    words: str
    prefix: str
    parts: Mapping[str, str]
    width: str = "hidden_size"
    layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    key_heads: str | None = None
    d_head: int | None = None  # where the setting head_dim is missing; None is width / heads
    activation: str = "hidden_act"
    default_activation: str = "gelu"
    activations: Mapping[str, str] = field(default_factory=dict)  # what is called one and is another
    epsilon: str = "layer_norm_eps"
    default_epsilon: float = 1e-12
    tied: tuple[str, ...] = ()  # what else the table of words is called where it is stored once
    scaled_words: bool = False  # by the root of their width
    places: str | None = None  # the table of positions; without one, queries and keys are turned
    counts_from_padding: bool = False
    kinds: str | None = None  # the table of token types
    norm: str | None = None  # of the embeddings
    rms: bool = False  # norms by the root of the mean square, without an offset
    gain_from_one: bool = False  # norms store their gain less one
    turned: bool = False  # matrices are stored (in, out)
    biased: tuple[str, ...] = ()
    biased_where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    causal: bool = False
    windows: Windows = no_window
    score_width: tuple[str, int] | None = None  # the setting under the root in the scale, in place of d_head
    softcap: tuple[str, float] | None = None
    longest: int = 2048  # positions, where neither a table nor max_position_embeddings tells
    wraps: tuple[str, str] | None = None  # the tokens around a text, where no tokenizer.json tells them


BERT = Family(
    "BERT",
    words="embeddings.word_embeddings",
    tied=("cls.predictions.decoder",),
    places="embeddings.position_embeddings",
    kinds="embeddings.token_type_embeddings",
    norm="embeddings.LayerNorm",
    prefix="encoder.layer",
    parts={
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "out": "attention.output.dense",
        "attention_sum": "attention.output.LayerNorm",
        "widen": "intermediate.dense",
        "narrow": "output.dense",
        "feed_sum": "output.LayerNorm",
    },
    biased=(*PROJECTIONS, "widen", "narrow"),
)
ROBERTA = replace(
    BERT, name="RoBERTa", tied=("lm_head.decoder",), counts_from_padding=True, wraps=("<s>", "</s>")
)
DISTILBERT = Family(
    "DistilBERT",
    width="dim",
    layers="n_layers",
    heads="n_heads",
    activation="activation",
    words="embeddings.word_embeddings",
    tied=("vocab_projector",),
    places="embeddings.position_embeddings",
    norm="embeddings.LayerNorm",
    prefix="transformer.layer",
    parts={
        "query": "attention.q_lin",
        "key": "attention.k_lin",
        "value": "attention.v_lin",
        "out": "attention.out_lin",
        "attention_sum": "sa_layer_norm",
        "widen": "ffn.lin1",
        "narrow": "ffn.lin2",
        "feed_sum": "output_layer_norm",
    },
    biased=(*PROJECTIONS, "widen", "narrow"),
)
GPT2 = Family(
    "GPT-2",
    width="n_embd",
    layers="n_layer",
    heads="n_head",
    activation="activation_function",
    default_activation="gelu_new",
    epsilon="layer_norm_epsilon",
    default_epsilon=1e-5,
    words="wte",
    tied=("lm_head",),
    places="wpe",
    prefix="h",
    parts={
        "joint": "attn.c_attn",
        "out": "attn.c_proj",
        "attention_in": "ln_1",
        "widen": "mlp.c_fc",
        "narrow": "mlp.c_proj",
        "feed_in": "ln_2",
    },
    biased=("joint", "out", "widen", "narrow"),
    turned=True,
    causal=True,
)
LLAMA = Family(
    "Llama",
    key_heads="num_key_value_heads",
    default_activation="silu",
    epsilon="rms_norm_eps",
    default_epsilon=1e-6,
    rms=True,
    words="embed_tokens",
    tied=("lm_head",),
    prefix="layers",
    parts={
        "query": "self_attn.q_proj",
        "key": "self_attn.k_proj",
        "value": "self_attn.v_proj",
        "out": "self_attn.o_proj",
        "attention_in": "input_layernorm",
        "gate": "mlp.gate_proj",
        "widen": "mlp.up_proj",
        "narrow": "mlp.down_proj",
        "feed_in": "post_attention_layernorm",
    },
    biased_where={"attention_bias": PROJECTIONS, "mlp_bias": ("gate", "widen", "narrow")},
    causal=True,
)
MISTRAL = replace(LLAMA, name="Mistral", biased_where={}, windows=every_layer, longest=131_072)
QWEN2 = replace(
    LLAMA,
    name="Qwen2",
    biased=("query", "key", "value"),
    biased_where={},
    windows=by_layer_type,
    longest=32_768,
)
QWEN3 = replace(
    LLAMA,
    name="Qwen3",
    longest=32_768,
    d_head=128,
    parts={**LLAMA.parts, "query_norm": "self_attn.q_norm", "key_norm": "self_attn.k_norm"},
    biased_where={"attention_bias": PROJECTIONS},
    windows=by_layer_type,
)
GEMMA = replace(
    LLAMA,
    name="Gemma",
    longest=8192,
    d_head=256,
    default_activation="gelu_pytorch_tanh",
    activations={"gelu": "gelu_pytorch_tanh"},
    biased_where={"attention_bias": PROJECTIONS},
    gain_from_one=True,
    scaled_words=True,
)
GEMMA2 = replace(
    GEMMA,
    name="Gemma 2",
    activation="hidden_activation",
    activations={},
    parts={
        **LLAMA.parts,
        "attention_out": "post_attention_layernorm",
        "feed_in": "pre_feedforward_layernorm",
        "feed_out": "post_feedforward_layernorm",
    },
    windows=alternate,
    score_width=("query_pre_attn_scalar", 256),
    softcap=("attn_logit_softcapping", 50.0),
)

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "bert": BERT,
        "roberta": ROBERTA,
        "xlm-roberta": ROBERTA,
        "camembert": ROBERTA,
        "distilbert": DISTILBERT,
        "gpt2": GPT2,
        "llama": LLAMA,
        "mistral": MISTRAL,
        "qwen2": QWEN2,
        "qwen3": QWEN3,
        "gemma": GEMMA,
        "gemma2": GEMMA2,
    }
)
"""The families by the ``model_type`` of config.json."""
