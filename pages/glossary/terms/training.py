"""Terms of heads that have learned."""

from attn_ui.base.search_entries import Place
from attn_ui.base.term import Term

CIRCUITS = "Elhage et al., 2021; Olsson et al., 2022"


TERMS = (
    Term(
        "Induction head",
        "An induction head looks at what followed the same symbol before, and continues it.",
        Place("learned_heads"),
        also=("induction",),
        code="toys.TASKS",
        source=CIRCUITS,
        symbols=("\\mathrm{induction}",),
        apart=("induction",),
    ),
    Term(
        "Previous-token head",
        "A previous-token head looks at the token just before its own place.",
        Place("learned_heads"),
        also=("previous token head", "previous token"),
        code="previous_token_score",
        source=CIRCUITS,
        apart=("previous token",),
    ),
    Term(
        "Sink logit",
        "A sink logit is a learned number of a head that joins each row's softmax and is dropped after: "
        "rows sum to less than one.",
        Place("single_head", {"sink": "true"}),
        also=("learned sink", "softmax off by one"),
        code="scaled_dot_product_attention(sink)",
        source="OpenAI, 2025 (gpt-oss)",
    ),
    Term(
        "Attention sink",
        "An attention sink is a token that draws weight whatever the words are.",
        Place("learned_heads", {"source": "a real model", "look": "attention flow"}),
        also=("sink token", "sink"),
        code="first_token_score",
        source="Xiao et al., 2024",
        apart=("sink",),
    ),
    Term(
        "Singular value decomposition",
        "The singular value decomposition finds the directions along which vectors are longest together: no "
        "plane keeps more of their squared length than that of the first two.",
        Place("single_head", {"stage": "points", "tab": "Maths"}),
        also=("SVD", "principal directions"),
        paper="U \\Sigma V^\\top",
        code="plane.main_directions",
        source="Eckart and Young, 1936",
    ),
    Term(
        "Attention rollout",
        "Attention rollout multiplies the maps of all layers, each mixed with the residual connection: what "
        "of each token arrives at each place.",
        Place("learned_heads", {"source": "a real model", "look": "attention flow"}),
        also=("rollout",),
        paper="\\tilde A_l \\tilde A_{l-1} \\cdots \\tilde A_1",
        code="attention_flow.attention_rollout",
        source="Abnar and Zuidema, 2020",
    ),
    Term(
        "Norm of weighted values",
        "The norm of a weighted value is how long the vector is that a key writes to a query: a large weight "
        "on a small value writes little.",
        Place("learned_heads", {"source": "a real model", "look": "attention flow", "layer": "4"}),
        also=("norm-based analysis",),
        paper="\\lVert \\alpha f(x) \\rVert",
        code="attention_flow.weighted_value_norms",
        source="Kobayashi et al., 2020",
    ),
    Term(
        "Ablation",
        "Ablation switches a head off and measures what is lost.",
        Place("learned_heads", {"ablate": "1"}),
        also=("head ablation", "knockout"),
        source="Michel et al., 2019",
    ),
    Term(
        "Loss",
        "The loss says how little a model thought of the right answers: the mean of −log of their "
        "probability.",
        Place("learned_heads"),
        also=("cross-entropy loss", "cross-entropy"),
        paper="-\\log p",
    ),
    Term(
        "Logits",
        "Logits are the numbers that a model's last layer gives each symbol, before their softmax.",
        Place("learned_heads", {"tab": "Maths"}),
        also=("output logits", "next-token logits"),
        paper="z",
    ),
)
