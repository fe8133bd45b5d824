"""Measurements of what courses say about attention: each function returns the curves for one claim."""

from attn_core.claims.conventions import divisors, ramp_and_sinusoid, sides
from attn_core.claims.explanation import explanation_by_depth, rank_correlation, ranks, weights_and_effects
from attn_core.claims.explanation_trained import (
    agreement,
    blocking_effects,
    explanation_by_training,
    nearest_checkpoint,
)
from attn_core.claims.heads import (
    DRAWS,
    fused_layouts,
    noise,
    over_smoothing,
    parameters,
    random_layers,
    rows_in,
    unpack_projection,
)
from attn_core.claims.long_sequences import Clock, depth, growing, one_vector
from attn_core.claims.measurements import CLEAR, Difference, Study, clearly_below, difference
from attn_core.claims.specialisation import head_roles
from attn_core.claims.trained_sentences import pronoun_weights, reach_of_layers, sentence_records
from attn_core.claims.worked_example import phrase, printed_with_positions, run_again, symmetry

__all__ = [
    "CLEAR", "DRAWS", "Clock", "Difference", "Study", "agreement", "blocking_effects", "clearly_below",
    "depth", "difference", "divisors", "explanation_by_depth", "explanation_by_training", "fused_layouts",
    "growing", "head_roles", "nearest_checkpoint", "noise", "one_vector", "over_smoothing", "parameters",
    "phrase", "printed_with_positions", "pronoun_weights", "ramp_and_sinusoid", "random_layers",
    "rank_correlation", "ranks", "reach_of_layers", "rows_in", "run_again", "sentence_records", "sides",
    "symmetry", "unpack_projection", "weights_and_effects",
]  # fmt: skip
