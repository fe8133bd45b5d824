"""Terms of the cost of attention, and of writing token by token."""

from attn_ui.base.search_entries import Place
from attn_ui.base.term import Term

TERMS = (
    Term(
        "KV cache",
        "A KV cache keeps the keys and values of earlier tokens, so that each is computed once.",
        Place("multi_head", {"tab": "Token by token"}),
        also=("key-value cache", "key/value cache"),
        code="KVCache",
        source="Shazeer, 2019",
    ),
    Term(
        "KV cache eviction",
        "KV cache eviction drops keys and values when a cache has more than its budget.",
        Place("learned_heads", {"look": "eviction"}),
        also=("eviction", "cache eviction"),
        code="eviction.evict",
        source="Zhang et al., 2023",
    ),
    Term(
        "StreamingLLM",
        "StreamingLLM keeps the first keys of a text, its attention sinks, and the latest.",
        Place("learned_heads", {"look": "eviction", "policy": "StreamingLLM"}),
        code="eviction.evict(policy)",
        source="Xiao et al., 2024",
    ),
    Term(
        "H2O",
        "H2O keeps the latest keys and the heavy hitters: those that have had most weight so far.",
        Place("learned_heads", {"look": "eviction", "policy": "H2O", "budget": "4"}),
        also=("heavy hitter", "heavy-hitter oracle"),
        code="eviction.evict(policy)",
        source="Zhang et al., 2023",
    ),
    Term(
        "FlashAttention",
        "FlashAttention reads the keys a tile at a time and keeps a running maximum and sum: the output is "
        "exact, and the map is never stored.",
        Place("single_head", {"tab": "FlashAttention", "tile": "1"}),
        also=("online softmax", "tiling", "memory-efficient attention"),
        code="tiled_attention",
        source="Milakov and Gimelshein, 2018, online softmax; Rabe and Staats, 2021; Dao et al., 2022",
    ),
    Term(
        "Decoding",
        "Decoding is writing one token after the other, each from all before it.",
        Place("multi_head", {"tab": "Token by token", "token": "3"}),
        also=("autoregressive decoding", "generation", "token by token"),
        code="decode_step",
        apart=("generation",),
    ),
    Term(
        "Quadratic cost",
        "The cost of softmax attention is quadratic: twice the tokens make four times the pairs.",
        Place("single_head", {"tab": "Cost"}),
        also=("quadratic", "quadratic complexity", "O(n²)", "n² pairs"),
        paper="O(n^2 d)",
        code="attention_cost",
        source="Vaswani et al., 2017",
    ),
    Term(
        "FLOPs",
        "FLOPs are floating-point operations: multiplications and additions.",
        Place("single_head", {"mask": "causal", "tab": "Cost"}),
        also=("floating-point operations",),
        code="AttentionCost.flops",
    ),
    Term(
        "Parameters",
        "The parameters of multi-head attention are the numbers in its projections; heads that share out "
        "d_model add none.",
        Place("what_courses_say", {"claim": "parameters"}),
        also=("parameter count", "weights of a model"),
        paper="4\\,d_{\\mathrm{model}}^2",
        code="multi_head_size",
        apart=("Parameters",),
    ),
)
