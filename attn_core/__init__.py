"""The mathematics of attention, from kernel regression to many heads, with all intermediate results."""

from attn_core.attention import Attention, SelfAttention, scaled_dot_product_attention
from attn_core.attention_file import read_attention
from attn_core.attention_maps import AttentionMaps
from attn_core.capture_manifest import Manifest, ManifestEntry
from attn_core.capturing import capture
from attn_core.checks import Check, audit_attention, compare
from attn_core.heads_fit import HeadsFit, TwoPatternTask, fit_heads, two_pattern_task
from attn_core.heads_study import HeadsStudy, heads_study
from attn_core.kernels import KERNELS, Kernel
from attn_core.kv_cache import DecodingCost, KVCache, decode_step, decoding_cost
from attn_core.latent_attention import LatentAttention
from attn_core.local_linear import LocalLinear, local_linear, local_linear_estimate
from attn_core.mask_patterns import MASK_PATTERNS, Masking, make_mask, mask_code
from attn_core.masks import (
    block_sparse_mask,
    causal_mask,
    dilated_mask,
    global_local_mask,
    packed_mask,
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
    effective_rank,
    entropy,
    first_token_score,
    head_similarity,
    linear_attention_cost,
    next_token_score,
    previous_token_score,
)
from attn_core.mistakes import (
    ATTENTION_MISTAKES,
    KERNEL_MISTAKES,
    MULTI_HEAD_MISTAKES,
    POSITION_MISTAKES,
    Mistake,
)
from attn_core.models import RealModel, load_model
from attn_core.multi_head import MultiHead, MultiHeadAttention, merge_heads, split_heads
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
from attn_core.rotary_scaling import SCALINGS, RotaryScaling, make_scaling
from attn_core.samples import (
    ATTENTION_SAMPLES,
    REGRESSION_SAMPLES,
    AttentionSample,
    RegressionSample,
    function_sample,
    plane_sample,
    regression_sample,
    sentence_vectors,
)
from attn_core.scale_study import ScaleStudy, scale_study
from attn_core.schemes import (
    SCHEMES,
    Alibi,
    BiasScheme,
    Learned,
    NoPositions,
    Ramp,
    RelativeBuckets,
    Rotary,
    RotationScheme,
    Scheme,
    Sinusoidal,
    VectorScheme,
    attention_shift_difference,
    by_offset,
    make_scheme,
    shift_difference,
    shuffle_difference,
)
from attn_core.scores import SCORES, Score, score_attention, score_pairs, score_weights
from attn_core.sizes import MultiHeadSize, multi_head_size
from attn_core.tiled_and_linear import LinearAttentionStep, Tile, linear_attention_steps, tiled_attention
from attn_core.tokens import how_cut, label_tokens, tokenize
from attn_core.transformer_block import NORMS, repeat_block, token_distance, token_similarity
from attn_core.typed_function import FunctionError, TypedFunction, read_function
from attn_core.weight_init import GLOROT, INITS, Init, set_weights, weights_of

__all__ = [
    "ATTENTION_MISTAKES", "ATTENTION_SAMPLES", "GLOROT", "INITS", "KERNELS", "KERNEL_MISTAKES",
    "MASK_PATTERNS", "MULTI_HEAD_MISTAKES", "NORMS", "POSITION_MISTAKES", "REGRESSION_SAMPLES", "SCALINGS",
    "SCHEMES", "SCORES", "Alibi", "Attention", "AttentionCost", "AttentionMaps", "AttentionSample",
    "BandwidthSearch", "BandwidthStep", "BiasScheme", "Check", "DecodingCost", "FunctionError", "HeadsFit",
    "HeadsStudy", "Init", "KVCache", "Kernel", "KernelRegression", "LatentAttention", "Learned",
    "LinearAttentionStep", "LocalLinear", "Manifest", "ManifestEntry", "Masking", "Mistake", "MultiHead",
    "MultiHeadAttention", "MultiHeadSize", "NoPositions", "Ramp", "RealModel", "RegressionSample",
    "RelativeBuckets", "Rotary", "RotaryScaling", "RotationScheme", "ScaleStudy", "Scheme", "Score",
    "SelfAttention", "Sinusoidal", "Tile", "TwoPatternTask", "TypedFunction", "VectorScheme", "alibi_bias",
    "alibi_slopes", "attention_cost", "attention_distance", "attention_shift_difference", "audit_attention",
    "bandwidth_search", "block_sparse_mask", "by_offset", "capture", "causal_mask", "compare", "decode_step",
    "decoding_cost", "diagonal_score", "dilated_mask", "effective_keys", "effective_rank", "entropy",
    "first_token_score", "fit_heads", "function_sample", "global_local_mask", "head_similarity",
    "heads_study", "how_cut", "kernel_estimate", "label_tokens", "learn_bandwidth", "leave_one_out_error",
    "linear_attention_cost", "linear_attention_steps", "load_model", "local_linear", "local_linear_estimate",
    "make_mask", "make_scaling", "make_scheme", "mask_code", "merge_heads", "multi_head_size",
    "nadaraya_watson", "next_token_score", "packed_mask", "padding_mask", "plane_sample", "prefix_mask",
    "previous_token_score", "ramp_encoding", "read_attention", "read_function", "regression_sample",
    "relative_position_buckets", "repeat_block", "rotary_embedding", "scale_study",
    "scaled_dot_product_attention", "score_attention", "score_pairs", "score_weights", "sentence_vectors",
    "set_weights", "shift_difference", "shuffle_difference", "sinusoidal_encoding", "sliding_window_mask",
    "split_heads", "tiled_attention", "token_distance", "token_similarity", "tokenize", "two_pattern_task",
    "weights_of",
]  # fmt: skip
