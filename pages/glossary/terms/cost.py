"""Terms of what attention costs, and of writing token by token."""

from attn_ui.base.places import Place
from attn_ui.base.term import Term

TERMS = (
    Term(
        "KV cache",
        "A KV cache keeps the keys and values of earlier tokens, so that each is computed once.",
        "writing token by token",
        Place("multi_head", {"tab": "Token by token"}),
        also=("key-value cache", "key/value cache"),
        code="KVCache",
        source="Shazeer, 2019",
    ),
    Term(
        "Decoding",
        "Decoding is writing one token after the other, each from all before it.",
        "writing token by token",
        Place("multi_head", {"tab": "Token by token", "q": "3"}),
        also=("autoregressive decoding", "generation", "token by token"),
        code="decode_step",
        apart=("generation",),
    ),
    Term(
        "Quadratic cost",
        "The cost of attention is quadratic: twice the tokens make four times the pairs.",
        "operations against tokens",
        Place("single_head", {"tab": "Cost"}),
        also=("quadratic", "quadratic complexity", "O(n²)"),
        paper="O(n^2 d)",
        code="attention_cost",
        source="Vaswani et al., 2017",
    ),
    Term(
        "FLOPs",
        "FLOPs are floating-point operations: multiplications and additions.",
        "operations under a mask",
        Place("single_head", {"tab": "Cost", "mask": "causal"}),
        also=("floating-point operations",),
        code="AttentionCost.flops",
    ),
    Term(
        "Parameters",
        "The parameters of multi-head attention are the numbers in its projections; heads add none.",
        "a claim about them, measured",
        Place("what_courses_say", {"claim": "parameters"}),
        also=("parameter count", "weights of a model"),
        paper="4\\,d_{\\mathrm{model}}^2",
        code="multi_head_size",
        apart=("Parameters",),
    ),
)
