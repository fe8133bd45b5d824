"""Terms of positions: how attention depends on word order."""

from attn_ui.base.search_entries import Place
from attn_ui.base.term import Term


def _scheme(**link: str) -> Place:
    return Place("positional_encoding", link)


TERMS = (
    Term(
        "Positional encoding",
        "A positional encoding tells attention where each token stands.",
        _scheme(show="E + P"),
        also=("position embedding", "positional embedding"),
        paper="X = E + P",
        code="SCHEMES",
        source="Vaswani et al., 2017",
        symbols=("P",),
        target=Place("positional_encoding"),
    ),
    Term(
        "Permutation equivariance",
        "Without positions and masks attention is permutation equivariant: shuffled words give shuffled rows "
        "and nothing else.",
        _scheme(scheme="none", show="shuffle test"),
        also=("order blindness", "shuffle test"),
        code="shuffle_difference",
    ),
    Term(
        "Sinusoidal encoding",
        "A sinusoidal encoding adds waves from fast to slow to the tokens' vectors.",
        _scheme(show="encoding"),
        also=("sinusoidal", "sinusoidal positional encoding", "sine and cosine encoding"),
        paper="PE_{p,2i} = \\sin(p / 10000^{2i/d})",
        code="sinusoidal_encoding",
        source="Vaswani et al., 2017",
    ),
    Term(
        "Learned positions",
        "Learned positions are one trained vector for each place, added to the token's.",
        _scheme(scheme="learned"),
        also=("learned positional embedding",),
        code="Learned",
        source="Gehring et al., 2017",
    ),
    Term(
        "Ramp encoding",
        "The ramp is a toy that adds one growing number to all dimensions.",
        _scheme(scheme="ramp"),
        also=("ramp",),
        symbols=("\\mathrm{step}",),
        code="ramp_encoding",
    ),
    Term(
        "RoPE",
        "RoPE turns queries and keys by angles that grow with their place: of places, scores see the offset.",
        _scheme(scheme="rotary"),
        also=("rotary embedding", "rotary position embedding", "rotary"),
        paper="R_p\\,q",
        code="rotary_embedding",
        source="Su et al., 2021",
        symbols=("R", "\\tilde Q", "\\tilde q", "\\tilde K", "\\tilde k", "\\tilde X"),
        apart=("rotary",),
    ),
    Term(
        "ALiBi",
        "ALiBi subtracts from each score the distance of query and key, times a slope of the head's own.",
        _scheme(scheme="ALiBi"),
        also=("attention with linear biases", "linear bias"),
        paper="-m\\,|i - j|",
        code="alibi_bias",
        source="Press et al., 2022",
        symbols=("m_h",),
    ),
    Term(
        "T5 relative bias",
        "The T5 bias adds to each score a learned number for its bucket of offsets.",
        _scheme(scheme="buckets"),
        also=("relative position bias", "relative position buckets", "T5 bias", "buckets"),
        paper="B_{b(j-i)}",
        code="relative_position_buckets",
        source="Raffel et al., 2020",
        symbols=("b_h", "\\mathrm{bucket}"),
        apart=("buckets",),
    ),
    Term(
        "Relative position",
        "A scheme of relative positions lets scores depend on the offset of key from query, not on places.",
        _scheme(scheme="rotary", show="shift test"),
        also=("translation invariance", "shift test"),
        code="shift_difference",
        source="Shaw et al., 2018",
    ),
    Term(
        "Length extrapolation",
        "Length extrapolation is using a model on texts longer than it was trained on.",
        _scheme(show="length extrapolation"),
        also=("past training",),
        source="Press et al., 2022",
    ),
    Term(
        "Position interpolation",
        "Position interpolation divides positions by a factor, so that a longer text keeps to the angles of "
        "training.",
        _scheme(show="length extrapolation", scaling="interpolation"),
        also=("linear scaling", "linear RoPE scaling"),
        paper="\\omega'_i = \\omega_i / s",
        code="SCALINGS",
        source="Chen et al., 2023",
        apart=("linear scaling",),
    ),
    Term(
        "NTK-aware scaling",
        "NTK-aware scaling raises the base of RoPE, so that fast pairs of dimensions stay and slow ones turn "
        "slower.",
        _scheme(show="length extrapolation", scaling="NTK"),
        also=("NTK",),
        paper="b' = b\\,s^{d/(d-2)}",
        code="make_scaling",
        source="bloc97, 2023",
    ),
    Term(
        "YaRN",
        "YaRN keeps pairs of dimensions that turn often in training, slows those that do not come round "
        "(NTK-by-parts), and sharpens the scores.",
        _scheme(show="length extrapolation", scaling="YaRN", width="128", trained="4096"),
        paper="m = 0.1 \\ln s + 1",
        code="RotaryScaling",
        source="Peng et al., 2023",
    ),
)
