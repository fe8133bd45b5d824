"""The mathematics of attention, from kernel regression to many heads, with every intermediate in the open."""

from attn_core.attention import Attention, SelfAttention, scaled_dot_product_attention
from attn_core.block import NORMS, repeat_block, token_similarity
from attn_core.checks import Check, audit_attention, compare
from attn_core.kernels import KERNELS, Kernel
from attn_core.masks import (
    block_sparse_mask,
    causal_mask,
    dilated_mask,
    global_local_mask,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
)
from attn_core.measures import (
    AttentionCost,
    attention_cost,
    attention_distance,
    diagonal_score,
    effective_keys,
    entropy,
    head_similarity,
    previous_token_score,
)
from attn_core.mistakes import ATTENTION_MISTAKES, MULTI_HEAD_MISTAKES, Mistake
from attn_core.multi_head import MultiHead, MultiHeadAttention, merge_heads, split_heads
from attn_core.position_mistakes import POSITION_MISTAKES, PositionMistake
from attn_core.positional import (
    alibi_bias,
    alibi_slopes,
    ramp_encoding,
    relative_position_buckets,
    rotary_embedding,
    sinusoidal_encoding,
)
from attn_core.regression import (
    BandwidthSearch,
    BandwidthStep,
    KernelRegression,
    bandwidth_search,
    kernel_estimate,
    learn_bandwidth,
    leave_one_out_error,
    nadaraya_watson,
)
from attn_core.samples import (
    ATTENTION_SAMPLES,
    REGRESSION_SAMPLES,
    AttentionSample,
    RegressionSample,
    regression_sample,
    sentence_vectors,
)
from attn_core.scale_study import ScaleStudy, scale_study
from attn_core.schemes import SCHEMES, Positions, Scheme, by_offset, shift_difference, shuffle_difference
from attn_core.score_terms import score_terms
from attn_core.sizes import MultiHeadSize, multi_head_size
from attn_core.tokens import label_tokens, tokenize

__all__ = [
    "ATTENTION_MISTAKES",
    "ATTENTION_SAMPLES",
    "KERNELS",
    "MULTI_HEAD_MISTAKES",
    "NORMS",
    "POSITION_MISTAKES",
    "REGRESSION_SAMPLES",
    "SCHEMES",
    "Attention",
    "AttentionCost",
    "AttentionSample",
    "BandwidthSearch",
    "BandwidthStep",
    "Check",
    "Kernel",
    "KernelRegression",
    "Mistake",
    "MultiHead",
    "MultiHeadAttention",
    "MultiHeadSize",
    "PositionMistake",
    "Positions",
    "RegressionSample",
    "ScaleStudy",
    "Scheme",
    "SelfAttention",
    "alibi_bias",
    "alibi_slopes",
    "attention_cost",
    "attention_distance",
    "audit_attention",
    "bandwidth_search",
    "block_sparse_mask",
    "by_offset",
    "causal_mask",
    "compare",
    "diagonal_score",
    "dilated_mask",
    "effective_keys",
    "entropy",
    "global_local_mask",
    "head_similarity",
    "kernel_estimate",
    "label_tokens",
    "learn_bandwidth",
    "leave_one_out_error",
    "merge_heads",
    "multi_head_size",
    "nadaraya_watson",
    "padding_mask",
    "prefix_mask",
    "previous_token_score",
    "ramp_encoding",
    "regression_sample",
    "relative_position_buckets",
    "repeat_block",
    "rotary_embedding",
    "scale_study",
    "scaled_dot_product_attention",
    "score_terms",
    "sentence_vectors",
    "shift_difference",
    "shuffle_difference",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "split_heads",
    "token_similarity",
    "tokenize",
]
