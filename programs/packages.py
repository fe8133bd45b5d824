"""The imports of short programs: names from the packages of this app."""

from attn_core import (
    MultiHeadAttention, SelfAttention, alibi_bias, claims, diagonal_score, entropy, first_token_score,
    load_model, local_linear, make_scaling, merge_heads, nadaraya_watson, next_token_score,
    previous_token_score, ramp_encoding, scaled_dot_product_attention, score_attention, sentence_vectors,
    sinusoidal_encoding, split_heads, weights_of,
)  # fmt: skip
from attn_core.applications import (
    SHAPES, SOURCE, TARGET, alignment, house_picture, log_energies, patch_names, vowels,
)  # fmt: skip
from attn_core.clouds import align_clouds
from attn_core.eviction import evict
from attn_core.heads_fit import fit_heads
from attn_core.next_token import keep_likeliest, next_of_model, next_of_toy
from attn_core.plane import main_directions
from attn_core.attention_flow import attention_rollout, drop_keys, find_sinks, weighted_value_norms
from attn_core.two_texts import compare_texts
from attn_core.toys import TASKS, Recipe, packaged_run, train
from attn_figures import show
