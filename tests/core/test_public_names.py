import attn_core


def test_public_names_are_the_list() -> None:
    assert len(attn_core.__all__) == len(set(attn_core.__all__))
    assert set(attn_core.__all__) == {
        "ATTENTION_MISTAKES", "ATTENTION_SAMPLES", "Attention", "AttentionCost", "AttentionSample",
        "BandwidthSearch", "BandwidthStep", "Check", "KERNELS", "Kernel", "KernelRegression",
        "KERNEL_MISTAKES", "MULTI_HEAD_MISTAKES", "Mistake", "MultiHead", "MultiHeadAttention",
        "MultiHeadSize", "NORMS",
        "REGRESSION_SAMPLES", "RegressionSample", "ScaleStudy", "SelfAttention",
        "alibi_bias", "alibi_slopes", "attention_cost", "attention_distance", "audit_attention",
        "bandwidth_search", "block_sparse_mask", "causal_mask", "diagonal_score", "dilated_mask",
        "effective_keys", "entropy",
        "global_local_mask", "head_similarity", "kernel_estimate", "label_tokens", "learn_bandwidth",
        "leave_one_out_error", "merge_heads", "multi_head_size", "nadaraya_watson", "padding_mask",
        "packed_mask", "plane_sample", "prefix_mask", "previous_token_score", "ramp_encoding",
        "regression_sample",
        "relative_position_buckets", "repeat_block", "rotary_embedding", "scale_study",
        "LinearAttentionStep", "scaled_dot_product_attention", "Tile",
        "linear_attention_cost", "linear_attention_steps", "tiled_attention",
        "RotaryScaling", "SCALINGS", "make_scaling",
        "Alibi", "BiasScheme", "Learned", "NoPositions", "POSITION_MISTAKES", "Ramp",
        "RelativeBuckets", "Rotary", "RotationScheme", "SCHEMES", "Scheme", "Sinusoidal", "VectorScheme",
        "attention_shift_difference", "by_offset", "make_scheme", "shift_difference", "shuffle_difference",
        "sentence_vectors", "sinusoidal_encoding", "sliding_window_mask", "split_heads", "token_similarity",
        "tokenize", "how_cut", "compare",
        "MASK_PATTERNS", "Masking", "make_mask", "mask_code",
        "DecodingCost", "KVCache", "LatentAttention", "decode_step", "decoding_cost",
        "HeadsFit", "HeadsStudy", "TwoPatternTask", "effective_rank", "fit_heads", "heads_study",
        "token_distance", "two_pattern_task",
        "AttentionMaps", "RealModel", "capture", "first_token_score", "load_model",
        "next_token_score", "read_attention",
        "Manifest", "ManifestEntry",
        "LocalLinear", "local_linear", "local_linear_estimate",
        "SCORES", "Score", "score_attention", "score_pairs", "score_weights",
        "FunctionError", "TypedFunction", "function_sample", "read_function",
        "GLOROT", "INITS", "Init", "set_weights", "weights_of",
    }  # fmt: skip
    assert all(hasattr(attn_core, name) for name in attn_core.__all__)
